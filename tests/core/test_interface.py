"""Interfaces as values: sound by construction, names and numbers of the wire told apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.core.interface import (
    BLOB,
    Field,
    Func,
    Interface,
    Method,
    Mode,
    Opt,
    Primitive,
    Record,
    Ref,
    Service,
    Type,
    Variant,
    Vec,
    field_called,
    name_hash,
    type_text,
)

NAT = Primitive.NAT


def taking(type: Type, **types: Type) -> Interface:
    return Interface((Method("pay", (type,), ()),), types)


def test_a_name_is_hashed_as_candid_does() -> None:
    # Candid's published hashes.
    assert (name_hash("Ok"), name_hash("Err"), name_hash("")) == (17724, 3456837, 0)


@given(st.text())
def test_a_hash_fits_32_bits(name: str) -> None:
    assert 0 <= name_hash(name) < 1 << 32


@pytest.mark.parametrize(
    "type",
    [
        Ref("B"),
        Opt(Ref("B")),
        Vec(Ref("B")),
        Record((Field.named("x", Ref("B")),)),
        Variant((Field.named("x", Ref("B")),)),
        Func((Ref("B"),), ()),
        Func((), (Ref("B"),)),
        Service((("m", Ref("B")),)),
    ],
)
def test_a_name_that_is_not_defined_is_refused_wherever_it_stands(type: Type) -> None:
    with pytest.raises(ValueError, match="the type B is not defined"):
        taking(type)
    with pytest.raises(ValueError, match="the type B is not defined"):
        taking(NAT, A=type)
    assert taking(type, B=NAT).method("pay") is not None


def test_a_type_that_is_only_names_of_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="the type A is defined by nothing but itself"):
        taking(NAT, A=Ref("B"), B=Ref("A"))
    taking(NAT, A=Opt(Ref("A")), B=Ref("A"), C=Ref("B"))


def test_names_and_options_are_looked_through() -> None:
    interface = taking(NAT, Sub=BLOB, Part=Opt(Ref("Sub")), Other=Ref("Part"), Endless=Opt(Ref("Endless")))
    assert interface.resolve(Ref("Other")) == Opt(Ref("Sub"))
    assert interface.bare(Ref("Other")) == (BLOB, True)
    assert interface.bare(Ref("Sub")) == (BLOB, False)
    assert interface.bare(Ref("Endless")) == (Primitive.NULL, True)
    assert interface.is_blob(BLOB)
    assert not interface.is_blob(Vec(NAT))


def test_bytes_are_bytes_by_another_name_too() -> None:
    assert taking(NAT, Byte=Primitive.NAT8).is_blob(Vec(Ref("Byte")))


def test_a_field_is_found_by_name_by_its_number_and_by_the_name_of_its_number() -> None:
    named, numbered = Field.named("Ok", NAT), Field(17724, None, NAT)
    assert field_called((named,), "Ok") is named
    assert field_called((numbered,), "Ok") is numbered
    assert field_called((named,), "_17724") is named
    assert field_called((named,), "Err") is None
    assert (named.label, numbered.label) == ("Ok", "_17724")


def test_a_tuple_is_known_by_its_numbers() -> None:
    first, second = Field(0, None, NAT), Field(1, None, NAT)
    assert Record((first, second)).is_tuple
    assert Record((second, first)).is_tuple
    assert not Record((second,)).is_tuple
    assert not Record(()).is_tuple


def test_composite_queries_are_queries() -> None:
    assert [Method("m", (), (), mode).is_query for mode in Mode] == [False, True, True, False]


@pytest.mark.parametrize(
    ("type", "text"),
    [
        (NAT, "nat"),
        (BLOB, "blob"),
        (Opt(Vec(Ref("A"))), "opt vec A"),
        (Record(()), "record"),
        (Func((), ()), "func"),
    ],
)
def test_a_type_is_named_in_candids_words(type: Type, text: str) -> None:
    assert type_text(type) == text


def test_an_interface_is_a_value() -> None:
    one, other = taking(Ref("A"), A=NAT), taking(Ref("A"), A=NAT)
    assert one == other
    assert hash(one) == hash(other)
    assert one != taking(Ref("A"), A=BLOB)
    assert one.method("get") is None
