"""A cursor over Candid bytes that cannot be made to run past their end, or for long."""

from typing import Final

from wallet.adapters.ic.undecodable import Undecodable
from wallet.core.principal import MAX_BYTES as PRINCIPAL_BYTES
from wallet.core.principal import Principal

MAX_MESSAGE: Final = 3 * 1024 * 1024
"""Bytes. A canister's reply has at most 2 MiB (a query's 3 MiB)."""
MAX_VALUES: Final = 1_000_000
"""Values, fields and types a message may make us look at; less where it is short (`vec null` costs no bytes)."""
MAX_NUMBER: Final = 256
"""Bytes of one LEB128 number. Reading one is quadratic, and Python prints no number of more than 4300 digits."""


class Wire:
    """A cursor over the bytes with a budget of values."""

    def __init__(self, data: bytes) -> None:
        if len(data) > MAX_MESSAGE:
            raise Undecodable(f"a message of {len(data)} bytes, more than any canister may send")
        self._data = data
        self._at = 0
        self._budget = min(1000 + 8 * len(data), MAX_VALUES)

    @property
    def at_end(self) -> bool:
        return self._at == len(self._data)

    def spend(self) -> None:
        self._budget -= 1
        if self._budget < 0:
            raise Undecodable("more values than a message of this length can honestly hold")

    def take(self, count: int) -> bytes:
        end = self._at + count
        if end > len(self._data):
            raise Undecodable("the message is cut off")
        piece = self._data[self._at : end]
        self._at = end
        return piece

    def byte(self) -> int:
        if self._at >= len(self._data):
            raise Undecodable("the message is cut off")
        value = self._data[self._at]
        self._at += 1
        return value

    def unsigned(self) -> int:
        return self._leb128()[0]

    def signed(self) -> int:
        value, bits, negative = self._leb128()
        return value - (1 << bits) if negative else value

    def _leb128(self) -> tuple[int, int, bool]:
        """The number, how many bits were written, and whether the last byte's sign bit is set."""
        value = shift = 0
        for _ in range(MAX_NUMBER):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value, shift, bool(byte & 0x40)
        raise Undecodable("a number too long to be one")

    def fixed(self, size: int, *, signed: bool) -> int:
        return int.from_bytes(self.take(size), "little", signed=signed)

    def text(self) -> str:
        try:
            return self.take(self.unsigned()).decode("utf-8")
        except UnicodeDecodeError:
            raise Undecodable("a text that is not UTF-8") from None

    def flag(self) -> bool:
        value = self.byte()
        if value > 1:
            raise Undecodable(f"{value} where 0 or 1 must be")
        return value == 1

    def principal(self) -> Principal:
        if not self.flag():
            raise Undecodable("an opaque reference")
        size = self.unsigned()
        if size > PRINCIPAL_BYTES:
            raise Undecodable("a principal that is too long")
        return Principal(self.take(size))
