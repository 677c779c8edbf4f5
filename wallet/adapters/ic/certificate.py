"""Certificates of the Internet Computer: none counts before its signatures reach the root key (R16)."""

import functools
from dataclasses import dataclass, field
from typing import Final

from py_arkworks_bls12381 import GT, G1Point, G2Point

from wallet.adapters.ic import cbor, hash_tree
from wallet.adapters.ic.hash_tree import HashTree, Leaf, Missing
from wallet.adapters.ic.undecodable import Undecodable
from wallet.core.errors import Untrusted
from wallet.core.icrc3 import leb128
from wallet.core.ledger_time import LedgerTime
from wallet.core.principal import MAX_BYTES as PRINCIPAL_BYTES
from wallet.core.principal import Principal
from wallet.core.tip import Tip

_DER_PREFIX: Final = bytes.fromhex("308182301d060d2b0601040182dc7c0503010201060c2b0601040182dc7c05030201036100")
_KEY_BYTES: Final = 96
_SIGNATURE_BYTES: Final = 48
_INFINITY: Final = 0x40
_SCHEME: Final = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
_STATE_ROOT: Final = b"\x0dic-state-root"
_MAX_LEB128: Final = 19
"""Bytes of a number in the tree: 128 bits are more than any time, index or code needs."""


@dataclass(frozen=True, slots=True)
class VerifiedCertificate:
    """Certified state of the subnet that hosts the canister it was verified for."""

    raw: bytes
    time: LedgerTime
    tree: HashTree = field(repr=False)

    def lookup(self, *path: bytes) -> bytes | Missing:
        return hash_tree.lookup(self.tree, path)


def verify(data: bytes, root_key: bytes, canister: Principal) -> VerifiedCertificate:
    """Check a certificate against the DER root key, for that canister; how old it is, the caller judges.

    Raises Untrusted with a sentence.
    """
    try:
        tree, delegation, signature = _open(data)
        key = root_key if delegation is None else _delegated_key(delegation, root_key, canister)
        _check_signature(tree, signature, key)
        return VerifiedCertificate(data, _time(tree), tree)
    except Undecodable as why:
        raise Untrusted(f"The network's certificate cannot be read: {why}.") from None


def verify_tip(certificate: VerifiedCertificate, ledger: Principal, encoded_tree: bytes) -> Tip | None:
    """The end of a ledger's blocks from its ICRC-3 tip certificate; None for a ledger without a block.

    Raises Untrusted where the tree is not the one that the certificate vouches for.
    """
    try:
        tree = hash_tree.parse(cbor.decode(encoded_tree))
        if certificate.lookup(b"canister", ledger.raw, b"certified_data") != tree.digest:
            raise Untrusted("The ledger's statement about its last block is not the one that the network certified.")
        index = hash_tree.lookup(tree, (b"last_block_index",))
        last_hash = hash_tree.lookup(tree, (b"last_block_hash",))
        if index is Missing.ABSENT and last_hash is Missing.ABSENT:
            return None
        if isinstance(index, Missing) or isinstance(last_hash, Missing) or len(last_hash) != 32:
            raise Undecodable("it lacks the index or the hash")
        return Tip(read_leb128(index), last_hash)
    except Undecodable as why:
        raise Untrusted(f"The ledger's statement about its last block cannot be read: {why}.") from None


def check_root_key(der: bytes) -> None:
    """Raises Untrusted when these bytes are no root key that anything could ever verify against."""
    try:
        _public_key(der)
    except Undecodable as why:
        raise Untrusted(f"This is no root key of a network: {why}.") from None


def read_leb128(data: bytes) -> int:
    """The number that fills these bytes, in its shortest form. Raises Undecodable."""
    value = 0
    for at, byte in enumerate(data[:_MAX_LEB128]):
        value |= (byte & 0x7F) << (7 * at)
    if leb128(value) != data:
        raise Undecodable("a number that is not one")
    return value


def _open(data: bytes) -> tuple[HashTree, cbor.Cbor, bytes]:
    parts = cbor.decode(data)
    if not isinstance(parts, dict) or not isinstance(signature := parts.get("signature"), bytes):
        raise Undecodable("it has no signature")
    if "delegation" in parts and not isinstance(parts["delegation"], dict):
        raise Undecodable("a delegation that is none")
    return hash_tree.parse(parts.get("tree")), parts.get("delegation"), signature


def _delegated_key(delegation: cbor.Cbor, root_key: bytes, canister: Principal) -> bytes:
    """The key of the subnet that the root key vouches for, once it is shown to host the canister."""
    match delegation:
        case {"subnet_id": bytes() as subnet, "certificate": bytes() as data}:
            key, ranges = _delegated(subnet, data, root_key)
        case _:
            raise Undecodable("a delegation without a subnet or a certificate")
    if not any(low <= canister.raw <= high for low, high in ranges):
        raise Untrusted(f"The answer is certified by a subnet that does not host {canister}.")
    return key


@functools.lru_cache(maxsize=16)
def _delegated(subnet: bytes, data: bytes, root_key: bytes) -> tuple[bytes, list[tuple[bytes, bytes]]]:
    """Key and canisters of a subnet, verified. One delegation comes with every answer, so it is remembered."""
    tree, nested, signature = _open(data)
    if nested is not None:
        raise Untrusted("The network's certificate rests on a delegation of a delegation, which is not allowed.")
    _check_signature(tree, signature, root_key)
    _time(tree)
    key = hash_tree.lookup(tree, (b"subnet", subnet, b"public_key"))
    if isinstance(key, Missing):
        raise Untrusted("The network's certificate does not show the key of its subnet.")
    return key, _ranges(tree, subnet)


def _ranges(tree: HashTree, subnet: bytes) -> list[tuple[bytes, bytes]]:
    """The canisters of a subnet as inclusive ranges, from whichever of the two layouts the tree shows."""
    encoded = [
        shard.value
        for _, shard in hash_tree.children(tree, (b"canister_ranges", subnet))
        if isinstance(shard, Leaf)  # a shard that is pruned here vouches for nothing
    ]
    plain = hash_tree.lookup(tree, (b"subnet", subnet, b"canister_ranges"))
    if not isinstance(plain, Missing):
        encoded.append(plain)
    ranges: list[tuple[bytes, bytes]] = []
    for piece in encoded:
        pairs = cbor.decode(piece)
        if not isinstance(pairs, list):
            raise Undecodable("canister ranges that are no list")
        for pair in pairs:
            match pair:
                case [bytes() as low, bytes() as high] if max(len(low), len(high)) <= PRINCIPAL_BYTES:
                    ranges.append((low, high))
                case _:
                    raise Undecodable("a canister range that is none")
    return ranges


def _time(tree: HashTree) -> LedgerTime:
    value = hash_tree.lookup(tree, (b"time",))
    if isinstance(value, Missing):
        raise Undecodable("it does not say when it was made")
    nanoseconds = read_leb128(value)
    if nanoseconds >= 1 << 63:  # what the store can hold; the year 2262
        raise Undecodable("it was made at a time that cannot be")
    return LedgerTime(nanoseconds)


def _check_signature(tree: HashTree, signature: bytes, key: bytes) -> None:
    point, public = _signature(signature), _public_key(key)
    message = G1Point.hash_to_curve(_STATE_ROOT + tree.digest, _SCHEME)
    if not GT.pairing_check([point, -message], [G2Point(), public]):
        raise Untrusted("The network's certificate does not carry the signature of the pinned root key.")


def _signature(data: bytes) -> G1Point:
    if len(data) != _SIGNATURE_BYTES or data[0] & _INFINITY:
        raise Undecodable("a signature that cannot be one")
    try:
        point = G1Point.from_compressed_bytes(data)
    except ValueError:
        raise Undecodable("a signature that is no point of the curve") from None
    # The library reads several encodings of one point; only the canonical one may pass.
    if point.to_compressed_bytes() != data:
        raise Undecodable("a signature in an odd encoding")
    return point


@functools.lru_cache(maxsize=32)
def _public_key(der: bytes) -> G2Point:
    raw = der.removeprefix(_DER_PREFIX)
    if len(der) != len(_DER_PREFIX) + _KEY_BYTES or len(raw) != _KEY_BYTES or raw[0] & _INFINITY:
        raise Undecodable("a key that is no BLS12-381 key")
    try:
        point = G2Point.from_compressed_bytes(raw)
    except ValueError:
        raise Undecodable("a key that is no point of the curve") from None
    if point.to_compressed_bytes() != raw:
        raise Undecodable("a key in an odd encoding")
    return point
