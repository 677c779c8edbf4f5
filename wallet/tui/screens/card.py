"""The intent card: everything a confirmation is about, and a confirmation that cannot happen by accident (R15)."""

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from wallet.core.intent import Intent, State
from wallet.services.wording import ALARM_GLYPH, local, plain, utc
from wallet.tui import text
from wallet.tui.wallet_modal import WalletModal

WAKE_S = 0.5
"""Confirm sleeps this long at least, and after every burst of keys: a held or a pasted Enter must not reach it."""


def card_content(intent: Intent, sender_name: str, recipient_name: str, balance: int | None, width: int) -> Content:
    """The card's lines; nothing is cut off at `width` columns."""
    card = intent.card
    rows = [text.labelled("send", (text.amount(intent, card.amount), "bold"))]
    in_full = text.account_in_full(card.recipient, width - 10)
    if recipient_name:
        rows.append(text.labelled("to", (recipient_name, "bold")))
    rows += [text.labelled("" if n or recipient_name else "to", (part, "bold")) for n, part in enumerate(in_full)]
    rows.append(text.labelled("fee", text.amount(intent, card.fee)))
    rows.append(text.labelled("total", text.amount(intent, card.total), ("  leave the account", "$text-muted")))
    rows.append(text.labelled("memo", text.memo(card.memo)))
    rows.append(text.labelled("from", sender_name))
    if card.sender.subaccount is not None:
        rows += [text.labelled("", part) for part in text.account_in_full(card.sender, width - 10)]
    if balance is not None and balance >= card.total:
        rows.append(text.labelled("after", text.amount(intent, balance - card.total), ("  are left", "$text-muted")))
    symbol = plain(card.symbol)
    rows.append(text.labelled("ledger", f"{plain(intent.ledger_name)} ({symbol}) on {plain(intent.network)}"))
    rows.append(text.labelled("", str(intent.ledger)))
    rows.append(text.labelled("stamp", utc(intent.stamp), (", the ledger's clock", "$text-muted")))
    rows.append(text.labelled("", (f"{local(intent.stamp)} here", "$text-muted")))
    rows.append(text.labelled("", f"can be repeated safely until {utc(intent.window_closes)}"))
    rows.append(text.labelled("bytes", f"{intent.method} · digest ", (text.grouped(intent.digest), "bold")))
    if intent.ref is not None:
        rows.append(text.labelled("ref", plain(intent.ref)))
    if card.warnings:
        rows.append(text.line(""))
    rows += [text.line((f"{ALARM_GLYPH} {plain(warning)}", "$text-warning")) for warning in card.warnings]
    return text.lines(rows)


class CardScreen(WalletModal[None]):
    """Cancel has the focus; Confirm wakes once all was shown and the keyboard has been still for a moment."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel", id="card.leave", tooltip="Leave it prepared; nothing is sent"),
        Binding("d", "drop", "Drop", id="card.drop", tooltip="Put the intent away; nothing is sent"),
    ]

    def __init__(self, intent: Intent, existing: bool = False) -> None:
        super().__init__()
        self._intent = intent
        self._existing = existing
        self._was_shown = False
        self._still_since_s: float | None = None

    def compose(self) -> ComposeResult:
        what = text.amount_short(self._intent, self._intent.card.amount)
        with Vertical(id="card"):
            with VerticalScroll(id="card-body", can_focus=False):
                yield Static(id="card-text")
            yield Static(id="card-note")
            with Horizontal(id="card-buttons"):
                yield Button("Cancel", id="cancel")
                yield Button(Content("Drop"), id="drop")
                yield Button(Content(f"Confirm: send {what}"), id="confirm", variant="primary", disabled=True)

    def on_mount(self) -> None:
        card = self.query_one("#card")
        card.border_title = "You have prepared this before" if self._existing else "Confirm this transfer"
        card.border_subtitle = f"intent {self._intent.id}"
        self._draw()
        self.query_one("#cancel").focus()
        self._touch()
        self.set_interval(0.1, self._wake)

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        body = self.query_one("#card-body")
        width = max(body.scrollable_content_region.width, 40)
        intent = self._intent
        sender, recipient = self.wallet.name_of(intent.card.sender), self.wallet.known_name(intent.card.recipient)
        held = self.wallet.balance_of(intent.ledger)
        balance = held if intent.card.sender.subaccount is None else None
        self.query_one("#card-text", Static).update(card_content(intent, sender, recipient, balance, width))

    # --- safe by construction ---

    def _touch(self) -> None:
        self._still_since_s = self.wallet.session.clock.now_s()

    def on_key(self, event: events.Key) -> None:
        self._touch()
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
        event.stop()
        self._touch()

    def _wake(self) -> None:
        body = self.query_one("#card-body", VerticalScroll)
        if body.size.height and body.scroll_offset.y >= body.max_scroll_y:
            self._was_shown = True
        button = self.query_one("#confirm", Button)
        if not self._was_shown:
            self.query_one("#card-note", Static).update(
                text.line(("↓ there is more; Confirm wakes at its end", "$text-warning"))
            )
            return
        self.query_one("#card-note", Static).update("")
        still = self._still_since_s is not None and self.wallet.session.clock.now_s() - self._still_since_s >= WAKE_S
        if button.disabled and still:
            button.disabled = False

    def show_changes(self) -> None:
        """Another wallet confirmed, dropped or superseded it: this card is then no longer the one to confirm."""
        current = self.wallet.session.intent(self._intent.id)
        if current is None or current.state is not State.PREPARED or current.dropped:
            self._go_on()

    # --- the three ways out ---

    @on(Button.Pressed, "#confirm")
    def _confirm(self) -> None:
        button = self.query_one("#confirm", Button)
        if button.disabled:
            return
        button.disabled = True
        self._still_since_s = None  # a second press finds it asleep, for good

        def send() -> None:
            self.wallet.confirm(self._intent)
            self._go_on()

        self.wallet.unlocked(send)

    def _go_on(self) -> None:
        from wallet.tui.screens.intent import IntentScreen

        if self.is_current:
            self.app.switch_screen(IntentScreen(self._intent.id))

    @on(Button.Pressed, "#cancel")
    def action_leave(self) -> None:
        self.dismiss()

    @on(Button.Pressed, "#drop")
    def action_drop(self) -> None:
        self.wallet.drop(self._intent)
        self.dismiss()
