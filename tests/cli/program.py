"""The real program in a process of its own, and the embedded network that another one runs."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAM = (sys.executable, "-m", "wallet")


@dataclass(frozen=True)
class Ran:
    """How one command ended."""

    code: int
    out: str
    err: str
    """Without the notice about the host's clock: another test may have made the network's jump."""
    clock_notice: str = ""

    @property
    def document(self) -> Any:
        return json.loads(self.out)

    @property
    def last_line(self) -> str:
        return self.err.splitlines()[-1]


class Devnet:
    """`wallet devnet`, running, by its first line."""

    def __init__(self, first_line: str) -> None:
        self.description: dict[str, Any] = json.loads(first_line)
        self.url: str = self.description["url"]
        self.ledger: str = self.description["ledger"]

    def arm(self, fault: str, value: object = None, times: int = 1) -> None:
        self._admin("POST", "/faults", {"fault": fault, "value": value, "times": times})

    def clear(self) -> None:
        self._admin("DELETE", "/faults")

    def jump(self, seconds: float) -> None:
        self.arm("clock", seconds)

    def blocks(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._admin("GET", "/blocks")
        return found

    def fund(self, account: str, amount: int) -> None:
        self._admin("POST", "/fund", {"account": account, "amount": str(amount)})

    def _admin(self, verb: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.description["admin"] + path, data, method=verb)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)


@contextmanager
def running_devnet(folder: Path, *options: str) -> Iterator[Devnet]:
    """`wallet devnet` in a process of its own, ended as a service manager ends it."""
    with subprocess.Popen(
        (*PROGRAM, "devnet", *options, "--data-dir", str(folder)),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield Devnet(process.stdout.readline())
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=20) == 0


class Wallet:
    """A wallet's data folder, and the program run on it."""

    def __init__(self, folder: Path, passphrase: Path) -> None:
        self.folder = folder
        self.passphrase = passphrase
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("WALLET_")},
            "WALLET_DATA_DIR": str(folder),
            "WALLET_PASSPHRASE_FILE": str(passphrase),
            "HOME": str(folder.parent),
        }

    def start(self, *words: str, stdin: int = subprocess.DEVNULL) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            (*PROGRAM, *words),
            env=self.environment,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str) -> Ran:
        with self.start(*words) as process:
            out, err = process.communicate(timeout=60)
        lines = err.splitlines(keepends=True)
        notices = [line for line in lines if line.startswith("This machine's clock is ")]
        return Ran(process.returncode, out, "".join(line for line in lines if line not in notices), "".join(notices))

    def json(self, *words: str, code: int = 0) -> Any:
        """The document of a command that is expected to end with this code."""
        ran = self.run(*words, "--json")
        assert ran.code == code, f"{words}: {ran}"
        document = ran.document
        if code in (4, 5, 6):
            assert ran.last_line == document["next"]
        return document

    def go_on(self, command: str, code: int = 0) -> Any:
        """Run a command that the wallet itself named."""
        program, *words = shlex.split(command)
        assert program == "wallet"
        return self.json(*words, code=code)

    def prepare(self, to: str, amount: str = "1.5", *more: str, code: int = 0) -> Any:
        return self.json("prepare", "--ledger", "TOK", "--to", to, "--amount", amount, *more, code=code)

    def confirm(self, intent: Any, *more: str, code: int = 0) -> Any:
        return self.json("confirm", intent["id"], "--digest", intent["digest"], *more, code=code)

    def copy_to(self, folder: Path) -> "Wallet":
        """The same wallet as it is now, on another disk."""
        shutil.copytree(self.folder, folder)
        return Wallet(folder, self.passphrase)

    def account(self, name: str) -> str:
        found: str = self.json("identity", "show", name)["account"]
        return found
