"""The demo's panel: one key arms a fault of the network and says what will be seen; the blocks show what came of it."""

import string
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, OptionList, Static
from textual.widgets.option_list import Option

from wallet.services.wording import ALARM_GLYPH
from wallet.tui import text
from wallet.tui.demo_panel import DemoBlock, DemoPanel, Trick
from wallet.tui.wallet_modal import FRAME, WalletModal

KEYS = string.ascii_lowercase
BLOCKS = 3
LOOK_EVERY_S = 1.0


class TricksScreen(WalletModal[None]):
    AUTO_FOCUS = "#tricks"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="tricks.leave", tooltip="Close the panel; what is armed stays armed"),
        Binding("delete,backspace", "clear", "Clear", id="tricks.clear", tooltip="Disarm everything"),
    ]

    def __init__(self, panel: DemoPanel) -> None:
        super().__init__()
        self._panel = panel
        self._said = ("", "")

    def compose(self) -> ComposeResult:
        with Vertical(id="card") as card:
            card.border_title = "Tricks of the demo's network"
            card.border_subtitle = "a letter arms one · delete disarms all"
            yield OptionList(id="tricks", markup=False)
            yield Static(id="card-note")
            yield Static(id="blocks")
            with Horizontal(id="card-buttons"):
                yield Button("Back", id="back")
                yield Button("Disarm all", id="clear")

    def on_mount(self) -> None:
        self.set_interval(LOOK_EVERY_S, self._show_blocks)

    def draw(self) -> None:
        options = self.query_one("#tricks", OptionList)
        self._fill(options.highlighted or 0)
        self._show_blocks()

    def _fill(self, highlighted: int) -> None:
        options = self.query_one("#tricks", OptionList)
        options.clear_options()
        options.add_options([Option(self._row(key, each)) for key, each in self._keyed()])
        options.highlighted = highlighted

    def _show_blocks(self) -> None:
        """The newest blocks, as the network's own record has them: the count that a person may trust."""
        blocks = self._panel.blocks(BLOCKS)
        count = blocks[0].index + 1 if blocks else 0
        rows = [text.line((f"Blocks on the ledger: {count}, newest first", "bold"))]
        rows += [row for each in blocks for row in self._block(each)]
        self.query_one("#blocks", Static).update(text.lines(rows))
        sentence, style = self._said
        note = text.folded("", sentence, self.text_width, style, 0)
        self.query_one("#card-note", Static).update(text.lines(note))
        # The list has the room that the frame, the note, an empty line and the blocks leave.
        self.query_one("#tricks").styles.max_height = max(self.size.height - FRAME - len(note) - len(rows), 3)

    def _block(self, block: DemoBlock) -> list[Content]:
        label = f"  {block.index}"
        if block.equals is None:
            return text.folded(label, block.says, self.text_width, label_width=8)
        twice = f"{block.says}  {ALARM_GLYPH} the same call as in block {block.equals}: it ran twice"
        return text.folded(label, twice, self.text_width, "bold $text-error", 8)

    def _keyed(self) -> list[tuple[str, Trick]]:
        return list(zip(KEYS, self._panel.tricks(), strict=False))

    def _row(self, key: str, trick: Trick) -> Content:
        style = "bold $text-warning" if trick.is_armed else "bold"
        armed = " (armed)" if trick.is_armed else ""
        head = text.line(
            (f"{key}  ", "$text-primary"), (f"{trick.name}{armed}", style), (f"  {trick.lasts}", "$text-muted")
        )
        return text.lines([head, *text.folded("", trick.says, self.text_width, "$text-muted", 3)])

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
        self._say(f"{trick.name}: {self._panel.arm(trick.name)}", "$text-warning")
        self._fill(index)

    @on(Button.Pressed, "#clear")
    def action_clear(self) -> None:
        self._panel.clear()
        self._say("Everything is disarmed.", "$text-muted")
        self._fill(self.query_one("#tricks", OptionList).highlighted or 0)

    def _say(self, sentence: str, style: str) -> None:
        self._said = (sentence, style)
        self._show_blocks()

    @on(Button.Pressed, "#back")
    def action_leave(self) -> None:
        self.dismiss()
