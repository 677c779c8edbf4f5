"""CBOR: plain data goes both ways, and anything odd is Undecodable."""

from typing import Any

import cbor2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.adapters.ic import cbor
from wallet.adapters.ic.undecodable import Undecodable

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(PLAIN)
def test_plain_data_goes_both_ways(value: Any) -> None:
    assert cbor.decode(cbor.encode(value)) == value
    assert cbor.encode(value)[:3] == b"\xd9\xd9\xf7"


@given(PLAIN)
def test_every_truncation_is_refused(value: Any) -> None:
    data = cbor.encode(value)
    for end in range(len(data)):
        with pytest.raises(Undecodable):
            cbor.decode(data[:end])


@given(st.binary(max_size=100))
def test_random_bytes_are_read_or_refused(junk: bytes) -> None:
    try:
        cbor.decode(junk)
    except Undecodable:
        return


ODD = {
    "nothing": b"",
    "trailing bytes": b"\x00\x00",
    "a huge count": b"\x9b" + b"\xff" * 8,
    "a huge blob": b"\x5b" + b"\x7f" * 8 + b"\x00",
    "deep lists": b"\x81" * 100_000 + b"\x00",
    "an endless list": b"\x9f\x00\xff",
    "a float": cbor2.dumps(1.5),
    "undefined": b"\xf7",
    "a big number": cbor2.dumps(1 << 64),
    "a fraction of huge numbers": b"\xd8\x1e\x82\xc2\x59\xff\xff" + b"\x01" * 65535 + b"\xc2\x41\x03",
    "a loop": b"\xd8\x1c\x81\xd8\x1d\x00",
    "a second tag": b"\xd9\xd9\xf7\xd9\xd9\xf7\x00",
    "a key twice": b"\xa2\x61a\x01\x61a\x02",
    "a key of bytes": b"\xa1\x41a\x01",
    "a key that is a list": b"\xa1\x80\x01",
    "a broken text": b"\x61\xff",
    "too much": b"\x5a\x00\x50\x00\x00" + bytes(0x500000),
}


@pytest.mark.parametrize("data", ODD.values(), ids=ODD.keys())
def test_odd_data_is_undecodable(data: bytes) -> None:
    with pytest.raises(Undecodable):
        cbor.decode(data)
