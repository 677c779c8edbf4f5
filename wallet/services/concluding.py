"""What a look into the history, or the person's word, makes of an intent: recorded with its verdict and its alarm."""

from dataclasses import replace
from hashlib import sha256

from wallet.core.errors import StoreFault
from wallet.core.finding import NO_BLOCKS, Absent, CannotTell, Finding, Found, LookedAgain
from wallet.core.intent import Intent, Outcome
from wallet.core.lifecycle import can_none_start, weigh
from wallet.core.principal import Principal
from wallet.ports import Store


def conclude(store: Store, intent: Intent, finding: Finding) -> Intent:
    """Record the finding and the verdict that follows. Never lost to another wallet's change: read again, weigh again.

    An alarm stands beside the verdict (R25, R27, R35).
    """
    while True:
        current = find_again(store, intent)
        verdict = _verdict(current, finding)
        stored = store.record_finding(current, finding, verdict, _alarm(current, finding))
        if stored is not None:
            break
    if isinstance(finding, LookedAgain) and len(finding.blocks) > 1:
        _distrust(store, stored)
    return stored


def find_again(store: Store, intent: Intent) -> Intent:
    """The intent as it is stored now. Raises StoreFault where an attempt is gone: no wallet of ours takes one back."""
    found = store.intent(intent.id)
    if found is None or len(found.attempts) < len(intent.attempts):
        raise StoreFault(f"The store does not have {intent.id} as it was kept there: the file was replaced meanwhile.")
    return found


def _verdict(intent: Intent, finding: Finding) -> Outcome:
    if intent.is_settled and isinstance(finding, LookedAgain | CannotTell):
        # A look that could not be taken to its end, or while a call may still run, saw too little: one more stays due.
        can_tell = isinstance(finding, LookedAgain) or finding.why == NO_BLOCKS
        still_due = intent.outcome.look_due and not (can_tell and can_none_start(intent))
        return replace(intent.outcome, look_due=still_due)  # R27
    return weigh(replace(intent, findings=(*intent.findings, finding)), None)


def _alarm(intent: Intent, finding: Finding) -> str | None:
    match finding:
        case LookedAgain(blocks=blocks) if len(blocks) > 1:
            numbers = ", ".join(map(str, blocks))
            return (
                f"This payment is in the ledger more than once: blocks {numbers}. Tell whoever runs the ledger. "
                "From now on it is treated as one that does not recognise a repeat."
            )
        case Found(block=block) if intent.is_settled and intent.outcome.moved is False:
            said = "you said" if intent.outcome.settled_by == "person" else "it was recorded"
            return f"This payment did execute, in block {block.index}, although {said} that it did not."
        case Absent() if intent.outcome.moved and intent.outcome.settled_by == "person" and not intent.alarms:
            return (
                "You said that this payment executed, and the ledger's history proves that it did not. Nothing is sent"
                " or stamped for it: where it is still owed, prepare it again."
            )
    return None


def _distrust(store: Store, intent: Intent) -> None:
    """A ledger that executed one intent twice does not deduplicate; no Duplicate proves it again, and removing it from
    the list does not make it forgotten (R27)."""
    store.put_setting(distrusted(intent.root_key, intent.ledger), "")
    for entry in store.ledgers(intent.root_key):
        if entry.terms.canister == intent.ledger:
            store.put_ledger(replace(entry, dedup_proven=False, dedup_broken=True))


def distrusted(root_key: bytes, ledger: Principal) -> str:
    """The setting that is there once the ledger was seen to execute one intent twice."""
    return f"dedup broken: {ledger} {sha256(root_key).hexdigest()}"
