"""The terminal interface: screens ask, the app runs the services, and what came of it is shown where it is looked at.

Sends run on the app: closing a screen would cancel that screen's own workers, and never stops a transfer here.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable
from typing import ClassVar

from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.css.query import NoMatches
from textual.dom import DOMNode
from textual.screen import Screen

from wallet.core.account import AccountId
from wallet.core.convert import Form
from wallet.core.errors import BadInput, NetworkFault, Untrusted, VaultFault, WalletError
from wallet.core.intent import Intent, State
from wallet.core.ledger_time import SECOND, LedgerTime
from wallet.core.payee import Payee
from wallet.core.principal import Principal
from wallet.ports import LedgerEntry
from wallet.services.ledgers import Balance
from wallet.services.preparing import Prepared
from wallet.services.progress import Progress, Report
from wallet.services.session import Session
from wallet.services.shown import plain
from wallet.services.wording import glyph, headline
from wallet.tui import text
from wallet.tui.demo_panel import DemoPanel
from wallet.tui.themes import DARK, LIGHT

LEFT_LOCKED = "Your keys stay locked: what became of the unsettled transfers was not asked."

CONFIRM_WAIT_S = 180.0
"""How long a confirmed or resumed transfer goes on by itself before the person is asked again: longer than an envelope
lives, so that one whose fate is not known can be settled or sent again without them."""

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
        self._panel = panel
        self.balances: list[Balance] = []
        self.trouble = ""
        self.timelines: dict[str, list[Progress]] = {}
        self._certified: tuple[LedgerTime, float] | None = None
        self._seen_changes = 0
        self._busy: set[str] = set()
        self._sends: set[str] = set()
        self._pauses_end_s: dict[str, float] = {}
        self._met_keys: set[Principal] = set()
        self._meeting = asyncio.Lock()
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = DARK.name

    # --- what the screens look at ---

    @property
    def ledger_time(self) -> LedgerTime | None:
        """Certified time, carried on by the monotonic clock: for ages and countdowns only (R33)."""
        if self._certified is None:
            return None
        moment, since_s = self._certified
        return LedgerTime(moment + int((self.session.clock.now_s() - since_s) * SECOND))

    def known_name(self, account: Payee) -> str:
        """The name that the person has for an account; empty where they have none."""
        if isinstance(account, AccountId) or account.subaccount is not None:
            return ""
        return plain(self.session.identities.name_of(account.owner) or "")

    def name_of(self, account: Payee) -> str:
        """The person's name for an account, else its short text."""
        return self.known_name(account) or account.short

    def balance_of(self, ledger: Principal) -> int | None:
        """Of the default account, as last asked."""
        return next((each.amount for each in self.balances if each.ledger.terms.canister == ledger), None)

    def is_working_on(self, intent_id: str) -> bool:
        return intent_id in self._busy

    def waits_s(self, intent_id: str) -> float:
        """What is left of the pause that the work on it is in; 0 where it waits for nothing."""
        return max(0.0, self._pauses_end_s.get(intent_id, 0.0) - self.session.clock.now_s())

    def is_sending(self, intent_id: str) -> bool:
        """Whether the work on it may send, rather than only ask or look."""
        return intent_id in self._sends

    # --- life ---

    def on_mount(self) -> None:
        from wallet.tui.screens.home import HomeScreen

        self.push_screen(HomeScreen())
        self._seen_changes = self.session.store.change_counter()
        self.set_interval(WATCH_S, self._watch_store)
        self.set_interval(1.0, self._tick)
        self.set_interval(TIME_EVERY_S, self.refresh_network)
        self.refresh_network()
        self.run_worker(self._ask_about_unsettled(), exclusive=False, exit_on_error=False)

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

    def refresh_network(self) -> None:
        self.run_worker(self._refresh_network(), group="network", exclusive=True, exit_on_error=False)

    async def _refresh_network(self) -> None:
        session = self.session
        ledgers = session.ledgers.all()
        if not ledgers:
            self.show_changes()
            return
        try:
            async with asyncio.timeout(TIME_EVERY_S):
                certified = await session.network.time(ledgers[0].terms.canister)
                self._certified = (certified, session.clock.now_s())
                self.trouble = ""
                if session.identity is not None:
                    self.balances = await session.ledgers.balances(session.identity.principal, ledgers)
        except Untrusted:
            self.trouble = "the network's answers do not verify"
        except (NetworkFault, TimeoutError):
            self.trouble = "the network does not answer"
        self.show_changes()

    # --- doing ---

    def unlocked(self, owner: Principal, then: Callable[[], object], otherwise: Callable[[], object]) -> None:
        """Do `then` with the key of `owner` in reach: a passphrase that is needed is asked for first (R30)."""
        if not self.session.vault.needs_passphrase(owner):
            then()
            return
        from wallet.tui.screens.unlock import UnlockScreen

        def opened(is_open: bool | None) -> None:
            if is_open:
                then()
            else:
                otherwise()

        self.push_screen(UnlockScreen(self.session.vault), opened)

    async def _meet_key(self, owner: Principal) -> None:
        """Have the vault open before the clock of a send runs: a keyring may ask, and deriving a key takes a while.

        Raises VaultFault while nothing was sent.
        """
        async with self._meeting:
            if owner not in self._met_keys:
                await asyncio.to_thread(self.session.vault.get, owner)
                self._met_keys.add(owner)

    async def prepare(self, form: Form, ledger: LedgerEntry) -> Prepared:
        """Raises what `Preparing.prepare` raises."""
        if self.session.identity is None:
            raise BadInput("identity", "make an identity first: wallet identity new NAME")
        prepared = await self.session.preparing.prepare(form, ledger, self.session.identity)
        self.show_changes()
        return prepared

    def confirm(self, intent: Intent) -> None:
        """Send the intent whose card was shown: its digest goes with the confirmation (R15)."""

        async def work(report: Report) -> Intent:
            await self._meet_key(intent.sender)
            return await self.session.sending.confirm(intent.id, intent.digest, CONFIRM_WAIT_S, report)

        self._carry(intent, work, sends=True)

    def resume(self, intent: Intent) -> None:
        async def work(report: Report) -> Intent:
            await self._meet_key(intent.sender)
            return await self.session.sending.resume(intent.id, CONFIRM_WAIT_S, report)

        self._carry(intent, work, sends=True)

    def ask(self, intent: Intent) -> None:
        async def work(report: Report) -> Intent:
            with contextlib.suppress(VaultFault):  # not every question needs the key; one that does says so itself
                await self._meet_key(intent.sender)
            return await self.session.sending.ask(intent.id, report)

        self._carry(intent, work)

    def reconcile(self, intent: Intent) -> None:
        self._carry(intent, lambda report: self.session.sending.reconcile(intent.id, CONFIRM_WAIT_S, report))

    def answer(self, intent: Intent, *, executed: bool, block: int | None) -> None:
        sending = self.session.sending
        self._carry(intent, lambda report: sending.answer(intent.id, executed=executed, block=block, report=report))

    def restamp(self, intent: Intent) -> None:
        """Look into the history, then mint the successor and lay the two side by side (R23)."""

        async def work(report: Report) -> Intent:
            new = await self.session.restamp(intent.id, CONFIRM_WAIT_S, report)
            if new.id != intent.id:
                from wallet.tui.screens.restamp import RestampScreen

                await self.push_screen(RestampScreen(intent, new))
            return new

        self._carry(intent, work)

    def drop(self, intent: Intent) -> None:
        self._change(lambda: self.session.preparing.drop(intent.id))

    def acknowledge(self, intent: Intent) -> None:
        self._change(lambda: self.session.sending.acknowledge(intent.id))

    def _change(self, action: Callable[[], Intent]) -> None:
        """Something that needs the store alone."""
        try:
            action()
        except WalletError as fault:
            self.complain(fault)
        self.show_changes()

    def _carry(self, intent: Intent, work: Callable[[Report], Awaitable[Intent]], *, sends: bool = False) -> None:
        """One piece of work on an intent at a time; a second press while it goes on does nothing."""
        if intent.id in self._busy:
            return
        self._busy.add(intent.id)
        self._sends |= {intent.id} if sends else set()
        self.timelines[intent.id] = []

        async def carried() -> None:
            try:
                await work(self._report)
            except WalletError as fault:
                self.complain(fault)
            except Exception as defect:
                # What is on disk is true whatever broke here; but a defect must not look like silence.
                self._say(f"A defect of this wallet: {defect!r}. {intent.id} keeps its state; please report it.")
            finally:
                self._busy.discard(intent.id)
                self._sends.discard(intent.id)
                self._pauses_end_s.pop(intent.id, None)
            self.show_changes()
            self.refresh_network()
            self._tell_ending(intent.id, sends)

        self.run_worker(carried(), exclusive=False, exit_on_error=False, group="intents")
        self.show_changes()

    def _tell_ending(self, intent_id: str, sends: bool) -> None:
        """How a send ended, to a person who is looking at something else."""
        ended = self.session.intent(intent_id)
        if sends and ended is not None and ended.is_settled and getattr(self.screen, "intent_id", None) != intent_id:
            self.notify(f"{glyph(ended)} {intent_id}: {headline(ended)}", markup=False)

    def _report(self, progress: Progress) -> None:
        self.timelines.setdefault(progress.intent.id, []).append(progress)
        self._pauses_end_s[progress.intent.id] = self.session.clock.now_s() + progress.wait_s
        self.show_changes()

    async def _ask_about_unsettled(self) -> None:
        """What an earlier session left unsettled is asked about, as soon as the screen is up (R30)."""
        session = self.session
        mine = {each.principal for each in session.identities.all()}
        open_ones = [
            each
            for each in (*session.store.intents(unsettled=True), *session.store.looks_due())
            if each.root_key == session.network.root_key and each.sender in mine and each.attempts
        ]
        if open_ones:

            def ask_each() -> None:
                for each in open_ones:
                    self.ask(each)

            self.unlocked(open_ones[0].sender, ask_each, lambda: self.notify(LEFT_LOCKED, markup=False))

    # --- words ---

    def complain(self, fault: WalletError) -> None:
        """A fault in a sentence, plain text."""
        self._say(fault.why if isinstance(fault, BadInput) else str(fault))

    def _say(self, sentence: str) -> None:
        """Once, however often it comes again while it stands there."""
        shown = plain(f"{sentence[:1].upper()}{sentence[1:]}")
        if all(each.message != shown for each in self._notifications):
            self.notify(shown, severity="error", timeout=12, markup=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The tricks are the demo's alone."""
        return self._panel is not None if action == "tricks" else super().check_action(action, parameters)

    def action_tricks(self) -> None:
        from wallet.tui.screens.tricks import TricksScreen

        if self._panel is not None and not isinstance(self.screen, TricksScreen):
            self.push_screen(TricksScreen(self._panel))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The palette: every key of the screen by its name, what is unsettled, and what Textual brings along."""
        for active in screen.active_bindings.values():
            binding = active.binding
            if binding.id is not None and active.enabled and not binding.system:
                run = self._runner(binding.action, active.node)
                yield SystemCommand(binding.description, binding.tooltip, run)
        for intent in self.session.intents(unsettled=True, limit=20):
            if intent.root_key == self.session.network.root_key:
                what = f"{text.amount_short(intent, intent.card.amount)} → {self.name_of(intent.card.recipient)}"
                yield SystemCommand(f"Open {intent.id}", what, self._opening(intent.id))
        yield from (each for each in super().get_system_commands(screen) if each.title != "Quit")

    def _runner(self, action: str, node: DOMNode) -> Callable[[], object]:
        return lambda: self.run_worker(self.run_action(action, node))

    def _opening(self, intent_id: str) -> Callable[[], object]:
        return lambda: self.open_intent(intent_id)

    def open_intent(self, intent_id: str) -> None:
        """Its card while it waits for its confirmation, else what became of it."""
        from wallet.tui.screens.card import CardScreen
        from wallet.tui.screens.intent import IntentScreen

        intent = self.session.intent(intent_id)
        if intent is not None and intent.state is State.PREPARED:
            self.push_screen(CardScreen(intent, existing=True))
        elif intent is not None:
            self.push_screen(IntentScreen(intent.id))

    def action_help(self) -> None:
        from wallet.tui.screens.help import HelpScreen

        self.push_screen(HelpScreen(self.screen))

    def compose(self) -> ComposeResult:
        return iter(())

    def get_default_screen(self) -> Screen[None]:
        return Screen(id="_default")
