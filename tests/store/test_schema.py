"""What the file itself guarantees, whoever writes to it, and that it answers by index."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.builders import NOW, make_attempt, make_intent, make_reply
from wallet.adapters.store import SqliteStore, open_store
from wallet.adapters.store.database import APPLICATION_ID, FILE_NAME, migrations, statements
from wallet.core.finding import Answered
from wallet.core.intent import Intent, Outcome, State
from wallet.core.ledger_time import LedgerTime

SCHEMA = Path(open_store.__code__.co_filename).with_name("schema.sql")


def schema_of(script: str) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(script)
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
        return [(name, " ".join(sql.split())) for name, sql in rows]


def test_the_schema_equals_the_migrations_replayed() -> None:
    assert schema_of("".join(migrations())) == schema_of(SCHEMA.read_text(encoding="utf-8"))


def test_a_script_is_cut_into_its_statements() -> None:
    script = "".join(migrations())
    assert "".join(statements(script)) == script.rstrip("\n") + "\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(open_store(tmp_path)) as store:
        yield store


@pytest.fixture
def raw(store: SqliteStore, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Another program that writes to the file as it likes."""
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        yield connection


def fill(store: SqliteStore) -> Intent:
    """One of everything that is kept for ever."""
    intent = store.add(make_intent(1, ref="order 12"))
    assert intent is not None
    intent = store.begin_attempt(intent, make_attempt(), confirmed=True)
    assert intent is not None
    ended = Outcome(State.SETTLED, settled_by="reply", moved=True)
    intent = store.record(intent, 1, make_reply(None), ended)
    assert intent is not None
    intent = store.record_duplicate(intent, None, ("fee",))
    assert intent is not None
    intent = store.record_finding(intent, Answered(True, None), ended, None)
    assert intent is not None
    return intent


def test_the_file_says_what_it_is(store: SqliteStore, raw: sqlite3.Connection) -> None:
    assert raw.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert raw.execute("PRAGMA user_version").fetchone() == (len(migrations()),)
    assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    tables = raw.execute("PRAGMA table_list").fetchall()
    assert all(strict for _, name, _, _, _, strict in tables if not name.startswith("sqlite_"))


def test_every_commit_reaches_the_disk(store: SqliteStore) -> None:
    # R29: NORMAL may lose the last commits in a power cut
    with store._database.reading() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone()[0] == 2
        assert connection.execute("PRAGMA foreign_keys").fetchone()[0] == 1


@pytest.mark.parametrize("table", ["intent", "reference", "pack", "attempt", "evidence", "finding", "alarm"])
def test_nothing_that_happened_is_deleted(store: SqliteStore, raw: sqlite3.Connection, table: str) -> None:
    # R29
    intent = fill(store)
    with pytest.raises(sqlite3.IntegrityError, match=r"kept for ever|is kept"):
        raw.execute(f"DELETE FROM {table}")
    assert store.intent(intent.id) == intent


FACTS = (
    *("id", "network", "root_key", "ledger", "ledger_name", "method", "sender", "pack_seq", "arguments_json"),
    *("fee_is_auto", "amount_is_max", "lookup_key", "stamp", "tx_window_ns", "drift_ns", "window_assumed"),
    *("argument_bytes", "argument_sha256", "from_account", "to_account", "amount", "fee", "symbol", "decimals", "memo"),
    *("warnings_json", "anchor_index", "anchor_hash", "supersedes", "prepared_at"),
)
MOVING = (
    *("version", "ref", "superseded_by", "dropped", "confirmed", "state", "outcome_class", "case_path", "payload_json"),
    *("settled_by", "moved", "block", "duplicate_of", "look_due", "duplicate_json"),
)


def test_each_column_of_an_intent_is_a_fact_or_moves(raw: sqlite3.Connection) -> None:
    columns = [row[1] for row in raw.execute("PRAGMA table_info(intent)")]
    assert sorted(columns) == sorted(["seq", *FACTS, *MOVING])  # the others are generated


@pytest.mark.parametrize("column", ["seq", *FACTS])
def test_what_was_confirmed_never_changes(store: SqliteStore, raw: sqlite3.Connection, column: str) -> None:
    # R12
    intent = fill(store)
    with pytest.raises(sqlite3.IntegrityError, match="R12"):
        raw.execute(f"UPDATE intent SET version = version + 1, {column} = {column}")
    assert store.intent(intent.id) == intent


@pytest.mark.parametrize(
    ("statement", "rule"),
    [
        ("UPDATE intent SET state = 'retry_new', settled_by = NULL, version = version + 1", "R18"),
        ("UPDATE intent SET confirmed = 0, version = version + 1", "R15"),
        ("UPDATE intent SET ref = 'other', version = version + 1", "R36"),
        ("UPDATE intent SET ref = NULL, version = version + 1", "R36"),
        ("UPDATE intent SET dropped = 1", "R31"),
        ("UPDATE reference SET ref = 'other'", "R36"),
        ("UPDATE pack SET text = '[]'", "R12"),
        ("UPDATE attempt SET envelope = x'00'", "R29"),
        ("UPDATE attempt SET request_id = x'00'", "R29"),
        ("UPDATE attempt SET expiry = expiry + 1", "R29"),
        ("UPDATE attempt SET posts = posts - 1", "R29|posts"),
        ("UPDATE evidence SET certificate = x'00'", "R29"),
        ("UPDATE evidence SET kind = kind", "R29"),
        ("UPDATE finding SET kind = kind", "R25"),
        ("UPDATE alarm SET text = ''", "R35"),
        ("INSERT INTO attempt SELECT intent_id, 2, request_id, envelope, expiry, sent_at, 1 FROM attempt", "R15"),
        ("INSERT INTO evidence (intent_id, n, kind, facts_json) VALUES ('intent1', 9, 'reply', '')", "FOREIGN KEY"),
    ],
)
def test_no_statement_undoes_what_happened(
    store: SqliteStore, raw: sqlite3.Connection, statement: str, rule: str
) -> None:
    intent = fill(store)
    with pytest.raises(sqlite3.IntegrityError, match=rule):
        raw.execute(statement)
    assert store.intent(intent.id) == intent


def copy_of_the_intent(raw: sqlite3.Connection, **changes: object) -> None:
    columns = [row[1] for row in raw.execute("PRAGMA table_info(intent)") if row[1] != "seq"]
    picked = [f":{column}" if column in changes else column for column in columns]
    raw.execute(f"INSERT INTO intent ({', '.join(columns)}) SELECT {', '.join(picked)} FROM intent LIMIT 1", changes)


def test_a_second_open_intent_is_impossible(store: SqliteStore, raw: sqlite3.Connection) -> None:
    # R13
    store.add(make_intent(1))
    with pytest.raises(sqlite3.IntegrityError, match=r"UNIQUE.*lookup_key"):
        copy_of_the_intent(raw, id="another", stamp=NOW + 99)
    copy_of_the_intent(raw, id="another", stamp=NOW + 99, state="settled", settled_by="reply")


@pytest.mark.parametrize("settled_by", ["history", "person"])
def test_an_intent_that_asks_for_a_new_stamp_keeps_its_key(
    store: SqliteStore, raw: sqlite3.Connection, settled_by: str
) -> None:
    # R14
    store.add(make_intent(1))
    raw.execute(f"UPDATE intent SET state = 'settled', settled_by = '{settled_by}', version = version + 1")
    with pytest.raises(sqlite3.IntegrityError, match=r"UNIQUE.*lookup_key"):
        copy_of_the_intent(raw, id="another", stamp=NOW + 99)
    copy_of_the_intent(raw, id="another", stamp=NOW + 99, moved=1)


def test_a_second_equal_stamp_is_impossible(store: SqliteStore, raw: sqlite3.Connection) -> None:
    # R11
    store.add(make_intent(1))
    with pytest.raises(sqlite3.IntegrityError, match=r"UNIQUE.*stamp"):
        copy_of_the_intent(raw, id="another", lookup_key=b"another")


def test_an_attempt_before_the_confirmation_is_impossible(store: SqliteStore, raw: sqlite3.Connection) -> None:
    # R15
    store.add(make_intent(1))
    with pytest.raises(sqlite3.IntegrityError, match="R15"):
        raw.execute("INSERT INTO attempt VALUES ('intent1', 1, x'00', x'00', 1, 1, 1)")


QUESTIONS = {
    "intent": lambda store, intent: store.intent(intent.id),
    "open_intent": lambda store, intent: store.open_intent(intent.lookup_key),
    "intent_by_ref": lambda store, intent: store.intent_by_ref("order 12"),
    "last_stamp": lambda store, intent: store.last_stamp(intent.lookup_key),
    "stamps_of_sender": lambda store, intent: store.stamps_of_sender(intent.root_key, intent.sender, LedgerTime(NOW)),
    "payments_like": lambda store, intent: store.payments_like(intent, 5),
    "looks_due": lambda store, intent: store.looks_due(),
    "reading": lambda store, intent: store.reading(intent.id),
    "keep_reading": lambda store, intent: store.keep_reading(intent.id, None),
    "acknowledge": lambda store, intent: store.acknowledge(intent),
    "unsettled": lambda store, intent: store.intents(unsettled=True),
    "add": lambda store, intent: store.add(make_intent(2, ref="order 13")),
    "restamp": lambda store, intent: store.add(make_intent(2), supersede=intent),
    "attach_ref": lambda store, intent: store.attach_ref(intent, "order 13"),
    "record": lambda store, intent: store.record(intent, 1, make_reply(None), intent.outcome),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_is_answered_by_an_index(store: SqliteStore, question: str) -> None:
    # Design, section 7: 100,000 intents open and prepare as fast as ten.
    intent = fill(store)
    asked: list[str] = []
    connection = store._database._connection
    connection.set_trace_callback(asked.append)
    QUESTIONS[question](store, intent)
    connection.set_trace_callback(None)
    plans = [
        (statement, detail)
        for statement in asked
        if statement.lstrip().startswith(("SELECT", "UPDATE", "INSERT", "DELETE"))
        for *_, detail in connection.execute(f"EXPLAIN QUERY PLAN {statement}")
    ]
    assert plans
    assert not [plan for plan in plans if "SCAN" in plan[1] or "TEMP B-TREE" in plan[1]]


def test_the_newest_intents_are_read_from_an_index(store: SqliteStore) -> None:
    # With a limit, the walk along the index ends early.
    fill(store)
    connection = store._database._connection
    plan = connection.execute(
        "EXPLAIN QUERY PLAN SELECT id FROM intent JOIN pack ON pack.seq = pack_seq"
        " ORDER BY at_rest, intent.seq DESC LIMIT 20"
    ).fetchall()
    assert plan[0]["detail"].startswith("SCAN intent USING INDEX intent_listed")
    assert not [row for row in plan if "TEMP B-TREE" in row["detail"]]
