"""A form becomes an intent and the card that shows it: one stamp, one encoding, stored before it is shown (part B)."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from wallet.core.amount import Base
from wallet.core.arguments import arguments_of, check_fits, nested, read_back, says, takes_number_memo, unit_of
from wallet.core.attempt import Reply
from wallet.core.convert import Form, Payment, amount_of, check_minter, fee_of, read_form, with_number_memo
from wallet.core.errors import BadInput, NetworkFault, Refused, Taken
from wallet.core.intent import Card, Intent, State, lookup_key
from wallet.core.intent_name import name_intent
from wallet.core.ledger_time import SECOND, LedgerTime
from wallet.core.lifecycle import weigh
from wallet.core.pack import Pack
from wallet.core.principal import Principal
from wallet.core.stamping import choose_stamp
from wallet.core.value import Value
from wallet.ports import MAINNET, Clock, IdentityEntry, LedgerEntry, Network, Store
from wallet.services.naming import keep_names
from wallet.services.quoting import Quote, fee_by, quote
from wallet.services.speakers import Speaker, Speakers, what_to_know
from wallet.services.warnings import payments_alike, warnings_for

MINT_TRIES = 60
"""Looks at certified time, half a second apart, for a stamp later than an earlier one of the same payment (R14)."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """An intent ready for its card. `existing`: it was prepared before and is unchanged (R13)."""

    intent: Intent
    existing: bool


@dataclass(frozen=True, slots=True)
class _Plan:
    """Everything a new intent is made of but its stamp and its name."""

    ledger: LedgerEntry
    speaker: Speaker
    sender: Principal
    payment: Payment
    amount: Base
    fee: Base
    quote: Quote
    ref: str | None
    supersede: Intent | None

    def takes_up(self, rival: Intent) -> bool:
        """Whether an open intent of this payment that is there already is what was asked for: of a re-stamp only what
        another wallet made of the very same one (R23)."""
        old = self.supersede
        if old is None or old.state is State.PREPARED:
            return old is None or rival.id != old.id
        return rival.supersedes == old.id


class Preparing:
    """Prepares, re-stamps and drops intents on one network."""

    def __init__(
        self, store: Store, network: Network, clock: Clock, speakers: Speakers, random_bytes: Callable[[int], bytes]
    ) -> None:
        self._store = store
        self._network = network
        self._clock = clock
        self._speakers = speakers
        self._random_bytes = random_bytes

    async def prepare(
        self, form: Form, ledger: LedgerEntry, identity: IdentityEntry, ref: str | None = None
    ) -> Prepared:
        """The intent of this form: the one that is open already, or a new one (R13).

        Raises BadInput for what cannot be right, Refused where the ledger's terms changed (R34) or the key is not
        backed up, NetworkFault where the network cannot be reached.
        """
        sender = identity.principal
        if self._network.name == MAINNET and not identity.backed_up:
            raise Refused(
                f"The key of {identity.name} is not backed up, and it is about to hold real money. "
                f"Export it first: wallet identity export {identity.name} -o FILE"
            )
        payment = read_form(form, sender, ledger.terms.decimals, ledger.terms.max_memo_bytes)
        check_minter(payment, ledger.terms.minting_account)
        owner = None if ref is None else self._store.intent_by_ref(ref)
        if owner is not None:
            return Prepared(self._same_as(owner, payment, form, ledger, sender), existing=True)
        speaker, quoted = await asyncio.gather(
            self._speakers.find(ledger, payment.operation, payment.recipient), quote(self._network, ledger, payment)
        )
        if takes_number_memo(speaker.pack, speaker.method):
            payment = with_number_memo(payment, form)
        check_fits(speaker.pack, speaker.method, payment)
        fee = fee_of(payment, await fee_by(self._network, ledger, speaker, quoted), ledger.terms.minting_account)
        amount = amount_of(payment, fee, quoted.available)
        existing = self._store.open_intent(self._key(payment, amount, ledger, sender, speaker.pack, speaker.method))
        if existing is not None:
            existing = self._take_up(existing, ref, quoted.now)
            if existing.state is not State.PREPARED or existing.card.fee == fee:
                return Prepared(existing, existing=True)
        # An existing one that comes this far was never attempted, and the ledger's fee has changed since (R13).
        return await self._mint(_Plan(ledger, speaker, sender, payment, amount, fee, quoted, ref, supersede=existing))

    def require_restampable(self, intent_id: str) -> Intent:
        """The intent, if its stamp is of no more use. Raises Refused if it is not so."""
        intent = _require(self._store, intent_id)
        if intent.dropped:
            raise Refused(f"{intent.id} was dropped. Prepare the same payment again to bring it back.")
        if intent.state is not State.RETRY_NEW and not intent.asks_for_restamp:
            raise Refused(f"{intent.id} needs no new stamp: it is {intent.state.value.replace('_', ' ')}.")
        return intent

    async def restamp(self, intent_id: str, ledger: LedgerEntry) -> Intent:
        """The successor of an intent whose stamp is of no more use: converted anew, to be confirmed anew (R23)."""
        old = self.require_restampable(intent_id)
        payment = old.payment
        speaker, quoted = await asyncio.gather(
            self._speakers.find(ledger, payment.operation, payment.recipient, old.method),
            quote(self._network, ledger, payment),
        )
        check_fits(speaker.pack, speaker.method, payment)
        if takes_number_memo(speaker.pack, speaker.method) is not old.card.memo_is_number and payment.memo is not None:
            raise BadInput("memo", f"the pack {speaker.pack.name} writes a memo otherwise than {old.id} has it")
        fee = fee_of(payment, await fee_by(self._network, ledger, speaker, quoted), ledger.terms.minting_account)
        plan = _Plan(ledger, speaker, old.sender, payment, old.card.amount, fee, quoted, old.ref, supersede=old)
        return (await self._mint(plan)).intent

    def drop(self, intent_id: str) -> Intent:
        return drop(self._store, intent_id)

    # --- what is there already ---

    def _same_as(self, owner: Intent, payment: Payment, form: Form, ledger: LedgerEntry, sender: Principal) -> Intent:
        """The owner of a reference, if it is this very payment; a reference belongs to one for ever (R36)."""
        amount = payment.amount if payment.amount is not None else owner.card.amount
        is_same = payment.operation is owner.card.operation and (payment.amount is None) == owner.amount_is_max
        if is_same:
            if owner.card.memo_is_number:
                payment = with_number_memo(payment, form)
            is_same = self._key(payment, amount, ledger, sender, owner.pack, owner.method) == owner.lookup_key
        if not is_same:
            raise BadInput("ref", f"the reference {owner.ref!r} belongs to {owner.id}, which is another payment")
        if not owner.dropped:
            return owner
        return _stored(self._store.drop(owner, False), owner.id)

    def _take_up(self, intent: Intent, ref: str | None, now: LedgerTime) -> Intent:
        """The open intent of this payment: brought back if it was dropped, its closed window noticed (R13, R14)."""
        if ref is not None and intent.ref is None:
            intent = _stored(self._store.attach_ref(intent, ref), intent.id)
        elif ref is not None and ref != intent.ref:
            raise BadInput(
                "ref", f"an equal payment is open already as {intent.id}, under the reference {intent.ref!r}"
            )
        if intent.dropped:
            intent = _stored(self._store.drop(intent, False), intent.id)
        verdict = weigh(intent, now)
        if verdict.state is State.RETRY_NEW and intent.state is not State.RETRY_NEW:
            intent = _stored(self._store.move(intent, verdict), intent.id)
        return intent

    # --- a new one ---

    async def _mint(self, plan: _Plan) -> Prepared:
        """Stamp, encode once, store. Where another wallet was first with the same payment, theirs is the one (R13)."""
        pack, method = plan.speaker.pack, plan.speaker.method
        key = self._key(plan.payment, plan.amount, plan.ledger, plan.sender, pack, method)
        stamped = pack.stamp(method)
        unit_ns = 1 if stamped is None else unit_of(pack, method, stamped.field)
        now, a_while = plan.quote.now, 2 * max(SECOND, unit_ns)
        for tries in range(MINT_TRIES):
            last = self._store.last_stamp(key)
            stamp = choose_stamp(
                now,
                int.from_bytes(self._random_bytes(8), "big") % SECOND,
                self._store.stamps_of_sender(self._network.root_key, plan.sender, LedgerTime(now - a_while)),
                last,
                _ledger_clock(plan.supersede, last, now),
                unit_ns,
            )
            if stamp is not None:
                intent = self._build(plan, stamp, now, tries)
                try:
                    added = self._store.add(intent, plan.supersede)
                except Taken:
                    continue  # its name or its stamp: another wallet minted in this very moment
                if added is not None:
                    return Prepared(added, existing=False)
                rival = self._store.open_intent(key)
                if rival is not None and plan.takes_up(rival):
                    return Prepared(self._take_up(rival, plan.ref, now), existing=True)
                raise Refused(
                    "This payment was changed by another wallet at this very moment. Look at it and try again."
                )
            await self._clock.sleep(0.5)
            now = await self._network.time(plan.ledger.terms.canister)
        raise NetworkFault(
            "The ledger's clock does not move past the last stamp of this payment. Try again in a minute."
        )

    def _build(self, plan: _Plan, stamp: LedgerTime, now: LedgerTime, tries: int) -> Intent:
        terms = plan.ledger.terms
        pack, method, payment = plan.speaker.pack, plan.speaker.method, plan.payment
        arguments = arguments_of(pack, method, payment, plan.amount, plan.fee, stamp)
        said = read_back(pack, method, plan.sender, arguments)
        if not says(pack, method, plan.sender, arguments, payment, plan.amount):
            raise AssertionError(f"the arguments of {method} are not what the card would show")
        card = Card(
            payment.sender,
            payment.recipient,
            plan.amount,
            plan.fee,
            terms.symbol,
            terms.decimals,
            payment.memo,
            operation=said.operation,
            spender=said.spender,
            expires_at=said.expires_at,
            memo_is_number=said.memo_is_number,
        )
        intent = Intent(
            id=name_intent(self._random_bytes(8), tries),
            network=self._network.name,
            root_key=self._network.root_key,
            ledger=terms.canister,
            ledger_name=plan.ledger.name,
            method=method,
            sender=plan.sender,
            pack=pack,
            arguments=arguments,
            fee_is_auto=True,
            amount_is_max=payment.amount is None,
            stamp=stamp,
            window=plan.ledger.window,
            argument_bytes=self._encoded(plan.speaker, arguments),
            card=card,
            anchor=plan.quote.tip,
            ref=plan.ref,
            supersedes=plan.supersede.id if plan.supersede is not None else None,
            prepared_at=now,
        )
        keep_names(self._store, intent.root_key, intent.ledger, plan.speaker.interface, method)
        alike = payments_alike(self._store, intent)
        warnings = warnings_for(intent, terms, plan.quote.balance, plan.quote.allowance, alike, now)
        return replace(intent, card=replace(card, warnings=(*warnings, *what_to_know(plan.speaker))))

    def _encoded(self, speaker: Speaker, arguments: Mapping[str, Value]) -> bytes:
        try:
            return self._network.encode(speaker.method, nested(arguments), speaker.interface)
        except ValueError as why:
            # The pack fits the ledger's types, so it is a number beyond what they hold.
            raise BadInput("amount", f"{speaker.method} of this ledger cannot take it ({why})") from None

    def _key(
        self, payment: Payment, amount: Base, ledger: LedgerEntry, sender: Principal, pack: Pack, method: str
    ) -> bytes:
        arguments = arguments_of(pack, method, payment, amount, Base(0), None)
        return lookup_key(
            self._network.root_key, sender, ledger.terms.canister, method, arguments, pack, fee_is_auto=True
        )


def drop(store: Store, intent_id: str) -> Intent:
    """Put away an intent of which no attempt is open or unknown (R14)."""
    intent = _require(store, intent_id)
    if intent.state not in (State.PREPARED, State.RETRY_SAME, State.REJECTED, State.RETRY_NEW):
        raise Refused(f"{intent.id} cannot be dropped: it is {intent.state}.")
    if intent.outcome.moved is not False or store.is_being_sent(intent.id):
        raise Refused(f"{intent.id} cannot be dropped: an attempt of it is open, and its money may have moved.")
    return intent if intent.dropped else _stored(store.drop(intent, True), intent.id)


def _require(store: Store, intent_id: str) -> Intent:
    intent = store.intent(intent_id)
    if intent is None:
        raise BadInput("intent", f"there is no intent {intent_id!r} in this store")
    return intent


def _stored(intent: Intent | None, intent_id: str) -> Intent:
    if intent is None:
        raise Refused(
            f"{intent_id} was changed by another wallet at this very moment. Nothing changed; look at it again."
        )
    return intent


def _ledger_clock(old: Intent | None, last: LedgerTime | None, now: LedgerTime) -> LedgerTime | None:
    """The clock of a ledger that refused the old stamp as CreatedInFuture: the new one is not later (R23).

    Where the payment's `last` stamp leaves no moment up to then (R14), the clock is carried on by the certified time
    that has passed since the ledger told it; or no stamp would ever do.
    """
    match old.outcome.payload if old is not None else None:
        case {"ledger_time": int(moment)} if old is not None:
            told = [each.time for attempt in old.attempts for each in attempt.evidence if isinstance(each, Reply)]
            has_room = last is None or last < moment
            return LedgerTime(moment if has_room or not told else moment + now - max(told))
    return None
