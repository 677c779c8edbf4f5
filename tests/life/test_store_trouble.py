"""A store that cannot be used stops the program with a sentence, before anything is sent and without a loss (R32)."""

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import PROGRAM, Ran
from tests.life.lab import Lab
from tests.services.conftest import Wallet as Services
from wallet.adapters.store.database import FILE_NAME
from wallet.cli.exits import Exit
from wallet.core.intent import Intent, State

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes, limits and signals of POSIX")

FRAME = 4096 + 24
"""A page in SQLite's write-ahead log; the log begins with 32 bytes."""


@pytest.fixture
def own(lab: Lab, tmp_path: Path) -> Lab:
    """The same person on a store of their own."""
    return replace(lab, wallet=lab.wallet.copy_to(tmp_path / "data"))


def confirming(intent: Intent) -> tuple[str, ...]:
    return ("confirm", intent.id, "--digest", intent.digest, "--json")


def preparing(lab: Lab) -> tuple[str, ...]:
    return ("prepare", "--ledger", "TOK", "--to", lab.payee.text, "--amount", "7.5", "--json")


def refused(ran: Ran, *words: str) -> None:
    """Exit 7, and sentences: no traceback, no blank excuse."""
    check_sentences(ran, ran.document["error"]["message"], *words)


def cut_off(ran: Ran, *words: str) -> Any:
    """Exit 7 once something was sent: the intent, which does not claim that nothing moved, and the way on."""
    document = ran.document
    said, last = ran.err.splitlines()[-2:]
    check_sentences(ran, said, document["id"], *words)
    assert document["attempts"]
    if document["settled"]:
        assert (document["moved"], document["next"]) == (True, None)
    else:
        assert (document["moved"], document["next"]) == (None, last)
        assert last == f"wallet resume {document['id']}"
    return document


def check_sentences(ran: Ran, said: str, *words: str) -> None:
    assert ran.code == Exit.STORE, ran
    assert said.endswith(".")
    assert len(said) > 40
    assert "Traceback" not in ran.err
    for word in words:
        assert word in said


# --- kinds of trouble, each undone when its block ends --------------------------------------------------------------

Trouble = Callable[[Path], "Iterator[None]"]


def read_only_folder(folder: Path) -> Iterator[None]:
    folder.chmod(0o500)
    yield
    folder.chmod(0o700)


def read_only_file(folder: Path) -> Iterator[None]:
    (folder / FILE_NAME).chmod(0o400)
    yield
    (folder / FILE_NAME).chmod(0o600)


def locked(folder: Path) -> Iterator[None]:
    with closing(sqlite3.connect(folder / FILE_NAME, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def newer(folder: Path) -> Iterator[None]:
    with closing(sqlite3.connect(folder / FILE_NAME, isolation_level=None)) as other:
        (version,) = other.execute("PRAGMA user_version").fetchone()
        other.execute("PRAGMA user_version = 99")
        yield
        other.execute(f"PRAGMA user_version = {version}")


def overwritten(at: float, count: int = 4096) -> Trouble:
    """Damage at a part of the file, its backup put back in the end."""

    def damage(folder: Path) -> Iterator[None]:
        path = folder / FILE_NAME
        whole = path.read_bytes()
        begin = int(len(whole) * at) // 4096 * 4096
        path.write_bytes(whole[:begin] + b"\xa5" * count + whole[begin + count :])
        yield
        for left in folder.glob(f"{FILE_NAME}-*"):
            left.unlink()
        path.write_bytes(whole)

    return damage


def cut_short(folder: Path) -> Iterator[None]:
    path = folder / FILE_NAME
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    yield
    for left in folder.glob(f"{FILE_NAME}-*"):
        left.unlink()
    path.write_bytes(whole)


TROUBLES: dict[str, tuple[Trouble, str]] = {
    "read-only folder": (read_only_folder, "writ"),
    "read-only file": (read_only_file, "read-only"),
    "locked": (locked, "locked"),
    "newer": (newer, "newer version"),
    "another file": (overwritten(0.0), "not a store"),
    "cut short": (cut_short, "damaged"),
}


@pytest.mark.parametrize("name", TROUBLES)
def test_a_store_in_trouble_stops_prepare_confirm_and_resume_and_loses_nothing(own: Lab, name: str) -> None:
    trouble, word = TROUBLES[name]
    prepared, unknown = own.prepared(), own.unknown("lose_request")
    before = own.devnet.blocks()
    with contextmanager(trouble)(own.wallet.folder):
        # All at once: each waits out the same lock.
        commands = (preparing(own), confirming(prepared), ("resume", unknown.id, "--json"), ("intents", "--json"))
        processes = [own.wallet.start(*words) for words in commands]
        for process in processes:
            out, err = process.communicate(timeout=60)
            if process.args[3] == "intents" and process.returncode == Exit.DONE:  # type: ignore[index]
                assert name == "locked"  # looking needs no lock
                continue
            refused(Ran(process.returncode, out, err), word)
    assert own.devnet.blocks() == before
    assert own.intent(prepared.id) == prepared
    assert own.intent(unknown.id) == unknown
    for each in (prepared, unknown):
        own.settle(each.id)
        own.check_end(each.id)


@pytest.mark.parametrize("at", [0.15, 0.3, 0.5, 0.7, 0.9])
def test_damage_anywhere_is_never_a_second_payment(own: Lab, at: float) -> None:
    """A page that no command reads stops none; whatever is read and is damaged stops it (exit 7)."""
    intent = own.prepared()
    before = len(own.devnet.blocks())
    with contextmanager(overwritten(at))(own.wallet.folder):
        ran = own.wallet.run(*confirming(intent))
        assert ran.code in (Exit.STORE, Exit.DONE), ran
        if ran.code == Exit.STORE:
            refused(ran)
    assert len(own.devnet.blocks()) - before in ((0,) if ran.code == Exit.STORE else (1,))
    # The backup that was put back knows nothing of what was done meanwhile: the ledger does (R20).
    own.settle(intent.id)
    assert len(own.blocks()[intent.bytes_sha256]) == 1


def test_a_text_that_is_none_any_more_is_damage_and_no_defect(own: Lab) -> None:
    intent = own.prepared()
    before = own.devnet.blocks()
    path, payee = own.wallet.folder / FILE_NAME, own.payee.text.encode()
    path.write_bytes(path.read_bytes().replace(payee, b"\xa5" * len(payee)))
    for words in (confirming(intent), ("show", intent.id, "--json"), ("intents", "--json")):
        refused(own.wallet.run(*words), "damaged")
    assert own.devnet.blocks() == before


# --- a disk that fills up -------------------------------------------------------------------------------------------


def run_with_room(lab: Lab, room: int, *words: str) -> Ran:
    """The program on a disk that takes no file beyond so many bytes."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    ran = subprocess.run(
        (*PROGRAM, *words), env=lab.wallet.environment, preexec_fn=limit, capture_output=True, text=True, timeout=60
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr)


@contextmanager
def watched_over(folder: Path) -> Iterator[Path]:
    """The write-ahead log, which nobody may begin anew while somebody reads what is at its end: so it only grows."""
    with closing(sqlite3.connect(folder / FILE_NAME, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM intent").fetchone()
        yield folder / f"{FILE_NAME}-wal"
        reader.execute("ROLLBACK")


def test_a_disk_that_fills_up_at_any_write_of_a_send_loses_nothing(own: Lab) -> None:
    """With room for two pages more each time, it stops at each write in turn, the last ones after the post."""
    found: list[State] = []
    for pages in range(0, 60, 2):
        intent = own.prepared()
        with watched_over(own.wallet.folder) as log:
            own.with_services(grow)
            ran = run_with_room(own, log.stat().st_size + pages * FRAME, *confirming(intent))
        own.check([own.intent(intent.id)], own.blocks())
        if ran.code == Exit.DONE:
            break
        is_sent = bool(own.intent(intent.id).attempts)
        cut_off(ran) if is_sent else refused(ran)
        found.append(own.intent(intent.id).state)
        assert found[-1] in (State.PREPARED, State.UNKNOWN, State.SETTLED)
        if found[-1] is State.PREPARED:
            assert intent.bytes_sha256 not in own.blocks()
        own.settle(intent.id)
        own.check_end(intent.id)
    assert ran.code == Exit.DONE
    assert {State.PREPARED, State.UNKNOWN} <= set(found)


async def grow(services: Services) -> None:
    """Make the log larger than the memory that the processes share: that would stop on the limit first."""
    for n in range(12):
        services.store.put_setting("grow", str(n))


def test_a_full_disk_stops_preparing(own: Lab) -> None:
    refused(run_with_room(own, 1024, *preparing(own)))
    refused(run_with_room(own, 33 * 1024, *preparing(own)))
    assert own.run(*preparing(own)[:-1]) == Exit.DONE


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    folder.mkdir()
    mounted = subprocess.run(("mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)), capture_output=True)
    if mounted.returncode:
        pytest.skip("only root may mount a small disk")
    try:
        yield folder
    finally:
        subprocess.run(("umount", "-l", str(folder)), check=True)


@pytest.mark.skipif(shutil.which("mount") is None, reason="needs mount")
def test_a_really_full_disk_is_said_to_be_full(lab: Lab, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "2m") as disk:
        own = replace(lab, wallet=lab.wallet.copy_to(disk / "data"))
        intent = own.prepared()
        before = own.devnet.blocks()
        with (disk / "filler").open("wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(bytes(4096))
            except OSError:
                pass
            for words in (preparing(own), confirming(intent)):
                refused(own.wallet.run(*words), "full")
        assert own.devnet.blocks() == before
        (disk / "filler").unlink()
        own.settle(intent.id)
        own.check_end(intent.id)


# --- trouble that begins while it is being sent --------------------------------------------------------------------


def in_mid_send(lab: Lab, intent: Intent, trouble: Trouble) -> Ran:
    """What a confirmation says whose store meets trouble while the answer is on its way."""
    lab.devnet.arm("late", 2)
    with lab.wallet.start(*confirming(intent)) as process:
        while intent.bytes_sha256 not in lab.blocks():
            time.sleep(0.05)
        with contextmanager(trouble)(lab.wallet.folder):
            out, err = process.communicate(timeout=60)
    return Ran(process.returncode, out, err)


def test_a_store_that_is_locked_after_the_post_keeps_what_was_stored_before_it(own: Lab) -> None:
    intent = own.prepared()
    document = cut_off(in_mid_send(own, intent, locked), "locked", "Attempt 1", "may have moved")
    assert (document["id"], document["state"]) == (intent.id, "unknown")
    assert [each["outcome"] for each in document["attempts"]] == ["unknown"]
    assert own.intent(intent.id).state is State.UNKNOWN
    own.settle(intent.id)
    own.check_end(intent.id)


def destroyed(folder: Path) -> Iterator[None]:
    """The file and its log overwritten in place, and put back as they were in the end."""
    kept = {path: path.read_bytes() for path in folder.glob(f"{FILE_NAME}*") if not path.name.endswith("-shm")}
    for path, content in kept.items():
        path.write_bytes(b"\xa5" * max(len(content), 8192))
    yield
    for path in folder.glob(f"{FILE_NAME}*"):
        path.unlink()
    for path, content in kept.items():
        path.write_bytes(content)


def test_a_store_destroyed_after_the_post_is_not_to_be_begun_anew(own: Lab) -> None:
    """Moving it away would lose the record of an attempt: the intent is shown as it was stored before the post."""
    intent = own.prepared()
    ran = in_mid_send(own, intent, destroyed)
    document = cut_off(ran, "Attempt 1", "do not begin an empty store")
    assert (document["id"], document["state"], document["bytes_sha256"]) == (intent.id, "unknown", intent.bytes_sha256)
    assert "move it away" not in ran.err
    assert "ove that file" not in ran.err
    assert "--data-dir" not in ran.err
    own.settle(intent.id)
    own.check_end(intent.id)


def test_a_stopped_process_keeps_its_lock_and_the_other_waits_for_nothing(own: Lab) -> None:  # R31
    intent = own.prepared()
    own.devnet.arm("late", 3)
    with own.wallet.start(*confirming(intent)) as process:
        while intent.bytes_sha256 not in own.blocks():
            time.sleep(0.05)
        process.send_signal(signal.SIGSTOP)
        assert own.wallet.run("resume", intent.id, "--json").code == Exit.UNSETTLED
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=60)
    assert process.returncode == Exit.DONE
    own.check_end(intent.id)
