"""Hash trees: the digest they reconstruct, and what they prove about a path (the specification's "Certification")."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from wallet.adapters.ic.cbor import Cbor
from wallet.adapters.ic.undecodable import Undecodable

MAX_DEPTH: Final = 128
"""Nodes within nodes. The state tree of a full subnet needs about sixty."""
MAX_NODES: Final = 100_000


class Missing(Enum):
    """Why a path has no value."""

    ABSENT = "absent"  # proven: the whole tree does not have it
    UNKNOWN = "unknown"  # pruned here: the tree says nothing about it


@dataclass(frozen=True, slots=True)
class Empty:
    @property
    def digest(self) -> bytes:
        return _hash("empty")


@dataclass(frozen=True, slots=True)
class Pruned:
    digest: bytes


@dataclass(frozen=True, slots=True)
class Leaf:
    value: bytes

    @property
    def digest(self) -> bytes:
        return _hash("leaf", self.value)


@dataclass(frozen=True)
class Labeled:
    label: bytes
    tree: HashTree

    @functools.cached_property
    def digest(self) -> bytes:
        return _hash("labeled", self.label + self.tree.digest)


@dataclass(frozen=True)
class Fork:
    left: HashTree
    right: HashTree

    @functools.cached_property
    def digest(self) -> bytes:
        return _hash("fork", self.left.digest + self.right.digest)


HashTree: TypeAlias = Empty | Pruned | Leaf | Labeled | Fork


def parse(data: Cbor) -> HashTree:
    """The tree from its CBOR lists. Raises Undecodable for a malformed, unordered, too deep or too large one."""
    tree = _Parser().read(data, 0)
    _check_level(tree)
    return tree


def lookup(tree: HashTree, path: tuple[bytes, ...]) -> bytes | Missing:
    """The value at the path, or what the tree proves about its absence. A path that ends above a leaf is unknown."""
    found = subtree(tree, path)
    match found:
        case Leaf(value=value):
            return value
        case Empty():
            return Missing.ABSENT
        case Missing():
            return found
        case _:
            return Missing.UNKNOWN


def subtree(tree: HashTree, path: tuple[bytes, ...]) -> HashTree | Missing:
    """What hangs below the path."""
    for label in path:
        found = _child(_level(tree), label)
        if isinstance(found, Missing):
            return found
        tree = found
    return tree


def children(tree: HashTree, path: tuple[bytes, ...]) -> list[tuple[bytes, HashTree]]:
    """The labelled subtrees right below the path that this tree shows; pruned ones are not among them."""
    below = subtree(tree, path)
    if isinstance(below, Missing):
        return []
    return [(node.label, node.tree) for node in _level(below) if isinstance(node, Labeled)]


def _child(level: list[HashTree], label: bytes) -> HashTree | Missing:
    """Absence is proven only between two neighbours that are both shown, or at a shown end of the level."""
    before: HashTree | None = None
    for node in level:
        if isinstance(node, Labeled):
            if node.label == label:
                return node.tree
            if label < node.label:
                return Missing.UNKNOWN if isinstance(before, Pruned) else Missing.ABSENT
        before = node
    return Missing.UNKNOWN if isinstance(before, Pruned) else Missing.ABSENT


def _level(tree: HashTree) -> list[HashTree]:
    """The nodes of one level from left to right, its forks and empty parts taken away."""
    nodes: list[HashTree] = []
    waiting: list[HashTree] = [tree]
    while waiting:
        match node := waiting.pop():
            case Fork(left=left, right=right):
                waiting += (right, left)
            case Empty():
                pass
            case _:
                nodes.append(node)
    return nodes


def _check_level(tree: HashTree) -> None:
    """Labels rise from left to right and a value stands alone; else absence could be claimed of what is there."""
    level = _level(tree)
    last: bytes | None = None
    for node in level:
        match node:
            case Labeled(label=label):
                if last is not None and label <= last:
                    raise Undecodable("a tree whose labels are not in order")
                last = label
                _check_level(node.tree)
            case Leaf() if len(level) > 1:
                raise Undecodable("a tree with a value among its labels")


class _Parser:
    """Reads nodes and counts them."""

    def __init__(self) -> None:
        self._left = MAX_NODES

    def read(self, data: Cbor, depth: int) -> HashTree:
        self._left -= 1
        if depth > MAX_DEPTH or self._left < 0:
            raise Undecodable("a tree too deep or too large to be one")
        if not isinstance(data, list) or not data or type(data[0]) is not int:
            raise Undecodable("not a node of a tree")
        match data:
            case [0]:
                return Empty()
            case [1, left, right]:
                return Fork(self.read(left, depth + 1), self.read(right, depth + 1))
            case [2, bytes() as label, inner]:
                return Labeled(label, self.read(inner, depth + 1))
            case [3, bytes() as value]:
                return Leaf(value)
            case [4, bytes() as digest] if len(digest) == 32:
                return Pruned(digest)
        raise Undecodable("not a node of a tree")


def _hash(kind: str, data: bytes = b"") -> bytes:
    domain = f"ic-hashtree-{kind}".encode()
    return hashlib.sha256(bytes([len(domain)]) + domain + data).digest()
