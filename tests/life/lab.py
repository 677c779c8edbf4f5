"""A place for experiments on the real program: `wallet devnet` in a process, one wallet's folder, blocks to count."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import TypeVar

from tests.builders import bundled_speakers
from tests.cli.program import PROGRAM, Devnet, Wallet
from tests.services.conftest import QuickClock
from tests.services.conftest import Wallet as Services
from wallet.adapters.ic.network import IcNetwork
from wallet.adapters.key_files import PemFiles
from wallet.adapters.keys import Curve, Key
from wallet.adapters.store import open_store
from wallet.cli.exits import Exit
from wallet.core.account import Account
from wallet.core.errors import NetworkFault
from wallet.core.intent import Intent, State
from wallet.services.preparing import Preparing
from wallet.services.run import Tools
from wallet.services.sending import Sending
from wallet.services.session import as_it_stands

FUNDS = 10**16
PAST_THE_ENVELOPE_S = 150
PAST_THE_WINDOW_S = 24 * 60 * 60 + 1
UNSETTLED_S = 0.6  # how long an intent that shall stay unknown is waited for

T = TypeVar("T")


class Violation(AssertionError):
    """What must never be: two blocks for one confirmation, a false ending, a lost intent."""


@dataclass
class Lab:
    """The wallet is used in two ways: as the program, and by its services for what is only set up or looked at."""

    devnet: Devnet
    wallet: Wallet
    key: Key
    payee: Account
    program: Callable[[Sequence[str]], int] = field(init=False)

    def __post_init__(self) -> None:
        self._amounts = count(1)
        self.program = lambda words: self.wallet.run(*words).code

    # --- the services, in this process ---

    def with_services(self, work: Callable[[Services], Awaitable[T]]) -> T:
        async def run() -> T:
            with closing(open_store(self.wallet.folder)) as store:
                (identity,) = [each for each in store.identities() if each.principal == self.key.principal]
                network = IcNetwork("local", self.devnet.url, bytes.fromhex(self.devnet.description["root_key"]))
                clock = QuickClock()
                preparing = Preparing(store, network, clock, bundled_speakers(network), os.urandom)
                sending = Sending(Tools(store, network, clock, lambda intent: self.key, os.urandom))
                try:
                    return await work(Services(store, network, self.key, identity, preparing, sending))
                finally:
                    await network.close()

        return asyncio.run(run())

    def next_amount(self) -> str:
        """No two alike, so that each intent is told by its amount."""
        return f"1.{next(self._amounts):08}"

    def prepared(self) -> Intent:
        amount = self.next_amount()

        async def prepare(services: Services) -> Intent:
            return (await services.prepare(amount, self.payee)).intent

        return self.with_services(prepare)

    def unknown(self, fault: str) -> Intent:
        """A confirmed intent of unknown fate, its envelope expired, the network kind again."""
        intent = self.prepared()
        self.devnet.arm(fault, times=100)
        while self.intent(intent.id).state is State.PREPARED:
            with suppress(NetworkFault):  # a busy machine: nothing was sent yet
                self.with_services(lambda services: services.confirm(intent, UNSETTLED_S))
        self.devnet.clear()
        self.devnet.jump(PAST_THE_ENVELOPE_S)
        return self.intent(intent.id)

    def prove_dedup(self, is_proven: bool) -> None:
        async def note(services: Services) -> None:
            services.store.put_ledger(replace(services.ledger, dedup_proven=is_proven))

        self.with_services(note)

    def intent(self, intent_id: str) -> Intent:
        """As a reopened wallet finds it."""
        with closing(open_store(self.wallet.folder)) as store:
            found = store.intent(intent_id)
            if found is None:
                raise Violation(f"{intent_id} is lost")
            return as_it_stands(store, found)

    def chain(self, intent_id: str) -> list[Intent]:
        """The intent and those that superseded it one after the other."""
        found = [self.intent(intent_id)]
        while found[-1].superseded_by is not None:
            found.append(self.intent(found[-1].superseded_by))
        return found

    def of_amount(self, amount: str) -> list[Intent]:
        base = int(amount.replace(".", ""))
        with closing(open_store(self.wallet.folder)) as store:
            return [each for each in store.intents() if each.card.amount == base]

    # --- the program, and the ledger ---

    @contextmanager
    def run_by(self, program: Callable[[Sequence[str]], int]) -> Iterator[None]:
        """Let another way of starting the program settle things: command line in, exit code out."""
        usual, self.program = self.program, program
        try:
            yield
        finally:
            self.program = usual

    def run(self, *words: str) -> int:
        """The exit code of a command of the program."""
        code = self.program(words)
        if code not in set(Exit) - {Exit.DEFECT}:
            raise Violation(f"{' '.join(words)} ended with {code}")
        return code

    def blocks(self) -> dict[str, list[str]]:
        """The indices of the blocks by the bytes that made them."""
        found: dict[str, list[str]] = {}
        for each in self.devnet.blocks():
            found.setdefault(each["arguments_sha256"], []).append(each["index"])
        return found

    def settle(self, intent_id: str) -> Intent:
        """What a person would do: run the command that goes on until nothing is left to do, the network being kind."""
        self.devnet.clear()
        for _ in range(8):
            intent = self.chain(intent_id)[-1]
            if intent.state is State.PREPARED:
                self.run("confirm", intent.id, "--digest", intent.digest)
            elif intent.state is State.RETRY_NEW or intent.asks_for_restamp:
                self.run("restamp", intent.id)
            elif intent.state in (State.RECONCILE, State.ASK):
                self.run("reconcile", intent.id)
            elif not intent.is_settled:
                if self.run("resume", intent.id, "--timeout", "4") == Exit.UNSETTLED:
                    self.devnet.jump(PAST_THE_ENVELOPE_S)
            else:
                return intent
        raise Violation(f"{intent_id} does not settle: {self.chain(intent_id)[-1].state}")

    def check(self, chain: Sequence[Intent], blocks: Mapping[str, Sequence[str]]) -> None:
        """What holds at every moment, for an intent and its successors (R12, R15, R29)."""
        for each in chain:
            found = blocks.get(each.bytes_sha256, ())
            if len(found) > 1:
                raise Violation(f"{each.id} is in blocks {found}")
            if found and not (each.confirmed and each.attempts):
                raise Violation(f"{each.id} is in block {found[0]} and was not stored as sent")
            if each.confirmed != bool(each.attempts):
                raise Violation(f"{each.id}: the confirmation and the first attempt came apart")
            if each.is_settled and each.outcome.moved is not None and each.outcome.moved != bool(found):
                raise Violation(f"{each.id} ended as moved={each.outcome.moved}, blocks {found}")

    def check_end(self, intent_id: str) -> int:
        """One decision of the person, friendly network: one block, and the wallet says so. Returns how many."""
        chain, blocks = self.chain(intent_id), self.blocks()
        self.check(chain, blocks)
        found = [index for each in chain for index in blocks.get(each.bytes_sha256, ())]
        last = chain[-1]
        if len(found) != 1 or not last.outcome.moved or str(last.outcome.block) != found[0] or last.alarms:
            raise Violation(f"{last.id}: blocks {found}, {last.outcome}, alarms {last.alarms}")
        return len(found)


@contextmanager
def laboratory(folder: Path) -> Iterator[Lab]:
    """An embedded network and a wallet with money on it, in processes and folders of their own."""
    with subprocess.Popen(
        (*PROGRAM, "devnet", "--data-dir", str(folder / "network")),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield _furnish(folder, Devnet(process.stdout.readline()))
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=20)


def _furnish(folder: Path, devnet: Devnet) -> Lab:
    passphrase, pem = folder / "passphrase", folder / "alice.pem"
    passphrase.touch(0o600)
    passphrase.write_text("correct horse\n")
    key = Key.generate(Curve.ED25519)
    PemFiles({}, None, lambda text: None).write(pem, key, plain=True, replace=False)
    wallet = Wallet(folder / "data", passphrase)
    wallet.json("network", "add", "local", devnet.url, "--root-key", devnet.description["root_key"])
    wallet.json("identity", "import", "alice", "--pem", str(pem))
    devnet.fund(wallet.account("alice"), FUNDS)
    wallet.json("ledger", "add", devnet.ledger)
    return Lab(devnet, wallet, key, Account(Key.generate(Curve.ED25519).principal))
