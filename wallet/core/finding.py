"""What is concluded about an intent beside the replies to it: from the ledger's history, or by the person (R25)."""

from dataclasses import dataclass
from typing import TypeAlias

from wallet.core.blocks import LedgerBlock
from wallet.core.ledger_time import LedgerTime

NO_BLOCKS = "this ledger does not publish its blocks (it has no ICRC-3)"
"""Why a look at such a ledger can tell nothing, now or later."""


@dataclass(frozen=True, slots=True)
class Span:
    """How much of the ledger's history was read: the first and the last block (None where there was none to read),
    and the certified moment of which the end is true (None where no end was reached)."""

    first: int | None
    last: int | None
    until: LedgerTime | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """The intent is in the ledger's blocks, on a chain that reaches a certified tip or by a certified call."""

    span: Span
    block: LedgerBlock


@dataclass(frozen=True, slots=True)
class Absent:
    """Proven: it is in no block up to the span's end, and none of the attempts `covers` names can start any more.

    `settles`: it was concluded in `reconcile` or `ask`, where it ends the intent; elsewhere it ends the unknowns that
    it covers and no more.
    """

    span: Span
    covers: tuple[int, ...]
    settles: bool


@dataclass(frozen=True, slots=True)
class CannotTell:
    """Neither found nor proven absent. `asks`: no attempt can start any more, so the person may answer (R25)."""

    span: Span
    why: str
    asks: bool


@dataclass(frozen=True, slots=True)
class Answered:
    """The person's own word, recorded as theirs. `block` is the one they named, if they did."""

    executed: bool
    block: int | None


@dataclass(frozen=True, slots=True)
class LookedAgain:
    """The one more look after an intent with an unknown had moved: every block equal to it (R27)."""

    span: Span
    blocks: tuple[int, ...]


Finding: TypeAlias = Found | Absent | CannotTell | Answered | LookedAgain
