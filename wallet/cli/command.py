"""How a command is declared: its words, its help, its arguments, and the function that runs it."""

import argparse
import re
from collections.abc import Callable
from dataclasses import dataclass

from wallet.cli.context import Context, Result
from wallet.core.errors import BadInput


def no_arguments(parser: argparse.ArgumentParser) -> None:
    """Of a command that takes only the common options."""


@dataclass(frozen=True, slots=True)
class Command:
    """`words` are typed after the program's name, one or two; `help` is one line."""

    words: str
    help: str
    run: Callable[[Context, argparse.Namespace], Result]
    arguments: Callable[[argparse.ArgumentParser], None] = no_arguments


_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_DURATION = re.compile(r"([0-9]{1,9})([smhd])\Z")


def read_duration(field: str, text: str) -> int:
    """Whole seconds of `90s`, `10m`, `24h`, `1d`. Raises BadInput."""
    found = _DURATION.match(text.strip())
    seconds = int(found[1]) * _SECONDS[found[2]] if found else 0
    if not 0 < seconds <= 10 * 366 * 86400:
        raise BadInput(field, f"{text!a} is no duration: write it as 90s, 10m, 24h or 1d")
    return seconds


def intent_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("intent", metavar="INTENT", help="the intent's name, such as amber-fox-71")
