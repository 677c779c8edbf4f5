"""Keys in encrypted files, one each: the vault of a machine without a keyring."""

import hashlib
import os
import struct
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from wallet.adapters.host import private_folder
from wallet.adapters.keys import Key
from wallet.adapters.passphrase import PassphraseSource
from wallet.adapters.pkcs8 import read_pkcs8
from wallet.adapters.private_file import sync_folder, write_private
from wallet.adapters.scrypt import Cost, TooCostly
from wallet.core.errors import StoreFault, VaultFault
from wallet.core.principal import Principal
from wallet.core.secret import Secret

# magic, version, log2 of scrypt's n, r, p, salt, nonce; then AES-256-GCM's ciphertext and tag; then SHA-256 of it all.
_HEADER = struct.Struct(">8sBBBB16s12s")
_MAGIC, _VERSION = b"WALLETK\n", 1
COST = Cost(2**15, 8, 3)  # 32 MiB, and a fifth of a second for each guess
_DIGEST_BYTES = 32
_MOST_BYTES = 4096
_PROMPT = "Passphrase of the wallet's keys"
_NEW_PROMPT = "New passphrase for the wallet's keys"


@dataclass(frozen=True, slots=True)
class _Lock:
    """What makes the files' key out of the passphrase."""

    cost: Cost
    salt: bytes

    def key(self, passphrase: Secret) -> Secret:
        try:
            return self.cost.derive(passphrase, self.salt)
        except TooCostly:
            raise VaultFault(
                "There is too little free memory to open the wallet's keys. Free some, and try again."
            ) from None


@dataclass(frozen=True, slots=True)
class _Sealed:
    """One key file that is whole by its checksum."""

    path: Path
    principal: Principal
    lock: _Lock
    header: bytes
    nonce: bytes
    ciphertext: bytes

    def open(self, key: Secret) -> Secret | None:
        """The PKCS#8 inside, or None where `key` does not fit."""
        try:
            return Secret(AESGCM(key.reveal()).decrypt(self.nonce, self.ciphertext, self.header + self.principal.raw))
        except InvalidTag:
            return None


class FileVault:
    """Key files in one folder under one passphrase, which is asked for at most once in a process."""

    kind = "file"

    def __init__(self, folder: Path, source: PassphraseSource, cost: Cost = COST) -> None:
        self._folder = folder
        self._source = source
        self._cost = cost
        self._opened: tuple[_Lock, Secret] | None = None

    def holds(self, principal: Principal) -> bool:
        """Whether the key of `principal` is here; needs no passphrase. Raises VaultFault."""
        try:
            return self._path(principal).exists()
        except OSError as error:
            raise VaultFault(f"The key folder {self._folder} cannot be read ({error.strerror}).") from None

    def is_open(self) -> bool:
        """Whether the passphrase was given."""
        return self._opened is not None

    def unlock(self, passphrase: Secret) -> None:
        """Take a passphrase that the front end asked for by itself. Raises VaultFault when it opens nothing."""
        sealed = self._any()
        if sealed is None:
            self._begin(passphrase)
        else:
            self._try(sealed, passphrase)

    def put(self, principal: Principal, secret: Secret) -> None:
        """Keep the PKCS#8 DER in `secret`; on return it is on the disk. Raises VaultFault."""
        try:
            private_folder(self._folder)
        except StoreFault as error:
            raise VaultFault(str(error)) from None
        lock, key = self._opened or self._opened_for_new()
        nonce = os.urandom(12)
        cost = lock.cost
        header = _HEADER.pack(_MAGIC, _VERSION, cost.n.bit_length() - 1, cost.r, cost.p, lock.salt, nonce)
        content = header + AESGCM(key.reveal()).encrypt(nonce, secret.reveal(), header + principal.raw)
        path = self._path(principal)
        try:
            write_private(path, Secret(content + hashlib.sha256(content).digest()), replace=True)
        except OSError as error:
            raise VaultFault(f"The key file {path} cannot be written ({error.strerror}); no key was kept.") from None

    def get(self, principal: Principal) -> Key:
        """Raises VaultFault: no such key, damaged, or a wrong passphrase."""
        sealed = self._read(principal)
        if self._opened is None or self._opened[0] != sealed.lock:
            secret = self._try(sealed, self._source.passphrase(_PROMPT))
        else:
            opened = sealed.open(self._opened[1])
            if opened is None:
                raise VaultFault(
                    f"{sealed.path} does not open with the passphrase of the other keys: it was changed or replaced."
                    " Put it back from a backup, or import the key again."
                )
            secret = opened
        try:
            return read_pkcs8(secret)
        except ValueError:
            raise VaultFault(f"{sealed.path} holds no key that this version reads. Import the key again.") from None

    def remove(self, principal: Principal) -> None:
        """Gone for good when this returns; a key that is not here is no error."""
        path = self._path(principal)
        try:
            path.unlink(missing_ok=True)
            if self._folder.exists():
                sync_folder(self._folder)
        except OSError as error:
            raise VaultFault(f"The key file {path} cannot be removed ({error.strerror}).") from None

    def _path(self, principal: Principal) -> Path:
        return self._folder / f"{principal}.key"

    def _read(self, principal: Principal) -> _Sealed:
        path = self._path(principal)
        try:
            with path.open("rb") as file:
                data = file.read(_MOST_BYTES + 1)
        except FileNotFoundError:
            raise VaultFault(f"There is no key of {principal} in {self._folder}. Import it again.") from None
        except OSError as error:
            raise VaultFault(f"The key file {path} cannot be read ({error.strerror}).") from None
        content, digest = data[:-_DIGEST_BYTES], data[-_DIGEST_BYTES:]
        if len(content) <= _HEADER.size or not content.startswith(_MAGIC) or hashlib.sha256(content).digest() != digest:
            raise VaultFault(
                f"The key file {path} is damaged; the passphrase does not matter. Put it back from a backup, or import"
                " the key again."
            )
        header, ciphertext = content[: _HEADER.size], content[_HEADER.size :]
        _, version, log2_n, r, p, salt, nonce = _HEADER.unpack(header)
        if version != _VERSION:
            raise VaultFault(f"The key file {path} was made by a newer version of the wallet. Use that version.")
        return _Sealed(path, principal, _Lock(Cost(2**log2_n, r, p), salt), header, nonce, ciphertext)

    def _try(self, sealed: _Sealed, passphrase: Secret) -> Secret:
        """What `sealed` holds; a passphrase that opens it is remembered, as the key made of it."""
        key = sealed.lock.key(passphrase)
        secret = sealed.open(key)
        if secret is None:
            raise VaultFault(self._source.wrong())
        self._opened = (sealed.lock, key)
        return secret

    def _begin(self, passphrase: Secret) -> tuple[_Lock, Secret]:
        lock = _Lock(self._cost, os.urandom(16))
        self._opened = (lock, lock.key(passphrase))
        return self._opened

    def _opened_for_new(self) -> tuple[_Lock, Secret]:
        """A second key goes under the passphrase of the first, which must therefore open it."""
        sealed = self._any()
        if sealed is None:
            return self._begin(self._source.passphrase(_NEW_PROMPT, confirm=True))
        self._try(sealed, self._source.passphrase(_PROMPT))
        assert self._opened is not None
        return self._opened

    def _any(self) -> _Sealed | None:
        """One of the key files that are whole."""
        for path in sorted(self._folder.glob("*.key")):
            try:
                return self._read(Principal.from_text(path.stem))
            except (ValueError, VaultFault):
                continue  # not ours, or damaged: said when that very key is asked for
        return None
