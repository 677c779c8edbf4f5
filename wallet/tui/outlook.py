"""What the network said last: certified time and balances, and why there is no answer; for looking at only (R33)."""

import asyncio

from wallet.core.errors import NetworkFault, Untrusted
from wallet.core.ledger_time import SECOND, LedgerTime
from wallet.core.principal import Principal
from wallet.services.ledgers import Balance
from wallet.services.session import Session


class Outlook:
    """`trouble` is why the last look brought nothing; empty where it did."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.balances: list[Balance] = []
        self.trouble = ""
        self.is_asking = False
        self._certified: tuple[LedgerTime, float] | None = None

    @property
    def ledger_time(self) -> LedgerTime | None:
        """Certified time, carried on by the monotonic clock: for ages and countdowns only (R33)."""
        if self._certified is None:
            return None
        moment, since_s = self._certified
        return LedgerTime(moment + int((self._session.clock.now_s() - since_s) * SECOND))

    def balance_of(self, ledger: Principal) -> int | None:
        """Of the default account, as last asked."""
        return next((each.amount for each in self.balances if each.ledger.terms.canister == ledger), None)

    async def look(self, wait_s: float) -> None:
        session = self._session
        ledgers = session.ledgers.all()
        if not ledgers:
            return
        self.is_asking = True
        try:
            async with asyncio.timeout(wait_s):
                certified = await session.network.time(ledgers[0].terms.canister)
                self._certified = (certified, session.clock.now_s())
                self.trouble = ""
                if session.identity is not None:
                    self.balances = await session.ledgers.balances(session.identity.principal, ledgers)
        except Untrusted:
            self.trouble = "the network's answers do not verify"
        except (NetworkFault, TimeoutError):
            self.trouble = "the network does not answer"
        finally:
            self.is_asking = False
