"""What every dialogue of the wallet has: the app by its type."""

from typing import TYPE_CHECKING, Generic, TypeVar, cast

from textual.screen import ModalScreen

if TYPE_CHECKING:
    from wallet.tui.app import WalletApp

FRAME = 5
"""Lines of a dialogue that are not its body: two of border, a note, an empty one, the buttons."""

Result = TypeVar("Result")


class WalletModal(ModalScreen[Result], Generic[Result]):
    """A dialogue over the screen below it."""

    def on_resize(self) -> None:
        """The frame, the note and the buttons always have their room; what is above them scrolls."""
        for body in self.query("#card-body"):
            body.styles.max_height = max(self.size.height - FRAME, 3)

    @property
    def wallet(self) -> "WalletApp":
        return cast("WalletApp", self.app)
