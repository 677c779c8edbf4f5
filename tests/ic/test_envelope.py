"""Envelopes: request ids as the specification computes them, and signatures over exactly those."""

from typing import Any

import cbor2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ic.maker import Signer
from wallet.adapters.ic import envelope
from wallet.core.ledger_time import LedgerTime
from wallet.core.principal import ANONYMOUS, Principal

CANISTER = Principal(bytes.fromhex("00000000000004d2"))
SIGNER = Signer()


def test_the_request_id_is_the_one_of_the_specification() -> None:
    content: dict[str, Any] = {
        "request_type": "call",
        "canister_id": CANISTER.raw,
        "method_name": "hello",
        "arg": b"DIDL\x00\xfd*",
    }
    assert envelope.request_id(content).hex() == "8781291c347db32a9d8c10eb62b710fce5a93be676474c42babc74c51858f94b"


def test_the_request_id_of_nested_paths_is_the_published_one() -> None:
    content: dict[str, Any] = {"sender": CANISTER.raw, "paths": [[], [b""], [b"hello", b"world"]]}
    assert envelope.request_id(content).hex() == "97d6f297aea699aec85d3377c7643ea66db810aba5c4372fbc2082c999f452dc"
    assert envelope.request_id({"paths": []}).hex() == (
        "99daa8c80a61e87ac1fdf9dd49e39963bfe4dafb2a45095ebf4cad72d916d5be"
    )


@given(st.binary(max_size=29), st.text(), st.binary(), st.integers(0, 2**64 - 1), st.binary(min_size=1, max_size=32))
def test_request_ids_agree_with_ic_py(canister: bytes, method: str, arg: bytes, expiry: int, nonce: bytes) -> None:
    from ic.utils import to_request_id

    content = envelope.call(Principal(canister), method, arg, ANONYMOUS, LedgerTime(expiry), nonce)
    assert envelope.request_id(content) == to_request_id(content)


def test_an_envelope_carries_its_content_and_a_signature_over_the_request_id() -> None:
    content = envelope.call(CANISTER, "icrc1_transfer", b"DIDL\x00\x00", SIGNER.principal, LedgerTime(5), b"n")
    sealed = envelope.seal(content, SIGNER)
    assert sealed == envelope.seal(content, SIGNER)
    parts = cbor2.loads(sealed[3:])
    assert sealed[:3] == b"\xd9\xd9\xf7"
    assert parts["content"] == content
    assert parts["sender_pubkey"] == SIGNER.public_key_der
    SIGNER.key.public_key().verify(parts["sender_sig"], b"\x0aic-request" + envelope.request_id(content))


def test_an_anonymous_envelope_carries_no_key() -> None:
    content = envelope.read_state([[b"time"]], ANONYMOUS, LedgerTime(5))
    assert cbor2.loads(envelope.seal(content, None)[3:]) == {"content": content}


def test_nobody_signs_for_another_sender() -> None:
    content = envelope.read_state([[b"time"]], ANONYMOUS, LedgerTime(5))
    with pytest.raises(ValueError, match="signer"):
        envelope.seal(content, SIGNER)


@pytest.mark.parametrize("nonce", [b"", b"\x00" * 33])
def test_a_nonce_has_its_bounds(nonce: bytes) -> None:
    with pytest.raises(ValueError, match="nonce"):
        envelope.call(CANISTER, "m", b"", ANONYMOUS, LedgerTime(5), nonce)


@pytest.mark.parametrize("odd", [None, True, -1])
def test_what_has_no_hash_is_refused(odd: Any) -> None:
    with pytest.raises(ValueError, match="cannot hold"):
        envelope.request_id({"a": odd})
