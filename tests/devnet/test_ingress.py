"""What the endpoints refuse, and in which words; and the kinds of key that they take."""

import base64
import hashlib
import json
import os
from collections.abc import Callable
from typing import Any

import cbor2
import httpx
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from tests.devnet.client import Client, Person, hash_of, opened
from wallet.core.ledger_time import MINUTE, SECOND, LedgerTime
from wallet.core.principal import Principal
from wallet.devnet.ingress import Malformed, read
from wallet.devnet.settings import LEDGER_ID

NOW = LedgerTime(1_800_000_000 * SECOND)
CONTENT: dict[str, Any] = {
    "request_type": "call",
    "canister_id": LEDGER_ID.raw,
    "method_name": "icrc1_transfer",
    "arg": b"DIDL\x00\x00",
    "ingress_expiry": NOW + MINUTE,
    "nonce": b"12345678",
}
PERSON = Person()


def content(**changed: Any) -> dict[str, Any]:
    return {**CONTENT, "sender": PERSON.principal.raw, **changed}


def test_a_sound_envelope_is_read() -> None:
    request = read("call", PERSON.envelope(content()), NOW)
    assert request.id == hash_of(content())
    assert (request.sender, request.canister, request.method) == (PERSON.principal, LEDGER_ID, "icrc1_transfer")


def test_a_self_described_envelope_is_read_as_well() -> None:
    assert read("call", b"\xd9\xd9\xf7" + PERSON.envelope(content()), NOW).sender == PERSON.principal


@pytest.mark.parametrize(
    ("expiry", "accepted"),
    [(0, False), (1, True), (5 * MINUTE, True), (5 * MINUTE + 1, False), (-1, False)],
)
def test_an_expiry_lies_ahead_and_at_most_five_minutes(expiry: int, accepted: bool) -> None:
    body = PERSON.envelope(content(ingress_expiry=NOW + expiry))
    if accepted:
        assert read("call", body, NOW).expiry == NOW + expiry
    else:
        with pytest.raises(Malformed, match=r"^Invalid request expiry: "):
            read("call", body, NOW)


@pytest.mark.parametrize("kind", ["query", "read_state"])
def test_the_expiry_of_a_signed_look_counts_and_of_an_anonymous_one_does_not(kind: Any) -> None:
    stale = content(request_type=kind, ingress_expiry=NOW - 1, paths=[])
    with pytest.raises(Malformed, match="expiry"):
        read(kind, PERSON.envelope(stale), NOW)
    assert read(kind, cbor2.dumps({"content": {**stale, "sender": b"\x04"}}), NOW).sender.is_anonymous


def forged_signature(envelope: dict[str, Any]) -> None:
    envelope["sender_sig"] = bytes(64)


def other_sender(envelope: dict[str, Any]) -> None:
    envelope["content"] = {**envelope["content"], "sender": Person().principal.raw}


def other_key(envelope: dict[str, Any]) -> None:
    envelope["sender_pubkey"] = Person().der


def other_argument(envelope: dict[str, Any]) -> None:
    envelope["content"] = {**envelope["content"], "arg": b"DIDL\x00\x01"}


def no_signature(envelope: dict[str, Any]) -> None:
    del envelope["sender_sig"], envelope["sender_pubkey"]


def anonymous_but_signed(envelope: dict[str, Any]) -> None:
    envelope["content"] = {**envelope["content"], "sender": b"\x04"}


def no_key(envelope: dict[str, Any]) -> None:
    envelope["sender_pubkey"] = b"\x30\x00"


def long_nonce(envelope: dict[str, Any]) -> None:
    envelope["content"] = {**envelope["content"], "nonce": bytes(33)}


def no_content(envelope: dict[str, Any]) -> None:
    envelope["content"] = [1, 2]


def another_type(envelope: dict[str, Any]) -> None:
    envelope["content"] = {**envelope["content"], "request_type": "query"}


def fractions(envelope: dict[str, Any]) -> None:
    envelope["content"] = {**envelope["content"], "extra": 1.5}


def long_principal(envelope: dict[str, Any]) -> None:
    envelope["content"] = {**envelope["content"], "sender": bytes(30)}


@pytest.mark.parametrize(
    "spoil",
    [
        forged_signature,
        other_sender,
        other_key,
        other_argument,
        no_signature,
        anonymous_but_signed,
        no_key,
        long_nonce,
        no_content,
        another_type,
        fractions,
        long_principal,
    ],
)
async def test_a_spoiled_envelope_is_refused_with_400_and_a_sentence(
    client: Client, spoil: Callable[[dict[str, Any]], None]
) -> None:
    envelope = dict(cbor2.loads(client.transfer().body))
    spoil(envelope)
    answer = await client.http.post(f"/api/v4/canister/{LEDGER_ID}/call", content=cbor2.dumps(envelope))
    assert answer.status_code == 400
    assert len(answer.text) > 15
    assert await client.moved() == 0


@given(st.binary(max_size=200) | st.recursive(st.none() | st.binary(), st.lists, max_leaves=50).map(cbor2.dumps))
def test_garbage_is_malformed_and_nothing_worse(body: bytes) -> None:
    with pytest.raises(Malformed):
        read("call", body, NOW)


def test_a_deep_pit_is_malformed() -> None:
    with pytest.raises((Malformed, RecursionError)):
        read("call", b"\x81" * 100_000, NOW)


@pytest.mark.parametrize("url", ["aaaaa-aa", "bd3sg-teaaa-aaaaa-qaaba-cai", "not-a-principal"])
async def test_the_canister_in_the_url_is_the_one_in_the_envelope(client: Client, url: str) -> None:
    answer = await client.http.post(f"/api/v4/canister/{url}/call", content=client.transfer().body)
    assert answer.status_code == 400
    assert await client.moved() == 0


def ecdsa(curve: ec.EllipticCurve) -> tuple[bytes, Callable[[bytes], bytes]]:
    """A key in DER, and how it signs: r and s, 32 bytes each."""
    key = ec.generate_private_key(curve)

    def sign(message: bytes) -> bytes:
        r, s = decode_dss_signature(key.sign(message, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    return key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo), sign


def webauthn() -> tuple[bytes, Callable[[bytes], bytes]]:
    """A browser's key in COSE, and how its authenticator signs."""
    key = ec.generate_private_key(ec.SECP256R1())
    point = key.public_key().public_numbers()
    cose = cbor2.dumps({1: 2, 3: -7, -1: 1, -2: point.x.to_bytes(32, "big"), -3: point.y.to_bytes(32, "big")})
    bits = b"\x03" + bytes([len(cose) + 1]) + b"\x00" + cose
    inner = bytes.fromhex("300c060a2b0601040183b8430101") + bits

    def sign(message: bytes) -> bytes:
        challenge = base64.urlsafe_b64encode(message).rstrip(b"=").decode()
        client_data = json.dumps({"type": "webauthn.get", "challenge": challenge}).encode()
        data = os.urandom(37)
        signature = key.sign(data + hashlib.sha256(client_data).digest(), ec.ECDSA(hashes.SHA256()))
        parts = {"authenticator_data": data, "client_data_json": client_data.decode(), "signature": signature}
        return b"\xd9\xd9\xf7" + cbor2.dumps(parts)

    return b"\x30" + bytes([len(inner)]) + inner, sign


@pytest.mark.parametrize(
    "make", [lambda: ecdsa(ec.SECP256K1()), lambda: ecdsa(ec.SECP256R1()), webauthn], ids=["k256", "p256", "webauthn"]
)
def test_every_kind_of_key_signs(make: Callable[[], tuple[bytes, Callable[[bytes], bytes]]]) -> None:
    der, sign = make()
    inside = {**CONTENT, "sender": hashlib.sha224(der).digest() + b"\x02"}
    message = b"\x0aic-request" + hash_of(inside)
    envelope = {"content": inside, "sender_pubkey": der, "sender_sig": sign(message)}
    assert read("call", cbor2.dumps(envelope), NOW).sender.is_self_authenticating
    with pytest.raises(Malformed, match="Invalid signature"):
        read("call", cbor2.dumps({**envelope, "sender_sig": sign(message + b".")}), NOW)


def test_curves_the_network_does_not_know_are_refused() -> None:
    der, sign = ecdsa(ec.SECP256R1())
    other = ec.generate_private_key(ec.SECP384R1()).public_key()
    der = other.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    inside = {**CONTENT, "sender": hashlib.sha224(der).digest() + b"\x02"}
    envelope = {"content": inside, "sender_pubkey": der, "sender_sig": sign(b"")}
    with pytest.raises(Malformed, match="unsupported"):
        read("call", cbor2.dumps(envelope), NOW)


def delegated(*, expiration: int = NOW + 1, targets: list[bytes] | None = None) -> bytes:
    """An envelope signed by a session key that the person's own key vouches for."""
    session = Person()
    inner: dict[str, Any] = {"pubkey": session.der, "expiration": expiration}
    if targets is not None:
        inner["targets"] = targets
    vouched = PERSON.key.sign(b"\x1aic-request-auth-delegation" + hash_of(inner))
    signature = session.key.sign(b"\x0aic-request" + hash_of(content()))
    chain = [{"delegation": inner, "signature": vouched}]
    return cbor2.dumps(
        {"content": content(), "sender_pubkey": PERSON.der, "sender_sig": signature, "sender_delegation": chain}
    )


def test_a_session_key_signs_where_its_delegation_allows() -> None:
    assert read("call", delegated(), NOW).sender == PERSON.principal
    assert read("call", delegated(targets=[LEDGER_ID.raw]), NOW).sender == PERSON.principal
    with pytest.raises(Malformed, match="expired"):
        read("call", delegated(expiration=NOW - 1), NOW)
    with pytest.raises(Malformed, match="targets"):
        read("call", delegated(targets=[Principal(b"\x09").raw]), NOW)


async def test_an_anonymous_call_is_taken(nobody: Client) -> None:
    answer = await nobody.post(nobody.call("icrc1_name"))
    assert opened(answer)["status"] == "replied"


async def test_a_body_too_large_is_refused(client: Client) -> None:
    with_room = httpx.Timeout(20)
    try:
        answer = await client.http.post("/api/v2/status", content=bytes(5 * 1024 * 1024), timeout=with_room)
        assert answer.status_code == 413
    except httpx.TransportError:
        pass  # the server hung up before it had read all of it
    assert (await client.http.get("/api/v2/status")).status_code == 200
