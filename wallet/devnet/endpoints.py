"""The Internet Computer's HTTP endpoints: status, call, query and read_state in all their versions."""

from __future__ import annotations

import asyncio
import re
from typing import Any, Final

from wallet.core.principal import Principal
from wallet.devnet.calls import ENDED, Call, Rejection
from wallet.devnet.execution import is_transfer, rejection
from wallet.devnet.faults import Armed
from wallet.devnet.forgery import forged
from wallet.devnet.http import Answer, Cut, Request, Response
from wallet.devnet.ingress import Ingress, Malformed, read
from wallet.devnet.network import Network
from wallet.devnet.state_tree import Layout, self_described

_ROUTE: Final = re.compile(r"/api/(v[234])/(canister|subnet)/([a-z0-9-]+)/(call|query|read_state)/?\Z")
_VERSIONS: Final = {"call": ("v2", "v3", "v4"), "query": ("v2", "v3"), "read_state": ("v2", "v3")}
_METADATA: Final = frozenset({b"module_hash", b"controllers"})


class Endpoints:
    """Answers one HTTP request at a time on behalf of the network."""

    def __init__(self, network: Network) -> None:
        self._network = network

    async def answer(self, request: Request) -> Answer:
        if request.path == "/api/v2/status":
            return self._status() if request.method == "GET" else Response.text(405, "status is asked for with GET\n")
        found = _ROUTE.match(request.path)
        if found is None or found[1] not in _VERSIONS[found[4]]:
            return Response.text(404, "there is nothing at this path\n")
        if request.method != "POST":
            return Response.text(405, "this path takes POST\n")
        try:
            version, place, kind = found[1], found[2], found[4]
            effective = _effective(found[3])
            if place == "subnet":
                return self._subnet_state(kind, version, effective, request.body)
            if not self._network.keys.covers(effective):
                raise Malformed("error: canister_not_found\ndetails: The specified canister does not exist.")
            match kind:
                case "call":
                    return await self._call(version, effective, request.body)
                case "query":
                    return self._query(version, effective, request.body)
                case _:
                    return self._read_state(version, effective, request.body)
        except Malformed as why:
            return Response.text(why.status, str(why))
        except RecursionError:
            return Response.text(400, "Could not parse body as CBOR: nested too deeply")

    def _status(self) -> Response:
        return _cbor(
            {
                "root_key": self._network.keys.root.der,
                "replica_health_status": "healthy",
                "impl_version": "devnet",
                "ic_api_version": "0.18.0",
            }
        )

    async def _call(self, version: str, effective: Principal, body: bytes) -> Answer:
        request = read("call", body, self._network.now())
        _check_effective(request, effective)
        refused = self._network.refusal(request.canister)
        if refused is not None:
            return _refused(refused, version)
        faults = self._network.faults
        counted = is_transfer(_as_call(request), self._network.options)
        if counted and (fault := faults.take("lose_request", "http", "reject_uncertified")):
            return _turned_away(fault, version)
        call = self._network.submit(request)
        if counted and (late := faults.take("late")):
            await asyncio.sleep(late.value)
        if counted and faults.take("lose_reply"):
            return Cut()
        # A call that was delayed may have run while its answer was.
        return self._call_answer(self._network.calls.get(call.id) or call, version)

    def _call_answer(self, call: Call, version: str) -> Answer:
        if version == "v2" or call.hidden or call.status not in ENDED:
            return Response(202)
        layout: Layout = "flat" if version == "v3" else "sharded"
        shown = self._forged(call, layout) or self._network.certificate([(b"request_status", call.id)], layout)
        return _cbor({"status": "replied", "certificate": shown})

    def _forged(self, call: Call, layout: Layout) -> bytes | None:
        """A forged certificate about a transfer, where one is asked for."""
        armed = self._network.faults.standing("tamper")
        if armed is None or armed.value == "reply" or not is_transfer(call, self._network.options):
            return None
        self._network.faults.take("tamper")
        return forged(armed.value, self._network, call, layout)

    def _query(self, version: str, effective: Principal, body: bytes) -> Response:
        now = self._network.now()
        request = read("query", body, now)
        _check_effective(request, effective)
        result = self._network.query(request, "flat" if version == "v2" else "sharded")
        answer: dict[str, Any]
        match result:
            case bytes():
                answer = {"status": "replied", "reply": {"arg": result}}
            case Rejection():
                answer = {"status": "rejected", **_rejected(result)}
        return _cbor({**answer, "signatures": [self._network.node_signature(answer, request.id, now)]})

    def _read_state(self, version: str, effective: Principal, body: bytes) -> Response:
        request = read("read_state", body, self._network.now())
        asked = {path[1] for path in request.paths if path[:1] == (b"request_status",) and len(path) > 1}
        for path in request.paths:
            _check_path(path, effective)
        if len(asked) > 1:
            raise Malformed("Can only request a single request ID in request_status paths.")
        layout: Layout = "flat" if version == "v2" else "sharded"
        for request_id in asked:
            call = self._network.calls.get(request_id)
            if call is None:
                continue
            if call.sender != request.sender:
                raise Malformed("The user tries to access Request ID not signed by the caller.", 403)
            if call.canister != effective:
                raise Malformed("The effective canister id is not the canister of the request.", 400)
            made_up = self._forged(call, layout) if not call.hidden and call.status in ENDED else None
            if made_up is not None:
                return _cbor({"certificate": made_up})
        return _cbor({"certificate": self._network.certificate(request.paths, layout)})

    def _subnet_state(self, kind: str, version: str, subnet: Principal, body: bytes) -> Response:
        if kind != "read_state":
            return Response.text(404, "there is nothing at this path\n")
        if subnet != self._network.keys.subnet.id:
            raise Malformed("error: subnet_not_found\ndetails: The specified subnet cannot be found.")
        request = read("read_state", body, self._network.now())
        for path in request.paths:
            if path[:1] not in ((b"time",), (b"subnet",), (b"canister_ranges",)):
                raise Malformed("Invalid path requested.", 404)
        layout: Layout = "flat" if version == "v2" else "sharded"
        return _cbor({"certificate": self._network.certificate(request.paths, layout)})


def _effective(text: str) -> Principal:
    try:
        return Principal.from_text(text)
    except ValueError as why:
        raise Malformed(f"error: malformed_request\ndetails: {why}") from None


def _check_effective(request: Ingress, effective: Principal) -> None:
    if request.canister != effective:
        raise Malformed(
            f"Specified CanisterId {request.canister} does not match effective canister id in URL {effective}"
        )


def _check_path(path: tuple[bytes, ...], effective: Principal) -> None:
    """What anyone may read of the state tree (interface specification, "Request: Read state")."""
    match path:
        case (b"time",) | (b"subnet", *_) | (b"canister_ranges", *_):
            return
        case (b"request_status", request_id, *_):
            if len(request_id) == 32:
                return
            raise Malformed("Invalid request id: 32 bytes are expected")
        case (b"canister", canister, field, *rest):
            if canister != effective.raw:
                raise Malformed("Effective canister id does not match the canister of the path.")
            if (field in _METADATA and not rest) or (field == b"metadata" and len(rest) == 1):
                return
    raise Malformed("Invalid path requested.", 404)


def _as_call(request: Ingress) -> Call:
    return Call(request.id, request.sender, request.canister, request.method, request.argument, request.expiry)


def _turned_away(fault: Armed, version: str) -> Answer:
    match fault.kind.name:
        case "lose_request":
            return Cut()
        case "http":
            return Response.text(fault.value, f"the embedded network was told to answer {fault.value}\n")
        case _:
            return _refused(rejection(fault.value, "this node does not take the call"), version)


def _refused(refusal: Rejection, version: str) -> Response:
    """One node's word that it did not admit the call."""
    body = _rejected(refusal)
    return _cbor(body if version == "v2" else {"status": "non_replicated_rejection", **body})


def _rejected(why: Rejection) -> dict[str, Any]:
    return {"reject_code": why.code, "reject_message": why.message, "error_code": why.error_code}


def _cbor(value: Any) -> Response:
    return Response(200, self_described(value), "application/cbor")
