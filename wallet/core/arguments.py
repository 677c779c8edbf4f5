"""A payment as the arguments of a method, by the tags of its pack; and what they say, read back (R10, R12).

Arguments are kept flat, by the paths that a pack uses: `amount`, or `amount.e8s` for a field within a field.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from wallet.core.account import Account, AccountId
from wallet.core.amount import Base
from wallet.core.convert import Payment
from wallet.core.errors import BadInput
from wallet.core.ledger_time import LedgerTime
from wallet.core.pack import Entry, Operation, Pack, Tag
from wallet.core.pack_paths import split_path
from wallet.core.pack_tags import (
    UNIT_NS,
    Amount,
    ExpiresAt,
    Fee,
    Form,
    FromSubaccount,
    Memo,
    MemoForm,
    Payer,
    Recipient,
    Spender,
)
from wallet.core.payee import Payee
from wallet.core.principal import Principal
from wallet.core.value import Value


def arguments_of(
    pack: Pack, method: str, payment: Payment, amount: Base, fee: Base, stamp: LedgerTime | None
) -> Mapping[str, Value]:
    """Every field that the pack tags. The fee is explicit: null would let the ledger take more than was shown (R10).

    Without a stamp they are the payment's identity: an expiry is then its distance from the stamp. Raises BadInput
    where the recipient cannot be written as the method wants it.
    """
    filled = {
        entry.field: _filled(entry, payment, amount, fee)
        for entry in pack.entries
        if entry.method == method and isinstance(entry.meaning, _FILLED)
    }
    expiry, stamped = pack.tagged(method, ExpiresAt), pack.stamp(method)
    if expiry is not None:
        unit_ns = unit_of(pack, method, expiry[0])
        lasts = payment.lasts_ns
        filled[expiry[0]] = None if lasts is None else (stamp or 0) // unit_ns + lasts // unit_ns
    if stamped is not None:
        filled[stamped.field] = None if stamp is None else stamp // unit_of(pack, method, stamped.field)
    return filled


def check_fits(pack: Pack, method: str, payment: Payment) -> None:
    """Raises BadInput for what was asked and the method has no field for: it would be left out without a word."""
    own = payment.spender or payment.sender
    for field, is_asked, tag, what in (
        ("memo", payment.memo is not None, Memo, "no memo"),
        ("from_subaccount", own.subaccount is not None, FromSubaccount, "no subaccount of the caller"),
        ("lasts", payment.lasts_ns is not None, ExpiresAt, "no end of an allowance"),
    ):
        if is_asked and pack.tagged(method, tag) is None:
            raise BadInput(field, f"{method}, as the pack {pack.name} has it, takes {what}")
    if takes_number_memo(pack, method) and not (payment.memo or b"0").isdigit():
        raise BadInput("memo", f"{method}, as the pack {pack.name} has it, takes a number for a memo")


def says(
    pack: Pack, method: str, caller: Principal, arguments: Mapping[str, Value], payment: Payment, amount: Base
) -> bool:
    """Whether the arguments, read back, are this payment: what a card shows is what its bytes say (R12, R15)."""

    def at(tag: type[Tag]) -> Value:
        found = pack.tagged(method, tag)
        return None if found is None else arguments.get(found[0])

    is_others = payment.operation is Operation.TRANSFER_FROM
    recipient = pack.tagged(method, Recipient)
    form = Form.ACCOUNT if recipient is None else recipient[1].form
    memo = at(Memo)
    return (
        pack.operation(method) is payment.operation
        and (payment.spender if is_others else payment.sender) == _callers_account(pack, method, caller, arguments)
        and (not is_others or at(Payer) == written(payment.sender, Form.ACCOUNT))
        and at(Spender if payment.operation is Operation.APPROVE else Recipient) == written(payment.recipient, form)
        and at(Amount) == amount
        and (int(payment.memo or b"0") if isinstance(memo, int) else payment.memo) == memo
        and (payment.lasts_ns is None) == (at(ExpiresAt) is None)
    )


def unit_of(pack: Pack, method: str, field: str) -> int:
    """Nanoseconds in one unit of a field that holds a time."""
    return UNIT_NS[pack.unit(method, field) or "nanoseconds"]


def identity_of(pack: Pack, method: str, arguments: Mapping[str, Value], fee_is_auto: bool) -> dict[str, Value]:
    """The arguments without the stamp and without an auto-filled fee; an expiry by its distance (R10, R13)."""
    stamp, fee, expiry = pack.stamp(method), pack.tagged(method, Fee), pack.tagged(method, ExpiresAt)
    left_out = {None if stamp is None else stamp.field, fee[0] if fee is not None and fee_is_auto else None}
    kept = {name: value for name, value in arguments.items() if name not in left_out}
    if stamp is not None and expiry is not None:
        match arguments.get(stamp.field), kept.get(expiry[0]):
            case int(moment), int(until):
                moment_ns = moment * unit_of(pack, method, stamp.field)
                kept[expiry[0]] = until - moment_ns // unit_of(pack, method, expiry[0])
    return kept


@dataclass(frozen=True, slots=True)
class Said:
    """What an intent's arguments say beyond the columns of its card."""

    operation: Operation
    spender: Account | None  # the caller's own account, where another's pays
    expires_at: LedgerTime | None
    memo_is_number: bool


def read_back(pack: Pack, method: str, caller: Principal, arguments: Mapping[str, Value]) -> Said:
    """Never raises: an intent stays readable with a pack that a later wallet finds fault with."""
    operation = pack.operation(method) or Operation.TRANSFER
    is_others = operation is Operation.TRANSFER_FROM
    spender = _callers_account(pack, method, caller, arguments) if is_others else None
    expires_at = None
    expiry = pack.tagged(method, ExpiresAt)
    if expiry is not None and isinstance(until := arguments.get(expiry[0]), int):
        expires_at = LedgerTime(until * unit_of(pack, method, expiry[0]))
    return Said(operation, spender, expires_at, takes_number_memo(pack, method))


def _callers_account(pack: Pack, method: str, caller: Principal, arguments: Mapping[str, Value]) -> Account:
    own = pack.tagged(method, FromSubaccount)
    subaccount = None if own is None else arguments.get(own[0])
    return Account.of(caller, subaccount if isinstance(subaccount, bytes) else None)


def takes_number_memo(pack: Pack, method: str) -> bool:
    memo = pack.tagged(method, Memo)
    return memo is not None and memo[1].form is MemoForm.NUMBER


def nested(arguments: Mapping[str, Value]) -> list[Value]:
    """The values of the call, in order: records put together from their paths; a number first is an argument's place.

    Raises ValueError where one path leads into what another holds.
    """
    places: dict[int, Value] = {}
    for path, value in arguments.items():
        index, steps = split_path(path)
        if not steps:
            if index in places:
                raise ValueError(f"two values for the argument {index}")
            places[index] = value
            continue
        record = places.setdefault(index, {})
        for step in steps[:-1]:
            record = record.setdefault(step, {}) if isinstance(record, dict) else None
        if not isinstance(record, dict) or steps[-1] in record:
            raise ValueError(f"the path {path} leads into another value")
        record[steps[-1]] = value
    if sorted(places) != list(range(len(places))):
        raise ValueError("an argument is missing between others")
    return [_absent(places[index]) for index in sorted(places)]


def _absent(value: Value) -> Value:
    """A record within a record in which nothing is given is left out itself: an absent stamp in a record of its own."""
    if not isinstance(value, dict):
        return value
    return {name: None if _is_empty(inner) else inner for name, inner in value.items()}


def _is_empty(value: Value) -> bool:
    return isinstance(value, dict) and all(each is None or _is_empty(each) for each in value.values())


_FILLED = (Amount, Recipient, Spender, Payer, Memo, Fee, FromSubaccount)


def _filled(entry: Entry, payment: Payment, amount: Base, fee: Base) -> Value:
    match entry.meaning:
        case Amount():
            return int(amount)
        case Fee():
            return int(fee)
        case Recipient(form=form):
            return written(payment.recipient, form)
        case Spender():
            return written(payment.recipient, Form.ACCOUNT)
        case Payer():
            return written(payment.sender, Form.ACCOUNT)
        case FromSubaccount():
            return (payment.spender or payment.sender).subaccount
        case Memo(form=MemoForm.NUMBER):
            return int(payment.memo or b"0")
        case Memo():
            return payment.memo
        case _:
            raise AssertionError(entry.tag)


def written(payee: Payee, form: Form) -> Value:
    """The payee in the form that the method wants. Raises BadInput where it cannot be written so."""
    match form, payee:
        case Form.ACCOUNT, Account(owner=owner, subaccount=subaccount):
            return {"owner": owner, "subaccount": subaccount}
        case Form.ACCOUNT_ID, AccountId(raw=raw):
            return raw
        case Form.ACCOUNT_ID, Account():
            return AccountId.of(payee).raw
        case Form.PRINCIPAL, Account(owner=owner, subaccount=None):
            return owner
        case Form.PRINCIPAL, Account():
            raise BadInput("to", "this ledger pays principals only, and this account is a subaccount of one")
    raise BadInput(
        "to",
        "that is an account id, as the ICP ledger has them, and this ledger does not pay those: ask the recipient for a"
        " principal or an ICRC-1 account",
    )
