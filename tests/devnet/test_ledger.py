"""The ledger's rules: every result case, the order of checks, every edge to the nanosecond, and what never changes."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.core.account import Account
from wallet.core.icrc3 import value_hash
from wallet.core.ledger_time import DAY, SECOND
from wallet.core.principal import Principal
from wallet.core.value import Case, Value
from wallet.devnet.allowances import Allowance
from wallet.devnet.blocks import Block, Party, Transaction
from wallet.devnet.ledger import Ledger
from wallet.devnet.requests import ApproveRequest, Declined, Rules, TransferRequest, Trap
from wallet.devnet.settings import MINTER, DevnetOptions

NOW = 1_800_000_000 * SECOND
FEE = 10_000
FUNDS = 1_000_000
ALICE, BOB, CAROL = (Party(Principal(bytes([n]))) for n in (1, 2, 3))
MINTING = Party(MINTER)
RULES = Rules(NOW, FEE)
PLAIN = TransferRequest(ALICE, BOB, 1_000)


@pytest.fixture
def ledger() -> Ledger:
    return funded()


def funded(**options: Any) -> Ledger:
    ledger = Ledger(DevnetOptions(**options))
    ledger.mint(ALICE.account, FUNDS, NOW)
    return ledger


def answer(ledger: Ledger, request: TransferRequest | ApproveRequest, rules: Rules = RULES) -> Case:
    try:
        if isinstance(request, TransferRequest):
            return Case("Ok", ledger.transfer(request, rules))
        return Case("Ok", ledger.approve(request, rules))
    except Declined as declined:
        return declined.case


def at(time: int, **others: Any) -> Rules:
    return replace(RULES, now=time, **others)


def test_a_transfer_moves_the_amount_and_burns_the_fee(ledger: Ledger) -> None:
    assert answer(ledger, PLAIN) == Case("Ok", 1)
    assert ledger.balance(ALICE.account) == FUNDS - 1_000 - FEE
    assert ledger.balance(BOB.account) == 1_000
    assert ledger.supply == FUNDS - FEE


@pytest.mark.parametrize(
    ("change", "rules", "expected"),
    [
        ({"fee": FEE}, {}, Case("Ok", 1)),
        ({"fee": FEE - 1}, {}, Case("BadFee", {"expected_fee": FEE})),
        ({"fee": 0}, {}, Case("BadFee", {"expected_fee": FEE})),
        ({"amount": FUNDS - FEE}, {}, Case("Ok", 1)),
        ({"amount": FUNDS - FEE + 1}, {}, Case("InsufficientFunds", {"balance": FUNDS})),
        ({"amount": 0}, {}, Case("Ok", 1)),
        ({"to": ALICE}, {}, Case("Ok", 1)),
        ({"amount": 1 << 64}, {}, Case("InsufficientFunds", {"balance": FUNDS})),
        ({"memo": bytes(32)}, {}, Case("Ok", 1)),
        ({}, {"busy": True}, Case("TemporarilyUnavailable")),
        ({"created_at": NOW - DAY}, {}, Case("Ok", 1)),
        ({"created_at": NOW - DAY - 1}, {}, Case("TooOld")),
        ({"created_at": NOW + 60 * SECOND}, {}, Case("Ok", 1)),
        ({"created_at": NOW + 60 * SECOND + 1}, {}, Case("CreatedInFuture", {"ledger_time": NOW})),
        ({"created_at": 0}, {}, Case("TooOld")),
        ({"created_at": (1 << 64) - 1}, {}, Case("CreatedInFuture", {"ledger_time": NOW})),
        ({"to": MINTING, "amount": FEE}, {}, Case("Ok", 1)),
        ({"to": MINTING, "amount": FEE, "fee": 0}, {}, Case("Ok", 1)),
        ({"to": MINTING, "amount": FEE, "fee": FEE}, {}, Case("BadFee", {"expected_fee": 0})),
        ({"to": MINTING, "amount": FEE - 1}, {}, Case("BadBurn", {"min_burn_amount": FEE})),
        ({"to": MINTING, "amount": 0}, {}, Case("BadBurn", {"min_burn_amount": FEE})),
        ({"to": Party(MINTER, bytes(32)), "amount": FEE, "fee": 0}, {}, Case("Ok", 1)),
        ({"to": Party(MINTER, b"\x01" * 32), "amount": 5}, {}, Case("Ok", 1)),
        ({"sender": MINTING, "fee": 0}, {}, Case("Ok", 1)),
        ({"sender": MINTING, "fee": FEE}, {}, Case("BadFee", {"expected_fee": 0})),
    ],
)
def test_each_case_and_edge_of_a_transfer(
    ledger: Ledger, change: dict[str, Any], rules: dict[str, Any], expected: Case
) -> None:
    assert answer(ledger, replace(PLAIN, **change), replace(RULES, **rules)) == expected


def test_a_memo_of_33_bytes_traps(ledger: Ledger) -> None:
    with pytest.raises(Trap, match="33 bytes"):
        ledger.transfer(replace(PLAIN, memo=bytes(33), fee=1), RULES)


def test_the_checks_come_in_the_observed_order(ledger: Ledger) -> None:
    """Each request has every later fault as well; mended one by one, the next check answers."""
    sent = replace(PLAIN, fee=FEE, created_at=NOW)
    assert answer(ledger, sent) == Case("Ok", 1)
    ledger.transfer(TransferRequest(ALICE, CAROL, ledger.balance(ALICE.account) - FEE), RULES)
    old = at(NOW + DAY + 1)
    with pytest.raises(Trap):
        ledger.transfer(replace(sent, memo=bytes(40), fee=1), replace(old, busy=True))
    assert answer(ledger, replace(sent, fee=1), replace(old, busy=True)).tag == "BadFee"
    assert answer(ledger, sent, replace(old, busy=True)).tag == "TemporarilyUnavailable"
    assert answer(ledger, sent, old).tag == "TooOld"
    assert answer(ledger, sent, at(NOW - 61 * SECOND)).tag == "CreatedInFuture"
    # The money is gone, and it is a duplicate all the same.
    assert answer(ledger, sent) == Case("Duplicate", {"duplicate_of": 1})
    assert answer(ledger, replace(sent, amount=1_001)).tag == "InsufficientFunds"


def test_a_ledger_that_looks_for_funds_first_hides_the_duplicate(ledger: Ledger) -> None:
    sent = replace(PLAIN, amount=FUNDS - FEE, created_at=NOW)
    assert answer(ledger, sent) == Case("Ok", 1)
    assert answer(ledger, sent, at(NOW, funds_first=True)) == Case("InsufficientFunds", {"balance": 0})


def test_a_ledger_without_dedup_moves_the_money_again(ledger: Ledger) -> None:
    sent = replace(PLAIN, created_at=NOW)
    assert answer(ledger, sent) == Case("Ok", 1)
    assert answer(ledger, sent, at(NOW, dedup=False)) == Case("Ok", 2)
    assert answer(ledger, sent) == Case("Duplicate", {"duplicate_of": 1})


STAMPED = replace(PLAIN, created_at=NOW)


@pytest.mark.parametrize(
    "change",
    [
        {"fee": FEE},
        {"memo": b""},
        {"amount": 1_001},
        {"created_at": NOW + 1},
        {"to": Party(BOB.owner, bytes(32))},
        {"sender": Party(ALICE.owner, bytes(32))},
        {"spender": ALICE},
    ],
)
def test_anything_that_is_not_identical_is_another_transfer(ledger: Ledger, change: dict[str, Any]) -> None:
    assert answer(ledger, STAMPED) == Case("Ok", 1)
    assert answer(ledger, replace(STAMPED, **change)) == Case("Ok", 2)
    assert answer(ledger, STAMPED) == Case("Duplicate", {"duplicate_of": 1})


def test_without_a_stamp_nothing_is_a_duplicate(ledger: Ledger) -> None:
    assert [answer(ledger, PLAIN) for _ in range(3)] == [Case("Ok", n) for n in (1, 2, 3)]


@pytest.mark.parametrize(("later", "tag"), [(DAY, "Duplicate"), (DAY + 1, "TooOld")])
def test_a_repeat_is_known_until_the_window_closes(ledger: Ledger, later: int, tag: str) -> None:
    assert answer(ledger, STAMPED) == Case("Ok", 1)
    assert answer(ledger, STAMPED, at(NOW + later)).tag == tag


def test_the_window_is_an_option() -> None:
    ledger = funded(window_s=60)
    assert answer(ledger, STAMPED, at(NOW + 60 * SECOND)).tag == "Ok"
    assert answer(ledger, replace(STAMPED, memo=b"1"), at(NOW + 60 * SECOND + 1)).tag == "TooOld"


def test_a_token_of_18_decimals_counts_beyond_64_bits() -> None:
    ledger = Ledger(DevnetOptions(decimals=18))
    ledger.mint(ALICE.account, 10**30, NOW)
    assert answer(ledger, replace(PLAIN, amount=10**25)) == Case("Ok", 1)


APPROVAL = ApproveRequest(ALICE, BOB, 50_000)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, Case("Ok", 1)),
        ({"fee": 1}, Case("BadFee", {"expected_fee": FEE})),
        ({"expected_allowance": 0}, Case("Ok", 1)),
        ({"expected_allowance": 1}, Case("AllowanceChanged", {"current_allowance": 0})),
        ({"expected_allowance": 1 << 70}, Case("AllowanceChanged", {"current_allowance": 0})),
        ({"expires_at": NOW}, Case("Expired", {"ledger_time": NOW})),
        ({"expires_at": NOW + 1}, Case("Ok", 1)),
        ({"created_at": NOW - DAY - 1}, Case("TooOld")),
        ({"sender": CAROL}, Case("InsufficientFunds", {"balance": 0})),
    ],
)
def test_each_case_of_an_approval(ledger: Ledger, change: dict[str, Any], expected: Case) -> None:
    assert answer(ledger, replace(APPROVAL, **change)) == expected


def test_approving_oneself_traps(ledger: Ledger) -> None:
    with pytest.raises(Trap, match="self approval"):
        ledger.approve(replace(APPROVAL, spender=Party(ALICE.owner, b"\x01" * 32)), RULES)


def test_an_allowance_beyond_64_bits_is_kept_as_the_largest(ledger: Ledger) -> None:
    ledger.approve(replace(APPROVAL, amount=1 << 64), RULES)
    assert ledger.allowances.get(ALICE.account, BOB.account, NOW).amount == (1 << 64) - 1


def test_an_approval_takes_the_fee_and_sets_what_was_there_before(ledger: Ledger) -> None:
    assert answer(ledger, replace(APPROVAL, expires_at=NOW + 9)) == Case("Ok", 1)
    assert answer(ledger, replace(APPROVAL, amount=7)) == Case("Ok", 2)
    assert ledger.balance(ALICE.account) == FUNDS - 2 * FEE
    assert ledger.allowances.get(ALICE.account, BOB.account, NOW) == Allowance(7)
    assert answer(ledger, replace(APPROVAL, amount=0, expected_allowance=7)) == Case("Ok", 3)
    assert ledger.allowances.get(ALICE.account, BOB.account, NOW) == Allowance(0)


def test_an_allowance_counts_until_its_last_nanosecond_and_then_as_none(ledger: Ledger) -> None:
    assert answer(ledger, replace(APPROVAL, expires_at=NOW + 5)) == Case("Ok", 1)
    assert ledger.allowances.get(ALICE.account, BOB.account, NOW + 4) == Allowance(50_000, NOW + 5)
    assert ledger.allowances.get(ALICE.account, BOB.account, NOW + 5) == Allowance()
    changed = replace(APPROVAL, expected_allowance=50_000)
    assert answer(ledger, changed, at(NOW + 5)) == Case("AllowanceChanged", {"current_allowance": 0})
    assert answer(ledger, replace(APPROVAL, expected_allowance=0), at(NOW + 5)) == Case("Ok", 2)


@pytest.mark.parametrize(
    "change",
    [
        {"fee": FEE},
        {"memo": b""},
        {"amount": 50_001},
        {"expires_at": NOW + 1},
        {"expected_allowance": 50_000},
        {"spender": CAROL},
        {"spender": Party(BOB.owner, bytes(32))},
        {"sender": Party(ALICE.owner, bytes(32))},
        {"created_at": NOW + 1},
    ],
)
def test_an_approval_is_a_duplicate_of_an_identical_one_only(ledger: Ledger, change: dict[str, Any]) -> None:
    stamped = replace(APPROVAL, created_at=NOW)
    assert answer(ledger, stamped) == Case("Ok", 1)
    assert answer(ledger, stamped) == Case("Duplicate", {"duplicate_of": 1})
    assert answer(ledger, replace(stamped, **change)) == Case("Ok", 2)


def test_an_approvals_checks_come_in_the_observed_order(ledger: Ledger) -> None:
    """The repeat is known before what has changed since is looked at: the money, the expiry, the allowance."""
    sent = replace(APPROVAL, expected_allowance=0, expires_at=NOW + 5, created_at=NOW)
    assert answer(ledger, sent) == Case("Ok", 1)
    ledger.transfer(TransferRequest(ALICE, CAROL, ledger.balance(ALICE.account) - FEE), RULES)
    old = at(NOW + DAY + 1)
    assert answer(ledger, replace(sent, fee=1), replace(old, busy=True)).tag == "BadFee"
    assert answer(ledger, sent, replace(old, busy=True)).tag == "TemporarilyUnavailable"
    assert answer(ledger, sent, old).tag == "TooOld"
    assert answer(ledger, sent, at(NOW - 61 * SECOND)).tag == "CreatedInFuture"
    assert answer(ledger, sent, at(NOW + 9)) == Case("Duplicate", {"duplicate_of": 1})
    other = replace(sent, memo=b"other")
    assert answer(ledger, other, at(NOW + 9)) == Case("InsufficientFunds", {"balance": 0})
    ledger.mint(ALICE.account, FUNDS, NOW)
    assert answer(ledger, other, at(NOW + 9)) == Case("Expired", {"ledger_time": NOW + 9})
    assert answer(ledger, other) == Case("AllowanceChanged", {"current_allowance": 50_000})


def test_the_minting_account_allows_nothing(ledger: Ledger) -> None:
    with pytest.raises(Trap, match="cannot delegate mints"):
        ledger.approve(replace(APPROVAL, sender=MINTING), RULES)
    with pytest.raises(Trap, match="cannot delegate mints"):
        ledger.transfer(TransferRequest(MINTING, BOB, 1, spender=ALICE), RULES)


def test_what_a_spender_takes_is_used_up_and_the_expiry_stays(ledger: Ledger) -> None:
    ledger.approve(replace(APPROVAL, expires_at=NOW + 5), RULES)
    taken = replace(PLAIN, spender=BOB, to=CAROL, created_at=NOW)
    assert answer(ledger, taken) == Case("Ok", 2)
    assert ledger.allowances.get(ALICE.account, BOB.account, NOW) == Allowance(50_000 - 1_000 - FEE, NOW + 5)
    assert answer(ledger, taken) == Case("Duplicate", {"duplicate_of": 2})
    assert ledger.balance(CAROL.account) == 1_000
    # Not transitive, and of the very account only.
    assert answer(ledger, replace(taken, spender=CAROL)).tag == "InsufficientAllowance"
    assert answer(ledger, replace(taken, spender=Party(BOB.owner, b"\x01" * 32))).tag == "InsufficientAllowance"
    assert answer(ledger, replace(taken, sender=Party(ALICE.owner, b"\x01" * 32))).tag == "InsufficientAllowance"


def test_an_allowance_is_no_money_and_stays_whole_where_that_is_missing(ledger: Ledger) -> None:
    ledger.approve(replace(APPROVAL, amount=10 * FUNDS), RULES)
    taken = replace(PLAIN, spender=BOB, to=CAROL, amount=FUNDS)
    assert answer(ledger, taken) == Case("InsufficientFunds", {"balance": FUNDS - FEE})
    assert ledger.allowances.get(ALICE.account, BOB.account, NOW).amount == 10 * FUNDS


def test_a_spender_may_burn_and_it_costs_the_amount_alone(ledger: Ledger) -> None:
    ledger.approve(APPROVAL, RULES)
    assert answer(ledger, replace(PLAIN, spender=BOB, to=MINTING, amount=20_000)) == Case("Ok", 2)
    assert ledger.allowances.get(ALICE.account, BOB.account, NOW).amount == 30_000
    assert ledger.supply == FUNDS - FEE - 20_000


def test_a_spender_needs_amount_and_fee_and_the_owner_needs_nothing(ledger: Ledger) -> None:
    ledger.approve(replace(APPROVAL, amount=11_000, expires_at=NOW + 5), RULES)
    taken = replace(PLAIN, spender=BOB, to=CAROL)
    assert answer(ledger, replace(taken, amount=1_001)) == Case("InsufficientAllowance", {"allowance": 11_000})
    assert answer(ledger, taken, at(NOW + 5)) == Case("InsufficientAllowance", {"allowance": 0})
    assert answer(ledger, taken) == Case("Ok", 2)
    assert answer(ledger, taken) == Case("InsufficientAllowance", {"allowance": 0})
    assert answer(ledger, replace(taken, spender=ALICE)) == Case("Ok", 3)


def test_blocks_have_the_reference_form(ledger: Ledger) -> None:
    ledger.transfer(replace(PLAIN, memo=b"m", created_at=NOW), RULES)
    ledger.transfer(replace(PLAIN, fee=FEE, spender=ALICE), RULES)
    ledger.transfer(replace(PLAIN, to=MINTING, amount=FEE, fee=0), RULES)
    ledger.approve(APPROVAL, RULES)
    shown = [plain(block.value) for block in ledger.blocks]
    assert all(isinstance(block, dict) and "btype" not in block for block in shown)
    mint, xfer, from_, burn, approve = shown
    assert mint == {"ts": NOW, "tx": {"op": "mint", "to": [b"\x01"], "amt": FUNDS}}
    assert xfer["tx"] == {"op": "xfer", "from": [b"\x01"], "to": [b"\x02"], "amt": 1_000, "memo": b"m", "ts": NOW}
    assert (xfer["fee"], xfer["phash"]) == (FEE, ledger.blocks[0].hash)
    assert "fee" not in from_
    assert (from_["tx"]["fee"], from_["tx"]["spender"]) == (FEE, [b"\x01"])
    assert burn["tx"] == {"op": "burn", "from": [b"\x01"], "amt": FEE}
    assert "fee" not in burn
    assert (approve["fee"], approve["tx"]["spender"]) == (FEE, [b"\x02"])


def test_newer_ledgers_name_the_kind_of_block() -> None:
    ledger = funded(blocks="typed")
    ledger.transfer(PLAIN, RULES)
    ledger.transfer(replace(PLAIN, spender=ALICE), RULES)
    ledger.approve(APPROVAL, RULES)
    assert [plain(block.value)["btype"] for block in ledger.blocks] == ["1mint", "1xfer", "2xfer", "2approve"]


def plain(value: Value) -> Any:
    match value:
        case Case("Map", list() as pairs):
            return {pair[0]: plain(pair[1]) for pair in pairs if isinstance(pair, list)}
        case Case("Array", list() as items):
            return [plain(item) for item in items]
        case Case(_, content):
            return content
    raise AssertionError(value)


PARTIES = st.sampled_from([ALICE, BOB, CAROL, MINTING, Party(BOB.owner, bytes(32)), Party(BOB.owner, b"\x05" * 32)])
TRANSFERS = st.builds(
    TransferRequest,
    sender=PARTIES,
    to=PARTIES,
    amount=st.integers(0, 2 * FUNDS),
    spender=st.none() | PARTIES,
    fee=st.sampled_from([None, None, FEE, 0]),
    memo=st.sampled_from([None, b"", b"memo"]),
    created_at=st.sampled_from([None, NOW, NOW + 1]),
)
APPROVALS = st.builds(
    ApproveRequest,
    sender=PARTIES,
    spender=PARTIES,
    amount=st.integers(0, 2 * FUNDS),
    expires_at=st.sampled_from([None, NOW + 3, NOW + 100]),
    created_at=st.sampled_from([None, NOW]),
)


@given(st.lists(TRANSFERS | APPROVALS, max_size=25))
def test_nothing_is_made_or_lost_and_the_chain_holds(requests: list[TransferRequest | ApproveRequest]) -> None:
    ledger = funded(archive_after=5)
    seen: dict[Transaction, int] = {}
    for step, request in enumerate(requests):
        before, length = dict(ledger.balances), len(ledger.blocks)
        try:
            result = answer(ledger, request, at(NOW + step))
        except Trap:
            result = Case("Trap")
        if result.tag != "Ok":
            assert (ledger.balances, len(ledger.blocks)) == (before, length)
        else:
            made = ledger.blocks[-1].transaction
            assert made.created_at is None or made not in seen
            seen[made] = length
        if result.tag == "Duplicate" and isinstance(result.value, dict):
            repeated = result.value["duplicate_of"]
            assert isinstance(repeated, int)
            assert ledger.blocks[repeated].transaction in seen
    assert sum(ledger.balances.values()) == ledger.supply == expected_supply(ledger.blocks)
    assert all(balance > 0 for balance in ledger.balances.values())
    for block, following in zip(ledger.blocks, ledger.blocks[1:], strict=False):
        assert following.parent == block.hash == value_hash(block.value)
        assert following.timestamp >= block.timestamp
    again = Ledger(ledger.options, ledger.blocks)
    assert (again.balances, again.supply, again.archived) == (ledger.balances, ledger.supply, ledger.archived)
    everyone = [party.account for party in (ALICE, BOB, CAROL)]
    for account, spender in ((a, b) for a in everyone for b in everyone):
        held = ledger.allowances.get(account, spender, NOW)
        assert again.allowances.get(account, spender, NOW) == held


def expected_supply(blocks: list[Block]) -> int:
    supply = 0
    for block in blocks:
        supply -= block.charged
        supply += block.transaction.amount if block.transaction.operation == "mint" else 0
        supply -= block.transaction.amount if block.transaction.operation == "burn" else 0
    return supply


@given(TRANSFERS | APPROVALS)
def test_a_transaction_survives_being_stored(request: TransferRequest | ApproveRequest) -> None:
    ledger = funded()
    ledger.mint(BOB.account, FUNDS, NOW)
    try:
        answer(ledger, request)
    except Trap:
        return
    for block in ledger.blocks:
        assert Transaction.from_json(block.transaction.as_json()) == block.transaction


def test_older_blocks_go_to_the_archive_by_halves() -> None:
    ledger = Ledger(DevnetOptions(archive_after=10))
    kept = []
    for amount in range(1, 30):
        ledger.mint(Account(BOB.owner), amount, NOW)
        kept.append(len(ledger.blocks) - ledger.archived)
    assert max(kept) == 10
    assert ledger.archived == 20
