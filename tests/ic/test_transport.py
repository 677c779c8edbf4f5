"""The transport: what may have been sent is told exactly, and every answer has its bounds (R18)."""

import asyncio
import gzip
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.ic.server import Handler, Request, Server, answer, hang, hang_up, serving
from wallet.adapters.ic import transport as transport_module
from wallet.adapters.ic.transport import MAX_REPLY, Limits, Lost, NeverConnected, Transport, checked_url
from wallet.core.attempt import SilenceReason
from wallet.core.errors import BadInput
from wallet.core.principal import Principal

CANISTER = Principal(b"\x00" * 7 + b"\x07\x01\x01")
QUICK = Limits(connect_s=2, read_s=2, total_s=0.3)


@asynccontextmanager
async def reaching(*handlers: Handler, limits: Limits | None = None) -> AsyncIterator[tuple[Transport, Server]]:
    async with serving(*handlers) as server:
        transport = Transport(server.url, limits)
        try:
            yield transport, server
        finally:
            await transport.close()


async def post(transport: Transport) -> transport_module.Answer:
    return await transport.post("call", CANISTER, b"envelope", "ab" * 32)


async def test_no_connection_means_not_sent() -> None:
    async with serving(hang_up) as server:
        url = server.url
    transport = Transport(url)
    with pytest.raises(NeverConnected):
        await post(transport)
    await transport.close()


async def test_a_connection_that_closes_without_an_answer_is_lost() -> None:
    async with reaching(hang_up) as (transport, server):
        with pytest.raises(Lost) as lost:
            await post(transport)
        assert lost.value.reason is SilenceReason.CONNECTION
        assert len(server.requests) == 1  # posted once, and not again behind the caller's back


async def test_a_reused_connection_that_breaks_is_lost() -> None:
    async with reaching(answer(), hang_up) as (transport, server):
        await post(transport)
        await server.stop_listening()
        with pytest.raises(Lost) as lost:
            await post(transport)
        assert lost.value.reason is SilenceReason.CONNECTION
        assert [request.connection for request in server.requests] == [1, 1]


async def drip(_: Request, writer: asyncio.StreamWriter) -> bool:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("slow", [hang, drip])
async def test_the_whole_exchange_has_one_bound(slow: Handler) -> None:
    async with reaching(slow, limits=QUICK) as (transport, _):
        with pytest.raises(Lost) as lost:
            await post(transport)
        assert lost.value.reason is SilenceReason.TIMEOUT


async def endless(_: Request, writer: asyncio.StreamWriter) -> bool:
    writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
    for _piece in range(MAX_REPLY // 0x10000 + 2):
        writer.write(b"10000\r\n" + bytes(0x10000) + b"\r\n")
        await writer.drain()
    return False


async def cut_off(_: Request, writer: asyncio.StreamWriter) -> bool:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nshort")
    return False


async def babble(_: Request, writer: asyncio.StreamWriter) -> bool:
    writer.write(b"this is no HTTP at all\r\n\r\n")
    return False


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (endless, SilenceReason.UNREADABLE),
        (answer(200, bytes(MAX_REPLY + 1)), SilenceReason.UNREADABLE),
        (answer(200, gzip.compress(bytes(10_000_000)), content_encoding="gzip"), SilenceReason.UNREADABLE),
        (cut_off, SilenceReason.CONNECTION),
        (babble, SilenceReason.CONNECTION),
    ],
    ids=["endless", "too large", "compressed", "cut off", "no HTTP"],
)
async def test_an_answer_that_breaks_its_bounds_is_lost(bad: Handler, reason: SilenceReason) -> None:
    async with reaching(bad) as (transport, _):
        with pytest.raises(Lost) as lost:
            await post(transport)
        assert lost.value.reason is reason


async def test_an_older_endpoint_gets_the_same_bytes_and_is_remembered() -> None:
    async with reaching(answer(404), answer(404), answer(202)) as (transport, server):
        assert (await post(transport)).status == 202
        await post(transport)
        assert [request.path.split("/")[2] for request in server.requests] == ["v4", "v3", "v2", "v2"]
        assert {request.body for request in server.requests} == {b"envelope"}


async def test_a_server_without_any_endpoint_says_so() -> None:
    async with reaching(answer(404, b"<no\x1b[2J route>", "text/html")) as (transport, server):
        got = await post(transport)
        assert got.complaint == "404 <no [2J route>"
        assert len(server.requests) == 3


async def test_a_lost_server_after_a_404_is_no_longer_not_sent() -> None:
    closing = answer(404, keep=False, connection="close")

    async def last(request: Request, writer: asyncio.StreamWriter) -> bool:
        await server.stop_listening()
        return await closing(request, writer)

    async with reaching(last) as (transport, server):
        with pytest.raises(Lost) as lost:
            await post(transport)
        assert lost.value.reason is SilenceReason.CONNECTION


async def test_a_redirect_is_not_followed() -> None:
    async with reaching(answer(307, location="http://127.0.0.1:1/")) as (transport, _):
        assert (await post(transport)).status == 307


@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_server_is_asked_again_but_a_call_is_not_posted_again(status: int) -> None:
    busy = answer(status, retry_after="0")
    async with reaching(busy, busy, answer(200, b"\x00")) as (transport, server):
        assert (await post(transport)).status == status
        assert len(server.requests) == 1
        assert (await transport.ask("query", CANISTER, b"", "")).status == 200
        assert len(server.requests) == 3


async def test_the_log_names_endpoint_id_sizes_and_verdict_and_no_content(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="wallet.exchange")
    async with reaching(answer(200, b"secret reply")) as (transport, server):
        await post(transport)
        [line] = [record.getMessage() for record in caplog.records if record.name == "wallet.exchange"]
        netloc = server.url.removeprefix("http://")
        assert line.startswith(f"POST {netloc}/api/v4/canister/{CANISTER}/call request={'ab' * 32} sent=8 received=12")
        assert line.endswith("verdict=200")
        assert "secret" not in caplog.text
        assert "envelope" not in caplog.text


@pytest.mark.parametrize(
    "url", ["https://icp-api.io", "http://127.0.0.1:4943", "http://localhost:4943/", "http://[::1]:1"]
)
def test_a_network_is_reached_by_https_or_on_this_machine(url: str) -> None:
    assert checked_url(url).host


@pytest.mark.parametrize(
    "url",
    [
        "http://icp-api.io",
        "http://127.0.0.1.example.com",
        "http://10.0.0.1",
        "ftp://127.0.0.1",
        "https://user:word@icp-api.io",
        "https://icp-api.io/?a=b",
        "icp-api.io",
        "https://",
        "",
        "http://[::1",
        "http://127.0.0.1:65536",
        "https://icp-api.io:99999",
        "http://127.0.0.1:0",
    ],
)
def test_any_other_address_is_refused(url: str) -> None:
    with pytest.raises(BadInput):
        checked_url(url)
