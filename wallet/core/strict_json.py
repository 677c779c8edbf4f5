"""JSON read strictly: no key twice, no NaN, bounded in size and depth, every text printable as Unicode."""

import json
from typing import NoReturn, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

MAX_CHARS = 256 * 1024
MAX_DEPTH = 16


class DuplicateKey(ValueError):
    """One object names a key twice, so what it says depends on who reads it."""


def read_json(text: str) -> Json:
    """The value of one JSON document. ValueError (DuplicateKey) with a sentence for a person."""
    if len(text) > MAX_CHARS:
        raise ValueError(f"it is longer than {MAX_CHARS} characters")
    try:
        value: Json = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except DuplicateKey:
        raise
    except json.JSONDecodeError as fault:
        raise ValueError(f"it is not JSON: line {fault.lineno}, column {fault.colno}: {fault.msg}") from None
    except RecursionError:
        raise ValueError(f"it is nested deeper than {MAX_DEPTH}") from None
    except ValueError as fault:  # a constant of ours, or a number with more digits than Python reads
        raise ValueError(f"it is not JSON that can be read: {fault}") from None
    _check(value)
    return value


def _object(pairs: list[tuple[str, Json]]) -> Json:
    value: dict[str, Json] = {}
    for key, inner in pairs:
        if key in value:
            raise DuplicateKey(f"the key {key!a} stands twice in one object")
        value[key] = inner
    return value


def _constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


def _check(value: Json) -> None:
    """Bounded depth, and no lone surrogate: such a text can be neither stored nor shown."""
    level: list[Json] = [value]
    for _ in range(MAX_DEPTH):
        texts = [each for each in level if isinstance(each, str)]
        texts += [key for each in level if isinstance(each, dict) for key in each]
        if any(_is_no_unicode(each) for each in texts):
            raise ValueError("it holds a text that is not Unicode")
        level = [inner for each in level for inner in _inside(each)]
        if not level:
            return
    raise ValueError(f"it is nested deeper than {MAX_DEPTH}")


def _inside(value: Json) -> list[Json]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _is_no_unicode(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
