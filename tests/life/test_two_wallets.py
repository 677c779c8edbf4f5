"""Two wallets on one store: seen at once, sent once, and what the dead one was sending is taken over (R31)."""

import time
from contextlib import closing

from tests.life.lab import Lab
from tests.life.two_wallets import Figures, confirm_at_once
from wallet.adapters.store import open_store
from wallet.core.intent import State


def test_what_is_confirmed_in_both_at_once_is_sent_once(lab: Lab) -> None:
    figures = Figures()
    for _ in range(5):
        confirm_at_once(lab, figures)
    assert figures.violations == []
    assert figures.blocks == 5


def test_what_a_killed_process_was_sending_is_taken_over_at_once(lab: Lab) -> None:
    intent = lab.prepared()
    lab.devnet.arm("late", 20)
    with lab.wallet.start("confirm", intent.id, "--digest", intent.digest) as process:
        while intent.bytes_sha256 not in lab.blocks():
            time.sleep(0.05)
        # While it lives, nobody else goes on with it.
        busy = lab.wallet.json("resume", intent.id, code=4)
        assert (busy["state"], busy["attempts"][0]["posts"]) == ("sending", 1)
        process.kill()
    started = time.monotonic()
    assert lab.wallet.json("resume", intent.id)["moved"] is True
    assert time.monotonic() - started < 10  # no time-out of a lock was waited for
    lab.check_end(intent.id)


def test_one_wallet_sees_within_a_second_what_another_did(lab: Lab) -> None:
    intent = lab.prepared()
    with closing(open_store(lab.wallet.folder)) as watcher:
        before = watcher.change_counter()
        with lab.wallet.start("confirm", intent.id, "--digest", intent.digest) as process:
            process.communicate(timeout=60)
        ended = time.monotonic()
        while watcher.change_counter() == before:
            assert time.monotonic() - ended < 1
        found = watcher.intent(intent.id)
        assert found is not None
        assert found.state is State.SETTLED
