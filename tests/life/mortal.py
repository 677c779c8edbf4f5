"""The real program, dying of SIGKILL at the k-th point where it touches disk or network.

`Mortals` starts one process that has loaded the program already, and each run is a fork of it: what is left of a run
is the program's own work. A point is a statement to SQLite that is no SELECT, a file opened, made, locked or removed in
the data folder, or a step of an HTTP exchange; death comes just before it is done, which is just after the one before.
"""

import functools
import json
import os
import signal
import sqlite3
import ssl
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from wallet.core.secret import Secret

STEPS = (
    *("connect_tcp.started", "send_request_headers.started", "send_request_body.started"),
    *("send_request_body.complete", "receive_response_headers.complete", "receive_response_body.complete"),
)
FILES = ("open", "os.mkdir", "os.remove", "os.rename", "os.chmod", "os.truncate", "fcntl.flock")
COMMAND = (sys.executable, "-m", "tests.life.mortal")


@dataclass(frozen=True)
class Died:
    """How one run ended: its exit code (-9 where it was killed) and every point that it came to, by name."""

    code: int
    points: tuple[str, ...]

    @property
    def was_killed(self) -> bool:
        return self.code == -signal.SIGKILL


class Mortals:
    """A process that runs command lines of the program, each in a fork of its own."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._process.communicate(timeout=30)

    def run(self, words: Sequence[str], environment: Mapping[str, str], die_at: int | None = None) -> Died:
        """`die_at` counts from 0; None, or more than there are, lets the run come to its end."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        order = {"words": list(words), "environment": dict(environment), "die_at": die_at}
        print(json.dumps(order), file=self._process.stdin, flush=True)
        answer = json.loads(self._process.stdout.readline())
        return Died(answer["code"], tuple(answer["points"]))


# --- the other side ----------------------------------------------------------------------------------------------


class _Life:
    """Of one forked run: counts the points, and ends at one of them. Before the fork it does nothing."""

    def __init__(self) -> None:
        self.told: int | None = None
        self.die_at: int | None = None
        self.folder = ""
        self._seen = 0

    def point(self, name: str) -> None:
        if self.told is None:
            return
        os.write(self.told, name.encode() + b"\n")
        if self._seen == self.die_at:
            os.kill(os.getpid(), signal.SIGKILL)
        self._seen += 1


_life = _Life()


class _Connection(sqlite3.Connection):
    def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
        if not sql.lstrip().startswith("SELECT"):
            _life.point("store: " + " ".join(sql.split()[:3]))
        return super().execute(sql, *parameters)


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if _life.told is None or event not in FILES:
        return
    if event == "fcntl.flock":
        _life.point("file: lock")
    elif isinstance(arguments[0], str | os.PathLike) and os.fspath(arguments[0]).startswith(_life.folder):
        _life.point(f"file: {event.removeprefix('os.')} {os.path.basename(os.fspath(arguments[0]))}")


def _make_mortal() -> None:
    """Load the program, and put the points into it. What costs time and touches nothing is done once."""
    import httpx

    import wallet.adapters.ic.network
    import wallet.adapters.scrypt
    import wallet.adapters.store.locks
    import wallet.adapters.vault_file
    import wallet.cli.main
    import wallet.services.session

    connect, stream = sqlite3.connect, httpx.AsyncClient.stream

    def mortal_connect(*arguments: Any, **options: Any) -> sqlite3.Connection:
        return connect(*arguments, factory=_Connection, **options)

    def mortal_stream(self: httpx.AsyncClient, verb: str, url: str, **options: Any) -> Any:
        told = options["extensions"]["trace"]
        kind = str(url).rsplit("/", 1)[-1]

        async def trace(event: str, info: dict[str, Any]) -> None:
            step = event.partition(".")[2]
            if step in STEPS:
                _life.point(f"network: {kind} {step}")
            await told(event, info)

        return stream(self, verb, url, **{**options, "extensions": {"trace": trace}})

    setattr(sqlite3, "connect", mortal_connect)  # noqa: B010
    setattr(httpx.AsyncClient, "stream", mortal_stream)  # noqa: B010
    cost = wallet.adapters.scrypt.Cost
    derive = cost.derive

    @functools.cache
    def remembered(self: wallet.adapters.scrypt.Cost, passphrase: bytes, salt: bytes, length: int) -> Secret:
        return derive(self, Secret(passphrase), salt, length)

    def derive_once(self: wallet.adapters.scrypt.Cost, passphrase: Secret, salt: bytes, length: int = 32) -> Secret:
        return remembered(self, passphrase.reveal(), salt, length)

    setattr(cost, "derive", derive_once)  # noqa: B010
    setattr(ssl, "create_default_context", functools.cache(ssl.create_default_context))  # noqa: B010
    sys.addaudithook(_audit)


def _run(order: Mapping[str, Any]) -> dict[str, Any]:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _live(order, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        points = told.read().decode().splitlines()
    _, status = os.waitpid(child, 0)
    return {"code": os.waitstatus_to_exitcode(status), "points": points}


def _live(order: Mapping[str, Any], told: int) -> None:
    from wallet.cli.main import run

    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.environ.clear()
    os.environ.update(order["environment"])
    _life.folder = order["environment"]["WALLET_DATA_DIR"]
    _life.die_at = order["die_at"]
    _life.told = told
    code = 70
    try:
        code = run(order["words"])
        _life.point("shown")
    finally:
        os._exit(code)


def _serve(orders: Iterable[str]) -> None:
    _make_mortal()
    for line in orders:
        order = json.loads(line)
        if "warm" not in _served:
            # The first key to be opened pays for all of them, if it is opened here.
            _served.add("warm")
            _open_keys(order["environment"])
        print(json.dumps(_run(order)), flush=True)  # noqa: T201


_served: set[str] = set()


def _open_keys(environment: Mapping[str, str]) -> None:
    from pathlib import Path

    from wallet.adapters.store import open_store
    from wallet.adapters.vault import open_vault

    folder = Path(environment["WALLET_DATA_DIR"])
    store = open_store(folder)
    try:
        for each in store.identities():
            open_vault(folder, environment, None, print).get(each.principal)
    finally:
        store.close()


if __name__ == "__main__":
    _serve(sys.stdin)
