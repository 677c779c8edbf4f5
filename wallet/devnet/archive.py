"""The archive canister: it holds the ledger's older blocks and answers for nothing else."""

from __future__ import annotations

from wallet.adapters.ic.candid import METHODS, encode
from wallet.core.value import Value
from wallet.devnet.arguments import ranges
from wallet.devnet.canister import NoSuchMethod, block_types
from wallet.devnet.faults import Faults
from wallet.devnet.history import archive_blocks
from wallet.devnet.interface import ARCHIVE_DID
from wallet.devnet.ledger import Ledger
from wallet.devnet.settings import ARCHIVE_ID


class Stopped(Exception):
    """The archive does not answer (fault `hide_archive`)."""


def query(ledger: Ledger, faults: Faults, method: str, argument: bytes) -> bytes:
    """Run one of its methods; the reply's bytes. Raises Trap, NoSuchMethod, Stopped."""
    if ledger.options.kind == "icp":
        raise NoSuchMethod(f"Canister has no query method '{method}'")  # its archives know nothing of ICRC-3
    if faults.standing("hide_archive"):
        raise Stopped(f"Canister {ARCHIVE_ID} is stopped and therefore does not have a CallContextManager")
    result: Value
    match method:
        case "icrc3_get_blocks":
            result = archive_blocks(ledger, ranges(argument))
        case "icrc3_supported_block_types":
            result = block_types()
        case "__get_candid_interface_tmp_hack":
            return encode(METHODS["icrc1_name"].results, [ARCHIVE_DID])
        case _:
            raise NoSuchMethod(f"Canister has no query method '{method}'")
    return encode(METHODS[method].results, [result])
