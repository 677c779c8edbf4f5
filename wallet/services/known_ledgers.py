"""Ledgers of mainnet that are known to answer a repeat with Duplicate (R19's bundled list)."""

from wallet.core.principal import Principal
from wallet.ports import MAINNET

_PROVEN = {
    "ryjl3-tyaaa-aaaaa-aaaba-cai": "ICP",
    "mxzaz-hqaaa-aaaar-qaada-cai": "ckBTC",
    "ss2fx-dyaaa-aaaar-qacoq-cai": "ckETH",
    "xevnm-gaaaa-aaaar-qafnq-cai": "ckUSDC",
}


def is_proven(network: str, canister: Principal) -> bool:
    """Whether the ledger's deduplication needs no proof of its own. Only mainnet's name stands for a fixed root key."""
    return network == MAINNET and canister.text in _PROVEN
