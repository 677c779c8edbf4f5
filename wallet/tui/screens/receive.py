"""Receive: your own account in full, for whoever is to pay you."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Static

from wallet.core.account import Account
from wallet.tui import text
from wallet.tui.wallet_modal import WalletModal


class ReceiveScreen(WalletModal[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="receive.leave", tooltip="Back to Home"),
        Binding("c", "copy", "Copy", id="receive.copy", tooltip="Hand the text to the terminal's clipboard"),
    ]

    def compose(self) -> ComposeResult:
        with Vertical(id="card") as card:
            card.border_title = "Receive"
            with VerticalScroll(id="card-body", can_focus=False):
                yield Static(id="card-text")
            with Horizontal(id="card-buttons"):
                yield Button("Back", id="back")
                yield Button("Copy", id="copy", variant="primary")

    def draw(self) -> None:
        identity = self.wallet.session.identity
        width = self.text_width
        rows = text.account_in_full(Account(identity.principal), width) if identity is not None else ["no identity"]
        content = [
            *text.folded("", "Whoever pays you needs this text, all of it:", width, "$text-muted", 0),
            text.line(""),
            *(text.line((row, "bold")) for row in rows),
            text.line(""),
            *text.folded(
                "",
                "It is an ICRC-1 account: your principal, which stands for its default account.",
                width,
                "$text-muted",
                0,
            ),
        ]
        for shown in self.query("#card-text").results(Static):
            shown.update(text.lines(content))

    @on(Button.Pressed, "#copy")
    def action_copy(self) -> None:
        identity = self.wallet.session.identity
        if identity is not None:
            self.app.copy_to_clipboard(str(identity.principal))
            self.notify(
                "Handed to the terminal. Not every terminal takes it: compare what you paste with the text here."
            )

    @on(Button.Pressed, "#back")
    def action_leave(self) -> None:
        self.dismiss()
