"""Key files: in come the PEM forms of dfx, icp-cli and OpenSSL; out go encrypted PKCS#8 and the plain form of dfx."""

import base64
import binascii
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from wallet.adapters import pbes2
from wallet.adapters.keys import Key
from wallet.adapters.passphrase import Ask
from wallet.adapters.pkcs8 import TAKEN, read_curve, read_pkcs8, read_sec1
from wallet.adapters.private_file import write_private
from wallet.core.errors import BadInput
from wallet.core.secret import Secret

_MOST_BYTES = 1 << 20
_BLOCK = re.compile(r"-----BEGIN ([A-Z0-9 ]{1,64})-----(.*?)-----END \1-----", re.DOTALL)
_SEED_PHRASE = re.compile(r"\s*([a-z]{3,8}\s+){11,23}[a-z]{3,8}\s*")
_PLAIN, _ENCRYPTED, _SEC1, _PARAMETERS = "PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "EC PRIVATE KEY", "EC PARAMETERS"
_NOT_TAKEN = {
    "RSA PRIVATE KEY": f"This is an RSA key; {TAKEN}",
    "DSA PRIVATE KEY": f"This is a DSA key; {TAKEN}",
    "OPENSSH PRIVATE KEY": "This key is in OpenSSH's own format, which the wallet does not read; convert it to PKCS#8.",
    "PGP PRIVATE KEY BLOCK": f"This is a PGP key; {TAKEN}",
}
_NO_KEY = {
    "PUBLIC KEY": "This file holds a public key only; name the file of the private key.",
    "CERTIFICATE": "This file holds a certificate and no private key; name the file of the private key.",
    _PARAMETERS: "This file names a curve and holds no private key; name the file of the private key.",
}
_DAMAGED = "The private key in this file is damaged: a part of its text is missing or changed."


@dataclass(frozen=True, slots=True)
class _Block:
    label: str
    body: Secret  # the text between the two lines


def read_key_file(path: Path, ask: Ask | None = None) -> Key:
    """The one private key in a PEM file. Raises BadInput (`pem`, `passphrase`) that shows nothing of it."""
    try:
        with path.open("rb") as file:
            content = Secret(file.read(_MOST_BYTES + 1))
    except OSError as error:
        raise BadInput("pem", f"The key file {path} cannot be read ({error.strerror}).") from None
    if len(content.reveal()) > _MOST_BYTES:
        raise BadInput("pem", f"{path} is far too long for a key file.")
    return read_key(content, None if ask is None else lambda: ask(f"Passphrase of {path.name}", False))


def read_key(pem: Secret, passphrase: Callable[[], Secret] | None = None) -> Key:
    """The one private key in the text of a key file; `passphrase` is called when it is encrypted. Raises BadInput."""
    # The errors below are raised anew without their origin: its frames hold parts of the key.
    try:
        return _read(pem, passphrase)
    except pbes2.WrongPassphrase as error:
        raise BadInput("passphrase", str(error)) from None
    except ValueError as error:
        raise BadInput("pem", str(error)) from None


def _read(pem: Secret, passphrase: Callable[[], Secret] | None) -> Key:
    blocks = _blocks(pem)
    key = _the_key(blocks)
    if b"Proc-Type" in key.body.reveal() or key.label == _ENCRYPTED:
        if passphrase is None:
            raise BadInput("passphrase", "This key file is encrypted, and there is no one to ask for its passphrase.")
        return _decrypt(key, passphrase())
    if key.label == _PLAIN:
        return read_pkcs8(_bytes(key))
    curves = [read_curve(_bytes(block).reveal()) for block in blocks if block.label == _PARAMETERS]
    return read_sec1(_bytes(key), curves)


def _blocks(pem: Secret) -> list[_Block]:
    text = _text(pem)
    blocks = [_Block(label, Secret(body)) for label, body in _BLOCK.findall(text)]
    rest = _BLOCK.sub("", text)
    if "-----BEGIN " in rest or "-----END " in rest:
        raise ValueError(_DAMAGED)
    if not blocks:
        raise ValueError(_no_block(text, pem))
    return blocks


def _text(pem: Secret) -> str:
    raw = pem.reveal()
    # What Windows PowerShell makes of `dfx identity export NAME > key.pem`.
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return raw.decode(encoding, errors="replace")


def _no_block(text: str, pem: Secret) -> str:
    if not text.strip():
        return "This file is empty; name the file of the private key."
    if _SEED_PHRASE.fullmatch(text):
        return "This file holds a seed phrase, not a key in PEM form."
    if pem.reveal()[:1] == b"\x30":
        return "This file holds a binary key; convert it to PEM first (openssl pkey -inform DER)."
    return (
        "This file holds no private key in PEM form (a text that begins with -----BEGIN PRIVATE KEY-----). A key that"
        " dfx keeps encrypted comes out with: dfx identity export NAME"
    )


def _the_key(blocks: list[_Block]) -> _Block:
    for block in blocks:
        if block.label in _NOT_TAKEN:
            raise ValueError(_NOT_TAKEN[block.label])
    keys = [block for block in blocks if block.label in (_PLAIN, _ENCRYPTED, _SEC1)]
    if len(keys) > 1:
        raise ValueError("This file holds several private keys; leave the one to import in a file of its own.")
    if not keys:
        raise ValueError(
            _NO_KEY.get(blocks[0].label, "This file holds no private key; name the file of the private key.")
        )
    return keys[0]


def _bytes(block: _Block) -> Secret:
    try:
        return Secret(base64.b64decode(b"".join(block.body.reveal().split()), validate=True))
    except binascii.Error:
        raise ValueError(_DAMAGED) from None


def _decrypt(block: _Block, passphrase: Secret) -> Key:
    if block.label == _ENCRYPTED:
        try:
            return read_pkcs8(pbes2.decrypt(_bytes(block).reveal(), passphrase))
        except pbes2.UnknownCipher:
            pass  # an older one, perhaps
    whole = Secret(
        b"-----BEGIN %b-----%b-----END %b-----\n" % (label := block.label.encode(), block.body.reveal(), label)
    )
    try:
        private = load_pem_private_key(whole.reveal(), passphrase.reveal())
    except UnsupportedAlgorithm:
        raise pbes2.UnknownCipher() from None
    except (ValueError, TypeError):  # TypeError: an empty passphrase
        raise pbes2.WrongPassphrase() from None
    return read_pkcs8(Secret(private.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())))


def write_key(key: Key, passphrase: Secret | None) -> Secret:
    """The text of a key file: encrypted PKCS#8, or with no passphrase the plain form that dfx imports."""
    if passphrase is None:
        return key.plain_pem()
    if not passphrase:
        raise BadInput("passphrase", "An empty passphrase protects nothing; nothing was written.")
    # Not `cryptography`'s own: its 2048 rounds of PBKDF2 cannot be raised, and a backup may lie about for years.
    body = base64.b64encode(pbes2.encrypt(key.pkcs8(), passphrase)).decode("ascii")
    return Secret(
        "\n".join([f"-----BEGIN {_ENCRYPTED}-----", *textwrap.wrap(body, 64), f"-----END {_ENCRYPTED}-----", ""])
    )


def write_key_file(path: Path, key: Key, passphrase: Secret | None, *, replace: bool = False) -> None:
    """Write the key's file, for its owner only, whole or not at all. Raises BadInput (`output`, `passphrase`)."""
    try:
        write_private(path, write_key(key, passphrase), replace=replace)
    except FileExistsError:
        raise BadInput("output", f"{path} exists and was left as it is; name another file.") from None
    except OSError as error:
        raise BadInput("output", f"The key file {path} cannot be written ({error.strerror}).") from None
