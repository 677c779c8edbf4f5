"""What every dialogue of the wallet has: the app by its type, a body that scrolls, a width to lay its text out for."""

from contextlib import suppress
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from textual.css.query import NoMatches
from textual.message import Message
from textual.screen import ModalScreen

if TYPE_CHECKING:
    from wallet.tui.app import WalletApp

FRAME = 5
"""Lines of a dialogue that are not its body: two of border, a note, an empty one, the buttons."""

WIDEST = 80

Result = TypeVar("Result")


class WalletModal(ModalScreen[Result], Generic[Result]):
    """A dialogue over the screen below it. `extra_lines` are what it shows between its body and its buttons."""

    extra_lines = 0

    def on_resize(self) -> None:
        """The frame, the note and the buttons always have their room; what is above them scrolls."""
        for body in self.query("#card-body"):
            body.styles.max_height = max(self.size.height - FRAME - self.extra_lines, 3)
        with suppress(NoMatches):  # one that is closed while it opens has no widgets left
            self.draw()

    def draw(self) -> None:
        """Lay the text out for the width there is now."""

    @property
    def text_width(self) -> int:
        """What the frame leaves: two columns of border, two of padding, one of scrollbar."""
        return max(min(self.app.size.width, WIDEST) - 5, 20)

    @property
    def wallet(self) -> "WalletApp":
        return cast("WalletApp", self.app)

    def wish(self, message: Message) -> None:
        """To the app itself: a screen that closes right after would not hand it on."""
        self.app.post_message(message)
