"""What was typed becomes a payment, and a payment the arguments of a transfer: units, defaults, the fee (R10)."""

from collections.abc import Mapping
from dataclasses import dataclass

from wallet.core.account import Account, parse_subaccount_hex
from wallet.core.amount import Base, parse_amount
from wallet.core.errors import BadInput
from wallet.core.ledger_time import LedgerTime
from wallet.core.memo import memo_from_hex, memo_from_text
from wallet.core.principal import Principal
from wallet.core.value import Value

MAX = "max"
"""The word for: the whole balance, less the fee."""


@dataclass(frozen=True, slots=True)
class Form:
    """A transfer as typed. Empty text is a field left empty."""

    to: str
    amount: str
    memo: str = ""
    memo_hex: str = ""
    from_subaccount: str = ""


@dataclass(frozen=True, slots=True)
class Payment:
    """A transfer as meant, before the ledger's fee is known. `amount` is None for `max`."""

    sender: Account
    recipient: Account
    amount: Base | None
    memo: bytes | None


def read_form(form: Form, sender: Principal, decimals: int, max_memo_bytes: int) -> Payment:
    """Read every field, or raise BadInput that names the first field that cannot be right."""
    return Payment(
        sender=Account.of(sender, read_subaccount(form.from_subaccount)),
        recipient=read_recipient(form.to),
        amount=read_amount(form.amount, decimals),
        memo=read_memo(form.memo, form.memo_hex, max_memo_bytes),
    )


def read_recipient(text: str) -> Account:
    try:
        return Account.from_text(text)
    except ValueError as error:
        raise BadInput("to", str(error)) from None


def read_amount(text: str, decimals: int) -> Base | None:
    """Base units, or None for `max`."""
    if text.strip() == MAX:
        return None
    try:
        return parse_amount(text.strip(), decimals)
    except ValueError as error:
        raise BadInput("amount", str(error)) from None


def read_memo(text: str, hexadecimal: str, max_bytes: int) -> bytes | None:
    """The memo's bytes; None where there is none. Text and hex together are refused."""
    if text and hexadecimal:
        raise BadInput("memo", "the memo is given twice, as text and as hex: give one of them")
    field = "memo_hex" if hexadecimal else "memo"
    try:
        return memo_from_hex(hexadecimal, max_bytes) if hexadecimal else memo_from_text(text, max_bytes)
    except ValueError as error:
        raise BadInput(field, str(error)) from None


def read_subaccount(text: str) -> bytes | None:
    if not text.strip():
        return None
    try:
        return parse_subaccount_hex(text.strip())
    except ValueError as error:
        raise BadInput("from_subaccount", str(error)) from None


def fee_of(payment: Payment, fee: int, minting_account: Account | None) -> Base:
    """What the ledger takes: nothing for a burn or a mint, else its fee (R10)."""
    is_free = minting_account is not None and minting_account in (payment.sender, payment.recipient)
    return Base(0 if is_free else fee)


def amount_of(payment: Payment, fee: Base, balance: int) -> Base:
    """The amount in base units; `max` is what the balance leaves after the fee. BadInput where that is nothing."""
    if payment.amount is not None:
        return payment.amount
    if balance <= fee:
        raise BadInput("amount", "the balance does not cover the fee, so there is nothing to send")
    return Base(balance - fee)


def transfer_arguments(payment: Payment, amount: Base, fee: Base, stamp: LedgerTime | None) -> Mapping[str, Value]:
    """The record of `icrc1_transfer`. The fee is explicit: null would let the ledger take more than was shown (R10)."""
    recipient: dict[str, Value] = {"owner": payment.recipient.owner, "subaccount": payment.recipient.subaccount}
    return {
        "from_subaccount": payment.sender.subaccount,
        "to": recipient,
        "amount": int(amount),
        "fee": int(fee),
        "memo": payment.memo,
        "created_at_time": stamp,
    }
