"""The certified state of the embedded network: what its state tree holds, and the certificates over it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import cbor2

from wallet.core.icrc3 import leb128
from wallet.core.principal import Principal
from wallet.devnet.bls import ThresholdKey
from wallet.devnet.hash_tree import Node, Path, Source, tree, witness

STATE_ROOT = b"\x0dic-state-root"
SELF_DESCRIBED = 55799

Layout: TypeAlias = Literal["flat", "sharded"]
"""Where a subnet's canister ranges stand: `/subnet/<id>/canister_ranges`, or `/canister_ranges/<id>/<first id>`."""


def self_authenticating(der: bytes) -> Principal:
    """The principal of a public key."""
    return Principal(hashlib.sha224(der).digest() + b"\x02")


def self_described(value: Any) -> bytes:
    """CBOR behind the tag by which it is known as CBOR."""
    return cbor2.dumps(cbor2.CBORTag(SELF_DESCRIBED, value))


@dataclass(frozen=True, slots=True)
class Subnet:
    """A subnet as the state tree describes it. `ranges` are pairs of first and last canister id."""

    key: bytes
    ranges: tuple[tuple[bytes, bytes], ...]
    nodes: Mapping[bytes, bytes]

    @property
    def id(self) -> Principal:
        return self_authenticating(self.key)

    def described(self) -> dict[bytes, Source]:
        ranges: list[list[bytes]] = [list(pair) for pair in self.ranges]
        nodes: dict[bytes, Source] = {node: {b"public_key": der} for node, der in self.nodes.items()}
        mine: dict[bytes, Source] = {
            b"public_key": self.key,
            b"canister_ranges": self_described(ranges),
            b"node": nodes,
            b"type": b"application",
        }
        shards: dict[bytes, Source] = {self.ranges[0][0]: self_described(ranges)}
        return {b"subnet": {self.id.raw: mine}, b"canister_ranges": {self.id.raw: shards}}


@dataclass(frozen=True, slots=True)
class Canister:
    """What the state tree says of a canister. All its metadata is public."""

    certified_data: bytes
    module_hash: bytes
    controllers: tuple[bytes, ...]
    metadata: Mapping[bytes, bytes]

    def described(self) -> dict[bytes, Source]:
        return {
            b"certified_data": self.certified_data,
            b"module_hash": self.module_hash,
            b"controllers": self_described(list(self.controllers)),
            b"metadata": dict(self.metadata),
        }


def state_root(
    time_ns: int, subnet: Mapping[bytes, Source], canisters: Mapping[bytes, Canister], statuses: Node | None
) -> Node:
    """The whole tree at one moment. `statuses` is the subtree of request statuses, None where there is none."""
    content: dict[bytes, Source] = dict(subnet)
    content[b"time"] = leb128(time_ns)
    content[b"canister"] = {key: canister.described() for key, canister in canisters.items()}
    content[b"request_status"] = statuses if statuses is not None else {}
    return tree(content)


def certificate(root: Node, paths: Iterable[Path], key: ThresholdKey, delegation: Mapping[str, bytes] | None) -> bytes:
    """The signed tree pruned to these paths and the time, which every certificate shows."""
    pruned = witness(root, [(b"time",), *paths])
    body: dict[str, Any] = {"tree": pruned.encoded(), "signature": key.sign(STATE_ROOT + root.digest)}
    if delegation is not None:
        body["delegation"] = dict(delegation)
    return self_described(body)


def delegation(root_key: ThresholdKey, subnet: Subnet, time_ns: int, layout: Layout) -> dict[str, bytes]:
    """The root's word that this subnet's key signs for its canisters."""
    own = subnet.id.raw
    ranges: Path = (b"subnet", own, b"canister_ranges") if layout == "flat" else (b"canister_ranges", own)
    root = tree({**subnet.described(), b"time": leb128(time_ns)})
    paths: list[Path] = [(b"subnet", own, b"public_key"), ranges]
    return {"subnet_id": own, "certificate": certificate(root, paths, root_key, None)}
