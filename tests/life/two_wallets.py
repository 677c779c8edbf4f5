"""Two processes confirm one intent at once, again and again; every time it must be sent once.

    python -m tests.life.two_wallets [--rounds N]      (200)

Prints its figures; exit 1 where two of them paid twice, or neither did.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.life.lab import Lab, Violation, laboratory
from wallet.core.intent import State


@dataclass
class Figures:
    """What the rounds came to; `codes` are the exit codes of each pair."""

    rounds: int = 0
    blocks: int = 0
    codes: Counter[tuple[int, ...]] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        return [
            f"rounds      {self.rounds}",
            f"blocks      {self.blocks}",
            f"violations  {len(self.violations)}",
            *(f"  {each}" for each in self.violations),
            *(f"  {count:5}  exit codes {codes}" for codes, count in sorted(self.codes.items())),
        ]


def confirm_at_once(lab: Lab, figures: Figures) -> None:
    """One round. Both hold the card's digest, and both were told `yes`."""
    figures.rounds += 1
    intent = lab.prepared()
    words = ("confirm", intent.id, "--digest", intent.digest)
    with lab.wallet.start(*words) as one, lab.wallet.start(*words) as two:
        for process in (one, two):
            process.communicate(timeout=60)
    codes = tuple(sorted((one.returncode, two.returncode)))
    figures.codes[codes] += 1
    try:
        # Whoever came second shows the intent as it is then, settled or still with the other; or is refused (2).
        if 0 not in codes or not set(codes) <= {0, 2, 4}:
            raise Violation(f"{intent.id}: exit codes {codes}")
        found = lab.intent(intent.id)
        if found.state is not State.SETTLED or len(found.attempts) != 1 or found.attempts[0].posts != 1:
            raise Violation(f"{intent.id}: {found.state}, {[each.posts for each in found.attempts]} posts")
        figures.blocks += lab.check_end(intent.id)
    except Violation as violation:
        figures.violations.append(str(violation))


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.life.two_wallets")
    parser.add_argument("--rounds", type=int, default=200)
    chosen = parser.parse_args(words)
    figures, started = Figures(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="two-wallets-") as folder, laboratory(Path(folder)) as lab:
        for _ in range(chosen.rounds):
            confirm_at_once(lab, figures)
    print("\n".join(figures.lines()))  # noqa: T201
    print(f"in {time.monotonic() - started:.0f} s")  # noqa: T201
    return 1 if figures.violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
