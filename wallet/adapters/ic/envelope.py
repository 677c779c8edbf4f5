"""Requests to the Internet Computer: their contents, their ids, and the signed envelopes that carry them."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final

from wallet.adapters.ic import cbor
from wallet.adapters.ic.cbor import Cbor
from wallet.core.icrc3 import leb128
from wallet.core.ledger_time import LedgerTime
from wallet.core.principal import ANONYMOUS, Principal
from wallet.ports import Signer

NONCE_BYTES: Final = 16
MAX_NONCE_BYTES: Final = 32
"""The specification's bound: with a longer one the call is refused."""
_DOMAIN: Final = b"\x0aic-request"


def call(
    canister: Principal, method: str, argument: bytes, sender: Principal, expiry: LedgerTime, nonce: bytes
) -> dict[str, Cbor]:
    """The content of an update call. `expiry` is on the network's clock; the nonce keeps equal calls apart."""
    if not 0 < len(nonce) <= MAX_NONCE_BYTES:
        raise ValueError(f"a nonce has 1 to {MAX_NONCE_BYTES} bytes, not {len(nonce)}")
    return _aimed("call", canister, method, argument, sender, expiry) | {"nonce": nonce}


def query(canister: Principal, method: str, argument: bytes, expiry: LedgerTime) -> dict[str, Cbor]:
    """The content of an anonymous query."""
    return _aimed("query", canister, method, argument, ANONYMOUS, expiry)


def read_state(paths: Sequence[Sequence[bytes]], sender: Principal, expiry: LedgerTime) -> dict[str, Cbor]:
    """The content of a request for certified state; at most one request id may be among its paths."""
    return {
        "request_type": "read_state",
        "sender": sender.raw,
        "ingress_expiry": expiry,
        "paths": [list(path) for path in paths],
    }


def request_id(content: Mapping[str, Cbor]) -> bytes:
    """The 32-byte id of a request: the specification's representation-independent hash of its content."""
    return _hash(dict(content))


def seal(content: dict[str, Cbor], signer: Signer | None) -> bytes:
    """The envelope as it is stored and posted, the anonymous one where there is no signer.

    Raises ValueError when the content names another sender than the signer: the network would refuse it.
    """
    sender = ANONYMOUS if signer is None else signer.principal
    if content["sender"] != sender.raw:
        raise ValueError("the sender of a request is its signer")
    if signer is None:
        return cbor.encode({"content": content})
    return cbor.encode(
        {
            "content": content,
            "sender_pubkey": signer.public_key_der,
            "sender_sig": signer.sign(_DOMAIN + request_id(content)),
        }
    )


def _aimed(
    kind: str, canister: Principal, method: str, argument: bytes, sender: Principal, expiry: LedgerTime
) -> dict[str, Cbor]:
    return {
        "request_type": kind,
        "sender": sender.raw,
        "ingress_expiry": expiry,
        "canister_id": canister.raw,
        "method_name": method,
        "arg": argument,
    }


def _hash(value: Cbor) -> bytes:
    match value:
        case bytes():
            return hashlib.sha256(value).digest()
        case str():
            return hashlib.sha256(value.encode()).digest()
        case int() if not isinstance(value, bool) and value >= 0:
            return hashlib.sha256(leb128(value)).digest()
        case list():
            return hashlib.sha256(b"".join(_hash(item) for item in value)).digest()
        case dict():
            return hashlib.sha256(b"".join(sorted(_hash(key) + _hash(item) for key, item in value.items()))).digest()
    raise ValueError(f"a request cannot hold {type(value).__name__}")
