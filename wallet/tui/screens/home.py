"""Home: what you hold, what is unsettled - first - and what was settled lately."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from wallet.core.account import Account
from wallet.core.amount import format_amount
from wallet.core.intent import Intent
from wallet.core.pack import Operation
from wallet.services.ledgers import Balance
from wallet.services.session import as_it_stands
from wallet.services.shown import plain
from wallet.services.wording import glyph, hint, word
from wallet.tui import facts, messages, text
from wallet.tui.wallet_screen import WalletScreen
from wallet.tui.widgets.status_bar import StatusBar

RECENT = 50
FIRST_STEPS_MARGIN = 8
"""Columns beside the first steps, as app.tcss has them."""
NAME = 20
"""Columns of a payee in the list of recent ones, at the most."""

BEGINNING = "Nothing is here yet. Three commands make a beginning; close the wallet with ctrl-q to type them:"
FIRST_STEPS = {
    "wallet identity new NAME": "a key of your own; or bring one: wallet identity import NAME --pem FILE",
    "wallet ledger add CANISTER": "a token, by its ledger's canister id",
    "wallet identity show": "your principal: what others need to pay you",
}
OR_TRY = "Or try everything with play money: wallet demo"


class HomeScreen(WalletScreen):
    """The first screen, and the one that everything returns to."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "send", "Send", id="home.send", tooltip="Prepare a transfer"),
        Binding("r", "resume", "Resume", id="home.resume", tooltip="Open the first unsettled transfer"),
        Binding("v", "receive", "Receive", id="home.receive", tooltip="Show your own account in full"),
        Binding("a", "allowances", "Allowed", id="home.allowances", tooltip="Show who may take from your account"),
        Binding("f5", "refresh", "Refresh", id="home.refresh", tooltip="Ask for time and balances now", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._is_empty = True

    def compose(self) -> ComposeResult:
        yield StatusBar(id="status")
        yield Static(id="first-steps")
        with Vertical(id="home"):
            with Horizontal(id="top"):
                yield Static(id="accounts")
                yield OptionList(id="unsettled", markup=False)
            yield OptionList(id="recent", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self.query_one("#accounts").border_title = "Accounts"
        self.query_one("#recent").border_title = "Recent · settled at (local time)"
        self.show_changes()
        self.query_one("#unsettled").focus()

    def show_changes(self) -> None:
        session = self.wallet.session
        is_empty = session.identity is None or not session.ledgers.all()
        first_steps = self.query_one("#first-steps", Static)
        first_steps.display = is_empty
        if is_empty:
            first_steps.update(_first_steps(self.size.width - FIRST_STEPS_MARGIN))
        self.query_one("#home").display = not is_empty
        if is_empty != self._is_empty:
            self._is_empty = is_empty
            self.refresh_bindings()
        # An alarm keeps its intent among those that want the person, first of all, whatever its state and age (R35).
        alarming = [as_it_stands(session.store, each) for each in session.store.alarming()]
        alarming = [each for each in alarming if each.root_key == session.network.root_key]
        intents = [each for each in session.intents(limit=RECENT) if each.root_key == session.network.root_key]
        quiet = [each for each in intents if not each.alarms]
        unsettled = alarming + [each for each in quiet if not (each.is_settled or each.dropped)]
        recent = [each for each in quiet if each.is_settled]
        self._fill("#unsettled", [(each, self._unsettled_row(each)) for each in unsettled], "Nothing is unsettled.")
        alarms = f" · alarms {len(alarming)}" if alarming else ""
        self.query_one("#unsettled").border_title = f"Unsettled · {len(unsettled) - len(alarming)}{alarms}"
        self._fill("#recent", list(zip(recent, self._recent_rows(recent), strict=True)), "No transfer was settled yet.")
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
        balances = self.wallet.outlook.balances
        if not balances:
            waiting = "no answer yet" if self.wallet.outlook.trouble else "asking the ledgers …"
            return text.line((waiting, "$text-muted"))
        width = self.query_one("#accounts").content_size.width
        return text.lines(row for each in balances for row in _account_rows(each, width))

    def _unsettled_row(self, intent: Intent) -> Content:
        now = self.wallet.outlook.ledger_time
        what = f"  {facts.title(intent, self.wallet.name_of)}"
        first = intent.attempts[0].sent_at if intent.attempts else None
        when = f"sent {text.age(first, now)}" if first is not None else "never sent"
        width = max(self.query_one("#unsettled").content_size.width - 1, 24)
        mark = text.SENDING if self.wallet.work.is_sending(intent.id) else text.mark(intent)
        rows = [
            text.line(mark, what).truncate(width, ellipsis=True),
            *text.folded("", f"{when} · {text.window(intent, now)}", width, "$text-muted", 2),
        ]
        waits_for = "asking the network …" if self._is_asked(intent) else hint(intent)
        rows += text.folded("", waits_for, width, "$text-muted", 2) if waits_for else []
        for each in intent.alarms:
            rows += text.alarm(each, width)
        return text.lines(rows)

    def _is_asked(self, intent: Intent) -> bool:
        return self.wallet.work.is_on(intent.id) and not self.wallet.work.is_sending(intent.id)

    def _recent_rows(self, intents: list[Intent]) -> list[Content]:
        """In columns as wide as what is in them: what is cut off at the right is the memo first."""
        cells = [
            (self._settled_at(each), _moved(each), text.cut(self.wallet.name_of(each.card.recipient), NAME))
            for each in intents
        ]
        widths = [max((len(row[n]) for row in cells), default=0) for n in range(3)]
        room = max(self.query_one("#recent").content_size.width, 40)
        return [
            text.line(
                (f"{glyph(intent)} ", f"bold {text.colour(intent)}"),
                (f"{when:<{widths[0]}}", "$text-muted"),
                f"  {moved:>{widths[1]}}  {name:<{widths[2]}}  ",
                (self._note(intent), "$text-muted"),
            ).truncate(room, ellipsis=True)
            for intent, (when, moved, name) in zip(intents, cells, strict=True)
        ]

    def _note(self, intent: Intent) -> str:
        """Where it ended, and what tells it from a payment of this identity's own money."""
        current = self.wallet.session.identity
        parts = [word(intent) if intent.outcome.block is None else f"block {intent.outcome.block}"]
        if intent.card.operation is Operation.TRANSFER_FROM:
            parts.append("another's money")
        if current is None or intent.sender != current.principal:
            parts.append(f"by {self.wallet.name_of(Account(intent.sender))}")
        if intent.card.memo is not None:
            parts.append(text.memo_short(intent.card.memo))
        return "   ".join(parts)

    def _settled_at(self, intent: Intent) -> str:
        """When it came to its end; of one that nothing certified ended, that it was prepared, and when."""
        now = self.wallet.outlook.ledger_time
        settled = text.settled_at(intent)
        return text.when(settled, now) if settled is not None else f"prepared {text.when(intent.prepared_at, now)}"

    # --- keys ---

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that would do nothing in an empty wallet are not shown."""
        if action == "receive":
            return self.wallet.session.identity is not None
        return not self._is_empty if action in ("send", "resume", "allowances") else True

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if event.option_id is not None:
            self.wish(messages.Open(event.option_id))

    def action_resume(self) -> None:
        first = self.query_one("#unsettled", OptionList).options[0]
        if first.id is not None:
            self.wish(messages.Open(first.id))
        else:
            self.notify("Nothing is unsettled.")

    def action_send(self) -> None:
        from wallet.tui.screens.send import SendScreen

        self.app.push_screen(SendScreen())

    def action_receive(self) -> None:
        from wallet.tui.screens.receive import ReceiveScreen

        self.app.push_screen(ReceiveScreen())

    def action_allowances(self) -> None:
        from wallet.tui.screens.allowances import AllowancesScreen

        self.app.push_screen(AllowancesScreen())

    def action_refresh(self) -> None:
        self.wish(messages.Refresh())


def _first_steps(width: int) -> Content:
    rows = [*text.folded("", BEGINNING, width, label_width=0), text.line("")]
    for command, what in FIRST_STEPS.items():
        rows.append(text.line((f"  {command}", "bold $text-primary")))
        rows += text.folded("", what, width, "$text-muted", 6)
    return text.lines([*rows, text.line(""), *text.folded("", OR_TRY, width, label_width=0)])


def _moved(intent: Intent) -> str:
    """What left the account, where it did; of an allowance what it is."""
    card = intent.card
    if card.operation is Operation.APPROVE:
        return facts.doing(intent)
    return (
        f"−{text.amount_short(intent, card.total)}" if intent.outcome.moved else text.amount_short(intent, card.amount)
    )


def _account_rows(balance: Balance, width: int) -> list[Content]:
    """Symbol, name and every decimal of what is held: on one line, or on two where there is no room."""
    terms = balance.ledger.terms
    symbol, name = plain(terms.symbol), plain(terms.name)
    is_known = balance.amount is not None
    held = format_amount(balance.amount, terms.decimals, grouping=True) if balance.amount is not None else "no answer"
    shown = (held, "bold" if is_known else "$text-warning")
    room = width - len(symbol) - len(held) - 4
    if room >= len(name):
        return [text.line((f"{symbol}  ", "bold $text-primary"), (f"{name:<{room}}  ", "$text-muted"), shown)]
    return [
        text.line((f"{symbol}  ", "bold $text-primary"), (name, "$text-muted")),
        text.line(" " * max(width - len(held), 0), shown),
    ]
