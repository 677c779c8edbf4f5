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
)
from wallet.core.intent import Intent, Outcome, State
from wallet.core.ledger_time import LedgerTime
from wallet.core.outcome import OutcomeClass
from wallet.core.pack import Classification, Pack

Verdict: TypeAlias = Outcome

RETRY_SAME_LIMIT = 3
"""The ledger may say "busy" this often in all; the third stops the automatic attempts (R22)."""

POST_LIMIT = 8
"""One envelope is posted at most this often; after that only its status is asked, until it has expired."""

NOT_SENT_LIMIT = 3
"""Posts without a connection before the person is asked to look at the network."""

PAUSES_S = (1.0, 3.0, 8.0)
"""Seconds before the next automatic attempt, by how many were turned away; the last one repeats (R22)."""

POLL_S = 0.5
"""Seconds between two looks at a request that the network has accepted."""


# --- where it stands ---------------------------------------------------------------------------------------------


def weigh(intent: Intent, attempts: Sequence[Attempt], now: LedgerTime | None) -> Verdict:
    """The verdict over all evidence. `now` is certified time; None leaves the window out of account.

    A settled intent stays settled: later evidence never reopens sending (R18).
    """
    if intent.is_settled:
        return intent.outcome
    fates = [fate(attempt) for attempt in attempts]
    answers = [_classify(intent.pack, intent.method, each) for each in fates if isinstance(each, Answered)]
    is_unknown = any(isinstance(each, Unknown) for each in fates)

    # An answer that the money moved settles it, whichever attempt it belongs to (R18, R20).
    for wanted in (OutcomeClass.SUCCESS, OutcomeClass.ALREADY_DONE):
        for answer in answers:
            if answer.by == "key" and answer.cls is wanted:
                return _settled_as_moved(answer)

    # Every other answer but retry_same speaks of the past only where the past is known (R24, R26).
    final = [answer for answer in answers if answer.by != "key" or answer.cls is not OutcomeClass.RETRY_SAME]
    if final:
        return _weigh_refusal(final[-1], is_unknown)
    if now is not None and not intent.window.is_open(intent.stamp, now):
        if is_unknown:
            return Verdict(State.RECONCILE, OutcomeClass.RECONCILE, moved=None)  # R24
        return Verdict(State.RETRY_NEW, OutcomeClass.RETRY_NEW, moved=False)  # R21, R23
    if intent.state is State.RETRY_NEW and not is_unknown:
        return intent.outcome  # a closed window does not open again
    return _weigh_open(intent, fates, answers, is_unknown)


def _classify(pack: Pack, method: str, answered: Answered) -> Classification:
    return pack.classify(method, answered.reply.result)


def _settled_as_moved(answer: Classification) -> Verdict:
    block: int | None = None
    match answer.payload:
        case bool():
            pass
        case int(index):
            block = index
        case {"duplicate_of": int(index)}:
            block = index
    is_repeat = answer.cls is OutcomeClass.ALREADY_DONE
    return Verdict(
        State.SETTLED,
        answer.cls,
        answer.case,
        answer.payload,
        settled_by="reply",
        moved=True,
        block=block,
        duplicate_of=block if is_repeat else None,
    )


def _weigh_refusal(answer: Classification, is_unknown: bool) -> Verdict:
    if is_unknown:
        # The ledger looks at memo, fee, throttle and age before it looks for a duplicate: an earlier attempt may have
        # executed all the same, so none of its refusals settles anything (R24).
        return Verdict(State.RECONCILE, OutcomeClass.RECONCILE, answer.case, answer.payload, moved=None)
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
                return Verdict(State.UNKNOWN, moved=None)
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
    verdict = weigh(intent, intent.attempts, now)
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
    is_unknown = any(isinstance(each, Unknown) for _, each in fates)
    if is_unknown and not (dedup_proven and intent.pack.has_idempotency(intent.method)):
        return Stop(Need.HISTORY)
    last, last_fate = fates[-1]
    if isinstance(last_fate, NeverSent) and now <= last.expiry:
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
