"""What time it is on the network: the highest certified time seen, carried on by the host's monotonic clock (R33)."""

import time
from collections.abc import Callable
from typing import Final

from wallet.core.ledger_time import MINUTE, LedgerTime

MAX_AGE_NS: Final = 5 * MINUTE
"""A certificate older than this is stale: what it shows may have changed long ago."""


class NetworkTime:
    """The network's clock as far as certificates have told it. The host's wall clock decides nothing here.

    A monotonic clock that stood still (a laptop that slept) makes the estimate late, never early.
    """

    def __init__(
        self,
        monotonic_ns: Callable[[], int] = time.monotonic_ns,
        wall_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._monotonic_ns = monotonic_ns
        self._wall_ns = wall_ns
        self._seen: LedgerTime | None = None
        self._seen_at_ns = 0
        self._earlier = LedgerTime(0)

    def remember(self, certified: LedgerTime) -> None:
        """A certified time of an earlier session: nothing much older is current, but it does not tell the time."""
        self._earlier = max(self._earlier, certified)

    def observe(self, certified: LedgerTime) -> None:
        """Take note of a verified certificate's time."""
        now = self.now()
        if now is None or certified > now:
            self._seen, self._seen_at_ns = certified, self._monotonic_ns()

    def now(self) -> LedgerTime | None:
        """The estimate; None until a certified time was seen. Good for expiries and ages, not for stamps."""
        if self._seen is None:
            return None
        return LedgerTime(self._seen + self._monotonic_ns() - self._seen_at_ns)

    def is_stale(self, certified: LedgerTime) -> bool:
        return max(self.now() or 0, self._earlier) - certified > MAX_AGE_NS

    @property
    def host_offset_ns(self) -> int | None:
        """How far the host's wall clock is ahead of the network's (negative: behind), for the person to know."""
        now = self.now()
        return None if now is None else self._wall_ns() - now
