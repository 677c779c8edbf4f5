"""A small strict reader and writer for DER, as much of it as private keys need."""

from collections.abc import Iterator
from dataclasses import dataclass, field

INTEGER, BIT_STRING, OCTET_STRING, NULL, OID, SEQUENCE = 0x02, 0x03, 0x04, 0x05, 0x06, 0x30


class Malformed(ValueError):
    """The bytes are not DER, or not the structure expected. Its text shows no part of them: they may be a key."""

    def __init__(self) -> None:
        super().__init__("The private key is damaged: its inner structure does not hold together.")


@dataclass(frozen=True, slots=True)
class Element:
    """One tag and its content, which stays out of the repr."""

    tag: int
    content: bytes = field(repr=False)


def read_one(data: bytes) -> Element:
    """The one element that `data` is made of. Raises Malformed when bytes are missing or left over."""
    elements = list(_elements(data))
    if len(elements) != 1:
        raise Malformed()
    return elements[0]


def read_all(element: Element, tag: int = SEQUENCE) -> list[Element]:
    """The elements inside `element`, which must carry `tag`."""
    return list(_elements(expect(element, tag)))


def expect(element: Element, tag: int) -> bytes:
    """The content of `element`, which must carry `tag`."""
    if element.tag != tag:
        raise Malformed()
    return element.content


def read_number(element: Element) -> int:
    """A non-negative INTEGER in its shortest form."""
    content = expect(element, INTEGER)
    number = int.from_bytes(content, "big")
    if not content or write_number(number) != write(INTEGER, content):
        raise Malformed()
    return number


def read_bits(content: bytes) -> bytes:
    """The whole bytes of a BIT STRING's content."""
    if not content or content[0] != 0:
        raise Malformed()
    return content[1:]


def _elements(data: bytes) -> Iterator[Element]:
    position = 0
    while position < len(data):
        if len(data) - position < 2 or data[position] & 0x1F == 0x1F:  # no tag above 30 occurs in keys
            raise Malformed()
        tag, length, start = data[position], data[position + 1], position + 2
        if length >= 0x80:
            size = length & 0x7F
            length = int.from_bytes(data[start : start + size], "big")
            # DER has one way to write a length: the shortest. (0x80, the endless form, has size 0 and ends here too.)
            if not 1 <= size <= 4 or start + size > len(data) or _length(length) != data[position + 1 : start + size]:
                raise Malformed()
            start += size
        if start + length > len(data):
            raise Malformed()
        yield Element(tag, data[start : start + length])
        position = start + length


def _length(length: int) -> bytes:
    if length < 0x80:
        return bytes([length])
    digits = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([0x80 | len(digits)]) + digits


def write(tag: int, *parts: bytes) -> bytes:
    """One element around `parts`."""
    content = b"".join(parts)
    return bytes([tag]) + _length(len(content)) + content


def write_number(number: int) -> bytes:
    """A non-negative INTEGER."""
    return write(INTEGER, number.to_bytes(number.bit_length() // 8 + 1, "big"))
