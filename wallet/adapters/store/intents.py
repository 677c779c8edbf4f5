"""Looking intents up: every question has an index, so the number of intents does not matter (design, section 7)."""

import sqlite3

from wallet.adapters.store.database import MAX_INTEGER, Database
from wallet.adapters.store.faults import damaged
from wallet.adapters.store.finding_rows import reading_from_text
from wallet.adapters.store.intent_rows import Sql, read_intents
from wallet.core.history import Reading
from wallet.core.intent import Intent
from wallet.core.ledger_time import LedgerTime
from wallet.core.principal import Principal


class IntentReader:
    """The reading half of what the `Store` protocol says about intents; wallet/ports.py has the contract."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def intent(self, intent_id: str) -> Intent | None:
        return self._find("WHERE id = ?", intent_id)

    def intents(self, *, unsettled: bool = False, limit: int | None = None) -> list[Intent]:
        """What waits for the person first, then the rest (settled, or put away); each part newest first."""
        where = "WHERE at_rest = 0 " if unsettled else ""
        with self._database.reading() as connection:
            return self._read(
                connection, f"{where}ORDER BY at_rest, intent.seq DESC LIMIT ?", -1 if limit is None else limit
            )

    def open_intent(self, lookup_key: bytes) -> Intent | None:
        return self._find("WHERE lookup_key = ? AND holds_key = 1", lookup_key)

    def intent_by_ref(self, ref: str) -> Intent | None:
        return self._find("WHERE id = (SELECT intent_id FROM reference WHERE ref = ?)", ref)

    def stamps_of_sender(self, root_key: bytes, sender: Principal, since: LedgerTime) -> set[LedgerTime]:
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT stamp FROM intent WHERE root_key = ? AND sender = ? AND stamp >= ?",
                (root_key, sender.text, min(since, MAX_INTEGER)),
            )
            return {LedgerTime(stamp) for (stamp,) in rows}

    def last_stamp(self, lookup_key: bytes) -> LedgerTime | None:
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT stamp FROM intent WHERE lookup_key = ?"
                " AND (case_path IS NULL OR case_path NOT GLOB '*CreatedInFuture') ORDER BY stamp DESC LIMIT 1",
                (lookup_key,),
            ).fetchone()
            return None if row is None else LedgerTime(row[0])

    def payments_like(self, intent: Intent, limit: int) -> list[Intent]:
        with self._database.reading() as connection:
            return self._read(
                connection,
                "WHERE root_key = ? AND ledger = ? AND to_account = ? AND id <> ? ORDER BY intent.seq DESC LIMIT ?",
                intent.root_key,
                intent.ledger.text,
                intent.card.recipient.text,
                intent.id,
                limit,
            )

    def alarming(self) -> list[Intent]:
        # No index: alarms are the one thing of which a store holds few, however many intents it has.
        with self._database.reading() as connection:
            return self._read(
                connection,
                "WHERE id IN (SELECT intent_id FROM alarm WHERE acknowledged = 0) ORDER BY intent.seq DESC",
            )

    def looks_due(self) -> list[Intent]:
        with self._database.reading() as connection:
            return self._read(connection, "WHERE look_due = 1 ORDER BY intent.seq")

    def reading(self, intent_id: str) -> Reading | None:
        with self._database.reading() as connection:
            row = connection.execute("SELECT facts_json FROM reading WHERE intent_id = ?", (intent_id,)).fetchone()
        try:
            return None if row is None else reading_from_text(row[0])
        except ValueError as error:
            raise damaged(self._database.path, str(error)) from error

    def _find(self, where: str, *parameters: Sql) -> Intent | None:
        with self._database.reading() as connection:
            found = self._read(connection, where, *parameters)
            return found[0] if found else None

    def _stored(self, connection: sqlite3.Connection, intent_id: str) -> Intent:
        (intent,) = self._read(connection, "WHERE id = ?", intent_id)
        return intent

    def _read(self, connection: sqlite3.Connection, where: str, *parameters: Sql) -> list[Intent]:
        try:
            return read_intents(connection, where, parameters)
        except (ValueError, KeyError, TypeError) as error:
            raise damaged(self._database.path, str(error)) from error
