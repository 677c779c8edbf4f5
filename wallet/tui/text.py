"""Plain text made ready for the screen: foreign text shown as what it is, signs with their colours, columns.

`Content` is never parsed as markup, so a memo or a ledger's name cannot style or link anything.
"""

from collections.abc import Iterable
from datetime import date, timedelta
from textwrap import wrap

from textual.content import Content

from wallet.core import memo as memos
from wallet.core.account import AccountId
from wallet.core.amount import format_amount, format_short
from wallet.core.attempt import Rejected, Reply
from wallet.core.finding import Absent, CannotTell, Found
from wallet.core.intent import Intent
from wallet.core.ledger_time import DAY, MINUTE, LedgerTime, as_datetime
from wallet.core.payee import Payee
from wallet.services.shown import plain, span
from wallet.services.wording import ALARM_GLYPH, Sign, glyph, sign, word

_COLOURS = {
    Sign.PREPARED: "$text-muted",
    Sign.SENDING: "$text-primary",
    Sign.SUCCESS: "$text-success",
    Sign.ALREADY_DONE: "$text-success",
    Sign.RETRYING: "$text-warning",
    Sign.NEW_STAMP: "$text-warning",
    Sign.FIX_INPUT: "$text-warning",
    Sign.FAILED: "$text-error",
    Sign.UNCLEAR: "$text-error",
    Sign.UNKNOWN: "$text-warning",
    Sign.RECONCILING: "$text-primary",
    Sign.ASKS: "$text-error",
    Sign.REJECTED: "$text-warning",
    Sign.EXECUTED: "$text-success",
    Sign.NOT_EXECUTED: "$text-muted",
    Sign.SUPERSEDED: "$text-muted",
}

Part = str | Content | tuple[str, str]

SENDING: Part = (f"{Sign.SENDING.glyph} {Sign.SENDING.word}", f"bold {_COLOURS[Sign.SENDING]}")
"""Of an intent that this wallet is sending now, whatever its last attempt said."""


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


LABEL = 10
"""Columns of the labels on the left."""


def alarm(text: str, width: int) -> list[Content]:
    return folded(f"{ALARM_GLYPH} ", f"alarm: {plain(text)}", width, "bold $text-error", 2)


def labelled(label: str, *parts: Part, width: int = LABEL) -> Content:
    return line((f"{label:<{width}}", "$text-muted"), *parts)


def amount(intent: Intent, base: int) -> str:
    """With every decimal the token has, and its thousands set apart."""
    return f"{format_amount(base, intent.card.decimals, grouping=True)} {plain(intent.card.symbol)}"


def amount_short(intent: Intent, base: int) -> str:
    return f"{format_short(base, intent.card.decimals, grouping=True)} {plain(intent.card.symbol)}"


def memo_short(content: bytes) -> str:
    """For a list: the text, or the hex digits, and nothing about them."""
    shown = memos.describe(content)
    return shown.hex if shown.text is None else shown.text


def folded(label: str, value: str, width: int, style: str = "", label_width: int = LABEL) -> list[Content]:
    """A label, and a value on as many lines of its own column as it needs: broken at spaces, else where it must."""
    room = max(width - label_width, 8)
    rows = wrap(value, room, break_on_hyphens=False) or [""]
    return [labelled("" if n else label, (row, style), width=label_width) for n, row in enumerate(rows)]


def side_by_side(parts: Iterable[Part], width: int, gap: int = 3) -> list[Content]:
    """In a row, and on the next where there is no room: none of them is broken."""
    rows: list[Content] = []
    for part in map(line, parts):
        if rows and len(rows[-1].plain) + gap + len(part.plain) <= width:
            rows[-1] = line(rows[-1], " " * gap, part)
        else:
            rows.append(part)
    return rows


def cut(value: str, room: int) -> str:
    """For a list, where the whole is a key away."""
    return value if len(value) <= room else f"{value[: room - 1]}…"


def account_in_full(account: Payee, width: int) -> list[str]:
    """The whole account text, broken only where a person would break it: after a dash, and between hex digits."""
    head, point, digits = account.text.partition(".")
    *groups, last = head.split("-")
    parts = [f"{group}-" for group in groups] + [last + point]
    if isinstance(account, AccountId):
        parts, digits = [], account.text
    parts += [digits[at : at + 8] for at in range(0, len(digits), 8)]
    rows = [""]
    for part in parts:
        if rows[-1] and len(rows[-1]) + len(part) > width:
            rows.append("")
        rows[-1] += part
    return rows


def account_rows(label: str, account: Payee, width: int, style: str = "") -> list[Content]:
    return [labelled("" if n else label, (row, style)) for n, row in enumerate(account_in_full(account, width - LABEL))]


def clock(moment: LedgerTime) -> str:
    """The time of day of what the network and the ledger do: theirs, so UTC."""
    return f"{as_datetime(moment):%H:%M:%S} UTC"


def day_and_clock(moment: LedgerTime) -> str:
    """Where the person is."""
    shown = as_datetime(moment).astimezone()
    return f"{shown.day} {shown:%b %H:%M}"


def when(moment: LedgerTime, now: LedgerTime | None) -> str:
    """The time of day where the person is, and the date where it is not today's."""
    is_today = now is not None and _day(now) == _day(moment)
    return f"{as_datetime(moment).astimezone():%H:%M}" if is_today else day_and_clock(moment)


def here(moment: LedgerTime) -> str:
    """To follow a moment in UTC: what it is where the person is, unless that is the same."""
    abroad = as_datetime(moment)
    shown = abroad.astimezone()
    if shown.utcoffset() == timedelta(0):
        return ""
    date_too = "" if shown.date() == abroad.date() else f"{shown:%Y-%m-%d} "
    return f" ({date_too}{shown:%H:%M:%S %z} here)"


def _day(moment: LedgerTime) -> date:
    return as_datetime(moment).astimezone().date()


def settled_at(intent: Intent) -> LedgerTime | None:
    """The certified moment of the latest thing on record that could settle it; None where there is no such thing."""
    answers = [
        each.time
        for attempt in intent.attempts
        for each in attempt.evidence
        if isinstance(each, (Reply, Rejected)) and each.time is not None
    ]
    looks = [each.span.until for each in intent.findings if isinstance(each, (Found, Absent, CannotTell))]
    return max((*answers, *(each for each in looks if each is not None)), default=None)


def rough(nanoseconds: int) -> str:
    """How long, without the seconds of what takes minutes: `23 h 56 min`, `3 min`, `40 s`."""
    return span(nanoseconds) if nanoseconds < MINUTE else span(nanoseconds // MINUTE * MINUTE)


def age(moment: LedgerTime, now: LedgerTime | None) -> str:
    if now is None:
        return day_and_clock(moment)
    gone = now - moment
    return f"{rough(gone)} ago" if gone < 2 * DAY else day_and_clock(moment)


def window(intent: Intent, now: LedgerTime | None) -> str:
    left = intent.window_closes - now if now is not None else None
    if left is None:
        return f"until {day_and_clock(intent.window_closes)}"
    return f"window {rough(left)}" if left > 0 else "window closed"
