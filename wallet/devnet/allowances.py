"""What spenders may take from accounts (ICRC-2): set, used up, expired."""

from __future__ import annotations

from dataclasses import dataclass

from wallet.core.account import Account


@dataclass(frozen=True, slots=True)
class Allowance:
    amount: int = 0
    expires_at: int | None = None


class Allowances:
    """One allowance for each pair of account and spender; an expired one counts as none."""

    def __init__(self) -> None:
        self._by_pair: dict[tuple[Account, Account], Allowance] = {}

    def get(self, account: Account, spender: Account, now: int) -> Allowance:
        found = self._by_pair.get((account, spender), Allowance())
        if found.expires_at is not None and found.expires_at <= now:
            return Allowance()
        return found

    def set(self, account: Account, spender: Account, allowance: Allowance) -> None:
        if allowance.amount:
            self._by_pair[account, spender] = allowance
        else:
            self._by_pair.pop((account, spender), None)

    def use(self, account: Account, spender: Account, amount: int) -> None:
        """Take from it what was checked to be there."""
        held = self._by_pair[account, spender]
        self.set(account, spender, Allowance(held.amount - amount, held.expires_at))

    def copy(self) -> Allowances:
        twin = Allowances()
        twin._by_pair = dict(self._by_pair)
        return twin
