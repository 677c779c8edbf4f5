"""What a person should know before confirming: the warnings on a card (R28 and the design's list)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from wallet.core.account import Account, AccountId
from wallet.core.amount import format_short
from wallet.core.intent import Intent, State
from wallet.core.ledger_time import DAY, HOUR, MINUTE, LedgerTime
from wallet.core.pack import Operation
from wallet.core.payee import is_same
from wallet.core.principal import ANONYMOUS, MANAGEMENT_CANISTER
from wallet.ports import Allowance, LedgerTerms, Store

LOOKED_THROUGH = 50
PAYEES_LOOKED_THROUGH = 500
"""How many of the newest intents are looked at for a payee of the same name, and for one named otherwise."""
RECENT_NS = 7 * DAY
"""How far back an equal payment is called recent (R28)."""


def warnings_for(
    intent: Intent,
    terms: LedgerTerms,
    balance: int,
    allowance: Allowance | None,
    alike: Sequence[Intent],
    now: LedgerTime,
) -> tuple[str, ...]:
    """Every warning of this card, most serious first.

    `balance` is the paying account's, `allowance` what the spender may take so far, where there is one; `alike` are
    other intents to the same payee, newest first.
    """
    is_approve = intent.card.operation is Operation.APPROVE
    alike = [each for each in alike if (each.card.operation is Operation.APPROVE) is is_approve]
    if is_approve:
        about = _about_spender(intent, allowance)
    else:
        about = chain(_about_recipient(intent, terms), _about_allowance(intent, allowance))
    return (*about, *_about_balance(intent, balance), *_about_the_past(intent, alike, now))


def payments_alike(store: Store, intent: Intent) -> list[Intent]:
    """Other intents to the same payee, newest first, whether it was named by its account or by its account id (R28)."""
    found = store.payments_like(intent, LOOKED_THROUGH)
    payee = intent.card.recipient
    if isinstance(payee, Account):
        by_id = replace(intent, card=replace(intent.card, recipient=AccountId.of(payee)))
        found += store.payments_like(by_id, LOOKED_THROUGH)
    else:
        # No account can be told from its id: those that were paid lately are looked through.
        found += [
            each
            for each in store.intents(limit=PAYEES_LOOKED_THROUGH)
            if (each.root_key, each.ledger) == (intent.root_key, intent.ledger)
            and isinstance(each.card.recipient, Account)
            and is_same(each.card.recipient, payee)
        ]
    return sorted(found, key=lambda each: each.stamp, reverse=True)


def _about_spender(intent: Intent, allowance: Allowance | None) -> Iterator[str]:
    card = intent.card
    symbol = card.symbol
    assert isinstance(card.recipient, Account)
    if card.amount:
        yield (
            f"The spender may take {card.text_short(card.amount)} {symbol} from your account without asking you again,"
            f" {'until the allowance ends' if card.expires_at is not None else 'now or in years'}."
        )
    if allowance is not None and allowance.amount:
        ends = "revokes" if not card.amount else "replaces"
        yield f"This {ends} the allowance of {card.text_short(allowance.amount)} {symbol} that the spender has now."
    elif not card.amount:
        yield "The spender has no allowance now: there is nothing to revoke, and the fee is paid all the same."
    if card.amount > (1 << 64) - 1:
        yield "Ledgers that count in 64 bits keep a smaller allowance than this, their greatest."
    yield from _about_owner(intent, "The spender", "spend these tokens")


def _about_allowance(intent: Intent, allowance: Allowance | None) -> Iterator[str]:
    card = intent.card
    if card.operation is not Operation.TRANSFER_FROM:
        return
    yield "The money is not yours: it leaves the account named above, on the allowance that its owner gave you."
    if allowance is not None and allowance.amount < card.total:
        yield (
            f"This is more than you are allowed to take ({card.text_short(allowance.amount)} {card.symbol},"
            " fee included)."
        )


def _about_recipient(intent: Intent, terms: LedgerTerms) -> Iterator[str]:
    card = intent.card
    if terms.minting_account is not None and is_same(terms.minting_account, card.recipient):
        yield "The recipient is the minting account: these tokens are burned, and nobody can bring them back."
    elif card.sender == terms.minting_account:
        yield "You pay from the minting account: this creates new tokens."
    if is_same(card.sender, card.recipient):
        who = "You pay this very account" if card.spender is None else "This pays the very account that it comes from"
        yield f"{who}: only the fee leaves it."
    elif isinstance(card.recipient, Account) and card.recipient.owner == intent.sender:
        yield "The recipient is an account of your own."
    yield from _about_owner(intent, "The recipient", "take these tokens")
    if card.amount == 0:
        yield "The amount is zero: only the fee is paid."


def _about_owner(intent: Intent, who: str, what: str) -> Iterator[str]:
    payee = intent.card.recipient
    for owner, warning in (
        (ANONYMOUS, f"{who} is the anonymous principal: anybody can {what}."),
        (MANAGEMENT_CANISTER, f"{who} is the management canister: nobody can {what} there."),
        (intent.ledger, f"{who} is the ledger itself: tokens sent there are usually lost."),
    ):
        if payee.owner == owner if isinstance(payee, Account) else is_same(Account(owner), payee):
            yield warning


def _about_balance(intent: Intent, balance: int) -> Iterator[str]:
    card = intent.card
    if card.total > balance:
        yield f"This is more than the account holds ({card.text_short(balance)} {card.symbol})."
    elif card.total * 10 > balance * 9:
        yield f"This is nearly all the account holds ({card.text_short(balance)} {card.symbol})."


def _about_the_past(intent: Intent, alike: Sequence[Intent], now: LedgerTime) -> Iterator[str]:
    words = _ALLOWING if intent.card.operation is Operation.APPROVE else _PAYING
    if not any(each.outcome.moved for each in alike):
        yield words.first
    for each in alike:
        if each.id == intent.supersedes or each.superseded_by is not None or each.dropped:
            continue
        is_equal = each.card.amount == intent.card.amount
        what = f"{format_short(each.card.amount, each.card.decimals)} {each.card.symbol}"
        when = _ago(now - each.stamp)
        if not each.is_settled:
            name = words.equal if is_equal else f"{words.other} ({what})"
            where = "" if each.state is State.PREPARED else f", {each.state.value.replace('_', ' ')}"
            yield f"{name} is still open: {each.id}, prepared {when}{where}."
        elif is_equal and each.outcome.moved is None:
            yield f"{words.equal} ended without saying whether it moved: {each.id}, {when}, {each.outcome.case}."
        elif is_equal and each.outcome.moved and now - each.stamp <= RECENT_NS:
            block = "" if each.outcome.block is None else f", block {each.outcome.block}"
            yield f"{words.did} {what} {when} ({each.id}{block}). {words.anew}"
            return


@dataclass(frozen=True, slots=True)
class _Words:
    """How an earlier one of the same kind is spoken of."""

    first: str
    equal: str
    other: str
    did: str
    anew: str


_PAYING = _Words(
    "This is your first payment to this account.",
    "An equal payment",
    "Another payment to this account",
    "You paid this account",
    "This is a new payment, not a repeat.",
)
_ALLOWING = _Words(
    "You have not allowed this spender anything before.",
    "An equal allowance",
    "Another allowance for this spender",
    "You allowed this spender",
    "This allows it anew: what was used of it may be used again.",
)


def _ago(span_ns: int) -> str:
    if span_ns < MINUTE:
        return "less than a minute ago"
    for unit_ns, word in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute")):
        if (count := span_ns // unit_ns) >= 1:
            return f"{count} {word}{'s' if count > 1 else ''} ago"
    raise AssertionError(span_ns)
