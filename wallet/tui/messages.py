"""What a screen asks for: it posts its wish to the app, the app runs the service, and the store has what came of it."""

from textual.message import Message

from wallet.core.intent import Intent


class AboutIntent(Message):
    """Something to be done about one intent, as it was shown."""

    def __init__(self, intent: Intent) -> None:
        super().__init__()
        self.intent = intent


class Confirm(AboutIntent):
    """The person confirmed the card of this very intent (R15)."""


class SendAgain(AboutIntent):
    """The same bytes again, where the rules allow (R19)."""


class Ask(AboutIntent):
    """Ask the network what became of it; nothing is sent (R30)."""


class Look(AboutIntent):
    """Read the ledger's history for it (R25)."""


class Restamp(AboutIntent):
    """Make its successor, with a stamp of its own (R23)."""


class Drop(AboutIntent):
    """Put it away (R14)."""


class Acknowledge(AboutIntent):
    """Put its alarms to rest (R35)."""


class Answer(AboutIntent):
    """The person's own word: whether it executed, and in which block, where they know it (R25)."""

    def __init__(self, intent: Intent, *, executed: bool, block: int | None) -> None:
        super().__init__(intent)
        self.executed = executed
        self.block = block


class Open(Message):
    """Show one intent: its card while it waits for its confirmation, else what became of it."""

    def __init__(self, intent_id: str) -> None:
        super().__init__()
        self.intent_id = intent_id


class Refresh(Message):
    """Ask for time and balances now."""
