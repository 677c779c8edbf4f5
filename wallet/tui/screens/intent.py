"""One intent: the timeline while it is sent, and one look for every way it can end."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Footer, Static

from wallet.core.finding import Found
from wallet.core.intent import Duplicate, Intent, State
from wallet.core.pack import Operation
from wallet.services import wording
from wallet.services.reasons import field_to_fix
from wallet.services.wording import explanation, headline
from wallet.tui import beside, facts, messages, text, timeline
from wallet.tui.offers import BUTTONS, offers
from wallet.tui.wallet_screen import WalletScreen
from wallet.tui.widgets.status_bar import StatusBar

BUTTON_LEAST = 10
"""Columns that a button has at the least, as app.tcss says."""


class IntentScreen(WalletScreen):
    """Reads its intent from the store whenever something changed; leaving it never stops anything."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="intent.leave", tooltip="Back to Home; a send goes on"),
        Binding("a", "ask", "Ask", id="intent.ask", tooltip="Ask what became of it; nothing is sent"),
        Binding("g", "again", "Again", id="intent.again", tooltip="Send the same bytes again, where the rules allow"),
        Binding("l", "look", "History", id="intent.look", tooltip="Read the ledger's blocks for it"),
    ]

    def __init__(self, intent_id: str, existing: bool = False) -> None:
        super().__init__()
        self.intent_id = intent_id
        self._existing = existing
        self._shown_buttons: tuple[str, ...] = ()
        self._is_busy = False

    def compose(self) -> ComposeResult:
        yield StatusBar(id="status")
        with VerticalScroll(id="intent", can_focus=True):
            yield Static(id="intent-text")
        with Horizontal(id="actions"):
            for name, label in BUTTONS.items():
                yield Button(label, id=name)
        yield Footer()

    def on_mount(self) -> None:
        self.look()

    @property
    def intent(self) -> Intent:
        found = self.wallet.session.intent(self.intent_id)
        assert found is not None  # intents are never deleted
        return found

    def tick(self) -> None:
        super().tick()
        if self.wallet.work.waits_s(self.intent_id):
            self.query_one("#intent-text", Static).update(text.lines(self._rows(self.intent)))

    def show_changes(self) -> None:
        intent = self.intent
        panel = self.query_one("#intent")
        what = facts.title(intent, self.wallet.name_of)
        panel.border_title = Content(what)  # never a string: that would be read as markup
        panel.border_subtitle = intent.id
        self.query_one("#intent-text", Static).update(text.lines(self._rows(intent)))
        self._offer(intent)
        self.tick()

    # --- what is shown ---

    def _rows(self, intent: Intent) -> list[Content]:
        width = self.query_one("#intent").scrollable_content_region.width
        told = self.wallet.work.timelines.get(intent.id, [])
        is_busy = self.wallet.work.is_on(intent.id)
        rows = []
        if self._existing:
            rows += [text.line(("You have prepared this before; it is unchanged.", "$text-primary")), text.line("")]
        for each in intent.alarms:
            rows += text.alarm(each, width)
        is_starting = is_busy and intent.state is State.PREPARED
        if is_starting:
            # Not "sending": until it is on disk, a wallet that ends here leaves it prepared (R29).
            rows.append(
                text.line(text.mark(intent), "  You confirmed it. It goes to disk now, and then to the network.")
            )
        else:
            rows.append(text.line(text.mark(intent), "  ", headline(intent)))
        why = "" if is_starting else explanation(intent)
        if why:
            rows.append(text.line((why, "$text-muted")))
        if intent.attempts:
            rows.append(text.line(""))
            rows += timeline.steps(intent, is_busy, width)
            rows += timeline.attempts(intent, width)
        if is_busy and told:
            rows += timeline.now(told[-1], self.wallet.work.waits_s(intent.id))
            rows.append(
                text.line(("You can leave this screen: it goes on, and a closed wallet picks it up.", "$text-muted"))
            )
        rows.append(text.line(""))
        return rows + self._ending(intent, width) + _facts(intent, self.wallet.known_name, width)

    def _ending(self, intent: Intent, width: int) -> list[Content]:
        """What moved, and the block that shows it, beside what was confirmed."""
        rows: list[Content] = []
        if intent.duplicate is None and intent.is_settled and intent.outcome.moved:
            left = {
                Operation.TRANSFER: "fee included",
                Operation.APPROVE: "the fee alone",
                Operation.TRANSFER_FROM: "fee included, from an account that is not yours",
            }[intent.card.operation]
            rows.append(text.labelled("left", text.amount(intent, intent.card.total), (f"  {left}", "$text-muted")))
            held = self.wallet.outlook.balance_of(intent.ledger)
            if held is not None and intent.card.sender.subaccount is None and intent.card.spender is None:
                rows.append(text.labelled("balance", text.amount(intent, held)))
        block = _block_shown(intent)
        if block is not None:
            rows += [text.line("")] if rows else []
            rows += [beside.intent_and_block(intent, block, width), text.line("")]
        return rows + timeline.findings(intent, width)

    # --- what can be done ---

    def _offer(self, intent: Intent) -> None:
        is_busy = self.wallet.work.is_on(intent.id)
        names = () if intent.dropped else offers(intent)
        for name in BUTTONS:
            button = self.query_one(f"#{name}", Button)
            button.display = name in names
            button.disabled = is_busy
        taken = sum(max(len(BUTTONS[name]) + 2, BUTTON_LEAST) + 1 for name in names)
        self.query_one("#actions").set_class(taken > self.size.width, "-in-columns")
        if is_busy != self._is_busy:
            self._is_busy = is_busy
            self.refresh_bindings()
        if names != self._shown_buttons:
            self._shown_buttons = names
            self.refresh_bindings()
            self.query_one(f"#{names[0]}" if names else "#intent").focus()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        intent = self.intent
        match event.button.id:
            case "leave":
                self.action_leave()
            case "ask":
                self.action_ask()
            case "again":
                self.action_again()
            case "look":
                self.action_look()
            case "restamp":
                self.wish(messages.Restamp(intent))
            case "correct":
                from wallet.tui.screens.send import SendScreen

                self.app.switch_screen(SendScreen(intent, field_to_fix(intent)))
            case "drop":
                self.dismiss()
                self.wish(messages.Drop(intent))
            case "answer":
                from wallet.tui.screens.answer import AnswerScreen

                self.app.push_screen(AnswerScreen(intent))
            case "acknowledge":
                self.wish(messages.Acknowledge(intent))
            case "successor" if intent.superseded_by is not None:
                from wallet.tui.screens.card import CardScreen

                heir = self.wallet.session.intent(intent.superseded_by)
                if heir is not None and heir.state is State.PREPARED:
                    self.app.switch_screen(CardScreen(heir, existing=True))
                elif heir is not None:
                    self.app.switch_screen(IntentScreen(heir.id))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that would do nothing now are not shown."""
        return action not in ("ask", "again", "look") or (action in self._shown_buttons and not self._is_busy)

    def action_ask(self) -> None:
        intent = self.intent
        if "ask" in offers(intent):
            self.wish(messages.Ask(intent))

    def action_again(self) -> None:
        intent = self.intent
        if "again" in offers(intent):
            self.wish(messages.SendAgain(intent))

    def action_look(self) -> None:
        intent = self.intent
        if "look" in offers(intent):
            self.wish(messages.Look(intent))

    def action_leave(self) -> None:
        self.dismiss()


def _block_shown(intent: Intent) -> Duplicate | None:
    """The block to lay beside the intent: the one that the ledger named, or that its history has (R20, R25)."""
    if intent.duplicate is not None:
        return intent.duplicate
    found = [each.block for each in intent.findings if isinstance(each, Found)]
    return Duplicate(found[-1]) if found and intent.outcome.moved else None


def _facts(intent: Intent, known: facts.Names, width: int) -> list[Content]:
    """What the card said, less what a block beside the intent shows already."""
    rows: list[Content] = []
    shown = _block_shown(intent)
    if shown is None or shown.block is None:
        rows += text.account_rows(wording.payee_label(intent), intent.card.recipient, width)
        if intent.card.operation is Operation.APPROVE and intent.card.amount:
            rows += facts.until(intent, width)
        if intent.card.operation is Operation.TRANSFER_FROM:
            rows += facts.whose_money(intent, "you", known, width)
        rows += text.folded("memo", wording.memo(intent), width)
        rows += text.folded("stamp", f"{beside.exact(intent.stamp)} UTC, the ledger's clock", width)
    rows += facts.method(intent, width)
    if intent.supersedes:
        rows += text.folded("replaces", intent.supersedes, width)
    return rows
