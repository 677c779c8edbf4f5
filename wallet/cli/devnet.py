"""wallet devnet: the embedded network alone, until ctrl-c."""

import argparse
import contextlib
import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from wallet.cli.command import Command, read_duration
from wallet.cli.context import Context, Result
from wallet.core.account import Account
from wallet.core.amount import parse_amount
from wallet.core.errors import BadInput
from wallet.core.ledger_time import SECOND

if TYPE_CHECKING:
    from wallet.devnet import DevnetOptions

FOLDER = "devnet"


def devnet(context: Context, arguments: argparse.Namespace) -> Result:
    options = _options(arguments)
    funded = [_fund(text, options.decimals) for text in arguments.fund or ()]
    context.wait(_run(context, options, funded))
    return Result()


async def _run(context: Context, options: "DevnetOptions", funded: list[tuple[Account, int]]) -> None:
    import asyncio
    import signal

    from wallet.devnet import serve

    # A chain of one kind of ledger is no chain of another: each has a folder of its own.
    folder = FOLDER if options.kind == "icrc" else f"{FOLDER}-{options.kind}"
    network = await serve(options, context.folder / folder)
    try:
        for account, amount in funded:
            network.fund(account, amount)
        print(json.dumps(network.description()), flush=True)  # noqa: T201
        context.notify("The embedded network runs until ctrl-c.")
        stopped = asyncio.Event()
        loop = asyncio.get_running_loop()
        with contextlib.suppress(NotImplementedError):  # Windows has ctrl-c alone
            for each in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(each, stopped.set)
        with contextlib.suppress(asyncio.CancelledError):
            await stopped.wait()
    finally:
        await network.close()


def _options(arguments: argparse.Namespace) -> "DevnetOptions":
    from wallet.devnet import DevnetOptions

    known = {each.name for each in fields(DevnetOptions)}
    given: dict[str, Any] = {
        name: value for name, value in vars(arguments).items() if name in known and value is not None
    }
    if arguments.window is not None:
        given["window_s"] = read_duration("window", arguments.window) // SECOND
    for name in ("decimals", "fee", "port"):
        if given.get(name, 0) < 0:
            raise BadInput(name, "this is never negative")
    return DevnetOptions(**given)


def _fund(text: str, decimals: int) -> tuple[Account, int]:
    account, equals, amount = text.rpartition("=")
    if not equals:
        raise BadInput("fund", "write it as ACCOUNT=AMOUNT, the amount in whole tokens such as 100 or 1.5")
    try:
        return Account.from_text(account), parse_amount(amount, decimals)
    except ValueError as why:
        raise BadInput("fund", str(why)) from None


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, metavar="N", help="the port on this machine (a free one)")
    parser.add_argument(
        "--fund",
        action="append",
        metavar="ACCOUNT=AMOUNT",
        help="give this account so many tokens (as 100 or 1.5); may be repeated",
    )
    parser.add_argument("--fresh", action="store_true", help="forget what an earlier run left")
    parser.add_argument(
        "--icp",
        dest="kind",
        action="store_const",
        const="icp",
        help="be like the ICP ledger: account ids, a `transfer` of its own, no ICRC-3",
    )
    parser.add_argument("--symbol", metavar="S", help="the token's symbol (TOK, or ICP)")
    parser.add_argument("--decimals", type=int, metavar="N", help="the token's decimals (8)")
    parser.add_argument("--fee", type=int, metavar="N", help="its fee, in base units (10000)")
    parser.add_argument("--window", metavar="DURATION", help="how long it recognises a repeat: 90s, 10m, 24h (24h)")
    parser.add_argument("--archive-after", type=int, metavar="N", help="blocks it keeps before it archives (1000)")
    parser.add_argument("--blocks", choices=("legacy", "typed"), help="blocks without btype, or with (legacy)")


COMMANDS = (Command("devnet", "run the embedded network; its first line is JSON", devnet, _arguments),)
