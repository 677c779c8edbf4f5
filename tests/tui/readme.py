"""The parts of the README that are made from the program: `python -m tests.tui.readme` writes them anew."""

import re
from collections.abc import Iterator
from pathlib import Path

from textual.binding import Binding

from wallet.tui.app import WalletApp
from wallet.tui.screens.allowances import AllowancesScreen
from wallet.tui.screens.answer import AnswerScreen
from wallet.tui.screens.card import CardScreen
from wallet.tui.screens.home import HomeScreen
from wallet.tui.screens.intent import IntentScreen
from wallet.tui.screens.receive import ReceiveScreen
from wallet.tui.screens.send import SendScreen
from wallet.tui.screens.tricks import TricksScreen

README = Path(__file__).parents[2] / "README.md"
PLACES = (
    ("everywhere", WalletApp),
    ("Home", HomeScreen),
    ("Send", SendScreen),
    ("card", CardScreen),
    ("intent", IntentScreen),
    ("answer", AnswerScreen),
    ("Receive", ReceiveScreen),
    ("Allowances", AllowancesScreen),
    ("tricks (demo)", TricksScreen),
)
_MARKED = re.compile(r"(<!-- keys[^>]*-->\n)(.*?)(?=\n## )", re.DOTALL)


def key_table() -> str:
    """A row for every key that has a meaning of its own."""
    return "\n".join(["| where | key | what it does |", "|---|---|---|", *_rows(), ""])


def _rows() -> Iterator[str]:
    for where, owner in PLACES:
        for binding in owner.__dict__["BINDINGS"]:
            assert isinstance(binding, Binding)
            shown = binding.key_display or binding.key
            keys = " ".join(f"`{key.replace('escape', 'esc')}`" for key in shown.split(","))
            yield f"| {where} | {keys} | {binding.tooltip} |"


def with_key_table(readme: str) -> str:
    """The README with the table that the bindings make."""
    assert _MARKED.search(readme), "the README has no place for the keys"
    return _MARKED.sub(lambda found: f"{found[1]}\n{key_table()}", readme)


if __name__ == "__main__":
    README.write_text(with_key_table(README.read_text()))
