"""No traceback, even one with every local variable, and no log shows a key or a passphrase."""

import base64
import io
import logging
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console
from rich.traceback import Traceback

from tests.keys.test_key_files import ed25519_v2, pem, sec1
from tests.keys.test_vault import Failing, Memory
from wallet.adapters.keys import Curve, Key
from wallet.adapters.passphrase import PassphraseSource
from wallet.adapters.pem import read_key, read_key_file, write_key, write_key_file
from wallet.adapters.scrypt import Cost
from wallet.adapters.vault_file import FileVault
from wallet.adapters.vault_keyring import KeyringVault
from wallet.core.errors import WalletError
from wallet.core.secret import Secret

SCALAR = bytes(range(65, 97))  # readable, so that a repr of the bytes shows it: ABCDEF...
PASSPHRASE = "tell-nobody-this"
KEYS = {curve: Key.from_scalar(curve, Secret(SCALAR)) for curve in Curve}


def traces(secret: bytes) -> set[str]:
    """How the key might look in a text."""
    forms = {secret.decode("latin-1"), repr(secret)[2:-1], secret.hex(), str(int.from_bytes(secret, "big"))}
    # Any three bytes in a row of base 64, at each of the three offsets, without the ends that mix with neighbours.
    encoded = [base64.b64encode(secret[offset:]).decode()[:16] for offset in range(3)]
    return forms | set(encoded)


def shown_by(act: Callable[[], object], caplog: pytest.LogCaptureFixture) -> str:
    """Everything a person could come to see when `act` fails, locals included as Textual prints them."""
    caplog.set_level(logging.DEBUG)
    try:
        act()
    except WalletError as error:
        console = Console(file=io.StringIO(), width=4000, color_system=None)
        shown = Traceback.from_exception(
            type(error), error, error.__traceback__, show_locals=True, locals_max_string=9999, locals_max_length=999
        )
        console.print(shown)
        assert isinstance(console.file, io.StringIO)
        # The frames of this test hold the key openly; only what follows them is the wallet's.
        text = console.file.getvalue().split("test_nothing_leaks.py")[-1].split("/wallet/", 1)
        assert len(text) == 2, "the failure came from the wallet"
        return text[1] + "".join(traceback.format_exception(error)) + str(error.args) + caplog.text
    raise AssertionError("it did not fail")


def wrong() -> Secret:
    return Secret(PASSPHRASE + "!")


def damaged(curve: Curve) -> str:
    """A key file whose public key belongs to another."""
    key, other = KEYS[curve], Key.generate(curve)
    if curve is Curve.ED25519:
        return pem("PRIVATE KEY", ed25519_v2(key, other.public_key_der[-32:]))
    return pem("EC PRIVATE KEY", sec1(key, point=other.public_key_der[-65:]))


def vault(folder: Path, passphrase: str) -> FileVault:
    return FileVault(folder, PassphraseSource(ask=lambda prompt, confirm: Secret(passphrase)), Cost(2, 1, 1))


@pytest.mark.parametrize("curve", Curve)
def test_failures_show_neither_key_nor_passphrase(
    curve: Curve, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    key = KEYS[curve]
    file = tmp_path / "key.pem"
    write_key_file(file, key, None)
    bad = tmp_path / "bad.pem"
    bad.write_text(damaged(curve))
    cut = tmp_path / "cut.pem"
    cut.write_bytes(file.read_bytes().replace(b"-----END", b"--END"))
    encrypted = write_key(key, Secret(PASSPHRASE))
    vault(tmp_path / "keys", PASSPHRASE).put(key.principal, key.pkcs8())
    (tmp_path / "not-a-folder").touch()
    failing = KeyringVault(Failing(RuntimeError(f"{SCALAR!r} {PASSPHRASE}")))
    changed = Memory()
    changed.entries["wallet", key.principal.text] = base64.b64encode(key.pkcs8().reveal()[:-1]).decode()
    failures: list[Callable[[], object]] = [
        lambda: read_key_file(bad),
        lambda: read_key_file(cut),
        lambda: read_key(encrypted, wrong),
        lambda: write_key_file(file, key, None),
        lambda: write_key_file(file, key, Secret(PASSPHRASE)),
        lambda: vault(tmp_path / "keys", PASSPHRASE + "!").get(key.principal),
        lambda: vault(tmp_path / "not-a-folder", PASSPHRASE).put(key.principal, key.pkcs8()),
        lambda: failing.put(key.principal, key.pkcs8()),
        lambda: failing.get(key.principal),
        lambda: KeyringVault(changed).get(key.principal),
    ]
    for failure in failures:
        text = shown_by(failure, caplog)
        for trace in traces(SCALAR) | {PASSPHRASE}:
            assert trace not in text


def test_the_search_would_find_a_key() -> None:
    for text in (f"{SCALAR!r}", KEYS[Curve.ED25519].pkcs8().reveal().decode("latin-1"), SCALAR.hex()):
        assert any(trace in text for trace in traces(SCALAR))
    for curve in Curve:
        assert any(trace in KEYS[curve].plain_pem().reveal().decode().replace("\n", "") for trace in traces(SCALAR))
