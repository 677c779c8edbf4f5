"""The table of exit codes, and the JSON of values, without a network."""

from dataclasses import replace
from typing import Any

import pytest

from tests.builders import make_attempt, make_intent
from wallet.cli.document import intent_document, value_json
from wallet.cli.exits import Exit, exit_of, next_words
from wallet.core.attempt import NotSent, Silence, SilenceReason
from wallet.core.intent import Intent, Outcome, State
from wallet.core.outcome import OutcomeClass
from wallet.core.principal import Principal
from wallet.core.value import Case, Value
from wallet.services import shown, wording

C, S = OutcomeClass, State
SETTLED = State.SETTLED
TABLE = [
    (Outcome(S.PREPARED), 0, "confirm"),
    (Outcome(S.SENDING, moved=None), 4, "resume"),
    (Outcome(S.RETRY_SAME, C.RETRY_SAME), 4, "resume"),
    (Outcome(S.REJECTED), 4, "resume"),
    (Outcome(S.UNKNOWN, moved=None), 4, "resume"),
    (Outcome(S.RETRY_NEW, C.RETRY_NEW), 5, "restamp"),
    (Outcome(S.RECONCILE, C.RECONCILE, moved=None), 6, "reconcile"),
    (Outcome(S.ASK, C.RECONCILE, moved=None), 6, "reconcile"),
    (Outcome(SETTLED, C.SUCCESS, settled_by="reply", moved=True), 0, None),
    (Outcome(SETTLED, C.ALREADY_DONE, settled_by="reply", moved=True), 0, None),
    (Outcome(SETTLED, C.FAIL, settled_by="reply", moved=False), 1, None),
    (Outcome(SETTLED, C.FAIL, "Err.Frozen", settled_by="reply", moved=None), 1, None),
    (Outcome(SETTLED, C.SUCCESS, "Maybe", settled_by="reply", moved=None), 1, None),  # R5: by a pack's default
    (Outcome(SETTLED, C.FIX_INPUT, "Err.BadFee", settled_by="reply", moved=False), 3, None),
    (Outcome(SETTLED, C.RECONCILE, settled_by="history", moved=True), 0, None),
    (Outcome(SETTLED, C.RECONCILE, settled_by="history", moved=False), 5, "restamp"),
    (Outcome(SETTLED, C.RECONCILE, settled_by="person", moved=True), 0, None),
    (Outcome(SETTLED, C.RECONCILE, settled_by="person", moved=False), 5, "restamp"),
]


def nothing(_: str) -> Intent | None:
    return None


@pytest.mark.parametrize(("outcome", "code", "word"), TABLE, ids=lambda each: str(each))
def test_the_table_of_states(outcome: Outcome, code: int, word: str | None) -> None:
    attempts = () if outcome.state is State.PREPARED else (make_attempt(evidence=(LOST,)),)
    intent = replace(make_intent(), outcome=outcome, attempts=attempts)
    assert exit_of(intent, nothing) == code
    words = next_words(intent, nothing)
    assert words == (None if word is None else f"{word} {intent.id}")
    assert wording.headline(intent)
    assert wording.word(intent)
    alarmed = replace(intent, alarms=("two equal blocks",))
    assert exit_of(alarmed, nothing) == 6  # R35
    assert next_words(alarmed, nothing) == f"acknowledge {intent.id}"


@pytest.mark.parametrize("cls", [C.SUCCESS, C.ALREADY_DONE, C.FAIL, C.FIX_INPUT])
def test_a_class_by_default_is_told_as_what_was_not_understood(cls: OutcomeClass) -> None:  # R5
    intent = replace(make_intent(), outcome=Outcome(SETTLED, cls, "Err.Frozen", settled_by="reply", moved=None))
    assert wording.word(intent) == "not understood"
    assert "cannot say what moved" in wording.headline(intent)
    assert exit_of(intent, nothing) != 0


LOST = Silence(SilenceReason.CONNECTION, "gone")


def test_what_was_never_sent_has_an_exit_code_of_its_own() -> None:
    attempt = make_attempt(evidence=(NotSent("refused"),))
    intent = replace(make_intent(), outcome=Outcome(State.RETRY_SAME), attempts=(attempt,))
    assert exit_of(intent, nothing) is Exit.NETWORK
    document: Any = intent_document(intent, None)
    assert document["attempts"][0]["outcome"] == "not_sent"


def test_a_superseded_intent_exits_as_the_last_of_its_successors() -> None:
    last = replace(make_intent(3), outcome=Outcome(State.UNKNOWN, moved=None))
    middle = replace(make_intent(2), outcome=SUPERSEDED, superseded_by=last.id)
    first = replace(make_intent(1), outcome=SUPERSEDED, superseded_by=middle.id)
    everyone = {each.id: each for each in (first, middle, last)}
    assert exit_of(first, everyone.get) == 4
    assert next_words(first, everyone.get) == f"resume {last.id}"


SUPERSEDED = Outcome(SETTLED, C.RETRY_NEW, settled_by="restamp", moved=False)


def test_numbers_are_digits_and_blobs_hex() -> None:
    value: Value = {
        "n": 2**70,
        "b": b"\x00\xff",
        "v": Case("Err", Case("Bad", {"fee": 1})),
        "l": [1, True, None, "text"],
    }
    assert value_json(value) == {
        "n": str(2**70),
        "b": "00ff",
        "v": {"Err": {"Bad": {"fee": "1"}}},
        "l": ["1", True, None, "text"],
    }
    assert value_json(Principal(b"\x04")) == "2vxsx-fae"


def test_foreign_text_cannot_move_the_cursor() -> None:
    assert shown.plain("a\x1b[2Jb\u202e\n") == "a\\u001b[2Jb\\u202e\\u000a"
