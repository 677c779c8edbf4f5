"""One confirmation, at most one execution, whatever a person, a network and a power switch do in whatever order."""

import os

from hypothesis import HealthCheck, Phase, settings

from tests.life.machine import Life

EXAMPLES = int(os.environ.get("LIFE_EXAMPLES", "40"))
STEPS = int(os.environ.get("LIFE_STEPS", "30"))

TestLife = Life.TestCase
TestLife.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=STEPS,
    deadline=None,
    derandomize="LIFE_EXAMPLES" not in os.environ,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)
