"""The keys of the embedded network, all from one seed: the root's, the subnet's, and the one node's."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Self

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from wallet.core.principal import Principal
from wallet.devnet.bls import ThresholdKey
from wallet.devnet.state_tree import Subnet, self_authenticating

# The ids that local networks give out, and those of mainnet's first subnet, where agents look for the time by default.
RANGES = (
    (bytes.fromhex("00000000000000000101"), bytes.fromhex("00000000000fffff0101")),
    (bytes.fromhex("80000000001000000101"), bytes.fromhex("80000000001fffff0101")),
)


@dataclass(frozen=True, slots=True)
class NetworkKeys:
    """`subnet_key` is the root key itself where certificates carry no delegation."""

    root: ThresholdKey
    subnet_key: ThresholdKey
    node: Ed25519PrivateKey
    node_id: Principal
    subnet: Subnet

    @classmethod
    def from_seed(cls, seed: bytes, *, delegated: bool) -> Self:
        """All keys of the network that this seed stands for."""
        root = ThresholdKey.from_seed(seed)
        subnet_key = ThresholdKey.from_seed(seed + b"subnet") if delegated else root
        node = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"devnet node" + seed).digest())
        node_der = node.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        node_id = self_authenticating(node_der)
        return cls(root, subnet_key, node, node_id, Subnet(subnet_key.der, RANGES, {node_id.raw: node_der}))

    def covers(self, canister: Principal) -> bool:
        return any(first <= canister.raw <= last for first, last in self.subnet.ranges)
