"""Every world within so many moves: one confirmation, at most one execution, and nothing said of it that is not so.

`python -m tests.life.explore --depth 9` goes deeper.
"""

import pytest

from tests.life.explore import explore
from tests.life.world import SETTINGS, Setting

DEPTHS = {"proven": 5, "no deduplication, wrongly proven": 5}
USUAL_DEPTH = 6
LEAST_STATES = 5_000


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_no_world_breaks_the_promise(setting: Setting) -> None:
    report = explore(setting, DEPTHS.get(setting.name, USUAL_DEPTH), 2)
    assert report.found == {}, str(report)
    assert report.states >= LEAST_STATES, "it did not get far enough to prove anything"
