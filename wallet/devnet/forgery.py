"""Answers that must not be believed: the fault `tamper` in all its kinds."""

from __future__ import annotations

import hashlib
from typing import Any

from wallet.core.ledger_time import HOUR, LedgerTime
from wallet.devnet.bls import ThresholdKey
from wallet.devnet.calls import Call
from wallet.devnet.hash_tree import Empty, Node, Path, inserted, witness
from wallet.devnet.keys import RANGES
from wallet.devnet.network import Network
from wallet.devnet.state_tree import STATE_ROOT, Layout, Subnet, certificate, delegation, self_described

_INFINITY = b"\xc0" + bytes(47)
_ELSEWHERE = (bytes.fromhex("00000000002000000101"), bytes.fromhex("00000000002fffff0101"))


def forged(what: str, network: Network, call: Call, layout: Layout) -> bytes:
    """A certificate about this call that is wrong in one way."""
    now = network.now()
    paths: list[Path] = [(b"request_status", call.id)]
    forger = ThresholdKey.from_seed(b"a key that is not the network's")
    genuine, key = network.root(now), network.keys.subnet_key
    delegated = network.delegation(layout, now)
    match what:
        case "garbage":
            return b"\x00\x01 not a certificate"
        case "signature":
            return _signed(genuine, paths, key.sign(b"something else"), delegated)
        case "infinity":
            return _signed(genuine, paths, _INFINITY, delegated)
        case "tree":
            other = network.root(now, inserted(Empty(), call.id, call.replied(b"DIDL\x00\x00").described))
            return _signed(other, paths, key.sign(STATE_ROOT + genuine.digest), delegated)
        case "request_id":
            other_id = hashlib.sha256(call.id).digest()
            other = network.root(now, inserted(Empty(), other_id, call.described))
            return certificate(other, [(b"request_status", other_id)], key, delegated)
        case "time":
            return certificate(network.root(LedgerTime(now - HOUR)), paths, key, delegated)
        case "canister":
            subnet = Subnet(network.keys.subnet_key.der, (_ELSEWHERE,), network.keys.subnet.nodes)
            return certificate(genuine, paths, key, delegation(network.keys.root, subnet, now, layout))
        case "delegation":
            return certificate(genuine, paths, key, delegation(forger, network.keys.subnet, now, layout))
        case _:
            # "root_key": all in order, but for a root that is not this network's.
            if delegated is None:
                return certificate(genuine, paths, forger, None)
            usurper = ThresholdKey.from_seed(b"a subnet of another network")
            subnet = Subnet(usurper.der, RANGES, network.keys.subnet.nodes)
            return certificate(genuine, paths, usurper, delegation(forger, subnet, now, layout))


def _signed(root: Node, paths: list[Path], signature: bytes, delegated: dict[str, bytes] | None) -> bytes:
    body: dict[str, Any] = {"tree": witness(root, [(b"time",), *paths]).encoded(), "signature": signature}
    if delegated is not None:
        body["delegation"] = delegated
    return self_described(body)
