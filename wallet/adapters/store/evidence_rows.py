"""Attempts and their evidence as rows: facts as tagged JSON, the raw reply and the certificate as they came (R29)."""

import sqlite3
from collections.abc import Iterable
from typing import TypeAlias, assert_never

from wallet.adapters.store.database import stored_time
from wallet.adapters.store.value_json import value_from_text, value_to_text
from wallet.core.attempt import (
    Attempt,
    Evidence,
    NotSent,
    Rejected,
    Reply,
    Silence,
    SilenceReason,
    Status,
    StatusWord,
)
from wallet.core.ledger_time import LedgerTime
from wallet.core.value import Value

EvidenceRow: TypeAlias = tuple[str, str, bytes | None, bytes | None]
"""kind, facts_json, raw, certificate."""


def evidence_to_row(evidence: Evidence) -> EvidenceRow:
    match evidence:
        case Reply(result, raw, certificate, time):
            return "reply", value_to_text({"result": result, "time": int(time)}), raw, certificate
        case Rejected(code, message, certified, error_code, certificate, time):
            facts: dict[str, Value] = {
                "code": code,
                "message": message,
                "certified": certified,
                "error_code": error_code,
                "time": None if time is None else int(time),
            }
            return "rejected", value_to_text(facts), None, certificate
        case NotSent(why):
            return "not_sent", value_to_text({"why": why}), None, None
        case Status(word, certificate, time, detail):
            return "status", value_to_text({"word": word.value, "time": int(time), "detail": detail}), None, certificate
        case Silence(reason, detail):
            return "silence", value_to_text({"reason": reason.value, "detail": detail}), None, None
        case _:
            assert_never(evidence)


def evidence_from_row(kind: str, facts_json: str, raw: bytes | None, certificate: bytes | None) -> Evidence:
    """ValueError where the row is none that `evidence_to_row` made."""
    match kind, value_from_text(facts_json):
        case "reply", {"result": list(result), "time": int(time)} if raw is not None and certificate is not None:
            return Reply(result, raw, certificate, LedgerTime(time))
        case (
            "rejected",
            {
                "code": int(code),
                "message": str(message),
                "certified": bool(certified),
                "error_code": (str() | None) as error_code,
                "time": (int() | None) as moment,
            },
        ) if certificate is not None:
            when = None if moment is None else LedgerTime(moment)
            return Rejected(code, message, certified, error_code, certificate, when)
        case "not_sent", {"why": str(why)}:
            return NotSent(why)
        case "status", {"word": str(word), "time": int(time), "detail": str(detail)} if certificate is not None:
            return Status(StatusWord(word), certificate, LedgerTime(time), detail)
        case "silence", {"reason": str(reason), "detail": str(detail)}:
            return Silence(SilenceReason(reason), detail)
        case _:
            raise ValueError(f"evidence of kind {kind!a} that cannot be read")


def insert_attempt(connection: sqlite3.Connection, intent_id: str, attempt: Attempt) -> None:
    connection.execute(
        "INSERT INTO attempt (intent_id, n, request_id, envelope, expiry, sent_at, posts) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            intent_id,
            attempt.n,
            attempt.request_id,
            attempt.envelope,
            stored_time(attempt.expiry),
            stored_time(attempt.sent_at),
            attempt.posts,
        ),
    )


def insert_evidence(connection: sqlite3.Connection, intent_id: str, n: int, evidence: Evidence) -> None:
    connection.execute(
        "INSERT INTO evidence (intent_id, n, kind, facts_json, raw, certificate) VALUES (?, ?, ?, ?, ?, ?)",
        (intent_id, n, *evidence_to_row(evidence)),
    )


def attempts_of(connection: sqlite3.Connection, intent_ids: Iterable[str]) -> dict[str, tuple[Attempt, ...]]:
    """The attempts of each intent in order, each with its evidence in the order it came."""
    ids = tuple(intent_ids)
    among = f"({', '.join('?' * len(ids))})"
    evidence: dict[tuple[str, int], list[Evidence]] = {}
    for row in connection.execute(
        "SELECT intent_id, n, kind, facts_json, raw, certificate FROM evidence"
        f" WHERE intent_id IN {among} ORDER BY intent_id, n, seq",
        ids,
    ):
        found = evidence_from_row(row["kind"], row["facts_json"], row["raw"], row["certificate"])
        evidence.setdefault((row["intent_id"], row["n"]), []).append(found)
    attempts: dict[str, tuple[Attempt, ...]] = {}
    for row in connection.execute(
        "SELECT intent_id, n, request_id, envelope, expiry, sent_at, posts FROM attempt"
        f" WHERE intent_id IN {among} ORDER BY intent_id, n",
        ids,
    ):
        attempt = Attempt(
            n=row["n"],
            request_id=row["request_id"],
            envelope=row["envelope"],
            expiry=LedgerTime(row["expiry"]),
            sent_at=LedgerTime(row["sent_at"]),
            posts=row["posts"],
            evidence=tuple(evidence.get((row["intent_id"], row["n"]), ())),
        )
        attempts[row["intent_id"]] = (*attempts.get(row["intent_id"], ()), attempt)
    return attempts
