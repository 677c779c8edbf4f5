"""Profile packs: what a method's replies mean, as data, and the longest key that matches a reply (R1-R7)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Self, TypeAlias

from wallet.core.interface import name_hash
from wallet.core.outcome import OutcomeClass
from wallet.core.value import Case, Value

UNIT_NS: Mapping[str, int] = {"nanoseconds": 1, "microseconds": 1_000, "milliseconds": 1_000_000, "seconds": 10**9}
"""The unit words of a `timestamp` tag, in nanoseconds."""

REPLAY_SAME_PAYLOAD = "replay_same_payload"

_INDEX = re.compile(r"(0|[1-9][0-9]{0,3})\Z")


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
        return _path_text(self.index, self.steps)


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
class Memo:
    """Tag `memo`: the field holds the sender's note, bytes or a number as its type says."""


@dataclass(frozen=True, slots=True)
class Fee:
    """Tag `fee`: the field holds the fee in base units, filled with what the query `auto` answers where it is named."""

    auto: str | None


@dataclass(frozen=True, slots=True)
class FromSubaccount:
    """Tag `from_subaccount`: the field holds the subaccount of the caller that pays."""


Meaning: TypeAlias = Outcome | Idempotency | Timestamp | Amount | Recipient | Memo | Fee | FromSubaccount


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a pack (R1)."""

    at: str
    tag: str
    meaning: Meaning

    @property
    def method(self) -> str:
        return self.at.partition(".")[0]

    @property
    def field(self) -> str:
        """The field of the method's argument; empty where the entry is about the method itself."""
        return self.at.partition(".")[2]


@dataclass(frozen=True, slots=True)
class Stamp:
    """The field that the wallet fills with the stamp; `unit` is None where the pack tags it with none (R8)."""

    field: str
    unit: str | None


@dataclass(frozen=True, slots=True)
class Classification:
    """What one reply means. `case` is the whole path that came (`Err.Frozen`), None where no variant came.

    `by`: `key` - the pack names this reply (R4; or, for a method without a variant, all replies: R6);
    `default`, `none` - it does not, so the class does not claim where the money is (R5).
    """

    cls: OutcomeClass
    case: str | None
    payload: Value
    by: Literal["key", "default", "none"]


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack and the very text it was read from, which is kept with each intent. Read with `pack_text.parse_pack`."""

    name: str
    entries: tuple[Entry, ...]
    text: str

    @property
    def methods(self) -> frozenset[str]:
        return frozenset(entry.method for entry in self.entries)

    @property
    def names(self) -> frozenset[str]:
        """Every name that a key uses: a reader of untyped replies needs them to tell a case from its hash."""
        outcomes = (entry.meaning for entry in self.entries if isinstance(entry.meaning, Outcome))
        return frozenset(step for outcome in outcomes for key, _ in outcome.classes or () for step in key.steps)

    def outcome(self, method: str) -> Outcome | None:
        for entry in self.entries:
            if entry.at == method and isinstance(entry.meaning, Outcome):
                return entry.meaning
        return None

    def has_idempotency(self, method: str) -> bool:  # R7
        return self.stamp(method) is not None

    def stamp(self, method: str) -> Stamp | None:
        """The stamp that the idempotency tag names (R7), with the unit its field is tagged with."""
        for entry in self.entries:
            if entry.at == method and isinstance(entry.meaning, Idempotency):
                field = entry.meaning.stamp
                return Stamp(field, self._unit(f"{method}.{field}"))
        return None

    def _unit(self, at: str) -> str | None:
        for entry in self.entries:
            if entry.at == at and isinstance(entry.meaning, Timestamp):
                return entry.meaning.unit
        return None

    def classify(self, method: str, result: list[Value]) -> Classification:
        """The class of a reply: the longest key that matches, else the default, else `fail` (R4-R6). Never raises."""
        outcome = self.outcome(method) or Outcome((), None)
        matches = [
            (key, selected[0], cls)
            for key, cls in outcome.classes or ()
            if (selected := _select(result, key)) is not None
        ]
        longest = max((len(key.steps) for key, _, _ in matches), default=0)
        best = [match for match in matches if len(match[0].steps) == longest]
        # Two keys of one length can match in two results of a tuple. Where they disagree, neither is taken: no guess.
        if best and len({cls for _, _, cls in best}) == 1:
            key, payload, cls = min(best, key=lambda match: match[0].index)
            return Classification(cls, *self._observed(key.index, key.steps, payload), "key")
        case, payload = self._whole(result)
        if outcome.default is None:
            return Classification(OutcomeClass.FAIL, case, payload, "none")  # R5
        named_all = outcome.classes is None and case is None  # R6
        return Classification(outcome.default, case, payload, "key" if named_all else "default")

    def _whole(self, result: list[Value]) -> tuple[str | None, Value]:
        """The path and payload of the first variant in the result; without one, the result itself."""
        for index, value in enumerate(result):
            if isinstance(value, Case):
                return self._observed(index, (), value)
        return None, result[0] if len(result) == 1 else list(result) or None

    def _observed(self, index: int, steps: tuple[str, ...], value: Value) -> tuple[str, Value]:
        """The path from here on inward, as far as cases go, and what the last one carries."""
        readable = {_hashed(name): name for name in self.names}
        path = list(steps)
        while isinstance(value, Case):
            path.append(readable.get(value.tag, value.tag))
            value = value.value
        return _path_text(index, path), value


def _select(result: list[Value], key: Key) -> tuple[Value] | None:
    """What the key's last case carries, in a tuple of one; None where the key does not lead to a case of this reply."""
    if key.index >= len(result):
        return None
    value, is_case = result[key.index], False
    for step in key.steps:
        match value:
            case Case(tag=tag, value=inner) if tag in (step, _hashed(step)):
                value, is_case = inner, True
            case dict() if step in value or _hashed(step) in value:
                value, is_case = value[step if step in value else _hashed(step)], False
            case _:
                return None
    return (value,) if is_case else None


def _path_text(index: int, steps: Sequence[str]) -> str:
    return ".".join((str(index), *steps) if index else steps)


def _hashed(name: str) -> str:
    """How a reader that does not know the name calls it: Candid sends only this hash over the wire."""
    return f"_{name_hash(name)}"
