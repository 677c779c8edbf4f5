"""The line at the top: which network, who pays, and what the ledger's clock says (R33)."""

from textual.content import Content
from textual.widgets import Static

from wallet.core.ledger_time import SECOND, LedgerTime
from wallet.services.wording import plain, span
from wallet.tui import text

CLOCK_OFF_NS = 5 * SECOND
"""A host clock that is off by more than this is named."""


class StatusBar(Static):
    """`show` is called about once a second."""

    def show(
        self, network: str, identity: str | None, now: LedgerTime | None, host_offset_ns: int | None, trouble: str
    ) -> None:
        who = plain(identity) if identity else "no identity yet"
        left: Content = text.line(("Wallet", "bold"), f"   {plain(network)} · {who}")
        if trouble:
            right = text.line((f"⚠ {trouble}", "$text-warning"))
        elif now is None:
            right = text.line(("asking the network …", "$text-muted"))
        else:
            right = text.line(("ledger time ", "$text-muted"), f"{text.clock(now)} UTC")
        if host_offset_ns is not None and abs(host_offset_ns) > CLOCK_OFF_NS:
            way = "ahead" if host_offset_ns > 0 else "behind"
            right = text.line((f"⚠ this clock is {span(abs(host_offset_ns))} {way}  ", "$text-warning"), right)
        room = max(self.content_size.width - left.cell_length - right.cell_length, 1)
        self.update(text.line(left, " " * room, right))
