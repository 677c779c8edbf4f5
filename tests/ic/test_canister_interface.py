"""What a canister shows of its interface: certified where it is in its metadata, else one node's word (R1)."""

import pytest

from tests.ic import maker
from tests.ic.maker import Key, Subnet
from tests.ic.replica import LEDGER, Replica, always, result
from tests.ic.server import answer
from tests.ic.test_network import reaching
from wallet.adapters.ic.did import parse_did
from wallet.core.errors import NetworkFault, Untrusted
from wallet.devnet.interface import LEDGER_DID

QUERY = "__get_candid_interface_tmp_hack"


def showing(did: bytes | None) -> maker.Labels:
    metadata: maker.Labels = {} if did is None else {b"candid:service": did}
    return {b"canister": {LEDGER.raw: {b"metadata": metadata, b"module_hash": b"\x01"}}}


async def test_certified_metadata_comes_first() -> None:
    replica = Replica(extra=showing(LEDGER_DID.encode()))
    async with reaching(replica) as (network, _):
        stated = await network.interface(LEDGER)
    assert stated is not None
    assert stated.certified
    assert stated.interface == parse_did(LEDGER_DID)
    [envelope] = replica.envelopes
    assert envelope["content"]["paths"] == [[b"canister", LEDGER.raw, b"metadata", b"candid:service"]]


async def test_without_it_the_query_is_one_nodes_word() -> None:
    replica = Replica(answers={QUERY: always(result("icrc1_name", LEDGER_DID))}, extra=showing(None))
    async with reaching(replica) as (network, _):
        stated = await network.interface(LEDGER)
    assert stated is not None
    assert not stated.certified
    assert stated.interface == parse_did(LEDGER_DID)


async def test_a_section_that_is_not_for_everyone_is_none() -> None:
    replica = Replica(answers={QUERY: always(result("icrc1_name", LEDGER_DID))})
    async with reaching(answer(403), replica) as (network, _):
        stated = await network.interface(LEDGER)
    assert stated is not None
    assert not stated.certified


@pytest.mark.parametrize("code", [3, 5])
async def test_a_canister_that_shows_none_has_none(code: int) -> None:
    replica = Replica(answers={QUERY: always((code, "no such method"))}, extra=showing(None))
    async with reaching(replica) as (network, _):
        assert await network.interface(LEDGER) is None


@pytest.mark.parametrize(
    ("did", "why"),
    [(b"service : {", "line 1, column 12"), (b"\xff", "is no text"), (b" " * 2_000_000, "longer than")],
    ids=["malformed", "no text", "too long"],
)
async def test_what_cannot_be_read_is_no_interface(did: bytes, why: str) -> None:
    async with reaching(Replica(extra=showing(did))) as (network, _):
        with pytest.raises(NetworkFault, match=why):
            await network.interface(LEDGER)


async def test_an_answer_that_is_no_text_is_refused() -> None:
    replica = Replica(answers={QUERY: always(result("icrc1_fee", 7))}, extra=showing(None))
    async with reaching(replica) as (network, _):
        with pytest.raises(NetworkFault, match="is no answer to that"):
            await network.interface(LEDGER)


async def test_a_certificate_of_another_network_is_not_believed() -> None:
    stranger = Replica(subnet=Subnet(root=Key(99)), extra=showing(LEDGER_DID.encode()))
    async with reaching(stranger) as (network, _):
        with pytest.raises(Untrusted):
            await network.interface(LEDGER)
