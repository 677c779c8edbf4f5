"""What was typed becomes one payment and one set of arguments, whichever way it was written (R10)."""

import inspect
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import ALICE, BOB, FEE, LEDGER, NOW, ROOT_KEY, icrc1_pack
from wallet.core.account import Account
from wallet.core.amount import Base, format_amount
from wallet.core.arguments import arguments_of
from wallet.core.convert import Form, Payment, amount_of, fee_of, read_form
from wallet.core.errors import BadInput
from wallet.core.intent import lookup_key
from wallet.core.ledger_time import LedgerTime
from wallet.core.value import Value

DECIMALS = 8
ZERO = "00" * 32


def read(to: str = BOB.text, amount: str = "1.5", **fields: Any) -> Payment:
    return read_form(Form(to, amount, **fields), ALICE.owner, DECIMALS, max_memo_bytes=32)


def transfer_arguments(payment: Payment, amount: Base, fee: Base, stamp: LedgerTime | None) -> Mapping[str, Value]:
    return arguments_of(icrc1_pack(), "icrc1_transfer", payment, amount, fee, stamp)


def identity(payment: Payment) -> bytes:
    arguments = transfer_arguments(payment, payment.amount or Base(0), Base(0), None)
    return lookup_key(ROOT_KEY, ALICE.owner, LEDGER, "icrc1_transfer", arguments, icrc1_pack(), fee_is_auto=True)


def test_a_form_is_read_into_base_units_and_accounts() -> None:
    payment = read(memo="invoice 7", from_subaccount="01")
    subaccount = bytes(31) + b"\1"
    assert payment == Payment(Account(ALICE.owner, subaccount), BOB, Base(150_000_000), b"invoice 7")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"amount": "1.5"}, {"amount": "1.50"}),
        ({"amount": "1.5"}, {"amount": " 001.50000000 "}),
        ({}, {"from_subaccount": ZERO}),
        ({}, {"from_subaccount": "0"}),
        ({}, {"memo": ""}),
        ({}, {"memo_hex": ""}),
        ({"memo": "AB"}, {"memo_hex": "4142"}),
        ({"from_subaccount": "0a"}, {"from_subaccount": "A".zfill(64)}),
        ({}, {"to": f"  {BOB.text} "}),
    ],
)
def test_two_ways_to_write_it_are_one_intent(left: dict[str, str], right: dict[str, str]) -> None:  # R10
    assert identity(read(**left)) == identity(read(**right))
    assert transfer_arguments(read(**left), Base(1), FEE, NOW) == transfer_arguments(read(**right), Base(1), FEE, NOW)


@pytest.mark.parametrize(
    "other", [{"amount": "1.51"}, {"memo": "x"}, {"from_subaccount": "1"}, {"to": ALICE.text}, {"memo_hex": "00"}]
)
def test_another_payment_is_another_intent(other: dict[str, str]) -> None:  # R10
    assert identity(read()) != identity(read(**other))


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"to": "nobody"}, "to"),
        ({"to": ""}, "to"),
        ({"amount": ""}, "amount"),
        ({"amount": "1.123456789"}, "amount"),
        ({"amount": "1e3"}, "amount"),
        ({"amount": "-1"}, "amount"),
        ({"memo": "x" * 33}, "memo"),
        ({"memo_hex": "xyz"}, "memo_hex"),
        ({"memo_hex": "00" * 33}, "memo_hex"),
        ({"memo": "a", "memo_hex": "61"}, "memo"),
        ({"from_subaccount": "xyz"}, "from_subaccount"),
        ({"from_subaccount": "1" * 65}, "from_subaccount"),
    ],
)
def test_what_cannot_be_right_is_refused_at_its_field(fields: dict[str, str], field: str) -> None:
    with pytest.raises(BadInput) as refused:
        read(**fields)
    assert refused.value.field == field
    assert refused.value.why


def test_max_is_what_the_fee_leaves_of_the_balance() -> None:
    payment = read(amount=" max ")
    assert payment.amount is None
    assert amount_of(payment, FEE, FEE + 1) == 1
    for balance in (0, FEE - 1, FEE):
        with pytest.raises(BadInput, match="does not cover the fee"):
            amount_of(payment, FEE, balance)
    assert amount_of(read(), FEE, 0) == 150_000_000  # a named amount is the person's, whatever the balance


def test_a_burn_and_a_mint_cost_nothing() -> None:  # R10
    assert fee_of(read(), FEE, minting_account=None) == FEE
    assert fee_of(read(), FEE, minting_account=Account(LEDGER)) == FEE
    assert fee_of(read(), FEE, minting_account=BOB) == 0
    assert fee_of(read(), FEE, minting_account=ALICE) == 0
    # The minter's subaccounts are ordinary accounts.
    assert fee_of(read(from_subaccount="1"), FEE, minting_account=ALICE) == FEE


@pytest.mark.parametrize("fee", [0, FEE])
def test_the_fee_is_always_sent_explicitly(fee: int) -> None:  # R10
    assert transfer_arguments(read(), Base(1), Base(fee), NOW)["fee"] == fee


def test_the_zero_subaccount_and_the_empty_memo_are_sent_as_absent() -> None:  # R10
    arguments = transfer_arguments(read(from_subaccount=ZERO, memo=""), Base(1), FEE, NOW)
    assert arguments["from_subaccount"] is None
    assert arguments["memo"] is None
    assert arguments["to"] == {"owner": BOB.owner, "subaccount": None}


def test_no_form_has_a_field_for_the_stamp() -> None:  # R11
    fields = set(inspect.signature(Form).parameters)
    assert fields == {
        *("to", "amount", "memo", "memo_hex", "from_subaccount"),
        *("operation", "from_account", "lasts"),
    }


@given(st.integers(0, 10**30), st.integers(0, 18))
def test_an_amount_is_read_as_it_is_shown(base: int, decimals: int) -> None:
    form = Form(BOB.text, format_amount(base, decimals))
    assert read_form(form, ALICE.owner, decimals, 32).amount == base


@given(st.binary(max_size=32), st.none() | st.binary(min_size=32, max_size=32))
def test_bytes_typed_as_hex_are_the_bytes_that_are_sent(memo: bytes, subaccount: bytes | None) -> None:
    payment = read(memo_hex=memo.hex(), from_subaccount="" if subaccount is None else subaccount.hex())
    arguments = transfer_arguments(payment, Base(1), FEE, NOW)
    assert arguments["memo"] == (memo or None)
    assert arguments["from_subaccount"] == (None if subaccount == bytes(32) else subaccount)
