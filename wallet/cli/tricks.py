"""The demo's panel over its network: every fault with its usual value, and the two moments the clock is wanted for."""

from typing import TYPE_CHECKING

from wallet.core.amount import format_short

if TYPE_CHECKING:
    from wallet.devnet import Devnet
    from wallet.devnet.blocks import Block, Transaction
    from wallet.tui.demo_panel import DemoBlock, Trick

_JUMPS = {"clock: envelope": 150, "clock: window": 24 * 60 * 60 + 1}
_SAYS = {
    "clock: envelope": "The network's time jumps 150 s: every envelope that was sent has expired.",
    "clock: window": "The network's time jumps a day: the window of every stamp has closed.",
}


class NetworkTricks:
    """A `DemoPanel`: what is armed here is played to the wallet's next call, or until it is disarmed."""

    def __init__(self, devnet: "Devnet") -> None:
        self._devnet = devnet

    def tricks(self) -> "list[Trick]":
        from wallet.devnet.faults import KINDS
        from wallet.tui.demo_panel import Trick

        armed = {each["fault"] for each in self._devnet.network.faults.as_json()}
        found = []
        for kind in KINDS.values():
            if kind.name == "clock":
                found += [Trick(name, says, "at once", False) for name, says in _SAYS.items()]
                continue
            lasts = "at once" if kind.at_once else "until disarmed" if kind.lasts else "for one call"
            found.append(Trick(kind.name, kind.sentence(kind.default), lasts, kind.name in armed))
        return found

    def arm(self, name: str) -> str:
        if name in _JUMPS:
            self._devnet.admin.arm("clock", _JUMPS[name])
            return _SAYS[name]
        armed = self._devnet.admin.arm(name)
        return armed.kind.sentence(armed.value)

    def clear(self) -> None:
        self._devnet.admin.disarm()

    def blocks(self, count: int) -> "list[DemoBlock]":
        from wallet.tui.demo_panel import DemoBlock

        first: dict[Transaction, int] = {}
        found = []
        for block in self._devnet.network.ledger.blocks:
            # Without a stamp two equal transfers are two payments; with one, the same call ran twice.
            earlier = first.setdefault(block.transaction, block.index) if block.transaction.created_at else block.index
            found.append(DemoBlock(block.index, self._says(block), earlier if earlier != block.index else None))
        return found[-count:][::-1]

    def _says(self, block: "Block") -> str:
        ledger, wanted = self._devnet.network.ledger, block.transaction
        amount = f"{format_short(wanted.amount, ledger.options.decimals, grouping=True)} {ledger.options.symbol}"
        payee = wanted.spender if wanted.operation == "approve" else wanted.to
        words = {"xfer": "transfer of", "approve": "allowance of"}
        what = f"{words.get(wanted.operation, f'{wanted.operation} of')} {amount}"
        return what if payee is None else f"{what} → {ledger.holder(payee).short}"
