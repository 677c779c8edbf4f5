"""A store that cannot be used stops the wallet with a sentence that says what to do (R32)."""

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.builders import make_attempt, make_intent
from wallet.adapters.store import SqliteStore, open_store
from wallet.adapters.store.database import FILE_NAME
from wallet.core.errors import StoreFault

ROOT = Path(__file__).parents[2]


def fill(folder: Path, intents: int = 1) -> None:
    with closing(open_store(folder)) as store:
        for n in range(intents):
            store.add(make_intent(n))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def run_child(script: str, *arguments: object) -> str:
    """What a Python of its own prints."""
    done = subprocess.run(
        [sys.executable, "-B", "-c", script, *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


OPEN_AS_SOMEBODY_WHOM_MODES_BIND = """
import os, sys
from pathlib import Path
from wallet.adapters.store import open_store
from wallet.core.errors import StoreFault
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    open_store(Path(sys.argv[1]))
except StoreFault as fault:
    print(fault)
"""


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX's")
def test_only_the_owner_reads_the_store(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "data"
    old = os.umask(0)
    try:
        with closing(open_store(folder)) as store:
            store.add(make_intent())
            with store.sending_lock("intent0"):
                files = [path for path in folder.rglob("*") if path.is_file()]
                assert {path.name for path in files} >= {"wallet.db", "wallet.db-wal", "wallet.db-shm", "intent0.lock"}
                assert {mode(path) for path in files} == {0o600}
                assert {mode(path) for path in (folder, folder / "locks")} == {0o700}
    finally:
        os.umask(old)


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX's")
def test_a_store_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    fill(tmp_path)
    tmp_path.chmod(0o755)
    (tmp_path / FILE_NAME).chmod(0o644)
    open_store(tmp_path).close()
    assert (mode(tmp_path), mode(tmp_path / FILE_NAME)) == (0o700, 0o600)


def test_an_opened_store_keeps_what_it_had(tmp_path: Path) -> None:
    fill(tmp_path, 3)
    with closing(open_store(tmp_path)) as store:
        assert [intent.id for intent in store.intents()] == ["intent2", "intent1", "intent0"]


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).touch()
    fill(tmp_path)


# --- what cannot be opened -----------------------------------------------------------------------------------------


def make_newer(folder: Path) -> None:
    fill(folder)
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        connection.execute("PRAGMA user_version = 99")


def make_garbage(folder: Path) -> None:
    (folder / FILE_NAME).write_bytes(b"not a database at all " * 500)


def make_foreign(folder: Path) -> None:
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        connection.execute("CREATE TABLE song (title TEXT)")


def make_empty_of_tables(folder: Path) -> None:
    fill(folder)
    path = folder / FILE_NAME
    with closing(sqlite3.connect(":memory:")) as empty, closing(sqlite3.connect(path)) as connection:
        empty.execute("PRAGMA application_id = 1229148759")
        empty.backup(connection)


def make_short(folder: Path) -> None:
    fill(folder, 30)
    path = folder / FILE_NAME
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def make_overwritten(folder: Path) -> None:
    fill(folder, 30)
    path = folder / FILE_NAME
    raw = bytearray(path.read_bytes())
    raw[100:4096] = b"\xa5" * (4096 - 100)
    path.write_bytes(raw)


def make_folder_of_it(folder: Path) -> None:
    (folder / FILE_NAME).mkdir()


def make_read_only(folder: Path) -> None:
    fill(folder)
    (folder / FILE_NAME).chmod(0o400)


def make_folder_read_only(folder: Path) -> None:
    fill(folder)
    folder.chmod(0o500)


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (make_newer, "made by a newer version of this wallet (store version 99; this one knows"),
        (make_garbage, "is not a store of this wallet. If it was one, put a backup of it in its place."),
        (make_foreign, "is not a store of this wallet. If it was one, put a backup of it in its place."),
        (make_empty_of_tables, "is damaged (its tables are missing). Put a backup"),
        (make_short, "is damaged (database disk image is malformed). Put a backup"),
        (make_overwritten, "is damaged (database disk image is malformed). Put a backup"),
        (make_folder_of_it, "cannot be opened. See that it is a file"),
        (make_read_only, "is read-only. Make the file and its folder writable"),
        (make_folder_read_only, "writable"),
    ],
    ids=lambda each: each.__name__ if callable(each) else "",
)
def test_a_store_that_cannot_be_used_says_what_to_do(
    tmp_path: Path, spoil: Callable[[Path], None], sentence: str
) -> None:
    spoil(tmp_path)
    path = tmp_path / FILE_NAME
    before = path.read_bytes() if path.is_file() else b""
    try:
        with pytest.raises(StoreFault) as caught:
            open_store(tmp_path)
    finally:
        tmp_path.chmod(0o700)
    assert sentence in str(caught.value)
    assert str(caught.value).endswith("Nothing was sent.")
    assert str(tmp_path) in str(caught.value)
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    with pytest.raises(StoreFault, match="is a file, not a folder"):
        open_store(tmp_path / "data")


@pytest.mark.parametrize("folder_mode", [0o500, 0o700])
def test_what_the_system_refuses_is_said_to_be_read_only(folder_mode: int) -> None:
    folder = Path(tempfile.mkdtemp())  # under tmp_path, nobody but root may look
    fill(folder)
    try:
        (folder / FILE_NAME).chmod(0o600 if folder_mode == 0o500 else 0o400)
        if os.geteuid() == 0:
            os.chown(folder / FILE_NAME, 65534, 65534)
            os.chown(folder, 65534, 65534)
        folder.chmod(folder_mode)
        said = run_child(OPEN_AS_SOMEBODY_WHOM_MODES_BIND, folder)
    finally:
        folder.chmod(0o700)
        shutil.rmtree(folder)
    assert "writable" in said


def test_a_locked_store_is_said_to_be_locked(tmp_path: Path) -> None:
    with closing(open_store(tmp_path, busy_timeout_s=0.05)) as store:
        intent = store.add(make_intent())
        assert intent is not None
        with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            with pytest.raises(StoreFault, match=r"locked by another program\. Close.* Nothing was sent\."):
                open_store(tmp_path, busy_timeout_s=0.05)
            with pytest.raises(StoreFault, match="locked by another program"):
                store.begin_attempt(intent, make_attempt(), confirmed=True)
            other.execute("ROLLBACK")
        assert store.intent(intent.id) == intent
        assert store.begin_attempt(intent, make_attempt(), confirmed=True) is not None


def test_a_store_that_another_keeps_from_being_read_is_said_to_be_locked(tmp_path: Path) -> None:
    fill(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreFault, match="locked by another program"):
            open_store(tmp_path, busy_timeout_s=0.05)


def fill_up(store: SqliteStore) -> None:
    for n in range(1, 1000):
        store.add(make_intent(n, warnings=("x" * 2000,)))


def test_a_full_store_stops_before_anything_is_sent(tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as store:
        intent = store.add(make_intent())
        assert intent is not None
        store._database._connection.execute("PRAGMA max_page_count = 1")  # SQLite takes the present size
        with pytest.raises(StoreFault, match=r"cannot grow: the disk or your quota is full\. Make room"):
            fill_up(store)
        stored = store.intents()
        store._database._connection.execute("PRAGMA max_page_count = 1000000")
        assert store.intents() == stored
        assert store.begin_attempt(intent, make_attempt(), confirmed=True) is not None


FILL_UNDER_LIMIT = """
import resource, sys
from pathlib import Path
from tests.builders import make_intent
from wallet.adapters.store import open_store
from wallet.core.errors import StoreFault
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
stored = 0
try:
    store = open_store(Path(sys.argv[1]))
    for n in range(1000):
        store.add(make_intent(n, warnings=("x" * 2000,)))
        stored += 1
except StoreFault as fault:
    print(stored, fault)
"""


@pytest.mark.parametrize("limit", [0, 20_000, 200_000, 1_000_000])
def test_a_disk_that_takes_no_more_loses_nothing_that_was_stored(tmp_path: Path, limit: int) -> None:
    stored, _, sentence = run_child(FILL_UNDER_LIMIT, tmp_path, limit).partition(" ")
    assert str(tmp_path) in sentence
    assert "room" in sentence or "space" in sentence
    with closing(open_store(tmp_path)) as store:
        assert len(store.intents()) == int(stored)


def test_damage_that_shows_late_stops_all_the_same(tmp_path: Path) -> None:
    # R12: one flipped bit in the stored bytes would be another payment
    with closing(open_store(tmp_path)) as store:
        intent = store.add(make_intent(1, argument_bytes=b"DIDL: pay 100 to bob"))
        assert intent is not None
    path = tmp_path / FILE_NAME
    raw = path.read_bytes()
    assert raw.count(b"DIDL: pay 100") == 1
    path.write_bytes(raw.replace(b"DIDL: pay 100", b"DIDL: pay 900"))
    with closing(open_store(tmp_path)) as store:
        with pytest.raises(StoreFault, match=r"damaged \(the bytes of intent intent1 are not those"):
            store.intent(intent.id)
        with pytest.raises(StoreFault, match="damaged"):
            store.begin_attempt(intent, make_attempt(), confirmed=True)


def test_a_value_that_cannot_be_read_is_damage(tmp_path: Path) -> None:
    fill(tmp_path)
    path = tmp_path / FILE_NAME
    raw = path.read_bytes()
    assert b'{"record":{"amount"' in raw
    path.write_bytes(raw.replace(b'{"record":{"amount"', b'{"rexord":{"amount"'))
    with closing(open_store(tmp_path)) as store, pytest.raises(StoreFault, match="damaged"):
        store.intents()


# --- two wallets at once -------------------------------------------------------------------------------------------

OPEN_AND_ADD = """
import sys
from pathlib import Path
from tests.builders import make_intent
from wallet.adapters.store import open_store
sys.stdin.readline()
store = open_store(Path(sys.argv[1]))
store.add(make_intent(int(sys.argv[2])))
store.close()
"""


def test_wallets_that_open_a_new_store_at_once_all_succeed(tmp_path: Path) -> None:
    children = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN_AND_ADD, str(tmp_path), str(n)], cwd=ROOT, stdin=subprocess.PIPE, text=True
        )
        for n in range(4)
    ]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    for child in children:
        child.communicate(timeout=60)
    assert [child.returncode for child in children] == [0] * 4
    with closing(open_store(tmp_path)) as store:
        assert len(store.intents()) == 4


def test_the_store_loads_nothing_heavy() -> None:
    # Design, section 7
    heavy = {"ic", "cbor2", "httpx", "filelock", "keyring", "cryptography", "textual", "platformdirs"}
    loaded = run_child("import sys, wallet.adapters.store; print(*sys.modules)").split()
    assert heavy.isdisjoint(loaded)
