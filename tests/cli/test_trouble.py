"""What a network does to a payment, and what the program makes of it: faults on cue, in the real program."""

import shutil
import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import PROGRAM, Devnet, Wallet
from wallet.adapters.store import open_store

DAY_S = 24 * 60 * 60
EXPIRY_S = 180


def prove_dedup(wallet: Wallet) -> None:
    """As if the ledger had answered a Duplicate whose block matched (R19)."""
    store = open_store(wallet.folder)
    for network in store.networks():
        for ledger in store.ledgers(network.root_key):
            store.put_ledger(replace(ledger, dedup_proven=True))
    store.close()


def test_a_closed_window_asks_for_a_new_stamp(wallet: Wallet, devnet: Devnet, bob: str) -> None:  # R21, R23
    old = wallet.prepare(bob)
    before = len(devnet.blocks())
    devnet.jump(DAY_S + 1)
    late = wallet.confirm(old, code=5)
    assert (late["state"], late["class"], late["moved"]) == ("retry_new", "retry_new", False)
    assert wallet.prepare(bob, code=5)["id"] == old["id"]
    assert wallet.json("resume", old["id"], code=5)["state"] == "retry_new"
    wallet.json("confirm", old["id"], "--digest", old["digest"], code=2)
    assert len(devnet.blocks()) == before
    new = wallet.go_on(late["next"])
    assert (new["supersedes"], new["state"]) == (old["id"], "prepared")
    assert int(new["stamp"]) > int(old["stamp"])
    superseded = wallet.json("show", old["id"])
    assert (superseded["superseded_by"], superseded["settled_by"]) == (new["id"], "restamp")
    wallet.confirm(old, code=2)
    assert wallet.confirm(new)["moved"] is True
    assert len(devnet.blocks()) == before + 1


def test_the_old_and_the_new_stamp_are_shown_side_by_side(wallet: Wallet, devnet: Devnet, bob: str) -> None:  # R23
    old = wallet.prepare(bob)
    devnet.jump(DAY_S + 1)
    wallet.confirm(old, code=5)
    ran = wallet.run("restamp", old["id"])
    assert ran.code == 0
    assert old["id"] in ran.out
    assert "≠ stamp" in ran.out


def test_a_lost_reply_is_found_again(wallet: Wallet, devnet: Devnet, bob: str) -> None:  # R18, R19
    before = len(devnet.blocks())
    devnet.arm("lose_reply")
    done = wallet.confirm(wallet.prepare(bob))
    assert (done["class"], done["moved"]) == ("success", True)
    assert len(devnet.blocks()) == before + 1


def lost(wallet: Wallet, devnet: Devnet, bob: str) -> Any:
    """An intent that executed, whose reply was lost and whose status the network does not tell."""
    intent = wallet.prepare(bob)
    devnet.arm("lose_reply")
    devnet.arm("forget_status")
    found = wallet.confirm(intent, "--timeout", "1.5", code=4)
    assert (found["state"], found["moved"], found["class"]) == ("unknown", None, None)
    return found


def test_an_unknown_goes_again_in_the_same_envelope(wallet: Wallet, devnet: Devnet, bob: str) -> None:  # R19
    before = len(devnet.blocks())
    intent = lost(wallet, devnet, bob)
    assert wallet.prepare(bob, code=4)["id"] == intent["id"]  # R13: nothing new is offered
    again = wallet.json("resume", intent["id"], "--timeout", "1.5", code=4)
    (attempt,) = again["attempts"]
    assert attempt["posts"] > 1
    assert attempt["outcome"] == "unknown"
    assert len(devnet.blocks()) == before + 1
    wallet.json("drop", intent["id"], code=2)


@pytest.mark.parametrize("fault", ["forget_status", "done_status"])
def test_a_repeat_on_a_proven_ledger_is_answered_as_already_done(
    wallet: Wallet, devnet: Devnet, bob: str, fault: str
) -> None:  # R19, R20
    prove_dedup(wallet)
    before = len(devnet.blocks())
    if fault == "forget_status":
        intent = lost(wallet, devnet, bob)
        devnet.jump(EXPIRY_S)
        done = wallet.json("resume", intent["id"])
    else:  # the request ended, and how is forgotten: nothing need be waited for
        devnet.arm("lose_reply")
        devnet.arm(fault)
        done = wallet.confirm(wallet.prepare(bob))
    (block,) = devnet.blocks()[before:]
    assert (done["class"], done["moved"], done["case"]) == ("already_done", True, "Err.Duplicate")
    assert done["block"] == done["duplicate_of"] == done["duplicate"]["index"] == block["index"]
    assert done["duplicate"]["differs"] == []
    assert done["duplicate"]["to"] == bob
    assert [each["outcome"] for each in done["attempts"]] == ["unknown", "replied"]
    assert done["alarms"] == []


def test_an_unproven_ledger_gets_no_fresh_envelope_for_an_unknown(
    wallet: Wallet, devnet: Devnet, bob: str
) -> None:  # R19, R25
    before = len(devnet.blocks())
    intent = lost(wallet, devnet, bob)
    devnet.jump(EXPIRY_S)
    found = wallet.json("resume", intent["id"])
    # The history is read first, and it tells: a second envelope never goes.
    assert len(found["attempts"]) == 1
    assert (found["settled_by"], found["moved"]) == ("history", True)
    assert len(devnet.blocks()) == before + 1


def test_a_restored_copy_does_not_pay_twice(wallet: Wallet, devnet: Devnet, bob: str, tmp_path: Path) -> None:  # R20
    intent = wallet.prepare(bob)
    copy = wallet.copy_to(tmp_path / "copy")
    first = wallet.confirm(intent)
    before = len(devnet.blocks())
    second = copy.confirm(intent)
    assert (second["class"], second["block"]) == ("already_done", first["block"])
    assert second["duplicate"]["differs"] == []
    assert len(devnet.blocks()) == before


@pytest.mark.parametrize(
    "what", ["signature", "tree", "request_id", "root_key", "delegation", "canister", "infinity", "garbage"]
)
def test_a_forged_answer_is_no_answer(wallet: Wallet, devnet: Devnet, bob: str, what: str) -> None:  # R16
    before = len(devnet.blocks())
    devnet.arm("tamper", what, times=50)
    found = wallet.confirm(wallet.prepare(bob), "--timeout", "1.5", code=4)
    assert (found["state"], found["moved"]) == ("unknown", None)
    assert found["attempts"][0]["outcome"] == "unknown"
    assert len(devnet.blocks()) == before + 1
    devnet.clear()
    assert wallet.json("resume", found["id"])["moved"] is True
    assert len(devnet.blocks()) == before + 1


@pytest.mark.parametrize("what", ["time", "reply"])
def test_an_old_or_unreadable_certified_answer_is_never_a_failure(
    wallet: Wallet, devnet: Devnet, bob: str, what: str
) -> None:  # R18, R33
    before = len(devnet.blocks())
    intent = wallet.prepare(bob)
    devnet.arm("tamper", what)
    ran = wallet.run("confirm", intent["id"], "--digest", intent["digest"], "--timeout", "4", "--json")
    assert ran.code in (0, 4)
    assert ran.document["moved"] in (True, None)
    assert len(devnet.blocks()) == before + 1


RESULTS = [
    ("TooOld", None, "retry_new", 5, False),
    ({"CreatedInFuture": {"ledger_time": "1"}}, {"ledger_time": "1"}, "retry_new", 5, False),
    ({"BadFee": {"expected_fee": "77"}}, {"expected_fee": "77"}, "fix_input", 3, False),
    ({"BadBurn": {"min_burn_amount": "9"}}, {"min_burn_amount": "9"}, "fix_input", 3, False),
    ({"InsufficientFunds": {"balance": "5"}}, {"balance": "5"}, "fail", 1, False),
    ({"GenericError": {"error_code": "7", "message": "no"}}, {"error_code": "7", "message": "no"}, "fail", 1, False),
    ("Frozen", None, "fail", 1, None),
]


@pytest.mark.parametrize(("result", "payload", "outcome_class", "code", "moved"), RESULTS, ids=lambda each: str(each))
def test_each_refusal_has_its_class_and_its_exit_code(
    wallet: Wallet,
    devnet: Devnet,
    bob: str,
    result: object,
    payload: object,
    outcome_class: str,
    code: int,
    moved: bool | None,
) -> None:  # R5, R9, R26
    before = len(devnet.blocks())
    devnet.arm("result", result)
    found = wallet.confirm(wallet.prepare(bob), code=code)
    tag = result if isinstance(result, str) else next(iter(result))  # type: ignore[call-overload]
    assert (found["class"], found["case"], found["payload"]) == (outcome_class, f"Err.{tag}", payload)
    assert found["moved"] is moved
    assert len(devnet.blocks()) == before


def test_a_busy_ledger_is_asked_again_with_the_same_bytes(wallet: Wallet, devnet: Devnet, bob: str) -> None:  # R22
    devnet.arm("busy")
    done = wallet.confirm(wallet.prepare(bob))
    assert (done["class"], [each["detail"] for each in done["attempts"]]) == (
        "success",
        ["Err.TemporarilyUnavailable", "Ok"],
    )


def test_a_pause_that_outlasts_the_command_ends_it_unsettled(wallet: Wallet, devnet: Devnet, bob: str) -> None:  # R22
    devnet.arm("busy", times=3)
    found = wallet.confirm(wallet.prepare(bob), "--timeout", "1", code=4)
    assert (found["state"], found["class"], found["moved"]) == ("retry_same", "retry_same", False)
    devnet.clear()
    assert wallet.go_on(found["next"])["moved"] is True


def test_a_certified_rejection_goes_again(wallet: Wallet, devnet: Devnet, bob: str) -> None:  # R17
    devnet.arm("reject", 2)
    done = wallet.confirm(wallet.prepare(bob))
    assert (done["class"], [each["outcome"] for each in done["attempts"]]) == ("success", ["rejected", "replied"])


def test_a_killed_wallet_finds_out_what_it_did(wallet: Wallet, devnet: Devnet, bob: str) -> None:  # R29, R30
    intent = wallet.prepare(bob)
    before = len(devnet.blocks())
    devnet.arm("late", 20)
    with wallet.start("confirm", intent["id"], "--digest", intent["digest"]) as process:
        deadline = time.monotonic() + 20
        while len(devnet.blocks()) == before and time.monotonic() < deadline:
            time.sleep(0.05)
        process.kill()
    found = wallet.json("show", intent["id"])
    assert (found["state"], found["moved"]) == ("unknown", None)
    assert found["next"] == f"wallet resume {intent['id']}"
    devnet.clear()
    assert wallet.go_on(found["next"])["moved"] is True
    assert len(devnet.blocks()) == before + 1


def test_ctrl_c_says_where_it_stands_and_what_goes_on(wallet: Wallet, devnet: Devnet, bob: str) -> None:
    intent = wallet.prepare(bob)
    before = len(devnet.blocks())
    devnet.arm("late", 20)
    with wallet.start("confirm", intent["id"], "--digest", intent["digest"], "--json") as process:
        deadline = time.monotonic() + 20
        while len(devnet.blocks()) == before and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert '"unknown"' in out
    assert err.splitlines()[-1] == f"wallet resume {intent['id']}"
    devnet.clear()


def test_bare_resume_only_asks(wallet: Wallet, devnet: Devnet, bob: str) -> None:  # R30
    intent = wallet.prepare(bob)
    devnet.arm("lose_reply")
    devnet.arm("http", 503, times=20)
    prepared = wallet.prepare(bob, "8")
    wallet.confirm(intent, "--timeout", "1", code=4)
    devnet.clear()
    before = len(devnet.blocks())
    found = {each["id"]: each for each in wallet.json("resume")}
    assert found[prepared["id"]]["state"] == "prepared"
    assert len(found[intent["id"]]["attempts"]) == 1
    assert len(devnet.blocks()) == before


def test_a_silent_network_is_an_exit_code_of_its_own(wallet: Wallet, devnet: Devnet, bob: str) -> None:
    intent = wallet.prepare(bob)
    devnet.arm("stop", 3)
    ran = wallet.run("confirm", intent["id"], "--digest", intent["digest"], "--json", "--timeout", "2")
    assert ran.code == 8
    assert (ran.document["id"], ran.document["state"], ran.document["attempts"]) == (intent["id"], "prepared", [])
    assert wallet.run("resume", "--json", "--timeout", "0.5").code in (0, 8)
    deadline = time.monotonic() + 10
    while wallet.run("balance", "--timeout", "2").code and time.monotonic() < deadline:
        time.sleep(0.2)
    assert wallet.confirm(intent)["moved"] is True


@pytest.mark.skipif(shutil.which("faketime") is None, reason="needs Debian's faketime to move the host's clock")
@pytest.mark.parametrize("shift", ["+3d", "-3d"])
def test_a_wrong_host_clock_decides_nothing(
    wallet: Wallet, devnet: Devnet, bob: str, shift: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # R11, R33
    before = int(wallet.prepare(bob, "5")["stamp"])
    monkeypatch.setattr("tests.cli.program.PROGRAM", ("faketime", "-f", shift, *PROGRAM))
    ran = wallet.run("prepare", "--ledger", "TOK", "--to", bob, "--amount", "6", "--json")
    assert "This machine's clock is" in ran.clock_notice
    intent = ran.document
    assert 0 < int(intent["stamp"]) - before < 60 * 10**9
    assert wallet.confirm(intent)["moved"] is True


def test_two_equal_blocks_are_an_alarm_until_it_is_acknowledged(
    wallet: Wallet, devnet: Devnet, bob: str
) -> None:  # R27, R35
    before = len(devnet.blocks())
    for fault in ("no_dedup", "twice", "lose_reply"):
        devnet.arm(fault)
    found = wallet.confirm(wallet.prepare(bob), code=6)
    assert len(devnet.blocks()) == before + 2
    assert (found["moved"], len(found["alarms"])) == (True, 1)
    assert found["next"] == f"wallet acknowledge {found['id']}"
    assert wallet.go_on(found["next"])["alarms"] == []
    assert wallet.json("resume", found["id"])["moved"] is True
    (ledger,) = wallet.json("ledger", "list")
    assert ledger["dedup_proven"] is False


def test_what_the_network_has_forgotten_is_read_in_the_history(
    wallet: Wallet, devnet: Devnet, bob: str
) -> None:  # R24, R25
    intent = lost(wallet, devnet, bob)
    devnet.jump(DAY_S + EXPIRY_S)
    found = wallet.json("reconcile", intent["id"])
    assert (found["class"], found["settled_by"], found["moved"]) == ("reconcile", "history", True)
    assert found["history"]["verdict"] == "found"
    assert found["block"] == devnet.blocks()[-1]["index"]


def test_what_is_proven_absent_asks_for_a_new_stamp(wallet: Wallet, devnet: Devnet, bob: str) -> None:  # R25
    intent = wallet.prepare(bob)
    before = len(devnet.blocks())
    devnet.arm("lose_request", times=50)
    unknown = wallet.confirm(intent, "--timeout", "1.5", code=4)
    assert unknown["moved"] is None
    devnet.clear()
    devnet.jump(DAY_S + EXPIRY_S)
    absent = wallet.json("reconcile", intent["id"], code=5)
    assert (absent["settled"], absent["settled_by"], absent["moved"]) == (True, "history", False)
    assert absent["history"].keys() == {"from", "to", "verdict", "why"}
    assert absent["history"]["verdict"] == "absent"
    assert wallet.prepare(bob, code=5)["id"] == intent["id"]  # R14
    assert wallet.confirm(wallet.go_on(absent["next"]))["moved"] is True
    assert len(devnet.blocks()) == before + 1
