"""The store of one data folder, whole: the `Store` of wallet/ports.py over SQLite."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from wallet.adapters.store.database import BUSY_TIMEOUT_S, open_database
from wallet.adapters.store.lists import PersonLists
from wallet.adapters.store.moves import IntentMoves
from wallet.core.errors import StoreFault

if TYPE_CHECKING:
    from wallet.adapters.store.locks import SendingLocks


class SqliteStore(IntentMoves, PersonLists):
    """One connection, used from one thread. Every call is synchronous and takes a few milliseconds at most."""

    def sending_lock(self, intent_id: str) -> AbstractContextManager[bool]:
        return self._locks().hold(intent_id)

    def is_being_sent(self, intent_id: str) -> bool:
        return self._locks().is_held(intent_id)

    def change_counter(self) -> int:
        return self._database.change_counter()

    def close(self) -> None:
        self._database.close()

    def _locks(self) -> SendingLocks:
        from wallet.adapters.store.locks import SendingLocks  # late: most commands send nothing

        return SendingLocks(self._database.path.parent)


def open_store(folder: Path, busy_timeout_s: float = BUSY_TIMEOUT_S) -> SqliteStore:
    """Open the store in `folder`, made or migrated where it must be. Raises StoreFault (R32)."""
    try:
        return SqliteStore(open_database(folder, busy_timeout_s))
    except StoreFault as fault:
        raise StoreFault(f"{fault} Nothing was sent.") from fault
