"""The whole client against the embedded network, whose certificates were made by other hands."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.ic.maker import Signer
from wallet.adapters.ic.network import IcNetwork, fetch_root_key
from wallet.core.account import Account
from wallet.core.attempt import Rejected, Reply
from wallet.core.icrc3 import value_hash
from wallet.core.ledger_time import MINUTE, LedgerTime
from wallet.core.principal import Principal
from wallet.core.value import Case
from wallet.devnet import DevnetOptions, serve
from wallet.devnet.settings import LEDGER_ID
from wallet.ports import SealedCall

SIGNER = Signer()
PAYER = Account.of(SIGNER.principal)


@pytest.fixture(params=["flat", "sharded", "none"])
async def network(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[IcNetwork]:
    devnet = await serve(DevnetOptions(delegation=request.param, archive_after=4), tmp_path)
    devnet.fund(PAYER, 10**9)
    network = IcNetwork("demo", devnet.url, await fetch_root_key(devnet.url))
    yield network
    await network.close()
    await devnet.close()


def payment(network: IcNetwork, stamp: LedgerTime, expiry: LedgerTime) -> SealedCall:
    argument = network.encode(
        "icrc1_transfer",
        [{"to": {"owner": Principal(b"\x01")}, "amount": 5, "fee": 10_000, "created_at_time": stamp}],
        None,
    )
    return network.seal(LEDGER_ID, "icrc1_transfer", argument, expiry, os.urandom(16), SIGNER)


async def pay(network: IcNetwork) -> Reply:
    now = await network.time(LEDGER_ID)
    call = payment(network, now, LedgerTime(now + 2 * MINUTE))
    evidence = await network.submit(LEDGER_ID, call.request_id, call.envelope)
    assert isinstance(evidence, Reply)
    asked = await network.status(LEDGER_ID, call.request_id, SIGNER)
    assert isinstance(asked, Reply)
    assert asked.result == evidence.result
    again = await network.submit(LEDGER_ID, call.request_id, call.envelope)
    assert isinstance(again, Reply)
    assert again.result == evidence.result  # one request id runs at most once
    return evidence


async def test_payments_are_certified_and_found_in_a_history_that_reaches_the_tip(network: IcNetwork) -> None:
    terms = await network.terms(LEDGER_ID)
    assert await network.stated_terms(LEDGER_ID) == terms
    assert "ICRC-3" in terms.standards
    for index in range(1, 8):
        assert (await pay(network)).result == [Case("Ok", index)]
    assert await network.balance(LEDGER_ID, PAYER) == 10**9 - 7 * 10_005
    found = await network.tip(LEDGER_ID)
    assert found is not None
    tip, _ = found
    history = await network.blocks(LEDGER_ID, 0, 100, certified=False)
    assert sorted(history.blocks) == list(range(8))
    assert value_hash(history.blocks[tip.index]) == tip.hash
    block = await network.block(LEDGER_ID, 2)  # in the archive by now
    assert block is not None
    assert (block.amount, block.sender, block.caller_fee) == (5, PAYER, 10_000)
    assert await network.block(LEDGER_ID, 8) is None


async def test_an_expired_call_is_answered_by_nothing_that_counts(network: IcNetwork) -> None:
    now = await network.time(LEDGER_ID)
    call = payment(network, now, LedgerTime(now - MINUTE))
    evidence = await network.submit(LEDGER_ID, call.request_id, call.envelope)
    assert not isinstance(evidence, Reply)
    assert not (isinstance(evidence, Rejected) and evidence.certified)
