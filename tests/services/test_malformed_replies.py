"""Certified replies that do not carry what their case should: no crash, no claim beyond the case (R16-R20)."""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import make_attempt, make_intent, make_reply
from tests.services.conftest import Wallet, World
from wallet.adapters.store import open_store
from wallet.cli.card import outcome_lines
from wallet.cli.document import intent_document
from wallet.cli.exits import exit_of, next_words
from wallet.core.intent import Intent
from wallet.core.lifecycle import weigh
from wallet.core.outcome import OutcomeClass
from wallet.core.value import Case, Value
from wallet.services import wording

FIELDS = ("duplicate_of", "expected_fee", "min_burn_amount", "balance", "ledger_time", "error_code", "message", "x")
ERRORS = (
    *("Duplicate", "BadFee", "BadBurn", "InsufficientFunds", "TooOld", "CreatedInFuture", "TemporarilyUnavailable"),
    *("GenericError", "Frozen"),
)
numbers = st.sampled_from([-1, 0, 2**64 - 1, 2**64, 10**300]) | st.integers(min_value=-(2**70), max_value=2**70)
leaves = st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=8), st.binary(max_size=8))
anything: st.SearchStrategy[Value] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(FIELDS), inner, max_size=3),
        st.builds(Case, st.sampled_from(("Ok", "Duplicate", "Some")), inner),
    ),
    max_leaves=4,
)
payloads = st.one_of(numbers, st.builds(lambda number: {name: number for name in FIELDS}, numbers), anything)
replies = st.one_of(
    st.builds(lambda payload: Case("Ok", payload), payloads),
    st.builds(lambda tag, payload: Case("Err", Case(tag, payload)), st.sampled_from(ERRORS), payloads),
    st.builds(lambda payload: Case("Err", payload), payloads),
)


def nat64(value: Value) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64 else None


def answered(result: Value) -> Intent:
    intent = replace(make_intent(), confirmed=True, attempts=(make_attempt(evidence=(make_reply(result),)),))
    return replace(intent, outcome=weigh(intent, None))


@given(replies)
def test_a_reply_says_what_its_case_says_and_names_a_block_only_where_it_does(result: Case) -> None:
    outcome = answered(result).outcome
    match result:
        case Case(tag="Ok", value=payload) if not isinstance(payload, Case):
            assert (outcome.outcome_class, outcome.moved) == (OutcomeClass.SUCCESS, True)
            assert (outcome.block, outcome.duplicate_of) == (nat64(payload), None)
        case Case(tag="Err", value=Case(tag="Duplicate", value=payload)) if not isinstance(payload, Case):
            named = nat64(payload.get("duplicate_of")) if isinstance(payload, dict) else None
            assert (outcome.outcome_class, outcome.moved) == (OutcomeClass.ALREADY_DONE, True)
            assert (outcome.block, outcome.duplicate_of) == (named, named)
        case Case(tag="Err"):
            is_repeat = outcome.outcome_class is OutcomeClass.ALREADY_DONE
            assert outcome.moved is True if is_repeat else not outcome.moved


@given(replies)
def test_every_reply_can_be_shown(result: Case) -> None:
    intent = answered(result)
    assert wording.headline(intent)
    assert wording.word(intent)
    assert "\x1b" not in "".join((wording.explanation(intent), wording.hint(intent), *outcome_lines(intent)))
    assert json.loads(json.dumps(intent_document(intent, next_words(intent, lambda _: None))))
    assert exit_of(intent, lambda _: None) in range(7)


@given(replies)
def test_every_reply_can_be_kept(result: Case) -> None:
    prepared, attempt = make_intent(), make_attempt()
    with TemporaryDirectory() as folder, closing(open_store(Path(folder))) as store:
        added = store.add(prepared)
        assert added is not None
        begun = store.begin_attempt(added, attempt, confirmed=True)
        assert begun is not None
        wanted = answered(result)
        stored = store.record(begun, 1, make_reply(result), wanted.outcome)
        assert stored is not None
        assert (stored.outcome, stored.attempts[0].evidence) == (wanted.outcome, wanted.attempts[0].evidence)


@pytest.mark.parametrize("payload", [None, {"duplicate_of": -1}, {"duplicate_of": str(2**64)}, {"duplicate_of": "no"}])
def test_a_duplicate_that_names_no_block_is_told_as_one_that_does_not(payload: Value) -> None:  # R20
    intent = answered(Case("Err", Case("Duplicate", payload)))
    assert wording.headline(intent) == "This transfer was executed before. Your money moved once."
    assert "named no block" in wording.explanation(intent)
    assert "named no block" in wording.explanation(answered(Case("Ok", None)))


@pytest.mark.parametrize("value", [{"Duplicate": "a text"}, {"Duplicate": {"duplicate_of": str(2**64)}}])
async def test_a_duplicate_that_names_no_block_settles_and_proves_nothing_of_the_ledger(
    world: World, wallet: Wallet, value: object
) -> None:  # R19, R20
    intent = (await wallet.prepare()).intent
    await world.fault("result", value)
    settled = await wallet.confirm(intent)
    assert (settled.outcome.outcome_class, settled.outcome.moved) == (OutcomeClass.ALREADY_DONE, True)
    assert (settled.outcome.block, settled.outcome.duplicate_of, settled.duplicate) == (None, None, None)
    assert not wallet.ledger.dedup_proven
    assert await world.payments() == []
