"""Exit codes: of an intent by where it stands, of an error by what it is (design, section 2)."""

from collections.abc import Callable
from enum import IntEnum
from typing import assert_never

from wallet.core.errors import BadInput, NetworkFault, Refused, StoreFault, VaultFault, WalletError
from wallet.core.intent import Intent, State
from wallet.core.outcome import OutcomeClass
from wallet.services.wording import was_never_sent


class Exit(IntEnum):
    DONE = 0
    FAILED = 1
    USAGE = 2
    FIX_INPUT = 3
    UNSETTLED = 4
    NEW_STAMP = 5
    PERSON = 6
    STORE = 7
    NETWORK = 8
    DEFECT = 70
    INTERRUPTED = 130


Find = Callable[[str], Intent | None]


def exit_of(intent: Intent, find: Find) -> Exit:
    """By the table of states; a superseded intent exits as its successor, and an alarm overrides all (R35)."""
    last = successor(intent, find)
    if intent.alarms or last.alarms:
        return Exit.PERSON
    match last.state:
        case State.PREPARED:
            return Exit.DONE
        case State.RETRY_SAME if was_never_sent(last):
            return Exit.NETWORK
        case State.SENDING | State.RETRY_SAME | State.REJECTED | State.UNKNOWN:
            return Exit.UNSETTLED
        case State.RETRY_NEW:
            return Exit.NEW_STAMP
        case State.RECONCILE | State.ASK:
            return Exit.PERSON
        case State.SETTLED:
            return _ending(last)
        case _:
            assert_never(last.state)


def successor(intent: Intent, find: Find) -> Intent:
    """The last of those that superseded it one after the other; itself where none did."""
    while intent.superseded_by is not None and (heir := find(intent.superseded_by)) is not None:
        intent = heir
    return intent


def _ending(intent: Intent) -> Exit:
    outcome = intent.outcome
    if outcome.moved:
        return Exit.DONE
    if outcome.settled_by in ("history", "person"):
        return Exit.NEW_STAMP
    match outcome.outcome_class:
        case OutcomeClass.FIX_INPUT:
            return Exit.FIX_INPUT
        case _:  # a success by default, too: that the money moved, nobody said (R5)
            return Exit.FAILED


def exit_of_error(error: WalletError) -> Exit:
    match error:
        case BadInput() | Refused():
            return Exit.USAGE
        case StoreFault() | VaultFault():
            return Exit.STORE
        case NetworkFault():
            return Exit.NETWORK
        case _:
            return Exit.DEFECT


def next_words(intent: Intent, find: Find) -> str | None:
    """The command that goes on from here, without the program's name; None where nothing is left to do."""
    last = successor(intent, find)
    for each in (intent, last):
        if each.alarms:
            return f"acknowledge {each.id}"
    if last.dropped:
        return None
    match last.state:
        case State.PREPARED:
            return f"confirm {last.id}"
        case State.SENDING | State.RETRY_SAME | State.REJECTED | State.UNKNOWN:
            return f"resume {last.id}"
        case State.RETRY_NEW:
            return f"restamp {last.id}"
        case State.RECONCILE | State.ASK:
            return f"reconcile {last.id}"
        case State.SETTLED:
            return f"restamp {last.id}" if _ending(last) is Exit.NEW_STAMP else None
        case _:
            assert_never(last.state)
