"""What a ledger says at one moment of what a payment needs: fee, balance, allowance, time and tip."""

import asyncio
from dataclasses import dataclass

from wallet.core.account import Account
from wallet.core.convert import Payment
from wallet.core.ledger_time import LedgerTime
from wallet.core.pack import Operation
from wallet.core.pack_tags import Fee
from wallet.core.tip import Tip
from wallet.ports import FEE_QUERY, Allowance, LedgerEntry, Network
from wallet.services.speakers import Speaker
from wallet.services.terms import check_terms


@dataclass(frozen=True, slots=True)
class Quote:
    """What the ledger says at this moment: fee, balance and allowance by query, time and tip certified."""

    fee: int
    balance: int
    allowance: Allowance | None  # what the spender may spend so far; None where there is no spender
    now: LedgerTime
    tip: Tip | None

    @property
    def available(self) -> int:
        return self.balance if self.allowance is None else min(self.balance, self.allowance.amount)


async def quote(network: Network, ledger: LedgerEntry, payment: Payment) -> Quote:
    """Ask everything at once. Raises Refused where the ledger's terms changed (R34), and NetworkFault."""
    canister = ledger.terms.canister
    _, fee, balance, allowance, now, tip = await asyncio.gather(
        check_terms(network, ledger),
        network.fee(canister),
        network.balance(canister, payment.sender),
        _allowance(network, ledger, payment),
        network.time(canister),
        network.tip(canister),
    )
    return Quote(fee, balance, allowance, now, tip[0] if tip is not None else None)


async def fee_by(network: Network, ledger: LedgerEntry, speaker: Speaker, quoted: Quote) -> int:
    """What the query that the pack names answers; most name the one that was asked already."""
    fee = speaker.pack.tagged(speaker.method, Fee)
    if fee is None or fee[1].auto == FEE_QUERY:
        return quoted.fee
    return await network.fee(ledger.terms.canister, fee[1].auto)


async def _allowance(network: Network, ledger: LedgerEntry, payment: Payment) -> Allowance | None:
    spender = payment.recipient if payment.operation is Operation.APPROVE else payment.spender
    if not isinstance(spender, Account):
        return None
    return await network.allowance(ledger.terms.canister, payment.sender, spender)
