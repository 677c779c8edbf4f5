"""What a command runs with: its options, the store once it is needed, and the person it may ask and tell."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from wallet import wiring
from wallet.core.errors import BadInput, NetworkFault
from wallet.core.intent import Intent, State
from wallet.core.secret import Secret
from wallet.ports import Store

if TYPE_CHECKING:
    from wallet.services.identities import Identities
    from wallet.services.session import Session

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Common:
    """The options that every command takes."""

    data_dir: Path | None = None
    network: str | None = None
    identity: str | None = None
    timeout_s: float = 30.0
    log: Path | None = None
    json: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """What a command came to: its exit code, one JSON document or lines for a person, and the command that goes on."""

    code: int = 0
    document: object = None
    lines: Sequence[str] = ()
    next: str | None = None


class Context:
    """One run of the program. Opens nothing that its command does not ask for."""

    def __init__(self, common: Common) -> None:
        self.common = common
        self.about: str | None = None  # the intent that the command is about, for what is said when it ends badly
        self._opened: Store | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._opened is not None:
            self._opened.close()

    # --- what it works on ---

    @cached_property
    def folder(self) -> Path:
        return wiring.find_folder(self.common.data_dir, os.environ)

    @property
    def store(self) -> Store:
        if self._opened is None:
            self._opened = wiring.store_in(self.folder)
        return self._opened

    @cached_property
    def host(self) -> wiring.Host:
        ask = ask_passphrase if self.is_terminal else None
        return wiring.Host(self.folder, os.environ, ask, self.notify, self.common.timeout_s)

    def identities(self) -> Identities:
        return wiring.open_identities(self.host, self.store)

    def session(self) -> AbstractAsyncContextManager[Session]:
        """On the network and as the identity of the options, or those in use."""
        network = wiring.network_named(self.store, self.common.network)
        return wiring.open_session(self.host, self.store, network, self.common.identity)

    def session_of(self, intent: Intent) -> AbstractAsyncContextManager[Session]:
        """On the intent's own network and as its own sender; Refused where the options say otherwise."""
        network = wiring.network_of(self.store, intent, self.common.network)
        identity = wiring.identity_of(self.store, intent, self.common.identity)
        return wiring.open_session(self.host, self.store, network, identity.name)

    def intent(self, intent_id: str) -> Intent:
        """As it stands, and from now on what this run is about. Raises BadInput where there is none."""
        found = self.store.intent(intent_id)
        if found is None:
            raise BadInput("intent", f"there is no intent {intent_id!r} in this store; see: wallet intents")
        self.about = found.id
        return self.as_it_stands(found)

    def as_it_stands(self, intent: Intent) -> Intent:
        """What an interrupted run left as `sending` is not, once nobody is sending it (R18, R30)."""
        if intent.state is not State.SENDING:
            return intent
        from wallet.services.session import as_it_stands

        return as_it_stands(self.store, intent)

    # --- the person ---

    @property
    def is_terminal(self) -> bool:
        return sys.stdin is not None and sys.stdin.isatty()

    def notify(self, text: str) -> None:
        """A notice beside the result: stdout is for results."""
        say(text)

    def show(self, lines: Sequence[str]) -> bool:
        """Lines to be read before a question is asked; never among a JSON document. False where nobody can read them:
        a disk that is full, a reader that is gone."""
        out = sys.stderr if self.common.json else sys.stdout
        try:
            print("\n".join(lines), file=out, flush=True)
        except OSError:
            return False
        return True

    def command(self, words: str) -> str:
        """A command as it would have to be typed after this run."""
        if self.common.data_dir is None:
            return f"wallet {words}"
        return f"wallet {words} --data-dir {shlex.quote(str(self.common.data_dir))}"

    # --- waiting ---

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run to the end; the work bounds its own time."""
        import asyncio

        return asyncio.run(work)

    def wait_briefly(self, work: Coroutine[Any, Any, T]) -> T:
        """Run within --timeout. Raises NetworkFault when that is over; for work that sends nothing."""
        import asyncio

        async def bounded() -> T:
            try:
                async with asyncio.timeout(self.common.timeout_s):
                    return await work
            except TimeoutError:
                raise NetworkFault(
                    f"The network did not answer within {self.common.timeout_s:g} s. Nothing was sent."
                ) from None

        return asyncio.run(bounded())


def say(text: str) -> None:
    """A line on stderr. Where nobody can read it, the work goes on all the same."""
    if sys.stderr is not None:  # closed by the caller: then `print` would write among the results
        with suppress(OSError):
            print(text, file=sys.stderr, flush=True)  # noqa: T201


def ask_passphrase(prompt: str, confirm: bool) -> Secret:
    """From the terminal, unseen; a new one twice."""
    from getpass import getpass

    answer = Secret(getpass(f"{prompt}: "))
    if confirm and answer and answer != Secret(getpass("The same again: ")):
        raise BadInput("passphrase", "the two passphrases differ, so nothing was changed")
    return answer
