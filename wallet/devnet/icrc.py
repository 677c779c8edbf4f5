"""The updates of ICRC-1 and ICRC-2: their arguments, and the ledger's word about them."""

from __future__ import annotations

from wallet.core.principal import Principal
from wallet.core.value import Case, Value
from wallet.devnet.arguments import Record
from wallet.devnet.blocks import Party
from wallet.devnet.ledger import Ledger
from wallet.devnet.requests import ApproveRequest, Declined, Message, TransferRequest


def transfer(ledger: Ledger, message: Message) -> Value:
    """icrc1_transfer. Raises Trap."""
    record = Record.only(message.argument)
    sender = Party(message.caller, record.opt_subaccount("from_subaccount"))
    return _moved(ledger, message, _request(record, sender, None))


def transfer_from(ledger: Ledger, message: Message) -> Value:
    """icrc2_transfer_from. Raises Trap."""
    record = Record.only(message.argument)
    spender = Party(message.caller, record.opt_subaccount("spender_subaccount"))
    return _moved(ledger, message, _request(record, record.party("from"), spender))


def approve(ledger: Ledger, message: Message) -> Value:
    """icrc2_approve. Raises Trap."""
    request = _approval(Record.only(message.argument), message.caller)
    try:
        return Case("Ok", ledger.approve(request, message.rules, message.digest))
    except Declined as declined:
        return Case("Err", declined.case)


def _moved(ledger: Ledger, message: Message, request: TransferRequest) -> Value:
    try:
        return Case("Ok", ledger.transfer(request, message.rules, message.digest))
    except Declined as declined:
        return Case("Err", declined.case)


def _request(record: Record, sender: Party, spender: Party | None) -> TransferRequest:
    return TransferRequest(
        sender,
        record.party("to"),
        record.nat("amount"),
        spender,
        fee=record.opt_nat("fee"),
        memo=record.opt_blob("memo"),
        created_at=record.opt_nat64("created_at_time"),
    )


def _approval(record: Record, caller: Principal) -> ApproveRequest:
    return ApproveRequest(
        Party(caller, record.opt_subaccount("from_subaccount")),
        record.party("spender"),
        record.nat("amount"),
        expected_allowance=record.opt_nat("expected_allowance"),
        expires_at=record.opt_nat64("expires_at"),
        fee=record.opt_nat("fee"),
        memo=record.opt_blob("memo"),
        created_at=record.opt_nat64("created_at_time"),
    )
