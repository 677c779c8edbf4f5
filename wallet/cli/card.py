"""An intent as text: the card that is confirmed, and what became of it."""

from collections.abc import Iterator, Sequence

from wallet.core.account import Account
from wallet.core.blocks import LedgerBlock
from wallet.core.intent import Card, Intent
from wallet.core.ledger_time import LedgerTime
from wallet.core.pack import Operation
from wallet.services import wording
from wallet.services.shown import grouped, local, memo_text, plain, utc

_LABEL = 10


def card_lines(intent: Intent, sender_name: str | None = None) -> list[str]:
    """Everything that a confirmation is about, nothing cut off."""
    card = intent.card
    symbol = plain(card.symbol)
    lines = [
        f"Intent {intent.id}",
        *_payment_lines(intent, sender_name),
        _line("fee", f"{card.text(card.fee)} {symbol}"),
        _line("total", f"{card.text(card.total)} {symbol} leave the account"),
        _line("memo", wording.memo(intent)),
        _line("ledger", f"{plain(intent.ledger_name)} ({symbol}) {intent.ledger} on {plain(intent.network)}"),
        _line("stamp", f"{utc(intent.stamp)}, the ledger's clock ({local(intent.stamp)} here)"),
        _line("", _repeats(intent)),
        _line("method", f"{intent.method}, by the pack {plain(intent.pack.name)}"),
        _line("digest", grouped(intent.digest)),
    ]
    if intent.ref is not None:
        lines.append(_line("ref", plain(intent.ref)))
    if card.warnings:
        lines.append(f"To be known, as things stood when it was prepared ({utc(intent.prepared_at)}):")
    return lines + [f"{wording.ALARM_GLYPH} {plain(warning)}" for warning in card.warnings]


def _payment_lines(intent: Intent, sender_name: str | None) -> Iterator[str]:
    """What is done, for whom, and with whose money."""
    card = intent.card
    own = f"{plain(sender_name)} · " if sender_name else ""
    amount = _amount(card, card.amount)
    match card.operation:
        case Operation.APPROVE:
            yield (
                _line("allow", f"{amount}, to be spent by") if card.amount else _line("revoke", "what may be spent by")
            )
            yield _line("spender", card.recipient.text)
            if card.amount:
                ends = "no end: until it is used up or revoked"
                if card.expires_at is not None:
                    ends = f"{utc(card.expires_at)} ({local(card.expires_at)} here)"
                yield _line("until", ends)
            yield _line("from", f"{own}{card.sender.text}")
        case Operation.TRANSFER_FROM:
            yield _line("send", amount)
            yield _line("to", card.recipient.text)
            yield _line("from", f"{card.sender.text}, which is not yours")
            yield _line("by", f"{own}{card.spender.text if card.spender is not None else intent.sender.text}")
        case Operation.TRANSFER:
            yield _line("send", amount)
            yield _line("to", card.recipient.text)
            yield _line("from", f"{own}{card.sender.text}")


def _repeats(intent: Intent) -> str:
    if not intent.has_stamp:
        return "not in the call: the ledger would not know a repeat"
    return f"can be repeated safely until {utc(intent.window_closes)} ({local(intent.window_closes)} here)"


def outcome_lines(intent: Intent) -> list[str]:
    """Where it stands, in sentences."""
    lines = [f"{wording.glyph(intent)} {wording.word(intent)}: {wording.headline(intent)}"]
    lines += filter(None, [wording.explanation(intent)])
    if intent.dropped:
        lines.append("It was dropped: preparing the same payment again brings it back.")
    lines += [f"{wording.ALARM_GLYPH} {wording.ALARM_WORD}: {plain(alarm)}" for alarm in intent.alarms]
    if intent.duplicate is not None and intent.duplicate.block is not None:
        lines += _beside(intent, intent.duplicate.block, intent.duplicate.differs)
    return lines


def summary_line(intent: Intent) -> str:
    """One line of a list."""
    card = intent.card
    what = wording.what_it_does(intent).removeprefix("send ")
    if card.operation is Operation.TRANSFER_FROM:
        what += f" of {card.sender.text}"  # not the sender's own money
    marks = (" ⚠ alarm" if intent.alarms else "") + (" (dropped)" if intent.dropped else "")
    return (
        f"{wording.glyph(intent)} {wording.word(intent):<18} {intent.id:<22} {what} → {card.recipient.text}"
        f"  {utc(intent.stamp)}{marks}"
    )


def restamp_lines(old: Intent, new: Intent) -> list[str]:
    """The old intent beside the new one; what changed is marked."""
    pairs = [
        ("", old.id, new.id),
        ("stamp", utc(old.stamp), utc(new.stamp)),
        ("window", utc(old.window_closes), utc(new.window_closes)),
        ("amount", _amount(old.card, old.card.amount), _amount(new.card, new.card.amount)),
        ("fee", _amount(old.card, old.card.fee), _amount(new.card, new.card.fee)),
        ("total", _amount(old.card, old.card.total), _amount(new.card, new.card.total)),
        ("memo", wording.memo(old), wording.memo(new)),
        ("digest", grouped(old.digest), grouped(new.digest)),
    ]
    width = max(len(left) for _, left, _ in pairs) + 2
    lines = [f"  {'':<{_LABEL}}{'old':<{width}}new"]
    for label, left, right in pairs:
        mark = "≠" if label and left != right else " "
        lines.append(f"{mark} {label:<{_LABEL}}{left:<{width}}{right}")
    return [*lines, f"  {wording.payee_label(new):<{_LABEL}}{new.card.recipient.text}"]


def _line(label: str, text: str) -> str:
    return f"  {label:<{_LABEL}}{text}"


def _amount(card: Card, amount: int) -> str:
    return f"{card.text(amount)} {plain(card.symbol)}"


def _allowed(intent: Intent, block: LedgerBlock) -> list[tuple[str, str, str]]:
    """Of an approve or a transfer_from, who may spend and until when."""
    card = intent.card
    spender = card.recipient if card.operation is Operation.APPROVE else card.spender
    pairs = [("spender", "none" if spender is None else spender.text, _account(block.spender))]
    if card.operation is Operation.APPROVE:
        pairs.append(("expires_at", _moment(card.expires_at), _moment(block.expires_at)))
    return pairs


def _moment(moment: LedgerTime | None) -> str:
    return "none" if moment is None else utc(moment)


def _beside(intent: Intent, block: LedgerBlock, differs: Sequence[str]) -> Iterator[str]:
    """The intent and a block, field by field (R20)."""
    card = intent.card
    pairs: list[tuple[str, str, str]] = [
        ("amount", _amount(card, card.amount), _number(card, block.amount)),
        *([] if card.operation is Operation.APPROVE else [("to", card.recipient.text, _account(block.recipient))]),
        *([] if card.operation is Operation.TRANSFER else _allowed(intent, block)),
        ("from", card.sender.text, _account(block.sender)),
        *([] if card.memo_is_number else [("memo", memo_text(card.memo), memo_text(block.memo))]),
        ("fee", _amount(card, card.fee), _number(card, block.fee)),
        ("stamp", str(intent.stamp), "none" if block.stamp is None else str(block.stamp)),
    ]
    yield f"Block {block.index}, executed at {utc(block.timestamp)}:"
    for label, wanted, found in pairs:
        yield _line(label, f"✓ {found}" if label not in differs else f"✗ {found}, not {wanted}")


def _number(card: Card, amount: int | None) -> str:
    return "none" if amount is None else _amount(card, amount)


def _account(account: Account | None) -> str:
    return "none" if account is None else account.text
