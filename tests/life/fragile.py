"""A store and a network that a run can die at: the real ones, with a fuse around each of their calls.

The whole process is taken to end there: whatever the run still tries is not done. What another process would see is on
disk and in the network already, and the operating system frees the locks.
"""

import asyncio
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wallet.adapters.ic.network import IcNetwork
from wallet.adapters.ic.transport import Limits

READ_S = 0.4
LIMITS = Limits(connect_s=5.0, read_s=READ_S, total_s=5.0)
_NOBODY = "http://127.0.0.1:9"


class Died(BaseException):
    """The end of the process, as far as a run in this one can come to it."""


PLACES = (
    *("add", "move", "record_post", "status", "record_duplicate", "tip", "blocks", "keep_reading", "record_finding"),
    *(("begin_attempt", "submit", "record") * 3),
)
"""The calls to store and network around which something changes; the likelier ones more than once."""


@dataclass
class Fuse:
    """Ends the run before or after a call of this name, once so many of them were let through; `cancel` as ctrl-c does.

    Without a place it never burns.
    """

    place: str | None = None
    skip: int = 0
    after: bool = False
    cancel: bool = False
    is_dead: bool = False

    def come_to(self, place: str, *, after: bool) -> None:
        if self.is_dead:
            raise Died
        if place != self.place or after != self.after:
            return
        self.skip -= 1
        if self.skip >= 0:
            return
        self.place = None
        if not self.cancel:
            self.is_dead = True
            raise Died
        task = asyncio.current_task()
        assert task is not None
        task.cancel()


class Fragile:
    """What it wraps, reached through the fuse."""

    def __init__(self, inner: Callable[[], Any], fuse: Callable[[], Fuse]) -> None:
        self._inner = inner
        self._fuse = fuse

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner(), name)
        if not inspect.ismethod(found):
            return found
        if inspect.iscoroutinefunction(found):

            async def come_and_wait(*arguments: Any, **named: Any) -> Any:
                self._fuse().come_to(name, after=False)
                answer = await found(*arguments, **named)
                self._fuse().come_to(name, after=True)
                return answer

            return come_and_wait

        def come_and_call(*arguments: Any, **named: Any) -> Any:
            self._fuse().come_to(name, after=False)
            answer = found(*arguments, **named)
            self._fuse().come_to(name, after=True)
            return answer

        return come_and_call


class Line:
    """A network that can be unplugged: then every call goes to a port where nobody listens, and none leaves."""

    def __init__(self, url: str, root_key: bytes) -> None:
        self.is_plugged = True
        self._root_key = root_key
        self.plugged = IcNetwork("devnet", url, root_key, LIMITS)
        self._unplugged: IcNetwork | None = None

    @property
    def now(self) -> IcNetwork:
        if self.is_plugged:
            return self.plugged
        if self._unplugged is None:
            self._unplugged = IcNetwork("devnet", _NOBODY, self._root_key, LIMITS)
        return self._unplugged

    async def close(self) -> None:
        await self.plugged.close()
        if self._unplugged is not None:
            await self._unplugged.close()
