"""What is outside the wallet, small enough to explore: certified time, request ids that run at most once, a ledger."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Literal, NamedTuple

from tests.builders import FEE, icrc1_pack, make_block, make_intent, make_reply
from wallet.core.attempt import Evidence, NotSent, Rejected, Silence, SilenceReason, Status, StatusWord
from wallet.core.icrc3 import value_hash
from wallet.core.intent import Intent
from wallet.core.ledger_time import MINUTE, SECOND, DedupWindow, LedgerTime
from wallet.core.pack import Classification, Pack
from wallet.core.tip import Tip
from wallet.core.value import Case, Value

AMOUNT = 5_000_000
RAISED_FEE = 2 * FEE
WINDOW = DedupWindow(tx_window_ns=5 * MINUTE)
"""Two envelopes and a half long, so that the end of the window is met as often as that of an envelope."""

LAG_NS = 70 * SECOND
"""How far the clock of a ledger that says CreatedInFuture is behind."""

Result = tuple[str, int]
"""What a call came to: the case of a reply and its number, or ("reject", code)."""

Payment = tuple[int, int]
"""Stamp and fee: all in which the arguments of one exploration differ."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One kind of ledger, and what the wallet believes of it."""

    name: str
    dedups: bool
    trusted: bool  # the wallet counts its deduplication as proven (R19)
    history: Literal["silent", "none"]  # silent: complete, but at any look an archive may not answer


SETTINGS = (
    Setting("proven", dedups=True, trusted=True, history="silent"),
    Setting("unproven", dedups=True, trusted=False, history="silent"),
    Setting("unproven, no history", dedups=True, trusted=False, history="none"),
    Setting("no deduplication", dedups=False, trusted=False, history="silent"),
    Setting("no deduplication, no history", dedups=False, trusted=False, history="none"),
    Setting("no deduplication, wrongly proven", dedups=False, trusted=True, history="silent"),
)


class QuickPack(Pack):
    """The pack, remembering what it said of a reply: the exploration meets few different ones, and each very often."""

    _said: ClassVar[dict[str, Classification]] = {}

    def classify(self, method: str, result: list[Value]) -> Classification:
        key = repr(result)
        if key not in self._said:
            self._said[key] = super().classify(method, result)
        return self._said[key]


@cache
def prepared(n: int, stamp: int, fee: int, chain: tuple["Payment", ...], supersedes: str | None) -> Intent:
    """The nth intent, just minted; all of one look-up key."""
    pack = _pack()
    return make_intent(
        n, amount=AMOUNT, stamp=stamp, fee=fee, window=WINDOW, anchor=tip_of(chain), supersedes=supersedes, pack=pack
    )


@cache
def _pack() -> Pack:
    pack = icrc1_pack()
    return QuickPack(pack.name, pack.entries, pack.text)


class Call(NamedTuple):
    """A request id as the network knows it. It is `waiting` to start, `running`, or `ended` with a result."""

    intent: int
    n: int
    payment: Payment
    expiry: int
    phase: Literal["waiting", "running", "ended"] = "waiting"
    result: Result | None = None


class World(NamedTuple):
    """Everything that counts, hashable. Intents are numbers into the model's library of all that ever were."""

    now: int
    intents: tuple[int, ...]
    calls: tuple[Call, ...]
    chain: tuple[Payment, ...]  # the payments in the ledger; block 0 comes before them
    fee: int
    proven: bool
    broken: bool
    luck: int  # misfortunes that may still happen


class Move(NamedTuple):
    """One transition. `cost` in misfortunes; what a friendly world does costs nothing and comes first."""

    label: str
    cost: int
    world: World


def advanced(world: World, now: int) -> World:
    """Certified time moves on; a call that has not started by its expiry never will."""
    kept = tuple(call for call in world.calls if call.phase != "waiting" or call.expiry >= now)
    return world._replace(now=now, calls=kept)


def known_call(world: World, intent: int, n: int) -> Call | None:
    return next((call for call in world.calls if (call.intent, call.n) == (intent, n)), None)


def with_call(world: World, call: Call) -> World:
    others = [each for each in world.calls if (each.intent, each.n) != (call.intent, call.n)]
    return world._replace(calls=tuple(sorted([*others, call])))


def without_call(world: World, intent: int, n: int) -> World:
    return world._replace(calls=tuple(each for each in world.calls if (each.intent, each.n) != (intent, n)))


def executed(setting: Setting, world: World, call: Call) -> Iterator[Move]:
    """Every way in which the ledger may answer. It looks at fee, throttle and age before it looks for a duplicate."""

    def ended(label: str, cost: int, result: Result, *, moves: bool = False) -> Move:
        done = world._replace(chain=(*world.chain, call.payment)) if moves else world
        return Move(label, cost, with_call(done, call._replace(phase="ended", result=result)))

    if call.payment[1] != world.fee:
        yield ended("BadFee", 0, ("BadFee", world.fee))
    elif setting.dedups and call.payment in world.chain:
        yield ended("Duplicate", 0, ("Duplicate", 1 + world.chain.index(call.payment)))
    else:
        yield ended("Ok", 0, ("Ok", 1 + len(world.chain)), moves=True)
        yield ended("trap after the commit", 1, ("reject", 5), moves=True)
        yield ended("an undeclared case, moved", 1, ("Frozen", 0), moves=True)
    yield ended("busy", 1, ("TemporarilyUnavailable", 0))
    yield ended("TooOld", 1, ("TooOld", 0))
    yield ended("CreatedInFuture", 1, ("CreatedInFuture", world.now - LAG_NS))
    yield ended("InsufficientFunds", 1, ("InsufficientFunds", 0))
    yield ended("trap before the commit", 1, ("reject", 5))
    yield ended("reject 2", 1, ("reject", 2))


# --- what the wallet sees of it ------------------------------------------------------------------------------------

Seen = tuple[str, int, int]
"""What came back: a word, its number, and the certified time (0: none). A key for `evidence_of`."""


def seen(result: Result, now: int) -> Seen:
    return (*result, now)


_FIELDS = {
    "Duplicate": "duplicate_of",
    "BadFee": "expected_fee",
    "CreatedInFuture": "ledger_time",
    "InsufficientFunds": "balance",
}


@cache
def evidence_of(what: Seen) -> Evidence:
    word, number, time = what
    match word:
        case "not sent":
            return NotSent("no connection")
        case "timeout":
            return Silence(SilenceReason.TIMEOUT, "")
        case "accepted":
            return Silence(SilenceReason.ACCEPTED, "")
        case "unverified":
            return Silence(SilenceReason.UNVERIFIED, "")
        case "one node's word":
            return Rejected(number, "", certified=False)
        case "reject":
            return Rejected(number, "", certified=True, time=LedgerTime(time))
        case "Ok":
            return make_reply(Case("Ok", number), time)
        case "received" | "processing" | "absent" | "done" | "unreadable":
            return Status(StatusWord(word), b"certificate", LedgerTime(time))
        case _:
            payload: Value = {_FIELDS[word]: number} if word in _FIELDS else None
            return make_reply(Case("Err", Case(word, payload)), time)


@cache
def blocks_of(chain: tuple[Payment, ...]) -> tuple[tuple[Value, ...], tuple[bytes, ...]]:
    """The ledger's blocks and their hashes: a first one, then the payments."""
    first: Value = Case("Map", [["ts", Case("Nat", 1)], ["tx", Case("Map", [["op", Case("Text", "other")]])]])
    if not chain:
        return (first,), (value_hash(first),)
    blocks, hashes = blocks_of(chain[:-1])
    stamp, fee = chain[-1]
    raw = make_block(make_intent(amount=AMOUNT, stamp=stamp, fee=fee), len(blocks)).raw
    assert isinstance(raw, Case)
    assert isinstance(raw.value, list)
    pairs: list[Value] = [["phash", Case("Blob", hashes[-1])], *raw.value[1:]]
    block = Case("Map", pairs)
    return (*blocks, block), (*hashes, value_hash(block))


def tip_of(chain: tuple[Payment, ...]) -> Tip:
    _, hashes = blocks_of(chain)
    return Tip(len(hashes) - 1, hashes[-1])
