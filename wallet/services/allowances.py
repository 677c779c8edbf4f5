"""What an account has allowed others to spend (ICRC-2), as the ledger tells it."""

import asyncio
from dataclasses import dataclass

from wallet.core.account import Account
from wallet.core.pack import Operation
from wallet.ports import Allowance, LedgerEntry, Network, Store

LOOKED_THROUGH = 500
"""How many of the newest intents are looked through for spenders, where the ledger lists none."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """The allowances of an account that are not nought. `is_complete`: the ledger listed them all (ICRC-103); else they
    are those of spenders that this wallet allowed something lately."""

    account: Account
    allowances: tuple[Allowance, ...]
    is_complete: bool


class Allowances:
    """Reads the allowances of one network's ledgers, by query: one replica's word."""

    def __init__(self, store: Store, network: Network) -> None:
        self._store = store
        self._network = network

    async def given_by(self, account: Account, ledger: LedgerEntry) -> Allowed:
        """Raises NetworkFault, also where the ledger has no allowances at all."""
        canister = ledger.terms.canister
        listed = await self._network.allowances(canister, account)
        if listed is not None:
            return Allowed(account, tuple(each for each in listed if each.amount), is_complete=True)
        spenders = self._known_spenders(account, ledger)
        found = await asyncio.gather(*(self._network.allowance(canister, account, each) for each in spenders))
        return Allowed(account, tuple(each for each in found if each.amount), is_complete=False)

    def _known_spenders(self, account: Account, ledger: LedgerEntry) -> list[Account]:
        intents = self._store.intents(limit=LOOKED_THROUGH)
        approves = [
            each.card.recipient
            for each in intents
            if each.card.operation is Operation.APPROVE
            and (each.root_key, each.ledger, each.card.sender) == (ledger.root_key, ledger.terms.canister, account)
        ]
        return list(dict.fromkeys(each for each in approves if isinstance(each, Account)))
