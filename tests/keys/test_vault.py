"""Where a key rests: the system's keyring, else encrypted files, and never anywhere that does not protect it."""

import base64
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import keyring
import pytest
from keyring import errors
from keyring.backend import KeyringBackend
from keyring.backends import SecretService, chainer, fail, null

from wallet.adapters.keys import Curve, Key
from wallet.adapters.vault import KeyVault, open_vault
from wallet.adapters.vault_keyring import KeyringVault, system_keyring
from wallet.core.errors import VaultFault
from wallet.core.secret import Secret
from wallet.ports import Vault

# The library's constructors carry no types.
NULL: Callable[[], KeyringBackend] = null.Keyring
SECRET_SERVICE: Callable[[], KeyringBackend] = SecretService.Keyring
KEY, OTHER = Key.generate(Curve.ED25519), Key.generate(Curve.SECP256K1)


class Memory(KeyringBackend):
    """A keyring that holds its entries until the test ends."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.entries: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.entries[service, username]


class Failing(Memory):
    """A keyring that raises."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def get_password(self, service: str, username: str) -> str | None:
        raise self.error

    set_password = get_password  # type: ignore[assignment]


@pytest.fixture
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyring, "get_keyring", fail.Keyring)


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> Memory:
    """A keyring that passes for the operating system's."""
    monkeypatch.setattr(Memory, "__module__", "keyring.backends.SecretService")
    memory = Memory()
    monkeypatch.setattr(keyring, "get_keyring", lambda: memory)
    return memory


def answer(prompt: str, confirm: bool) -> Secret:
    return Secret("pw")


def passphrase_file(folder: Path) -> dict[str, str]:
    path = folder / "passphrase"
    path.touch(mode=0o600)
    path.write_text("from the file\n")
    return {"WALLET_PASSPHRASE_FILE": str(path)}


def test_the_vault_is_the_services_vault(tmp_path: Path) -> None:
    vault: Vault = open_vault(tmp_path, {})
    assert isinstance(vault, KeyVault)


def test_a_key_goes_to_the_keyring_and_comes_back(tmp_path: Path, system: Memory) -> None:
    vault = open_vault(tmp_path, {})
    assert vault.kind == "keyring"
    vault.put(KEY.principal, KEY.pkcs8())
    assert system.entries == {("wallet", KEY.principal.text): base64.b64encode(KEY.pkcs8().reveal()).decode()}
    assert not vault.needs_passphrase(KEY.principal)
    assert open_vault(tmp_path / "another", {}).get(KEY.principal).sign(b"m") == KEY.sign(b"m")
    vault.remove(KEY.principal)
    vault.remove(KEY.principal)
    assert system.entries == {}
    with pytest.raises(VaultFault, match=r"no key of .* in the system's keyring"):
        vault.get(KEY.principal)
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("no_keyring")
def test_without_a_keyring_a_key_goes_to_an_encrypted_file(tmp_path: Path) -> None:
    vault = open_vault(tmp_path, {}, answer)
    assert vault.kind == "file"
    vault.put(KEY.principal, KEY.pkcs8())
    assert (tmp_path / "keys" / f"{KEY.principal}.key").exists()
    again = open_vault(tmp_path, {}, answer)
    assert again.needs_passphrase(KEY.principal)
    again.unlock(Secret("pw"))
    assert not again.needs_passphrase(KEY.principal)
    assert again.get(KEY.principal).principal == KEY.principal
    again.remove(KEY.principal)
    with pytest.raises(VaultFault, match="this session has no keyring"):
        again.get(KEY.principal)


def test_a_key_in_a_file_is_found_there_though_a_keyring_appeared(
    tmp_path: Path, system: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_vault(tmp_path, passphrase_file(tmp_path)).put(KEY.principal, KEY.pkcs8())
    vault = open_vault(tmp_path, {}, lambda prompt, confirm: Secret("from the file"))
    assert vault.kind == "keyring"
    assert vault.get(KEY.principal).principal == KEY.principal
    assert system.entries == {}


def test_with_a_passphrase_file_the_keyring_is_not_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def touched() -> KeyringBackend:
        raise AssertionError("touched")

    monkeypatch.setattr(keyring, "get_keyring", touched)
    vault = open_vault(tmp_path, passphrase_file(tmp_path))
    assert vault.kind == "file"
    vault.put(KEY.principal, KEY.pkcs8())
    again = open_vault(tmp_path, passphrase_file(tmp_path))
    assert not again.needs_passphrase(KEY.principal)
    assert again.get(KEY.principal).principal == KEY.principal
    for act in (again.get, again.remove):
        with pytest.raises(VaultFault, match="WALLET_PASSPHRASE_FILE keeps the keyring out"):
            act(OTHER.principal)


def test_the_keyring_library_is_not_imported_where_keys_rest_in_files() -> None:
    script = "import sys, wallet.adapters.vault; sys.exit('keyring' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], timeout=20, check=False).returncode == 0


def test_a_key_of_another_principal_is_never_handed_out(tmp_path: Path, system: Memory) -> None:
    vault = open_vault(tmp_path, {})
    vault.put(KEY.principal, OTHER.pkcs8())
    with pytest.raises(VaultFault, match=f"is that of {OTHER.principal}"):
        vault.get(KEY.principal)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (errors.KeyringLocked("hush"), "keyring is locked"),
        (errors.NoKeyringError("hush"), "does not answer"),
        (errors.InitError("hush"), "does not answer"),
        (errors.PasswordSetError("hush"), "refused to keep the key"),
        (errors.KeyringError("hush"), "failed (KeyringError)"),
        (OSError("hush"), "failed (OSError)"),
    ],
)
def test_each_way_a_keyring_fails_is_its_own_sentence_with_a_way_out(error: Exception, says: str) -> None:
    for act in (KeyringVault(Failing(error)).get, KeyringVault(Failing(error)).remove):
        with pytest.raises(VaultFault) as caught:
            act(KEY.principal)
        assert says in str(caught.value)
        assert "WALLET_PASSPHRASE_FILE" in str(caught.value)
        assert "hush" not in str(caught.value)
    with pytest.raises(VaultFault):
        KeyringVault(Failing(error)).put(KEY.principal, KEY.pkcs8())


def test_a_keyring_that_forgets_is_noticed_at_once() -> None:
    with pytest.raises(VaultFault, match="did not keep the key"):
        KeyringVault(NULL()).put(KEY.principal, KEY.pkcs8())


@pytest.mark.parametrize("entry", ["", "!", "aGVsbG8="])
def test_an_entry_that_is_no_key_is_told(entry: str) -> None:
    memory = Memory()
    memory.entries["wallet", KEY.principal.text] = entry
    with pytest.raises(VaultFault, match="is no key"):
        KeyringVault(memory).get(KEY.principal)


def test_a_keyring_that_does_not_protect_is_named_and_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    notices: list[str] = []
    for backend in (NULL(), Memory()):  # Memory stands for keyrings.alt's plain text files
        monkeypatch.setattr(keyring, "get_keyring", lambda backend=backend: backend)
        assert system_keyring(notices.append) is None
    assert len(notices) == 2
    assert "keyring.backends.null is not the operating system's" in notices[0]


def test_of_several_keyrings_the_systems_own_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    safe = SECRET_SERVICE()
    monkeypatch.setattr(chainer.ChainerBackend, "backends", [Memory(), NULL(), safe])
    monkeypatch.setattr(keyring, "get_keyring", chainer.ChainerBackend)
    assert system_keyring(print) is safe


def test_having_no_keyring_is_no_news(no_keyring: None) -> None:
    notices: list[str] = []
    assert system_keyring(notices.append) is None
    assert notices == []


@pytest.mark.parametrize("name", ["no.such.Keyring", "keyring.backends.null.Nothing"])
def test_a_configured_keyring_that_is_not_there_is_named(name: str) -> None:
    script = "from wallet.adapters.vault_keyring import system_keyring; assert system_keyring(print) is None"
    found = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHON_KEYRING_BACKEND": name},
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    assert found.stdout.startswith("The keyring that is configured cannot be used")
