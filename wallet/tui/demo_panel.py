"""What the demo offers beside the wallet: tricks that its network can play, and the ledger's blocks, to be counted."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Trick:
    """A fault on cue. `lasts` says for how long; `is_armed` whether it waits for its call now."""

    name: str
    says: str
    lasts: str
    is_armed: bool


@dataclass(frozen=True, slots=True)
class DemoBlock:
    """A block of the demo's ledger, as the network's own record has it. `equals` is an earlier block of the very same
    call: the one thing that must not be."""

    index: int
    says: str
    equals: int | None


class DemoPanel(Protocol):
    """The embedded network's faults, as `wallet demo` hands them over."""

    def tricks(self) -> list[Trick]: ...
    def arm(self, name: str) -> str:
        """Arm it with its usual value, and say what will be seen."""
        ...

    def clear(self) -> None: ...
    def blocks(self, count: int) -> list[DemoBlock]:
        """The latest ones, newest first."""
        ...
