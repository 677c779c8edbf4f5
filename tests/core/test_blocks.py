"""Blocks of both forms are read, none crashes the reader, and only one equal in every field is the transfer."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.core.account import Account, AccountId
from wallet.core.amount import Base
from wallet.core.blocks import (
    FieldDifference,
    LedgerBlock,
    Likeness,
    MalformedBlock,
    WantedBlock,
    compare,
    likeness,
    read_block,
)
from wallet.core.ledger_time import LedgerTime
from wallet.core.principal import Principal
from wallet.core.value import Case, Value

ALICE = Account.of(Principal(b"\x01" * 29))
BOB = Account.of(Principal(b"\x02" * 29), bytes(31) + b"\x07")
MINTER = Account.of(Principal(b"\x03" * 10))
PARENT = b"\x09" * 32
WANTED = WantedBlock.transfer(ALICE, BOB, Base(150), Base(10), b"gift", LedgerTime(1000), MINTER)


def nat(number: int) -> Value:
    return Case("Nat", number)


def value_of(account: Account, spelt_out: bool = False) -> Value:
    parts: list[Value] = [Case("Blob", account.owner.raw)]
    if account.subaccount is not None or spelt_out:
        parts.append(Case("Blob", account.subaccount or bytes(32)))
    return Case("Array", parts)


def map_of(**fields: Value) -> Value:
    return Case("Map", [[name.rstrip("_"), value] for name, value in fields.items() if value is not None])


def transfer_tx(**changes: Value) -> Value:
    fields: dict[str, Value] = {
        "op": Case("Text", "xfer"),
        "from_": value_of(ALICE),
        "to": value_of(BOB),
        "amt": nat(150),
        "fee": nat(10),
        "memo": Case("Blob", b"gift"),
        "ts": nat(1000),
    }
    return map_of(**(fields | changes))


def transfer_block(btype: str | None = None, /, **changes: Value) -> Value:
    return map_of(
        btype=None if btype is None else Case("Text", btype),
        phash=Case("Blob", PARENT),
        ts=nat(2000),
        tx=transfer_tx(**changes),
    )


# Reading


@pytest.mark.parametrize(
    "value",
    [transfer_block(), transfer_block("1xfer"), transfer_block("1xfer", op=None), transfer_block("2xfer")],
    ids=["by tx.op", "both", "by btype", "transfer_from"],
)
def test_both_forms_of_a_transfer_read_alike(value: Value) -> None:
    assert read_block(5, value) == LedgerBlock(
        index=5,
        op="transfer",
        sender=ALICE,
        recipient=BOB,
        spender=None,
        amount=Base(150),
        fee=Base(10),
        caller_fee=Base(10),
        memo=b"gift",
        stamp=LedgerTime(1000),
        expires_at=None,
        timestamp=LedgerTime(2000),
        parent_hash=PARENT,
        raw=value,
    )


def test_a_fee_the_caller_left_out_is_charged_and_not_the_callers() -> None:
    block = read_block(5, map_of(ts=nat(1), fee=nat(10), tx=transfer_tx(fee=None)))
    assert (block.fee, block.caller_fee) == (10, None)


def test_block_zero_has_no_parent() -> None:
    assert read_block(0, map_of(ts=nat(1), tx=transfer_tx())).parent_hash is None


@pytest.mark.parametrize(("btype", "op"), [(None, "mint"), ("1mint", None), ("2mint", "mint")])
def test_a_mint_has_no_sender(btype: str | None, op: str | None) -> None:
    block = read_block(0, transfer_block(btype, op=op and Case("Text", op), from_=None, fee=None))
    assert (block.op, block.sender, block.recipient, block.caller_fee) == ("mint", None, BOB, None)


@pytest.mark.parametrize(("btype", "op"), [(None, "burn"), ("1burn", None)])
def test_a_burn_has_no_recipient(btype: str | None, op: str | None) -> None:
    block = read_block(0, transfer_block(btype, op=op and Case("Text", op), to=None))
    assert (block.op, block.sender, block.recipient) == ("burn", ALICE, None)


@pytest.mark.parametrize(("btype", "op"), [(None, "approve"), ("2approve", None)])
def test_an_approval_names_its_spender(btype: str | None, op: str | None) -> None:
    value = transfer_block(btype, op=op and Case("Text", op), to=None, spender=value_of(BOB))
    assert (read_block(0, value).op, read_block(0, value).spender) == ("approve", BOB)


def test_a_subaccount_of_zeros_is_absent() -> None:  # R10
    assert read_block(0, transfer_block(from_=value_of(ALICE, spelt_out=True))).sender == ALICE


def test_a_block_of_another_kind_is_read_as_far_as_it_goes() -> None:
    block = read_block(3, map_of(btype=Case("Text", "107feecol"), ts=nat(9), tx=map_of(to=value_of(BOB), amt=nat(1))))
    assert (block.op, block.recipient, block.amount, block.is_known) == ("107feecol", BOB, 1, False)
    odd = map_of(
        btype=Case("Text", "x"), ts=nat(9), tx=map_of(to=Case("Text", "bob"), memo=nat(1), amt=Case("Int", -1))
    )
    assert (read_block(3, odd).recipient, read_block(3, odd).memo, read_block(3, odd).amount) == (None, None, None)
    assert read_block(3, map_of(btype=Case("Text", "x"), ts=nat(9))).op == "x"


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (None, "the block is no Map"),
        ([], "the block is no Map"),
        (Case("Array", []), "the block is no Map"),
        (Case("Map", {"ts": 1}), "the block is no Map"),
        (Case("Map", [["ts"]]), "no pair of a text and a Value"),
        (Case("Map", [[1, nat(1)]]), "no pair of a text and a Value"),
        (Case("Map", [["ts", 1]]), "no pair of a text and a Value"),
        (Case("Map", [["ts", nat(1)], ["ts", nat(2)]]), "has 'ts' twice"),
        (map_of(ts=nat(1)), "what kind it is"),
        (map_of(ts=nat(1), tx=nat(1)), "tx is no Map"),
        (map_of(tx=transfer_tx()), "it has no ts"),
        (map_of(ts=Case("Int", 1), tx=transfer_tx()), "ts is no Nat"),
        (map_of(ts=nat(-1), tx=transfer_tx()), "ts is no Nat"),
        (map_of(ts=nat(True), tx=transfer_tx()), "ts is no Nat"),
        (map_of(ts=nat(1), phash=Case("Blob", b"x"), tx=transfer_tx()), "phash has 1 bytes"),
        (map_of(ts=nat(1), phash=Case("Text", "x"), tx=transfer_tx()), "phash is no Blob"),
        (transfer_block("1burn"), "contradict each other"),
        (transfer_block(op=nat(1)), "op is no Text"),
        (transfer_block(from_=None), "needs tx.from"),
        (transfer_block(to=None), "needs tx.to"),
        (transfer_block(amt=None), "needs tx.amt"),
        (transfer_block(op=Case("Text", "approve")), "needs tx.spender"),
        (transfer_block(amt=Case("Int", 150)), "amt is no Nat"),
        (transfer_block(memo=Case("Text", "gift")), "memo is no Blob"),
        (transfer_block(to=Case("Array", [])), "to is no account"),
        (
            transfer_block(to=Case("Array", [Case("Blob", b""), Case("Blob", b"\1")])),
            "a subaccount has 32 bytes, not 1",
        ),
        (transfer_block(to=Case("Array", [Case("Blob", bytes(30))])), "at most 29 bytes"),
    ],
)
def test_a_malformed_block_is_named(value: Value, why: str) -> None:
    with pytest.raises(MalformedBlock, match=r"^block 7 cannot be read") as fault:
        read_block(7, value)
    assert why in str(fault.value)
    assert fault.value.index == 7


names = st.sampled_from(["ts", "tx", "op", "btype", "phash", "fee", "from", "to", "amt", "memo", "spender", "x"])
leaves: st.SearchStrategy[Value] = (
    st.none()
    | st.integers()
    | st.text(max_size=3)
    | st.builds(Case, st.sampled_from(["Nat", "Int", "Blob", "Text", "Map", "Array", "?"]), st.integers())
    | st.builds(Case, st.just("Blob"), st.binary(max_size=33))
    | st.builds(Case, st.just("Text"), st.sampled_from(["xfer", "1xfer", "mint", "burn", "approve", "odd", ""]))
)
junk: st.SearchStrategy[Value] = st.recursive(
    leaves,
    lambda inner: st.builds(
        Case,
        st.sampled_from(["Map", "Array"]),
        st.lists(st.tuples(names, inner).map(list) | inner, max_size=5),
    ),
    max_leaves=20,
)


@given(st.integers(0, 2**64), junk | st.dictionaries(names, junk).map(lambda fields: map_of(**fields)))
def test_any_value_is_a_block_or_a_malformed_block(index: int, value: Value) -> None:
    try:
        block = read_block(index, value)
    except MalformedBlock:
        return
    assert (block.index, block.raw) == (index, value)


@given(st.sampled_from(["op", "from_", "to", "amt", "fee", "memo", "ts", "spender"]), junk)
def test_one_field_gone_wrong_never_crashes(name: str, value: Value) -> None:
    try:
        block = read_block(1, transfer_block(**{name: value}))
    except MalformedBlock:
        return
    assert block.op


# Comparing


def block_of(**changes: Any) -> LedgerBlock:
    return replace(read_block(5, transfer_block()), **changes)


def test_the_wanted_transfer_is_found() -> None:
    assert compare(block_of(), WANTED) == []
    assert likeness(block_of(), WANTED) is Likeness.SAME


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"op": "approve"}, FieldDifference("op", "transfer", "approve")),
        ({"stamp": 1001}, FieldDifference("stamp", 1000, 1001)),
        ({"amount": 151}, FieldDifference("amount", 150, 151)),
        ({"sender": BOB}, FieldDifference("from", ALICE, BOB)),
        ({"recipient": ALICE}, FieldDifference("to", BOB, ALICE)),
        ({"memo": b"gift2"}, FieldDifference("memo", b"gift", b"gift2")),
        ({"memo": None}, FieldDifference("memo", b"gift", None)),
        ({"caller_fee": 11}, FieldDifference("fee", 10, 11)),
        ({"spender": ALICE}, FieldDifference("spender", None, ALICE)),
    ],
)
def test_one_field_that_differs_is_named_and_makes_it_another(
    changes: dict[str, Any], difference: FieldDifference
) -> None:  # R25
    assert compare(block_of(**changes), WANTED) == [difference]
    assert likeness(block_of(**changes), WANTED) is Likeness.OTHER


def test_the_fee_counts_only_where_the_block_has_the_callers() -> None:  # R25
    assert compare(block_of(caller_fee=None, fee=11), WANTED) == []


def test_zero_subaccount_and_absent_are_the_same_account() -> None:  # R25
    assert compare(read_block(5, transfer_block(from_=value_of(ALICE, spelt_out=True))), WANTED) == []


def test_an_empty_memo_in_a_block_is_the_absent_one_we_sent() -> None:
    assert compare(block_of(memo=b""), replace(WANTED, memo=None)) == []


def test_a_missing_stamp_is_neither_found_nor_absent() -> None:  # R25
    assert likeness(block_of(stamp=None), WANTED) is Likeness.UNSURE
    assert likeness(block_of(stamp=None, amount=151), WANTED) is Likeness.OTHER


def test_an_unknown_kind_that_is_equal_otherwise_is_neither_found_nor_absent() -> None:  # R25
    assert likeness(block_of(op="1transfer"), WANTED) is Likeness.UNSURE
    assert likeness(block_of(op="1transfer", stamp=None), WANTED) is Likeness.UNSURE
    assert likeness(block_of(op="1transfer", sender=None, memo=None), WANTED) is Likeness.UNSURE
    assert likeness(block_of(op="107feecol", sender=None, stamp=None), WANTED) is Likeness.OTHER
    assert likeness(block_of(op="1transfer", sender=None, amount=151), WANTED) is Likeness.OTHER


def test_a_burn_and_a_mint_are_found_without_the_minting_account() -> None:
    burn = WantedBlock.transfer(ALICE, MINTER, Base(150), Base(0), b"gift", LedgerTime(1000), MINTER)
    mint = WantedBlock.transfer(MINTER, BOB, Base(150), Base(0), b"gift", LedgerTime(1000), MINTER)
    assert (burn.op, mint.op) == ("burn", "mint")
    assert compare(read_block(5, transfer_block(op=Case("Text", "burn"), to=None, fee=None)), burn) == []
    assert compare(read_block(5, transfer_block(op=Case("Text", "mint"), from_=None, fee=None)), mint) == []
    assert [each.field for each in compare(block_of(), burn)] == ["op", "to", "fee"]


def test_a_minters_subaccount_is_an_ordinary_account() -> None:
    other = Account.of(MINTER.owner, bytes(31) + b"\x01")
    assert WantedBlock.transfer(ALICE, other, Base(1), Base(1), None, LedgerTime(1), MINTER).op == "transfer"
    assert WantedBlock.transfer(ALICE, BOB, Base(1), Base(1), None, LedgerTime(1), None).op == "transfer"


ALLOWED = WantedBlock(
    "approve", ALICE, None, Base(150), Base(10), b"gift", LedgerTime(1000), spender=BOB, expires_at=LedgerTime(9000)
)


def approve_block(**changes: Value) -> LedgerBlock:
    fields: dict[str, Value] = {"op": Case("Text", "approve"), "to": None, "spender": value_of(BOB)}
    return read_block(5, transfer_block(**{**fields, "expires_at": nat(9000), **changes}))


def test_an_approve_is_found_by_spender_amount_and_expiry() -> None:  # R25
    assert likeness(approve_block(), ALLOWED) is Likeness.SAME
    assert likeness(approve_block(), replace(ALLOWED, op="transfer")) is Likeness.OTHER
    for changes, field in (
        ({"spender": value_of(ALICE)}, "spender"),
        ({"amt": nat(151)}, "amount"),
        ({"expires_at": nat(9001)}, "expires_at"),
        ({"expires_at": None}, "expires_at"),
        ({"ts": nat(1001)}, "stamp"),
        ({"from_": value_of(BOB)}, "from"),
    ):
        assert [each.field for each in compare(approve_block(**changes), ALLOWED)] == [field]
        assert likeness(approve_block(**changes), ALLOWED) is Likeness.OTHER
    assert compare(approve_block(expires_at=None), replace(ALLOWED, expires_at=None)) == []


def test_an_allowance_beyond_64_bits_is_found_as_the_most_that_was_kept() -> None:
    most = (1 << 64) - 1
    for amount in (1 << 64, 10**30):
        assert compare(approve_block(amt=nat(most)), replace(ALLOWED, amount=Base(amount))) == []
        assert compare(approve_block(amt=nat(amount)), replace(ALLOWED, amount=Base(amount))) == []
        assert compare(approve_block(amt=nat(most - 1)), replace(ALLOWED, amount=Base(amount))) != []
    assert compare(approve_block(amt=nat(most)), replace(ALLOWED, amount=Base(most - 1))) != []
    assert compare(block_of(amount=most), replace(WANTED, amount=Base(1 << 64))) != []


def test_a_payment_on_an_allowance_is_that_of_its_spender() -> None:  # R25
    wanted = replace(WANTED, spender=BOB)
    assert compare(block_of(spender=BOB), wanted) == []
    assert [each.field for each in compare(block_of(), wanted)] == ["spender"]


@pytest.mark.parametrize("field", ["stamp", "memo"])
def test_what_the_call_does_not_carry_makes_an_equal_block_no_proof(field: str) -> None:  # R19, R25
    wanted = replace(WANTED, unsaid=frozenset({field}))
    assert likeness(block_of(), wanted) is Likeness.UNSURE
    assert likeness(block_of(**{field: None}), wanted) is Likeness.UNSURE
    assert likeness(block_of(amount=151), wanted) is Likeness.OTHER


def test_an_account_id_is_that_of_the_blocks_account() -> None:
    wanted = replace(WANTED, recipient=AccountId.of(BOB))
    assert compare(block_of(), wanted) == []
    assert [each.field for each in compare(block_of(recipient=ALICE), wanted)] == ["to"]


accounts = st.builds(
    Account.of, st.binary(max_size=3).map(Principal), st.none() | st.integers(0, 2).map(lambda n: n.to_bytes(32, "big"))
)
wanted_transfers = st.builds(
    WantedBlock.transfer,
    accounts,
    accounts,
    st.integers(0, 3).map(Base),
    st.integers(0, 2).map(Base),
    st.none() | st.binary(min_size=1, max_size=1),
    st.integers(0, 3).map(LedgerTime),
    st.none() | accounts,
)


def recorded(wanted: WantedBlock, by_btype: bool, has_fee: bool) -> Value:
    """The block that a ledger writes for the transfer."""
    op, btype = {"transfer": ("xfer", "1xfer"), "mint": ("mint", "1mint"), "burn": ("burn", "1burn")}[wanted.op]
    return map_of(
        btype=Case("Text", btype) if by_btype else None,
        ts=nat(9),
        tx=map_of(
            op=None if by_btype else Case("Text", op),
            from_=None if op == "mint" else value_of(wanted.sender),
            to=None if op == "burn" or not isinstance(wanted.recipient, Account) else value_of(wanted.recipient),
            amt=nat(wanted.amount),
            fee=nat(wanted.fee) if has_fee else None,
            memo=None if wanted.memo is None else Case("Blob", wanted.memo),
            ts=nat(wanted.stamp),
        ),
    )


@given(wanted_transfers, st.booleans(), st.booleans())
def test_what_a_ledger_records_of_a_transfer_is_found(wanted: WantedBlock, by_btype: bool, has_fee: bool) -> None:
    assert likeness(read_block(0, recorded(wanted, by_btype, has_fee)), wanted) is Likeness.SAME


@given(wanted_transfers, wanted_transfers, st.booleans())
def test_another_transfer_is_found_only_where_it_would_write_the_same_block(
    one: WantedBlock, other: WantedBlock, by_btype: bool
) -> None:
    block = read_block(0, recorded(other, by_btype, True))
    same = recorded(one, by_btype, True) == recorded(other, by_btype, True)
    assert (likeness(block, one) is Likeness.SAME) == same
