"""Memos: what is typed is what is sent, and what is shown as text reads as what it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.core.memo import MAX_MEMO_BYTES, describe, memo_from_hex, memo_from_text


@given(st.text(max_size=40))
def test_a_text_is_refused_or_shown_exactly_as_typed(text: str) -> None:
    try:
        memo = memo_from_text(text)
    except ValueError:
        return
    if memo is None:
        assert text == ""
    else:
        assert describe(memo) == (text, text.encode().hex())
        assert len(memo) <= MAX_MEMO_BYTES


@given(st.binary(max_size=40))
def test_a_memo_read_from_its_hex_is_itself(memo: bytes) -> None:
    digits = describe(memo).hex
    assert memo_from_hex(digits, 40) == (memo or None)
    assert memo_from_hex(f" {digits.upper()} ", 40) == (memo or None)


@given(st.binary(max_size=40))
def test_a_shown_text_is_the_memos_utf8(memo: bytes) -> None:
    text = describe(memo).text
    if text is not None:
        assert text.isprintable()
        assert text.encode() == memo


@pytest.mark.parametrize(
    "text", ["invoice 77", "für Anna", "発注 12", " two spaces ", "🎁", "0x12", "e\u0301tude", "שלום"]
)
def test_ordinary_text_is_taken_as_it_is(text: str) -> None:
    memo = memo_from_text(text)
    assert memo == text.encode()
    assert describe(text.encode()).text == text


@pytest.mark.parametrize(
    "text",
    [
        "a\nb",
        "a\x00",
        "a\x1b[2J",
        "pay\u202eecila",
        "a\u2066b",
        "in\u200bvoice",
        "a\u200d",
        "a\ufeff",
        "a\u00adb",
        "a\u00a0b",
        "a\u2028b",
        "\u3164",
        "\u2800",
        "a\u034fb",
        "a\ufe0f",
        "a\U000e0041",
        "a\U000e0101",
        "\u0301a",
        "\ue000",
        "a\x85",
    ],
)
def test_what_cannot_be_seen_is_refused_and_shown_as_hex_only(text: str) -> None:
    with pytest.raises(ValueError, match="give it as hex instead"):
        memo_from_text(text)
    assert describe(text.encode()) == (None, text.encode().hex())


def test_an_undecodable_argument_is_refused() -> None:
    with pytest.raises(ValueError, match=r"U\+DCFF"):
        memo_from_text("\udcff")


@pytest.mark.parametrize("memo", [b"", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"abc\xe2\x82"])
def test_no_text_is_made_of_what_is_none(memo: bytes) -> None:
    assert describe(memo).text is None


def test_an_empty_memo_is_no_memo() -> None:
    assert memo_from_text("") is memo_from_hex("") is memo_from_hex("  ") is None


def test_the_limit_counts_bytes_and_is_the_ledgers() -> None:
    assert memo_from_text("é" * 16) is not None
    with pytest.raises(ValueError, match="at most 32 bytes, and this one has 34"):
        memo_from_text("é" * 17)
    with pytest.raises(ValueError, match="at most 2 bytes, and this one has 3"):
        memo_from_hex("aabbcc", 2)
    assert memo_from_text("x" * 80, 80) == b"x" * 80


@pytest.mark.parametrize(
    ("text", "why"),
    [("0xab", "without 0x"), ("abc", "in pairs, and this memo has 3"), ("zz", "hex digits only"), ("１２", "only")],
)
def test_a_wrong_hex_says_what_is_wrong(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        memo_from_hex(text)
