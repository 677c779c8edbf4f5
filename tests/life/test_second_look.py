"""The look after an unknown has moved counts only once nothing of the intent can run any more (R27)."""

from typing import cast

import pytest

from tests.builders import NOW, make_attempt, make_block, make_intent
from tests.life.shelf import Shelf, ledger_entry
from wallet.core.attempt import Evidence, Rejected, Silence, SilenceReason, Status, StatusWord
from wallet.core.finding import Finding, Found, LookedAgain, Span
from wallet.core.intent import Intent, Outcome, State
from wallet.core.ledger_time import LedgerTime
from wallet.ports import Store
from wallet.services.concluding import conclude

TRAPPED = Rejected(5, "trap", certified=True, time=NOW)
ACCEPTED = Silence(SilenceReason.ACCEPTED, "")
GONE = Status(StatusWord.ABSENT, b"", LedgerTime(make_attempt().expiry + 1))
SPAN = Span(1, 9, NOW)


def concluded(second: tuple[Evidence, ...], *findings: Finding) -> Intent:
    """An intent whose first attempt trapped after its commit, and whose second has this evidence."""
    attempts = (make_attempt(1, evidence=(TRAPPED,)), make_attempt(2, evidence=second))
    intent = make_intent(confirmed=True, attempts=attempts, outcome=Outcome(State.UNKNOWN, moved=None))
    shelf = Shelf(intent, ledger_entry(has_history=True, proven=True, broken=False))
    for finding in findings:
        conclude(cast(Store, shelf), shelf.held, finding)
    return shelf.held


@pytest.mark.parametrize(("second", "still_due"), [((ACCEPTED,), True), ((ACCEPTED, GONE), False)])
def test_a_second_look_stays_due_while_a_call_may_still_run(second: tuple[Evidence, ...], still_due: bool) -> None:
    found = Found(SPAN, make_block(make_intent()))
    assert concluded(second, found).outcome.look_due
    assert concluded(second, found, LookedAgain(SPAN, (7,))).outcome.look_due is still_due


def test_a_second_block_is_an_alarm_whenever_it_is_seen() -> None:
    intent = concluded((ACCEPTED,), Found(SPAN, make_block(make_intent())), LookedAgain(SPAN, (7, 8)))
    assert intent.alarms
