"""Where an intent stands and what may be done next: every clause of the rules that is decided here (R13-R27)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import NOW, make_attempt, make_block, make_intent, make_reply
from wallet.core.attempt import (
    Attempt,
    Evidence,
    NotSent,
    Rejected,
    Reply,
    Silence,
    SilenceReason,
    Status,
    StatusWord,
    Unknown,
    fate,
)
from wallet.core.finding import Absent, Answered, CannotTell, Finding, Found, LookedAgain, Span
from wallet.core.intent import Intent, Outcome, State
from wallet.core.ledger_time import MINUTE, SECOND, LedgerTime
from wallet.core.lifecycle import (
    NOT_SENT_LIMIT,
    PAUSES_S,
    POST_LIMIT,
    RETRY_SAME_LIMIT,
    AskStatus,
    Done,
    Fresh,
    Need,
    Repost,
    Step,
    Stop,
    can_none_start,
    next_step,
    standing_unknowns,
    weigh,
)
from wallet.core.outcome import OutcomeClass
from wallet.core.pack import Pack
from wallet.core.pack_text import parse_pack
from wallet.core.value import Case, Value

C = OutcomeClass
EXPIRY = make_attempt().expiry
PAST_EXPIRY = LedgerTime(EXPIRY + 1)
CLOSES = make_intent().window_closes
SPAN = Span(1, 9, PAST_EXPIRY)
NO_SPAN = Span(None, None)


def err(tag: str, value: Value = None) -> Reply:
    return make_reply(Case("Err", Case(tag, value)))


OK = make_reply(Case("Ok", 7))
DUPLICATE = err("Duplicate", {"duplicate_of": 5})
BUSY = err("TemporarilyUnavailable")
TOO_OLD = err("TooOld")
IN_FUTURE = err("CreatedInFuture", {"ledger_time": 9})
BAD_FEE = err("BadFee", {"expected_fee": 7})
NO_FUNDS = err("InsufficientFunds", {"balance": 7})
FROZEN = err("Frozen", "why")
REFUSALS = [TOO_OLD, IN_FUTURE, BAD_FEE, err("BadBurn", {"min_burn_amount": 1}), NO_FUNDS, FROZEN]

LOST = Silence(SilenceReason.TIMEOUT, "")
FORGED = Silence(SilenceReason.UNVERIFIED, "")
NOT_SENT = NotSent("no connection")
REJECTED = Rejected(2, "no", certified=True, time=LedgerTime(NOW + SECOND))
TRAPPED = Rejected(5, "trap", certified=True, time=LedgerTime(NOW + SECOND))
ABSENT = Status(StatusWord.ABSENT, b"", LedgerTime(NOW + SECOND))
GONE = Status(StatusWord.ABSENT, b"", PAST_EXPIRY)  # absent, and can start no more
DONE = Status(StatusWord.DONE, b"", LedgerTime(NOW + SECOND))
RECEIVED = Status(StatusWord.RECEIVED, b"", LedgerTime(NOW + SECOND))

FOUND = Found(SPAN, make_block(make_intent(), index=8))
FREED = Absent(SPAN, (1,), settles=False)
PROVEN_ABSENT = Absent(SPAN, (1,), settles=True)
ASKS = CannotTell(SPAN, "an archive is silent", asks=True)
SEES_TOO_LITTLE = CannotTell(SPAN, "an attempt may still be executing", asks=False)

UNTAGGED = parse_pack(
    "untagged",
    '[{"at": "icrc1_transfer", "tag": "outcome", "args":'
    ' {"classes": {"Ok": "success", "Err.TemporarilyUnavailable": "retry_same"}, "default": "fail"}}]',
)
"""The same method without the idempotency tag."""


def sent(*attempts: Sequence[Evidence] | Attempt, state: State = State.UNKNOWN, **overrides: Any) -> Intent:
    """A confirmed intent with these attempts, each given by its evidence."""
    made = [
        each if isinstance(each, Attempt) else make_attempt(n, evidence=tuple(each))
        for n, each in enumerate(attempts, 1)
    ]
    return make_intent(confirmed=True, attempts=tuple(made), **{"outcome": Outcome(state, moved=None), **overrides})


def with_posts(posts: int, *evidence: Evidence, n: int = 1) -> Attempt:
    return make_attempt(n, posts=posts, evidence=evidence)


def step(intent: Intent, now: int = NOW + SECOND, *, proven: bool = False, by_person: bool = False) -> Step:
    return next_step(intent, LedgerTime(now), dedup_proven=proven, by_person=by_person)


# --- settled by a reply (R14, R20, R26) ----------------------------------------------------------------------------


def test_a_success_settles_with_its_block() -> None:
    outcome = weigh(sent([OK]), NOW)
    assert outcome == Outcome(State.SETTLED, C.SUCCESS, "Ok", 7, "reply", True, block=7)


def test_already_done_settles_with_the_block_that_it_names() -> None:  # R20
    outcome = weigh(sent([DUPLICATE]), NOW)
    assert (outcome.outcome_class, outcome.settled_by, outcome.moved) == (C.ALREADY_DONE, "reply", True)
    assert (outcome.block, outcome.duplicate_of) == (5, 5)


@pytest.mark.parametrize(
    ("reply", "cls", "moved"), [(BAD_FEE, C.FIX_INPUT, False), (NO_FUNDS, C.FAIL, False), (FROZEN, C.FAIL, None)]
)
def test_a_refusal_with_no_unknown_settles(reply: Reply, cls: OutcomeClass, moved: bool | None) -> None:  # R26, R5
    outcome = weigh(sent([reply]), NOW)
    assert (outcome.state, outcome.outcome_class, outcome.settled_by) == (State.SETTLED, cls, "reply")
    assert outcome.moved is moved
    assert step(sent([reply])) == Done()


@pytest.mark.parametrize("default", ["success", "already_done", "retry_same", "retry_new", "fix_input"])
def test_a_class_by_default_settles_and_claims_nothing(default: str) -> None:  # R5
    entry = {"classes": {"Ok": "success"}, "default": default}
    pack = parse_pack("p", f'[{{"at": "icrc1_transfer", "tag": "outcome", "args": {entry}}}]'.replace("'", '"'))
    outcome = weigh(sent([FROZEN], pack=pack), NOW)
    assert (outcome.state, outcome.outcome_class, outcome.moved) == (State.SETTLED, C(default), None)
    assert (outcome.case, outcome.payload) == ("Err.Frozen", "why")


@pytest.mark.parametrize("reply", [TOO_OLD, IN_FUTURE])
def test_retry_new_with_no_unknown_asks_for_a_new_stamp(reply: Reply) -> None:  # R23
    outcome = weigh(sent([reply]), NOW)
    assert (outcome.state, outcome.outcome_class, outcome.moved) == (State.RETRY_NEW, C.RETRY_NEW, False)
    assert step(sent([reply], state=State.RETRY_NEW)) == Stop(Need.RESTAMP)
    assert step(sent([reply], state=State.RETRY_NEW), by_person=True, proven=True) == Stop(Need.RESTAMP)


# --- after an unknown (R18, R24) -----------------------------------------------------------------------------------


@pytest.mark.parametrize("reply", REFUSALS)
@pytest.mark.parametrize("unknown", [(LOST, GONE), (TRAPPED,), (DONE,), (LOST,)])
def test_after_an_unknown_no_refusal_settles_anything(reply: Reply, unknown: tuple[Evidence, ...]) -> None:  # R24
    outcome = weigh(sent(unknown, [reply]), NOW)
    assert (outcome.state, outcome.outcome_class, outcome.moved) == (State.RECONCILE, C.RECONCILE, None)
    assert outcome.case is not None


@pytest.mark.parametrize("unknown", [(LOST, GONE), (TRAPPED,), (DONE,)])
def test_after_an_unknown_success_and_already_done_speak_of_the_past(unknown: tuple[Evidence, ...]) -> None:  # R24
    assert weigh(sent(unknown, [OK]), NOW).moved is True
    assert weigh(sent(unknown, [DUPLICATE]), NOW).moved is True


def test_after_an_unknown_retry_same_stays_retry_same_and_claims_nothing() -> None:  # R24
    outcome = weigh(sent([LOST, GONE], [BUSY]), NOW)
    assert (outcome.state, outcome.outcome_class, outcome.moved) == (State.RETRY_SAME, C.RETRY_SAME, None)
    assert weigh(sent([LOST, GONE], [REJECTED]), NOW).moved is None


def test_an_unknown_that_its_own_answer_ended_is_none_any_more() -> None:  # R18
    assert weigh(sent([LOST, BAD_FEE]), NOW).state is State.SETTLED
    assert weigh(sent([LOST, REJECTED]), NOW) == Outcome(State.REJECTED, None, "reject 2", "no", moved=False)
    assert weigh(sent([LOST, BUSY]), NOW).moved is False


def test_another_attempts_answer_ends_no_unknown() -> None:  # R18
    intent = sent([LOST, GONE], [REJECTED])
    assert [each.n for each in standing_unknowns(intent)] == [1]


def test_a_late_answer_to_an_older_attempt_settles_as_moved_only() -> None:  # R18
    assert weigh(sent([LOST, GONE, OK], [BUSY]), NOW).moved is True
    settled = sent([BAD_FEE], state=State.SETTLED, outcome=weigh(sent([BAD_FEE]), NOW))
    late = replace(settled, attempts=(*settled.attempts, make_attempt(2, evidence=(BUSY,))))
    assert weigh(late, NOW) == settled.outcome
    assert step(late) == Done()


def test_proof_that_it_moved_overrules_an_ending_that_says_it_did_not() -> None:  # R25
    for finding in (Answered(False, None), PROVEN_ABSENT):
        settled = sent([LOST, GONE], findings=(finding,))
        settled = replace(settled, outcome=weigh(settled, NOW))
        assert settled.outcome.moved is False
        assert weigh(replace(settled, findings=(finding, FOUND)), None).moved is True
        assert weigh(replace(settled, attempts=(make_attempt(evidence=(LOST, OK)),)), None).moved is True


@pytest.mark.parametrize("reply", [OK, DUPLICATE])
def test_an_ending_that_says_moved_is_never_overruled(reply: Reply) -> None:  # R18
    settled = sent([reply])
    settled = replace(settled, outcome=weigh(settled, NOW))
    worse = replace(
        settled, findings=(PROVEN_ABSENT, Answered(False, None)), attempts=(make_attempt(evidence=(BAD_FEE,)),)
    )
    assert weigh(worse, CLOSES) == settled.outcome


# --- the window (R19, R21) -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attempts", "state"),
    [
        ([], State.RETRY_NEW),
        ([[NOT_SENT]], State.RETRY_NEW),
        ([[BUSY]], State.RETRY_NEW),
        ([[REJECTED]], State.RETRY_NEW),
        ([[LOST]], State.RECONCILE),
        ([[LOST, GONE]], State.RECONCILE),
        ([[TRAPPED], [BUSY]], State.RECONCILE),
        ([[RECEIVED]], State.RECONCILE),
    ],
)
def test_a_closed_window_asks_anew_or_reconciles_after_an_unknown(attempts: list[list[Evidence]], state: State) -> None:
    intent = sent(*attempts)
    assert weigh(intent, LedgerTime(CLOSES + 1)).state is state  # R19, R23, R24
    assert weigh(intent, CLOSES).state is not state  # the very last moment is inside (R21)
    assert weigh(intent, LedgerTime(CLOSES + 1)).moved is (False if state is State.RETRY_NEW else None)


def test_nothing_rests_on_the_drift() -> None:  # R21
    intent = make_intent()
    assert intent.window_closes == intent.stamp + intent.window.tx_window_ns


def test_a_window_that_has_closed_does_not_open_again() -> None:  # R21
    for intent in (sent(), sent([LOST, GONE])):
        closed = replace(intent, outcome=weigh(intent, LedgerTime(CLOSES + 1)))
        for now in (NOW, CLOSES, None):
            assert weigh(closed, None if now is None else LedgerTime(now)) == closed.outcome
            assert not isinstance(step(closed, NOW, proven=True, by_person=True), Repost | Fresh)


def test_its_own_answer_after_the_window_still_settles() -> None:  # R18
    closed = sent([LOST], state=State.RECONCILE)
    after = LedgerTime(CLOSES + 1)
    assert weigh(replace(closed, attempts=(make_attempt(evidence=(LOST, OK)),)), after).moved is True
    assert weigh(replace(closed, attempts=(make_attempt(evidence=(LOST, BAD_FEE)),)), after).moved is False
    assert weigh(replace(closed, attempts=(make_attempt(evidence=(LOST, BUSY)),)), after).state is State.RETRY_NEW


@pytest.mark.parametrize("attempts", [[[NOT_SENT]], [[BUSY]], [[REJECTED]], [[LOST, ABSENT]], [[LOST, GONE]]])
def test_nothing_is_sent_once_the_window_has_closed(attempts: list[list[Evidence]]) -> None:  # R19
    for proven in (False, True):
        for by_person in (False, True):
            after = step(sent(*attempts), CLOSES + 1, proven=proven, by_person=by_person)
            assert not isinstance(after, Repost | Fresh)


# --- findings and the person's word (R25, R27) ---------------------------------------------------------------------


def test_a_found_block_settles_by_history() -> None:  # R25
    outcome = weigh(sent([LOST, GONE], findings=(FOUND,)), NOW)
    assert outcome == Outcome(State.SETTLED, C.RECONCILE, settled_by="history", moved=True, block=8, look_due=True)


def test_proven_absence_frees_the_envelope_in_unknown_and_settles_nothing() -> None:  # R19, R25
    intent = sent([LOST, GONE], findings=(FREED,))
    assert weigh(intent, NOW) == Outcome(State.RETRY_SAME, moved=False)
    assert step(intent, PAST_EXPIRY) == Fresh(0.0)


def test_proven_absence_settles_in_reconcile_and_ask() -> None:  # R25
    outcome = weigh(sent([LOST, GONE], findings=(PROVEN_ABSENT,)), NOW)
    assert (outcome.state, outcome.settled_by, outcome.moved) == (State.SETTLED, "history", False)
    assert replace(sent(), outcome=outcome).asks_for_restamp  # R14


def test_absence_ends_only_the_unknowns_that_it_covers() -> None:  # R18
    intent = sent([LOST, GONE], [LOST], findings=(FREED,))
    assert [each.n for each in standing_unknowns(intent)] == [2]
    assert weigh(intent, NOW).state is State.UNKNOWN
    assert weigh(sent([LOST, GONE], [TRAPPED], [BAD_FEE], findings=(FREED,)), NOW).state is State.RECONCILE
    assert weigh(sent([LOST, GONE], [BAD_FEE], findings=(FREED,)), NOW).moved is False


def test_who_cannot_tell_asks_the_person_only_when_nothing_can_start() -> None:  # R25
    assert weigh(sent([LOST, GONE], findings=(ASKS,)), NOW).state is State.ASK
    assert weigh(sent([LOST], findings=(SEES_TOO_LITTLE,)), NOW).state is State.UNKNOWN
    assert weigh(sent([LOST, GONE], [BAD_FEE], findings=(ASKS,)), NOW).state is State.ASK
    assert weigh(sent([BUSY], findings=(ASKS,)), NOW).state is State.RETRY_SAME  # no unknown, no question


def test_while_the_person_is_asked_nothing_is_sent_or_stamped() -> None:  # R25
    asked = sent([LOST, GONE], state=State.ASK, findings=(ASKS,))
    for now in (NOW, PAST_EXPIRY, CLOSES + 1):
        for proven in (False, True):
            assert step(asked, now, proven=proven, by_person=True) == Stop(Need.HISTORY)


@pytest.mark.parametrize("executed", [False, True])
def test_the_persons_answer_settles_as_theirs(executed: bool) -> None:  # R25
    intent = sent([LOST, GONE], state=State.ASK, findings=(ASKS, Answered(executed, 4 if executed else None)))
    outcome = weigh(intent, NOW)
    assert (outcome.state, outcome.settled_by, outcome.moved) == (State.SETTLED, "person", executed)
    assert outcome.block == (4 if executed else None)
    assert replace(intent, outcome=outcome).asks_for_restamp is not executed


@pytest.mark.parametrize(
    ("attempts", "findings", "look_due"),
    [
        ([[OK]], (), False),
        ([[LOST, OK]], (), True),
        ([[LOST, GONE], [OK]], (), True),
        ([[LOST, GONE], [DUPLICATE]], (), False),  # the ledger has just shown that it knows a repeat
        ([[LOST, GONE]], (FOUND,), True),
        ([[TOO_OLD]], (FOUND,), False),  # a restored backup: nothing of ours was ever unknown
    ],
)
def test_moved_after_an_unknown_one_more_look_is_due(
    attempts: list[list[Evidence]], findings: tuple[Finding, ...], look_due: bool
) -> None:  # R27
    assert weigh(sent(*attempts, findings=findings), NOW).look_due is look_due


@pytest.mark.parametrize(
    ("evidence", "none"),
    [
        ((), False),
        ((LOST,), False),
        ((ABSENT,), False),
        ((RECEIVED,), False),
        ((Rejected(2, "", certified=False),), False),
        ((GONE,), True),
        ((DONE,), True),
        ((TRAPPED,), True),
        ((REJECTED,), True),
        ((OK,), True),
        ((NOT_SENT,), True),
    ],
)
def test_nothing_can_start_only_by_a_certified_end_or_past_the_expiry(
    evidence: tuple[Evidence, ...], none: bool
) -> None:  # R25
    assert can_none_start(sent(evidence)) is none
    assert can_none_start(sent([BUSY], evidence)) is none


def test_an_envelope_counted_as_never_sent_by_a_proof_of_absence_is_not_posted_again() -> None:
    """Its post would come after the history that was read, and the proof would cover it all the same (R25)."""
    intent = sent([TRAPPED], [NOT_SENT], findings=(Absent(SPAN, (1, 2), settles=False),))
    assert weigh(intent, NOW).moved is False
    assert step(intent, proven=True) == Fresh(0.0)
    assert step(intent, proven=True, by_person=True) == Fresh(0.0)


# --- what comes next: the first layer (R18, R19, R30) --------------------------------------------------------------


def test_nothing_goes_before_it_is_confirmed() -> None:  # R15
    for by_person in (False, True):
        assert step(make_intent(), by_person=by_person, proven=True) == Stop(Need.CONFIRMATION)


@pytest.mark.parametrize("evidence", [(), (LOST,), (FORGED,), (Rejected(2, "", certified=False),), (ABSENT, LOST)])
def test_an_open_request_is_asked_about_before_anything_else(evidence: tuple[Evidence, ...]) -> None:  # R19, R30
    for proven in (False, True):
        assert step(sent(evidence), proven=proven, by_person=True) == AskStatus(1)


def test_after_a_forged_answer_nothing_goes_again_before_a_verified_one() -> None:  # R16
    assert isinstance(step(sent([FORGED]), by_person=True, proven=True), AskStatus)
    assert step(sent([FORGED, ABSENT])) == Repost(1, PAUSES_S[0])


def test_a_request_that_is_absent_goes_again_in_the_same_envelope_until_its_expiry() -> None:  # R19
    assert step(sent([LOST, ABSENT]), EXPIRY) == Repost(1, PAUSES_S[0])
    assert isinstance(step(sent([LOST, ABSENT]), PAST_EXPIRY), AskStatus)
    assert step(sent(with_posts(3, LOST, ABSENT))) == Repost(1, PAUSES_S[2])
    assert step(sent(with_posts(POST_LIMIT, LOST, ABSENT))) == Stop(Need.EXPIRY)


@pytest.mark.parametrize("proven", [False, True])
def test_what_the_network_has_accepted_is_only_asked_about(proven: bool) -> None:  # R19
    for evidence in ((RECEIVED,), (RECEIVED, ABSENT), (Status(StatusWord.PROCESSING, b"", PAST_EXPIRY),)):
        for now in (NOW, PAST_EXPIRY):
            assert isinstance(step(sent(evidence), now, proven=proven, by_person=True), AskStatus)


def test_no_fresh_envelope_goes_while_an_earlier_request_is_open() -> None:  # R17, R19
    intent = sent([LOST, ABSENT], [REJECTED])
    assert step(intent, proven=True, by_person=True) == Repost(1, PAUSES_S[0])
    assert isinstance(step(intent, PAST_EXPIRY, proven=True, by_person=True), AskStatus)


# --- the second layer (R17, R19, R22) ------------------------------------------------------------------------------


@pytest.mark.parametrize("evidence", [(LOST, GONE), (TRAPPED,), (DONE,)])
def test_a_fresh_envelope_after_an_unknown_needs_proven_deduplication_or_absence(
    evidence: tuple[Evidence, ...],
) -> None:  # R19
    intent = sent(evidence)
    assert step(intent, PAST_EXPIRY, proven=True) == Fresh(0.0)
    assert step(intent, PAST_EXPIRY, proven=False) == Stop(Need.HISTORY)
    assert step(intent, PAST_EXPIRY, proven=False, by_person=True) == Stop(Need.HISTORY)
    assert step(sent(evidence, [BUSY]), PAST_EXPIRY, by_person=True) == Stop(Need.HISTORY)
    assert step(replace(intent, findings=(FREED,)), PAST_EXPIRY) == Fresh(0.0)


def test_a_rejected_attempt_goes_again_in_a_fresh_envelope() -> None:  # R17
    assert step(sent([REJECTED])) == Fresh(PAUSES_S[0])


@pytest.mark.parametrize("answer", [BUSY, REJECTED])
def test_the_third_one_stops_it_and_then_each_further_one_needs_the_person(answer: Evidence) -> None:  # R22
    assert step(sent([answer])) == Fresh(PAUSES_S[0])
    assert step(sent([answer], [answer])) == Fresh(PAUSES_S[1])
    for times in (RETRY_SAME_LIMIT, RETRY_SAME_LIMIT + 1, RETRY_SAME_LIMIT + 4):
        stopped = sent(*[[answer]] * times)
        assert step(stopped) == Stop(Need.PERSON)
        assert step(stopped, by_person=True) == Fresh(0.0)


def test_the_pauses_grow() -> None:  # R22
    assert list(PAUSES_S) == sorted(set(PAUSES_S))
    assert len(PAUSES_S) >= RETRY_SAME_LIMIT - 1


def test_what_never_left_goes_again_in_its_envelope_and_then_needs_the_person() -> None:  # R18
    assert weigh(sent([NOT_SENT]), NOW) == Outcome(State.RETRY_SAME, moved=False)
    assert step(sent([NOT_SENT])) == Repost(1, PAUSES_S[0])
    tired = sent(with_posts(NOT_SENT_LIMIT, *[NOT_SENT] * NOT_SENT_LIMIT))
    assert step(tired) == Stop(Need.PERSON)
    assert isinstance(step(tired, by_person=True), Repost)
    assert step(tired, PAST_EXPIRY) == Fresh(0.0)


def test_a_post_that_did_not_open_leaves_an_earlier_unknown_standing() -> None:  # R18
    intent = sent([TRAPPED], [NOT_SENT])
    assert weigh(intent, NOW) == Outcome(State.UNKNOWN, moved=None)
    assert step(intent) == Stop(Need.HISTORY)
    assert step(intent, proven=True) == Repost(2, PAUSES_S[0])


# --- a method without the idempotency tag (R19) --------------------------------------------------------------------


def test_without_the_tag_only_the_persons_word_posts_the_same_envelope() -> None:  # R19
    intent = sent([LOST, ABSENT], pack=UNTAGGED)
    assert step(intent, proven=True) == Stop(Need.EXPIRY)
    assert step(intent, proven=True, by_person=True) == Repost(1, PAUSES_S[0])


def test_without_the_tag_an_ended_unknown_is_reconciled_and_never_sent_again() -> None:  # R19, R24
    intent = sent([LOST, GONE], pack=UNTAGGED)
    assert weigh(intent, PAST_EXPIRY).state is State.RECONCILE
    for by_person in (False, True):
        assert step(intent, PAST_EXPIRY, proven=True, by_person=by_person) == Stop(Need.HISTORY)


# --- properties ----------------------------------------------------------------------------------------------------

EVIDENCE: st.SearchStrategy[Evidence] = st.sampled_from(
    [
        *(OK, DUPLICATE, BUSY, *REFUSALS),
        *(LOST, FORGED, NOT_SENT, REJECTED, TRAPPED, ABSENT, GONE, DONE, RECEIVED),
        Rejected(1, "", certified=False),
        Status(StatusWord.UNREADABLE, b"", NOW),
        Silence(SilenceReason.ACCEPTED, ""),
    ]
)
ATTEMPTS = st.lists(st.tuples(st.lists(EVIDENCE, max_size=3), st.integers(1, POST_LIMIT)), max_size=4).map(
    lambda each: [with_posts(posts, *evidence, n=n) for n, (evidence, posts) in enumerate(each, 1)]
)
FINDING: st.SearchStrategy[Finding] = st.sampled_from(
    [
        *(FOUND, FREED, PROVEN_ABSENT, ASKS, SEES_TOO_LITTLE, Answered(True, None), Answered(False, None)),
        *(LookedAgain(SPAN, (7,)), Absent(NO_SPAN, (1, 2, 3), settles=False)),
    ]
)
FINDINGS = st.lists(FINDING, max_size=2).map(lambda each: tuple(each))
STATES = st.sampled_from([each for each in State if each is not State.SETTLED])
TIMES = st.sampled_from([NOW, EXPIRY, PAST_EXPIRY, CLOSES, LedgerTime(CLOSES + 1), LedgerTime(CLOSES + MINUTE)])
PACKS = st.sampled_from([make_intent().pack, UNTAGGED])


@st.composite
def intents(draw: st.DrawFn) -> Intent:
    return sent(*draw(ATTEMPTS), state=draw(STATES), findings=draw(FINDINGS), pack=draw(PACKS))


@given(intents(), TIMES)
def test_not_moved_is_never_said_while_an_unknown_stands(intent: Intent, now: LedgerTime) -> None:  # R18, R24
    outcome = weigh(intent, now)
    by_word = any(isinstance(each, Answered | Absent) for each in intent.findings)
    if outcome.moved is False and not by_word:
        assert not standing_unknowns(intent)


@given(intents(), TIMES)
def test_a_standing_unknown_is_settled_only_by_proof_or_by_the_person(intent: Intent, now: LedgerTime) -> None:
    outcome = weigh(intent, now)  # R24
    if outcome.is_settled and outcome.settled_by == "reply" and standing_unknowns(intent):
        assert outcome.moved is True


@given(intents(), TIMES)
def test_moved_is_said_only_where_a_reply_a_block_or_the_person_says_so(intent: Intent, now: LedgerTime) -> None:
    if weigh(intent, now).moved is True:
        replies = [each for attempt in intent.attempts for each in attempt.evidence if isinstance(each, Reply)]
        assert (
            OK in replies or DUPLICATE in replies or FOUND in intent.findings or Answered(True, None) in intent.findings
        )


@given(intents(), TIMES, st.booleans(), st.booleans())
def test_what_is_sent_keeps_every_condition(intent: Intent, now: LedgerTime, proven: bool, by_person: bool) -> None:
    taken = step(intent, now, proven=proven, by_person=by_person)
    if not isinstance(taken, Repost | Fresh):
        return
    assert intent.attempts, "nothing goes without a first attempt, which the confirmation makes"  # R15
    assert intent.window.is_open(intent.stamp, now)  # R19, R21
    assert not weigh(intent, now).is_settled
    outcome = weigh(intent, now)
    assert outcome.state in (State.RETRY_SAME, State.REJECTED, State.UNKNOWN)  # R13
    has_tag = intent.pack.has_idempotency(intent.method)
    if isinstance(taken, Repost):
        attempt = intent.attempts[taken.n - 1]
        assert now <= attempt.expiry  # R19
        assert by_person or attempt.posts < POST_LIMIT
        assert by_person or has_tag or not isinstance(fate(attempt), Unknown)
    else:
        assert can_none_start(intent)  # R17, R19
        assert not standing_unknowns(intent) or (proven and has_tag)  # R19


@given(intents(), TIMES)
def test_the_persons_word_never_does_more_than_one_further_attempt_of_the_same_bytes(
    intent: Intent, now: LedgerTime
) -> None:  # R22
    alone, together = step(intent, now), step(intent, now, by_person=True)
    if alone != together:
        assert isinstance(together, Repost | Fresh)
        assert isinstance(alone, Stop | Repost | Fresh)
        if isinstance(alone, Stop):
            assert alone.need in (Need.PERSON, Need.EXPIRY)


@given(intents(), TIMES)
def test_weighing_what_was_weighed_changes_nothing(intent: Intent, now: LedgerTime) -> None:
    once = weigh(intent, now)
    assert weigh(replace(intent, outcome=once), now) == once


@given(intents(), TIMES, TIMES, FINDINGS)
def test_an_ending_stays_and_only_proof_of_movement_overrules_it(
    intent: Intent, now: LedgerTime, later: LedgerTime, more: tuple[Finding, ...]
) -> None:  # R18, R25
    settled = replace(intent, outcome=weigh(intent, now))
    if not settled.is_settled:
        return
    after = weigh(replace(settled, findings=(*settled.findings, *more)), later)
    assert after.is_settled
    if after != settled.outcome:
        assert settled.outcome.moved is False or (settled.outcome.settled_by, after.settled_by) == ("person", "history")
        assert after.moved is True


@given(intents(), TIMES, st.booleans())
def test_every_unsettled_intent_has_a_way_on(intent: Intent, now: LedgerTime, proven: bool) -> None:  # R13
    taken = step(intent, now, proven=proven, by_person=True)
    assert isinstance(taken, Done) == weigh(intent, now).is_settled
    if isinstance(taken, Stop):
        assert taken.need is not Need.PERSON  # their word was just given
        if taken.need is Need.EXPIRY:
            assert not can_none_start(intent)
        if taken.need is Need.CONFIRMATION:
            assert not intent.attempts


def test_the_untagged_pack_is_one() -> None:
    pack: Pack = UNTAGGED
    assert not pack.has_idempotency("icrc1_transfer")
