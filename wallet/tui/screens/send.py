"""Send: the form of a transfer, checked while it is typed; nothing is prepared that cannot be right."""

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Button, Footer, Input, Label, Select, Static

from wallet.core.amount import format_short
from wallet.core.convert import MAX, Form, read_amount, read_memo, read_recipient, read_subaccount
from wallet.core.errors import BadInput, WalletError
from wallet.core.intent import Intent, State
from wallet.core.memo import describe
from wallet.ports import LedgerEntry, LedgerTerms
from wallet.services.reasons import ledger_reason
from wallet.services.shown import plain
from wallet.services.wording import Sign
from wallet.tui import text
from wallet.tui.wallet_screen import WalletScreen
from wallet.tui.widgets.status_bar import StatusBar

FIELDS = ("to", "amount", "memo", "from_subaccount")
_TEXT, _HEX = "text", "hex"


class SendScreen(WalletScreen):
    """`earlier` is a payment to begin with, as after a fix_input; its `field` is marked with what the ledger said."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="send.leave", tooltip="Back to Home; nothing is prepared"),
        Binding("f2", "prepare", "Prepare", id="send.prepare", tooltip="Show the card of this transfer"),
    ]

    def __init__(self, earlier: Intent | None = None, field: str | None = None) -> None:
        super().__init__()
        self._earlier = earlier
        self._field = field
        self._is_preparing = False

    def compose(self) -> ComposeResult:
        ledgers = self.wallet.session.ledgers.all()
        options = [(_ledger_text(each), str(each.terms.canister)) for each in ledgers]
        first = str(self._earlier.ledger) if self._earlier else options[0][1]
        yield StatusBar(id="status")
        with VerticalScroll(id="form", can_focus=False):
            yield from self._row(
                "Ledger", Select(options, value=first, allow_blank=False, compact=True, id="ledger"), "ledger"
            )
            yield from self._row("To", Input(placeholder="account or principal", compact=True, id="to"), "to")
            yield from self._row("Amount", Input(placeholder="1.5, or max", compact=True, id="amount"), "amount")
            with Horizontal(classes="row"):
                yield Label("Memo", classes="label")
                yield Input(placeholder="none", compact=True, id="memo")
                kinds = [(_TEXT, _TEXT), (_HEX, _HEX)]
                yield Select(kinds, value=_TEXT, allow_blank=False, id="memo-kind", compact=True)
            yield Static(id="hint-memo", classes="hint")
            subaccount = Input(placeholder="default account (up to 64 hex digits)", compact=True, id="from_subaccount")
            yield from self._row("From", subaccount, "from_subaccount")
            with Horizontal(id="form-buttons"):
                yield Button("Cancel", id="cancel")
                yield Button("Prepare the card", id="prepare", variant="primary")
        yield Footer()

    def _row(self, label: str, field: Input | Select[str], name: str) -> ComposeResult:
        with Horizontal(classes="row"):
            yield Label(label, classes="label")
            yield field
        yield Static(id=f"hint-{name}", classes="hint")

    def on_mount(self) -> None:
        self.query_one("#form").border_title = "Send"
        if self._earlier is not None:
            self._fill(self._earlier)
        self._check()
        # The fee is the ledger's: what it says of it stands beside the ledger.
        shown = {None: "to", "fee": "ledger"}.get(self._field, self._field or "to")
        self.query_one(f"#{shown}").focus()
        self.tick()

    def _fill(self, earlier: Intent) -> None:
        card = earlier.card
        self.query_one("#to", Input).value = card.recipient.text
        self.query_one("#amount", Input).value = MAX if earlier.amount_is_max else card.text_short(card.amount)
        if card.memo is not None:
            described = describe(card.memo)
            self.query_one("#memo", Input).value = described.hex if described.text is None else described.text
            self.query_one("#memo-kind", Select).value = _HEX if described.text is None else _TEXT
        if card.sender.subaccount is not None:
            self.query_one("#from_subaccount", Input).value = card.sender.subaccount.hex()

    # --- checked while it is typed ---

    @on(Input.Changed)
    @on(Select.Changed)
    def _check(self) -> None:
        ledger = self._ledger()
        if ledger is None or not self.is_mounted:
            return
        terms = ledger.terms
        for name, read in self._readers(terms).items():
            self._mark(name, _fault(read) if self._typed(name) else "")
        held = next((each for each in self.wallet.balances if each.ledger.terms.canister == terms.canister), None)
        fee = f"fee {format_short(terms.fee, terms.decimals)} {plain(terms.symbol)}"
        known = held is not None and held.amount is not None
        has = (
            f"you hold {format_short(held.amount or 0, terms.decimals, grouping=True)} {plain(terms.symbol)} · "
            if known and held
            else ""
        )
        self.query_one("#hint-ledger", Static).update(text.line((f"{has}{fee}", "$text-muted")))
        self._mark_what_the_ledger_wants()

    def _mark_what_the_ledger_wants(self) -> None:
        """After a fix_input, until the field that it is about was changed (R26)."""
        if self._earlier is None or self._field is None:
            return
        name = "ledger" if self._field == "fee" else self._field
        if name == "amount" and self._typed("amount") != self._earlier.card.text_short(self._earlier.card.amount):
            return
        self._mark(name, f"{Sign.FIX_INPUT.glyph} {ledger_reason(self._earlier)}")

    def _readers(self, terms: LedgerTerms) -> dict[str, Callable[[], object]]:
        """How each field is read, in the order of the form; a reader raises BadInput."""
        return {
            "to": lambda: read_recipient(self._typed("to")),
            "amount": lambda: read_amount(self._typed("amount"), terms.decimals),
            "memo": lambda: read_memo(*self._memo(), terms.max_memo_bytes),
            "from_subaccount": lambda: read_subaccount(self._typed("from_subaccount")),
        }

    def _show_what_is_wrong(self, terms: LedgerTerms) -> bool:
        """Mark every field that cannot be right, also one left empty that may not be, and go to the first."""
        faults = {name: why for name, read in self._readers(terms).items() if (why := _fault(read))}
        for name, why in faults.items():
            self._mark(name, why)
        for name in list(faults)[:1]:
            self._go_to(name)
        return bool(faults)

    def _go_to(self, name: str) -> None:
        """The field gets the focus, and its reason is in sight below it."""
        self.query_one(f"#{name}").focus()
        self.call_after_refresh(self.query_one(f"#hint-{name}").scroll_visible, animate=False)

    def _mark(self, name: str, why: str) -> None:
        self.query_one(f"#hint-{name}", Static).update(text.line((plain(why), "$text-error")))
        self.query_one(f"#{name}").set_class(bool(why), "wrong")

    def _typed(self, name: str) -> str:
        return self.query_one(f"#{name}", Input).value

    def _memo(self) -> tuple[str, str]:
        typed = self._typed("memo")
        return ("", typed) if self.query_one("#memo-kind", Select).value == _HEX else (typed, "")

    def _ledger(self) -> LedgerEntry | None:
        chosen = self.query_one("#ledger", Select).value
        return next((each for each in self.wallet.session.ledgers.all() if str(each.terms.canister) == chosen), None)

    # --- on to the card ---

    @on(Input.Submitted)
    def _go_on(self, event: Input.Submitted) -> None:
        """Enter goes to the next field, and from the last one on to the card."""
        if event.input.id in ("memo", "from_subaccount"):
            self.action_prepare()
        else:
            self.focus_next()

    @on(Button.Pressed, "#prepare")
    def action_prepare(self) -> None:
        ledger = self._ledger()
        if not self._is_preparing and not (ledger is not None and self._show_what_is_wrong(ledger.terms)):
            self._is_preparing = True
            self.run_worker(self._prepare(), exclusive=False, exit_on_error=False)

    async def _prepare(self) -> None:
        from wallet.tui.screens.card import CardScreen
        from wallet.tui.screens.intent import IntentScreen

        ledger = self._ledger()
        memo, memo_hex = self._memo()
        form = Form(self._typed("to"), self._typed("amount"), memo, memo_hex, self._typed("from_subaccount"))
        try:
            if ledger is None:
                raise BadInput("ledger", "choose a ledger")
            prepared = await self.wallet.prepare(form, ledger)
        except BadInput as fault:
            name = {"memo_hex": "memo"}.get(fault.field, fault.field)
            if name in FIELDS:
                self._mark(name, fault.why)
                self._go_to(name)
            else:
                self.wallet.complain(fault)
        except WalletError as fault:
            self.wallet.complain(fault)
        else:
            intent = prepared.intent
            if intent.state is State.PREPARED:
                self.app.switch_screen(CardScreen(intent, existing=prepared.existing))
            else:
                self.app.switch_screen(IntentScreen(intent.id, existing=True))
        finally:
            self._is_preparing = False

    @on(Button.Pressed, "#cancel")
    def action_leave(self) -> None:
        self.dismiss()


def _fault(read: Callable[[], object]) -> str:
    """Why a field cannot be right; empty where it can."""
    try:
        read()
    except BadInput as fault:
        return fault.why
    return ""


def _ledger_text(ledger: LedgerEntry) -> str:
    """Its symbol, its own name, and the person's name for it where that is another word."""
    symbol, name, given = plain(ledger.terms.symbol), plain(ledger.terms.name), plain(ledger.name)
    return f"{symbol} · {name}" + (f" ({given})" if given not in (symbol, name) else "")
