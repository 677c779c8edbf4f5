"""Encrypted key files: what is put comes back, under one passphrase, and damage is told from a wrong one."""

import hashlib
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wallet.adapters import vault_file
from wallet.adapters.keys import Curve, Key
from wallet.adapters.passphrase import PassphraseSource, read_passphrase_file
from wallet.adapters.scrypt import Cost
from wallet.adapters.vault_file import FileVault
from wallet.core.errors import VaultFault
from wallet.core.secret import Secret

CHEAP = Cost(2, 1, 1)
KEYS = {curve: Key.generate(curve) for curve in Curve}
KEY, OTHER = KEYS[Curve.P256], KEYS[Curve.ED25519]


class Person:
    """Answers from a list, and remembers what was asked."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked: list[bool] = []

    def __call__(self, prompt: str, confirm: bool) -> Secret:
        self.asked.append(confirm)
        return Secret(self.answers.pop(0))


def vault(folder: Path, *answers: str) -> FileVault:
    return FileVault(folder / "keys", PassphraseSource(ask=Person(*answers)), CHEAP)


def put(folder: Path, passphrase: str = "pw", key: Key = KEY) -> Path:
    vault(folder, passphrase).put(key.principal, key.pkcs8())
    return folder / "keys" / f"{key.principal}.key"


@pytest.mark.parametrize("curve", Curve)
def test_a_key_comes_back_in_another_process_life(tmp_path: Path, curve: Curve) -> None:
    key = KEYS[curve]
    put(tmp_path, key=key)
    again = vault(tmp_path, "pw").get(key.principal)
    assert again.principal == key.principal
    assert again.sign(b"m") == key.sign(b"m")


@given(st.text(min_size=1, alphabet=st.characters(exclude_categories=["Cs"])), st.sampled_from(list(Curve)))
@settings(max_examples=30)
def test_any_passphrase_opens_what_it_closed(
    tmp_path_factory: pytest.TempPathFactory, passphrase: str, curve: Curve
) -> None:
    folder = tmp_path_factory.mktemp("vault")
    put(folder, passphrase, KEYS[curve])
    assert vault(folder, passphrase).get(KEYS[curve].principal).principal == KEYS[curve].principal
    with pytest.raises(VaultFault, match="passphrase is wrong"):
        vault(folder, passphrase + "x").get(KEYS[curve].principal)


def test_the_passphrase_is_asked_for_once_and_confirmed_only_when_new(tmp_path: Path) -> None:
    person = Person("pw")
    first = FileVault(tmp_path / "keys", PassphraseSource(ask=person), CHEAP)
    for key in KEYS.values():
        first.put(key.principal, key.pkcs8())
        assert first.get(key.principal).principal == key.principal
    assert person.asked == [True]
    person = Person("pw")
    second = FileVault(tmp_path / "keys", PassphraseSource(ask=person), CHEAP)
    for key in KEYS.values():
        assert second.get(key.principal).principal == key.principal
    assert person.asked == [False]


def test_a_second_key_goes_under_the_passphrase_of_the_first(tmp_path: Path) -> None:
    put(tmp_path)
    with pytest.raises(VaultFault, match="passphrase is wrong"):
        vault(tmp_path, "another").put(OTHER.principal, OTHER.pkcs8())
    vault(tmp_path, "pw").put(OTHER.principal, OTHER.pkcs8())
    opened = vault(tmp_path, "pw")
    assert {opened.get(key.principal).principal for key in (KEY, OTHER)} == {KEY.principal, OTHER.principal}


def test_a_wrong_passphrase_is_not_remembered(tmp_path: Path) -> None:
    put(tmp_path)
    again = vault(tmp_path, "wrong", "pw")
    with pytest.raises(VaultFault, match=r"The passphrase is wrong\. Try again\."):
        again.get(KEY.principal)
    assert not again.is_open()
    assert again.get(KEY.principal).principal == KEY.principal


def test_an_interface_may_give_the_passphrase_by_itself(tmp_path: Path) -> None:
    put(tmp_path)
    again = vault(tmp_path)
    with pytest.raises(VaultFault, match="wrong"):
        again.unlock(Secret("wrong"))
    again.unlock(Secret("pw"))
    assert again.get(KEY.principal).principal == KEY.principal
    fresh = vault(tmp_path / "fresh")
    fresh.unlock(Secret("new"))
    fresh.put(KEY.principal, KEY.pkcs8())
    assert vault(tmp_path / "fresh", "new").get(KEY.principal).principal == KEY.principal


def test_a_removed_key_is_gone_and_removing_it_again_is_no_error(tmp_path: Path) -> None:
    put(tmp_path)
    opened = vault(tmp_path, "pw")
    assert opened.holds(KEY.principal)
    opened.remove(KEY.principal)
    opened.remove(KEY.principal)
    assert not opened.holds(KEY.principal)
    with pytest.raises(VaultFault, match="There is no key of"):
        opened.get(KEY.principal)
    vault(tmp_path / "never made").remove(KEY.principal)


@given(data=st.data())
@settings(max_examples=200)
def test_any_damage_is_told_before_the_passphrase_is_asked_for(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("vault")
    path = put(folder)
    whole = path.read_bytes()
    position = data.draw(st.integers(0, len(whole) - 1))
    damaged = data.draw(
        st.one_of(
            st.integers(1, 255).map(
                lambda bits: whole[:position] + bytes([whole[position] ^ bits]) + whole[position + 1 :]
            ),
            st.just(whole[:position]),
            st.binary(min_size=1, max_size=9).map(lambda more: whole + more),
            st.just(bytes(1 << 16)),
        )
    )
    path.write_bytes(damaged)
    with pytest.raises(VaultFault, match="is damaged"):
        vault(folder).get(KEY.principal)
    shutil.rmtree(folder)


@given(position=st.integers(0, 40 + 16 + 137), bits=st.integers(1, 255))
@settings(max_examples=150)
def test_a_change_that_keeps_the_checksum_right_never_yields_a_key(
    tmp_path_factory: pytest.TempPathFactory, position: int, bits: int
) -> None:
    folder = tmp_path_factory.mktemp("vault")
    path = put(folder)
    content = bytearray(path.read_bytes()[:-32])
    position %= len(content)
    is_cost = position in (9, 10, 11)
    content[position] ^= bits % 3 + 1 if is_cost else bits  # a cost that a test can pay
    path.write_bytes(bytes(content) + hashlib.sha256(content).digest())
    with pytest.raises(VaultFault):
        vault(folder, "pw").get(KEY.principal)
    shutil.rmtree(folder)


def test_a_file_under_anothers_name_does_not_open(tmp_path: Path) -> None:
    path = put(tmp_path)
    opened = vault(tmp_path, "pw")
    opened.get(KEY.principal)
    path.rename(path.with_name(f"{OTHER.principal}.key"))
    with pytest.raises(VaultFault, match="was changed or replaced"):
        opened.get(OTHER.principal)


def test_a_newer_file_is_named_as_one(tmp_path: Path) -> None:
    path = put(tmp_path)
    content = path.read_bytes()[:8] + b"\x02" + path.read_bytes()[9:-32]
    path.write_bytes(content + hashlib.sha256(content).digest())
    with pytest.raises(VaultFault, match="newer version"):
        vault(tmp_path, "pw").get(KEY.principal)


def test_a_damaged_neighbour_does_not_keep_new_keys_out(tmp_path: Path) -> None:
    put(tmp_path).write_bytes(b"damaged")
    (tmp_path / "keys" / "not a principal.key").touch()
    vault(tmp_path, "pw").put(OTHER.principal, OTHER.pkcs8())
    assert vault(tmp_path, "pw").get(OTHER.principal).principal == OTHER.principal


@pytest.mark.skipif(os.name != "posix", reason="Windows has no file modes")
def test_files_are_their_owners_alone_in_a_folder_of_the_same_kind(tmp_path: Path) -> None:
    path = put(tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_neither_key_nor_passphrase_is_in_the_file(tmp_path: Path) -> None:
    data = put(tmp_path, "correct horse").read_bytes()
    assert b"correct horse" not in data
    assert KEY.pkcs8().reveal()[36:68] not in data


def test_a_folder_that_is_a_file_stops_the_vault_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "keys").touch()
    with pytest.raises(VaultFault, match="not a folder"):
        vault(tmp_path, "pw").put(KEY.principal, KEY.pkcs8())


def test_a_full_disk_keeps_no_key_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(VaultFault, match=r"No space left on device\); no key was kept"):
        vault(tmp_path, "pw").put(KEY.principal, KEY.pkcs8())
    monkeypatch.undo()
    assert list((tmp_path / "keys").iterdir()) == []


def test_guessing_costs_what_it_should() -> None:
    cost = vault_file.COST
    assert (cost.n * cost.r * 128, cost.p) == (32 << 20, 3)


@pytest.mark.parametrize(
    ("content", "passphrase"),
    [
        (b"pw", b"pw"),
        (b"pw\n", b"pw"),
        (b"pw\r\n", b"pw"),
        (b"pw\n\n", b"pw\n"),
        (b"pw\r", b"pw\r"),
        (b" pw \n", b" pw "),
        (b"\xff\n", b"\xff"),
        (b"a\nb\n", b"a\nb"),
    ],
)
def test_one_line_break_is_no_part_of_the_passphrase(tmp_path: Path, content: bytes, passphrase: bytes) -> None:
    file = tmp_path / "passphrase"
    file.write_bytes(content)
    assert read_passphrase_file(file) == Secret(passphrase)


@pytest.mark.parametrize(
    ("prepare", "says"),
    [
        (lambda file: file.write_bytes(b"\n"), "is empty"),
        (lambda file: file.write_bytes(b""), "is empty"),
        (lambda file: file.write_bytes(bytes(5000)), "too long"),
        (lambda file: file.mkdir(), "cannot be read"),
        (lambda file: None, "cannot be read"),
    ],
)
def test_a_useless_passphrase_file_is_named(tmp_path: Path, prepare: Callable[[Path], object], says: str) -> None:
    prepare(tmp_path / "passphrase")
    with pytest.raises(VaultFault, match=says) as caught:
        read_passphrase_file(tmp_path / "passphrase")
    assert str(tmp_path / "passphrase") in str(caught.value)


@pytest.mark.skipif(os.name != "posix", reason="Windows has no file modes")
def test_a_passphrase_file_that_others_can_read_is_used_with_a_notice(tmp_path: Path) -> None:
    file = tmp_path / "passphrase"
    file.write_text("pw\n")
    notices: list[str] = []
    for mode, count in ((0o600, 0), (0o640, 1), (0o604, 2)):
        file.chmod(mode)
        assert read_passphrase_file(file, notices.append) == Secret("pw")
        assert len(notices) == count
    assert f"chmod 600 {file}" in notices[0]


def test_without_a_passphrase_the_sentence_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(VaultFault, match="WALLET_PASSPHRASE_FILE"):
        FileVault(tmp_path / "keys", PassphraseSource(), CHEAP).put(KEY.principal, KEY.pkcs8())
    with pytest.raises(VaultFault, match="empty passphrase"):
        vault(tmp_path, "").put(KEY.principal, KEY.pkcs8())
    put(tmp_path)
    (tmp_path / "passphrase").write_text("wrong")
    with pytest.raises(VaultFault, match="does not open the wallet's keys"):
        FileVault(tmp_path / "keys", PassphraseSource(file=tmp_path / "passphrase"), CHEAP).get(KEY.principal)
