"""wallet, and wallet demo: the terminal interface, on the wallet's own data or on an embedded network."""

import argparse

from wallet.cli.command import Command
from wallet.cli.context import Context, Result
from wallet.core.errors import Refused


def open_interface(context: Context, _: argparse.Namespace) -> Result:
    """The interface on the network and as the identity of the options, or those in use."""
    if not context.is_terminal:
        raise Refused("The interface needs a terminal. The commands for scripts: wallet --help")

    async def work() -> None:
        async with context.session() as session:
            from wallet.tui.app import WalletApp

            await WalletApp(session).run_async()

    context.wait(work())
    return Result()


OPEN = Command("", "open the interface", open_interface)
