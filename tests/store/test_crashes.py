"""Death at any moment: what a method returned for is there, and of the rest all or nothing (R29, R31)."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from wallet.adapters.store import open_store

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="SIGKILL is POSIX's")


@contextmanager
def child(script: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", script, *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def lines(process: subprocess.Popen[str], count: int) -> list[str]:
    assert process.stdout is not None
    return [process.stdout.readline().strip() for _ in range(count)]


def kill(process: subprocess.Popen[str]) -> list[str]:
    """Kill it and give what it had still said."""
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate()
    return str(rest).split()


WRITE_FOR_EVER = """
import sys
from pathlib import Path
from itertools import count
from tests.builders import make_attempt, make_intent, make_reply
from wallet.adapters.store import open_store
from wallet.core.intent import Outcome, State
store = open_store(Path(sys.argv[1]))
old = None
for n in count():
    intent = store.add(make_intent(n, amount=1, ref=None if n else "ref"), supersede=old)
    intent = store.begin_attempt(intent, make_attempt(), confirmed=True)
    old = store.record(intent, 1, make_reply(None), Outcome(State.RETRY_NEW, moved=False))
    print(n, flush=True)
"""


@pytest.mark.parametrize("after", [1, 7, 40])
def test_a_killed_write_is_all_or_nothing(tmp_path: Path, after: int) -> None:
    with child(WRITE_FOR_EVER, tmp_path) as process:
        said = lines(process, after)
        said += kill(process)
    done = max(map(int, said))
    with closing(open_store(tmp_path)) as store:
        intents = store.intents()
        by_id = {intent.id: intent for intent in intents}
        # Nothing is lost that a method returned for.
        for n in range(done + 1):
            assert by_id[f"intent{n}"].confirmed
            assert len(by_id[f"intent{n}"].attempts[0].evidence) == 1
        # A successor and the end of the old one came together; so did a confirmation and its attempt.
        for intent in intents:
            assert intent.confirmed == bool(intent.attempts)
            if intent.superseded_by is not None:
                assert by_id[intent.superseded_by].supersedes == intent.id
                assert intent.is_settled
        assert sum(not intent.is_settled for intent in intents) == 1
        owner = store.intent_by_ref("ref")
        assert owner is not None
        assert not owner.is_settled


HOLD_THE_LOCK = """
import sys
from pathlib import Path
from wallet.adapters.store import open_store
store = open_store(Path(sys.argv[1]))
with store.sending_lock("intent1") as is_ours:
    print(is_ours)
    sys.stdin.readline()
"""


def test_death_frees_the_lock_and_nothing_else_does(tmp_path: Path) -> None:
    # R31
    with closing(open_store(tmp_path)) as store, child(HOLD_THE_LOCK, tmp_path) as process:
        assert lines(process, 1) == ["True"]
        assert store.is_being_sent("intent1")
        with store.sending_lock("intent1") as is_ours:
            assert not is_ours
        assert store.is_being_sent("intent1")
        kill(process)
        assert not store.is_being_sent("intent1")
        with store.sending_lock("intent1") as is_ours:
            assert is_ours


LOOK_FOR_EVER = """
import sys
from pathlib import Path
from wallet.adapters.store import open_store
store = open_store(Path(sys.argv[1]))
print("looking")
while True:
    store.is_being_sent("intent1")
"""


def test_looking_never_keeps_a_sender_from_sending(tmp_path: Path) -> None:
    # R31
    with closing(open_store(tmp_path)) as store, child(LOOK_FOR_EVER, tmp_path) as process:
        lines(process, 1)
        for _ in range(200):
            with store.sending_lock("intent1") as is_ours:
                assert is_ours


def test_a_stopped_looker_does_not_hang_the_sender(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from filelock import FileLock

    monkeypatch.setattr("wallet.adapters.store.locks.GATE_S", 0.05)
    with closing(open_store(tmp_path)) as store:
        with store.sending_lock("intent1"):
            pass
        with FileLock(tmp_path / "locks" / "gate"):
            with store.sending_lock("intent1") as is_ours:
                assert not is_ours
            (tmp_path / "locks" / "intent1.lock").touch()
            assert store.is_being_sent("intent1")  # it cannot be told, so nothing is sent
        assert not store.is_being_sent("intent1")


def test_no_lock_file_is_left_behind(tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as store:
        for n in range(5):
            with store.sending_lock(f"intent{n}") as is_ours:
                assert is_ours
        assert [path.name for path in (tmp_path / "locks").iterdir()] in ([], ["gate"])


COUNT_UNDER_LOCK = """
import sys
from pathlib import Path
from wallet.adapters.store import open_store
store, total = open_store(Path(sys.argv[1])), Path(sys.argv[2])
done = 0
while done < 60:
    with store.sending_lock("intent1") as is_ours:
        if is_ours:
            number = int(total.read_text())
            total.write_text(str(number + 1))
            done += 1
"""


def test_two_senders_are_never_inside_at_once(tmp_path: Path) -> None:
    # R31: a lost update would show that both were
    total = tmp_path / "total"
    total.write_text("0")
    folder = tmp_path / "data"
    open_store(folder).close()
    with child(COUNT_UNDER_LOCK, folder, total) as one, child(COUNT_UNDER_LOCK, folder, total) as two:
        assert (one.wait(60), two.wait(60)) == (0, 0)
    assert total.read_text() == "120"
