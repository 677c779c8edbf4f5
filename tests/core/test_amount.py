"""Amounts are exact for every number of decimals, and nothing that only looks like a number is read as one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.core.amount import format_amount, format_short, parse_amount

decimals_of_a_token = st.integers(0, 38) | st.integers(0, 255)
amounts = st.integers(0, 10**12) | st.integers(0, 2**128) | st.integers(0, 10**300)


@given(amounts, decimals_of_a_token)
def test_parse_after_print_is_identity(base: int, decimals: int) -> None:
    assert parse_amount(format_amount(base, decimals), decimals) == base
    assert parse_amount(format_short(base, decimals), decimals) == base


@given(st.integers(0, 10**40), st.text("0123456789", max_size=38), st.integers(0, 40))
def test_parse_is_the_place_value_of_the_digits(whole: int, fraction: str, spare: int) -> None:
    decimals = len(fraction) + spare
    text = f"{whole}.{fraction}" if fraction else str(whole)
    assert parse_amount(text, decimals) == whole * 10**decimals + int(fraction or "0") * 10**spare


@given(amounts, decimals_of_a_token)
def test_the_full_form_has_all_decimals(base: int, decimals: int) -> None:
    whole, _, fraction = format_amount(base, decimals).partition(".")
    assert len(fraction) == decimals
    assert whole == str(base // 10**decimals)


@given(amounts, decimals_of_a_token)
def test_grouping_only_adds_commas(base: int, decimals: int) -> None:
    assert format_amount(base, decimals, grouping=True).replace(",", "") == format_amount(base, decimals)


@given(st.text(max_size=30), decimals_of_a_token)
def test_only_digits_and_a_point_are_read(text: str, decimals: int) -> None:
    try:
        base = parse_amount(text, decimals)
    except ValueError:
        return
    assert set(text.strip(" \t\r\n")) <= set("0123456789.")
    assert base >= 0


@pytest.mark.parametrize(
    ("text", "decimals", "base"),
    [
        ("1.5", 8, 150_000_000),
        ("1.50", 8, 150_000_000),
        ("0.29", 8, 29_000_000),  # through a float: 28,999,999
        ("1", 8, 100_000_000),  # never one base unit
        ("1", 0, 1),
        ("0", 0, 0),
        ("007.10", 2, 710),
        (" 1.5\n", 1, 15),
        ("18446744073709551616", 0, 2**64),
        ("123456789012345678901.123456789012345678", 18, 123456789012345678901123456789012345678),
    ],
)
def test_examples(text: str, decimals: int, base: int) -> None:
    assert parse_amount(text, decimals) == base


@pytest.mark.parametrize(
    ("text", "decimals", "why"),
    [
        ("", 8, "no amount given"),
        (" ", 8, "no amount given"),
        (".", 8, "needs digits"),
        (".5", 8, "write a digit before the point: 0.5"),
        ("5.", 8, "write digits after the point, or no point: 5"),
        ("1.123456789", 8, "8 digits after the point, and this amount has 9"),
        ("1.000000000", 8, "8 digits after the point, and this amount has 9"),
        ("1.0", 0, "whole units only"),
        ("1.2.3", 8, "one point only"),
        ("1..2", 8, "one point only"),
        ("1,000", 8, "without commas"),
        ("1,5", 8, "without commas"),
        ("1.000,5", 8, "without commas"),
        ("+1", 8, "without a sign"),
        ("-1", 8, "without a sign"),
        ("-0", 8, "without a sign"),
        ("1e3", 8, "digits 0 to 9"),
        ("1_000", 8, "digits 0 to 9"),
        ("1 000", 8, "without spaces"),
        ("1\u00a0000", 8, "without spaces"),
        ("１.５", 8, "digits 0 to 9"),
        ("٣", 8, "digits 0 to 9"),
        ("²", 8, "digits 0 to 9"),
        ("1.5 TOK", 8, "without spaces"),
        ("1'000", 8, "digits 0 to 9"),
        ("0x10", 8, "digits 0 to 9"),
        ("NaN", 8, "digits 0 to 9"),
        ("inf", 8, "digits 0 to 9"),
        ("1\x00", 8, "digits 0 to 9"),
        ("1.5\n1", 8, "without spaces"),
        ("9" * 601, 8, "too long"),
    ],
)
def test_each_refusal_has_its_reason(text: str, decimals: int, why: str) -> None:
    with pytest.raises(ValueError, match=r"[a-z]") as refusal:
        parse_amount(text, decimals)
    assert why in str(refusal.value)


@pytest.mark.parametrize(
    ("base", "decimals", "full", "short", "grouped"),
    [
        (150_000_000, 8, "1.50000000", "1.5", "1.50000000"),
        (0, 8, "0.00000000", "0", "0.00000000"),
        (1, 8, "0.00000001", "0.00000001", "0.00000001"),
        (841_250_000_000, 8, "8412.50000000", "8412.5", "8,412.50000000"),
        (1_000, 0, "1000", "1000", "1,000"),
        (120, 1, "12.0", "12", "12.0"),
        (10**9, 8, "10.00000000", "10", "10.00000000"),
    ],
)
def test_printing(base: int, decimals: int, full: str, short: str, grouped: str) -> None:
    assert format_amount(base, decimals) == full
    assert format_short(base, decimals) == short
    assert format_amount(base, decimals, grouping=True) == grouped


@pytest.mark.parametrize("decimals", [-1, 256])
def test_impossible_decimals_are_refused(decimals: int) -> None:
    with pytest.raises(ValueError, match="0 to 255 decimals"):
        parse_amount("1", decimals)
    with pytest.raises(ValueError, match="0 to 255 decimals"):
        format_amount(1, decimals)


def test_a_negative_or_absurd_amount_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="never negative"):
        format_amount(-1, 8)
    with pytest.raises(ValueError, match="too large to be shown"):
        format_amount(1 << 20_000, 8)  # Python itself stops at 4300 digits


@given(st.integers(0, 255))
def test_the_largest_shown_amount_is_read_back(decimals: int) -> None:
    base = (1 << 1800) - 1
    assert parse_amount(format_amount(base, decimals), decimals) == base
