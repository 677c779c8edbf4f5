"""A whole wallet under the screens: real services on a real store, the network in memory, every clock in our hand."""

import itertools
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.builders import ALICE, BOB, LEDGER, ROOT_KEY, bundled_speakers
from tests.tui.fake_ledger import TERMS, fill
from tests.tui.fake_network import FakeNetwork
from wallet.adapters.store import open_store
from wallet.core.convert import Form
from wallet.core.errors import VaultFault
from wallet.core.intent import Intent
from wallet.core.ledger_time import DedupWindow
from wallet.core.principal import Principal
from wallet.core.secret import Secret
from wallet.ports import IdentityEntry, Key, LedgerEntry, Store
from wallet.services.allowances import Allowances
from wallet.services.identities import CURRENT, Identities
from wallet.services.ledgers import Ledgers
from wallet.services.preparing import Preparing
from wallet.services.run import Tools
from wallet.services.sending import Sending
from wallet.services.session import Session
from wallet.tui.app import WalletApp

BLOCKS_BEFORE = 1203
SIGNER = ALICE.owner


@dataclass
class Clock:
    """Stands still until it is told to go on; a pause between two attempts takes no time at all."""

    seconds: float = 1000.0
    pauses: list[float] = field(default_factory=list)

    def now_s(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)


class FakeKey:
    """A key that signs nothing: the network in memory believes who it says it is."""

    principal = SIGNER
    public_key_der = b"public"
    curve = "ed25519"

    def sign(self, message: bytes) -> bytes:
        return b"signature"

    def pkcs8(self) -> Secret:
        return Secret(b"key")


@dataclass
class Vault:
    """Keys behind a passphrase, if there is one."""

    passphrase: Secret | None = None
    kind: str = "file"
    is_open: bool = False

    def put(self, principal: Principal, secret: Secret) -> None:
        raise NotImplementedError

    def get(self, principal: Principal) -> Key:
        if self.needs_passphrase(principal):
            raise VaultFault("The keys are locked.")
        return FakeKey()

    def remove(self, principal: Principal) -> None:
        raise NotImplementedError

    def needs_passphrase(self, principal: Principal) -> bool:
        return self.passphrase is not None and not self.is_open

    def unlock(self, passphrase: Secret) -> None:
        if passphrase != self.passphrase:
            raise VaultFault("This passphrase does not open the key file. Nothing was changed; try again.")
        self.is_open = True


@dataclass
class World:
    """The store on disk, the network and the clocks, which outlive every app that is opened on them."""

    folder: Path
    network: FakeNetwork
    clock: Clock = field(default_factory=Clock)
    vault: Vault = field(default_factory=Vault)
    stores: list[Store] = field(default_factory=list)
    _random: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def store(self) -> Store:
        return self.stores[-1]

    def random_bytes(self, count: int) -> bytes:
        """The same ones in every run, and no two alike."""
        return (next(self._random) * 0x9E3779B97F4A7C15 % 2**64).to_bytes(8, "big").ljust(count, b"\0")[:count]

    def session(self, *, identity: bool = True) -> Session:
        """The wallet opened, or opened once more, as another process would."""
        store = open_store(self.folder)
        self.stores.append(store)
        identities = Identities(store, self.vault, NoFiles())
        return Session(
            store=store,
            network=self.network,
            vault=self.vault,
            clock=self.clock,
            identity=identities.current(),
            identities=identities,
            ledgers=Ledgers(store, self.network),
            allowances=Allowances(store, self.network),
            preparing=Preparing(store, self.network, self.clock, bundled_speakers(self.network), self.random_bytes),
            sending=Sending(
                Tools(store, self.network, self.clock, lambda intent: self.vault.get(intent.sender), self.random_bytes)
            ),
        )

    def app(self) -> WalletApp:
        return WalletApp(self.session())

    def settle_in(self, **terms: object) -> None:
        """An identity, and the one ledger there is."""
        with_store = open_store(self.folder)
        with_store.put_identity(IdentityEntry("alice", SIGNER, "ed25519", True, "file"))
        with_store.put_setting(CURRENT, "alice")
        entry = LedgerEntry(ROOT_KEY, "TOK", replace(TERMS, **terms), DedupWindow(), dedup_proven=True)  # type: ignore[arg-type]
        with_store.put_ledger(entry)
        with_store.close()

    async def prepared(self, session: Session, amount: str = "1.5", **form: Any) -> Intent:
        assert session.identity is not None
        made = Form(form.pop("to", BOB.text), amount, **form)
        return (await session.preparing.prepare(made, session.ledgers.find(str(LEDGER)), session.identity)).intent

    def found(self, intent: Intent) -> Intent:
        stored = self.store.intent(intent.id)
        assert stored is not None
        return stored


class NoFiles:
    """Keys are neither made nor read here."""

    def generate(self, curve: str) -> Key:
        raise NotImplementedError

    def read(self, path: Path) -> Key:
        raise NotImplementedError

    def write(self, path: Path, key: Key, *, plain: bool, replace: bool) -> None:
        raise NotImplementedError


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    if hasattr(time, "tzset"):
        time.tzset()
    yield
    monkeypatch.undo()
    if hasattr(time, "tzset"):
        time.tzset()


@pytest.fixture
def empty_world(tmp_path: Path) -> Iterator[World]:
    network = FakeNetwork()
    fill(network, BLOCKS_BEFORE)
    world = World(tmp_path, network)
    yield world
    for store in world.stores:
        store.close()


@pytest.fixture
def world(empty_world: World) -> World:
    os.makedirs(empty_world.folder, exist_ok=True)
    empty_world.settle_in()
    return empty_world


async def until(pilot: Pilot[None], holds: Callable[[], object], seconds: float = 15.0) -> None:
    """Wait for a claim to come true. What is waited for is the screen's next refresh, never a time."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come true"
        await pilot.pause(0.01)
