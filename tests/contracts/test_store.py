"""The contract of the `Store` port, run over every implementation."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.builders import (
    ALICE,
    BOB,
    LEDGER,
    NOW,
    ROOT_KEY,
    make_attempt,
    make_block,
    make_intent,
    make_principal,
    make_reply,
)
from wallet.adapters.store import open_store
from wallet.core.account import Account
from wallet.core.attempt import Attempt, Evidence, NotSent, Rejected, Silence, SilenceReason, Status, StatusWord
from wallet.core.errors import Refused, StoreFault, Taken
from wallet.core.finding import Absent, Answered, CannotTell, Finding, Found, LookedAgain, Span
from wallet.core.history import Reading
from wallet.core.intent import Duplicate, Intent, Outcome, State
from wallet.core.ledger_time import HOUR, SECOND, DedupWindow, LedgerTime
from wallet.core.lifecycle import weigh
from wallet.core.outcome import OutcomeClass
from wallet.core.principal import Principal
from wallet.core.tip import Tip
from wallet.core.value import Case, Value
from wallet.ports import IdentityEntry, LedgerEntry, LedgerTerms, NetworkEntry, Store

T = TypeVar("T")
Opener = Callable[[Path], Store]

IMPLEMENTATIONS: dict[str, Opener] = {"sqlite": open_store}


class Home:
    """One store on disk, and any number of wallets that have it open."""

    def __init__(self, folder: Path, opener: Opener) -> None:
        self.folder = folder
        self._opener = opener
        self._opened: list[Store] = []

    def open(self) -> Store:
        store = self._opener(self.folder)
        self._opened.append(store)
        return store

    def close(self) -> None:
        for store in self._opened:
            store.close()
        self._opened.clear()

    def reopen(self) -> Store:
        self.close()
        return self.open()


@pytest.fixture(params=list(IMPLEMENTATIONS.values()), ids=list(IMPLEMENTATIONS))
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path / "data", request.param)
    yield home
    home.close()


@pytest.fixture
def store(home: Home) -> Store:
    return home.open()


def some(value: T | None) -> T:
    assert value is not None
    return value


def added(store: Store, n: int = 1, **overrides: object) -> Intent:
    return some(store.add(make_intent(n, **overrides)))  # type: ignore[arg-type]


def sent(store: Store, n: int = 1, **overrides: object) -> Intent:
    """Confirmed, and its first attempt on disk."""
    return some(store.begin_attempt(added(store, n, **overrides), make_attempt(), confirmed=True))


def settled(store: Store, n: int = 1, result: Value = None, **overrides: object) -> Intent:
    return answered(store, sent(store, n, **overrides), Case("Ok", 7) if result is None else result)


def answered(store: Store, intent: Intent, result: Value) -> Intent:
    return recorded(store, intent, make_reply(result))


def recorded(store: Store, intent: Intent, evidence: Evidence) -> Intent:
    last = intent.attempts[-1]
    attempts = (*intent.attempts[:-1], replace(last, evidence=(*last.evidence, evidence)))
    return some(store.record(intent, last.n, evidence, weigh(replace(intent, attempts=tuple(attempts)), NOW)))


CREATED_IN_FUTURE = Case("Err", Case("CreatedInFuture", {"ledger_time": NOW - SECOND}))
TOO_OLD = Case("Err", Case("TooOld"))
BUSY = Case("Err", Case("TemporarilyUnavailable"))

EVIDENCE: list[Evidence] = [
    make_reply(Case("Err", Case("GenericError", {"error_code": 2**200, "message": "née \x00 \ud83e\udd80"}))),
    Rejected(4, "no", certified=True, error_code="IC0503", certificate=b"c", time=LedgerTime(NOW)),
    Rejected(2, "one node's word", certified=False),
    NotSent("connection refused"),
    Status(StatusWord.PROCESSING, b"certificate", LedgerTime(NOW)),
    Status(StatusWord.UNREADABLE, b"", LedgerTime(2**64 - 1), "not Candid"),
    Silence(SilenceReason.TIMEOUT, "10 s"),
    Silence(SilenceReason.UNVERIFIED, "wrong key"),
]


# --- an intent comes back as it went in ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "intent",
    [
        make_intent(),
        make_intent(
            1,
            sender=Account(ALICE.owner, bytes(31) + b"\x01"),
            recipient=Account(BOB.owner, b"\xff" * 32),
            amount=10**60,
            fee=0,
            memo=b"",
            warnings=("first payment", "née 'quoted'"),
            anchor=Tip(2**70, bytes(32)),
            ref="order 12",
            fee_is_auto=False,
            amount_is_max=True,
            window=DedupWindow(HOUR, 0, assumed=False),
        ),
    ],
)
def test_an_intent_comes_back_as_it_went_in(home: Home, intent: Intent) -> None:
    assert home.open().add(intent) == intent
    assert home.reopen().intent(intent.id) == intent


def test_an_intent_that_is_not_there_is_none(store: Store) -> None:
    assert store.intent("nobody") is None
    assert store.open_intent(b"nothing") is None
    assert store.intent_by_ref("nothing") is None
    assert store.last_stamp(b"nothing") is None
    assert store.intents() == []


def test_evidence_comes_back_in_order_and_in_full(home: Home) -> None:
    # R29
    store = home.open()
    intent = sent(store)
    for evidence in EVIDENCE:
        intent = some(store.record(intent, 1, evidence, Outcome(State.UNKNOWN, moved=None)))
    assert intent.attempts == (replace(make_attempt(), evidence=tuple(EVIDENCE)),)
    assert home.reopen().intent(intent.id) == intent


def test_a_verdict_comes_back_in_full(home: Home) -> None:
    store = home.open()
    verdict = Outcome(
        State.SETTLED, OutcomeClass.ALREADY_DONE, "Err.Duplicate", {"duplicate_of": 2**80}, "reply", True, 2**80, 2**80
    )
    intent = some(store.record(sent(store), 1, make_reply(None), verdict))
    assert intent.outcome == verdict
    assert some(home.reopen().intent(intent.id)).outcome == verdict


def test_an_absurd_answer_is_kept_like_any_other(home: Home) -> None:
    # R29: what a hostile ledger says must not keep its evidence off the disk
    store = home.open()
    intent = settled(store, 1, Case("Ok", 10**100_000))
    assert intent.outcome.payload == 10**100_000
    assert intent.outcome.block is None  # no block is that high
    assert home.reopen().intent(intent.id) == intent


def test_the_last_attempts_come_with_every_look_up(store: Store) -> None:
    intent = sent(store, ref="mine")
    assert store.intents() == [intent]
    assert store.open_intent(intent.lookup_key) == intent
    assert store.intent_by_ref("mine") == intent


# --- one open intent for one payment (R13) -------------------------------------------------------------------------


def test_a_second_open_intent_of_the_same_payment_is_refused(store: Store) -> None:
    first = added(store, 1, amount=5)
    assert store.add(make_intent(2, amount=5)) is None
    assert store.open_intent(first.lookup_key) == first
    assert store.intents() == [first]


def test_an_automatic_fee_makes_no_second_payment(store: Store) -> None:
    added(store, 1, amount=5, fee=10)
    assert store.add(make_intent(2, amount=5, fee=20)) is None
    assert store.add(make_intent(3, amount=5, fee=20, fee_is_auto=False)) is not None


def test_a_dropped_intent_still_stands_for_its_payment(store: Store) -> None:
    # R14: preparing the same brings it back, so the store must find it
    intent = added(store, 1, amount=5)
    dropped = some(store.drop(intent, True))
    assert dropped == replace(intent, dropped=True, version=dropped.version)
    assert store.open_intent(intent.lookup_key) == dropped
    assert store.add(make_intent(2, amount=5)) is None
    assert some(store.drop(dropped, False)).dropped is False


def test_a_settled_payment_may_be_prepared_anew(store: Store) -> None:
    # R14, R28
    first = settled(store, 1, amount=5)
    second = added(store, 2, amount=5)
    assert store.open_intent(first.lookup_key) == second


def test_other_networks_and_senders_have_payments_of_their_own(store: Store) -> None:
    # R10
    added(store, 1, amount=5, stamp=NOW)
    added(store, 2, amount=5, stamp=NOW, root_key=b"another network")
    added(store, 3, amount=5, stamp=NOW, sender=Account(make_principal(9)))
    assert len(store.intents()) == 3


def test_an_id_that_is_taken_is_told_apart_from_an_open_payment(store: Store) -> None:
    added(store, 1)
    with pytest.raises(Taken) as caught:
        store.add(make_intent(2, id="intent1"))
    assert caught.value.what == "id"
    assert len(store.intents()) == 1


def test_a_stamp_is_never_minted_twice_for_one_sender(store: Store) -> None:
    # R11
    settled(store, 1, stamp=NOW)
    with pytest.raises(Taken) as caught:
        store.add(make_intent(2, stamp=NOW))
    assert caught.value.what == "stamp"


def test_only_a_freshly_prepared_intent_is_added(store: Store) -> None:
    # R15: a confirmation is stored with an attempt, never before
    for wrong in (
        make_intent(confirmed=True),
        make_intent(attempts=(make_attempt(),)),
        make_intent(outcome=Outcome(State.SENDING)),
        make_intent(dropped=True),
    ):
        with pytest.raises(ValueError, match="prepared"):
            store.add(wrong)
    assert store.intents() == []


# --- re-stamping (R23) and references (R36) ------------------------------------------------------------------------


def test_a_successor_settles_the_old_intent_in_one_transaction(store: Store) -> None:
    old = answered(store, sent(store, 1, amount=5), TOO_OLD)
    assert old.state is State.RETRY_NEW
    new = some(store.add(make_intent(2, amount=5), supersede=old))
    assert new.supersedes == old.id
    stored = some(store.intent(old.id))
    assert stored.outcome == replace(
        old.outcome, state=State.SETTLED, settled_by="restamp", outcome_class=OutcomeClass.RETRY_NEW
    )
    assert stored.superseded_by == new.id
    assert store.open_intent(old.lookup_key) == new


def test_a_superseded_intent_is_never_sent_again(store: Store) -> None:
    # R23
    old = added(store, 1, amount=5)
    store.add(make_intent(2, amount=5), supersede=old)
    old = some(store.intent(old.id))
    assert store.begin_attempt(old, make_attempt(), confirmed=True) is None
    assert store.move(old, Outcome(State.RETRY_NEW)) is None


def test_an_intent_has_one_successor_at_most(store: Store) -> None:
    old = added(store, 1, amount=5)
    new = some(store.add(make_intent(2, amount=5), supersede=old))
    assert store.add(make_intent(3, amount=6), supersede=old) is None
    assert store.add(make_intent(3, amount=6), supersede=some(store.intent(old.id))) is None
    assert store.intents() == [new, some(store.intent(old.id))]


def test_a_superseding_that_comes_too_late_changes_nothing(home: Home) -> None:
    mine, theirs = home.open(), home.open()
    old = added(mine, 1, amount=5)
    moved = some(theirs.begin_attempt(some(theirs.intent(old.id)), make_attempt(), confirmed=True))
    assert mine.add(make_intent(2, amount=5), supersede=old) is None
    assert mine.intents() == [moved]


def test_a_refused_successor_leaves_the_old_intent_as_it_was(store: Store) -> None:
    old = added(store, 1, amount=5)
    other = added(store, 2, amount=6)
    assert store.add(make_intent(3, amount=6), supersede=old) is None
    with pytest.raises(Taken):
        store.add(make_intent(3, amount=5, id=other.id), supersede=old)
    with pytest.raises(Taken):
        store.add(make_intent(3, amount=5, stamp=other.stamp), supersede=old)
    assert store.intent(old.id) == old


def test_the_reference_passes_to_the_successor(home: Home) -> None:
    # R36
    store = home.open()
    old = added(store, 1, amount=5, ref="order 12")
    new = some(store.add(make_intent(2, amount=5), supersede=old))
    assert new.ref == "order 12"
    assert home.reopen().intent_by_ref("order 12") == new
    assert some(home.open().intent(old.id)).ref == "order 12"


def test_a_reference_is_kept_after_settling(store: Store) -> None:
    # R36
    intent = settled(store, 1, ref="order 12")
    assert store.intent_by_ref("order 12") == intent
    assert store.add(make_intent(2, ref="order 12")) is None
    other = added(store, 3)
    assert store.attach_ref(other, "order 12") is None
    assert store.intent(other.id) == other


def test_a_reference_is_attached_once(store: Store) -> None:
    intent = added(store, 1)
    named = some(store.attach_ref(intent, "order 12"))
    assert named.ref == "order 12"
    assert store.intent_by_ref("order 12") == named
    assert store.attach_ref(named, "order 12") == named
    assert store.attach_ref(named, "order 13") is None
    assert store.intent_by_ref("order 13") is None


# --- sending (R15, R29) --------------------------------------------------------------------------------------------


def test_the_confirmation_and_the_first_attempt_are_one(home: Home) -> None:
    # R15
    store = home.open()
    intent = added(store)
    assert not intent.confirmed
    begun = some(store.begin_attempt(intent, make_attempt(), confirmed=True))
    assert begun.confirmed
    assert begun.outcome == Outcome(State.SENDING, moved=None)
    assert begun.attempts == (make_attempt(),)
    assert home.reopen().intent(intent.id) == begun


def test_nothing_is_sent_without_a_confirmation(store: Store) -> None:
    # R15
    intent = added(store)
    with pytest.raises(ValueError, match="confirmation"):
        store.begin_attempt(intent, make_attempt(), confirmed=False)
    assert store.intent(intent.id) == intent


def test_one_confirmation_covers_every_resend(store: Store) -> None:
    # R15
    intent = answered(store, sent(store), BUSY)
    again = some(store.begin_attempt(intent, make_attempt(2), confirmed=False))
    assert again.confirmed
    assert [attempt.n for attempt in again.attempts] == [1, 2]


def test_a_post_is_counted_before_it_starts(home: Home) -> None:
    # R29
    store = home.open()
    intent = some(store.record(sent(store), 1, NotSent("refused"), Outcome(State.RETRY_SAME)))
    posted = some(store.record_post(intent, 1))
    assert (posted.state, posted.attempts[0].posts) == (State.SENDING, 2)
    assert home.reopen().intent(intent.id) == posted


def test_a_settled_or_dropped_intent_starts_no_post(store: Store) -> None:
    # R14, R18
    ended = settled(store, 1)
    dropped = some(store.drop(added(store, 2), True))
    for intent in (ended, dropped):
        assert store.begin_attempt(intent, make_attempt(9), confirmed=True) is None
        assert store.record_post(intent, 1) is None
        assert store.intent(intent.id) == intent


def test_an_attempt_number_is_used_once(store: Store) -> None:
    intent = sent(store)
    with pytest.raises(Exception, match="UNIQUE"):
        store.begin_attempt(intent, make_attempt(1), confirmed=False)
    assert store.intent(intent.id) == intent


def test_an_unchanged_verdict_still_keeps_its_evidence(store: Store) -> None:
    intent = recorded(store, sent(store), Silence(SilenceReason.TIMEOUT, ""))
    again = recorded(store, intent, Silence(SilenceReason.TIMEOUT, ""))
    assert again.outcome == intent.outcome
    assert len(again.attempts[0].evidence) == 2


def test_a_late_answer_is_kept_and_reopens_nothing(store: Store) -> None:
    # R18
    intent = settled(store)
    late = some(store.record(intent, 1, make_reply(TOO_OLD), Outcome(State.RETRY_NEW)))
    assert late.outcome == intent.outcome
    assert late.attempts[0].evidence == (*intent.attempts[0].evidence, make_reply(TOO_OLD))


def test_time_alone_moves_an_intent_and_never_a_settled_one(store: Store) -> None:
    closed = Outcome(State.RETRY_NEW, OutcomeClass.RETRY_NEW)
    assert some(store.move(added(store, 1), closed)).outcome == closed
    ended = settled(store, 2)
    assert store.move(ended, closed) is None
    assert store.intent(ended.id) == ended


def test_a_duplicate_is_laid_beside_the_intent(home: Home) -> None:
    # R20
    store = home.open()
    intent = settled(store, 1, Case("Err", Case("Duplicate", {"duplicate_of": 7})))
    unread = some(store.record_duplicate(intent, None, ()))
    assert (unread.duplicate, unread.alarms) == (Duplicate(None), ())
    block = make_block(intent)
    read = some(store.record_duplicate(unread, block, ()))
    assert (read.duplicate, read.alarms) == (Duplicate(block), ())
    assert home.reopen().intent(intent.id) == read


def test_a_duplicate_that_differs_raises_an_alarm(home: Home) -> None:
    # R20, R35
    store = home.open()
    intent = settled(store, 1, Case("Err", Case("Duplicate", {"duplicate_of": 7})))
    block = make_block(intent, amt=Case("Nat", 1))
    alarmed = some(store.record_duplicate(intent, block, ("amount", "to")))
    assert alarmed.duplicate == Duplicate(block, ("amount", "to"))
    assert len(alarmed.alarms) == 1
    assert "amount, to" in alarmed.alarms[0]
    assert home.reopen().intent(intent.id) == alarmed


# --- history and the person (R25, R27, R35) ------------------------------------------------------------------------

SPAN = Span(3, 2**70, LedgerTime(NOW))
NOT_EXECUTED = Outcome(State.SETTLED, OutcomeClass.RECONCILE, settled_by="history", moved=False)
EXECUTED = Outcome(State.SETTLED, OutcomeClass.RECONCILE, settled_by="history", moved=True, block=7)
FINDINGS: list[Finding] = [
    CannotTell(Span(None, None), "the archive is silent", asks=False),
    CannotTell(SPAN, "no tip", asks=True),
    Answered(False, None),
    Answered(True, 9),
    Absent(SPAN, (1, 3), settles=False),
    Found(SPAN, make_block(make_intent(1))),
    LookedAgain(SPAN, (7, 9)),
    LookedAgain(Span(0, None, None), ()),
]


def test_findings_come_back_in_order_and_in_full(home: Home) -> None:
    store = home.open()
    intent = sent(store)
    for finding in FINDINGS:
        intent = some(store.record_finding(intent, finding, Outcome(State.ASK, moved=None), None))
    assert intent.findings == tuple(FINDINGS)
    assert intent.alarms == ()
    assert home.reopen().intent(intent.id) == intent


def test_an_ending_is_overruled_only_by_proof_that_the_money_moved(store: Store) -> None:
    # R18, R25
    absent = some(store.record_finding(sent(store), Absent(SPAN, (1,), True), NOT_EXECUTED, None))
    assert absent.outcome == NOT_EXECUTED
    same = some(store.record_finding(absent, FINDINGS[0], Outcome(State.ASK, moved=None), None))
    assert same.outcome == NOT_EXECUTED
    found = some(store.record_finding(same, FINDINGS[5], EXECUTED, "executed after all"))
    assert (found.outcome, found.alarms) == (EXECUTED, ("executed after all",))
    still = some(store.record_finding(found, FINDINGS[4], NOT_EXECUTED, None))
    assert still.outcome == EXECUTED


def test_a_late_answer_overrules_that_nothing_moved_and_is_an_alarm(home: Home) -> None:
    # R25
    store = home.open()
    said = some(
        store.record_finding(sent(store), Answered(False, None), replace(NOT_EXECUTED, settled_by="person"), None)
    )
    late = answered(store, said, Case("Ok", 7))
    assert (late.outcome.moved, late.outcome.settled_by, late.outcome.block) == (True, "reply", 7)
    assert len(late.alarms) == 1
    assert home.reopen().intent(late.id) == late


def test_a_block_takes_the_place_of_the_persons_word_that_it_moved(home: Home) -> None:
    # R25: it says the same, and names the block: no alarm
    store = home.open()
    word = replace(EXECUTED, settled_by="person", block=None)
    said = some(store.record_finding(sent(store), Answered(True, None), word, None))
    assert said.outcome == word
    still = some(store.record_finding(said, Absent(SPAN, (1,), False), NOT_EXECUTED, "proven absent"))
    assert (still.outcome, still.alarms) == (word, ("proven absent",))
    found = some(store.record_finding(still, FINDINGS[5], EXECUTED, None))
    assert found.outcome == EXECUTED
    assert home.reopen().intent(found.id) == found


def test_what_was_not_executed_asks_before_it_is_prepared_again(store: Store) -> None:
    # R14, R23
    old = some(store.record_finding(sent(store, 1, amount=5), Absent(SPAN, (1,), True), NOT_EXECUTED, None))
    assert store.open_intent(old.lookup_key) == old
    assert store.add(make_intent(2, amount=5)) is None
    assert store.intents(unsettled=True) == []
    new = some(store.add(make_intent(2, amount=5), supersede=old))
    assert store.open_intent(old.lookup_key) == new


def test_alarms_rest_once_they_are_acknowledged(home: Home) -> None:
    # R35
    store = home.open()
    alarmed = some(store.record_finding(settled(store), FINDINGS[6], EXECUTED, "two equal blocks"))
    quiet = some(store.acknowledge(alarmed))
    assert quiet == replace(alarmed, alarms=(), version=quiet.version)
    again = some(store.record_finding(quiet, FINDINGS[6], EXECUTED, "a third one"))
    assert again.alarms == ("a third one",)
    assert home.reopen().intent(again.id) == again


def test_an_alarm_is_found_however_old_until_it_is_acknowledged(home: Home) -> None:
    # R35
    store = home.open()
    first = some(store.record_finding(settled(store, 1), FINDINGS[6], EXECUTED, "two equal blocks"))
    settled(store, 2)
    second = some(store.record_finding(settled(store, 3), FINDINGS[6], EXECUTED, "two equal blocks"))
    store = home.reopen()
    assert store.alarming() == [second, first]
    store.acknowledge(second)
    assert store.alarming() == [first]
    store.acknowledge(first)
    assert store.alarming() == []


def test_a_look_that_is_owed_is_found_until_it_was_taken(home: Home) -> None:
    # R27
    store = home.open()
    settled(store, 1)
    intent = recorded(store, sent(store, 2), Silence(SilenceReason.TIMEOUT, ""))
    intent = answered(store, intent, Case("Ok", 7))
    assert intent.outcome.look_due
    store = home.reopen()
    assert store.looks_due() == [intent]
    taken = replace(intent.outcome, look_due=False)
    looked = some(store.record_finding(intent, LookedAgain(SPAN, (7,)), taken, None))
    assert looked.outcome == taken
    assert store.looks_due() == []


def test_a_reading_goes_on_from_where_it_was(home: Home) -> None:
    store = home.open()
    intent = sent(store)
    assert store.reading(intent.id) is None
    for reading in (
        Reading.at(2**70),
        Reading(3, 9, bytes(32), LedgerTime(NOW), (make_block(intent, 5), make_block(intent, 8)), (4, 6)),
    ):
        store.keep_reading(intent.id, reading)
        store = home.reopen()
        assert store.reading(intent.id) == reading
    assert store.intent(intent.id) == intent
    store.keep_reading(intent.id, None)
    assert store.reading(intent.id) is None


# --- compare-and-set (R31) -----------------------------------------------------------------------------------------

MOVES: dict[str, Callable[[Store, Intent], Intent | None]] = {
    "attach_ref": lambda store, intent: store.attach_ref(intent, "r"),
    "drop": lambda store, intent: store.drop(intent, True),
    "begin_attempt": lambda store, intent: store.begin_attempt(intent, make_attempt(2), confirmed=True),
    "record_post": lambda store, intent: store.record_post(intent, 1),
    "record": lambda store, intent: store.record(intent, 1, NotSent(""), Outcome(State.UNKNOWN, moved=None)),
    "move": lambda store, intent: store.move(intent, Outcome(State.RETRY_NEW)),
    "record_duplicate": lambda store, intent: store.record_duplicate(intent, None, ("op",)),
    "record_finding": lambda store, intent: store.record_finding(intent, FINDINGS[0], intent.outcome, "alarm"),
    "acknowledge": lambda store, intent: store.acknowledge(intent),
    "add": lambda store, intent: store.add(make_intent(2), supersede=intent),
}


@pytest.mark.parametrize("move", MOVES.values(), ids=MOVES.keys())
@pytest.mark.parametrize("first", MOVES.values(), ids=MOVES.keys())
def test_who_comes_second_with_an_old_reading_changes_nothing(
    home: Home, first: Callable[[Store, Intent], Intent | None], move: Callable[[Store, Intent], Intent | None]
) -> None:
    mine, theirs = home.open(), home.open()
    intent = sent(mine)
    assert first(theirs, intent) is not None
    before = mine.intents()
    assert move(mine, intent) is None
    assert mine.intents() == before


class RacingWallets(RuleBasedStateMachine):
    """Two wallets move what they last read; a model says which of them may succeed, and what is then stored."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.stores = [open_store(Path(self.folder.name)) for _ in range(2)]
        self.seen: list[dict[str, Intent]] = [{}, {}]
        self.truth: dict[str, Intent] = {}
        self.made = 0

    @rule(who=st.sampled_from([0, 1]), amount=st.integers(1, 2))
    def prepare(self, who: int, amount: int) -> None:
        self.made += 1
        intent = make_intent(self.made, amount=amount)
        is_open = any(not each.is_settled and each.lookup_key == intent.lookup_key for each in self.truth.values())
        stored = self.stores[who].add(intent)
        assert (stored is None) == is_open  # R13
        self._saw(who, stored)

    @rule(who=st.sampled_from([0, 1]), data=st.data(), amount=st.integers(1, 2))
    def restamp(self, who: int, data: st.DataObject, amount: int) -> None:
        if old := self._pick(who, data):
            self.made += 1
            intent = make_intent(self.made, amount=amount)
            is_open = any(
                not each.is_settled and each.lookup_key == intent.lookup_key and each.id != old.id
                for each in self.truth.values()
            )
            may = self._is_current(old) and old.superseded_by is None and not is_open
            stored = self.stores[who].add(intent, supersede=old)
            assert (stored is not None) == may  # R23
            self._saw(who, stored)
            if stored is not None:
                self.truth[old.id] = some(self.stores[who].intent(old.id))

    @rule(who=st.sampled_from([0, 1]), data=st.data())
    def look(self, who: int, data: st.DataObject) -> None:
        if self.truth:
            intent_id = data.draw(st.sampled_from(sorted(self.truth)))
            self.seen[who][intent_id] = some(self.stores[who].intent(intent_id))

    @rule(who=st.sampled_from([0, 1]), data=st.data())
    def send(self, who: int, data: st.DataObject) -> None:
        if old := self._pick(who, data):
            may = self._is_current(old) and not old.is_settled
            attempt = make_attempt(len(old.attempts) + 1)
            stored = self.stores[who].begin_attempt(old, attempt, confirmed=True)
            assert (stored is not None) == may
            if stored is not None:
                assert stored.attempts == (*old.attempts, attempt)
            self._saw(who, stored)

    @rule(who=st.sampled_from([0, 1]), data=st.data(), ok=st.booleans())
    def answer(self, who: int, data: st.DataObject, ok: bool) -> None:
        old = self._pick(who, data)
        if old is not None and old.attempts:
            evidence = make_reply(Case("Ok", 1)) if ok else Silence(SilenceReason.TIMEOUT, "")
            verdict = weigh(replace(old, attempts=tuple(_with(old, evidence))), NOW)
            stored = self.stores[who].record(old, old.attempts[-1].n, evidence, verdict)
            assert (stored is not None) == self._is_current(old)
            if stored is not None:
                assert stored.outcome == (old.outcome if old.is_settled else verdict)  # R18
                assert stored.attempts == _with(old, evidence)
            self._saw(who, stored)

    @invariant()
    def what_is_stored_is_what_was_returned(self) -> None:
        for store in self.stores:
            assert {each.id: each for each in store.intents()} == self.truth

    @invariant()
    def one_open_intent_for_one_payment(self) -> None:
        keys = [each.lookup_key for each in self.truth.values() if not each.is_settled]
        assert len(keys) == len(set(keys))

    def _pick(self, who: int, data: st.DataObject) -> Intent | None:
        ids = sorted(self.seen[who])
        return self.seen[who][data.draw(st.sampled_from(ids))] if ids else None

    def _is_current(self, intent: Intent) -> bool:
        return self.truth[intent.id].version == intent.version

    def _saw(self, who: int, stored: Intent | None) -> None:
        if stored is not None:
            self.truth[stored.id] = self.seen[who][stored.id] = stored

    def teardown(self) -> None:
        for store in self.stores:
            store.close()
        self.folder.cleanup()


def _with(intent: Intent, evidence: Evidence) -> tuple[Attempt, ...]:
    last = intent.attempts[-1]
    return (*intent.attempts[:-1], replace(last, evidence=(*last.evidence, evidence)))


TestRacingWallets = RacingWallets.TestCase
TestRacingWallets.settings = settings(max_examples=15, stateful_step_count=25, deadline=None)


# --- looking up ----------------------------------------------------------------------------------------------------


def test_what_waits_for_the_person_comes_first_then_the_newest(store: Store) -> None:
    old_open = added(store, 1)
    old_end = settled(store, 2)
    away = some(store.drop(added(store, 3), True))
    new_end = settled(store, 4)
    new_open = sent(store, 5)
    assert store.intents() == [new_open, old_open, new_end, away, old_end]
    assert store.intents(limit=3) == [new_open, old_open, new_end]
    assert store.intents(limit=0) == []
    assert store.intents(unsettled=True) == [new_open, old_open]
    assert store.intents(unsettled=True, limit=1) == [new_open]


def test_more_intents_than_one_statement_takes_come_whole(store: Store) -> None:
    intents = [sent(store, n) for n in range(450)]
    assert store.intents() == intents[::-1]


def test_stamps_of_a_sender_are_those_from_a_moment_on(store: Store) -> None:
    # R11
    for n in range(4):
        settled(store, n)
    added(store, 5, sender=BOB)
    added(store, 6, root_key=b"another")
    assert store.stamps_of_sender(ROOT_KEY, ALICE.owner, LedgerTime(NOW + 2)) == {NOW + 2, NOW + 3}
    assert store.stamps_of_sender(ROOT_KEY, ALICE.owner, LedgerTime(2**80)) == set()


def test_the_last_stamp_leaves_out_what_was_created_in_the_future(store: Store) -> None:
    # R14
    first = settled(store, 1, amount=5, stamp=NOW)
    key = first.lookup_key
    assert store.last_stamp(key) == NOW
    ahead = answered(store, sent(store, 2, amount=5, stamp=NOW + 9), CREATED_IN_FUTURE)
    assert store.last_stamp(key) == NOW
    store.add(make_intent(3, amount=5, stamp=NOW + 3), supersede=ahead)
    assert store.last_stamp(key) == NOW + 3
    added(store, 4, amount=6, stamp=NOW + 20)
    assert store.last_stamp(key) == NOW + 3


def test_payments_like_it_are_those_to_the_same_payee(store: Store) -> None:
    # R28
    first = settled(store, 1)
    second = sent(store, 2, sender=Account(make_principal(5)), memo=b"other")
    added(store, 3, recipient=Account(BOB.owner, b"\x01" * 32))
    added(store, 4, ledger=Principal(b"another"))
    added(store, 5, root_key=b"another")
    assert store.payments_like(make_intent(6), limit=5) == [second, first]
    assert store.payments_like(second, limit=5) == [first]
    assert store.payments_like(make_intent(6), limit=1) == [second]


# --- two wallets (R31) ---------------------------------------------------------------------------------------------


def test_one_wallet_sees_what_the_other_did(home: Home) -> None:
    mine, theirs = home.open(), home.open()
    before = mine.change_counter()
    intent = sent(theirs)
    assert mine.change_counter() > before
    assert mine.intents() == [intent]


def test_the_counter_stands_still_for_what_one_does_oneself(store: Store) -> None:
    before = store.change_counter()
    sent(store)
    assert store.change_counter() == before


def test_one_wallet_at_a_time_sends_an_intent(home: Home) -> None:
    mine, theirs = home.open(), home.open()
    assert not mine.is_being_sent("intent1")
    with mine.sending_lock("intent1") as is_mine, theirs.sending_lock("intent1") as is_theirs:
        assert (is_mine, is_theirs) == (True, False)
        assert mine.is_being_sent("intent1")
        assert theirs.is_being_sent("intent1")
        with theirs.sending_lock("intent2") as is_another:
            assert is_another
    assert not theirs.is_being_sent("intent1")
    with theirs.sending_lock("intent1") as is_theirs:
        assert is_theirs


def test_the_lock_is_given_back_when_the_sender_fails(store: Store) -> None:
    with pytest.raises(RuntimeError), store.sending_lock("intent1"):
        raise RuntimeError
    assert not store.is_being_sent("intent1")


def test_who_did_not_get_the_lock_does_not_take_it_away(home: Home) -> None:
    mine, theirs = home.open(), home.open()
    with mine.sending_lock("intent1"):
        with theirs.sending_lock("intent1") as is_theirs:
            assert not is_theirs
        assert theirs.is_being_sent("intent1")


def test_a_lock_has_no_way_out_of_its_folder(store: Store) -> None:
    with pytest.raises(ValueError, match="id"):
        store.is_being_sent("../intent1")


# --- the person's lists --------------------------------------------------------------------------------------------


def test_networks_are_kept_and_their_root_key_is_never_replaced(home: Home) -> None:
    store = home.open()
    one, two = NetworkEntry("local", "http://127.0.0.1:4943", b"key"), NetworkEntry("demo", "http://[::1]", b"k2")
    store.add_network(one)
    store.add_network(two)
    with pytest.raises(Refused, match="local"):
        store.add_network(replace(one, root_key=b"another"))
    store = home.reopen()
    assert store.networks() == [two, one]
    assert store.remove_network("local")
    assert not store.remove_network("local")
    assert store.networks() == [two]


def make_ledger(canister: Principal = LEDGER, **overrides: object) -> LedgerEntry:
    terms = LedgerTerms(canister, "Test Token", "TST", 8, 10**30, ALICE, ("ICRC-1", "ICRC-3"), 64)
    return replace(LedgerEntry(ROOT_KEY, "test", terms, DedupWindow()), **overrides)  # type: ignore[arg-type]


def test_ledgers_are_kept_per_network_and_replaced_by_canister(home: Home) -> None:
    store = home.open()
    first, other = make_ledger(), make_ledger(Principal(b"other"), name="other")
    elsewhere = make_ledger(root_key=b"elsewhere")
    for entry in (first, other, elsewhere):
        store.put_ledger(entry)
    changed = replace(first, name="renamed", window=DedupWindow(HOUR, 0, False), dedup_proven=True, dedup_broken=True)
    changed = replace(changed, terms=replace(changed.terms, minting_account=None, standards=()))
    store.put_ledger(changed)
    store = home.reopen()
    assert store.ledgers(ROOT_KEY) == [other, changed]
    assert store.ledgers(b"elsewhere") == [elsewhere]
    assert store.remove_ledger(ROOT_KEY, LEDGER)
    assert not store.remove_ledger(ROOT_KEY, LEDGER)
    assert store.ledgers(ROOT_KEY) == [other]


def test_two_ledgers_of_a_network_have_two_names(store: Store) -> None:
    store.put_ledger(make_ledger())
    with pytest.raises(Refused, match="test"):
        store.put_ledger(make_ledger(Principal(b"other")))
    assert store.ledgers(ROOT_KEY) == [make_ledger()]


def test_identities_are_kept_and_replaced_by_name(home: Home) -> None:
    store = home.open()
    alice = IdentityEntry("alice", ALICE.owner, "ed25519", backed_up=False, kept_in="keyring")
    bob = IdentityEntry("bob", BOB.owner, "p256", backed_up=True, kept_in="file")
    store.put_identity(bob)
    store.put_identity(alice)
    store.put_identity(replace(alice, backed_up=True))
    store = home.reopen()
    assert store.identities() == [replace(alice, backed_up=True), bob]
    assert store.remove_identity("alice")
    assert not store.remove_identity("alice")


def test_settings_are_kept(home: Home) -> None:
    store = home.open()
    assert store.setting("theme") is None
    store.put_setting("theme", "dark")
    store.put_setting("theme", "light")
    assert home.reopen().setting("theme") == "light"


@given(times=st.lists(st.integers(0, 2**63 - 1), min_size=1))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_highest_time_of_a_network_is_kept(store: Store, times: list[int]) -> None:
    before = store.network_time(ROOT_KEY) or 0
    for time in times:
        store.put_network_time(ROOT_KEY, LedgerTime(time))
    assert store.network_time(ROOT_KEY) == max([before, *times])
    assert store.network_time(b"another") is None


@pytest.mark.parametrize("time", [-1, 2**63, 2**64, 10**400])
def test_a_time_that_cannot_be_right_stops_the_wallet(store: Store, time: int) -> None:
    # R32
    intent = added(store)
    with pytest.raises(StoreFault, match="cannot be right"):
        store.put_network_time(ROOT_KEY, LedgerTime(time))
    with pytest.raises(StoreFault, match="cannot be right"):
        store.add(make_intent(2, stamp=time))
    with pytest.raises(StoreFault, match="cannot be right"):
        store.begin_attempt(intent, make_attempt(expiry=LedgerTime(time)), confirmed=True)
    assert store.intents() == [intent]
