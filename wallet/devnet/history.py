"""Which blocks a request gets, from the ledger and from its archive (ICRC-3), and the archive canister itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from wallet.core.value import Value
from wallet.devnet.blocks import Block
from wallet.devnet.settings import ARCHIVE_ID

if TYPE_CHECKING:
    from wallet.devnet.ledger import Ledger

MAX_BLOCKS: Final = 100
"""In one reply, as the reference ledger has it."""


def ledger_blocks(ledger: Ledger, asked: Sequence[tuple[int, int]]) -> Value:
    """The ledger's answer: the blocks it still has, and where the older ones are."""
    here = _taken(ledger.blocks, asked, ledger.archived, len(ledger.blocks))
    archived: list[Value] = [
        {"start": start, "length": min(start + length, ledger.archived) - start}
        for start, length in asked
        if start < ledger.archived and length > 0
    ]
    elsewhere: list[Value] = [{"args": archived, "callback": [ARCHIVE_ID, "icrc3_get_blocks"]}] if archived else []
    return {"log_length": len(ledger.blocks), "blocks": list(here), "archived_blocks": elsewhere}


def archive_blocks(ledger: Ledger, asked: Sequence[tuple[int, int]]) -> Value:
    """The archive's answer; its log is as long as what it holds."""
    here = _taken(ledger.blocks, asked, 0, ledger.archived)
    return {"log_length": ledger.archived, "blocks": list(here), "archived_blocks": []}


def _taken(blocks: Sequence[Block], asked: Sequence[tuple[int, int]], low: int, high: int) -> Iterator[Value]:
    left = MAX_BLOCKS
    for start, length in asked:
        for block in blocks[max(start, low) : min(start + length, high)][:left]:
            left -= 1
            yield {"id": block.index, "block": block.value}
