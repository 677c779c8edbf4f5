"""Plain text made ready for the screen: foreign text shown as what it is, signs with their colours, columns.

`Content` is never parsed as markup, so a memo or a ledger's name cannot style or link anything.
"""

from collections.abc import Iterable

from textual.content import Content

from wallet.core import memo as memos
from wallet.core.account import Account
from wallet.core.intent import Intent
from wallet.core.ledger_time import DAY, LedgerTime, as_datetime
from wallet.services.wording import ALARM_GLYPH, Sign, glyph, plain, sign, span, word

_COLOURS = {
    Sign.PREPARED: "$text-muted",
    Sign.SENDING: "$text-primary",
    Sign.SUCCESS: "$text-success",
    Sign.ALREADY_DONE: "$text-success",
    Sign.RETRYING: "$text-warning",
    Sign.NEW_STAMP: "$text-warning",
    Sign.FIX_INPUT: "$text-warning",
    Sign.FAILED: "$text-error",
    Sign.UNKNOWN: "$text-warning",
    Sign.RECONCILING: "$text-primary",
    Sign.ASKS: "$text-error",
    Sign.REJECTED: "$text-warning",
    Sign.EXECUTED: "$text-success",
    Sign.NOT_EXECUTED: "$text-muted",
    Sign.SUPERSEDED: "$text-muted",
}

Part = str | Content | tuple[str, str]


def line(*parts: Part) -> Content:
    """One line out of plain and (text, style) parts."""
    return Content.assemble(*parts)


def lines(rows: Iterable[Content]) -> Content:
    return Content("\n").join(rows)


def colour(intent: Intent) -> str:
    return _COLOURS[sign(intent)]


def mark(intent: Intent) -> Part:
    """Glyph and word, in the colour of both: never one without the others."""
    return (f"{glyph(intent)} {word(intent)}", f"bold {colour(intent)}")


def alarm(text: str) -> Content:
    return line((f"{ALARM_GLYPH} alarm: {plain(text)}", "bold $text-error"))


def labelled(label: str, *parts: Part, width: int = 10) -> Content:
    return line((f"{label:<{width}}", "$text-muted"), *parts)


def amount(intent: Intent, base: int) -> str:
    return f"{intent.card.text(base)} {plain(intent.card.symbol)}"


def amount_short(intent: Intent, base: int) -> str:
    return f"{intent.card.text_short(base)} {plain(intent.card.symbol)}"


def memo(content: bytes | None) -> str:
    if content is None:
        return "none"
    shown = memos.describe(content)
    if shown.text is None:
        return f"{shown.hex}  (hex, {len(content)} bytes)"
    return f'"{shown.text}"  (text, {len(content)} bytes)'


def memo_short(content: bytes) -> str:
    """For a list: the text, or the hex digits, and nothing about them."""
    shown = memos.describe(content)
    return shown.hex if shown.text is None else shown.text


def grouped(digest: str) -> str:
    return " ".join(digest[at : at + 4] for at in range(0, len(digest), 4))


def account_in_full(account: Account, width: int) -> list[str]:
    """The whole account text, broken at dashes where it is longer than a line: nothing of it is ever cut off."""
    rows = [""]
    for group in _groups(account.text):
        if len(rows[-1]) + len(group) > width and rows[-1]:
            rows.append("")
        while len(group) > width:
            rows[-1], group = group[:width], group[width:]
            rows.append("")
        rows[-1] += group
    return rows


def _groups(text: str) -> list[str]:
    pieces = text.replace(".", "-.").split("-")
    return [
        piece + ("-" if n + 1 < len(pieces) and not pieces[n + 1].startswith(".") else "")
        for n, piece in enumerate(pieces)
    ]


def clock(moment: LedgerTime) -> str:
    return f"{as_datetime(moment):%H:%M:%S}"


def day_and_clock(moment: LedgerTime) -> str:
    return f"{as_datetime(moment):%-d %b %H:%M}"


def age(moment: LedgerTime, now: LedgerTime | None) -> str:
    if now is None:
        return day_and_clock(moment)
    gone = now - moment
    return f"{span(gone)} ago" if gone < 2 * DAY else day_and_clock(moment)


def window(intent: Intent, now: LedgerTime | None) -> str:
    left = intent.window_closes - now if now is not None else None
    if left is None:
        return f"window until {day_and_clock(intent.window_closes)}"
    return f"window {span(left)}" if left > 0 else "window closed"
