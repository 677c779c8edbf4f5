"""Odd surroundings of a command: streams that are full, arguments that are no text, times that no calendar has."""

import json
import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import PROGRAM, Devnet, Ran, Wallet

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")


def run_into(wallet: Wallet, out: Path, *words: str | bytes) -> Ran:
    with out.open("w") as stream:
        ran = subprocess.run(
            (*PROGRAM, *words), env=wallet.environment, stdout=stream, stderr=subprocess.PIPE, timeout=60
        )
    return Ran(ran.returncode, "", ran.stderr.decode())


@needs_full
def test_a_result_that_cannot_be_written_is_still_the_result(wallet: Wallet, devnet: Devnet, bob: str) -> None:
    intent = wallet.prepare(bob)
    before = len(devnet.blocks())
    for more in ((), ("--json",)):
        ran = run_into(wallet, FULL, "confirm", intent["id"], "--digest", intent["digest"], *more)
        assert "could not be written" in ran.err
        assert "Traceback" not in ran.err
        assert ran.code == (0 if more == () else 2)  # once: it is settled then
    assert wallet.json("show", intent["id"])["moved"] is True
    assert len(devnet.blocks()) == before + 1


@needs_full
@pytest.mark.parametrize("closed", ["2>/dev/full", "2>&-"])
def test_notices_that_nobody_can_read_stop_no_payment(wallet: Wallet, bob: str, closed: str) -> None:
    intent = wallet.prepare(bob)
    words = shlex.join((*PROGRAM, "confirm", intent["id"], "--digest", intent["digest"]))
    for more, code in (("", 0), ("--json", 2)):
        ran = subprocess.run(f"{words} {more} {closed}", shell=True, env=wallet.environment, capture_output=True)
        assert ran.returncode == code
    assert json.loads(ran.stdout)["error"]["exit"] == 2  # settled already: one document, and no notice among it
    (attempt,) = wallet.json("show", intent["id"])["attempts"]
    assert attempt["outcome"] == "replied"


@needs_full
def test_a_log_that_cannot_be_written_costs_its_lines_only(wallet: Wallet, devnet: Devnet, bob: str) -> None:
    intent = wallet.prepare(bob, "1.5", "--log", str(FULL))
    ran = wallet.run("confirm", intent["id"], "--digest", intent["digest"], "--json", "--log", str(FULL))
    assert (ran.code, ran.document["moved"]) == (0, True)
    assert "Traceback" not in ran.err


@pytest.mark.skipif(os.name != "posix", reason="arguments are bytes on POSIX alone")
def test_an_argument_that_is_no_text_is_wrong_usage(wallet: Wallet, bob: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    right = ("prepare", "--ledger", "TOK", "--to", bob, "--amount", "1", "--json")
    ran = run_into(wallet, out, *right, "--memo", b"\xff\xfe")
    assert ran.code == 2
    assert "Traceback" not in ran.err
    assert "UTF-8" in out.read_text()
    assert wallet.json("intents") == []


@pytest.mark.parametrize("moment", [str(10**23), str(2**64 - 1), "0"])
def test_a_time_beyond_every_calendar_can_be_shown(wallet: Wallet, devnet: Devnet, bob: str, moment: str) -> None:
    intent = wallet.prepare(bob)
    devnet.arm("result", {"CreatedInFuture": {"ledger_time": moment}})
    found: Any = wallet.confirm(intent, code=5)
    assert (found["case"], found["payload"]) == ("Err.CreatedInFuture", {"ledger_time": moment})
    ran = wallet.run("show", intent["id"])
    assert ran.code == 0
    assert "CreatedInFuture" in ran.out
