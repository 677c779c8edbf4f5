"""The program itself: what it imports, the devnet command, identities and networks, a person at a terminal."""

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.program import PROGRAM, Devnet, Wallet

COSTLY = ("textual", "ic", "httpx", "cryptography", "cbor2", "wallet.tui", "wallet.devnet")


@pytest.mark.parametrize("words", [("intents",), ("show", "x"), ("drop", "x"), ("network", "list"), ("ledger", "list")])
def test_looking_at_the_store_loads_nothing_costly(wallet: Wallet, words: tuple[str, ...]) -> None:  # design, section 7
    check = (
        "import sys; from wallet.cli.main import run; "
        f"run({['--data-dir', str(wallet.folder), *words]!r}); "
        f"print([name for name in {COSTLY!r} if name in sys.modules], file=sys.stderr)"
    )
    ran = subprocess.run((sys.executable, "-c", check), capture_output=True, text=True, check=True)
    assert ran.stderr.splitlines()[-1] == "[]"


def test_the_program_is_loaded_without_an_event_loop() -> None:  # design, section 7: a third of the start
    check = "import sys, wallet.cli.main; print('asyncio' in sys.modules)"
    ran = subprocess.run((sys.executable, "-c", check), capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("network", "--help"), ("prepare", "--help")])
def test_help_and_version_are_no_errors(wallet: Wallet, words: tuple[str, ...]) -> None:
    ran = wallet.run(*words)
    assert (ran.code, ran.err) == (0, "")
    assert "wallet" in ran.out


def test_the_log_names_every_exchange_and_no_secret(wallet: Wallet, bob: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    intent = wallet.prepare(bob, "1.5", "--log", str(log))
    done = wallet.confirm(intent, "--log", str(log))
    text = log.read_text()
    assert done["attempts"][0]["request_id"] in text
    assert "/api/v" in text
    assert "correct horse" not in text
    assert log.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_the_devnet_says_what_it_is_funds_and_ends_well(tmp_path: Path, bob: str, stop: int) -> None:
    words = ("devnet", "--data-dir", str(tmp_path), "--fund", f"{bob}=12.5", "--symbol", "ABC", "--window", "90s")
    with subprocess.Popen((*PROGRAM, *words), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        network = Devnet(process.stdout.readline())
        blocks = network.blocks()
        process.send_signal(stop)
        assert process.stdout.read() == ""
        assert process.wait(timeout=20) == 0
    named = {"url", "ledger", "root_key", "symbol", "decimals", "fee", "admin"}
    assert named <= network.description.keys()
    assert (network.description["symbol"], network.description["window_s"]) == ("ABC", 90)
    assert [each["tx"]["amt"] for each in blocks] == ["1250000000"]


def test_a_network_keeps_its_root_key(wallet: Wallet, devnet: Devnet, tmp_path: Path) -> None:
    key = devnet.description["root_key"]
    assert wallet.json("network", "add", "local", devnet.url)["root_key"] == key
    with subprocess.Popen(
        (*PROGRAM, "devnet", "--data-dir", str(tmp_path / "another")),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        other = Devnet(process.stdout.readline())
        assert wallet.json("network", "add", "local", other.url, code=2)["error"]["exit"] == 2
        pinned = {each["name"]: each["root_key"] for each in wallet.json("network", "list")}
        assert pinned["local"] == key
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0


def test_a_key_goes_out_and_comes_back(wallet: Wallet, tmp_path: Path) -> None:
    made = wallet.json("identity", "new", "carol", "--curve", "p256")
    assert (made["curve"], made["backed_up"], made["kept_in"]) == ("p256", False, "file")
    file = tmp_path / "carol.pem"
    assert wallet.json("identity", "export", "carol", "-o", str(file))["backed_up"] is True
    assert b"ENCRYPTED" in file.read_bytes()
    assert file.stat().st_mode & 0o077 == 0
    wallet.json("identity", "export", "carol", "-o", str(file), "--plain", code=2)  # a file there is left alone
    wallet.json("identity", "remove", "carol")
    assert wallet.json("identity", "import", "dora", "--pem", str(file))["principal"] == made["principal"]


def test_a_ledger_that_was_removed_is_refused_until_it_is_added_again(wallet: Wallet, devnet: Devnet, bob: str) -> None:
    intent = wallet.prepare(bob)
    wallet.json("ledger", "remove", "TOK")
    assert wallet.json("ledger", "list") == []
    assert wallet.confirm(intent, code=2)["error"]["exit"] == 2
    added = wallet.json("ledger", "add", devnet.ledger, "--window", "12h", "--name", "play")
    assert (added["name"], added["window_ns"], added["window_assumed"]) == ("play", str(12 * 3600 * 10**9), False)
    assert wallet.confirm(intent)["moved"] is True


class Terminal:
    """The program with a terminal for its standard input."""

    def __init__(self, wallet: Wallet, *words: str) -> None:
        self._master, slave = pty.openpty()
        self.process = wallet.start(*words, stdin=slave)
        os.close(slave)

    def type_after(self, prompt: str, text: str) -> None:
        assert self.process.stderr is not None
        seen = ""
        while prompt not in seen:
            piece = self.process.stderr.read(1)
            assert piece, seen
            seen += piece
        os.write(self._master, text.encode())

    def type_ahead(self, text: str) -> None:
        os.write(self._master, text.encode())

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=30)
        os.close(self._master)
        return self.process.returncode, out, err


@pytest.mark.parametrize(("answer", "code"), [("yes\n", 0), ("y\n", 2), ("no\n", 2), ("\n", 2)])
def test_a_person_confirms_with_the_whole_word(
    wallet: Wallet, devnet: Devnet, bob: str, answer: str, code: int
) -> None:  # R15
    intent = wallet.prepare(bob)
    before = len(devnet.blocks())
    terminal = Terminal(wallet, "confirm", intent["id"])
    terminal.type_after("Type yes to confirm: ", answer)
    ended, out, _ = terminal.end()
    assert ended == code
    assert bob in out
    assert len(devnet.blocks()) == before + (code == 0)
    assert wallet.json("show", intent["id"])["state"] == ("settled" if code == 0 else "prepared")


def test_what_was_typed_ahead_confirms_nothing(wallet: Wallet, bob: str) -> None:  # R15: a paste is no confirmation
    intent = wallet.prepare(bob)
    terminal = Terminal(wallet, "confirm", intent["id"], "--json")
    terminal.type_ahead("yes\n")  # before the card is shown
    terminal.type_after("Type yes to confirm: ", "no\n")
    code, out, _ = terminal.end()
    assert code == 2
    assert json.loads(out)["error"]["exit"] == 2
