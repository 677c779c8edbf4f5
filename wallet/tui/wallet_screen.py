"""What every screen of the wallet has: the app by its type, and the status line kept up to date."""

from contextlib import suppress
from typing import TYPE_CHECKING, cast

from textual.css.query import NoMatches
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Footer

from wallet.tui.widgets.status_bar import StatusBar

if TYPE_CHECKING:
    from wallet.tui.app import WalletApp


ROOMY = 80
"""Columns from which on the footer has room for everything."""


class WalletScreen(Screen[None]):
    """A full screen with a status line at the top."""

    @property
    def wallet(self) -> "WalletApp":
        return cast("WalletApp", self.app)

    def wish(self, message: Message) -> None:
        """To the app itself: a screen that closes right after would not hand it on."""
        self.app.post_message(message)

    def on_resize(self) -> None:
        """The keys that matter come before the palette's, which has a key of its own anyway."""
        is_roomy = self.size.width >= ROOMY
        for footer in self.query(Footer):
            if footer.show_command_palette != is_roomy:
                footer.compact = not is_roomy
                footer.show_command_palette = is_roomy
                footer.refresh(recompose=True)  # it does not do so by itself
        self.look()

    def tick(self) -> None:
        """About once a second, and after every change."""
        session = self.wallet.session
        identity = session.identity.name if session.identity is not None else None
        offset_ns = session.network.host_clock_offset_ns
        self.query_one("#status", StatusBar).show(session.network.name, identity, self.wallet.outlook, offset_ns)

    def look(self) -> None:
        """Show what there is. A screen that is closed while it opens has no widgets left for it."""
        with suppress(NoMatches):
            self.show_changes()

    def show_changes(self) -> None:
        """The store changed: read again what is shown."""
        self.tick()
