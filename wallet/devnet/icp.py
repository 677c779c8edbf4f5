"""The methods that the ICP ledger alone has: accounts by their ids, amounts in e8s, and an error variant of its own."""

from __future__ import annotations

from wallet.core.account import AccountId
from wallet.core.value import Case, Value
from wallet.devnet.arguments import Record, decoded, party
from wallet.devnet.blocks import Party
from wallet.devnet.ledger import Ledger
from wallet.devnet.requests import Declined, Message, TransferRequest, Trap


def transfer(ledger: Ledger, message: Message) -> Value:
    """Raises Trap, also where icrc1_transfer would answer with a case: this variant has none for it."""
    record = Record.only(message.argument)
    if message.caller.is_anonymous:
        raise Trap(f"Sending from {message.caller} is not allowed")
    sender = Party(message.caller, record.opt_subaccount("from_subaccount"))
    to, fee, stamp = record.account_id("to"), record.e8s("fee"), record.opt_record("created_at_time")
    _check_minting(ledger, AccountId.of(sender.account), to, fee)
    request = TransferRequest(
        sender,
        to,
        record.e8s("amount"),
        fee=fee,
        # Without a stamp the ledger takes its own time for one: two equal transfers of one moment are duplicates.
        created_at=message.rules.now if stamp is None else stamp.nat64("timestamp_nanos"),
        memo_number=record.nat64("memo"),
    )
    try:
        return Case("Ok", ledger.transfer(request, message.rules, message.digest))
    except Declined as declined:
        return Case("Err", _case(declined.case, ledger))


def account_balance(ledger: Ledger, message: Message) -> Value:
    return {"e8s": ledger.balance(Record.only(message.argument).account_id("account"))}


def account_identifier(ledger: Ledger, message: Message) -> Value:
    values = decoded(message.argument)
    return AccountId.of(party(values[0] if values else None).account).raw


def _check_minting(ledger: Ledger, sender: AccountId, to: AccountId, fee: int) -> None:
    minting = AccountId.of(ledger.minting)
    if sender == to == minting:
        raise Trap("It is illegal to mint to a minting_account")
    if fee and minting in (sender, to):
        raise Trap(f"Fee for {'minting' if sender == minting else 'burning'} should be zero")


def _case(declined: Case, ledger: Ledger) -> Case:
    match declined:
        case Case("BadFee", {"expected_fee": int() as fee}):
            return Case("BadFee", {"expected_fee": {"e8s": fee}})
        case Case("InsufficientFunds", {"balance": int() as balance}):
            return Case("InsufficientFunds", {"balance": {"e8s": balance}})
        case Case("TooOld"):
            return Case("TxTooOld", {"allowed_window_nanos": ledger.options.window_ns})
        case Case("CreatedInFuture"):
            return Case("TxCreatedInFuture")
        case Case("Duplicate", {"duplicate_of": int() as index}):
            return Case("TxDuplicate", {"duplicate_of": index})
        case Case("BadBurn", {"min_burn_amount": int() as least}):
            raise Trap(f"Burns lower than {least} are not allowed")
        case Case("TemporarilyUnavailable"):
            raise Trap("Too many transactions in replenishment window")
    raise AssertionError(declined)
