"""The interface in a real terminal of 80 by 24: every screen once, a transfer, a lost reply, a SIGKILL, a reopening."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

TMUX = shutil.which("tmux")
BOB = "uf6dk-hyaaa-aaaaq-qaaaq-cai"

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(TMUX is None, reason="tmux is missing; install it to see the interface in a real terminal"),
]


class Terminal:
    """`wallet demo` in a tmux window of its own server; keys are typed at the speed of a person."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._socket = folder / "tmux"

    def open(self) -> None:
        program = f"{sys.executable} -m wallet demo --data-dir {self._folder / 'data'}"
        self._tmux("new-session", "-d", "-s", "w", "-x", "80", "-y", "24", program)

    def close(self) -> None:
        subprocess.run([TMUX or "", "-S", str(self._socket), "kill-server"], capture_output=True, check=False)

    def ends(self, seconds: float = 20.0) -> None:
        """Wait until the program, and the window with it, is gone."""
        end = time.monotonic() + seconds
        while subprocess.run([TMUX or "", "-S", str(self._socket), "has-session"], capture_output=True).returncode == 0:
            assert time.monotonic() < end, f"it does not end:\n{self.screen()}"
            time.sleep(0.1)
        self.close()

    def press(self, *keys: str) -> None:
        for key in keys:
            self._tmux("send-keys", "-t", "w", key)
            time.sleep(0.3)  # keys in a burst are taken for a paste

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-t", "w", "-l", text)
        time.sleep(0.3)

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p", "-t", "w")

    def shows(self, *words: str, seconds: float = 20.0) -> str:
        end = time.monotonic() + seconds
        while True:
            shown = self.screen()
            if all(word in shown for word in words):
                return shown
            assert time.monotonic() < end, f"{words} did not come up:\n{shown}"
            time.sleep(0.1)

    def kill(self) -> None:
        pid = int(self._tmux("display-message", "-p", "-t", "w", "#{pane_pid}"))
        os.kill(pid, signal.SIGKILL)

    def wallet(self, *words: str) -> list[dict[str, object]]:
        command = [sys.executable, "-m", "wallet", *words, "--json", "--data-dir", str(self._folder / "data" / "demo")]
        shown: list[dict[str, object]] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        return shown

    def _tmux(self, *words: str) -> str:
        # A server of its own: nothing of the person's tmux is touched, and no configuration is read.
        command = [TMUX or "", "-S", str(self._socket), "-f", "/dev/null", *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path)
    terminal.open()
    try:
        yield terminal
    finally:
        terminal.close()


def card(terminal: Terminal, amount: str, memo: str = "") -> None:
    terminal.press("s")
    terminal.shows("Prepare the card")
    terminal.type(BOB)
    terminal.press("Tab")
    terminal.type(amount)
    if memo:
        terminal.press("Tab")
        terminal.type(memo)
    terminal.press("F2")
    terminal.shows("Confirm this transfer", f"Confirm: send {amount} TOK")


def confirm(terminal: Terminal) -> None:
    time.sleep(0.8)  # Confirm sleeps until the keyboard was still
    terminal.press("Tab", "Tab")
    time.sleep(0.8)
    terminal.press("Enter")


def test_every_screen_in_a_real_terminal(terminal: Terminal) -> None:
    terminal.shows("demo · demo", "1,000.00000000", "Nothing is unsettled", "ledger time")
    terminal.press("?")
    terminal.shows("Keys", "Back")
    terminal.press("Escape", "v")
    terminal.shows("Whoever pays you needs this text")
    terminal.press("Escape", "t")
    terminal.shows("lose_reply", "the connection is cut")
    terminal.press("Escape")
    card(terminal, "1.5", "invoice [red]77")
    shown = terminal.shows("total     1.50010000 TOK", '"invoice [red]77"', BOB, "digest")
    assert "bkyz2-fmaaa-aaaaa-qaaaq-cai" in shown
    time.sleep(0.8)  # nothing can be pressed before the card was up for a moment
    terminal.press("Enter")  # the focus rests on Cancel
    terminal.shows("○ prepared")
    assert [each["state"] for each in terminal.wallet("intents")] == ["prepared"]
    terminal.press("Enter")
    terminal.shows("You have prepared this before")
    confirm(terminal)
    terminal.shows("● success", "✓ settled", "998.49990000 TOK")
    terminal.press("Escape")
    terminal.shows("−1.5001 TOK", "block 2")


def test_a_transfer_in_flight_survives_a_kill_and_settles_when_it_is_reopened(terminal: Terminal) -> None:
    terminal.shows("1,000.00000000")
    terminal.press("t")
    terminal.shows("lose_reply")
    terminal.press("c")  # late: it executes at once, and the answer does not come for 40 s
    terminal.press("Escape")
    card(terminal, "2.5")
    confirm(terminal)
    terminal.shows("◔ sending")
    terminal.kill()
    terminal.ends()
    (left,) = terminal.wallet("intents")
    assert (left["state"], left["moved"]) == ("unknown", None)
    terminal.open()
    terminal.shows("−2.5001 TOK", "Nothing is unsettled")
    (settled,) = terminal.wallet("intents")
    assert (settled["class"], settled["block"]) == ("success", "2")


def test_ctrl_q_closes_it_in_the_middle_of_a_send(terminal: Terminal) -> None:
    terminal.shows("1,000.00000000")
    terminal.press("t")
    terminal.shows("lose_reply")
    terminal.press("c", "Escape")
    card(terminal, "3.5")
    confirm(terminal)
    terminal.shows("◔ sending")
    terminal.press("C-q")
    terminal.ends(10)
    terminal.open()
    terminal.shows("−3.5001 TOK", "Nothing is unsettled")
