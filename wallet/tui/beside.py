"""Two things side by side, field by field: an intent and a block (R20), an old intent and its successor (R23).

Nothing is shortened: what does not fit its column is folded there, and what is equal and long stands once, across both.
"""

from collections.abc import Iterator
from itertools import zip_longest
from textwrap import wrap

from textual.content import Content

from wallet.core.account import Account, AccountId
from wallet.core.blocks import LedgerBlock
from wallet.core.intent import Duplicate, Intent
from wallet.core.ledger_time import SECOND, LedgerTime, as_datetime
from wallet.core.pack import Operation
from wallet.core.payee import Payee
from wallet.services import wording
from wallet.services.shown import grouped, memo_text, utc
from wallet.tui import text

Cell = str | Payee
Row = tuple[str, Cell, Cell, str]
"""Label, left, right, mark."""

SAME, OTHER, NEW = "✓", "✗ differs", "← new"
_STYLES = {SAME: "$text-success", OTHER: "bold $text-error", NEW: "bold $text-warning"}
_GAP = 2
LEAST = 40
"""Columns that a table is laid out for at the least: a screen that is just opening has none at all."""


def exact(moment: LedgerTime | None) -> str:
    """A stamp to the nanosecond, by the ledger's clock."""
    if moment is None:
        return "none"
    nanos = f"{moment % SECOND:09}"
    return f"{as_datetime(moment):%Y-%m-%d %H:%M:%S}.{nanos[:3]} {nanos[3:6]} {nanos[6:]}"


def intent_and_block(intent: Intent, duplicate: Duplicate, width: int) -> Content:
    """The intent beside the block that already_done names; what differs is marked."""
    block = duplicate.block
    if block is None:
        return text.line(("The block could not be read; the ledger's answer stands.", "$text-warning"))
    card, differs = intent.card, duplicate.differs
    is_approve = card.operation is Operation.APPROVE
    fee = "none" if block.fee is None else text.amount(intent, block.fee)
    rows: list[tuple[str, Cell, Cell]] = [
        *([("op", intent.method, block.op)] if "op" in differs else []),
        ("amount", text.amount(intent, card.amount), _amount(intent, block)),
        *([] if is_approve else [("to", card.recipient, block.recipient or "none")]),
        *_about_allowance(intent, block, differs),
        ("from", card.sender, block.sender or "none"),
        ("fee", text.amount(intent, card.fee), fee),
        # A number is in no block in the form in which it is sent.
        *([] if card.memo_is_number else [("memo", memo_text(card.memo), memo_text(block.memo))]),
        ("stamp", exact(intent.stamp), exact(block.stamp)),
    ]
    names = {"expires_at": "until", "op": "kind"}
    marked = [
        (names.get(field, field), left, right, OTHER if field in differs else SAME) for field, left, right in rows
    ]
    table = list(_table("your intent", f"block {block.index}", marked, width))
    table.append(text.labelled("executed", utc(block.timestamp)))
    return text.lines(table)


def _about_allowance(intent: Intent, block: LedgerBlock, differs: tuple[str, ...]) -> Iterator[tuple[str, Cell, Cell]]:
    """Who may spend, and until when; of a plain transfer only where the block has what it must not have."""
    card = intent.card
    is_approve = card.operation is Operation.APPROVE
    spender = card.recipient if is_approve else card.spender
    if spender is not None or "spender" in differs:
        yield "spender", spender or "none", block.spender or "none"
    if is_approve or "expires_at" in differs:
        yield "expires_at", _moment(card.expires_at), _moment(block.expires_at)


def _moment(moment: LedgerTime | None) -> str:
    return "none" if moment is None else utc(moment)


def old_and_new(old: Intent, new: Intent, width: int) -> Content:
    """What the re-stamped intent would send, beside what the old one did; every change is marked."""
    pairs: list[tuple[str, Cell, Cell]] = [
        ("stamp", utc(old.stamp), utc(new.stamp)),
        ("amount", text.amount(old, old.card.amount), text.amount(new, new.card.amount)),
        ("fee", text.amount(old, old.card.fee), text.amount(new, new.card.fee)),
        ("total", text.amount(old, old.card.total), text.amount(new, new.card.total)),
        (wording.payee_label(new), old.card.recipient, new.card.recipient),
        *([("until", _moment(old.card.expires_at), _moment(new.card.expires_at))] if new.card.expires_at else []),
        ("memo", wording.memo(old), wording.memo(new)),
        ("digest", grouped(old.digest), grouped(new.digest)),
    ]
    rows = [(label, left, right, "" if left == right else NEW) for label, left, right in pairs]
    return text.lines(_table(f"{old.id} (old)", f"{new.id} (new)", rows, width))


def _table(left_title: str, right_title: str, rows: list[Row], width: int) -> Iterator[Content]:
    width = max(width, LEAST)
    mark_width = max(len(mark) for *_, mark in rows)
    room = max((width - text.LABEL - mark_width - 2 * _GAP) // 2, 10)
    widest = max(len(each) for _, left, right, _ in rows for each in (*_folded(left, room), *_folded(right, room)))
    column = max(min(room, widest), len(left_title)) + _GAP
    across = width - text.LABEL - mark_width - 1
    wide = [len(_folded(left, across)[0]) + 1 for _, left, right, _ in rows if _is_across(left, right, room)]
    marks_at = max(2 * column, *wide, 0)
    yield text.line((f"{'':<{text.LABEL}}{left_title:<{column}}{right_title}", "bold"))
    for label, left, right, mark in rows:
        shown = (mark, _STYLES.get(mark, ""))
        if _is_across(left, right, room):
            whole = _folded(left, across)
            yield text.labelled(label, f"{whole[0]:<{marks_at}}", shown)
            yield from (text.labelled("", each) for each in whole[1:])
            continue
        pairs = list(zip_longest(_folded(left, room), _folded(right, room), fillvalue=""))
        for n, (one, other) in enumerate(pairs):
            parts = f"{one:<{column}}{other}"
            yield text.labelled(label, f"{parts:<{marks_at}}", shown) if n == 0 else text.labelled("", parts)


def _is_across(left: Cell, right: Cell, room: int) -> bool:
    """What is the same on both sides, and too long for either."""
    return left == right and len(_folded(left, room)) > 1


def _folded(cell: Cell, room: int) -> list[str]:
    if isinstance(cell, Account | AccountId):
        return text.account_in_full(cell, room)
    return wrap(cell, room, break_on_hyphens=False) or [""]


def _amount(intent: Intent, block: LedgerBlock) -> str:
    return "none" if block.amount is None else text.amount(intent, block.amount)
