"""Principals and their text form (Internet Computer interface specification, "Principals")."""

import base64
import binascii
from dataclasses import dataclass
from typing import Self

MAX_BYTES = 29


@dataclass(frozen=True, order=True, slots=True)
class Principal:
    """Who calls or is called: 0 to 29 opaque bytes."""

    raw: bytes

    def __post_init__(self) -> None:
        if len(self.raw) > MAX_BYTES:
            raise ValueError(f"a principal has at most {MAX_BYTES} bytes, not {len(self.raw)}")

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read the grouped base-32 form. Raises ValueError with a sentence a person can read."""
        plain = text.lower().replace("-", "")
        if not plain or not plain.isascii():
            raise ValueError("not a principal: expected groups of letters and digits, such as aaaaa-aa")
        try:
            data = base64.b32decode(plain.upper() + "=" * (-len(plain) % 8))
        except binascii.Error:
            raise ValueError("not a principal: it holds a character or a length that base 32 does not have") from None
        if len(data) < 4:
            raise ValueError("not a principal: it is too short")
        checksum, raw = data[:4], data[4:]
        if len(raw) > MAX_BYTES:
            raise ValueError("not a principal: it is too long")
        if binascii.crc32(raw).to_bytes(4, "big") != checksum:
            raise ValueError("not a principal: its checksum does not match, so a character is wrong or missing")
        principal = cls(raw)
        if principal.text != text.lower():
            raise ValueError(f"not a principal in its usual grouping; did you mean {principal.text}?")
        return principal

    @property
    def text(self) -> str:
        """The grouped base-32 form, lower case."""
        data = binascii.crc32(self.raw).to_bytes(4, "big") + self.raw
        plain = base64.b32encode(data).decode("ascii").rstrip("=").lower()
        return "-".join(plain[i : i + 5] for i in range(0, len(plain), 5))

    @property
    def is_anonymous(self) -> bool:
        return self.raw == b"\x04"

    @property
    def is_self_authenticating(self) -> bool:
        """Derived from a public key, as a person's principal is."""
        return len(self.raw) == MAX_BYTES and self.raw[-1] == 2

    def __str__(self) -> str:
        return self.text


ANONYMOUS = Principal(b"\x04")
MANAGEMENT_CANISTER = Principal(b"")
