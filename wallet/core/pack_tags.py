"""What the entries of a pack can say: the tags, as frozen values, and the keys of an outcome (R1-R3, R6, R7)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self, TypeAlias

from wallet.core.outcome import OutcomeClass

UNIT_NS: Mapping[str, int] = {"nanoseconds": 1, "microseconds": 1_000, "milliseconds": 1_000_000, "seconds": 10**9}
"""The unit words of a `timestamp` tag, in nanoseconds."""

REPLAY_SAME_PAYLOAD: Final = "replay_same_payload"

_INDEX = re.compile(r"(0|[1-9][0-9]{0,3})\Z")


def path_text(index: int, steps: Sequence[str]) -> str:
    """A path into the result tuple as a pack writes it; the first result's index is left out."""
    return ".".join((str(index), *steps) if index else steps)


@dataclass(frozen=True, slots=True)
class Key:
    """A path into the result tuple: a result's index, then cases (and record fields) inward (R3)."""

    index: int
    steps: tuple[str, ...]

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read `Err.BadFee`, or `1.Err.BadFee` for result 1. ValueError with a sentence where it is no path."""
        steps = text.split(".")
        index = int(steps.pop(0)) if _INDEX.match(steps[0]) else 0
        if not steps or not all(step and step.isprintable() for step in steps):
            raise ValueError(f"the key {text!a} is no path to a case, such as Err.BadFee")
        return cls(index, tuple(steps))

    @property
    def text(self) -> str:
        return path_text(self.index, self.steps)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Tag `outcome`. `classes` is None where the pack left it out: the method's result is no variant (R6)."""

    classes: tuple[tuple[Key, OutcomeClass], ...] | None
    default: OutcomeClass | None


@dataclass(frozen=True, slots=True)
class Idempotency:
    """Tag `idempotency`, mode replay_same_payload: the same bytes again run once or are answered already_done (R7)."""

    stamp: str


@dataclass(frozen=True, slots=True)
class Timestamp:
    """Tag `timestamp`: the field holds a time in this unit (a key of UNIT_NS)."""

    unit: str


class Form(StrEnum):
    """How a recipient is written in the argument."""

    ACCOUNT = "account"  # ICRC-1: a record of owner and subaccount
    ACCOUNT_ID = "account_id"  # the ICP ledger's: the 32 bytes of a checksum and a hash
    PRINCIPAL = "principal"


@dataclass(frozen=True, slots=True)
class Amount:
    """Tag `amount`: the field holds what is moved, in base units."""


@dataclass(frozen=True, slots=True)
class Recipient:
    """Tag `recipient`: the field holds who is paid."""

    form: Form


@dataclass(frozen=True, slots=True)
class Spender:
    """Tag `spender`: the field holds the ICRC-1 account that may spend from the caller's (ICRC-2's approve)."""


@dataclass(frozen=True, slots=True)
class Payer:
    """Tag `payer`: the field holds the ICRC-1 account that pays, on an allowance of the caller (transfer_from)."""


@dataclass(frozen=True, slots=True)
class ExpiresAt:
    """Tag `expires_at`: the field holds when an allowance ends, in the unit that its `timestamp` tag says."""


class MemoForm(StrEnum):
    """How a memo is written in the argument."""

    BYTES = "bytes"
    NUMBER = "number"  # the ICP ledger's: 0 where there is none


@dataclass(frozen=True, slots=True)
class Memo:
    """Tag `memo`: the field holds the sender's note."""

    form: MemoForm


@dataclass(frozen=True, slots=True)
class Fee:
    """Tag `fee`: the field holds the fee in base units, filled with what the query `auto` answers: nobody types it."""

    auto: str


@dataclass(frozen=True, slots=True)
class FromSubaccount:
    """Tag `from_subaccount`: the field holds the caller's subaccount: that which pays, or which was allowed to."""


Meaning: TypeAlias = (
    Outcome | Idempotency | Timestamp | Amount | Recipient | Spender | Payer | ExpiresAt | Memo | Fee | FromSubaccount
)
