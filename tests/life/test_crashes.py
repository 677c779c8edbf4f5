"""SIGKILL, wherever it falls: a reopened wallet goes on, loses nothing, and pays once (R29, R30).

These are samples. The whole: `python -m tests.life.crash_runner --points`, and `--rounds 500`.
"""

import os

import pytest

from tests.life import crash_runner
from tests.life.crash_runner import Figures, Scenario, at_points, at_random, is_telling
from tests.life.lab import Lab
from tests.life.mortal import Mortals

pytestmark = pytest.mark.skipif(os.name != "posix", reason="SIGKILL and fork are POSIX's")


@pytest.mark.parametrize("scenario", [crash_runner.confirm, crash_runner.resume_absent, crash_runner.restamp])
def test_death_at_each_point_leaves_an_intent_that_is_paid_once(lab: Lab, scenario: Scenario) -> None:
    figures = Figures()
    with Mortals() as mortals, lab.run_by(lambda words: mortals.run(words, lab.wallet.environment).code):
        at_points(lab, mortals, figures, scenario, is_telling)
    assert figures.violations == []
    assert figures.blocks == figures.rounds > 8
    assert len(figures.kills) > 2  # before, between and after


def test_death_at_a_random_moment_leaves_an_intent_that_is_paid_once(lab: Lab) -> None:
    figures = Figures()
    at_random(lab, figures, seed=1, rounds=12, until=float("inf"))
    assert figures.violations == []
    assert figures.blocks == figures.rounds == 12
