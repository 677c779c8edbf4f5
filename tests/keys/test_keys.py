"""Keys sign as the network demands, and show nothing of themselves."""

import hashlib
import pickle

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_der_public_key
from hypothesis import given, settings
from hypothesis import strategies as st

from wallet.adapters.keys import Curve, Key
from wallet.adapters.pkcs8 import read_pkcs8
from wallet.core.principal import Principal
from wallet.core.secret import Secret

# SEC 2, sections 2.4.1 and 2.4.2
ORDERS = {
    Curve.SECP256K1: int("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", 16),
    Curve.P256: int("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16),
}
KEYS = {curve: Key.generate(curve) for curve in Curve}
curves = st.sampled_from(list(Curve))


def check(key: Key, message: bytes, signature: bytes) -> None:
    """As the network would: by the public key in DER alone. Raises InvalidSignature."""
    public = load_der_public_key(key.public_key_der)
    if isinstance(public, Ed25519PublicKey):
        public.verify(signature, message)
    else:
        assert isinstance(public, EllipticCurvePublicKey)
        r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
        public.verify(encode_dss_signature(r, s), message, ECDSA(SHA256()))


@given(curves, st.binary(max_size=200))
def test_a_signature_has_64_bytes_verifies_and_repeats(curve: Curve, message: bytes) -> None:
    signature = KEYS[curve].sign(message)
    assert len(signature) == 64
    check(KEYS[curve], message, signature)
    assert KEYS[curve].sign(message) == signature


@given(st.sampled_from(list(ORDERS)), st.binary(max_size=40))
def test_an_ecdsa_signature_has_the_low_s(curve: Curve, message: bytes) -> None:
    assert 0 < int.from_bytes(KEYS[curve].sign(message)[32:], "big") <= ORDERS[curve] // 2


def test_a_known_key_makes_the_known_deterministic_signature() -> None:
    # RFC 6979, appendix A.2.5: P-256, SHA-256, message "sample". Its s is the high one; ours is n - s.
    scalar = Secret(bytes.fromhex("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"))
    s = int("f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8", 16)
    signature = Key.from_scalar(Curve.P256, scalar).sign(b"sample")
    assert signature[:32].hex() == "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
    assert int.from_bytes(signature[32:], "big") == ORDERS[Curve.P256] - s


@pytest.mark.parametrize("curve", Curve)
def test_a_principal_is_the_hash_of_the_public_key(curve: Curve) -> None:
    key = KEYS[curve]
    assert key.principal == Principal(hashlib.sha224(key.public_key_der).digest() + b"\x02")
    assert key.principal.is_self_authenticating


@pytest.mark.parametrize(
    ("curve", "head", "length"),
    [
        (Curve.ED25519, "302a300506032b6570032100", 44),
        (Curve.SECP256K1, "3056301006072a8648ce3d020106052b8104000a03420004", 88),
        (Curve.P256, "3059301306072a8648ce3d020106082a8648ce3d03010703420004", 91),
    ],
)
def test_a_public_key_is_der_with_its_point_uncompressed(curve: Curve, head: str, length: int) -> None:
    der = KEYS[curve].public_key_der
    assert der.hex().startswith(head)
    assert len(der) == length


@given(curves, st.binary(min_size=32, max_size=32).filter(any))
@settings(max_examples=30)
def test_a_key_survives_its_pkcs8(curve: Curve, scalar: bytes) -> None:
    try:
        key = Key.from_scalar(curve, Secret(scalar))
    except ValueError:
        assert int.from_bytes(scalar, "big") >= ORDERS[curve]
        return
    again = read_pkcs8(key.pkcs8())
    assert (again.curve, again.public_key_der) == (key.curve, key.public_key_der)
    assert again.sign(b"m") == key.sign(b"m")


@pytest.mark.parametrize("curve", ORDERS)
@pytest.mark.parametrize("beyond", [0, 1])
def test_a_scalar_outside_the_curve_is_refused(curve: Curve, beyond: int) -> None:
    scalar = (ORDERS[curve] + beyond if beyond else 0).to_bytes(32, "big")
    with pytest.raises(ValueError, match="is no private key"):
        Key.from_scalar(curve, Secret(scalar))
    with pytest.raises(ValueError, match="has 32 bytes"):
        Key.from_scalar(curve, Secret(b"\x01" * 31))


@pytest.mark.parametrize("curve", Curve)
def test_a_key_shows_its_principal_and_never_itself(curve: Curve) -> None:
    key = KEYS[curve]
    assert repr(key) == str(key) == f"Key({curve}, {key.principal})"
    assert not hasattr(key, "__dict__")
    with pytest.raises(TypeError):
        pickle.dumps(key)
