"""The demo's panel: one key arms a fault of the network and says what will be seen."""

import string
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, OptionList, Static
from textual.widgets.option_list import Option

from wallet.tui import text
from wallet.tui.demo_panel import DemoPanel, Trick
from wallet.tui.wallet_modal import WalletModal

KEYS = string.ascii_lowercase


class TricksScreen(WalletModal[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="tricks.leave", tooltip="Close the panel; what is armed stays armed"),
        Binding("delete,backspace", "clear", "Clear", id="tricks.clear", tooltip="Disarm everything"),
    ]

    def __init__(self, panel: DemoPanel) -> None:
        super().__init__()
        self._panel = panel

    def compose(self) -> ComposeResult:
        with Vertical(id="card"):
            yield OptionList(id="tricks", markup=False)
            yield Static(id="card-note")
            with Horizontal(id="card-buttons"):
                yield Button("Back", id="back")
                yield Button("Disarm all", id="clear")

    def on_mount(self) -> None:
        card = self.query_one("#card")
        card.border_title = "Tricks of the demo's network"
        card.border_subtitle = "a letter arms one · delete disarms all"
        self._fill(0)
        self.query_one("#tricks").focus()

    def _fill(self, highlighted: int) -> None:
        options = self.query_one("#tricks", OptionList)
        options.clear_options()
        options.add_options([Option(self._row(key, each)) for key, each in self._keyed()])
        options.highlighted = highlighted

    def _keyed(self) -> list[tuple[str, Trick]]:
        return list(zip(KEYS, self._panel.tricks(), strict=False))

    def _row(self, key: str, trick: Trick) -> Content:
        style = "bold $text-warning" if trick.is_armed else "bold"
        armed = " (armed)" if trick.is_armed else ""
        return text.lines(
            [
                text.line(
                    (f"{key}  ", "$text-primary"), (f"{trick.name}{armed}", style), (f"  {trick.lasts}", "$text-muted")
                ),
                text.line((f"   {trick.says}", "$text-muted")),
            ]
        )

    def on_key(self, event: events.Key) -> None:
        names = dict(self._keyed())
        if event.key in names:
            event.stop()
            self._arm(list(names).index(event.key), names[event.key])

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        keyed = self._keyed()
        self._arm(event.option_index, keyed[event.option_index][1])

    def _arm(self, index: int, trick: Trick) -> None:
        says = self._panel.arm(trick.name)
        self._fill(index)
        self.query_one("#card-note", Static).update(text.line((f"{trick.name}: {says}", "$text-warning")))

    @on(Button.Pressed, "#clear")
    def action_clear(self) -> None:
        self._panel.clear()
        self._fill(self.query_one("#tricks", OptionList).highlighted or 0)
        self.query_one("#card-note", Static).update(text.line(("Everything is disarmed.", "$text-muted")))

    @on(Button.Pressed, "#back")
    def action_leave(self) -> None:
        self.dismiss()
