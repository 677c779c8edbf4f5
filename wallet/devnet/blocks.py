"""Transactions and the blocks that record them, in the form the reference ledger gives them (ICRC-3)."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias, cast

from wallet.core.account import Account, AccountId
from wallet.core.icrc3 import value_hash
from wallet.core.principal import Principal
from wallet.core.value import Case, Value

Operation: TypeAlias = Literal["xfer", "mint", "burn", "approve"]


@dataclass(frozen=True, slots=True)
class Party:
    """An account as the caller wrote it: to the ledger, absent and 32 zero bytes make two different transfers."""

    owner: Principal
    subaccount: bytes | None = None

    @property
    def account(self) -> Account:
        """Whose balance it is."""
        return Account.of(self.owner, self.subaccount)

    @property
    def value(self) -> Case:
        parts = [self.owner.raw] if self.subaccount is None else [self.owner.raw, self.subaccount]
        return Case("Array", [Case("Blob", part) for part in parts])

    def as_json(self) -> list[str]:
        return [self.owner.text] if self.subaccount is None else [self.owner.text, self.subaccount.hex()]

    @classmethod
    def from_json(cls, stored: list[str]) -> Self:
        return cls(Principal.from_text(stored[0]), bytes.fromhex(stored[1]) if len(stored) > 1 else None)


Named: TypeAlias = Party | AccountId
"""Who is in a transaction: an account as it was written, or, on the ICP ledger, an account id."""


@dataclass(frozen=True, slots=True)
class Transaction:
    """What a caller asked for, as written. Equal ones with a stamp are what the ledger calls duplicates."""

    operation: Operation
    amount: int
    sender: Named | None = None
    to: Named | None = None
    spender: Named | None = None
    fee: int | None = None
    memo: bytes | None = None
    created_at: int | None = None
    expected_allowance: int | None = None
    expires_at: int | None = None
    memo_number: int | None = None

    @property
    def value(self) -> Case:
        nats = {
            "amt": self.amount,
            "fee": self.fee,
            "ts": self.created_at,
            "expected_allowance": self.expected_allowance,
            "expires_at": self.expires_at,
            "memo_number": self.memo_number,
        }
        parties = {"from": self.sender, "to": self.to, "spender": self.spender}
        fields: dict[str, Case] = {"op": Case("Text", self.operation)}
        fields |= {name: Case("Nat", number) for name, number in nats.items() if number is not None}
        fields |= {name: _value(party) for name, party in parties.items() if party is not None}
        if self.memo is not None:
            fields["memo"] = Case("Blob", self.memo)
        return _map(fields)

    def as_json(self) -> dict[str, Any]:
        """The fields that are there: amounts and times as digits, account ids as hex."""
        fields: dict[str, Any] = {"op": self.operation, "amt": str(self.amount)}
        for name, party in (("from", self.sender), ("to", self.to), ("spender", self.spender)):
            if party is not None:
                fields[name] = party.text if isinstance(party, AccountId) else party.as_json()
        for name, number in (
            ("fee", self.fee),
            ("ts", self.created_at),
            ("expected_allowance", self.expected_allowance),
            ("expires_at", self.expires_at),
            ("memo_number", self.memo_number),
        ):
            if number is not None:
                fields[name] = str(number)
        if self.memo is not None:
            fields["memo"] = self.memo.hex()
        return fields

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        def party(name: str) -> Named | None:
            found = stored.get(name)
            return AccountId.from_text(found) if isinstance(found, str) else found and Party.from_json(found)

        def number(name: str) -> int | None:
            return int(stored[name]) if name in stored else None

        return cls(
            operation=cast(Operation, stored["op"]),
            amount=int(stored["amt"]),
            sender=party("from"),
            to=party("to"),
            spender=party("spender"),
            fee=number("fee"),
            memo=bytes.fromhex(stored["memo"]) if "memo" in stored else None,
            created_at=number("ts"),
            expected_allowance=number("expected_allowance"),
            expires_at=number("expires_at"),
            memo_number=number("memo_number"),
        )


@dataclass(frozen=True)
class Block:
    """One block. `fee` stands here only where the caller left it out; `charged` is what was taken either way.

    `typed` is the newer form with a `btype`. `arguments` (SHA-256 of the call's argument bytes) is no part of the
    block: it is kept so that a test can count how often the same bytes ran.
    """

    index: int
    parent: bytes | None
    timestamp: int
    transaction: Transaction
    fee: int | None
    typed: bool = False
    arguments: str | None = None

    @property
    def charged(self) -> int:
        return self.transaction.fee or self.fee or 0

    @property
    def block_type(self) -> str:
        match self.transaction:
            case Transaction(operation="xfer", spender=None):
                return "1xfer"
            case Transaction(operation="xfer"):
                return "2xfer"
            case Transaction(operation="approve"):
                return "2approve"
            case Transaction(operation=operation):
                return f"1{operation}"

    @functools.cached_property
    def value(self) -> Case:
        fields: dict[str, Case] = {"ts": Case("Nat", self.timestamp), "tx": self.transaction.value}
        if self.parent is not None:
            fields["phash"] = Case("Blob", self.parent)
        if self.fee is not None:
            fields["fee"] = Case("Nat", self.fee)
        if self.typed:
            fields["btype"] = Case("Text", self.block_type)
        return _map(fields)

    @functools.cached_property
    def hash(self) -> bytes:
        return value_hash(self.value)

    def as_json(self) -> dict[str, Any]:
        """The block for a person or a test: amounts and times as digits, blobs as hex."""
        shown: dict[str, Any] = {"index": str(self.index), "ts": str(self.timestamp), "tx": self.transaction.as_json()}
        if self.fee is not None:
            shown["fee"] = str(self.fee)
        if self.typed:
            shown["btype"] = self.block_type
        shown["phash"] = self.parent.hex() if self.parent is not None else None
        shown["hash"] = self.hash.hex()
        shown["arguments_sha256"] = self.arguments
        return shown


def _value(party: Named) -> Case:
    return Case("Blob", party.raw) if isinstance(party, AccountId) else party.value


def _map(fields: dict[str, Case]) -> Case:
    pairs: list[Value] = [[name, fields[name]] for name in sorted(fields)]
    return Case("Map", pairs)
