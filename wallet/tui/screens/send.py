"""Send: the form of a payment, checked while it is typed; nothing is prepared that cannot be right."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Footer, Input, Label, Select, Static

from wallet.core.amount import format_short
from wallet.core.convert import Form
from wallet.core.errors import BadInput, WalletError
from wallet.core.intent import Intent, State
from wallet.core.pack import Operation
from wallet.core.principal import ANONYMOUS
from wallet.ports import LedgerEntry
from wallet.services.reasons import ledger_reason
from wallet.services.shown import plain
from wallet.services.wording import Sign
from wallet.tui import text
from wallet.tui.form import FIELD_OF_FAULT, FIELDS, WORDS, faults, has_field, of_intent
from wallet.tui.wallet_screen import WalletScreen
from wallet.tui.widgets.status_bar import StatusBar

_TEXT, _HEX = "text", "hex"


class SendScreen(WalletScreen):
    """`earlier` is a payment to begin with, as after a fix_input; its `field` is marked with what the ledger said."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="send.leave", tooltip="Back; nothing is prepared"),
        Binding("f2", "prepare", "Prepare", id="send.prepare", tooltip="Show the card of this payment"),
    ]

    def __init__(
        self,
        earlier: Intent | None = None,
        field: str | None = None,
        operation: Operation = Operation.TRANSFER,
        ledger: LedgerEntry | None = None,
    ) -> None:
        super().__init__()
        self._earlier = earlier
        self._field = field
        self._begins_with = operation if earlier is None else earlier.card.operation
        self._ledger_first = None if ledger is None else str(ledger.terms.canister)
        self._is_preparing = False

    def compose(self) -> ComposeResult:
        ledgers = self.wallet.session.ledgers.all()
        options = [(_ledger_text(each), str(each.terms.canister)) for each in ledgers]
        first = str(self._earlier.ledger) if self._earlier else self._ledger_first or options[0][1]
        choices = [(words.choice, operation) for operation, words in WORDS.items()]
        own = "default account; else a subaccount in hex"
        yield StatusBar(id="status")
        with VerticalScroll(id="form", can_focus=False):
            what: Select[Operation] = Select(choices, value=self._begins_with, allow_blank=False, compact=True)
            yield from self._row("What", what, "operation")
            yield from self._row("Ledger", Select(options, value=first, allow_blank=False, compact=True), "ledger")
            yield from self._row("Payer", Input(placeholder="the account that allowed you to take it"), "from_account")
            yield from self._row("", Input(), "to")
            yield from self._row("Amount", Input(), "amount")
            yield from self._row("Lasts", Input(placeholder="30d, 24h, 10m; no end if empty"), "lasts")
            kinds = [(_TEXT, _TEXT), (_HEX, _HEX)]
            kind = Select(kinds, value=_TEXT, allow_blank=False, id="memo-kind", compact=True)
            yield from self._row("Memo", Input(placeholder="none"), "memo", kind)
            yield from self._row("", Input(placeholder=own), "from_subaccount")
            with Horizontal(id="form-buttons"):
                yield Button("Cancel", id="cancel")
                yield Button("Prepare the card", id="prepare", variant="primary")
        yield Footer()

    def _row(
        self, label: str, field: Input | Select[str] | Select[Operation], name: str, more: Select[str] | None = None
    ) -> ComposeResult:
        field.id = name
        if isinstance(field, Input):
            field.compact = True
        with Vertical(id=f"row-{name}", classes="field"):
            with Horizontal(classes="row"):
                yield Label(label, classes="label", id=f"label-{name}")
                yield field
                if more is not None:
                    yield more
            yield Static(id=f"hint-{name}", classes="hint")

    def on_mount(self) -> None:
        if self._earlier is not None:
            self._fill(of_intent(self._earlier))
        self._speak()
        # The fee is the ledger's: what it says of it stands beside the ledger.
        shown = {None: self._first_field(), "fee": "ledger"}.get(self._field, self._field or "to")
        self.query_one(f"#{shown}").focus()
        self.tick()

    def _first_field(self) -> str:
        return next(name for name in FIELDS if has_field(self._operation, name))

    def _fill(self, form: Form) -> None:
        for name in ("to", "amount", "from_subaccount", "from_account", "lasts"):
            self.query_one(f"#{name}", Input).value = getattr(form, name)
        self.query_one("#memo", Input).value = form.memo_hex or form.memo
        self.query_one("#memo-kind", Select).value = _HEX if form.memo_hex else _TEXT

    # --- by what is to be done ---

    @property
    def _operation(self) -> Operation:
        chosen = self.query_one("#operation", Select).value
        assert isinstance(chosen, Operation)
        return chosen

    @on(Select.Changed, "#operation")
    def _speak(self) -> None:
        """The fields of this operation, in its words."""
        operation = self._operation
        words = WORDS[operation]
        self.query_one("#form").border_title = words.choice
        self.query_one("#hint-operation", Static).update(text.line((words.about, "$text-muted")))
        self.query_one("#label-to", Label).update(words.payee)
        self.query_one("#to", Input).placeholder = words.payee_hint
        self.query_one("#amount", Input).placeholder = words.amount_hint
        self.query_one("#label-from_subaccount", Label).update(words.own)
        for name in FIELDS:
            self.query_one(f"#row-{name}").display = has_field(operation, name)
        self._check()

    # --- checked while it is typed ---

    @on(Input.Changed)
    @on(Select.Changed, "#ledger")
    @on(Select.Changed, "#memo-kind")
    def _check(self) -> None:
        ledger = self._ledger()
        if ledger is None or not self.is_mounted:
            return
        wrong = self._faults(ledger)
        for name in FIELDS:
            self._mark(name, wrong.get(name, "") if self._typed(name) else "")
        self.query_one("#hint-ledger", Static).update(text.line((self._about(ledger), "$text-muted")))
        self._mark_what_the_ledger_wants()

    def _about(self, ledger: LedgerEntry) -> str:
        """What there is to spend, and what it costs."""
        terms = ledger.terms
        symbol = plain(terms.symbol)
        held = self.wallet.outlook.balance_of(terms.canister)
        fee = f"fee {format_short(terms.fee, terms.decimals)} {symbol}"
        if held is None or self._operation is Operation.TRANSFER_FROM:
            return fee
        return f"you hold {format_short(held, terms.decimals, grouping=True)} {symbol} · {fee}"

    def _mark_what_the_ledger_wants(self) -> None:
        """After a fix_input, until the field that it is about was changed (R26)."""
        if self._earlier is None or self._field is None:
            return
        name = "ledger" if self._field == "fee" else self._field
        if name != "ledger" and self._typed(name) != getattr(of_intent(self._earlier), name):
            return
        self._mark(name, f"{Sign.FIX_INPUT.glyph} {ledger_reason(self._earlier)}")

    def _faults(self, ledger: LedgerEntry) -> dict[str, str]:
        identity = self.wallet.session.identity
        return faults(self._form(), identity.principal if identity is not None else ANONYMOUS, ledger.terms)

    def _show_what_is_wrong(self, ledger: LedgerEntry) -> bool:
        """Mark every field that cannot be right, also one left empty that may not be, and go to the first."""
        wrong = self._faults(ledger)
        for name, why in wrong.items():
            self._mark(name, why)
        for name in list(wrong)[:1]:
            self._go_to(name)
        return bool(wrong)

    def _go_to(self, name: str) -> None:
        """The field gets the focus, and its reason is in sight below it."""
        self.query_one(f"#{name}").focus()
        self.call_after_refresh(self.query_one(f"#hint-{name}").scroll_visible, animate=False)

    def _mark(self, name: str, why: str) -> None:
        self.query_one(f"#hint-{name}", Static).update(text.line((plain(why), "$text-error")))
        self.query_one(f"#{name}").set_class(bool(why), "wrong")

    def _typed(self, name: str) -> str:
        return self.query_one(f"#{name}", Input).value

    def _form(self) -> Form:
        """As it stands; what belongs to another operation is left out."""
        operation, memo = self._operation, self._typed("memo")
        is_hex = self.query_one("#memo-kind", Select).value == _HEX
        typed = {name: self._typed(name) for name in FIELDS if name != "memo" and has_field(operation, name)}
        return Form(**typed, memo="" if is_hex else memo, memo_hex=memo if is_hex else "", operation=operation)

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
        if ledger is not None and not self._is_preparing and not self._show_what_is_wrong(ledger):
            self._is_preparing = True
            self.run_worker(self._prepare(ledger), exclusive=False, exit_on_error=False)

    async def _prepare(self, ledger: LedgerEntry) -> None:
        from wallet.tui.screens.card import CardScreen
        from wallet.tui.screens.intent import IntentScreen

        try:
            prepared = await self.wallet.prepare(self._form(), ledger)
        except BadInput as fault:
            name = FIELD_OF_FAULT.get(fault.field, fault.field)
            if name in (*FIELDS, "ledger"):
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


def _ledger_text(ledger: LedgerEntry) -> str:
    """Its symbol, its own name, and the person's name for it where that is another word."""
    symbol, name, given = plain(ledger.terms.symbol), plain(ledger.terms.name), plain(ledger.name)
    return f"{symbol} · {name}" + (f" ({given})" if given not in (symbol, name) else "")
