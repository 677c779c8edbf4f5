"""The terminal interface: screens ask, the app runs the services, and what came of it is shown where it is looked at.

Sends run on the app: closing a screen would cancel that screen's own workers, and never stops a transfer here.
"""

import contextlib
from collections.abc import Awaitable, Callable, Iterable
from typing import ClassVar

from textual import on
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.css.query import NoMatches
from textual.screen import Screen

from wallet.core.account import AccountId
from wallet.core.convert import Form
from wallet.core.errors import BadInput, WalletError
from wallet.core.intent import Intent, State
from wallet.core.payee import Payee
from wallet.core.principal import Principal
from wallet.ports import LedgerEntry
from wallet.services.preparing import Prepared
from wallet.services.session import Session
from wallet.services.shown import plain
from wallet.services.wording import glyph, headline
from wallet.tui import messages
from wallet.tui.demo_panel import DemoPanel
from wallet.tui.outlook import Outlook
from wallet.tui.palette import commands
from wallet.tui.themes import DARK, LIGHT
from wallet.tui.work import Work

LEFT_LOCKED = "Your keys stay locked: what became of the unsettled transfers was not asked."

WATCH_S = 0.5
TIME_EVERY_S = 30.0


class WalletApp(App[None]):
    """One open wallet on the screen. `session` is used from the app's own event loop alone."""

    TITLE = "Wallet"
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "help", "Help", id="help", key_display="?", tooltip="Every key, and what it does"),
        Binding("ctrl+q", "quit", "Quit", id="quit", tooltip="Close the wallet; what is being sent is taken up again"),
        Binding("t", "tricks", "Tricks", id="tricks", tooltip="Play a trick on the demo's network"),
    ]

    def __init__(self, session: Session, panel: DemoPanel | None = None) -> None:
        super().__init__()
        self.session = session
        self.work = Work(session, self)
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
        """Whatever is on the screen is read from the store again."""
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

    # --- what the screens ask for ---

    def unlocked(self, owner: Principal, then: Callable[[], object], otherwise: Callable[[], object]) -> None:
        """Do `then` with the key of `owner` in reach: a passphrase that is needed is asked for first (R30)."""
        if not self.session.vault.needs_passphrase(owner):
            then()
            return
        from wallet.tui.screens.unlock import UnlockScreen

        def opened(is_open: bool | None) -> None:
            (then if is_open else otherwise)()

        self.push_screen(UnlockScreen(self.session.vault), opened)

    async def prepare(self, form: Form, ledger: LedgerEntry) -> Prepared:
        """Raises what `Preparing.prepare` raises."""
        if self.session.identity is None:
            raise BadInput("identity", "make an identity first: wallet identity new NAME")
        prepared = await self.session.preparing.prepare(form, ledger, self.session.identity)
        self.show_changes()
        return prepared

    @on(messages.Confirm)
    def _confirm(self, wish: messages.Confirm) -> None:
        self.work.confirm(wish.intent)

    @on(messages.SendAgain)
    @on(messages.Ask)
    @on(messages.Look)
    def _go_on(self, wish: messages.AboutIntent) -> None:
        works = {
            messages.SendAgain: self.work.resume,
            messages.Ask: self.work.ask,
            messages.Look: self.work.reconcile,
        }
        self._with_key(wish.intent, works[type(wish)])

    @on(messages.Answer)
    def _answer(self, wish: messages.Answer) -> None:
        self.work.answer(wish.intent, executed=wish.executed, block=wish.block)

    @on(messages.Restamp)
    def _restamp(self, wish: messages.Restamp) -> None:
        from wallet.tui.screens.restamp import RestampScreen

        async def side_by_side(new: Intent) -> None:
            await self.push_screen(RestampScreen(wish.intent, new))

        self._with_key(wish.intent, lambda intent: self.work.restamp(intent, side_by_side))

    @on(messages.Drop)
    def _drop(self, wish: messages.Drop) -> None:
        self._change(lambda: self.session.preparing.drop(wish.intent.id))

    @on(messages.Acknowledge)
    def _acknowledge(self, wish: messages.Acknowledge) -> None:
        self._change(lambda: self.session.sending.acknowledge(wish.intent.id))

    @on(messages.Open)
    def _open(self, wish: messages.Open) -> None:
        from wallet.tui.screens.card import CardScreen
        from wallet.tui.screens.intent import IntentScreen

        intent = self.session.intent(wish.intent_id)
        if intent is not None and intent.state is State.PREPARED:
            self.push_screen(CardScreen(intent, existing=True))
        elif intent is not None:
            self.push_screen(IntentScreen(intent.id))

    def _with_key(self, intent: Intent, work: Callable[[Intent], None]) -> None:
        self.unlocked(intent.sender, lambda: work(intent), lambda: None)

    def _change(self, action: Callable[[], Intent]) -> None:
        """Something that needs the store alone."""
        try:
            action()
        except WalletError as fault:
            self.complain(fault)
        self.show_changes()

    # --- what the work tells ---

    def start(self, work: Awaitable[None]) -> None:
        self.run_worker(work, exclusive=False, exit_on_error=False, group="intents")

    def ended(self, intent_id: str, *, was_sent: bool) -> None:
        """How a send ended is told to a person who is looking at something else."""
        self.show_changes()
        self.refresh_network()
        intent = self.session.intent(intent_id)
        is_looked_at = getattr(self.screen, "intent_id", None) == intent_id
        if was_sent and intent is not None and intent.is_settled and not is_looked_at:
            self.notify(f"{glyph(intent)} {intent_id}: {headline(intent)}", markup=False)

    def complain(self, fault: WalletError) -> None:
        """A fault in a sentence, plain text."""
        self._say(fault.why if isinstance(fault, BadInput) else str(fault))

    def admit(self, defect: Exception, intent_id: str) -> None:
        self._say(f"A defect of this wallet: {defect!r}. {intent_id} keeps its state; please report it.")

    def _say(self, sentence: str) -> None:
        """Once, however often it comes again while it stands there."""
        shown = plain(f"{sentence[:1].upper()}{sentence[1:]}")
        if all(each.message != shown for each in self._notifications):
            self.notify(shown, severity="error", timeout=12, markup=False)

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
