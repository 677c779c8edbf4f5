"""A method's types as its canister's interface gives them, in ic-py's terms; importing this loads ic-py: do it late."""

from collections.abc import Mapping
from typing import Final

from ic.candid import Types

from wallet.adapters.ic.candid_types import Type
from wallet.core.interface import Field, Func, Interface, Opt, Primitive, Record, Ref, Service, Variant, Vec
from wallet.core.interface import Type as InterfaceType

_PRIMITIVES: Final[Mapping[Primitive, Type]] = {
    Primitive.NULL: Types.Null,
    Primitive.BOOL: Types.Bool,
    Primitive.NAT: Types.Nat,
    Primitive.INT: Types.Int,
    Primitive.NAT8: Types.Nat8,
    Primitive.NAT16: Types.Nat16,
    Primitive.NAT32: Types.Nat32,
    Primitive.NAT64: Types.Nat64,
    Primitive.INT8: Types.Int8,
    Primitive.INT16: Types.Int16,
    Primitive.INT32: Types.Int32,
    Primitive.INT64: Types.Int64,
    Primitive.FLOAT32: Types.Float32,
    Primitive.FLOAT64: Types.Float64,
    Primitive.TEXT: Types.Text,
    Primitive.RESERVED: Types.Reserved,
    Primitive.EMPTY: Types.Empty,
    Primitive.PRINCIPAL: Types.Principal,
}


def argument_types(interface: Interface, method: str) -> list[Type]:
    """Raises ValueError for a method that the interface lacks, and for types that no payment needs: functions."""
    found = interface.method(method)
    if found is None:
        raise ValueError(f"the interface has no method {method}")
    shapes = _Shapes(interface)
    try:
        return [shapes.of(each) for each in found.args]
    except RecursionError:
        raise ValueError("its types nest too deeply") from None


class _Shapes:
    def __init__(self, interface: Interface) -> None:
        self._interface = interface
        self._named: dict[str, Type] = {}

    def of(self, type: InterfaceType) -> Type:
        match type:
            case Primitive():
                return _PRIMITIVES[type]
            case Ref(name=name):
                return self._by_name(name)
            case Opt(inner=inner):
                return Types.Opt(self.of(inner))
            case Vec(inner=inner):
                return Types.Vec(self.of(inner))
            case Record(fields=fields):
                return Types.Record(self._fields(fields))
            case Variant(cases=cases):
                return Types.Variant(self._fields(cases))
            case Func() | Service():
                raise ValueError("an argument that holds a function or a service")

    def _by_name(self, name: str) -> Type:
        if name not in self._named:
            definition = self._interface.types[name]
            if not isinstance(definition, Primitive | Ref):  # it may come again within itself
                knot = self._named[name] = Types.Rec()
                knot.fill(self.of(definition))
            else:
                self._named[name] = self.of(definition)
        return self._named[name]

    def _fields(self, fields: tuple[Field, ...]) -> dict[str, Type]:
        return {each.label: self.of(each.type) for each in fields}
