"""Builds the adapters and hands them to the services: the store alone, or a whole session with network and keys."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from wallet.adapters.host import HostClock, data_folder
from wallet.adapters.ic.root_keys import MAINNET_ROOT_KEY, MAINNET_URL
from wallet.adapters.store import open_store
from wallet.core.errors import BadInput, Refused, StoreFault
from wallet.core.ledger_time import SECOND, LedgerTime
from wallet.core.secret import Secret
from wallet.ports import MAINNET, IdentityEntry, Network, NetworkEntry, Signer, Store

if TYPE_CHECKING:
    from wallet.adapters.ic.network_time import NetworkTime
    from wallet.adapters.ic.transport import Limits
    from wallet.core.intent import Intent
    from wallet.core.principal import Principal
    from wallet.ports import KeyFiles
    from wallet.services.identities import Identities
    from wallet.services.session import Session
    from wallet.services.speakers import Speakers

CURRENT_NETWORK = "network"
"""The setting that names the network in use."""

_MAINNET = NetworkEntry(MAINNET, MAINNET_URL, MAINNET_ROOT_KEY)
_KEEP_TIME_EVERY_NS = 30 * SECOND
_CLOCK_OFF_NS = 30 * SECOND
"""A host clock that is off by more than this is named to the person (R33)."""


class Ask(Protocol):
    """The front end's way to ask for a passphrase; with `confirm` it is a new one, and typed twice."""

    def __call__(self, prompt: str, confirm: bool) -> Secret: ...


@dataclass(frozen=True, slots=True)
class Host:
    """The surroundings of one run: where its data is, how a person is asked (None: nobody is there) and told."""

    folder: Path
    environment: Mapping[str, str]
    ask: Ask | None
    notify: Callable[[str], None]
    timeout_s: float = 30.0
    told: set[str] = field(default_factory=set)
    """The notices that a run gives once."""


def find_folder(option: Path | None, environment: Mapping[str, str]) -> Path:
    """The data folder, made and private. Raises StoreFault (R32)."""
    return data_folder(option, environment)


def store_in(folder: Path) -> Store:
    """The store alone: what looking at intents and lists needs. Raises StoreFault (R32)."""
    return open_store(folder)


# --- networks --------------------------------------------------------------------------------------------------------


def networks(store: Store) -> list[NetworkEntry]:
    """Mainnet, which nothing can replace, and what the person added."""
    return [_MAINNET, *store.networks()]


def current_network(store: Store) -> str:
    """The one that was added or chosen last; mainnet where there is none."""
    return store.setting(CURRENT_NETWORK) or MAINNET


def network_named(store: Store, name: str | None) -> NetworkEntry:
    """Raises BadInput where there is none of that name."""
    wanted = name or current_network(store)
    for each in networks(store):
        if each.name == wanted:
            return each
    raise BadInput("network", f"there is no network {wanted!r}; there are: {', '.join(_names(store))}")


def network_of(store: Store, intent: Intent, name: str | None) -> NetworkEntry:
    """The intent's own network, known by its root key. Raises Refused where `name` is another, or where it is gone."""
    if name is not None:
        entry = network_named(store, name)
        if entry.root_key != intent.root_key:
            raise Refused(f"{intent.id} belongs to the network {intent.network}, not to {name}.")
        return entry
    entries = [each for each in networks(store) if each.root_key == intent.root_key]
    if not entries:
        raise Refused(
            f"The network {intent.network} of {intent.id} was removed, or has another root key now. Add it again:"
            f" wallet network add {intent.network} URL"
        )
    return next((each for each in entries if each.name == intent.network), entries[0])


async def fetch_root_key(url: str, timeout_s: float) -> bytes:
    """The root key that an endpoint names as its network's. Raises BadInput, NetworkFault and Untrusted."""
    from wallet.adapters.ic.network import fetch_root_key as fetch

    return await fetch(url, _limits(timeout_s))


# --- identities ------------------------------------------------------------------------------------------------------


def open_identities(host: Host, store: Store) -> Identities:
    """The person's keys. Asks nothing yet: a passphrase or a keyring is met when a key is."""
    from wallet.adapters.vault import open_vault
    from wallet.services.identities import Identities

    vault = open_vault(host.folder, host.environment, host.ask, host.notify)
    return Identities(store, vault, _key_files(host))


def identity_of(store: Store, intent: Intent, name: str | None) -> IdentityEntry:
    """The intent's own sender. Raises Refused where `name` is somebody else, or where the sender is gone."""
    found = [each for each in store.identities() if each.principal == intent.sender]
    if name is not None and name not in [each.name for each in found]:
        raise Refused(f"{intent.id} is a payment of {found[0].name if found else intent.sender}, not of {name}.")
    if not found:
        raise Refused(f"The identity {intent.sender} of {intent.id} is not here any more. Import its key again.")
    return found[0]


# --- a whole session -------------------------------------------------------------------------------------------------


@asynccontextmanager
async def open_session(host: Host, store: Store, network: NetworkEntry, identity: str | None) -> AsyncIterator[Session]:
    """Network, keys and services over an open store. Nothing is asked of the network or of the person yet.

    `identity` is a name, or None for the one in use, where there is one.
    """
    from wallet.adapters.ic.network import IcNetwork
    from wallet.adapters.vault import open_vault
    from wallet.services.allowances import Allowances
    from wallet.services.identities import Identities
    from wallet.services.ledgers import Ledgers
    from wallet.services.preparing import Preparing
    from wallet.services.run import Tools
    from wallet.services.sending import Sending
    from wallet.services.session import Session

    time, keep_time = _remembered_time(store, network.root_key)
    ic = IcNetwork(network.name, network.url, network.root_key, _limits(host.timeout_s), time)
    vault = open_vault(host.folder, host.environment, host.ask, host.notify)
    identities = Identities(store, vault, _key_files(host))
    clock = HostClock()
    signers: dict[Principal, Signer] = {}

    def signer_of(intent: Intent) -> Signer:
        if intent.sender not in signers:
            signers[intent.sender] = vault.get(intent.sender)
        return signers[intent.sender]

    try:
        yield Session(
            store=store,
            network=ic,
            vault=vault,
            clock=clock,
            identity=identities.current() if identity is None else identities.find(identity),
            identities=identities,
            ledgers=Ledgers(store, ic),
            allowances=Allowances(store, ic),
            preparing=Preparing(store, ic, clock, speakers_of(host, ic), os.urandom),
            sending=Sending(Tools(store, ic, clock, signer_of, os.urandom)),
        )
    finally:
        await ic.close()
        with suppress(StoreFault):  # a bookmark: what the command itself could or could not store says more
            keep_time()
        _name_clock_offset(ic.host_clock_offset_ns, host)


def speakers_of(host: Host, network: Network) -> Speakers:
    """A person's own packs and then the bundled ones. Where an own one has errors, BadInput comes with every question:
    a wallet that passed over it would take another's word for what a reply means."""
    from wallet.adapters.packs import pack_files, usable_pack
    from wallet.services.speakers import OfferedPack, Speakers

    def packs() -> list[OfferedPack]:
        return [OfferedPack(usable_pack(each), each.origin == "own") for each in pack_files(host.folder)]

    return Speakers(network, packs)


def _remembered_time(store: Store, root_key: bytes) -> tuple[NetworkTime, Callable[[], None]]:
    """The network's clock: knows the highest certified time of earlier sessions, and keeps it for the next (R33)."""
    from wallet.adapters.ic.network_time import NetworkTime

    class Remembered(NetworkTime):
        highest = kept = LedgerTime(0)

        def observe(self, certified: LedgerTime) -> None:
            super().observe(certified)
            self.highest = max(self.highest, certified)
            if self.highest - self.kept > _KEEP_TIME_EVERY_NS:
                self.keep()

        def keep(self) -> None:
            if self.highest > self.kept:
                store.put_network_time(root_key, self.highest)
                self.kept = self.highest

    time = Remembered()
    seen = store.network_time(root_key)
    if seen is not None:
        time.kept = seen
        time.remember(seen)
    return time, time.keep


def _name_clock_offset(offset_ns: int | None, host: Host) -> None:
    """Once a run, however many networks and identities are looked at."""
    from wallet.services.shown import span

    if offset_ns is not None and abs(offset_ns) > _CLOCK_OFF_NS and "clock" not in host.told:
        where = "ahead of" if offset_ns > 0 else "behind"
        host.told.add("clock")
        host.notify(
            f"This machine's clock is {span(abs(offset_ns))} {where} the network's. The wallet goes by the network's"
            " (stamps and expiries are right), but other programs may not."
        )


def _limits(timeout_s: float) -> Limits:
    from wallet.adapters.ic.transport import Limits

    usual = Limits()
    return Limits(
        min(usual.connect_s, timeout_s),
        min(usual.read_s, timeout_s),
        min(usual.total_s, timeout_s),
    )


def _key_files(host: Host) -> KeyFiles:
    from wallet.adapters.key_files import PemFiles

    return PemFiles(host.environment, host.ask, host.notify)


def _names(store: Store) -> list[str]:
    return [each.name for each in networks(store)]
