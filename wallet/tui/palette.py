"""The command palette: every key of the screen by its name, what is unsettled, and what Textual brings along."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from textual.app import SystemCommand
from textual.dom import DOMNode
from textual.screen import Screen

from wallet.tui import facts, messages

if TYPE_CHECKING:
    from wallet.tui.app import WalletApp

UNSETTLED = 20


def commands(app: "WalletApp", screen: Screen[object]) -> Iterator[SystemCommand]:
    for active in screen.active_bindings.values():
        binding = active.binding
        if binding.id is not None and active.enabled and not binding.system:
            yield SystemCommand(binding.description, binding.tooltip, _runner(app, binding.action, active.node))
    for intent in app.session.intents(unsettled=True, limit=UNSETTLED):
        if intent.root_key == app.session.network.root_key:
            yield SystemCommand(f"Open {intent.id}", facts.title(intent, app.name_of), _opener(app, intent.id))


def _runner(app: "WalletApp", action: str, node: DOMNode) -> Callable[[], object]:
    return lambda: app.run_worker(app.run_action(action, node))


def _opener(app: "WalletApp", intent_id: str) -> Callable[[], object]:
    return lambda: app.post_message(messages.Open(intent_id))
