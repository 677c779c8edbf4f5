"""A canister's methods and types, as the wallet sees them: Candid's type language as frozen values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias


class Primitive(StrEnum):
    """Candid's types without parts. `principal` is counted here, since nothing can be seen inside it."""

    NULL = "null"
    BOOL = "bool"
    NAT = "nat"
    INT = "int"
    NAT8 = "nat8"
    NAT16 = "nat16"
    NAT32 = "nat32"
    NAT64 = "nat64"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    FLOAT32 = "float32"
    FLOAT64 = "float64"
    TEXT = "text"
    RESERVED = "reserved"
    EMPTY = "empty"
    PRINCIPAL = "principal"


class Mode(StrEnum):
    """How a method is called."""

    UPDATE = "update"
    QUERY = "query"
    COMPOSITE_QUERY = "composite_query"
    ONEWAY = "oneway"


@dataclass(frozen=True, slots=True)
class Ref:
    """A type by the name it is defined under; that is how types recur."""

    name: str


@dataclass(frozen=True, slots=True)
class Opt:
    inner: Type


@dataclass(frozen=True, slots=True)
class Vec:
    inner: Type


@dataclass(frozen=True, slots=True)
class Field:
    """A record's field or a variant's case. `name` is None where the interface gives only the number of the wire."""

    number: int
    name: str | None
    type: Type

    @classmethod
    def named(cls, name: str, type: Type = Primitive.NULL) -> Field:
        return cls(name_hash(name), name, type)

    @property
    def label(self) -> str:
        """As a reader of replies calls it."""
        return self.name if self.name is not None else f"_{self.number}"


@dataclass(frozen=True, slots=True)
class Record:
    fields: tuple[Field, ...]

    @property
    def is_tuple(self) -> bool:
        """A tuple's fields have no names that could lead into it."""
        return bool(self.fields) and sorted(each.number for each in self.fields) == list(range(len(self.fields)))


@dataclass(frozen=True, slots=True)
class Variant:
    cases: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Func:
    args: tuple[Type, ...]
    results: tuple[Type, ...]
    mode: Mode = Mode.UPDATE


@dataclass(frozen=True, slots=True)
class Service:
    methods: tuple[tuple[str, Type], ...]


Type: TypeAlias = Primitive | Ref | Opt | Vec | Record | Variant | Func | Service

BLOB = Vec(Primitive.NAT8)


@dataclass(frozen=True, slots=True)
class Method:
    """What a method takes and returns, and how it is called."""

    name: str
    args: tuple[Type, ...]
    results: tuple[Type, ...]
    mode: Mode = Mode.UPDATE

    @property
    def is_query(self) -> bool:
        return self.mode in (Mode.QUERY, Mode.COMPOSITE_QUERY)


@dataclass(frozen=True, slots=True)
class Interface:
    """The methods of a canister, in order, and the types that they name.

    Raises ValueError where a name is not defined, or is defined by nothing but itself.
    """

    methods: tuple[Method, ...]
    types: Mapping[str, Type] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for each in self.types.values():
            self._require_defined(each)
        for method in self.methods:
            for each in (*method.args, *method.results):
                self._require_defined(each)
        self._require_grounded()

    def method(self, name: str) -> Method | None:
        return next((each for each in self.methods if each.name == name), None)

    def resolve(self, type: Type) -> Type:
        """The type itself where it is given by name."""
        while isinstance(type, Ref):
            type = self.types[type.name]
        return type

    def bare(self, type: Type) -> tuple[Type, bool]:
        """The type without names and options around it, and whether there was an option: a value may be absent."""
        type, is_optional, depth = self.resolve(type), False, 0
        while isinstance(type, Opt):
            type, is_optional, depth = self.resolve(type.inner), True, depth + 1
            if depth > len(self.types) + _MAX_OPTIONS:  # type T = opt T: there is nothing but absence in it
                return Primitive.NULL, True
        return type, is_optional

    def is_blob(self, type: Type) -> bool:
        return isinstance(type, Vec) and self.resolve(type.inner) is Primitive.NAT8

    def _require_defined(self, type: Type) -> None:
        pending = [type]
        while pending:
            each = pending.pop()
            if isinstance(each, Ref) and each.name not in self.types:
                raise ValueError(f"the type {each.name} is not defined")
            pending.extend(_parts(each))

    def _require_grounded(self) -> None:
        grounded: set[str] = set()
        for start, definition in self.types.items():
            names, type = [start], definition
            while isinstance(type, Ref) and type.name not in grounded:
                if type.name in names:
                    raise ValueError(f"the type {start} is defined by nothing but itself")
                names.append(type.name)
                type = self.types[type.name]
            grounded.update(names)


_MAX_OPTIONS = 64


def name_hash(name: str) -> int:
    """The number that stands on the wire for a field's or case's name."""
    number = 0
    for byte in name.encode():
        number = (number * 223 + byte) & 0xFFFFFFFF
    return number


def names_within(interface: Interface, types: Iterable[Type]) -> set[str]:
    """Every name of a field or a case that values of these types can have."""
    pending, seen = list(types), set[str]()
    names: set[str] = set()
    while pending:
        each = pending.pop()
        match each:
            case Ref(name=name):
                if name not in seen:
                    seen.add(name)
                    pending.append(interface.types[name])
            case Record(fields=fields) | Variant(cases=fields):
                names |= {field.name for field in fields if field.name is not None}
                pending.extend(field.type for field in fields)
            case Opt(inner=inner) | Vec(inner=inner):
                pending.append(inner)
            case _:
                continue
    return names


def field_called(fields: Sequence[Field], name: str) -> Field | None:
    """The field or case of that name, also where only its number is given, or where the name is `_<number>`."""
    number = name_hash(name)
    for each in fields:
        if each.number == number:
            return each
    return next((each for each in fields if name == f"_{each.number}"), None)


def type_text(type: Type) -> str:
    """The type in Candid's words, without what is inside records and the like."""
    match type:
        case Primitive():
            return type.value
        case Ref(name=name):
            return name
        case Vec(inner=Primitive.NAT8):
            return "blob"
        case Opt(inner=inner):
            return f"opt {type_text(inner)}"
        case Vec(inner=inner):
            return f"vec {type_text(inner)}"
        case Record() | Variant() | Func() | Service():
            return type.__class__.__name__.lower()


def _parts(type: Type) -> Iterator[Type]:
    match type:
        case Opt(inner=inner) | Vec(inner=inner):
            yield inner
        case Record(fields=fields) | Variant(cases=fields):
            yield from (each.type for each in fields)
        case Func(args=args, results=results):
            yield from (*args, *results)
        case Service(methods=methods):
            yield from (each for _, each in methods)
        case Primitive() | Ref():
            return
