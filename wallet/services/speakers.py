"""Which pack, and which of its methods, does on a ledger what a person wants (R1)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from wallet.core.account import Account, AccountId
from wallet.core.errors import BadInput, UnreadableInterface
from wallet.core.interface import Interface
from wallet.core.pack import Operation, Pack
from wallet.core.pack_match import Match, Mismatch, match, match_by_standards
from wallet.core.pack_tags import Fee, Form, Recipient
from wallet.core.payee import Payee
from wallet.core.principal import ANONYMOUS, Principal
from wallet.ports import LedgerEntry, Network

_DOES = {
    Operation.TRANSFER: "pays",
    Operation.APPROVE: "allows a spender",
    Operation.TRANSFER_FROM: "pays from another's account",
}
_ANYBODY = Account(ANONYMOUS)
_USES: tuple[tuple[str, Operation, Payee], ...] = (
    ("pay an account", Operation.TRANSFER, _ANYBODY),
    ("pay an account id", Operation.TRANSFER, AccountId.of(_ANYBODY)),
    ("allow a spender", Operation.APPROVE, _ANYBODY),
    ("pay from another's account", Operation.TRANSFER_FROM, _ANYBODY),
)


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


@dataclass(frozen=True, slots=True)
class Voices:
    """Who speaks for a ledger: for each thing that can be asked of it, who does it. `unfit` are a person's own packs
    that do not match it, each with the first reason."""

    by_use: Mapping[str, Speaker]
    unfit: tuple[tuple[Pack, str], ...]
    interface: Interface | None = field(repr=False)

    @property
    def uses_of(self) -> dict[OfferedPack, list[str]]:
        """What each pack that speaks is asked for."""
        uses: dict[OfferedPack, list[str]] = {}
        for use, speaker in self.by_use.items():
            uses.setdefault(OfferedPack(speaker.pack, speaker.is_own), []).append(use)
        return uses


@dataclass(frozen=True, slots=True)
class _Fit:
    offered: OfferedPack
    fit: Match | Mismatch


class Speakers:
    """The packs of one wallet, matched to the canisters of one network; what these can do is asked once."""

    def __init__(self, network: Network, packs: Callable[[], Sequence[OfferedPack]]) -> None:
        self._network = network
        self._packs = packs
        self._heard: dict[Principal, Interface | None] = {}

    async def find(self, ledger: LedgerEntry, operation: Operation, payee: Payee, method: str | None = None) -> Speaker:
        """The first that does it: a person's own pack before a bundled one, and one that takes the payee as it was
        given before one into whose form it can be written. `method` asks for that one.

        Raises BadInput where no pack speaks for such a method of the ledger, NetworkFault where its interface cannot
        be read.
        """
        interface = await self._interface(ledger)
        fits = self._fits(ledger, interface)
        found = _speakers(fits, operation, interface)
        chosen = _chosen([each for each in found if method in (None, each.method)], payee)
        if chosen is None:
            raise BadInput("ledger", _why_none(ledger, operation, fits))
        return chosen

    async def all_of(self, ledger: LedgerEntry) -> Voices:
        """Who would be found, whatever is asked of the ledger. Raises as `find` does."""
        interface = await self._interface(ledger)
        fits = self._fits(ledger, interface)
        by_use = {}
        for use, operation, payee in _USES:
            speaker = _chosen(_speakers(fits, operation, interface), payee)
            if speaker is not None and (isinstance(payee, Account) or _takes(speaker, payee)):
                by_use[use] = speaker
        if not by_use:
            raise BadInput("ledger", _why_none(ledger, Operation.TRANSFER, fits))
        unfit = [
            (each.offered.pack, each.fit.reasons[0])
            for each in fits
            if each.offered.is_own and isinstance(each.fit, Mismatch)
        ]
        return Voices(by_use, tuple(unfit), interface)

    def _fits(self, ledger: LedgerEntry, interface: Interface | None) -> list[_Fit]:
        """Each pack as it is at this moment: a person may have added one."""
        standards = ledger.terms.standards
        return [
            _Fit(
                each,
                match_by_standards(each.pack, standards) if interface is None else match(each.pack, interface),
            )
            for each in self._packs()
        ]

    async def _interface(self, ledger: LedgerEntry) -> Interface | None:
        canister = ledger.terms.canister
        if canister not in self._heard:
            self._heard[canister] = await self._ask(canister)
        return self._heard[canister]

    async def _ask(self, canister: Principal) -> Interface | None:
        try:
            stated = await self._network.interface(canister)
        except UnreadableInterface:
            return None
        return None if stated is None else stated.interface


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


def _speakers(fits: Sequence[_Fit], operation: Operation, interface: Interface | None) -> list[Speaker]:
    """Every method that does it, in the order of the packs."""
    return [
        Speaker(each.offered.pack, method, each.offered.is_own, interface)
        for each in fits
        if isinstance(each.fit, Match)
        for method in each.fit.methods
        if each.offered.pack.operation(method) is operation
    ]


def _chosen(speakers: Sequence[Speaker], payee: Payee) -> Speaker | None:
    return min(speakers, key=lambda each: (not each.is_own, not _takes(each, payee)), default=None)


def _why_none(ledger: LedgerEntry, operation: Operation, fits: Sequence[_Fit]) -> str:
    reasons = [
        f"[{pack.name}] {fit.reasons[0]}"
        for pack, fit in ((each.offered.pack, each.fit) for each in fits)
        if isinstance(fit, Mismatch) and any(pack.operation(method) is operation for method in pack.methods)
    ]
    why = f" ({'; '.join(reasons[:3])})" if reasons else ""
    return f"no pack speaks for a method of {ledger.name} that {_DOES[operation]}{why}"
