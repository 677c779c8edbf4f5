"""All the intents that an exploration has met, by number, and the work on them, each done once."""

from collections.abc import Callable
from typing import cast

from tests.builders import FEE, NOW
from tests.life.essence import essence
from tests.life.shelf import Shelf, ledger_entry
from tests.life.world import Payment, Setting, World, prepared
from wallet.core.intent import Intent


class Library:
    """Intents as numbers: a world holds the numbers, so that it is small and hashes fast."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self._library: list[Intent] = []
        self._numbers: dict[str, int] = {}
        self._memo: dict[tuple[object, ...], object] = {}

    def start(self, luck: int) -> World:
        """One prepared payment, and a ledger with one block."""
        first = self.number(prepared(0, NOW, FEE, (), None))
        return World(NOW, (first,), (), (), FEE, self.setting.trusted, False, luck)

    def intent(self, world: World, i: int) -> Intent:
        return self._library[world.intents[i]]

    def payment_of(self, world: World, i: int) -> Payment:
        intent = self.intent(world, i)
        return (intent.stamp, intent.card.fee)

    def changed(self, world: World, i: int, key: tuple[object, ...], work: Callable[[Shelf], object]) -> World:
        """The world after some work of the wallet on one intent, remembered by what the work depends on."""
        full = (world.intents[i], world.proven, world.broken, *key)
        if full not in self._memo:
            entry = ledger_entry(has_history=self.setting.history != "none", proven=world.proven, broken=world.broken)
            shelf = Shelf(self.intent(world, i), entry)
            work(shelf)
            self._memo[full] = (self.number(shelf.held), shelf.entry.dedup_proven, shelf.entry.dedup_broken)
        number, proven, broken = cast(tuple[int, bool, bool], self._memo[full])
        intents = (*world.intents[:i], number, *world.intents[i + 1 :])
        return world._replace(intents=intents, proven=proven, broken=broken)

    def number(self, intent: Intent) -> int:
        key = repr(essence(intent))
        number = self._numbers.setdefault(key, len(self._library))
        if number == len(self._library):
            self._library.append(intent)
        return number
