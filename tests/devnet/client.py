"""A small client of the embedded network, with none of the wallet's transport, that shows every answer as it came."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import cbor2
import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from wallet.adapters.ic.candid import KNOWN, decode, encode
from wallet.adapters.ic.candid_types import Type
from wallet.adapters.ic.certificate import VerifiedCertificate, verify
from wallet.adapters.ic.hash_tree import Missing
from wallet.core.icrc3 import leb128
from wallet.core.ledger_time import SECOND
from wallet.core.principal import ANONYMOUS, Principal
from wallet.core.value import Value
from wallet.devnet import Devnet
from wallet.devnet.method_types import declared
from wallet.devnet.settings import LEDGER_ID

FEE = 10_000


def hash_of(value: Any) -> bytes:
    match value:
        case int():
            return hashlib.sha256(leb128(value)).digest()
        case str():
            return hashlib.sha256(value.encode()).digest()
        case bytes():
            return hashlib.sha256(value).digest()
        case list():
            return hashlib.sha256(b"".join(hash_of(item) for item in value)).digest()
        case Mapping():
            pairs = sorted(hash_of(key) + hash_of(item) for key, item in value.items())
            return hashlib.sha256(b"".join(pairs)).digest()
    raise TypeError(value)


@dataclass
class Person:
    """Someone with an Ed25519 key."""

    key: Ed25519PrivateKey = field(default_factory=Ed25519PrivateKey.generate)

    @property
    def der(self) -> bytes:
        return self.key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)

    @property
    def principal(self) -> Principal:
        return Principal(hashlib.sha224(self.der).digest() + b"\x02")

    def envelope(self, content: dict[str, Any]) -> bytes:
        signature = self.key.sign(b"\x0aic-request" + hash_of(content))
        return cbor2.dumps({"content": content, "sender_pubkey": self.der, "sender_sig": signature})


@dataclass(frozen=True)
class Sent:
    """A call as it was signed."""

    id: bytes
    body: bytes
    content: dict[str, Any]


@dataclass
class Client:
    """Talks for one person, or for nobody."""

    devnet: Devnet
    person: Person | None
    http: httpx.AsyncClient

    @property
    def sender(self) -> Principal:
        return self.person.principal if self.person is not None else ANONYMOUS

    def now(self) -> int:
        return self.devnet.network.now()

    def args(self, method: str) -> tuple[Type, ...]:
        return declared(method, self.devnet.network.options).args

    def content(self, kind: str, **fields: Any) -> dict[str, Any]:
        expiry = self.now() + 120 * SECOND
        return {"request_type": kind, "sender": self.sender.raw, "ingress_expiry": expiry, **fields}

    def signed(self, content: dict[str, Any]) -> Sent:
        body = self.person.envelope(content) if self.person is not None else cbor2.dumps({"content": content})
        return Sent(hash_of(content), body, content)

    def call(self, method: str, *arguments: Value, **changed: Any) -> Sent:
        argument = changed.pop("arg", None) or encode(self.args(method), arguments)
        fields = {"canister_id": LEDGER_ID.raw, "method_name": method, "arg": argument, "nonce": os.urandom(8)}
        return self.signed(self.content("call", **{**fields, **changed}))

    def transfer(self, amount: int = 1_000, **fields: Value) -> Sent:
        to: Value = {"owner": Principal(b"\x0a"), "subaccount": None}
        return self.call("icrc1_transfer", {"to": to, "amount": amount, **fields})

    async def post(self, sent: Sent, version: str = "v4", canister: Principal = LEDGER_ID) -> httpx.Response:
        return await self.http.post(f"/api/{version}/canister/{canister}/call", content=sent.body)

    async def result(self, sent: Sent, version: str = "v4") -> Value:
        """Post it and read its certified result."""
        answer = await self.post(sent, version)
        assert answer.status_code == 200, answer.text
        return reply_of(self.verified(opened(answer)["certificate"]), sent.id)

    async def run(self, method: str, *arguments: Value) -> Value:
        return await self.result(self.call(method, *arguments))

    async def query(self, method: str, *arguments: Value, canister: Principal = LEDGER_ID) -> Value:
        answer = await self.query_raw(method, encode(self.args(method), arguments), canister)
        assert answer["status"] == "replied", answer
        return decode(answer["reply"]["arg"])[0]

    async def query_raw(self, method: str, argument: bytes, canister: Principal = LEDGER_ID) -> dict[str, Any]:
        fields = {"canister_id": canister.raw, "method_name": method, "arg": argument}
        sent = self.signed(self.content("query", **fields))
        answer = await self.http.post(f"/api/v3/canister/{canister}/query", content=sent.body)
        assert answer.status_code == 200, answer.text
        return {**opened(answer), "request_id": sent.id}

    async def balance(self, owner: Principal) -> int:
        balance = await self.query("icrc1_balance_of", {"owner": owner, "subaccount": None})
        assert isinstance(balance, int)
        return balance

    async def read_state(
        self, *paths: Sequence[bytes], version: str = "v3", canister: Principal = LEDGER_ID, **changed: Any
    ) -> httpx.Response:
        sent = self.signed({**self.content("read_state", paths=[list(path) for path in paths]), **changed})
        return await self.http.post(f"/api/{version}/canister/{canister}/read_state", content=sent.body)

    async def state(self, *paths: Sequence[bytes], version: str = "v3") -> VerifiedCertificate:
        answer = await self.read_state(*paths, version=version)
        assert answer.status_code == 200, answer.text
        return self.verified(opened(answer)["certificate"])

    async def status(self, sent: Sent) -> str | None:
        """The certified word for a call, None where it is proven absent."""
        certificate = await self.state([b"request_status", sent.id])
        word = certificate.lookup(b"request_status", sent.id, b"status")
        assert word is not Missing.UNKNOWN
        return word.decode() if isinstance(word, bytes) else None

    def verified(self, certificate: bytes) -> VerifiedCertificate:
        return verify(certificate, self.devnet.network.keys.root.der, LEDGER_ID)

    async def arm(self, fault: str, value: Any = None, times: int | None = None) -> dict[str, Any]:
        answer = await self.http.post("/admin/faults", json={"fault": fault, "value": value, "times": times})
        assert answer.status_code == 200, answer.text
        shown: dict[str, Any] = answer.json()
        return shown

    async def blocks(self) -> list[dict[str, Any]]:
        shown: list[dict[str, Any]] = (await self.http.get("/admin/blocks")).json()
        return shown

    async def moved(self) -> int:
        """How many blocks there are beyond the one that funded us."""
        return len(await self.blocks()) - 1


def opened(answer: httpx.Response) -> dict[str, Any]:
    body: dict[str, Any] = cbor2.loads(answer.content)
    return body


def reply_of(certificate: VerifiedCertificate, request_id: bytes) -> Value:
    assert certificate.lookup(b"request_status", request_id, b"status") == b"replied"
    reply = certificate.lookup(b"request_status", request_id, b"reply")
    assert isinstance(reply, bytes)
    return decode(reply, KNOWN | {"Ok2"})[0]


def rejection_of(certificate: VerifiedCertificate, request_id: bytes) -> tuple[int, str, str]:
    """Code, message and error code of a certified rejection."""
    assert certificate.lookup(b"request_status", request_id, b"status") == b"rejected"
    parts = [certificate.lookup(b"request_status", request_id, name) for name in (b"reject_code", b"reject_message")]
    error = certificate.lookup(b"request_status", request_id, b"error_code")
    code, message = parts
    assert isinstance(code, bytes)
    assert isinstance(message, bytes)
    assert isinstance(error, bytes)
    return code[0], message.decode(), error.decode()
