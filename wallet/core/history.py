"""Reading a stretch of a ledger's blocks as one hash chain between two certified ends (R25)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from wallet.core.blocks import LedgerBlock, Likeness, WantedBlock, likeness, read_block
from wallet.core.icrc3 import value_hash
from wallet.core.ledger_time import LedgerTime
from wallet.core.tip import Tip
from wallet.core.value import Value


class ChainBroken(Exception):
    """The blocks given do not make one chain from the start to the tip: nothing may be concluded from them (R25)."""

    def __init__(self, index: int, why: str) -> None:
        super().__init__(f"at block {index} {why}")
        self.index = index
        self.why = why


@dataclass(frozen=True, slots=True)
class Reading:
    """How far a chain was followed, and what of it is like the intent.

    Blocks `first` up to but not including `next` were read. `parent` is the hash that block `next` must name; None at
    the very start of a chain that has no anchor: then its first block is vouched for by the tip alone.
    """

    first: int
    next: int
    parent: bytes | None
    begins: LedgerTime | None = None  # the time of block `first`, once it was read
    same: tuple[LedgerBlock, ...] = ()
    unsure: tuple[int, ...] = ()

    @classmethod
    def after(cls, anchor: Tip) -> "Reading":
        """From the certified tip that was recorded with the stamp: the bytes are in no block up to there."""
        return cls(anchor.index + 1, anchor.index + 1, anchor.hash)

    @classmethod
    def at(cls, index: int) -> "Reading":
        """From a block that was looked up by its time."""
        return cls(index, index, None)


def read_on(reading: Reading, blocks: Mapping[int, Value], wanted: WantedBlock) -> Reading:
    """Follow the chain as far as `blocks` go without a gap. Raises ChainBroken, and MalformedBlock for what is none."""
    index, parent, begins = reading.next, reading.parent, reading.begins
    same, unsure = list(reading.same), list(reading.unsure)
    while index in blocks:
        block = read_block(index, blocks[index])
        if index == 0 and block.parent_hash is not None:
            raise ChainBroken(index, "the first block names a parent")
        if index > 0 and block.parent_hash is None:
            raise ChainBroken(index, "the block names no parent")
        if parent is not None and block.parent_hash != parent:
            raise ChainBroken(index, "the block names another parent than the block before it")
        match likeness(block, wanted):
            case Likeness.SAME:
                same.append(block)
            case Likeness.UNSURE:
                unsure.append(index)
            case Likeness.OTHER:
                pass
        if index == reading.first:
            begins = block.timestamp
        parent = _hash(index, blocks[index])
        index += 1
    return replace(reading, next=index, parent=parent, begins=begins, same=tuple(same), unsure=tuple(unsure))


def _hash(index: int, block: Value) -> bytes:
    try:
        return value_hash(block)
    except ValueError as fault:
        raise ChainBroken(index, f"the block has no hash: {fault}") from None


def is_complete(reading: Reading, last: int, tip_hash: bytes | None) -> bool:
    """Whether the chain has come to block `last`. `tip_hash` is its certified hash; None where every block was read by
    certified calls. Raises ChainBroken where the chain came there as another one."""
    if reading.next > last + 1:
        raise ChainBroken(last, "the certified chain ends before a block that was there already")
    if reading.next <= last:
        return False
    if tip_hash is not None and reading.parent is not None and reading.parent != tip_hash:
        raise ChainBroken(last, "the chain that was read is not the certified one")
    return True
