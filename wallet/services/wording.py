"""Every sentence a person reads about an intent: its sign, what happened to the money, why, and what may be done."""

from dataclasses import dataclass
from enum import Enum

from wallet.core.amount import format_short
from wallet.core.attempt import Answered, NeverSent, Rejected, Silence, SilenceReason, fate
from wallet.core.intent import Intent, State
from wallet.core.lifecycle import RETRY_SAME_LIMIT
from wallet.core.outcome import OutcomeClass
from wallet.core.pack import Operation
from wallet.services.reasons import case_of, ledger_reason
from wallet.services.shown import memo_text, plain, utc

ALARM_GLYPH, ALARM_WORD = "⚠", "alarm"
"""An alarm stands beside the state, never in its place (R35)."""


@dataclass(frozen=True, slots=True)
class _Look:
    glyph: str
    word: str


class Sign(Enum):
    """Where an intent stands, as it is shown everywhere: a glyph and a word, always together."""

    PREPARED = _Look("○", "prepared")
    SENDING = _Look("◔", "sending")
    SUCCESS = _Look("●", "success")
    ALREADY_DONE = _Look("◉", "already done")
    RETRYING = _Look("↻", "retrying")
    NEW_STAMP = _Look("⧗", "new stamp needed")
    FIX_INPUT = _Look("✎", "fix input")
    FAILED = _Look("✕", "failed")
    UNCLEAR = _Look("‽", "not understood")
    UNKNOWN = _Look("?", "unknown")
    RECONCILING = _Look("⌕", "reconciling")
    ASKS = _Look("!", "asks you")
    REJECTED = _Look("↺", "rejected, may go again")
    EXECUTED = _Look("●", "executed")
    NOT_EXECUTED = _Look("⊘", "not executed")
    SUPERSEDED = _Look("⇢", "superseded")

    @property
    def glyph(self) -> str:
        return self.value.glyph

    @property
    def word(self) -> str:
        return self.value.word


_BY_STATE = {
    State.PREPARED: Sign.PREPARED,
    State.SENDING: Sign.SENDING,
    State.RETRY_SAME: Sign.RETRYING,
    State.REJECTED: Sign.REJECTED,
    State.UNKNOWN: Sign.UNKNOWN,
    State.RETRY_NEW: Sign.NEW_STAMP,
    State.RECONCILE: Sign.RECONCILING,
    State.ASK: Sign.ASKS,
}
_BY_CLASS = {
    OutcomeClass.SUCCESS: Sign.SUCCESS,
    OutcomeClass.ALREADY_DONE: Sign.ALREADY_DONE,
    OutcomeClass.FIX_INPUT: Sign.FIX_INPUT,
}


def sign(intent: Intent) -> Sign:
    outcome = intent.outcome
    if not outcome.is_settled:
        return _BY_STATE[outcome.state]
    match outcome.settled_by:
        case "restamp":
            return Sign.SUPERSEDED
        case "history" | "person":
            return Sign.EXECUTED if outcome.moved else Sign.NOT_EXECUTED
    if outcome.moved is None:
        return Sign.UNCLEAR  # whatever class took it by default: where the money is, nobody said (R5)
    if outcome.outcome_class is None:
        return Sign.FAILED
    return _BY_CLASS.get(outcome.outcome_class, Sign.FAILED)


def glyph(intent: Intent) -> str:
    return sign(intent).glyph


def word(intent: Intent) -> str:
    """The word beside the glyph; of a reconciled one, by whom it is known."""
    shown = sign(intent)
    if shown in (Sign.EXECUTED, Sign.NOT_EXECUTED):
        return f"{shown.word} ({'history' if intent.outcome.settled_by == 'history' else 'your word'})"
    return shown.word


def payee_label(intent: Intent) -> str:
    return "spender" if intent.card.operation is Operation.APPROVE else "to"


def memo(intent: Intent) -> str:
    """As the method has it: a number, or text or bytes."""
    card = intent.card
    return f"{(card.memo or b'0').decode()} (a number)" if card.memo_is_number else memo_text(card.memo)


def what_it_does(intent: Intent, *, grouping: bool = False) -> str:
    """The verb and the amount, as on a button: send 1.5 TOK, allow 5 TOK, revoke the allowance."""
    card = intent.card
    if card.operation is Operation.APPROVE and not card.amount:
        return "revoke the allowance"
    verb = "allow" if card.operation is Operation.APPROVE else "send"
    return f"{verb} {format_short(card.amount, card.decimals, grouping=grouping)} {plain(card.symbol)}"


def headline(intent: Intent) -> str:
    """One sentence to stand beside glyph and word: did the money move? Of an unknown, that it may have."""
    card, outcome = intent.card, intent.outcome
    what = f"{card.text_short(card.amount)} {plain(card.symbol)}"
    block = "" if outcome.block is None else f" in block {outcome.block}"
    if card.operation is Operation.APPROVE and (said := _of_approve(intent, what, block)):
        return said
    match sign(intent):
        case Sign.PREPARED:
            return f"{what} is prepared and waits for your confirmation. Nothing was sent."
        case Sign.SENDING:
            return f"{what} is being sent at this moment."
        case Sign.SUCCESS:
            return f"{what} moved{block}."
        case Sign.ALREADY_DONE if intent.duplicate is not None and intent.duplicate.differs:
            return f"The ledger says that it executed this before{block}."
        case Sign.ALREADY_DONE:
            return f"This transfer was executed before{block}. Your money moved once."
        case Sign.RETRYING:
            if was_never_sent(intent):
                return "No connection to the network came about, so nothing was sent."
            if not _busy_answers(intent):
                return "It is proven that no attempt executed, and the same bytes may go again."
            return "The ledger is busy and did not execute the transfer."
        case Sign.REJECTED:
            return "The network rejected the last attempt before it was executed."
        case Sign.UNKNOWN:
            return "We do not know whether this moved: the money may have left the account."
        case Sign.NEW_STAMP:
            return "Nothing this wallet sent for the transfer was executed, and its stamp is of no more use."
        case Sign.RECONCILING:
            return "An earlier attempt may have moved the money: only the ledger's history can tell."
        case Sign.ASKS:
            return "The ledger's history does not tell whether this moved. It is for you to find out, and to say."
        case Sign.FIX_INPUT:
            return "Nothing moved: the ledger wants something changed."
        case Sign.UNCLEAR:
            return f"The ledger answered {case_of(intent)}, which this wallet does not know: it cannot say what moved."
        case Sign.FAILED:
            return "The ledger refused the transfer, and nothing moved."
        case Sign.EXECUTED if outcome.settled_by == "person":
            return f"By your word it executed{block}."
        case Sign.EXECUTED:
            return f"It executed: the ledger has it{block}."
        case Sign.NOT_EXECUTED if outcome.settled_by == "person":
            return "By your word it did not execute."
        case Sign.NOT_EXECUTED:
            return "It is proven that it did not execute, and none of its attempts can any more."
        case Sign.SUPERSEDED:
            return f"{intent.superseded_by} took its place. Its own bytes are never sent again."


def _of_approve(intent: Intent, what: str, block: str) -> str:
    """Where an approve is spoken of in other words than a payment; else empty."""
    subject = f"An allowance of {what}" if intent.card.amount else "The end of an allowance"
    match sign(intent):
        case Sign.PREPARED:
            return f"{subject} is prepared and waits for your confirmation. Nothing was sent."
        case Sign.SUCCESS if intent.card.amount:
            return f"The spender may take {what}: the ledger has it{block}."
        case Sign.SUCCESS:
            return f"The allowance is revoked{block}."
        case Sign.ALREADY_DONE:
            return f"This was executed before{block}, once."
        case Sign.UNKNOWN:
            return "We do not know whether this was executed: the spender may be allowed to take it."
        case Sign.RECONCILING:
            return "An earlier attempt may have been executed: only the ledger's history can tell."
        case Sign.ASKS:
            return "The ledger's history does not tell whether it was executed. It is for you to find out, and to say."
        case Sign.FIX_INPUT:
            return "Nothing was changed: the ledger wants something else."
        case Sign.FAILED:
            return "The ledger refused it, and nothing was changed."
    return ""


def explanation(intent: Intent) -> str:
    """Why it stands there and what may be done now; empty where there is nothing to add."""
    closes = utc(intent.window_closes)
    match sign(intent):
        case Sign.PREPARED if intent.has_stamp:
            return f"Its stamp is good until {closes}."
        case Sign.PREPARED:
            return f"It can be confirmed until {closes}."
        case Sign.RETRYING if was_never_sent(intent):
            return f"{_last_trouble(intent)} The same bytes may go until {closes}."
        case Sign.RETRYING if not _busy_answers(intent):
            return f"The ledger's history was read for it. The same bytes may go until {closes}."
        case Sign.RETRYING:
            answers = _busy_answers(intent)
            rest = (
                f"It goes again by itself, {RETRY_SAME_LIMIT} times in all."
                if answers < RETRY_SAME_LIMIT
                else "It goes no further by itself: another attempt needs your word."
            )
            return f"It was busy {_times(answers)}. {rest} The same bytes may go until {closes}."
        case Sign.REJECTED:
            earlier = "" if intent.outcome.moved is False else " What became of an earlier attempt is not known."
            reason = intent.outcome.payload
            why = f" It said: {plain(reason)}." if isinstance(reason, str) and reason else ""
            return f"The same bytes may go again until {closes}.{why}{earlier}"
        case Sign.UNKNOWN if not intent.has_stamp:
            return (
                f"{_last_trouble(intent)} The ledger knows no repeat of {intent.method}: only the same signed call may"
                " go again, on your word and while it can still run."
            )
        case Sign.UNKNOWN:
            return (
                f"{_last_trouble(intent)} Sending the same bytes again is safe until {closes}: "
                "the ledger executes them at most once."
            )
        case Sign.NEW_STAMP:
            said = ledger_reason(intent)
            return f"{said or f'The window of its stamp closed at {closes}.'} A new one is a new call to the ledger."
        case Sign.RECONCILING:
            said = ledger_reason(intent) or f"The window of its stamp closed at {closes}."
            return f"{said} That says nothing about an attempt whose answer was lost. Nothing more is sent."
        case Sign.ASKS:
            return "Nothing is sent or stamped until you answer."
        case Sign.ALREADY_DONE:
            return _about_duplicate(intent)
        case Sign.SUCCESS if intent.outcome.block is None:
            return "The ledger named no block with it; its answer stands."
        case Sign.UNCLEAR:
            return "Look at the balance before you pay again; the card of an equal payment will name this one."
        case Sign.FIX_INPUT | Sign.FAILED:
            return ledger_reason(intent)
        case Sign.NOT_EXECUTED:
            return "Sending it after all is a new call to the ledger, with a new stamp."
        case Sign.SENDING | Sign.SUCCESS | Sign.EXECUTED | Sign.SUPERSEDED:
            return ""


def hint(intent: Intent) -> str:
    """In a few words, what it waits for; for lists."""
    match sign(intent):
        case Sign.PREPARED:
            return "waits for your confirmation"
        case Sign.SENDING:
            return "goes on by itself"
        case Sign.UNKNOWN if not intent.has_stamp:
            return "the same call may go again, for a while"
        case Sign.RETRYING | Sign.REJECTED | Sign.UNKNOWN:
            return "the same bytes may go again"
        case Sign.NEW_STAMP:
            return "needs a new stamp, and your word"
        case Sign.RECONCILING:
            return "the ledger's history must be read"
        case Sign.ASKS:
            return "did it arrive? You are asked"
        case Sign.NOT_EXECUTED:
            return "may be sent anew, with a new stamp"
        case Sign.SUCCESS | Sign.ALREADY_DONE | Sign.EXECUTED | Sign.FIX_INPUT | Sign.FAILED:
            return ""
        case Sign.UNCLEAR:
            return "look at the balance before you pay again"
        case Sign.SUPERSEDED:
            return ""


def was_never_sent(intent: Intent) -> bool:
    """Whether all there is of it are attempts for which no connection ever came about (R18)."""
    return bool(intent.attempts) and all(isinstance(fate(each), NeverSent) for each in intent.attempts)


def _busy_answers(intent: Intent) -> int:
    return sum(isinstance(fate(each), Answered) for each in intent.attempts)


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _last_trouble(intent: Intent) -> str:
    """What went wrong with the last attempt, as a sentence."""
    attempt = intent.attempts[-1] if intent.attempts else None
    if attempt is None or len(attempt.evidence) == 0:
        return "The wallet was stopped while it was sending."
    for evidence in reversed(attempt.evidence):
        match evidence:
            case Silence(reason=SilenceReason.UNVERIFIED, detail=detail):
                return f"An answer came that does not verify, so it is no answer ({plain(detail)})."
            case Silence(reason=SilenceReason.ACCEPTED):
                return "The network took the call and has not told what became of it."
            case Silence(reason=reason, detail=detail):
                return f"No answer that counts came back: {reason} ({plain(detail)})."
            case Rejected(code=code, certified=certified):
                kind = "" if certified else " by one node's word only"
                return f"It was rejected with code {code}{kind}, which does not say whether it ran."
            case _:
                continue
    return "No answer that counts came back." if not was_never_sent(intent) else "Check the connection."


def _about_duplicate(intent: Intent) -> str:
    match intent.duplicate:
        case None if intent.outcome.duplicate_of is None:
            return "The ledger named no block with it, so there is none to compare; its answer stands."
        case None:
            return "The block has not been fetched yet."
        case each if each.block is None:
            return "The block could not be read; the ledger's answer stands."
        case each if each.differs:
            return f"But that block differs from what you confirmed, in: {', '.join(each.differs)}."
    return "The block is what you confirmed, field by field. Nothing more was sent."
