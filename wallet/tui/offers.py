"""What can be done about an intent, where it stands now."""

from wallet.core.intent import Intent, State
from wallet.core.outcome import OutcomeClass

BUTTONS = {
    "leave": "Leave it",
    "ask": "Ask the network",
    "again": "Send the same bytes again",
    "look": "Read the history",
    "answer": "Answer: did it arrive?",
    "restamp": "Prepare it with a new stamp",
    "correct": "Correct it",
    "successor": "Show what took its place",
    "acknowledge": "Acknowledge the alarm",
    "drop": "Drop it",
}


def offers(intent: Intent) -> tuple[str, ...]:
    """What can be done about it now, what does nothing at all first: it has the focus."""
    names: list[str] = []
    match intent.state:
        case State.UNKNOWN:
            names += ["ask", "again", "look"]
        case State.RETRY_SAME | State.REJECTED:
            names += ["ask", "again"] + (["drop"] if intent.outcome.moved is False else [])
        case State.RECONCILE:
            names += ["look", "ask"]
        case State.ASK:
            names += ["look", "answer"]
        case State.RETRY_NEW:
            names += ["look", "restamp", "drop"]
        case State.SETTLED if intent.superseded_by is not None:
            names += ["successor"]
        case State.SETTLED if intent.asks_for_restamp:
            names += ["restamp"]
        case State.SETTLED if intent.outcome.outcome_class is OutcomeClass.FIX_INPUT:
            names += ["correct"]
        case _:
            pass
    names += ["acknowledge"] if intent.alarms else []
    return ("leave", *names) if names else ()
