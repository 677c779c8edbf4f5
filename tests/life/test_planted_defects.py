"""The exploration can fail: each defect that would cost somebody money, planted, is found within a few moves."""

from collections.abc import Callable, Iterator

import pytest

from tests.life.explore import Report, explore
from tests.life.model import Model, envelope_of
from tests.life.world import SETTINGS, Move, Setting, World
from wallet.core import attempt, lifecycle
from wallet.core.attempt import Attempt, Fate, NeverSent, Status, StatusWord
from wallet.core.intent import Intent
from wallet.core.lifecycle import Verdict
from wallet.core.pack import Classification

BY_NAME = {setting.name: setting for setting in SETTINGS}


def broken(setting: str, make_model: Callable[[Setting], Model] = Model, depth: int = 7) -> str:
    report: Report = explore(BY_NAME[setting], depth, 2, make_model, stop_at_first=True)
    assert report.found, f"the defect was not found: {report}"
    return next(iter(report.found))


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


def test_a_new_stamp_on_retry_is_found() -> None:  # R12
    assert "R12" in broken("proven", NewStampOnRetry)


def test_sending_before_storing_is_found() -> None:  # R29
    assert "R15" in broken("proven", SendsBeforeStoring)


@pytest.mark.parametrize("codes", [{1, 2, 3, 4, 5}])
def test_a_rejection_taken_for_not_executed_is_found(codes: set[int], monkeypatch: pytest.MonkeyPatch) -> None:  # R17
    monkeypatch.setattr(attempt, "NOT_EXECUTED_CODES", frozenset(codes))
    assert broken("unproven")


def test_trust_in_an_absent_status_is_found(monkeypatch: pytest.MonkeyPatch) -> None:  # R25
    def trusting(tried: Attempt) -> Fate:
        match tried.evidence[-1] if tried.evidence else None:
            case Status(word=StatusWord.ABSENT):
                return NeverSent()
        return attempt.fate(tried)

    monkeypatch.setattr(lifecycle, "fate", trusting)
    assert broken("unproven")


def test_a_bad_fee_settled_after_an_unknown_is_found(monkeypatch: pytest.MonkeyPatch) -> None:  # R24
    weigh_refusal = lifecycle._weigh_refusal

    def settling(answer: Classification, is_unknown: bool, asks_person: bool) -> Verdict:
        return weigh_refusal(answer, False, False)

    monkeypatch.setattr(lifecycle, "_weigh_refusal", settling)
    assert "R24" in broken("proven")
