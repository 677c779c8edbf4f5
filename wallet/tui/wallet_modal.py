"""What every dialogue of the wallet has: the app by its type."""

from typing import TYPE_CHECKING, Generic, TypeVar, cast

from textual.screen import ModalScreen

if TYPE_CHECKING:
    from wallet.tui.app import WalletApp

Result = TypeVar("Result")


class WalletModal(ModalScreen[Result], Generic[Result]):
    """A dialogue over the screen below it."""

    @property
    def wallet(self) -> "WalletApp":
        return cast("WalletApp", self.app)
