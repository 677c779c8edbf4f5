"""The person's own word, where neither the network nor the ledger's history can tell (R25)."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Input, Static

from wallet.core.finding import CannotTell
from wallet.core.intent import Intent
from wallet.core.pack import Operation
from wallet.services.shown import plain
from wallet.tui import messages, text
from wallet.tui.wallet_modal import WalletModal

ADVICE = (
    "Ask the recipient, or look at the ledger in another way. Your answer is recorded as yours."
    " If you know the block, its number is checked."
)


class AnswerScreen(WalletModal[None]):
    AUTO_FOCUS = "#leave"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave it", id="answer.leave", tooltip="Answer later; nothing is sent meanwhile"),
    ]
    extra_lines = 3

    def __init__(self, intent: Intent) -> None:
        super().__init__()
        self._intent = intent
        self._is_approve = intent.card.operation is Operation.APPROVE

    def compose(self) -> ComposeResult:
        with Vertical(id="card") as card:
            card.border_title = "Your word is needed"
            card.border_subtitle = self._intent.id
            with VerticalScroll(id="card-body", can_focus=False):
                yield Static(id="card-text")
            yield Input(
                placeholder="block number, if you know it", id="block", type="integer", valid_empty=True, compact=True
            )
            yield Static(id="card-note")
            with Horizontal(id="card-buttons"):
                yield Button("Leave it for now", id="leave")
                verb = "was" if self._is_approve else "did"
                yield Button(f"It {verb} not", id="no")
                yield Button(f"It {verb}", id="yes", variant="primary")

    def draw(self) -> None:
        width = self.text_width
        finding = self._intent.findings[-1] if self._intent.findings else None
        why = finding.why if isinstance(finding, CannotTell) else ""
        what = text.amount_short(self._intent, self._intent.card.amount)
        question = f"Did {what} arrive at this account?"
        if self._is_approve:
            question = (
                f"Was this spender allowed {what}?"
                if self._intent.card.amount
                else "Was this spender's allowance revoked?"
            )
        rows = [
            *text.folded("! ", question, width, label_width=2),
            *(text.line((row, "bold")) for row in text.account_in_full(self._intent.card.recipient, width)),
            text.line(""),
            *(text.folded("", f"The history cannot tell: {plain(why)}.", width, "$text-muted", 0) if why else []),
            *text.folded("", ADVICE, width, "$text-muted", 0),
        ]
        for shown in self.query("#card-text").results(Static):
            shown.update(text.lines(rows))

    @on(Button.Pressed, "#yes")
    def _yes(self) -> None:
        typed = self.query_one("#block", Input).value.strip()
        if typed and not (typed.isascii() and typed.isdigit()):
            # A block that was meant and cannot be read must not become a word without one.
            self.query_one("#card-note", Static).update(text.line(("a block is named by digits alone", "$text-error")))
            self.query_one("#block").focus()
            return
        block = int(typed) if typed else None
        self.wish(messages.Answer(self._intent, executed=True, block=block))
        self.dismiss()

    @on(Button.Pressed, "#no")
    def _no(self) -> None:
        self.wish(messages.Answer(self._intent, executed=False, block=None))
        self.dismiss()

    @on(Button.Pressed, "#leave")
    def action_leave(self) -> None:
        self.dismiss()
