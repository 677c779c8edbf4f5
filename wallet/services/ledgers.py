"""The ledgers of a network: added with certified terms, shown with their balances (R34)."""

import asyncio
from dataclasses import dataclass, replace

from wallet.core.account import Account
from wallet.core.errors import BadInput, NetworkFault
from wallet.core.ledger_time import DedupWindow
from wallet.core.names import check_name
from wallet.core.principal import Principal
from wallet.ports import LedgerEntry, LedgerTerms, Network, Store
from wallet.services.concluding import distrusted
from wallet.services.known_ledgers import is_proven
from wallet.services.terms import changed_terms


@dataclass(frozen=True, slots=True)
class Balance:
    """What one account holds, by query; `amount` is None, and `why` says why, where the ledger did not answer."""

    ledger: LedgerEntry
    account: Account
    amount: int | None
    why: str = ""


class Ledgers:
    """The person's list of ledgers on one network."""

    def __init__(self, store: Store, network: Network) -> None:
        self._store = store
        self._network = network

    def all(self) -> list[LedgerEntry]:
        return self._store.ledgers(self._network.root_key)

    def find(self, name: str | None) -> LedgerEntry:
        """By name, symbol or canister id; without a name the only one there is. Raises BadInput."""
        entries = self.all()
        if name is None:
            if len(entries) == 1:
                return entries[0]
            what = "say which ledger" if entries else "add a ledger first: wallet ledger add CANISTER"
            raise BadInput("ledger", f"there are {len(entries)} ledgers on {self._network.name}: {what}")
        exact = [each for each in entries if name in (each.name, str(each.terms.canister))]
        found = exact or [each for each in entries if name.lower() in (each.name.lower(), each.terms.symbol.lower())]
        if len(found) != 1:
            trouble = "is not a ledger here" if not found else "names more than one ledger"
            known = ", ".join(each.name for each in entries) or "none yet"
            raise BadInput("ledger", f"{name!r} {trouble}; ledgers on {self._network.name}: {known}")
        return found[0]

    async def read_terms(self, canister: str) -> LedgerTerms:
        """What the ledger says an amount means, certified. Raises BadInput where it is no ICRC-1 ledger."""
        try:
            principal = Principal.from_text(canister.strip())
        except ValueError as error:
            raise BadInput("ledger", str(error)) from None
        return await self._network.terms(principal)

    def changes(self, terms: LedgerTerms) -> tuple[str, ...]:
        """What these terms change for a ledger that is known already."""
        known = self._known(terms.canister)
        return () if known is None else tuple(changed_terms(known.terms, terms))

    def pin(self, terms: LedgerTerms, name: str | None, window: DedupWindow | None) -> LedgerEntry:
        """Keep the terms, and a window that the person vouches for; what is left out stays as it was, or is the
        ledger's symbol and the specification's window."""
        if name is not None:
            check_name(name)
        known = self._known(terms.canister)
        name = name or (known.name if known else self._free_name(terms.symbol))
        for each in self.all():
            if each.name == name and each.terms.canister != terms.canister:
                raise BadInput(
                    "name", f"{name!r} is the ledger {each.terms.canister} already; give this one another name"
                )
        if known is not None:
            entry = replace(known, name=name, terms=terms, window=window or known.window)
        else:
            is_broken = self._store.setting(distrusted(self._network.root_key, terms.canister)) is not None  # R27
            proven = is_proven(self._network.name, terms.canister) and not is_broken  # R19
            entry = LedgerEntry(self._network.root_key, name, terms, window or DedupWindow(), proven, is_broken)
        self._store.put_ledger(entry)
        return entry

    def remove(self, name: str) -> LedgerEntry:
        entry = self.find(name)
        self._store.remove_ledger(self._network.root_key, entry.terms.canister)
        return entry

    async def balances(self, owner: Principal, ledgers: list[LedgerEntry]) -> list[Balance]:
        """The default account's balance on each ledger, asked at once; a silent one does not spoil the rest."""
        account = Account(owner)
        return list(await asyncio.gather(*(self._balance(ledger, account) for ledger in ledgers)))

    async def _balance(self, ledger: LedgerEntry, account: Account) -> Balance:
        try:
            return Balance(ledger, account, await self._network.balance(ledger.terms.canister, account))
        except NetworkFault as fault:
            return Balance(ledger, account, None, str(fault))

    def _known(self, canister: Principal) -> LedgerEntry | None:
        return next((each for each in self.all() if each.terms.canister == canister), None)

    def _free_name(self, symbol: str) -> str:
        taken = {each.name for each in self.all()}
        return next(
            name for n in range(len(taken) + 1) if (name := symbol if n == 0 else f"{symbol}-{n + 1}") not in taken
        )
