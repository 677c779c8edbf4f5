"""What an intent is about, line by line: what is done, for whom, with whose money; in the operation's own words."""

from collections.abc import Callable

from textual.content import Content

from wallet.core.account import Account
from wallet.core.intent import Intent
from wallet.core.pack import Operation
from wallet.core.payee import Payee
from wallet.services.shown import grouped, plain, utc
from wallet.services.wording import payee_label, what_it_does
from wallet.tui import text

Names = Callable[[Payee], str]
"""The person's own name for an account; empty where they have none."""

_STRONG = "bold"


def title(intent: Intent, name_of: Names) -> str:
    """In a line, for a frame or a list: `1.5 TOK → Bob`, `allow 5 TOK → shop`, `1.5 TOK of Carol → Bob`."""
    card = intent.card
    what = doing(intent).removeprefix("send ")
    if card.operation is Operation.TRANSFER_FROM:
        what += f" of {name_of(card.sender)}"
    return f"{what} → {name_of(card.recipient)}"


def doing(intent: Intent) -> str:
    """The verb and the amount, as on a button: `send 1.5 TOK`, `allow 5 TOK`, `revoke the allowance`."""
    return what_it_does(intent, grouping=True)


def kind(intent: Intent) -> str:
    """What is confirmed, to stand after the verb."""
    card = intent.card
    if card.operation is Operation.APPROVE:
        return "this allowance" if card.amount else "the end of this allowance"
    return "this payment from another's account" if card.operation is Operation.TRANSFER_FROM else "this transfer"


def what_for_whom(intent: Intent, known: Names, width: int) -> list[Content]:
    """The amount, and who gets it or may take it."""
    card = intent.card
    rows: list[Content] = []
    if card.operation is not Operation.APPROVE:
        rows += text.folded("send", text.amount(intent, card.amount), width, _STRONG)
    elif card.amount:
        rows += text.folded("allow", f"up to {text.amount(intent, card.amount)}", width, _STRONG)
    else:
        rows += text.folded("revoke", "whatever the spender may still take", width, _STRONG)
    rows += _account(payee_label(intent), card.recipient, known(card.recipient), width)
    if card.operation is Operation.APPROVE and card.amount:
        rows += until(intent, width)
    return rows


def until(intent: Intent, width: int) -> list[Content]:
    """When an allowance ends."""
    ends = intent.card.expires_at
    if ends is None:
        return text.folded("until", "it is used up or revoked: it has no other end", width)
    return text.folded("until", f"{utc(ends)}{text.here(ends)}", width)


def whose_money(intent: Intent, own_name: str, known: Names, width: int) -> list[Content]:
    """The account that pays; where it is not the caller's own, that stands out, and so does who takes it."""
    card = intent.card
    if card.operation is Operation.TRANSFER_FROM:
        rows = _account("from", card.sender, known(card.sender), width)
        rows += text.folded("", "not yours: its owner allowed you to take it", width, "$text-warning")
        return rows + (_own("by", card.spender, own_name, width) if card.spender is not None else [])
    return _own("from", card.sender, own_name, width)


def method(intent: Intent, width: int) -> list[Content]:
    """Which call it is, and by which pack its replies are read (R1)."""
    rows = text.folded("method", f"{intent.method}, by the pack {plain(intent.pack.name)}", width)
    return [*rows, text.labelled("digest", (grouped(intent.digest), _STRONG))]


def _account(label: str, account: Payee, name: str, width: int) -> list[Content]:
    if not name:
        return text.account_rows(label, account, width, _STRONG)
    return [*text.folded(label, name, width, _STRONG), *text.account_rows("", account, width, _STRONG)]


def _own(label: str, account: Account, name: str, width: int) -> list[Content]:
    if account.subaccount is None:
        return text.folded(label, f"{name} · default account", width)
    return [*text.folded(label, f"{name} · subaccount", width), *text.account_rows("", account, width)]
