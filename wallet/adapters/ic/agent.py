"""Calls, queries and looks at certified state, each answer verified against the pinned root key before it counts."""

import asyncio
import contextlib
import os
from collections.abc import Callable
from typing import Final

from wallet.adapters.ic import cbor, certificate, envelope
from wallet.adapters.ic.answers import CallRejected, Unanswered, body_of, decoded, detail_of, verdict_of
from wallet.adapters.ic.certificate import VerifiedCertificate
from wallet.adapters.ic.hash_tree import Missing
from wallet.adapters.ic.network_time import NetworkTime
from wallet.adapters.ic.request_status import read_status
from wallet.adapters.ic.transport import Answer, Lost, NeverConnected, Transport, log
from wallet.adapters.ic.undecodable import Undecodable
from wallet.core.attempt import Evidence, NotSent, Rejected, Reply, Silence, SilenceReason, Status, StatusWord
from wallet.core.errors import NetworkFault, Untrusted
from wallet.core.ledger_time import MINUTE, LedgerTime
from wallet.core.principal import ANONYMOUS, Principal
from wallet.core.value import Value
from wallet.ports import Signer

ASK_LIFE_NS: Final = 4 * MINUTE
"""How far ahead of the network's time a question expires. It moves nothing, so long is fine."""
_POLL_PAUSES_S: Final = (0.3, 0.5, 0.8, 1.2, 2.0)
_CERTIFIED_WAIT_S: Final = 60.0


class Agent:
    """One network as seen through one endpoint."""

    def __init__(
        self,
        transport: Transport,
        root_key: bytes,
        time: NetworkTime,
        random_bytes: Callable[[int], bytes] = os.urandom,
    ) -> None:
        certificate.check_root_key(root_key)
        self._transport = transport
        self._root_key = root_key
        self._time = time
        self._random_bytes = random_bytes

    async def time(self, canister: Principal) -> LedgerTime:
        """Certified time, asked just now. Raises NetworkFault, or Untrusted for a stale certificate (R33)."""
        content = envelope.read_state([[b"time"]], ANONYMOUS, self._anonymous_expiry())
        verified = await self._read_state(canister, content, None)
        return self.fresh(verified).time

    async def submit(self, canister: Principal, request_id: bytes, sealed: bytes) -> Evidence:
        """Post the stored envelope once (to older endpoints where the newest does not exist) and weigh the answer."""
        try:
            answer = await self._transport.post("call", canister, sealed, request_id.hex())
        except NeverConnected as why:
            return NotSent(str(why))
        except Lost as why:
            return Silence(why.reason, why.detail)
        return self._noted(request_id, self._weigh(canister, request_id, answer))

    async def status(self, canister: Principal, request_id: bytes, signer: Signer | None) -> Evidence:
        """What the certified state says of one request id. Only its sender is told (R30)."""
        evidence = await self._status(canister, request_id, signer)
        if signer is not None and isinstance(evidence, Silence) and evidence.reason is SilenceReason.HTTP:
            # Refused, maybe as expired: on a machine that slept our idea of the network's time is late.
            with contextlib.suppress(NetworkFault):
                await self.time(canister)
                evidence = await self._status(canister, request_id, signer)
        return self._noted(request_id, evidence)

    async def _status(self, canister: Principal, request_id: bytes, signer: Signer | None) -> Evidence:
        try:
            expiry = self._anonymous_expiry() if signer is None else await self._expiry(canister)
            sender = ANONYMOUS if signer is None else signer.principal
            content = envelope.read_state([[b"request_status", request_id]], sender, expiry)
            verified = await self._read_state(canister, content, signer, request_id.hex())
            evidence = read_status(verified, request_id)
            if isinstance(evidence, Status) and evidence.word is not StatusWord.UNREADABLE:
                self.fresh(verified)  # how a request ended stays true; that it has not ended yet does not
            return evidence
        except Untrusted as why:
            return Silence(SilenceReason.UNVERIFIED, str(why))
        except Unanswered as why:
            return Silence(why.reason, why.detail)

    async def query(self, canister: Principal, method: str, argument: bytes) -> list[Value]:
        """One replica's word. Raises NetworkFault, and CallRejected where it says that the call was refused."""
        content = envelope.query(canister, method, argument, self._anonymous_expiry())
        body = await self._ask("query", canister, envelope.seal(content, None), envelope.request_id(content).hex())
        match body:
            case {"status": "replied", "reply": {"arg": bytes() as arg}}:
                return decoded(arg, canister, method)
            case {"status": "rejected", "reject_code": int() as code, "reject_message": str() as message}:
                raise CallRejected(code, message)
            case _:
                raise NetworkFault(f"{self._transport.url} answered a query with something that is no answer.")

    async def certified(self, canister: Principal, method: str, argument: bytes) -> list[Value]:
        """The reply to an anonymous update with a nonce of its own, certified: slower than a query, and true.

        Raises NetworkFault, Untrusted, and CallRejected where the refusal is certified.
        """
        try:
            async with asyncio.timeout(_CERTIFIED_WAIT_S):
                request_id, evidence = await self._ask_certified(canister, method, argument)
                if isinstance(evidence, Silence) and evidence.reason is SilenceReason.HTTP:
                    # Refused, maybe as expired (see `status`), or busy. A question may be put again.
                    await asyncio.sleep(_POLL_PAUSES_S[0])
                    await self.time(canister)
                    request_id, evidence = await self._ask_certified(canister, method, argument)
                return await self._awaited(canister, method, request_id, evidence)
        except TimeoutError:
            raise NetworkFault(f"The network had no certified answer of {canister} to {method} in time.") from None

    async def _ask_certified(self, canister: Principal, method: str, argument: bytes) -> tuple[bytes, Evidence]:
        expiry, nonce = await self._expiry(canister), self._random_bytes(envelope.NONCE_BYTES)
        content = envelope.call(canister, method, argument, ANONYMOUS, expiry, nonce)
        request_id = envelope.request_id(content)
        return request_id, await self.submit(canister, request_id, envelope.seal(content, None))

    async def _awaited(self, canister: Principal, method: str, request_id: bytes, evidence: Evidence) -> list[Value]:
        polls = 0
        while True:
            match evidence:
                case Reply(result=result):
                    return result
                case Rejected(certified=True, code=code, message=message):
                    raise CallRejected(code, message)
                case Silence(reason=SilenceReason.UNVERIFIED, detail=detail):
                    raise Untrusted(detail)
                case Status(word=StatusWord.DONE | StatusWord.UNREADABLE):
                    raise NetworkFault(f"The answer of {canister} to {method} cannot be read.")
                case Rejected(message=message):
                    raise NetworkFault(f"A node of the network did not take the question {method}: {message[:300]}")
                case NotSent() | Silence(reason=SilenceReason.CONNECTION | SilenceReason.TIMEOUT | SilenceReason.HTTP):
                    raise NetworkFault(f"The network did not answer the question {method}: {detail_of(evidence)}.")
                case Silence() | Status():
                    await asyncio.sleep(_POLL_PAUSES_S[min(polls, len(_POLL_PAUSES_S) - 1)])
                    polls += 1
                    evidence = await self.status(canister, request_id, None)

    async def metadata(self, canister: Principal, name: str) -> bytes | None:
        """A section of a canister's metadata, certified; None where it has none, or none that everyone may read.

        Raises NetworkFault and Untrusted.
        """
        path = [b"canister", canister.raw, b"metadata", name.encode()]
        content = envelope.read_state([path], ANONYMOUS, self._anonymous_expiry())
        try:
            found = self.fresh(await self._read_state(canister, content, None)).lookup(*path)
        except Unanswered as why:
            if why.reason is SilenceReason.HTTP:  # a private section is refused, and so is one that is not known
                return None
            raise
        return None if isinstance(found, Missing) else found

    def verified(self, data: bytes, canister: Principal) -> VerifiedCertificate:
        """Raises Untrusted. What verifies tells the time, too."""
        verified = certificate.verify(data, self._root_key, canister)
        self._time.observe(verified.time)
        return verified

    def fresh(self, verified: VerifiedCertificate) -> VerifiedCertificate:
        """Raises Untrusted for a certificate that is far behind the network's time (R16, R33)."""
        if self._time.is_stale(verified.time):
            raise Untrusted("The network's certificate is more than five minutes old: what it shows may have changed.")
        return verified

    def _weigh(self, canister: Principal, request_id: bytes, answer: Answer) -> Evidence:
        if answer.status == 202:
            return Silence(SilenceReason.ACCEPTED, "the network took the call and has no certified answer yet")
        if answer.status != 200:
            return Silence(SilenceReason.HTTP, answer.complaint)
        try:
            body = body_of(answer)
        except Undecodable as why:
            return Silence(SilenceReason.UNREADABLE, str(why))
        match body:
            case {"status": "non_replicated_rejection", "reject_code": int() as code, **rest}:
                message, error_code = rest.get("reject_message"), rest.get("error_code")
                return Rejected(
                    code=code,
                    message=message if isinstance(message, str) else "",
                    certified=False,
                    error_code=error_code if isinstance(error_code, str) else None,
                )
            case {"certificate": bytes() as data}:
                try:
                    return read_status(self.verified(data, canister), request_id)
                except Untrusted as why:
                    return Silence(SilenceReason.UNVERIFIED, str(why))
            case _:
                return Silence(SilenceReason.UNREADABLE, "neither a certificate nor a rejection")

    async def _read_state(
        self, canister: Principal, content: dict[str, cbor.Cbor], signer: Signer | None, request: str = ""
    ) -> VerifiedCertificate:
        match await self._ask("read_state", canister, envelope.seal(content, signer), request):
            case {"certificate": bytes() as data}:
                return self.verified(data, canister)
            case _:
                raise Unanswered(SilenceReason.UNREADABLE, "an answer without a certificate")

    async def _ask(self, kind: str, canister: Principal, sealed: bytes, request: str) -> cbor.Cbor:
        try:
            answer = await self._transport.ask(kind, canister, sealed, request)
            if answer.status != 200:
                raise Unanswered(SilenceReason.HTTP, answer.complaint)
            return body_of(answer)
        except NeverConnected as why:
            raise Unanswered(SilenceReason.CONNECTION, str(why)) from None
        except Lost as why:
            raise Unanswered(why.reason, why.detail) from None
        except Undecodable as why:
            raise Unanswered(SilenceReason.UNREADABLE, str(why)) from None

    async def _expiry(self, canister: Principal) -> LedgerTime:
        return LedgerTime((self._time.now() or await self.time(canister)) + ASK_LIFE_NS)

    def _anonymous_expiry(self) -> LedgerTime:
        # An anonymous question is answered whatever its expiry says; so the very first may go without a time.
        return LedgerTime((self._time.now() or 0) + ASK_LIFE_NS)

    def _noted(self, request_id: bytes, evidence: Evidence) -> Evidence:
        log.info("evidence request=%s verdict=%s", request_id.hex(), verdict_of(evidence))
        return evidence
