"""What the screens wish for, done: each wish is a message, and what came of it is in the store (or a sentence)."""

from abc import abstractmethod
from collections.abc import Awaitable, Callable

from textual import on
from textual.app import App

from wallet.core.convert import Form
from wallet.core.errors import BadInput, WalletError
from wallet.core.intent import Intent, State
from wallet.core.principal import Principal
from wallet.ports import LedgerEntry
from wallet.services.preparing import Prepared
from wallet.services.session import Session
from wallet.services.shown import plain
from wallet.services.wording import glyph, headline
from wallet.tui import messages
from wallet.tui.work import Work


class WishingApp(App[None]):
    """An app with an open wallet behind it; the screens come with its heir."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.work = Work(session, self)

    @abstractmethod
    def show_changes(self) -> None:
        """Whatever is on the screen is read from the store again."""

    @abstractmethod
    def refresh_network(self) -> None:
        """Time and balances are asked for now."""

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
