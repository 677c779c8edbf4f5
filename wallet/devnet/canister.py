"""The ledger canister: Candid in, the ledger's rules, Candid out."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Final, TypeAlias

import cbor2

from wallet.adapters.ic.candid import encode
from wallet.core.account import Account
from wallet.core.icrc3 import leb128
from wallet.core.value import Case, Value
from wallet.devnet import examples, history, icp, icrc
from wallet.devnet.arguments import Record, decoded, party, ranges
from wallet.devnet.hash_tree import Node, tree
from wallet.devnet.interface import BLOCK_TYPES, ledger_did, standards, transfers
from wallet.devnet.ledger import Ledger
from wallet.devnet.method_types import results
from wallet.devnet.requests import Message
from wallet.devnet.settings import ARCHIVE_ID, MAX_MEMO, MAX_TAKE, DevnetOptions


class NoSuchMethod(Exception):
    """The canister has no method of that name, or not of that kind."""


def query(ledger: Ledger, message: Message) -> bytes:
    """Run a query method, in whichever way it was called; the reply's bytes. Raises Trap, NoSuchMethod."""
    run = _queries(ledger.options).get(message.method)
    if run is None:
        raise NoSuchMethod(f"Canister has no query method '{message.method}'")
    return encode(results(message.method, ledger.options), [run(ledger, message)])


def update(ledger: Ledger, message: Message) -> bytes:
    """Run a method as an update. Raises Trap, NoSuchMethod; after either, nothing was done."""
    if message.method in transfers(ledger.options):
        return encode(results(message.method, ledger.options), [_UPDATES[message.method](ledger, message)])
    if message.method in _queries(ledger.options):
        return query(ledger, message)
    raise NoSuchMethod(f"Canister has no update method '{message.method}'")


def tip_tree(ledger: Ledger) -> Node:
    """The tree over the last block, whose digest the network certifies."""
    if not ledger.blocks:
        return tree({})
    last = ledger.blocks[-1]
    return tree({b"last_block_index": leb128(last.index), b"last_block_hash": last.hash})


def _metadata(ledger: Ledger, message: Message) -> Value:
    options = ledger.options
    entries: dict[str, Case] = {
        "icrc1:name": Case("Text", options.name),
        "icrc1:symbol": Case("Text", options.symbol),
        "icrc1:decimals": Case("Nat", options.decimals),
        "icrc1:fee": Case("Nat", message.rules.fee),
        "icrc1:max_memo_length": Case("Nat", MAX_MEMO),
    }
    if "ICRC-103" in standards(options):
        entries |= {
            "icrc103:public_allowances": Case("Text", "true"),
            "icrc103:max_take_value": Case("Nat", MAX_TAKE),
        }
    if options.logo is not None:
        entries["icrc1:logo"] = Case("Text", options.logo)
    return [[key, value] for key, value in entries.items()]


def _balance(ledger: Ledger, message: Message) -> Value:
    values = decoded(message.argument)
    return ledger.balance(party(values[0] if values else None))


def _allowance(ledger: Ledger, message: Message) -> Value:
    record = Record.only(message.argument)
    account, spender = ledger.holder(record.party("account")), ledger.holder(record.party("spender"))
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
    return [{"name": name, "url": url} for name, url in standards(ledger.options).items()]


def block_types() -> Value:
    return [{"block_type": kind, "url": url} for kind, url in BLOCK_TYPES.items()]


def _minting_account(ledger: Ledger, message: Message) -> Value:
    return {"owner": ledger.minting.owner, "subaccount": None}


_Run: TypeAlias = Callable[[Ledger, Message], Value]

_UPDATES: Final[dict[str, _Run]] = {
    "icrc1_transfer": icrc.transfer,
    "icrc2_approve": icrc.approve,
    "icrc2_transfer_from": icrc.transfer_from,
    "transfer": icp.transfer,
    "example_pay": examples.pay,
    "example_give": examples.give,
}
_QUERIES: Final[dict[str, _Run]] = {
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
    "__get_candid_interface_tmp_hack": lambda ledger, message: ledger_did(ledger.options),
}
_ICRC_QUERIES: Final[dict[str, _Run]] = {
    **_QUERIES,
    "icrc103_get_allowances": _allowances,
    "icrc3_get_blocks": lambda ledger, message: history.ledger_blocks(ledger, ranges(message.argument)),
    "icrc3_get_archives": _archives,
    "icrc3_get_tip_certificate": _tip_certificate,
    "icrc3_supported_block_types": lambda ledger, message: block_types(),
}
_ICP_QUERIES: Final[dict[str, _Run]] = {
    **_QUERIES,
    "account_balance": icp.account_balance,
    "account_identifier": icp.account_identifier,
}


def _queries(options: DevnetOptions) -> dict[str, _Run]:
    return _ICP_QUERIES if options.kind == "icp" else _ICRC_QUERIES
