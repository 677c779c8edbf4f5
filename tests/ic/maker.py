"""Makes what a network would send - trees, certificates, tips - with keys of its own and none of the wallet's code."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import cbor2
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_arkworks_bls12381 import G1Point, G2Point, Scalar

from wallet.core.principal import Principal

Node: TypeAlias = list[Any]
Labels: TypeAlias = "dict[bytes, bytes | Labels]"

SCHEME = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
DER_PREFIX = bytes.fromhex("308182301d060d2b0601040182dc7c0503010201060c2b0601040182dc7c05030201036100")
TAG = b"\xd9\xd9\xf7"


def leb128(number: int) -> bytes:
    out = b""
    while True:
        number, low = number >> 7, number & 0x7F
        if not number:
            return out + bytes([low])
        out += bytes([low | 0x80])


def tree(labels: "Labels | bytes") -> Node:
    """A balanced hash tree over nested labels, as CBOR lists."""
    if isinstance(labels, bytes):
        return [3, labels]
    nodes: list[Node] = [[2, label, tree(labels[label])] for label in sorted(labels)]
    if not nodes:
        return [0]
    while len(nodes) > 1:
        nodes = [
            [1, *nodes[at : at + 2]] if len(nodes[at : at + 2]) == 2 else nodes[at] for at in range(0, len(nodes), 2)
        ]
    return nodes[0]


def digest(node: Node) -> bytes:
    def domain(kind: str, *parts: bytes) -> bytes:
        name = f"ic-hashtree-{kind}".encode()
        return hashlib.sha256(bytes([len(name)]) + name + b"".join(parts)).digest()

    match node:
        case [0]:
            return domain("empty")
        case [1, left, right]:
            return domain("fork", digest(left), digest(right))
        case [2, label, inner]:
            return domain("labeled", label, digest(inner))
        case [3, value]:
            return domain("leaf", value)
        case [4, pruned]:
            assert isinstance(pruned, bytes)
            return pruned
    raise AssertionError(node)


def prune(node: Node, keep: Iterable[tuple[bytes, ...]]) -> Node:
    """The same tree, showing only these paths and, for one that is not there, its two neighbours."""
    keep = list(keep)
    if node[0] == 3 or any(not path for path in keep):
        return node
    level = _labels(node)
    shown: dict[bytes, list[tuple[bytes, ...]]] = {}
    for path in keep:
        if path[0] in level:
            shown.setdefault(path[0], []).append(path[1:])
        else:
            smaller, larger = [x for x in level if x < path[0]], [x for x in level if x > path[0]]
            for near in (smaller[-1:], larger[:1]):
                for label in near:
                    shown.setdefault(label, [])
    return _prune_level(node, shown)


def _labels(node: Node) -> list[bytes]:
    match node:
        case [1, left, right]:
            return _labels(left) + _labels(right)
        case [2, label, _]:
            return [label]
    return []


def _prune_level(node: Node, shown: dict[bytes, list[tuple[bytes, ...]]]) -> Node:
    match node:
        case [1, left, right]:
            halves = [_prune_level(left, shown), _prune_level(right, shown)]
            return [4, digest(node)] if all(half[0] == 4 for half in halves) else [1, *halves]
        case [2, label, inner] if label in shown:
            return [2, label, prune(inner, shown[label]) if shown[label] else [4, digest(inner)]]
        case [2, _, _] | [3, _]:
            return [4, digest(node)]
    return node


@dataclass(frozen=True)
class Key:
    """A BLS12-381 key that signs certificates."""

    secret: int = 7

    @property
    def der(self) -> bytes:
        return DER_PREFIX + (G2Point() * Scalar(self.secret)).to_compressed_bytes()

    def sign(self, message: bytes) -> bytes:
        return (G1Point.hash_to_curve(message, SCHEME) * Scalar(self.secret)).to_compressed_bytes()


def certificate(key: Key, root: Node, rests_on: dict[str, bytes] | None = None, **odd: object) -> bytes:
    parts: dict[str, object] = {"tree": root, "signature": key.sign(b"\x0dic-state-root" + digest(root))}
    if rests_on is not None:
        parts["delegation"] = rests_on
    return TAG + cbor2.dumps(parts | odd)


@dataclass(frozen=True)
class Subnet:
    """A subnet that a root key vouches for, in either layout of the canister ranges."""

    root: Key = field(default_factory=Key)
    key: Key = field(default_factory=lambda: Key(1234567))
    subnet_id: bytes = b"\x05" * 28 + b"\x02"
    ranges: tuple[tuple[bytes, bytes], ...] = ((b"\x00" * 9 + b"\x01", b"\x00" * 7 + b"\xff\x01\x01"),)
    sharded: bool = False
    time: int = 1_800_000_000_000_000_000

    @property
    def delegation(self) -> dict[str, bytes]:
        subnet: Labels = {b"public_key": self.key.der}
        labels: Labels = {b"time": leb128(self.time), b"subnet": {self.subnet_id: subnet}}
        if self.sharded:
            shards: Labels = {low: TAG + cbor2.dumps([[low, high]]) for low, high in self.ranges}
            labels[b"canister_ranges"] = {self.subnet_id: shards}
        else:
            subnet[b"canister_ranges"] = TAG + cbor2.dumps([list(pair) for pair in self.ranges])
        return {"subnet_id": self.subnet_id, "certificate": certificate(self.root, tree(labels))}

    def certificate(self, labels: Labels) -> bytes:
        return certificate(self.key, tree({b"time": leb128(self.time), **labels}), self.delegation)


def status(request_id: bytes, **fields: bytes) -> Labels:
    return {b"request_status": {request_id: {name.encode(): value for name, value in fields.items()}}}


class Signer:
    """An Ed25519 key that signs requests."""

    def __init__(self, seed: bytes = b"\x01" * 32) -> None:
        self.key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public_key_der = self.key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self.principal = Principal(hashlib.sha224(self.public_key_der).digest() + b"\x02")

    def sign(self, message: bytes) -> bytes:
        return self.key.sign(message)
