"""Keys in the operating system's keyring: Secret Service, KWallet, the macOS keychain, Windows' credentials."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from wallet.adapters.keys import Key
from wallet.adapters.passphrase import VARIABLE
from wallet.adapters.pkcs8 import read_pkcs8
from wallet.core.errors import VaultFault
from wallet.core.principal import Principal
from wallet.core.secret import Secret

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

_Result = TypeVar("_Result")

_SERVICE = "wallet"
# Only what the operating systems bring. Others (`null`, keyrings.alt's plain text files) may keep a key unprotected, or
# not at all, and would be taken without a word.
_SYSTEM_BACKENDS = (
    "keyring.backends.SecretService",
    "keyring.backends.libsecret",
    "keyring.backends.kwallet",
    "keyring.backends.macOS",
    "keyring.backends.Windows",
)
_OTHERWISE = f"or name a passphrase file in {VARIABLE} to keep keys in an encrypted file."


def system_keyring(notify: Callable[[str], None]) -> KeyringBackend | None:
    """The keyring of the operating system, or None where there is none that protects what it holds."""
    import keyring  # late: a tenth of a second, and not needed where keys rest in files
    from keyring.backends import chainer, fail

    try:
        chosen = keyring.get_keyring()
    except (ImportError, AttributeError, ValueError, RuntimeError) as error:
        # PYTHON_KEYRING_BACKEND or keyringrc.cfg names one that is not there, or whose daemon is not.
        notify(f"The keyring that is configured cannot be used ({type(error).__name__}): keys go to an encrypted file.")
        return None
    # The chainer asks several in turn, unsafe ones among them: take the first that is the system's.
    candidates: list[KeyringBackend] = chosen.backends if isinstance(chosen, chainer.ChainerBackend) else [chosen]
    for backend in candidates:
        if type(backend).__module__.startswith(_SYSTEM_BACKENDS):
            return backend
    if not isinstance(chosen, fail.Keyring):
        notify(f"The keyring {type(chosen).__module__} is not the operating system's: keys go to an encrypted file.")
    return None


class KeyringVault:
    """One entry per principal under the service `wallet`: the PKCS#8 DER in base 64."""

    kind = "keyring"

    def __init__(self, backend: KeyringBackend) -> None:
        self._backend = backend

    def put(self, principal: Principal, secret: Secret) -> None:
        """Keep the PKCS#8 DER in `secret`. Raises VaultFault."""
        entry = Secret(base64.b64encode(secret.reveal()))
        _sentenced(lambda: self._backend.set_password(_SERVICE, principal.text, entry.reveal().decode("ascii")))
        if self._entry(principal) != entry:
            raise VaultFault(f"The system's keyring did not keep the key. Look into it, {_OTHERWISE}")

    def get(self, principal: Principal) -> Key:
        """Raises VaultFault: no such key, locked, damaged."""
        entry = self._entry(principal)
        if entry is None:
            raise VaultFault(f"There is no key of {principal} in the system's keyring. Import it again.")
        try:
            return read_pkcs8(Secret(base64.b64decode(entry.reveal(), validate=True)))
        except ValueError:
            raise VaultFault(
                f"What the system's keyring holds for {principal} is no key: it was changed. Import the key again."
            ) from None

    def remove(self, principal: Principal) -> None:
        """A key that is not here is no error. Raises VaultFault."""
        if self._entry(principal) is not None:
            _sentenced(lambda: self._backend.delete_password(_SERVICE, principal.text))

    def _entry(self, principal: Principal) -> Secret | None:
        def read() -> Secret | None:
            found = self._backend.get_password(_SERVICE, principal.text)
            return None if found is None else Secret(found)

        return _sentenced(read)


def _sentenced(action: Callable[[], _Result]) -> _Result:
    """Run `action` on the keyring; a failure becomes a sentence without its origin, whose frames hold keys."""
    from keyring import errors

    try:
        return action()
    except errors.KeyringLocked:
        why = f"The system's keyring is locked. Unlock it and try again, {_OTHERWISE}"
    except (errors.NoKeyringError, errors.InitError):
        why = f"The system's keyring does not answer. Start it and try again, {_OTHERWISE}"
    except errors.PasswordSetError:
        why = f"The system's keyring refused to keep the key. Allow it and try again, {_OTHERWISE}"
    except Exception as error:  # foreign code behind a system service: what it may raise is an open set
        why = f"The system's keyring failed ({type(error).__name__}). Look into it, {_OTHERWISE}"
    raise VaultFault(why)
