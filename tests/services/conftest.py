"""A wallet as it is - store, services, transport - on an embedded network, with faults on cue and blocks to count."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.builders import bundled_speakers
from wallet.adapters.host import HostClock
from wallet.adapters.ic.network import IcNetwork
from wallet.adapters.keys import Curve, Key
from wallet.adapters.store import open_store
from wallet.core.account import Account, AccountId
from wallet.core.convert import Form
from wallet.core.intent import Intent
from wallet.core.ledger_time import DedupWindow
from wallet.devnet import Devnet, DevnetOptions, serve
from wallet.devnet.settings import LEDGER_ID
from wallet.ports import IdentityEntry, LedgerEntry, Store
from wallet.services.preparing import Prepared, Preparing
from wallet.services.progress import Progress
from wallet.services.run import Tools
from wallet.services.sending import Sending

FUNDS = 100_000_000_000
BOB = Account(Key.generate(Curve.ED25519).principal)
A_DAY_S = 24 * 60 * 60
PAST_THE_ENVELOPE_S = 150
WAIT_S = 6.0


class QuickClock(HostClock):
    """Real time, with the pauses between two tries cut short: what they wait for is the network's clock, not ours."""

    async def sleep(self, seconds: float) -> None:
        await super().sleep(min(seconds, 0.02))


@dataclass
class Wallet:
    """One wallet of one person on one store."""

    store: Store
    network: IcNetwork
    key: Key
    identity: IdentityEntry
    preparing: Preparing
    sending: Sending
    progress: list[Progress] = field(default_factory=list)

    @property
    def ledger(self) -> LedgerEntry:
        return self.store.ledgers(self.network.root_key)[0]

    async def prepare(
        self, amount: str = "1.5", to: Account | AccountId = BOB, ref: str | None = None, **form: Any
    ) -> Prepared:
        return await self.preparing.prepare(Form(to.text, amount, **form), self.ledger, self.identity, ref)

    async def confirm(self, intent: Intent, wait_s: float = WAIT_S) -> Intent:
        return await self.sending.confirm(intent.id, intent.digest, wait_s, self.progress.append)

    async def resume(self, intent: Intent, wait_s: float = WAIT_S) -> Intent:
        return await self.sending.resume(intent.id, wait_s, self.progress.append)

    async def reconcile(self, intent: Intent, wait_s: float = WAIT_S) -> Intent:
        return await self.sending.reconcile(intent.id, wait_s, self.progress.append)

    async def ask(self, intent: Intent) -> Intent:
        return await self.sending.ask(intent.id, self.progress.append)

    async def restamp(self, intent: Intent) -> Intent:
        return await self.preparing.restamp(intent.id, self.ledger)

    def trust_deduplication(self) -> None:
        """As the bundled list does for well-known ledgers (R19)."""
        self.store.put_ledger(replace(self.ledger, dedup_proven=True))

    def found(self, intent: Intent) -> Intent:
        stored = self.store.intent(intent.id)
        assert stored is not None
        return stored


@dataclass
class World:
    """The network, and whoever lives on it."""

    devnet: Devnet
    admin: httpx.AsyncClient
    key: Key
    stack: AsyncExitStack
    folder: Path

    async def wallet(self, name: str = "wallet") -> Wallet:
        """A wallet of the same person on the store of this name."""
        store = open_store(self.folder / name)
        self.stack.callback(store.close)
        network = IcNetwork("devnet", self.devnet.url, bytes.fromhex(self.devnet.description()["root_key"]))
        self.stack.push_async_callback(network.close)
        clock = QuickClock()
        if not store.ledgers(network.root_key):
            terms = await network.terms(LEDGER_ID)
            store.put_ledger(LedgerEntry(network.root_key, "TOK", terms, DedupWindow()))
        return Wallet(
            store,
            network,
            self.key,
            IdentityEntry("alice", self.key.principal, "ed25519", True, "file"),
            Preparing(store, network, clock, bundled_speakers(network), os.urandom),
            Sending(Tools(store, network, clock, lambda intent: self.key, os.urandom)),
        )

    async def fault(self, fault: str, value: Any = None, times: int = 1) -> None:
        answer = await self.admin.post("/faults", json={"fault": fault, "value": value, "times": times})
        assert answer.status_code == 200, answer.text

    async def clear(self) -> None:
        await self.admin.delete("/faults")

    async def payments(self) -> list[dict[str, Any]]:
        """The blocks but those that funded somebody."""
        blocks = (await self.admin.get("/blocks")).json()
        return [block for block in blocks if block["tx"]["op"] != "mint"]


Start = Callable[..., Awaitable[World]]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    async with AsyncExitStack() as stack:

        async def started(**options: Any) -> World:
            devnet = await serve(DevnetOptions(**options), tmp_path / "devnet")
            stack.push_async_callback(devnet.close)
            admin = httpx.AsyncClient(base_url=devnet.description()["admin"], timeout=10)
            stack.push_async_callback(admin.aclose)
            key = Key.generate(Curve.ED25519)
            devnet.fund(Account(key.principal), FUNDS)
            return World(devnet, admin, key, stack, tmp_path)

        yield started


@pytest.fixture
async def world(start: Start) -> World:
    return await start()


@pytest.fixture
async def wallet(world: World) -> Wallet:
    return await world.wallet()
