"""The replies that the fault `result` makes up: any case of a method's result, declared or not."""

from __future__ import annotations

from typing import Any, Final

from ic.candid import Types

from wallet.adapters.ic.candid import METHODS, encode
from wallet.core.value import Case, Value
from wallet.devnet.ledger import Ledger
from wallet.devnet.requests import Rules

_TEXTS: Final = frozenset({"message"})
"""Fields of digits that stay text; in all others JSON's digits are a number too large for JSON."""


def made_up(method: str, result: dict[str, Any], ledger: Ledger, rules: Rules) -> bytes:
    """The reply's bytes. Fields left out are filled with what the ledger would say now."""
    ((tag, given),) = result.items()
    (declared,) = METHODS[method].results
    if tag == "Ok":
        return encode([declared], [Case("Ok", int(given) if given is not None else len(ledger.blocks))])
    cases = dict(declared._fields["Err"]._fields)
    payload = _payload(tag, given, ledger, rules)
    if tag not in cases or not _fits(cases[tag], payload):
        # A case the interface never had, or never had like this: its type goes with it, as Candid does it.
        cases[tag] = _type_of(payload)
    types = Types.Variant({"Ok": Types.Nat, "Err": Types.Variant(cases)})
    return encode([types], [Case("Err", Case(tag, payload))])


def _payload(tag: str, given: Any, ledger: Ledger, rules: Rules) -> Value:
    usual: dict[str, dict[str, Value]] = {
        "BadFee": {"expected_fee": rules.fee},
        "BadBurn": {"min_burn_amount": ledger.min_burn(rules.fee)},
        "InsufficientFunds": {"balance": 0},
        "InsufficientAllowance": {"allowance": 0},
        "AllowanceChanged": {"current_allowance": 0},
        "CreatedInFuture": {"ledger_time": rules.now},
        "Expired": {"ledger_time": rules.now},
        "Duplicate": {"duplicate_of": max(0, len(ledger.blocks) - 1)},
        "GenericError": {"error_code": 1, "message": "the ledger does not want to"},
    }
    if given is None:
        return dict(usual[tag]) if tag in usual else None
    if isinstance(given, dict):
        fields: dict[str, Value] = {name: _number(name, value) for name, value in given.items()}
        return {**usual.get(tag, {}), **fields}
    value: Value = given
    return value


def _number(name: str, value: Any) -> Value:
    """JSON carries large numbers as digits."""
    if name not in _TEXTS and isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    plain: Value = value
    return plain


def _fits(declared: Any, payload: Value) -> bool:
    try:
        encode([declared], [payload])
    except (ValueError, TypeError, KeyError):
        return False
    return True


def _type_of(payload: Value) -> Any:
    match payload:
        case None:
            return Types.Null
        case int():
            return Types.Nat
        case dict():
            return Types.Record({name: _type_of(value) for name, value in payload.items()})
        case _:
            return Types.Text
