"""One confirmation, at most one execution, whatever a person, a network and a power switch do in whatever order.

Each run of the suite plays the same games; LIFE_EXAMPLES=1000 plays so many new ones, LIFE_STEPS=60 longer ones.
"""

import gc
import os
import warnings

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.life.machine import SEEN, Life

EXAMPLES = os.environ.get("LIFE_EXAMPLES")
GAMES = settings(
    max_examples=int(EXAMPLES or "25"),
    stateful_step_count=int(os.environ.get("LIFE_STEPS", "30")),
    deadline=None,
    derandomize=EXAMPLES is None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)


# A run that died left its connections to the operating system, which in one process nobody stands in for.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_one_confirmation_is_at_most_one_execution_in_every_game() -> None:
    try:
        run_state_machine_as_test(Life, settings=GAMES)
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()
    told = " ".join(kind for kind, count in SEEN.items() if count)
    for ending in ("died", "interrupted", "success by reply", "by history moved=True", "by restamp"):
        assert ending in told, SEEN
    print(SEEN)  # noqa: T201
