"""The Internet Computer's own clients against the embedded network, all of their verification on.

`npm install --prefix tests/devnet/real_clients` gets them: the JavaScript agent and the `icp` command.
"""

import asyncio
import json
import os
import shutil
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.devnet.client import Client
from tests.devnet.conftest import Start
from wallet.core.account import Account, AccountId
from wallet.core.principal import MANAGEMENT_CANISTER
from wallet.devnet import Devnet
from wallet.devnet.bls import ThresholdKey

HERE = Path(__file__).parent / "real_clients"
MODULES = HERE / "node_modules"
ICP = MODULES / "@icp-sdk" / "icp-cli-linux-x64" / "bin" / "icp"
NODE = shutil.which("node")
GET = "install it with: npm install --prefix tests/devnet/real_clients"

needs_agent = pytest.mark.skipif(
    NODE is None or not (MODULES / "@icp-sdk" / "core").is_dir(), reason=f"Node or its agent is missing; {GET}"
)
needs_icp = pytest.mark.skipif(not ICP.is_file(), reason=f"the icp command is missing; {GET}")


async def run(*command: str, stdin: str = "", **environment: str) -> tuple[int, str]:
    """The exit code and both streams of a program."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=HERE,
        env={**os.environ, **environment},
    )
    try:
        async with asyncio.timeout(60):
            output, _ = await process.communicate(stdin.encode())
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    return process.returncode or 0, output.decode()


async def agent(devnet: Devnet, script: str = "agent.mjs", **changed: str) -> tuple[int, str]:
    shown = devnet.description()
    given = {name: shown[name] for name in ("url", "ledger", "admin", "kind")} | {"rootKey": shown["root_key"]}
    return await run(NODE or "node", script, stdin=json.dumps({**given, **changed}))


@pytest.mark.real
@needs_agent
@pytest.mark.parametrize("delegation", ["mainnet", "none", "flat", "sharded"])
async def test_the_javascript_agent_transfers_and_meets_its_duplicate(start: Start, delegation: str) -> None:
    devnet = await start(delegation=delegation, archive_after=4)
    code, output = await agent(devnet)
    assert code == 0, output
    seen: dict[str, Any] = json.loads(output)
    for at, curve in enumerate(("ed25519", "secp256k1", "p256")):
        block = str(2 * at + 1)
        assert seen[curve] == {
            "block": block,
            "duplicateOf": block,
            "trapped": {"code": 5, "errorCode": "IC0503"},
            "balance": "740000",
            "certifiedBalance": "740000",
            "fee": "10000",
            "blockId": block,
        }
    assert ["icrc1:symbol", "TOK"] in seen["metadata"]
    assert seen["archived"] == [[devnet.description()["archive"], "icrc3_get_blocks", [["0", "2"]]]]
    assert seen["candid"]
    assert seen["rootKey"] == devnet.description()["root_key"]


@pytest.mark.real
@needs_agent
async def test_the_javascript_agent_refuses_another_root_key(start: Start) -> None:
    """Shows that its verification is on."""
    devnet = await start()
    other = another_root_key(devnet)
    code, output = await agent(devnet, rootKey=other)
    assert code != 0
    assert "Invalid signature" in output or "Signature verification failed" in output


def another_root_key(devnet: Devnet) -> str:
    """The root key of another network."""
    return ThresholdKey.from_seed(devnet.network.keys.root.der).der.hex()


@pytest.mark.real
@needs_agent
async def test_the_javascript_agent_gets_its_answer_after_a_lost_one(start: Start) -> None:
    devnet = await start()
    devnet.network.faults.arm("lose_reply")
    devnet.network.faults.arm("delay", 0.5)
    code, output = await agent(devnet)
    assert code == 0, output
    assert json.loads(output)["ed25519"]["block"] == "1"


@pytest.mark.real
@needs_agent
@pytest.mark.parametrize("kind", ["icrc", "icp"])
async def test_the_javascript_clients_allow_take_and_pay_account_ids(start: Start, kind: str) -> None:
    devnet = await start(kind=kind)
    code, output = await agent(devnet, "payments.mjs")
    assert code == 0, output
    seen: dict[str, Any] = json.loads(output)
    icp = seen.pop("icp", None)
    assert seen == {
        "before": ["0", 0],
        "approved": "1",
        "given": ["300000", 1],
        "taken": "2",
        "left": ["190000", 1],
        "tooMuch": "190000",
        "changed": "190000",
        "shop": "100000",
    }
    if kind == "icrc":
        assert icp is None
        return
    assert icp == {
        "height": "3",
        "duplicateOf": "3",
        "balance": "820000",
        "expectedFee": "10000",
        "tooOld": True,
        "certified": "150000",
        "toId": AccountId.of(Account(MANAGEMENT_CANISTER)).text,
    }


class Icp:
    """The `icp` command with an identity of its own in a folder of its own."""

    def __init__(self, devnet: Devnet, home: Path) -> None:
        self.shown = devnet.description()
        self.environment = {"HOME": str(home), "ICP_HOME": str(home / "icp"), "DO_NOT_TRACK": "1"}

    async def run(self, *arguments: str, key: str | None = None) -> tuple[int, str]:
        network = ("-n", self.shown["url"], "-k", key or self.shown["root_key"], "--identity", "tester")
        return await self.bare(*arguments, *network)

    async def bare(self, *arguments: str) -> tuple[int, str]:
        return await run(str(ICP), *arguments, **self.environment)


@pytest.mark.real
@needs_icp
@pytest.mark.parametrize("delegation", ["mainnet", "none"])
async def test_the_icp_command_pays_and_meets_its_duplicate(start: Start, tmp_path: Path, delegation: str) -> None:
    devnet = await start(delegation=delegation)
    icp, ledger = Icp(devnet, tmp_path), devnet.description()["ledger"]
    assert (await icp.bare("identity", "new", "tester", "--storage", "plaintext", "-q"))[0] == 0
    code, output = await icp.bare("identity", "principal", "--identity", "tester")
    assert code == 0, output
    async with httpx.AsyncClient(base_url=devnet.url) as http:
        await http.post("/admin/fund", json={"account": output.strip(), "amount": "500000000"})
        assert "5.00000000 TOK" in (await icp.run("token", ledger, "balance"))[1]
        code, output = await icp.run("token", ledger, "transfer", "1.5", "aaaaa-aa", "--json")
        assert code == 0, output
        assert json.loads(output)["block_index"] == "1"
        assert "3.49990000 TOK" in (await icp.run("token", ledger, "balance"))[1]
        to = 'to = record { owner = principal "aaaaa-aa" }'
        argument = f"(record {{ {to}; amount = 5 : nat; created_at_time = opt ({devnet.network.now()} : nat64) }})"
        first = await icp.run("canister", "call", ledger, "icrc1_transfer", argument)
        assert "Ok = 2" in first[1]
        again = await icp.run("canister", "call", ledger, "icrc1_transfer", argument)
        assert "Duplicate = record { duplicate_of = 2 : nat }" in again[1]
        assert len(await Client(devnet, None, http).blocks()) == 3


@pytest.mark.real
@needs_icp
async def test_the_icp_command_refuses_another_root_key(start: Start, tmp_path: Path) -> None:
    """Shows that its verification is on."""
    devnet = await start()
    icp, ledger = Icp(devnet, tmp_path), devnet.description()["ledger"]
    await icp.bare("identity", "new", "tester", "--storage", "plaintext", "-q")
    code, output = await icp.run("canister", "call", ledger, "icrc1_fee", "()", key=another_root_key(devnet))
    assert code != 0
    assert "ertificate" in output or "ignature" in output
