"""A small HTTP/1.1 server on asyncio, with h11 for the grammar; it survives garbage, and can vanish on cue."""

from __future__ import annotations

import asyncio
import contextlib
import http
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import h11

HOST: Final = "127.0.0.1"
MAX_BODY: Final = 4 * 1024 * 1024
_MAX_HEAD: Final = 64 * 1024
_CHUNK: Final = 64 * 1024
_IDLE_S: Final = 120

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    body: bytes
    origin: str | None = None
    """The web page that sent it, as browsers say."""


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    body: bytes = b""
    content_type: str = "text/plain; charset=utf-8"

    @classmethod
    def text(cls, status: int, sentence: str) -> Response:
        return cls(status, sentence.encode())


@dataclass(frozen=True, slots=True)
class Cut:
    """No answer: the connection is cut."""


Answer: TypeAlias = Response | Cut
Handler: TypeAlias = Callable[[Request], Awaitable[Answer]]


class HttpServer:
    """Listens on loopback only. The port stays the same over `vanish`."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._server: asyncio.Server | None = None
        self._open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._return: asyncio.Task[None] | None = None
        self.port = 0

    async def start(self, port: int) -> None:
        """Raises OSError where the port is taken."""
        self._server = await asyncio.start_server(self._connected, HOST, port, limit=_CHUNK)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        if self._return is not None:
            self._return.cancel()
            await asyncio.gather(self._return, return_exceptions=True)
        await self._disappear()

    def vanish(self, seconds: float) -> None:
        """Once the present answer is out, close every connection and refuse new ones for so many seconds."""
        if self._return is None or self._return.done():
            self._return = asyncio.create_task(self._vanish(seconds))

    async def _vanish(self, seconds: float) -> None:
        await asyncio.sleep(0.05)  # time for the answer to be read
        await self._disappear()
        await asyncio.sleep(seconds)
        await self.start(self.port)

    async def _disappear(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        for task, writer in list(self._open.items()):
            writer.transport.abort()
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open[task] = writer
        try:
            await self._converse(h11.Connection(h11.SERVER, max_incomplete_event_size=_MAX_HEAD), reader, writer)
        except (OSError, TimeoutError):
            pass  # the other side went away, or never said anything
        except asyncio.CancelledError:
            pass  # we go away, and this task is nobody else's
        finally:
            del self._open[task]
            writer.close()

    async def _converse(
        self, connection: h11.Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while True:
            try:
                request = await _next_request(connection, reader, writer)
            except h11.RemoteProtocolError as why:
                if connection.our_state in (h11.IDLE, h11.SEND_RESPONSE):
                    await _send(connection, writer, Response.text(why.error_status_hint, f"{why}\n"))
                return
            if request is None:
                return
            answer = await self._answer(request)
            if isinstance(answer, Cut):
                writer.transport.abort()
                return
            await _send(connection, writer, answer)
            if connection.our_state is h11.MUST_CLOSE or connection.their_state is not h11.DONE:
                return
            connection.start_next_cycle()

    async def _answer(self, request: Request) -> Answer:
        try:
            return await self._handler(request)
        except Exception:
            _log.exception("%s %s failed", request.method, request.path)
            return Response.text(500, "the embedded network failed at this request; its log says why\n")


async def _next_request(
    connection: h11.Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> Request | None:
    """The next whole request, None where there is none any more. Raises h11.RemoteProtocolError for what is none."""
    head: h11.Request | None = None
    body = bytearray()
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            if connection.they_are_waiting_for_100_continue:
                writer.write(connection.send(h11.InformationalResponse(status_code=100, headers=[])) or b"")
            async with asyncio.timeout(_IDLE_S):
                connection.receive_data(await reader.read(_CHUNK))
        elif isinstance(event, h11.Request):
            head = event
        elif isinstance(event, h11.Data):
            body += event.data
            if len(body) > MAX_BODY:
                raise h11.RemoteProtocolError("the request is too large", error_status_hint=413)
        elif isinstance(event, h11.EndOfMessage) and head is not None:
            path = head.target.decode("ascii", "replace").partition("?")[0]
            origin = next((value.decode("latin-1") for name, value in head.headers if name == b"origin"), None)
            return Request(head.method.decode("ascii", "replace"), path, bytes(body), origin)
        else:
            return None


async def _send(connection: h11.Connection, writer: asyncio.StreamWriter, response: Response) -> None:
    headers = [("content-type", response.content_type), ("content-length", str(len(response.body)))]
    reason = http.HTTPStatus(response.status).phrase if response.status in _STATUSES else "Unknown"
    head = h11.Response(status_code=response.status, headers=headers, reason=reason.encode())
    parts = [connection.send(head), connection.send(h11.Data(response.body)), connection.send(h11.EndOfMessage())]
    writer.write(b"".join(part or b"" for part in parts))
    with contextlib.suppress(ConnectionError):
        await writer.drain()


_STATUSES: Final = frozenset(status.value for status in http.HTTPStatus)
