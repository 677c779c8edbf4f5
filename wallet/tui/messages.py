"""What screens ask of the app, and what the app answers: a screen posts, the app runs the service, the answer returns."""

from dataclasses import dataclass

from textual.message import Message

from wallet.core.convert import Form
from wallet.core.errors import WalletError
from wallet.ports import LedgerEntry
from wallet.services.preparing import Prepared

# --- from a screen to the app -------------------------------------------------------------------------------------


@dataclass
class PrepareAsked(Message):
    """Make an intent of this form."""

    form: Form
    ledger: LedgerEntry


@dataclass
class OpenAsked(Message):
    """Show this intent: its card while it waits for its confirmation, else what became of it."""

    intent_id: str


@dataclass
class Confirmed(Message):
    """The person confirmed the card that showed these very bytes (R15)."""

    intent_id: str
    digest: str


@dataclass
class ResumeAsked(Message):
    """The person's word to go on with the same bytes."""

    intent_id: str


@dataclass
class AskAsked(Message):
    """Only ask the network what became of it; nothing is sent."""

    intent_id: str


@dataclass
class HistoryAsked(Message):
    """Look for it in the ledger's blocks; nothing is sent."""

    intent_id: str


@dataclass
class RestampAsked(Message):
    """Prepare it anew, with a new stamp, to be confirmed anew."""

    intent_id: str


@dataclass
class Answered(Message):
    """The person's own word on whether it executed, and the block they name."""

    intent_id: str
    executed: bool
    block: int | None


@dataclass
class DropAsked(Message):
    """Put it away."""

    intent_id: str


@dataclass
class AcknowledgeAsked(Message):
    """Put its alarms to rest."""

    intent_id: str


@dataclass
class CorrectAsked(Message):
    """Open the form with what this intent was made of, the field in question marked."""

    intent_id: str


@dataclass
class UpdateAsked(Message):
    """Ask for the time, the balances, and the fate of what is unsettled."""


# --- from the app to its screens ----------------------------------------------------------------------------------


@dataclass
class PrepareEnded(Message):
    """The intent of the form, or why there is none."""

    prepared: Prepared | None
    error: WalletError | None


class IntentsChanged(Message):
    """Something on disk or in flight is not what it was: look again."""


class Ticked(Message):
    """Half a second passed: ages and countdowns move."""
