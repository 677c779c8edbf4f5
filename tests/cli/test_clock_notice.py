"""A host clock that is off is named to the person once a run, however many networks are looked at (R33)."""

from pathlib import Path

from wallet import wiring
from wallet.core.ledger_time import MINUTE


def test_the_hosts_clock_is_named_once_a_run(tmp_path: Path) -> None:
    said: list[str] = []
    host = wiring.Host(tmp_path, {}, None, said.append)
    for offset_ns in (None, 3 * MINUTE, 3 * MINUTE + 1, -3 * MINUTE):
        wiring._name_clock_offset(offset_ns, host)
    (sentence,) = said
    assert "3 min ahead of the network's" in sentence
