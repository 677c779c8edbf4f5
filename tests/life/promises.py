"""What must hold in every world: one confirmation, at most one execution, nothing said that is not so, and a way on."""

from collections.abc import Iterator

from tests.life.model import Model, holds_key, supersede
from tests.life.wallet_steps import MAX_ATTEMPTS, MAX_POSTS
from tests.life.world import World, advanced, executed
from wallet.core.finding import Absent, Answered, Found
from wallet.core.intent import State
from wallet.core.lifecycle import Fresh, Need, Repost, Stop


class Promises:
    """Looks at the worlds of one model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._settles: set[tuple[World, int]] = set()

    def violations(self, world: World) -> Iterator[str]:
        """What is wrong with this world."""
        payments = [self._model.payment_of(world, i) for i in range(len(world.intents))]
        if any(block not in payments for block in world.chain):
            yield "R12: a block that is no intent's bytes"
        if sum(holds_key(self._model.intent(world, i)) for i in range(len(world.intents))) > 1:
            yield "R13: two open intents of one identity"
        for i, payment in enumerate(payments):
            for wrong in self._wrong(world, i, world.chain.count(payment)):
                yield f"{self._model.intent(world, i).id}: {wrong}"

    def _wrong(self, world: World, i: int, blocks: int) -> Iterator[str]:
        intent = self._model.intent(world, i)
        outcome = intent.outcome
        said = [finding.executed for finding in intent.findings if isinstance(finding, Answered)]
        if blocks and not intent.confirmed:
            yield "R15: it moved without a confirmation"
        if blocks > 1:
            if self._model.setting.dedups or not self._model.setting.trusted:
                yield "R29: it executed twice"
            elif intent.is_settled and not (intent.alarms or outcome.look_due or said):
                yield "R27: it executed twice, and nobody was told"
        if outcome.moved is False and blocks and False not in said:
            yield f"R24: it moved, and is {outcome.state} as not moved"
        if blocks and intent.superseded_by and False not in said and self._moved(world, intent.superseded_by):
            yield "R23: one decision executed twice, under two stamps"
        if outcome.moved is True and not blocks and True not in said:
            yield f"R24: it did not move, and is {outcome.state} as moved"
        if outcome.moved is True and False in said and not intent.alarms:
            yield "R25: the person's word was overruled without an alarm"
        if intent.is_settled and outcome.settled_by == "person" and any(isinstance(f, Found) for f in intent.findings):
            yield "R25: it was found, and only the person's word is told"
        if outcome.moved is True and not blocks and isinstance(intent.findings[-1], Absent) and not intent.alarms:
            yield "R25: it is proven absent and told as moved, without an alarm"
        is_open = any(call.intent == i and call.phase != "ended" for call in world.calls)
        if is_open and intent.is_settled and outcome.moved is False:
            yield "R25: it is settled as not moved, and may still execute"

    def _moved(self, world: World, intent_id: str) -> bool:
        model = self._model
        return any(
            model.intent(world, i).id == intent_id and model.payment_of(world, i) in world.chain
            for i in range(len(world.intents))
        )

    def is_stuck(self, world: World, i: int) -> bool:
        """Whether a friendly world and an honest person do not bring it to an end (R13: every state has a way on)."""
        path: list[tuple[World, int]] = []
        while True:
            intent = self._model.intent(world, i)
            key = (world._replace(luck=0), i)
            is_over = intent.is_settled and not intent.outcome.look_due
            if is_over or intent.dropped or not intent.confirmed or key in self._settles:
                self._settles.update(path)
                return False
            if key in path:
                return True
            path.append(key)
            onward = self._friendly(world, i)
            if onward is None:
                return True
            world = onward

    def _friendly(self, world: World, i: int) -> World | None:
        for call in world.calls:
            if call.phase != "ended":
                return next(iter(executed(self._model.setting, world, call))).world
        intent = self._model.intent(world, i)
        if intent.state is State.RETRY_NEW:
            # A new stamp settles it. The model mints only so many, so that the offer itself has to do.
            return self._model.changed(world, i, ("superseded", "another"), lambda shelf: supersede(shelf, "another"))
        if intent.is_settled:
            ended = advanced(world, max(each.expiry for each in intent.attempts) + 1)
            return next(self._model.finish(ended, i)).world
        noted = self._model.noted(world, i)
        step = self._model.next_step(noted, i, by_person=True)
        match step:
            case Stop(need=Need.EXPIRY):
                return advanced(noted, max(each.expiry for each in intent.attempts) + 1)
            case Stop(need=Need.HISTORY) if intent.state is State.ASK and self._model.setting.history == "none":
                return next(iter(self._model.answers(noted, i))).world
            case Fresh() if len(intent.attempts) >= MAX_ATTEMPTS:
                return advanced(noted, intent.window_closes + 1)
            case Repost(n=n) if intent.attempts[n - 1].posts >= MAX_POSTS:
                return advanced(noted, intent.attempts[n - 1].expiry + 1)
        return next((move.world for move in self._model.go_on(noted, i, by_person=True)), None) or next(
            (move.world for move in self._model.go_on(noted, i, by_person=False)), None
        )
