"""What the ledger's history says of an intent, and what is asked where it cannot say (R24, R25, R27, R35)."""

from dataclasses import replace

import pytest

from tests.services.conftest import A_DAY_S, PAST_THE_ENVELOPE_S, QuickClock, Start, Wallet, World
from wallet.core.errors import BadInput, NetworkFault, Refused
from wallet.core.finding import Absent, CannotTell, Found, LookedAgain
from wallet.core.intent import Intent, State
from wallet.core.outcome import OutcomeClass
from wallet.core.principal import Principal
from wallet.services.reconciling import Reconciling


async def lost(world: World, wallet: Wallet, fault: str = "forget_status") -> Intent:
    """A confirmed payment whose fate is unknown, its envelope expired; `lose_request` was never executed."""
    intent = (await wallet.prepare()).intent
    await world.fault(fault, times=20)
    await wallet.confirm(intent, 1.0)
    await world.clear()
    await world.fault("clock", PAST_THE_ENVELOPE_S)
    return wallet.found(intent)


async def pay_many(world: World, wallet: Wallet, count: int) -> None:
    for n in range(count):
        intent = (await wallet.prepare(f"0.{n + 1:03}")).intent
        assert (await wallet.confirm(intent)).is_settled


async def test_absence_is_proven_over_archives_and_frees_the_same_bytes(start: Start) -> None:
    world = await start(archive_after=4)
    wallet = await world.wallet()
    intent = (await wallet.prepare()).intent
    await world.fault("lose_request", times=20)
    await wallet.confirm(intent, 1.0)
    await world.clear()
    await pay_many(world, wallet, 9)
    await world.fault("clock", PAST_THE_ENVELOPE_S)
    looked = await wallet.reconcile(intent)
    (finding,) = looked.findings
    assert isinstance(finding, Absent)
    assert not finding.settles
    assert (finding.span.first, finding.span.last) == (1, 9)
    assert looked.state is State.RETRY_SAME
    assert looked.outcome.moved is False
    assert (await wallet.resume(intent)).outcome.outcome_class is OutcomeClass.SUCCESS
    assert len(await world.payments()) == 10


async def test_a_silent_archive_cannot_tell_and_the_person_is_asked(start: Start) -> None:
    world = await start(archive_after=2)
    wallet = await world.wallet()
    intent = (await wallet.prepare()).intent
    await world.fault("lose_request", times=20)
    await wallet.confirm(intent, 1.0)
    await world.clear()
    await pay_many(world, wallet, 6)
    await world.fault("hide_archive")
    await world.fault("clock", A_DAY_S + 1)
    asked = await wallet.resume(intent)
    assert asked.state is State.ASK
    finding = asked.findings[-1]
    assert isinstance(finding, CannotTell)
    assert "archive" in finding.why
    with pytest.raises(Refused):
        await wallet.restamp(asked)
    again = await wallet.prepare()
    assert (again.existing, again.intent.id) == (True, intent.id)
    assert len(await world.payments()) == 6
    answered = await wallet.sending.answer(intent.id, executed=False, block=None, report=wallet.progress.append)
    assert (answered.outcome.settled_by, answered.outcome.moved) == ("person", False)
    await world.clear()
    successor = await wallet.restamp(answered)
    assert (await wallet.confirm(successor)).outcome.outcome_class is OutcomeClass.SUCCESS
    assert len(await world.payments()) == 7


async def test_a_wrong_answer_is_overruled_by_the_block_with_an_alarm(start: Start) -> None:  # R25, R35
    world = await start(archive_after=2)
    wallet = await world.wallet()
    intent = await lost(world, wallet)
    await pay_many(world, wallet, 6)
    await world.fault("hide_archive")
    asked = await wallet.reconcile(intent)
    assert asked.state is State.ASK
    answered = await wallet.sending.answer(intent.id, executed=False, block=None, report=wallet.progress.append)
    assert answered.asks_for_restamp
    await world.clear()
    overruled = await wallet.reconcile(answered)  # R23: looked for before it is paid anew
    assert (overruled.outcome.settled_by, overruled.outcome.moved) == ("history", True)
    assert len(overruled.alarms) == 1
    assert wallet.sending.acknowledge(intent.id).alarms == ()


async def test_evidence_takes_the_place_of_the_persons_word_that_it_executed(start: Start) -> None:  # R25
    world = await start(archive_after=2)
    wallet = await world.wallet()
    intent = await lost(world, wallet)
    await pay_many(world, wallet, 6)
    await world.fault("hide_archive")
    await wallet.reconcile(intent)
    answered = await wallet.sending.answer(intent.id, executed=True, block=None, report=wallet.progress.append)
    assert (answered.outcome.settled_by, answered.outcome.moved, answered.outcome.block) == ("person", True, None)
    cannot = await wallet.reconcile(intent)
    assert (cannot.outcome, cannot.alarms) == (answered.outcome, ())
    await world.clear()
    found = await wallet.reconcile(intent)
    assert (found.outcome.settled_by, found.outcome.moved, found.outcome.block) == ("history", True, 1)
    assert (found.alarms, found.outcome.look_due) == ((), False)
    with pytest.raises(Refused):
        await wallet.reconcile(intent)


async def test_absence_proven_after_the_person_said_that_it_executed_is_an_alarm(start: Start) -> None:  # R25, R35
    world = await start(archive_after=2)
    wallet = await world.wallet()
    intent = (await wallet.prepare()).intent
    await world.fault("lose_request", times=20)
    await wallet.confirm(intent, 1.0)
    await world.clear()
    await pay_many(world, wallet, 6)
    await world.fault("clock", A_DAY_S + 1)
    await world.fault("hide_archive")
    assert (await wallet.reconcile(intent)).state is State.ASK
    said = await wallet.sending.answer(intent.id, executed=True, block=None, report=wallet.progress.append)
    await world.clear()
    for _ in range(2):
        alarmed = await wallet.reconcile(intent)
        assert len(alarmed.alarms) == 1
        assert "proves that it did not" in alarmed.alarms[0]
        assert alarmed.outcome == said.outcome  # nothing is reopened, and no new stamp is offered by itself (R18)
        assert not alarmed.asks_for_restamp
    assert isinstance(alarmed.findings[-1], Absent)
    assert wallet.sending.acknowledge(intent.id).alarms == ()
    anew = await wallet.prepare()
    assert (anew.existing, anew.intent.supersedes) == (False, None)


async def test_a_block_that_the_person_names_is_checked(start: Start) -> None:
    world = await start(archive_after=2)
    wallet = await world.wallet()
    intent = await lost(world, wallet)
    await pay_many(world, wallet, 6)
    await world.fault("hide_archive")
    await wallet.reconcile(intent)
    await world.clear()
    with pytest.raises(BadInput, match="another payment"):
        await wallet.sending.answer(intent.id, executed=True, block=3, report=wallet.progress.append)
    assert wallet.found(intent).state is State.ASK
    settled = await wallet.sending.answer(intent.id, executed=True, block=1, report=wallet.progress.append)
    assert (settled.outcome.settled_by, settled.outcome.moved, settled.outcome.block) == ("history", True, 1)


async def test_a_ledger_without_blocks_to_read_goes_straight_to_the_person(world: World, wallet: Wallet) -> None:
    pinned = wallet.ledger
    wallet.store.put_ledger(replace(pinned, terms=replace(pinned.terms, standards=("ICRC-1",))))
    intent = await lost(world, wallet)
    asked = await wallet.resume(intent)
    assert asked.state is State.ASK
    assert len(await world.payments()) == 1


async def test_without_an_anchor_the_start_is_found_by_the_times_of_the_blocks(world: World, wallet: Wallet) -> None:
    for n in range(5):
        intent = (await wallet.prepare(f"0.{n + 1:03}")).intent
        await wallet.confirm(intent)
        await world.fault("clock", 600)
    prepared = (await wallet.prepare()).intent
    await world.fault("forget_status")
    await wallet.confirm(prepared, 1.0)
    await world.fault("clock", PAST_THE_ENVELOPE_S)
    intent = replace(await wallet.ask(prepared), anchor=None)
    spans: list[tuple[int, int, int]] = []
    finding = await Reconciling(wallet.store, wallet.network, QuickClock()).look(
        intent, wallet.ledger, lambda *span: spans.append(span)
    )
    assert isinstance(finding, Found)
    assert spans[0][0] == 5  # the block before the stamp, not the first of the ledger


async def test_stale_queries_are_made_good_by_certified_calls(world: World, wallet: Wallet) -> None:
    intent = (await wallet.prepare()).intent
    await world.fault("stale_queries")
    await world.fault("forget_status")
    await wallet.confirm(intent, 1.0)
    await world.fault("clock", PAST_THE_ENVELOPE_S)
    settled = await wallet.resume(intent)
    assert (settled.outcome.settled_by, settled.outcome.moved) == ("history", True)
    assert len(await world.payments()) == 1


async def test_a_call_that_ran_twice_is_an_alarm_and_ends_the_trust(world: World, wallet: Wallet) -> None:  # R27
    wallet.trust_deduplication()
    intent = (await wallet.prepare()).intent
    await world.fault("no_dedup")
    await world.fault("twice")
    await world.fault("lose_reply")
    settled = await wallet.confirm(intent)
    assert settled.outcome.moved is True
    blocks = [block["index"] for block in await world.payments()]
    assert len(blocks) == 2
    assert all(index in settled.alarms[0] for index in blocks)
    assert wallet.ledger.dedup_broken
    assert not wallet.ledger.dedup_proven
    assert not settled.outcome.look_due


async def test_a_ledger_that_lost_its_memory_is_never_paid_twice_unseen(world: World, wallet: Wallet) -> None:
    """Trusted to know a repeat and no longer does: two blocks come with an alarm that names both (R27)."""
    wallet.trust_deduplication()
    intent = (await wallet.prepare()).intent
    await world.fault("no_dedup")
    await world.fault("forget_status")
    await wallet.confirm(intent, 1.0)
    await world.fault("clock", PAST_THE_ENVELOPE_S)
    settled = await wallet.resume(intent)
    blocks = [block["index"] for block in await world.payments()]
    assert len(blocks) == 2
    assert settled.alarms
    assert all(index in settled.alarms[0] for index in blocks)


async def test_a_second_look_that_was_cut_off_stays_due(
    world: World, wallet: Wallet, monkeypatch: pytest.MonkeyPatch
) -> None:  # R27
    async def silent(ledger: Principal) -> None:
        raise NetworkFault("no answer")

    intent = (await wallet.prepare()).intent
    await world.fault("lose_reply")
    with monkeypatch.context() as patched:
        patched.setattr(wallet.network, "tip", silent)
        settled = await wallet.confirm(intent)
    assert settled.outcome.moved is True
    assert [each.id for each in wallet.store.looks_due()] == [intent.id]
    looked = await wallet.ask(intent)
    assert isinstance(looked.findings[-1], LookedAgain)
    assert looked.findings[-1].blocks == (settled.outcome.block,)
    assert wallet.store.looks_due() == []


async def test_funds_first_ledgers_never_make_a_failure_of_what_moved(world: World, wallet: Wallet) -> None:  # R24
    wallet.trust_deduplication()
    await world.fault("funds_first")
    intent = (await wallet.prepare("max")).intent
    await world.fault("forget_status")
    await wallet.confirm(intent, 1.0)
    await world.fault("clock", PAST_THE_ENVELOPE_S)
    settled = await wallet.resume(intent)
    assert (settled.outcome.settled_by, settled.outcome.moved) == ("history", True)
    assert len(await world.payments()) == 1


async def test_a_second_look_that_a_silent_archive_cut_short_stays_due_until_it_tells(start: Start) -> None:  # R27
    world = await start(archive_after=2)
    wallet = await world.wallet()
    wallet.trust_deduplication()
    intent = await lost(world, wallet)
    await pay_many(world, wallet, 4)
    await world.fault("no_dedup")
    await world.fault("hide_archive")
    settled = await wallet.resume(intent)
    assert settled.outcome.moved is True
    assert [each.id for each in wallet.store.looks_due()] == [intent.id]
    await world.clear()
    looked = await wallet.ask(intent)
    assert len(looked.alarms) == 1
    assert wallet.ledger.dedup_broken
