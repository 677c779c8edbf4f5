"""A Secret shows nothing, whatever is done to it."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.core.secret import Secret


@given(st.text(min_size=1))
def test_text_comes_back_as_utf8_and_never_shows(text: str) -> None:
    try:
        expected = text.encode("utf-8")
    except UnicodeEncodeError:
        return  # a lone surrogate is no text
    secret = Secret(text)
    assert secret.reveal() == expected
    assert {repr(secret), str(secret), f"{secret}", "%s" % secret} == {"Secret(...)"}  # noqa: UP031


@pytest.mark.parametrize("act", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_secret_is_neither_pickled_nor_copied(act: object) -> None:
    assert callable(act)
    with pytest.raises(TypeError, match="neither pickled nor copied"):
        act(Secret("hush"))


def test_secrets_are_compared_by_value_and_cannot_be_hashed() -> None:
    assert Secret("a") == Secret(b"a") != Secret("b")
    assert Secret("a") != "a"
    assert not Secret("")
    with pytest.raises(TypeError):
        hash(Secret("a"))


def test_a_secret_has_no_attribute_dictionary_to_print() -> None:
    assert not hasattr(Secret("a"), "__dict__")
