"""The outcome classes: what one reply of a ledger means for the intent (R2)."""

from enum import StrEnum


class OutcomeClass(StrEnum):
    """The six words a pack may use, and the one that only the wallet concludes (R2)."""

    SUCCESS = "success"
    ALREADY_DONE = "already_done"
    RETRY_SAME = "retry_same"
    RETRY_NEW = "retry_new"
    FIX_INPUT = "fix_input"
    FAIL = "fail"
    RECONCILE = "reconcile"


PACK_CLASSES = frozenset(OutcomeClass) - {OutcomeClass.RECONCILE}
"""The words that may stand in a pack (R2, R24)."""
