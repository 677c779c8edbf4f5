"""Where keys rest: the operating system's keyring, and where there is none, encrypted files.

With WALLET_PASSPHRASE_FILE set only the files are used and the keyring is never touched, so a script does the same
everywhere. Otherwise a key is looked for among the files first: that needs neither a passphrase nor a keyring.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

from wallet.adapters.keys import Key
from wallet.adapters.passphrase import VARIABLE, Ask, PassphraseSource, ignore
from wallet.adapters.vault_file import FileVault
from wallet.adapters.vault_keyring import KeyringVault, system_keyring
from wallet.core.errors import VaultFault
from wallet.core.principal import Principal
from wallet.core.secret import Secret

_FOLDER = "keys"


def open_vault(
    data_folder: Path,
    environment: Mapping[str, str],
    ask: Ask | None = None,
    notify: Callable[[str], None] = ignore,
) -> "KeyVault":
    """The vault of a data folder. Asks nothing yet: a passphrase or a keyring is met when a key is."""
    named = environment.get(VARIABLE)
    return KeyVault(data_folder / _FOLDER, PassphraseSource(Path(named).expanduser() if named else None, ask, notify))


class KeyVault:
    """The services' `Vault`. Every method raises VaultFault with a sentence that says what to do."""

    def __init__(self, folder: Path, source: PassphraseSource) -> None:
        self._files = FileVault(folder, source)
        self._source = source

    @property
    def kind(self) -> str:
        """Where a new key would be kept: "keyring" or "file"."""
        return self._for_new().kind

    def put(self, principal: Principal, secret: Secret) -> None:
        """Keep the PKCS#8 DER of the key of `principal`; on return it lasts."""
        self._for_new().put(principal, secret)

    def get(self, principal: Principal) -> Key:
        key = self._home(principal).get(principal)
        if key.principal != principal:
            raise VaultFault(f"The key kept for {principal} is that of {key.principal}. Import the right one again.")
        return key

    def remove(self, principal: Principal) -> None:
        self._home(principal).remove(principal)

    def needs_passphrase(self, principal: Principal) -> bool:
        """Whether `get` would have to ask the person: an interface can ask first, and `unlock`."""
        return self._source.file is None and self._files.holds(principal) and not self._files.is_open()

    def unlock(self, passphrase: Secret) -> None:
        """Open the files with a passphrase that the person gave."""
        self._files.unlock(passphrase)

    @cached_property
    def _keyring(self) -> KeyringVault | None:
        if self._source.file is not None:
            return None
        backend = system_keyring(self._source.notify)
        return None if backend is None else KeyringVault(backend)

    def _for_new(self) -> FileVault | KeyringVault:
        return self._keyring or self._files

    def _home(self, principal: Principal) -> FileVault | KeyringVault:
        if self._files.holds(principal):
            return self._files
        if self._source.file is not None:
            raise VaultFault(
                f"The key of {principal} is not among the encrypted files, and {VARIABLE} keeps the keyring out."
                " Unset it, or import the key again."
            )
        if self._keyring is None:
            raise VaultFault(
                f"The key of {principal} is not among the encrypted files, and this session has no keyring."
                " Run the wallet where the key was made, or import the key again."
            )
        return self._keyring
