"""Account ids of the ICP ledger: the published vectors, every refusal, and print then parse as identity."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.core.account import Account, AccountId
from wallet.core.principal import ANONYMOUS, Principal

SEEN = "d3e13d4777e22367532053190b6c6ccf57444a61337e996242b1abfb52cf92c8"
"""An exchange's, in the test suites of several wallets."""

accounts = st.builds(Account.of, st.binary(max_size=29).map(Principal), st.none() | st.binary(min_size=32, max_size=32))


@pytest.mark.parametrize(
    ("owner", "text"),
    [
        (
            "iooej-vlrze-c5tme-tn7qt-vqe7z-7bsj5-ebxlc-hlzgs-lueo3-3yast-pae",
            "bdc4ee05d42cd0669786899f256c8fd7217fa71177bd1fa7b9534f568680a938",
        ),
        (
            "bwz3t-ercuj-owo6s-4adfr-sbu4o-l72hg-kfhc5-5sapm-tj6bn-3scho-uqe",
            "df4ad42194201b15ecbbe66ff68559a126854d8141fd935c5bd53433c2fb28d4",
        ),
        (ANONYMOUS.text, "1c7a48ba6a562aa9eaa2481a9049cdf0433b9738c992d698c31d8abf89cadc79"),
    ],
)
def test_published_vectors_come_from_their_principals(owner: str, text: str) -> None:
    made = AccountId.of(Account.of(Principal.from_text(owner)))
    assert made.text == str(made) == text
    assert AccountId.from_text(text) == made


@pytest.mark.parametrize("case", [str.lower, str.upper])
def test_either_case_is_read_and_lower_case_is_printed(case: Callable[[str], str]) -> None:
    assert AccountId.from_text(f" {case(SEEN)}\n").text == SEEN


def test_short_form() -> None:
    assert AccountId.from_text(SEEN).short == "d3e13d47…52cf92c8"


@given(accounts)
def test_parse_after_print_is_identity(account: Account) -> None:
    made = AccountId.of(account)
    assert AccountId.from_text(made.text) == made == AccountId(made.raw)


@given(accounts, accounts)
def test_different_accounts_have_different_ids(one: Account, other: Account) -> None:
    assert (AccountId.of(one) == AccountId.of(other)) == (one == other)


@given(accounts, st.integers(0, 63), st.sampled_from("0123456789abcdef"))
def test_one_wrong_digit_is_noticed(account: Account, at: int, digit: str) -> None:
    text = AccountId.of(account).text
    if text[at] == digit:
        return
    with pytest.raises(ValueError, match="checksum does not match"):
        AccountId.from_text(text[:at] + digit + text[at + 1 :])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no account id given"),
        ("  ", "no account id given"),
        ("bad1" + SEEN[4:], "checksum does not match"),
        (SEEN[:-1], "64 hex digits, not 63"),
        (SEEN + "0", "64 hex digits, not 65"),
        ("0x" + SEEN[2:], "no hex digit"),
        (SEEN[:-1] + "g", "no hex digit"),
        (SEEN[:-1] + "８", "no hex digit"),
        (SEEN[:32] + " " + SEEN[32:], "no hex digit"),
        (ANONYMOUS.text, "no hex digit"),
    ],
)
def test_each_refusal_has_its_reason(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=r"[a-z]") as refusal:
        AccountId.from_text(text)
    assert why in str(refusal.value)


@pytest.mark.parametrize("raw", [b"", bytes(31), bytes(33)])
def test_another_length_is_refused(raw: bytes) -> None:
    with pytest.raises(ValueError, match="32 bytes, not"):
        AccountId(raw)
