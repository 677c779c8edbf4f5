"""Memos: the bytes a payment carries for its recipient, from text or from hex, and how they are shown."""

import re
import unicodedata
from typing import NamedTuple

MAX_MEMO_BYTES = 32  # the reference ledger's; icrc1:max_memo_length says another

_HEX = re.compile(r"[0-9a-fA-F]+\Z")
# Letters and marks by their category, yet drawn as nothing: joiner, fillers, braille blank, variation selectors.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


class ShownMemo(NamedTuple):
    """A memo for the screen. `text` is None where the bytes are no text that can be read for what it is."""

    text: str | None
    hex: str


def memo_from_text(text: str, max_bytes: int = MAX_MEMO_BYTES) -> bytes | None:
    """The UTF-8 bytes of a text, exactly as typed; the empty text means no memo. ValueError with a sentence.

    A text that could not be shown on the card as what it is (control, zero-width, direction marks) is refused.
    """
    if not text:
        return None  # a ledger tells an empty memo from an absent one: we only ever send absent
    unseen = next((character for character in text if not is_plain(character)), None)
    if unseen is not None:
        raise ValueError(
            f"the memo holds a character that cannot be seen (U+{ord(unseen):04X}); give it as hex instead"
        )
    if unicodedata.category(text[0]).startswith("M"):
        raise ValueError("the memo begins with a mark that needs a letter before it; give it as hex instead")
    return _bounded(text.encode("utf-8"), max_bytes)


def memo_from_hex(text: str, max_bytes: int = MAX_MEMO_BYTES) -> bytes | None:
    """The bytes of pairs of hex digits; nothing means no memo. ValueError with a sentence."""
    text = text.strip()
    if not text:
        return None
    if text[:2] in ("0x", "0X"):
        raise ValueError("a memo in hex is written without 0x")
    if not _HEX.match(text):
        raise ValueError("a memo in hex holds hex digits only: 0 to 9 and a to f")
    if len(text) % 2:
        raise ValueError(f"hex digits come in pairs, and this memo has {len(text)}")
    return _bounded(bytes.fromhex(text), max_bytes)


_MAX_NUMBER = (1 << 64) - 1


def number_memo(text: str) -> bytes | None:
    """A memo that is a number, as its decimal digits; None for 0, which is no memo. ValueError with a sentence."""
    text = text.strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 20) or int(text) > _MAX_NUMBER:
        raise ValueError(f"this ledger's memo is a number from 0 to {_MAX_NUMBER}")
    return b"%d" % int(text) if int(text) else None


def describe(memo: bytes) -> ShownMemo:
    """Text and hex of a memo; the text only where it is UTF-8 that reads as what it is."""
    try:
        text: str | None = memo.decode("utf-8")
    except UnicodeDecodeError:
        text = None
    if not text or not all(map(is_plain, text)) or unicodedata.category(text[0]).startswith("M"):
        text = None
    return ShownMemo(text, memo.hex())


def is_plain(character: str) -> bool:
    """Whether it is seen for what it is: no control or direction mark, nothing that is drawn as nothing."""
    return character.isprintable() and not _UNSEEN.match(character)


def _bounded(memo: bytes, max_bytes: int) -> bytes:
    # A ledger does not refuse a longer one in words: it traps.
    if len(memo) > max_bytes:
        raise ValueError(f"this ledger takes a memo of at most {max_bytes} bytes, and this one has {len(memo)}")
    return memo
