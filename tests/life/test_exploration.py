"""Every world within so many moves: one confirmation, at most one execution, and nothing said of it that is not so.

Each kind of ledger is explored twice: widely, with two misfortunes anywhere, and deeply, with one. LIFE_DEPTH=2 goes
two moves further than usual; `python -m tests.life.explore --depth 9 --luck 3` goes as far as it is told.
"""

import os
from collections.abc import Callable

import pytest

from tests.life.explore import explore
from tests.life.world import SETTINGS, Setting

FURTHER = int(os.environ.get("LIFE_DEPTH", "0"))
WIDE = (5, 2)
DEEP = (8, 1)
LEAST_WORLDS = 5_000
"""What each of the twelve explorations visits at the least; at the usual depths they visit 99,300 together."""


@pytest.mark.parametrize(("depth", "luck"), [WIDE, DEEP], ids=["wide", "deep"])
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_no_world_breaks_the_promise(
    setting: Setting, depth: int, luck: int, record_property: Callable[[str, object], None]
) -> None:
    report = explore(setting, depth + FURTHER, luck)
    print(report)  # noqa: T201
    record_property("worlds", report.states)
    assert report.found == {}, str(report)
    assert report.states >= LEAST_WORLDS, "it did not get far enough to prove anything"
