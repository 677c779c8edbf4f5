"""The replies that the fault `result` makes up: any case of a method's result, declared or not."""

from __future__ import annotations

from typing import Any, Final

from ic.candid import RecordClass, Types, VariantClass

from wallet.adapters.ic.candid import encode
from wallet.adapters.ic.candid_types import Type
from wallet.core.value import Case, Value
from wallet.devnet.ledger import Ledger
from wallet.devnet.method_types import results
from wallet.devnet.requests import Rules

_TEXTS: Final = frozenset({"message"})
"""Fields of digits that stay text; in all others JSON's digits are a number too large for JSON."""


def made_up(method: str, result: dict[str, Any], ledger: Ledger, rules: Rules) -> bytes:
    """The reply's bytes. Fields left out are filled with what the ledger would say now.

    `Ok` and what begins like it (`Ok2`) are cases of the result itself, all others of its `Err`.
    """
    ((tag, given),) = result.items()
    (declared,) = results(method, ledger.options)
    if tag.startswith("Ok"):
        number = int(given) if given is not None else len(ledger.blocks)
        if not isinstance(declared, VariantClass):
            return encode([declared], [number])
        return encode([_with_case(declared, tag, number)], [Case(tag, number)])
    if not isinstance(declared, VariantClass):
        declared = Types.Variant({"Err": Types.Variant({})})
    errors = declared._fields["Err"]
    payload = _shaped(errors._fields.get(tag), _payload(tag, given, ledger, rules))
    types = Types.Variant({**declared._fields, "Err": _with_case(errors, tag, payload)})
    return encode([types], [Case("Err", Case(tag, payload))])


def _with_case(variant: Type, tag: str, payload: Value) -> Type:
    """The variant as it is, or, for a case that it never had, or never had like this, with a type for that."""
    cases = dict(variant._fields)
    if tag not in cases or not _fits(cases[tag], payload):
        cases[tag] = _type_of(payload)
    return Types.Variant(cases)


def _payload(tag: str, given: Any, ledger: Ledger, rules: Rules) -> Value:
    last = max(0, len(ledger.blocks) - 1)
    usual: dict[str, dict[str, Value]] = {
        "BadFee": {"expected_fee": rules.fee},
        "BadBurn": {"min_burn_amount": ledger.min_burn(rules.fee)},
        "InsufficientFunds": {"balance": 0},
        "InsufficientAllowance": {"allowance": 0},
        "AllowanceChanged": {"current_allowance": 0},
        "CreatedInFuture": {"ledger_time": rules.now},
        "Expired": {"ledger_time": rules.now},
        "Duplicate": {"duplicate_of": last},
        "GenericError": {"error_code": 1, "message": "the ledger does not want to"},
        "TxTooOld": {"allowed_window_nanos": ledger.options.window_ns},
        "TxDuplicate": {"duplicate_of": last},
    }
    if given is None:
        return dict(usual[tag]) if tag in usual else None
    if isinstance(given, dict):
        return {**usual.get(tag, {}), **_numbers(given)}
    value: Value = given
    return value


def _numbers(fields: dict[str, Any]) -> dict[str, Value]:
    """JSON carries large numbers as digits."""
    return {name: _number(name, value) for name, value in fields.items()}


def _number(name: str, value: Any) -> Value:
    if isinstance(value, dict):
        return _numbers(value)
    if name not in _TEXTS and isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    plain: Value = value
    return plain


def _shaped(declared: Type | None, payload: Value) -> Value:
    """Amounts as the method writes them: the ICP ledger has a record of e8s where others have a number."""
    if not isinstance(declared, RecordClass) or not isinstance(payload, dict):
        return payload
    tokens = {name for name, kind in declared._fields.items() if isinstance(kind, RecordClass)}
    return {
        name: {"e8s": value} if name in tokens and isinstance(value, int) else value for name, value in payload.items()
    }


def _fits(declared: Type, payload: Value) -> bool:
    try:
        encode([declared], [payload])
    except (ValueError, TypeError, KeyError):
        return False
    return True


def _type_of(payload: Value) -> Type:
    match payload:
        case None:
            return Types.Null
        case int():
            return Types.Nat
        case dict():
            return Types.Record({name: _type_of(value) for name, value in payload.items()})
        case _:
            return Types.Text
