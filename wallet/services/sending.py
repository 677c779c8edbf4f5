"""Confirm, resume, ask: the ways in which a person sets an intent going, one process at a time (R15, R30, R31)."""

from collections.abc import Awaitable

from wallet.core.errors import BadInput, Refused, StoreFault
from wallet.core.finding import Answered, Found
from wallet.core.intent import Intent, State
from wallet.services.concluding import conclude
from wallet.services.journal import AfterSending, Overtaken
from wallet.services.progress import Report
from wallet.services.run import Run, Tools

RIVAL_S = 0.1
"""Seconds between two looks at an intent that another wallet holds."""

ASK_S = 10.0
"""How long a mere question to the network may take."""


class Sending:
    """Sends confirmed intents of one network, and finds out what became of them."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._store = tools.store

    async def confirm(self, intent_id: str, digest: str | None, wait_s: float, report: Report) -> Intent:
        """The person confirmed the card with this digest: send those very bytes, once (R15).

        An intent that was confirmed before goes on as `resume`. Raises Refused where there is nothing to confirm, and
        BadInput where the digest is another card's.
        """
        intent = self._require(intent_id)
        if intent.state is not State.PREPARED:
            if intent.is_settled or intent.state in (State.RETRY_NEW, State.RECONCILE, State.ASK):
                raise Refused(f"{intent.id} cannot be confirmed: it is {describe_state(intent)}.")
            return await self.resume(intent_id, wait_s, report)
        if not _names(digest, intent):
            raise BadInput("digest", f"this is not the digest of {intent.id}'s card, so nothing was confirmed")
        deadline_s = self._tools.clock.now_s() + wait_s
        while True:
            with self._store.sending_lock(intent_id) as is_ours:
                intent = self._require(intent_id)
                if intent.state is not State.PREPARED:
                    return intent  # someone else was first (R31)
                if is_ours:
                    run = Run(self._tools, intent, wait_s, report)
                    return await _carried(run, run.first())
            # Someone is about to send it, or to fail: what becomes of that is the answer to this confirmation too.
            if self._tools.clock.now_s() > deadline_s:
                raise Refused(f"{intent.id} is being confirmed by another wallet at this moment. Look at it again.")
            await self._tools.clock.sleep(RIVAL_S)

    async def resume(self, intent_id: str, wait_s: float, report: Report) -> Intent:
        """The person's word to go on: status first, then the same bytes where the rules allow it (R19, R22, R30)."""
        intent = self._require(intent_id)
        if intent.state is State.PREPARED:
            raise Refused(f"{intent.id} was never confirmed, so there is nothing to resume.")
        if intent.is_settled:
            return intent
        with self._store.sending_lock(intent_id) as is_ours:
            intent = self._require(intent_id)
            if not is_ours or intent.is_settled:
                return intent
            run = Run(self._tools, intent, wait_s, report)
            return await _carried(run, run.go_on(by_person=True))

    async def ask(self, intent_id: str, report: Report) -> Intent:
        """Only ask the network what became of the intent's attempts, and take the look that is due; nothing is sent
        (R27, R30)."""
        with self._store.sending_lock(intent_id) as is_ours:
            intent = self._require(intent_id)
            if not is_ours or (intent.is_settled and not intent.outcome.look_due):
                return intent
            run = Run(self._tools, intent, ASK_S, report)
            return await _carried(run, run.finish() if intent.is_settled else run.ask_each())

    async def reconcile(self, intent_id: str, wait_s: float, report: Report) -> Intent:
        """Ask about every attempt, then read the ledger's history; nothing is sent (R24, R25)."""
        intent = self._require(intent_id)
        if not _may_be_looked_for(intent):
            raise Refused(f"{intent.id} leaves nothing to look for: it is {describe_state(intent)}.")
        with self._store.sending_lock(intent_id) as is_ours:
            intent = self._require(intent_id)
            if not is_ours or not _may_be_looked_for(intent):
                return intent
            run = Run(self._tools, intent, wait_s, report)
            return await _carried(run, run.reconcile())

    async def answer(self, intent_id: str, *, executed: bool, block: int | None, report: Report) -> Intent:
        """The person's own word, where neither the network nor the history can tell (R25). Recorded as theirs.

        A block they name is fetched by a certified call: if it is the payment, that settles it better than any word.
        """
        intent = self._require(intent_id)
        if intent.state is not State.ASK:
            raise Refused(f"{intent.id} asks you nothing: it is {describe_state(intent)}.")
        with self._store.sending_lock(intent_id) as is_ours:
            intent = self._require(intent_id)
            if not is_ours or intent.state is not State.ASK:
                raise Refused(f"{intent.id} is being looked into by another wallet at this moment.")
            finding: Found | Answered = Answered(executed, block)
            if block is not None:
                finding = await Run(self._tools, intent, ASK_S, report).check_block(block)
            return conclude(self._store, intent, finding)

    def acknowledge(self, intent_id: str) -> Intent:
        """Put the intent's alarms to rest (R35)."""
        intent = self._store.intent(intent_id)
        if intent is None:
            raise BadInput("intent", f"there is no intent {intent_id!r} in this store")
        if not intent.alarms:
            raise Refused(f"{intent.id} has no alarm to acknowledge.")
        stored = self._store.acknowledge(intent)
        if stored is None:
            raise Overtaken(f"{intent.id} was changed by another wallet at this very moment. Look at it again.")
        return stored

    def _require(self, intent_id: str) -> Intent:
        intent = self._store.intent(intent_id)
        if intent is None:
            raise BadInput("intent", f"there is no intent {intent_id!r} in this store")
        if intent.root_key != self._tools.network.root_key:
            raise Refused(f"{intent.id} belongs to the network {intent.network}, not to {self._tools.network.name}.")
        if intent.dropped:
            raise Refused(f"{intent.id} was dropped. Prepare the same payment again to bring it back.")
        return intent


async def _carried(run: Run, work: Awaitable[Intent]) -> Intent:
    """The run's end. Once something of the intent was sent, another wallet's change is a result like any other (R31),
    and a fault of the store says how far it had come. Raises AfterSending then."""
    try:
        return await work
    except Overtaken:
        if not run.intent.attempts:
            raise
        return run.intent
    except StoreFault as fault:
        if not run.intent.attempts:
            raise
        raise AfterSending(fault, run.intent) from fault


def _may_be_looked_for(intent: Intent) -> bool:
    states = (State.UNKNOWN, State.SENDING, State.RETRY_NEW, State.RECONCILE, State.ASK)
    is_word = intent.outcome.settled_by == "person"  # R25: evidence that comes later overrules it
    return intent.state in states or is_word or intent.asks_for_restamp  # R23: before it is paid anew


def describe_state(intent: Intent) -> str:
    """The state in words, for a refusal."""
    if intent.superseded_by is not None:
        return f"superseded, and {intent.superseded_by} took its place"
    if intent.is_settled:
        return f"settled ({intent.outcome.outcome_class})" if intent.outcome.outcome_class else "settled"
    return intent.state.value.replace("_", " ")


def _names(digest: str | None, intent: Intent) -> bool:
    """Whether the digest given is that of the intent's bytes: the card's sixteen digits, or more of them."""
    plain = (digest or "").replace(" ", "").lower()
    return len(plain) >= len(intent.digest) and intent.bytes_sha256.startswith(plain)
