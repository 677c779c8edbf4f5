"""What was typed becomes a payment: units, defaults, the fee, and what no ledger would take (R10)."""

from dataclasses import dataclass, replace

from wallet.core.account import Account, AccountId, parse_subaccount_hex
from wallet.core.amount import Base, parse_amount
from wallet.core.errors import BadInput
from wallet.core.ledger_time import parse_duration
from wallet.core.memo import memo_from_hex, memo_from_text, number_memo
from wallet.core.pack import Operation
from wallet.core.payee import Payee, is_same, read_payee
from wallet.core.principal import Principal

MAX = "max"
"""The word for: the whole balance, less the fee."""


@dataclass(frozen=True, slots=True)
class Form:
    """A payment as typed. Empty text is a field left empty. `to` is the spender where one is allowed to spend."""

    to: str
    amount: str
    memo: str = ""
    memo_hex: str = ""
    from_subaccount: str = ""
    operation: Operation = Operation.TRANSFER
    from_account: str = ""  # whose money a transfer_from moves
    lasts: str = ""  # how long an allowance lasts, as 24h; empty: until it is used up or revoked


@dataclass(frozen=True, slots=True)
class Payment:
    """A payment as meant, before the ledger's fee is known. `amount` is None for `max`.

    `sender` is the account that pays, `recipient` who is paid, or who may spend. `spender` is the caller's own account
    where another's pays; `lasts_ns` is how long an allowance lasts.
    """

    sender: Account
    recipient: Payee
    amount: Base | None
    memo: bytes | None
    operation: Operation = Operation.TRANSFER
    spender: Account | None = None
    lasts_ns: int | None = None


def read_form(form: Form, caller: Principal, decimals: int, max_memo_bytes: int) -> Payment:
    """Read every field, or raise BadInput that names the first field that cannot be right. The memo is read as bytes;
    `with_number_memo` reads it anew for a method that takes a number."""
    own = Account.of(caller, read_subaccount(form.from_subaccount))
    is_others = form.operation is Operation.TRANSFER_FROM
    return Payment(
        sender=read_payer(form.from_account, caller) if is_others else own,
        recipient=read_spender(form.to, caller) if form.operation is Operation.APPROVE else read_recipient(form.to),
        amount=read_amount(form.amount, decimals),
        memo=read_memo(form.memo, form.memo_hex, max_memo_bytes),
        operation=form.operation,
        spender=own if is_others else None,
        lasts_ns=read_lasts(form.lasts) if form.operation is Operation.APPROVE else None,
    )


def read_recipient(text: str) -> Payee:
    return _read_payee(text, "to")


def read_spender(text: str, caller: Principal) -> Account:
    """Who may spend: not the caller, and nobody who is known by an account id alone."""
    spender = _read_payee(text, "approve")
    if isinstance(spender, AccountId):
        raise BadInput("approve", "an account id cannot spend: give the spender's principal or ICRC-1 account")
    if spender.owner == caller:
        raise BadInput("approve", "that is you: your own accounts need no allowance, and ledgers refuse it")
    return spender


def read_payer(text: str, caller: Principal) -> Account:
    """Whose account pays: not one of the caller's own."""
    if not text.strip():
        raise BadInput("from", "say whose account pays")
    try:
        payer = Account.from_text(text)
    except ValueError as error:
        raise BadInput("from", str(error)) from None
    if payer.owner == caller:
        raise BadInput("from", "that account is your own, so no allowance is needed: send from its subaccount instead")
    return payer


def read_lasts(text: str) -> int | None:
    """How long an allowance lasts, in nanoseconds; None where it has no end."""
    if not text.strip():
        return None
    try:
        return parse_duration(text)
    except ValueError as error:
        raise BadInput("lasts", str(error)) from None


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


def with_number_memo(payment: Payment, form: Form) -> Payment:
    """The payment for a method whose memo is a number: its digits, none for 0. Raises BadInput for anything else."""
    if form.memo_hex:
        raise BadInput("memo_hex", "this ledger's memo is a number: give it as text, in decimal digits")
    try:
        return replace(payment, memo=number_memo(form.memo))
    except ValueError as error:
        raise BadInput("memo", str(error)) from None


def read_subaccount(text: str) -> bytes | None:
    if not text.strip():
        return None
    try:
        return parse_subaccount_hex(text.strip())
    except ValueError as error:
        raise BadInput("from_subaccount", str(error)) from None


def check_minter(payment: Payment, minting_account: Account | None) -> None:
    """What a ledger refuses by a trap, refused before anything is stored. Raises BadInput."""
    if minting_account is None or payment.sender != minting_account:
        return
    match payment.operation:
        case Operation.APPROVE:
            raise BadInput("from_subaccount", "the minting account cannot allow anybody to spend from it")
        case Operation.TRANSFER_FROM:
            raise BadInput("from", "that is the minting account: nobody can spend from it on an allowance")
        case Operation.TRANSFER:
            return


def fee_of(payment: Payment, fee: int, minting_account: Account | None) -> Base:
    """What the ledger takes: nothing for a burn or a mint, else its fee (R10)."""
    if payment.operation is Operation.APPROVE or minting_account is None:
        return Base(fee)
    is_free = minting_account == payment.sender or is_same(minting_account, payment.recipient)
    return Base(0 if is_free else fee)


def amount_of(payment: Payment, fee: Base, available: int) -> Base:
    """The amount in base units; `max` is what the fee leaves of what is `available`. BadInput where that is nothing."""
    if payment.amount is not None:
        return payment.amount
    if payment.operation is Operation.APPROVE:
        raise BadInput("amount", "say how much may be spent: max is no amount of an allowance")
    if available <= fee:
        what = "what you may take from that account" if payment.spender is not None else "the balance"
        raise BadInput("amount", f"{what} does not cover the fee, so there is nothing to send")
    return Base(available - fee)


def _read_payee(text: str, field: str) -> Payee:
    try:
        return read_payee(text)
    except ValueError as error:
        raise BadInput(field, str(error)) from None
