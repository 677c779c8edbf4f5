"""What a person should know before confirming: the warnings on a card (R28 and the design's list)."""

from collections.abc import Iterator, Sequence

from wallet.core.amount import format_short
from wallet.core.intent import Intent, State
from wallet.core.ledger_time import DAY, HOUR, MINUTE, LedgerTime
from wallet.core.principal import MANAGEMENT_CANISTER
from wallet.ports import LedgerTerms

RECENT_NS = 7 * DAY
"""How far back an equal payment is called recent (R28)."""


def warnings_for(
    intent: Intent, terms: LedgerTerms, balance: int, alike: Sequence[Intent], now: LedgerTime
) -> tuple[str, ...]:
    """Every warning of this card, most serious first. `alike` are other intents to the same payee, newest first."""
    return (*_about_recipient(intent, terms), *_about_balance(intent, balance), *_about_the_past(intent, alike, now))


def _about_recipient(intent: Intent, terms: LedgerTerms) -> Iterator[str]:
    card = intent.card
    owner = card.recipient.owner
    if card.recipient == terms.minting_account:
        yield "The recipient is the minting account: these tokens are burned, and nobody can bring them back."
    elif card.sender == terms.minting_account:
        yield "You pay from the minting account: this creates new tokens."
    if card.recipient == card.sender:
        yield "You pay this very account: only the fee leaves it."
    elif owner == intent.sender:
        yield "The recipient is an account of your own."
    if owner.is_anonymous:
        yield "The recipient is the anonymous principal: anybody can take these tokens."
    if owner == MANAGEMENT_CANISTER:
        yield "The recipient is the management canister: nobody can get these tokens back."
    if owner == intent.ledger:
        yield "The recipient is the ledger itself: tokens sent there are usually lost."
    if card.amount == 0:
        yield "The amount is zero: only the fee is paid."


def _about_balance(intent: Intent, balance: int) -> Iterator[str]:
    card = intent.card
    if card.total > balance:
        yield f"This is more than the account holds ({card.text_short(balance)} {card.symbol})."
    elif card.total * 10 > balance * 9:
        yield f"This is nearly all the account holds ({card.text_short(balance)} {card.symbol})."


def _about_the_past(intent: Intent, alike: Sequence[Intent], now: LedgerTime) -> Iterator[str]:
    if not any(each.outcome.moved for each in alike):
        yield "This is your first payment to this account."
    for each in alike:
        if each.id == intent.supersedes or each.superseded_by is not None or each.dropped:
            continue
        is_equal = each.card.amount == intent.card.amount
        what = f"{format_short(each.card.amount, each.card.decimals)} {each.card.symbol}"
        when = _ago(now - each.stamp)
        if not each.is_settled:
            name = "An equal payment" if is_equal else f"Another payment to this account ({what})"
            where = "" if each.state is State.PREPARED else f", {each.state.value.replace('_', ' ')}"
            yield f"{name} is still open: {each.id}, prepared {when}{where}."
        elif is_equal and each.outcome.moved is None:
            yield f"An equal payment ended without saying whether it moved: {each.id}, {when}, {each.outcome.case}."
        elif is_equal and each.outcome.moved and now - each.stamp <= RECENT_NS:
            block = "" if each.outcome.block is None else f", block {each.outcome.block}"
            yield f"You paid this account {what} {when} ({each.id}{block}). This is a new payment, not a repeat."
            return


def _ago(span_ns: int) -> str:
    if span_ns < MINUTE:
        return "less than a minute ago"
    for unit_ns, word in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute")):
        if (count := span_ns // unit_ns) >= 1:
            return f"{count} {word}{'s' if count > 1 else ''} ago"
    raise AssertionError(span_ns)
