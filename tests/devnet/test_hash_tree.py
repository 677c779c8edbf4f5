"""Hash trees: a witness keeps the digest, shows what was asked, and proves what is not there."""

import cbor2
from hypothesis import given
from hypothesis import strategies as st

from wallet.adapters.ic import cbor
from wallet.adapters.ic import hash_tree as reader
from wallet.adapters.ic.hash_tree import Missing
from wallet.devnet.hash_tree import Empty, Node, Source, inserted, leaf, removed, tree, witness

LABELS = st.binary(min_size=1, max_size=4)
SOURCES = st.recursive(
    st.binary(max_size=8), lambda inner: st.dictionaries(LABELS, inner, max_size=6), max_leaves=30
).filter(lambda source: isinstance(source, dict))
IDS = st.binary(min_size=3, max_size=3)


def read(node: Node) -> reader.HashTree:
    """As a client sees it: over CBOR, by the wallet's own strict reader."""
    return reader.parse(cbor.decode(cbor2.dumps(node.encoded())))


def at(source: object, path: tuple[bytes, ...]) -> object:
    for label in path:
        source = source.get(label) if isinstance(source, dict) else None
    return source


@given(SOURCES, st.lists(st.lists(LABELS, min_size=1, max_size=3).map(tuple), max_size=4))
def test_a_witness_answers_every_path_that_was_asked(
    source: dict[bytes, Source], paths: list[tuple[bytes, ...]]
) -> None:
    whole = tree(source)
    pruned = read(witness(whole, paths))
    assert pruned.digest == whole.digest
    for path in paths:
        found, expected = reader.lookup(pruned, path), at(source, path)
        if isinstance(expected, bytes):
            assert found == expected
        elif expected is None:
            assert found is Missing.ABSENT


@given(SOURCES)
def test_what_was_not_asked_is_not_shown(source: dict[bytes, Source]) -> None:
    whole = tree(source)
    assert witness(whole, []).digest == whole.digest
    assert witness(whole, []).encoded()[0] == (4 if source else 0)


@given(st.lists(st.tuples(IDS, st.booleans()), max_size=60), IDS)
def test_a_growing_tree_is_as_good_as_one_built_at_once(steps: list[tuple[bytes, bool]], other: bytes) -> None:
    node: Node = Empty()
    there: dict[bytes, bytes] = {}
    for label, comes in steps:
        if comes:
            node, there[label] = inserted(node, label, leaf(label)), label
        else:
            node = removed(node, label)
            there.pop(label, None)
    pruned = read(witness(node, [(label,) for label, _ in steps] + [(other,)]))
    assert pruned.digest == node.digest
    for label in [label for label, _ in steps] + [other]:
        assert reader.lookup(pruned, (label,)) == there.get(label, Missing.ABSENT)


@given(st.sets(IDS, max_size=40))
def test_the_shape_does_not_depend_on_the_order_of_arrival(ids: set[bytes]) -> None:
    one: Node = Empty()
    other: Node = Empty()
    for label in sorted(ids):
        one = inserted(one, label, leaf(label))
    for label in sorted(ids, reverse=True):
        other = inserted(other, label, leaf(label))
    assert one.digest == other.digest
