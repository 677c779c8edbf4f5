"""Visit every world within so many moves, and say what is wrong in any: `python -m tests.life.explore --depth 9`."""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.life.model import Model
from tests.life.promises import Promises
from tests.life.wallet_steps import Broken
from tests.life.world import SETTINGS, Setting, World

DEPTH = 9
LUCK = 2


@dataclass
class Report:
    """What one exploration came to. `found`: each violation with the moves that lead to it."""

    setting: str
    depth: int
    luck: int
    states: int = 0
    moves: int = 0
    frontier: int = 0
    seconds: float = 0.0
    found: dict[str, list[str]] = field(default_factory=dict)

    def __str__(self) -> str:
        head = (
            f"{self.setting}: {self.states:,} worlds, {self.moves:,} moves to depth {self.depth} with at most "
            f"{self.luck} misfortunes, {self.frontier:,} left, {self.seconds:.1f} s, {len(self.found)} violations"
        )
        return "\n".join([head, *(f"  {wrong}\n    " + "\n    ".join(path) for wrong, path in self.found.items())])


def explore(
    setting: Setting,
    depth: int = DEPTH,
    luck: int = LUCK,
    make_model: Callable[[Setting], Model] = Model,
    stop_at_first: bool = False,
) -> Report:
    """Breadth first, so the moves that lead to a violation are the fewest."""
    started = time.monotonic()
    model = make_model(setting)
    promises = Promises(model)
    report = Report(setting.name, depth, luck)
    first = model.start(luck)
    came_from: dict[World, tuple[World, str] | None] = {first: None}
    layer = [first]

    def path_to(world: World) -> list[str]:
        path: list[str] = []
        while (step := came_from[world]) is not None:
            world = step[0]
            path.append(step[1])
        return path[::-1]

    def look_at(world: World) -> Iterator[str]:
        yield from promises.violations(world)
        for i in range(len(world.intents)):
            try:
                if promises.is_stuck(world, i):
                    yield "it has no way on"
            except Broken as broken:
                yield str(broken)

    for _ in range(depth + 1):
        following: list[World] = []
        for world in layer:
            report.states += 1
            wrongs = list(look_at(world))
            for wrong in wrongs:
                report.found.setdefault(wrong, path_to(world))
            if wrongs:
                if stop_at_first:
                    report.seconds = time.monotonic() - started
                    return report
                continue
            try:
                for move in model.moves(world):
                    report.moves += 1
                    if move.world not in came_from:
                        came_from[move.world] = (world, move.label)
                        following.append(move.world)
            except Broken as broken:
                report.found.setdefault(str(broken), path_to(world))
        layer = following
        if not layer:
            break
    report.frontier = len(layer)
    report.seconds = time.monotonic() - started
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--depth", type=int, default=DEPTH, help="moves in a row (%(default)s)")
    parser.add_argument("--luck", type=int, default=LUCK, help="misfortunes in one life (%(default)s)")
    parser.add_argument("--setting", help="only the kinds of ledger whose name contains this")
    chosen = parser.parse_args()
    total = 0
    for setting in SETTINGS:
        if not chosen.setting or chosen.setting in setting.name:
            report = explore(setting, chosen.depth, chosen.luck)
            total += report.states
            print(report, flush=True)  # noqa: T201
    print(f"{total:,} worlds in all")  # noqa: T201


if __name__ == "__main__":
    main()
