"""Hash trees: built from nested dicts and pruned to what was asked, with proofs of absence.

(Interface specification, "Certification".)
Every node knows its digest and the first and last label below it, so a witness costs the path and not the tree.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Path: TypeAlias = tuple[bytes, ...]
Source: TypeAlias = "bytes | Node | Mapping[bytes, Source]"
Encoded: TypeAlias = "list[int | bytes | Encoded]"


def _domain(name: str) -> bytes:
    return bytes([len(name)]) + name.encode()


_EMPTY, _FORK = _domain("ic-hashtree-empty"), _domain("ic-hashtree-fork")
_LABELED, _LEAF = _domain("ic-hashtree-labeled"), _domain("ic-hashtree-leaf")


def _sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


@dataclass(frozen=True, slots=True)
class Empty:
    digest: bytes = _sha256(_EMPTY)

    def encoded(self) -> Encoded:
        return [0]


@dataclass(frozen=True, slots=True)
class Fork:
    left: Node
    right: Node
    first: bytes
    last: bytes
    digest: bytes

    def encoded(self) -> Encoded:
        return [1, self.left.encoded(), self.right.encoded()]


@dataclass(frozen=True, slots=True)
class Labeled:
    label: bytes
    child: Node
    digest: bytes

    def encoded(self) -> Encoded:
        return [2, self.label, self.child.encoded()]


@dataclass(frozen=True, slots=True)
class Leaf:
    value: bytes
    digest: bytes

    def encoded(self) -> Encoded:
        return [3, self.value]


@dataclass(frozen=True, slots=True)
class Pruned:
    digest: bytes

    def encoded(self) -> Encoded:
        return [4, self.digest]


Node: TypeAlias = Empty | Fork | Labeled | Leaf | Pruned


def leaf(value: bytes) -> Leaf:
    return Leaf(value, _sha256(_LEAF, value))


def labeled(label: bytes, child: Node) -> Labeled:
    return Labeled(label, child, _sha256(_LABELED, label, child.digest))


def fork(left: Node, right: Node) -> Fork:
    """Two trees side by side; every label on the left sorts before every one on the right."""
    return Fork(left, right, _first(left), _last(right), _sha256(_FORK, left.digest, right.digest))


def tree(source: Source) -> Node:
    """The tree of nested dicts, with bytes as leaves; a subtree that is a Node already is used as it is."""
    match source:
        case bytes():
            return leaf(source)
        case Mapping():
            return _balanced([labeled(label, tree(source[label])) for label in sorted(source)])
        case _:
            return source


def _balanced(nodes: Sequence[Node]) -> Node:
    if not nodes:
        return Empty()
    if len(nodes) == 1:
        return nodes[0]
    middle = (len(nodes) + 1) // 2
    return fork(_balanced(nodes[:middle]), _balanced(nodes[middle:]))


def witness(node: Node, paths: Iterable[Path]) -> Node:
    """The tree pruned to these paths, each with all that is below it; what is not there is proven by its neighbours."""
    asked = list(paths)
    if not asked:
        return node if isinstance(node, Empty) else Pruned(node.digest)
    if any(not path for path in asked) or isinstance(node, Leaf | Empty | Pruned):
        return node
    below: dict[bytes, list[Path]] = {}
    for path in asked:
        for label in _neighbours(node, path[0]):
            below.setdefault(label, [])
        if path[0] in below:
            below[path[0]].append(path[1:])
    return _reveal(node, below)


def _reveal(node: Node, below: Mapping[bytes, Sequence[Path]]) -> Node:
    """Keep the labels in `below`, and of each label's child what its paths ask for."""
    if not any(_first(node) <= label <= _last(node) for label in below):
        return Pruned(node.digest)
    match node:
        case Fork(left=left, right=right):
            # Pruning changes no digest, so the ones that are known stay.
            return Fork(_reveal(left, below), _reveal(right, below), node.first, node.last, node.digest)
        case Labeled(label=label, child=child):
            return Labeled(label, witness(child, below[label]), node.digest)
        case _:
            return node


def _neighbours(node: Node, label: bytes) -> set[bytes]:
    """The label itself where it is there; otherwise the ones before and after it, which prove that it is not."""
    before, after = _floor(node, label), _ceiling(node, label)
    if before == label:
        return {label}
    return {found for found in (before, after) if found is not None}


def _floor(node: Node, label: bytes) -> bytes | None:
    while isinstance(node, Fork):
        node = node.right if _first(node.right) <= label else node.left
    return node.label if isinstance(node, Labeled) and node.label <= label else None


def _ceiling(node: Node, label: bytes) -> bytes | None:
    while isinstance(node, Fork):
        node = node.left if _last(node.left) >= label else node.right
    return node.label if isinstance(node, Labeled) and node.label >= label else None


def _first(node: Node) -> bytes:
    match node:
        case Fork(first=label) | Labeled(label=label):
            return label
        case _:
            return b""


def _last(node: Node) -> bytes:
    match node:
        case Fork(last=label) | Labeled(label=label):
            return label
        case _:
            return b""


def inserted(node: Node, label: bytes, child: Node) -> Node:
    """The tree with one more label, or another child under it, at the cost of its depth.

    For trees whose labels all have one length: the shape is a trie over the labels' bits, whose order is theirs.
    """
    match node:
        case Fork(left=left, right=right):
            bit = _differs(node.first, node.last)
            if _differs(label, node.first) < bit:
                new = labeled(label, child)
                return fork(new, node) if label < node.first else fork(node, new)
            if _bit(label, bit):
                return fork(left, inserted(right, label, child))
            return fork(inserted(left, label, child), right)
        case Labeled() if node.label != label:
            new = labeled(label, child)
            return fork(new, node) if label < node.label else fork(node, new)
        case _:
            return labeled(label, child)


def removed(node: Node, label: bytes) -> Node:
    """The tree of `inserted` without that label, whether it was there or not."""
    match node:
        case Fork(left=left, right=right):
            if label <= _last(left):
                rest = removed(left, label)
                return right if isinstance(rest, Empty) else fork(rest, right)
            rest = removed(right, label)
            return left if isinstance(rest, Empty) else fork(left, rest)
        case Labeled() if node.label == label:
            return Empty()
        case _:
            return node


def _bit(label: bytes, at: int) -> int:
    return label[at // 8] >> (7 - at % 8) & 1


def _differs(one: bytes, other: bytes) -> int:
    """Where two labels of one length first differ, in bits."""
    apart = int.from_bytes(one, "big") ^ int.from_bytes(other, "big")
    return 8 * len(one) - apart.bit_length()
