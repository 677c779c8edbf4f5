"""The line at the top: which network, who pays, and what the ledger's clock says (R33)."""

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static

from wallet.core.ledger_time import SECOND
from wallet.services.shown import plain
from wallet.tui import text
from wallet.tui.outlook import Outlook

CLOCK_OFF_NS = 5 * SECOND
"""A host clock that is off by more than this is named."""


class StatusBar(Horizontal):
    """`show` is called about once a second."""

    def compose(self) -> ComposeResult:
        yield Static(id="status-left")
        yield Static(id="status-right")

    def show(self, network: str, identity: str | None, outlook: Outlook, host_offset_ns: int | None) -> None:
        who = plain(identity) if identity else "no identity yet"
        left = text.line(("Wallet", "bold $text-primary"), f"   {plain(network)} · {who}")
        parts: list[text.Part] = []
        if outlook.trouble:
            parts.append((f"⚠ {outlook.trouble}  ", "$text-warning"))
        if host_offset_ns is not None and abs(host_offset_ns) > CLOCK_OFF_NS:
            way = "ahead" if host_offset_ns > 0 else "behind"
            parts.append((f"⚠ this clock is {text.rough(abs(host_offset_ns))} {way}  ", "$text-warning"))
        now = outlook.ledger_time
        if now is not None:
            parts += [("ledger time ", "$text-muted"), text.clock(now)]
        elif outlook.is_asking:
            parts.append(("asking the network …", "$text-muted"))
        self.query_one("#status-left", Static).update(left)
        self.query_one("#status-right", Static).update(text.line(*parts))
