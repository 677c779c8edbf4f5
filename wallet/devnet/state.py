"""What the embedded network keeps between runs: one SQLite file with its seed, clock, blocks and open calls."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wallet.core.errors import StoreFault
from wallet.core.ledger_time import LedgerTime
from wallet.core.principal import Principal
from wallet.devnet.blocks import Block, Transaction
from wallet.devnet.bls import SEED_BYTES
from wallet.devnet.calls import Call, Rejection

FILE = "devnet.sqlite3"
VERSION = 1
_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE block (
    id INTEGER PRIMARY KEY, timestamp TEXT NOT NULL, fee TEXT, typed INTEGER NOT NULL, arguments TEXT, tx TEXT NOT NULL
) STRICT;
CREATE TABLE call (
    id BLOB PRIMARY KEY, sender BLOB NOT NULL, canister BLOB NOT NULL, method TEXT NOT NULL, argument BLOB NOT NULL,
    expiry TEXT NOT NULL, status TEXT NOT NULL, reply BLOB, reject_code INTEGER, reject_message TEXT, error_code TEXT,
    hidden INTEGER NOT NULL, due TEXT
) STRICT;
"""


class State:
    """Each method that writes is one transaction: after `kill -9` it is there as a whole or not at all."""

    def __init__(self, folder: Path, *, kind: str = "icrc", fresh: bool = False) -> None:
        """Open or create the file. Raises StoreFault where another network has it open or it cannot be read.

        `kind` is the ledger's: the chain of one kind is no chain of another, and is refused as well.
        """
        path = folder / FILE
        database: sqlite3.Connection | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._database = database = sqlite3.connect(path, isolation_level=None, timeout=0.2)
            # One process owns the chain; the operating system frees the lock with the process.
            database.execute("PRAGMA locking_mode = EXCLUSIVE")
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute("BEGIN IMMEDIATE")
            self._prepare(kind, fresh)
            database.execute("COMMIT")
        except (OSError, sqlite3.Error) as why:
            if database is not None:
                database.close()
            raise StoreFault(
                f"the embedded network's file {path} cannot be used ({why}); "
                "close another embedded network that has it open, or choose another folder"
            ) from None
        self.seed = bytes.fromhex(self._meta("seed") or "")

    def _prepare(self, kind: str, fresh: bool) -> None:
        (version,) = self._database.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise sqlite3.DatabaseError("a newer version of this program made it")
        if version == 0:
            for statement in _SCHEMA.split(";"):
                self._database.execute(statement)
            self._database.execute(f"PRAGMA user_version = {VERSION}")
        elif fresh:
            for table in ("meta", "block", "call"):
                self._database.execute(f"DELETE FROM {table}")
        if self._meta("seed") is None:
            self._database.execute("INSERT INTO meta VALUES ('seed', ?)", (secrets.token_hex(SEED_BYTES),))
            self._set_meta("kind", kind)
        kept = self._meta("kind") or "icrc"
        if kept != kind:
            raise sqlite3.DatabaseError(f"it holds a ledger of the kind {kept}, not {kind}")

    def _meta(self, name: str) -> str | None:
        row = self._database.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def _set_meta(self, name: str, value: str) -> None:
        self._database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def clock(self) -> tuple[int, int]:
        """The offset from the host's clock and the latest time ever shown, both in nanoseconds."""
        return int(self._meta("offset") or 0), int(self._meta("latest") or 0)

    def save(
        self,
        *,
        clock: tuple[int, int] | None = None,
        blocks: Iterable[Block] = (),
        calls: Iterable[Call] = (),
        gone: Iterable[bytes] = (),
    ) -> None:
        """Keep all of this, or nothing of it."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            if clock is not None:
                self._set_meta("offset", str(clock[0]))
                self._set_meta("latest", str(clock[1]))
            self._database.executemany("INSERT INTO block VALUES (?, ?, ?, ?, ?, ?)", map(_block_row, blocks))
            self._database.executemany(
                "INSERT OR REPLACE INTO call VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", map(_call_row, calls)
            )
            self._database.executemany("DELETE FROM call WHERE id = ?", ((request_id,) for request_id in gone))
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    def blocks(self) -> list[Block]:
        """The chain, linked again as it is read."""
        chain: list[Block] = []
        for index, timestamp, fee, typed, arguments, tx in self._database.execute("SELECT * FROM block ORDER BY id"):
            parent = chain[-1].hash if chain else None
            transaction = Transaction.from_json(json.loads(tx))
            implied = None if fee is None else int(fee)
            chain.append(Block(index, parent, int(timestamp), transaction, implied, bool(typed), arguments))
        return chain

    def calls(self) -> list[Call]:
        return [_call(row) for row in self._database.execute("SELECT * FROM call")]

    def close(self) -> None:
        self._database.close()


def _block_row(block: Block) -> tuple[object, ...]:
    fee = None if block.fee is None else str(block.fee)
    transaction = json.dumps(block.transaction.as_json())
    return block.index, str(block.timestamp), fee, int(block.typed), block.arguments, transaction


def _call_row(call: Call) -> tuple[object, ...]:
    rejection = call.rejection
    return (
        call.id,
        call.sender.raw,
        call.canister.raw,
        call.method,
        call.argument,
        str(call.expiry),
        call.status,
        call.reply,
        rejection.code if rejection else None,
        rejection.message if rejection else None,
        rejection.error_code if rejection else None,
        int(call.hidden),
        str(call.due) if call.due is not None else None,
    )


def _call(row: tuple[Any, ...]) -> Call:
    key, sender, canister, method, argument, expiry, status, reply, code, message, error, hidden, due = row
    return Call(
        key,
        Principal(sender),
        Principal(canister),
        method,
        argument,
        LedgerTime(int(expiry)),
        status,
        reply,
        Rejection(code, message, error) if code is not None else None,
        bool(hidden),
        LedgerTime(int(due)) if due is not None else None,
    )
