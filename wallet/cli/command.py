"""How a command is declared: its words, its help, its arguments, and the function that runs it."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from wallet.cli.context import Context, Result
from wallet.core.errors import BadInput
from wallet.core.ledger_time import parse_duration


def no_arguments(parser: argparse.ArgumentParser) -> None:
    """Of a command that takes only the common options."""


@dataclass(frozen=True, slots=True)
class Command:
    """`words` are typed after the program's name, one or two; `help` is one line."""

    words: str
    help: str
    run: Callable[[Context, argparse.Namespace], Result]
    arguments: Callable[[argparse.ArgumentParser], None] = no_arguments


def read_duration(field: str, text: str) -> int:
    """Nanoseconds of `90s`, `10m`, `24h`, `1d`. Raises BadInput."""
    try:
        return parse_duration(text)
    except ValueError as why:
        raise BadInput(field, str(why)) from None


def intent_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("intent", metavar="INTENT", help="the intent's name, such as amber-fox-71")
