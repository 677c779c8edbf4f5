"""What a ledger said of an intent, in words; and which field of the form it is about (R26)."""

from wallet.core.intent import Intent
from wallet.core.ledger_time import LedgerTime
from wallet.core.pack import Operation
from wallet.core.value import Value
from wallet.services.shown import plain, show_value, utc


def ledger_reason(intent: Intent) -> str:
    """What the ledger said, in words (R26); empty where it said nothing."""
    if intent.outcome.case is None:
        return ""
    try:
        said = _read(intent, intent.outcome.case)
    except ValueError:
        said = None  # an amount that is none: negative, or too long to be shown
    return said or f"The ledger answered {case_of(intent)}."


def _read(intent: Intent, case: str) -> str | None:
    card = intent.card
    symbol = plain(card.symbol)
    match case.rpartition(".")[2], _bare(intent.outcome.payload):
        case "BadFee", {"expected_fee": int(fee)}:
            return f"The ledger's fee is {card.text_short(fee)} {symbol}, not {card.text_short(card.fee)} {symbol}."
        case "BadBurn", {"min_burn_amount": int(least)}:
            return f"The least this ledger burns is {card.text_short(least)} {symbol}."
        case "InsufficientFunds", {"balance": int(balance)}:
            return (
                f"The account holds {card.text_short(balance)} {symbol}, "
                f"and {card.text_short(card.total)} {symbol} would leave it."
            )
        case "InsufficientAllowance", {"allowance": int(allowance)}:
            return (
                f"You may take {card.text_short(allowance)} {symbol} from that account, "
                f"and this takes {card.text_short(card.total)} {symbol} with the fee."
            )
        case "AllowanceChanged", {"current_allowance": int(allowance)}:
            return f"The spender's allowance is another one now: {card.text_short(allowance)} {symbol}."
        case "Expired", {"ledger_time": int(moment)}:
            return f"The allowance would have ended already: the ledger's clock shows {utc(LedgerTime(moment))}."
        case "GenericError", {"error_code": int(code), "message": str(message)}:
            return f"The ledger says: {plain(message)} (error code {code})."
        case "TooOld" | "TxTooOld" as word, _:
            return f"The ledger refuses the stamp as too old ({word})."
        case "CreatedInFuture", {"ledger_time": int(moment)}:
            return f"The ledger's clock is behind the stamp: it shows {utc(LedgerTime(moment))} (CreatedInFuture)."
        case "TxCreatedInFuture", _:
            return "The ledger's clock is behind the stamp (TxCreatedInFuture)."
        case "TemporarilyUnavailable", _:
            return "The ledger is busy (TemporarilyUnavailable)."
    return None


def case_of(intent: Intent) -> str:
    """The case and its payload as they came."""
    payload = show_value(intent.outcome.payload)
    return f"{plain(intent.outcome.case or 'something')}{f' {payload}' if payload else ''}"


def field_to_fix(intent: Intent) -> str | None:
    """The field of the form that a fix_input is about."""
    case = (intent.outcome.case or "").rpartition(".")[2]
    is_approve = intent.card.operation is Operation.APPROVE
    return {
        "BadFee": "fee",
        "BadBurn": "amount",
        "AllowanceChanged": "amount" if is_approve else None,
        "Expired": "lasts" if is_approve else None,
    }.get(case)


def _bare(payload: Value) -> Value:
    """The ICP ledger writes an amount as a record of one field, e8s."""
    match payload:
        case {"e8s": int(amount), **rest} if not rest:
            return amount
        case dict():
            return {name: _bare(inner) for name, inner in payload.items()}
    return payload
