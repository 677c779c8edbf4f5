"""One confirmation, at most one execution: sending through every way a call can go wrong."""

import asyncio
from contextlib import ExitStack

import pytest

from tests.services.conftest import A_DAY_S, PAST_THE_ENVELOPE_S, Wallet, World
from wallet.core.errors import BadInput, NetworkFault, Refused
from wallet.core.intent import State
from wallet.core.outcome import OutcomeClass


async def test_a_confirmed_transfer_moves_once_and_settles(world: World, wallet: Wallet) -> None:
    intent = (await wallet.prepare()).intent
    settled = await wallet.confirm(intent)
    assert settled.outcome.outcome_class is OutcomeClass.SUCCESS
    assert settled.outcome.moved is True
    (block,) = await world.payments()
    assert block["arguments_sha256"] == intent.bytes_sha256
    assert settled.outcome.block == int(block["index"])


async def test_the_same_payment_prepared_twice_is_one_intent(wallet: Wallet) -> None:
    first = await wallet.prepare("1.5")
    second = await wallet.prepare("1.50")
    assert not first.existing
    assert second.existing
    assert second.intent == first.intent


async def test_a_confirmation_names_the_bytes_it_is_for(world: World, wallet: Wallet) -> None:  # R15
    intent = (await wallet.prepare()).intent
    for digest in (None, "", "0" * 16, intent.digest[:15]):
        with pytest.raises(BadInput, match="digest"):
            await wallet.sending.confirm(intent.id, digest, 5, wallet.progress.append)
    assert await world.payments() == []
    assert wallet.found(intent).state is State.PREPARED


async def test_a_lost_reply_is_asked_for_and_settles(world: World, wallet: Wallet) -> None:
    intent = (await wallet.prepare()).intent
    await world.fault("lose_reply")
    settled = await wallet.confirm(intent)
    assert settled.outcome.outcome_class is OutcomeClass.SUCCESS
    assert len(await world.payments()) == 1


async def test_a_lost_request_goes_again_in_the_same_envelope(world: World, wallet: Wallet) -> None:  # R19
    intent = (await wallet.prepare()).intent
    await world.fault("lose_request")
    settled = await wallet.confirm(intent)
    assert settled.outcome.outcome_class is OutcomeClass.SUCCESS
    assert [attempt.posts for attempt in settled.attempts] == [2]
    assert len(await world.payments()) == 1


@pytest.mark.parametrize("fault", ["forget_status", "done_status", "trap_after_commit"])
async def test_an_unknown_on_a_proven_ledger_ends_as_already_done(world: World, wallet: Wallet, fault: str) -> None:
    wallet.trust_deduplication()
    intent = (await wallet.prepare()).intent
    await world.fault(fault)
    unknown = await wallet.confirm(intent, 1.0)
    if fault == "forget_status":
        assert unknown.state is State.UNKNOWN
        await world.fault("clock", PAST_THE_ENVELOPE_S)
        unknown = await wallet.resume(intent)
    assert unknown.outcome.outcome_class is OutcomeClass.ALREADY_DONE
    assert unknown.duplicate is not None
    assert unknown.duplicate.differs == ()
    (block,) = await world.payments()
    assert unknown.outcome.duplicate_of == int(block["index"])


@pytest.mark.parametrize("fault", ["forget_status", "done_status", "trap_after_commit"])
async def test_an_unknown_on_an_unproven_ledger_is_found_in_history(world: World, wallet: Wallet, fault: str) -> None:
    intent = (await wallet.prepare()).intent
    await world.fault(fault)
    settled = await wallet.confirm(intent, 1.0)
    if fault == "forget_status":
        await world.fault("clock", PAST_THE_ENVELOPE_S)
        settled = await wallet.resume(intent)
    assert settled.outcome.settled_by == "history"
    assert settled.outcome.moved is True
    (block,) = await world.payments()
    assert settled.outcome.block == int(block["index"])


async def test_a_request_that_was_dropped_goes_again_once_its_absence_is_proven(world: World, wallet: Wallet) -> None:
    intent = (await wallet.prepare()).intent
    await world.fault("lose_request", times=20)
    unknown = await wallet.confirm(intent, 1.0)
    assert unknown.state is State.UNKNOWN
    await world.clear()
    await world.fault("clock", PAST_THE_ENVELOPE_S)
    settled = await wallet.resume(intent)
    assert settled.outcome.outcome_class is OutcomeClass.SUCCESS
    assert len(settled.attempts) == 2
    assert len(await world.payments()) == 1


async def test_a_raised_fee_after_an_unknown_is_never_a_reason_to_pay_again(
    world: World, wallet: Wallet
) -> None:  # R24
    wallet.trust_deduplication()
    intent = (await wallet.prepare()).intent
    await world.fault("forget_status")
    await wallet.confirm(intent, 1.0)
    await world.fault("fee", 20_000)
    await world.fault("clock", PAST_THE_ENVELOPE_S)
    settled = await wallet.resume(intent)
    assert (settled.outcome.settled_by, settled.outcome.moved) == ("history", True)
    assert len(await world.payments()) == 1


async def test_a_raised_fee_after_a_dropped_request_moves_nothing(world: World, wallet: Wallet) -> None:
    wallet.trust_deduplication()
    intent = (await wallet.prepare()).intent
    await world.fault("lose_request", times=20)
    await wallet.confirm(intent, 1.0)
    await world.clear()
    await world.fault("fee", 20_000)
    await world.fault("clock", PAST_THE_ENVELOPE_S)
    settled = await wallet.resume(intent)
    assert settled.is_settled
    assert settled.outcome.moved is False
    assert settled.asks_for_restamp
    assert await world.payments() == []
    again = await wallet.prepare()
    assert again.existing
    assert again.intent.id == intent.id  # R14: the question, not a new intent


async def test_an_unknown_past_its_window_is_reconciled_to_its_block(world: World, wallet: Wallet) -> None:
    intent = (await wallet.prepare()).intent
    await world.fault("forget_status")
    await wallet.confirm(intent, 1.0)
    await world.fault("clock", A_DAY_S + 1)
    settled = await wallet.resume(intent)
    assert (settled.outcome.settled_by, settled.outcome.moved) == ("history", True)
    assert len(await world.payments()) == 1


async def test_a_dropped_request_past_its_window_is_proven_absent(world: World, wallet: Wallet) -> None:
    intent = (await wallet.prepare()).intent
    await world.fault("lose_request", times=20)
    await wallet.confirm(intent, 1.0)
    await world.clear()
    await world.fault("clock", A_DAY_S + 1)
    settled = await wallet.resume(intent)
    assert (settled.outcome.settled_by, settled.outcome.moved) == ("history", False)
    successor = await wallet.restamp(settled)
    assert successor.supersedes == intent.id
    assert (await wallet.confirm(successor)).outcome.outcome_class is OutcomeClass.SUCCESS
    assert len(await world.payments()) == 1


async def test_a_window_that_passed_before_confirming_asks_for_a_new_stamp(world: World, wallet: Wallet) -> None:
    intent = (await wallet.prepare()).intent
    await world.fault("clock", A_DAY_S + 1)
    asked = await wallet.confirm(intent)
    assert asked.state is State.RETRY_NEW
    assert await world.payments() == []
    again = await wallet.prepare()
    assert (again.existing, again.intent.id) == (True, intent.id)
    successor = await wallet.restamp(asked)
    assert successor.stamp > intent.stamp
    assert wallet.found(intent).superseded_by == successor.id
    with pytest.raises(Refused):
        await wallet.confirm(intent)
    await wallet.confirm(successor)
    assert len(await world.payments()) == 1


async def test_a_restored_backup_is_answered_already_done(world: World, wallet: Wallet) -> None:
    import shutil

    intent = (await wallet.prepare()).intent
    shutil.copytree(world.folder / "wallet", world.folder / "copy")
    settled = await wallet.confirm(intent)
    other = await world.wallet("copy")
    repeated = await other.confirm(intent)
    assert repeated.outcome.outcome_class is OutcomeClass.ALREADY_DONE
    assert repeated.outcome.duplicate_of == settled.outcome.block
    assert other.ledger.dedup_proven  # R19: it knew the repeat
    assert len(await world.payments()) == 1


async def test_a_restored_backup_past_the_window_is_found_before_it_asks(world: World, wallet: Wallet) -> None:  # R23
    import shutil

    intent = (await wallet.prepare()).intent
    shutil.copytree(world.folder / "wallet", world.folder / "copy")
    await wallet.confirm(intent)
    await world.fault("clock", A_DAY_S + 1)
    other = await world.wallet("copy")
    settled = await other.confirm(intent)
    assert (settled.outcome.settled_by, settled.outcome.moved) == ("history", True)
    assert len(await world.payments()) == 1


@pytest.mark.parametrize(
    ("value", "outcome_class", "state"),
    [
        ("TooOld", OutcomeClass.RETRY_NEW, State.RETRY_NEW),
        ({"CreatedInFuture": {"ledger_time": 1}}, OutcomeClass.RETRY_NEW, State.RETRY_NEW),
        ({"BadFee": {"expected_fee": 7}}, OutcomeClass.FIX_INPUT, State.SETTLED),
        ({"BadBurn": {"min_burn_amount": 7}}, OutcomeClass.FIX_INPUT, State.SETTLED),
        ({"InsufficientFunds": {"balance": 7}}, OutcomeClass.FAIL, State.SETTLED),
        ({"GenericError": {"error_code": 7, "message": "no"}}, OutcomeClass.FAIL, State.SETTLED),
        ("Frozen", OutcomeClass.FAIL, State.SETTLED),
    ],
)
async def test_each_refusal_has_its_class(
    world: World, wallet: Wallet, value: object, outcome_class: OutcomeClass, state: State
) -> None:
    intent = (await wallet.prepare()).intent
    await world.fault("result", value)
    settled = await wallet.confirm(intent)
    assert (settled.outcome.outcome_class, settled.state) == (outcome_class, state)
    assert settled.outcome.moved is (None if value == "Frozen" else False)  # R5
    assert await world.payments() == []


async def test_three_busy_answers_stop_it_and_each_further_one_needs_the_person(world: World, wallet: Wallet) -> None:
    intent = (await wallet.prepare()).intent
    await world.fault("busy", times=4)
    stopped = await wallet.confirm(intent, 30)
    assert stopped.state is State.RETRY_SAME
    assert len(stopped.attempts) == 3  # R22
    assert len((await wallet.resume(intent)).attempts) == 4
    settled = await wallet.resume(intent)
    assert settled.outcome.outcome_class is OutcomeClass.SUCCESS
    assert len({attempt.request_id for attempt in settled.attempts}) == 5
    assert len(await world.payments()) == 1


@pytest.mark.parametrize("code", [1, 2, 3])
async def test_a_certified_rejection_that_did_not_execute_goes_again(world: World, wallet: Wallet, code: int) -> None:
    intent = (await wallet.prepare()).intent
    await world.fault("reject", code)
    settled = await wallet.confirm(intent)
    assert settled.outcome.outcome_class is OutcomeClass.SUCCESS
    assert len(settled.attempts) == 2
    assert len(await world.payments()) == 1


@pytest.mark.parametrize("fault", ["reject_uncertified", "http", "late"])
async def test_one_nodes_word_proves_nothing_and_the_same_envelope_settles_it(
    world: World, wallet: Wallet, fault: str
) -> None:
    intent = (await wallet.prepare()).intent
    await world.fault(fault)
    settled = await wallet.confirm(intent)
    assert settled.outcome.outcome_class is OutcomeClass.SUCCESS
    assert len(settled.attempts) == 1
    assert len(await world.payments()) == 1


@pytest.mark.parametrize("what", ["signature", "tree", "request_id", "root_key", "delegation", "canister", "infinity"])
async def test_a_forged_answer_is_no_answer(world: World, wallet: Wallet, what: str) -> None:  # R16
    intent = (await wallet.prepare()).intent
    await world.fault("tamper", what, times=50)
    unknown = await wallet.confirm(intent, 1.0)
    assert unknown.state is State.UNKNOWN
    assert unknown.outcome.moved is None
    await world.clear()
    settled = await wallet.resume(intent)
    assert settled.outcome.outcome_class is OutcomeClass.SUCCESS
    assert len(await world.payments()) == 1


async def test_a_network_that_is_gone_sends_nothing(world: World, wallet: Wallet) -> None:
    intent = (await wallet.prepare()).intent
    await world.devnet.close()
    with pytest.raises(NetworkFault):
        await wallet.confirm(intent, 1.0)
    assert wallet.found(intent).state is State.PREPARED


async def test_a_confirmation_that_meets_a_lock_waits_for_what_becomes_of_it(world: World, wallet: Wallet) -> None:
    intent = (await wallet.prepare()).intent
    other = await world.wallet()

    async def release(lock: ExitStack) -> None:
        await asyncio.sleep(0.3)
        lock.close()

    with ExitStack() as lock:
        assert lock.enter_context(other.store.sending_lock(intent.id))
        with pytest.raises(Refused, match="another wallet"):  # never "prepared", with exit 0
            await wallet.confirm(intent, 0.2)
        releasing = asyncio.create_task(release(lock))
        settled = await wallet.confirm(intent)
        await releasing
    assert settled.outcome.outcome_class is OutcomeClass.SUCCESS
    assert len(await world.payments()) == 1


async def test_a_reference_attached_during_a_send_does_not_stop_it(world: World, wallet: Wallet) -> None:
    intent = (await wallet.prepare()).intent
    other = await world.wallet()
    await world.fault("lose_request")
    attached = asyncio.create_task(other.prepare(ref="R"))
    settled, _ = await asyncio.gather(wallet.confirm(intent), attached)
    assert settled.outcome.outcome_class is OutcomeClass.SUCCESS
    assert wallet.found(intent).ref == "R"
    assert len(await world.payments()) == 1
