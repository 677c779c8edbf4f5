"""What history or the person said of an intent, and how far the history was read, as tagged JSON (R25, R27)."""

import sqlite3
from collections.abc import Sequence
from typing import assert_never

from wallet.adapters.store.value_json import value_from_text, value_to_text
from wallet.core.blocks import LedgerBlock, read_block
from wallet.core.finding import Absent, Answered, CannotTell, Finding, Found, LookedAgain, Span
from wallet.core.history import Reading
from wallet.core.ledger_time import LedgerTime
from wallet.core.value import Value


def block_to_value(block: LedgerBlock) -> Value:
    """The index and the raw value, from which the block is read again. ValueError where it would come out another."""
    if read_block(block.index, block.raw) != block:
        raise ValueError("the block is not what its raw value says")
    return [block.index, block.raw]


def block_from_value(value: Value) -> LedgerBlock:
    match value:
        case [int(index), raw]:
            return read_block(index, raw)
        case _:
            raise ValueError("a block that cannot be read")


def insert_finding(connection: sqlite3.Connection, intent_id: str, finding: Finding) -> None:
    kind, facts = _to_facts(finding)
    connection.execute(
        "INSERT INTO finding (intent_id, kind, facts_json) VALUES (?, ?, ?)", (intent_id, kind, value_to_text(facts))
    )


def findings_of(connection: sqlite3.Connection, intent_ids: Sequence[str]) -> dict[str, tuple[Finding, ...]]:
    """The findings about each intent, in the order they came."""
    findings: dict[str, tuple[Finding, ...]] = {}
    among = ", ".join("?" * len(intent_ids))
    for intent_id, kind, facts_json in connection.execute(
        f"SELECT intent_id, kind, facts_json FROM finding WHERE intent_id IN ({among}) ORDER BY intent_id, seq",
        intent_ids,
    ):
        finding = _from_facts(kind, value_from_text(facts_json))
        findings[intent_id] = (*findings.get(intent_id, ()), finding)
    return findings


def reading_to_text(reading: Reading) -> str:
    same: list[Value] = [block_to_value(block) for block in reading.same]
    unsure: list[Value] = list(reading.unsure)
    return value_to_text(
        {
            "first": reading.first,
            "next": reading.next,
            "parent": reading.parent,
            "begins": None if reading.begins is None else int(reading.begins),
            "same": same,
            "unsure": unsure,
        }
    )


def reading_from_text(text: str) -> Reading:
    match value_from_text(text):
        case {
            "first": int(first),
            "next": int(next_),
            "parent": (bytes() | None) as parent,
            "begins": (int() | None) as begins,
            "same": list(same),
            "unsure": list(unsure),
        }:
            blocks = tuple(map(block_from_value, same))
            return Reading(first, next_, parent, _moment(begins), blocks, _numbers(unsure))
        case _:
            raise ValueError("a reading that cannot be read")


def _to_facts(finding: Finding) -> tuple[str, Value]:
    match finding:
        case Found(span, block):
            return "found", {**_span_to_facts(span), "block": block_to_value(block)}
        case Absent(span, covers, settles):
            return "absent", {**_span_to_facts(span), "covers": list(covers), "settles": settles}
        case CannotTell(span, why, asks):
            return "cannot_tell", {**_span_to_facts(span), "why": why, "asks": asks}
        case Answered(executed, block_index):
            return "answered", {"executed": executed, "block": block_index}
        case LookedAgain(span, indices):
            return "looked_again", {**_span_to_facts(span), "blocks": list(indices)}
        case _:
            assert_never(finding)


def _from_facts(kind: str, facts: Value) -> Finding:
    match kind, facts:
        case "found", {"block": block, **span}:
            return Found(_span_from_facts(span), block_from_value(block))
        case "absent", {"covers": list(covers), "settles": bool(settles), **span}:
            return Absent(_span_from_facts(span), _numbers(covers), settles)
        case "cannot_tell", {"why": str(why), "asks": bool(asks), **span}:
            return CannotTell(_span_from_facts(span), why, asks)
        case "answered", {"executed": bool(executed), "block": (int() | None) as index}:
            return Answered(executed, index)
        case "looked_again", {"blocks": list(indices), **span}:
            return LookedAgain(_span_from_facts(span), _numbers(indices))
        case _:
            raise ValueError(f"a finding of kind {kind!a} that cannot be read")


def _span_to_facts(span: Span) -> dict[str, Value]:
    return {"first": span.first, "last": span.last, "until": None if span.until is None else int(span.until)}


def _span_from_facts(facts: object) -> Span:
    match facts:
        case {"first": (int() | None) as first, "last": (int() | None) as last, "until": (int() | None) as until}:
            return Span(first, last, _moment(until))
        case _:
            raise ValueError("a span that cannot be read")


def _moment(time: int | None) -> LedgerTime | None:
    return None if time is None else LedgerTime(time)


def _numbers(values: list[Value]) -> tuple[int, ...]:
    numbers = tuple(value for value in values if isinstance(value, int))
    if len(numbers) != len(values):
        raise ValueError("a number that cannot be read")
    return numbers
