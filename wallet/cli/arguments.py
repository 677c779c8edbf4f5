"""The parser: every command of the table, and the common options before or after it."""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from wallet.cli.command import Command
from wallet.cli.context import Common

_GROUPS = {
    "network": "the networks that the wallet knows",
    "identity": "keys, and whom they pay as",
    "ledger": "the tokens",
    "pack": "what the replies of ledgers mean",
}

_OPTION = re.compile(r"argument [^:]*--([a-z-]+)")  # as argparse names it


class WrongUsage(Exception):
    """The command line cannot be understood; the text is a sentence, `usage` how it is written, `field` the option."""

    def __init__(self, why: str, usage: str) -> None:
        super().__init__(why)
        self.usage = usage
        named = _OPTION.search(why)
        self.field = named[1].replace("-", "_") if named else None


class Told(Exception):
    """All that was asked is about the program itself: the text for a person, and `document` for a program."""

    def __init__(self, text: str, document: dict[str, str]) -> None:
        super().__init__(text)
        self.document = document


class _Parser(argparse.ArgumentParser):
    def print_help(self, _: object = None) -> NoReturn:
        text = self.format_help().rstrip()
        raise Told(text, {"help": text})

    def error(self, message: str) -> NoReturn:
        raise WrongUsage(message, self.format_usage().strip())


class _Version(argparse.Action):
    def __call__(self, *_: Any) -> NoReturn:
        from importlib.metadata import version  # late: it reads files

        found = version("wallet")
        raise Told(f"wallet {found}", {"version": found})


def parse(commands: Sequence[Command], words: Sequence[str]) -> tuple[Command | None, argparse.Namespace, Common]:
    """The command (None for the interface), its arguments and the common options. Raises WrongUsage, and Told
    where there is nothing to run."""
    found = _build(commands).parse_args(words)
    common = Common(
        **{name: getattr(found, name) for name in ("data_dir", "network", "identity", "timeout_s", "log", "json")}
    )
    return found.command, found, common


def _build(commands: Sequence[Command]) -> _Parser:
    parser = _Parser(
        prog="wallet",
        description="A terminal wallet for ICRC-1 tokens: one confirmation, at most one execution. Without a command it"
        " opens the interface.",
        epilog="Exit codes: 0 done, 1 failed, 2 wrong usage, 3 fix the input, 4 unsettled (go on with the same bytes),"
        " 5 a new stamp needs you, 6 the history or you must say, 7 store or keys unusable, 8 no network, 70 a defect.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    parser.set_defaults(command=None)
    _add_common(parser, are_first=True)
    top = parser.add_subparsers(metavar="COMMAND", title="commands")
    groups: dict[str, Any] = {}
    for command in commands:
        group, _, name = command.words.rpartition(" ")
        if group and group not in groups:
            inner = top.add_parser(group, help=_GROUPS[group], description=_sentence(_GROUPS[group]))
            inner.allow_abbrev = False
            _add_common(inner)
            groups[group] = inner.add_subparsers(metavar="COMMAND", title="commands", required=True)
        own = (groups[group] if group else top).add_parser(name, help=command.help, description=_sentence(command.help))
        own.allow_abbrev = False
        command.arguments(own)
        own.set_defaults(command=command)
        _add_common(own)
    return parser


def _add_common(parser: argparse.ArgumentParser, are_first: bool = False) -> None:
    """The same options at every level. Only the outermost sets defaults, or an inner one would undo what came first."""

    def default(value: object) -> Any:
        return value if are_first else argparse.SUPPRESS

    group = parser.add_argument_group("common options, before or after the command")
    group.add_argument(
        "--data-dir",
        type=Path,
        metavar="DIR",
        default=default(None),
        help="where everything is kept (else WALLET_DATA_DIR, else the platform's user data folder)",
    )
    group.add_argument("--network", metavar="NAME", default=default(None), help="a network of `wallet network list`")
    group.add_argument("--identity", metavar="NAME", default=default(None), help="a name of `wallet identity list`")
    group.add_argument(
        "--timeout",
        dest="timeout_s",
        type=_seconds,
        metavar="SECONDS",
        default=default(30.0),
        help="the whole wait of one command (30)",
    )
    group.add_argument(
        "--log", type=Path, metavar="FILE", default=default(None), help="note every exchange with the network there"
    )
    group.add_argument(
        "--json", action="store_true", default=default(False), help="one JSON document on stdout, nothing else there"
    )


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 86400:
        raise argparse.ArgumentTypeError(f"{text!a} is no number of seconds above 0")
    return seconds


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."
