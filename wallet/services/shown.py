"""Small texts that screens and the command line share: foreign text, values, moments, spans."""

from collections.abc import Mapping

from wallet.core.ledger_time import HOUR, MINUTE, SECOND, LedgerTime, as_datetime
from wallet.core.memo import describe, is_plain
from wallet.core.value import Value


def plain(text: str) -> str:
    """Foreign text that cannot move the cursor or hide: what cannot be seen is shown as its code."""
    return "".join(character if is_plain(character) else f"\\u{ord(character):04x}" for character in text)


def memo_text(content: bytes | None) -> str:
    """A memo and what it is: text where it reads as one, else hex digits."""
    if content is None:
        return "none"
    described = describe(content)
    if described.text is None:
        return f"{described.hex}  (hex, {len(content)} bytes)"
    return f'"{described.text}"  (text, {len(content)} bytes)'


def grouped(digest: str) -> str:
    """A digest as it is compared by eye."""
    return " ".join(digest[at : at + 4] for at in range(0, len(digest), 4))


def show_value(value: Value) -> str:
    """A payload in one line."""
    match value:
        case None:
            return ""
        case bytes():
            return value.hex()
        case str():
            return f'"{plain(value)}"'
        case Mapping():
            return "{" + ", ".join(f"{plain(name)}: {show_value(item)}" for name, item in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(show_value, value)) + "]"
    return plain(str(value))


def utc(moment: LedgerTime) -> str:
    return f"{as_datetime(moment):%Y-%m-%d %H:%M:%S} UTC"


def local(moment: LedgerTime) -> str:
    """By the host's time zone, with its offset from UTC."""
    return f"{as_datetime(moment).astimezone():%Y-%m-%d %H:%M:%S %z}"


def span(nanoseconds: int) -> str:
    """How long, in two units at most: `23 h 57 min`, `24 h`, `40 s`."""
    seconds = max(0, nanoseconds // SECOND)
    hours, minutes = divmod(seconds * SECOND // MINUTE, HOUR // MINUTE)
    if hours >= 48:
        return _two(hours // 24, "d", hours % 24, "h")
    if hours:
        return _two(hours, "h", minutes, "min")
    return _two(minutes, "min", seconds % 60, "s") if minutes else f"{seconds} s"


def _two(great: int, unit: str, small: int, small_unit: str) -> str:
    return f"{great} {unit} {small} {small_unit}" if small else f"{great} {unit}"
