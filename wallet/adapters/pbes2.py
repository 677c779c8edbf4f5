"""Encrypted PKCS#8 (PBES2, RFC 8018): scrypt or PBKDF2 makes a key of the passphrase, AES-CBC hides the private key."""

import os

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC
from cryptography.hazmat.primitives.padding import PKCS7

from wallet.adapters.der import (
    INTEGER,
    OCTET_STRING,
    OID,
    SEQUENCE,
    Element,
    Malformed,
    expect,
    read_all,
    read_number,
    read_one,
    write,
    write_number,
)
from wallet.adapters.scrypt import Cost, TooCostly
from wallet.core.secret import Secret

_PBES2 = bytes.fromhex("2a864886f70d01050d")
_PBKDF2 = bytes.fromhex("2a864886f70d01050c")
_SCRYPT = bytes.fromhex("2b06010401da47040b")
_AES_256 = bytes.fromhex("60864801650304012a")
_AES_KEY_BYTES = {
    _AES_256: 32,
    bytes.fromhex("608648016503040116"): 24,
    bytes.fromhex("608648016503040102"): 16,
}
_HMACS: dict[bytes, type[hashes.HashAlgorithm]] = {
    bytes.fromhex("2a864886f70d0207"): hashes.SHA1,
    bytes.fromhex("2a864886f70d0208"): hashes.SHA224,
    bytes.fromhex("2a864886f70d0209"): hashes.SHA256,
    bytes.fromhex("2a864886f70d020a"): hashes.SHA384,
    bytes.fromhex("2a864886f70d020b"): hashes.SHA512,
}

# As much work as icp-cli's (2^17, 8, 1), in 16 MiB: OpenSSL refuses to spend more than 32.
EXPORT_COST = Cost(2**14, 8, 8)
_MOST_ROUNDS = 20_000_000  # some seconds
_TOO_COSTLY = "The private key is encrypted at a cost beyond this machine; encrypt it anew with usual settings."


class WrongPassphrase(ValueError):
    """The passphrase does not open the key. (A damaged key looks the same.)"""

    def __init__(self) -> None:
        super().__init__("The passphrase is wrong, or the encrypted key is damaged.")


class UnknownCipher(ValueError):
    """Encrypted in a way that is not spoken here."""

    def __init__(self) -> None:
        super().__init__("The private key is encrypted in a way the wallet does not know; encrypt it anew with AES.")


def decrypt(encrypted: bytes, passphrase: Secret) -> Secret:
    """The PKCS#8 DER inside. Raises WrongPassphrase, UnknownCipher or Malformed."""
    algorithm, content = _pair(read_one(encrypted))
    ciphertext = expect(content, OCTET_STRING)
    scheme, parameters = _pair(algorithm)
    if expect(scheme, OID) != _PBES2:
        raise UnknownCipher()
    derivation, encryption = _pair(parameters)
    cipher, vector = _pair(encryption)
    length = _AES_KEY_BYTES.get(expect(cipher, OID))
    if length is None:
        raise UnknownCipher()
    if len(expect(vector, OCTET_STRING)) != 16 or not ciphertext or len(ciphertext) % 16:
        raise Malformed()
    return _open(ciphertext, vector.content, _derive(derivation, length, passphrase))


def _open(ciphertext: bytes, vector: bytes, key: Secret) -> Secret:
    opened = Cipher(AES(key.reveal()), CBC(vector)).decryptor()
    unpadded = PKCS7(128).unpadder()
    try:
        plain = Secret(unpadded.update(opened.update(ciphertext) + opened.finalize()) + unpadded.finalize())
        # CBC proves nothing: one wrong passphrase in 256 unpads well, and shows by what it leaves.
        expect(read_one(plain.reveal()), SEQUENCE)
    except ValueError:
        raise WrongPassphrase() from None
    return plain


def encrypt(pkcs8: Secret, passphrase: Secret, cost: Cost = EXPORT_COST) -> bytes:
    """Hide `pkcs8` behind `passphrase`, in a form that OpenSSL, icp-cli and `cryptography` read."""
    salt, vector = os.urandom(16), os.urandom(16)
    derivation = write(
        SEQUENCE,
        write(OID, _SCRYPT),
        write(SEQUENCE, write(OCTET_STRING, salt), *map(write_number, (cost.n, cost.r, cost.p))),
    )
    encryption = write(SEQUENCE, write(OID, _AES_256), write(OCTET_STRING, vector))
    key = cost.derive(passphrase, salt)
    hidden, padded = Cipher(AES(key.reveal()), CBC(vector)).encryptor(), PKCS7(128).padder()
    ciphertext = hidden.update(padded.update(pkcs8.reveal()) + padded.finalize()) + hidden.finalize()
    algorithm = write(SEQUENCE, write(OID, _PBES2), write(SEQUENCE, derivation, encryption))
    return write(SEQUENCE, algorithm, write(OCTET_STRING, ciphertext))


def _derive(derivation: Element, length: int, passphrase: Secret) -> Secret:
    name, parameters = _pair(derivation)
    match expect(name, OID), read_all(parameters):
        case (oid, [salt, n, r, p, *_]) if oid == _SCRYPT:
            cost = Cost(read_number(n), read_number(r), read_number(p))
            if not cost.is_valid:
                raise Malformed()
            try:
                return cost.derive(passphrase, expect(salt, OCTET_STRING), length)
            except TooCostly:
                raise ValueError(_TOO_COSTLY) from None
        case (oid, [salt, rounds, *more]) if oid == _PBKDF2:
            if read_number(rounds) < 1:
                raise Malformed()
            if read_number(rounds) > _MOST_ROUNDS:
                raise ValueError(_TOO_COSTLY)
            hmac = _hmac(more)
            derive = PBKDF2HMAC(hmac(), length, expect(salt, OCTET_STRING), read_number(rounds)).derive
            return Secret(derive(passphrase.reveal()))
        case (oid, _) if oid in (_SCRYPT, _PBKDF2):
            raise Malformed()
        case _:
            raise UnknownCipher()


def _hmac(fields: list[Element]) -> type[hashes.HashAlgorithm]:
    """The hash of PBKDF2 from the optional fields after its rounds: a key length, and an algorithm (else SHA-1)."""
    if fields and fields[0].tag == INTEGER:
        fields = fields[1:]
    if not fields:
        return hashes.SHA1
    found = _HMACS.get(expect(_pair(fields[0])[0], OID))
    if found is None:
        raise UnknownCipher()
    return found


def _pair(element: Element) -> tuple[Element, Element]:
    match read_all(element):
        case [first, second]:
            return first, second
        case _:
            raise Malformed()
