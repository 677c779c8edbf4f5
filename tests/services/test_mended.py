"""Faults that were mended once, each with the steps that showed it (R14, R20, R23, R27, R36)."""

import asyncio
from typing import Any

import pytest

from tests.services.conftest import A_DAY_S, Wallet, World
from wallet.core.errors import BadInput, NetworkFault, Refused
from wallet.core.intent import State
from wallet.core.outcome import OutcomeClass
from wallet.services.ledgers import Ledgers
from wallet.services.session import Session


def hang(monkeypatch: pytest.MonkeyPatch, wallet: Wallet, question: str) -> None:
    async def never(*_: Any, **__: Any) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(wallet.network, question, never)


async def test_a_duplicate_whose_block_does_not_come_in_time_is_settled_all_the_same(
    world: World, wallet: Wallet, monkeypatch: pytest.MonkeyPatch
) -> None:  # R20
    wallet.trust_deduplication()
    intent = (await wallet.prepare()).intent
    await world.fault("done_status")
    hang(monkeypatch, wallet, "block")
    async with asyncio.timeout(8):
        settled = await wallet.confirm(intent, 1.5)
    assert (settled.outcome.outcome_class, settled.outcome.moved) == (OutcomeClass.ALREADY_DONE, True)
    assert settled.outcome.duplicate_of is not None
    assert settled.duplicate is None or settled.duplicate.block is None
    assert settled.alarms == ()


async def test_a_new_stamp_that_the_network_gives_no_time_for_is_not_made(
    world: World, wallet: Wallet, monkeypatch: pytest.MonkeyPatch
) -> None:  # R23
    intent = (await wallet.prepare()).intent
    await world.fault("clock", A_DAY_S + 1)
    assert (await wallet.confirm(intent)).state is State.RETRY_NEW
    nobody: Any = None
    session = Session(
        store=wallet.store,
        network=wallet.network,
        vault=nobody,
        clock=nobody,
        identity=wallet.identity,
        identities=nobody,
        ledgers=Ledgers(wallet.store, wallet.network),
        allowances=nobody,
        preparing=wallet.preparing,
        sending=wallet.sending,
    )
    before = wallet.found(intent)
    hang(monkeypatch, wallet, "fee")
    with pytest.raises(NetworkFault, match="No new stamp was made"):
        async with asyncio.timeout(8):
            await session.restamp(intent.id, 1.0, wallet.progress.append)
    assert wallet.found(intent).state is before.state
    assert [each.id for each in wallet.store.intents()] == [intent.id]


async def test_distrust_outlasts_the_removal_of_the_ledger(world: World, wallet: Wallet) -> None:  # R27
    wallet.trust_deduplication()
    intent = (await wallet.prepare()).intent
    for fault in ("no_dedup", "twice", "lose_reply"):
        await world.fault(fault)
    assert (await wallet.confirm(intent)).alarms
    ledgers = Ledgers(wallet.store, wallet.network)
    terms = wallet.ledger.terms
    ledgers.remove(terms.canister.text)
    added = ledgers.pin(terms, None, None)
    assert (added.dedup_broken, added.dedup_proven) == (True, False)


@pytest.mark.parametrize("rival_ref", ["salary-12", None, "other"])
@pytest.mark.parametrize("is_paid", [False, True])
async def test_two_payments_never_come_of_one_reference(
    world: World, wallet: Wallet, monkeypatch: pytest.MonkeyPatch, rival_ref: str | None, is_paid: bool
) -> None:  # R36: another wallet on the same store prepares the same in between
    other = await world.wallet()
    ask_fee = wallet.network.fee

    async def slow_fee(*arguments: Any) -> int:
        monkeypatch.undo()
        rival = (await other.prepare(ref=rival_ref)).intent
        if is_paid:
            await other.confirm(rival)
        return await ask_fee(*arguments)

    monkeypatch.setattr(wallet.network, "fee", slow_fee)
    match rival_ref, is_paid:
        case "other", False:
            with pytest.raises(BadInput, match="other"):
                await wallet.prepare(ref="salary-12")
        case "salary-12", True:
            with pytest.raises(Refused, match="another wallet"):
                await wallet.prepare(ref="salary-12")
            assert (await wallet.prepare(ref="salary-12")).existing
        case _:
            prepared = await wallet.prepare(ref="salary-12")
            assert prepared.existing != is_paid  # what was paid under another reference is another payment
            assert prepared.intent.ref == "salary-12"
    owner = wallet.store.intent_by_ref("salary-12")
    owned = [each.id for each in wallet.store.intents() if each.ref == "salary-12"]
    assert owned == ([] if owner is None else [owner.id])
    assert len(await world.payments()) == is_paid
