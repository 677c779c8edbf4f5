"""Values for tests, complete and consistent, in one line: `make_intent(3, amount=5)`."""

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from wallet.adapters.packs import bundled_pack, bundled_packs
from wallet.adapters.store.value_json import value_to_text
from wallet.core.account import Account
from wallet.core.amount import Base
from wallet.core.attempt import Attempt, Reply
from wallet.core.blocks import LedgerBlock, read_block
from wallet.core.intent import Card, Intent
from wallet.core.ledger_time import SECOND, DedupWindow, LedgerTime
from wallet.core.pack import Pack
from wallet.core.principal import Principal
from wallet.core.value import Case, Value
from wallet.ports import Network
from wallet.services.speakers import OfferedPack, Speakers

ROOT_KEY = bytes(range(133))
"""The root key of the test network: any bytes of the right length."""

LEDGER = Principal(bytes([0, 0, 0, 0, 0, 0, 0, 7, 1, 1]))
NOW = LedgerTime(1_800_000_000 * SECOND)
FEE = Base(10_000)


def make_principal(n: int) -> Principal:
    """The nth person: self-authenticating, as one made from a key is."""
    return Principal(hashlib.sha224(b"person %d" % n).digest() + b"\x02")


ALICE = Account(make_principal(1))
BOB = Account(make_principal(2))


def icrc1_pack() -> Pack:
    return bundled_pack("icrc1")


def bundled_speakers(network: Network) -> Speakers:
    return Speakers(network, lambda: [OfferedPack(each, is_own=False) for each in bundled_packs()])


def make_intent(
    n: int = 0,
    *,
    sender: Account = ALICE,
    recipient: Account = BOB,
    amount: int | None = None,
    fee: int = FEE,
    memo: bytes | None = None,
    stamp: int | None = None,
    warnings: Sequence[str] = (),
    **overrides: Any,
) -> Intent:
    """A prepared ICRC-1 transfer; each `n` has its own id, amount and stamp. `overrides` are fields of Intent."""
    stamp = NOW + n if stamp is None else stamp
    amount = 100_000_000 + n if amount is None else amount
    to: dict[str, Value] = {"owner": recipient.owner, "subaccount": recipient.subaccount}
    arguments: Mapping[str, Value] = {
        "from_subaccount": sender.subaccount,
        "to": to,
        "amount": amount,
        "fee": fee,
        "memo": memo,
        "created_at_time": stamp,
    }
    fields: dict[str, Any] = {
        "id": f"intent{n}",
        "network": "testnet",
        "root_key": ROOT_KEY,
        "ledger": LEDGER,
        "ledger_name": "Test Token",
        "method": "icrc1_transfer",
        "sender": sender.owner,
        "pack": icrc1_pack(),
        "arguments": arguments,
        "fee_is_auto": True,
        "amount_is_max": False,
        "stamp": LedgerTime(stamp),
        "window": DedupWindow(),
        # Not Candid: no test of the store or of the life cycle reads it, and it is one to one with the arguments.
        "argument_bytes": b"DIDL" + repr(sorted(arguments.items(), key=lambda pair: pair[0])).encode(),
        "card": Card(sender, recipient, Base(amount), Base(fee), "TST", 8, memo, tuple(warnings)),
        "prepared_at": LedgerTime(stamp),
    }
    return Intent(**{**fields, **overrides})


def make_attempt(n: int = 1, *, sent_at: int = NOW, lifetime_ns: int = 120 * SECOND, **overrides: Any) -> Attempt:
    """The nth attempt, with a request id and an envelope of its own."""
    attempt = Attempt(
        n=n,
        request_id=hashlib.sha256(b"request %d" % n).digest(),
        envelope=b"envelope %d" % n,
        expiry=LedgerTime(sent_at + lifetime_ns),
        sent_at=LedgerTime(sent_at),
    )
    return dataclasses.replace(attempt, **overrides)


def make_reply(result: Value, time: int = NOW + SECOND) -> Reply:
    """A certified reply with one result, such as `Case("Ok", 7)` or `Case("Err", Case("BadFee", {...}))`."""
    return Reply([result], b"DIDL" + value_to_text(result).encode(), b"certificate", LedgerTime(time))


def make_block(intent: Intent, index: int = 7, **changes: Value) -> LedgerBlock:
    """The block that an execution of the intent makes; `changes` are fields of its `tx`, as ICRC-3 values."""
    card, recipient = intent.card, intent.card.recipient
    assert isinstance(recipient, Account)
    tx: dict[str, Value] = {
        "op": Case("Text", "xfer"),
        "from": _account_value(card.sender),
        "to": _account_value(recipient),
        "amt": Case("Nat", int(card.amount)),
        "fee": Case("Nat", int(card.fee)),
        "ts": Case("Nat", int(intent.stamp)),
    }
    if card.memo is not None:
        tx["memo"] = Case("Blob", card.memo)
    block: dict[str, Value] = {
        "phash": Case("Blob", bytes(32)),
        "ts": Case("Nat", intent.stamp + SECOND),
        "tx": _map_value({**tx, **changes}),
    }
    return read_block(index, _map_value(block))


def _account_value(account: Account) -> Value:
    parts: list[Value] = [Case("Blob", account.owner.raw)]
    if account.subaccount is not None:
        parts.append(Case("Blob", account.subaccount))
    return Case("Array", parts)


def _map_value(fields: Mapping[str, Value]) -> Value:
    pairs: list[Value] = [[name, value] for name, value in fields.items()]
    return Case("Map", pairs)
