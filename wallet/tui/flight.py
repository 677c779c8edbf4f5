"""Work in flight on one intent, as the Sending screen tells it: the steps reached, the trouble met, the wait."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from wallet.core.ledger_time import LedgerTime
from wallet.services.progress import Progress, Stage

STEPS = (Stage.STORED, Stage.SENT, Stage.RECEIVED, Stage.EXECUTED, Stage.CERTIFIED, Stage.SETTLED)


class Errand(Enum):
    """What the wallet is at; only the first two may send."""

    CONFIRM = "sending"
    RESUME = "going on"
    ASK = "asking the network"
    READ = "reading the ledger's history"
    RESTAMP = "preparing a new stamp"


@dataclass
class Flight:
    """Kept by the app, so that a screen that was left finds it again."""

    intent_id: str
    errand: Errand
    now_s: Callable[[], float]
    attempt: int = 0
    reached: dict[Stage, LedgerTime | None] = field(default_factory=dict)
    trouble: str = ""
    waits_for: str = ""
    waits_until_s: float = 0.0
    is_asking: bool = False
    is_reading: bool = False
    blocks: tuple[int, int, int] | None = None

    def take(self, progress: Progress, moment: LedgerTime | None) -> None:
        """One more thing happened, at ledger time `moment`."""
        self.waits_for = ""
        self.is_asking = progress.stage is Stage.ASKING
        self.is_reading = progress.stage is Stage.READING
        match progress.stage:
            case Stage.WAITING:
                self.waits_for = progress.detail
                self.waits_until_s = self.now_s() + progress.wait_s
            case Stage.TROUBLE:
                self.trouble = progress.detail
            case Stage.READING:
                self.blocks = progress.blocks or self.blocks
            case Stage.ASKING:
                pass
            case stage:
                if progress.attempt and progress.attempt != self.attempt:
                    self.attempt = progress.attempt
                    self.reached = {}
                self.reached.setdefault(stage, moment)

    @property
    def waits_s(self) -> float:
        return max(0.0, self.waits_until_s - self.now_s())

    @property
    def next_step(self) -> Stage | None:
        """The step that is under way: the first after the last one reached."""
        done = [each for each in STEPS if each in self.reached]
        if not done:
            return STEPS[0]
        at = STEPS.index(done[-1]) + 1
        return STEPS[at] if at < len(STEPS) else None
