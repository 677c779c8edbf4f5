"""Every method gets the whole treatment: allowances, payments from another's account, account ids, and calls without
the promise that a repeat is recognised."""

import json
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from tests.services.conftest import BOB, PAST_THE_ENVELOPE_S, QuickClock, Start, Wallet, World
from wallet.adapters.ic.did import parse_did
from wallet.adapters.keys import Curve, Key
from wallet.adapters.packs import bundled_pack
from wallet.core.account import Account, AccountId
from wallet.core.convert import Form
from wallet.core.errors import BadInput, UnreadableInterface
from wallet.core.intent import Intent, State
from wallet.core.ledger_time import HOUR
from wallet.core.outcome import OutcomeClass
from wallet.core.pack import Operation, Pack
from wallet.core.pack_text import parse_pack
from wallet.devnet.interface import LEDGER_DID
from wallet.ports import StatedInterface
from wallet.services.allowances import Allowances
from wallet.services.preparing import Preparing
from wallet.services.speakers import OfferedPack, Speakers

SOME_SPENDER = Account(Key.generate(Curve.ED25519).principal, b"\7" * 32)
TO_ID = AccountId.of(BOB)


@dataclass
class Case:
    """One method on a ledger that has it, and a payment by it that the ledger would take."""

    world: World
    wallet: Wallet
    operation: Operation
    to: Account | AccountId
    form: dict[str, str]
    has_blocks: bool = True

    async def prepare(self, amount: str = "1.5", **form: Any) -> Intent:
        fields = {"operation": self.operation, **self.form, **form}
        return (await self.wallet.prepare(amount, self.to, **fields)).intent

    async def blocks_of(self, intent: Intent) -> list[int]:
        return [
            int(block["index"])
            for block in await self.world.payments()
            if block["arguments_sha256"] == intent.bytes_sha256
        ]


async def approve(start: Start) -> Case:
    world = await start()
    return Case(world, await world.wallet(), Operation.APPROVE, SOME_SPENDER, {"lasts": "12h", "memo": "gym"})


async def transfer_from(start: Start) -> Case:
    world = await start()
    payer = replace(world, key=Key.generate(Curve.SECP256K1))
    world.devnet.fund(Account(payer.key.principal), 10**10)
    theirs = await payer.wallet("payer")
    spender = Account(world.key.principal, b"\3" * 32)
    allowed = (await theirs.prepare("20", spender, operation=Operation.APPROVE)).intent
    assert (await theirs.confirm(allowed)).outcome.moved
    form = {"from_account": Account(payer.key.principal).text, "from_subaccount": "03" * 32, "memo": "rent"}
    return Case(world, await world.wallet(), Operation.TRANSFER_FROM, BOB, form)


async def icp_transfer(start: Start) -> Case:
    world = await start(kind="icp")
    return Case(world, await world.wallet(), Operation.TRANSFER, TO_ID, {"memo": "77"}, has_blocks=False)


Make = Callable[[Start], Awaitable[Case]]
EVERY = pytest.mark.parametrize("make", [approve, transfer_from, icp_transfer])
WITH_BLOCKS = pytest.mark.parametrize("make", [approve, transfer_from])


@EVERY
async def test_it_is_executed_once_and_settles(start: Start, make: Make) -> None:
    case = await make(start)
    intent = await case.prepare()
    assert intent.card.operation is case.operation
    settled = await case.wallet.confirm(intent)
    assert (settled.outcome.outcome_class, settled.outcome.moved) == (OutcomeClass.SUCCESS, True)
    assert await case.blocks_of(intent) == [settled.outcome.block]


@EVERY
async def test_it_is_read_back_from_the_store_as_it_was_shown(start: Start, make: Make) -> None:  # R12
    case = await make(start)
    intent = await case.prepare()
    assert case.wallet.found(intent) == intent
    assert await case.prepare() == intent  # R13
    assert await case.prepare("1.50") == intent  # R10


@EVERY
async def test_a_lost_reply_ends_as_already_done_in_its_block(start: Start, make: Make) -> None:  # R19, R20
    case = await make(start)
    case.wallet.trust_deduplication()
    intent = await case.prepare()
    await case.world.fault("forget_status")
    assert (await case.wallet.confirm(intent, 1.0)).state is State.UNKNOWN
    await case.world.fault("clock", PAST_THE_ENVELOPE_S)
    settled = await case.wallet.resume(intent)
    assert settled.outcome.outcome_class is OutcomeClass.ALREADY_DONE
    assert await case.blocks_of(intent) == [settled.outcome.duplicate_of]
    assert settled.duplicate is not None
    assert settled.duplicate.differs == ()
    assert (settled.duplicate.block is not None) is case.has_blocks
    assert settled.alarms == ()


@EVERY
async def test_a_stamp_that_grew_too_old_needs_a_new_one(start: Start, make: Make) -> None:  # R23
    case = await make(start)
    intent = await case.prepare()
    await case.world.fault("result", too_old(case))
    refused = await case.wallet.confirm(intent)
    assert (refused.state, refused.outcome.moved) == (State.RETRY_NEW, False)
    successor = await case.wallet.restamp(refused)
    assert successor.stamp > intent.stamp
    assert (successor.card.recipient, successor.card.amount) == (intent.card.recipient, intent.card.amount)
    assert (await case.wallet.confirm(successor)).outcome.moved
    assert await case.blocks_of(intent) == []
    assert len(await case.blocks_of(successor)) == 1


def too_old(case: Case) -> str:
    return "TooOld" if case.has_blocks else "TxTooOld"


@EVERY
async def test_another_fee_is_to_be_fixed(start: Start, make: Make) -> None:  # R26
    case = await make(start)
    intent = await case.prepare()
    await case.world.fault("fee", 20_000)
    refused = await case.wallet.confirm(intent)
    assert refused.outcome.outcome_class is OutcomeClass.FIX_INPUT
    assert refused.outcome.case == "Err.BadFee"
    assert (await case.prepare()).card.fee == 20_000


@WITH_BLOCKS
async def test_a_lost_reply_is_found_in_history(start: Start, make: Make) -> None:  # R25
    case = await make(start)
    intent = await case.prepare()
    await case.world.fault("forget_status")
    await case.wallet.confirm(intent, 1.0)
    await case.world.fault("fee", 20_000)
    await case.world.fault("clock", PAST_THE_ENVELOPE_S)
    settled = await case.wallet.resume(intent)
    assert (settled.outcome.settled_by, settled.outcome.moved) == ("history", True)
    assert await case.blocks_of(intent) == [settled.outcome.block]


@WITH_BLOCKS
async def test_a_lost_request_is_proven_absent_and_its_bytes_go_again(start: Start, make: Make) -> None:  # R25
    case = await make(start)
    intent = await case.prepare()
    await case.world.fault("lose_request", times=20)
    await case.wallet.confirm(intent, 1.0)
    await case.world.clear()
    await case.world.fault("clock", PAST_THE_ENVELOPE_S)
    settled = await case.wallet.resume(intent)
    assert settled.outcome.outcome_class is OutcomeClass.SUCCESS
    assert len(settled.attempts) == 2
    assert len(await case.blocks_of(intent)) == 1


async def test_an_icp_transfer_of_which_no_history_tells_asks_the_person(start: Start) -> None:  # R25
    case = await icp_transfer(start)
    intent = await case.prepare()
    await case.world.fault("forget_status")
    await case.wallet.confirm(intent, 1.0)
    await case.world.fault("clock", PAST_THE_ENVELOPE_S)
    asked = await case.wallet.resume(intent)
    assert asked.state is State.ASK
    assert len(await case.blocks_of(intent)) == 1


# --- allowances ---


async def test_an_allowance_is_listed_used_up_and_revoked(start: Start) -> None:
    case = await approve(start)
    wallet = case.wallet
    allowances, own = Allowances(wallet.store, wallet.network), Account(wallet.key.principal)
    assert (await allowances.given_by(own, wallet.ledger)).allowances == ()
    intent = await case.prepare("5")
    assert intent.card.total == intent.card.fee  # only the fee leaves the account
    assert intent.card.expires_at == intent.stamp + 12 * HOUR
    await wallet.confirm(intent)
    (given,) = (await allowances.given_by(own, wallet.ledger)).allowances
    assert (given.spender, given.amount, given.expires_at) == (SOME_SPENDER, 500_000_000, intent.card.expires_at)
    revoke = await case.prepare("0", lasts="", memo="")
    assert any("revokes the allowance of 5 TOK" in warning for warning in revoke.card.warnings)
    assert (await wallet.confirm(revoke)).outcome.moved
    assert (await allowances.given_by(own, wallet.ledger)).allowances == ()


async def test_a_ledger_that_lists_nothing_is_asked_for_the_spenders_that_are_known(start: Start) -> None:
    case = await approve(start)
    wallet = case.wallet
    await wallet.confirm(await case.prepare("5"))

    async def unlisted(*_: object) -> None:
        return None

    wallet.network.allowances = unlisted  # type: ignore[method-assign, assignment]
    allowed = await Allowances(wallet.store, wallet.network).given_by(Account(wallet.key.principal), wallet.ledger)
    assert not allowed.is_complete
    assert [(each.spender, each.amount) for each in allowed.allowances] == [(SOME_SPENDER, 500_000_000)]


async def test_how_long_an_allowance_lasts_is_part_of_what_it_is(start: Start) -> None:  # R10
    case = await approve(start)
    intent = await case.prepare()
    assert await case.prepare(lasts="720m") == intent
    assert (await case.prepare(lasts="13h")).id != intent.id
    assert (await case.prepare(lasts="")).id != intent.id
    await case.world.fault("result", "TooOld")
    refused = await case.wallet.confirm(intent)
    await case.world.fault("clock", 3600)
    successor = await case.wallet.restamp(refused)
    assert successor.card.expires_at == successor.stamp + 12 * HOUR
    assert successor.lookup_key == intent.lookup_key


async def test_more_than_was_allowed_is_refused_and_said(start: Start) -> None:
    case = await transfer_from(start)
    intent = await case.prepare("21")
    assert any("more than you are allowed to take" in warning for warning in intent.card.warnings)
    refused = await case.wallet.confirm(intent)
    assert (refused.outcome.case, refused.outcome.moved) == ("Err.InsufficientAllowance", False)


async def test_max_is_what_was_allowed(start: Start) -> None:
    case = await transfer_from(start)
    intent = await case.prepare("max")
    assert intent.card.total == 20 * 10**8
    assert (await case.wallet.confirm(intent)).outcome.moved


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"to": "me", "operation": Operation.APPROVE}, "approve"),
        ({"to": "my subaccount", "operation": Operation.APPROVE}, "approve"),
        ({"to": TO_ID.text, "operation": Operation.APPROVE}, "approve"),
        ({"operation": Operation.APPROVE, "amount": "max"}, "amount"),
        ({"operation": Operation.APPROVE, "lasts": "soon"}, "lasts"),
        ({"operation": Operation.APPROVE, "memo": "x" * 33}, "memo"),
        ({"operation": Operation.TRANSFER_FROM}, "from"),
        ({"operation": Operation.TRANSFER_FROM, "from_account": "me"}, "from"),
        ({"operation": Operation.TRANSFER_FROM, "from_account": "nobody"}, "from"),
        ({"operation": Operation.TRANSFER_FROM, "from_account": "minter"}, "from"),
        ({"to": TO_ID.text}, "to"),
        ({"to": TO_ID.text[:-1] + "0", "amount": "1"}, "to"),
    ],
)
async def test_what_a_ledger_would_trap_on_is_refused_before_anything_is_stored(
    world: World, wallet: Wallet, form: dict[str, Any], field: str
) -> None:
    names = {
        "me": Account(wallet.key.principal).text,
        "my subaccount": Account(wallet.key.principal, b"\1" * 32).text,
        "minter": world.devnet.description()["minting_account"],
    }
    fields = {name: names.get(value, value) for name, value in form.items()}
    typed = Form(fields.pop("to", BOB.text), fields.pop("amount", "1"), **fields)
    with pytest.raises(BadInput) as refusal:
        await wallet.preparing.prepare(typed, wallet.ledger, wallet.identity)
    assert refusal.value.field == field
    assert wallet.store.intents() == []


async def test_on_the_icp_ledger_an_account_is_paid_by_icrc1_and_an_id_by_transfer(start: Start) -> None:
    case = await icp_transfer(start)
    assert (await case.prepare()).method == "transfer"
    paid = (await case.wallet.prepare("1", BOB)).intent
    assert paid.method == "icrc1_transfer"
    await case.wallet.confirm(paid)
    await case.wallet.confirm(await case.prepare())
    assert await case.wallet.network.balance(paid.ledger, BOB) == 250_000_000


@pytest.mark.parametrize("memo", ["x", "-1", "1.5", str(1 << 64), "٣"])
async def test_the_icp_ledgers_memo_is_a_number(start: Start, memo: str) -> None:
    case = await icp_transfer(start)
    with pytest.raises(BadInput, match="number") as refusal:
        await case.prepare(memo=memo)
    assert refusal.value.field == "memo"
    assert case.wallet.store.intents() == []


async def test_an_amount_that_the_ledgers_numbers_do_not_hold_is_refused(start: Start) -> None:
    case = await icp_transfer(start)
    with pytest.raises(BadInput, match="cannot take it") as refusal:
        await case.prepare(str(1 << 64))
    assert refusal.value.field == "amount"
    assert case.wallet.store.intents() == []


# --- methods of an application's own ---


def with_own_pack(wallet: Wallet, name: str) -> Wallet:
    offered = [OfferedPack(bundled_pack(name), is_own=True), OfferedPack(bundled_pack("icrc1"), is_own=False)]
    speakers = Speakers(wallet.network, lambda: offered)
    return replace(wallet, preparing=Preparing(wallet.store, wallet.network, QuickClock(), speakers, os.urandom))


async def test_without_the_tag_nothing_goes_again_but_the_stored_envelope(start: Start) -> None:  # R19
    world = await start(examples=True)
    wallet = with_own_pack(await world.wallet(), "example_pay")
    wallet.trust_deduplication()  # even then: there is nothing in the call by which it would know a repeat
    intent = (await wallet.prepare()).intent
    assert intent.method == "example_pay"
    assert any("no stamp" in warning for warning in intent.card.warnings)
    assert any("own pack example_pay" in warning for warning in intent.card.warnings)
    await world.fault("forget_status")
    unknown = await wallet.confirm(intent, 1.0)
    assert (unknown.state, [attempt.posts for attempt in unknown.attempts]) == (State.UNKNOWN, [1])
    again = await wallet.resume(intent, 1.0)  # the person's word: the same envelope, which runs at most once
    assert len(again.attempts) == 1
    await world.fault("clock", PAST_THE_ENVELOPE_S)
    asked = await wallet.resume(intent)
    # A block equals it, and might be another payment's: there is no stamp to tell them apart.
    assert (asked.state, len(asked.attempts)) == (State.ASK, 1)
    assert len(await world.payments()) == 1


async def test_without_the_tag_a_lost_request_is_proven_absent(start: Start) -> None:  # R25
    world = await start(examples=True)
    wallet = with_own_pack(await world.wallet(), "example_pay")
    intent = (await wallet.prepare()).intent
    await world.fault("lose_request", times=20)
    await wallet.confirm(intent, 1.0)
    await world.clear()
    await world.fault("clock", PAST_THE_ENVELOPE_S)
    settled = await wallet.resume(intent)
    assert (settled.outcome.settled_by, settled.outcome.moved, len(settled.attempts)) == ("history", False, 1)
    assert settled.asks_for_restamp
    assert await world.payments() == []


async def test_a_result_that_is_no_variant_is_what_the_pack_says(start: Start) -> None:  # R6
    world = await start(examples=True)
    wallet = with_own_pack(await world.wallet(), "example_give")
    settled = await wallet.confirm((await wallet.prepare()).intent)
    assert (settled.method, settled.outcome.outcome_class) == ("example_give", OutcomeClass.SUCCESS)
    (block,) = await world.payments()
    assert settled.outcome.block == int(block["index"])


@pytest.mark.parametrize("shown", ["none", "garbage"])
async def test_a_ledger_without_a_readable_interface_is_matched_by_its_standards(
    world: World, wallet: Wallet, monkeypatch: pytest.MonkeyPatch, shown: str
) -> None:  # R1
    async def interface(canister: object) -> None:
        if shown == "garbage":
            raise UnreadableInterface("The interface that it shows cannot be read.")

    monkeypatch.setattr(wallet.network, "interface", interface)
    for operation in (Operation.TRANSFER, Operation.APPROVE):
        intent = (await wallet.prepare(operation=operation)).intent
        assert any("taken to be those of its standards" in warning for warning in intent.card.warnings)
        assert (await wallet.confirm(intent)).outcome.moved
    assert len(await world.payments()) == 2


async def test_a_ledger_that_lacks_a_method_says_so(start: Start) -> None:  # R1
    world = await start()
    wallet = with_own_pack(await world.wallet(), "icp")
    with pytest.raises(BadInput, match="allows a spender") as refusal:
        await wallet.prepare(operation=Operation.APPROVE)
    assert refusal.value.field == "ledger"


@pytest.mark.parametrize(("result", "case"), [("Frozen", "Err.Frozen"), ({"Ok2": 7}, "Ok2")])
async def test_a_case_that_no_pack_names_is_shown_and_claims_nothing(start: Start, result: Any, case: str) -> None:
    world = await start(more_cases=True)  # R1, R5
    wallet = await world.wallet()
    intent = (await wallet.prepare()).intent
    await world.fault("result", result)
    settled = await wallet.confirm(intent)
    assert (settled.outcome.outcome_class, settled.outcome.case) == (OutcomeClass.FAIL, case)
    assert (settled.outcome.payload is None) is (case == "Err.Frozen")
    assert (settled.is_settled, settled.outcome.moved) == (True, None)


async def test_a_pack_kept_with_an_intent_goes_on_to_speak_for_it(start: Start) -> None:
    """A later edit never reclassifies an old one."""
    world = await start(examples=True)
    wallet = with_own_pack(await world.wallet(), "example_pay")
    intent = (await wallet.prepare()).intent
    later = with_own_pack(wallet, "example_give")
    settled = await later.confirm(intent)
    assert settled.pack == intent.pack
    assert settled.outcome.case == "Ok"


# --- what a pack can do to an intent that is stamped anew ---


def offering(wallet: Wallet, *packs: Pack) -> Wallet:
    offered = [OfferedPack(each, is_own=True) for each in packs]
    offered.append(OfferedPack(bundled_pack("icrc1"), is_own=False))
    speakers = Speakers(wallet.network, lambda: offered)
    return replace(wallet, preparing=Preparing(wallet.store, wallet.network, QuickClock(), speakers, os.urandom))


def without(name: str, *tags: str) -> Pack:
    """The bundled pack of somebody who left these tags out."""
    entries = json.loads(bundled_pack(name).text)
    return parse_pack("own", json.dumps([each for each in entries if each["tag"] not in tags]))


@pytest.mark.parametrize(
    ("tag", "form"), [("memo", {"memo": "rent"}), ("from_subaccount", {"from_subaccount": "07" * 32})]
)
async def test_a_new_stamp_leaves_nothing_out_that_the_old_card_showed(
    world: World, wallet: Wallet, tag: str, form: dict[str, Any]
) -> None:  # R10, R15
    world.devnet.fund(Account(wallet.key.principal, b"\7" * 32), 10**10)
    intent = (await wallet.prepare(**form)).intent
    await world.fault("result", "TooOld")
    refused = await wallet.confirm(intent)
    later = offering(wallet, without("icrc1", tag))
    with pytest.raises(BadInput, match="takes no") as refusal:
        await later.restamp(refused)
    assert refusal.value.field == tag
    assert wallet.found(intent).superseded_by is None
    assert (await wallet.restamp(refused)).card.memo == intent.card.memo


async def test_a_new_stamp_is_never_that_of_another_payment(world: World, wallet: Wallet) -> None:  # R23
    intent = (await wallet.prepare(memo="rent")).intent
    await world.fault("result", "TooOld")
    refused = await wallet.confirm(intent)
    plain = (await wallet.prepare()).intent
    # In the eyes of a pack that knows no memo both are one payment.
    with pytest.raises(BadInput, match="takes no memo"):
        await offering(wallet, without("icrc1", "memo")).restamp(refused)
    assert (wallet.found(refused), wallet.found(plain)) == (refused, plain)


async def test_a_memo_that_is_text_is_no_number_for_another_pack(
    world: World, wallet: Wallet, monkeypatch: pytest.MonkeyPatch
) -> None:
    intent = (await wallet.prepare(memo="hello")).intent
    await world.fault("result", "TooOld")
    refused = await wallet.confirm(intent)
    entries = json.loads(bundled_pack("icrc1").text)
    for entry in entries:
        if entry["tag"] == "memo":
            entry["args"] = {"form": "number"}

    async def interface(_: object) -> None:
        return None

    monkeypatch.setattr(wallet.network, "interface", interface)
    with pytest.raises(BadInput) as refusal:
        await offering(wallet, parse_pack("own", json.dumps(entries))).restamp(refused)
    assert refusal.value.field == "memo"


async def test_one_payee_by_account_and_by_account_id_is_one(start: Start) -> None:  # R28
    case = await icp_transfer(start)
    by_account = (await case.wallet.prepare("1.5", BOB)).intent
    by_id = await case.prepare()
    assert any(f"still open: {by_account.id}" in warning for warning in by_id.card.warnings)
    again = (await case.wallet.prepare("1.5", BOB, memo="x")).intent
    assert any(f"still open: {by_id.id}" in warning for warning in again.card.warnings)


TYPES = "type T = opt T;\ntype L = record { nat; opt L };\ntype M = opt record { nat; M };\n" + "".join(
    f"type N{n} = record {{ a : N{n + 1} }};\n" for n in range(300)
)


@pytest.mark.parametrize("more", ["T", "opt T", "opt L", "M", "opt N0"])
async def test_optional_fields_of_any_type_are_left_out(
    wallet: Wallet, monkeypatch: pytest.MonkeyPatch, more: str
) -> None:
    text = LEDGER_DID.replace(
        "type TransferArg = record {", f"{TYPES}type N300 = nat;\ntype TransferArg = record {{ extra : {more};"
    )
    assert text != LEDGER_DID

    async def interface(_: object) -> StatedInterface:
        return StatedInterface(parse_did(text), certified=True)

    monkeypatch.setattr(wallet.network, "interface", interface)
    if more == "opt N0":
        with pytest.raises(BadInput, match="nest too deeply"):
            await wallet.prepare()
        assert wallet.store.intents() == []
    else:
        assert (await wallet.confirm((await wallet.prepare()).intent)).outcome.moved
