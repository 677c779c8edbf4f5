"""Key files: every form of dfx, icp-cli and OpenSSL comes in, and everything else is refused in one clear sentence."""

import base64
import itertools
import shutil
import subprocess
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed448, rsa, x25519
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_der_private_key,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.keys.vectors import ED25519_OLD_DFX, P256_PKCS8, P256_SEC1, SECP256K1_SEC1, VECTORS, Vector
from wallet.adapters import der, pbes2
from wallet.adapters.keys import Curve, Key
from wallet.adapters.pem import read_key, read_key_file
from wallet.adapters.scrypt import Cost
from wallet.core.errors import BadInput
from wallet.core.secret import Secret

KEYS = {curve: Key.generate(curve) for curve in Curve}
PASSPHRASE = Secret("swordfish")
OPENSSL = shutil.which("openssl")


def pem(label: str, content: bytes) -> str:
    lines = textwrap.wrap(base64.b64encode(content).decode(), 64)
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""])


def given_passphrase() -> Secret:
    return PASSPHRASE


def read(text: str, passphrase: Callable[[], Secret] | None = given_passphrase) -> Key:
    return read_key(Secret(text), passphrase)


def refusal(text: str | bytes, passphrase: Callable[[], Secret] | None = given_passphrase) -> str:
    with pytest.raises(BadInput) as caught:
        read_key(Secret(text), passphrase)
    assert caught.value.field in ("pem", "passphrase")
    assert caught.value.why[0].isupper()
    assert caught.value.why.rstrip().endswith((".", "NAME", ")"))
    return caught.value.why


def scalar_of(key: Key) -> bytes:
    private = load_der_private_key(key.pkcs8().reveal(), None)
    if isinstance(private, ec.EllipticCurvePrivateKey):
        return private.private_numbers().private_value.to_bytes(32, "big")
    return private.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())


def sec1(key: Key, *, curve: bool = True, point: bytes | None = b"", scalar: bytes | None = None) -> bytes:
    """A SEC1 structure with what the caller wants in it."""
    oid = {Curve.SECP256K1: "2b8104000a", Curve.P256: "2a8648ce3d030107"}[key.curve]
    if point == b"":
        point = key.public_key_der[-65:]
    return der.write(
        der.SEQUENCE,
        der.write_number(1),
        der.write(der.OCTET_STRING, scalar_of(key) if scalar is None else scalar),
        der.write(0xA0, der.write(der.OID, bytes.fromhex(oid))) if curve else b"",
        b"" if point is None else der.write(0xA1, der.write(der.BIT_STRING, b"\0", point)),
    )


def ed25519_v2(key: Key, public: bytes) -> bytes:
    """What RFC 5958 makes of an Ed25519 key, and icp-cli writes."""
    return der.write(
        der.SEQUENCE,
        der.write_number(1),
        der.write(der.SEQUENCE, der.write(der.OID, bytes.fromhex("2b6570"))),
        der.write(der.OCTET_STRING, der.write(der.OCTET_STRING, scalar_of(key))),
        der.write(0x81, b"\0", public),
    )


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.source)
def test_a_published_key_has_its_published_principal(vector: Vector) -> None:
    key = read(vector.pem)
    assert key.curve is vector.curve
    assert vector.principal in (None, key.principal.text)
    assert vector.public_key_der in (None, key.public_key_der.hex())


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.source)
def test_line_breaks_and_text_around_the_key_do_not_matter(vector: Vector) -> None:
    expected = read(vector.pem).principal
    certificate = pem("CERTIFICATE", b"anything")
    around = f"Bag Attributes: ключ\n{vector.pem}Identity Principal: {expected}\nLedger account: 345f\n{certificate}"
    one_line = vector.pem.replace("\n", " ").replace("----- ", "-----\n").replace(" -----", "\n-----")
    for text in (vector.pem.replace("\n", "\r\n"), vector.pem.strip(), around, one_line, "\ufeff" + vector.pem):
        assert read(text).principal == expected
    assert read_key(Secret(vector.pem.encode("utf-16"))).principal == expected  # PowerShell's redirection


@pytest.mark.parametrize("curve", [Curve.SECP256K1, Curve.P256])
def test_sec1_is_read_whatever_it_leaves_out(curve: Curve) -> None:
    key = KEYS[curve]
    point = key.public_key_der[-65:]
    compressed = bytes([2 + point[-1] % 2]) + point[1:33]
    parameters = pem(
        "EC PARAMETERS",
        der.write(der.OID, bytes.fromhex("2b8104000a" if curve is Curve.SECP256K1 else "2a8648ce3d030107")),
    )
    for text in (
        pem("EC PRIVATE KEY", sec1(key)),
        pem("EC PRIVATE KEY", sec1(key, point=None)),
        pem("EC PRIVATE KEY", sec1(key, point=compressed)),
        pem("EC PRIVATE KEY", sec1(key, curve=False)),  # the point tells the curve
        parameters + pem("EC PRIVATE KEY", sec1(key, curve=False, point=None)),
        parameters + pem("EC PRIVATE KEY", sec1(key)),
    ):
        assert read(text).public_key_der == key.public_key_der


@pytest.mark.parametrize("curve", [Curve.SECP256K1, Curve.P256])
def test_a_scalar_without_its_leading_zeros_is_the_same_key(curve: Curve) -> None:
    key = Key.from_scalar(curve, Secret(b"\0\0" + b"\x07" * 30))
    assert read(pem("EC PRIVATE KEY", sec1(key, scalar=b"\x07" * 30))).principal == key.principal


def test_ed25519_version_2_is_read_with_its_public_key_checked() -> None:
    key = KEYS[Curve.ED25519]
    public = key.public_key_der[-32:]
    assert read(pem("PRIVATE KEY", ed25519_v2(key, public))).principal == key.principal
    assert "does not belong" in refusal(pem("PRIVATE KEY", ed25519_v2(key, public[:-1] + bytes([public[-1] ^ 1]))))


def test_another_keys_public_key_beside_the_private_one_is_refused() -> None:
    key, other = KEYS[Curve.P256], Key.generate(Curve.P256)
    for curve in (True, False):
        assert "does not belong" in refusal(
            pem("EC PRIVATE KEY", sec1(key, curve=curve, point=other.public_key_der[-65:]))
        )
    old = base64.b64decode("".join(ED25519_OLD_DFX.pem.split("\n")[1:-2]))
    assert "does not belong" in refusal(pem("PRIVATE KEY", old[:-32] + KEYS[Curve.ED25519].public_key_der[-32:]))


@pytest.mark.parametrize("curve", Curve)
def test_keys_that_the_library_encrypted_are_read(curve: Curve) -> None:
    private = load_der_private_key(KEYS[curve].pkcs8().reveal(), None)
    text = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(PASSPHRASE.reveal()))
    assert read(text.decode()).principal == KEYS[curve].principal


def test_an_encrypted_key_of_icp_cli_is_read() -> None:
    # Ed25519 version 2 inside, scrypt at (2^17, 8, 1): the library refuses the first, OpenSSL the second.
    key = KEYS[Curve.ED25519]
    inside = Secret(ed25519_v2(key, key.public_key_der[-32:]))
    text = pem("ENCRYPTED PRIVATE KEY", pbes2.encrypt(inside, PASSPHRASE, Cost(2**17, 8, 1)))
    assert read(text).principal == key.principal


@pytest.mark.real
@pytest.mark.skipif(OPENSSL is None, reason="the program `openssl` is not installed")
@pytest.mark.parametrize(
    "options",
    [
        ["pkcs8", "-topk8"],
        ["pkcs8", "-topk8", "-v2", "aes-128-cbc", "-v2prf", "hmacWithSHA512"],
        ["pkcs8", "-topk8", "-v2", "aes192"],
        ["pkcs8", "-topk8", "-v2", "des3"],
        ["pkcs8", "-topk8", "-scrypt"],
        ["ec", "-aes256"],  # SEC1 with a Proc-Type line
    ],
    ids=" ".join,
)
def test_keys_that_openssl_encrypted_are_read_and_a_wrong_passphrase_is_told(options: list[str]) -> None:
    text = openssl([*options, "-passout", "pass:swordfish"], P256_SEC1.pem.encode())
    assert read(text).public_key_der.hex() == P256_SEC1.public_key_der
    assert refusal(text, lambda: Secret("shark")) == "The passphrase is wrong, or the encrypted key is damaged."


@pytest.mark.real
@pytest.mark.skipif(OPENSSL is None, reason="the program `openssl` is not installed")
@pytest.mark.parametrize("vector", [v for v in VECTORS if v is not ED25519_OLD_DFX], ids=lambda vector: vector.source)
def test_openssl_derives_the_same_public_key(vector: Vector) -> None:
    assert OPENSSL is not None
    command = [OPENSSL, "pkey", "-pubout", "-outform", "DER"]
    found = subprocess.run(command, input=vector.pem.encode(), capture_output=True, check=True, timeout=20)
    assert found.stdout == read(vector.pem).public_key_der


def openssl(arguments: list[str], text: bytes) -> str:
    assert OPENSSL is not None
    return subprocess.run(
        [OPENSSL, *arguments], input=text, capture_output=True, check=True, timeout=20
    ).stdout.decode()


def test_the_passphrase_is_asked_for_only_where_there_is_one() -> None:
    def never() -> Secret:
        raise AssertionError("asked")

    assert read(SECP256K1_SEC1.pem, never).principal.text == SECP256K1_SEC1.principal
    encrypted = pem("ENCRYPTED PRIVATE KEY", pbes2.encrypt(KEYS[Curve.P256].pkcs8(), PASSPHRASE))
    assert "no one to ask" in refusal(encrypted, None)
    assert "wrong" in refusal(encrypted, lambda: Secret(""))


def test_an_encrypted_file_may_not_cost_more_than_the_machine_has() -> None:
    def costing(*numbers: int) -> str:
        parameters = [der.write(der.OCTET_STRING, b"salt"), *map(der.write_number, numbers)]
        oid = "2b06010401da47040b" if len(numbers) > 1 else "2a864886f70d01050c"
        derivation = der.write(
            der.SEQUENCE, der.write(der.OID, bytes.fromhex(oid)), der.write(der.SEQUENCE, *parameters)
        )
        aes = der.write(der.OID, bytes.fromhex("60864801650304012a"))
        cipher = der.write(der.SEQUENCE, aes, der.write(der.OCTET_STRING, bytes(16)))
        pbes2_oid = der.write(der.OID, bytes.fromhex("2a864886f70d01050d"))
        scheme = der.write(der.SEQUENCE, pbes2_oid, der.write(der.SEQUENCE, derivation, cipher))
        return pem("ENCRYPTED PRIVATE KEY", der.write(der.SEQUENCE, scheme, der.write(der.OCTET_STRING, bytes(16))))

    for numbers in ((2**30, 8, 1), (2**14, 8, 2**20), (2**31,)):
        assert "beyond this machine" in refusal(costing(*numbers))
    for numbers in ((2**14 + 1, 8, 1), (0,)):
        assert "The private key is damaged" in refusal(costing(*numbers))
    assert "wrong" in refusal(costing(2**10, 8, 1))


def private_pem(key: object) -> str:
    assert hasattr(key, "private_bytes")
    return bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())).decode()


RSA = rsa.generate_private_key(65537, 2048)
PUBLIC = RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
P384 = ec.generate_private_key(ec.SECP384R1())
OPENSSH = ec.generate_private_key(ec.SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (private_pem(RSA), "RSA key"),
        (RSA.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode(), "RSA key"),
        (private_pem(dsa.generate_private_key(1024)), "DSA key"),
        (private_pem(x25519.X25519PrivateKey.generate()), "X25519 key"),
        (private_pem(ed448.Ed448PrivateKey.generate()), "Ed448 key"),
        (private_pem(P384), "curve P-384"),
        (P384.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode(), "curve P-384"),
        (OPENSSH.decode(), "OpenSSH"),
        (PUBLIC, "public key only"),
        (pem("CERTIFICATE", b"any"), "certificate"),
        (pem("EC PARAMETERS", b"any"), "names a curve"),
        (pem("X509 CRL", b"any"), "no private key"),
        ("", "is empty"),
        (" \r\n", "is empty"),
        ("hello", "no private key in PEM form"),
        ("drip bus mind armor hole ice glory manage speed busy hobby cup\n", "seed phrase"),
        (P256_SEC1.pem + SECP256K1_SEC1.pem, "several private keys"),
        (P256_SEC1.pem + P256_SEC1.pem, "several private keys"),
        (P256_SEC1.pem.replace("-----END EC PRIVATE KEY-----\n", ""), "damaged"),
        (P256_SEC1.pem.replace("-----BEGIN EC PRIVATE KEY-----\n", ""), "damaged"),
        (P256_SEC1.pem.replace("MHcC", "MH!C"), "damaged"),
        (P256_SEC1.pem.replace("MHcC", "MHc"), "damaged"),
        (P256_SEC1.pem.replace("AwEHoUQ", ""), "damaged"),
        (pem("PRIVATE KEY", b""), "damaged"),
        (pem("EC PRIVATE KEY", sec1(KEYS[Curve.P256]) + b"\0"), "damaged"),
        (pem("EC PRIVATE KEY", sec1(KEYS[Curve.P256], curve=False, point=None)), "EC PARAMETERS"),
        (
            pem("EC PARAMETERS", der.write(der.OID, bytes.fromhex("2b8104000a"))) + P256_SEC1.pem,
            "two different curves",
        ),
        (pem("EC PARAMETERS", der.write(der.SEQUENCE)) + P256_SEC1.pem, "spells its curve out"),
        (pem("PRIVATE KEY", sec1(KEYS[Curve.P256])), "damaged"),
        (pem("EC PRIVATE KEY", KEYS[Curve.ED25519].pkcs8().reveal()), "damaged"),
        (pem("ENCRYPTED PRIVATE KEY", KEYS[Curve.ED25519].pkcs8().reveal()), "damaged"),
    ],
    ids=itertools.count(),  # the keys are new in every process, and a test's name is the same in all of them
)
def test_what_is_no_key_is_refused_in_a_sentence(text: str, says: str) -> None:
    assert says in refusal(text)


def test_a_binary_key_is_named_as_one() -> None:
    assert "binary key" in refusal(KEYS[Curve.P256].pkcs8().reveal())


@given(st.binary(max_size=400))
def test_any_bytes_are_a_key_or_a_refusal(data: bytes) -> None:
    refusal(data)
    for label in ("PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY"):
        refusal(pem(label, data))


@given(st.sampled_from(list(Curve)), st.data())
@settings(max_examples=300)
def test_a_changed_byte_is_refused_or_makes_no_other_key_pass_for_this_one(curve: Curve, data: st.DataObject) -> None:
    key = KEYS[curve]
    whole = bytearray(ed25519_v2(key, key.public_key_der[-32:]) if curve is Curve.ED25519 else key.pkcs8().reveal())
    position = data.draw(st.integers(0, len(whole) - 1))
    whole[position] ^= data.draw(st.integers(1, 255))
    try:
        found = read(pem("PRIVATE KEY", bytes(whole)))
    except BadInput:
        return
    # The version number, and the like, say nothing about the key; a changed key disagrees with its public one.
    assert found.public_key_der == key.public_key_der


def test_a_file_is_read_and_one_that_cannot_be_is_named(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_text(P256_PKCS8.pem)
    assert read_key_file(path).curve is Curve.P256
    prompts: list[tuple[str, bool]] = []

    def ask(prompt: str, confirm: bool) -> Secret:
        prompts.append((prompt, confirm))
        return PASSPHRASE

    path.write_text(pem("ENCRYPTED PRIVATE KEY", pbes2.encrypt(KEYS[Curve.P256].pkcs8(), PASSPHRASE)))
    assert read_key_file(path, ask).principal == KEYS[Curve.P256].principal
    assert prompts == [("Passphrase of key.pem", False)]
    for bad, says in ((tmp_path / "none.pem", "No such file"), (tmp_path, "directory")):
        with pytest.raises(BadInput, match=says) as caught:
            read_key_file(bad)
        assert caught.value.field == "pem"
    path.write_bytes(bytes(1 << 21))
    with pytest.raises(BadInput, match="too long"):
        read_key_file(path)
