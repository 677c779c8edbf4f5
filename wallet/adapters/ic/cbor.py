"""CBOR as the Internet Computer speaks it: maps, lists, bytes, text and whole numbers, and nothing clever."""

import io
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

import cbor2

from wallet.adapters.ic.undecodable import Undecodable

MAX_BYTES: Final = 4 * 1024 * 1024
"""More than any answer needs: a canister's reply has at most 3 MiB."""
MAX_DEPTH: Final = 200
"""Containers within containers; a deep state tree needs about a hundred."""

_SELF_DESCRIBED: Final = b"\xd9\xd9\xf7"  # tag 55799

Cbor: TypeAlias = "bool | int | str | bytes | list[Cbor] | dict[str, Cbor] | None"


class _NoTags(Mapping[int, Callable[..., Any]]):
    """Answers for every tag, and refuses each: big fractions, shared references and the like have no place here."""

    def __getitem__(self, tag: int) -> Callable[..., Any]:
        return self._refuse

    def __iter__(self) -> Iterator[int]:
        return iter(())

    def __len__(self) -> int:
        return 0

    @staticmethod
    def _refuse(*_: object) -> None:
        raise Undecodable("a tag inside the data")


def encode(value: Cbor) -> bytes:
    """The value with the self-describing tag in front."""
    return _SELF_DESCRIBED + cbor2.dumps(value)


def decode(data: bytes) -> Cbor:
    """The one value that fills the bytes. Raises Undecodable for anything odd, however made."""
    if len(data) > MAX_BYTES:
        raise Undecodable(f"{len(data)} bytes, more than any answer needs")
    stream = io.BytesIO(data.removeprefix(_SELF_DESCRIBED))
    try:
        value = cbor2.CBORDecoder(
            stream,
            semantic_decoders=_NoTags(),
            max_depth=MAX_DEPTH,
            allow_indefinite=False,
            allow_duplicate_keys=False,
            strict_hashable_types=True,
        ).decode()
    except (cbor2.CBORError, ValueError, OverflowError, MemoryError, RecursionError) as error:
        raise Undecodable(f"not CBOR: {error}") from None
    if stream.read(1):
        raise Undecodable("bytes after the end of the data")
    return _plain(value)


def _plain(value: object) -> Cbor:
    match value:
        case None | bool() | str() | bytes():
            return value
        case int() if -(1 << 63) <= value < 1 << 64:
            return value
        case list():
            return [_plain(item) for item in value]
        case dict():
            plain: dict[str, Cbor] = {}
            for key, item in value.items():
                if not isinstance(key, str):
                    raise Undecodable("a key that is no text")
                plain[key] = _plain(item)
            return plain
    raise Undecodable(f"{type(value).__name__} has no place here")
