"""What is written down about one intent while a command works on it: evidence, posts, verdicts, in that order (R29)."""

from collections.abc import Callable
from dataclasses import replace

from wallet.core.attempt import (
    Attempt,
    Evidence,
    NotSent,
    Rejected,
    Reply,
    Silence,
    SilenceReason,
    Status,
    StatusWord,
    Unknown,
    fate,
)
from wallet.core.errors import Refused, StoreFault
from wallet.core.finding import Finding
from wallet.core.intent import Intent, State
from wallet.core.ledger_time import LedgerTime
from wallet.core.lifecycle import weigh
from wallet.ports import Store
from wallet.services.concluding import conclude, find_again
from wallet.services.naming import kept_names, with_names
from wallet.services.progress import Progress, Report, Stage


class AfterSending(StoreFault):
    """The store failed an intent that had been sent before: `intent` is all that is known to be on disk of it.

    No evidence that could not be kept is in it (R29), so that it never says more than a reopened wallet could.
    """

    def __init__(self, fault: StoreFault, intent: Intent) -> None:
        stands = replace(intent, outcome=weigh(intent, None)) if intent.state is State.SENDING else intent
        keep = "Keep that file and do not begin an empty store: it records what was sent." if fault.begin_anew else ""
        super().__init__(" ".join(filter(None, [fault.what, keep, _how_far(stands)])))
        self.intent = stands


class Overtaken(Refused):
    """Another wallet changed the intent at this very moment, so this one did nothing more (R31)."""


def _how_far(intent: Intent) -> str:
    if intent.is_settled:
        return f"{intent.id} is settled all the same."
    sent = (
        f"Attempt {len(intent.attempts)} of {intent.id} had been sent, and the money may have moved."
        if intent.outcome.moved is None
        else f"Every attempt of {intent.id} is known not to have executed, and nothing more was sent."
    )
    return f"{sent} Once the store is in order, `wallet resume {intent.id}` goes on."


class Journal:
    """The intent as it is on disk, and the pen. Whatever it is told is durable before anybody hears of it."""

    def __init__(self, store: Store, intent: Intent, report: Report) -> None:
        self._store = store
        self._report = report
        self.intent = intent
        self._names = kept_names(store, intent)  # now: what cannot be read stops a send before it begins (R32)

    def begin(self, attempt: Attempt, *, confirmed: bool) -> None:
        """A new attempt is about to be posted; with `confirmed`, the confirmation goes with it (R15)."""
        self._write(lambda intent: self._store.begin_attempt(intent, attempt, confirmed=confirmed))

    def post_again(self, n: int) -> None:
        """Attempt `n`'s envelope is about to be posted once more."""
        self._write(lambda intent: self._store.record_post(intent, n))

    def record(self, n: int, evidence: Evidence) -> None:
        """Evidence is never lost to another wallet's change: read again, weigh again.

        Raises StoreFault where it cannot be kept; the attempt then stands without an outcome, which is an unknown.
        """
        evidence = with_names(self._names, self.intent, evidence)
        while True:
            current = find_again(self._store, self.intent)
            attempts = tuple(
                replace(each, evidence=(*each.evidence, evidence)) if each.n == n else each for each in current.attempts
            )
            verdict = weigh(replace(current, attempts=attempts), time_of(evidence))
            stored = self._store.record(current, n, evidence, verdict)
            if stored is not None:
                self.intent = stored
                break
        self._tell_evidence(n, evidence)

    def _tell_evidence(self, n: int, evidence: Evidence) -> None:
        match evidence:
            case Reply():
                self.tell(Stage.RECEIVED, n)
                if self.intent.outcome.moved:
                    self.tell(Stage.EXECUTED, n)
                self.tell(Stage.CERTIFIED, n)
            case Status(word=StatusWord.ABSENT):
                self.tell(Stage.TROUBLE, n, "the network does not know the call, which proves nothing by itself")
            case Status(word=word):
                self.tell(Stage.RECEIVED, n, word)
            case Rejected(code=code, message=message, certified=certified):
                kind = "certified" if certified else "one node's word only"
                self.tell(Stage.TROUBLE, n, f"rejected with code {code} ({kind}): {message}")
            case NotSent(why=why):
                self.tell(Stage.TROUBLE, n, f"not sent: {why}")
            case Silence(reason=SilenceReason.ACCEPTED):
                self.tell(Stage.RECEIVED, n)
            case Silence(reason=reason, detail=detail):
                self.tell(Stage.TROUBLE, n, f"{reason}: {detail}")

    def conclude(self, finding: Finding) -> None:
        self.intent = conclude(self._store, self.intent, finding)

    def keep(self, intent: Intent) -> None:
        """The intent as another service stored it."""
        self.intent = intent

    def note_interruption(self) -> None:
        """An attempt found `sending` under a free lock was cut off by a wallet's end: its outcome is unknown (R18)."""
        if self.intent.state is not State.SENDING:
            return
        for attempt in self.intent.attempts:
            each = fate(attempt)
            if isinstance(each, Unknown) and each.ended is None:
                self.record(attempt.n, Silence(SilenceReason.INTERRUPTED, "the wallet ended while it was being sent"))

    def note_time(self, now: LedgerTime) -> Intent:
        """A verdict that follows from the time alone is stored at once: the window may have closed."""
        verdict = weigh(self.intent, now)
        if verdict != self.intent.outcome:
            self._write(lambda intent: self._store.move(intent, verdict))
        return self.intent

    def tell_blocks(self, first: int, reached: int, last: int) -> None:
        self._report(Progress(Stage.READING, self.intent, blocks=(first, reached, last)))

    def tell(self, stage: Stage, n: int, detail: str = "", wait_s: float = 0.0) -> None:
        self._report(Progress(stage, self.intent, n, detail, wait_s))

    def _write(self, write: Callable[[Intent], Intent | None]) -> None:
        """Compare-and-set. A change that touches neither the evidence nor the state (a reference) is read and kept.

        Raises Overtaken at any other, with the intent as it is now in hand.
        """
        while True:
            stored = write(self.intent)
            if stored is not None:
                self.intent = stored
                return
            seen = self.intent
            self.intent = current = find_again(self._store, seen)
            is_like = current.version != seen.version and not current.dropped
            if not is_like or (current.attempts, current.outcome) != (seen.attempts, seen.outcome):
                raise Overtaken(
                    f"{seen.id} was changed by another wallet at this very moment. Nothing was sent; look at it again."
                )


def time_of(evidence: Evidence) -> LedgerTime | None:
    """The certified time that comes with it, if any does."""
    match evidence:
        case Reply(time=time) | Status(time=time) | Rejected(time=time):
            return time
        case _:
            return None
