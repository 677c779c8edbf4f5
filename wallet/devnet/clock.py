"""The network's time: the host's clock and an offset, never going back."""

from __future__ import annotations

import time
from collections.abc import Callable

from wallet.core.ledger_time import LedgerTime


class NetworkClock:
    """`offset` is in nanoseconds and only ever grows; `latest` is the last time shown."""

    def __init__(self, offset: int, latest: int, host_ns: Callable[[], int] = time.time_ns) -> None:
        self.offset = offset
        self.latest = latest
        self._host_ns = host_ns

    def now(self) -> LedgerTime:
        self.latest = max(self.latest + 1, self._host_ns() + self.offset)
        return LedgerTime(self.latest)

    def jump(self, nanoseconds: int) -> None:
        """Set the time ahead for good."""
        self.offset += nanoseconds

    @property
    def saved(self) -> tuple[int, int]:
        return self.offset, self.latest
