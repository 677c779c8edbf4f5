"""The HTTP server under bad manners: it answers, hangs up, and goes on."""

import asyncio
import random
from collections.abc import AsyncIterator

import pytest

from tests.devnet.client import Client, opened


async def talk(client: Client, data: bytes, *, end: bool = True) -> bytes:
    """Send raw bytes and read what comes until the server hangs up."""
    port = client.http.base_url.port
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(data)
        if end:
            writer.write_eof()
        async with asyncio.timeout(5):
            return await reader.read()
    finally:
        writer.close()


@pytest.mark.parametrize(
    "data",
    [
        b"\x00" * 100,
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"POST /api/v4/canister/a/call HTTP/1.1\r\nhost: x\r\ncontent-length: -5\r\n\r\n",
        b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"GET / HTTP/1.1\r\nhost: x\r\n" + b"a: b\r\n" * 20_000,
    ],
    ids=["zeros", "version", "tls", "length", "chunks", "headers"],
)
async def test_what_is_no_http_gets_a_400_and_the_server_lives(client: Client, data: bytes) -> None:
    answer = await talk(client, data)
    assert answer.startswith(b"HTTP/1.1 4") or answer == b""
    assert (await client.http.get("/api/v2/status")).status_code == 200


async def test_noise_is_survived(client: Client) -> None:
    noise = random.Random(7)
    await asyncio.gather(*(talk(client, noise.randbytes(200)) for _ in range(30)))
    assert (await client.http.get("/api/v2/status")).status_code == 200


async def test_a_client_that_leaves_halfway_is_survived(client: Client) -> None:
    await talk(client, b"POST /api/v4/canister/x/call HTTP/1.1\r\nhost: x\r\ncontent-length: 500\r\n\r\nabc")
    assert (await client.http.get("/api/v2/status")).status_code == 200


async def test_a_connection_is_kept_for_the_next_request(client: Client) -> None:
    twice = b"GET /api/v2/status HTTP/1.1\r\nhost: x\r\n\r\n" * 2
    answer = await talk(client, twice)
    assert answer.count(b"HTTP/1.1 200 OK") == 2


async def test_a_body_in_chunks_is_read(client: Client) -> None:
    sent = client.transfer()

    async def pieces() -> AsyncIterator[bytes]:
        for at in range(0, len(sent.body), 50):
            yield sent.body[at : at + 50]

    path = "/api/v4/canister/bkyz2-fmaaa-aaaaa-qaaaq-cai/call"
    answer = await client.http.post(path, content=pieces())
    assert opened(answer)["status"] == "replied"


async def test_a_client_that_waits_to_be_told_is_told(client: Client) -> None:
    head = b"POST /admin/fund HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\nexpect: 100-continue\r\n\r\n"
    reader, writer = await asyncio.open_connection("127.0.0.1", client.http.base_url.port)
    writer.write(head)
    async with asyncio.timeout(5):
        assert (await reader.readline()).startswith(b"HTTP/1.1 100")
        writer.write(b"{}")
        await reader.readline()
        assert (await reader.readline()).startswith(b"HTTP/1.1 400")
    writer.close()
