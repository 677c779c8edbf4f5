"""Runs one command: parses, dispatches, prints what it came to, and turns every error into its exit code."""

import io
import json
import sys
from collections.abc import Sequence

from wallet.cli import (
    allowances,
    demo,
    devnet,
    identities,
    intents,
    interface,
    ledgers,
    networks,
    pack,
    reconciling,
    sending,
)
from wallet.cli.arguments import Told, WrongUsage, parse
from wallet.cli.card import outcome_lines
from wallet.cli.command import Command
from wallet.cli.context import Common, Context, Result, say
from wallet.cli.document import intent_document
from wallet.cli.exits import Exit, exit_of, exit_of_error, next_words
from wallet.cli.log import note_defect, start_log
from wallet.core.errors import NetworkFault, WalletError
from wallet.core.intent import Intent
from wallet.services.journal import AfterSending

COMMANDS: tuple[Command, ...] = (
    *demo.COMMANDS,
    *devnet.COMMANDS,
    *networks.COMMANDS,
    *identities.COMMANDS,
    *ledgers.COMMANDS,
    *allowances.COMMANDS,
    *sending.COMMANDS,
    *reconciling.COMMANDS,
    *intents.COMMANDS,
    *pack.COMMANDS,
)


def run(words: Sequence[str]) -> int:
    """The exit code of this command line."""
    try:
        if any("\ud800" <= character <= "\udfff" for word in words for character in word):
            raise WrongUsage("an argument is not UTF-8 text", "")
        command, arguments, common = parse(COMMANDS, words)
    except Told as told:
        return _print(Common(json="--json" in words), Result(Exit.DONE, told.document, [str(told)]), [])
    except WrongUsage as why:
        # What could not be parsed cannot say whether JSON is wanted; the word itself can.
        wanted = Common(json="--json" in words)
        return _print(wanted, _failure(wanted, Exit.USAGE, str(why), why.field), [why.usage, f"wallet: {why}"])
    with Context(common) as context:
        result, sentences = _attempt(context, command, arguments)
    return _print(common, result, sentences)


def _attempt(context: Context, command: Command | None, arguments: object) -> tuple[Result, list[str]]:
    """The command's result, or that of what went wrong with the sentences that say so."""
    try:
        if context.common.log is not None:
            start_log(context.common.log)
        chosen = interface.OPEN if command is None else command
        return chosen.run(context, arguments), []  # type: ignore[arg-type]
    except WalletError as error:
        field = getattr(error, "field", None)
        sentence = f"{field}: {error}" if field else str(error)
        code = exit_of_error(error)
        intent = _about(context) if context.about is None or not isinstance(error, AfterSending) else error.intent
        if code is Exit.STORE and intent is not None and intent.attempts:
            return _of_intent(context, intent, code), [f"wallet: {sentence}"]
        if isinstance(error, NetworkFault) and intent is not None:
            # Nothing was sent by this run; what an earlier one sent still counts (exit 8 means: never anything).
            stands = exit_of(intent, context.store.intent)
            return _of_intent(context, intent, code if stands is Exit.DONE else stands), [f"wallet: {sentence}"]
        return _failure(context.common, code, str(error), field), [f"wallet: {sentence}"]
    except KeyboardInterrupt:
        return _interrupted(context)
    except Exception as error:
        note_defect(error)
        return _defect(context, error)


def _about(context: Context) -> Intent | None:
    """The intent this run was about, read anew; None where there is none or the store cannot say."""
    if context.about is None:
        return None
    try:
        return context.intent(context.about)
    except WalletError:
        return None


def _of_intent(context: Context, intent: Intent, code: int) -> Result:
    words = next_words(intent, context.store.intent)
    command = None if words is None else context.command(words)
    return Result(code, intent_document(intent, command), outcome_lines(intent), command)


def _interrupted(context: Context) -> tuple[Result, list[str]]:
    intent = _about(context)
    if intent is None:
        message = (
            "Interrupted; nothing was sent."
            if context.about is None
            else f"Interrupted, and the store cannot be read: what was sent of {context.about} is not known."
        )
        return _failure(context.common, Exit.INTERRUPTED, message, None), ["", f"wallet: {message}"]
    return _of_intent(context, intent, Exit.INTERRUPTED), ["", f"wallet: interrupted; {intent.id} goes on from here."]


def _defect(context: Context, error: Exception) -> tuple[Result, list[str]]:
    intent = _about(context)
    keeps = "" if intent is None else f" {intent.id} keeps its state: {intent.state.value.replace('_', ' ')}."
    more = "" if context.common.log is not None else " With --log FILE the details are noted there."
    message = f"A defect of the wallet itself ({type(error).__name__}).{keeps}{more}"
    return _failure(context.common, Exit.DEFECT, message, None), [f"wallet: {message}"]


def _failure(common: Common, code: int, message: str, field: str | None) -> Result:
    document = {"error": {"exit": int(code), "message": message, "field": field}}
    return Result(code, document if common.json else None)


def _print(common: Common, result: Result, sentences: Sequence[str]) -> int:
    """The result on stdout, all else on stderr; on exits 4, 5 and 6 the command that goes on comes last there."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that has no glyphs still gets the words
    try:
        if common.json and result.document is not None:
            print(json.dumps(result.document, indent=2))  # noqa: T201
        elif not common.json and result.lines:
            print("\n".join(result.lines))  # noqa: T201
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = None  # whoever read it has read enough
    except OSError as error:
        sys.stdout = None
        sentences = [*sentences, f"wallet: the result could not be written ({error.strerror}); see: wallet intents"]
    for sentence in sentences:
        say(sentence)
    if result.next is not None:
        say(result.next)
    return int(result.code)
