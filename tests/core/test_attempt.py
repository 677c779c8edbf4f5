"""What one attempt's evidence amounts to, by itself: only certified answers of its own request id end it (R16-R18)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import NOW, make_attempt, make_reply
from wallet.core.attempt import (
    Answered,
    Attempt,
    Evidence,
    NeverSent,
    NotExecuted,
    NotSent,
    Rejected,
    Silence,
    SilenceReason,
    Status,
    StatusWord,
    Unknown,
    fate,
    was_ever_unknown,
)
from wallet.core.ledger_time import SECOND, LedgerTime
from wallet.core.value import Case

EXPIRY = make_attempt().expiry
LATER = LedgerTime(EXPIRY + 1)


def status(word: StatusWord, time: int = NOW + SECOND) -> Status:
    return Status(word, b"certificate", LedgerTime(time))


def rejected(code: int, *, certified: bool = True) -> Rejected:
    return Rejected(code, "no", certified, time=LedgerTime(NOW + SECOND) if certified else None)


def silence(reason: SilenceReason = SilenceReason.TIMEOUT) -> Silence:
    return Silence(reason, "")


def with_evidence(*evidence: Evidence, **changes: Any) -> Attempt:
    return make_attempt(evidence=evidence, **changes)


NOT_SENT = NotSent("no connection")
OK = make_reply(Case("Ok", 7))
OPEN = Unknown(None, False)


@pytest.mark.parametrize("code", [1, 2, 3])
def test_a_certified_rejection_1_to_3_says_this_attempt_did_not_execute(code: int) -> None:  # R17
    assert fate(with_evidence(rejected(code))) == NotExecuted(rejected(code))


@pytest.mark.parametrize("code", [0, 4, 5, 6, 7, 100])
def test_any_other_certified_code_ends_the_request_and_not_the_unknown(code: int) -> None:  # R17, R18
    assert fate(with_evidence(rejected(code))) == Unknown("rejected", False)


@pytest.mark.parametrize("code", range(8))
def test_a_rejection_without_a_certificate_proves_nothing(code: int) -> None:  # R17
    assert fate(with_evidence(rejected(code, certified=False))) == OPEN


@pytest.mark.parametrize("reason", SilenceReason)
def test_silence_is_unknown_whatever_its_reason(reason: SilenceReason) -> None:  # R16, R18
    assert fate(with_evidence(silence(reason))) == OPEN


def test_an_attempt_on_disk_without_a_recorded_outcome_is_unknown() -> None:  # R18, R29
    assert fate(make_attempt()) == OPEN


@pytest.mark.parametrize(
    ("evidence", "ended", "accepted"),
    [
        ((status(StatusWord.DONE),), "done", False),
        ((status(StatusWord.UNREADABLE),), "unreadable", False),
        ((status(StatusWord.RECEIVED),), None, True),
        ((status(StatusWord.PROCESSING),), None, True),
        ((status(StatusWord.ABSENT),), None, False),
        ((status(StatusWord.ABSENT, EXPIRY),), None, False),  # at the very expiry it may still start
        ((status(StatusWord.ABSENT, LATER),), "expired", False),
        ((status(StatusWord.RECEIVED, LATER),), None, True),
        ((status(StatusWord.PROCESSING, LATER),), None, True),
        ((status(StatusWord.PROCESSING), status(StatusWord.ABSENT, LATER)), "expired", True),
        ((status(StatusWord.DONE), status(StatusWord.ABSENT, LATER)), "done", False),
        ((silence(), status(StatusWord.ABSENT), rejected(5)), "rejected", False),
    ],
)
def test_a_status_ends_the_request_and_never_the_unknown(
    evidence: tuple[Evidence, ...], ended: Any, accepted: bool
) -> None:  # R18, R25
    assert fate(with_evidence(*evidence)) == Unknown(ended, accepted)


@pytest.mark.parametrize(
    "earlier",
    [
        (silence(),),
        (rejected(2, certified=False),),
        (rejected(5),),
        (status(StatusWord.ABSENT, LATER),),
        (status(StatusWord.DONE),),
        (NOT_SENT,),
    ],
)
def test_its_own_certified_answer_ends_an_unknown_whatever_came_before(earlier: tuple[Evidence, ...]) -> None:  # R18
    assert fate(with_evidence(*earlier, OK)) == Answered(OK)
    assert fate(with_evidence(*earlier, rejected(3))) == NotExecuted(rejected(3))


def test_an_attempt_is_not_sent_only_where_no_post_ever_had_a_connection() -> None:  # R18
    assert fate(with_evidence(NOT_SENT)) == NeverSent()
    assert fate(with_evidence(NOT_SENT, NOT_SENT, posts=2)) == NeverSent()
    assert fate(with_evidence(NOT_SENT, status(StatusWord.ABSENT, LATER))) == NeverSent()


@pytest.mark.parametrize(
    ("evidence", "posts"),
    [
        ((NOT_SENT,), 2),  # the second post has no evidence: a crash
        ((silence(), NOT_SENT), 2),  # a re-post that does not open leaves the unknown standing
        ((NOT_SENT, silence()), 2),
        ((NOT_SENT, silence(SilenceReason.INTERRUPTED), NOT_SENT), 3),
        ((NOT_SENT, status(StatusWord.RECEIVED)), 1),  # the network's word is stronger than our belief
        ((NOT_SENT, status(StatusWord.DONE)), 1),
        ((NOT_SENT, rejected(5)), 1),
    ],
)
def test_one_post_that_may_have_left_makes_it_unknown(evidence: tuple[Evidence, ...], posts: int) -> None:  # R18
    assert isinstance(fate(with_evidence(*evidence, posts=posts)), Unknown)


@pytest.mark.parametrize(
    ("evidence", "was_unknown"),
    [
        ((), False),
        ((OK,), False),
        ((NOT_SENT, OK), False),
        ((silence(SilenceReason.ACCEPTED), status(StatusWord.RECEIVED), status(StatusWord.PROCESSING), OK), False),
        ((rejected(1),), False),
        ((silence(), OK), True),
        ((silence(SilenceReason.UNVERIFIED), OK), True),
        ((silence(SilenceReason.INTERRUPTED), OK), True),
        ((rejected(2, certified=False), OK), True),
        ((rejected(5),), True),
        ((status(StatusWord.ABSENT), OK), True),
        ((status(StatusWord.DONE), OK), True),
        ((status(StatusWord.UNREADABLE),), True),
    ],
)
def test_an_unknown_is_remembered_once_it_has_ended(evidence: tuple[Evidence, ...], was_unknown: bool) -> None:  # R27
    assert was_ever_unknown(with_evidence(*evidence)) is was_unknown


# --- properties ----------------------------------------------------------------------------------------------------

NO_ANSWER: st.SearchStrategy[Evidence] = st.one_of(
    st.builds(silence, st.sampled_from(SilenceReason)),
    st.builds(rejected, st.integers(0, 9), certified=st.just(False)),
    st.builds(rejected, st.sampled_from([0, 4, 5, 6])),
    st.builds(status, st.sampled_from(StatusWord), st.integers(NOW, LATER + SECOND)),
)
ANSWER: st.SearchStrategy[Evidence] = st.one_of(st.just(OK), st.builds(rejected, st.sampled_from([1, 2, 3])))


@given(st.lists(NO_ANSWER | st.just(NOT_SENT), max_size=6), st.integers(1, 4))
def test_nothing_but_a_certified_answer_ends_an_unknown(evidence: list[Evidence], posts: int) -> None:  # R16-R18
    assert isinstance(fate(with_evidence(*evidence, posts=posts)), Unknown | NeverSent)


@given(st.lists(NO_ANSWER, min_size=1, max_size=5), st.integers(0, 3))
def test_posts_that_did_not_open_never_hide_one_that_did(evidence: list[Evidence], unopened: int) -> None:  # R18
    attempt = with_evidence(*evidence, *[NOT_SENT] * unopened, posts=1 + unopened)
    assert isinstance(fate(attempt), Unknown)


@given(st.lists(NO_ANSWER, max_size=5), ANSWER, st.lists(NO_ANSWER, max_size=3))
def test_what_comes_after_its_answer_changes_nothing(
    before: list[Evidence], answer: Evidence, after: list[Evidence]
) -> None:  # R18
    assert fate(with_evidence(*before, answer, *after)) == fate(with_evidence(answer))


@given(st.lists(NO_ANSWER, max_size=6), NO_ANSWER)
def test_a_request_that_has_ended_stays_ended(evidence: list[Evidence], more: Evidence) -> None:  # R25
    before, after = fate(with_evidence(*evidence)), fate(with_evidence(*evidence, more))
    assert isinstance(before, Unknown)
    assert isinstance(after, Unknown)
    assert before.ended is None or after.ended is not None


@given(st.lists(NO_ANSWER, max_size=6))
def test_it_ends_unanswered_only_by_a_certificate(evidence: list[Evidence]) -> None:  # R25
    end = fate(with_evidence(*evidence))
    assert isinstance(end, Unknown)
    ends = [
        (isinstance(each, Rejected) and each.certified)
        or (isinstance(each, Status) and each.word in (StatusWord.DONE, StatusWord.UNREADABLE))
        or (isinstance(each, Status) and each.word is StatusWord.ABSENT and each.time > EXPIRY)
        for each in evidence
    ]
    assert (end.ended is not None) == any(ends)
