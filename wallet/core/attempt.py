"""One submission of an intent's bytes, and all that ever came back about it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

from wallet.core.ledger_time import LedgerTime
from wallet.core.value import Value

NOT_EXECUTED_CODES = frozenset({1, 2, 3})
"""Reject codes that say, certified, that the call did not execute (R17). Code 5 does not."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A certified reply to this very request, decoded (R16)."""

    result: list[Value]
    raw: bytes
    certificate: bytes
    time: LedgerTime


@dataclass(frozen=True, slots=True)
class Rejected:
    """A rejection. Without a certificate it is one node's word and proves nothing (R17)."""

    code: int
    message: str
    certified: bool
    error_code: str | None = None
    certificate: bytes = b""
    time: LedgerTime | None = None


@dataclass(frozen=True, slots=True)
class NotSent:
    """No connection was ever established for this post, so no byte of it left (R18)."""

    why: str


class StatusWord(StrEnum):
    """What the certified state says of a request that is neither replied nor (readably) rejected."""

    RECEIVED = "received"
    PROCESSING = "processing"
    ABSENT = "absent"
    DONE = "done"
    UNREADABLE = "unreadable"  # certified as replied, and the reply cannot be decoded


@dataclass(frozen=True, slots=True)
class Status:
    """A certified look at the request that brought no answer (R18, R25)."""

    word: StatusWord
    certificate: bytes
    time: LedgerTime
    detail: str = ""


class SilenceReason(StrEnum):
    ACCEPTED = "accepted"  # the node took the call and had no certified answer yet
    TIMEOUT = "timeout"
    CONNECTION = "connection lost"
    HTTP = "http error"
    UNREADABLE = "unreadable"
    UNVERIFIED = "unverified"
    INTERRUPTED = "interrupted"  # this wallet ended before it could record what came back


@dataclass(frozen=True, slots=True)
class Silence:
    """Nothing that counts came back: what happened is not known (R16, R18)."""

    reason: SilenceReason
    detail: str


Evidence: TypeAlias = Reply | Rejected | NotSent | Status | Silence


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request id: the envelope as signed, how often it was posted, and the evidence in the order it came.

    `posts` is raised on disk before each post (R29), so a post without evidence is one that was interrupted.
    """

    n: int
    request_id: bytes
    envelope: bytes
    expiry: LedgerTime
    sent_at: LedgerTime
    posts: int = 1
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    reply: Reply


@dataclass(frozen=True, slots=True)
class NotExecuted:
    """Certified rejected with code 1, 2 or 3: this attempt moved nothing, and its request id is spent (R17)."""

    rejection: Rejected


@dataclass(frozen=True, slots=True)
class NeverSent:
    """Every post of it was NotSent (R18)."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """It may have executed. `ended`: how the request ended can no longer change; still not known is what it did."""

    ended: Literal["rejected", "done", "unreadable", "expired"] | None
    accepted: bool  # certified received or processing: it is with the network, and no post can hasten it


Fate: TypeAlias = Answered | NotExecuted | NeverSent | Unknown


def fate(attempt: Attempt) -> Fate:
    """What one attempt's evidence amounts to, by itself (R16-R18). Only certified answers of its own id end it."""
    ended: Literal["rejected", "done", "unreadable", "expired"] | None = None
    accepted = False
    not_sent = 0
    for evidence in attempt.evidence:
        match evidence:
            case Reply():
                return Answered(evidence)
            case Rejected(certified=True, code=code):
                if code in NOT_EXECUTED_CODES:
                    return NotExecuted(evidence)
                ended = "rejected"
            case Status(word=StatusWord.DONE):
                ended = "done"
            case Status(word=StatusWord.UNREADABLE):
                ended = "unreadable"
            case Status(word=StatusWord.ABSENT, time=time):
                # Absent proves nothing before the expiry; after it, only that nothing can start any more (R25).
                if time > attempt.expiry:
                    ended = ended or "expired"
            case Status():
                accepted = True
            case NotSent():
                not_sent += 1
            case Rejected() | Silence():
                pass
    if attempt.posts == not_sent and not accepted and ended in (None, "expired"):
        return NeverSent()
    return Unknown(ended, accepted)


def was_ever_unknown(attempt: Attempt) -> bool:
    """Whether its outcome was unknown for a while, even if it is known now (R18, R27)."""
    return any(map(_left_open, attempt.evidence))


def _left_open(evidence: Evidence) -> bool:
    match evidence:
        case Silence(reason=reason):
            return reason is not SilenceReason.ACCEPTED
        case Status(word=word):
            return word not in (StatusWord.RECEIVED, StatusWord.PROCESSING)
        case Rejected(certified=certified, code=code):
            return not certified or code not in NOT_EXECUTED_CODES
        case Reply() | NotSent():
            return False
