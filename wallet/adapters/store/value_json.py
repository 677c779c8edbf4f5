"""Candid values as JSON text: nothing is lost, and two texts are equal exactly where the values are.

null, booleans, text and vectors are themselves; the rest is an object with one key that names its kind:
`{"int": "12"}`, `{"blob": "00ff"}`, `{"principal": "aaaaa-aa"}`, `{"case": ["Ok", ...]}`, `{"record": {...}}`.
"""

import json
from typing import TypeAlias

from wallet.core.principal import Principal
from wallet.core.value import Case, Value

Json: TypeAlias = "bool | str | list[Json] | dict[str, Json] | None"

MAX_DECIMAL_BITS = 4096
"""A larger integer is written in hexadecimal: Python limits how long a decimal text it reads (to 4,300 digits)."""


def value_to_text(value: Value) -> str:
    """ASCII, with the names of a record sorted."""
    return json.dumps(_to_json(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def value_from_text(text: str) -> Value:
    """What `value_to_text` wrote. ValueError for any other text."""
    try:
        value = _from_json(json.loads(text))
    except (RecursionError, TypeError) as error:
        raise ValueError("not a stored value") from error
    return value


def _to_json(value: Value) -> Json:
    match value:
        case None | bool() | str():
            return value
        case int():
            return {"int": str(value)} if value.bit_length() <= MAX_DECIMAL_BITS else {"hex": f"{value:x}"}
        case bytes():
            return {"blob": value.hex()}
        case Principal():
            return {"principal": value.text}
        case Case():
            return {"case": [value.tag, _to_json(value.value)]}
        case list():
            return [_to_json(each) for each in value]
        case dict():
            return {"record": {name: _to_json(each) for name, each in value.items()}}


def _from_json(stored: object) -> Value:
    match stored:
        case None | bool() | str():
            return stored
        case list():
            return [_from_json(each) for each in stored]
        case {"int": str(digits), **rest} if not rest:
            return int(digits)
        case {"hex": str(digits), **rest} if not rest:
            return int(digits, 16)
        case {"blob": str(digits), **rest} if not rest:
            return bytes.fromhex(digits)
        case {"principal": str(text), **rest} if not rest:
            return Principal.from_text(text)
        case {"case": [str(tag), inner], **rest} if not rest:
            return Case(tag, _from_json(inner))
        case {"record": dict(fields), **rest} if not rest:
            return {name: _from_json(each) for name, each in fields.items()}
        case _:
            raise ValueError("not a stored value")
