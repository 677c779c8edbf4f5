"""wallet demo: the embedded network, a funded identity and the interface, in a folder of its own.

The demo's keys are encrypted like any others; only the passphrase, drawn at random, lies beside them in the demo's own
folder, so that nobody is asked for one. It guards play money alone: the network exists on this machine only.
"""

from __future__ import annotations

import argparse
import secrets
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from wallet import wiring
from wallet.cli.command import Command
from wallet.cli.context import Context, Result
from wallet.core.account import Account
from wallet.core.errors import Refused, StoreFault
from wallet.core.secret import Secret
from wallet.ports import NetworkEntry, Store

if TYPE_CHECKING:
    from wallet.devnet import Devnet
    from wallet.services.identities import Identities

FOLDER = NETWORK = ME = "demo"
SHOP = "bobs-shop"
_PASSPHRASE = "passphrase"
_TOKENS = {ME: 1_000, SHOP: 50}


@dataclass(frozen=True, slots=True)
class Demo:
    """Everything the interface needs, and the network behind it for whoever wants to play tricks on it."""

    host: wiring.Host
    store: Store
    network: NetworkEntry
    devnet: Devnet


def demo(context: Context, arguments: argparse.Namespace) -> Result:
    if not context.is_terminal:
        raise Refused("The demo needs a terminal. For scripts there is: wallet devnet")
    context.wait(_show(context, fresh=arguments.fresh))
    return Result()


async def _show(context: Context, *, fresh: bool) -> None:
    from wallet.cli.tricks import NetworkTricks
    from wallet.tui.app import WalletApp

    async with (
        open_demo(context.folder / FOLDER, context, fresh=fresh) as ready,
        wiring.open_session(ready.host, ready.store, ready.network, ME) as session,
    ):
        await WalletApp(session, NetworkTricks(ready.devnet)).run_async()


@asynccontextmanager
async def open_demo(folder: Path, context: Context, *, fresh: bool) -> AsyncIterator[Demo]:
    """Start the network on what an earlier run left, or anew, and make what the demo needs where it is missing."""
    from wallet.devnet import DevnetOptions, serve

    folder = wiring.find_folder(folder, {})
    async with AsyncExitStack() as stack:
        # First of all: a second demo stops here, before --fresh takes anything from the first.
        stack.enter_context(_only_one(folder))
        devnet = await serve(DevnetOptions(fresh=fresh), folder / "devnet")
        stack.push_async_callback(devnet.close)
        if fresh:
            _forget(folder)
        host = wiring.Host(folder, _environment(folder), None, context.notify, context.common.timeout_s)
        store = wiring.store_in(folder)
        stack.callback(store.close)
        network = _network(store, devnet)
        _people(wiring.open_identities(host, store), devnet)
        await _ledger(host, store, network, devnet)
        yield Demo(host, store, network, devnet)


@contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    """Freed by the process's death. Raises Refused while another demo runs in the folder."""
    from filelock import FileLock, Timeout

    lock = FileLock(folder / "running.lock", mode=0o600)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise Refused("The demo is already running: go to its terminal, or close it there first.") from None
    try:
        yield
    finally:
        lock.release()


def _forget(folder: Path) -> None:
    """Everything the wallet keeps here, and nothing else that somebody may have put there."""
    for name in ("wallet.db", "wallet.db-wal", "wallet.db-shm", _PASSPHRASE):
        with suppress(FileNotFoundError):
            (folder / name).unlink()
    for name in ("keys", "locks"):
        shutil.rmtree(folder / name, ignore_errors=True)


def _environment(folder: Path) -> dict[str, str]:
    """The passphrase of the demo's own keys: beside them, as the module says."""
    from wallet.adapters.passphrase import VARIABLE
    from wallet.adapters.private_file import write_private

    path = folder / _PASSPHRASE
    with suppress(FileExistsError):
        write_private(path, Secret(secrets.token_urlsafe(24)), replace=False)
    return {VARIABLE: str(path)}


def _network(store: Store, devnet: Devnet) -> NetworkEntry:
    """The same network as last time, by its root key, wherever it listens this time."""
    description = devnet.description()
    entry = NetworkEntry(NETWORK, description["url"], bytes.fromhex(description["root_key"]))
    known = next((each for each in store.networks() if each.name == NETWORK), None)
    if known is not None and known.root_key != entry.root_key:
        raise StoreFault("The demo's network was replaced since the last time. Begin anew: wallet demo --fresh")
    if known is not None:
        store.remove_network(NETWORK)
    store.add_network(entry)
    store.put_setting(wiring.CURRENT_NETWORK, NETWORK)
    return entry


def _people(identities: Identities, devnet: Devnet) -> None:
    """Somebody to pay as, and somebody to pay; each with tokens to begin with."""
    known = {each.name for each in identities.all()}
    unit = 10**devnet.network.options.decimals
    for name, tokens in _TOKENS.items():
        if name not in known:
            devnet.fund(Account(identities.new(name, "ed25519").principal), tokens * unit)
    if identities.current() is None:
        identities.use(ME)


async def _ledger(host: wiring.Host, store: Store, network: NetworkEntry, devnet: Devnet) -> None:
    if store.ledgers(network.root_key):
        return
    async with wiring.open_session(host, store, network, ME) as session:
        terms = await session.ledgers.read_terms(devnet.description()["ledger"])
        # R19's bundled list has the demo's ledger: it is the reference ledger's rules, and they recognise a repeat.
        store.put_ledger(replace(session.ledgers.pin(terms, None, None), dedup_proven=True))


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--fresh", action="store_true", help="begin anew: new keys, a new network, an empty history")


COMMANDS = (
    Command("demo", "try everything on an embedded network, with play money; kept for the next time", demo, _arguments),
)
