"""Verifies the signatures that clients send: Ed25519, P-256 and secp256k1 keys in DER, and WebAuthn keys in COSE."""

from __future__ import annotations

import base64
import json
from typing import Final

import cbor2
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import load_der_public_key

_COSE_OID: Final = bytes.fromhex("300c060a2b0601040183b8430101")
_SHA256 = ec.ECDSA(hashes.SHA256())


class BadSignature(Exception):
    """A key that cannot be read, or a signature that is not its own; the text says which."""


def verify(public_key: bytes, signature: bytes, message: bytes) -> None:
    """Raises BadSignature unless the signature is this key's over this message."""
    try:
        if _COSE_OID in public_key[:20]:
            _verify_webauthn(public_key[public_key.index(_COSE_OID) + len(_COSE_OID) :], signature, message)
        else:
            _verify_der(public_key, signature, message)
    except InvalidSignature:
        raise BadSignature("signature does not verify") from None


def _verify_der(public_key: bytes, signature: bytes, message: bytes) -> None:
    try:
        key = load_der_public_key(public_key)
    except (ValueError, UnsupportedAlgorithm) as why:
        raise BadSignature(f"unsupported public key: {why}") from None
    if isinstance(key, Ed25519PublicKey):
        key.verify(signature, message)
    elif isinstance(key, ec.EllipticCurvePublicKey) and isinstance(key.curve, ec.SECP256R1 | ec.SECP256K1):
        key.verify(_as_der(signature), message, _SHA256)
    else:
        raise BadSignature("unsupported public key algorithm")


def _as_der(signature: bytes) -> bytes:
    """The network's form of an ECDSA signature is r and s, 32 bytes each."""
    if len(signature) != 64:
        raise BadSignature("an ECDSA signature has 64 bytes")
    return encode_dss_signature(int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))


def _verify_webauthn(bits: bytes, signature: bytes, message: bytes) -> None:
    """A browser's authenticator signs its own data and the hash of a JSON text that holds the message."""
    try:
        # `bits` is a DER bit string: tag, length in one or two bytes, no unused bits, then the COSE key.
        cose = cbor2.loads(bits[3:] if bits[1] < 0x80 else bits[4:])
        parts = cbor2.loads(signature)
        key = ec.EllipticCurvePublicNumbers(
            int.from_bytes(cose[-2], "big"), int.from_bytes(cose[-3], "big"), ec.SECP256R1()
        ).public_key()
        client_data = parts["client_data_json"]
        text = client_data if isinstance(client_data, str) else bytes(client_data).decode()
        challenge = json.loads(text)["challenge"]
        if base64.urlsafe_b64decode(challenge + "=" * (-len(challenge) % 4)) != message:
            raise BadSignature("the WebAuthn challenge is not the message")
        digest = hashes.Hash(hashes.SHA256())
        digest.update(text.encode())
        key.verify(bytes(parts["signature"]), bytes(parts["authenticator_data"]) + digest.finalize(), _SHA256)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, cbor2.CBORError) as why:
        raise BadSignature(f"malformed WebAuthn signature: {why}") from None
