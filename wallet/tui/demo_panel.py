"""What the demo offers beside the wallet: tricks that its network can play, each with what will be seen."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Trick:
    """A fault on cue. `lasts` says for how long; `is_armed` whether it waits for its call now."""

    name: str
    says: str
    lasts: str
    is_armed: bool


class DemoPanel(Protocol):
    """The embedded network's faults, as `wallet demo` hands them over."""

    def tricks(self) -> list[Trick]: ...
    def arm(self, name: str) -> str:
        """Arm it with its usual value, and say what will be seen."""
        ...

    def clear(self) -> None: ...
