"""A stamp comes from certified time, is the sender's only one, and later than the payment's last (R11, R14, R23)."""

from hypothesis import given
from hypothesis import strategies as st

from tests.builders import NOW
from wallet.core.ledger_time import SECOND, LedgerTime
from wallet.core.stamping import choose_stamp


def test_it_is_certified_time_less_a_random_part_of_a_second() -> None:  # R11
    assert choose_stamp(NOW, 0, set()) == NOW
    assert choose_stamp(NOW, 123_456_789, set()) == NOW - 123_456_789
    assert choose_stamp(NOW, SECOND, set()) == NOW - SECOND


def test_the_senders_other_stamps_are_stepped_around() -> None:  # R11
    taken = {LedgerTime(NOW - n) for n in range(3)}
    assert choose_stamp(NOW, 0, taken) == NOW - 3
    assert choose_stamp(NOW, 1, taken) == NOW - 3
    assert choose_stamp(NOW, SECOND, {LedgerTime(NOW - SECOND)}) == NOW - SECOND + 1


def test_it_is_later_than_the_payments_last_stamp_or_has_to_wait() -> None:  # R14
    assert choose_stamp(NOW, 5, set(), LedgerTime(NOW - 1)) == NOW
    assert choose_stamp(NOW, 5, set(), NOW) is None
    assert choose_stamp(LedgerTime(NOW + 1), 5, set(), NOW) == NOW + 1
    assert choose_stamp(NOW, 5, set(), LedgerTime(NOW + SECOND)) is None


def test_it_waits_where_every_allowed_moment_is_taken() -> None:  # R11, R14
    taken = {LedgerTime(NOW - 1), NOW}
    assert choose_stamp(NOW, 7, taken, LedgerTime(NOW - 2)) is None


def test_it_is_not_later_than_the_clock_of_a_ledger_that_said_created_in_future() -> None:  # R23
    clock = LedgerTime(NOW - 70 * SECOND)
    assert choose_stamp(NOW, 0, set(), None, clock) == clock
    # A ledger ahead of certified time moves no stamp past that (R14).
    assert choose_stamp(NOW, 0, set(), None, LedgerTime(NOW + SECOND)) == NOW


@given(
    certified=st.integers(0, 5 * SECOND),
    random_ns=st.integers(0, SECOND),
    taken=st.sets(st.integers(0, 5 * SECOND), max_size=8),
    later_than=st.none() | st.integers(0, 6 * SECOND),
    not_later_than=st.none() | st.integers(0, 6 * SECOND),
)
def test_a_stamp_keeps_every_bound_it_was_given(
    certified: int, random_ns: int, taken: set[int], later_than: int | None, not_later_than: int | None
) -> None:
    stamp = choose_stamp(
        LedgerTime(certified),
        random_ns,
        {LedgerTime(each) for each in taken},
        None if later_than is None else LedgerTime(later_than),
        None if not_later_than is None else LedgerTime(not_later_than),
    )
    latest = certified if not_later_than is None else min(certified, not_later_than)
    if stamp is None:
        earliest = max(latest - SECOND, 0 if later_than is None else later_than + 1)
        assert latest - earliest + 1 <= len(taken)  # no moment is free
        return
    assert stamp <= latest
    assert stamp >= latest - SECOND
    assert stamp >= 0
    assert stamp not in taken
    assert later_than is None or stamp > later_than


@given(st.integers(1, 50), st.integers(0, SECOND))
def test_a_dense_crowd_of_stamps_is_filled_to_the_last_moment(width: int, random_ns: int) -> None:  # R11
    last = LedgerTime(NOW - width)
    taken: set[LedgerTime] = set()
    for _ in range(width):
        stamp = choose_stamp(NOW, random_ns, taken, last)
        assert stamp is not None
        taken.add(stamp)
    assert taken == {LedgerTime(NOW - n) for n in range(width)}
    assert choose_stamp(NOW, random_ns, taken, last) is None
