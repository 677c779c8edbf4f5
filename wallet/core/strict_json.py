"""JSON read strictly: keys that stand twice are named, no NaN, bounded in size and depth, every text Unicode."""

import json
from typing import NoReturn, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

MAX_CHARS = 256 * 1024
MAX_DEPTH = 16


class Object(dict[str, Json]):
    """An object, and the keys that it names more than once: what it says of them depends on who reads it."""

    repeated: tuple[str, ...] = ()


def read_json(text: str) -> Json:
    """The value of one JSON document, its objects as `Object`. ValueError with a sentence for a person."""
    if len(text) > MAX_CHARS:
        raise ValueError(f"it is longer than {MAX_CHARS} characters")
    try:
        value: Json = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except json.JSONDecodeError as fault:
        raise ValueError(f"it is not JSON: line {fault.lineno}, column {fault.colno}: {fault.msg}") from None
    except RecursionError:
        raise ValueError(f"it is nested deeper than {MAX_DEPTH}") from None
    except ValueError as fault:  # a constant of ours, or a number with more digits than Python reads
        raise ValueError(f"it is not JSON that can be read: {fault}") from None
    _check(value)
    return value


def item_lines(text: str) -> list[int]:
    """The line on which each item of the list starts that is this (readable) document."""
    lines: list[int] = []
    decoder, line, counted = json.JSONDecoder(), 1, 0
    at = text.index("[") + 1
    while True:
        while text[at] in " \t\r\n,":
            at += 1
        if text[at] == "]":
            return lines
        line += text.count("\n", counted, at)
        counted = at
        lines.append(line)
        _, at = decoder.raw_decode(text, at)


def repeated_keys(value: Json) -> list[str]:
    """Every key in there that stands more than once in one object, outermost first."""
    own = list(value.repeated) if isinstance(value, Object) else []
    return own + [key for inner in _inside(value) for key in repeated_keys(inner)]


def _object(pairs: list[tuple[str, Json]]) -> Json:
    value = Object()
    repeated: list[str] = []
    for key, inner in pairs:
        if key not in value:
            value[key] = inner
        elif key not in repeated:
            repeated.append(key)
    value.repeated = tuple(repeated)
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
