"""Allowances: who may take from your account, how much and until when; each can be revoked, on a card as any other."""

import asyncio
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from wallet.core.account import Account
from wallet.core.amount import format_amount
from wallet.core.convert import Form
from wallet.core.errors import NetworkFault, Untrusted, WalletError
from wallet.core.intent import State
from wallet.core.pack import Operation
from wallet.ports import Allowance, LedgerEntry
from wallet.services.shown import plain, utc
from wallet.tui import text
from wallet.tui.wallet_screen import WalletScreen
from wallet.tui.widgets.status_bar import StatusBar

WAIT_S = 30.0
NOBODY = "Nobody may take anything from your account."


@dataclass(frozen=True, slots=True)
class _Given:
    ledger: LedgerEntry
    allowance: Allowance


class AllowancesScreen(WalletScreen):
    """Reads the ledgers anew whenever it is looked at: what was taken of an allowance is in no store of ours."""

    AUTO_FOCUS = "#allowances"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="allowances.leave", tooltip="Back to Home"),
        Binding("r", "revoke", "Revoke", id="allowances.revoke", tooltip="Show the card that ends this allowance"),
        Binding("n", "allow", "New", id="allowances.allow", tooltip="Allow a spender to take from your account"),
        Binding("f5", "refresh", "Refresh", id="allowances.refresh", tooltip="Ask the ledgers again"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._given: list[_Given] | None = None
        self._notes: list[str] = []
        self._is_preparing = False

    def compose(self) -> ComposeResult:
        yield StatusBar(id="status")
        options = OptionList(id="allowances", markup=False)
        options.border_title = "Who may take from your account"
        yield options
        yield Static(id="allowances-note")
        yield Footer()

    def on_screen_resume(self) -> None:
        self.action_refresh()

    def show_changes(self) -> None:
        options = self.query_one("#allowances", OptionList)
        highlighted = options.highlighted
        width = max(options.scrollable_content_region.width - 1, 30)
        options.clear_options()
        if self._given:
            options.add_options([Option(text.lines(_rows(each, width))) for each in self._given])
            options.highlighted = min(highlighted or 0, len(self._given) - 1)
        else:
            waiting = "asking the ledgers …" if self._given is None else NOBODY
            options.add_option(Option(text.line((waiting, "$text-muted")), disabled=True))
        notes = text.lines(text.line((note, "$text-warning")) for note in self._notes)
        self.query_one("#allowances-note", Static).update(notes)
        self.refresh_bindings()
        self.tick()

    def action_refresh(self) -> None:
        self.run_worker(self._read(), group="allowances", exclusive=True, exit_on_error=False)

    async def _read(self) -> None:
        session = self.wallet.session
        if session.identity is None:
            return
        account = Account(session.identity.principal)
        try:
            ledgers = session.ledgers.all()
            found = await asyncio.gather(*(self._of_ledger(account, each) for each in ledgers))
        except WalletError as fault:
            self.wallet.complain(fault)
            return
        self._given = [each for given, _ in found for each in given]
        self._notes = [note for _, notes in found for note in notes]
        self.look()

    async def _of_ledger(self, account: Account, ledger: LedgerEntry) -> tuple[list[_Given], list[str]]:
        """The allowances, and what keeps the list from being the whole truth."""
        name = plain(ledger.name)
        try:
            async with asyncio.timeout(WAIT_S):
                allowed = await self.wallet.session.allowances.given_by(account, ledger)
        except (NetworkFault, Untrusted) as fault:
            return [], [f"{name}: {plain(str(fault))}"]
        except TimeoutError:
            return [], [f"{name}: the network does not answer."]
        lists = f"{name} does not list its allowances: shown are those of spenders that this wallet allowed something."
        return [_Given(ledger, each) for each in allowed.allowances], [] if allowed.is_complete else [lists]

    # --- keys ---

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return bool(self._given) if action == "revoke" else True

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if self._given and not self._is_preparing:
            self._is_preparing = True
            self.run_worker(self._revoke(self._given[event.option_index]), exclusive=False, exit_on_error=False)

    def action_revoke(self) -> None:
        self.query_one("#allowances", OptionList).action_select()

    async def _revoke(self, given: _Given) -> None:
        """An allowance is ended by one of nought (ICRC-2): a payment like any other, with a card and a fee."""
        from wallet.tui.screens.card import CardScreen
        from wallet.tui.screens.intent import IntentScreen

        form = Form(given.allowance.spender.text, "0", operation=Operation.APPROVE)
        try:
            prepared = await self.wallet.prepare(form, given.ledger)
        except WalletError as fault:
            self.wallet.complain(fault)
        else:
            intent = prepared.intent
            is_open = intent.state is State.PREPARED
            self.app.push_screen(
                CardScreen(intent, prepared.existing) if is_open else IntentScreen(intent.id, existing=True)
            )
        finally:
            self._is_preparing = False

    def action_allow(self) -> None:
        from wallet.tui.screens.send import SendScreen

        self.app.push_screen(SendScreen(operation=Operation.APPROVE))

    def action_leave(self) -> None:
        self.dismiss()


def _rows(given: _Given, width: int) -> list[Content]:
    terms, allowance = given.ledger.terms, given.allowance
    amount = f"{format_amount(allowance.amount, terms.decimals, grouping=True)} {plain(terms.symbol)}"
    ends = "until it is used up or revoked"
    if allowance.expires_at is not None:
        ends = f"until {utc(allowance.expires_at)}{text.here(allowance.expires_at)}"
    return [
        *text.folded("up to", amount, width, "bold"),
        *text.account_rows("by", allowance.spender, width),
        *text.folded("", ends, width, "$text-muted"),
    ]
