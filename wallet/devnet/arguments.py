"""Reads a call's Candid argument the way the ledger's types do; what does not fit makes the canister trap."""

from __future__ import annotations

from wallet.adapters.ic.candid import Undecodable, decode
from wallet.core.account import SUBACCOUNT_BYTES, AccountId
from wallet.core.principal import Principal
from wallet.core.value import Value
from wallet.devnet.blocks import Party
from wallet.devnet.requests import Trap

_MAX_NAT64 = (1 << 64) - 1


class Record:
    """One record argument. A field that is not there is an absent opt, as Candid's subtyping has it."""

    def __init__(self, value: Value) -> None:
        if not isinstance(value, dict):
            raise Trap("failed to decode call arguments: a record is expected")
        self._fields = value

    @classmethod
    def only(cls, argument: bytes) -> Record:
        """The first argument of a message; further ones are left alone, as canisters do."""
        values = decoded(argument)
        return cls(values[0] if values else None)

    def nat(self, name: str) -> int:
        number = self.opt_nat(name)
        if number is None:
            raise Trap(f"failed to decode call arguments: the field {name} is missing")
        return number

    def opt_nat(self, name: str) -> int | None:
        value = self._fields.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise Trap(f"failed to decode call arguments: {name} is not a nat")
        return value

    def opt_nat64(self, name: str) -> int | None:
        value = self.opt_nat(name)
        if value is not None and value > _MAX_NAT64:
            raise Trap(f"failed to decode call arguments: {name} is not a nat64")
        return value

    def nat64(self, name: str) -> int:
        self.nat(name)
        return self.opt_nat64(name) or 0

    def opt_record(self, name: str) -> Record | None:
        value = self._fields.get(name)
        return None if value is None else Record(value)

    def e8s(self, name: str) -> int:
        """An amount as the ICP ledger writes it."""
        return Record(self._fields.get(name)).nat64("e8s")

    def account_id(self, name: str) -> AccountId:
        try:
            return AccountId(self.opt_blob(name) or b"")
        except ValueError as why:
            raise Trap(f"Invalid account identifier: {why}") from None

    def opt_blob(self, name: str) -> bytes | None:
        value = self._fields.get(name)
        if value is None:
            return None
        if isinstance(value, list) and not value:
            return b""
        if not isinstance(value, bytes):
            raise Trap(f"failed to decode call arguments: {name} is not a blob")
        return value

    def opt_subaccount(self, name: str) -> bytes | None:
        value = self.opt_blob(name)
        if value is not None and len(value) != SUBACCOUNT_BYTES:
            raise Trap(f"failed to decode call arguments: {name} has {len(value)} bytes, not {SUBACCOUNT_BYTES}")
        return value

    def opt_principal(self, name: str) -> Principal | None:
        value = self._fields.get(name)
        if value is not None and not isinstance(value, Principal):
            raise Trap(f"failed to decode call arguments: {name} is not a principal")
        return value

    def party(self, name: str) -> Party:
        return party(self._fields.get(name))

    def opt_party(self, name: str) -> Party | None:
        return None if self._fields.get(name) is None else self.party(name)


def party(value: Value) -> Party:
    """An account argument, as it was written."""
    record = Record(value)
    owner = record.opt_principal("owner")
    if owner is None:
        raise Trap("failed to decode call arguments: an account has no owner")
    return Party(owner, record.opt_subaccount("subaccount"))


def ranges(argument: bytes) -> list[tuple[int, int]]:
    """The (start, length) pairs of icrc3_get_blocks."""
    values = decoded(argument)
    if not values or not isinstance(values[0], list):
        raise Trap("failed to decode call arguments: a vec of ranges is expected")
    records = [Record(item) for item in values[0]]
    return [(record.nat("start"), record.nat("length")) for record in records]


def decoded(argument: bytes) -> list[Value]:
    try:
        return decode(argument)
    except Undecodable as why:
        raise Trap(f"failed to decode call arguments: {why}") from None
