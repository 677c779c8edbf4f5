"""A payment becomes the arguments of whichever method a pack describes, and can be read back from them (R10, R12)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import ALICE, BOB, FEE, LEDGER, NOW, ROOT_KEY
from wallet.adapters.packs import bundled_pack
from wallet.core.account import Account, AccountId
from wallet.core.amount import Base
from wallet.core.arguments import arguments_of, check_fits, identity_of, nested, read_back
from wallet.core.convert import Form, Payment, amount_of, check_minter, fee_of, read_form, with_number_memo
from wallet.core.errors import BadInput
from wallet.core.intent import lookup_key
from wallet.core.ledger_time import HOUR, SECOND, LedgerTime
from wallet.core.pack import Operation, Pack
from wallet.core.pack_text import parse_pack

SPENDER = Account(BOB.owner, b"\5" * 32)
ICRC2, ICP = bundled_pack("icrc2"), bundled_pack("icp")
APPROVE, TRANSFER_FROM = "icrc2_approve", "icrc2_transfer_from"


def read(to: str = SPENDER.text, amount: str = "1.5", **fields: Any) -> Payment:
    return read_form(Form(to, amount, **fields), ALICE.owner, 8, max_memo_bytes=32)


def test_an_approve_names_the_spender_and_when_it_ends() -> None:
    payment = read(operation=Operation.APPROVE, lasts="2h", memo="gym", from_subaccount="1")
    arguments = arguments_of(ICRC2, APPROVE, payment, Base(150), FEE, NOW)
    assert arguments == {
        "from_subaccount": bytes(31) + b"\1",
        "spender": {"owner": SPENDER.owner, "subaccount": SPENDER.subaccount},
        "amount": 150,
        "fee": FEE,
        "memo": b"gym",
        "expires_at": NOW + 2 * HOUR,
        "created_at_time": NOW,
    }
    said = read_back(ICRC2, APPROVE, ALICE.owner, arguments)
    assert (said.operation, said.expires_at, said.spender) == (Operation.APPROVE, NOW + 2 * HOUR, None)


def test_a_transfer_from_names_whose_money_moves() -> None:
    payment = read(operation=Operation.TRANSFER_FROM, from_account=BOB.text, from_subaccount="2")
    arguments = arguments_of(ICRC2, TRANSFER_FROM, payment, Base(150), FEE, NOW)
    assert arguments["from"] == {"owner": BOB.owner, "subaccount": None}
    assert arguments["to"] == {"owner": SPENDER.owner, "subaccount": SPENDER.subaccount}
    assert arguments["spender_subaccount"] == bytes(31) + b"\2"
    said = read_back(ICRC2, TRANSFER_FROM, ALICE.owner, arguments)
    assert said.spender == Account(ALICE.owner, bytes(31) + b"\2")


def test_an_icp_transfer_has_records_within_its_record() -> None:
    payment = with_number_memo(read(AccountId.of(BOB).text), Form("", "", memo="77"))
    (record,) = nested(arguments_of(ICP, "transfer", payment, Base(150), FEE, NOW))
    assert record == {
        "to": AccountId.of(BOB).raw,
        "amount": {"e8s": 150},
        "fee": {"e8s": FEE},
        "memo": 77,
        "from_subaccount": None,
        "created_at_time": {"timestamp_nanos": NOW},
    }
    (unstamped,) = nested(arguments_of(ICP, "transfer", payment, Base(150), FEE, None))
    assert isinstance(unstamped, dict)
    assert unstamped["created_at_time"] is None


def test_an_account_is_paid_by_its_id_where_the_ledger_wants_ids() -> None:
    arguments = arguments_of(ICP, "transfer", read(BOB.text), Base(1), FEE, NOW)
    assert arguments["to"] == AccountId.of(BOB).raw


def pack_with(*fields: tuple[str, str, dict[str, Any]]) -> Pack:
    entries = [{"at": "pay", "tag": "outcome", "args": {"default": "success"}}]
    entries += [{"at": f"pay.{field}", "tag": tag, "args": args} for field, tag, args in fields]
    return parse_pack("x", json.dumps(entries))


def test_arguments_can_stand_side_by_side() -> None:
    pack = pack_with(("0", "recipient", {"form": "principal"}), ("1", "amount", {}), ("2.note", "memo", {}))
    arguments = arguments_of(pack, "pay", read(BOB.text, memo="x"), Base(7), FEE, None)
    assert nested(arguments) == [BOB.owner, 7, {"note": b"x"}]


@pytest.mark.parametrize("paths", [("a", "a.b"), ("a.b", "a"), ("1",), ("0", "2"), ("0", "0.a")])
def test_paths_that_contradict_each_other_are_refused(paths: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"another value|two values|missing"):
        nested(dict.fromkeys(paths, 1))


def test_a_recipient_that_cannot_be_written_is_refused_at_its_field() -> None:
    to_principal = pack_with(("to", "recipient", {"form": "principal"}), ("amount", "amount", {}))
    for pack, method, to in (
        (to_principal, "pay", SPENDER.text),
        (to_principal, "pay", AccountId.of(BOB).text),
        (bundled_pack("icrc1"), "icrc1_transfer", AccountId.of(BOB).text),
    ):
        with pytest.raises(BadInput) as refusal:
            arguments_of(pack, method, read(to), Base(1), FEE, NOW)
        assert refusal.value.field == "to"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"memo": "x"}, "memo"),
        ({"from_subaccount": "1"}, "from_subaccount"),
        ({"operation": Operation.APPROVE, "lasts": "1h"}, "lasts"),
        ({"operation": Operation.TRANSFER_FROM, "from_account": BOB.text, "from_subaccount": "1"}, "from_subaccount"),
    ],
)
def test_nothing_that_was_asked_is_left_out_without_a_word(fields: dict[str, Any], field: str) -> None:
    bare = pack_with(("to", "recipient", {"form": "account"}), ("amount", "amount", {}))
    check_fits(bare, "pay", read())
    with pytest.raises(BadInput, match="takes no") as refusal:
        check_fits(bare, "pay", read(**fields))
    assert refusal.value.field == field


# --- identity ---


def key(payment: Payment, stamp: LedgerTime | None = None) -> bytes:
    arguments = arguments_of(ICRC2, APPROVE, payment, payment.amount or Base(0), FEE if stamp else Base(0), stamp)
    return lookup_key(ROOT_KEY, ALICE.owner, LEDGER, APPROVE, arguments, ICRC2, fee_is_auto=True)


@given(st.sampled_from(["90s", "10m", "24h", "30d", ""]), st.integers(10**18, 2 * 10**18).map(LedgerTime))
def test_a_relative_time_counts_by_its_duration(lasts: str, stamp: LedgerTime) -> None:  # R10
    payment = read(operation=Operation.APPROVE, lasts=lasts)
    assert key(payment, stamp) == key(payment)


def test_another_duration_is_another_intent() -> None:  # R10
    keys = {key(read(operation=Operation.APPROVE, lasts=lasts)) for lasts in ("", "1h", "2h", "60m")}
    assert len(keys) == 3


def test_an_expiry_in_other_units_counts_by_its_duration_too() -> None:
    entries = json.loads(ICRC2.text)
    for entry in entries:
        if entry["at"] == "icrc2_approve.expires_at" and entry["tag"] == "timestamp":
            entry["args"]["unit"] = "seconds"
    pack = parse_pack("x", json.dumps(entries))
    payment = read(operation=Operation.APPROVE, lasts="90s")
    stamp = LedgerTime(1_800_000_000 * SECOND + 999_999_999)
    arguments = arguments_of(pack, APPROVE, payment, Base(1), FEE, stamp)
    assert arguments["expires_at"] == 1_800_000_090
    unstamped = arguments_of(pack, APPROVE, payment, Base(1), FEE, None)
    assert identity_of(pack, APPROVE, arguments, True) == identity_of(pack, APPROVE, unstamped, True)


# --- what no ledger would take ---


@pytest.mark.parametrize(
    ("to", "fields", "field"),
    [
        (ALICE.text, {"operation": Operation.APPROVE}, "approve"),
        (AccountId.of(BOB).text, {"operation": Operation.APPROVE}, "approve"),
        ("nobody", {"operation": Operation.APPROVE}, "approve"),
        (BOB.text, {"operation": Operation.APPROVE, "lasts": "0h"}, "lasts"),
        (BOB.text, {"operation": Operation.TRANSFER_FROM}, "from"),
        (BOB.text, {"operation": Operation.TRANSFER_FROM, "from_account": ALICE.text}, "from"),
        ("00" * 32, {}, "to"),
    ],
)
def test_what_cannot_be_right_is_refused_at_its_field(to: str, fields: dict[str, Any], field: str) -> None:
    with pytest.raises(BadInput) as refusal:
        read(to, **fields)
    assert refusal.value.field == field


def test_the_minting_account_allows_nobody_and_is_taken_from_by_nobody() -> None:
    for fields, minter in (
        ({"operation": Operation.APPROVE}, ALICE),
        ({"operation": Operation.TRANSFER_FROM, "from_account": BOB.text}, BOB),
    ):
        payment = read(**fields)
        check_minter(payment, SPENDER)
        with pytest.raises(BadInput):
            check_minter(payment, minter)
    check_minter(read(), ALICE)  # a mint


def test_an_approve_costs_the_fee_whoever_the_spender_is() -> None:
    payment = read(operation=Operation.APPROVE)
    assert fee_of(payment, FEE, minting_account=SPENDER) == FEE
    with pytest.raises(BadInput, match="how much"):
        amount_of(read(operation=Operation.APPROVE, amount="max"), FEE, 10**9)


def test_a_burn_by_its_account_id_costs_nothing() -> None:  # R10
    assert fee_of(read(AccountId.of(BOB).text), FEE, minting_account=BOB) == 0
    assert fee_of(read(AccountId.of(BOB).text), FEE, minting_account=ALICE) == 0
    assert fee_of(read(AccountId.of(BOB).text), FEE, minting_account=SPENDER) == FEE
