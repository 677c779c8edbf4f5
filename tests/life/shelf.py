"""What the wallet's own services work with here: a store of one intent, and a ledger whose blocks can be read."""

from collections.abc import Coroutine, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, TypeVar

from tests.builders import ALICE, LEDGER, ROOT_KEY
from tests.life.world import WINDOW, Payment, blocks_of, tip_of
from wallet.core.account import Account
from wallet.core.attempt import Attempt, Evidence
from wallet.core.blocks import LedgerBlock, read_block
from wallet.core.finding import Finding
from wallet.core.history import Reading
from wallet.core.intent import Duplicate, Intent, Outcome, State
from wallet.core.ledger_time import LedgerTime
from wallet.core.lifecycle import overrules
from wallet.core.principal import Principal
from wallet.core.tip import Tip
from wallet.ports import LedgerEntry, LedgerTerms, Stretch

T = TypeVar("T")

MINTER = Account(Principal(b"\x01minter"))
assert MINTER not in (ALICE,)


def ledger_entry(*, has_history: bool, proven: bool, broken: bool) -> LedgerEntry:
    standards = ("ICRC-1", "ICRC-3") if has_history else ("ICRC-1",)
    terms = LedgerTerms(LEDGER, "Test Token", "TST", 8, 10_000, MINTER, standards)
    return LedgerEntry(ROOT_KEY, "Test Token", terms, WINDOW, proven, broken)


def at_once(work: Coroutine[Any, Any, T]) -> T:
    """The result of work that never waits."""
    try:
        work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    raise AssertionError("it waited")


class Shelf:
    """The moves of the `Store` contract that change one intent; wallet/adapters/store/moves.py has the real ones."""

    def __init__(self, intent: Intent, entry: LedgerEntry) -> None:
        self.held = intent
        self.entry = entry

    def intent(self, intent_id: str) -> Intent:
        assert intent_id == self.held.id
        return self.held

    def begin_attempt(self, intent: Intent, attempt: Attempt, *, confirmed: bool) -> Intent | None:
        if not (confirmed or intent.confirmed):
            raise ValueError("nothing is sent without a confirmation")
        if intent.is_settled or intent.dropped:
            return None
        return self._keep(
            intent, confirmed=True, attempts=(*intent.attempts, attempt), outcome=Outcome(State.SENDING, moved=None)
        )

    def record_post(self, intent: Intent, n: int) -> Intent | None:
        if intent.is_settled or intent.dropped:
            return None
        attempts = tuple(replace(each, posts=each.posts + 1) if each.n == n else each for each in intent.attempts)
        return self._keep(intent, attempts=attempts, outcome=Outcome(State.SENDING, moved=None))

    def record(self, intent: Intent, n: int, evidence: Evidence, verdict: Outcome) -> Intent:
        attempts = tuple(
            replace(each, evidence=(*each.evidence, evidence)) if each.n == n else each for each in intent.attempts
        )
        is_alarm = intent.outcome.moved is False and overrules(intent, verdict)
        alarms = (*intent.alarms, "executed after all") if is_alarm else intent.alarms
        return self._keep(intent, attempts=attempts, alarms=alarms, outcome=self._follow(intent, verdict))

    def move(self, intent: Intent, verdict: Outcome) -> Intent | None:
        return None if intent.is_settled else self._keep(intent, outcome=verdict)

    def record_finding(self, intent: Intent, finding: Finding, verdict: Outcome, alarm: str | None) -> Intent:
        outcome = self._follow(intent, verdict)
        if outcome is intent.outcome:
            outcome = replace(outcome, look_due=outcome.look_due and verdict.look_due)
        alarms = intent.alarms if alarm is None else (*intent.alarms, alarm)
        return self._keep(intent, findings=(*intent.findings, finding), alarms=alarms, outcome=outcome)

    def record_duplicate(self, intent: Intent, block: LedgerBlock | None, differs: Sequence[str]) -> Intent:
        alarms = (*intent.alarms, "differs") if differs else intent.alarms
        return self._keep(intent, duplicate=Duplicate(block, tuple(differs)), alarms=alarms)

    def drop(self, intent: Intent, dropped: bool) -> Intent | None:
        return None if intent.is_settled else self._keep(intent, dropped=dropped)

    def is_being_sent(self, intent_id: str) -> bool:
        return False

    def sending_lock(self, intent_id: str) -> nullcontext[bool]:
        return nullcontext(True)

    def ledgers(self, root_key: bytes) -> list[LedgerEntry]:
        return [self.entry]

    def put_ledger(self, entry: LedgerEntry) -> None:
        self.entry = entry

    def setting(self, key: str) -> str | None:
        """No names were kept: the pack has all that the exploration's ledger says."""
        return None

    def put_setting(self, key: str, value: str) -> None:
        """What outlives the removal of a ledger; here none is ever removed."""

    def reading(self, intent_id: str) -> Reading | None:
        return None

    def keep_reading(self, intent_id: str, reading: Reading | None) -> None:
        pass

    def _keep(self, intent: Intent, **changes: Any) -> Intent:
        assert intent is self.held
        self.held = replace(intent, **changes)
        return self.held

    def _follow(self, intent: Intent, verdict: Outcome) -> Outcome:
        return verdict if not intent.is_settled or overrules(intent, verdict) else intent.outcome


class History:
    """The reading half of the `Network` contract, over one chain; `hidden`: an archive that does not answer."""

    def __init__(self, chain: tuple[Payment, ...], now: int, *, hidden: bool) -> None:
        self._blocks = dict(enumerate(blocks_of(chain)[0]))
        self._tip = tip_of(chain)
        self._now = LedgerTime(now)
        self._hidden = hidden

    async def time(self, canister: Principal) -> LedgerTime:
        return self._now

    async def tip(self, ledger: Principal) -> tuple[Tip, LedgerTime]:
        return self._tip, self._now

    async def blocks(self, ledger: Principal, start: int, length: int, *, certified: bool) -> Stretch:
        asked = {} if self._hidden else {n: self._blocks[n] for n in range(start, start + length) if n in self._blocks}
        return Stretch(len(self._blocks), asked, ("the archive does not answer",) if self._hidden else ())

    async def block(self, ledger: Principal, index: int) -> LedgerBlock | None:
        return None if self._hidden or index not in self._blocks else read_block(index, self._blocks[index])
