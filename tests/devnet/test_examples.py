"""Payment methods that no standard knows, and result cases that icrc1_transfer has nowhere else."""

from typing import Any

import pytest

from tests.devnet.client import FEE, Client, opened, rejection_of
from tests.devnet.conftest import FUNDS, Funded
from wallet.adapters.ic.did import parse_did
from wallet.core.interface import Variant
from wallet.core.ledger_time import DAY, SECOND
from wallet.core.principal import Principal
from wallet.core.value import Case, Value
from wallet.devnet import DevnetOptions
from wallet.devnet.interface import ledger_did, transfers
from wallet.devnet.method_types import declared

BOB = Principal(b"\x0b")
TO_BOB: Value = {"owner": BOB, "subaccount": None}


@pytest.fixture
async def app(funded: Funded) -> Client:
    return await funded(examples=True)


async def trap(client: Client, method: str, argument: Value) -> str:
    sent = client.call(method, argument)
    code, message, _ = rejection_of(client.verified(opened(await client.post(sent))["certificate"]), sent.id)
    assert code == 5
    return message


async def test_example_pay_executes_each_time_and_takes_the_fee(app: Client) -> None:
    argument: Value = {"to": TO_BOB, "amount": 1_000, "memo": b"again"}
    assert [await app.run("example_pay", argument) for _ in range(3)] == [Case("Ok", n) for n in (1, 2, 3)]
    assert await app.balance(BOB) == 3_000
    assert await app.balance(app.sender) == FUNDS - 3 * (1_000 + FEE)
    assert (await app.blocks())[1]["tx"]["memo"] == b"again".hex()


async def test_example_pay_without_the_money_says_the_balance(app: Client) -> None:
    assert await app.run("example_pay", {"to": TO_BOB, "amount": FUNDS}) == Case(
        "Err", Case("InsufficientFunds", {"balance": FUNDS})
    )
    assert "33 bytes" in await trap(app, "example_pay", {"to": TO_BOB, "amount": 1, "memo": bytes(33)})
    await app.arm("busy")
    assert "TemporarilyUnavailable" in await trap(app, "example_pay", {"to": TO_BOB, "amount": 1})


async def test_example_give_knows_its_repeat_inside_the_window(app: Client) -> None:
    now = app.now()
    argument: dict[str, Value] = {"to": TO_BOB, "amount": 1_000, "created_at_time": now}
    assert [await app.run("example_give", argument) for _ in range(3)] == [1, 1, 1]
    assert await app.run("example_give", {**argument, "created_at_time": now + 1}) == 2
    assert await app.run("example_give", argument) == 1
    assert await app.balance(BOB) == 2_000
    assert "TooOld" in await trap(app, "example_give", {**argument, "created_at_time": now - DAY - SECOND})
    assert "CreatedInFuture" in await trap(app, "example_give", {**argument, "created_at_time": now + DAY})
    assert "InsufficientFunds" in await trap(app, "example_give", {**argument, "amount": FUNDS})
    assert await app.moved() == 2


@pytest.mark.parametrize(
    ("method", "value", "expected"),
    [
        ("example_pay", "Frozen", Case("Err", Case("Frozen"))),
        ("example_pay", {"Err": "InsufficientFunds"}, Case("Err", Case("InsufficientFunds", {"balance": 0}))),
        ("example_pay", {"Ok": "7"}, Case("Ok", 7)),
        ("example_give", {"Ok": "7"}, 7),
        ("example_give", "Ok", 1),
    ],
)
async def test_result_answers_any_case_of_the_examples(app: Client, method: str, value: Any, expected: Value) -> None:
    await app.arm("result", value)
    argument: dict[str, Value] = {"to": TO_BOB, "amount": 1}
    stamped = {**argument, "created_at_time": app.now()}
    assert await app.run(method, stamped if method == "example_give" else argument) == expected
    assert await app.moved() == 0


async def test_a_trap_after_the_commit_is_about_what_was_committed(app: Client) -> None:
    argument: Value = {"to": TO_BOB, "amount": 1, "created_at_time": app.now()}
    await app.arm("trap_after_commit", times=2)
    assert "failed to archive" in await trap(app, "example_give", argument)
    assert await app.run("example_give", argument) == 1  # a repeat commits nothing
    assert await app.moved() == 1


async def test_nobody_has_them_who_did_not_ask(client: Client) -> None:
    for method in ("example_pay", "example_give"):
        sent = client.call(method, arg=b"DIDL\x00\x00")
        certificate = client.verified(opened(await client.post(sent))["certificate"])
        assert rejection_of(certificate, sent.id)[2] == "IC0536"
    shown = await client.query("__get_candid_interface_tmp_hack")
    assert isinstance(shown, str)
    assert "example_" not in shown
    assert "Ok2" not in shown


@pytest.mark.parametrize("kind", ["icrc", "icp"])
@pytest.mark.parametrize("examples", [True, False])
@pytest.mark.parametrize("more_cases", [True, False])
def test_each_interface_reads_and_has_a_type_for_all_that_it_shows(kind: Any, examples: bool, more_cases: bool) -> None:
    options = DevnetOptions(kind=kind, examples=examples, more_cases=more_cases)
    shown = parse_did(ledger_did(options))
    assert {method.name for method in shown.methods if not method.is_query} == transfers(options)
    for method in shown.methods:
        types = declared(method.name, options)
        assert (len(types.args), len(types.results)) == (len(method.args), len(method.results))
        for ours, theirs in zip(types.results, method.results, strict=True):
            if isinstance(theirs, Variant):
                assert set(ours._fields) == {case.name for case in theirs.cases}


@pytest.mark.parametrize("more_cases", [True, False])
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Frozen", Case("Err", Case("Frozen"))),
        ({"Frozen": {"message": "thaw first"}}, Case("Err", Case("Frozen", {"message": "thaw first"}))),
        ({"Ok2": 12}, Case("Ok2", 12)),
        ({"Ok": 12}, Case("Ok", 12)),
    ],
)
async def test_cases_beyond_the_standard_are_answered_declared_or_not(
    funded: Funded, more_cases: bool, value: Any, expected: Case
) -> None:
    client = await funded(more_cases=more_cases)
    await client.arm("result", value)
    assert await client.result(client.transfer()) == expected
    assert await client.moved() == 0
    assert await client.result(client.transfer()) == Case("Ok", 1)


async def test_more_cases_are_in_the_interface_and_icrc2_keeps_its_own(funded: Funded) -> None:
    client = await funded(more_cases=True)
    shown = await client.query("__get_candid_interface_tmp_hack")
    assert isinstance(shown, str)
    assert "icrc1_transfer : (TransferArg) -> (variant { Ok : nat; Ok2 : nat; Err : TransferError })" in shown
    assert shown.count("Ok2") == shown.count("Frozen") == 1
