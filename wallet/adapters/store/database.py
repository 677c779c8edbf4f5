"""The SQLite file: opened privately, brought up to date, and changed in durable transactions only."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wallet.adapters.host import private_folder
from wallet.adapters.private_file import sync_folder
from wallet.adapters.store.faults import as_store_fault, damaged, locked, newer, not_a_store, read_only
from wallet.core.errors import StoreFault
from wallet.core.ledger_time import LedgerTime

FILE_NAME = "wallet.db"
APPLICATION_ID = 0x49435257  # "ICRW"
BUSY_TIMEOUT_S = 5.0
_MIGRATIONS = Path(__file__).with_name("migrations")
MAX_INTEGER = 2**63 - 1
"""SQLite's largest integer: as nanoseconds, the year 2262."""


class Database:
    """One connection. Reading and writing happen inside `reading()` and `writing()`; both raise StoreFault (R32)."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One consistent view, however many statements read it."""
        with as_store_fault(self.path), self._transaction("BEGIN"):
            yield self._connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: on disk, fsynced, when the block ends; undone when it raises. One writer at a time."""
        with as_store_fault(self.path), self._transaction("BEGIN IMMEDIATE"):
            yield self._connection

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        self._connection.execute(begin)
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                with suppress(sqlite3.Error):  # the first error says more
                    self._connection.execute("ROLLBACK")
            raise

    def change_counter(self) -> int:
        """Grows when another connection committed (R31)."""
        with as_store_fault(self.path):
            return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        with as_store_fault(self.path):
            self._connection.close()


def open_database(folder: Path, busy_timeout_s: float = BUSY_TIMEOUT_S) -> Database:
    """Open `wallet.db` in `folder`, made where it is missing, with every migration applied.

    Any number of wallets may do so at once. Raises StoreFault, having changed nothing, for a file that is no store,
    damaged, newer than this wallet, locked or read-only (R32).
    """
    folder = private_folder(folder)
    path = folder / FILE_NAME
    with as_store_fault(path):
        _claim(path)
        connection = sqlite3.connect(path, timeout=busy_timeout_s, isolation_level=None)
    connection.row_factory = sqlite3.Row
    try:
        with as_store_fault(path):
            _prepare(connection, path, busy_timeout_s)
    except BaseException:
        connection.close()
        raise
    return Database(path, connection)


def stored_time(time_ns: int) -> LedgerTime:
    """The time as SQLite can hold it. StoreFault for one that no honest network tells."""
    if not 0 <= time_ns <= MAX_INTEGER:
        raise StoreFault(
            "The network gave a time that cannot be right, so nothing was stored or sent."
            " Check the network's address and its root key."
        )
    return LedgerTime(time_ns)


def _claim(path: Path) -> None:
    """Make the file, private from its first moment, or check that the one that is there may be written.

    SQLite gives its -wal and -shm files the mode of this one. A missing write bit is honoured even for root, whom the
    system would let write.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        sync_folder(path.parent)
    except FileExistsError:
        if os.name == "posix":
            mode = path.stat().st_mode
            if not mode & 0o200 or not path.parent.stat().st_mode & 0o200:
                raise read_only(path) from None
            if mode & 0o077:
                path.chmod(mode & 0o700)
    if not os.access(path, os.R_OK | os.W_OK):
        raise read_only(path)


def _prepare(connection: sqlite3.Connection, path: Path, busy_timeout_s: float) -> None:
    # Nothing of a file that is not ours is changed, so identity comes before everything that writes.
    connection.execute("BEGIN")  # one view of it, whatever another wallet migrates meanwhile
    version = _check_identity(connection, path)
    connection.execute("COMMIT")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA foreign_keys = ON")
    _use_write_ahead_log(connection, path, busy_timeout_s)
    connection.execute("PRAGMA synchronous = FULL")  # a commit survives a power cut; NORMAL may lose the last ones
    connection.execute("PRAGMA fullfsync = ON")  # macOS: fsync alone does not reach the platter
    connection.execute("PRAGMA checkpoint_fullfsync = ON")
    # Taking the write lock says at once whether the store is locked or read-only.
    connection.execute("BEGIN IMMEDIATE")
    if version < len(migrations()):
        _migrate(connection, path)
    connection.execute("COMMIT")


def _check_identity(connection: sqlite3.Connection, path: Path) -> int:
    """The store's version; 0 for an empty file. StoreFault for a file of something else, or of a newer wallet."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    is_empty = connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None
    if is_empty and application == 0 and version == 0:
        return 0
    if application != APPLICATION_ID:
        raise not_a_store(path)
    if version > len(migrations()):
        raise newer(path, version, len(migrations()))
    if is_empty or version < 1:
        raise damaged(path, "its tables are missing")
    return int(version)


def _use_write_ahead_log(connection: sqlite3.Connection, path: Path, busy_timeout_s: float) -> None:
    """Two wallets that open a new store at once meet here, and SQLite's own waiting does not cover this statement."""
    deadline = time.monotonic() + busy_timeout_s
    while True:
        try:
            mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            mode = None
        if mode == "wal":
            return
        if mode is not None:
            raise StoreFault(
                f"The folder of {path} cannot hold the store: its file system shares no memory between programs"
                " (some network drives). Name a folder on a local disk with --data-dir."
            )
        if time.monotonic() > deadline:
            raise locked(path)
        time.sleep(0.01)


def migrations() -> list[str]:
    """The text of each migration; the first brings the store to version 1."""
    global _migrations
    if _migrations is None:
        _migrations = [script.read_text(encoding="utf-8") for script in sorted(_MIGRATIONS.glob("*.sql"))]
    return _migrations


_migrations: list[str] | None = None


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Inside a write transaction: apply what is missing now, since another wallet may have been first."""
    version = _check_identity(connection, path)
    for number, script in enumerate(migrations()[version:], start=version + 1):
        for statement in statements(script):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {number}")


def statements(script: str) -> Iterator[str]:
    """The statements of a script one by one: `executescript` would commit the transaction first."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
