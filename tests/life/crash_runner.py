"""Kills the real program again and again, reopens it, lets it settle, and counts the blocks.

    python -m tests.life.crash_runner --rounds 500 [--seed S]      SIGKILL at random moments
    python -m tests.life.crash_runner --minutes 10
    python -m tests.life.crash_runner --points [--only WORD]       death at every point, one after the other

Prints its figures; exit 1 where one confirmation made two blocks, an ending was false or an intent was lost.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.life.lab import PAST_THE_WINDOW_S, Lab, Violation, laboratory
from tests.life.mortal import Mortals
from wallet.core.intent import Intent, State


@dataclass(frozen=True)
class Case:
    """A command that is about to run, and how to know afterwards which intent it was about."""

    words: tuple[str, ...]
    about: Callable[[], str]


Scenario = Callable[[Lab], Case]


def _known(intent: Intent, *words: str) -> Case:
    return Case(words, lambda: intent.id)


def confirm(lab: Lab) -> Case:
    """The ordinary way."""
    intent = lab.prepared()
    return _known(intent, "confirm", intent.id, "--digest", intent.digest)


def confirm_lost_reply(lab: Lab) -> Case:
    """It executes, and the answer never comes: the status is asked for, and a second look is taken (R27)."""
    case = confirm(lab)
    lab.devnet.arm("lose_reply")
    return case


def confirm_late(lab: Lab) -> Case:
    """Taken, and executed a moment later: the killed wallet leaves a call behind that is still to run."""
    case = confirm(lab)
    lab.devnet.arm("delay", 1)
    return case


def resume_absent(lab: Lab) -> Case:
    """Nothing arrived, deduplication unproven: the history is read to its end, then the same bytes go (R19, R25)."""
    lab.prove_dedup(False)
    intent = lab.unknown("lose_request")
    return _known(intent, "resume", intent.id)


def resume_found(lab: Lab) -> Case:
    """It executed and nobody will say so: found in the history (R25)."""
    lab.prove_dedup(False)
    intent = lab.unknown("forget_status")
    return _known(intent, "resume", intent.id)


def resume_duplicate(lab: Lab) -> Case:
    """It executed and nobody will say so, deduplication proven: the same bytes again, and a Duplicate (R19, R20)."""
    lab.prove_dedup(True)
    intent = lab.unknown("forget_status")
    return _known(intent, "resume", intent.id)


def restamp(lab: Lab) -> Case:
    """The window closed over the card (R23)."""
    intent = lab.prepared()
    lab.devnet.jump(PAST_THE_WINDOW_S)
    lab.with_services(lambda services: services.confirm(intent))
    return _known(intent, "restamp", intent.id)


def prepare(lab: Lab) -> Case:
    """Killed while preparing, then prepared again: one intent (R13)."""
    amount = lab.next_amount()
    words = ("prepare", "--ledger", "TOK", "--to", lab.payee.text, "--amount", amount)

    def about() -> str:
        if lab.run(*words):
            raise Violation("what was killed while preparing cannot be prepared again")
        found = lab.of_amount(amount)
        if len(found) != 1:
            raise Violation(f"{len(found)} intents of one payment")
        return found[0].id

    return Case(words, about)


SCENARIOS: tuple[Scenario, ...] = (
    *(confirm, confirm_lost_reply, confirm_late, resume_absent, resume_found, resume_duplicate, restamp, prepare),
)


@dataclass
class Figures:
    """What the rounds came to."""

    rounds: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    points: Counter[str] = field(default_factory=Counter)
    blocks: int = 0
    violations: list[str] = field(default_factory=list)
    lost: int = 0
    seconds: float = 0.0

    def lines(self) -> Iterator[str]:
        yield f"rounds      {self.rounds} in {self.seconds:.0f} s"
        yield f"blocks      {self.blocks}"
        yield f"lost        {self.lost} intents"
        yield f"violations  {len(self.violations)}"
        yield from (f"  {each}" for each in self.violations)
        yield "kills by what the reopened wallet found:"
        yield from (f"  {count:5}  {phase}" for phase, count in sorted(self.kills.items()))
        if self.points:
            yield "points where death was tried, each in its turn:"
            yield from (f"  {count:5}  {kind}" for kind, count in sorted(self.points.items()))


def judge(lab: Lab, case: Case, figures: Figures, was_killed: bool, what: str) -> None:
    """Reopen, settle, count."""
    figures.rounds += 1
    try:
        intent_id = case.about()
        chain, blocks = lab.chain(intent_id), lab.blocks()
        phase = _phase(chain, blocks) if was_killed else "ended before it was killed"
        figures.kills[f"{case.words[0]}: {phase}"] += 1
        lab.check(chain, blocks)
        lab.settle(intent_id)
        figures.blocks += lab.check_end(intent_id)
    except Violation as violation:
        figures.violations.append(f"{what}: {violation}")
        figures.lost += "is lost" in str(violation)


def _phase(chain: Sequence[Intent], blocks: Mapping[str, Sequence[str]]) -> str:
    intent = chain[-1]
    if intent.is_settled:
        return "settled on disk"
    if intent.state is State.PREPARED:
        return "prepared anew, the old one superseded" if len(chain) > 1 else "prepared, nothing sent"
    return f"{intent.state.value}, {'executed' if intent.bytes_sha256 in blocks else 'not executed'}"


def at_random(lab: Lab, figures: Figures, seed: int, rounds: int, until: float) -> None:
    """SIGKILL from outside, at a seeded moment of each command's usual time."""
    chance = random.Random(seed)
    usual: dict[str, float] = {}
    while figures.rounds < rounds and time.monotonic() < until:
        scenario = SCENARIOS[figures.rounds % len(SCENARIOS)]
        name = scenario.__name__
        case = scenario(lab)
        # Its first run is left to live, to learn how long it takes. Half of the kills fall into the second half, where
        # the sending is; the first is mostly Python loading.
        moment = usual[name] * chance.uniform(chance.choice((0.0, 0.5)), 1.05) if name in usual else None
        started = time.monotonic()
        with lab.wallet.start(*case.words) as process:
            try:
                process.communicate(timeout=moment)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
        if moment is None:
            usual[name] = time.monotonic() - started
        judge(lab, case, figures, process.returncode < 0, f"{name}, killed after {moment or 0:.3f} s")
        if figures.rounds % 50 == 0:
            print(f"{figures.rounds} rounds, {figures.blocks} blocks, {len(figures.violations)} violations", flush=True)  # noqa: T201


def is_telling(point: str) -> bool:
    """Whether disk and network are otherwise just before it than before the telling point that came last."""
    return "call" in point or "INSERT" in point or "UPDATE" in point or point == "shown"


def at_points(
    lab: Lab, mortals: Mortals, figures: Figures, scenario: Scenario, wanted: Callable[[str], bool] = lambda point: True
) -> None:
    """Death at each wanted point that the command comes to, one after the other; once it is left to live."""
    case = scenario(lab)
    living = mortals.run(case.words, lab.wallet.environment)
    judge(lab, case, figures, False, f"{scenario.__name__}, living")
    for die_at, point in enumerate(living.points):
        if wanted(point):
            case = scenario(lab)
            died = mortals.run(case.words, lab.wallet.environment, die_at)
            judge(lab, case, figures, died.was_killed, f"{scenario.__name__}, point {die_at}: {died.points[-1]}")
            figures.points[f"{scenario.__name__} {died.points[-1].partition(':')[0]}"] += 1


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.life.crash_runner", description=__doc__)
    parser.add_argument("--rounds", type=int, default=10**9)
    parser.add_argument("--minutes", type=float, default=None)
    parser.add_argument("--points", action="store_true", help="death at every point, exhaustively")
    parser.add_argument("--only", default="", help="the scenarios whose name holds this word")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(words)
    if not chosen.points and chosen.minutes is None and chosen.rounds == 10**9:
        parser.error("give --rounds, --minutes or --points")
    figures, started = Figures(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="crash-") as folder, laboratory(Path(folder)) as lab:
        if chosen.points:
            with Mortals() as mortals, lab.run_by(lambda words: mortals.run(words, lab.wallet.environment).code):
                for scenario in SCENARIOS:
                    if chosen.only in scenario.__name__:
                        at_points(lab, mortals, figures, scenario)
        else:
            until = started + chosen.minutes * 60 if chosen.minutes else float("inf")
            at_random(lab, figures, chosen.seed, chosen.rounds, until)
    figures.seconds = time.monotonic() - started
    print("\n".join(figures.lines()))  # noqa: T201
    return 1 if figures.violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
