"""A small real HTTP server whose every answer, good or bad, a test decides."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

CBOR = "application/cbor"


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    body: bytes
    connection: int


Handler: TypeAlias = Callable[[Request, asyncio.StreamWriter], Awaitable[bool]]
"""Writes what it likes; True keeps the connection open."""


def answer(
    status: int = 200, body: bytes = b"", content_type: str = CBOR, *, keep: bool = True, **headers: str
) -> Handler:
    head = {"content-type": content_type, "content-length": str(len(body))}
    head |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status} Because", *(f"{name}: {value}" for name, value in head.items()), "", ""]

    async def write(_: Request, writer: asyncio.StreamWriter) -> bool:
        writer.write("\r\n".join(lines).encode() + body)
        return keep

    return write


async def hang(_: Request, __: asyncio.StreamWriter) -> bool:
    await asyncio.sleep(60)
    return False


async def hang_up(_: Request, __: asyncio.StreamWriter) -> bool:
    return False


@dataclass
class Server:
    """Answers the n-th request with the n-th handler, and goes on with the last."""

    handlers: list[Handler]
    requests: list[Request] = field(default_factory=list)
    url: str = ""
    _connections: int = 0
    _server: asyncio.Server | None = None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections += 1
        connection = self._connections
        try:
            keep = True
            while keep and (head := await self._head(reader)):
                start, *lines = head.split("\r\n")
                method, path, _ = start.split(" ")
                sizes = [line.split(":")[1] for line in lines if line.lower().startswith("content-length:")]
                body = await reader.readexactly(int(sizes[0])) if sizes else b""
                request = Request(method, path, body, connection)
                self.requests.append(request)
                handler = self.handlers[min(len(self.requests), len(self.handlers)) - 1]
                keep = await handler(request, writer)
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    @staticmethod
    async def _head(reader: asyncio.StreamReader) -> str:
        try:
            return (await reader.readuntil(b"\r\n\r\n")).decode().strip()
        except asyncio.IncompleteReadError:
            return ""

    async def stop_listening(self) -> None:
        assert self._server is not None
        self._server.close()


@asynccontextmanager
async def serving(*handlers: Handler) -> AsyncIterator[Server]:
    server = Server(list(handlers))
    tasks: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(server.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server._server = await asyncio.start_server(accept, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{server._server.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        server._server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
