"""A power cut at any moment of the real program leaves a store that opens, and forgets nothing that was sent (R29)."""

import random
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.program import PROGRAM
from tests.life import crash_runner
from tests.life.crash_runner import Scenario
from tests.life.lab import Lab
from tests.life.power_cut import Call, Disk, can_trace, lay_out, record
from wallet.adapters.store import open_store
from wallet.adapters.store.database import FILE_NAME
from wallet.core.attempt import Reply
from wallet.core.errors import StoreFault
from wallet.core.intent import Intent

pytestmark = pytest.mark.skipif(not can_trace(), reason="needs strace, and leave to trace")

CARELESS = (
    sys.executable,
    "-c",
    "import sqlite3, sys\n"
    "class Careless(sqlite3.Connection):\n"
    "    def execute(self, sql, *rest):\n"
    "        return super().execute(sql.replace('synchronous = FULL', 'synchronous = OFF'), *rest)\n"
    "connect = sqlite3.connect\n"
    "sqlite3.connect = lambda *words, **options: connect(*words, factory=Careless, **options)\n"
    "from wallet.cli.main import run\n"
    "sys.exit(run(sys.argv[1:]))\n",
)
"""The program, with a store that does not wait for the disk."""


@dataclass
class Cuts:
    """How often the power went, and what was wrong with what it left."""

    count: int
    faults: list[str]


def cut_everywhere(disk: Disk, calls: Sequence[Call], intent_id: str, end: Intent, folder: Path) -> Cuts:
    """Cut the power after every call that matters, in some ways each, and look at what is left."""
    cuts, chance = Cuts(0, []), random.Random(1)
    sent: list[bytes] = []  # the envelopes that have left by then
    is_told = False
    for at, call in enumerate(calls):
        if call.name == "send":
            sent += [each.envelope for each in end.attempts if each.envelope in call.data]
            is_told = is_told or (call.fd in (1, 2) and b"certified" in call.data)
        if not disk.take(call) and call.name != "send":
            continue
        for files in disk.cuts(chance, torn=2):
            cuts.count += 1
            fault = fault_of(lay_out(files, folder), intent_id, sent, is_told)
            if fault is not None:
                cuts.faults.append(f"after call {at} ({call.name} {call.path}): {fault}")
    assert sent, "nothing was sent, so nothing was shown"
    return cuts


def fault_of(folder: Path, intent_id: str, sent: Sequence[bytes], is_told: bool) -> str | None:
    try:
        with closing(open_store(folder)) as store:
            intent = store.intent(intent_id)
    except StoreFault as unusable:
        return f"the store is unusable: {unusable}"
    if (damage := damage_of(folder / FILE_NAME)) is not None:
        return f"the store is damaged: {damage}"
    if intent is None:
        return "the intent is lost"
    if intent.confirmed != bool(intent.attempts):
        return "the confirmation and the first attempt came apart"
    stored = [each.envelope for each in intent.attempts]
    if any(envelope not in stored for envelope in sent):
        return "an attempt was sent and is not stored"
    if is_told and not any(isinstance(each, Reply) for attempt in intent.attempts for each in attempt.evidence):
        return "an outcome was told and is not stored"
    return None


def damage_of(path: Path) -> str | None:
    with closing(sqlite3.connect(path)) as plain:
        try:
            (integrity,) = plain.execute("PRAGMA integrity_check").fetchone()
        except sqlite3.DatabaseError as error:
            return str(error)
    return None if integrity == "ok" else str(integrity)


def traced(lab: Lab, scenario: Scenario, program: Sequence[str], tmp_path: Path) -> Cuts:
    case = scenario(lab)
    intent_id = case.about()
    disk = Disk(lab.wallet.folder, FILE_NAME)
    code, calls = record((*program, *case.words), lab.wallet.environment, tmp_path / "log")
    assert code == 0
    return cut_everywhere(disk, calls, intent_id, lab.intent(intent_id), tmp_path / "cut")


@pytest.mark.parametrize(
    "scenario", [crash_runner.confirm, crash_runner.confirm_lost_reply, crash_runner.resume_absent]
)
def test_a_power_cut_while_sending_loses_nothing_that_left(lab: Lab, tmp_path: Path, scenario: Scenario) -> None:
    cuts = traced(lab, scenario, PROGRAM, tmp_path)
    assert cuts.faults == []
    assert cuts.count > 100


def test_a_store_that_does_not_wait_for_the_disk_would_be_caught(lab: Lab, tmp_path: Path) -> None:
    cuts = traced(lab, crash_runner.confirm, CARELESS, tmp_path)
    assert any("sent and is not stored" in fault for fault in cuts.faults)
    assert any("told and is not stored" in fault for fault in cuts.faults)


def test_a_power_cut_while_the_store_is_made_leaves_one_that_opens(lab: Lab, tmp_path: Path) -> None:
    folder, left = tmp_path / "new", tmp_path / "cut"
    folder.mkdir(0o700)
    disk = Disk(folder, FILE_NAME)
    words = (*PROGRAM, "network", "add", "local", lab.devnet.url, "--data-dir", str(folder))
    code, calls = record(words, lab.wallet.environment, tmp_path / "log")
    assert code == 0
    chance, count = random.Random(1), 0
    for call in calls:
        if disk.take(call):
            for files in disk.cuts(chance, torn=1):
                count += 1
                with closing(open_store(lay_out(files, left))) as store:
                    assert len(store.networks()) <= 1
    assert count > 50
    (last, *_) = disk.cuts(chance, torn=0)
    with closing(open_store(lay_out(last, left))) as store:
        assert [each.name for each in store.networks()] == ["local"]
