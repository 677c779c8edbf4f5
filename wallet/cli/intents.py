"""wallet show, intents and drop: what the store alone can answer."""

import argparse

from wallet.cli.card import card_lines, outcome_lines, summary_line
from wallet.cli.command import Command, intent_argument
from wallet.cli.context import Context, Result
from wallet.cli.reporting import documents, of_intent
from wallet.core.intent import Intent


def show(context: Context, arguments: argparse.Namespace) -> Result:
    intent = context.intent(arguments.intent)
    lines = [*card_lines(intent, name_of(context, intent)), "", *outcome_lines(intent)]
    return of_intent(context, intent, lines, code=0)


def intents(context: Context, arguments: argparse.Namespace) -> Result:
    found = [context.as_it_stands(each) for each in context.store.intents(unsettled=arguments.unsettled)]
    nothing = "There is no unsettled intent." if arguments.unsettled else "There is no intent yet."
    return Result(document=documents(context, found), lines=[summary_line(each) for each in found] or [nothing])


def drop(context: Context, arguments: argparse.Namespace) -> Result:
    from wallet.services.preparing import drop as put_away

    intent = put_away(context.store, context.intent(arguments.intent).id)
    return of_intent(context, intent, [f"Intent {intent.id}", *outcome_lines(intent)], code=0)


def name_of(context: Context, intent: Intent) -> str | None:
    """What the person calls the sender."""
    return next((each.name for each in context.store.identities() if each.principal == intent.sender), None)


def _intents_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--unsettled", action="store_true", help="only those that are not settled, and were not dropped"
    )


COMMANDS = (
    Command("show", "show an intent: its card, and where it stands", show, intent_argument),
    Command("intents", "list the intents, unsettled ones first", intents, _intents_arguments),
    Command("drop", "put an intent away; preparing the same payment brings it back", drop, intent_argument),
)
