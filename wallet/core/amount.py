"""Amounts: whole base units, and their exact decimal text by a token's decimals; no float and no rounding anywhere."""

import re
from typing import NewType

Base = NewType("Base", int)
"""An amount in a token's smallest units, never negative and of any size."""

MAX_DECIMALS = 255  # icrc1_decimals is a nat8
MAX_TEXT = 600  # longer than 255 decimals and any balance, shorter than Python's limit on digits

_DIGITS = re.compile(r"[0-9]+\Z")


def parse_amount(text: str, decimals: int) -> Base:
    """Read digits with at most one point and give base units, exactly; ValueError with a sentence for a person.

    Digits stand on both sides of a point (`.5` and `5.` are refused: a lost digit looks just so), and there are never
    more behind it than the token has, not even zeros. Spaces around the text are forgiven, nothing else is.
    """
    _check_decimals(decimals)
    text = text.strip(" \t\r\n")
    if not text:
        raise ValueError("no amount given")
    if len(text) > MAX_TEXT:
        raise ValueError("this amount is too long")
    whole, point, fraction = text.partition(".")
    for part in (whole, fraction):
        if part and not _DIGITS.match(part):
            raise ValueError(_about_character(part))
    if not whole and not fraction:
        raise ValueError("an amount needs digits")
    if not whole:
        raise ValueError(f"write a digit before the point: 0.{fraction}")
    if point and not fraction:
        raise ValueError(f"write digits after the point, or no point: {whole}")
    if len(fraction) > decimals:
        raise ValueError(_about_decimals(decimals, len(fraction)))
    return Base(int(whole + fraction.ljust(decimals, "0")))


def format_amount(base: int, decimals: int, grouping: bool = False) -> str:
    """The exact text with all decimals, `1.50000000`; `grouping` sets commas between thousands, for screens only.

    Without grouping `parse_amount` reads it back to the same number. ValueError for a negative or an absurd amount
    (more digits than `parse_amount` takes).
    """
    _check_decimals(decimals)
    if base < 0:
        raise ValueError("an amount is never negative")
    if base.bit_length() > 3 * MAX_TEXT:  # before str(), whose cost is quadratic and whose length Python limits
        raise ValueError("this amount is too large to be shown")
    digits = str(base).rjust(decimals + 1, "0")
    whole, fraction = (digits[:-decimals], digits[-decimals:]) if decimals else (digits, "")
    if grouping:
        whole = f"{int(whole):,}"
    return f"{whole}.{fraction}" if fraction else whole


def format_short(base: int, decimals: int, grouping: bool = False) -> str:
    """The exact text without the zeros at its end: `1.5`, `12`."""
    text = format_amount(base, decimals, grouping)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _check_decimals(decimals: int) -> None:
    if not 0 <= decimals <= MAX_DECIMALS:
        raise ValueError(f"a token has 0 to {MAX_DECIMALS} decimals, not {decimals}")


def _about_character(part: str) -> str:
    if "." in part:
        return "an amount has one point only"
    if "," in part:
        return "write the amount without commas, with a point before the decimals: 1234.5"
    if part[0] in "+-":
        return "write the amount without a sign"
    if any(character.isspace() for character in part):
        return "write the amount without spaces"
    return "an amount is written with the digits 0 to 9 and a point, nothing else"


def _about_decimals(decimals: int, given: int) -> str:
    if decimals == 0:
        return "this token has whole units only: write the amount without a point"
    return f"this token has {decimals} digits after the point, and this amount has {given}"
