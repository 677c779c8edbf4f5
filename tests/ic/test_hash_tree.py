"""Hash trees: pruning never changes the digest, and only what is shown is found or proven absent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ic import maker
from wallet.adapters.ic import hash_tree
from wallet.adapters.ic.hash_tree import Missing
from wallet.adapters.ic.undecodable import Undecodable

LABEL = st.binary(min_size=1, max_size=2)
LABELS = st.dictionaries(
    LABEL, st.binary(max_size=3) | st.dictionaries(LABEL, st.binary(max_size=3), max_size=4), max_size=8
)


@given(LABELS, st.lists(st.lists(LABEL, min_size=1, max_size=2).map(tuple), max_size=4))
def test_pruning_keeps_the_digest_and_the_truth(labels: maker.Labels, keep: list[tuple[bytes, ...]]) -> None:
    whole = maker.tree(labels)
    pruned = hash_tree.parse(maker.prune(whole, keep))
    full = hash_tree.parse(whole)
    assert pruned.digest == full.digest == maker.digest(whole)
    for path in [*keep, *((label,) for label in labels), (b"no", b"such")]:
        truth, seen = hash_tree.lookup(full, path), hash_tree.lookup(pruned, path)
        assert seen in (truth, Missing.UNKNOWN)
        if path in keep:
            assert seen == truth


TREE = maker.tree({b"a": b"1", b"c": {b"x": b"2"}, b"e": b"3", b"g": b"4"})


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ((b"a",), b"1"),
        ((b"c", b"x"), b"2"),
        ((b"b",), Missing.ABSENT),
        ((b"h",), Missing.ABSENT),
        ((b"\x00",), Missing.ABSENT),
        ((b"c", b"y"), Missing.ABSENT),
        ((b"a", b"below a value"), Missing.ABSENT),
        ((b"c",), Missing.UNKNOWN),
    ],
)
def test_a_whole_tree_says_found_or_absent(path: tuple[bytes, ...], expected: bytes | Missing) -> None:
    assert hash_tree.lookup(hash_tree.parse(TREE), path) == expected


@pytest.mark.parametrize("hidden", [b"a", b"c"])
def test_absence_next_to_a_pruned_part_is_unknown(hidden: bytes) -> None:
    shown = [(label,) for label in (b"a", b"c", b"e", b"g") if label != hidden]
    tree = hash_tree.parse(maker.prune(TREE, shown))
    assert hash_tree.lookup(tree, (b"b",)) is Missing.UNKNOWN
    assert hash_tree.lookup(tree, (hidden,)) is Missing.UNKNOWN
    assert hash_tree.lookup(tree, (b"f",)) is Missing.ABSENT


def test_an_empty_tree_proves_absence() -> None:
    assert hash_tree.lookup(hash_tree.parse([0]), (b"a",)) is Missing.ABSENT


def test_children_are_the_shown_labels_below_a_path() -> None:
    tree = hash_tree.parse(maker.tree({b"c": {b"x": b"2", b"y": b"3"}}))
    assert [label for label, _ in hash_tree.children(tree, (b"c",))] == [b"x", b"y"]
    assert hash_tree.children(tree, (b"d",)) == []


def nested(depth: int) -> maker.Node:
    node: maker.Node = [0]
    for _ in range(depth):
        node = [2, b"a", node]
    return node


@pytest.mark.parametrize(
    "bad",
    [
        None,
        [],
        [5],
        [True, [0], [0]],
        [1, [0]],
        [2, "text", [0]],
        [3, "text"],
        [4, b"short"],
        [0, 0],
        [1, [2, b"b", [0]], [2, b"a", [0]]],
        [1, [2, b"a", [0]], [2, b"a", [0]]],
        [1, [3, b""], [2, b"a", [0]]],
        nested(200),
    ],
)
def test_a_malformed_tree_is_refused(bad: maker.Node) -> None:
    with pytest.raises(Undecodable):
        hash_tree.parse(bad)
