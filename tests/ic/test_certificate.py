"""Certificates: what the root key vouches for is read, and nothing else (R16)."""

import dataclasses
import hashlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ic import maker
from tests.ic.maker import Key, Subnet
from wallet.adapters.ic import cbor, certificate
from wallet.adapters.ic.certificate import verify
from wallet.adapters.ic.hash_tree import Missing
from wallet.adapters.ic.root_keys import MAINNET_ROOT_KEY
from wallet.core.errors import Untrusted
from wallet.core.principal import Principal
from wallet.core.tip import Tip

DATA = Path(__file__).parent / "data"
CANISTER = Principal(b"\x00" * 7 + b"\x07\x01\x01")
OUTSIDE = Principal(b"\x00" * 6 + b"\x09\x07\x01\x01")
TIME = 1_800_000_000_000_000_000
ROOT = Key()
SUBNET = Subnet()
LABELS: maker.Labels = {b"time": maker.leb128(TIME), b"canister": {CANISTER.raw: {b"certified_data": b"\x01" * 32}}}
PLAIN = maker.certificate(ROOT, maker.tree(LABELS))
DELEGATED = SUBNET.certificate({b"canister": LABELS[b"canister"]})


@pytest.mark.parametrize(
    "data", [PLAIN, DELEGATED, Subnet(sharded=True).certificate(LABELS)], ids=["plain", "delegated", "sharded"]
)
def test_a_good_certificate_is_read(data: bytes) -> None:
    verified = verify(data, ROOT.der, CANISTER)
    assert verified.time == TIME
    assert verified.raw == data
    assert verified.lookup(b"canister", CANISTER.raw, b"certified_data") == b"\x01" * 32
    assert verified.lookup(b"elsewhere") is Missing.ABSENT


def recorded(name: str) -> bytes:
    """A read_state answer of the main network, as published with the agent-rs tests (Apache-2.0)."""
    answer = cbor.decode((DATA / f"mainnet_{name}.cbor").read_bytes())
    assert isinstance(answer, dict)
    data = answer["certificate"]
    assert isinstance(data, bytes)
    return data


MAINNET_CANISTER = Principal.from_text("ivg37-qiaaa-aaaab-aaaga-cai")


def test_recorded_mainnet_certificates_verify_in_both_layouts() -> None:
    sharded = verify(recorded("time_sharded_ranges"), MAINNET_ROOT_KEY, MAINNET_CANISTER)
    assert sharded.time == 1763796896688941908
    request_id = bytes.fromhex("edad510eaaa08ed2acd4781324e6446269da6753ec17760f206bbe81c465ff52")
    plain = verify(recorded("rejected_plain_ranges"), MAINNET_ROOT_KEY, MAINNET_CANISTER)
    assert plain.lookup(b"request_status", request_id, b"status") == b"rejected"
    assert plain.lookup(b"request_status", request_id, b"reject_code") == b"\x03"
    assert plain.lookup(b"request_status", request_id, b"error_code") is Missing.ABSENT
    assert plain.lookup(b"request_status", b"\x00" * 32, b"status") is Missing.UNKNOWN


@pytest.mark.parametrize(
    ("name", "canister"),
    [
        ("time_sharded_ranges", "ryjl3-tyaaa-aaaaa-aaaba-cai"),
        ("rejected_plain_ranges", "ryjl3-tyaaa-aaaaa-aaaba-cai"),
        ("time_pruned_ranges", "ivg37-qiaaa-aaaab-aaaga-cai"),
    ],
)
def test_a_recorded_certificate_is_refused_for_another_canister(name: str, canister: str) -> None:
    with pytest.raises(Untrusted, match="does not host"):
        verify(recorded(name), MAINNET_ROOT_KEY, Principal.from_text(canister))


def test_the_mainnet_root_key_is_the_published_one() -> None:
    assert hashlib.sha256(MAINNET_ROOT_KEY).hexdigest()[:32] == "737ba355e855bd4b61279056603e0550"


@settings(max_examples=300)
@given(st.sampled_from([PLAIN, DELEGATED]), st.data())
def test_no_changed_byte_goes_unnoticed(good: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(good) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda b: b != good[at]))
    with pytest.raises(Untrusted):
        verify(good[:at] + bytes([byte]) + good[at + 1 :], ROOT.der, CANISTER)


@given(st.binary(max_size=300))
def test_random_bytes_are_untrusted(junk: bytes) -> None:
    with pytest.raises(Untrusted):
        verify(junk, ROOT.der, CANISTER)


def with_delegation(**changed: bytes) -> bytes:
    return maker.certificate(SUBNET.key, maker.tree(LABELS), SUBNET.delegation | changed)


NESTED = maker.certificate(
    SUBNET.key, maker.tree({b"time": maker.leb128(TIME), b"subnet": {b"\x09": {}}}), SUBNET.delegation
)
WITHOUT_KEY = maker.certificate(
    ROOT,
    maker.tree(
        {
            b"time": maker.leb128(TIME),
            b"subnet": {SUBNET.subnet_id: {b"canister_ranges": cbor.encode([[CANISTER.raw, CANISTER.raw]])}},
        }
    ),
)
INFINITY_KEY = maker.DER_PREFIX + b"\xc0" + bytes(95)
INFINITY = b"\xc0" + bytes(47)
REFUSED = {
    "another root key": maker.certificate(Key(8), maker.tree(LABELS)),
    "another subnet key": maker.certificate(Key(8), maker.tree(LABELS), SUBNET.delegation),
    "a delegation by another root": dataclasses.replace(SUBNET, root=Key(8)).certificate(LABELS),
    "a delegation for other canisters": dataclasses.replace(SUBNET, ranges=((b"\x01" * 10, b"\x02" * 10),)).certificate(
        {}
    ),
    "no ranges": dataclasses.replace(SUBNET, ranges=()).certificate({}),
    "no sharded ranges": dataclasses.replace(SUBNET, ranges=(), sharded=True).certificate({}),
    "a subnet that the root does not know": with_delegation(subnet_id=b"\x06" * 29),
    "a delegation of a delegation": with_delegation(certificate=NESTED),
    "a delegation without a key": with_delegation(certificate=WITHOUT_KEY),
    "an empty delegation": maker.certificate(ROOT, maker.tree(LABELS), {}),
    "a delegation that is null": maker.certificate(ROOT, maker.tree(LABELS), None, delegation=None),
    "no tree": maker.certificate(ROOT, maker.tree(LABELS), tree=None),
    "no time": maker.certificate(ROOT, maker.tree({b"a": b"b"})),
    "a time of no length": maker.certificate(ROOT, maker.tree({b"time": b""})),
    "a time that never ends": maker.certificate(ROOT, maker.tree({b"time": b"\xff" * 40})),
    "a time beyond all times": maker.certificate(ROOT, maker.tree({b"time": maker.leb128(1 << 63)})),
    "the signature at infinity": maker.certificate(ROOT, maker.tree(LABELS), signature=INFINITY),
    "ones for a signature": maker.certificate(ROOT, maker.tree(LABELS), signature=b"\xff" * 48),
    "a short signature": maker.certificate(ROOT, maker.tree(LABELS), signature=b"\x80"),
    "a text for a signature": maker.certificate(ROOT, maker.tree(LABELS), signature="signed"),
    "bytes after the end": PLAIN + b"\x00",
    "half of it": PLAIN[:100],
}


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED.keys())
def test_what_the_root_key_does_not_vouch_for_is_untrusted(data: bytes) -> None:
    with pytest.raises(Untrusted):
        verify(data, ROOT.der, CANISTER)


@pytest.mark.parametrize("sharded", [False, True])
def test_a_subnet_speaks_for_its_own_canisters_only(sharded: bool) -> None:
    with pytest.raises(Untrusted, match="does not host"):
        verify(Subnet(sharded=sharded).certificate(LABELS), ROOT.der, OUTSIDE)


def test_infinity_is_no_key_and_vouches_for_nothing() -> None:
    # An infinite signature fits an infinite key for every message, and the library says so.
    with pytest.raises(Untrusted):
        verify(maker.certificate(ROOT, maker.tree(LABELS), signature=INFINITY), INFINITY_KEY, CANISTER)


@pytest.mark.parametrize(
    "der", [b"", INFINITY_KEY, ROOT.der[:-1], ROOT.der + b"\x00", ROOT.der[37:], b"\x31" + ROOT.der[1:]]
)
def test_what_is_no_root_key_is_said_to_be_none(der: bytes) -> None:
    certificate.check_root_key(ROOT.der)
    with pytest.raises(Untrusted, match="no root key"):
        certificate.check_root_key(der)


def tip_of(labels: maker.Labels, *, certified: bytes | None = None) -> Tip | None:
    tree = maker.tree(labels)
    data = SUBNET.certificate({b"canister": {CANISTER.raw: {b"certified_data": certified or maker.digest(tree)}}})
    return certificate.verify_tip(verify(data, ROOT.der, CANISTER), CANISTER, cbor.encode(tree))


def test_a_certified_tip_is_index_and_hash() -> None:
    labels: maker.Labels = {b"last_block_index": maker.leb128(300), b"last_block_hash": b"\x07" * 32}
    assert tip_of(labels) == Tip(300, b"\x07" * 32)


def test_a_ledger_without_blocks_has_no_tip() -> None:
    assert tip_of({}) is None


@pytest.mark.parametrize(
    "labels",
    [
        {b"last_block_index": b"\x01"},
        {b"last_block_index": b"\x80", b"last_block_hash": b"\x07" * 32},
        {b"last_block_index": b"\x01", b"last_block_hash": b"\x07"},
    ],
)
def test_an_incomplete_tip_is_untrusted(labels: maker.Labels) -> None:
    with pytest.raises(Untrusted):
        tip_of(labels)


def test_a_tip_that_the_network_did_not_certify_is_untrusted() -> None:
    with pytest.raises(Untrusted, match="not the one"):
        tip_of({b"last_block_index": b"\x01", b"last_block_hash": b"\x07" * 32}, certified=b"\x00" * 32)
