"""What is kept between runs: the chain, the clock, the root key and the open calls, also after `kill -9`."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.devnet.client import FEE, Client, Person
from tests.devnet.conftest import FUNDS
from wallet.core.account import Account
from wallet.core.errors import BadInput, StoreFault
from wallet.core.ledger_time import SECOND
from wallet.core.principal import Principal
from wallet.core.value import Case
from wallet.devnet import Devnet, DevnetOptions, serve
from wallet.devnet.state import FILE

SCRIPT = """
import asyncio, json, sys
from pathlib import Path
from wallet.devnet import DevnetOptions, serve

async def main():
    devnet = await serve(DevnetOptions(archive_after=5), Path(sys.argv[1]))
    print(json.dumps(devnet.description()), flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


async def running(folder: Path) -> tuple[asyncio.subprocess.Process, dict[str, Any]]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SCRIPT, str(folder), stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    async with asyncio.timeout(20):
        return process, json.loads(await process.stdout.readline())


async def kill(process: asyncio.subprocess.Process) -> None:
    process.kill()
    await process.wait()


async def test_a_killed_network_comes_back_with_all_that_it_had_shown(tmp_path: Path) -> None:
    person = Account(Person().principal).text
    process, first = await running(tmp_path)
    try:
        async with httpx.AsyncClient() as http:
            for amount in ("7", "8", "9", "10", "11", "12"):
                await http.post(f"{first['admin']}/fund", json={"account": person, "amount": amount})
            await http.post(f"{first['admin']}/faults", json={"fault": "clock", "value": 86_400})
            blocks = (await http.get(f"{first['admin']}/blocks")).json()
    finally:
        await kill(process)
    process, second = await running(tmp_path)
    try:
        async with httpx.AsyncClient() as http:
            again = (await http.get(f"{second['admin']}/blocks")).json()
            await http.post(f"{second['admin']}/fund", json={"account": person, "amount": "1"})
            after = (await http.get(f"{second['admin']}/blocks")).json()
    finally:
        await kill(process)
    assert again == blocks
    assert second["root_key"] == first["root_key"]
    assert int(after[-1]["ts"]) >= int(blocks[-1]["ts"]) + 86_000 * SECOND
    assert after[-1]["phash"] == blocks[-1]["hash"]


async def reopened(devnet: Devnet, folder: Path, **options: Any) -> Devnet:
    await devnet.close()
    return await serve(DevnetOptions(**options), folder)


async def test_a_request_id_never_runs_again_after_a_restart(tmp_path: Path) -> None:
    person = Person()
    devnet = await serve(DevnetOptions(), tmp_path)
    devnet.fund(Account(person.principal), FUNDS)
    async with httpx.AsyncClient(base_url=devnet.url) as http:
        client = Client(devnet, person, http)
        sent = client.transfer()
        assert await client.result(sent) == Case("Ok", 1)
    devnet = await reopened(devnet, tmp_path)
    try:
        async with httpx.AsyncClient(base_url=devnet.url) as http:
            client = Client(devnet, person, http)
            assert await client.status(sent) == "replied"
            assert await client.result(sent) == Case("Ok", 1)
            assert await client.balance(person.principal) == FUNDS - 1_000 - FEE
    finally:
        await devnet.close()


async def test_a_delayed_call_runs_after_a_restart(tmp_path: Path) -> None:
    person = Person()
    devnet = await serve(DevnetOptions(), tmp_path)
    devnet.fund(Account(person.principal), FUNDS)
    async with httpx.AsyncClient(base_url=devnet.url) as http:
        client = Client(devnet, person, http)
        await client.arm("delay", 60)
        sent = client.transfer()
        await client.post(sent)
    devnet = await reopened(devnet, tmp_path)
    try:
        async with httpx.AsyncClient(base_url=devnet.url) as http:
            client = Client(devnet, person, http)
            assert await client.status(sent) == "received"
            await client.arm("clock", 61)
            assert await client.result(sent) == Case("Ok", 1)
    finally:
        await devnet.close()


async def test_fresh_forgets_the_chain_and_the_root_key(tmp_path: Path) -> None:
    devnet = await serve(DevnetOptions(), tmp_path)
    devnet.fund(Account(Principal(b"\x07")), 5)
    root = devnet.description()["root_key"]
    devnet = await reopened(devnet, tmp_path, fresh=True)
    assert devnet.network.ledger.blocks == []
    assert devnet.description()["root_key"] != root
    await devnet.close()


async def test_one_folder_serves_one_network(tmp_path: Path) -> None:
    devnet = await serve(DevnetOptions(), tmp_path)
    with pytest.raises(StoreFault, match="another"):
        await serve(DevnetOptions(), tmp_path)
    await devnet.close()
    await (await serve(DevnetOptions(), tmp_path)).close()


async def test_a_folder_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database, but long enough to be looked at as one" * 50)
    with pytest.raises(StoreFault, match=FILE):
        await serve(DevnetOptions(), tmp_path)


async def test_a_taken_port_is_told(tmp_path: Path) -> None:
    devnet = await serve(DevnetOptions(), tmp_path / "one")
    port = int(devnet.url.rpartition(":")[2])
    with pytest.raises(BadInput, match=str(port)):
        await serve(DevnetOptions(port=port), tmp_path / "two")
    await devnet.close()


@pytest.mark.parametrize(
    "options",
    [{"port": 65_536}, {"decimals": 256}, {"fee": -1}, {"fee": 1 << 64}, {"window_s": 0}, {"archive_after": 0}],
)
def test_options_that_no_ledger_could_have_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=next(iter(options))):
        DevnetOptions(**options)


async def test_time_never_goes_back(tmp_path: Path) -> None:
    host = [1_800_000_000 * SECOND]
    devnet = await serve(DevnetOptions(), tmp_path, host_ns=lambda: host[0])
    devnet.fund(Account(Principal(b"\x07")), 5)
    shown = devnet.network.now()
    await devnet.close()
    host[0] -= 3600 * SECOND
    devnet = await serve(DevnetOptions(), tmp_path, host_ns=lambda: host[0])
    assert devnet.network.now() >= devnet.network.ledger.blocks[0].timestamp
    assert devnet.network.now() > shown - SECOND
    await devnet.close()


async def test_many_blocks_are_cheap_to_open(tmp_path: Path) -> None:
    devnet = await serve(DevnetOptions(), tmp_path)
    for _ in range(600):
        devnet.fund(Account(Principal(b"\x07")), 5)
    tip = devnet.network.ledger.blocks[-1].hash
    await devnet.close()
    started = asyncio.get_running_loop().time()
    devnet = await serve(DevnetOptions(), tmp_path)
    assert asyncio.get_running_loop().time() - started < 2
    assert devnet.network.ledger.blocks[-1].hash == tip
    await devnet.close()


async def test_the_description_says_how_to_reach_it(tmp_path: Path) -> None:
    devnet = await serve(DevnetOptions(symbol="ABC", decimals=6, fee=3), tmp_path)
    shown = devnet.description()
    await devnet.close()
    assert json.loads(json.dumps(shown)) == shown
    assert (shown["symbol"], shown["decimals"], shown["fee"]) == ("ABC", 6, "3")
    assert shown["admin"].startswith(shown["url"])
    assert shown["ledger"] == "bkyz2-fmaaa-aaaaa-qaaaq-cai"


async def test_more_than_the_ledger_can_count_is_not_funded(tmp_path: Path) -> None:
    devnet = await serve(DevnetOptions(), tmp_path)
    with pytest.raises(BadInput, match="so many"):
        devnet.fund(Account(Principal(b"\x07")), 1 << 64)
    await devnet.close()
