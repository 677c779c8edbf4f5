"""wallet prepare, confirm, resume and restamp: the commands that stamp and send."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from wallet import wiring
from wallet.cli.card import card_lines, restamp_lines, summary_line
from wallet.cli.command import Command, intent_argument
from wallet.cli.context import Context, Result
from wallet.cli.exits import Exit
from wallet.cli.intents import name_of
from wallet.cli.reporting import documents, of_intent, outcome, progress
from wallet.core.attempt import Unknown, fate
from wallet.core.errors import BadInput, NetworkFault, Refused, VaultFault
from wallet.core.intent import Intent, State
from wallet.core.names import check_reference
from wallet.services.wording import what_it_does

if TYPE_CHECKING:
    from wallet.core.convert import Form
    from wallet.core.principal import Principal
    from wallet.services.preparing import Prepared
    from wallet.services.session import Session


def prepare(context: Context, arguments: argparse.Namespace) -> Result:
    form = _form_of(arguments)
    if arguments.ref is not None:
        check_reference(arguments.ref)

    async def work() -> Prepared:
        async with context.session() as session:
            identity = session.identity or session.identities.find(None)
            ledger = session.ledgers.find(arguments.ledger)
            return await session.preparing.prepare(form, ledger, identity, arguments.ref)

    prepared = context.wait_briefly(work())
    intent = context.as_it_stands(prepared.intent)
    context.about = intent.id
    lines = card_lines(intent, name_of(context, intent))
    if prepared.existing:
        lines = ["You have prepared this before; here it is, unchanged.", *lines]
    if intent.state is State.PREPARED:
        lines += ["", f"Nothing was sent. Confirm it with: {context.command(f'confirm {intent.id}')}"]
    else:
        lines += ["", *outcome(context, intent).lines[1:]]
    return of_intent(context, intent, lines, existing=prepared.existing)


def confirm(context: Context, arguments: argparse.Namespace) -> Result:
    intent = context.intent(arguments.intent)
    digest = arguments.digest
    session = context.session_of(intent)  # refused where the options name another network or sender
    if intent.state is State.PREPARED and not intent.dropped:
        if digest is None and not context.is_terminal:
            raise BadInput("digest", "without a terminal the digest on the card must be given: --digest HEX")
        if digest is None or not context.common.json:
            is_shown = context.show(card_lines(intent, name_of(context, intent)))
            if digest is None and not is_shown:
                raise Refused(f"The card cannot be shown here, so nothing was confirmed. {intent.id} stays as it is.")
        if digest is None:
            question = what_it_does(intent)
            if not _says_yes(f"{question[0].upper()}{question[1:]}?"):
                raise Refused(f"Nothing was confirmed. {intent.id} stays as it is.")
            digest = intent.digest

    async def work() -> Intent:
        async with session as opened:
            unlock(opened, intent)
            return await opened.sending.confirm(intent.id, digest, context.common.timeout_s, progress(context))

    return outcome(context, context.as_it_stands(context.wait(work())))


def resume(context: Context, arguments: argparse.Namespace) -> Result:
    if arguments.intent is None:
        return _ask_about_all(context)
    intent = context.intent(arguments.intent)

    async def work() -> Intent:
        async with context.session_of(intent) as session:
            unlock(session, intent)
            return await session.sending.resume(intent.id, context.common.timeout_s, progress(context))

    return outcome(context, context.as_it_stands(context.wait(work())))


def restamp(context: Context, arguments: argparse.Namespace) -> Result:
    old = context.intent(arguments.intent)

    async def work() -> Intent:
        async with context.session_of(old) as session:
            unlock(session, old)
            return await session.restamp(old.id, context.common.timeout_s, progress(context))

    new = context.as_it_stands(context.wait(work()))
    if new.id == old.id:  # the history shows that it did execute: there is nothing to pay anew (R23)
        return outcome(context, new)
    lines = [
        f"This is a new call to the ledger; {old.id} is never sent again.",
        *restamp_lines(old, new),
        "",
        *card_lines(new, name_of(context, new)),
        "",
        f"Nothing was sent. Confirm it with: {context.command(f'confirm {new.id}')}",
    ]
    return of_intent(context, new, lines, code=0)


def _ask_about_all(context: Context) -> Result:
    """Only ask the network, for each unsettled intent, what became of it; nothing is sent (R30)."""
    store = context.store
    wanted = None if context.common.network is None else wiring.network_named(store, context.common.network).root_key
    owed = {each.id: each for each in (*store.intents(unsettled=True), *store.looks_due())}  # R27 as well
    intents = [each for each in owed.values() if wanted in (None, each.root_key)]
    faults: list[str] = []
    locked: list[str] = []  # no key, no question: the list is the answer all the same

    async def ask(intents: list[Intent]) -> None:
        mute: set[Principal] = set()  # ledgers that are silent, senders whose key cannot be had
        async with context.session_of(intents[0]) as session:
            for each in intents:
                try:
                    if each.ledger not in mute:
                        await session.network.time(each.ledger)  # silence is worth an exit code of its own
                        if each.sender not in mute:
                            unlock(session, each, may_send=False)
                            await session.sending.ask(each.id, progress(context))
                except NetworkFault as fault:
                    mute.add(each.ledger)
                    faults.append(str(fault))
                except VaultFault as fault:
                    mute.add(each.sender)
                    locked.append(f"{fault} Until then nobody can ask what became of the payments of {each.sender}.")

    for root_key in dict.fromkeys(each.root_key for each in intents):
        try:
            context.wait_briefly(ask([each for each in intents if each.root_key == root_key]))
        except (NetworkFault, Refused) as fault:
            faults.append(str(fault))
    for sentence in dict.fromkeys((*faults, *locked)):
        context.notify(f"wallet: {sentence}")
    now = [context.as_it_stands(found) for each in intents if (found := store.intent(each.id)) is not None]
    lines = [summary_line(each) for each in now] or ["There is no unsettled intent."]
    return Result(Exit.NETWORK if faults else Exit.DONE, documents(context, now), lines)


def unlock(session: Session, intent: Intent, may_send: bool = True) -> None:
    """Meet the key before the clock runs: a passphrase typed slowly must not cost the time for sending (R30)."""
    is_open = any(isinstance(each := fate(attempt), Unknown) and each.ended is None for attempt in intent.attempts)
    sendable = (State.PREPARED, State.SENDING, State.RETRY_SAME, State.REJECTED, State.UNKNOWN)
    if not intent.is_settled and not intent.dropped and (is_open or (may_send and intent.state in sendable)):
        session.vault.get(intent.sender)


def _says_yes(question: str) -> bool:
    """Only the whole word counts, and nothing that was typed or pasted before the question."""
    _forget_typed_ahead()
    print(f"{question} Type yes to confirm: ", end="", file=sys.stderr, flush=True)  # noqa: T201
    return sys.stdin.readline().strip().lower() == "yes"


def _forget_typed_ahead() -> None:
    try:
        import termios
    except ImportError:  # not a POSIX system
        return
    try:
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    except (termios.error, OSError, ValueError):
        return


def _form_of(arguments: argparse.Namespace) -> Form:
    """Which of the three operations is meant is said by --approve and --from. Raises BadInput."""
    from wallet.core.convert import Form
    from wallet.core.pack import Operation

    if arguments.to is None and arguments.approve is None:
        raise BadInput("to", "say who is paid: --to ACCOUNT; or who may spend from your account: --approve SPENDER")
    if arguments.lasts is not None and arguments.approve is None:
        raise BadInput("lasts", "only an allowance lasts: it goes with --approve")
    if arguments.lasts is not None and not arguments.lasts.strip():
        # A script's empty variable must not make an allowance that never ends.
        raise BadInput("lasts", "say how long it lasts, as 24h or 30d; for good, leave --lasts out")
    if arguments.from_account is not None and arguments.approve is not None:
        raise BadInput("from", "you can allow a spender for your own account only: leave --from out")
    operation = Operation.TRANSFER
    if arguments.approve is not None:
        operation = Operation.APPROVE
    elif arguments.from_account is not None:
        operation = Operation.TRANSFER_FROM
    return Form(
        to=arguments.to if arguments.approve is None else arguments.approve,
        amount=arguments.amount,
        memo=arguments.memo or "",
        memo_hex=arguments.memo_hex or "",
        from_subaccount=arguments.from_subaccount or "",
        operation=operation,
        from_account=arguments.from_account or "",
        lasts=arguments.lasts or "",
    )


def _prepare_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ledger", metavar="L", required=True, help="its name, symbol or canister id")
    payee = parser.add_mutually_exclusive_group()
    payee.add_argument(
        "--to",
        metavar="ACCOUNT",
        help="the recipient: an ICRC-1 account or a principal (an account id on the ICP ledger)",
    )
    payee.add_argument(
        "--approve", metavar="SPENDER", help="pay nobody: allow this account to spend from yours (ICRC-2); 0 revokes it"
    )
    parser.add_argument("--amount", metavar="A", required=True, help="as 1.5, or max: the balance less the fee")
    parser.add_argument(
        "--from", dest="from_account", metavar="ACCOUNT", help="pay from another's account, on its allowance (ICRC-2)"
    )
    parser.add_argument(
        "--lasts", metavar="DURATION", help="how long the allowance lasts: 10m, 24h, 30d (else for good)"
    )
    memo = parser.add_mutually_exclusive_group()
    memo.add_argument("--memo", metavar="TEXT", help="a memo, as text")
    memo.add_argument("--memo-hex", metavar="HEX", help="a memo, as hex digits")
    parser.add_argument("--from-subaccount", metavar="HEX", help="pay from this subaccount (1 to 64 hex digits)")
    parser.add_argument("--ref", metavar="TEXT", help="your own reference; preparing with it again gives this intent")


def _confirm_arguments(parser: argparse.ArgumentParser) -> None:
    intent_argument(parser)
    parser.add_argument("--digest", metavar="HEX", help="the digest on the card, in place of typing yes")


def _resume_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "intent", metavar="INTENT", nargs="?", help="your word to go on with it; without one the network is only asked"
    )


COMMANDS = (
    Command("prepare", "make an intent of a payment, and show its card; nothing is sent", prepare, _prepare_arguments),
    Command("confirm", "send a prepared intent, once", confirm, _confirm_arguments),
    Command("resume", "go on with an intent, or ask what became of the unsettled ones", resume, _resume_arguments),
    Command("restamp", "prepare an intent anew, with a new stamp, to be confirmed anew", restamp, intent_argument),
)
