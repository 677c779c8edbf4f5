"""The ledger as the ICP ledger is: account ids, `transfer` with its own error variant, and no ICRC-3."""

import asyncio
import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.devnet.client import FEE, Client, opened, rejection_of
from tests.devnet.conftest import FUNDS, Funded
from wallet.adapters.ic.network import IcNetwork
from wallet.core.account import Account, AccountId
from wallet.core.errors import BadInput, StoreFault
from wallet.core.ledger_time import DAY, SECOND
from wallet.core.principal import ANONYMOUS, Principal
from wallet.core.value import Case, Value
from wallet.devnet import Devnet, DevnetOptions, serve
from wallet.devnet.blocks import Party, Transaction
from wallet.devnet.ledger import Ledger
from wallet.devnet.requests import Declined, Rules, TransferRequest
from wallet.devnet.settings import ARCHIVE_ID, LEDGER_ID, MINTER

BOB = Account.of(Principal(b"\x0b"), b"\x07" * 32)
TO_BOB = AccountId.of(BOB)
MINTING = AccountId.of(Account(MINTER))


@pytest.fixture
async def icp(funded: Funded) -> Client:
    return await funded(kind="icp")


def payment(**changed: Value) -> dict[str, Value]:
    plain: dict[str, Value] = {"to": TO_BOB.raw, "amount": tokens(1_000), "fee": tokens(FEE), "memo": 0}
    return plain | changed


def tokens(amount: int) -> Value:
    return {"e8s": amount}


def stamp(nanoseconds: int) -> Value:
    return {"timestamp_nanos": nanoseconds}


def account(of: Account) -> Value:
    return {"owner": of.owner, "subaccount": of.subaccount}


async def pay(client: Client, **changed: Value) -> Value:
    return await client.run("transfer", payment(**changed))


async def trap(client: Client, **changed: Value) -> str:
    sent = client.call("transfer", payment(**changed))
    code, message, _ = rejection_of(client.verified(opened(await client.post(sent))["certificate"]), sent.id)
    assert code == 5
    return message


async def test_what_is_paid_to_an_account_id_arrives_in_the_account_behind_it(icp: Client) -> None:
    assert await pay(icp, memo=7, created_at_time=stamp(icp.now())) == Case("Ok", 1)
    assert await icp.query("icrc1_balance_of", account(BOB)) == 1_000
    assert await icp.query("account_balance", {"account": TO_BOB.raw}) == tokens(1_000)
    assert await icp.query("account_identifier", account(BOB)) == TO_BOB.raw
    assert await icp.balance(icp.sender) == FUNDS - 1_000 - FEE
    (_, block) = await icp.blocks()
    mine = AccountId.of(Account(icp.sender))
    assert (block["tx"]["from"], block["tx"]["to"]) == (mine.text, TO_BOB.text)
    assert (block["tx"]["fee"], block["tx"]["memo_number"]) == (str(FEE), "7")


async def test_what_is_paid_by_icrc1_is_found_under_the_account_id(icp: Client) -> None:
    paid: Value = {"to": account(BOB), "amount": 5}
    assert await icp.run("icrc1_transfer", paid) == Case("Ok", 1)
    assert await icp.query("account_balance", {"account": TO_BOB.raw}) == tokens(5)
    assert (await icp.blocks())[1]["tx"]["to"] == TO_BOB.text


async def test_a_subaccount_pays_from_its_own_balance(icp: Client) -> None:
    own = Account(icp.sender, b"\x01" * 32)
    await pay(icp, to=AccountId.of(own).raw, amount=tokens(50_000))
    assert await pay(icp, from_subaccount=b"\x01" * 32) == Case("Ok", 2)
    assert await icp.query("icrc1_balance_of", account(own)) == 50_000 - 1_000 - FEE


async def test_each_case_of_the_error_variant_at_its_edge(icp: Client) -> None:
    now = icp.now()
    assert await pay(icp, fee=tokens(FEE - 1)) == Case("Err", Case("BadFee", {"expected_fee": tokens(FEE)}))
    assert await pay(icp, amount=tokens(FUNDS)) == Case("Err", Case("InsufficientFunds", {"balance": tokens(FUNDS)}))
    old = await pay(icp, created_at_time=stamp(now - DAY - 60 * SECOND))
    assert old == Case("Err", Case("TxTooOld", {"allowed_window_nanos": DAY}))
    future = await pay(icp, created_at_time=stamp(now + 120 * SECOND))
    assert future == Case("Err", Case("TxCreatedInFuture"))
    assert await pay(icp, created_at_time=stamp(now)) == Case("Ok", 1)
    assert await pay(icp, created_at_time=stamp(now)) == Case("Err", Case("TxDuplicate", {"duplicate_of": 1}))
    assert await pay(icp, created_at_time=stamp(now), memo=1) == Case("Ok", 2)
    assert await pay(icp) == Case("Ok", 3)
    assert await pay(icp) == Case("Ok", 4)


async def test_the_ledger_sees_one_transfer_in_both_ways_of_writing_it(icp: Client) -> None:
    """Ids and a fee that is always there: what was left out cannot be told any more."""
    now = icp.now()
    assert await pay(icp, created_at_time=stamp(now)) == Case("Ok", 1)
    same: dict[str, Value] = {"to": account(BOB), "amount": 1_000, "created_at_time": now}
    duplicate = Case("Err", Case("Duplicate", {"duplicate_of": 1}))
    assert await icp.run("icrc1_transfer", same) == duplicate
    assert await icp.run("icrc1_transfer", {**same, "fee": FEE, "from_subaccount": bytes(32)}) == duplicate
    assert await icp.run("icrc1_transfer", {**same, "memo": b""}) == Case("Ok", 2)


@pytest.mark.parametrize(
    "to", [b"", TO_BOB.raw[:-1], TO_BOB.raw + b"\x00", bytes(32), b"\xff" + TO_BOB.raw[1:], MINTER.raw]
)
async def test_a_malformed_account_id_traps(icp: Client, to: bytes) -> None:
    assert "Invalid account identifier" in await trap(icp, to=to)
    answer = await icp.query_raw("account_balance", icp.call("account_balance", {"account": to}).content["arg"])
    assert answer["reject_code"] == 5


async def test_a_burn_takes_no_fee_and_traps_below_its_least(icp: Client) -> None:
    assert "Fee for burning" in await trap(icp, to=MINTING.raw)
    assert "Burns lower than 10000" in await trap(icp, to=MINTING.raw, fee=tokens(0))
    assert await pay(icp, to=MINTING.raw, fee=tokens(0), amount=tokens(20_000)) == Case("Ok", 1)
    assert await icp.query("icrc1_total_supply") == FUNDS - 20_000


async def test_the_anonymous_caller_sends_nothing(icp: Client) -> None:
    nobody = Client(icp.devnet, None, icp.http)
    assert f"Sending from {ANONYMOUS} is not allowed" in await trap(nobody)


async def test_what_it_is_and_what_it_has_not(icp: Client) -> None:
    assert await icp.query("icrc1_symbol") == "ICP"
    assert await icp.query("icrc1_name") == "Internet Computer"
    for method in ("icrc1_supported_standards", "icrc10_supported_standards"):
        standards: Any = await icp.query(method)
        assert {standard["name"] for standard in standards} == {"ICRC-1", "ICRC-2", "ICRC-10"}
    shown = await icp.query("__get_candid_interface_tmp_hack")
    assert isinstance(shown, str)
    assert "transfer : (TransferArgs)" in shown
    assert "icrc3_" not in shown
    for method in ("icrc3_get_blocks", "icrc3_get_tip_certificate", "icrc3_get_archives", "icrc103_get_allowances"):
        answer = await icp.query_raw(method, b"DIDL\x00\x00")
        assert (answer["reject_code"], answer["error_code"]) == (5, "IC0536")
    there = await icp.query_raw("icrc3_get_blocks", b"DIDL\x00\x00", ARCHIVE_ID)
    assert there["error_code"] == "IC0536"
    entries: Any = await icp.query("icrc1_metadata")
    assert not [key for key, _ in entries if key.startswith("icrc103")]


async def test_the_wallets_client_finds_a_ledger_without_a_history(icp: Client) -> None:
    await pay(icp)
    network = IcNetwork("demo", icp.devnet.url, icp.devnet.network.keys.root.der)
    try:
        terms = await network.terms(LEDGER_ID)
        assert (terms.symbol, terms.decimals, terms.standards) == ("ICP", 8, ("ICRC-1", "ICRC-2", "ICRC-10"))
        assert await network.tip(LEDGER_ID) is None
        assert await network.block(LEDGER_ID, 1) is None
        assert await network.allowances(LEDGER_ID, BOB) is None
        assert await network.balance(LEDGER_ID, BOB) == 1_000
        stated = await network.interface(LEDGER_ID)
        assert stated is not None
        assert stated.interface.method("transfer") is not None
    finally:
        await network.close()


async def test_the_other_kind_of_ledger_has_no_account_ids(client: Client) -> None:
    sent = client.call("transfer", arg=b"DIDL\x00\x00")
    certificate = client.verified(opened(await client.post(sent))["certificate"])
    assert rejection_of(certificate, sent.id)[2] == "IC0536"
    assert (await client.query_raw("account_balance", b"DIDL\x00\x00"))["error_code"] == "IC0536"


async def test_allowances_are_kept_by_account_id(icp: Client) -> None:
    spender = Principal(b"\x0c")
    assert await icp.run("icrc2_approve", {"spender": account(Account(spender)), "amount": 500}) == Case("Ok", 1)
    asked: Value = {"account": account(Account(icp.sender)), "spender": account(Account(spender))}
    assert await icp.query("icrc2_allowance", asked) == {"allowance": 500, "expires_at": None}
    assert (await icp.blocks())[1]["tx"]["spender"] == AccountId.of(Account(spender)).text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("TxTooOld", Case("Err", Case("TxTooOld", {"allowed_window_nanos": DAY}))),
        ("TxCreatedInFuture", Case("Err", Case("TxCreatedInFuture"))),
        ("Err.TxDuplicate", Case("Err", Case("TxDuplicate", {"duplicate_of": 0}))),
        ({"TxDuplicate": {"duplicate_of": "7"}}, Case("Err", Case("TxDuplicate", {"duplicate_of": 7}))),
        ("BadFee", Case("Err", Case("BadFee", {"expected_fee": {"e8s": FEE}}))),
        (
            {"BadFee": {"expected_fee": {"e8s": "20000"}}},
            Case("Err", Case("BadFee", {"expected_fee": {"e8s": 20_000}})),
        ),
        ({"BadFee": {"expected_fee": 20_000}}, Case("Err", Case("BadFee", {"expected_fee": {"e8s": 20_000}}))),
        ("InsufficientFunds", Case("Err", Case("InsufficientFunds", {"balance": {"e8s": 0}}))),
        ("Frozen", Case("Err", Case("Frozen"))),
        ({"Ok": "9"}, Case("Ok", 9)),
    ],
)
async def test_result_answers_any_case_of_transfer(icp: Client, value: Any, expected: Case) -> None:
    await icp.arm("result", value)
    assert await pay(icp) == expected
    assert await icp.moved() == 0


async def test_faults_are_about_transfer_as_well(icp: Client) -> None:
    await icp.arm("busy")
    assert "Too many transactions" in await trap(icp)  # its variant has no case for that
    await icp.arm("reject", 2)
    sent = icp.call("transfer", payment())
    certificate = icp.verified(opened(await icp.post(sent))["certificate"])
    assert rejection_of(certificate, sent.id)[0] == 2
    await icp.arm("trap_after_commit")
    now = icp.now()
    assert "failed to archive" in await trap(icp, created_at_time=stamp(now))
    assert await icp.moved() == 1
    assert await pay(icp, created_at_time=stamp(now)) == Case("Err", Case("TxDuplicate", {"duplicate_of": 1}))
    await icp.arm("no_dedup")
    assert await pay(icp, created_at_time=stamp(now)) == Case("Ok", 2)
    await icp.arm("fee", 30_000)
    assert await pay(icp) == Case("Err", Case("BadFee", {"expected_fee": tokens(30_000)}))


async def test_the_chain_is_kept_between_runs_and_is_no_chain_of_the_other_kind(tmp_path: Path) -> None:
    options = DevnetOptions(kind="icp")
    devnet = await serve(options, tmp_path)
    devnet.fund(BOB, 9)
    blocks, root_key = shown(devnet), devnet.description()["root_key"]
    await devnet.close()
    devnet = await serve(options, tmp_path)
    assert (shown(devnet), devnet.description()["root_key"]) == (blocks, root_key)
    assert devnet.network.ledger.balance(TO_BOB) == devnet.network.ledger.balance(BOB) == 9
    await devnet.close()
    with pytest.raises(StoreFault, match="kind icp, not icrc"):
        await serve(DevnetOptions(), tmp_path)
    await (await serve(DevnetOptions(fresh=True), tmp_path)).close()
    with pytest.raises(StoreFault, match="kind icrc, not icp"):
        await serve(options, tmp_path)


def shown(devnet: Devnet) -> list[dict[str, Any]]:
    return [block.as_json() for block in devnet.network.ledger.blocks]


async def test_the_command_line_starts_one_beside_the_other_kind(tmp_path: Path) -> None:
    for flags, kind, symbol in ([], "icrc", "TOK"), (["--icp"], "icp", "ICP"):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "wallet", "devnet", *flags, "--data-dir", str(tmp_path)),
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        async with asyncio.timeout(20):
            told = json.loads(await process.stdout.readline())
        process.kill()
        await process.wait()
        assert (told["kind"], told["symbol"]) == (kind, symbol)


def test_it_has_8_decimals_and_may_be_named() -> None:
    with pytest.raises(BadInput):
        DevnetOptions(kind="icp", decimals=18)
    assert DevnetOptions(kind="icp", symbol="LICP").symbol == "LICP"


ACCOUNTS = st.builds(Account.of, st.sampled_from([Principal(b"\x01"), Principal(b"\x02"), MINTER]))
NAMED = ACCOUNTS.map(lambda of: Party(of.owner, of.subaccount)) | ACCOUNTS.map(AccountId.of)


@given(
    st.lists(
        st.builds(
            TransferRequest,
            sender=ACCOUNTS.map(lambda of: Party(of.owner, of.subaccount)),
            to=NAMED,
            amount=st.integers(0, 200_000),
            memo=st.none() | st.just(b"m"),
            memo_number=st.none() | st.integers(0, 2),
            created_at=st.none() | st.just(DAY),
        ),
        max_size=20,
    )
)
def test_nothing_is_made_or_lost_and_replaying_gives_the_same(requests: list[TransferRequest]) -> None:
    ledger = Ledger(DevnetOptions(kind="icp"))
    ledger.mint(Account(Principal(b"\x01")), 1_000_000, DAY)
    for request in requests:
        with suppress(Declined):
            ledger.transfer(request, Rules(DAY, FEE))
    assert sum(ledger.balances.values()) == ledger.supply
    assert all(isinstance(holder, AccountId) for holder in ledger.balances)
    again = Ledger(ledger.options, ledger.blocks)
    assert (again.balances, again.supply) == (ledger.balances, ledger.supply)
    for block in ledger.blocks:
        assert Transaction.from_json(block.transaction.as_json()) == block.transaction
