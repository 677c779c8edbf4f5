"""The exploration can fail: each defect that would cost somebody money, planted, is found within a few moves."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from tests.life.explore import explore
from tests.life.model import Model
from tests.life.wallet_steps import envelope_of
from tests.life.world import SETTINGS, Move, Setting, World
from wallet.core import attempt, lifecycle
from wallet.core.attempt import Attempt, Fate, NeverSent, NotExecuted, Rejected, Status, StatusWord, Unknown
from wallet.core.intent import Intent, State
from wallet.core.ledger_time import DedupWindow, LedgerTime
from wallet.core.lifecycle import Verdict
from wallet.core.outcome import OutcomeClass
from wallet.core.pack import Classification
from wallet.services import concluding, reconciling

BY_NAME = {setting.name: setting for setting in SETTINGS}
LYING = "no deduplication, wrongly proven"


def broken(setting: str, make_model: Callable[[Setting], Model] = Model, depth: int = 7) -> str:
    """The first violation that an exploration of this defective wallet meets."""
    report = explore(BY_NAME[setting], depth, 2, make_model, stop_at_first=True)
    assert report.found, f"the defect was not found: {report}"
    return next(iter(report.found))


# --- in how it is sent ---------------------------------------------------------------------------------------------


class NewStampOnRetry(Model):
    """Encodes anew for every attempt after the first."""

    def sealed(self, intent: Intent) -> bytes:
        return envelope_of((intent.stamp + len(intent.attempts), intent.card.fee))


class SendsBeforeStoring(Model):
    """A crash after the post finds nothing of it on disk."""

    def store_and_post(self, label: str, world: World, stored: World, i: int, n: int) -> Iterator[Move]:
        yield from super().store_and_post(label, world, stored, i, n)
        for posted, _ in self.post(stored, i, n):
            yield Move(f"{label} {n}: {posted.label}, and a crash", 1, posted.world._replace(intents=world.intents))


class AlwaysPreparesAnew(Model):
    """Mints a stamp although the same payment is open."""

    def _prepare(self, world: World) -> Iterator[Move]:
        yield from self._minted("prepare anew", world, None)


class NewStampWhileUnknown(Model):
    """Offers a new stamp for what may have executed."""

    def _restamp(self, world: World, i: int) -> Iterator[Move]:
        if not self.intent(world, i).is_settled:
            yield from self._minted("restamp", world, i)


def test_a_new_stamp_on_retry_is_found() -> None:  # R12
    assert "R12" in broken("proven", NewStampOnRetry)


def test_sending_before_storing_is_found() -> None:  # R29
    assert "R15" in broken("proven", SendsBeforeStoring)


def test_a_second_open_intent_is_found() -> None:  # R13
    assert "R13" in broken("proven", AlwaysPreparesAnew)


def test_a_new_stamp_for_what_may_have_executed_is_found() -> None:  # R23, R24
    assert "R23" in broken("unproven", NewStampWhileUnknown)


def test_a_window_that_never_closes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:  # R19, R21
    def always(window: DedupWindow, stamp: LedgerTime, now: LedgerTime) -> bool:
        return True

    monkeypatch.setattr(DedupWindow, "is_open", always)
    assert "too old" in broken("proven")


# --- in what an answer is taken for --------------------------------------------------------------------------------


def believing(told: Callable[[Attempt], Fate | None]) -> Callable[[Attempt], Fate]:
    """The fate of an attempt, where `told` does not know better."""

    def fate(tried: Attempt) -> Fate:
        return told(tried) or attempt.fate(tried)

    return fate


def test_a_trap_taken_for_not_executed_is_found(monkeypatch: pytest.MonkeyPatch) -> None:  # R17
    monkeypatch.setattr(attempt, "NOT_EXECUTED_CODES", frozenset({1, 2, 3, 5}))
    assert "R24" in broken("unproven")


def test_one_nodes_rejection_taken_for_not_executed_is_found(monkeypatch: pytest.MonkeyPatch) -> None:  # R17
    def told(tried: Attempt) -> Fate | None:
        match tried.evidence[-1] if tried.evidence else None:
            case Rejected(certified=False) as rejection:
                return NotExecuted(rejection)
        return None

    monkeypatch.setattr(lifecycle, "fate", believing(told))
    assert broken("unproven")


def test_trust_in_an_absent_status_is_found(monkeypatch: pytest.MonkeyPatch) -> None:  # R25
    def told(tried: Attempt) -> Fate | None:
        match tried.evidence[-1] if tried.evidence else None:
            case Status(word=StatusWord.ABSENT):
                return NeverSent()
        return None

    monkeypatch.setattr(lifecycle, "fate", believing(told))
    assert broken("unproven")


def test_an_absent_status_before_the_expiry_taken_for_the_end_is_found(monkeypatch: pytest.MonkeyPatch) -> None:  # R25
    def told(tried: Attempt) -> Fate | None:
        end = attempt.fate(tried)
        latest = tried.evidence[-1] if tried.evidence else None
        if isinstance(end, Unknown) and isinstance(latest, Status) and latest.word is StatusWord.ABSENT:
            return Unknown("expired", end.accepted)
        return None

    monkeypatch.setattr(lifecycle, "fate", believing(told))
    assert broken("unproven")


def test_a_request_that_has_ended_taken_for_one_that_did_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(tried: Attempt) -> Fate | None:  # R18
        end = attempt.fate(tried)
        return NeverSent() if isinstance(end, Unknown) and end.ended == "done" else None

    monkeypatch.setattr(lifecycle, "fate", believing(told))
    assert "R24" in broken("proven")


# --- in what is concluded ------------------------------------------------------------------------------------------


def test_a_bad_fee_settled_after_an_unknown_is_found(monkeypatch: pytest.MonkeyPatch) -> None:  # R24
    weigh_refusal = lifecycle._weigh_refusal

    def settling(answer: Classification, is_unknown: bool, asks_person: bool) -> Verdict:
        is_unknown = is_unknown and answer.cls is not OutcomeClass.FIX_INPUT
        return weigh_refusal(answer, is_unknown, asks_person)

    monkeypatch.setattr(lifecycle, "_weigh_refusal", settling)
    assert "R24" in broken("proven")


def test_a_closed_window_taken_for_not_executed_is_found(monkeypatch: pytest.MonkeyPatch) -> None:  # R24
    weigh = lifecycle.weigh

    def hasty(intent: Intent, now: LedgerTime | None) -> Verdict:
        verdict = weigh(intent, now)
        if now is None or intent.window.is_open(intent.stamp, now) or verdict.moved is not None:
            return verdict
        return replace(verdict, state=State.RETRY_NEW, moved=False)

    monkeypatch.setattr(lifecycle, "weigh", hasty)
    monkeypatch.setattr("wallet.services.journal.weigh", hasty)
    assert "R24" in broken("unproven")


def test_absence_concluded_while_a_call_may_still_start_is_found(monkeypatch: pytest.MonkeyPatch) -> None:  # R25
    monkeypatch.setattr(reconciling, "can_none_start", lambda intent: True)
    assert broken("unproven")


def test_trust_in_a_deduplication_that_nobody_proved_is_found(monkeypatch: pytest.MonkeyPatch) -> None:  # R19
    next_step = lifecycle.next_step

    def trusting(intent: Intent, now: LedgerTime, *, dedup_proven: bool, by_person: bool = False) -> lifecycle.Step:
        return next_step(intent, now, dedup_proven=True, by_person=by_person)

    monkeypatch.setattr(lifecycle, "next_step", trusting)
    assert "R29" in broken("no deduplication")


def test_a_second_look_taken_too_early_is_found(monkeypatch: pytest.MonkeyPatch) -> None:  # R27
    monkeypatch.setattr(concluding, "can_none_start", lambda intent: True)
    assert "R27" in broken(LYING)


def test_a_wallet_that_never_goes_on_is_found(monkeypatch: pytest.MonkeyPatch) -> None:  # R13
    def stopping(intent: Intent, now: LedgerTime, *, dedup_proven: bool, by_person: bool = False) -> lifecycle.Step:
        return lifecycle.Stop(lifecycle.Need.PERSON)

    monkeypatch.setattr(lifecycle, "next_step", stopping)
    assert "no way on" in broken("proven")


def test_a_persons_word_that_no_evidence_overrules_is_found(monkeypatch: pytest.MonkeyPatch) -> None:  # R25
    monkeypatch.setattr(concluding, "_alarm", lambda intent, finding: None)
    assert "R25" in broken("unproven", depth=9)
