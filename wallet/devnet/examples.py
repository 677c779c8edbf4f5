"""Two payment methods that no standard knows, as an application might have them: for packs that somebody wrote."""

from __future__ import annotations

from wallet.core.value import Case, Value
from wallet.devnet.arguments import Record
from wallet.devnet.blocks import Party
from wallet.devnet.ledger import Ledger
from wallet.devnet.requests import Declined, Message, TransferRequest, Trap


def pay(ledger: Ledger, message: Message) -> Value:
    """example_pay: no stamp, so each call executes; the ledger's fee is taken. Raises Trap."""
    record = Record.only(message.argument)
    request = TransferRequest(
        Party(message.caller), record.party("to"), record.nat("amount"), memo=record.opt_blob("memo")
    )
    try:
        return Case("Ok", ledger.transfer(request, message.rules, message.digest))
    except Declined as declined:
        if declined.case.tag != "InsufficientFunds":
            raise Trap(f"the payment was declined: {declined.case.tag}") from None
        return Case("Err", declined.case)


def give(ledger: Ledger, message: Message) -> Value:
    """example_give: the block's index, also for a repeat; whatever keeps it from executing is a Trap."""
    record = Record.only(message.argument)
    request = TransferRequest(
        Party(message.caller), record.party("to"), record.nat("amount"), created_at=record.nat64("created_at_time")
    )
    try:
        return ledger.transfer(request, message.rules, message.digest)
    except Declined as declined:
        match declined.case:
            case Case("Duplicate", {"duplicate_of": int() as index}):
                return index
        raise Trap(f"the gift was declined: {declined.case.tag}") from None
