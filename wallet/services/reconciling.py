"""Looking for an intent in the ledger's blocks: found, proven absent, or neither - never a guess (R24, R25, R27)."""

from wallet.core.blocks import MalformedBlock
from wallet.core.finding import NO_BLOCKS, Absent, CannotTell, Found, LookedAgain, Span
from wallet.core.history import ChainBroken, Reading
from wallet.core.intent import Intent, State
from wallet.core.lifecycle import can_none_start
from wallet.ports import Clock, LedgerEntry, Network, Store
from wallet.services.duplicate import wanted_block
from wallet.services.reading import End, Gap, Tell, Walk, Walked, far_end


class Reconciling:
    """Reads the history of one network's ledgers. Raises NetworkFault where the network itself is silent: what was
    read by then is kept, and the next look goes on from there."""

    def __init__(self, store: Store, network: Network, clock: Clock) -> None:
        self._store = store
        self._network = network
        self._clock = clock

    async def look(self, intent: Intent, ledger: LedgerEntry | None, tell: Tell) -> Found | Absent | CannotTell:
        """Look between the anchor and a certified end that is later than anything that could still start."""
        none_can_start = can_none_start(intent)
        try:
            end, walked = await self._walk(intent, ledger, tell, stop_when_proven=True)
        except Gap as gap:
            return CannotTell(self._span(intent, None), str(gap), asks=none_can_start)
        reading = walked.reading
        span = _span(reading, end)
        block = walked.proven or (reading.same[0] if reading.same else None)
        if block is not None:
            return Found(span, block)
        if reading.unsure:
            return CannotTell(
                span, f"block {reading.unsure[0]} is equal in all it says, and does not say enough", none_can_start
            )
        if not none_can_start:
            return CannotTell(span, "an attempt may still be executing", asks=False)
        settles = intent.state in (State.RECONCILE, State.ASK)
        return Absent(span, tuple(attempt.n for attempt in intent.attempts), settles)

    async def look_again(self, intent: Intent, ledger: LedgerEntry | None, tell: Tell) -> LookedAgain | CannotTell:
        """After an intent with an unknown has moved: every block that equals it, up to now (R27)."""
        try:
            end, walked = await self._walk(intent, ledger, tell, stop_when_proven=False)
        except Gap as gap:
            return CannotTell(self._span(intent, None), str(gap), asks=False)
        return LookedAgain(_span(walked.reading, end), tuple(block.index for block in walked.reading.same))

    async def _walk(
        self, intent: Intent, ledger: LedgerEntry | None, tell: Tell, *, stop_when_proven: bool
    ) -> tuple[End, Walked]:
        """Raises Gap where the history cannot be read to its end, with the reason in words."""
        if ledger is None or "ICRC-3" not in ledger.terms.standards:
            raise Gap(NO_BLOCKS)
        walk = Walk(self._store, self._network, intent, wanted_block(intent, ledger), tell)
        # Asked after every attempt has ended, so an end that is true from here on is later than all of them.
        since = await self._network.time(intent.ledger)
        end = await far_end(self._network, self._clock, intent, since)
        try:
            return end, await walk.follow(end, certified=False, stop_when_proven=stop_when_proven)
        except (ChainBroken, MalformedBlock):
            # One node's tale. What a whole subnet certifies is read from the start, and needs no such trust.
            self._store.keep_reading(intent.id, None)
        try:
            return end, await walk.follow(end, certified=True, stop_when_proven=stop_when_proven)
        except (ChainBroken, MalformedBlock) as broken:
            self._store.keep_reading(intent.id, None)
            raise Gap(f"the ledger's blocks are no chain: {broken}") from None

    def _span(self, intent: Intent, end: End | None) -> Span:
        reading = self._store.reading(intent.id)
        return Span(None, None) if reading is None else _span(reading, end)


def _span(reading: Reading, end: End | None) -> Span:
    is_empty = reading.next == reading.first
    until = end.until if end is not None else None
    return Span(None, None, until) if is_empty else Span(reading.first, reading.next - 1, until)
