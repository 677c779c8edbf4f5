"""The services' `KeyFiles`: keys made, read from PEM files and written to them."""

from collections.abc import Callable, Mapping
from pathlib import Path

from wallet.adapters.keys import Curve, Key
from wallet.adapters.passphrase import VARIABLE, Ask, PassphraseSource, ignore
from wallet.adapters.pem import read_key_file, write_key_file
from wallet.core.errors import BadInput
from wallet.core.secret import Secret
from wallet.ports import Key as KeyInHand


class PemFiles:
    """Passphrases come from the person; where there is none, from the file that WALLET_PASSPHRASE_FILE names."""

    def __init__(self, environment: Mapping[str, str], ask: Ask | None, notify: Callable[[str], None] = ignore) -> None:
        named = environment.get(VARIABLE)
        self._ask = ask
        self._source = PassphraseSource(Path(named).expanduser() if named else None, ask, notify)

    def generate(self, curve: str) -> Key:
        """Raises BadInput for a curve that is none of ours."""
        try:
            return Key.generate(Curve(curve))
        except ValueError:
            raise BadInput("curve", f"there is no curve {curve!r}; there are: {', '.join(Curve)}") from None

    def read(self, path: Path) -> Key:
        def from_source(prompt: str, confirm: bool) -> Secret:
            return self._source.passphrase(prompt, confirm)

        # A key file brings its own passphrase, which the person knows; the file of the wallet's own is for scripts.
        ask = self._ask or (from_source if self._source.file is not None else None)
        return read_key_file(path, ask)

    def write(self, path: Path, key: KeyInHand, *, plain: bool, replace: bool) -> None:
        if not isinstance(key, Key):
            raise TypeError("only the wallet's own keys are written")
        passphrase = None if plain else self._source.passphrase(f"New passphrase for {path.name}", confirm=True)
        write_key_file(path, key, passphrase, replace=replace)
