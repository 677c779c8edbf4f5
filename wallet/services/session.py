"""An open wallet: one store, one network, one identity in use, and the services over them."""

import asyncio
from dataclasses import dataclass, replace

from wallet.core.errors import NetworkFault
from wallet.core.intent import Intent, State
from wallet.core.lifecycle import weigh
from wallet.ports import Clock, IdentityEntry, Network, Store, Vault
from wallet.services.allowances import Allowances
from wallet.services.identities import Identities
from wallet.services.ledgers import Ledgers
from wallet.services.preparing import Preparing
from wallet.services.progress import Report
from wallet.services.sending import Sending


@dataclass(frozen=True, slots=True)
class Session:
    """What a front end works with. `identity` is None in an empty wallet."""

    store: Store
    network: Network
    vault: Vault
    clock: Clock
    identity: IdentityEntry | None
    identities: Identities
    ledgers: Ledgers
    allowances: Allowances
    preparing: Preparing
    sending: Sending

    def intent(self, intent_id: str) -> Intent | None:
        intent = self.store.intent(intent_id)
        return None if intent is None else as_it_stands(self.store, intent)

    def intents(self, *, unsettled: bool = False, limit: int | None = None) -> list[Intent]:
        """Unsettled first, then newest first."""
        return [as_it_stands(self.store, each) for each in self.store.intents(unsettled=unsettled, limit=limit)]

    async def restamp(self, intent_id: str, wait_s: float, report: Report) -> Intent:
        """The successor of an intent whose stamp is of no more use, to be confirmed anew; or that intent itself, where
        the ledger's history shows that its bytes did execute (R23)."""
        self.preparing.require_restampable(intent_id)
        old = await self.sending.reconcile(intent_id, wait_s, report)
        if old.outcome.moved is not False:
            return old
        try:
            async with asyncio.timeout(wait_s):
                return await self.preparing.restamp(intent_id, self.ledgers.find(str(old.ledger)))
        except TimeoutError:
            raise NetworkFault(f"The network did not answer within {wait_s:g} s. No new stamp was made.") from None


def as_it_stands(store: Store, intent: Intent) -> Intent:
    """An intent found `sending` that nobody is sending was interrupted: it is what its evidence says (R18, R30)."""
    if intent.state is not State.SENDING or store.is_being_sent(intent.id):
        return intent
    return replace(intent, outcome=weigh(intent, None))
