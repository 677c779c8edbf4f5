"""Candid values survive the store, whatever they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.adapters.store.value_json import value_from_text, value_to_text
from wallet.core.principal import Principal
from wallet.core.value import Case, Value

names = st.text(st.characters(codec="utf-8"), max_size=8)
leaves: st.SearchStrategy[Value] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=-(10**60), max_value=10**60),
    st.text(st.characters()),  # lone surrogates too
    st.binary(max_size=40),
    st.binary(max_size=29).map(Principal),
    st.integers(-1, 1).map(lambda sign: sign * 2**4096 - sign),  # where decimal text ends
    st.integers(-1, 1).map(lambda sign: sign * 2**4096),
    st.sampled_from([{"int": "1"}, {"record": {}}, {"case": ["a", None]}, {"blob": ""}]),
)
values: st.SearchStrategy[Value] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(names, inner, max_size=4),
        st.builds(Case, names, inner),
    ),
    max_leaves=12,
)


def shape(value: Value) -> object:
    """The value with its types: to Python, True is 1."""
    match value:
        case list():
            return [shape(each) for each in value]
        case dict():
            return {name: shape(each) for name, each in value.items()}
        case Case():
            return (Case, value.tag, shape(value.value))
        case _:
            return (type(value), value)


@given(value=values)
def test_a_value_comes_back_as_it_went_in(value: Value) -> None:
    text = value_to_text(value)
    assert text.isascii()
    assert shape(value_from_text(text)) == shape(value)


@given(one=values, two=values)
def test_two_texts_are_equal_exactly_where_the_values_are(one: Value, two: Value) -> None:
    assert (value_to_text(one) == value_to_text(two)) == (shape(one) == shape(two))


@given(fields=st.dictionaries(names, leaves, min_size=2))
def test_the_order_of_fields_does_not_matter(fields: dict[str, Value]) -> None:
    assert value_to_text(fields) == value_to_text(dict(reversed(fields.items())))


def test_a_value_as_deep_as_the_reader_of_candid_allows_is_kept() -> None:
    value: Value = None
    for _ in range(96):
        value = Case("in", [{"er": value}])
    assert shape(value_from_text(value_to_text(value))) == shape(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "1.5",
        "{}",
        '{"int": 1}',
        '{"int": "1", "blob": ""}',
        '{"int": "x"}',
        '{"case": ["Ok"]}',
        '{"blob": "0"}',
        '{"record": []}',
        '{"principal": "a"}',
        '{"no": "such"}',
        "[" * 100_000,
    ],
)
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        value_from_text(text)


@pytest.mark.parametrize("number", [10**5000, -(10**5000)], ids=["positive", "negative"])
def test_a_number_longer_than_python_reads_is_kept(number: int) -> None:
    assert value_from_text(value_to_text(number)) == number


def test_a_name_that_no_candid_has_is_refused() -> None:
    with pytest.raises(ValueError, match="no name"):
        value_to_text({"\ud83e": None})
