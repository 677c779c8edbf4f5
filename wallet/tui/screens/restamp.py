"""New stamp needed: the old intent beside the new one, and a confirmation of its own (R23)."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from wallet.core.finding import Absent, CannotTell
from wallet.core.intent import Intent
from wallet.services.shown import plain
from wallet.tui import beside, messages, text
from wallet.tui.screens.card import CardScreen
from wallet.tui.wallet_modal import WalletModal

NEW_CALL = "This is a new call to the ledger; the old bytes are never sent again."


class RestampScreen(WalletModal[None]):
    """Shows the change; going on opens the new intent's own card, where it is confirmed like any other."""

    AUTO_FOCUS = "#leave"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "escape", "leave", "Leave it", id="restamp.leave", tooltip="Leave the new one prepared; nothing is sent"
        ),
    ]

    def __init__(self, old: Intent, new: Intent) -> None:
        super().__init__()
        self._old = old
        self._new = new

    def compose(self) -> ComposeResult:
        with Vertical(id="card") as card:
            card.border_title = "A new stamp needs your confirmation"
            card.border_subtitle = f"intent {self._new.id}"
            with VerticalScroll(id="card-body", can_focus=False):
                yield Static(id="card-text")
            with Horizontal(id="card-buttons"):
                yield Button("Leave it for now", id="leave")
                yield Button("Drop it", id="drop")
                yield Button(Content("Go on to its card"), id="go", variant="primary")

    def draw(self) -> None:
        for shown in self.query("#card-text").results(Static):
            shown.update(self._content())

    def _content(self) -> Content:
        width = self.text_width
        old = self.wallet.session.intent(self._old.id) or self._old
        match old.findings[-1] if old.findings else None:
            case Absent(span=span) if span.until is not None:
                looked = f"The ledger's history was read to {text.clock(span.until)}: it is in no block."
            case CannotTell(why=why):
                looked = f"The ledger's history could not tell: {plain(why)}."
            case _:
                looked = "The ledger's history was not read."
        return text.lines(
            [
                *text.folded("", "Nothing that this wallet sent for the old one was executed.", width, label_width=0),
                *text.folded("", looked, width, "$text-muted", 0),
                text.line(""),
                beside.old_and_new(old, self._new, width),
                text.line(""),
                *text.folded("", NEW_CALL, width, "$text-warning", 0),
            ]
        )

    @on(Button.Pressed, "#go")
    def _go(self) -> None:
        self.app.switch_screen(CardScreen(self._new))

    @on(Button.Pressed, "#leave")
    def action_leave(self) -> None:
        self.dismiss()

    @on(Button.Pressed, "#drop")
    def _drop(self) -> None:
        self.dismiss()
        self.wish(messages.Drop(self._new))
