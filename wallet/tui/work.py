"""What goes on about intents while the wallet is open: one piece of work on each at a time, and what it told so far."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Protocol

from wallet.core.errors import VaultFault, WalletError
from wallet.core.intent import Intent
from wallet.core.principal import Principal
from wallet.services.progress import Progress, Report
from wallet.services.session import Session

CONFIRM_WAIT_S = 180.0
"""How long a confirmed or resumed transfer goes on by itself before the person is asked again: longer than an envelope
lives, so that one whose fate is not known can be settled or sent again without them."""

Task = Callable[[Report], Awaitable[Intent]]


class Watcher(Protocol):
    """Whoever shows what goes on."""

    def start(self, work: Awaitable[None]) -> None:
        """Run it to its end, whatever screen is closed meanwhile."""
        ...

    def show_changes(self) -> None: ...
    def complain(self, fault: WalletError) -> None: ...
    def admit(self, defect: Exception, intent_id: str) -> None:
        """A defect of ours must not look like silence."""
        ...

    def ended(self, intent_id: str, *, was_sent: bool) -> None: ...


class Work:
    """`timelines` are the steps that each intent's work told, the latest last."""

    def __init__(self, session: Session, watcher: Watcher) -> None:
        self._session = session
        self._watcher = watcher
        self.timelines: dict[str, list[Progress]] = {}
        self._busy: set[str] = set()
        self._sends: set[str] = set()
        self._pauses_end_s: dict[str, float] = {}
        self._met_keys: set[Principal] = set()
        self._meeting = asyncio.Lock()

    def is_on(self, intent_id: str) -> bool:
        return intent_id in self._busy

    def is_sending(self, intent_id: str) -> bool:
        """Whether it may send, rather than only ask or look."""
        return intent_id in self._sends

    def waits_s(self, intent_id: str) -> float:
        """What is left of the pause that it is in; 0 where it waits for nothing."""
        return max(0.0, self._pauses_end_s.get(intent_id, 0.0) - self._session.clock.now_s())

    def left_open(self) -> list[Intent]:
        """What an earlier session sent, of the person's own on this network, and whose fate is not known (R30)."""
        session = self._session
        mine = {each.principal for each in session.identities.all()}
        return [
            each
            for each in (*session.store.intents(unsettled=True), *session.store.looks_due())
            if each.root_key == session.network.root_key and each.sender in mine and each.attempts
        ]

    # --- the pieces of work ---

    def confirm(self, intent: Intent) -> None:
        """Send the intent whose card was shown: its digest goes with the confirmation (R15)."""

        async def task(report: Report) -> Intent:
            await self._meet_key(intent.sender)
            return await self._session.sending.confirm(intent.id, intent.digest, CONFIRM_WAIT_S, report)

        self._begin(intent, task, sends=True)

    def resume(self, intent: Intent) -> None:
        async def task(report: Report) -> Intent:
            await self._meet_key(intent.sender)
            return await self._session.sending.resume(intent.id, CONFIRM_WAIT_S, report)

        self._begin(intent, task, sends=True)

    def ask(self, intent: Intent) -> None:
        async def task(report: Report) -> Intent:
            with contextlib.suppress(VaultFault):  # not every question needs the key; one that does says so itself
                await self._meet_key(intent.sender)
            return await self._session.sending.ask(intent.id, report)

        self._begin(intent, task)

    def reconcile(self, intent: Intent) -> None:
        self._begin(intent, lambda report: self._session.sending.reconcile(intent.id, CONFIRM_WAIT_S, report))

    def answer(self, intent: Intent, *, executed: bool, block: int | None) -> None:
        sending = self._session.sending
        self._begin(intent, lambda report: sending.answer(intent.id, executed=executed, block=block, report=report))

    def restamp(self, intent: Intent, show: Callable[[Intent], Awaitable[object]]) -> None:
        """Look into the history, then mint the successor; `show` lays the two side by side (R23)."""

        async def task(report: Report) -> Intent:
            new = await self._session.restamp(intent.id, CONFIRM_WAIT_S, report)
            if new.id != intent.id:
                await show(new)
            return new

        self._begin(intent, task)

    # --- how they run ---

    def _begin(self, intent: Intent, task: Task, *, sends: bool = False) -> None:
        """A second press while one goes on does nothing."""
        if intent.id in self._busy:
            return
        self._busy.add(intent.id)
        self._sends |= {intent.id} if sends else set()
        self.timelines[intent.id] = []
        self._watcher.start(self._run(intent.id, task, sends))
        self._watcher.show_changes()

    async def _run(self, intent_id: str, task: Task, sends: bool) -> None:
        try:
            await task(self._report)
        except WalletError as fault:
            self._watcher.complain(fault)
        except Exception as defect:
            # What is on disk is true whatever broke here.
            self._watcher.admit(defect, intent_id)
        finally:
            self._busy.discard(intent_id)
            self._sends.discard(intent_id)
            self._pauses_end_s.pop(intent_id, None)
        self._watcher.ended(intent_id, was_sent=sends)

    def _report(self, progress: Progress) -> None:
        self.timelines.setdefault(progress.intent.id, []).append(progress)
        self._pauses_end_s[progress.intent.id] = self._session.clock.now_s() + progress.wait_s
        self._watcher.show_changes()

    async def _meet_key(self, owner: Principal) -> None:
        """Have the vault open before the clock of a send runs: a keyring may ask, and deriving a key takes a while.

        Raises VaultFault while nothing was sent.
        """
        async with self._meeting:
            if owner not in self._met_keys:
                await asyncio.to_thread(self._session.vault.get, owner)
                self._met_keys.add(owner)
