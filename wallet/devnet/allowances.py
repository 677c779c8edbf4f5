"""What spenders may take from accounts (ICRC-2): set, used up, expired, and listed in order (ICRC-103)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from wallet.core.account import DEFAULT_SUBACCOUNT, Account, AccountId
from wallet.core.principal import Principal

Holder: TypeAlias = Account | AccountId
"""Whose tokens they are; the ICP ledger knows accounts by their ids only."""


@dataclass(frozen=True, slots=True)
class Allowance:
    amount: int = 0
    expires_at: int | None = None


class Allowances:
    """One allowance for each pair of account and spender; an expired one counts as none."""

    def __init__(self) -> None:
        self._by_pair: dict[tuple[Holder, Holder], Allowance] = {}

    def get(self, account: Holder, spender: Holder, now: int) -> Allowance:
        found = self._by_pair.get((account, spender), Allowance())
        if found.expires_at is not None and found.expires_at <= now:
            return Allowance()
        return found

    def set(self, account: Holder, spender: Holder, allowance: Allowance) -> None:
        if allowance.amount:
            self._by_pair[account, spender] = allowance
        else:
            self._by_pair.pop((account, spender), None)

    def use(self, account: Holder, spender: Holder, amount: int) -> None:
        """Take from it what was checked to be there."""
        held = self._by_pair[account, spender]
        self.set(account, spender, Allowance(held.amount - amount, held.expires_at))

    def listed(
        self, owner: Principal, start: Account, after: Account | None, now: int
    ) -> Iterator[tuple[Account, Account, Allowance]]:
        """What the owner gave from the account `start`, there only beyond the spender `after`, and from later ones."""
        pairs = [
            (account, spender)
            for account, spender in self._by_pair
            if isinstance(account, Account) and isinstance(spender, Account) and account.owner == owner
        ]
        for account, spender in sorted(pairs, key=lambda pair: (_order(pair[0]), _order(pair[1]))):
            if _order(account) < _order(start):
                continue
            if account == start and after is not None and _order(spender) <= _order(after):
                continue
            found = self.get(account, spender, now)
            if found.amount:
                yield account, spender, found

    def copy(self) -> Allowances:
        twin = Allowances()
        twin._by_pair = dict(self._by_pair)
        return twin


def _order(account: Account) -> tuple[bytes, bytes]:
    return account.owner.raw, account.subaccount or DEFAULT_SUBACCOUNT
