"""A running embedded network per test, and a client with a funded account on it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeAlias

import httpx
import pytest

from tests.devnet.client import Client, Person
from wallet.core.account import Account
from wallet.devnet import Devnet, DevnetOptions, serve

FUNDS = 100_000_000
Start: TypeAlias = Callable[..., Awaitable[Devnet]]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Starts networks with the given options; all are closed at the end."""
    async with AsyncExitStack() as stack:

        async def started(**options: Any) -> Devnet:
            devnet = await serve(DevnetOptions(**options), tmp_path / "devnet")
            stack.push_async_callback(devnet.close)
            return devnet

        yield started


@pytest.fixture
async def client(start: Start) -> AsyncIterator[Client]:
    """A funded person on a network with the default options."""
    devnet = await start()
    person = Person()
    devnet.fund(Account(person.principal), FUNDS)
    async with httpx.AsyncClient(base_url=devnet.url, timeout=10) as http:
        yield Client(devnet, person, http)


@pytest.fixture
def nobody(client: Client) -> Client:
    """The anonymous client on the same network."""
    return Client(client.devnet, None, client.http)
