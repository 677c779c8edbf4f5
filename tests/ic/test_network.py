"""The Network port over real HTTP: certified answers count, and everything else is silence (R16-R18)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import cbor2
import pytest

from tests.ic import maker
from tests.ic.maker import Key, Signer, Subnet
from tests.ic.replica import LEDGER, Replica, always, plain, result
from tests.ic.server import Handler, Server, answer, hang, hang_up, serving
from wallet.adapters.ic.network import IcNetwork, fetch_root_key
from wallet.adapters.ic.network_time import NetworkTime
from wallet.adapters.ic.transport import Limits
from wallet.core.attempt import Evidence, NotSent, Rejected, Reply, Silence, SilenceReason, Status, StatusWord
from wallet.core.errors import BadInput, NetworkFault, Untrusted
from wallet.core.ledger_time import LedgerTime
from wallet.core.principal import Principal
from wallet.core.value import Case, Value
from wallet.ports import Network, SealedCall

ROOT = Key()
SIGNER = Signer()
T0 = LedgerTime(1_800_000_000_000_000_000)
EXPIRY = LedgerTime(T0 + 120_000_000_000)
QUICK = Limits(connect_s=1, read_s=1, total_s=0.3)
PAYMENT: dict[str, Value] = {"to": {"owner": Principal(b"\x01")}, "amount": 5, "fee": 1, "created_at_time": 7}
OK: Value = Case("Ok", 12)


@asynccontextmanager
async def reaching(*handlers: Handler, time: NetworkTime | None = None) -> AsyncIterator[tuple[Network, Server]]:
    async with serving(*handlers) as server:
        network: Network = IcNetwork("test", server.url, ROOT.der, QUICK, time)
        try:
            yield network, server
        finally:
            await network.close()


def sealed(network: Network, nonce: bytes = b"n") -> SealedCall:
    argument = network.encode("icrc1_transfer", [PAYMENT], None)
    return network.seal(LEDGER, "icrc1_transfer", argument, EXPIRY, nonce, SIGNER)


async def submit(network: Network, call: SealedCall) -> Evidence:
    return await network.submit(LEDGER, call.request_id, call.envelope)


async def test_a_certified_reply_counts() -> None:
    replica = Replica(answers={"icrc1_transfer": always(result("icrc1_transfer", OK))})
    async with reaching(replica) as (network, server):
        call = sealed(network)
        evidence = await submit(network, call)
        assert isinstance(evidence, Reply)
        assert evidence.result == [OK]
        assert evidence.time == T0
        assert server.requests[0].path == f"/api/v4/canister/{LEDGER}/call"
        assert server.requests[0].body == call.envelope  # R12: the stored bytes, as stored


@pytest.mark.parametrize("code", [1, 2, 3, 4, 5, 6])
async def test_a_certified_rejection_carries_its_code(code: int) -> None:
    replica = Replica(answers={"icrc1_transfer": always((code, "no"))})
    async with reaching(replica) as (network, _):
        evidence = await submit(network, sealed(network))
        assert isinstance(evidence, Rejected)
        assert (evidence.code, evidence.message, evidence.certified) == (code, "no", True)
        assert evidence.certificate
        assert evidence.time == T0


async def test_an_uncertified_rejection_is_marked_as_one() -> None:
    body = {"status": "non_replicated_rejection", "reject_code": 1, "reject_message": "x", "error_code": "IC0503"}
    async with reaching(answer(200, cbor2.dumps(body))) as (network, _):
        evidence = await submit(network, sealed(network))
        assert evidence == Rejected(1, "x", certified=False, error_code="IC0503")


async def test_a_call_that_was_only_taken_is_found_out_by_its_status() -> None:
    replica = Replica(answers={"icrc1_transfer": always(result("icrc1_transfer", OK))}, accepts_only=True)
    async with reaching(replica) as (network, server):
        call = sealed(network)
        taken = await submit(network, call)
        assert isinstance(taken, Silence)
        assert taken.reason is SilenceReason.ACCEPTED
        found = await network.status(LEDGER, call.request_id, SIGNER)
        assert isinstance(found, Reply)
        assert found.result == [OK]
        # R33: the question's expiry is reckoned on certified time, which was asked first and by nobody in particular.
        asked = [plain(request.body) for request in server.requests[1:]]
        assert "sender_sig" not in asked[0]
        assert asked[1]["content"]["sender"] == SIGNER.principal.raw
        assert T0 < asked[1]["content"]["ingress_expiry"] <= T0 + 5 * 60 * 10**9


@pytest.mark.parametrize("word", ["received", "processing", "done"])
async def test_a_state_on_the_way_is_a_status(word: str) -> None:
    replica = Replica()
    async with reaching(replica) as (network, _):
        call = sealed(network)
        replica.fields[call.request_id] = {"status": word.encode()}
        evidence = await network.status(LEDGER, call.request_id, SIGNER)
        assert isinstance(evidence, Status)
        assert (evidence.word, evidence.time) == (StatusWord(word), T0)


async def test_a_request_that_is_not_in_the_state_is_absent() -> None:
    async with reaching(Replica()) as (network, _):
        evidence = await network.status(LEDGER, b"\x01" * 32, SIGNER)
        assert isinstance(evidence, Status)
        assert evidence.word is StatusWord.ABSENT


async def test_a_certified_reply_that_cannot_be_decoded_is_unreadable() -> None:
    replica = Replica(answers={"icrc1_transfer": always(b"DIDL\x00\x01\x7d\x80")})
    async with reaching(replica) as (network, _):
        evidence = await submit(network, sealed(network))
        assert isinstance(evidence, Status)
        assert evidence.word is StatusWord.UNREADABLE
        assert evidence.certificate


async def test_no_connection_is_not_sent_for_a_call_and_silence_for_a_question() -> None:
    async with serving(hang) as server:
        url = server.url
    network = IcNetwork("test", url, ROOT.der, QUICK)
    call = sealed(network)
    assert isinstance(await submit(network, call), NotSent)
    assert isinstance(await network.status(LEDGER, call.request_id, SIGNER), Silence)
    with pytest.raises(NetworkFault):
        await network.time(LEDGER)
    await network.close()


OTHER_ID = b"\x09" * 32
REPLIED = {"status": b"replied", "reply": result("icrc1_transfer", OK)}


def certified(subnet: Subnet, request_id: bytes, **fields: bytes) -> bytes:
    data = subnet.certificate({b"request_status": {request_id: {k.encode(): v for k, v in fields.items()}}})
    return maker.TAG + cbor2.dumps({"status": "replied", "certificate": data})


def hostile(request_id: bytes) -> dict[str, tuple[Handler, SilenceReason]]:
    good = certified(Subnet(), request_id, **REPLIED)
    at = good.index(REPLIED["reply"]) + 12
    forged = good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :]
    elsewhere = ((b"\x01" * 10, b"\x02" * 10),)
    unverified, unreadable, http = SilenceReason.UNVERIFIED, SilenceReason.UNREADABLE, SilenceReason.HTTP
    return {
        "forged reply": (answer(200, forged), unverified),
        "wrong root key": (answer(200, certified(Subnet(root=Key(8)), request_id, **REPLIED)), unverified),
        "other canisters": (answer(200, certified(Subnet(ranges=elsewhere), request_id, **REPLIED)), unverified),
        "other canisters, sharded": (
            answer(200, certified(Subnet(ranges=elsewhere, sharded=True), request_id, **REPLIED)),
            unverified,
        ),
        "no certificate": (answer(200, maker.TAG + cbor2.dumps({"status": "replied", "reply": b""})), unreadable),
        "an empty certificate": (answer(200, cbor2.dumps({"status": "replied", "certificate": b""})), unverified),
        "truncated": (answer(200, good[:-7]), unreadable),
        "deeply nested": (answer(200, b"\x81" * 100_000), unreadable),
        "a web page": (answer(200, good, "text/html"), unreadable),
        "empty": (answer(200), unreadable),
        "an unknown state": (answer(200, certified(Subnet(), request_id, status=b"paid")), unreadable),
        "a reply that is not there": (answer(200, certified(Subnet(), request_id, status=b"replied")), unreadable),
        "a rejection without a code": (answer(200, certified(Subnet(), request_id, status=b"rejected")), unreadable),
        "an odd code": (
            answer(200, certified(Subnet(), request_id, status=b"rejected", reject_code=b"\x83\x00")),
            unreadable,
        ),
        "server error": (answer(500, b"oops", "text/plain"), http),
        "forbidden": (answer(403), http),
        "busy": (answer(429), http),
        "redirect": (answer(302, location="https://example.org"), http),
        "nothing": (hang_up, SilenceReason.CONNECTION),
        "late": (hang, SilenceReason.TIMEOUT),
    }


@pytest.mark.parametrize("name", hostile(b"\x00" * 32).keys())
async def test_an_answer_that_proves_nothing_is_silence(name: str) -> None:
    async with reaching(hang) as (network, server):
        call = sealed(network)
        server.handlers[0], reason = hostile(call.request_id)[name]
        evidence = await submit(network, call)
        assert isinstance(evidence, Silence)
        assert evidence.reason is reason


async def test_a_reply_to_another_request_is_no_reply_to_this_one() -> None:
    async with reaching(answer(200, certified(Subnet(), OTHER_ID, **REPLIED))) as (network, _):
        evidence = await submit(network, sealed(network))
        assert isinstance(evidence, Status)
        assert evidence.word is StatusWord.ABSENT


async def test_a_state_that_is_pruned_away_is_silence() -> None:
    whole = maker.tree({b"time": maker.leb128(T0), b"request_status": {OTHER_ID: {b"status": b"received"}}})
    shown = maker.prune(whole, [(b"time",)])
    data = maker.certificate(Subnet().key, shown, Subnet().delegation)
    async with reaching(answer(200, cbor2.dumps({"certificate": data}))) as (network, _):
        evidence = await network.status(LEDGER, OTHER_ID, SIGNER)
        assert isinstance(evidence, Silence)
        assert evidence.reason is SilenceReason.UNREADABLE


@pytest.mark.parametrize("name", ["wrong root key", "truncated", "a web page", "server error", "nothing", "late"])
async def test_a_question_without_a_verified_answer_is_silence_or_a_fault(name: str) -> None:
    handler, _ = hostile(OTHER_ID)[name]
    async with reaching(handler) as (network, _server):
        assert isinstance(await network.status(LEDGER, OTHER_ID, SIGNER), Silence)
        with pytest.raises(NetworkFault):
            await network.time(LEDGER)


async def test_time_is_certified_and_names_the_hosts_offset() -> None:
    async with reaching(Replica(), time=NetworkTime(lambda: 0, lambda: T0 + 3)) as (network, server):
        before = network.host_clock_offset_ns
        assert before is None
        assert await network.time(LEDGER) == T0
        assert network.host_clock_offset_ns == 3
        assert "sender_sig" not in plain(server.requests[0].body)


async def test_a_stale_certificate_tells_no_time_and_no_unfinished_state() -> None:
    replica = Replica()
    clock = NetworkTime(lambda: 0)
    clock.observe(LedgerTime(T0 + 301 * 10**9))
    async with reaching(replica, time=clock) as (network, _):
        with pytest.raises(Untrusted, match="five minutes"):
            await network.time(LEDGER)
        evidence = await network.status(LEDGER, OTHER_ID, SIGNER)
        assert isinstance(evidence, Silence)
        assert evidence.reason is SilenceReason.UNVERIFIED
        # How a request ended does not change any more, however old the certificate.
        replica.fields[OTHER_ID] = REPLIED
        assert isinstance(await network.status(LEDGER, OTHER_ID, SIGNER), Reply)


async def test_a_refused_question_is_put_again_with_fresh_time() -> None:
    # A machine that slept has a late idea of the network's time.
    replica = Replica()
    clock = NetworkTime(lambda: 0)
    clock.observe(T0)
    replica = Replica(time_ns=T0 + 10**15, fields={OTHER_ID: REPLIED})
    async with reaching(answer(400, b"expired"), replica, time=clock) as (network, server):
        assert isinstance(await network.status(LEDGER, OTHER_ID, SIGNER), Reply)
        assert plain(server.requests[-1].body)["content"]["ingress_expiry"] > T0 + 10**15


def status_body(**fields: Any) -> bytes:
    return maker.TAG + cbor2.dumps({"replica_health_status": "healthy", **fields})


async def test_a_root_key_is_fetched_from_the_status() -> None:
    async with serving(answer(200, status_body(root_key=ROOT.der))) as server:
        assert await fetch_root_key(server.url, QUICK) == ROOT.der
        assert server.requests[0].path == "/api/v2/status"


@pytest.mark.parametrize(
    "handler",
    [
        answer(200, status_body()),
        answer(200, status_body(root_key=b"short")),
        answer(200, b"<html>", "text/html"),
        answer(404),
        hang_up,
        hang,
    ],
)
async def test_an_endpoint_without_a_root_key_is_refused(handler: Handler) -> None:
    async with serving(handler) as server:
        with pytest.raises(NetworkFault):
            await fetch_root_key(server.url, QUICK)


def test_a_network_needs_a_fit_address_and_root_key() -> None:
    with pytest.raises(BadInput):
        IcNetwork("test", "http://example.org", ROOT.der)
    with pytest.raises(Untrusted):
        IcNetwork("test", "http://127.0.0.1:1", replace(ROOT).der[:-1])


def test_an_unknown_method_cannot_be_encoded() -> None:
    network = IcNetwork("test", "http://127.0.0.1:1", ROOT.der)
    with pytest.raises(ValueError, match="no method"):
        network.encode("icrc7_transfer", [], None)
