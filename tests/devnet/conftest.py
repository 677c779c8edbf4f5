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
Funded: TypeAlias = Callable[..., Awaitable[Client]]


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
async def funded(start: Start) -> AsyncIterator[Funded]:
    """Starts networks with the given options, each with a client whose default account is funded."""
    async with AsyncExitStack() as stack:

        async def started(**options: Any) -> Client:
            devnet = await start(**options)
            person = Person()
            devnet.fund(Account(person.principal), FUNDS)
            http = await stack.enter_async_context(httpx.AsyncClient(base_url=devnet.url, timeout=10))
            return Client(devnet, person, http)

        yield started


@pytest.fixture
async def client(funded: Funded) -> Client:
    """A funded person on a network with the default options."""
    return await funded()


@pytest.fixture
def nobody(client: Client) -> Client:
    """The anonymous client on the same network."""
    return Client(client.devnet, None, client.http)
