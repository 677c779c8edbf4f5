"""Ledger time on the screen: certified moments, carried on between them by the host's monotonic clock."""

from wallet.core.ledger_time import SECOND, LedgerTime
from wallet.ports import Clock


class LedgerClock:
    """Shows time and decides nothing: whatever is stamped or sent asks the network itself (R11, R33)."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._certified: LedgerTime | None = None
        self._noted_at_s = 0.0

    def note(self, certified: LedgerTime) -> None:
        """A certified moment, just heard."""
        self._certified = certified
        self._noted_at_s = self._clock.now_s()

    def now(self) -> LedgerTime | None:
        """None until a certified moment was heard."""
        if self._certified is None:
            return None
        return LedgerTime(self._certified + int((self._clock.now_s() - self._noted_at_s) * SECOND))
