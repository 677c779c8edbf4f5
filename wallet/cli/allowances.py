"""wallet allowances: who may spend from the account of the identity in use, and the command that ends it."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING

from wallet.cli.command import Command
from wallet.cli.context import Common, Context, Result
from wallet.core.account import Account
from wallet.core.amount import format_amount
from wallet.services.shown import plain, utc

if TYPE_CHECKING:
    from wallet.ports import Allowance, LedgerEntry
    from wallet.services.allowances import Allowed


def show(context: Context, arguments: argparse.Namespace) -> Result:
    from wallet.core.convert import read_subaccount

    subaccount = read_subaccount(arguments.from_subaccount or "")

    async def work() -> tuple[LedgerEntry, Allowed]:
        async with context.session() as session:
            identity = session.identity or session.identities.find(None)
            ledger = session.ledgers.find(arguments.ledger)
            return ledger, await session.allowances.given_by(Account.of(identity.principal, subaccount), ledger)

    ledger, allowed = context.wait_briefly(work())
    if not allowed.is_complete:
        context.notify(
            f"{plain(ledger.name)} does not list its allowances: these are of the spenders that this wallet allowed"
            " something lately."
        )

    def revoke(allowance: Allowance) -> str:
        return context.command(_revoke(context.common, ledger, allowance, arguments.from_subaccount))

    lines: list[str] = []
    for each in allowed.allowances:
        amount = format_amount(each.amount, ledger.terms.decimals)
        until = "" if each.expires_at is None else f" until {utc(each.expires_at)}"
        lines += [
            f"{amount} {plain(ledger.terms.symbol)}{until}  {each.spender.text}",
            f"  revoke it: {revoke(each)}",
        ]
    return Result(
        document=[
            {
                "name": ledger.name,
                "ledger": ledger.terms.canister.text,
                "account": allowed.account.text,
                "spender": each.spender.text,
                "amount": str(each.amount),
                "amount_text": format_amount(each.amount, ledger.terms.decimals),
                "symbol": ledger.terms.symbol,
                "decimals": ledger.terms.decimals,
                "expires_at": None if each.expires_at is None else str(each.expires_at),
                "revoke": revoke(each),
            }
            for each in allowed.allowances
        ],
        lines=lines
        or [
            f"{'Nobody' if allowed.is_complete else 'None of them'} may spend {plain(ledger.terms.symbol)}"
            f" from {allowed.account.text}."
        ],
    )


def _revoke(common: Common, ledger: LedgerEntry, allowance: Allowance, subaccount: str | None) -> str:
    """The words of the command that prepares the end of an allowance, on the network and as the identity of this run:
    what is in use when it is typed may be another's."""
    options = {"--from-subaccount": subaccount, "--network": common.network, "--identity": common.identity}
    more = "".join(f" {name} {shlex.quote(value)}" for name, value in options.items() if value)
    return f"prepare --ledger {shlex.quote(ledger.name)} --approve {allowance.spender.text} --amount 0{more}"


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ledger", metavar="LEDGER", nargs="?", help="its name, symbol or canister id")
    parser.add_argument("--from-subaccount", metavar="HEX", help="of this subaccount (1 to 64 hex digits)")


COMMANDS = (Command("allowances", "who may spend from your account, and how much", show, _arguments),)
