"""The hash of an ICRC-3 block: the standard's representation-independent hash over its Value type."""

import hashlib

from wallet.core.value import Case, Value

HASH_BYTES = 32


def value_hash(value: Value) -> bytes:
    """The 32-byte hash of a Value: Case("Nat" | "Int" | "Blob" | "Text" | "Array" | "Map", content).

    A Map's content is a list of [key, Value] pairs, as a decoded block has it. Raises ValueError with a sentence for
    anything that is no ICRC-3 Value, however odd: such a block has no hash and links to nothing.
    """
    match value:
        case Case("Nat", int() as number) if not isinstance(number, bool) and number >= 0:
            return _sha256(leb128(number))
        case Case("Int", int() as number) if not isinstance(number, bool):
            return _sha256(sleb128(number))
        case Case("Blob", bytes() as raw):
            return _sha256(raw)
        case Case("Text", str() as text):
            return _sha256(_utf8(text))
        case Case("Array", list() as items):
            return _sha256(b"".join(value_hash(item) for item in items))
        case Case("Map", list() as pairs):
            return _sha256(b"".join(sorted(_pair_hash(pair) for pair in pairs)))
        case _:
            raise ValueError("not a Value of ICRC-3, so it has no hash")


def leb128(number: int) -> bytes:
    """Unsigned LEB128, as short as it can be. `number` is not negative."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def sleb128(number: int) -> bytes:
    """Signed LEB128, as short as it can be."""
    out = bytearray()
    while not -0x40 <= number < 0x40:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number & 0x7F)
    return bytes(out)


def _pair_hash(pair: Value) -> bytes:
    match pair:
        case [str() as key, Case() as inner]:
            return _sha256(_utf8(key)) + value_hash(inner)
        case _:
            raise ValueError("a Map of ICRC-3 holds pairs of a text and a Value")


def _utf8(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("a text that is not Unicode has no hash") from None


def _sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
