"""wallet ledger ... and wallet balance: the tokens of a network, what their amounts mean, and what one holds."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from wallet import wiring
from wallet.cli.command import Command, read_duration
from wallet.cli.context import Context, Result
from wallet.core.amount import format_amount
from wallet.core.errors import BadInput, NetworkFault, StoreFault
from wallet.core.ledger_time import DedupWindow
from wallet.ports import LedgerEntry
from wallet.services.shown import plain, span

if TYPE_CHECKING:
    from wallet.services.ledgers import Balance
    from wallet.services.session import Session
    from wallet.services.speakers import OfferedPack, Voices


def add(context: Context, arguments: argparse.Namespace) -> Result:
    window = None
    if arguments.window is not None:
        window = DedupWindow(read_duration("window", arguments.window), assumed=False)

    async def work() -> tuple[LedgerEntry, tuple[str, ...], Voices | None]:
        async with context.session() as session:
            terms = await session.ledgers.read_terms(arguments.canister)
            changes = session.ledgers.changes(terms)
            entry = session.ledgers.pin(terms, arguments.name, window)
            return entry, changes, await _voices(context, session, entry)

    entry, changes, voices = context.wait_briefly(work())
    uses = {} if voices is None else voices.uses_of
    lines = [f"Added {plain(entry.name)}, as the ledger certified it:", *_lines(entry), *_pack_lines(uses)]
    if changes:
        lines = [f"This changes what was known of it: {'; '.join(map(plain, changes))}.", *lines]
    packs = list(dict.fromkeys(each.pack.name for each in uses))
    return Result(document={**_document(entry), "changes": list(changes), "packs": packs}, lines=lines)


async def _voices(context: Context, session: Session, entry: LedgerEntry) -> Voices | None:
    """Who speaks for a ledger, with what there is to say of the packs. The ledger is added all the same where that
    cannot be told: whoever prepares a payment asks again."""
    from wallet.core.pack_check import check_pack

    try:
        voices = await wiring.speakers_of(context.host, session.network).all_of(entry)
    except (BadInput, NetworkFault, StoreFault) as fault:
        context.notify(f"wallet: no payment can be prepared on {plain(entry.name)} as things are: {plain(str(fault))}")
        return None
    if voices.interface is None:
        named = ", ".join(map(plain, entry.terms.standards)) or "none"
        context.notify(
            f"It shows no interface that can be read: packs were matched by the standards it names ({named})."
        )
    for pack, why in voices.unfit:
        context.notify(plain(f"[{pack.name}] your own pack does not match: {why}"))
    for each in voices.uses_of:
        for finding in check_pack(each.pack.name, each.pack.text, voices.interface):
            context.notify(plain(finding.line))
    return voices


def _pack_lines(uses: Mapping[OfferedPack, Sequence[str]]) -> list[str]:
    said = [
        f"{plain(each.pack.name)}{' (your own)' if each.is_own else ''}, to {', to '.join(what)}"
        for each, what in uses.items()
    ]
    return [f"  {'' if at else 'packs':<10} {line}" for at, line in enumerate(said)]


def show_list(context: Context, _: argparse.Namespace) -> Result:
    entries = _entries(context)
    lines = [line for each in entries for line in (plain(each.name), *_lines(each))]
    return Result(
        document=[_document(each) for each in entries],
        lines=lines or [f"There is no ledger here yet. Add one: {context.command('ledger add CANISTER')}"],
    )


def remove(context: Context, arguments: argparse.Namespace) -> Result:
    async def work() -> LedgerEntry:
        async with context.session() as session:
            return session.ledgers.remove(arguments.ledger)

    entry = context.wait(work())
    return Result(document=_document(entry), lines=[f"Removed {plain(entry.name)}."])


def balance(context: Context, arguments: argparse.Namespace) -> Result:
    async def work() -> list[Balance]:
        async with context.session() as session:
            identity = session.identity or session.identities.find(None)
            ledgers = session.ledgers.all() if arguments.ledger is None else [session.ledgers.find(arguments.ledger)]
            return await session.ledgers.balances(identity.principal, ledgers)

    balances = context.wait_briefly(work())
    silent = [each for each in balances if each.amount is None]
    if silent and len(silent) == len(balances):
        raise NetworkFault(silent[0].why)
    for each in silent:
        context.notify(f"{plain(each.ledger.name)} did not answer: {each.why}")
    lines = [_balance_line(each) for each in balances]
    return Result(
        document=[_balance_document(each) for each in balances],
        lines=lines or [f"There is no ledger here yet. Add one: {context.command('ledger add CANISTER')}"],
    )


def _entries(context: Context) -> list[LedgerEntry]:
    return context.store.ledgers(wiring.network_named(context.store, context.common.network).root_key)


def _lines(entry: LedgerEntry) -> list[str]:
    terms = entry.terms
    assumed = " (assumed: --window DURATION says otherwise)" if entry.window.assumed else ""
    minting = terms.minting_account.text if terms.minting_account is not None else "none"
    return [
        f"  token      {plain(terms.name)} ({plain(terms.symbol)}), {terms.decimals} decimals",
        f"  canister   {terms.canister}",
        f"  fee        {format_amount(terms.fee, terms.decimals)} {plain(terms.symbol)}",
        f"  minting    {minting}",
        f"  standards  {', '.join(map(plain, terms.standards)) or 'none named'}",
        f"  window     {span(entry.window.tx_window_ns)}{assumed}",
        f"  repeats    {'known to be recognised' if entry.dedup_proven else 'not yet proven to be recognised'}",
    ]


def _document(entry: LedgerEntry) -> dict[str, object]:
    terms = entry.terms
    return {
        "name": entry.name,
        "ledger": terms.canister.text,
        "token": terms.name,
        "symbol": terms.symbol,
        "decimals": terms.decimals,
        "fee": str(terms.fee),
        "minting_account": None if terms.minting_account is None else terms.minting_account.text,
        "standards": list(terms.standards),
        "window_ns": str(entry.window.tx_window_ns),
        "window_assumed": entry.window.assumed,
        "dedup_proven": entry.dedup_proven,
    }


def _balance_line(each: Balance) -> str:
    terms = each.ledger.terms
    amount = "unknown" if each.amount is None else format_amount(each.amount, terms.decimals)
    return f"{amount} {plain(terms.symbol)}  {plain(each.ledger.name)}  {each.account.text}"


def _balance_document(each: Balance) -> dict[str, object]:
    terms = each.ledger.terms
    return {
        "name": each.ledger.name,
        "ledger": terms.canister.text,
        "account": each.account.text,
        "amount": None if each.amount is None else str(each.amount),
        "amount_text": None if each.amount is None else format_amount(each.amount, terms.decimals),
        "symbol": terms.symbol,
        "decimals": terms.decimals,
    }


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("canister", metavar="CANISTER", help="the ledger's canister id")
    parser.add_argument("--name", metavar="N", help="how you will call it (its symbol)")
    parser.add_argument(
        "--window",
        metavar="DURATION",
        help="how long this ledger recognises a repeat, where you know it: 90s, 10m, 24h, 1d (24h is assumed)",
    )


def _ledger_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ledger", metavar="LEDGER", help="its name, symbol or canister id")


def _balance_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ledger", metavar="LEDGER", nargs="?", help="its name, symbol or canister id; else all of them")


COMMANDS = (
    Command("ledger add", "add a ledger; what its amounts mean is read certified, and pinned", add, _add_arguments),
    Command("ledger list", "list the ledgers of the network", show_list),
    Command("ledger remove", "forget a ledger", remove, _ledger_argument),
    Command("balance", "what the identity in use holds", balance, _balance_arguments),
)
