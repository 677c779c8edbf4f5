"""The form of a payment: its fields by operation, what cannot be right about them, and an earlier payment as a form."""

from collections.abc import Callable
from dataclasses import dataclass

from wallet.core.convert import (
    MAX,
    Form,
    read_amount,
    read_lasts,
    read_memo,
    read_payer,
    read_recipient,
    read_spender,
    read_subaccount,
)
from wallet.core.errors import BadInput
from wallet.core.intent import Intent
from wallet.core.ledger_time import DAY, HOUR, MINUTE, SECOND
from wallet.core.memo import describe
from wallet.core.pack import Operation
from wallet.core.principal import Principal
from wallet.ports import LedgerTerms

FIELDS = ("from_account", "to", "amount", "lasts", "memo", "from_subaccount")
"""The fields that are typed, in the order of the screen."""

FIELD_OF_FAULT = {"memo_hex": "memo", "approve": "to", "from": "from_account"}
"""What a fault of the form names, where the screen has it under another name."""


@dataclass(frozen=True, slots=True)
class Words:
    """How a form of one operation speaks."""

    choice: str
    about: str
    payee: str
    payee_hint: str
    amount_hint: str
    own: str


_PAYEE = "account, principal, or an ICP ledger's account id"
WORDS = {
    Operation.TRANSFER: Words("Send", "From your account to another one.", "To", _PAYEE, "1.5, or max", "From"),
    Operation.APPROVE: Words(
        "Allow a spender",
        "The spender may take up to the amount, without asking you again.",
        "Spender",
        "account or principal that may take it",
        "1.5 at the most; 0 revokes",
        "From",
    ),
    Operation.TRANSFER_FROM: Words(
        "Send from another's account",
        "From an account whose owner allowed you to take from it.",
        "To",
        _PAYEE,
        "1.5, or max of what you may take",
        "By",
    ),
}


def has_field(operation: Operation, name: str) -> bool:
    if name == "from_account":
        return operation is Operation.TRANSFER_FROM
    return name != "lasts" or operation is Operation.APPROVE


def faults(form: Form, caller: Principal, terms: LedgerTerms) -> dict[str, str]:
    """Why a field cannot be right, for each that cannot, in the order of the screen; one left empty counts where it
    may not be."""
    readers: dict[str, Callable[[], object]] = {
        "from_account": lambda: read_payer(form.from_account, caller),
        "to": lambda: read_spender(form.to, caller) if _is_approve(form) else read_recipient(form.to),
        "amount": lambda: _amount(form, terms.decimals),
        "lasts": lambda: read_lasts(form.lasts),
        "memo": lambda: read_memo(form.memo, form.memo_hex, terms.max_memo_bytes),
        "from_subaccount": lambda: read_subaccount(form.from_subaccount),
    }
    found = {}
    for name in FIELDS:
        if has_field(form.operation, name):
            try:
                readers[name]()
            except BadInput as fault:
                found[name] = fault.why
    return found


def of_intent(intent: Intent) -> Form:
    """The form that the payment could have come from."""
    card = intent.card
    memo = describe(card.memo) if card.memo is not None else None
    lasts_ns = intent.payment.lasts_ns
    own = card.spender or card.sender
    return Form(
        to=card.recipient.text,
        amount=MAX if intent.amount_is_max else card.text_short(card.amount),
        memo=memo.text if memo is not None and memo.text is not None else "",
        memo_hex=memo.hex if memo is not None and memo.text is None else "",
        from_subaccount=own.subaccount.hex() if own.subaccount is not None else "",
        operation=card.operation,
        from_account=card.sender.text if card.operation is Operation.TRANSFER_FROM else "",
        lasts=_duration(lasts_ns) if lasts_ns is not None else "",
    )


def _amount(form: Form, decimals: int) -> None:
    if read_amount(form.amount, decimals) is None and _is_approve(form):
        raise BadInput("amount", "say how much may be spent: max is no amount of an allowance")


def _is_approve(form: Form) -> bool:
    return form.operation is Operation.APPROVE


def _duration(nanoseconds: int) -> str:
    """As it is typed, in the greatest unit that it is whole in."""
    units = ((DAY, "d"), (HOUR, "h"), (MINUTE, "m"))
    for unit_ns, letter in units:
        if nanoseconds % unit_ns == 0:
            return f"{nanoseconds // unit_ns}{letter}"
    return f"{nanoseconds // SECOND}s"
