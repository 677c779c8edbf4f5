"""Reads and checks what clients post: envelope, request id, sender, signature and expiry (interface spec)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import cbor2

from wallet.core.icrc3 import leb128
from wallet.core.ledger_time import MINUTE, LedgerTime, as_datetime
from wallet.core.principal import ANONYMOUS, MANAGEMENT_CANISTER, MAX_BYTES, Principal
from wallet.devnet.signatures import BadSignature, verify
from wallet.devnet.state_tree import self_authenticating

REQUEST: Final = b"\x0aic-request"
_DELEGATION: Final = b"\x1aic-request-auth-delegation"
MAX_EXPIRY_NS: Final = 5 * MINUTE
_MAX_DELEGATIONS: Final = 20
_MAX_PATHS: Final = 1000

Kind: TypeAlias = Literal["call", "query", "read_state"]


class Malformed(Exception):
    """The endpoint refuses the request with this HTTP status and text; the network never sees it."""

    def __init__(self, why: str, status: int = 400) -> None:
        super().__init__(why)
        self.status = status


@dataclass(frozen=True, slots=True)
class Ingress:
    """A checked request. `canister` and `method` are empty for read_state, `paths` for the others."""

    id: bytes
    sender: Principal
    expiry: LedgerTime
    canister: Principal = MANAGEMENT_CANISTER
    method: str = ""
    argument: bytes = b""
    paths: tuple[tuple[bytes, ...], ...] = ()


def read(kind: Kind, body: bytes, now: LedgerTime) -> Ingress:
    """The request in an envelope, all its signatures checked against the network's time. Raises Malformed."""
    envelope = _map(_parsed(body), "envelope")
    content = _map(envelope.get("content"), "content")
    if content.get("request_type") != kind:
        raise Malformed(f"Unexpected request_type {content.get('request_type')!r}, expected {kind!r}")
    nonce = content.get("nonce")
    if nonce is not None and (not isinstance(nonce, bytes) or len(nonce) > 32):
        raise Malformed("Invalid nonce: at most 32 bytes")
    sender = _principal(content.get("sender"), "sender")
    expiry = content.get("ingress_expiry")
    if isinstance(expiry, bool) or not isinstance(expiry, int) or not 0 <= expiry < 1 << 64:
        raise Malformed("Invalid ingress_expiry: a nat64 is expected")
    request_id = hash_of_map(content)
    canister = _principal(content.get("canister_id"), "canister_id") if kind != "read_state" else MANAGEMENT_CANISTER
    _check_sender(envelope, sender, request_id, canister, now)
    if kind == "call" or not sender.is_anonymous:
        _check_expiry(expiry, now)
    if kind == "read_state":
        return Ingress(request_id, sender, LedgerTime(expiry), paths=_paths(content.get("paths")))
    method, argument = content.get("method_name"), content.get("arg")
    if not isinstance(method, str) or not isinstance(argument, bytes):
        raise Malformed("Invalid request: method_name is a text and arg a blob")
    return Ingress(request_id, sender, LedgerTime(expiry), canister, method, argument)


def hash_of_map(content: Mapping[Any, Any]) -> bytes:
    """The representation-independent hash, which is the request id. Raises Malformed for what has none."""
    return hashlib.sha256(b"".join(sorted(_hash(key) + _hash(value) for key, value in content.items()))).digest()


def _hash(value: Any) -> bytes:
    match value:
        case bool():
            raise Malformed("a boolean has no hash")
        case int() if value >= 0:
            return hashlib.sha256(leb128(value)).digest()
        case bytes():
            return hashlib.sha256(value).digest()
        case str():
            return hashlib.sha256(value.encode("utf-8", "surrogatepass")).digest()
        case list() | tuple():
            return hashlib.sha256(b"".join(_hash(item) for item in value)).digest()
        case Mapping():
            return hash_of_map(value)
        case _:
            raise Malformed(f"a value of type {type(value).__name__} has no hash")


def _check_sender(
    envelope: Mapping[Any, Any], sender: Principal, request_id: bytes, canister: Principal, now: LedgerTime
) -> None:
    key, signature = envelope.get("sender_pubkey"), envelope.get("sender_sig")
    delegations = envelope.get("sender_delegation") or []
    if key is None and signature is None and not delegations:
        if sender != ANONYMOUS:
            raise Malformed(f"Missing signature from user: {sender}")
        return
    if sender == ANONYMOUS:
        raise Malformed("Invalid signature: an anonymous request carries none")
    if not isinstance(key, bytes) or not isinstance(signature, bytes):
        raise Malformed("Invalid signature: sender_pubkey and sender_sig are blobs")
    if self_authenticating(key) != sender:
        raise Malformed(f"The user id {sender} does not match the public key {key.hex()}")
    try:
        verify(_signing_key(key, delegations, canister, now), signature, REQUEST + request_id)
    except BadSignature as why:
        raise Malformed(f"Invalid signature: {why}") from None


def _signing_key(key: bytes, delegations: object, canister: Principal, now: LedgerTime) -> bytes:
    """The key at the end of the chain of delegations, each signed by the one before."""
    if not isinstance(delegations, list | tuple) or len(delegations) > _MAX_DELEGATIONS:
        raise Malformed("Invalid delegation: at most 20 of them, in a list")
    for item in delegations:
        signed = _map(item, "signed delegation")
        inner, signature = _map(signed.get("delegation"), "delegation"), signed.get("signature")
        delegate, expiration, targets = inner.get("pubkey"), inner.get("expiration"), inner.get("targets")
        if not isinstance(delegate, bytes) or not isinstance(signature, bytes) or not isinstance(expiration, int):
            raise Malformed("Invalid delegation: pubkey, expiration and signature are required")
        verify(key, signature, _DELEGATION + hash_of_map(inner))
        if expiration < now:
            raise Malformed("Invalid delegation expiry: it has expired")
        if targets is not None and not isinstance(targets, list | tuple):
            raise Malformed("Invalid delegation: its targets are no list")
        if targets is not None and canister.raw and canister.raw not in targets:
            raise Malformed(f"Canister {canister} is not one of the delegation targets")
        key = delegate
    return key


def _check_expiry(expiry: int, now: LedgerTime) -> None:
    latest = LedgerTime(now + MAX_EXPIRY_NS)
    if not now < expiry <= latest:
        provided = as_datetime(LedgerTime(min(expiry, 1 << 62)))
        raise Malformed(
            "Invalid request expiry: Specified ingress_expiry not within expected range: Minimum allowed expiry: "
            f"{as_datetime(now)}, Maximum allowed expiry: {as_datetime(latest)}, Provided expiry: {provided}"
        )


def _paths(value: object) -> tuple[tuple[bytes, ...], ...]:
    if not isinstance(value, list | tuple) or len(value) > _MAX_PATHS:
        raise Malformed("Invalid paths: a list of at most 1000 paths is expected")
    paths = []
    for path in value:
        if not isinstance(path, list | tuple) or not all(isinstance(label, bytes) for label in path):
            raise Malformed("Invalid path: a list of blobs is expected")
        paths.append(tuple(path))
    return tuple(paths)


def _principal(value: object, name: str) -> Principal:
    if not isinstance(value, bytes) or len(value) > MAX_BYTES:
        raise Malformed(f"Invalid {name}: not a principal")
    return Principal(value)


def _map(value: object, name: str) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise Malformed(f"Could not parse body as CBOR: {name} is not a map")
    return value


def _parsed(body: bytes) -> Any:
    try:
        return cbor2.loads(body)
    except (cbor2.CBORError, ValueError, TypeError, RecursionError, OverflowError, MemoryError) as why:
        raise Malformed(f"Could not parse body as CBOR: {why}") from None
