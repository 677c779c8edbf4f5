"""What an intent's attempts amount to, and what may be done next: pure functions over the evidence (parts C and D).

`weigh` says where an intent stands; `next_step` says what the rules allow now. Nothing else decides either.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, assert_never

from wallet.core.attempt import (
    Answered,
    Attempt,
    Fate,
    NeverSent,
    NotExecuted,
    Status,
    StatusWord,
    Unknown,
    fate,
    was_ever_unknown,
)
from wallet.core.finding import Absent, CannotTell, Found
from wallet.core.finding import Answered as PersonAnswered
from wallet.core.intent import Intent, Outcome, State
from wallet.core.ledger_time import LedgerTime
from wallet.core.outcome import OutcomeClass
from wallet.core.pack import Classification
from wallet.core.value import Value

Verdict: TypeAlias = Outcome

RETRY_SAME_LIMIT = 3
"""The ledger may say "busy" this often in all; the third stops the automatic attempts (R22)."""

POST_LIMIT = 8
"""One envelope is posted at most this often; after that only its status is asked, until it has expired."""

NOT_SENT_LIMIT = 3
"""Posts without a connection before the person is asked to look at the network."""

PAUSES_S = (1.0, 3.0, 8.0)
"""Seconds before the next automatic attempt, by how many were turned away; the last one repeats (R22)."""

BLOCK_LIMIT = 2**64
"""No ledger has a block beyond: an index is asked for as a nat64 on some, and none will ever come this far."""

POLL_S = 0.5
"""Seconds between two looks at a request that the network has accepted."""


# --- where it stands ---------------------------------------------------------------------------------------------


def weigh(intent: Intent, now: LedgerTime | None) -> Verdict:
    """The verdict over all replies, silences and findings. `now` is certified time; None leaves the window aside.

    A settled intent stays settled and nothing reopens sending (R18); but proof that the money moved overrules an ending
    that says it did not, and takes the place of the person's word that it did (R25).
    """
    fates = [(attempt, fate(attempt)) for attempt in intent.attempts]
    moved = _weigh_moved(intent, fates)
    if intent.is_settled:
        return moved if moved is not None and overrules(intent, moved) else intent.outcome
    if moved is not None:
        return moved
    if (ending := _weigh_findings(intent)) is not None:
        return ending

    answers = _answers(intent, fates)
    is_unknown = bool(standing_unknowns(intent))
    asks_person = is_unknown and _asks_person(intent)
    # Every answer but retry_same speaks of the past only where the past is known (R24, R26).
    final = [answer for answer in answers if answer.by != "key" or answer.cls is not OutcomeClass.RETRY_SAME]
    if final:
        return _weigh_refusal(final[-1], is_unknown, asks_person)
    if asks_person:
        return Verdict(State.ASK, OutcomeClass.RECONCILE, moved=None)
    if now is not None and not intent.window.is_open(intent.stamp, now):
        if is_unknown:
            return Verdict(State.RECONCILE, OutcomeClass.RECONCILE, moved=None)  # R24
        return Verdict(State.RETRY_NEW, OutcomeClass.RETRY_NEW, moved=False)  # R21, R23
    if is_unknown and not intent.pack.has_idempotency(intent.method) and can_none_start(intent):
        return Verdict(State.RECONCILE, OutcomeClass.RECONCILE, moved=None)  # R19: without the tag, then R24
    if intent.state in (State.RETRY_NEW, State.RECONCILE) and is_unknown == (intent.state is State.RECONCILE):
        return intent.outcome  # a closed window does not open again
    return _weigh_open(intent, [each for _, each in fates], answers, is_unknown)


def overrules(intent: Intent, verdict: Verdict) -> bool:
    """Whether a settled intent's ending gives way: proof of movement to one that denies it, or only has a person's word
    for it (R25)."""
    ending = intent.outcome
    is_weaker = ending.moved is False or (ending.settled_by == "person" and verdict.settled_by != "person")
    return ending.is_settled and verdict.is_settled and verdict.moved is True and is_weaker


def standing_unknowns(intent: Intent) -> list[Attempt]:
    """The attempts that may have executed for all that is known: those that no proof of absence covers (R18, R25)."""
    covered = _covered(intent)
    return [each for each in intent.attempts if isinstance(fate(each), Unknown) and each.n not in covered]


def _covered(intent: Intent) -> frozenset[int]:
    """The attempts that were proven absent and over: a proof that holds as long as none of them is posted again."""
    return frozenset(n for finding in intent.findings if isinstance(finding, Absent) for n in finding.covers)


def can_none_start(intent: Intent) -> bool:
    """The first half of the proof of absence: no attempt of the intent can start or finish any more (R25)."""
    fates = [fate(attempt) for attempt in intent.attempts]
    return not any(isinstance(each, Unknown) and each.ended is None for each in fates)


def _answers(intent: Intent, fates: Sequence[tuple[Attempt, Fate]]) -> list[Classification]:
    return [intent.pack.classify(intent.method, each.reply.result) for _, each in fates if isinstance(each, Answered)]


def _weigh_moved(intent: Intent, fates: Sequence[tuple[Attempt, Fate]]) -> Verdict | None:
    """Settled as moved, by whichever attempt's answer says so (R18, R20), or by a block that was found (R25)."""
    was_unknown = any(map(was_ever_unknown, intent.attempts))
    answers = _answers(intent, fates)
    for wanted in (OutcomeClass.SUCCESS, OutcomeClass.ALREADY_DONE):
        for answer in answers:
            if answer.by == "key" and answer.cls is wanted:
                is_repeat = wanted is OutcomeClass.ALREADY_DONE
                block = _block_named(answer.payload, is_repeat)
                return Verdict(
                    State.SETTLED,
                    answer.cls,
                    answer.case,
                    answer.payload,
                    settled_by="reply",
                    moved=True,
                    block=block,
                    duplicate_of=block if is_repeat else None,
                    look_due=was_unknown and not is_repeat,  # R27
                )
    for finding in intent.findings:
        if isinstance(finding, Found):
            return Verdict(
                State.SETTLED,
                OutcomeClass.RECONCILE,
                settled_by="history",
                moved=True,
                block=finding.block.index,
                look_due=was_unknown,
            )
    return None


def _block_named(payload: Value, is_repeat: bool) -> int | None:
    """The block that an answer names. One without any, or with a number that no block can have, has said that the money
    moved all the same: that much is certified, and no more is claimed (R16, R20)."""
    match payload:
        case bool():
            return None
        case int(index) if not is_repeat and 0 <= index < BLOCK_LIMIT:
            return index
        case {"duplicate_of": int(index)} if is_repeat and type(index) is int and 0 <= index < BLOCK_LIMIT:
            return index
    return None


def _weigh_findings(intent: Intent) -> Verdict | None:
    """Settled as not moved by proof of absence, or either way by the person's word (R25)."""
    for finding in reversed(intent.findings):
        match finding:
            case Absent(settles=True):
                return Verdict(State.SETTLED, OutcomeClass.RECONCILE, settled_by="history", moved=False)
            case PersonAnswered(executed=executed, block=block):
                return Verdict(State.SETTLED, OutcomeClass.RECONCILE, settled_by="person", moved=executed, block=block)
    return None


def _asks_person(intent: Intent) -> bool:
    latest = intent.findings[-1] if intent.findings else None
    return isinstance(latest, CannotTell) and latest.asks


def _weigh_refusal(answer: Classification, is_unknown: bool, asks_person: bool) -> Verdict:
    if is_unknown:
        # The ledger looks at memo, fee, throttle and age before it looks for a duplicate: an earlier attempt may have
        # executed all the same, so none of its refusals settles anything (R24).
        state = State.ASK if asks_person else State.RECONCILE
        return Verdict(state, OutcomeClass.RECONCILE, answer.case, answer.payload, moved=None)
    if answer.by == "key" and answer.cls is OutcomeClass.RETRY_NEW:
        return Verdict(State.RETRY_NEW, answer.cls, answer.case, answer.payload, moved=False)
    # A class nobody gave the case does not say where the money is (R5).
    moved = False if answer.by == "key" else None
    return Verdict(State.SETTLED, answer.cls, answer.case, answer.payload, settled_by="reply", moved=moved)


def _weigh_open(intent: Intent, fates: Sequence[Fate], answers: Sequence[Classification], is_unknown: bool) -> Verdict:
    """Unsettled, inside the window: the latest attempt that left a trace names the state."""
    if not fates:
        return Verdict(State.PREPARED, moved=False)
    moved = None if is_unknown else False
    for each in reversed(fates):
        match each:
            case NeverSent():
                continue
            case Unknown():
                # One that a proof of absence covers may simply go again (R25).
                return Verdict(State.UNKNOWN, moved=None) if is_unknown else Verdict(State.RETRY_SAME, moved=False)
            case NotExecuted(rejection=rejection):
                return Verdict(State.REJECTED, case=f"reject {rejection.code}", payload=rejection.message, moved=moved)
            case Answered():
                busy = answers[-1]
                return Verdict(State.RETRY_SAME, busy.cls, busy.case, busy.payload, moved=moved)
            case _:
                assert_never(each)
    return Verdict(State.RETRY_SAME, moved=False)  # nothing of it ever left (R18)


# --- what comes next ---------------------------------------------------------------------------------------------


class Need(StrEnum):
    """Why the wallet goes no further by itself."""

    CONFIRMATION = "confirmation"  # of the card (R15)
    RESTAMP = "restamp"  # a new stamp, confirmed anew (R23)
    HISTORY = "history"  # what the ledger's blocks say (R19, R24, R25)
    PERSON = "person"  # the person's word for one more attempt (R22)
    EXPIRY = "expiry"  # the last envelope's end, before anything else may go (R17, R19)


@dataclass(frozen=True, slots=True)
class AskStatus:
    """Ask the network about attempt `n`; nothing is sent. `pause_s` before it, when one look has just been taken."""

    n: int
    pause_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Repost:
    """The same envelope of attempt `n` again: one request id runs at most once (R19, first layer)."""

    n: int
    pause_s: float


@dataclass(frozen=True, slots=True)
class Fresh:
    """The same argument bytes in a new envelope (R19, second layer)."""

    pause_s: float


@dataclass(frozen=True, slots=True)
class Stop:
    """The rules allow nothing more by itself."""

    need: Need


@dataclass(frozen=True, slots=True)
class Done:
    """Settled."""


Step: TypeAlias = AskStatus | Repost | Fresh | Stop | Done


def next_step(intent: Intent, now: LedgerTime, *, dedup_proven: bool, by_person: bool = False) -> Step:
    """The one thing the rules allow next at certified time `now`.

    `by_person` is the person's word just given for one attempt beyond the automatic ones (R22).
    """
    verdict = weigh(intent, now)
    if verdict.is_settled:
        return Done()
    if verdict.state is State.PREPARED:
        return Stop(Need.CONFIRMATION)

    fates = [(attempt, fate(attempt)) for attempt in intent.attempts]
    may_send = verdict.state in (State.RETRY_SAME, State.REJECTED, State.UNKNOWN)
    # First layer: every request id whose end is not known is asked about, and posted again while it can still run.
    for attempt, each in fates:
        if isinstance(each, Unknown) and each.ended is None:
            may_repost = may_send and (by_person or intent.pack.has_idempotency(intent.method))  # R19
            return _pursue(attempt, each, now, may_repost)
    if verdict.state is State.RETRY_NEW:
        return Stop(Need.RESTAMP)
    if not may_send:
        return Stop(Need.HISTORY)

    # Second layer: the same bytes in a new envelope, on the ledger's own deduplication.
    if standing_unknowns(intent) and not (dedup_proven and intent.pack.has_idempotency(intent.method)):
        return Stop(Need.HISTORY)
    last, last_fate = fates[-1]
    # An envelope that a proof of absence counted as never sent must stay so: the proof would not cover it any more.
    if isinstance(last_fate, NeverSent) and now <= last.expiry and last.n not in _covered(intent):
        return Repost(last.n, _pause(last.posts)) if by_person or last.posts < NOT_SENT_LIMIT else Stop(Need.PERSON)
    busy = sum(isinstance(each, Answered) for _, each in fates)
    rejected = sum(isinstance(each, NotExecuted) for _, each in fates)
    turned_away = max(busy, rejected)
    if by_person or not turned_away:
        return Fresh(0.0)
    return Fresh(_pause(turned_away)) if turned_away < RETRY_SAME_LIMIT else Stop(Need.PERSON)  # R22


def _pursue(attempt: Attempt, unknown: Unknown, now: LedgerTime, may_repost: bool) -> Step:
    """What to do about a request id whose end is not known."""
    latest = attempt.evidence[-1] if attempt.evidence else None
    if not isinstance(latest, Status):
        return AskStatus(attempt.n)
    if unknown.accepted or now > attempt.expiry or latest.word is not StatusWord.ABSENT:
        return AskStatus(attempt.n, POLL_S)
    if may_repost and attempt.posts < POST_LIMIT:
        return Repost(attempt.n, _pause(attempt.posts))
    return Stop(Need.EXPIRY)


def _pause(times: int) -> float:
    return PAUSES_S[min(times, len(PAUSES_S)) - 1]
