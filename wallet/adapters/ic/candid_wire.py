"""A strict, bounded reader of Candid bytes: every message ends, in time linear in its length."""

from dataclasses import dataclass
from typing import Final, TypeAlias

from wallet.adapters.ic.candid_cursor import Wire
from wallet.adapters.ic.undecodable import Undecodable
from wallet.core.value import Case, Value

MAX_DEPTH: Final = 96
"""Types within types. An ICRC-3 block needs about fifteen."""

KINDS: Final = {
    -1: "null",
    -2: "bool",
    -3: "nat",
    -4: "int",
    -5: "nat8",
    -6: "nat16",
    -7: "nat32",
    -8: "nat64",
    -9: "int8",
    -10: "int16",
    -11: "int32",
    -12: "int64",
    -13: "float32",
    -14: "float64",
    -15: "text",
    -16: "reserved",
    -17: "empty",
    -24: "principal",
}
"""The primitive types by their number on the wire."""


class _Kind:
    """The constructed types by their number on the wire, and the one primitive that a blob is made of."""

    OPT: Final = -18
    VEC: Final = -19
    RECORD: Final = -20
    VARIANT: Final = -21
    FUNC: Final = -22
    SERVICE: Final = -23
    NAT8: Final = -5


@dataclass(frozen=True, slots=True)
class _Entry:
    """One row of the type table: the inner type of opt and vec, the fields of record and variant as (hash, type)."""

    kind: int
    inner: int = 0
    fields: tuple[tuple[int, int], ...] = ()

    @property
    def is_tuple(self) -> bool:
        return bool(self.fields) and all(at == number for at, (number, _) in enumerate(self.fields))


Table: TypeAlias = list[_Entry]


def read_message(wire: Wire, names: dict[int, str]) -> list[Value]:
    """All values of a message that must end with its last byte."""
    if wire.take(4) != b"DIDL":
        raise Undecodable("not a Candid message")
    table = _read_table(wire)
    types = []
    for _ in range(wire.unsigned()):
        types.append(_reference(wire, len(table)))
    values = [_Reader(wire, table, names).read(t, 0) for t in types]
    if not wire.at_end:
        raise Undecodable("bytes after the end of the message")
    return values


def _read_table(wire: Wire) -> Table:
    size = wire.unsigned()
    table: Table = []
    for _ in range(size):
        wire.spend()
        match kind := wire.signed():
            case _Kind.OPT | _Kind.VEC:
                table.append(_Entry(kind, inner=_reference(wire, size)))
            case _Kind.RECORD | _Kind.VARIANT:
                table.append(_Entry(kind, fields=_read_fields(wire, size)))
            case _Kind.FUNC:
                for _ in range(2):
                    for _ in range(wire.unsigned()):
                        _reference(wire, size)
                for _ in range(wire.unsigned()):
                    wire.byte()
                table.append(_Entry(kind))
            case _Kind.SERVICE:
                for _ in range(wire.unsigned()):
                    wire.text()
                    _reference(wire, size)
                table.append(_Entry(kind))
            case _:
                raise Undecodable(f"unknown type {kind}")
    return table


def _read_fields(wire: Wire, size: int) -> tuple[tuple[int, int], ...]:
    fields: list[tuple[int, int]] = []
    last = -1
    for _ in range(wire.unsigned()):
        number = wire.unsigned()
        if not last < number < 1 << 32:
            raise Undecodable("fields that are not in order")
        last = number
        fields.append((number, _reference(wire, size)))
    return tuple(fields)


def _reference(wire: Wire, size: int) -> int:
    """A type: a primitive's number or a row of the table."""
    wire.spend()
    number = wire.signed()
    if number >= size or (number < 0 and number not in KINDS):
        raise Undecodable(f"no such type: {number}")
    return number


class _Reader:
    """Walks the values of a message along its types."""

    def __init__(self, wire: Wire, table: Table, names: dict[int, str]) -> None:
        self._wire = wire
        self._table = table
        self._names = names

    def read(self, number: int, depth: int) -> Value:
        """One value of that type. `depth` counts types within types."""
        self._wire.spend()
        if number < 0:
            return self._primitive(number)
        if depth > MAX_DEPTH:
            raise Undecodable("values nested too deeply")
        entry = self._table[number]
        wire = self._wire
        match entry.kind:
            case _Kind.OPT:
                return self.read(entry.inner, depth + 1) if wire.flag() else None
            case _Kind.VEC:
                count = wire.unsigned()
                if entry.inner == _Kind.NAT8:
                    return wire.take(count)
                # The budget ends a count that nothing stands behind.
                items: list[Value] = []
                while len(items) < count:
                    items.append(self.read(entry.inner, depth + 1))
                return items
            case _Kind.RECORD:
                values = [self.read(inner, depth + 1) for _, inner in entry.fields]
                if entry.is_tuple:
                    return values
                return {self._name(hashed): value for (hashed, _), value in zip(entry.fields, values, strict=True)}
            case _Kind.VARIANT:
                chosen = wire.unsigned()
                if chosen >= len(entry.fields):
                    raise Undecodable("a case that its own type does not have")
                hashed, inner = entry.fields[chosen]
                return Case(self._name(hashed), self.read(inner, depth + 1))
            case _Kind.FUNC:
                if not wire.flag():
                    raise Undecodable("an opaque reference")
                return [wire.principal(), wire.text()]
            case _:
                return wire.principal()

    def _name(self, hashed: int) -> str:
        return self._names.get(hashed) or f"_{hashed}"

    def _primitive(self, number: int) -> Value:
        wire = self._wire
        match number:
            case -1 | -16:
                return None
            case -2:
                return wire.flag()
            case -3:
                return wire.unsigned()
            case -4:
                return wire.signed()
            case -5 | -6 | -7 | -8:
                return wire.fixed(1 << (-5 - number), signed=False)
            case -9 | -10 | -11 | -12:
                return wire.fixed(1 << (-9 - number), signed=True)
            case -13 | -14:
                # No money is a float, and no rule reads one: kept as its bytes, so that the rest can be read.
                return wire.take(4 if number == -13 else 8)
            case -15:
                return wire.text()
            case -24:
                return wire.principal()
            case _:
                raise Undecodable("a value of the type that has none")
