"""What callers ask of the ledger, what it answers when it declines, and the rules a call meets."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from wallet.core.principal import Principal
from wallet.core.value import Case
from wallet.devnet.blocks import Named, Party


class Trap(Exception):
    """The canister trapped: nothing was done, and the call is rejected with code 5."""


class Declined(Exception):
    """The ledger answers with this case of its Err variant; nothing was done."""

    def __init__(self, tag: str, **fields: int | str) -> None:
        super().__init__(tag)
        self.case = Case(tag, dict(fields) if fields else None)


@dataclass(frozen=True, slots=True)
class Rules:
    """What a call meets: the ledger's time and fee, and how it departs from the reference where a fault says so."""

    now: int
    fee: int
    busy: bool = False
    dedup: bool = True
    funds_first: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One call as the canister sees it. `certificate` is there in queries only: the system's over the ledger's tip."""

    method: str
    caller: Principal
    argument: bytes
    rules: Rules
    certificate: bytes | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of the argument bytes, hex."""
        return hashlib.sha256(self.argument).hexdigest()


@dataclass(frozen=True, slots=True)
class TransferRequest:
    """The fields of icrc1_transfer and icrc2_transfer_from; `spender` is set for the latter.

    `memo_number` is the memo of the ICP ledger's `transfer`, which names the recipient by its account id.
    """

    sender: Party
    to: Named
    amount: int
    spender: Party | None = None
    fee: int | None = None
    memo: bytes | None = None
    created_at: int | None = None
    memo_number: int | None = None


@dataclass(frozen=True, slots=True)
class ApproveRequest:
    sender: Party
    spender: Party
    amount: int
    expected_allowance: int | None = None
    expires_at: int | None = None
    fee: int | None = None
    memo: bytes | None = None
    created_at: int | None = None
