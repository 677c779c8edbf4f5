"""The wallet's own part: the order in which run.py takes its steps, with a crash between any two of them.

The steps are the real ones: `weigh` and `next_step` decide, `Journal`, `Reconciling` and `conclude` of the services do,
over a store that holds one intent. What follows without a choice is one move.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.life.library import Library
from tests.life.shelf import History, Shelf, at_once
from tests.life.world import (
    Call,
    Move,
    Payment,
    Seen,
    World,
    blocks_of,
    evidence_of,
    executed,
    known_call,
    seen,
    with_call,
    without_call,
)
from wallet.core import lifecycle
from wallet.core.attempt import Answered, Attempt, NotExecuted, Unknown, fate
from wallet.core.blocks import compare, read_block
from wallet.core.finding import Finding
from wallet.core.intent import Intent, State
from wallet.core.ledger_time import LedgerTime
from wallet.core.lifecycle import AskStatus, Fresh, Need, Repost, Step, Stop
from wallet.services.concluding import conclude
from wallet.services.duplicate import wanted_block
from wallet.services.journal import Journal
from wallet.services.reconciling import Reconciling
from wallet.services.run import ENVELOPE_LIFE_NS, _is_news

MAX_ATTEMPTS = 3
MAX_POSTS = 2


class Broken(Exception):
    """An invariant did not hold in the very act."""


class WalletSteps(Library):
    """What the wallet does by itself."""

    # --- the wallet: run.py ---

    def noted(self, world: World, i: int) -> World:
        """What a command does first: an interruption and a closed window are written down."""

        def note(shelf: Shelf) -> None:
            journal = journal_of(shelf)
            journal.note_interruption()
            if not journal.intent.is_settled:
                journal.note_time(LedgerTime(world.now))

        return self.changed(world, i, ("note", world.now), note)

    def next_step(self, world: World, i: int, *, by_person: bool) -> Step:
        key = ("next", world.intents[i], world.now, world.proven, by_person)
        if key not in self._memo:
            now = LedgerTime(world.now)
            self._memo[key] = lifecycle.next_step(
                self.intent(world, i), now, dedup_proven=world.proven, by_person=by_person
            )
        step = self._memo[key]
        assert isinstance(step, Step)
        return step

    def confirm(self, world: World, i: int) -> Iterator[Move]:
        noted = self.noted(world, i)
        if self.intent(noted, i).state is State.PREPARED:
            yield from self._send_fresh(noted, i, confirmed=True)
        else:
            yield Move("confirm: its window has closed", 0, noted)

    def go_on(self, world: World, i: int, *, by_person: bool) -> Iterator[Move]:
        noted = self.noted(world, i)
        if self.intent(noted, i).is_settled:
            yield Move("note", 0, noted)
            return
        step = self.next_step(noted, i, by_person=by_person)
        if by_person and step == self.next_step(noted, i, by_person=False):
            return
        match step:
            case AskStatus(n=n):
                yield from self._ask(noted, i, n)
            case Repost(n=n):
                yield from self._repost(noted, i, n)
            case Fresh():
                yield from self._send_fresh(noted, i, confirmed=False)
            case Stop(need=Need.HISTORY | Need.RESTAMP):
                yield from self.look(noted, i, "look")
            case _:
                yield Move("note", 0, noted)

    def _send_fresh(self, world: World, i: int, *, confirmed: bool) -> Iterator[Move]:
        intent = self.intent(world, i)
        if len(intent.attempts) >= MAX_ATTEMPTS:
            return
        n = len(intent.attempts) + 1
        expiry = LedgerTime(min(world.now + ENVELOPE_LIFE_NS, intent.window_closes))
        request_id = b"request %d of " % n + intent.id.encode()
        attempt = Attempt(n, request_id, self.sealed(intent), expiry, sent_at=LedgerTime(world.now))
        stored = self.changed(
            world,
            i,
            ("begin", world.now, confirmed),
            lambda shelf: journal_of(shelf).begin(attempt, confirmed=confirmed),
        )
        yield from self.store_and_post("confirm" if confirmed else "fresh", world, stored, i, n)

    def _repost(self, world: World, i: int, n: int) -> Iterator[Move]:
        if self.intent(world, i).attempts[n - 1].posts < MAX_POSTS:
            stored = self.changed(world, i, ("post again", n), lambda shelf: journal_of(shelf).post_again(n))
            yield from self.store_and_post("repost", world, stored, i, n)

    def sealed(self, intent: Intent) -> bytes:
        """The envelope around the argument bytes."""
        return envelope_of((intent.stamp, intent.card.fee))

    def store_and_post(self, label: str, world: World, stored: World, i: int, n: int) -> Iterator[Move]:
        """The attempt is on disk before its first byte is sent (R29), and a crash may come between any two of these."""
        for posted, answer in self.post(stored, i, n):
            yield from self._recorded(f"{label} {n}", posted, i, n, answer)
        for posted, _ in self.post(stored, i, n):
            # Lost, it is a crash before the post. Admitted, the call may run at any moment from here on.
            if posted.label in ("admitted", "lost"):
                yield Move(f"{label} {n}: {posted.label}, and a crash", 1, posted.world)

    def post(self, world: World, i: int, n: int) -> Iterator[tuple[Move, Seen | None]]:
        """The envelope leaves, and gets through or not; with it the certified answer, where there is one at once."""
        intent = self.intent(world, i)
        attempt = intent.attempts[n - 1]
        if not (intent.confirmed and intent.state is State.SENDING and world.now <= intent.window_closes):
            raise Broken(f"bytes of {intent.id} were sent, which is {intent.state}, unconfirmed or too old")
        payment = _payment(attempt.envelope)
        if world.now <= attempt.expiry:
            call = known_call(world, i, n) or Call(i, n, payment, attempt.expiry)
            taken = with_call(world, call)
            if call.phase == "waiting":
                for move in executed(self.setting, taken, call):
                    yield move, _answer_of(known_call(move.world, i, n), world.now)
            yield Move("admitted", 0, taken), _answer_of(call, world.now)
        yield Move("lost", 1, world), None

    def _recorded(self, label: str, posted: Move, i: int, n: int, answer: Seen | None) -> Iterator[Move]:
        """What the wallet writes down of one post."""
        world = posted.world
        if answer is not None:
            yield self._with_evidence(f"{label}: {posted.label}", posted.cost, world, i, n, answer)
        if posted.label == "admitted":
            yield self._with_evidence(f"{label}: accepted", posted.cost, world, i, n, ("accepted", 0, 0))
        if posted.label == "lost":
            yield self._with_evidence(f"{label}: not sent", posted.cost, world, i, n, ("not sent", 0, 0))
        if posted.label in ("admitted", "lost"):
            word = ("one node's word", 2, 0)
            yield self._with_evidence(f"{label}: {posted.label}, {word[0]}", 1, world, i, n, word)

    def _ask(self, world: World, i: int, n: int) -> Iterator[Move]:
        call = known_call(world, i, n)
        expiry = self.intent(world, i).attempts[n - 1].expiry
        answers: list[tuple[int, Seen]] = []
        if call is None:
            answers.append((0, ("absent", 0, world.now)))
        elif call.phase == "ended":
            assert call.result is not None
            answers.append((0, seen(call.result, world.now)))
            words = ("done", "absent") if call.result[0] == "reject" else ("done", "absent", "unreadable")
            answers += [(1, (word, 0, world.now)) for word in words]
        else:
            answers.append((0, ("received" if call.phase == "waiting" else "processing", 0, world.now)))
            if world.now <= expiry:
                answers.append((1, ("absent", 0, world.now)))
        for cost, answer in answers:
            if _is_news(evidence_of(answer), self.intent(world, i).attempts[n - 1]):
                yield self._with_evidence(f"ask {n}: {answer[0]}", cost, world, i, n, answer)

    def _with_evidence(self, label: str, cost: int, world: World, i: int, n: int, what: Seen) -> Move:
        done = self.changed(world, i, ("record", n, what), lambda shelf: journal_of(shelf).record(n, evidence_of(what)))
        intent = self.intent(done, i)
        is_over = intent.is_settled and not intent.outcome.look_due
        if is_over or isinstance(fate(intent.attempts[n - 1]), Answered | NotExecuted):
            done = without_call(done, i, n)  # nothing asks about it any more
        return Move(label, cost, done)

    # --- the wallet: reconciling.py, concluding.py, duplicate.py ---

    def look(self, world: World, i: int, label: str) -> Iterator[Move]:
        if self.setting.history == "none":
            yield Move(label, 0, self._looked(world, i, hidden=False))
            return
        yield Move(label, 0, self._looked(world, i, hidden=False))
        yield Move(f"{label}: an archive is silent", 0, self._looked(world, i, hidden=True))

    def _looked(self, world: World, i: int, *, hidden: bool) -> World:
        def look(shelf: Shelf, reconciling: Reconciling) -> Finding:
            return at_once(reconciling.look(shelf.held, shelf.entry, _nothing))

        return self._concluded(world, i, ("look", world.now, world.chain, hidden), look, hidden=hidden)

    def _looked_again(self, world: World, i: int, *, hidden: bool) -> World:
        def look(shelf: Shelf, reconciling: Reconciling) -> Finding:
            return at_once(reconciling.look_again(shelf.held, shelf.entry, _nothing))

        return self._concluded(world, i, ("look again", world.now, world.chain, hidden), look, hidden=hidden)

    def _concluded(
        self,
        world: World,
        i: int,
        key: tuple[object, ...],
        find: Callable[[Shelf, Reconciling], Finding],
        *,
        hidden: bool = False,
    ) -> World:
        def work(shelf: Shelf) -> None:
            history = History(world.chain, world.now, hidden=hidden)
            finding = find(shelf, Reconciling(shelf, history, None))  # type: ignore[arg-type]
            conclude(shelf, shelf.held, finding)  # type: ignore[arg-type]

        return self.changed(world, i, key, work)

    def finish(self, world: World, i: int) -> Iterator[Move]:
        intent = self.intent(world, i)
        index = intent.outcome.duplicate_of
        if index is not None and intent.duplicate is None:
            for hidden in (False, True):
                yield Move("fetch the duplicate", int(hidden), self._fetched(world, i, index, hidden=hidden))
        if intent.outcome.look_due:
            for attempt in intent.attempts:
                if is_open(attempt):
                    yield from self._ask(world, i, attempt.n)
            yield Move("look again", 0, self._looked_again(world, i, hidden=False))
            if self.setting.history == "silent":
                yield Move("look again: an archive is silent", 0, self._looked_again(world, i, hidden=True))

    def _fetched(self, world: World, i: int, index: int, *, hidden: bool) -> World:
        def fetch(shelf: Shelf) -> None:
            block = None if hidden else read_block(index, blocks_of(world.chain)[0][index])
            differs = (
                () if block is None else [each.field for each in compare(block, wanted_block(shelf.held, shelf.entry))]
            )
            shelf.record_duplicate(shelf.held, block, tuple(differs))
            if block is not None and not differs and not shelf.entry.dedup_broken:
                shelf.put_ledger(replace(shelf.entry, dedup_proven=True))

        return self.changed(world, i, ("fetch", world.chain, hidden), fetch)


def is_open(attempt: Attempt) -> bool:
    end = fate(attempt)
    return isinstance(end, Unknown) and end.ended is None


def journal_of(shelf: Shelf) -> Journal:
    return Journal(shelf, shelf.held, _nothing)  # type: ignore[arg-type]


def _nothing(*_: object) -> None:
    pass


def _answer_of(call: Call | None, now: int) -> Seen | None:
    return None if call is None or call.result is None else seen(call.result, now)


def envelope_of(payment: Payment) -> bytes:
    return b"%d %d" % payment


def _payment(envelope: bytes) -> Payment:
    stamp, fee = envelope.split()
    return (int(stamp), int(fee))
