"""Allowances: one by query, and all that an account has given, page by page, only its own (ICRC-2, ICRC-103)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.ic.maker import Key
from tests.ic.replica import LEDGER, Replica, always, result
from tests.ic.server import serving
from wallet.adapters.ic.answers import CallRejected
from wallet.adapters.ic.candid import decode
from wallet.adapters.ic.network import IcNetwork, fetch_root_key
from wallet.core.account import Account
from wallet.core.errors import NetworkFault
from wallet.core.ledger_time import LedgerTime
from wallet.core.principal import Principal
from wallet.core.value import Case, Value
from wallet.devnet import DevnetOptions, serve
from wallet.devnet.allowances import Allowance as Given
from wallet.devnet.settings import LEDGER_ID as DEVNET
from wallet.ports import Allowance

OWNER = Account(Principal(b"\x01\x02"))
OTHER = Account(OWNER.owner, b"\x01" * 32)
STANDARDS: Value = [{"name": name, "url": "u"} for name in ("ICRC-1", "ICRC-2", "ICRC-103")]


def named(account: Account) -> Value:
    return {"owner": account.owner, "subaccount": account.subaccount}


def spender(n: int) -> Account:
    return Account(Principal(n.to_bytes(3, "big")))


@asynccontextmanager
async def reaching(replica: Replica) -> AsyncIterator[IcNetwork]:
    async with serving(replica) as server:
        network = IcNetwork("test", server.url, Key().der)
        try:
            yield network
        finally:
            await network.close()


def entry(giver: Account, n: int) -> Value:
    expires_at = 7 if n % 2 else None
    return {"from_account": named(giver), "to_spender": named(spender(n)), "allowance": n, "expires_at": expires_at}


@dataclass
class Lister:
    """A ledger whose owner gave so many allowances, and which goes on into the owner's next account."""

    count: int
    page: int = 100
    ends_with_a_page: bool = False
    asked: list[dict[str, Value]] = field(default_factory=list)

    def __call__(self, _canister: bytes, argument: bytes) -> bytes:
        (record,) = decode(argument)
        assert isinstance(record, dict)
        self.asked.append(record)
        match record["prev_spender"]:
            case {"owner": Principal(raw=raw)}:
                start = int.from_bytes(raw, "big") + 1
            case _:
                start = 0
        own = [entry(OWNER, n) for n in range(start, min(self.count, start + self.page))]
        rest = [] if self.ends_with_a_page else [entry(OTHER, n) for n in range(3)]
        return result("icrc103_get_allowances", Case("Ok", [*own, *rest][: self.page]))


def listing(answer: object, standards: Value = STANDARDS, metadata: Value = None) -> Replica:
    assert callable(answer)
    return Replica(
        answers={
            "icrc1_supported_standards": always(result("icrc1_supported_standards", standards)),
            "icrc1_metadata": always(result("icrc1_metadata", metadata or [])),
            "icrc103_get_allowances": answer,
        }
    )


@pytest.mark.parametrize("expires_at", [None, 1_800_000_000_000_000_000])
async def test_one_allowance_comes_by_query(expires_at: int | None) -> None:
    asked: list[Value] = []

    def answer(_canister: bytes, argument: bytes) -> bytes:
        asked.extend(decode(argument))
        return result("icrc2_allowance", {"allowance": 2**70, "expires_at": expires_at})

    async with reaching(Replica(answers={"icrc2_allowance": answer})) as network:
        found = await network.allowance(LEDGER, OTHER, spender(1))
    assert found == Allowance(spender(1), 2**70, None if expires_at is None else LedgerTime(expires_at))
    assert asked == [{"account": named(OTHER), "spender": named(spender(1))}]


async def test_a_ledger_without_icrc2_rejects_the_question() -> None:
    async with reaching(Replica(answers={"icrc2_allowance": always((5, "no such method"))})) as network:
        with pytest.raises(CallRejected):
            await network.allowance(LEDGER, OWNER, OTHER)


@pytest.mark.parametrize(
    "reply", [result("icrc1_fee", 7), result("icrc1_name", "x"), result("icrc1_minting_account", None)]
)
async def test_an_odd_answer_about_an_allowance_is_a_fault(reply: bytes) -> None:
    async with reaching(Replica(answers={"icrc2_allowance": always(reply)})) as network:
        with pytest.raises(NetworkFault):
            await network.allowance(LEDGER, OWNER, OTHER)


@pytest.mark.parametrize("count", [0, 1, 99, 100, 101, 230])
@pytest.mark.parametrize("page", [7, 100])
@pytest.mark.parametrize("ends_with_a_page", [True, False])
async def test_all_that_the_account_gave_are_listed_and_nobody_elses(
    count: int, page: int, ends_with_a_page: bool
) -> None:
    lister = Lister(count, page, ends_with_a_page)
    async with reaching(listing(lister)) as network:
        found = await network.allowances(LEDGER, OWNER)
    assert found is not None
    assert [each.amount for each in found] == list(range(count))
    assert [each.spender for each in found] == [spender(n) for n in range(count)]
    assert {each.expires_at for each in found} <= {None, LedgerTime(7)}
    assert all(asked["from_account"] == named(OWNER) for asked in lister.asked)
    assert len(lister.asked) <= count // page + 2


@pytest.mark.parametrize(
    ("answer", "standards", "metadata"),
    [
        (Lister(3), [{"name": "ICRC-1", "url": "u"}], []),
        (Lister(3), STANDARDS, [["icrc103:public_allowances", Case("Text", "false")]]),
        (
            always(result("icrc103_get_allowances", Case("Err", Case("AccessDenied", {"reason": "not yours"})))),
            STANDARDS,
            [["icrc103:public_allowances", Case("Text", "true")]],
        ),
    ],
)
async def test_where_the_ledger_lists_none_there_is_no_list(answer: object, standards: Value, metadata: Value) -> None:
    async with reaching(listing(answer, standards, metadata)) as network:
        assert await network.allowances(LEDGER, OWNER) is None


WRONG: Value = {"owner": OWNER.owner, "subaccount": b"short"}


@pytest.mark.parametrize(
    "reply",
    [
        result("icrc1_fee", 7),
        result("icrc103_get_allowances", Case("Err", Case("GenericError", {"error_code": 1, "message": "no"}))),
        result(
            "icrc103_get_allowances",
            Case("Ok", [{"from_account": WRONG, "to_spender": WRONG, "allowance": 1, "expires_at": None}]),
        ),
    ],
)
async def test_a_list_that_cannot_be_read_is_a_fault(reply: bytes) -> None:
    async with reaching(listing(always(reply))) as network:
        with pytest.raises(NetworkFault):
            await network.allowances(LEDGER, OWNER)


async def test_a_list_that_repeats_itself_is_a_fault() -> None:
    page = result("icrc103_get_allowances", Case("Ok", [entry(OWNER, 1), entry(OWNER, 2)]))
    async with reaching(listing(always(page))) as network:
        with pytest.raises(NetworkFault, match="twice"):
            await network.allowances(LEDGER, OWNER)


async def test_a_list_without_an_end_is_not_followed_for_ever() -> None:
    lister = Lister(1 << 20)
    async with reaching(listing(lister)) as network:
        with pytest.raises(NetworkFault, match="more than 2000"):
            await network.allowances(LEDGER, OWNER)
    assert len(lister.asked) == 21


async def test_what_was_allowed_is_read_one_by_one_and_all_together(tmp_path: Path) -> None:
    """More than one page, and another account of the same owner behind it."""
    devnet = await serve(DevnetOptions(), tmp_path)
    network = IcNetwork("demo", devnet.url, await fetch_root_key(devnet.url))
    try:
        allowances = devnet.network.ledger.allowances
        spenders = [Account(Principal(n.to_bytes(2, "big"))) for n in range(230)]
        for n, spender in enumerate(spenders):
            allowances.set(OWNER, spender, Given(n + 1, expires_at=(1 << 63) + n if n % 2 else None))
        allowances.set(OTHER, spenders[0], Given(7))
        found = await network.allowances(DEVNET, OWNER)
        assert found is not None
        assert [each.spender for each in found] == spenders
        assert found[1] == await network.allowance(DEVNET, OWNER, spenders[1])
        assert found[1] == Allowance(spenders[1], 2, LedgerTime((1 << 63) + 1))
        assert await network.allowances(DEVNET, OTHER) == [Allowance(spenders[0], 7)]
        assert await network.allowance(DEVNET, OTHER, spenders[1]) == Allowance(spenders[1], 0)
    finally:
        await network.close()
        await devnet.close()
