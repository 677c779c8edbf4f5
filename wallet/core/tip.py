"""The end of a ledger's chain of blocks, as its certificate states it (ICRC-3)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tip:
    """Index and hash of the last block; recorded with a stamp as the anchor below which its bytes cannot be (R25)."""

    index: int
    hash: bytes
