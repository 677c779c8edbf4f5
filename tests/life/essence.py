"""Which intents are one and the same to all that can still happen: what the exploration hashes."""

from wallet.core.attempt import Answered as AttemptAnswered
from wallet.core.attempt import Attempt, NotExecuted, NotSent, Status, fate, was_ever_unknown
from wallet.core.finding import Absent, Answered, CannotTell, Found, LookedAgain
from wallet.core.intent import Intent


def essence(intent: Intent) -> tuple[object, ...]:
    """All that a later step can depend on; intents alike in it are one. Certificates and most times are left out."""
    outcome = intent.outcome
    payload = outcome.payload if (outcome.case or "").endswith("CreatedInFuture") else None
    findings: list[object] = []
    for finding in intent.findings:
        match finding:
            case CannotTell(asks=asks):
                findings.append(("cannot tell", asks, finding is intent.findings[-1]))
            case Found(block=block):
                findings.append(("found", block.index))
            case Absent(covers=covers, settles=settles):
                findings.append(("absent", covers, settles))
            case LookedAgain(blocks=blocks):
                findings.append(("looked again", blocks))
            case Answered(executed=executed_):
                findings.append(("answered", executed_))
    return (
        (intent.id, intent.stamp, intent.card.fee, intent.anchor, intent.supersedes, intent.superseded_by),
        (intent.confirmed, intent.dropped, intent.duplicate is not None, bool(intent.alarms)),
        (outcome.state, outcome.settled_by, outcome.moved, outcome.block, outcome.duplicate_of, outcome.look_due),
        (outcome.outcome_class, outcome.case, payload),
        () if outcome.moved and not outcome.look_due else tuple(map(_attempt_essence, intent.attempts)),
        tuple(dict.fromkeys(findings)),
    )


def _attempt_essence(attempt: Attempt) -> tuple[object, ...]:
    latest = attempt.evidence[-1] if attempt.evidence else None
    end: object = fate(attempt)
    match end:
        case AttemptAnswered(reply=reply):
            end = ("answered", repr(reply.result))
        case NotExecuted(rejection=rejection):
            end = ("rejected", rejection.code)
    return (
        (attempt.n, attempt.expiry, attempt.posts, attempt.envelope, end, was_ever_unknown(attempt)),
        sum(isinstance(each, NotSent) for each in attempt.evidence),
        (latest.word, latest.time > attempt.expiry) if isinstance(latest, Status) else latest is None,
    )
