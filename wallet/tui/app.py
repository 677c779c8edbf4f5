"""The terminal interface: screens ask, the app runs the services, and what came of it is shown where it is looked at.

Sends run on the app: closing a screen would cancel that screen's own workers, and never stops a transfer here.
"""

import contextlib
from collections.abc import Iterable
from typing import ClassVar

from textual import on
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.css.query import NoMatches
from textual.screen import Screen

from wallet.core.account import AccountId
from wallet.core.errors import WalletError
from wallet.core.payee import Payee
from wallet.services.session import Session
from wallet.services.shown import plain
from wallet.tui import messages
from wallet.tui.demo_panel import DemoPanel
from wallet.tui.outlook import Outlook
from wallet.tui.palette import commands
from wallet.tui.themes import DARK, LIGHT
from wallet.tui.wishes import WishingApp

LEFT_LOCKED = "Your keys stay locked: what became of the unsettled transfers was not asked."

WATCH_S = 0.5
TIME_EVERY_S = 30.0


class WalletApp(WishingApp):
    """One open wallet on the screen. `session` is used from the app's own event loop alone."""

    TITLE = "Wallet"
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "help", "Help", id="help", key_display="?", tooltip="Every key, and what it does"),
        Binding("ctrl+q", "quit", "Quit", id="quit", tooltip="Close the wallet; what is being sent is taken up again"),
        Binding("t", "tricks", "Tricks", id="tricks", tooltip="Play a trick on the demo's network"),
    ]

    def __init__(self, session: Session, panel: DemoPanel | None = None) -> None:
        super().__init__(session)
        self.outlook = Outlook(session)
        self._panel = panel
        self._seen_changes = 0
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = DARK.name

    # --- what the screens look at ---

    def known_name(self, account: Payee) -> str:
        """The name that the person has for an account; empty where they have none."""
        if isinstance(account, AccountId) or account.subaccount is not None:
            return ""
        return plain(self.session.identities.name_of(account.owner) or "")

    def name_of(self, account: Payee) -> str:
        """The person's name for an account, else its short text."""
        return self.known_name(account) or account.short

    # --- life ---

    def on_mount(self) -> None:
        from wallet.tui.screens.home import HomeScreen

        self.push_screen(HomeScreen())
        self._seen_changes = self.session.store.change_counter()
        self.set_interval(WATCH_S, self._watch_store)
        self.set_interval(1.0, self._tick)
        self.set_interval(TIME_EVERY_S, self.refresh_network)
        self.refresh_network()
        self.start(self._ask_about_unsettled())

    def _watch_store(self) -> None:
        """Another wallet on the same store changed something (R31)."""
        try:
            counter = self.session.store.change_counter()
        except WalletError as fault:
            self.complain(fault)
            return
        if counter != self._seen_changes:
            self._seen_changes = counter
            self.show_changes()

    def _tick(self) -> None:
        self._each_screen("tick")

    def show_changes(self) -> None:
        self._each_screen("show_changes")

    def _each_screen(self, name: str) -> None:
        for screen in self.screen_stack:
            look = getattr(screen, name, None)
            if look is None or not screen.is_mounted:
                continue
            # A screen that is opening or closing at this moment has no widgets; what opens looks for itself.
            with contextlib.suppress(NoMatches):
                try:
                    look()
                except WalletError as fault:
                    self.complain(fault)
                    return

    @on(messages.Refresh)
    def refresh_network(self) -> None:
        self.run_worker(self._look_around(), group="network", exclusive=True, exit_on_error=False)

    async def _look_around(self) -> None:
        await self.outlook.look(TIME_EVERY_S)
        self.show_changes()

    async def _ask_about_unsettled(self) -> None:
        """What an earlier session left unsettled is asked about, as soon as the screen is up (R30)."""
        left = self.work.left_open()

        def ask_each() -> None:
            for each in left:
                self.work.ask(each)

        if left:
            self.unlocked(left[0].sender, ask_each, lambda: self.notify(LEFT_LOCKED, markup=False))

    # --- keys of every screen ---

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The tricks are the demo's alone."""
        return self._panel is not None if action == "tricks" else super().check_action(action, parameters)

    def action_tricks(self) -> None:
        from wallet.tui.screens.tricks import TricksScreen

        if self._panel is not None and not isinstance(self.screen, TricksScreen):
            self.push_screen(TricksScreen(self._panel))

    def action_help(self) -> None:
        from wallet.tui.screens.help import HelpScreen

        self.push_screen(HelpScreen(self.screen))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        yield from commands(self, screen)
        yield from (each for each in super().get_system_commands(screen) if each.title != "Quit")

    def get_default_screen(self) -> Screen[None]:
        return Screen(id="_default")
