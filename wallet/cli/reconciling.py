"""wallet reconcile, answer and acknowledge: what the ledger's history says, what the person says, and alarms."""

import argparse

from wallet.cli.command import Command, intent_argument
from wallet.cli.context import Context, Result
from wallet.cli.reporting import of_intent, outcome, progress
from wallet.cli.sending import unlock
from wallet.core.errors import BadInput
from wallet.core.intent import Intent


def reconcile(context: Context, arguments: argparse.Namespace) -> Result:
    intent = context.intent(arguments.intent)

    async def work() -> Intent:
        async with context.session_of(intent) as session:
            unlock(session, intent)
            return await session.sending.reconcile(intent.id, context.common.timeout_s, progress(context))

    return outcome(context, context.as_it_stands(context.wait(work())))


def answer(context: Context, arguments: argparse.Namespace) -> Result:
    intent_id, said = arguments.intent, arguments.executed
    if intent_id is None and said:
        # `--executed INTENT`: the option has taken what stood behind it. A block is digits, an intent's name never.
        intent_id, said = (None, said) if said.isdigit() else (said, "")
    if intent_id is None:
        raise BadInput("intent", "name the intent that your answer is about")
    intent = context.intent(intent_id)
    executed = not arguments.not_executed
    block = _read_block(said) if executed and said else None

    async def work() -> Intent:
        async with context.session_of(intent) as session:
            return await session.sending.answer(intent.id, executed=executed, block=block, report=progress(context))

    return outcome(context, context.as_it_stands(context.wait_briefly(work())))


def acknowledge(context: Context, arguments: argparse.Namespace) -> Result:
    intent = context.intent(arguments.intent)

    async def work() -> Intent:
        async with context.session_of(intent) as session:
            return session.sending.acknowledge(intent.id)

    acknowledged = context.wait(work())
    lines = [f"The alarm of {acknowledged.id} was put to rest.", *outcome(context, acknowledged).lines]
    return of_intent(context, acknowledged, lines, code=0)


def _read_block(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 20):
        raise BadInput("executed", "a block is given by its index, in digits")
    return int(text)


def _answer_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("intent", metavar="INTENT", nargs="?", help="the intent's name")
    said = parser.add_mutually_exclusive_group(required=True)
    said.add_argument(
        "--executed", nargs="?", const="", metavar="BLOCK", help="it did; a block you name is fetched and checked"
    )
    said.add_argument("--not-executed", action="store_true", help="it did not")


COMMANDS = (
    Command("reconcile", "read the ledger's history for an intent", reconcile, intent_argument),
    Command("answer", "your own word, where the history cannot tell", answer, _answer_arguments),
    Command("acknowledge", "put an intent's alarm to rest", acknowledge, intent_argument),
)
