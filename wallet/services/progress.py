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


@dataclass(frozen=True, slots=True)
class Progress:
    """One thing that just happened to an intent. `wait_s` is the pause that starts now, before what `detail` says."""

    stage: Stage
    intent: Intent
    attempt: int = 0
    detail: str = ""
    wait_s: float = 0.0


Report = Callable[[Progress], None]
