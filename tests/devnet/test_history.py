"""Reading blocks over the wire, from the ledger and its archive, and following their hashes to the certified tip."""

from typing import Any

import httpx

from tests.devnet.client import Client
from tests.devnet.conftest import Start
from wallet.core.account import Account
from wallet.core.icrc3 import value_hash
from wallet.core.principal import Principal
from wallet.core.value import Value
from wallet.devnet.settings import ARCHIVE_ID


async def reading(start: Start, blocks: int, **options: Any) -> Client:
    devnet = await start(**options)
    for amount in range(1, blocks + 1):
        devnet.fund(Account(Principal(b"\x07")), amount)
    return Client(devnet, None, httpx.AsyncClient(base_url=devnet.url))


async def test_every_block_is_found_and_its_hash_is_in_the_next(start: Start) -> None:
    client = await reading(start, 230, archive_after=60)
    async with client.http:
        answer: Any = await client.query("icrc3_get_blocks", [{"start": 0, "length": 1_000}])
        assert answer["log_length"] == 230
        (elsewhere,) = answer["archived_blocks"]
        (missing,) = elsewhere["args"]
        archived = client.devnet.network.ledger.archived
        assert (missing, elsewhere["callback"]) == (
            {"start": 0, "length": archived},
            [ARCHIVE_ID, "icrc3_get_blocks"],
        )
        found = {item["id"]: item["block"] for item in answer["blocks"]}
        start_at = 0
        while start_at < archived:
            ask: Value = [{"start": start_at, "length": archived - start_at}]
            more: Any = await client.query("icrc3_get_blocks", ask, canister=ARCHIVE_ID)
            assert 0 < len(more["blocks"]) <= 100
            found |= {item["id"]: item["block"] for item in more["blocks"]}
            start_at = max(found.keys() & set(range(archived))) + 1
        assert sorted(found) == list(range(230))
        for index in range(1, 230):
            fields = dict(found[index].value)
            assert fields["phash"].value == value_hash(found[index - 1])
        assert value_hash(found[229]) == client.devnet.network.ledger.blocks[-1].hash


async def test_at_most_100_blocks_come_in_one_reply_and_none_past_the_end(start: Start) -> None:
    client = await reading(start, 150)
    async with client.http:
        ask: Value = [{"start": 10, "length": 60}, {"start": 0, "length": 60}]
        answer: Any = await client.query("icrc3_get_blocks", ask)
        assert [item["id"] for item in answer["blocks"]] == [*range(10, 70), *range(40)]
        assert answer["archived_blocks"] == []
        beyond: Any = await client.query("icrc3_get_blocks", [{"start": 150, "length": 1 << 80}])
        assert (beyond["blocks"], beyond["log_length"]) == ([], 150)


async def test_the_ledger_names_its_archive(start: Start) -> None:
    client = await reading(start, 9, archive_after=4)
    async with client.http:
        archives: Any = await client.query("icrc3_get_archives", {"from": None})
        assert archives == [{"canister_id": ARCHIVE_ID, "start": 0, "end": client.devnet.network.ledger.archived - 1}]
        assert await client.query("icrc3_get_archives", {"from": ARCHIVE_ID}) == []
        kinds: Any = await client.query("icrc3_supported_block_types")
        assert {kind["block_type"] for kind in kinds} == {"1burn", "1mint", "1xfer", "2approve", "2xfer"}


async def test_what_the_token_says_of_itself(start: Start) -> None:
    client = await reading(start, 1, symbol="ABC", name="A B C", decimals=18, fee=7, logo="data:,")
    async with client.http:
        entries: Any = await client.query("icrc1_metadata")
        assert {key: value.value for key, value in entries} == {
            "icrc1:name": "A B C",
            "icrc1:symbol": "ABC",
            "icrc1:decimals": 18,
            "icrc1:fee": 7,
            "icrc1:max_memo_length": 32,
            "icrc1:logo": "data:,",
            "icrc103:public_allowances": "true",
            "icrc103:max_take_value": 500,
        }
        assert await client.query("icrc1_fee") == 7
        assert await client.query("icrc1_total_supply") == 1
        standards: Any = await client.query("icrc1_supported_standards")
        assert {"ICRC-1", "ICRC-2", "ICRC-3", "ICRC-103"} <= {standard["name"] for standard in standards}
