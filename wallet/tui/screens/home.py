"""Home: what you hold, what is unsettled - first - and what was settled lately."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from wallet.core.amount import format_amount
from wallet.core.intent import Intent, State
from wallet.services.wording import glyph, headline, plain
from wallet.tui import text
from wallet.tui.wallet_screen import WalletScreen
from wallet.tui.widgets.status_bar import StatusBar

RECENT = 50

FIRST_STEPS = """Nothing is here yet. Three commands make a beginning; close the wallet with ctrl-q to type them:

  wallet identity new NAME        a key of your own (or: wallet identity import NAME --pem FILE)
  wallet ledger add CANISTER      a token, by its ledger's canister id
  wallet identity show            your principal: what others need to pay you

Or try everything with play money: wallet demo"""


class HomeScreen(WalletScreen):
    """The first screen, and the one that everything returns to."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "send", "Send", id="home.send", tooltip="Prepare a transfer"),
        Binding("r", "resume", "Resume", id="home.resume", tooltip="Open the first unsettled transfer"),
        Binding("v", "receive", "Receive", id="home.receive", tooltip="Show your own account in full"),
        Binding("f5", "refresh", "Refresh", id="home.refresh", tooltip="Ask for time and balances now"),
    ]

    def compose(self) -> ComposeResult:
        yield StatusBar(id="status")
        yield Static(Content(FIRST_STEPS), id="first-steps")
        with Vertical(id="home"):
            with Horizontal(id="top"):
                yield Static(id="accounts")
                yield OptionList(id="unsettled", markup=False)
            yield OptionList(id="recent", markup=False)
        yield Footer(show_command_palette=True)

    def on_mount(self) -> None:
        self.query_one("#accounts").border_title = "Accounts"
        self.query_one("#recent").border_title = "Recent"
        self.show_changes()
        self.query_one("#unsettled").focus()

    def show_changes(self) -> None:
        session = self.wallet.session
        is_empty = session.identity is None or not session.ledgers.all()
        self.query_one("#first-steps").display = is_empty
        self.query_one("#home").display = not is_empty
        intents = session.intents(limit=RECENT)
        unsettled = [each for each in intents if not each.is_settled and not each.dropped]
        recent = [each for each in intents if each.is_settled]
        self._fill("#unsettled", [(each, self._unsettled_row(each)) for each in unsettled], "Nothing is unsettled.")
        self.query_one("#unsettled").border_title = f"Unsettled · {len(unsettled)}"
        self._fill("#recent", [(each, self._recent_row(each)) for each in recent], "No transfer was settled yet.")
        self.query_one("#accounts", Static).update(self._accounts())
        self.tick()

    def _fill(self, where: str, rows: list[tuple[Intent, Content]], nothing: str) -> None:
        options = self.query_one(where, OptionList)
        chosen = options.highlighted_option.id if options.highlighted_option is not None else None
        options.clear_options()
        if not rows:
            options.add_option(Option(text.line((nothing, "$text-muted")), disabled=True))
            return
        options.add_options([Option(row, id=intent.id) for intent, row in rows])
        ids = [intent.id for intent, _ in rows]
        options.highlighted = ids.index(chosen) if chosen in ids else 0

    def _accounts(self) -> Content:
        balances = self.wallet.balances
        if not balances:
            return text.line(("asking the ledgers …", "$text-muted"))
        rows = []
        for each in balances:
            terms = each.ledger.terms
            symbol, name = plain(terms.symbol), plain(each.ledger.terms.name)
            held = format_amount(each.amount, terms.decimals, grouping=True) if each.amount is not None else "no answer"
            room = max(self.query_one("#accounts").content_size.width - len(symbol) - len(held) - 4, 4)
            style = "bold" if each.amount is not None else "$text-warning"
            rows.append(text.line((f"{symbol}  ", "bold"), (f"{name[:room]:<{room}}  ", "$text-muted"), (held, style)))
        return text.lines(rows)

    def _unsettled_row(self, intent: Intent) -> Content:
        now = self.wallet.ledger_time
        what = f"  {text.amount_short(intent, intent.card.amount)} → {self.wallet.name_of(intent.card.recipient)}"
        first = intent.attempts[0].sent_at if intent.attempts else None
        when = f"sent {text.age(first, now)}" if first is not None else "not sent"
        rows = [
            text.line(text.mark(intent), what),
            text.line((f"  {when} · {text.window(intent, now)}", "$text-muted")),
        ]
        rows += [text.alarm(each) for each in intent.alarms]
        return text.lines(rows)

    def _recent_row(self, intent: Intent) -> Content:
        card, outcome = intent.card, intent.outcome
        sign = "−" if outcome.moved else " "
        what = text.amount_short(intent, card.total if outcome.moved else card.amount)
        who = self.wallet.name_of(card.recipient)
        note = f"block {outcome.block}" if outcome.block is not None else ""
        if not outcome.moved:
            note = headline(intent)
        elif card.memo is not None:
            note += f"   {text.memo_short(card.memo)}"
        row = text.line(
            (f"{glyph(intent)} ", f"bold {text.colour(intent)}"),
            (f"{text.clock(intent.stamp)[:5]}  ", "$text-muted"),
            f"{sign}{what:<20} {who[:22]:<22}  ",
            (note, "$text-muted"),
        )
        row = row.truncate(max(self.query_one("#recent").content_size.width - 2, 40), ellipsis=True)
        return text.lines([row, *(text.alarm(each) for each in intent.alarms)])

    # --- keys ---

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if event.option_id is not None:
            self.open_intent(event.option_id)

    def open_intent(self, intent_id: str) -> None:
        intent = self.wallet.session.intent(intent_id)
        if intent is None:
            return
        from wallet.tui.screens.card import CardScreen
        from wallet.tui.screens.intent import IntentScreen

        if intent.state is State.PREPARED:
            self.app.push_screen(CardScreen(intent, existing=True))
        else:
            self.app.push_screen(IntentScreen(intent.id))

    def action_resume(self) -> None:
        unsettled = self.wallet.session.intents(unsettled=True, limit=1)
        if unsettled:
            self.open_intent(unsettled[0].id)
        else:
            self.notify("Nothing is unsettled.")

    def action_send(self) -> None:
        from wallet.tui.screens.send import SendScreen

        session = self.wallet.session
        if session.identity is None or not session.ledgers.all():
            self.notify("An identity and a ledger come first.", severity="warning")
            return
        self.app.push_screen(SendScreen())

    def action_receive(self) -> None:
        from wallet.tui.screens.receive import ReceiveScreen

        if self.wallet.session.identity is not None:
            self.app.push_screen(ReceiveScreen())

    def action_refresh(self) -> None:
        self.wallet.refresh_network()
