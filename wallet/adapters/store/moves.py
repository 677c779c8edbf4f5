"""Moving intents: each move is one durable transaction, by compare-and-set on the version (R12-R15, R29, R31, R36)."""

import sqlite3
from collections.abc import Mapping, Sequence

from wallet.adapters.store.evidence_rows import insert_attempt, insert_evidence
from wallet.adapters.store.finding_rows import insert_finding, reading_to_text
from wallet.adapters.store.intent_rows import Sql, duplicate_to_text, facts_to_row, outcome_to_row
from wallet.adapters.store.intents import IntentReader
from wallet.core.attempt import Attempt, Evidence
from wallet.core.blocks import LedgerBlock
from wallet.core.errors import Taken
from wallet.core.finding import Finding
from wallet.core.history import Reading
from wallet.core.intent import Intent, Outcome, State
from wallet.core.lifecycle import Verdict, overrules
from wallet.core.outcome import OutcomeClass
from wallet.core.pack import Pack

_SENDING = outcome_to_row(Outcome(State.SENDING, moved=None))
_SENDABLE = "state <> 'settled' AND dropped = 0"


class IntentMoves(IntentReader):
    """The writing half of what the `Store` protocol says about intents; wallet/ports.py has the contract."""

    def add(self, intent: Intent, supersede: Intent | None = None) -> Intent | None:
        """None, too, where the reference is another intent's. Taken where the id or the sender's stamp is in use."""
        if intent.outcome != Outcome() or intent.attempts or intent.confirmed or intent.dropped:
            raise ValueError("only an intent that was just prepared is added")
        old = supersede.id if supersede else None
        inherited = supersede.ref if supersede else None
        ref = inherited if intent.ref is None else intent.ref
        with self._database.writing() as connection:
            # One writer at a time: what is read here holds until the commit, and the unique indexes stand behind it.
            if supersede is not None and not _is_current(connection, supersede, "superseded_by IS NULL"):
                return None
            if ref is not None and ref != inherited and _owner(connection, ref) is not None:
                return None  # R36
            if _exists(connection, "lookup_key = ? AND holds_key = 1 AND id IS NOT ?", intent.lookup_key, old):
                return None  # R13
            if _exists(connection, "id = ?", intent.id):
                raise Taken("id")
            row = facts_to_row(intent, _pack_seq(connection, intent.pack), old)
            if _exists(connection, "root_key = ? AND sender = ? AND stamp = ?", *map(row.get, _STAMP_KEY)):
                raise Taken("stamp")  # R11
            if supersede is not None:
                _move(connection, supersede, _superseded_by(intent.id))
            _insert(connection, {**row, **outcome_to_row(intent.outcome), "ref": ref})
            if inherited is not None:
                connection.execute("UPDATE reference SET intent_id = ? WHERE ref = ?", (intent.id, inherited))
            if ref is not None and ref != inherited:
                connection.execute("INSERT INTO reference (ref, intent_id) VALUES (?, ?)", (ref, intent.id))
            return self._stored(connection, intent.id)

    def attach_ref(self, intent: Intent, ref: str) -> Intent | None:
        """None, too, where the reference is another intent's, or the intent has another one (R36)."""
        with self._database.writing() as connection:
            owner = _owner(connection, ref)
            if owner == intent.id:
                return self._stored(connection, intent.id) if _is_current(connection, intent) else None
            if owner is not None or not _move(
                connection, intent, {"ref": ref}, "ref IS NULL AND superseded_by IS NULL"
            ):
                return None
            connection.execute("INSERT INTO reference (ref, intent_id) VALUES (?, ?)", (ref, intent.id))
            return self._stored(connection, intent.id)

    def drop(self, intent: Intent, dropped: bool) -> Intent | None:
        return self._moved(intent, {"dropped": dropped}, "state <> 'settled'")

    def begin_attempt(self, intent: Intent, attempt: Attempt, *, confirmed: bool) -> Intent | None:
        """None, too, once the intent is settled or put away (R14)."""
        if not (confirmed or intent.confirmed):
            raise ValueError("nothing is sent without a confirmation")  # R15
        with self._database.writing() as connection:
            if not _move(connection, intent, {**_SENDING, "confirmed": True}, _SENDABLE):
                return None
            insert_attempt(connection, intent.id, attempt)
            return self._stored(connection, intent.id)

    def record_post(self, intent: Intent, n: int) -> Intent | None:
        """None, too, once the intent is settled or put away (R14)."""
        with self._database.writing() as connection:
            if not _move(connection, intent, _SENDING, _SENDABLE):
                return None
            counted = connection.execute(
                "UPDATE attempt SET posts = posts + 1 WHERE intent_id = ? AND n = ?", (intent.id, n)
            )
            if counted.rowcount != 1:
                raise ValueError(f"intent {intent.id} has no attempt {n}")
            return self._stored(connection, intent.id)

    def record(self, intent: Intent, n: int, evidence: Evidence, verdict: Verdict) -> Intent | None:
        """Evidence about a settled intent is kept too, and its ending stays (R18). Only evidence that it moved
        overrules: one that said "not moved", which is an alarm, and one by the person's word (R25)."""
        with self._database.writing() as connection:
            if not _move(connection, intent, _follow(intent, verdict)):
                return None
            insert_evidence(connection, intent.id, n, evidence)
            if intent.outcome.moved is False and overrules(intent, verdict):
                _raise_alarm(
                    connection, intent.id, "An answer that came later says that this payment was executed after all."
                )
            return self._stored(connection, intent.id)

    def move(self, intent: Intent, verdict: Verdict) -> Intent | None:
        """None, too, once the intent is settled: that ending stays (R18)."""
        return self._moved(intent, outcome_to_row(verdict), "state <> 'settled'")

    def record_duplicate(self, intent: Intent, block: LedgerBlock | None, differs: Sequence[str]) -> Intent | None:
        with self._database.writing() as connection:
            if not _move(connection, intent, {"duplicate_json": duplicate_to_text(block, differs)}):
                return None
            if differs:
                alarm = f"The block that the ledger names as this payment differs from it in: {', '.join(differs)}."
                _raise_alarm(connection, intent.id, alarm)
            return self._stored(connection, intent.id)

    def record_finding(self, intent: Intent, finding: Finding, verdict: Verdict, alarm: str | None) -> Intent | None:
        """An ending that stays may still be owed no look any more (R27)."""
        changes = {"look_due": intent.outcome.look_due and verdict.look_due, **_follow(intent, verdict)}
        with self._database.writing() as connection:
            if not _move(connection, intent, changes):
                return None
            insert_finding(connection, intent.id, finding)
            if alarm is not None:
                _raise_alarm(connection, intent.id, alarm)
            return self._stored(connection, intent.id)

    def acknowledge(self, intent: Intent) -> Intent | None:
        with self._database.writing() as connection:
            if not _move(connection, intent, {}):
                return None
            connection.execute("UPDATE alarm SET acknowledged = 1 WHERE intent_id = ?", (intent.id,))
            return self._stored(connection, intent.id)

    def keep_reading(self, intent_id: str, reading: Reading | None) -> None:
        """A bookmark, so it is not compared and set: whoever reads last has read as truly."""
        with self._database.writing() as connection:
            if reading is None:
                connection.execute("DELETE FROM reading WHERE intent_id = ?", (intent_id,))
            else:
                connection.execute(
                    "INSERT INTO reading (intent_id, facts_json) VALUES (?, ?)"
                    " ON CONFLICT DO UPDATE SET facts_json = excluded.facts_json",
                    (intent_id, reading_to_text(reading)),
                )

    def _moved(self, intent: Intent, changes: Mapping[str, Sql], guard: str) -> Intent | None:
        with self._database.writing() as connection:
            return self._stored(connection, intent.id) if _move(connection, intent, changes, guard) else None


_STAMP_KEY = ("root_key", "sender", "stamp")


def _follow(intent: Intent, verdict: Verdict) -> dict[str, Sql]:
    """The verdict, but an ending stays, except where proof of movement overrules it (R18, R25).

    `intent` is what the caller read; the compare-and-set sees to it that it is what is stored.
    """
    return outcome_to_row(verdict) if not intent.is_settled or overrules(intent, verdict) else {}


def _raise_alarm(connection: sqlite3.Connection, intent_id: str, text: str) -> None:
    connection.execute("INSERT INTO alarm (intent_id, text) VALUES (?, ?)", (intent_id, text))


def _superseded_by(successor: str) -> dict[str, Sql]:
    """Case and payload stay: they say why, and whether the stamp counts (R14, R23)."""
    return {
        "state": State.SETTLED.value,
        "settled_by": "restamp",
        "outcome_class": OutcomeClass.RETRY_NEW.value,
        "superseded_by": successor,
    }


def _move(connection: sqlite3.Connection, intent: Intent, changes: Mapping[str, Sql], guard: str = "TRUE") -> bool:
    """The compare-and-set: one row, or someone was first."""
    settings = "".join(f"{name} = ?, " for name in changes)
    changed = connection.execute(
        f"UPDATE intent SET {settings}version = version + 1 WHERE id = ? AND version = ? AND {guard}",
        (*changes.values(), intent.id, intent.version),
    )
    return changed.rowcount == 1


def _is_current(connection: sqlite3.Connection, intent: Intent, guard: str = "TRUE") -> bool:
    return _exists(connection, f"id = ? AND version = ? AND {guard}", intent.id, intent.version)


def _exists(connection: sqlite3.Connection, where: str, *parameters: Sql) -> bool:
    return connection.execute(f"SELECT 1 FROM intent WHERE {where}", parameters).fetchone() is not None


def _owner(connection: sqlite3.Connection, ref: str) -> str | None:
    row = connection.execute("SELECT intent_id FROM reference WHERE ref = ?", (ref,)).fetchone()
    return None if row is None else str(row[0])


def _insert(connection: sqlite3.Connection, row: Mapping[str, Sql]) -> None:
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO intent ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))


def _pack_seq(connection: sqlite3.Connection, pack: Pack) -> int:
    connection.execute("INSERT INTO pack (name, text) VALUES (?, ?) ON CONFLICT DO NOTHING", (pack.name, pack.text))
    row = connection.execute("SELECT seq FROM pack WHERE name = ? AND text = ?", (pack.name, pack.text)).fetchone()
    return int(row[0])
