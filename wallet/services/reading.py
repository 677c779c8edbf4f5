"""One walk over a ledger's blocks, from where an intent can first be to a certified end (R25)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from wallet.core.blocks import LedgerBlock, Likeness, WantedBlock, likeness, read_block
from wallet.core.errors import Untrusted
from wallet.core.history import ChainBroken, Reading, is_complete, read_on
from wallet.core.icrc3 import value_hash
from wallet.core.intent import Intent
from wallet.core.ledger_time import LedgerTime
from wallet.core.value import Value
from wallet.ports import Clock, Network, Store

PAGE = 100
"""Blocks asked for at once: what a ledger gives in one reply."""

CERTIFIED_PAGES = 20
"""Certified calls spent on a stretch whose chain, as told by queries, does not hold."""

TIP_TRIES = 5
"""Looks, a second apart, for a tip certificate that is not older than the question."""

Tell = Callable[[int, int, int], None]
"""Told with the first block, the one reached, and the last there is, as a walk goes on."""


class Gap(Exception):
    """A stretch of blocks that nobody gives out."""


@dataclass(frozen=True, slots=True)
class End:
    """The far end of the history: its last block (-1: there is none), that block's certified hash, and the certified
    moment of which it is true."""

    last: int
    hash: bytes | None
    until: LedgerTime


@dataclass(frozen=True, slots=True)
class Walked:
    """A reading that came to its end, or to a block that a certified call proved to be the intent (`proven`)."""

    reading: Reading
    proven: LedgerBlock | None = None


async def far_end(network: Network, clock: Clock, intent: Intent, since: LedgerTime) -> End:
    """The end of the blocks at `since` or later: the certified tip, else the last block as a certified call gives it.

    Raises Gap where neither is to be had, and NetworkFault.
    """
    for attempt in range(TIP_TRIES):
        try:
            tip = await network.tip(intent.ledger)
        except Untrusted:
            break
        if tip is None:
            break
        if tip[1] >= since:
            return End(tip[0].index, tip[0].hash, tip[1])
        if attempt + 1 < TIP_TRIES:
            await clock.sleep(1.0)  # the tip lags behind the moment that matters
    last = (await network.blocks(intent.ledger, 0, 1, certified=True)).log_length - 1
    if last < 0:
        return End(-1, None, since)
    stretch = await network.blocks(intent.ledger, last, 1, certified=True)
    if last not in stretch.blocks:
        raise Gap(f"the ledger does not certify its last block {last}")
    try:
        return End(last, value_hash(stretch.blocks[last]), since)
    except ValueError as fault:
        raise Gap(f"the ledger's last block {last} cannot be read: {fault}") from None


class Walk:
    """Follows the chain for one intent. Its position is kept after every page, so that the next walk goes on there."""

    def __init__(self, store: Store, network: Network, intent: Intent, wanted: WantedBlock, tell: Tell) -> None:
        self._store = store
        self._network = network
        self._intent = intent
        self._wanted = wanted
        self._tell = tell

    async def follow(self, end: End, *, certified: bool, stop_when_proven: bool) -> Walked:
        """Raises ChainBroken and MalformedBlock for blocks that are no chain, Gap for missing ones, NetworkFault."""
        reading = self._store.reading(self._intent.id) or await self._near_end(end)
        looked_at = 0
        pages = 0
        while True:
            for block in reading.same[looked_at:]:
                if stop_when_proven and await self._is_proven(block):
                    return Walked(reading, block)
            looked_at = len(reading.same)
            if is_complete(reading, end.last, end.hash):
                return Walked(self._checked_start(reading))
            if certified and (pages := pages + 1) > CERTIFIED_PAGES:
                raise Gap(f"the blocks after {reading.next - 1} are too many for certified calls")
            reading = read_on(reading, await self._page(reading.next, end, certified), self._wanted)
            self._store.keep_reading(self._intent.id, reading)
            self._tell(reading.first, reading.next - 1, end.last)

    async def _page(self, start: int, end: End, certified: bool) -> Mapping[int, Value]:
        length = min(PAGE, end.last + 1 - start)
        stretch = await self._network.blocks(self._intent.ledger, start, length, certified=certified)
        if start not in stretch.blocks and not certified:
            stretch = await self._network.blocks(self._intent.ledger, start, length, certified=True)
        if start not in stretch.blocks:
            raise Gap("; ".join(stretch.gaps) or f"the ledger does not give out block {start}")
        return stretch.blocks

    async def _is_proven(self, block: LedgerBlock) -> bool:
        """Whether a certified call gives this very block: then it needs no chain to the tip (R25)."""
        again = await self._network.block(self._intent.ledger, block.index)
        return again is not None and likeness(again, self._wanted) is Likeness.SAME

    # --- where to begin ---

    async def _near_end(self, end: End) -> Reading:
        """After the tip that was recorded with the stamp; without one, at the last block before the stamp (R25)."""
        if self._intent.anchor is not None:
            return Reading.after(self._intent.anchor)
        low, high = 0, end.last + 1  # the first block that is not earlier lies in low..high
        while low < high:
            middle = (low + high) // 2
            if await self._time_of(middle, end) < self._earliest:
                low = middle + 1
            else:
                high = middle
        start = max(low - 1, 0)
        if start > 0 and await self._time_of(start - 1, end) > await self._time_of(start, end):
            raise Gap(f"the times of blocks {start - 1} and {start} do not rise")
        return Reading.at(start)

    async def _time_of(self, index: int, end: End) -> LedgerTime:
        page = await self._page(index, End(index, None, end.until), certified=False)
        return read_block(index, page[index]).timestamp

    @property
    def _earliest(self) -> LedgerTime:
        """No block that holds the bytes can be earlier: their stamp less the drift a ledger permits."""
        return LedgerTime(self._intent.stamp - self._intent.window.drift_ns)

    def _checked_start(self, reading: Reading) -> Reading:
        """A start that was found by its time must, now that the chain vouches for it, lie before the stamp."""
        is_by_time = self._intent.anchor is None and reading.first > 0
        if is_by_time and (reading.begins is None or reading.begins >= self._earliest):
            raise ChainBroken(reading.first, "the block is later than it was said to be")
        return reading
