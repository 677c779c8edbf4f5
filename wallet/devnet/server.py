"""Starts the embedded network: the state in its folder, the endpoints on loopback, and the timer for delayed calls."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wallet.core.account import Account
from wallet.core.errors import BadInput
from wallet.devnet.admin import PATH, Admin
from wallet.devnet.endpoints import Endpoints
from wallet.devnet.http import HOST, Answer, HttpServer, Request
from wallet.devnet.network import Network
from wallet.devnet.requests import Declined
from wallet.devnet.settings import ARCHIVE_ID, LEDGER_ID, DevnetOptions
from wallet.devnet.state import State


class Devnet:
    """A running embedded network. `network` is for tests that look behind the endpoints, `admin` arms faults."""

    def __init__(self, network: Network, state: State) -> None:
        self.network = network
        self._state = state
        self._endpoints = Endpoints(network)
        self._server = HttpServer(self._answer)
        self.admin = Admin(network, self._server.vanish)
        self._timer: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()

    async def start(self, port: int) -> None:
        try:
            await self._server.start(port)
        except (OSError, OverflowError) as why:
            raise BadInput("port", f"port {port} cannot be listened on: {why}") from None
        self._timer = asyncio.create_task(self._run_delayed())

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self._server.port}"

    def description(self) -> dict[str, Any]:
        """What a wallet or a script needs to use it; amounts are strings of digits."""
        options, network = self.network.options, self.network
        return {
            "url": self.url,
            "ledger": LEDGER_ID.text,
            "root_key": network.keys.root.der.hex(),
            "kind": options.kind,
            "symbol": options.symbol,
            "name": options.name,
            "decimals": options.decimals,
            "fee": str(options.fee),
            "admin": self.url + PATH,
            "archive": ARCHIVE_ID.text,
            "window_s": options.window_s,
            "minting_account": network.ledger.minting.text,
        }

    def fund(self, account: Account, amount: int) -> int:
        """Mint base units to an account; the block's index. Raises BadInput where the ledger cannot count so many."""
        try:
            return self.network.fund(account, amount)
        except Declined:
            raise BadInput("fund", "the ledger cannot count so many tokens") from None

    async def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            await asyncio.gather(self._timer, return_exceptions=True)
        await self._server.close()
        self._state.close()

    async def _answer(self, request: Request) -> Answer:
        if request.path == PATH or request.path.startswith(PATH + "/"):
            answer: Answer = self.admin.answer(request)
        else:
            answer = await self._endpoints.answer(request)
        self._wake.set()
        return answer

    async def _run_delayed(self) -> None:
        """Runs delayed calls when they are due, asked or not."""
        while True:
            wait_s = self.network.next_due_s()
            self._wake.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._wake.wait()
            self.network.now()


async def serve(options: DevnetOptions, folder: Path, host_ns: Callable[[], int] = time.time_ns) -> Devnet:
    """Start the embedded network on what the folder holds.

    Raises StoreFault where the folder cannot be used, BadInput where the port cannot.
    """
    state = State(folder, kind=options.kind, fresh=options.fresh)
    try:
        devnet = Devnet(Network(options, state, host_ns), state)
        await devnet.start(options.port)
    except BaseException:
        state.close()
        raise
    return devnet
