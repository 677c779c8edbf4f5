"""One decision of a person: its identity, its digest, and when it may be prepared anew (R10, R13-R15)."""

import hashlib
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import ALICE, BOB, LEDGER, NOW, ROOT_KEY, icrc1_pack, make_intent, make_principal
from wallet.core.intent import Intent, Outcome, SettledBy, State, lookup_key
from wallet.core.ledger_time import DAY, MINUTE
from wallet.core.principal import Principal
from wallet.core.value import Case, Value


def key(arguments: dict[str, Value], **changes: Any) -> bytes:
    facts: dict[str, Any] = {
        "root_key": ROOT_KEY,
        "sender": ALICE.owner,
        "canister": LEDGER,
        "method": "icrc1_transfer",
        "pack": icrc1_pack(),
        "fee_is_auto": False,
    }
    return lookup_key(arguments=arguments, **{**facts, **changes})


def test_the_stamp_is_no_part_of_the_identity() -> None:  # R10
    assert make_intent(stamp=NOW).lookup_key == make_intent(stamp=NOW + 1).lookup_key


def test_an_auto_filled_fee_is_left_out_and_a_given_one_is_not() -> None:  # R13
    assert make_intent(fee=1).lookup_key == make_intent(fee=2).lookup_key
    given_fees = [make_intent(fee=fee, fee_is_auto=False).lookup_key for fee in (1, 2)]
    assert given_fees[0] != given_fees[1]


@pytest.mark.parametrize(
    "other",
    [
        {"root_key": bytes(133)},
        {"sender": BOB},
        {"ledger": Principal(b"\7")},
        {"method": "icrc2_approve"},
        {"amount": 7},
        {"recipient": ALICE},
        {"memo": b"x"},
        {"memo": b""},
    ],
)
def test_network_sender_ledger_method_and_arguments_are_the_identity(other: dict[str, Any]) -> None:  # R10
    assert make_intent(**other).lookup_key != make_intent().lookup_key


def test_an_absent_field_equals_a_null_one() -> None:  # R10: defaults applied
    assert key({"amount": 1, "memo": None}) == key({"amount": 1})


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.text(max_size=4),
    st.binary(max_size=4),
    st.binary(max_size=4).map(Principal),
)
VALUES: st.SearchStrategy[Value] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(max_size=3), inner, max_size=3),
        st.builds(Case, st.text(max_size=3), inner),
    ),
    max_leaves=6,
)


def plain(value: Value) -> object:
    """A value with its types spelled out and absent fields gone: equal exactly for the same thing to a ledger."""
    match value:
        case list():
            return ("list", *map(plain, value))
        case dict():
            return ("record", frozenset((name, plain(inner)) for name, inner in value.items() if inner is not None))
        case Case(tag=tag, value=inner):
            return ("case", tag, plain(inner))
        case _:
            return (type(value).__name__, value)


@given(VALUES, VALUES)
def test_two_keys_are_equal_exactly_for_equal_arguments(left: Value, right: Value) -> None:  # R10
    assert (key({"x": left}) == key({"x": right})) == (plain({"x": left}) == plain({"x": right}))


@given(st.dictionaries(st.sampled_from("abcdef"), SCALARS), st.randoms())
def test_the_order_of_fields_does_not_matter(fields: dict[str, Value], random: Any) -> None:
    shuffled = list(fields.items())
    random.shuffle(shuffled)
    assert key(fields) == key(dict(shuffled))


def test_what_was_confirmed_cannot_be_changed() -> None:  # R12
    intent = make_intent()
    with pytest.raises(FrozenInstanceError):
        intent.argument_bytes = b""  # type: ignore[misc]


def test_the_digest_binds_a_confirmation_to_the_very_bytes() -> None:  # R15
    intent = make_intent()
    assert intent.bytes_sha256 == hashlib.sha256(intent.argument_bytes).hexdigest()
    assert intent.digest == intent.bytes_sha256[:16]
    assert make_intent(stamp=NOW + 1).digest != intent.digest


def test_the_window_closes_a_day_after_the_stamp_and_rests_on_no_drift() -> None:  # R21
    intent = make_intent()
    assert intent.window_closes == intent.stamp + DAY
    assert intent.window.drift_ns == 2 * MINUTE


def ended(settled_by: SettledBy, moved: bool | None, **changes: Any) -> Intent:
    return replace(make_intent(), outcome=Outcome(State.SETTLED, settled_by=settled_by, moved=moved), **changes)


@pytest.mark.parametrize("settled_by", ["reply", "history", "person", "restamp"])
@pytest.mark.parametrize("moved", [True, False, None])
def test_only_an_ending_that_says_not_executed_by_history_or_person_asks(settled_by: Any, moved: bool | None) -> None:
    asks = settled_by in ("history", "person") and moved is False
    assert ended(settled_by, moved).asks_for_restamp is asks  # R14


def test_one_that_has_its_successor_asks_no_more() -> None:  # R14, R23
    assert not ended("history", False, superseded_by="another").asks_for_restamp


@pytest.mark.parametrize("state", [state for state in State if state is not State.SETTLED])
def test_an_open_intent_asks_by_its_state_and_is_not_settled(state: State) -> None:  # R13
    intent = replace(make_intent(), outcome=Outcome(state))
    assert not intent.is_settled
    assert not intent.asks_for_restamp


def test_the_card_says_what_leaves_the_account() -> None:
    card = make_intent(amount=150_000_000, fee=10_000).card
    assert card.total == 150_010_000
    assert card.text(card.total) == "1.50010000"


def test_two_people_never_share_a_key() -> None:  # R10
    keys = {make_intent(sender=replace(ALICE, owner=make_principal(n))).lookup_key for n in range(20)}
    assert len(keys) == 20
