"""Two things side by side, field by field: an intent and a block (R20), an old intent and its successor (R23)."""

from collections.abc import Iterator

from textual.content import Content

from wallet.core.blocks import LedgerBlock
from wallet.core.intent import Duplicate, Intent
from wallet.core.ledger_time import SECOND, LedgerTime, as_datetime
from wallet.services.wording import plain, utc
from wallet.tui import text

Row = tuple[str, str, str, str]
"""Label, left, right, mark."""


def exact(moment: LedgerTime | None) -> str:
    """A stamp to the nanosecond."""
    if moment is None:
        return "none"
    nanos = f"{moment % SECOND:09}"
    return f"{as_datetime(moment):%H:%M:%S}.{nanos[:3]} {nanos[3:6]} {nanos[6:]}"


def intent_and_block(intent: Intent, duplicate: Duplicate) -> Content:
    """The intent beside the block that already_done names; what differs is marked."""
    block = duplicate.block
    if block is None:
        return text.line(("The block could not be read; the ledger's answer stands.", "$text-warning"))
    card = intent.card
    rows: list[tuple[str, str, str, str]] = [
        ("amount", "amount", text.amount(intent, card.amount), _amount(intent, block)),
        ("to", "to", card.recipient.short, block.recipient.short if block.recipient else "none"),
        ("from", "from", card.sender.short, block.sender.short if block.sender else "none"),
        ("fee", "fee", text.amount(intent, card.fee), "none" if block.fee is None else text.amount(intent, block.fee)),
        ("memo", "memo", text.memo(card.memo), text.memo(block.memo)),
        ("stamp", "stamp", exact(intent.stamp), exact(block.stamp)),
    ]
    marked = [(label, left, right, "✗" if field in duplicate.differs else "✓") for field, label, left, right in rows]
    table = list(_table("your intent", f"block {block.index}", marked))
    table.append(text.labelled("executed", utc(block.timestamp)))
    return text.lines(table)


def old_and_new(old: Intent, new: Intent) -> Content:
    """What the re-stamped intent would send, beside what the old one did; every change is marked."""
    pairs = [
        ("stamp", utc(old.stamp), utc(new.stamp)),
        ("amount", text.amount(old, old.card.amount), text.amount(new, new.card.amount)),
        ("fee", text.amount(old, old.card.fee), text.amount(new, new.card.fee)),
        ("total", text.amount(old, old.card.total), text.amount(new, new.card.total)),
        ("memo", text.memo(old.card.memo), text.memo(new.card.memo)),
        ("digest", text.grouped(old.digest), text.grouped(new.digest)),
    ]
    rows: list[Row] = [(label, left, right, "" if left == right else "← new") for label, left, right in pairs]
    return text.lines(_table(f"{old.id} (old)", f"{new.id} (new)", rows))


def _table(left_title: str, right_title: str, rows: list[Row]) -> Iterator[Content]:
    width = max(26, *(len(left) + 2 for _, left, _, _ in rows))
    yield text.line((f"{'':<10}{left_title:<{width}}{right_title}", "bold"))
    styles = {"✓": "$text-success", "✗": "bold $text-error", "← new": "bold $text-warning"}
    right_width = max(len(right) for _, _, right, _ in rows)
    for label, left, right, mark in rows:
        yield text.labelled(label, f"{left:<{width}}{right:<{right_width}}  ", (mark, styles.get(mark, "")))


def _amount(intent: Intent, block: LedgerBlock) -> str:
    return "none" if block.amount is None else f"{intent.card.text(block.amount)} {plain(intent.card.symbol)}"
