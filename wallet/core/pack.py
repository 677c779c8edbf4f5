"""Profile packs: what a method's replies mean and what it is for, as data (R1-R7)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeVar

from wallet.core.interface import name_hash
from wallet.core.outcome import OutcomeClass
from wallet.core.pack_tags import (
    Amount,
    Idempotency,
    Key,
    Meaning,
    Outcome,
    Payer,
    Recipient,
    Spender,
    Timestamp,
    path_text,
)
from wallet.core.value import Case, Value

Tag = TypeVar("Tag", bound=Meaning)


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


class Operation(StrEnum):
    """What a method does, told by the tags of its fields."""

    TRANSFER = "transfer"
    APPROVE = "approve"  # a spender may take from the caller's account (ICRC-2)
    TRANSFER_FROM = "transfer_from"  # the caller pays from an account that allowed it (ICRC-2)


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

    def tagged(self, method: str, tag: type[Tag]) -> tuple[str, Tag] | None:
        """The field of the method that carries this tag, and what it says; a method's own tag has no field."""
        for entry in self.entries:
            if entry.method == method and isinstance(entry.meaning, tag):
                return entry.field, entry.meaning
        return None

    def operation(self, method: str) -> Operation | None:
        """What the method does, as far as its form can be filled; None for one that moves nothing that is known."""
        if self.tagged(method, Amount) is None:
            return None
        if self.tagged(method, Spender) is not None:
            return Operation.APPROVE
        if self.tagged(method, Recipient) is None:
            return None
        return Operation.TRANSFER if self.tagged(method, Payer) is None else Operation.TRANSFER_FROM

    def outcome(self, method: str) -> Outcome | None:
        found = self.tagged(method, Outcome)
        return None if found is None else found[1]

    def has_idempotency(self, method: str) -> bool:  # R7
        return self.stamp(method) is not None

    def stamp(self, method: str) -> Stamp | None:
        """The stamp that the idempotency tag names (R7), with the unit its field is tagged with."""
        found = self.tagged(method, Idempotency)
        return None if found is None else Stamp(found[1].stamp, self.unit(method, found[1].stamp))

    def unit(self, method: str, field: str) -> str | None:
        """The unit of a field that holds a time (a key of UNIT_NS); None where no timestamp tag says it."""
        for entry in self.entries:
            if entry.at == f"{method}.{field}" and isinstance(entry.meaning, Timestamp):
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
        return path_text(index, path), value


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


def _hashed(name: str) -> str:
    """How a reader that does not know the name calls it: Candid sends only this hash over the wire."""
    return f"_{name_hash(name)}"
