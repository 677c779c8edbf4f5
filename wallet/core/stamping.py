"""Choosing a stamp from certified time: the wallet's alone to write (R11, R14, R23)."""

from collections.abc import Set
from itertools import chain

from wallet.core.ledger_time import SECOND, LedgerTime


def choose_stamp(
    certified: LedgerTime,
    random_ns: int,
    taken: Set[LedgerTime],
    later_than: LedgerTime | None = None,
    not_later_than: LedgerTime | None = None,
    unit_ns: int = 1,
) -> LedgerTime | None:
    """The stamp for a new intent, or None while certified time has not come far enough to allow one.

    `random_ns`, from 0 to a second, is taken off certified time, so that two machines with one seed do not mint equal
    bytes (R11). `taken` are the sender's stamps, `later_than` the last one of the same payment (R14), and
    `not_later_than` the clock of a ledger that said CreatedInFuture (R23). It is a whole number of `unit_ns`.
    """
    latest = certified if not_later_than is None else min(certified, not_later_than)
    earliest = max(latest - max(SECOND, unit_ns), 0 if later_than is None else later_than + 1)
    # A ledger that counts in coarser units is given whole ones: what is unique is what it sees.
    first, last = -(-earliest // unit_ns), latest // unit_ns
    if first > last:
        return None
    stamp = last - random_ns // unit_ns % (last - first + 1)
    # Step to the nearest free moment: earlier first, then later, never beyond certified time.
    for candidate in chain(range(stamp, first - 1, -1), range(stamp + 1, last + 1)):
        if candidate * unit_ns not in taken:
            return LedgerTime(candidate * unit_ns)
    return None
