"""A BLS12-381 key that signs as a subnet does: signature in G1 (48 bytes), public key in G2 (96 bytes)."""

import hashlib
from dataclasses import dataclass, field
from typing import Any, Self

from py_arkworks_bls12381 import G1Point, G2Point, Scalar

_DST = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
_DER_PREFIX = bytes.fromhex("308182301d060d2b0601040182dc7c0503010201060c2b0601040182dc7c05030201036100")
SEED_BYTES = 32


@dataclass(frozen=True, slots=True)
class ThresholdKey:
    """The secret scalar; on the network it is shared out among a subnet's nodes, here one process has it whole."""

    _scalar: Any = field(repr=False)
    public: bytes

    @classmethod
    def from_seed(cls, seed: bytes) -> Self:
        """The key that a seed of 32 bytes stands for, always the same one."""
        scalar = Scalar.from_be_bytes_mod_order(hashlib.sha512(b"devnet threshold key" + seed).digest())
        return cls(scalar, bytes((G2Point() * scalar).to_compressed_bytes()))

    @property
    def der(self) -> bytes:
        """The public key as `root_key` and `/subnet/<id>/public_key` carry it: 133 bytes of DER."""
        return _DER_PREFIX + self.public

    def sign(self, message: bytes) -> bytes:
        """48 bytes that verify against `public`."""
        return bytes((G1Point.hash_to_curve(message, _DST) * self._scalar).to_compressed_bytes())
