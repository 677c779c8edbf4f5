"""The ledger canister: Candid in, the ledger's rules, Candid out."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import cbor2

from wallet.adapters.ic.candid import METHODS, encode
from wallet.adapters.ic.candid_types import Standards
from wallet.core.account import Account
from wallet.core.icrc3 import leb128
from wallet.core.principal import Principal
from wallet.core.value import Case, Value
from wallet.devnet import history
from wallet.devnet.arguments import Record, decoded, party, ranges
from wallet.devnet.blocks import Party
from wallet.devnet.hash_tree import Node, tree
from wallet.devnet.interface import BLOCK_TYPES, LEDGER_DID, STANDARDS, TRANSFERS
from wallet.devnet.ledger import Ledger
from wallet.devnet.requests import ApproveRequest, Declined, Rules, TransferRequest
from wallet.devnet.settings import ARCHIVE_ID, MAX_MEMO, MAX_TAKE

_RESULTS: Final[dict[str, tuple[Any, ...]]] = {
    "icrc10_supported_standards": (Standards,),
    "__get_candid_interface_tmp_hack": METHODS["icrc1_name"].results,
}


class NoSuchMethod(Exception):
    """The canister has no method of that name, or not of that kind."""


@dataclass(frozen=True, slots=True)
class Message:
    """One call as the canister sees it. `certificate` is there in queries only: the system's over the ledger's tip."""

    method: str
    caller: Principal
    argument: bytes
    rules: Rules
    certificate: bytes | None = None


def query(ledger: Ledger, message: Message) -> bytes:
    """Run a query method, in whichever way it was called; the reply's bytes. Raises Trap, NoSuchMethod."""
    if message.method not in _ANSWERS:
        raise NoSuchMethod(f"Canister has no query method '{message.method}'")
    types = _RESULTS.get(message.method) or METHODS[message.method].results
    return encode(types, [_ANSWERS[message.method](ledger, message)])


def update(ledger: Ledger, message: Message) -> bytes:
    """Run a method as an update. Raises Trap, NoSuchMethod; after either, nothing was done."""
    if message.method in TRANSFERS:
        return encode(METHODS[message.method].results, [_transferred(ledger, message)])
    if message.method in _ANSWERS:
        return query(ledger, message)
    raise NoSuchMethod(f"Canister has no update method '{message.method}'")


def tip_tree(ledger: Ledger) -> Node:
    """The tree over the last block, whose digest the network certifies."""
    if not ledger.blocks:
        return tree({})
    last = ledger.blocks[-1]
    return tree({b"last_block_index": leb128(last.index), b"last_block_hash": last.hash})


def _transferred(ledger: Ledger, message: Message) -> Value:
    arguments = hashlib.sha256(message.argument).hexdigest()
    record = Record.only(message.argument)
    try:
        match message.method:
            case "icrc1_transfer":
                sender = Party(message.caller, record.opt_subaccount("from_subaccount"))
                index = ledger.transfer(_transfer(record, sender, None), message.rules, arguments)
            case "icrc2_transfer_from":
                spender = Party(message.caller, record.opt_subaccount("spender_subaccount"))
                index = ledger.transfer(_transfer(record, record.party("from"), spender), message.rules, arguments)
            case _:
                index = ledger.approve(_approval(record, message.caller), message.rules, arguments)
    except Declined as declined:
        return Case("Err", declined.case)
    return Case("Ok", index)


def _transfer(record: Record, sender: Party, spender: Party | None) -> TransferRequest:
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


def _metadata(ledger: Ledger, message: Message) -> Value:
    options = ledger.options
    entries: dict[str, Case] = {
        "icrc1:name": Case("Text", options.name),
        "icrc1:symbol": Case("Text", options.symbol),
        "icrc1:decimals": Case("Nat", options.decimals),
        "icrc1:fee": Case("Nat", message.rules.fee),
        "icrc1:max_memo_length": Case("Nat", MAX_MEMO),
        "icrc103:public_allowances": Case("Text", "true"),
        "icrc103:max_take_value": Case("Nat", MAX_TAKE),
    }
    if options.logo is not None:
        entries["icrc1:logo"] = Case("Text", options.logo)
    return [[key, value] for key, value in entries.items()]


def _balance(ledger: Ledger, message: Message) -> Value:
    values = decoded(message.argument)
    return ledger.balance(party(values[0] if values else None).account)


def _allowance(ledger: Ledger, message: Message) -> Value:
    record = Record.only(message.argument)
    account, spender = record.party("account").account, record.party("spender").account
    found = ledger.allowances.get(account, spender, message.rules.now)
    return {"allowance": found.amount, "expires_at": found.expires_at}


def _allowances(ledger: Ledger, message: Message) -> Value:
    record = Record.only(message.argument)
    asked, after, take = record.opt_party("from_account"), record.opt_party("prev_spender"), record.opt_nat("take")
    start = asked.account if asked is not None else Account.of(message.caller)
    found = ledger.allowances.listed(
        start.owner, start, after.account if after is not None else None, message.rules.now
    )
    most = MAX_TAKE if take is None else min(take, MAX_TAKE)
    page: list[Value] = [
        {
            "from_account": {"owner": account.owner, "subaccount": account.subaccount},
            "to_spender": {"owner": spender.owner, "subaccount": spender.subaccount},
            "allowance": allowance.amount,
            "expires_at": allowance.expires_at,
        }
        for account, spender, allowance in itertools.islice(found, most)
    ]
    return Case("Ok", page)


def _archives(ledger: Ledger, message: Message) -> Value:
    seen = Record.only(message.argument).opt_principal("from")
    if not ledger.archived or (seen is not None and seen >= ARCHIVE_ID):
        return []
    return [{"canister_id": ARCHIVE_ID, "start": 0, "end": ledger.archived - 1}]


def _tip_certificate(ledger: Ledger, message: Message) -> Value:
    if message.certificate is None:  # the system gives one to queries only
        return None
    return {"certificate": message.certificate, "hash_tree": cbor2.dumps(tip_tree(ledger).encoded())}


def _standards(ledger: Ledger, message: Message) -> Value:
    return [{"name": name, "url": url} for name, url in STANDARDS.items()]


def block_types() -> Value:
    return [{"block_type": kind, "url": url} for kind, url in BLOCK_TYPES.items()]


def _minting_account(ledger: Ledger, message: Message) -> Value:
    return {"owner": ledger.minting.owner, "subaccount": None}


_ANSWERS: Final[dict[str, Callable[[Ledger, Message], Value]]] = {
    "icrc1_name": lambda ledger, message: ledger.options.name,
    "icrc1_symbol": lambda ledger, message: ledger.options.symbol,
    "icrc1_decimals": lambda ledger, message: ledger.options.decimals,
    "icrc1_fee": lambda ledger, message: message.rules.fee,
    "icrc1_metadata": _metadata,
    "icrc1_total_supply": lambda ledger, message: ledger.supply,
    "icrc1_minting_account": _minting_account,
    "icrc1_balance_of": _balance,
    "icrc1_supported_standards": _standards,
    "icrc10_supported_standards": _standards,
    "icrc2_allowance": _allowance,
    "icrc103_get_allowances": _allowances,
    "icrc3_get_blocks": lambda ledger, message: history.ledger_blocks(ledger, ranges(message.argument)),
    "icrc3_get_archives": _archives,
    "icrc3_get_tip_certificate": _tip_certificate,
    "icrc3_supported_block_types": lambda ledger, message: block_types(),
    "__get_candid_interface_tmp_hack": lambda ledger, message: LEDGER_DID,
}
