"""Accounts: a principal and a subaccount in the text form of ICRC-1 both ways, and the ICP ledger's account ids."""

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from typing import Self

from wallet.core.principal import Principal

SUBACCOUNT_BYTES = 32
DEFAULT_SUBACCOUNT = bytes(SUBACCOUNT_BYTES)
ACCOUNT_ID_BYTES = 32
MAX_TEXT = 63 + 1 + 7 + 1 + 64  # principal, dash, checksum, point, subaccount

_HEX = re.compile(r"[0-9a-fA-F]+\Z")
_CHECKSUM = re.compile(r"[a-z2-7]{7}\Z")


@dataclass(frozen=True, slots=True)
class Account:
    """Who holds tokens. The all-zero subaccount is the absent one, so equal accounts compare equal.

    Made with `Account.of`, which normalises; the plain constructor refuses what is not normal with a ValueError.
    """

    owner: Principal
    subaccount: bytes | None = None

    def __post_init__(self) -> None:
        if self.subaccount is None:
            return
        if len(self.subaccount) != SUBACCOUNT_BYTES:
            raise ValueError(f"a subaccount has {SUBACCOUNT_BYTES} bytes, not {len(self.subaccount)}")
        if self.subaccount == DEFAULT_SUBACCOUNT:
            # To a ledger an absent subaccount and 32 zero bytes are two different transfers: we send absent only (R10).
            raise ValueError("the all-zero subaccount is written as none")

    @classmethod
    def of(cls, owner: Principal, subaccount: bytes | None = None) -> Self:
        """The account in its one normal form (R10). ValueError unless the subaccount has 32 bytes."""
        return cls(owner, None if subaccount == DEFAULT_SUBACCOUNT else subaccount)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read the ICRC-1 text form; only spaces around it are forgiven. ValueError with a sentence for a person."""
        text = text.strip()
        if not text:
            raise ValueError("no account given")
        if len(text) > MAX_TEXT:
            raise ValueError("not an account: it is too long")
        if not text.isascii() or not text.isprintable() or " " in text:
            raise ValueError("not an account: it holds a character that is no letter, digit, dash or point")
        if len(text) == 64 and _HEX.match(text):
            raise ValueError(_about_icp_account_id(text))
        if text != text.lower():
            raise ValueError(f"not an account in its usual form: it is written in lower case ({text.lower()})")
        if "." not in text:
            return cls(_owner(text))
        head, _, digits = text.partition(".")
        return cls._with_subaccount(head, digits)

    @classmethod
    def _with_subaccount(cls, head: str, digits: str) -> Self:
        owner_text, _, checksum = head.rpartition("-")
        if not _CHECKSUM.match(checksum):
            if _is_principal(head):
                raise ValueError("not an account: the checksum between the principal and the subaccount is missing")
            Principal.from_text(owner_text)  # a wrong principal is the better thing to say
            raise ValueError("not an account: its checksum, before the point, has seven characters (a to z, 2 to 7)")
        owner = Principal.from_text(owner_text)
        if not digits.strip("0"):
            raise ValueError(f"not an account in its usual form: the default account is written {owner.text}")
        if not _HEX.match(digits):
            raise ValueError("not an account: its subaccount, after the point, holds a character that is no hex digit")
        if digits.startswith("0"):
            raise ValueError("not an account in its usual form: its subaccount is written without leading zeros")
        if len(digits) > 2 * SUBACCOUNT_BYTES:
            raise ValueError(f"not an account: its subaccount has more than {2 * SUBACCOUNT_BYTES} hex digits")
        subaccount = bytes.fromhex(digits.zfill(2 * SUBACCOUNT_BYTES))
        if checksum != _checksum(owner, subaccount):
            raise ValueError("not an account: its checksum does not match, so a character is wrong or missing")
        return cls(owner, subaccount)

    @property
    def text(self) -> str:
        """The ICRC-1 text form, lower case; the principal alone for the default account."""
        if self.subaccount is None:
            return self.owner.text
        return f"{self.owner.text}-{_checksum(self.owner, self.subaccount)}.{self.subaccount.hex().lstrip('0')}"

    @property
    def short(self) -> str:
        """A form for narrow places, such as `4pavu-…-eqe`. It does not identify: nobody may decide by it."""
        groups = self.owner.text.split("-")
        owner = self.owner.text if len(groups) < 4 else f"{groups[0]}-…-{groups[-1]}"
        if self.subaccount is None:
            return owner
        digits = self.subaccount.hex().lstrip("0")
        shown = digits if len(digits) <= 8 else f"{digits[:3]}…{digits[-3:]}"
        return f"{owner}-{_checksum(self.owner, self.subaccount)}.{shown}"

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class AccountId:
    """What the ICP ledger calls an account: a checksum and a hash, from which nobody can tell the owner.

    The constructor refuses, with a ValueError for a person, another length and a wrong checksum.
    """

    raw: bytes

    def __post_init__(self) -> None:
        if len(self.raw) != ACCOUNT_ID_BYTES:
            raise ValueError(f"an account id has {ACCOUNT_ID_BYTES} bytes, not {len(self.raw)}")
        if _crc32(self.raw[4:]) != self.raw[:4]:
            raise ValueError("not an account id: its checksum does not match, so a digit is wrong or two are swapped")

    @classmethod
    def of(cls, account: Account) -> Self:
        """The id by which the ICP ledger knows this account."""
        owned = account.owner.raw + (account.subaccount or DEFAULT_SUBACCOUNT)
        digest = hashlib.sha224(b"\x0aaccount-id" + owned).digest()
        return cls(_crc32(digest) + digest)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read 64 hex digits; only spaces around them are forgiven. ValueError with a sentence for a person."""
        text = text.strip()
        if not text:
            raise ValueError("no account id given")
        if not _HEX.match(text):
            raise ValueError("not an account id: it holds a character that is no hex digit (0 to 9 and a to f)")
        if len(text) != 2 * ACCOUNT_ID_BYTES:
            raise ValueError(f"not an account id: it has {2 * ACCOUNT_ID_BYTES} hex digits, not {len(text)}")
        return cls(bytes.fromhex(text))

    @property
    def text(self) -> str:
        """64 hex digits, lower case."""
        return self.raw.hex()

    @property
    def short(self) -> str:
        """A form for narrow places, such as `bdc4ee05…8680a938`. It does not identify: nobody may decide by it."""
        return f"{self.text[:8]}…{self.text[-8:]}"

    def __str__(self) -> str:
        return self.text


def parse_subaccount_hex(text: str) -> bytes:
    """Read 1 to 64 hex digits, padded on the left to 32 bytes; ValueError with a sentence for a person."""
    text = text.strip()
    if not text:
        raise ValueError("no subaccount given: expected 1 to 64 hex digits")
    if text[:2] in ("0x", "0X"):
        raise ValueError("a subaccount is written without 0x")
    if not _HEX.match(text):
        raise ValueError("a subaccount holds hex digits only: 0 to 9 and a to f")
    if len(text) > 2 * SUBACCOUNT_BYTES:
        raise ValueError(f"a subaccount has at most {2 * SUBACCOUNT_BYTES} hex digits, not {len(text)}")
    return bytes.fromhex(text.zfill(2 * SUBACCOUNT_BYTES))


def _owner(text: str) -> Principal:
    try:
        return Principal.from_text(text)
    except ValueError:
        head, _, last = text.rpartition("-")
        # Groups of a principal have at most five characters; seven are the checksum of an account cut short.
        if head and _CHECKSUM.match(last):
            raise ValueError("not an account: the point and the subaccount after its checksum are missing") from None
        raise


def _is_principal(text: str) -> bool:
    try:
        Principal.from_text(text)
    except ValueError:
        return False
    return True


def _checksum(owner: Principal, subaccount: bytes) -> str:
    return base64.b32encode(_crc32(owner.raw + subaccount)).decode("ascii").rstrip("=").lower()


def _crc32(data: bytes) -> bytes:
    return binascii.crc32(data).to_bytes(4, "big")


def _about_icp_account_id(text: str) -> str:
    """What to say of 64 hex digits where an account is asked for."""
    try:
        AccountId.from_text(text)
    except ValueError:
        return (
            "64 hex digits are no ICRC-1 account (nor an ICP ledger account id: the checksum does not match); "
            "ask the recipient for a principal or an ICRC-1 account text"
        )
    return (
        "this is an ICP ledger account id, not an ICRC-1 account: "
        "ask the recipient for a principal or an ICRC-1 account text"
    )
