"""An intent as a row of table `intent`, both ways, with everything that hangs on it."""

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

from wallet.adapters.store.database import stored_time
from wallet.adapters.store.evidence_rows import attempts_of
from wallet.adapters.store.finding_rows import block_from_value, block_to_value, findings_of
from wallet.adapters.store.value_json import MAX_DECIMAL_BITS, value_from_text, value_to_text
from wallet.core.account import Account
from wallet.core.amount import Base
from wallet.core.arguments import read_back
from wallet.core.blocks import LedgerBlock
from wallet.core.intent import Card, Duplicate, Intent, Outcome, State
from wallet.core.ledger_time import DedupWindow, LedgerTime
from wallet.core.outcome import OutcomeClass
from wallet.core.pack import Pack
from wallet.core.pack_text import inspect_pack
from wallet.core.payee import read_payee
from wallet.core.principal import Principal
from wallet.core.tip import Tip
from wallet.core.value import Value

Sql: TypeAlias = int | str | bytes | None

CHUNK = 200
"""Intents read at once; SQLite limits the parameters of one statement."""

SELECT_INTENT = (
    "SELECT intent.*, pack.name AS pack_name, pack.text AS pack_text FROM intent JOIN pack ON pack.seq = pack_seq"
)


def facts_to_row(intent: Intent, pack_seq: int, supersedes: str | None) -> dict[str, Sql]:
    """The columns that never change (R12)."""
    card, anchor = intent.card, intent.anchor
    return {
        "id": intent.id,
        "network": intent.network,
        "root_key": intent.root_key,
        "ledger": intent.ledger.text,
        "ledger_name": intent.ledger_name,
        "method": intent.method,
        "sender": intent.sender.text,
        "pack_seq": pack_seq,
        "arguments_json": value_to_text(dict(intent.arguments)),
        "fee_is_auto": intent.fee_is_auto,
        "amount_is_max": intent.amount_is_max,
        "lookup_key": intent.lookup_key,
        "stamp": stored_time(intent.stamp),
        "tx_window_ns": stored_time(intent.window.tx_window_ns),
        "drift_ns": stored_time(intent.window.drift_ns),
        "window_assumed": intent.window.assumed,
        "argument_bytes": intent.argument_bytes,
        "argument_sha256": hashlib.sha256(intent.argument_bytes).digest(),
        "from_account": card.sender.text,
        "to_account": card.recipient.text,
        "amount": str(card.amount),
        "fee": str(card.fee),
        "symbol": card.symbol,
        "decimals": card.decimals,
        "memo": card.memo,
        "warnings_json": json.dumps(card.warnings),
        "anchor_index": None if anchor is None else _height_to_text(anchor.index),
        "anchor_hash": None if anchor is None else anchor.hash,
        "supersedes": supersedes,
        "prepared_at": stored_time(intent.prepared_at),
    }


def outcome_to_row(outcome: Outcome) -> dict[str, Sql]:
    return {
        "state": outcome.state.value,
        "outcome_class": None if outcome.outcome_class is None else outcome.outcome_class.value,
        "case_path": outcome.case,
        "payload_json": value_to_text(outcome.payload),
        "settled_by": outcome.settled_by,
        "moved": outcome.moved,
        "block": _height_to_text(outcome.block),
        "duplicate_of": _height_to_text(outcome.duplicate_of),
        "look_due": outcome.look_due,
    }


def duplicate_to_text(block: LedgerBlock | None, differs: Sequence[str]) -> str:
    return value_to_text({"block": None if block is None else block_to_value(block), "differs": list(differs)})


def read_intents(connection: sqlite3.Connection, where: str, parameters: Sequence[Sql] = ()) -> list[Intent]:
    """The intents that `where` (and what may follow it) selects. ValueError where a row is damaged."""
    rows = connection.execute(f"{SELECT_INTENT} {where}", parameters).fetchall()
    return [
        intent for start in range(0, len(rows), CHUNK) for intent in _complete(connection, rows[start : start + CHUNK])
    ]


def _complete(connection: sqlite3.Connection, rows: Sequence[sqlite3.Row]) -> Iterator[Intent]:
    ids = [row["id"] for row in rows]
    attempts = attempts_of(connection, ids)
    findings = findings_of(connection, ids)
    alarms: dict[str, tuple[str, ...]] = {}
    among = ", ".join("?" * len(ids))
    for intent_id, text in connection.execute(
        f"SELECT intent_id, text FROM alarm WHERE intent_id IN ({among}) AND acknowledged = 0 ORDER BY intent_id, seq",
        ids,
    ):
        alarms[intent_id] = (*alarms.get(intent_id, ()), text)
    for row in rows:
        intent = _intent_from_row(row)
        yield replace(
            intent,
            attempts=attempts.get(intent.id, ()),
            findings=findings.get(intent.id, ()),
            alarms=alarms.get(intent.id, ()),
        )


def _intent_from_row(row: sqlite3.Row) -> Intent:
    # These bytes are what is sent: a flipped bit would be another payment (R12).
    if hashlib.sha256(row["argument_bytes"]).digest() != row["argument_sha256"]:
        raise ValueError(f"the bytes of intent {row['id']} are not those that were stored")
    sender, arguments = Principal.from_text(row["sender"]), _record(row["arguments_json"])
    pack = _pack(row["pack_name"], row["pack_text"])
    said = read_back(pack, row["method"], sender, arguments)
    return Intent(
        id=row["id"],
        network=row["network"],
        root_key=row["root_key"],
        ledger=Principal.from_text(row["ledger"]),
        ledger_name=row["ledger_name"],
        method=row["method"],
        sender=sender,
        pack=pack,
        arguments=arguments,
        fee_is_auto=bool(row["fee_is_auto"]),
        amount_is_max=bool(row["amount_is_max"]),
        stamp=LedgerTime(row["stamp"]),
        window=DedupWindow(row["tx_window_ns"], row["drift_ns"], bool(row["window_assumed"])),
        argument_bytes=row["argument_bytes"],
        card=Card(
            sender=Account.from_text(row["from_account"]),
            recipient=read_payee(row["to_account"]),
            amount=Base(int(row["amount"])),
            fee=Base(int(row["fee"])),
            symbol=row["symbol"],
            decimals=row["decimals"],
            memo=row["memo"],
            warnings=tuple(json.loads(row["warnings_json"])),
            operation=said.operation,
            spender=said.spender,
            expires_at=said.expires_at,
            memo_is_number=said.memo_is_number,
        ),
        anchor=None if row["anchor_index"] is None else Tip(int(row["anchor_index"], 0), row["anchor_hash"]),
        ref=row["ref"],
        supersedes=row["supersedes"],
        superseded_by=row["superseded_by"],
        dropped=bool(row["dropped"]),
        confirmed=bool(row["confirmed"]),
        outcome=_outcome(row),
        duplicate=None if row["duplicate_json"] is None else _duplicate(row["duplicate_json"]),
        version=row["version"],
        prepared_at=LedgerTime(row["prepared_at"]),
    )


def _outcome(row: sqlite3.Row) -> Outcome:
    return Outcome(
        state=State(row["state"]),
        outcome_class=None if row["outcome_class"] is None else OutcomeClass(row["outcome_class"]),
        case=row["case_path"],
        payload=value_from_text(row["payload_json"]),
        settled_by=row["settled_by"],
        moved=None if row["moved"] is None else bool(row["moved"]),
        block=_height(row["block"]),
        duplicate_of=_height(row["duplicate_of"]),
        look_due=bool(row["look_due"]),
    )


def _height_to_text(height: int | None) -> str | None:
    """Decimal, but hexadecimal where a ledger names an absurd one: Python limits how long a decimal text may be."""
    if height is None:
        return None
    return str(height) if height.bit_length() <= MAX_DECIMAL_BITS else hex(height)


def _height(text: str | None) -> int | None:
    return None if text is None else int(text, 0)


def _record(text: str) -> Mapping[str, Value]:
    match value_from_text(text):
        case dict(record):
            return record
        case _:
            raise ValueError("arguments that are no record")


def _duplicate(text: str) -> Duplicate:
    match _record(text):
        case {"block": None, "differs": list(names)}:
            return Duplicate(None, tuple(map(str, names)))
        case {"block": block, "differs": list(names)}:
            return Duplicate(block_from_value(block), tuple(map(str, names)))
        case _:
            raise ValueError("a duplicate that cannot be read")


@lru_cache(maxsize=64)
def _pack(name: str, text: str) -> Pack:
    # A later wallet may find fault with a pack that was used: its intents must stay readable all the same.
    pack, _ = inspect_pack(name, text)
    return pack
