"""The intent card: everything a confirmation is about, and a confirmation that cannot happen by accident (R15)."""

from typing import ClassVar, Self

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from wallet.core.account import Account
from wallet.core.intent import Intent, State
from wallet.core.pack import Operation
from wallet.services import wording
from wallet.services.shown import plain, utc
from wallet.services.wording import ALARM_GLYPH
from wallet.tui import facts, messages, text
from wallet.tui.wallet_modal import FRAME, WalletModal

WAKE_S = 0.4
"""No button works before the card has been up this long: an Enter meant for the form must not reach it."""

BURST_S = 0.06
"""Keys that follow each other faster than this come from a paste, or from a key held down: they press nothing."""


def card_content(intent: Intent, own_name: str, known: facts.Names, balance: int | None, width: int) -> Content:
    """The card's lines; nothing is cut off at `width` columns. `balance` is the paying account's, where it is known."""
    card = intent.card
    rows = facts.what_for_whom(intent, known, width)
    rows += text.folded("fee", text.amount(intent, card.fee), width)
    leaves = {
        Operation.TRANSFER: "leave the account",
        Operation.APPROVE: "leave the account now: the fee alone",
        Operation.TRANSFER_FROM: "leave that account",
    }[card.operation]
    rows += text.folded("total", f"{text.amount(intent, card.total)}  {leaves}", width)
    if balance is not None and balance >= card.total:
        rows += text.folded("after", f"{text.amount(intent, balance - card.total)}  are left", width)
    rows += text.folded("memo", wording.memo(intent), width)
    rows += facts.whose_money(intent, own_name, known, width)
    name, symbol = plain(intent.ledger_name), plain(card.symbol)
    known_as = symbol if name == symbol else f"{name} ({symbol})"
    rows += text.folded("ledger", f"{known_as} on {plain(intent.network)}", width)
    rows.append(text.labelled("", (str(intent.ledger), "$text-muted")))
    rows += _stamp(intent, width)
    rows += facts.method(intent, width)
    if intent.ref is not None:
        rows += text.folded("ref", plain(intent.ref), width)
    if card.warnings:
        rows.append(text.line(""))
    for warning in card.warnings:
        rows += text.folded(f"{ALARM_GLYPH} ", plain(warning), width, "$text-warning", label_width=2)
    return text.lines(rows)


def _stamp(intent: Intent, width: int) -> list[Content]:
    if not intent.has_stamp:
        return text.folded("stamp", "not in this call: the ledger would not know a repeat", width, "$text-warning")
    assumed = " (assumed)" if intent.window.assumed else ""
    return [
        *text.folded("stamp", f"{utc(intent.stamp)}, the ledger's clock{text.here(intent.stamp)}", width),
        *text.folded("", f"can be repeated safely until {utc(intent.window_closes)}{assumed}", width),
    ]


class Deliberate(Button):
    """A button of the card: presses that no person makes do not reach it."""

    def press(self) -> Self:
        card = self.screen
        return self if isinstance(card, CardScreen) and not card.is_deliberate else super().press()


class CardScreen(WalletModal[None]):
    """Cancel has the focus; Confirm wakes once all was shown and the keyboard has been still for a moment."""

    AUTO_FOCUS = "#cancel"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel", id="card.leave", tooltip="Leave it prepared; nothing is sent"),
    ]

    def __init__(self, intent: Intent, existing: bool = False) -> None:
        super().__init__()
        self._intent = intent
        self._existing = existing
        self._was_shown = False
        self._lines = 0
        self._is_confirmed = False
        self._up_since_s = float("inf")
        self._keys_at_s = (float("-inf"), float("-inf"))

    def compose(self) -> ComposeResult:
        with Vertical(id="card") as card:
            card.border_title = (
                f"You have prepared this before; its warnings are of {text.day_and_clock(self._intent.prepared_at)}"
                if self._existing
                else f"Confirm {facts.kind(self._intent)}"
            )
            card.border_subtitle = f"intent {self._intent.id}"
            with VerticalScroll(id="card-body", can_focus=False):
                yield Static(id="card-text")
            yield Static(id="card-note")
            with Horizontal(id="card-buttons"):
                yield Deliberate("Cancel", id="cancel", compact=True)
                yield Deliberate("Drop", id="drop", compact=True)
                yield Deliberate("Confirm", id="confirm", variant="primary", compact=True, disabled=True)

    def on_mount(self) -> None:
        self.draw()
        self._up_since_s = self.wallet.session.clock.now_s()
        self.set_interval(0.1, self._wake)

    @property
    def _has_body(self) -> bool:
        """A card that is closed while it opens, as when the wallet is quit, has no widgets left."""
        return bool(self.query("#card-text")) and bool(self.query("#confirm"))

    def draw(self) -> None:
        if not self._has_body:
            return
        intent = self._intent
        own_account = intent.card.spender or intent.card.sender
        own_name = self.wallet.name_of(Account(own_account.owner))
        is_own_default = intent.card.spender is None and intent.card.sender.subaccount is None
        held = self.wallet.outlook.balance_of(intent.ledger) if is_own_default else None
        content = card_content(intent, own_name, self.wallet.known_name, held, self.text_width)
        self._lines = content.plain.count("\n") + 1
        # The button says what it does; where there is no room for that, the card above it does.
        says = f"Confirm: {facts.doing(intent)}"
        room = self.text_width - sum(self.query_one(name).outer_size.width for name in ("#cancel", "#drop"))
        self.query_one("#confirm", Button).label = Content(says if len(says) + 3 <= room else "Confirm")
        self.query_one("#card-text", Static).update(content)

    # --- safe by construction ---

    @property
    def is_deliberate(self) -> bool:
        """Whether a press now is a person's, who has had the time to read at all."""
        before, last = self._keys_at_s
        return self.wallet.session.clock.now_s() - self._up_since_s >= WAKE_S and last - before >= BURST_S

    def on_key(self, event: events.Key) -> None:
        self._keys_at_s = self._keys_at_s[1], self.wallet.session.clock.now_s()
        if event.key in ("down", "up", "pagedown", "pageup", "home", "end", "space"):
            self._scroll(event.key)

    def _scroll(self, key: str) -> None:
        body = self.query_one("#card-body", VerticalScroll)
        match key:
            case "down":
                body.scroll_relative(y=1, animate=False)
            case "up":
                body.scroll_relative(y=-1, animate=False)
            case "pagedown" | "space":
                body.scroll_page_down(animate=False)
            case "pageup":
                body.scroll_page_up(animate=False)
            case "home":
                body.scroll_home(animate=False)
            case "end":
                body.scroll_end(animate=False)

    def on_paste(self, event: events.Paste) -> None:
        """A paste decides nothing."""
        event.stop()

    def _wake(self) -> None:
        if not self._has_body:
            return
        body = self.query_one("#card-body", VerticalScroll)
        # Only once the text is laid out in full, in a body that fits the screen: before that there is nothing to
        # scroll, and what was cut off below was not shown.
        fits = 0 < body.size.height <= self.size.height - FRAME
        is_laid_out = self.query_one("#card-text").size.height >= self._lines
        if fits and is_laid_out and body.scroll_offset.y >= body.max_scroll_y:
            self._was_shown = True
        more = "" if self._was_shown else "↓ there is more; Confirm wakes at its end"
        self.query_one("#card-note", Static).update(text.line((more, "$text-warning")))
        is_up = self.wallet.session.clock.now_s() - self._up_since_s >= WAKE_S
        self.query_one("#confirm", Button).disabled = self._is_confirmed or not (self._was_shown and is_up)

    def show_changes(self) -> None:
        """Another wallet confirmed, dropped or superseded it: this card is then no longer the one to confirm."""
        current = self.wallet.session.intent(self._intent.id)
        if current is None or current.state is not State.PREPARED or current.dropped:
            self._go_on()

    # --- the three ways out ---

    @on(Button.Pressed, "#confirm")
    def _confirm(self) -> None:
        if self._is_confirmed or not self._was_shown:
            return
        self._is_confirmed = True  # a second press finds it so

        def send() -> None:
            self.wish(messages.Confirm(self._intent))
            self._go_on()

        def think_again() -> None:
            self._is_confirmed = False

        self.wallet.unlocked(self._intent.sender, send, think_again)

    def _go_on(self) -> None:
        from wallet.tui.screens.intent import IntentScreen

        if self.is_current:
            self.app.switch_screen(IntentScreen(self._intent.id))

    @on(Button.Pressed, "#cancel")
    def action_leave(self) -> None:
        self.dismiss()

    @on(Button.Pressed, "#drop")
    def action_drop(self) -> None:
        self.dismiss()
        self.wish(messages.Drop(self._intent))
