"""One command's work on one intent, under its lock and within its time: the loop that sends, asks and settles.

What may be done is decided by `core.lifecycle`; here it is done, each step on disk before it is taken (R29).
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from wallet.core.attempt import (
    Attempt,
    Evidence,
    NotSent,
    Rejected,
    Reply,
    Silence,
    SilenceReason,
    Status,
    Unknown,
    fate,
)
from wallet.core.errors import NetworkFault, Refused, StoreFault
from wallet.core.intent import Intent, State
from wallet.core.ledger_time import MINUTE, SECOND, LedgerTime
from wallet.core.lifecycle import PAUSES_S, AskStatus, Done, Fresh, Need, Repost, Step, Stop, next_step, weigh
from wallet.ports import Clock, LedgerEntry, Network, Signer, Store
from wallet.services.duplicate import fetch_duplicate
from wallet.services.progress import Progress, Report, Stage
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
        self._intent = intent
        self._deadline_s = tools.clock.now_s() + wait_s
        # A part of the time is kept for asking what became of the call before "unknown" is reported.
        self._reserve_s = min(5.0, wait_s / 4)
        self._report = report

    # --- the three ways in ---

    async def first(self) -> Intent:
        """The first attempt of a prepared intent. Raises NetworkFault, Refused or VaultFault while nothing is sent."""
        try:
            now = await self._within(self._network.time(self._intent.ledger))
            if self._note_time(now).state is not State.PREPARED:
                return self._intent  # the window closed over the card (R21)
            await self._within(check_terms(self._network, self._ledger()))
        except TimeoutError:
            raise NetworkFault("The network did not answer in time. Nothing was sent.") from None
        await self._send_fresh(now, confirmed=True)
        return await self.go_on(by_person=False)

    async def go_on(self, *, by_person: bool) -> Intent:
        """Step by step until it is settled, the rules stop it, or the time is over."""
        failures = 0
        now: LedgerTime | None = None
        while not self._intent.is_settled:
            if now is None:
                now = await self._time(failures)
                if now is None:
                    failures += 1
                    if failures > len(PAUSES_S) or not await self._pause(PAUSES_S[failures - 1], "the network again"):
                        break
                    continue
            self._note_time(now)
            step = self._next(now, by_person)
            match step:
                case Done() | Stop():
                    if isinstance(step, Stop) and step.need is Need.EXPIRY and await self._await_expiry(now):
                        now = None
                        continue
                    break
                case AskStatus(n=n, pause_s=pause_s):
                    if not await self._pause(pause_s, "its status"):
                        break
                    evidence = await self._ask(n)
                    now = _time_of(evidence)
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
        return await self._finish()

    async def ask_each(self) -> Intent:
        """Ask about every request id whose end is not known, once each (R30)."""
        for attempt in self._intent.attempts:
            each = fate(attempt)
            if isinstance(each, Unknown) and each.ended is None and not self._intent.is_settled:
                await self._ask(attempt.n)
        if not self._intent.is_settled:
            now = await self._time(0)
            if now is not None:
                self._note_time(now)
        return await self._finish()

    # --- sending ---

    async def _send(self, step: Repost | Fresh, now: LedgerTime) -> LedgerTime | None:
        if isinstance(step, Fresh):
            return await self._send_fresh(now, confirmed=False)
        stored = self._store.record_post(self._intent, step.n)
        self._intent = _unrivalled(stored, self._intent)
        return await self._post(step.n)

    async def _send_fresh(self, now: LedgerTime, *, confirmed: bool) -> LedgerTime | None:
        intent = self._intent
        # The envelope dies with the window: nothing of it can start later (R21, R22).
        expiry = LedgerTime(min(now + ENVELOPE_LIFE_NS, intent.window_closes))
        sealed = self._network.seal(
            intent.ledger, intent.method, intent.argument_bytes, expiry, self._random_bytes(16), self._signer_of(intent)
        )
        n = len(intent.attempts) + 1
        attempt = Attempt(n, sealed.request_id, sealed.envelope, sealed.expiry, sent_at=now)
        self._intent = _unrivalled(self._store.begin_attempt(intent, attempt, confirmed=confirmed), intent)
        return await self._post(n)

    async def _post(self, n: int) -> LedgerTime | None:
        """Post attempt `n`, which is on disk, and record what came back. Returns its certified time, if it has one."""
        attempt = self._intent.attempts[n - 1]
        self._tell(Stage.STORED, n)
        self._tell(Stage.SENT, n)
        try:
            evidence = await self._within(
                self._network.submit(self._intent.ledger, attempt.request_id, attempt.envelope), self._reserve_s
            )
        except TimeoutError:
            evidence = Silence(SilenceReason.TIMEOUT, "no answer within the time of this command")
        self._record(n, evidence)
        return _time_of(evidence)

    # --- finding out ---

    async def _ask(self, n: int) -> Evidence:
        attempt = self._intent.attempts[n - 1]
        self._tell(Stage.ASKING, n)
        try:
            evidence = await self._within(
                self._network.status(self._intent.ledger, attempt.request_id, self._signer_of(self._intent)),
                spare_s=-self._reserve_s,
            )
        except TimeoutError:
            return Silence(SilenceReason.TIMEOUT, "no answer within the time of this command")
        if _is_news(evidence, attempt):
            self._record(n, evidence)
        elif isinstance(evidence, Silence):
            self._tell(Stage.TROUBLE, n, f"{evidence.reason}: {evidence.detail}")
        return evidence

    async def _time(self, failures: int) -> LedgerTime | None:
        try:
            return await self._within(self._network.time(self._intent.ledger))
        except TimeoutError:
            return None
        except NetworkFault as fault:
            if failures == 0:
                self._tell(Stage.TROUBLE, 0, str(fault))
            return None

    def _record(self, n: int, evidence: Evidence) -> None:
        """On disk before anybody is told (R29). Never lost to another wallet's change: read again, weigh again."""
        while True:
            current = self._store.intent(self._intent.id) or self._intent
            attempts = tuple(
                replace(each, evidence=(*each.evidence, evidence)) if each.n == n else each for each in current.attempts
            )
            verdict = weigh(current, attempts, _time_of(evidence))
            stored = self._store.record(current, n, evidence, verdict)
            if stored is not None:
                self._intent = stored
                break
        match evidence:
            case Reply():
                self._tell(Stage.RECEIVED, n)
                self._tell(Stage.EXECUTED, n)
                self._tell(Stage.CERTIFIED, n)
            case Status(word=word):
                self._tell(Stage.RECEIVED, n, word)
            case Rejected(code=code, message=message, certified=certified):
                kind = "certified" if certified else "one node's word only"
                self._tell(Stage.TROUBLE, n, f"rejected with code {code} ({kind}): {message}")
            case NotSent(why=why):
                self._tell(Stage.TROUBLE, n, f"not sent: {why}")
            case Silence(reason=SilenceReason.ACCEPTED):
                self._tell(Stage.RECEIVED, n)
            case Silence(reason=reason, detail=detail):
                self._tell(Stage.TROUBLE, n, f"{reason}: {detail}")

    def _note_time(self, now: LedgerTime) -> Intent:
        """A verdict that follows from the time alone is stored at once: the window may have closed."""
        verdict = weigh(self._intent, self._intent.attempts, now)
        if verdict != self._intent.outcome:
            self._intent = _unrivalled(self._store.move(self._intent, verdict), self._intent)
        return self._intent

    async def _finish(self) -> Intent:
        intent = self._intent
        if intent.is_settled:
            self._tell(Stage.SETTLED, len(intent.attempts))
            if intent.outcome.duplicate_of is not None and intent.duplicate is None:
                self._intent = await fetch_duplicate(self._store, self._network, intent, self._entry())
        return self._intent

    # --- small things ---

    def _next(self, now: LedgerTime, by_person: bool) -> Step:
        entry = self._entry()
        is_proven = entry is not None and entry.dedup_proven
        return next_step(self._intent, now, dedup_proven=is_proven, by_person=by_person)

    def _entry(self) -> LedgerEntry | None:
        entries = self._store.ledgers(self._intent.root_key)
        return next((each for each in entries if each.terms.canister == self._intent.ledger), None)

    def _ledger(self) -> LedgerEntry:
        entry = self._entry()
        if entry is None:
            raise Refused(
                f"The ledger of {self._intent.id} was removed. Add it again: wallet ledger add {self._intent.ledger}"
            )
        return entry

    async def _await_expiry(self, now: LedgerTime) -> bool:
        """Wait for the end of the last open envelope, where the command's time allows it."""
        expiries = [a.expiry for a in self._intent.attempts if isinstance(f := fate(a), Unknown) and f.ended is None]
        return bool(expiries) and await self._pause((max(expiries) - now) / SECOND + 1, "the envelope to expire")

    async def _pause(self, seconds: float, for_what: str) -> bool:
        """False where the pause would outlast the command."""
        if self._clock.now_s() + seconds > self._deadline_s:
            return False
        if seconds:
            self._tell(Stage.WAITING, len(self._intent.attempts), for_what, seconds)
            await self._clock.sleep(seconds)
        return True

    async def _within(self, work: Awaitable[T], spare_s: float = 0.0) -> T:
        """Raises TimeoutError when the command's time, less `spare_s`, is over first."""
        async with asyncio.timeout(max(self._deadline_s - spare_s - self._clock.now_s(), 0.05)):
            return await work

    def _tell(self, stage: Stage, n: int, detail: str = "", wait_s: float = 0.0) -> None:
        self._report(Progress(stage, self._intent, n, detail, wait_s))


def _time_of(evidence: Evidence) -> LedgerTime | None:
    match evidence:
        case Reply(time=time) | Status(time=time) | Rejected(time=time):
            return time
        case _:
            return None


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


def _unrivalled(stored: Intent | None, intent: Intent) -> Intent:
    if stored is None:
        raise StoreFault(f"{intent.id} was changed by another wallet at this very moment. Nothing was sent; try again.")
    return stored
