"""Who sends an intent holds an operating-system lock on a file of its name; the process's death frees it (R31)."""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from wallet.adapters.store.faults import as_store_fault

FOLDER = "locks"
GATE_S = 2.0
"""The gate is held for microseconds; whoever waits longer than this waits for a process that was stopped."""

_ID = re.compile(r"[A-Za-z0-9_-]{1,100}\Z")


class SendingLocks:
    """A lock per intent, taken without waiting. Two connections of one process exclude each other too.

    Every try, a sender's or a mere look, is made behind one gate: so a look, which must take the lock for a moment to
    learn whether it is free, is never what a sender finds in its way.
    """

    def __init__(self, data_folder: Path) -> None:
        self._folder = data_folder / FOLDER

    @contextmanager
    def hold(self, intent_id: str) -> Iterator[bool]:
        """True inside when this process may send the intent."""
        lock = self._lock(intent_id)
        with self._gate() as is_open:
            is_ours = is_open and _try(lock)
        try:
            yield is_ours
        finally:
            if is_ours:
                # Files of intents long settled would pile up. Behind the gate nobody is between opening and locking.
                with self._gate() as is_open:
                    lock.release()
                    if is_open:
                        with suppress(OSError):
                            Path(lock.lock_file).unlink()

    def is_held(self, intent_id: str) -> bool:
        """Whether a living process holds the intent's lock. Where that cannot be told, it is held."""
        lock = self._lock(intent_id)
        if not Path(lock.lock_file).exists():
            return False
        with self._gate() as is_open:
            if not is_open or not _try(lock):
                return True
            lock.release()
            return False

    @contextmanager
    def _gate(self) -> Iterator[bool]:
        gate = FileLock(self._folder / "gate", mode=0o600)
        with as_store_fault(self._folder):
            try:
                gate.acquire(timeout=GATE_S, poll_interval=0.001)
            except Timeout:
                is_open = False
            else:
                is_open = True
        try:
            yield is_open
        finally:
            if is_open:
                gate.release()

    def _lock(self, intent_id: str) -> FileLock:
        if not _ID.match(intent_id):
            raise ValueError(f"{intent_id!a} is no intent's id")
        with as_store_fault(self._folder):
            self._folder.mkdir(mode=0o700, exist_ok=True)
        return FileLock(self._folder / f"{intent_id}.lock", mode=0o600)


def _try(lock: FileLock) -> bool:
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return False
    return True
