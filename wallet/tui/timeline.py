"""What was done about an intent, step by step and attempt by attempt, as the evidence on disk has it."""

from textual.content import Content

from wallet.core.attempt import (
    Attempt,
    NeverSent,
    NotSent,
    Rejected,
    Reply,
    Silence,
    SilenceReason,
    Status,
    StatusWord,
    fate,
)
from wallet.core.finding import Absent, CannotTell, Finding, Found, LookedAgain
from wallet.core.intent import Intent, State
from wallet.core.lifecycle import RETRY_SAME_LIMIT
from wallet.core.pack import Pack
from wallet.services.progress import Progress, Stage
from wallet.services.shown import plain
from wallet.tui import text

STEPS = {
    "stored": "the signed call goes to disk, before its first byte is sent",
    "sent": "the call goes to the network",
    "received": "the network takes the call",
    "executed": "the ledger does what the call asks for",
    "certified": "the network's signature of the answer is verified",
    "settled": "it is known for good what became of the money",
}
"""What each step is, once it comes: told of the next one, it claims nothing."""
BAR = 24
SHOWN_ATTEMPTS = 3

_STATUS = {
    StatusWord.RECEIVED: "the network has it, and has not begun",
    StatusWord.PROCESSING: "the network is at work on it",
    StatusWord.ABSENT: "the network shows no trace of it",
    StatusWord.DONE: "the network has finished with it and forgotten how it ended",
    StatusWord.UNREADABLE: "the network has an answer that cannot be read",
}
_SILENCE = {
    SilenceReason.ACCEPTED: "the network has taken it, no answer yet",
    SilenceReason.TIMEOUT: "no answer came in time",
    SilenceReason.CONNECTION: "the connection was lost",
    SilenceReason.HTTP: "the server answered with an error",
    SilenceReason.UNREADABLE: "an answer came that cannot be read",
    SilenceReason.UNVERIFIED: "an answer came that does not verify",
    SilenceReason.INTERRUPTED: "the wallet was closed before an answer came",
}


def steps(intent: Intent, is_busy: bool, width: int) -> list[Content]:
    """The six steps of a send, those behind it ticked; while it is under way, what the next one means."""
    reached = _reached(intent)
    ahead = [step for step in STEPS if step not in reached]
    under_way = ahead[0] if ahead and is_busy else None
    parts: list[text.Part] = []
    for step in STEPS:
        if step in reached:
            parts.append((f"✓ {step}", "$text-success"))
        elif step == under_way:
            parts.append((f"◔ {step}", "bold $text-primary"))
        else:
            parts.append((f"· {step}", "$text-muted"))
    rows = text.side_by_side(parts, width)
    if under_way is not None:
        rows += text.folded("", f"next, {under_way}: {STEPS[under_way]}", width, "$text-muted", 2)
    return rows


def _reached(intent: Intent) -> set[str]:
    """The steps of the latest attempt."""
    attempt = intent.attempts[-1]
    reached = {"stored"} if isinstance(fate(attempt), NeverSent) else {"stored", "sent"}
    for evidence in attempt.evidence:
        match evidence:
            case Reply() | Rejected(certified=True):
                reached |= {"received", "certified"}
            case Silence(reason=SilenceReason.ACCEPTED):
                reached.add("received")
            case Status(word=word) if word is not StatusWord.ABSENT:
                reached.add("received")
            case _:
                pass
    if intent.is_settled:
        reached |= {"settled", "received", "executed"} if intent.outcome.moved else {"settled"}
    return reached


def attempts(intent: Intent, width: int) -> list[Content]:
    """The latest attempts, and the last word about each."""
    rows = []
    for attempt in intent.attempts[-SHOWN_ATTEMPTS:]:
        posts = f", posted {attempt.posts} times" if attempt.posts > 1 else ""
        head = f"attempt {attempt.n} at {text.clock(attempt.sent_at)}{posts}"
        last_word = _last_word(attempt, intent.pack, intent.method)
        rows += text.folded("", f"{head}: {last_word}", width, "$text-muted", label_width=2)
    return rows


def _last_word(attempt: Attempt, pack: Pack, method: str) -> str:
    match attempt.evidence[-1] if attempt.evidence else None:
        case None:
            return "no answer yet"
        case Reply(result=result):
            return f"answered, certified: {plain(pack.classify(method, result).case or 'no case')}"
        case Rejected(code=code, certified=certified, message=message):
            by = "certified" if certified else "one node's word only"
            return f"rejected with code {code} ({by}): {plain(message)[:60]}"
        case Status(word=word):
            return _STATUS[word]
        case Silence(reason=reason):
            return _SILENCE[reason]
        case NotSent():
            return "no connection, nothing was sent"


def now(progress: Progress, waits_s: float) -> list[Content]:
    """The latest thing that happened, while it happens; `waits_s` is left of a pause."""
    match progress.stage:
        case Stage.WAITING:
            rows = [text.line((f"In {waits_s:.0f} s: {plain(progress.detail)}.", "$text-primary"))]
            if progress.intent.state is State.RETRY_SAME:
                rows.append(
                    text.line((f"After {RETRY_SAME_LIMIT} such answers it waits for your word.", "$text-muted"))
                )
            return rows
        case Stage.ASKING:
            return [text.line(("Asking the network what became of it …", "$text-primary"))]
        case Stage.TROUBLE | Stage.TOO_LONG:
            return [text.line((plain(progress.detail), "$text-warning"))]
        case Stage.READING if progress.blocks is not None:
            first, at, last = progress.blocks
            share = (at - first + 1) * 100 // max(last - first + 1, 1)
            bar = "█" * (share * BAR // 100)
            span = f"Looking for it in the ledger's blocks {first} … {last}   "
            return [text.line((span, ""), (f"{bar:░<{BAR}}", "$text-primary"), f" {share} %")]
        case Stage.READING:
            return [text.line(("Looking for it in the ledger's blocks …", "$text-primary"))]
        case _:
            return []


def findings(intent: Intent, width: int) -> list[Content]:
    """The latest look of each kind into the ledger's history, and the person's own word."""
    latest = {type(each): each for each in intent.findings}
    return [row for each in latest.values() for row in _finding(each, intent, width)]


def _finding(finding: Finding, intent: Intent, width: int) -> list[Content]:
    match finding:
        case Found(block=block):
            return text.folded("history", f"● found: block {block.index}", width, "$text-success")
        case Absent(span=span):
            until = f" up to {text.clock(span.until)}" if span.until is not None else ""
            return text.folded("history", f"proven absent{until}: no attempt before that executed", width)
        case CannotTell(why=why):
            return text.folded("history", f"cannot tell: {plain(why)}", width, "$text-warning")
        case LookedAgain(blocks=blocks) if len(blocks) > 1:
            equal = ", ".join(map(str, blocks))
            return text.folded("history", f"more than one block equals it: {equal}", width, "bold $text-error")
        case LookedAgain():
            return text.folded("history", "looked once more: no second block like it", width)
        case _:
            return text.folded("you said", "it executed" if finding.executed else "it did not execute", width)
