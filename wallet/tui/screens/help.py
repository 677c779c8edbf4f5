"""Help: every key of the screen below, made from its bindings, and what the signs mean."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Button, Static

from wallet.services.wording import ALARM_GLYPH, Sign
from wallet.tui import text
from wallet.tui.wallet_modal import WalletModal

HOW_IT_WORKS = (
    "One confirmation covers the bytes on its card, and nothing else. They may be sent again; the ledger executes them"
    " at most once. Anything else is a new card."
)


class HelpScreen(WalletModal[None]):
    AUTO_FOCUS = "#card-body"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="help.leave", tooltip="Close this page"),
    ]

    def __init__(self, about: Screen[object]) -> None:
        super().__init__()
        self._about = about

    def compose(self) -> ComposeResult:
        with Vertical(id="card") as card:
            card.border_title = "Help"
            with VerticalScroll(id="card-body"):
                yield Static(id="card-text")
            with Horizontal(id="card-buttons"):
                yield Button("Back", id="back")

    def draw(self) -> None:
        for shown in self.query("#card-text").results(Static):
            shown.update(text.lines(self._rows(self.text_width)))

    def _rows(self, width: int) -> list[Content]:
        rows = [text.line(("Keys", "bold"))]
        for active in self._about.active_bindings.values():
            binding = active.binding
            if binding.id is not None and (binding.tooltip or binding.description):
                key = self.app.get_key_display(binding)
                rows += text.folded(f"  {key}", binding.tooltip or binding.description, width, label_width=14)
        rows += [text.line(""), text.line(("Signs", "bold"))]
        rows += [text.labelled(f"  {sign.glyph}", sign.word, width=6) for sign in Sign]
        rows += text.folded(
            f"  {ALARM_GLYPH}", "alarm: something does not fit, and wants you to look", width, label_width=6
        )
        rows += [
            text.line(""),
            text.line(("How it works", "bold")),
            *text.folded("", HOW_IT_WORKS, width, label_width=2),
        ]
        return rows

    @on(Button.Pressed, "#back")
    def action_leave(self) -> None:
        self.dismiss()
