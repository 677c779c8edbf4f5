"""Every fault over real HTTP, as a wallet meets it: what comes back, and whether the money moved."""

import asyncio
import time
from typing import Any

import httpx
import pytest

from tests.devnet.client import FEE, Client, Person, opened, rejection_of, reply_of
from tests.devnet.conftest import FUNDS, Start
from wallet.adapters.ic.candid import Undecodable
from wallet.adapters.ic.certificate import verify_tip
from wallet.adapters.ic.hash_tree import Missing
from wallet.core.account import Account
from wallet.core.errors import Untrusted
from wallet.core.ledger_time import SECOND
from wallet.core.principal import Principal
from wallet.core.value import Case, Value
from wallet.devnet import Devnet
from wallet.devnet.faults import KINDS, TAMPERED
from wallet.devnet.settings import ARCHIVE_ID, LEDGER_ID


async def test_lose_reply_executes_and_says_nothing(client: Client) -> None:
    await client.arm("lose_reply")
    sent = client.transfer()
    with pytest.raises(httpx.RemoteProtocolError):
        await client.post(sent)
    assert await client.moved() == 1
    assert await client.result(sent) == Case("Ok", 1)
    assert await client.moved() == 1


async def test_lose_request_never_arrives(client: Client) -> None:
    await client.arm("lose_request", times=2)
    sent = client.transfer()
    for _ in range(2):
        with pytest.raises(httpx.TransportError):
            await client.post(sent)
    assert await client.status(sent) is None
    assert await client.moved() == 0
    assert await client.result(sent) == Case("Ok", 1)


async def test_late_answers_late_and_executes_at_once(client: Client) -> None:
    await client.arm("late", 0.5)
    sent = client.transfer()
    started = time.monotonic()
    posting = asyncio.create_task(client.result(sent))
    while await client.status(sent) is None:
        pass
    assert time.monotonic() - started < 0.5
    assert await posting == Case("Ok", 1)
    assert time.monotonic() - started >= 0.5


async def test_delay_accepts_now_and_executes_later(client: Client) -> None:
    await client.arm("delay", 0.3)
    sent = client.transfer()
    assert (await client.post(sent)).status_code == 202
    assert await client.status(sent) == "received"
    assert (await client.post(sent)).status_code == 202
    assert len(client.devnet.network.ledger.blocks) == 1
    # By itself, with nobody asking.
    async with asyncio.timeout(5):
        while len(client.devnet.network.ledger.blocks) == 1:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert await client.result(sent) == Case("Ok", 1)


async def test_a_delayed_call_runs_when_it_was_due_though_the_clock_jumped(client: Client) -> None:
    await client.arm("delay", 60)
    sent = client.transfer()
    admitted = client.now()
    await client.post(sent)
    await client.arm("clock", 100)
    assert await client.status(sent) == "replied"
    assert abs(int((await client.blocks())[1]["ts"]) - admitted - 60 * SECOND) < 5 * SECOND


async def test_a_call_delayed_past_its_expiry_never_runs(client: Client) -> None:
    await client.arm("delay", 200)
    sent = client.transfer()
    await client.post(sent)
    await client.arm("clock", 300)
    assert await client.status(sent) is None
    assert await client.moved() == 0


async def test_busy_executes_nothing(client: Client) -> None:
    await client.arm("busy", times=2)
    for _ in range(2):
        assert await client.result(client.transfer()) == Case("Err", Case("TemporarilyUnavailable"))
    assert await client.result(client.transfer()) == Case("Ok", 1)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("TooOld", Case("Err", Case("TooOld"))),
        ("Err.InsufficientFunds", Case("Err", Case("InsufficientFunds", {"balance": 0}))),
        ({"BadFee": {"expected_fee": "20000"}}, Case("Err", Case("BadFee", {"expected_fee": 20_000}))),
        ({"Err": {"BadBurn": {"min_burn_amount": 5}}}, Case("Err", Case("BadBurn", {"min_burn_amount": 5}))),
        (
            {"GenericError": {"error_code": 7, "message": "77"}},
            Case("Err", Case("GenericError", {"error_code": 7, "message": "77"})),
        ),
        ({"Duplicate": {"duplicate_of": 0}}, Case("Err", Case("Duplicate", {"duplicate_of": 0}))),
        ("TemporarilyUnavailable", Case("Err", Case("TemporarilyUnavailable"))),
        ("Frozen", Case("Err", Case("Frozen"))),
        ({"Frozen": {"message": "thaw first"}}, Case("Err", Case("Frozen", {"message": "thaw first"}))),
        ({"Ok": "9"}, Case("Ok", 9)),
    ],
)
async def test_result_answers_any_case_and_executes_nothing(client: Client, value: Any, expected: Case) -> None:
    await client.arm("result", value)
    assert await client.result(client.transfer()) == expected
    assert await client.moved() == 0


@pytest.mark.parametrize("method", ["icrc2_approve", "icrc2_transfer_from"])
async def test_the_other_transfers_meet_faults_as_well(client: Client, method: str) -> None:
    other: Value = {"owner": Principal(b"\x0b")}
    own: Value = {"owner": client.sender}
    await client.arm("result", "Expired" if method == "icrc2_approve" else "InsufficientAllowance")
    fields: dict[str, Value] = {"spender": other} if method == "icrc2_approve" else {"from": own, "to": other}
    result = await client.run(method, {"amount": 1, **fields})
    assert isinstance(result, Case)
    assert result.tag == "Err"


@pytest.mark.parametrize("code", range(1, 7))
async def test_reject_is_certified_and_executes_nothing(client: Client, code: int) -> None:
    await client.arm("reject", code)
    sent = client.transfer()
    certificate = client.verified(opened(await client.post(sent))["certificate"])
    assert rejection_of(certificate, sent.id)[0] == code
    assert await client.moved() == 0


async def test_reject_uncertified_is_one_nodes_word(client: Client) -> None:
    await client.arm("reject_uncertified", 4)
    sent = client.transfer()
    body = opened(await client.post(sent))
    assert (body["status"], body["reject_code"]) == ("non_replicated_rejection", 4)
    assert await client.status(sent) is None
    assert await client.result(sent) == Case("Ok", 1)


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_http_answers_with_a_status(client: Client, status: int) -> None:
    await client.arm("http", status)
    assert (await client.post(client.transfer())).status_code == status
    assert await client.moved() == 0


async def test_clock_jumps_for_good(client: Client) -> None:
    before = (await client.state([b"time"])).time
    await client.arm("clock", 3600.5)
    await client.http.delete("/admin/faults")
    assert (await client.state([b"time"])).time - before >= 3600 * SECOND


async def test_lag_sets_the_ledgers_clock_back(client: Client) -> None:
    await client.arm("lag", 120)
    stamp = client.now()
    result = await client.result(client.transfer(created_at_time=stamp))
    assert isinstance(result, Case)
    assert isinstance(result.value, Case)
    assert isinstance(result.value.value, dict)
    ledger_time = result.value.value["ledger_time"]
    assert isinstance(ledger_time, int)
    assert result.value.tag == "CreatedInFuture"
    assert stamp - 121 * SECOND < ledger_time < stamp - 110 * SECOND
    assert await client.result(client.transfer(created_at_time=ledger_time)) == Case("Ok", 1)


async def test_fee_changes_until_cleared(client: Client) -> None:
    await client.arm("fee", "20000")
    assert await client.query("icrc1_fee") == 20_000
    for _ in range(2):
        result = await client.result(client.transfer(fee=FEE))
        assert result == Case("Err", Case("BadFee", {"expected_fee": 20_000}))
    await client.http.delete("/admin/faults")
    assert await client.result(client.transfer(fee=FEE)) == Case("Ok", 1)


async def test_forget_status_hides_that_call_and_no_other(client: Client) -> None:
    await client.arm("forget_status")
    hidden, shown = client.transfer(), client.transfer()
    assert (await client.post(hidden)).status_code == 202
    assert await client.status(hidden) is None
    assert await client.result(shown) == Case("Ok", 2)
    assert (await client.post(hidden)).status_code == 202
    assert await client.moved() == 2


async def test_done_status_says_only_that_it_ended(client: Client) -> None:
    await client.arm("done_status")
    sent = client.transfer()
    certificate = client.verified(opened(await client.post(sent))["certificate"])
    assert certificate.lookup(b"request_status", sent.id, b"status") == b"done"
    assert certificate.lookup(b"request_status", sent.id, b"reply") is Missing.ABSENT
    assert await client.status(sent) == "done"
    assert await client.moved() == 1


async def test_trap_after_commit_moves_the_money_and_rejects_with_code_5(client: Client) -> None:
    await client.arm("trap_after_commit")
    sent = client.transfer(created_at_time=client.now())
    certificate = client.verified(opened(await client.post(sent))["certificate"])
    assert rejection_of(certificate, sent.id)[::2] == (5, "IC0503")
    assert await client.moved() == 1
    again = client.signed({**sent.content, "nonce": b"another"})
    assert await client.result(again) == Case("Err", Case("Duplicate", {"duplicate_of": 1}))


async def test_twice_runs_twice_and_answers_the_second(client: Client) -> None:
    await client.arm("twice")
    stamped = client.transfer(created_at_time=client.now())
    assert await client.result(stamped) == Case("Err", Case("Duplicate", {"duplicate_of": 1}))
    await client.arm("twice")
    assert await client.result(client.transfer()) == Case("Ok", 3)
    digests = [block["arguments_sha256"] for block in await client.blocks()]
    assert digests[0] is None
    assert digests[2] == digests[3] != digests[1]


async def test_hide_archive_keeps_older_blocks_away(start: Start) -> None:
    devnet = await start(archive_after=2)
    for amount in range(1, 6):
        devnet.fund(Account(Principal(b"\x07")), amount)
    async with httpx.AsyncClient(base_url=devnet.url) as http:
        client = Client(devnet, None, http)
        ask: Value = [{"start": 0, "length": 9}]
        await client.arm("hide_archive")
        with pytest.raises(AssertionError, match="IC0508"):
            await client.query("icrc3_get_blocks", ask, canister=ARCHIVE_ID)
        archives: Any = await client.query("icrc3_get_archives", {"from": None})
        assert archives[0]["canister_id"] == ARCHIVE_ID
        await http.delete("/admin/faults")
        found: Any = await client.query("icrc3_get_blocks", ask, canister=ARCHIVE_ID)
        assert found["blocks"]


async def test_no_dedup_moves_the_money_again(client: Client) -> None:
    await client.arm("no_dedup")
    stamp = client.now()
    results = [await client.result(client.transfer(created_at_time=stamp)) for _ in range(2)]
    assert results == [Case("Ok", 1), Case("Ok", 2)]


async def test_funds_first_hides_the_duplicate(client: Client) -> None:
    stamp = client.now()
    assert await client.result(client.transfer(FUNDS - FEE, created_at_time=stamp)) == Case("Ok", 1)
    await client.arm("funds_first")
    result = await client.result(client.transfer(FUNDS - FEE, created_at_time=stamp))
    assert result == Case("Err", Case("InsufficientFunds", {"balance": 0}))


@pytest.mark.parametrize("delegation", ["none", "mainnet"])
@pytest.mark.parametrize("what", [what for what in TAMPERED if what not in ("reply", "time", "request_id")])
async def test_a_forged_answer_does_not_verify_and_the_next_look_does(start: Start, what: str, delegation: str) -> None:
    devnet = await start(delegation=delegation)
    async with httpx.AsyncClient(base_url=devnet.url) as http:
        client = Client(devnet, funded(devnet), http)
        await client.arm("tamper", what)
        sent = client.transfer()
        with pytest.raises(Untrusted):
            client.verified(opened(await client.post(sent))["certificate"])
        assert reply_of(await client.state([b"request_status", sent.id]), sent.id) == Case("Ok", 1)
        await client.arm("tamper", what)
        with pytest.raises(Untrusted):
            await client.state([b"request_status", sent.id])
        assert await client.balance(client.sender) == FUNDS - 1_000 - FEE


def funded(devnet: Devnet) -> Person:
    person = Person()
    devnet.fund(Account(person.principal), FUNDS)
    return person


async def test_a_certificate_about_another_request_says_nothing_of_ours(client: Client) -> None:
    await client.arm("tamper", "request_id")
    sent = client.transfer()
    certificate = client.verified(opened(await client.post(sent))["certificate"])
    assert isinstance(certificate.lookup(b"request_status", sent.id, b"status"), Missing)


async def test_a_certificate_from_the_past_shows_its_age(client: Client) -> None:
    await client.arm("tamper", "time")
    certificate = client.verified(opened(await client.post(client.transfer()))["certificate"])
    assert client.now() - certificate.time > 3000 * SECOND


async def test_a_certified_reply_may_be_no_candid(client: Client) -> None:
    await client.arm("tamper", "reply")
    sent = client.transfer()
    certificate = client.verified(opened(await client.post(sent))["certificate"])
    with pytest.raises(Undecodable):
        reply_of(certificate, sent.id)
    assert await client.moved() == 1


async def test_stale_queries_show_the_state_of_then(client: Client) -> None:
    await client.arm("stale_queries")
    assert await client.result(client.transfer()) == Case("Ok", 1)
    assert await client.balance(client.sender) == FUNDS
    answer: Any = await client.query("icrc3_get_tip_certificate")
    tip = verify_tip(client.verified(answer["certificate"]), LEDGER_ID, answer["hash_tree"])
    assert tip is not None
    assert tip.index == 0
    own: Value = {"owner": client.sender}
    assert await client.run("icrc1_balance_of", own) == FUNDS - 1_000 - FEE
    await client.http.delete("/admin/faults")
    assert await client.balance(client.sender) == FUNDS - 1_000 - FEE


async def test_stop_refuses_connections_and_comes_back(client: Client) -> None:
    await client.arm("stop", 0.3)
    refused = 0
    async with asyncio.timeout(5), httpx.AsyncClient(base_url=client.devnet.url) as fresh:
        while not refused:
            try:
                await fresh.get("/api/v2/status")
            except httpx.TransportError:
                refused += 1
        while True:
            try:
                assert (await fresh.get("/api/v2/status")).status_code == 200
                break
            except httpx.ConnectError:
                await asyncio.sleep(0.02)


async def test_faults_leave_looks_alone(client: Client) -> None:
    for fault in ("lose_reply", "lose_request", "http", "reject", "tamper"):
        await client.arm(fault)
    assert await client.balance(client.sender) == FUNDS
    assert await client.run("icrc1_decimals") == 8
    await client.state([b"time"])
    assert len((await client.http.get("/admin/faults")).json()["armed"]) == 5


async def test_every_fault_is_listed_with_a_sentence(client: Client) -> None:
    listed = (await client.http.get("/admin/faults")).json()
    assert {kind["fault"] for kind in listed["known"]} == set(KINDS)
    assert all(kind["says"].endswith(".") and "{" not in kind["says"] for kind in listed["known"])
    armed = await client.arm("http", 418, times=3)
    assert armed == {
        "fault": "http",
        "times": 3,
        "value": 418,
        "says": "The call is answered with HTTP status 418; nothing executes.",
    }
    assert (await client.http.get("/admin/faults")).json()["armed"] == [armed]


@pytest.mark.parametrize(
    "body",
    [
        {"fault": "nonsense"},
        {"fault": None},
        {},
        {"fault": "busy", "times": 0},
        {"fault": "busy", "times": True},
        {"fault": "busy", "times": "2"},
        {"fault": "busy", "value": 3},
        {"fault": "http", "value": 200},
        {"fault": "http", "value": "x"},
        {"fault": "reject", "value": 7},
        {"fault": "late", "value": -1},
        {"fault": "clock"},
        {"fault": "clock", "value": -1},
        {"fault": "clock", "value": 10**12},
        {"fault": "tamper", "value": "everything"},
        {"fault": "result", "value": {"a": 1, "b": 2}},
        {"fault": "result", "value": {"Ok": "x"}},
        {"fault": "result", "value": {"GenericError": {"error_code": -1}}},
        {"fault": "fee", "value": 1.5},
        {"fault": "busy", "extra": 1},
    ],
)
async def test_what_cannot_be_armed_is_refused_in_words(client: Client, body: dict[str, Any]) -> None:
    answer = await client.http.post("/admin/faults", json=body)
    assert answer.status_code == 400
    assert len(answer.json()["error"]) > 15
    assert (await client.http.get("/admin/faults")).json()["armed"] == []


async def test_the_admin_address_funds_accounts_in_digits(client: Client) -> None:
    account = Account.of(client.sender, b"\x01" * 32)
    answer = await client.http.post("/admin/fund", json={"account": account.text, "amount": "123"})
    assert answer.json() == {"block": "1", "balance": "123"}
    for body in ({"account": "x", "amount": "1"}, {"account": account.text, "amount": 1}, {"amount": "1"}, [1]):
        assert (await client.http.post("/admin/fund", json=body)).status_code == 400
    huge = {"account": account.text, "amount": str(1 << 64)}
    assert (await client.http.post("/admin/fund", json=huge)).status_code == 400
    assert (await client.http.post("/admin/fund", content=b"{")).status_code == 400
    assert (await client.http.get("/admin/nothing")).status_code == 404


async def test_a_web_page_cannot_use_the_admin_address(client: Client) -> None:
    headers = {"origin": "https://example.com"}
    assert (await client.http.post("/admin/faults", json={"fault": "busy"}, headers=headers)).status_code == 403
    assert (await client.http.get("/admin/faults")).json()["armed"] == []
