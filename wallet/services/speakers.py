"""Which pack, and which of its methods, does on a ledger what a person wants (R1)."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from wallet.core.account import Account
from wallet.core.errors import BadInput, UnreadableInterface
from wallet.core.interface import Interface
from wallet.core.pack import Operation, Pack
from wallet.core.pack_match import Match, Mismatch, match, match_by_standards
from wallet.core.pack_tags import Fee, Form, Recipient
from wallet.core.payee import Payee
from wallet.core.principal import Principal
from wallet.ports import LedgerEntry, Network

_DOES = {
    Operation.TRANSFER: "pays",
    Operation.APPROVE: "allows a spender",
    Operation.TRANSFER_FROM: "pays from another's account",
}


@dataclass(frozen=True, slots=True)
class OfferedPack:
    """A pack that may speak; a person's own goes before those that come with the wallet."""

    pack: Pack
    is_own: bool


@dataclass(frozen=True, slots=True)
class Speaker:
    """The method that does it, and the pack that says what its replies mean. `interface` is None where the canister
    shows none that can be read: then the standards it names told which pack speaks."""

    pack: Pack
    method: str
    is_own: bool
    interface: Interface | None = field(repr=False)


class Speakers:
    """The packs of one wallet, matched to the canisters of one network, each once."""

    def __init__(self, network: Network, packs: Callable[[], Sequence[OfferedPack]]) -> None:
        self._network = network
        self._packs = packs
        self._heard: dict[Principal, asyncio.Task[list[tuple[OfferedPack, Match | Mismatch, Interface | None]]]] = {}

    async def find(self, ledger: LedgerEntry, operation: Operation, payee: Payee, method: str | None = None) -> Speaker:
        """The first that does it: a person's own pack before a bundled one, and one that takes the payee as it was
        given before one into whose form it can be written. `method` asks for that one.

        Raises BadInput where no pack speaks for such a method of the ledger, NetworkFault where its interface cannot
        be read.
        """
        fits = await self._fits(ledger)
        found = [
            Speaker(offered.pack, each, offered.is_own, interface)
            for offered, fit, interface in fits
            if isinstance(fit, Match)
            for each in fit.methods
            if offered.pack.operation(each) is operation and method in (None, each)
        ]
        if not found:
            raise BadInput("ledger", _why_none(ledger, operation, [(each.pack, fit) for each, fit, _ in fits]))
        return min(found, key=lambda each: (not each.is_own, not _takes(each, payee)))

    async def _fits(self, ledger: LedgerEntry) -> list[tuple[OfferedPack, Match | Mismatch, Interface | None]]:
        canister = ledger.terms.canister
        known = self._heard.get(canister)
        if known is not None and not known.cancelled() and (not known.done() or known.exception() is None):
            return await asyncio.shield(known)
        task = self._heard[canister] = asyncio.ensure_future(self._listen(ledger))
        return await task

    async def _listen(self, ledger: LedgerEntry) -> list[tuple[OfferedPack, Match | Mismatch, Interface | None]]:
        try:
            stated = await self._network.interface(ledger.terms.canister)
        except UnreadableInterface:
            stated = None
        interface = None if stated is None else stated.interface
        return [
            (
                offered,
                match_by_standards(offered.pack, ledger.terms.standards)
                if interface is None
                else match(offered.pack, interface),
                interface,
            )
            for offered in self._packs()
        ]


def what_to_know(speaker: Speaker) -> Iterator[str]:
    """What a card says of the pack where it is not one that comes with the wallet, or cannot keep the whole promise."""
    pack, method = speaker.pack, speaker.method
    if speaker.is_own:
        yield f"Your own pack {pack.name} speaks for this ledger: it says what the replies of {method} mean."
    if not pack.has_idempotency(method):
        yield (
            f"{method} carries no stamp by which the ledger knows a repeat: if the answer is lost, the wallet sends it"
            " once more at most by the same signed call, and asks you rather than try again."
        )
    if pack.tagged(method, Fee) is None:
        yield f"{method} does not name the fee: the ledger takes its own, which may be another than shown."
    if speaker.interface is None:
        yield "The ledger shows no interface that can be read: its methods are taken to be those of its standards."


def _takes(speaker: Speaker, payee: Payee) -> bool:
    """Whether the method takes the payee in the form in which it was given."""
    recipient = speaker.pack.tagged(speaker.method, Recipient)
    form = Form.ACCOUNT if recipient is None else recipient[1].form
    return form is (Form.ACCOUNT if isinstance(payee, Account) else Form.ACCOUNT_ID)


def _why_none(ledger: LedgerEntry, operation: Operation, fits: Sequence[tuple[Pack, Match | Mismatch]]) -> str:
    reasons = [
        f"[{pack.name}] {fit.reasons[0]}"
        for pack, fit in fits
        if isinstance(fit, Mismatch) and any(pack.operation(each) is operation for each in pack.methods)
    ]
    why = f" ({'; '.join(reasons[:3])})" if reasons else ""
    return f"no pack speaks for a method of {ledger.name} that {_DOES[operation]}{why}"
