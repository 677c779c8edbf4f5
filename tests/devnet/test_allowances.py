"""Allowances over the wire: given, changed, used, and listed as ICRC-103 orders them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.devnet.client import FEE, Client, Person
from tests.devnet.conftest import FUNDS
from wallet.core.account import Account
from wallet.core.principal import Principal
from wallet.core.value import Case, Value
from wallet.devnet.allowances import Allowance, Allowances

OWNERS = [Principal(bytes([n])) for n in range(6)]
SUBACCOUNTS = [bytes(31) + bytes([n]) for n in range(6)]


def account(owner: int, subaccount: int) -> Account:
    return Account.of(OWNERS[owner], SUBACCOUNTS[subaccount])


def from_the_standard() -> Allowances:
    """The example of ICRC-103, set out of order."""
    allowances = Allowances()
    pairs = [((1, 2), (5, 5)), ((0, 1), (3, 3)), ((0, 0), (2, 2)), ((1, 1), (4, 4)), ((0, 0), (1, 1))]
    for giver, spender in pairs:
        allowances.set(account(*giver), account(*spender), Allowance(spender[0]))
    return allowances


@pytest.mark.parametrize(
    ("start", "after", "expected"),
    [
        ((0, 0), None, [1, 2, 3]),
        ((0, 0), (1, 1), [2, 3]),
        ((0, 0), (2, 1), [2, 3]),
        ((0, 0), (2, 2), [3]),
        ((0, 1), None, [3]),
        ((0, 2), None, []),
        ((1, 0), None, [4, 5]),
        ((1, 1), (4, 4), [5]),
        ((2, 0), None, []),
    ],
)
def test_the_standards_example(start: tuple[int, int], after: tuple[int, int] | None, expected: list[int]) -> None:
    found = from_the_standard().listed(
        OWNERS[start[0]], account(*start), account(*after) if after is not None else None, now=0
    )
    assert [allowance.amount for _, _, allowance in found] == expected


ACCOUNTS = st.builds(account, st.integers(0, 2), st.integers(0, 2))


@given(st.dictionaries(st.tuples(ACCOUNTS, ACCOUNTS), st.integers(0, 3)), ACCOUNTS, st.integers(1, 4))
def test_pages_put_together_are_all_of_the_owner_from_there_on(
    pairs: dict[tuple[Account, Account], int], start: Account, take: int
) -> None:
    allowances = Allowances()
    for (giver, spender), amount in pairs.items():
        # Of two, one has expired.
        allowances.set(giver, spender, Allowance(amount, expires_at=10 if amount % 2 else 5))
    seen: list[tuple[Account, Account]] = []
    at, after = start, None
    while page := list(allowances.listed(start.owner, at, after, now=7))[:take]:
        seen += [(giver, spender) for giver, spender, _ in page]
        at, after = seen[-1]
    lasting = {pair for pair, amount in pairs.items() if amount % 2}
    own = {
        (giver, spender) for giver, spender in lasting if giver.owner == start.owner and order(giver) >= order(start)
    }
    assert seen == sorted(own, key=lambda pair: (order(pair[0]), order(pair[1])))


def order(of: Account) -> tuple[bytes, bytes]:
    return of.owner.raw, of.subaccount or bytes(32)


def plain(owner: Principal, subaccount: bytes | None = None) -> Value:
    return {"owner": owner, "subaccount": subaccount}


async def given_to(client: Client, spender: int, **fields: Value) -> None:
    approval: Value = {"spender": plain(OWNERS[spender]), "amount": 100 + spender, **fields}
    assert isinstance(await client.run("icrc2_approve", approval), Case)


async def test_what_was_given_is_listed_to_anyone(client: Client, nobody: Client) -> None:
    await given_to(client, 3)
    await given_to(client, 1, expires_at=client.now() + 10**12)
    await given_to(client, 2, expires_at=client.now() + 10**10)
    await given_to(client, 4)
    await given_to(client, 4, amount=0)  # taken back
    await client.arm("clock", 11)
    mine = plain(client.sender)
    listed: Any = await nobody.query("icrc103_get_allowances", {"from_account": mine})
    assert [(entry["to_spender"]["owner"], entry["allowance"]) for entry in listed.value] == [
        (OWNERS[1], 101),
        (OWNERS[3], 103),
    ]
    assert {entry["from_account"]["owner"] for entry in listed.value} == {client.sender}
    first: Any = await client.query("icrc103_get_allowances", {"take": 1})  # the caller's own
    assert first.value == listed.value[:1]
    rest: Any = await client.query(
        "icrc103_get_allowances", {"from_account": mine, "prev_spender": plain(OWNERS[1]), "take": 1 << 80}
    )
    assert rest.value == listed.value[1:]
    assert await nobody.query("icrc103_get_allowances", {}) == Case("Ok", [])


async def test_a_reply_has_at_most_500_allowances(client: Client) -> None:
    allowances = client.devnet.network.ledger.allowances
    for n in range(510):
        allowances.set(Account(client.sender), Account(Principal(n.to_bytes(2, "big"))), Allowance(1))
    listed: Any = await client.query("icrc103_get_allowances", {})
    assert len(listed.value) == 500


async def test_what_is_taken_is_gone_from_the_allowance(client: Client) -> None:
    spender = Client(client.devnet, Person(), client.http)
    approval: dict[str, Value] = {"spender": plain(spender.sender), "amount": 50_000}
    assert await client.run("icrc2_approve", approval) == Case("Ok", 1)
    asked: Value = {"account": plain(client.sender), "spender": plain(spender.sender)}
    assert await client.query("icrc2_allowance", asked) == {"allowance": 50_000, "expires_at": None}
    taken: Value = {"from": plain(client.sender), "to": plain(OWNERS[1]), "amount": 15_000}
    assert await spender.run("icrc2_transfer_from", taken) == Case("Ok", 2)
    assert await client.query("icrc2_allowance", asked) == {"allowance": 50_000 - 15_000 - FEE, "expires_at": None}
    assert await client.balance(client.sender) == FUNDS - 15_000 - 2 * FEE
    assert await client.balance(OWNERS[1]) == 15_000
    stale: Value = {**approval, "expected_allowance": 50_000}
    assert await client.run("icrc2_approve", stale) == Case(
        "Err", Case("AllowanceChanged", {"current_allowance": 25_000})
    )
    await client.run("icrc2_approve", {**approval, "amount": 0, "expected_allowance": 25_000})
    refused = await spender.run("icrc2_transfer_from", taken)
    assert refused == Case("Err", Case("InsufficientAllowance", {"allowance": 0}))
