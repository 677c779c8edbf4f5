"""A stretch of blocks counts only as one hash chain between two certified ends (R25)."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import ALICE, BOB, NOW, make_block, make_intent
from wallet.core.blocks import MalformedBlock, WantedBlock
from wallet.core.history import ChainBroken, Reading, is_complete, read_on
from wallet.core.icrc3 import value_hash
from wallet.core.tip import Tip
from wallet.core.value import Case, Value

INTENT = make_intent()
WANTED = WantedBlock.transfer(
    INTENT.card.sender, INTENT.card.recipient, INTENT.card.amount, INTENT.card.fee, None, INTENT.stamp, None
)


def chain(*kinds: str) -> tuple[dict[int, Value], list[bytes]]:
    """Blocks of these kinds from block 0 on, each naming its parent's hash, and the hashes."""
    blocks: dict[int, Value] = {}
    hashes: list[bytes] = []
    for index, kind in enumerate(kinds):
        other = make_intent(100 + index)
        block = make_block(INTENT if kind in ("same", "unsure") else other, index)
        assert isinstance(block.raw, Case)
        assert isinstance(block.raw.value, list)
        fields: list[Any] = list(block.raw.value[1:])
        if index > 0:
            fields.insert(0, ["phash", Case("Blob", hashes[-1])])
        if kind == "unsure":
            tx = [pair for pair in fields[-1][1].value if pair[0] != "ts"]
            fields[-1] = ["tx", Case("Map", tx)]
        blocks[index] = Case("Map", fields)
        hashes.append(value_hash(blocks[index]))
    return blocks, hashes


def without_parent(block: Value) -> Value:
    assert isinstance(block, Case)
    assert isinstance(block.value, list)
    return Case("Map", [pair for pair in block.value if isinstance(pair, list) and pair[0] != "phash"])


def test_a_chain_is_followed_from_the_anchor_to_the_tip() -> None:
    blocks, hashes = chain("other", "other", "same", "other")
    reading = read_on(Reading.after(Tip(1, hashes[1])), blocks, WANTED)
    assert (reading.first, reading.next) == (2, 4)
    assert [block.index for block in reading.same] == [2]
    assert is_complete(reading, 3, hashes[3])


def test_only_an_equal_block_is_found_and_one_that_says_too_little_is_unsure() -> None:
    blocks, _ = chain("other", "unsure", "same", "other", "same")
    reading = read_on(Reading.at(0), blocks, WANTED)
    assert [block.index for block in reading.same] == [2, 4]
    assert reading.unsure == (1,)


def test_reading_goes_on_where_it_stopped() -> None:
    blocks, hashes = chain("other", "same", "unsure", "same", "other")
    whole = read_on(Reading.at(0), blocks, WANTED)
    parts = Reading.at(0)
    for index, block in blocks.items():
        assert not is_complete(parts, 4, hashes[4])
        parts = read_on(parts, {index: block}, WANTED)
    assert parts == whole


def test_a_gap_ends_the_reading_and_is_not_stepped_over() -> None:
    blocks, hashes = chain(*["other"] * 5)
    del blocks[2]
    reading = read_on(Reading.at(0), blocks, WANTED)
    assert reading.next == 2
    assert not is_complete(reading, 4, hashes[4])
    assert read_on(reading, {}, WANTED) == reading


def test_an_anchor_that_is_not_in_the_chain_breaks_it() -> None:
    blocks, _ = chain("other", "other", "same")
    with pytest.raises(ChainBroken, match="at block 2"):
        read_on(Reading.after(Tip(1, bytes(32))), blocks, WANTED)


def test_blocks_that_make_another_chain_than_the_certified_one_prove_nothing() -> None:
    blocks, _ = chain("other", "same")
    reading = read_on(Reading.at(0), blocks, WANTED)
    with pytest.raises(ChainBroken, match="not the certified one"):
        is_complete(reading, 1, bytes(32))


def test_an_anchor_that_is_the_tip_needs_no_block_and_must_be_the_same_one() -> None:
    tip = Tip(4, b"\1" * 32)
    assert is_complete(Reading.after(tip), 4, tip.hash)
    with pytest.raises(ChainBroken):
        is_complete(Reading.after(tip), 4, bytes(32))


def test_a_tip_before_a_block_that_was_there_already_is_no_end() -> None:
    with pytest.raises(ChainBroken, match="ends before"):
        is_complete(Reading.after(Tip(4, bytes(32))), 3, bytes(32))


def test_a_ledger_with_no_block_is_read_at_once() -> None:
    assert is_complete(Reading.at(0), -1, None)


def test_the_first_block_has_no_parent_and_every_other_has_one() -> None:
    blocks, _ = chain("other", "other")
    with pytest.raises(ChainBroken, match="names a parent"):
        read_on(Reading.at(0), {0: blocks[1]}, WANTED)
    with pytest.raises(ChainBroken, match="names no parent"):
        read_on(Reading.at(0), {0: blocks[0], 1: without_parent(blocks[1])}, WANTED)
    with pytest.raises(ChainBroken, match="names no parent"):
        read_on(Reading.at(1), {1: without_parent(blocks[1])}, WANTED)


def test_what_is_no_block_proves_nothing() -> None:
    blocks, _ = chain("other", "other")
    with pytest.raises(MalformedBlock):
        read_on(Reading.at(0), {0: blocks[0], 1: Case("Map", [])}, WANTED)


def test_a_block_that_has_no_hash_links_to_nothing() -> None:
    blocks, _ = chain("other")
    first = blocks[0]
    assert isinstance(first, Case)
    assert isinstance(first.value, list)
    odd: Value = Case("Map", [*first.value, ["odd", Case("Nat", -1)]])
    with pytest.raises((ChainBroken, MalformedBlock)):
        read_on(Reading.at(0), {0: odd}, WANTED)


def test_the_time_of_the_first_block_is_kept_to_check_the_start() -> None:
    blocks, _ = chain("other", "other", "other")
    reading = read_on(Reading.at(1), blocks, WANTED)
    assert reading.begins is not None
    assert reading.begins > NOW
    assert read_on(reading, {}, WANTED).begins == reading.begins
    assert Reading.at(1).begins is None


KINDS = st.lists(st.sampled_from(["other", "same", "unsure"]), min_size=2, max_size=6)


@given(KINDS, st.data())
def test_no_block_of_a_chain_can_be_changed_dropped_or_added_unseen(kinds: list[str], data: st.DataObject) -> None:
    """Whatever one node makes up between two certified ends, it is never taken for the whole history."""
    blocks, hashes = chain(*kinds)
    last = len(kinds) - 1
    where = data.draw(st.integers(0, last))
    forged = dict(blocks)
    if data.draw(st.booleans()):
        twin, _ = chain(
            *[kind if n != where else ("same" if kind != "same" else "other") for n, kind in enumerate(kinds)]
        )
        forged[where] = twin[where]  # names the right parent, says something else
    else:
        forged = {n if n < where else n - 1: block for n, block in blocks.items() if n != where}
    try:
        reading = read_on(Reading.at(0), forged, WANTED)
        complete = is_complete(reading, last, hashes[last])
    except (ChainBroken, MalformedBlock):
        return
    assert not complete


@given(KINDS, st.integers(1, 4))
def test_pages_of_any_size_read_the_same(kinds: list[str], size: int) -> None:
    blocks, hashes = chain(*kinds)
    reading = Reading.at(0)
    while not is_complete(reading, len(kinds) - 1, hashes[-1]):
        page = {n: blocks[n] for n in range(reading.next, min(reading.next + size, len(kinds)))}
        reading = read_on(reading, page, WANTED)
    assert reading == read_on(Reading.at(0), blocks, WANTED)
    assert [block.index for block in reading.same] == [n for n, kind in enumerate(kinds) if kind == "same"]


def test_another_senders_equal_payment_is_another() -> None:  # R25
    blocks, _ = chain("other", "same")
    other = replace(WANTED, sender=BOB)
    assert other.sender != ALICE
    assert read_on(Reading.at(0), blocks, other).same == ()
