"""A store that fails in the middle of a send, and one that another wallet changes just then (R29, R31, R32)."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.services.conftest import PAST_THE_ENVELOPE_S, Wallet, World
from wallet.core.errors import Refused, StoreFault
from wallet.core.intent import State
from wallet.services.journal import AfterSending

FULL = StoreFault("The store is full. Make room, then try again.")
DAMAGED = StoreFault("The store is damaged.", "Move it away to begin an empty one.")


def fail(monkeypatch: pytest.MonkeyPatch, wallet: Wallet, method: str, fault: StoreFault = FULL) -> None:
    def failing(*_: Any, **__: Any) -> None:
        raise fault

    monkeypatch.setattr(wallet.store, method, failing)


@pytest.mark.parametrize("fault", [FULL, DAMAGED])
async def test_an_answer_that_cannot_be_kept_is_shown_as_an_unknown(
    world: World, wallet: Wallet, monkeypatch: pytest.MonkeyPatch, fault: StoreFault
) -> None:  # R29
    intent = (await wallet.prepare()).intent
    with monkeypatch.context() as patched:
        fail(patched, wallet, "record", fault)
        with pytest.raises(AfterSending) as stopped:
            await wallet.confirm(intent)
    shown = stopped.value.intent
    assert (shown.id, shown.state, shown.outcome.moved) == (intent.id, State.UNKNOWN, None)
    assert [each.evidence for each in shown.attempts] == [()]
    assert f"Attempt 1 of {intent.id} had been sent, and the money may have moved" in str(stopped.value)
    assert f"wallet resume {intent.id}" in str(stopped.value)
    assert "Move it away" not in str(stopped.value)
    assert ("do not begin an empty store" in str(stopped.value)) == (fault is DAMAGED)
    assert (await wallet.resume(intent)).outcome.moved is True
    assert len(await world.payments()) == 1


async def test_a_first_attempt_that_cannot_be_stored_is_not_sent(
    world: World, wallet: Wallet, monkeypatch: pytest.MonkeyPatch
) -> None:  # R29, R32
    intent = (await wallet.prepare()).intent
    fail(monkeypatch, wallet, "begin_attempt")
    with pytest.raises(StoreFault) as stopped:
        await wallet.confirm(intent)
    assert not isinstance(stopped.value, AfterSending)
    assert await world.payments() == []
    assert wallet.found(intent).state is State.PREPARED


async def test_a_further_attempt_that_cannot_be_stored_leaves_what_is_known(
    world: World, wallet: Wallet, monkeypatch: pytest.MonkeyPatch
) -> None:
    intent = (await wallet.prepare()).intent
    await world.fault("busy", times=3)
    assert (await wallet.confirm(intent)).state is State.RETRY_SAME
    fail(monkeypatch, wallet, "begin_attempt")
    with pytest.raises(AfterSending, match="nothing more was sent") as stopped:
        await wallet.resume(intent)
    assert (stopped.value.intent.state, stopped.value.intent.outcome.moved) == (State.RETRY_SAME, False)


async def test_a_duplicates_block_that_cannot_be_kept_leaves_the_intent_settled(
    world: World, wallet: Wallet, monkeypatch: pytest.MonkeyPatch
) -> None:  # R20
    wallet.trust_deduplication()
    intent = (await wallet.prepare()).intent
    await world.fault("done_status")
    fail(monkeypatch, wallet, "record_duplicate")
    with pytest.raises(AfterSending, match="is settled all the same") as stopped:
        await wallet.confirm(intent)
    assert (stopped.value.intent.is_settled, stopped.value.intent.outcome.moved) == (True, True)
    assert wallet.found(intent).outcome == stopped.value.intent.outcome


async def test_a_finding_that_cannot_be_kept_is_not_told(
    world: World, wallet: Wallet, monkeypatch: pytest.MonkeyPatch
) -> None:  # R29
    intent = (await wallet.prepare()).intent
    await world.fault("forget_status")
    await wallet.confirm(intent, 1.0)
    await world.fault("clock", PAST_THE_ENVELOPE_S)
    with monkeypatch.context() as patched:
        fail(patched, wallet, "record_finding")
        with pytest.raises(AfterSending) as stopped:
            await wallet.reconcile(intent)
    assert (stopped.value.intent.state, stopped.value.intent.outcome.moved) == (State.UNKNOWN, None)
    assert (await wallet.reconcile(intent)).outcome.moved is True


@pytest.mark.parametrize("older", [None, "prepared"])
@pytest.mark.parametrize("moment", ["submit", "tip"])
async def test_a_store_that_forgot_what_was_sent_stops_the_run(
    world: World, wallet: Wallet, monkeypatch: pytest.MonkeyPatch, older: str | None, moment: str
) -> None:
    """A file put back in mid-send: whatever comes then is kept nowhere, and nothing loops for it."""
    intent = (await wallet.prepare()).intent
    await world.fault("forget_status")
    find = wallet.store.intent
    given = getattr(wallet.network, moment)

    async def replaced(*arguments: Any) -> Any:
        monkeypatch.setattr(wallet.store, "intent", lambda _: None if older is None else intent)
        return await given(*arguments)

    if moment == "tip":
        await wallet.confirm(intent, 1.0)
        await world.fault("clock", PAST_THE_ENVELOPE_S)
        await wallet.ask(intent)
    monkeypatch.setattr(wallet.network, moment, replaced)
    work = wallet.confirm(intent, 1.0) if moment == "submit" else wallet.reconcile(intent)
    with pytest.raises(AfterSending, match="was replaced") as stopped:
        await work
    assert (stopped.value.intent.state, stopped.value.intent.outcome.moved) == (State.UNKNOWN, None)
    monkeypatch.setattr(wallet.store, "intent", find)


# --- another wallet is first ------------------------------------------------------------------------------------------


def preceded(monkeypatch: pytest.MonkeyPatch, wallet: Wallet, method: str, rival: Callable[[], object]) -> None:
    """Let the rival have its way just before the first such change."""
    given = getattr(wallet.store, method)

    def overtaken(*arguments: Any, **named: Any) -> Any:
        monkeypatch.undo()
        rival()
        return given(*arguments, **named)

    monkeypatch.setattr(wallet.store, method, overtaken)


async def test_a_confirmation_that_a_drop_overtakes_is_refused_and_sends_nothing(
    world: World, wallet: Wallet, monkeypatch: pytest.MonkeyPatch
) -> None:  # R14, R31
    intent = (await wallet.prepare()).intent
    other = await world.wallet()
    preceded(monkeypatch, wallet, "begin_attempt", lambda: other.store.drop(intent, True))
    with pytest.raises(Refused, match="another wallet"):
        await wallet.confirm(intent)
    assert await world.payments() == []
    assert (wallet.found(intent).dropped, wallet.found(intent).attempts) == (True, ())


async def test_a_drop_that_another_change_overtakes_is_refused_and_changes_nothing(
    world: World, wallet: Wallet, monkeypatch: pytest.MonkeyPatch
) -> None:  # R31
    intent = (await wallet.prepare()).intent
    other = await world.wallet()
    preceded(monkeypatch, wallet, "drop", lambda: other.store.attach_ref(intent, "a"))
    with pytest.raises(Refused, match="another wallet"):
        wallet.preparing.drop(intent.id)
    assert not wallet.found(intent).dropped
    assert (await wallet.confirm(intent)).outcome.moved is True


async def test_an_alarm_that_another_change_overtakes_stands(
    world: World, wallet: Wallet, monkeypatch: pytest.MonkeyPatch
) -> None:  # R35
    intent = (await wallet.prepare()).intent
    for fault in ("no_dedup", "twice", "lose_reply"):
        await world.fault(fault)
    assert len((await wallet.confirm(intent)).alarms) == 1
    other = await world.wallet()
    preceded(monkeypatch, wallet, "acknowledge", lambda: other.store.acknowledge(other.found(intent)))
    with pytest.raises(Refused, match="another wallet"):
        wallet.sending.acknowledge(intent.id)


async def test_a_change_that_overtakes_what_was_sent_is_the_result(
    world: World, wallet: Wallet, monkeypatch: pytest.MonkeyPatch
) -> None:  # R31: what this run did is never told as "nothing changed"
    intent = (await wallet.prepare()).intent
    await world.fault("busy", times=3)
    busy = await wallet.confirm(intent)
    other = await world.wallet()
    preceded(monkeypatch, wallet, "begin_attempt", lambda: other.store.drop(other.found(intent), True))
    found = await wallet.resume(intent)
    assert (found.dropped, found.attempts) == (True, busy.attempts)
    assert await world.payments() == []
