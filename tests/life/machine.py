"""A Hypothesis state machine over the real services, store, transport and embedded network, with faults on cue.

Time is the network's: where a wallet pauses, the network's clock goes ahead by as much, so an envelope expires while
somebody waits for it and no test does. After every rule the promises are checked against the blocks that there are.
"""

import asyncio
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.builders import bundled_speakers
from tests.life.fragile import PLACES, READ_S, Died, Fragile, Fuse, Line
from tests.services.conftest import FUNDS, Wallet
from wallet.adapters.host import HostClock
from wallet.adapters.keys import Curve, Key
from wallet.adapters.store import open_store
from wallet.adapters.store.sqlite_store import SqliteStore
from wallet.cli.exits import next_words
from wallet.core.account import Account
from wallet.core.attempt import was_ever_unknown
from wallet.core.errors import BadInput, NetworkFault, Refused, StoreFault
from wallet.core.intent import Intent, Outcome, State
from wallet.core.ledger_time import DedupWindow, LedgerTime
from wallet.core.lifecycle import Done, next_step
from wallet.core.pack import Operation
from wallet.devnet import Devnet, DevnetOptions, serve
from wallet.devnet.settings import LEDGER_ID
from wallet.ports import IdentityEntry, LedgerEntry
from wallet.services.preparing import Prepared, Preparing
from wallet.services.run import Tools
from wallet.services.sending import Sending
from wallet.services.session import as_it_stands

T = TypeVar("T")

BEGIN_NS = 1_800_000_000_000_000_000
DAY_S = 24 * 60 * 60
LATE_S = 2 * READ_S
BOB = Account(Key.generate(Curve.ED25519).principal)
WAITS_S = (1.0, 30.0, 400.0)

Fault = tuple[str, Any, int]

HONEST: tuple[Fault, ...] = (
    *(("lose_reply", None, 1), ("lose_request", None, 1), ("lose_request", None, 30), ("late", LATE_S, 1)),
    *(("delay", 5, 1), ("delay", 100, 1), ("delay", 500, 1), ("busy", None, 1), ("busy", None, 5)),
    *(("reject", code, 1) for code in range(1, 7)),
    *(("reject_uncertified", 2, 2), ("http", 503, 3), ("http", 400, 1), ("lag", 120, 1), ("lag", 30, 1)),
    *(("fee", 20_000, 1), ("fee", 0, 1), ("forget_status", None, 1), ("forget_status", None, 30)),
    *(("done_status", None, 1), ("trap_after_commit", None, 1), ("hide_archive", None, 1), ("funds_first", None, 1)),
    *(("stale_queries", None, 1), ("result", "TooOld", 1), ("result", "Frozen", 1)),
    ("result", {"BadFee": {"expected_fee": 7}}, 1),
    ("result", {"InsufficientFunds": {"balance": 7}}, 1),
    *(("tamper", what, 2) for what in ("signature", "tree", "request_id", "root_key", "time", "garbage", "reply")),
)
SEEN: Counter[str] = Counter()
"""What the examples came to, to see that they come to everything."""

SILENT: tuple[Fault, ...] = tuple(
    each for each in HONEST if each[0] in ("lose_reply", "lose_request", "late", "delay", "forget_status", "http")
)
FORGETFUL: tuple[Fault, ...] = (("no_dedup", None, 1), ("twice", None, 1))
"""Of a ledger that may execute the same bytes twice: then an alarm names the blocks (R27)."""


@dataclass
class Ward:
    """One open wallet under test: its folder, its store, its line to the network, and the fuse of the present run."""

    folder: Path
    store: SqliteStore
    line: Line
    services: Wallet
    fuse: Fuse = field(default_factory=Fuse)

    def intents(self) -> list[Intent]:
        return [as_it_stands(self.store, each) for each in self.store.intents()]


@dataclass
class NetworkClock(HostClock):
    """Whoever pauses moves the network's time ahead, and waits for nothing."""

    devnet: Devnet
    ahead_s: float = 0.0

    def now_s(self) -> float:
        return super().now_s() + self.ahead_s

    async def sleep(self, seconds: float) -> None:
        self.ahead_s += seconds
        self.devnet.network.jump(seconds)
        await asyncio.sleep(0)


Word = Callable[[Wallet, Intent], Awaitable[object]]


async def restamped(wallet: Wallet, intent: Intent) -> None:
    """As `Session.restamp`: the history first, then a new stamp (R23)."""
    wallet.preparing.require_restampable(intent.id)
    looked = await wallet.reconcile(intent, 30.0)
    if looked.outcome.moved is False:
        await wallet.restamp(looked)


async def said_yes(wallet: Wallet, intent: Intent) -> None:
    await wallet.sending.answer(intent.id, executed=True, block=None, report=wallet.progress.append)


async def said_no(wallet: Wallet, intent: Intent) -> None:
    await wallet.sending.answer(intent.id, executed=False, block=None, report=wallet.progress.append)


async def dropped(wallet: Wallet, intent: Intent) -> None:
    wallet.preparing.drop(intent.id)


async def asked(wallet: Wallet, intent: Intent) -> None:
    await wallet.ask(intent)


async def reconciled(wallet: Wallet, intent: Intent) -> None:
    await wallet.reconcile(intent, 30.0)


WORDS: tuple[Word, ...] = (restamped, said_yes, said_no, dropped, asked, reconciled)


class Life(RuleBasedStateMachine):
    """Anything that a person, a network and a power switch may do to one or two wallets."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.runner.get_loop().set_exception_handler(lambda loop, context: None)  # orphans of a run that died
        self.folder = Path(tempfile.mkdtemp(prefix="life-"))
        self.wards: list[Ward] = []
        self.key = Key.generate(Curve.ED25519)
        self.is_forgetful = False
        self.refusals: list[str] = []
        self.doubtful: set[str] = set()  # bytes that more than one store can send

    # --- the stage ---

    @initialize(is_forgetful=st.booleans(), archive_after=st.sampled_from([1000, 3]))
    def begin(self, is_forgetful: bool, archive_after: int) -> None:
        self.is_forgetful = is_forgetful
        options = DevnetOptions(archive_after=archive_after)
        self.devnet = self.run(serve(options, self.folder / "network", lambda: BEGIN_NS))
        self.devnet.fund(Account(self.key.principal), FUNDS)
        self.wards.append(self.run(self.opened(self.folder / "wallet")))

    async def opened(self, folder: Path) -> Ward:
        store = open_store(folder)
        root_key = bytes.fromhex(self.devnet.description()["root_key"])
        line = Line(self.devnet.url, root_key)
        if not store.ledgers(root_key):
            terms = await line.plugged.terms(LEDGER_ID)
            store.put_ledger(LedgerEntry(root_key, "TOK", terms, DedupWindow()))
        clock = NetworkClock(self.devnet)
        ward: Ward
        fragile_store: Any = Fragile(lambda: store, lambda: ward.fuse)
        network: Any = Fragile(lambda: line.now, lambda: ward.fuse)
        services = Wallet(
            store,
            line.plugged,
            self.key,
            IdentityEntry("alice", self.key.principal, "ed25519", True, "file"),
            Preparing(fragile_store, network, clock, bundled_speakers(network), os.urandom),
            Sending(Tools(fragile_store, network, clock, lambda intent: self.key, os.urandom)),
        )
        ward = Ward(folder, store, line, services)
        return ward

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def teardown(self) -> None:
        try:
            if self.wards:
                self.end_well()
        finally:
            for ward in self.wards:
                self.run(self.closed(ward))
            if self.wards:
                self.run(self.devnet.close())
                self.run(asyncio.sleep(0.01))  # the ends of the connections are told to the loop
            self.runner.close()
            shutil.rmtree(self.folder)

    async def closed(self, ward: Ward) -> None:
        ward.store.close()
        await ward.line.close()

    # --- running a command, maybe to its death ---

    def ward(self, which: int) -> Ward:
        return self.wards[which % len(self.wards)]

    def chosen(self, which: int, number: int) -> tuple[Ward, Intent] | None:
        ward = self.ward(which)
        intents = ward.store.intents()  # what is unsettled first
        return (ward, intents[number % len(intents)]) if intents else None

    def command(self, ward: Ward, work: Callable[[Wallet], Awaitable[object]], fuse: Fuse | None = None) -> None:
        """Run it as one process would: refusals are answers, and death leaves nothing but disk and network."""
        ward.fuse = replace(fuse) if fuse is not None else Fuse()

        async def alone() -> None:
            try:
                await work(ward.services)
            except (Refused, BadInput, NetworkFault) as why:
                self.refusals = [*self.refusals[-4:], str(why)]
            except StoreFault as fault:
                if "another wallet" not in str(fault):
                    raise
            finally:
                others = [task for task in asyncio.all_tasks() if "Fragile" in repr(task.get_coro())]
                for task in others:
                    task.cancel()
                await asyncio.gather(*others, return_exceptions=True)

        try:
            self.run(alone())
        except Died:
            SEEN["died"] += 1
        except asyncio.CancelledError:
            SEEN["interrupted"] += 1
        if ward.fuse.is_dead:
            self.reopen_at(self.wards.index(ward))
        ward.fuse = Fuse()

    def reopen_at(self, at: int) -> None:
        ward = self.wards[at]
        self.run(self.closed(ward))
        self.wards[at] = self.run(self.opened(ward.folder))

    # --- rules ---

    which = st.integers(0, 1)
    number = st.integers(0, 3)
    waits = st.sampled_from(WAITS_S)
    amounts = st.sampled_from(["1", "2", "allow 1"])
    troubles = st.lists(st.sampled_from(HONEST), min_size=1, max_size=3)
    fuses = st.builds(
        Fuse,
        st.sampled_from(PLACES),
        st.sampled_from([0, 0, 0, 1]),
        st.booleans(),
        st.sampled_from([False, False, True]),
    )

    @rule(
        which=which,
        amount=st.sampled_from(["1", "1.0", "2", "max", "allow 1", "allow 1.0"]),
        fuse=st.one_of(st.just(Fuse()), fuses),
    )
    def prepare(self, which: int, amount: str, fuse: Fuse) -> None:
        self.command(self.ward(which), lambda wallet: prepared(wallet, amount), fuse)

    @rule(which=which, number=number, wait_s=waits, fuse=st.one_of(st.just(Fuse()), fuses))
    def confirm(self, which: int, number: int, wait_s: float, fuse: Fuse) -> None:
        if (found := self.chosen(which, number)) is not None:
            self.command(found[0], lambda wallet: wallet.confirm(found[1], wait_s), fuse)

    @rule(which=which, amount=amounts, wait_s=waits, faults=troubles)
    def pay_in_trouble(self, which: int, amount: str, wait_s: float, faults: list[Fault]) -> None:
        for fault in faults:
            self.arm(*fault)
        self.command(self.ward(which), lambda wallet: pay(wallet, amount, wait_s))

    @rule(which=which, amount=amounts, wait_s=waits, fuse=fuses, faults=st.lists(st.sampled_from(SILENT), max_size=1))
    def pay_and_die(self, which: int, amount: str, wait_s: float, fuse: Fuse, faults: list[Fault]) -> None:
        for fault in faults:
            self.arm(*fault)
        self.command(self.ward(which), lambda wallet: pay(wallet, amount, wait_s), fuse)

    @rule(which=which, amount=amounts, fault=st.sampled_from(SILENT), seconds=st.sampled_from([0, 150, DAY_S + 1]))
    def lose_a_payment(self, which: int, amount: str, fault: Fault, seconds: int) -> None:
        """Confirmed under a network that says nothing, which is kind again later: its fate is unknown."""
        self.arm(fault[0], fault[1], 30)
        self.command(self.ward(which), lambda wallet: pay(wallet, amount, 1.0))
        self.clear()
        self.devnet.network.jump(seconds)

    @rule(which=which, number=number, wait_s=waits, faults=troubles, seconds=st.sampled_from([0, 150, DAY_S + 1]))
    def go_on_in_trouble(self, which: int, number: int, wait_s: float, faults: list[Fault], seconds: int) -> None:
        if (found := self.chosen(which, number)) is not None:
            self.devnet.network.jump(seconds)
            for fault in faults:
                self.arm(*fault)
            self.command(found[0], lambda wallet: go_on(wallet, found[1], wait_s))

    @rule(which=which, number=number, wait_s=waits, fuse=fuses, seconds=st.sampled_from([0, 150, DAY_S + 1]))
    def go_on_and_die(self, which: int, number: int, wait_s: float, fuse: Fuse, seconds: int) -> None:
        if (found := self.chosen(which, number)) is not None:
            self.devnet.network.jump(seconds)
            self.command(found[0], lambda wallet: go_on(wallet, found[1], wait_s), fuse)

    @rule(which=which, number=number, word=st.sampled_from(WORDS))
    def say(self, which: int, number: int, word: Word) -> None:
        """One of the smaller words of a person."""
        if (found := self.chosen(which, number)) is not None:
            self.command(found[0], lambda wallet: word(wallet, found[1]))

    @rule(fault=st.sampled_from(FORGETFUL))
    def forget(self, fault: Fault) -> None:
        """A call that runs twice comes with a lost reply, or nobody would look twice."""
        if self.is_forgetful:
            self.arm(*fault)
            if fault[0] == "twice":
                self.arm("no_dedup", None, 1)
                self.arm("lose_reply", None, 1)

    def arm(self, name: str, value: object, times: int) -> None:
        self.devnet.network.faults.arm(name, value, times)
        if name == "stale_queries":
            self.devnet.network.freeze_queries()

    @rule()
    def clear(self) -> None:
        self.devnet.network.faults.clear()
        self.devnet.network.thaw_queries()
        for ward in self.wards:
            ward.line.is_plugged = True

    @rule(which=which, event=st.sampled_from(["unplug", "reopen", "trust", "second", "copy"]))
    def happen(self, which: int, event: str) -> None:
        match event:
            case "unplug":
                self.ward(which).line.is_plugged = False
            case "reopen":
                self.reopen_at(which % len(self.wards))
            case "trust":  # as the bundled list does (R19)
                self.ward(which).services.trust_deduplication()
            case "second" if len(self.wards) == 1:
                self.wards.append(self.run(self.opened(self.wards[0].folder)))
            case "copy" if len(self.wards) == 1 and not self.is_forgetful:
                self.restore_a_copy()

    def restore_a_copy(self) -> None:
        """Another wallet on yesterday's backup. Only a ledger that knows a repeat can tell the two apart."""
        SEEN["copies"] += 1
        self.wards[0].store.close()
        shutil.copytree(self.wards[0].folder, self.folder / "copy")
        self.reopen_at(0)
        self.wards.append(self.run(self.opened(self.folder / "copy")))
        self.doubtful |= {each.bytes_sha256 for each in self.wards[1].intents()}

    @rule(amount=amounts, wait_s=waits)
    def race(self, amount: str, wait_s: float) -> None:
        """Both confirm the same at the same time (R31)."""
        if len(self.wards) == 2:
            one, two = (ward.services for ward in self.wards)

            async def both() -> None:
                await asyncio.gather(pay(one, amount, wait_s), pay(two, amount, wait_s), return_exceptions=True)

            self.run(both())

    # --- what must hold ---

    def blocks(self) -> dict[str, list[str]]:
        """The indices of the blocks by the bytes that made them."""
        found: dict[str, list[str]] = {}
        for block in self.devnet.network.ledger.blocks:
            shown = block.as_json()
            found.setdefault(shown["arguments_sha256"], []).append(shown["index"])
        return found

    def stores(self) -> list[Ward]:
        """One wallet for each store there is."""
        return list({ward.folder: ward for ward in self.wards}.values())

    @invariant()
    def promises(self) -> None:
        if not self.wards:
            return
        blocks = self.blocks()
        for ward in self.stores():
            intents = ward.intents()
            for intent in intents:
                check(
                    intent,
                    blocks.get(intent.bytes_sha256, []),
                    is_doubtful=intent.bytes_sha256 in self.doubtful,
                    is_forgetful=self.is_forgetful,
                )
                self.has_next_step(ward, intent)
            keys = [each.lookup_key for each in intents if not each.is_settled or each.asks_for_restamp]
            assert len(keys) == len(set(keys)), "two open intents of one payment"  # R13

    def has_next_step(self, ward: Ward, intent: Intent) -> None:
        if intent.is_settled or intent.dropped:
            return
        now = LedgerTime(self.devnet.network.clock.latest)
        assert not isinstance(next_step(intent, now, dedup_proven=False, by_person=True), Done) or intent.is_settled
        assert next_words(intent, ward.store.intent) is not None

    # --- and in the end ---

    def end_well(self) -> None:
        """With a kind network everything settles, and what is settled is true."""
        self.clear()
        for ward in self.wards:
            ward.fuse = Fuse()
        for at in range(len(self.wards)):
            for _ in range(12):
                open_ones = [each for each in self.wards[at].intents() if is_owed(each)]
                if not open_ones:
                    break
                for intent in open_ones:
                    self.command(self.wards[at], lambda wallet, intent=intent: go_on(wallet, intent, 400.0))  # type: ignore[misc]
                self.devnet.network.jump(150)
            owed = [f"{each.id}: {each.outcome}" for each in self.wards[at].intents() if is_owed(each)]
            assert not owed, f"they do not settle: {owed}, {self.refusals}"
        self.promises()
        for ward in self.stores():
            for intent in ward.intents():
                SEEN["alarm"] += bool(intent.alarms)
                outcome = intent.outcome
                SEEN[f"{intent.state} {outcome.outcome_class} by {outcome.settled_by} moved={outcome.moved}"] += 1


def check(intent: Intent, blocks: list[str], *, is_doubtful: bool, is_forgetful: bool) -> None:
    """The promises about one intent. `is_doubtful`: another store can send its bytes, so what it says is not all;
    `is_forgetful`: the ledger may execute them twice."""
    if blocks and not is_doubtful:
        assert intent.confirmed, f"{intent.id} is in block {blocks[0]} without a confirmation"  # R15
        assert intent.attempts, f"{intent.id} is in block {blocks[0]} and no attempt is stored"  # R29
    assert intent.confirmed == bool(intent.attempts)
    outcome = intent.outcome
    if len(blocks) > 1:
        assert is_forgetful, f"{intent.id} is in blocks {blocks}"
        # Nobody looks twice after a plain answer (R27).
        was_plain = not any(map(was_ever_unknown, intent.attempts))
        is_open = not intent.is_settled or outcome.look_due or outcome.settled_by == "person"
        assert was_plain or is_open or names_all(intent, blocks), f"{intent.id} is in {blocks}, and no alarm says so"
    if intent.is_settled and outcome.settled_by != "person":
        if outcome.moved is True:
            assert blocks, f"{intent.id} is settled as moved, and is in no block"
        elif outcome.moved is False and not is_doubtful and not (is_forgetful and _asks_funds_twice(outcome)):
            assert not blocks, f"{intent.id} is settled as not moved, and is in block {blocks}"


def _asks_funds_twice(outcome: Outcome) -> bool:
    """A call that was run twice, of all that the account held: the answer is that of the second run."""
    return (outcome.case or "").endswith("InsufficientFunds")


def names_all(intent: Intent, blocks: list[str]) -> bool:
    return any(all(index in alarm for index in blocks) for alarm in intent.alarms)


def is_owed(intent: Intent) -> bool:
    if intent.dropped:
        return False
    return intent.outcome.look_due if intent.is_settled else intent.state is not State.PREPARED


async def prepared(wallet: Wallet, amount: str) -> Prepared:
    """Of a payment; "allow 1" allows a spender as much for an hour (ICRC-2)."""
    verb, _, number = amount.rpartition(" ")
    if verb == "allow":
        return await wallet.prepare(number, BOB, operation=Operation.APPROVE, lasts="1h")
    return await wallet.prepare(amount, BOB)


async def pay(wallet: Wallet, amount: str, wait_s: float) -> None:
    """Prepare and confirm in one go."""
    await wallet.confirm((await prepared(wallet, amount)).intent, wait_s)


async def go_on(wallet: Wallet, intent: Intent, wait_s: float) -> None:
    """What the command that the wallet names next would do."""
    match intent.state:
        case State.PREPARED:
            await wallet.confirm(intent, wait_s)
        case State.RETRY_NEW:
            await restamped(wallet, intent)
        case State.RECONCILE | State.ASK:
            await wallet.reconcile(intent, wait_s)
        case State.SETTLED if intent.asks_for_restamp:
            await restamped(wallet, intent)
        case State.SETTLED:
            await wallet.ask(intent)
        case _:
            await wallet.resume(intent, wait_s)
