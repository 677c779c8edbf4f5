"""How commands hand over an intent: its document, its lines, its exit code and the command that goes on."""

from collections.abc import Callable, Sequence

from wallet.cli.card import outcome_lines
from wallet.cli.context import Context, Result
from wallet.cli.document import Json, intent_document
from wallet.cli.exits import exit_of, next_words
from wallet.core.intent import Intent
from wallet.services.progress import Progress, Report, Stage
from wallet.services.shown import plain

_STEPS = {
    Stage.STORED: "stored",
    Stage.SENT: "sent",
    Stage.RECEIVED: "received by the network",
    Stage.EXECUTED: "executed",
    Stage.CERTIFIED: "certified",
    Stage.SETTLED: "settled",
    Stage.ASKING: "asking the network what became of it",
}


def of_intent(
    context: Context, intent: Intent, lines: Sequence[str], *, code: int | None = None, existing: bool = False
) -> Result:
    """`code` is given by commands whose own work was done, whatever the intent's state."""
    if code is None:
        code = exit_of(intent, context.store.intent)
    command = next_command(context, intent)
    # A prepared or settled intent has its next step on its card or none; only exits that wait end with the command.
    return Result(code, intent_document(intent, command, existing), lines, command if code in (4, 5, 6, 8) else None)


def next_command(context: Context, intent: Intent) -> str | None:
    words = next_words(intent, context.store.intent)
    return None if words is None else context.command(words)


def documents(context: Context, intents: Sequence[Intent]) -> list[dict[str, Json]]:
    return [intent_document(each, next_command(context, each)) for each in intents]


def outcome(context: Context, intent: Intent) -> Result:
    return of_intent(context, intent, [f"Intent {intent.id}", *outcome_lines(intent)])


def progress(context: Context) -> Report:
    """Progress on stderr; with --json only why nothing more was done, which the document does not say."""
    tell = _teller(context.notify)

    def tell_the_end(each: Progress) -> None:
        if each.stage is Stage.TOO_LONG:
            tell(each)

    return tell_the_end if context.common.json else tell


def _teller(notify: Callable[[str], None]) -> Report:
    def tell(each: Progress) -> None:
        attempt = f"attempt {each.attempt}: " if each.attempt else ""
        match each.stage:
            case Stage.WAITING:
                notify(f"  {attempt}waiting {each.wait_s:.1f} s before {plain(each.detail)}")
            case Stage.READING if each.blocks is not None:
                notify(f"  read the ledger's blocks up to {each.blocks[1]} of {each.blocks[2]}")
            case Stage.READING:
                notify(f"  reading the ledger's history{f', {plain(each.detail)}' if each.detail else ''}")
            case Stage.TROUBLE | Stage.TOO_LONG:
                notify(f"  {attempt}{plain(each.detail)}")
            case stage:
                notify(f"  {attempt}{_STEPS.get(stage, stage)}")

    return tell
