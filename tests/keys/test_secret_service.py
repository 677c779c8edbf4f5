"""The vault against a real Secret Service: gnome-keyring on a session bus of its own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MISSING = [name for name in ("dbus-run-session", "gnome-keyring-daemon") if shutil.which(name) is None]

STEPS = """
import secretstorage, sys
from contextlib import closing
from pathlib import Path
from wallet.adapters.keys import Curve, Key
from wallet.adapters.vault import open_vault
from wallet.core.errors import VaultFault

def told(act, *arguments):
    try:
        act(*arguments)
    except VaultFault as fault:
        return str(fault)

folder = Path(sys.argv[1])
keys = [Key.generate(curve) for curve in Curve]
vault = open_vault(folder, {})
assert vault.kind == "keyring"
for key in keys:
    vault.put(key.principal, key.pkcs8())
    vault.put(key.principal, key.pkcs8())
for key in keys:
    assert open_vault(folder, {}).get(key.principal).sign(b"m") == key.sign(b"m")
vault.remove(keys[0].principal)
vault.remove(keys[0].principal)
assert "There is no key of" in told(vault.get, keys[0].principal)
assert vault.get(keys[1].principal).principal == keys[1].principal

with closing(secretstorage.dbus_init()) as bus:
    secretstorage.get_default_collection(bus).lock()
for act in (vault.get, vault.remove):
    assert "The system's keyring is locked." in told(act, keys[1].principal)
assert "The system's keyring is locked." in told(vault.put, keys[0].principal, keys[0].pkcs8())
assert not list(folder.iterdir())
print("done")
"""


@pytest.mark.real
@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)} (Debian: gnome-keyring, dbus)")
def test_a_real_secret_service_keeps_signs_removes_and_says_when_it_is_locked(tmp_path: Path) -> None:
    home, data = tmp_path / "home", tmp_path / "data"
    home.mkdir(mode=0o700)
    data.mkdir()
    # No display: a prompt to unlock cannot be shown, and counts as dismissed.
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "PYTHON_KEYRING_BACKEND")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"):
        environment[name] = str(home)
    unlock = "printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null"
    found = subprocess.run(
        [
            "dbus-run-session",
            "--",
            "sh",
            "-c",
            f'{unlock}; exec "$0" -W error -c "$1" "$2"',
            sys.executable,
            STEPS,
            data,
        ],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert found.stdout == "done\n", found.stderr
