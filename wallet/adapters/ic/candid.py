"""Candid for the wallet: ic-py writes it, from the types in `candid_types`; a strict reader of our own reads it.

ic-py's decoder accepts cut-off numbers and trailing bytes and can be made to run for minutes, so it never sees a reply.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wallet.adapters.ic.candid_cursor import Wire
from wallet.adapters.ic.candid_wire import read_message
from wallet.adapters.ic.undecodable import Undecodable
from wallet.core.interface import name_hash
from wallet.core.principal import Principal
from wallet.core.value import Case, Value

if TYPE_CHECKING:
    from wallet.adapters.ic.candid_types import Method, Type

__all__ = ["KNOWN", "METHODS", "Undecodable", "decode", "encode", "name_hash"]

_NAMES = """
    owner subaccount from_subaccount spender_subaccount to from spender account amount fee memo
    created_at_time expected_allowance expires_at allowance name url start end length canister_id
    Ok Err BadFee BadBurn InsufficientFunds InsufficientAllowance TooOld CreatedInFuture Duplicate
    TemporarilyUnavailable GenericError AllowanceChanged Expired expected_fee min_burn_amount balance
    ledger_time duplicate_of error_code message current_allowance allowed_window_nanos Frozen
    Blob Text Nat Nat8 Nat64 Int Array Map id block blocks log_length archived_blocks args callback
    certificate hash_tree block_type from_account to_spender prev_spender take AccessDenied reason
    e8s timestamp_nanos TxTooOld TxCreatedInFuture TxDuplicate
"""
KNOWN: frozenset[str] = frozenset(_NAMES.split())
"""Field and case names that a reader gets back by name."""


class _Methods(Mapping[str, "Method"]):
    """The declared methods; ic-py is loaded by the first look at one."""

    def _table(self) -> dict[str, Method]:
        from wallet.adapters.ic import candid_types

        return candid_types.METHODS

    def __getitem__(self, name: str) -> Method:
        return self._table()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._table())

    def __len__(self) -> int:
        return len(self._table())


METHODS: Mapping[str, Method] = _Methods()


def encode(types: Sequence[Type], values: Sequence[Value]) -> bytes:
    """The message that carries these values. Raises ValueError where a value does not fit its type."""
    from ic import candid as ic_candid

    if len(types) != len(values):
        raise ValueError(f"expected {len(types)} arguments, got {len(values)}")
    params = [{"type": t, "value": _for_ic(t, v)} for t, v in zip(types, values, strict=True)]
    message: bytes = ic_candid.encode(params)
    return message


def decode(data: bytes, names: Iterable[str] = KNOWN) -> list[Value]:
    """The values of a message by its own type table, so a reply with more fields or cases than declared still reads.

    Raises Undecodable for bytes that are no complete message, that are too large, or that nest too deeply.
    """
    known = names if isinstance(names, frozenset) else frozenset(names)
    return read_message(Wire(data), _by_hash(known))


@functools.lru_cache(maxsize=64)
def _by_hash(names: frozenset[str]) -> dict[int, str]:
    return {name_hash(name): name for name in sorted(names)}


def _for_ic(wanted: Type, value: Value) -> Any:
    """The value in the shapes that ic-py encodes: `[]` or `[x]` for opt, `{tag: x}` for variants, tuples for tuples.

    ic-py takes True for 1, 1.5 for 1 and a misspelt field for an absent one; here each of them is a ValueError.
    """
    from ic import candid as ic_candid

    match wanted, value:
        case ic_candid.RecClass(), _:
            return _for_ic(wanted.getType(), value)
        case ic_candid.OptClass(), None:
            return []
        case ic_candid.OptClass(), _:
            return [_for_ic(wanted._type, value)]
        case ic_candid.VecClass(), bytes() if wanted._type is ic_candid.Types.Nat8:
            return value
        case ic_candid.VecClass(), list() if wanted._type is not ic_candid.Types.Nat8:
            return [_for_ic(wanted._type, item) for item in value]
        case ic_candid.TupleClass(), list() if len(value) == len(wanted._components):
            return tuple(_for_ic(t, v) for t, v in zip(wanted._components, value, strict=True))
        case ic_candid.RecordClass(), dict() if value.keys() <= wanted._fields.keys():
            return {name: _for_ic(t, value.get(name)) for name, t in wanted._fields.items()}
        case ic_candid.VariantClass(), Case(tag=tag, value=payload) if tag in wanted._fields:
            return {tag: _for_ic(wanted._fields[tag], payload)}
        case ic_candid.FuncClass(), [Principal(raw=raw), str(method)]:
            return [raw, method]
        case ic_candid.PrincipalClass(), Principal(raw=raw):
            return raw
        case ic_candid.NullClass(), None:
            return None
        case ic_candid.BoolClass(), bool():
            return value
        case ic_candid.TextClass(), str():
            return value
        case ic_candid.NatClass() | ic_candid.IntClass() | ic_candid.FixedNatClass() | ic_candid.FixedIntClass(), int():
            if not isinstance(value, bool) and wanted.covariant(value):
                return value
    raise ValueError(f"{type(value).__name__} does not fit {wanted.name}")
