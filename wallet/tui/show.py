"""How things look: foreign text made harmless, states with their colour, accounts broken into legible lines."""

from textual.content import Content

from wallet.core.account import Account
from wallet.core.intent import Card, Intent
from wallet.core.ledger_time import DAY, LedgerTime, as_datetime
from wallet.services import wording
from wallet.services.wording import Sign, plain

STYLE = {
    Sign.PREPARED: "$text-primary",
    Sign.SENDING: "$text-accent",
    Sign.SUCCESS: "$text-success",
    Sign.ALREADY_DONE: "$text-success",
    Sign.RETRYING: "$text-warning",
    Sign.NEW_STAMP: "$text-warning",
    Sign.FIX_INPUT: "$text-warning",
    Sign.FAILED: "$text-error",
    Sign.UNKNOWN: "bold $text-warning",
    Sign.RECONCILING: "$text-warning",
    Sign.ASKS: "bold $text-warning",
    Sign.REJECTED: "$text-warning",
    Sign.EXECUTED: "$text-success",
    Sign.NOT_EXECUTED: "$text-secondary",
    Sign.SUPERSEDED: "$text-secondary",
}
MUTED, ALARM = "$foreground 65%", "bold $text-error"


def foreign(text: str, limit: int | None = None) -> str:
    """Text from a ledger or a keyboard as it may be shown: nothing unseen in it, and cut with an ellipsis at `limit`
    where the whole of it stands elsewhere."""
    shown = plain(text)
    return shown if limit is None or len(shown) <= limit else f"{shown[: limit - 1]}…"


def sign_of(intent: Intent, is_in_flight: bool = False) -> Content:
    """Glyph and word in the state's colour; while this wallet is at it, that it is being sent."""
    shown = Sign.SENDING if is_in_flight else wording.sign(intent)
    word = shown.word if is_in_flight else wording.word(intent)
    return Content.styled(f"{shown.glyph} {word}", STYLE[shown])


def what(intent: Intent, limit: int | None = None) -> str:
    """`1.5 TOK → 4pavu-…-eqe`: for narrow places; the card has it in full."""
    return foreign(f"{amount(intent.card, intent.card.amount)} → {intent.card.recipient.short}", limit)


def amount(card: Card, base: int) -> str:
    """Without the zeros at its end, with thousands set apart."""
    return f"{_grouped(card.text_short(base))} {foreign(card.symbol, 12)}"


def amount_in_full(card: Card, base: int) -> str:
    """Every decimal that the token has."""
    return f"{_grouped(card.text(base))} {foreign(card.symbol)}"


def _grouped(text: str) -> str:
    whole, point, fraction = text.partition(".")
    return f"{int(whole):,}{point}{fraction}"


def account_lines(account: Account, width: int) -> str:
    """The whole account text, broken only where a person would break it: after a dash, and in the subaccount's hex."""
    head, point, digits = account.text.partition(".")
    lines = [""]
    for part in [f"{group}-" for group in head.split("-")[:-1]] + [head.split("-")[-1] + point]:
        if len(lines[-1]) + len(part.rstrip("-")) > width:
            lines.append("")
        lines[-1] += part
    if digits and len(lines[-1]) + len(digits) <= width:
        return "\n".join(lines)[: len("\n".join(lines))] + digits
    step = min(32, width)
    lines += [digits[at : at + step] for at in range(0, len(digits), step)]
    return "\n".join(lines)


def time_of_day(moment: LedgerTime) -> str:
    return f"{as_datetime(moment):%H:%M:%S}"


def short_date(moment: LedgerTime, now: LedgerTime | None) -> str:
    """The time of day for what is of the last day, else the date."""
    if now is not None and abs(now - moment) < DAY:
        return f"{as_datetime(moment):%H:%M}"
    return f"{as_datetime(moment):%d %b}"


def stamp_in_full(moment: LedgerTime) -> str:
    """To the nanosecond, as ledgers compare it."""
    digits = f"{moment % 1_000_000_000:09}"
    return f"{as_datetime(moment):%Y-%m-%d %H:%M:%S}.{digits[:3]} {digits[3:6]} {digits[6:]}"
