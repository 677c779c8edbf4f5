"""Ledgers: terms and blocks by certified calls, fee and balance by query, archives followed."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from tests.ic import maker
from tests.ic.maker import Key
from tests.ic.replica import ARCHIVE, LEDGER, Replica, always, result
from tests.ic.server import serving
from wallet.adapters.ic import cbor
from wallet.adapters.ic.answers import CallRejected
from wallet.adapters.ic.candid import decode
from wallet.adapters.ic.network import IcNetwork
from wallet.adapters.ic.network_time import NetworkTime
from wallet.core.account import Account
from wallet.core.errors import BadInput, NetworkFault, Untrusted
from wallet.core.ledger_time import LedgerTime
from wallet.core.principal import Principal
from wallet.core.tip import Tip
from wallet.core.value import Case, Value

T0 = LedgerTime(1_800_000_000_000_000_000)
OWNER = Principal(b"\x01\x02")
MINTER: Value = {"owner": Principal(b"\x09"), "subaccount": None}
GOOD: dict[str, Value] = {
    "icrc1_name": "Token",
    "icrc1_symbol": "TKN",
    "icrc1_decimals": 8,
    "icrc1_fee": 10_000,
    "icrc1_minting_account": MINTER,
    "icrc1_supported_standards": [{"name": "ICRC-1", "url": "u"}, {"name": "ICRC-3", "url": "v"}],
    "icrc1_metadata": [["icrc1:max_memo_length", Case("Nat", 80)], ["icrc1:fee", Case("Nat", 10_000)]],
}


@asynccontextmanager
async def reaching(replica: Replica, time: NetworkTime | None = None) -> AsyncIterator[IcNetwork]:
    async with serving(replica) as server:
        network = IcNetwork("test", server.url, Key().der, time=time)
        try:
            yield network
        finally:
            await network.close()


def ledger(**changed: Value) -> Replica:
    return Replica(answers={method: always(result(method, value)) for method, value in (GOOD | changed).items()})


async def test_terms_are_read_by_anonymous_updates_each_with_a_nonce() -> None:
    # R34
    replica = ledger()
    async with reaching(replica) as network:
        terms = await network.terms(LEDGER)
    assert (terms.name, terms.symbol, terms.decimals, terms.fee) == ("Token", "TKN", 8, 10_000)
    assert terms.minting_account == Account.of(Principal(b"\x09"))
    assert terms.standards == ("ICRC-1", "ICRC-3")
    assert terms.max_memo_bytes == 80
    calls = [e["content"] for e in replica.envelopes if e["content"]["request_type"] == "call"]
    assert len(calls) == len({call["nonce"] for call in calls}) == 7
    assert {call["sender"] for call in calls} == {b"\x04"}
    assert not [e for e in replica.envelopes if e["content"]["request_type"] == "query"]


async def test_stated_terms_are_read_by_query() -> None:
    replica = ledger(icrc1_minting_account=None, icrc1_metadata=[])
    async with reaching(replica) as network:
        terms = await network.stated_terms(LEDGER)
    assert terms.minting_account is None
    assert terms.max_memo_bytes == 32
    assert {e["content"]["request_type"] for e in replica.envelopes} == {"query"}


@pytest.mark.parametrize(
    "changed",
    [
        {"icrc1_symbol": ""},
        {"icrc1_symbol": "T\x1b[2J"},
        {"icrc1_symbol": "T" * 33},
        {"icrc1_name": "  "},
        {"icrc1_supported_standards": [{"name": "DIP-20", "url": ""}]},
        {"icrc1_minting_account": {"owner": OWNER, "subaccount": b"short"}},
    ],
)
async def test_what_is_no_ledger_is_no_good_input(changed: dict[str, Value]) -> None:
    async with reaching(ledger(**changed)) as network:
        with pytest.raises(BadInput) as bad:
            await network.terms(LEDGER)
        assert bad.value.field == "canister"


async def test_a_canister_of_another_kind_is_no_good_input() -> None:
    replica = ledger()
    replica.answers["icrc1_symbol"] = always((5, "Canister has no update method 'icrc1_symbol'"))
    async with reaching(replica) as network:
        with pytest.raises(BadInput, match="no ICRC-1 ledger"):
            await network.terms(LEDGER)


async def test_a_passing_trouble_is_not_taken_for_another_kind_of_canister() -> None:
    replica = ledger()
    replica.answers["icrc1_symbol"] = always((2, "try again"))
    async with reaching(replica) as network:
        with pytest.raises(CallRejected):
            await network.terms(LEDGER)


async def test_fee_and_balance_come_by_query() -> None:
    replica = ledger()
    asked: list[Value] = []

    def balance(_canister: bytes, argument: bytes) -> bytes:
        asked.extend(decode(argument))
        return result("icrc1_balance_of", 2**70)

    replica.answers["icrc1_balance_of"] = balance
    async with reaching(replica) as network:
        assert await network.fee(LEDGER) == 10_000
        assert await network.balance(LEDGER, Account.of(OWNER, bytes(32))) == 2**70
    assert asked == [{"owner": OWNER, "subaccount": None}]
    assert {e["content"]["request_type"] for e in replica.envelopes} == {"query"}


@pytest.mark.parametrize("reply", [b"", b"DIDL\x00\x00", b"DIDL\x00\x01\x71\x00", b"DIDL\x00\x01\x7c\x7f"])
async def test_an_odd_answer_to_a_query_is_a_fault(reply: bytes) -> None:
    replica = Replica(answers={"icrc1_fee": always(reply)})
    async with reaching(replica) as network:
        with pytest.raises(NetworkFault):
            await network.fee(LEDGER)


def with_tip(index: int, *, forged: bool = False, time_ns: int = T0) -> Replica:
    tree = maker.tree({b"last_block_index": maker.leb128(index), b"last_block_hash": b"\x07" * 32})
    replica = Replica(time_ns=time_ns)
    replica.extra = {b"canister": {LEDGER.raw: {b"certified_data": bytes(32) if forged else maker.digest(tree)}}}
    replica.answers["icrc3_get_tip_certificate"] = always(
        result(
            "icrc3_get_tip_certificate",
            {"certificate": replica.certificate(), "hash_tree": cbor.encode(tree)},
        )
    )
    return replica


async def test_the_tip_proves_itself_and_its_moment() -> None:
    # R25
    async with reaching(with_tip(300)) as network:
        assert await network.tip(LEDGER) == (Tip(300, b"\x07" * 32), T0)


async def test_a_tip_that_was_not_certified_is_untrusted() -> None:
    async with reaching(with_tip(300, forged=True)) as network:
        with pytest.raises(Untrusted):
            await network.tip(LEDGER)


async def test_a_stale_tip_is_untrusted() -> None:
    clock = NetworkTime()
    clock.remember(LedgerTime(T0 + 301 * 10**9))
    async with reaching(with_tip(300), clock) as network:
        with pytest.raises(Untrusted, match="five minutes"):
            await network.tip(LEDGER)


@pytest.mark.parametrize("reply", [result("icrc3_get_tip_certificate", None), (5, "no such method"), (3, "none")])
async def test_a_ledger_without_blocks_or_without_icrc3_has_no_tip(reply: bytes | tuple[int, str]) -> None:
    async with reaching(Replica(answers={"icrc3_get_tip_certificate": always(reply)})) as network:
        assert await network.tip(LEDGER) is None


def block(index: int) -> Value:
    account = Case("Array", [Case("Blob", OWNER.raw)])
    tx: Value = [["op", Case("Text", "mint")], ["to", account], ["amt", Case("Nat", index)]]
    return Case("Map", [["ts", Case("Nat", 5)], ["tx", Case("Map", tx)]])


@dataclass
class Chain:
    """A ledger of so many blocks, the first of them archived."""

    count: int = 250
    archived: int = 120
    archive_is_silent: bool = False
    page: int = 100
    asked: list[tuple[str, range]] = field(default_factory=list)

    def __call__(self, canister: bytes, argument: bytes) -> bytes | tuple[int, str]:
        [wanted] = plain_ranges(argument)
        who = "ledger" if canister == LEDGER.raw else "archive"
        self.asked.append((who, wanted))
        own = range(self.archived, self.count) if who == "ledger" else range(self.archived)
        if who == "archive" and self.archive_is_silent:
            return 2, "silent"
        here = [i for i in wanted if i in own][: self.page]
        away = [i for i in wanted if i < self.archived] if who == "ledger" else []
        listed: Value = []
        if away:
            args: Value = [{"start": away[0], "length": len(away)}]
            listed = [{"args": args, "callback": [ARCHIVE, "icrc3_get_blocks"]}]
        blocks: Value = [{"id": i, "block": block(i)} for i in here]
        reply: Value = {"log_length": self.count, "blocks": blocks, "archived_blocks": listed}
        return result("icrc3_get_blocks", reply)


def plain_ranges(argument: bytes) -> list[range]:
    [value] = decode(argument)
    ranges = []
    for entry in value if isinstance(value, list) else []:
        match entry:
            case {"start": int() as start, "length": int() as length}:
                ranges.append(range(start, start + length))
    return ranges


def serving_chain(chain: Callable[[bytes, bytes], bytes | tuple[int, str]]) -> Replica:
    return Replica(answers={"icrc3_get_blocks": chain})


@pytest.mark.parametrize("certified", [True, False])
@pytest.mark.parametrize("page", [100, 37])
async def test_a_stretch_is_read_across_pages_and_archive(certified: bool, page: int) -> None:
    replica = serving_chain(Chain(page=page))
    async with reaching(replica) as network:
        history = await network.blocks(LEDGER, 100, 150, certified=certified)
    assert history.log_length == 250
    assert history.gaps == ()
    assert history.blocks == {i: block(i) for i in range(100, 250)}
    kinds = {e["content"]["request_type"] for e in replica.envelopes if e["content"]["request_type"] != "read_state"}
    assert kinds == {"call" if certified else "query"}


async def test_a_stretch_past_the_end_stops_there() -> None:
    async with reaching(serving_chain(Chain())) as network:
        history = await network.blocks(LEDGER, 240, 1000, certified=False)
    assert sorted(history.blocks) == list(range(240, 250))


async def test_a_silent_archive_is_named_and_not_guessed_over() -> None:
    async with reaching(serving_chain(Chain(archive_is_silent=True))) as network:
        history = await network.blocks(LEDGER, 110, 20, certified=False)
        assert sorted(history.blocks) == list(range(120, 130))
        assert ARCHIVE.text in history.gaps[0]
        assert await network.block(LEDGER, 110) is None


async def test_one_block_is_read_by_certified_calls_even_from_an_archive() -> None:
    # R20
    replica = serving_chain(Chain())
    async with reaching(replica) as network:
        read = await network.block(LEDGER, 5)
    assert read is not None
    assert (read.index, read.op, read.amount) == (5, "mint", 5)
    assert not [e for e in replica.envelopes if e["content"]["request_type"] == "query"]


@pytest.mark.parametrize(
    "reply",
    [
        (5, "no such method"),
        result("icrc3_get_blocks", {"log_length": 3, "blocks": [], "archived_blocks": []}),
        result(
            "icrc3_get_blocks",
            {"log_length": 9, "blocks": [{"id": 4, "block": block(4)}], "archived_blocks": []},
        ),
        result(
            "icrc3_get_blocks",
            {"log_length": 9, "blocks": [{"id": 5, "block": Case("Text", "no block")}], "archived_blocks": []},
        ),
    ],
)
async def test_a_block_that_cannot_be_had_is_none(reply: bytes | tuple[int, str]) -> None:
    async with reaching(serving_chain(always(reply))) as network:
        assert await network.block(LEDGER, 5) is None
