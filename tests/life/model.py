"""The life of an intent as one transition system: person, wallet, network and ledger, a crash between any two steps.

The wallet's part is the real one: `weigh` and `next_step` decide, `Journal`, `Reconciling`, `conclude` and `drop` of
the services do, over a store that holds one intent. Written down here is only the order in which run.py, sending.py and
preparing.py take these steps. What follows without a choice is one move; whatever may come between (a crash, a late
execution, the passing of time, another word of the person) is a move of its own.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import cast

from tests.builders import FEE, NOW
from tests.life.shelf import History, Shelf, at_once, ledger_entry
from tests.life.world import (
    RAISED_FEE,
    Call,
    Move,
    Payment,
    Seen,
    Setting,
    World,
    advanced,
    blocks_of,
    evidence_of,
    executed,
    known_call,
    prepared,
    seen,
    with_call,
    without_call,
)
from wallet.core import lifecycle, stamping
from wallet.core.attempt import Answered as AttemptAnswered
from wallet.core.attempt import Attempt, NotExecuted, NotSent, Status, Unknown, fate, was_ever_unknown
from wallet.core.blocks import compare, read_block
from wallet.core.errors import Refused
from wallet.core.finding import Absent, Answered, CannotTell, Finding, Found, LookedAgain
from wallet.core.intent import Intent, State
from wallet.core.ledger_time import LedgerTime
from wallet.core.lifecycle import AskStatus, Fresh, Need, Repost, Step, Stop
from wallet.core.outcome import OutcomeClass
from wallet.ports import Store
from wallet.services import preparing, sending
from wallet.services.concluding import conclude
from wallet.services.duplicate import wanted_transfer
from wallet.services.journal import Journal
from wallet.services.reconciling import Reconciling
from wallet.services.run import ENVELOPE_LIFE_NS, _is_news

MAX_INTENTS = 2
MAX_ATTEMPTS = 3
MAX_POSTS = 2


class Broken(Exception):
    """An invariant did not hold in the very act."""


class Model:
    """The transitions out of a world, and what must hold in each."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self._library: list[Intent] = []
        self._numbers: dict[str, int] = {}
        self._memo: dict[tuple[object, ...], object] = {}
        self._settles: set[tuple[World, int]] = set()

    def start(self, luck: int) -> World:
        """One prepared payment, and a ledger with one block."""
        first = self._number(prepared(0, NOW, FEE, (), None))
        return World(NOW, (first,), (), (), FEE, self.setting.trusted, False, luck)

    def intent(self, world: World, i: int) -> Intent:
        return self._library[world.intents[i]]

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
            yield from self._confirm(world, i)
        elif not intent.is_settled:
            yield from self._go_on(world, i, by_person=False)
            yield from self._go_on(world, i, by_person=True)
        else:
            yield from self._finish(world, i)
        if sending._may_be_looked_for(intent):
            noted = world if intent.is_settled else self._noted(world, i)
            if sending._may_be_looked_for(self.intent(noted, i)):
                yield from self._look(noted, i, "reconcile")
        if intent.state is State.ASK:
            yield from self._answer(world, i)
        yield from self._restamp(world, i)
        yield from self._drop(world, i)

    # --- the wallet: run.py ---

    def _noted(self, world: World, i: int) -> World:
        """What a command does first: an interruption and a closed window are written down."""

        def note(shelf: Shelf) -> None:
            journal = _journal(shelf)
            journal.note_interruption()
            if not journal.intent.is_settled:
                journal.note_time(LedgerTime(world.now))

        return self._changed(world, i, ("note", world.now), note)

    def _next(self, world: World, i: int, *, by_person: bool) -> Step:
        key = ("next", world.intents[i], world.now, world.proven, by_person)
        if key not in self._memo:
            now = LedgerTime(world.now)
            self._memo[key] = lifecycle.next_step(
                self.intent(world, i), now, dedup_proven=world.proven, by_person=by_person
            )
        step = self._memo[key]
        assert isinstance(step, Step)
        return step

    def _confirm(self, world: World, i: int) -> Iterator[Move]:
        noted = self._noted(world, i)
        if self.intent(noted, i).state is State.PREPARED:
            yield from self._send_fresh(noted, i, confirmed=True)
        else:
            yield Move("confirm: its window has closed", 0, noted)

    def _go_on(self, world: World, i: int, *, by_person: bool) -> Iterator[Move]:
        noted = self._noted(world, i)
        if self.intent(noted, i).is_settled:
            yield Move("note", 0, noted)
            return
        step = self._next(noted, i, by_person=by_person)
        if by_person and step == self._next(noted, i, by_person=False):
            return
        match step:
            case AskStatus(n=n):
                yield from self._ask(noted, i, n)
            case Repost(n=n):
                yield from self._repost(noted, i, n)
            case Fresh():
                yield from self._send_fresh(noted, i, confirmed=False)
            case Stop(need=Need.HISTORY | Need.RESTAMP):
                yield from self._look(noted, i, "look")
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
        stored = self._changed(
            world, i, ("begin", world.now, confirmed), lambda shelf: _journal(shelf).begin(attempt, confirmed=confirmed)
        )
        yield from self.store_and_post("confirm" if confirmed else "fresh", world, stored, i, n)

    def _repost(self, world: World, i: int, n: int) -> Iterator[Move]:
        if self.intent(world, i).attempts[n - 1].posts < MAX_POSTS:
            stored = self._changed(world, i, ("post again", n), lambda shelf: _journal(shelf).post_again(n))
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
        done = self._changed(world, i, ("record", n, what), lambda shelf: _journal(shelf).record(n, evidence_of(what)))
        intent = self.intent(done, i)
        is_over = intent.is_settled and not intent.outcome.look_due
        if is_over or isinstance(fate(intent.attempts[n - 1]), AttemptAnswered | NotExecuted):
            done = without_call(done, i, n)  # nothing asks about it any more
        return Move(label, cost, done)

    # --- the wallet: reconciling.py, concluding.py, duplicate.py ---

    def _look(self, world: World, i: int, label: str) -> Iterator[Move]:
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

        return self._changed(world, i, key, work)

    def _finish(self, world: World, i: int) -> Iterator[Move]:
        intent = self.intent(world, i)
        index = intent.outcome.duplicate_of
        if index is not None and intent.duplicate is None:
            for hidden in (False, True):
                yield Move("fetch the duplicate", int(hidden), self._fetched(world, i, index, hidden=hidden))
        if intent.outcome.look_due:
            for attempt in intent.attempts:
                if _is_open(attempt):
                    yield from self._ask(world, i, attempt.n)
            yield Move("look again", 0, self._looked_again(world, i, hidden=False))
            if self.setting.history == "silent":
                yield Move("look again: an archive is silent", 0, self._looked_again(world, i, hidden=True))

    def _fetched(self, world: World, i: int, index: int, *, hidden: bool) -> World:
        def fetch(shelf: Shelf) -> None:
            block = None if hidden else read_block(index, blocks_of(world.chain)[0][index])
            differs = (
                ()
                if block is None
                else [each.field for each in compare(block, wanted_transfer(shelf.held, shelf.entry))]
            )
            shelf.record_duplicate(shelf.held, block, tuple(differs))
            if block is not None and not differs and not shelf.entry.dedup_broken:
                shelf.put_ledger(replace(shelf.entry, dedup_proven=True))

        return self._changed(world, i, ("fetch", world.chain, hidden), fetch)

    # --- the person ---

    def _answer(self, world: World, i: int) -> Iterator[Move]:
        truth = self.payment_of(world, i) in world.chain
        for executed_ in (truth, not truth):
            label = f"answers {'executed' if executed_ else 'not executed'}"
            yield Move(
                label if executed_ == truth else f"{label}, falsely",
                int(executed_ != truth),
                self._changed(
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
                dropped = self._changed(
                    world, i, ("drop",), lambda shelf: preparing.drop(cast(Store, shelf), intent.id)
                )
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

        found = self._changed(world, i, ("take up", world.now), take_up)
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
        clock = preparing._ledger_clock(None if old is None else before[old])
        now, stamp = world.now, None
        for now in (world.now, max(world.now, *(each.stamp + 1 for each in before))):
            stamp = stamping.choose_stamp(
                LedgerTime(now), 0, {each.stamp for each in before}, max(counted, default=None), clock
            )
            if stamp is not None:
                break
        if stamp is None:
            return
        later = advanced(world, now)
        intent = prepared(len(before), stamp, world.fee, world.chain, None if old is None else before[old].id)
        if old is not None:
            later = self._changed(later, old, ("superseded", intent.id), lambda shelf: _supersede(shelf, intent.id))
        yield Move(label, int(old is None), later._replace(intents=(*later.intents, self._number(intent))))

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

    # --- what must hold ---

    def payment_of(self, world: World, i: int) -> Payment:
        intent = self.intent(world, i)
        return (intent.stamp, intent.card.fee)

    def violations(self, world: World) -> Iterator[str]:
        """What is wrong with this world."""
        payments = [self.payment_of(world, i) for i in range(len(world.intents))]
        if any(block not in payments for block in world.chain):
            yield "R12: a block that is no intent's bytes"
        if sum(holds_key(self.intent(world, i)) for i in range(len(world.intents))) > 1:
            yield "R13: two open intents of one identity"
        for i, payment in enumerate(payments):
            for wrong in self._wrong(world, i, world.chain.count(payment)):
                yield f"{self.intent(world, i).id}: {wrong}"

    def _wrong(self, world: World, i: int, blocks: int) -> Iterator[str]:
        intent = self.intent(world, i)
        outcome = intent.outcome
        said = [finding.executed for finding in intent.findings if isinstance(finding, Answered)]
        if blocks and not intent.confirmed:
            yield "R15: it moved without a confirmation"
        if blocks > 1:
            if self.setting.dedups or not self.setting.trusted:
                yield "R29: it executed twice"
            elif intent.is_settled and not (
                intent.alarms or outcome.look_due or _gave_up(intent) or outcome.settled_by == "person"
            ):
                yield "R27: it executed twice, and nobody was told"
        if outcome.moved is False and blocks and False not in said:
            yield f"R24: it moved, and is {outcome.state} as not moved"
        if outcome.moved is True and not blocks and True not in said:
            yield f"R24: it did not move, and is {outcome.state} as moved"
        if outcome.moved is True and False in said and not intent.alarms:
            yield "R25: the person's word was overruled without an alarm"
        is_open = any(call.intent == i and call.phase != "ended" for call in world.calls)
        if is_open and intent.is_settled and outcome.moved is False:
            yield "R25: it is settled as not moved, and may still execute"

    def is_stuck(self, world: World, i: int) -> bool:
        """Whether a friendly world and an honest person do not bring it to an end (R13: every state has a way on)."""
        path: list[tuple[World, int]] = []
        while True:
            intent = self.intent(world, i)
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
                return next(iter(executed(self.setting, world, call))).world
        intent = self.intent(world, i)
        if intent.state is State.RETRY_NEW:
            # A new stamp settles it. The model mints only so many, so that the offer itself has to do.
            return self._changed(world, i, ("superseded", "another"), lambda shelf: _supersede(shelf, "another"))
        if intent.is_settled:
            ended = advanced(world, max(each.expiry for each in intent.attempts) + 1)
            return next(self._finish(ended, i)).world
        noted = self._noted(world, i)
        step = self._next(noted, i, by_person=True)
        match step:
            case Stop(need=Need.EXPIRY):
                return advanced(noted, max(each.expiry for each in intent.attempts) + 1)
            case Stop(need=Need.HISTORY) if intent.state is State.ASK and self.setting.history == "none":
                return next(iter(self._answer(noted, i))).world
            case Fresh() if len(intent.attempts) >= MAX_ATTEMPTS:
                return advanced(noted, intent.window_closes + 1)
            case Repost(n=n) if intent.attempts[n - 1].posts >= MAX_POSTS:
                return advanced(noted, intent.attempts[n - 1].expiry + 1)
        return next((move.world for move in self._go_on(noted, i, by_person=True)), None) or next(
            (move.world for move in self._go_on(noted, i, by_person=False)), None
        )

    # --- small things ---

    def _changed(self, world: World, i: int, key: tuple[object, ...], work: Callable[[Shelf], object]) -> World:
        """The world after some work of the wallet on one intent, remembered by what the work depends on."""
        full = (world.intents[i], world.proven, world.broken, *key)
        if full not in self._memo:
            entry = ledger_entry(has_history=self.setting.history != "none", proven=world.proven, broken=world.broken)
            shelf = Shelf(self.intent(world, i), entry)
            work(shelf)
            self._memo[full] = (self._number(shelf.held), shelf.entry.dedup_proven, shelf.entry.dedup_broken)
        number, proven, broken = cast(tuple[int, bool, bool], self._memo[full])
        intents = (*world.intents[:i], number, *world.intents[i + 1 :])
        return world._replace(intents=intents, proven=proven, broken=broken)

    def _number(self, intent: Intent) -> int:
        key = repr(_essence(intent))
        number = self._numbers.setdefault(key, len(self._library))
        if number == len(self._library):
            self._library.append(intent)
        return number


def holds_key(intent: Intent) -> bool:
    """What the store's unique index says: open, or ended as not executed and not yet stamped anew (R13, R14)."""
    return not intent.is_settled or intent.asks_for_restamp


def _essence(intent: Intent) -> tuple[object, ...]:
    """All that a later step can depend on; intents alike in it are one. Certificates and most times are left out."""
    outcome = intent.outcome
    payload = outcome.payload if (outcome.case or "").endswith("CreatedInFuture") else None
    findings: list[object] = []
    for finding in intent.findings:
        match finding:
            case CannotTell(asks=asks):
                findings.append(("cannot tell", asks, finding is intent.findings[-1]))
            case Found(block=block):
                findings.append(("found", block.index))
            case Absent(covers=covers, settles=settles):
                findings.append(("absent", covers, settles))
            case LookedAgain(blocks=blocks):
                findings.append(("looked again", blocks))
            case Answered(executed=executed_):
                findings.append(("answered", executed_))
    return (
        (intent.id, intent.stamp, intent.card.fee, intent.anchor, intent.supersedes, intent.superseded_by),
        (intent.confirmed, intent.dropped, intent.duplicate is not None, bool(intent.alarms)),
        (outcome.state, outcome.settled_by, outcome.moved, outcome.block, outcome.duplicate_of, outcome.look_due),
        (outcome.outcome_class, outcome.case, payload),
        () if outcome.moved and not outcome.look_due else tuple(map(_attempt_essence, intent.attempts)),
        tuple(dict.fromkeys(findings)),
    )


def _attempt_essence(attempt: Attempt) -> tuple[object, ...]:
    latest = attempt.evidence[-1] if attempt.evidence else None
    end: object = fate(attempt)
    match end:
        case AttemptAnswered(reply=reply):
            end = ("answered", repr(reply.result))
        case NotExecuted(rejection=rejection):
            end = ("rejected", rejection.code)
    return (
        (attempt.n, attempt.expiry, attempt.posts, attempt.envelope, end, was_ever_unknown(attempt)),
        sum(isinstance(each, NotSent) for each in attempt.evidence),
        (latest.word, latest.time > attempt.expiry) if isinstance(latest, Status) else latest is None,
    )


def _is_open(attempt: Attempt) -> bool:
    end = fate(attempt)
    return isinstance(end, Unknown) and end.ended is None


def _gave_up(intent: Intent) -> bool:
    """The second look met a history that nobody could read, and is owed no more (R27)."""
    return isinstance(intent.findings[-1] if intent.findings else None, CannotTell)


def _supersede(shelf: Shelf, successor: str) -> None:
    outcome = replace(
        shelf.held.outcome,
        state=State.SETTLED,
        outcome_class=OutcomeClass.RETRY_NEW,
        settled_by="restamp",
    )
    shelf.held = replace(shelf.held, outcome=outcome, superseded_by=successor)


def _journal(shelf: Shelf) -> Journal:
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
