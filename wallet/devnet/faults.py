"""Faults on cue: what can be armed, for how long, and in one sentence what a wallet's user will then see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

FaultValue: TypeAlias = Any
"""What JSON gave and `Kind.read` checked: None, a number, a word, or a result's case."""
MAX_TIMES: Final = 1_000_000
MAX_SECONDS: Final = 50 * 366 * 86_400
TAMPERED: Final = (
    *("signature", "tree", "request_id", "root_key", "delegation", "canister", "time", "infinity", "garbage"),
    "reply",
)
"""What `tamper` can forge; `reply` is the odd one out: certified, and no Candid."""


class BadFault(Exception):
    """No such fault, or a value it cannot take; the text is a sentence."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One fault. `lasts`: until it is cleared; `at_once`: takes effect when posted and is never armed."""

    name: str
    says: str
    read: Callable[[str, object], FaultValue]
    default: FaultValue = None
    lasts: bool = False
    at_once: bool = False

    def sentence(self, value: FaultValue) -> str:
        shown = next(iter(value)) if isinstance(value, dict) else value  # of a result, its case
        return self.says.format(value=shown)


def _nothing(name: str, value: object) -> FaultValue:
    if value is not None:
        raise BadFault(f"{name} takes no value")
    return None


def _whole(low: int, high: int) -> Callable[[str, object], FaultValue]:
    def read(name: str, value: object) -> FaultValue:
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 40:
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise BadFault(f"{name} takes a whole number from {low} to {high}")
        return value

    return read


def _seconds(name: str, value: object) -> FaultValue:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_SECONDS:
        raise BadFault(f"{name} takes a number of seconds, not negative")
    return value


def _one_of(*choices: str) -> Callable[[str, object], FaultValue]:
    def read(name: str, value: object) -> FaultValue:
        if value not in choices:
            raise BadFault(f"{name} takes one of: {', '.join(choices)}")
        return str(value)

    return read


def _result(name: str, value: object) -> FaultValue:
    """A case: "TooOld", "Err.TooOld", {"BadFee": {"expected_fee": "7"}}, {"Err": one of these} or {"Ok": 9}."""
    if isinstance(value, dict) and value.keys() == {"Err"}:
        value = value["Err"]
    if isinstance(value, str):
        value = {value.removeprefix("Err."): None}
    if isinstance(value, dict) and len(value) == 1:
        ((tag, fields),) = value.items()
        if not isinstance(tag, str) or not tag.isidentifier():
            raise BadFault(f"{name} takes a case, and {tag!a} is no name of one")
        plain = fields is None or (_digits(fields) if tag.startswith("Ok") else _plain(fields))
        if plain:
            return {tag: fields}
    raise BadFault(f'{name} takes a case such as "TooOld", or {{"GenericError": {{"error_code": 7, "message": "no"}}}}')


def _digits(item: object) -> bool:
    text = str(item)
    return text.isascii() and text.isdigit() and len(text) <= 80


def _plain(fields: object) -> bool:
    if isinstance(fields, dict):
        return all(isinstance(key, str) and key.isidentifier() and _plain(item) for key, item in fields.items())
    return isinstance(fields, str) or (isinstance(fields, int) and not isinstance(fields, bool) and fields >= 0)


KINDS: Final[dict[str, Kind]] = {
    kind.name: kind
    for kind in (
        Kind("lose_reply", "The transfer executes, and the connection is cut before the answer.", _nothing),
        Kind("lose_request", "The connection is cut before the call reaches the network: nothing executes.", _nothing),
        Kind("late", "The transfer executes at once, and its answer comes {value} s late.", _seconds, 40),
        Kind("delay", "The call is accepted without an answer (202), and executes {value} s later.", _seconds, 5),
        Kind("busy", "The ledger answers TemporarilyUnavailable; nothing executes.", _nothing),
        Kind("result", "The ledger answers {value}; nothing executes.", _result, {"GenericError": None}),
        Kind("reject", "The call is rejected, certified, with code {value}; nothing executes.", _whole(1, 6), 2),
        Kind(
            "reject_uncertified",
            "One node rejects the call with code {value} and no certificate; it executes nowhere.",
            _whole(1, 6),
            2,
        ),
        Kind("http", "The call is answered with HTTP status {value}; nothing executes.", _whole(400, 599), 503),
        Kind("clock", "The network's time jumped ahead, for good.", _seconds, at_once=True),
        Kind("lag", "The ledger's clock is {value} s behind the network's.", _seconds, 120, lasts=True),
        Kind("fee", "The ledger's fee is {value} base units.", _whole(0, (1 << 64) - 1), 20_000, lasts=True),
        Kind(
            "forget_status",
            "The call executes and is accepted without an answer (202); its status is never shown.",
            _nothing,
        ),
        Kind("done_status", "The call executes; its certified status is `done`, and the reply is gone.", _nothing),
        Kind(
            "trap_after_commit", "The transfer executes; the ledger then traps: certified rejection, code 5.", _nothing
        ),
        Kind("twice", "The call runs twice, and the second run's result is the answer.", _nothing),
        Kind("hide_archive", "The archive does not answer: older blocks cannot be read.", _nothing, lasts=True),
        Kind("no_dedup", "The ledger never answers Duplicate: a repeat moves money again.", _nothing, lasts=True),
        Kind("funds_first", "The ledger looks for the funds before all else, a repeat included.", _nothing, lasts=True),
        Kind(
            "tamper",
            "The transfer executes, and an answer about it is forged ({value}).",
            _one_of(*TAMPERED),
            "signature",
        ),
        Kind("stale_queries", "Queries are answered from the state of the moment it was armed.", _nothing, lasts=True),
        Kind("stop", "The network closes every connection and refuses new ones for a while.", _seconds, at_once=True),
    )
}
DEFAULTS_AT_ONCE: Final = {"clock": None, "stop": 2}


@dataclass(slots=True)
class Armed:
    kind: Kind
    value: FaultValue
    times: int | None

    def as_json(self) -> dict[str, Any]:
        return {
            "fault": self.kind.name,
            "times": self.times,
            "value": self.value,
            "says": self.kind.sentence(self.value),
        }


class Faults:
    """What is armed now, in the order it was. Arming a fault that is armed replaces it."""

    def __init__(self) -> None:
        self._armed: dict[str, Armed] = {}

    def arm(self, name: object, value: object = None, times: object = None) -> Armed:
        """Arm it for so many calls; lasting ones are not counted, those at once only checked. Raises BadFault."""
        kind = KINDS.get(name) if isinstance(name, str) else None
        if kind is None:
            raise BadFault(f"there is no such fault; there are: {', '.join(KINDS)}")
        if times is None:
            times = 1
        if isinstance(times, bool) or not isinstance(times, int) or not 1 <= times <= MAX_TIMES:
            raise BadFault(f"times takes a whole number from 1 to {MAX_TIMES}")
        armed = Armed(kind, self._value(kind, value), None if kind.lasts or kind.at_once else times)
        if not kind.at_once:
            self._armed.pop(kind.name, None)
            self._armed[kind.name] = armed
        return armed

    def clear(self) -> None:
        self._armed.clear()

    def standing(self, name: str) -> Armed | None:
        """A lasting fault, where it is armed."""
        return self._armed.get(name)

    def take(self, *names: str) -> Armed | None:
        """The first of these that is armed, counted once."""
        for name in list(self._armed):
            armed = self._armed[name]
            if name in names and armed.times is not None:
                armed.times -= 1
                if not armed.times:
                    del self._armed[name]
                return armed
        return None

    def as_json(self) -> list[dict[str, Any]]:
        return [armed.as_json() for armed in self._armed.values()]

    @staticmethod
    def _value(kind: Kind, value: object) -> FaultValue:
        if value is None and kind.read is not _nothing:
            if kind.name == "clock":
                raise BadFault("clock takes a number of seconds, not negative")
            return DEFAULTS_AT_ONCE.get(kind.name, kind.default)
        return kind.read(kind.name, value)


def known() -> list[dict[str, Any]]:
    """Every fault there is, for a panel: its name, what will be seen, and how long it lasts."""
    lasting = {True: "until cleared", False: "for so many calls"}
    return [
        {
            "fault": kind.name,
            "says": kind.sentence("the given value" if kind.default is None else kind.default),
            "default": kind.default,
            "lasts": "at once" if kind.at_once else lasting[kind.lasts],
        }
        for kind in KINDS.values()
    ]
