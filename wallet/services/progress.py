"""What a send tells whoever watches it: the steps of the Sending screen's timeline, and what may come between."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from wallet.core.intent import Intent


class Stage(StrEnum):
    STORED = "stored"
    SENT = "sent"
    RECEIVED = "received"
    EXECUTED = "executed"
    CERTIFIED = "certified"
    SETTLED = "settled"
    ASKING = "asking"
    WAITING = "waiting"
    TROUBLE = "trouble"
    TOO_LONG = "too long"  # the next step's pause would outlast the command, which ends here
    READING = "reading"


@dataclass(frozen=True, slots=True)
class Progress:
    """One thing that just happened to an intent. `wait_s` is the pause that starts now, before what `detail` says;
    `blocks` are the first, the one reached and the last, while the history is read."""

    stage: Stage
    intent: Intent
    attempt: int = 0
    detail: str = ""
    wait_s: float = 0.0
    blocks: tuple[int, int, int] | None = None


Report = Callable[[Progress], None]
