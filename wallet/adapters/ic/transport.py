"""HTTP to one endpoint of the Internet Computer: bounded in time and size, and exact about what may have been sent."""

import asyncio
import ipaddress
import logging
import time
from dataclasses import dataclass
from typing import Any, Final

import httpx

from wallet.adapters.ic import cbor
from wallet.core.attempt import SilenceReason
from wallet.core.errors import BadInput
from wallet.core.principal import Principal

log = logging.getLogger("wallet.exchange")
"""One line for each exchange and each verdict: endpoint, request id, sizes, status. Never contents."""

MAX_REPLY: Final = cbor.MAX_BYTES
CBOR_TYPE: Final = "application/cbor"
VERSIONS: Final = {"call": ("v4", "v3", "v2"), "query": ("v3", "v2"), "read_state": ("v3", "v2")}
_NO_SUCH_ENDPOINT: Final = frozenset({404, 405, 501})
_BUSY: Final = frozenset({429, 503})
_BUSY_PAUSES_S: Final = (0.5, 1.0, 2.0)
_MAX_PAUSE_S: Final = 5.0


class NeverConnected(Exception):
    """No connection was ever established for this request: not one byte of it left (R18)."""


class Lost(Exception):
    """The request may have arrived; no usable answer did (R18)."""

    def __init__(self, reason: SilenceReason, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer, whole and within its bounds."""

    status: int
    content_type: str
    body: bytes
    retry_after_s: float | None = None

    @property
    def is_cbor(self) -> bool:
        return self.content_type.partition(";")[0].strip().lower() == CBOR_TYPE

    @property
    def complaint(self) -> str:
        """The status and the beginning of what the server says about it, in printable characters."""
        text = self.body[:300].decode("utf-8", "replace")
        printable = "".join(c if c.isprintable() else " " for c in text).strip()
        return f"{self.status} {printable}".strip()


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds. A synchronous call is held by the node for about ten before it answers 202."""

    connect_s: float = 5.0
    read_s: float = 20.0
    total_s: float = 30.0


def checked_url(text: str) -> httpx.URL:
    """An endpoint the wallet may talk to: https, or plain http on this very machine. Raises BadInput."""
    try:
        url = httpx.URL(text.strip())
    except (httpx.InvalidURL, ValueError):
        raise BadInput("url", f"{text!a} is no web address.") from None
    if not url.host or url.userinfo or url.query or url.fragment:
        raise BadInput(
            "url", "A network's address has a host and no user, query or fragment, as in https://icp-api.io."
        )
    if url.port is not None and not 0 < url.port < 1 << 16:
        raise BadInput("url", f"{url.port} is no port: they end at {(1 << 16) - 1}.")
    if url.scheme != "https" and not (url.scheme == "http" and is_loopback(url.host)):
        raise BadInput("url", "A network is reached by https; plain http is for this machine itself (127.0.0.1).")
    return url


def is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Transport:
    """One client for one endpoint. A request is posted as it was given, and never twice behind the caller's back.

    Only an endpoint version that the server does not have is followed by the next older one, with the same bytes.
    """

    def __init__(self, url: str, limits: Limits | None = None) -> None:
        self.url = checked_url(url)
        self._limits = limits or Limits()
        self._client = httpx.AsyncClient(
            base_url=self.url,
            timeout=httpx.Timeout(self._limits.read_s, connect=self._limits.connect_s),
            follow_redirects=False,
            # A proxy of the environment has no business between the wallet and its own machine.
            trust_env=not is_loopback(self.url.host),
            headers={"accept": CBOR_TYPE, "accept-encoding": "identity", "user-agent": "wallet"},
        )
        self._version = dict.fromkeys(VERSIONS, 0)

    async def close(self) -> None:
        await self._client.aclose()

    async def status(self) -> Answer:
        """`/api/v2/status`. Raises NeverConnected, Lost."""
        return await self._exchange("GET", "/api/v2/status", None, "")

    async def post(self, kind: str, canister: Principal, envelope: bytes, request: str) -> Answer:
        """Post a call, query or read_state once, to the newest endpoint there is. Raises NeverConnected, Lost."""
        versions = VERSIONS[kind]
        first = at = self._version[kind]
        while True:
            path = f"/api/{versions[at]}/canister/{canister.text}/{kind}"
            try:
                answer = await self._exchange("POST", path, envelope, request)
            except NeverConnected as fault:
                if at == first:
                    raise
                # Somebody took the same bytes before and said 404: that may have been anyone.
                raise Lost(SilenceReason.CONNECTION, str(fault)) from None
            if answer.status not in _NO_SUCH_ENDPOINT:
                self._version[kind] = at
                return answer
            at += 1
            if at == len(versions):
                return answer

    async def ask(self, kind: str, canister: Principal, envelope: bytes, request: str) -> Answer:
        """As `post`, for what changes nothing: a busy server (429, 503) is asked again after a growing pause."""
        for pause_s in _BUSY_PAUSES_S:
            answer = await self.post(kind, canister, envelope, request)
            if answer.status not in _BUSY:
                return answer
            wanted_s = pause_s if answer.retry_after_s is None else answer.retry_after_s
            await asyncio.sleep(min(wanted_s, _MAX_PAUSE_S))
        return await self.post(kind, canister, envelope, request)

    async def _exchange(self, verb: str, path: str, body: bytes | None, request: str) -> Answer:
        started = time.monotonic()
        verdict, received = "interrupted", 0
        try:
            async with asyncio.timeout(self._limits.total_s):
                answer = await self._send(verb, path, body)
            verdict, received = str(answer.status), len(answer.body)
            return answer
        except TimeoutError:
            verdict = "timeout"
            raise Lost(SilenceReason.TIMEOUT, f"no whole answer within {self._limits.total_s:g} s") from None
        except (NeverConnected, Lost) as fault:
            verdict = "never connected" if isinstance(fault, NeverConnected) else str(fault.reason)
            raise
        finally:
            log.info(
                "%s %s%s request=%s sent=%d received=%d ms=%d verdict=%s",
                *(verb, self.url.netloc.decode("ascii"), path, request or "-", len(body or b""), received),
                *(round(1000 * (time.monotonic() - started)), verdict),
            )

    async def _send(self, verb: str, path: str, body: bytes | None) -> Answer:
        sending = False

        async def trace(event: str, _info: dict[str, Any]) -> None:
            nonlocal sending
            sending = sending or ".send_request_" in event

        headers = {} if body is None else {"content-type": CBOR_TYPE}
        try:
            async with self._client.stream(
                verb, path.removeprefix("/"), content=body, headers=headers, extensions={"trace": trace}
            ) as response:
                return await _read(response)
        except (httpx.ConnectError, httpx.ConnectTimeout) as fault:
            # The one case of "not sent"; the trace makes sure that no earlier connection had begun to send (R18).
            if not sending:
                raise NeverConnected(_words(fault)) from None
            raise Lost(SilenceReason.CONNECTION, _words(fault)) from None
        except httpx.TimeoutException as fault:
            raise Lost(SilenceReason.TIMEOUT, _words(fault)) from None
        except (httpx.HTTPError, OSError) as fault:
            raise Lost(SilenceReason.CONNECTION, _words(fault)) from None


async def _read(response: httpx.Response) -> Answer:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise Lost(SilenceReason.UNREADABLE, "a compressed answer, which was not asked for")
    pieces: list[bytes] = []
    size = 0
    async for piece in response.aiter_raw():
        size += len(piece)
        if size > MAX_REPLY:
            raise Lost(SilenceReason.UNREADABLE, f"an answer of more than {MAX_REPLY} bytes")
        pieces.append(piece)
    after = response.headers.get("retry-after", "")
    return Answer(
        response.status_code,
        response.headers.get("content-type", ""),
        b"".join(pieces),
        float(after) if after.isascii() and after.isdigit() and len(after) < 7 else None,
    )


def _words(fault: Exception) -> str:
    return str(fault) or type(fault).__name__
