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
    """ASCII, with the names of a record sorted. ValueError for a name that is not Unicode."""
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
        case None | bool():
            return value
        case str():
            return value if _is_unicode(value) else {"utf32": value.encode("utf-32-be", "surrogatepass").hex()}
        case int():
            return {"int": str(value)} if value.bit_length() <= MAX_DECIMAL_BITS else {"hex": f"{value:x}"}
        case bytes():
            return {"blob": value.hex()}
        case Principal():
            return {"principal": value.text}
        case Case():
            return {"case": [_name(value.tag), _to_json(value.value)]}
        case list():
            return [_to_json(each) for each in value]
        case dict():
            return {"record": {_name(name): _to_json(each) for name, each in value.items()}}


def _is_unicode(text: str) -> bool:
    """A message of the host's may hold lone surrogates, and JSON would join two of them into one character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _name(name: str) -> str:
    """Names of fields and cases come from Candid, which is UTF-8. ValueError for any other."""
    if not _is_unicode(name):
        raise ValueError(f"{name!a} is no name of a field or case")
    return name


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
        case {"utf32": str(digits), **rest} if not rest:
            return bytes.fromhex(digits).decode("utf-32-be", "surrogatepass")
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
