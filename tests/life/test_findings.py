"""What the state machine found, each reduced to its few steps."""

from tests.services.conftest import Start
from wallet.core.intent import State
from wallet.core.outcome import OutcomeClass


async def test_an_equal_payment_just_before_does_not_make_a_new_stamp_impossible(start: Start) -> None:
    """A ledger whose clock is behind refuses a stamp as CreatedInFuture; the time it named is earlier than the last
    stamp of the same payment, so no stamp could ever be later than this (R14) and not later than that (R23)."""
    world = await start()
    wallet = await world.wallet()
    first = (await wallet.prepare()).intent
    await wallet.confirm(first)
    await world.fault("lag", 120)
    second = (await wallet.prepare()).intent
    refused = await wallet.confirm(second)
    assert (refused.state, refused.outcome.case) == (State.RETRY_NEW, "Err.CreatedInFuture")
    await world.fault("clock", 150)
    successor = await wallet.restamp(refused)
    assert first.stamp < successor.stamp
    # Not later than the ledger's own clock, which has moved on as well: it is taken.
    settled = await wallet.confirm(successor)
    assert settled.outcome.outcome_class is OutcomeClass.SUCCESS
    assert len(await world.payments()) == 2
