"""The network's time as the wallet reckons it: never from the host's wall clock (R33)."""

from hypothesis import given
from hypothesis import strategies as st

from wallet.adapters.ic.network_time import MAX_AGE_NS, NetworkTime
from wallet.core.ledger_time import LedgerTime

T0 = LedgerTime(1_800_000_000_000_000_000)


class Clock:
    def __init__(self) -> None:
        self.monotonic = 1_000
        self.wall = T0 + 3_600_000_000_000

    def network_time(self) -> NetworkTime:
        return NetworkTime(lambda: self.monotonic, lambda: self.wall)


def test_time_is_unknown_until_it_was_certified() -> None:
    network = Clock().network_time()
    assert network.now() is None
    assert network.host_offset_ns is None
    assert not network.is_stale(LedgerTime(0))


def test_time_goes_on_with_the_monotonic_clock_only() -> None:
    clock = Clock()
    network = clock.network_time()
    network.observe(T0)
    clock.monotonic += 5
    clock.wall -= 10**15
    assert network.now() == T0 + 5


@given(st.lists(st.tuples(st.integers(0, 10**9), st.integers(-(10**9), 10**9)), max_size=20))
def test_time_never_runs_backwards(steps: list[tuple[int, int]]) -> None:
    clock = Clock()
    network = clock.network_time()
    network.observe(T0)
    last = T0
    for elapsed, step in steps:
        clock.monotonic += elapsed
        network.observe(LedgerTime(T0 + step))
        now = network.now()
        assert now is not None
        assert now >= last
        last = now


def test_a_certificate_is_stale_five_minutes_after_the_networks_time() -> None:
    clock = Clock()
    network = clock.network_time()
    network.observe(T0)
    clock.monotonic += MAX_AGE_NS
    assert not network.is_stale(T0)
    clock.monotonic += 1
    assert network.is_stale(T0)


def test_an_earlier_sessions_time_makes_older_certificates_stale_and_tells_no_time() -> None:
    network = Clock().network_time()
    network.remember(T0)
    assert network.now() is None
    assert network.host_offset_ns is None
    assert network.is_stale(LedgerTime(T0 - MAX_AGE_NS - 1))
    assert not network.is_stale(LedgerTime(T0 - MAX_AGE_NS))


def test_a_wrong_host_clock_is_named_with_its_offset() -> None:
    clock = Clock()
    network = clock.network_time()
    network.observe(T0)
    assert network.host_offset_ns == 3_600_000_000_000
    clock.wall = T0 - 7
    assert network.host_offset_ns == -7
