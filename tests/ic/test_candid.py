"""Candid: what ic-py writes is read back, and hostile bytes end in Undecodable, soon."""

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.adapters.ic import candid, candid_types
from wallet.adapters.ic.candid import KNOWN, METHODS, Undecodable, decode, encode, name_hash
from wallet.adapters.ic.candid_cursor import MAX_MESSAGE
from wallet.core.principal import Principal
from wallet.core.value import Case, Value

NAT = st.integers(0, 2**130)
NAT64 = st.integers(0, 2**64 - 1)
PRINCIPALS = st.binary(max_size=29).map(Principal)
ACCOUNTS = st.fixed_dictionaries({"owner": PRINCIPALS, "subaccount": st.none() | st.binary(max_size=32)})
TRANSFERS = st.fixed_dictionaries(
    {
        "from_subaccount": st.none() | st.binary(max_size=32),
        "to": ACCOUNTS,
        "amount": NAT,
        "fee": st.none() | NAT,
        "memo": st.none() | st.binary(max_size=40),
        "created_at_time": st.none() | NAT64,
    }
)
ERRORS = st.one_of(
    st.builds(lambda n: Case("BadFee", {"expected_fee": n}), NAT),
    st.builds(lambda n: Case("CreatedInFuture", {"ledger_time": n}), NAT64),
    st.builds(lambda n, t: Case("GenericError", {"error_code": n, "message": t}), NAT, st.text()),
    st.sampled_from([Case("TooOld"), Case("TemporarilyUnavailable")]),
)
RESULTS = st.builds(Case, st.just("Ok"), NAT) | st.builds(Case, st.just("Err"), ERRORS)
BLOCKS: st.SearchStrategy[Case] = st.recursive(
    st.builds(Case, st.just("Nat"), NAT)
    | st.builds(Case, st.just("Int"), st.integers(-(2**70), 2**70))
    | st.builds(Case, st.just("Text"), st.text())
    | st.builds(Case, st.just("Blob"), st.binary(max_size=40)),
    lambda inner: (
        st.builds(Case, st.just("Array"), st.lists(inner, max_size=4))
        | st.builds(Case, st.just("Map"), st.lists(st.tuples(st.text(), inner).map(list), max_size=4))
    ),
    max_leaves=12,
)


def arg(method: str, value: Value) -> bytes:
    return encode(METHODS[method].args, [value])


def result(method: str, value: Value) -> bytes:
    return encode(METHODS[method].results, [value])


@given(TRANSFERS)
def test_a_transfer_argument_survives_the_wire(value: dict[str, Any]) -> None:
    assert decode(arg("icrc1_transfer", value)) == [value]


@given(RESULTS)
def test_a_transfer_result_survives_the_wire(value: Case) -> None:
    assert decode(result("icrc1_transfer", value)) == [value]


@given(st.lists(BLOCKS, max_size=3))
def test_recursive_block_values_survive_the_wire(blocks: list[Case]) -> None:
    value: Value = {
        "log_length": len(blocks),
        "blocks": [{"id": at, "block": block} for at, block in enumerate(blocks)],
        "archived_blocks": [
            {"args": [{"start": 0, "length": 9}], "callback": [Principal(b"\x01\x02"), "icrc3_get_blocks"]}
        ],
    }
    assert decode(result("icrc3_get_blocks", value)) == [value]


@given(TRANSFERS)
def test_reading_agrees_with_ic_py(value: dict[str, Any]) -> None:
    from ic.candid import decode as reference

    (theirs,) = reference(arg("icrc1_transfer", value), METHODS["icrc1_transfer"].args[0])
    (ours,) = decode(arg("icrc1_transfer", value))
    assert isinstance(ours, dict)
    for name in ("fee", "created_at_time"):
        assert theirs["value"][name] == ([] if ours[name] is None else [ours[name]])
    assert theirs["value"]["amount"] == ours["amount"]
    assert [bytes(b) for b in theirs["value"]["memo"]] == ([] if ours["memo"] is None else [ours["memo"]])


@given(RESULTS | TRANSFERS)
def test_every_truncation_is_refused(value: Value) -> None:
    method = METHODS["icrc1_transfer"]
    message = encode(method.results if isinstance(value, Case) else method.args, [value])
    for end in range(len(message)):
        with pytest.raises(Undecodable):
            decode(message[:end])
    with pytest.raises(Undecodable):
        decode(message + b"\x00")


@given(st.binary(max_size=200))
def test_random_bytes_are_read_or_refused(junk: bytes) -> None:
    for data in (junk, b"DIDL" + junk):
        try:
            decode(data)
        except Undecodable:
            continue


@given(TRANSFERS, st.lists(st.tuples(st.integers(0, 300), st.integers(0, 255)), min_size=1, max_size=5))
def test_mutated_messages_are_read_or_refused(value: Value, changes: list[tuple[int, int]]) -> None:
    message = bytearray(arg("icrc1_transfer", value))
    for at, byte in changes:
        message[at % len(message)] = byte
    try:
        decode(bytes(message))
    except Undecodable:
        return


HOSTILE = {
    "vec null of 2^28": b"DIDL\x01\x6d\x7f\x01\x00\x80\x80\x80\x80\x01",
    "vec of empty records of 2^28": b"DIDL\x02\x6d\x01\x6c\x00\x01\x00\x80\x80\x80\x80\x01",
    "a record that holds itself": b"DIDL\x01\x6c\x01\x00\x00\x01\x00",
    "a deep chain of options": b"DIDL\x01\x6e\x00\x01\x00" + b"\x01" * 100_000 + b"\x00",
    "a doubling record": (
        b"DIDL\x28" + b"".join(b"\x6c\x02\x00" + bytes([i]) + b"\x01" + bytes([i]) for i in range(1, 40)) + b"\x6c\x00"
        b"\x01\x00"
    ),
    "2^60 types": b"DIDL" + b"\xff" * 8 + b"\x0f",
    "2^60 arguments": b"DIDL\x00" + b"\xff" * 8 + b"\x0f" + b"\x7f" * 50,
    "2^60 null arguments": b"DIDL\x00" + b"\xff" * 8 + b"\x0f",
    "a blob of 2^60": b"DIDL\x01\x6d\x7b\x01\x00" + b"\xff" * 8 + b"\x0f",
    "a number without end": b"DIDL\x00\x01\x7d" + b"\xff" * 100_000,
    "a future type": b"DIDL\x01\x67\x00\x01\x00",
    "the empty type": b"DIDL\x00\x01\x6f",
    "an opaque principal": b"DIDL\x00\x01\x68\x00",
    "a boolean of two": b"DIDL\x00\x01\x7e\x02",
    "a broken text": b"DIDL\x00\x01\x71\x01\xff",
    "a case out of range": b"DIDL\x01\x6b\x01\x00\x7f\x01\x00\x01",
    "fields out of order": b"DIDL\x01\x6c\x02\x01\x7f\x00\x7f\x01\x00",
    "a type out of range": b"DIDL\x01\x6e\x01\x01\x00\x00",
    "an oversized message": b"DIDL" + b"\x00" * MAX_MESSAGE,
}


@pytest.mark.parametrize("message", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_bytes_are_undecodable(message: bytes) -> None:
    with pytest.raises(Undecodable):
        decode(message)


def test_an_undeclared_case_and_a_missing_field_still_read() -> None:
    # R5: a local ledger's own case must reach the pack, which never guesses.
    from ic.candid import Types
    from ic.candid import encode as reference

    odd = Types.Variant({"Err": Types.Variant({"Frozen": Types.Record({"until_when": Types.Nat})})})
    message = reference([{"type": odd, "value": {"Err": {"Frozen": {"until_when": 7}}}}])
    assert decode(message) == [Case("Err", Case("Frozen", {f"_{name_hash('until_when')}": 7}))]
    assert decode(message, KNOWN | {"until_when"}) == [Case("Err", Case("Frozen", {"until_when": 7}))]


@pytest.mark.parametrize(
    "changed",
    [
        {"amount": True},
        {"amount": 1.5},
        {"amount": -1},
        {"amount": "1"},
        {"amount": None},
        {"fees": 1},
        {"created_at_time": 2**64},
        {"memo": "text"},
        {"to": Principal(b"\x01")},
    ],
)
def test_a_value_that_does_not_fit_is_refused(changed: dict[str, Any]) -> None:
    fine: dict[str, Any] = {"to": {"owner": Principal(b"\x01")}, "amount": 1}
    assert decode(arg("icrc1_transfer", fine))
    with pytest.raises(ValueError, match="does not fit"):
        arg("icrc1_transfer", fine | changed)


def test_every_declared_name_is_known() -> None:
    seen: set[str] = set()

    def walk(t: Any, done: set[int]) -> None:
        if id(t) in done:
            return
        done.add(id(t))
        seen.update(getattr(t, "_fields", {}))
        inner = [*getattr(t, "_fields", {}).values(), getattr(t, "_type", None), *getattr(t, "retTypes", [])]
        for child in inner:
            if child is not None:
                walk(child, done)

    for method in METHODS.values():
        for t in (*method.args, *method.results):
            walk(t, set())
    assert {name for name in seen if not name.startswith("_")} <= KNOWN


def test_importing_candid_does_not_load_ic_py() -> None:
    code = "import sys, wallet.adapters.ic.candid; sys.exit('ic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert candid.METHODS["icrc1_fee"] is candid_types.METHODS["icrc1_fee"]
