"""Keys go out encrypted unless asked otherwise, for their owner's eyes, and never over another file."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from wallet.adapters.keys import Curve, Key
from wallet.adapters.pem import read_key, read_key_file, write_key, write_key_file
from wallet.adapters.private_file import write_private
from wallet.core.errors import BadInput
from wallet.core.secret import Secret

PASSPHRASE = Secret("correct horse")
KEYS = {curve: Key.generate(curve) for curve in Curve}
OPENSSL = shutil.which("openssl")
on_posix = pytest.mark.skipif(os.name != "posix", reason="Windows has no file modes")


@pytest.mark.parametrize("curve", Curve)
def test_an_exported_key_comes_back(curve: Curve) -> None:
    for passphrase in (None, PASSPHRASE):
        text = write_key(KEYS[curve], passphrase)
        assert read_key(text, lambda: PASSPHRASE).principal == KEYS[curve].principal


@pytest.mark.parametrize("curve", Curve)
def test_other_programs_read_an_encrypted_export(curve: Curve) -> None:
    text = write_key(KEYS[curve], PASSPHRASE).reveal()
    assert text.startswith(b"-----BEGIN ENCRYPTED PRIVATE KEY-----\n")
    assert max(map(len, text.splitlines())) == 64
    load_pem_private_key(text, PASSPHRASE.reveal())
    with pytest.raises(ValueError, match="password"):
        load_pem_private_key(text, b"incorrect")


@pytest.mark.real
@pytest.mark.skipif(OPENSSL is None, reason="the program `openssl` is not installed")
@pytest.mark.parametrize("curve", Curve)
def test_openssl_reads_both_exports(curve: Curve) -> None:
    assert OPENSSL is not None
    for passphrase in (None, PASSPHRASE):
        text = write_key(KEYS[curve], passphrase).reveal()
        command = [OPENSSL, "pkey", "-passin", "pass:correct horse", "-pubout", "-outform", "DER"]
        found = subprocess.run(command, input=text, capture_output=True, check=True, timeout=20)
        assert found.stdout == KEYS[curve].public_key_der


@pytest.mark.parametrize(
    ("curve", "label"),
    [(Curve.ED25519, "PRIVATE KEY"), (Curve.SECP256K1, "EC PRIVATE KEY"), (Curve.P256, "EC PRIVATE KEY")],
)
def test_a_plain_export_has_the_form_that_dfx_imports(curve: Curve, label: str) -> None:
    assert write_key(KEYS[curve], None).reveal().startswith(f"-----BEGIN {label}-----\n".encode())


def test_an_empty_passphrase_is_refused() -> None:
    with pytest.raises(BadInput, match="protects nothing") as caught:
        write_key(KEYS[Curve.P256], Secret(""))
    assert caught.value.field == "passphrase"


@on_posix
def test_a_key_file_is_its_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        write_key_file(tmp_path / "key.pem", KEYS[Curve.P256], None)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "key.pem").stat().st_mode) == 0o600


def test_a_file_that_exists_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_text("precious")
    with pytest.raises(BadInput, match="left as it is") as caught:
        write_key_file(path, KEYS[Curve.P256], None)
    assert caught.value.field == "output"
    assert path.read_text() == "precious"
    write_key_file(path, KEYS[Curve.P256], None, replace=True)
    assert read_key_file(path).principal == KEYS[Curve.P256].principal
    assert [each.name for each in tmp_path.iterdir()] == ["key.pem"]


@on_posix
def test_a_link_is_not_followed_to_a_file_of_another(tmp_path: Path) -> None:
    (tmp_path / "key.pem").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadInput, match="exists"):
        write_key_file(tmp_path / "key.pem", KEYS[Curve.P256], None)
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be written"):
        write_key_file(tmp_path / "none" / "key.pem", KEYS[Curve.P256], None)


@pytest.mark.parametrize("replace", [True, False])
def test_a_write_that_fails_leaves_nothing_behind(
    tmp_path: Path, replace: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_private(tmp_path / "key", Secret("hush"), replace=replace)
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


def test_a_failed_replacement_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "key"
    write_private(path, Secret("old"), replace=False)

    def fail(source: object, target: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="Input/output"):
        write_private(path, Secret("new"), replace=True)
    monkeypatch.undo()
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("key", b"old")]
