"""The life of an intent as one transition system: person, wallet, network and ledger, a crash between any two steps.

Whatever may come between two steps of the wallet (a late execution, the passing of time, another word of the person) is
a move of its own. What must hold in every world is in promises.py.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from tests.builders import FEE, NOW
from tests.life.shelf import Shelf
from tests.life.wallet_steps import WalletSteps
from tests.life.world import RAISED_FEE, Move, World, advanced, executed, prepared, with_call
from wallet.core import lifecycle, stamping
from wallet.core.attempt import Unknown, fate
from wallet.core.errors import Refused
from wallet.core.finding import Answered
from wallet.core.intent import Intent, State
from wallet.core.ledger_time import LedgerTime
from wallet.core.outcome import OutcomeClass
from wallet.ports import Store
from wallet.services import preparing, sending
from wallet.services.concluding import conclude

MAX_INTENTS = 2


class Model(WalletSteps):
    """The transitions out of a world."""

    # --- the transitions ---

    def moves(self, world: World) -> Iterator[Move]:
        """Every move that the luck left in this world affords."""
        for move in self._all_moves(world):
            if move.cost <= world.luck and move.world != world:
                yield Move(move.label, move.cost, move.world._replace(luck=world.luck - move.cost))

    def _all_moves(self, world: World) -> Iterator[Move]:
        for i in range(len(world.intents)):
            intent = self.intent(world, i)
            if not intent.dropped:
                for move in self._moves_of(world, i, intent):
                    yield move._replace(label=f"{intent.id}: {move.label}")
        yield from self._prepare(world)
        yield from self._surroundings(world)

    def _moves_of(self, world: World, i: int, intent: Intent) -> Iterator[Move]:
        if intent.state is State.PREPARED:
            yield from self.confirm(world, i)
        elif not intent.is_settled:
            yield from self.go_on(world, i, by_person=False)
            yield from self.go_on(world, i, by_person=True)
        else:
            yield from self.finish(world, i)
        if sending._may_be_looked_for(intent):
            noted = world if intent.is_settled else self.noted(world, i)
            if sending._may_be_looked_for(self.intent(noted, i)):
                yield from self.look(noted, i, "reconcile")
        if intent.state is State.ASK:
            yield from self.answers(world, i)
        yield from self._restamp(world, i)
        yield from self._drop(world, i)

    # --- the person ---

    def answers(self, world: World, i: int) -> Iterator[Move]:
        truth = self.payment_of(world, i) in world.chain
        for executed_ in (truth, not truth):
            label = f"answers {'executed' if executed_ else 'not executed'}"
            yield Move(
                label if executed_ == truth else f"{label}, falsely",
                int(executed_ != truth),
                self.changed(
                    world,
                    i,
                    ("answer", executed_),
                    lambda shelf, said=executed_: conclude(shelf, shelf.held, Answered(said, None)),  # type: ignore
                ),
            )

    def _drop(self, world: World, i: int) -> Iterator[Move]:
        intent = self.intent(world, i)
        if intent.state in (State.PREPARED, State.RETRY_SAME, State.REJECTED, State.RETRY_NEW):
            try:
                dropped = self.changed(world, i, ("drop",), lambda shelf: preparing.drop(cast(Store, shelf), intent.id))
                yield Move("drop", 0, dropped)
            except Refused:
                return

    def _prepare(self, world: World) -> Iterator[Move]:
        """The same payment once more: the open intent, or a new one (R13, R14)."""
        i = next((i for i in range(len(world.intents)) if holds_key(self.intent(world, i))), None)
        if i is None:
            yield from self._minted("prepare anew", world, None)
            return

        def take_up(shelf: Shelf) -> None:
            if shelf.held.dropped:
                shelf.drop(shelf.held, False)
            verdict = lifecycle.weigh(shelf.held, LedgerTime(world.now))
            if verdict.state is State.RETRY_NEW and shelf.held.state is not State.RETRY_NEW:
                shelf.move(shelf.held, verdict)

        found = self.changed(world, i, ("take up", world.now), take_up)
        intent = self.intent(found, i)
        if intent.state is State.PREPARED and intent.card.fee != world.fee:
            yield from self._minted("prepare at the new fee", found, i)
        else:
            yield Move("prepare again", 0, found)

    def _restamp(self, world: World, i: int) -> Iterator[Move]:
        intent = self.intent(world, i)
        if intent.state is State.RETRY_NEW or intent.asks_for_restamp:
            yield from self._minted("restamp", world, i)

    def _minted(self, label: str, world: World, old: int | None) -> Iterator[Move]:
        """A new intent with a stamp of certified time, waited for where it must be later than an earlier one."""
        if len(world.intents) >= MAX_INTENTS:
            return
        before = [self.intent(world, i) for i in range(len(world.intents))]
        counted = [each.stamp for each in before if not (each.outcome.case or "").endswith("CreatedInFuture")]
        last = max(counted, default=None)
        clock = preparing._ledger_clock(None if old is None else before[old], last, LedgerTime(world.now))
        now, stamp = world.now, None
        for now in (world.now, max(world.now, *(each.stamp + 1 for each in before))):
            stamp = stamping.choose_stamp(LedgerTime(now), 0, {each.stamp for each in before}, last, clock)
            if stamp is not None:
                break
        if stamp is None:
            return
        later = advanced(world, now)
        intent = prepared(len(before), stamp, world.fee, world.chain, None if old is None else before[old].id)
        if old is not None:
            later = self.changed(later, old, ("superseded", intent.id), lambda shelf: supersede(shelf, intent.id))
        yield Move(label, int(old is None), later._replace(intents=(*later.intents, self.number(intent))))

    # --- network, ledger and time ---

    def _surroundings(self, world: World) -> Iterator[Move]:
        for call in world.calls:
            if call.phase == "waiting":
                yield Move(f"call {call.intent}.{call.n} starts", 1, with_call(world, call._replace(phase="running")))
            if call.phase in ("waiting", "running"):
                for move in executed(self.setting, world, call):
                    yield move._replace(label=f"call {call.intent}.{call.n} runs: {move.label}")
        for now in self._later_moments(world):
            yield Move(f"time passes to {now - NOW}", 0, advanced(world, now))
        if world.fee == FEE:
            yield Move("the ledger's fee is raised", 1, world._replace(fee=RAISED_FEE))

    def _later_moments(self, world: World) -> list[int]:
        """Just past the ends of what is open: that of an envelope, that of a window."""
        ends: set[int] = set()
        for i in range(len(world.intents)):
            intent = self.intent(world, i)
            if not intent.is_settled:
                ends.add(intent.window_closes)
                ends |= {each.expiry for each in intent.attempts if isinstance(fate(each), Unknown)}
        return sorted(end + 1 for end in ends if end >= world.now)


def holds_key(intent: Intent) -> bool:
    """What the store's unique index says: open, or ended as not executed and not yet stamped anew (R13, R14)."""
    return not intent.is_settled or intent.asks_for_restamp


def supersede(shelf: Shelf, successor: str) -> None:
    outcome = replace(
        shelf.held.outcome,
        state=State.SETTLED,
        outcome_class=OutcomeClass.RETRY_NEW,
        settled_by="restamp",
    )
    shelf.held = replace(shelf.held, outcome=outcome, superseded_by=successor)
