"""The endpoints as clients meet them, each answer checked with the wallet's own verifier of certificates."""

import asyncio
from typing import Any

import cbor2
import httpx
import pytest
from cryptography.hazmat.primitives.serialization import load_der_public_key

from tests.devnet.client import FEE, Client, Person, hash_of, opened, rejection_of, reply_of
from tests.devnet.conftest import FUNDS, Start
from wallet.adapters.ic.certificate import verify, verify_tip
from wallet.adapters.ic.hash_tree import Missing
from wallet.core.account import Account
from wallet.core.ledger_time import SECOND
from wallet.core.principal import Principal
from wallet.core.value import Case
from wallet.devnet.settings import ARCHIVE_ID, LEDGER_ID


async def test_status_tells_the_root_key(client: Client) -> None:
    answer = await client.http.get("/api/v2/status")
    status = opened(answer)
    assert status["root_key"].hex() == client.devnet.description()["root_key"]
    assert len(status["root_key"]) == 133
    assert status["replica_health_status"] == "healthy"


@pytest.mark.parametrize("version", ["v3", "v4"])
async def test_a_call_is_answered_with_its_certified_reply(client: Client, version: str) -> None:
    assert await client.result(client.transfer(), version) == Case("Ok", 1)
    assert await client.balance(client.sender) == FUNDS - 1_000 - FEE


async def test_the_oldest_call_endpoint_accepts_and_lets_poll(client: Client) -> None:
    sent = client.transfer()
    answer = await client.post(sent, "v2")
    assert (answer.status_code, answer.content) == (202, b"")
    assert reply_of(await client.state([b"request_status", sent.id], version="v2"), sent.id) == Case("Ok", 1)


async def test_one_request_id_runs_at_most_once(client: Client) -> None:
    sent = client.transfer()
    answers = await asyncio.gather(*(client.result(sent) for _ in range(5)))
    assert answers == [Case("Ok", 1)] * 5
    assert await client.moved() == 1


async def test_the_same_bytes_in_a_new_envelope_are_a_duplicate(client: Client) -> None:
    stamp = client.now()
    assert await client.result(client.transfer(created_at_time=stamp)) == Case("Ok", 1)
    assert await client.result(client.transfer(created_at_time=stamp)) == Case(
        "Err", Case("Duplicate", {"duplicate_of": 1})
    )


async def test_a_trap_is_a_certified_rejection_with_code_5(client: Client) -> None:
    sent = client.transfer(memo=bytes(33))
    certificate = client.verified(opened(await client.post(sent))["certificate"])
    code, message, error = rejection_of(certificate, sent.id)
    assert (code, error) == (5, "IC0503")
    assert "33 bytes" in message


@pytest.mark.parametrize("argument", [b"", b"DIDL\x00\x00", b"DIDL\x00\x01\x71\x00", b"\xff" * 40])
async def test_arguments_that_are_no_candid_trap(client: Client, argument: bytes) -> None:
    sent = client.call("icrc1_transfer", arg=argument or b"\x00")
    certificate = client.verified(opened(await client.post(sent))["certificate"])
    assert rejection_of(certificate, sent.id)[0] == 5
    assert await client.moved() == 0


async def test_a_query_method_called_as_an_update_is_certified(client: Client, nobody: Client) -> None:
    assert await nobody.run("icrc1_decimals") == 8
    assert await nobody.run("icrc1_symbol") == "TOK"
    assert await client.run("icrc3_get_tip_certificate") is None


async def test_an_unknown_method_is_rejected(client: Client) -> None:
    sent = client.call("icrc1_transfer", arg=b"DIDL\x00\x00", method_name="mint_me")
    certificate = client.verified(opened(await client.post(sent))["certificate"])
    assert rejection_of(certificate, sent.id)[::2] == (5, "IC0536")
    assert (await client.query_raw("mint_me", b"DIDL\x00\x00"))["status"] == "rejected"


async def test_a_canister_that_is_not_there_takes_no_call(client: Client) -> None:
    nowhere = Principal(bytes.fromhex("80000000001000070101"))
    sent = client.call("icrc1_transfer", arg=b"DIDL\x00\x00", canister_id=nowhere.raw)
    body = opened(await client.post(sent, canister=nowhere))
    assert (body["status"], body["reject_code"], body["error_code"]) == ("non_replicated_rejection", 3, "IC0301")


async def test_queries_carry_a_signature_that_the_state_tree_vouches_for(client: Client) -> None:
    answer = await client.query_raw("icrc1_fee", b"DIDL\x00\x00")
    (signature,) = answer["signatures"]
    subnet = client.devnet.network.keys.subnet.id.raw
    state = await client.state([b"subnet", subnet, b"node"])
    der = state.lookup(b"subnet", subnet, b"node", signature["identity"], b"public_key")
    assert isinstance(der, bytes)
    signed = {"status": "replied", "reply": answer["reply"], "timestamp": signature["timestamp"]}
    key: Any = load_der_public_key(der)
    key.verify(signature["signature"], b"\x0bic-response" + hash_of({**signed, "request_id": answer["request_id"]}))


async def test_absence_is_proven(client: Client) -> None:
    await client.result(client.transfer())
    state = await client.state([b"request_status", bytes(32)])
    assert state.lookup(b"request_status", bytes(32)) is Missing.ABSENT


async def test_the_interface_is_public_metadata(nobody: Client) -> None:
    state = await nobody.state([b"canister", LEDGER_ID.raw, b"metadata", b"candid:service"])
    text = state.lookup(b"canister", LEDGER_ID.raw, b"metadata", b"candid:service")
    assert isinstance(text, bytes)
    assert b"icrc1_transfer" in text


@pytest.mark.parametrize("age_s", [-3600, 3600, 10**6])
async def test_an_anonymous_look_is_answered_whatever_its_expiry_says(nobody: Client, age_s: int) -> None:
    before = nobody.now()
    answer = await nobody.read_state([b"time"], ingress_expiry=before + age_s * SECOND)
    time = nobody.verified(opened(answer)["certificate"]).time
    assert before < time < before + 10 * SECOND


async def test_only_its_sender_may_ask_about_a_call(client: Client, nobody: Client) -> None:
    sent = client.transfer()
    await client.result(sent)
    assert (await nobody.read_state([b"request_status", sent.id])).status_code == 403
    stranger = Client(client.devnet, Person(), client.http)
    assert (await stranger.read_state([b"request_status", sent.id])).status_code == 403


async def test_one_read_asks_about_one_call(client: Client) -> None:
    answer = await client.read_state([b"request_status", bytes(32)], [b"request_status", b"\x01" * 32])
    assert answer.status_code == 400
    assert "single request ID" in answer.text


@pytest.mark.parametrize(
    "path",
    [
        [],
        [b"request_status"],
        [b"canister"],
        [b"canister", LEDGER_ID.raw, b"certified_data"],
        [b"canister", ARCHIVE_ID.raw, b"module_hash"],
        [b"secrets"],
    ],
)
async def test_what_nobody_may_read_is_refused(client: Client, path: list[bytes]) -> None:
    assert (await client.read_state(path)).status_code in (400, 404)


@pytest.mark.parametrize("delegation", ["none", "flat", "sharded", "mainnet"])
@pytest.mark.parametrize("version", ["v2", "v3"])
async def test_every_layout_of_canister_ranges_verifies(start: Start, delegation: str, version: str) -> None:
    devnet = await start(delegation=delegation)
    async with httpx.AsyncClient(base_url=devnet.url) as http:
        state = await Client(devnet, None, http).state([b"time"], version=version)
        body = cbor2.loads(state.raw)
        assert ("delegation" in body) == (delegation != "none")
        if delegation != "none":
            inner = cbor2.loads(body["delegation"]["certificate"])
            sharded = delegation == "sharded" or (delegation == "mainnet" and version == "v3")
            assert (b"canister_ranges" in _labels(inner["tree"])) == sharded


def _labels(tree: Any) -> set[bytes]:
    """The labels of the first level of a tree as CBOR has it."""
    match tree:
        case [1, left, right]:
            return _labels(left) | _labels(right)
        case [2, label, _]:
            return {label}
        case _:
            return set()


async def test_the_tip_is_certified_and_every_block_leads_to_it(start: Start) -> None:
    devnet = await start(archive_after=4)
    for amount in range(1, 8):
        devnet.fund(Account(Principal(b"\x07")), amount)
    async with httpx.AsyncClient(base_url=devnet.url) as http:
        nobody = Client(devnet, None, http)
        tip_answer: Any = await nobody.query("icrc3_get_tip_certificate")
        certificate = verify(tip_answer["certificate"], devnet.network.keys.root.der, LEDGER_ID)
        tip = verify_tip(certificate, LEDGER_ID, tip_answer["hash_tree"])
        assert tip is not None
        assert tip.index == 6
        assert tip.hash == devnet.network.ledger.blocks[-1].hash


async def test_a_subnet_may_be_asked_about_itself(nobody: Client) -> None:
    subnet = nobody.devnet.network.keys.subnet.id
    sent = nobody.signed(nobody.content("read_state", paths=[[b"time"], [b"subnet", subnet.raw]]))
    answer = await nobody.http.post(f"/api/v3/subnet/{subnet}/read_state", content=sent.body)
    assert answer.status_code == 200
    assert nobody.verified(opened(answer)["certificate"]).lookup(b"subnet", subnet.raw, b"public_key")


async def test_expired_calls_are_forgotten(client: Client) -> None:
    sent = client.transfer()
    await client.result(sent)
    assert await client.status(sent) == "replied"
    await client.arm("clock", 121)
    assert await client.status(sent) is None
    assert (await client.post(sent)).status_code == 400


async def test_paths_that_are_none_are_answered_in_words(client: Client) -> None:
    assert (await client.http.get("/")).status_code == 404
    assert (await client.http.post("/api/v5/canister/aaaaa-aa/call")).status_code == 404
    assert (await client.http.get(f"/api/v3/canister/{LEDGER_ID}/query")).status_code == 405
    assert (await client.http.post("/api/v2/status")).status_code == 405
