"""Time on the ledger's clock, in nanoseconds, and the window in which a ledger knows a repeat (R21)."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, NewType

LedgerTime = NewType("LedgerTime", int)
"""Nanoseconds since 1970 on the network's certified clock; never the host's."""

SECOND = 1_000_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR


@dataclass(frozen=True, slots=True)
class DedupWindow:
    """How long the ledger answers a repeat with Duplicate. `assumed` says that nobody told us (R21)."""

    tx_window_ns: int = DAY
    drift_ns: int = 2 * MINUTE
    assumed: bool = True

    def closes(self, stamp: LedgerTime) -> LedgerTime:
        """Nothing is sent later than this moment; nothing rests on the drift (R21)."""
        return LedgerTime(stamp + self.tx_window_ns)

    def is_open(self, stamp: LedgerTime, now: LedgerTime) -> bool:
        return now <= self.closes(stamp)


LATEST = 253_402_300_799 * SECOND
"""The last second of the year 9999, which calendars end with; a hostile ledger may name a later one."""


def as_datetime(moment: LedgerTime) -> datetime:
    """The moment in UTC, cut to microseconds; the end of the calendar for one beyond it."""
    seconds, nanos = divmod(min(max(moment, 0), LATEST), SECOND)
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=nanos // 1000)


_UNITS: Final = {"s": SECOND, "m": MINUTE, "h": HOUR, "d": DAY}
_DURATION: Final = re.compile(r"([0-9]{1,9})([smhd])\Z")
_LONGEST: Final = 10 * 366 * DAY


def parse_duration(text: str) -> int:
    """Nanoseconds of `90s`, `10m`, `24h`, `1d`. ValueError with a sentence for a person."""
    found = _DURATION.match(text.strip())
    duration = int(found[1]) * _UNITS[found[2]] if found else 0
    if not 0 < duration <= _LONGEST:
        raise ValueError(f"{text!a} is no duration: write it as 90s, 10m, 24h or 1d")
    return duration
