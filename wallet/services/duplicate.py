"""The block that an already_done names, fetched and laid beside the intent (R20)."""

import asyncio
from dataclasses import replace

from wallet.core.account import Account
from wallet.core.blocks import APPROVE, WantedBlock, compare
from wallet.core.errors import NetworkFault
from wallet.core.intent import Intent
from wallet.core.pack import Operation
from wallet.ports import LedgerEntry, Network, Store

BLOCK_WAIT_S = 8.0
"""How long the block is waited for; without it the intent is settled all the same."""


async def fetch_duplicate(
    store: Store, network: Network, intent: Intent, ledger: LedgerEntry | None, wait_s: float = BLOCK_WAIT_S
) -> Intent:
    """Fetch and keep the block; one that differs from the intent is an alarm (R20, R35)."""
    index = intent.outcome.duplicate_of
    if index is None:
        return intent
    try:
        async with asyncio.timeout(min(wait_s, BLOCK_WAIT_S)):
            block = await network.block(intent.ledger, index)
    except (TimeoutError, NetworkFault):
        block = None
    wanted = wanted_block(intent, ledger)
    differs = () if block is None else tuple(each.field for each in compare(block, wanted))
    stored = store.record_duplicate(intent, block, differs)
    if block is not None and not differs and ledger is not None and not ledger.dedup_broken and not ledger.dedup_proven:
        store.put_ledger(replace(ledger, dedup_proven=True))  # R19: it knew the repeat
    return stored or store.intent(intent.id) or intent


def wanted_block(intent: Intent, ledger: LedgerEntry | None) -> WantedBlock:
    """What an execution of the intent makes, as a block of that ledger would record it."""
    card = intent.card
    unsaid = frozenset(
        name for name, is_unsaid in (("stamp", not intent.has_stamp), ("memo", card.memo_is_number)) if is_unsaid
    )
    if card.operation is Operation.APPROVE:
        assert isinstance(card.recipient, Account)
        return WantedBlock(
            APPROVE,
            card.sender,
            None,
            card.amount,
            card.fee,
            card.memo,
            intent.stamp,
            spender=card.recipient,
            expires_at=card.expires_at,
            unsaid=unsaid,
        )
    return WantedBlock.transfer(
        card.sender,
        card.recipient,
        card.amount,
        card.fee,
        card.memo,
        intent.stamp,
        minting_account=None if ledger is None else ledger.terms.minting_account,
        spender=card.spender,
        unsaid=unsaid,
    )
