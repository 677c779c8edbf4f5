"""A replica in miniature: takes envelopes, keeps certified statuses, and signs what it says with the maker's keys."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import cbor2

from tests.ic import maker
from tests.ic.maker import Subnet
from tests.ic.server import Request, answer
from wallet.adapters.ic import candid
from wallet.core.principal import Principal
from wallet.core.value import Value

LEDGER = Principal(b"\x00" * 7 + b"\x07\x01\x01")
ARCHIVE = Principal(b"\x00" * 7 + b"\x08\x01\x01")


def result(method: str, value: Value) -> bytes:
    return candid.encode(candid.METHODS[method].results, [value])


def plain(data: bytes) -> Any:
    return cbor2.loads(data.removeprefix(maker.TAG))


@dataclass
class Replica:
    """`answers` gives a method's reply bytes, or a (code, message) rejection; `fields` the certified statuses."""

    subnet: Subnet = field(default_factory=Subnet)
    answers: dict[str, Callable[[bytes, bytes], bytes | tuple[int, str]]] = field(default_factory=dict)
    fields: dict[bytes, dict[str, bytes]] = field(default_factory=dict)
    envelopes: list[Any] = field(default_factory=list)
    time_ns: int = 1_800_000_000_000_000_000
    accepts_only: bool = False
    extra: maker.Labels = field(default_factory=dict)
    started: float = field(default_factory=time.monotonic)

    def certificate(self, *request_ids: bytes) -> bytes:
        statuses: maker.Labels = {
            request_id: {name.encode(): value for name, value in self.fields[request_id].items()}
            for request_id in request_ids
            if request_id in self.fields
        }
        labels: maker.Labels = {b"time": maker.leb128(self.time_ns), b"request_status": statuses, **self.extra}
        return maker.certificate(self.subnet.key, maker.tree(labels), self.subnet.delegation)

    def execute(self, content: dict[str, Any]) -> dict[str, bytes]:
        outcome = self.answers[content["method_name"]](content["canister_id"], content["arg"])
        if isinstance(outcome, bytes):
            return {"status": b"replied", "reply": outcome}
        code, message = outcome
        return {"status": b"rejected", "reject_code": maker.leb128(code), "reject_message": message.encode()}

    async def __call__(self, request: Request, writer: asyncio.StreamWriter) -> bool:
        from ic.utils import to_request_id

        envelope = plain(request.body)
        content = envelope["content"]
        self.envelopes.append(envelope)
        kind = request.path.rsplit("/", 1)[1]
        request_id = to_request_id(content)
        if kind == "call":
            if request_id not in self.fields:
                self.fields[request_id] = self.execute(content)
            if self.accepts_only:
                return await answer(202)(request, writer)
            body: Any = {"status": "replied", "certificate": self.certificate(request_id)}
        elif kind == "query":
            fields = self.execute(content)
            if fields["status"] == b"replied":
                body = {"status": "replied", "reply": {"arg": fields["reply"]}, "signatures": []}
            else:
                code, message = fields["reject_code"][0], fields["reject_message"].decode()
                body = {"status": "rejected", "reject_code": code, "reject_message": message}
        else:
            asked = [path[1] for path in content["paths"] if path[0] == b"request_status"]
            body = {"certificate": self.certificate(*asked)}
        return await answer(200, maker.TAG + cbor2.dumps(body))(request, writer)


def always(reply: bytes | tuple[int, str]) -> Callable[[bytes, bytes], bytes | tuple[int, str]]:
    return lambda _canister, _argument: reply
