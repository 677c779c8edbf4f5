"""Accounts: the published vectors of the ICRC-1 text form, every refusal, and print then parse as identity."""

import base64
import binascii
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.core.account import DEFAULT_SUBACCOUNT, Account, parse_subaccount_hex
from wallet.core.principal import Principal

OWNER = "k2t6j-2nvnp-4zjm3-25dtz-6xhaa-c7boj-5gayf-oj3xs-i43lp-teztq-6ae"
ONE = bytes(31) + b"\x01"
COUNTING = bytes(range(1, 33))
COUNTING_TEXT = OWNER + "-dfxgiyy.102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20"

principals = st.binary(max_size=29).map(Principal)
subaccounts = st.one_of(
    st.none(),
    st.just(DEFAULT_SUBACCOUNT),
    st.binary(min_size=32, max_size=32),
    st.binary(max_size=4).map(lambda tail: tail.rjust(32, b"\0")),
)
accounts = st.builds(Account.of, principals, subaccounts)


@pytest.mark.parametrize(
    ("text", "subaccount"),
    [(OWNER, None), (OWNER + "-6cc627i.1", ONE), (COUNTING_TEXT, COUNTING)],
)
def test_published_vectors_read_and_print(text: str, subaccount: bytes | None) -> None:
    account = Account.of(Principal.from_text(OWNER), subaccount)
    assert Account.from_text(text) == account
    assert account.text == str(account) == text


def test_published_all_zero_subaccount_prints_as_the_principal() -> None:
    assert Account.of(Principal.from_text(OWNER), bytes(32)).text == OWNER


@pytest.mark.parametrize(
    ("text", "why"),
    [
        # Published as errors.
        (OWNER + "-q6bn32y.", "the default account is written k2t6j"),
        ("k2t6j2nvnp4zjm3-25dtz6xhaac7boj5gayfoj3xs-i43lp-teztq-6ae", "did you mean k2t6j-2nvnp"),
        (OWNER + "-6cc627i.01", "without leading zeros"),
        (OWNER + ".1", "checksum between the principal and the subaccount is missing"),
        # Ours.
        ("", "no account given"),
        ("  ", "no account given"),
        (OWNER + "-6cc627i.0", "the default account is written k2t6j"),
        (OWNER + "-6cc627i.2", "checksum does not match"),
        (OWNER + "-6cc627j.1", "checksum does not match"),
        (OWNER + "-6cc627.1", "has seven characters"),
        (OWNER + "-6cc6271.1", "has seven characters"),
        (OWNER + "-6cc627i", "the point and the subaccount after its checksum are missing"),
        (OWNER + "-6cc627i.g", "no hex digit"),
        (OWNER + "-6cc627i.1.1", "no hex digit"),
        (OWNER + "-6cc627i.-1", "no hex digit"),
        (OWNER + "-6cc627i." + "1" * 64, "checksum does not match"),
        (OWNER + "-6cc627i." + "1" * 65, "too long"),
        ("aaaaa-aa-6cc627i." + "1" * 65, "more than 64 hex digits"),
        (OWNER.upper(), f"lower case ({OWNER})"),
        (COUNTING_TEXT.upper(), "lower case"),
        (OWNER[:-1] + "f", f"did you mean {OWNER}"),
        (OWNER[:-1], "checksum does not match"),
        (OWNER[:-3] + "0ae", "base 32"),
        (OWNER[:-1] + ".1", "not a principal"),
        (OWNER.replace("-", " "), "no letter, digit, dash or point"),
        (OWNER + "\u200b", "no letter, digit, dash or point"),
        ("\u212a" + OWNER[1:], "no letter, digit, dash or point"),  # KELVIN SIGN lower-cases to k
        (OWNER + "\n" + OWNER, "no letter, digit, dash or point"),
        ("-", "not a principal"),
        (".", "not a principal"),
        (".1", "not a principal"),
        ("-6cc627i.1", "not a principal"),
        ("bob", "not a principal"),
    ],
)
def test_each_refusal_has_its_reason(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=r"[a-z]") as refusal:
        Account.from_text(text)
    assert why in str(refusal.value)


def test_spaces_around_are_forgiven() -> None:
    assert Account.from_text(f"  {COUNTING_TEXT}\n").subaccount == COUNTING


@pytest.mark.parametrize("case", [str.lower, str.upper])
def test_an_icp_account_id_is_told_apart(case: Callable[[str], str]) -> None:
    tail = bytes(range(28))
    good = case((binascii.crc32(tail).to_bytes(4, "big") + tail).hex())
    with pytest.raises(ValueError, match="ICP ledger account id, not an ICRC-1 account"):
        Account.from_text(good)
    with pytest.raises(ValueError, match="the checksum does not match"):
        Account.from_text(case("ab" * 32))


def test_an_icp_account_id_seen_in_the_wild_is_recognised() -> None:
    # CRC32 (bdc4ee05) in front of a 28-byte hash of owner and subaccount.
    with pytest.raises(ValueError, match="this is an ICP ledger account id"):
        Account.from_text("bdc4ee05d42cd0669786899f256c8fd7217fa71177bd1fa7b9534f568680a938")


@given(accounts)
def test_parse_after_print_is_identity(account: Account) -> None:
    assert Account.from_text(account.text) == account


@given(st.text(max_size=140) | st.from_regex(r"[a-z2-7-]{0,80}(\.[0-9a-f]{0,66})?", fullmatch=True))
def test_what_is_read_prints_as_it_was_written(text: str) -> None:
    try:
        account = Account.from_text(text)
    except ValueError:
        return
    assert account.text == text.strip()


@given(accounts, st.data())
def test_one_wrong_character_is_noticed(account: Account, data: st.DataObject) -> None:
    text = account.text
    at = data.draw(st.integers(0, len(text) - 1))
    wrong = data.draw(st.sampled_from("abcdefghijklmnopqrstuvwxyz0123456789").filter(lambda c: c != text[at]))
    # CRC32 notices every burst of up to 32 bits; the group's dashes and the point are noticed by the form.
    with pytest.raises(ValueError, match=r"."):
        Account.from_text(text[:at] + wrong + text[at + 1 :])


@given(principals)
def test_the_zero_subaccount_equals_none(owner: Principal) -> None:  # R10
    zero, none = Account.of(owner, bytes(32)), Account.of(owner)
    assert zero == none
    assert hash(zero) == hash(none)
    assert zero.subaccount is None


@given(principals, st.binary(max_size=40).filter(lambda raw: len(raw) != 32))
def test_another_length_of_subaccount_is_refused(owner: Principal, subaccount: bytes) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Account.of(owner, subaccount)


def test_the_constructor_refuses_what_is_not_normal() -> None:
    with pytest.raises(ValueError, match="written as none"):
        Account(Principal(b"\x04"), bytes(32))


@pytest.mark.parametrize(
    ("text", "short"),
    [
        (OWNER, "k2t6j-…-6ae"),
        (OWNER + "-6cc627i.1", "k2t6j-…-6ae-6cc627i.1"),
        (COUNTING_TEXT, "k2t6j-…-6ae-dfxgiyy.102…f20"),
        ("aaaaa-aa", "aaaaa-aa"),
        ("2vxsx-fae", "2vxsx-fae"),
    ],
)
def test_short_form(text: str, short: str) -> None:
    assert Account.from_text(text).short == short


@given(st.binary(min_size=32, max_size=32))
def test_subaccount_hex_reads_with_and_without_leading_zeros(subaccount: bytes) -> None:
    digits = subaccount.hex()
    assert parse_subaccount_hex(digits) == subaccount
    assert parse_subaccount_hex(digits.lstrip("0") or "0") == subaccount
    assert parse_subaccount_hex(f" {digits.upper()} ") == subaccount


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no subaccount given"),
        ("0x1", "without 0x"),
        ("1g", "hex digits only"),
        ("1 1", "hex digits only"),
        ("１", "hex digits only"),
        ("-1", "hex digits only"),
        ("1_1", "hex digits only"),
        ("0" * 65, "at most 64 hex digits, not 65"),
    ],
)
def test_a_wrong_subaccount_says_what_is_wrong(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=r"[a-z]") as refusal:
        parse_subaccount_hex(text)
    assert why in str(refusal.value)


@given(accounts.filter(lambda account: account.subaccount is not None))
def test_the_checksum_is_the_standards_crc32(account: Account) -> None:
    assert account.subaccount is not None
    crc = binascii.crc32(account.owner.raw + account.subaccount).to_bytes(4, "big")
    checksum = account.text.removeprefix(account.owner.text + "-").partition(".")[0]
    assert base64.b32decode(checksum.upper() + "=") == crc
