"""The hash of ICRC-3 Values: the standard's published vectors, and what can have no hash."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.core.icrc3 import leb128, sleb128, value_hash
from wallet.core.value import Case, Value

FROM = bytes.fromhex("00abcdef0012340056789a00bcdef000012345678900abcdef01")
TO = bytes.fromhex("00ab0def0012340056789a00bcdef000012345678900abcdef01")
MAP: list[Value] = [
    ["from", Case("Blob", FROM)],
    ["to", Case("Blob", TO)],
    ["amount", Case("Nat", 42)],
    ["created_at", Case("Nat", 1699218263)],
    ["memo", Case("Nat", 0)],
]


@pytest.mark.parametrize(
    ("value", "digest"),
    [
        (Case("Nat", 42), "684888c0ebb17f374298b65ee2807526c066094c701bcc7ebbe1c1095f494fc1"),
        (Case("Int", -42), "de5a6f78116eca62d7fc5ce159d23ae6b889b365a1739ad2cf36f925a140d0cc"),
        (Case("Text", "Hello, World!"), "dffd6021bb2bd5b0af676290809ec3a53191dd81c7f70a4b28688a362182986f"),
        (Case("Blob", b"\x01\x02\x03\x04"), "9f64a747e1b97f131fabb6b447296c9b6f0201e79fb3c5356e6c77e89b6a806a"),
        (
            Case("Array", [Case("Nat", 3), Case("Text", "foo"), Case("Blob", b"\x05\x06")]),
            "514a04011caa503990d446b7dec5d79e19c221ae607fb08b2848c67734d468d6",
        ),
        (Case("Map", MAP), "c56ece650e1de4269c5bdeff7875949e3e2033f85b2d193c2ff4f7f78bdcfc75"),
    ],
)
def test_the_published_vectors_hold(value: Case, digest: str) -> None:
    assert value_hash(value).hex() == digest


@given(st.permutations(MAP))
def test_the_order_of_a_map_does_not_matter(pairs: list[Value]) -> None:
    assert value_hash(Case("Map", pairs)) == value_hash(Case("Map", MAP))


def test_the_kind_of_a_value_is_not_in_its_hash_but_its_encoding_is() -> None:
    assert value_hash(Case("Nat", 64)) != value_hash(Case("Int", 64))
    assert value_hash(Case("Array", [])) == hashlib.sha256(b"").digest()


@pytest.mark.parametrize(
    "value",
    [
        None,
        42,
        b"raw",
        Case("Nat", -1),
        Case("Nat", True),
        Case("Nat64", 1),
        Case("Blob", "text"),
        Case("Map", [["only a key"]]),
        Case("Map", [[1, Case("Nat", 1)]]),
        Case("Map", {"a": Case("Nat", 1)}),
        Case("Array", [7]),
        Case("Text", "\ud800"),
    ],
)
def test_what_is_no_value_has_no_hash(value: Value) -> None:
    with pytest.raises(ValueError, match=r"."):
        value_hash(value)


@given(st.integers(min_value=0, max_value=1 << 80))
def test_unsigned_numbers_are_written_as_short_as_can_be(number: int) -> None:
    written = leb128(number)
    assert sum((byte & 0x7F) << (7 * at) for at, byte in enumerate(written)) == number
    assert len(written) == max(1, (number.bit_length() + 6) // 7)


@given(st.integers(min_value=-(1 << 80), max_value=1 << 80))
def test_signed_numbers_keep_their_sign(number: int) -> None:
    written = sleb128(number)
    value = sum((byte & 0x7F) << (7 * at) for at, byte in enumerate(written))
    if written[-1] & 0x40:
        value -= 1 << (7 * len(written))
    assert value == number
