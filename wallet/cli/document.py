"""The one JSON shape of an intent (design, section 2): every field always there, null where there is nothing.

Amounts, block indices and times are strings of digits. The `outcome` of an attempt is one word: `replied`, `rejected`
(certified, and it did not execute), `not_sent`, or `unknown`.
"""

from typing import TypeAlias

from wallet.core import memo
from wallet.core.attempt import (
    Answered,
    Attempt,
    NeverSent,
    NotExecuted,
    NotSent,
    Rejected,
    Silence,
    Status,
    Unknown,
    fate,
)
from wallet.core.blocks import LedgerBlock
from wallet.core.finding import Absent, CannotTell, Found, LookedAgain, Span
from wallet.core.finding import Answered as PersonAnswered
from wallet.core.intent import Intent
from wallet.core.principal import Principal
from wallet.core.value import Case, Value

Json: TypeAlias = "bool | int | str | list[Json] | dict[str, Json] | None"


def intent_document(intent: Intent, next_command: str | None, existing: bool = False) -> dict[str, Json]:
    """`existing`: this run met it as one that was prepared before (R13)."""
    outcome = intent.outcome
    return {
        "id": intent.id,
        "ref": intent.ref,
        "state": intent.state.value,
        "class": None if outcome.outcome_class is None else outcome.outcome_class.value,
        "case": outcome.case,
        "payload": value_json(outcome.payload),
        "settled": intent.is_settled,
        "settled_by": outcome.settled_by,
        "moved": outcome.moved,
        "existing": existing,
        "dropped": intent.dropped,
        "block": _digits(outcome.block),
        "duplicate_of": _digits(outcome.duplicate_of),
        "duplicate": _duplicate(intent),
        "history": _history(intent),
        "stamp": str(intent.stamp),
        "window_closes": str(intent.window_closes),
        "digest": intent.digest,
        "bytes_sha256": intent.bytes_sha256,
        "network": intent.network,
        "ledger": intent.ledger.text,
        "method": intent.method,
        "sender": intent.sender.text,
        "card": _card(intent),
        "attempts": [_attempt(intent, each) for each in intent.attempts],
        "alarms": list(intent.alarms),
        "supersedes": intent.supersedes,
        "superseded_by": intent.superseded_by,
        "next": next_command,
    }


def value_json(value: Value) -> Json:
    """Numbers as digits, blobs as hex, records as objects, a variant as {tag: payload}."""
    match value:
        case None | bool() | str():
            return value
        case int():
            return str(value)
        case bytes():
            return value.hex()
        case Principal():
            return value.text
        case Case(tag=tag, value=inner):
            return {tag: value_json(inner)}
        case list():
            return [value_json(item) for item in value]
        case dict():
            return {name: value_json(item) for name, item in value.items()}


def block_json(block: LedgerBlock) -> dict[str, Json]:
    return {
        "index": str(block.index),
        "op": block.op,
        "from": None if block.sender is None else block.sender.text,
        "to": None if block.recipient is None else block.recipient.text,
        "spender": None if block.spender is None else block.spender.text,
        "amount": _digits(block.amount),
        "fee": _digits(block.fee),
        "memo_hex": None if block.memo is None else block.memo.hex(),
        "stamp": _digits(block.stamp),
        "timestamp": str(block.timestamp),
    }


def _card(intent: Intent) -> dict[str, Json]:
    card = intent.card
    shown = None if card.memo is None else memo.describe(card.memo)
    return {
        "from": card.sender.text,
        "to": card.recipient.text,
        "amount": str(card.amount),
        "fee": str(card.fee),
        "total": str(card.total),
        "amount_text": card.text(card.amount),
        "fee_text": card.text(card.fee),
        "total_text": card.text(card.total),
        "memo_hex": None if shown is None or card.memo_is_number else shown.hex,
        "memo_text": None if shown is None else shown.text,
        "symbol": card.symbol,
        "decimals": card.decimals,
        "warnings": list(card.warnings),
        # Only where there is one: of an approve, and of a payment from another's account.
        **({} if card.expires_at is None else {"expires_at": str(card.expires_at)}),
        **({} if card.spender is None else {"spender": card.spender.text}),
    }


def _duplicate(intent: Intent) -> Json:
    duplicate = intent.duplicate
    if duplicate is None or duplicate.block is None:
        return None
    return {**block_json(duplicate.block), "differs": list(duplicate.differs)}


def _history(intent: Intent) -> Json:
    """How far the ledger's history was read for it, and what it says; of several readings the last."""
    for finding in reversed(intent.findings):
        match finding:
            case Found(span=span):
                return _reading(span, "found", None)
            case Absent(span=span):
                return _reading(span, "absent", None)
            case CannotTell(span=span, why=why):
                return _reading(span, "cannot_tell", why)
            case PersonAnswered() | LookedAgain():
                continue
    return None


def _reading(span: Span, verdict: str, why: str | None) -> dict[str, Json]:
    return {"from": _digits(span.first), "to": _digits(span.last), "verdict": verdict, "why": why}


def _attempt(intent: Intent, attempt: Attempt) -> dict[str, Json]:
    word, detail = _end_of(intent, attempt)
    return {
        "n": attempt.n,
        "request_id": attempt.request_id.hex(),
        "sent_at": str(attempt.sent_at),
        "expiry": str(attempt.expiry),
        "posts": attempt.posts,
        "outcome": word,
        "detail": detail,
    }


def _end_of(intent: Intent, attempt: Attempt) -> tuple[str, str]:
    match fate(attempt):
        case Answered(reply=reply):
            return "replied", intent.pack.classify(intent.method, reply.result).case or ""
        case NotExecuted(rejection=rejection):
            return "rejected", f"reject code {rejection.code}: {rejection.message}"
        case NeverSent():
            return "not_sent", _last_word(attempt)
        case Unknown(ended=ended):
            how = {None: "", "expired": "expired", "done": "done", "unreadable": "unreadable", "rejected": ""}[ended]
            return "unknown", "; ".join(filter(None, [how, _last_word(attempt)]))


def _last_word(attempt: Attempt) -> str:
    for evidence in reversed(attempt.evidence):
        match evidence:
            case Silence(reason=reason, detail=detail):
                return f"{reason}: {detail}"
            case NotSent(why=why):
                return why
            case Rejected(code=code, message=message, certified=certified):
                return f"reject code {code}{'' if certified else ', not certified'}: {message}"
            case Status(word=word):
                return f"status {word}"
            case _:
                continue
    return "no outcome was recorded"


def _digits(number: int | None) -> str | None:
    return None if number is None else str(number)
