"""One decision, one stamp: preparing, references, prices that change, dropping, warnings (R10-R14, R28, R34, R36)."""

from dataclasses import replace
from typing import Any

import pytest

from tests.services.conftest import A_DAY_S, BOB, FUNDS, Wallet, World
from wallet.core.account import Account
from wallet.core.convert import Form
from wallet.core.errors import BadInput, Refused
from wallet.core.intent import State
from wallet.core.outcome import OutcomeClass
from wallet.core.principal import ANONYMOUS
from wallet.devnet.settings import LEDGER_ID
from wallet.ports import MAINNET

FEE = 10_000


async def test_the_stamp_is_certified_time_less_a_part_of_a_second(wallet: Wallet) -> None:  # R11
    intent = (await wallet.prepare()).intent
    assert 0 <= intent.prepared_at - intent.stamp <= 10**9
    assert intent.arguments["created_at_time"] == intent.stamp


async def test_a_payment_made_again_has_a_later_stamp(world: World, wallet: Wallet) -> None:  # R14, R28
    stamps = []
    for _ in range(3):
        prepared = await wallet.prepare()
        assert not prepared.existing
        stamps.append(prepared.intent.stamp)
        await wallet.confirm(prepared.intent)
    assert stamps == sorted(set(stamps))
    assert len(await world.payments()) == 3


async def test_every_memo_subaccount_and_payee_is_another_payment(wallet: Wallet) -> None:  # R10
    intents = [
        (await wallet.prepare()).intent,
        (await wallet.prepare(memo="invoice 77")).intent,
        (await wallet.prepare(to=Account.of(BOB.owner, b"\x01" * 32))).intent,
        (await wallet.prepare(from_subaccount="01")).intent,
        (await wallet.prepare("1.6")).intent,
    ]
    assert len({each.id for each in intents}) == len(intents)
    zero = await wallet.prepare(from_subaccount="00")
    assert (zero.existing, zero.intent.id) == (True, intents[0].id)


async def test_an_untried_payment_is_priced_anew_when_the_fee_changed(world: World, wallet: Wallet) -> None:  # R13
    old = (await wallet.prepare()).intent
    await world.fault("fee", 20_000)
    new = await wallet.prepare()
    assert not new.existing
    assert new.intent.card.fee == 20_000
    assert wallet.found(old).superseded_by == new.intent.id
    with pytest.raises(Refused):
        await wallet.confirm(old)


async def test_an_open_payment_is_found_again_after_the_fee_changed(world: World, wallet: Wallet) -> None:  # R13
    intent = (await wallet.prepare()).intent
    await world.fault("forget_status")
    await wallet.confirm(intent, 1.0)
    await world.fault("fee", 20_000)
    again = await wallet.prepare()
    assert (again.existing, again.intent.id) == (True, intent.id)


async def test_max_is_the_balance_less_the_fee(world: World, wallet: Wallet) -> None:
    intent = (await wallet.prepare("max")).intent
    assert intent.card.amount == FUNDS - FEE
    await wallet.confirm(intent)
    assert await wallet.network.balance(LEDGER_ID, intent.card.sender) == 0
    with pytest.raises(BadInput, match="nothing to send"):
        await wallet.prepare("max")


async def test_a_reference_belongs_to_one_payment_for_ever(world: World, wallet: Wallet) -> None:  # R36
    intent = (await wallet.prepare("max", ref="salary-12")).intent
    await wallet.confirm(intent)
    again = await wallet.prepare("max", ref="salary-12")
    assert (again.existing, again.intent.id) == (True, intent.id)
    with pytest.raises(BadInput, match=intent.id):
        await wallet.prepare("1", ref="salary-12")
    assert len(await world.payments()) == 1


async def test_an_equal_open_payment_has_one_reference_only(wallet: Wallet) -> None:  # R36
    intent = (await wallet.prepare(ref="a")).intent
    with pytest.raises(BadInput, match=intent.id):
        await wallet.prepare(ref="b")
    assert (await wallet.prepare()).intent.id == intent.id


async def test_a_reference_passes_to_the_successor(world: World, wallet: Wallet) -> None:  # R36
    intent = (await wallet.prepare(ref="a")).intent
    await world.fault("clock", A_DAY_S + 1)
    successor = await wallet.restamp(await wallet.confirm(intent))
    assert successor.ref == "a"
    assert (await wallet.prepare(ref="a")).intent.id == successor.id


async def test_a_ledger_that_says_created_in_future_is_given_an_earlier_stamp(world: World, wallet: Wallet) -> None:
    intent = (await wallet.prepare()).intent
    await world.fault("lag", 120)
    asked = await wallet.confirm(intent)
    assert asked.outcome.case == "Err.CreatedInFuture"
    successor = await wallet.restamp(asked)
    assert isinstance(asked.outcome.payload, dict)
    assert successor.stamp <= int(str(asked.outcome.payload["ledger_time"]))  # R23
    settled = await wallet.confirm(successor)
    assert settled.outcome.outcome_class is OutcomeClass.SUCCESS
    assert len(await world.payments()) == 1


async def test_a_dropped_payment_is_put_away_and_brought_back_by_preparing_it(world: World, wallet: Wallet) -> None:
    intent = (await wallet.prepare()).intent
    assert wallet.preparing.drop(intent.id).dropped
    with pytest.raises(Refused, match="dropped"):
        await wallet.confirm(intent)
    again = await wallet.prepare()
    assert (again.existing, again.intent.id, again.intent.dropped) == (True, intent.id, False)
    await wallet.confirm(intent)
    assert len(await world.payments()) == 1


async def test_a_payment_that_may_have_moved_is_not_dropped(world: World, wallet: Wallet) -> None:  # R14
    intent = (await wallet.prepare()).intent
    await world.fault("forget_status")
    await wallet.confirm(intent, 1.0)
    with pytest.raises(Refused):
        wallet.preparing.drop(intent.id)


async def test_terms_that_changed_stop_preparing_and_confirming(world: World, wallet: Wallet) -> None:  # R34
    intent = (await wallet.prepare()).intent
    pinned = wallet.ledger
    wallet.store.put_ledger(replace(pinned, terms=replace(pinned.terms, decimals=6)))
    with pytest.raises(Refused, match="decimals were 6 and are 8"):
        await wallet.prepare("2")
    with pytest.raises(Refused, match="decimals"):
        await wallet.confirm(intent)
    assert wallet.found(intent).state is State.PREPARED
    assert await world.payments() == []


async def test_a_key_without_a_backup_is_refused_on_mainnet(wallet: Wallet) -> None:
    wallet.network.name = MAINNET
    wallet.identity = replace(wallet.identity, backed_up=False)
    with pytest.raises(Refused, match="not backed up"):
        await wallet.prepare()


async def test_the_card_warns_of_what_a_person_should_know(world: World, wallet: Wallet) -> None:  # R28
    first = (await wallet.prepare()).intent
    assert any("first payment" in warning for warning in first.card.warnings)
    await wallet.confirm(first)
    second = (await wallet.prepare()).intent
    assert any(first.id in warning and "not a repeat" in warning for warning in second.card.warnings)
    nearly = (await wallet.prepare(memo="again")).intent
    assert any(second.id in warning and "still open" in warning for warning in nearly.card.warnings)
    minter = Account.from_text(world.devnet.description()["minting_account"])
    for to, amount, word in (
        (minter, "1", "burned"),
        (Account(ANONYMOUS), "1", "anonymous"),
        (Account(LEDGER_ID), "1", "ledger itself"),
        (Account(wallet.key.principal), "1", "this very account"),
        (BOB, "990", "nearly all"),
        (BOB, "5000", "more than the account holds"),
    ):
        card = (await wallet.prepare(amount, to)).intent.card
        assert any(word in warning for warning in card.warnings), (word, card.warnings)
    assert (await wallet.prepare("1", minter)).intent.card.fee == 0  # R10: a burn has no fee


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"amount": "1.123456789"}, "amount"),
        ({"amount": "1,5"}, "amount"),
        ({"amount": "-1"}, "amount"),
        ({"amount": "１"}, "amount"),
        ({"memo": "x" * 33}, "memo"),
        ({"memo_hex": "abc"}, "memo_hex"),
        ({"memo": "a", "memo_hex": "61"}, "memo"),
        ({"from_subaccount": "xyz"}, "from_subaccount"),
    ],
)
async def test_what_cannot_be_right_is_refused_before_anything_is_stored(
    wallet: Wallet, form: dict[str, Any], field: str
) -> None:
    with pytest.raises(BadInput) as refusal:
        await wallet.preparing.prepare(Form(**{"to": BOB.text, "amount": "1", **form}), wallet.ledger, wallet.identity)
    assert refusal.value.field == field
    assert wallet.store.intents() == []
