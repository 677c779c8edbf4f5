"""What an amount means on a ledger, pinned when it was added, and watched ever after (R34)."""

from wallet.core.errors import Refused
from wallet.ports import LedgerEntry, LedgerTerms, Network


async def check_terms(network: Network, ledger: LedgerEntry) -> None:
    """Raises Refused where the ledger now says something else than what was pinned. A query is enough to stop."""
    changes = changed_terms(ledger.terms, await network.stated_terms(ledger.terms.canister))
    if changes:
        raise Refused(
            f"The ledger {ledger.name} no longer says what it said when it was added: {'; '.join(changes)}. "
            "Nothing is prepared or sent until it is added again and you have seen the change: "
            f"wallet ledger add {ledger.terms.canister}"
        )


def changed_terms(pinned: LedgerTerms, stated: LedgerTerms) -> list[str]:
    """One clause for each thing that gives an amount its meaning and that changed."""
    changes = []
    if stated.decimals != pinned.decimals:
        changes.append(f"its decimals were {pinned.decimals} and are {stated.decimals}")
    if stated.symbol != pinned.symbol:
        changes.append(f"its symbol was {pinned.symbol!r} and is {stated.symbol!r}")
    if stated.minting_account != pinned.minting_account:
        changes.append("its minting account is another one")
    return changes
