"""One command's work on one intent, under its lock and within its time: the loop that sends, asks and settles.

What may be done is decided by `core.lifecycle`; here it is done, each step on disk before it is taken (R29).
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from wallet.core.attempt import (
    Attempt,
    Evidence,
    Silence,
    SilenceReason,
    Status,
    Unknown,
    fate,
)
from wallet.core.blocks import compare
from wallet.core.errors import BadInput, NetworkFault, Refused
from wallet.core.finding import Found, Span
from wallet.core.intent import Intent, State
from wallet.core.ledger_time import MINUTE, SECOND, LedgerTime
from wallet.core.lifecycle import PAUSES_S, AskStatus, Done, Fresh, Need, Repost, Step, Stop, next_step
from wallet.ports import Clock, LedgerEntry, Network, Signer, Store
from wallet.services.duplicate import fetch_duplicate, wanted_block
from wallet.services.journal import Journal, time_of
from wallet.services.progress import Report, Stage
from wallet.services.reconciling import Reconciling
from wallet.services.terms import check_terms

T = TypeVar("T")

ENVELOPE_LIFE_NS = 2 * MINUTE
"""How far ahead of certified time an envelope expires: soon enough that an unknown can be settled soon."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What sending works with. `signer_of` may ask for a passphrase, and raises VaultFault where there is no key."""

    store: Store
    network: Network
    clock: Clock
    signer_of: Callable[[Intent], Signer]
    random_bytes: Callable[[int], bytes]


class Run:
    """One command's work on one intent, under its lock and within its time."""

    def __init__(self, tools: Tools, intent: Intent, wait_s: float, report: Report) -> None:
        self._store = tools.store
        self._network = tools.network
        self._clock = tools.clock
        self._signer_of = tools.signer_of
        self._random_bytes = tools.random_bytes
        self._journal = Journal(tools.store, intent, report)
        self._deadline_s = tools.clock.now_s() + wait_s
        # A part of the time is kept for asking what became of the call before "unknown" is reported.
        self._reserve_s = min(5.0, wait_s / 4)
        self._reconciling = Reconciling(tools.store, tools.network, tools.clock)

    @property
    def intent(self) -> Intent:
        return self._journal.intent

    # --- the ways in ---

    async def first(self) -> Intent:
        """The first attempt of a prepared intent. Raises NetworkFault, Refused or VaultFault while nothing is sent."""
        try:
            now = await self._within(self._network.time(self.intent.ledger))
            if self._journal.note_time(now).state is not State.PREPARED:
                return await self.go_on(by_person=False)  # the window closed over the card (R21)
            await self._within(check_terms(self._network, self._ledger()))
        except TimeoutError:
            raise NetworkFault("The network did not answer in time. Nothing was sent.") from None
        await self._send_fresh(now, confirmed=True)
        return await self.go_on(by_person=False)

    async def go_on(self, *, by_person: bool) -> Intent:
        """Step by step until it is settled, the rules stop it, or the time is over."""
        self._journal.note_interruption()
        failures = 0
        may_look = True
        now: LedgerTime | None = None
        while not self.intent.is_settled:
            if now is None:
                now = await self._time(failures)
                if now is None:
                    failures += 1
                    if failures > len(PAUSES_S) or not await self._pause(PAUSES_S[failures - 1], "the network again"):
                        break
                    continue
            self._journal.note_time(now)
            step = self._next(now, by_person)
            match step:
                case Stop(need=Need.EXPIRY):
                    if not await self._await_expiry(now):
                        break
                    now = None
                case Stop(need=Need.HISTORY | Need.RESTAMP) if may_look:
                    may_look = False
                    if not await self.look():
                        break
                    now = None
                case Done() | Stop():
                    break
                case AskStatus(n=n, pause_s=pause_s):
                    if not await self._pause(pause_s, "its status"):
                        break
                    evidence = await self._ask(n)
                    now = time_of(evidence)
                    failures = 0 if now is not None else failures + 1
                    if now is None and (
                        failures > len(PAUSES_S) or not await self._pause(PAUSES_S[failures - 1], "its status again")
                    ):
                        break
                case Repost(pause_s=pause_s) | Fresh(pause_s=pause_s):
                    if not await self._pause(pause_s, "the same bytes again"):
                        break
                    # The pause may have cost the window or the envelope its life: decide again on the spot.
                    now = await self._time(failures)
                    if now is None or type(self._next(now, by_person)) is not type(step):
                        continue
                    by_person = False
                    now = await self._send(step, now)
        return await self.finish()

    async def ask_each(self) -> Intent:
        """Ask about every request id whose end is not known, once each (R30)."""
        self._journal.note_interruption()
        await self._ask_open()
        if not self.intent.is_settled:
            now = await self._time(0)
            if now is not None:
                self._journal.note_time(now)
        return await self.finish()

    async def reconcile(self) -> Intent:
        """Ask about every attempt, then read the ledger's history (R24, R25)."""
        if not self.intent.is_settled and (await self.ask_each()).is_settled:
            return self.intent
        await self.look()
        return await self.finish()

    # --- history ---

    async def look(self) -> bool:
        """Look for the intent in the ledger's blocks and record what that says. False where it could not be done."""
        self._journal.tell(Stage.READING, 0)
        try:
            finding = await self._within(self._reconciling.look(self.intent, self._entry(), self._journal.tell_blocks))
        except (TimeoutError, NetworkFault) as trouble:
            self._journal.tell(Stage.TROUBLE, 0, f"the history was not read to its end: {trouble or 'no time left'}")
            return False
        self._journal.conclude(finding)
        return True

    async def check_block(self, index: int) -> Found:
        """The block that the person names, if a certified call says that it is the payment. Raises BadInput if not."""
        try:
            block = await self._within(self._network.block(self.intent.ledger, index))
        except TimeoutError:
            block = None
        if block is None:
            raise BadInput("block", f"block {index} could not be read, so it proves nothing; answer without a block")
        differs = compare(block, wanted_block(self.intent, self._entry()))
        if differs:
            fields = ", ".join(each.field for each in differs)
            raise BadInput("block", f"block {index} is another payment: it differs in {fields}")
        return Found(Span(index, index), block)

    async def look_again(self) -> None:
        """The one more look after an intent with an unknown has moved (R27). What fails here stays due."""
        self._journal.tell(Stage.READING, 0, "once more, for a second block like it")
        try:
            finding = await self._within(
                self._reconciling.look_again(self.intent, self._entry(), self._journal.tell_blocks),
                spare_s=-self._reserve_s,
            )
        except (TimeoutError, NetworkFault) as trouble:
            self._journal.tell(Stage.TROUBLE, 0, f"the second look is still to come: {trouble or 'no time left'}")
            return
        self._journal.conclude(finding)

    # --- sending ---

    async def _send(self, step: Repost | Fresh, now: LedgerTime) -> LedgerTime | None:
        if isinstance(step, Fresh):
            return await self._send_fresh(now, confirmed=False)
        self._journal.post_again(step.n)
        return await self._post(step.n)

    async def _send_fresh(self, now: LedgerTime, *, confirmed: bool) -> LedgerTime | None:
        intent = self.intent
        # The envelope dies with the window: nothing of it can start later (R21, R22).
        expiry = LedgerTime(min(now + ENVELOPE_LIFE_NS, intent.window_closes))
        sealed = self._network.seal(
            intent.ledger, intent.method, intent.argument_bytes, expiry, self._random_bytes(16), self._signer_of(intent)
        )
        n = len(intent.attempts) + 1
        attempt = Attempt(n, sealed.request_id, sealed.envelope, sealed.expiry, sent_at=now)
        self._journal.begin(attempt, confirmed=confirmed)
        return await self._post(n)

    async def _post(self, n: int) -> LedgerTime | None:
        """Post attempt `n`, which is on disk, and record what came back. Returns its certified time, if it has one."""
        attempt = self.intent.attempts[n - 1]
        self._journal.tell(Stage.STORED, n)
        self._journal.tell(Stage.SENT, n)
        try:
            evidence = await self._within(
                self._network.submit(self.intent.ledger, attempt.request_id, attempt.envelope), self._reserve_s
            )
        except TimeoutError:
            evidence = Silence(SilenceReason.TIMEOUT, "no answer within the time of this command")
        self._journal.record(n, evidence)
        return time_of(evidence)

    # --- finding out ---

    async def _ask_open(self) -> None:
        for attempt in self.intent.attempts:
            each = fate(attempt)
            if isinstance(each, Unknown) and each.ended is None:
                await self._ask(attempt.n)

    async def _ask(self, n: int) -> Evidence:
        attempt = self.intent.attempts[n - 1]
        self._journal.tell(Stage.ASKING, n)
        try:
            evidence = await self._within(
                self._network.status(self.intent.ledger, attempt.request_id, self._signer_of(self.intent)),
                spare_s=-self._reserve_s,
            )
        except TimeoutError:
            return Silence(SilenceReason.TIMEOUT, "no answer within the time of this command")
        if _is_news(evidence, attempt):
            self._journal.record(n, evidence)
        elif isinstance(evidence, Silence):
            self._journal.tell(Stage.TROUBLE, n, f"{evidence.reason}: {evidence.detail}")
        return evidence

    async def _time(self, failures: int) -> LedgerTime | None:
        try:
            return await self._within(self._network.time(self.intent.ledger))
        except TimeoutError:
            return None
        except NetworkFault as fault:
            if failures == 0:
                self._journal.tell(Stage.TROUBLE, 0, str(fault))
            return None

    async def finish(self) -> Intent:
        """What is still owed to a settled intent: the block that already_done names, the second look."""
        intent = self.intent
        if intent.is_settled:
            self._journal.tell(Stage.SETTLED, len(intent.attempts))
            if intent.outcome.duplicate_of is not None and intent.duplicate is None:
                self._journal.keep(
                    await fetch_duplicate(self._store, self._network, intent, self._entry(), self._left_s())
                )
            if intent.outcome.look_due:
                await self._ask_open()  # the look that counts is the one after the last of them has ended (R27)
                await self.look_again()
        return self.intent

    # --- small things ---

    def _next(self, now: LedgerTime, by_person: bool) -> Step:
        entry = self._entry()
        is_proven = entry is not None and entry.dedup_proven
        return next_step(self.intent, now, dedup_proven=is_proven, by_person=by_person)

    def _entry(self) -> LedgerEntry | None:
        entries = self._store.ledgers(self.intent.root_key)
        return next((each for each in entries if each.terms.canister == self.intent.ledger), None)

    def _ledger(self) -> LedgerEntry:
        entry = self._entry()
        if entry is None:
            raise Refused(
                f"The ledger of {self.intent.id} was removed. Add it again: wallet ledger add {self.intent.ledger}"
            )
        return entry

    async def _await_expiry(self, now: LedgerTime) -> bool:
        """Wait for the end of the last open envelope, where the command's time allows it."""
        expiries = [a.expiry for a in self.intent.attempts if isinstance(f := fate(a), Unknown) and f.ended is None]
        return bool(expiries) and await self._pause((max(expiries) - now) / SECOND + 1, "the last envelope has expired")

    async def _pause(self, seconds: float, for_what: str) -> bool:
        """False where the pause would outlast the command."""
        left_s = self._deadline_s - self._clock.now_s()
        if seconds > left_s:
            self._journal.tell(
                Stage.TOO_LONG,
                len(self.intent.attempts),
                f"this ends here: {seconds:.0f} s are to pass before {for_what}, and {max(left_s, 0):.0f} s are left",
            )
            return False
        if seconds:
            self._journal.tell(Stage.WAITING, len(self.intent.attempts), for_what, seconds)
            await self._clock.sleep(seconds)
        return True

    def _left_s(self) -> float:
        """What is left of the command's time, the part that was kept for asking included."""
        return max(self._deadline_s + self._reserve_s - self._clock.now_s(), 0.05)

    async def _within(self, work: Awaitable[T], spare_s: float = 0.0) -> T:
        """Raises TimeoutError when the command's time, less `spare_s`, is over first."""
        async with asyncio.timeout(max(self._deadline_s - spare_s - self._clock.now_s(), 0.05)):
            return await work


def _is_news(evidence: Evidence, attempt: Attempt) -> bool:
    """A look that says what the last one said is not kept, unless it is the first after the expiry (R25)."""
    match evidence:
        case Status(word=word, time=time):
            looks = [each for each in attempt.evidence[-1:] if isinstance(each, Status)]
            return not looks or looks[0].word != word or (time > attempt.expiry >= looks[0].time)
        case Silence(reason=reason):
            return reason is SilenceReason.UNVERIFIED
        case _:
            return True
