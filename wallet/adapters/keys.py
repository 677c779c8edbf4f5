"""Signing keys on the three curves that the Internet Computer takes from a person."""

import hashlib
from enum import StrEnum
from typing import Self

from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDSA,
    SECP256K1,
    SECP256R1,
    EllipticCurve,
    EllipticCurvePrivateKey,
    derive_private_key,
    generate_private_key,
)
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from wallet.core.principal import Principal
from wallet.core.secret import Secret

SCALAR_BYTES = 32
_SELF_AUTHENTICATING = b"\x02"


class Curve(StrEnum):
    """The kind of a key, by the name it has on the command line."""

    ED25519 = "ed25519"
    SECP256K1 = "secp256k1"
    P256 = "p256"


_CURVES: dict[Curve, EllipticCurve] = {Curve.SECP256K1: SECP256K1(), Curve.P256: SECP256R1()}
_ORDERS = {
    Curve.SECP256K1: 0xFFFFFFFF_FFFFFFFF_FFFFFFFF_FFFFFFFE_BAAEDCE6_AF48A03B_BFD25E8C_D0364141,
    Curve.P256: 0xFFFFFFFF_00000000_FFFFFFFF_FFFFFFFF_BCE6FAAD_A7179E84_F3B9CAC2_FC632551,
}


class Key:
    """A private key that signs for its principal. It shows its curve and principal, never itself."""

    __slots__ = ("_private", "curve", "principal", "public_key_der")

    def __init__(self, curve: Curve, private: Ed25519PrivateKey | EllipticCurvePrivateKey) -> None:
        self.curve = curve
        self._private = private
        # DER SubjectPublicKeyInfo; points of both elliptic curves uncompressed, as the network demands.
        self.public_key_der = private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self.principal = Principal(hashlib.sha224(self.public_key_der).digest() + _SELF_AUTHENTICATING)

    @classmethod
    def generate(cls, curve: Curve) -> Self:
        """A new key from the system's randomness."""
        if curve is Curve.ED25519:
            return cls(curve, Ed25519PrivateKey.generate())
        return cls(curve, generate_private_key(_CURVES[curve]))

    @classmethod
    def from_scalar(cls, curve: Curve, scalar: Secret) -> Self:
        """The key of these 32 bytes: an Ed25519 seed, or a big-endian scalar. Raises ValueError when they are none."""
        if len(scalar.reveal()) != SCALAR_BYTES:
            raise ValueError(f"A private key of the kind {curve} has {SCALAR_BYTES} bytes; this one is damaged.")
        if curve is Curve.ED25519:
            return cls(curve, Ed25519PrivateKey.from_private_bytes(scalar.reveal()))
        if not 0 < int.from_bytes(scalar.reveal(), "big") < _ORDERS[curve]:
            raise ValueError(f"This number is no private key of the kind {curve}; the key is damaged.")
        # Derived anew, so that a file which holds its point compressed has the same public key and principal.
        return cls(curve, derive_private_key(int.from_bytes(scalar.reveal(), "big"), _CURVES[curve]))

    def sign(self, message: bytes) -> bytes:
        """64 bytes: Ed25519, or ECDSA over SHA-256 (deterministic, low s) as big-endian r and s of 32 bytes each."""
        if isinstance(self._private, Ed25519PrivateKey):
            return self._private.sign(message)
        r, s = decode_dss_signature(self._private.sign(message, ECDSA(SHA256(), deterministic_signing=True)))
        # (r, s) and (r, n - s) are both valid; with the low one alone, equal messages have equal envelopes everywhere.
        s = min(s, _ORDERS[self.curve] - s)
        return r.to_bytes(SCALAR_BYTES, "big") + s.to_bytes(SCALAR_BYTES, "big")

    def pkcs8(self) -> Secret:
        """The unencrypted PKCS#8 DER of the key: what a vault keeps, and what `pkcs8.read` reads."""
        return Secret(self._private.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()))

    def plain_pem(self) -> Secret:
        """The unencrypted PEM that dfx and icp-cli import: SEC1 for the elliptic curves, PKCS#8 for Ed25519."""
        form = PrivateFormat.PKCS8 if self.curve is Curve.ED25519 else PrivateFormat.TraditionalOpenSSL
        return Secret(self._private.private_bytes(Encoding.PEM, form, NoEncryption()))

    def __repr__(self) -> str:
        return f"Key({self.curve}, {self.principal})"
