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
from wallet.core.errors import StoreFault
from wallet.core.finding import Finding
from wallet.core.intent import Intent, State
from wallet.core.ledger_time import LedgerTime
from wallet.core.lifecycle import weigh
from wallet.ports import Store
from wallet.services.concluding import conclude
from wallet.services.progress import Progress, Report, Stage


class Journal:
    """The intent as it is on disk, and the pen. Whatever it is told is durable before anybody hears of it."""

    def __init__(self, store: Store, intent: Intent, report: Report) -> None:
        self._store = store
        self._report = report
        self.intent = intent

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
        try:
            self._record(n, evidence)
        except StoreFault as fault:
            raise StoreFault(
                f"{fault} Attempt {n} of {self.intent.id} had been sent, and the money may have moved. Once the store "
                f"is in order, `wallet resume {self.intent.id}` goes on."
            ) from fault
        self._tell_evidence(n, evidence)

    def _record(self, n: int, evidence: Evidence) -> None:
        while True:
            current = self._store.intent(self.intent.id) or self.intent
            attempts = tuple(
                replace(each, evidence=(*each.evidence, evidence)) if each.n == n else each for each in current.attempts
            )
            verdict = weigh(replace(current, attempts=attempts), time_of(evidence))
            stored = self._store.record(current, n, evidence, verdict)
            if stored is not None:
                self.intent = stored
                return

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
        """Compare-and-set. A change that touches neither the evidence nor the state (a reference) is read and kept."""
        while True:
            stored = write(self.intent)
            if stored is not None:
                self.intent = stored
                return
            current = self._store.intent(self.intent.id)
            seen = self.intent
            is_like = current is not None and current.version != seen.version and not current.dropped
            if not is_like or current is None or (current.attempts, current.outcome) != (seen.attempts, seen.outcome):
                sent = (
                    "What became of the bytes that were sent is not known yet."
                    if seen.attempts
                    else "Nothing was sent."
                )
                raise StoreFault(
                    f"{seen.id} was changed by another wallet at this very moment. {sent} Look at it again."
                )
            self.intent = current


def time_of(evidence: Evidence) -> LedgerTime | None:
    """The certified time that comes with it, if any does."""
    match evidence:
        case Reply(time=time) | Status(time=time) | Rejected(time=time):
            return time
        case _:
            return None
