"""Unlock: the passphrase of the key files, asked once."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Input, Static

from wallet.core.errors import VaultFault
from wallet.core.secret import Secret
from wallet.ports import Vault
from wallet.services.shown import plain
from wallet.tui import text
from wallet.tui.wallet_modal import WalletModal


class UnlockScreen(WalletModal[bool]):
    """Ends with whether the keys are open."""

    AUTO_FOCUS = "#passphrase"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel", id="unlock.leave", tooltip="Leave the keys locked"),
    ]

    def __init__(self, vault: Vault) -> None:
        super().__init__()
        self._vault = vault
        self._is_trying = False

    def compose(self) -> ComposeResult:
        with Vertical(id="card") as card:
            card.border_title = "Unlock"
            yield Static(text.line("Your keys are in an encrypted file. Its passphrase:"), id="card-text")
            yield Input(password=True, id="passphrase")
            yield Static(id="card-note")
            with Horizontal(id="card-buttons"):
                yield Button("Cancel", id="cancel")
                yield Button("Unlock", id="unlock", variant="primary")

    @on(Input.Submitted)
    @on(Button.Pressed, "#unlock")
    def _try(self) -> None:
        if not self._is_trying:
            self._is_trying = True
            self.run_worker(self._unlock(), exit_on_error=False)

    async def _unlock(self) -> None:
        import asyncio

        field = self.query_one("#passphrase", Input)
        try:
            # Deriving the key takes a fifth of a second on purpose: not on the screen's own thread.
            await asyncio.to_thread(self._vault.unlock, Secret(field.value))
        except VaultFault as fault:
            field.value = ""
            self.query_one("#card-note", Static).update(text.line((plain(str(fault)), "$text-error")))
            self._is_trying = False
        else:
            self.dismiss(True)

    @on(Button.Pressed, "#cancel")
    def action_leave(self) -> None:
        self.dismiss(False)
