"""A network in memory, of one ledger, that does on cue what networks do: the same run twice ends the same.

It keeps the network's rules: a request id runs at most once, and only until its expiry.
"""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.builders import ROOT_KEY
from tests.tui.fake_ledger import FakeLedger
from wallet.adapters.ic import candid
from wallet.adapters.ic.did import parse_did
from wallet.core.account import Account
from wallet.core.attempt import (
    Evidence,
    NotSent,
    Rejected,
    Reply,
    Silence,
    SilenceReason,
    Status,
    StatusWord,
)
from wallet.core.blocks import LedgerBlock, read_block
from wallet.core.errors import NetworkFault
from wallet.core.icrc3 import value_hash
from wallet.core.interface import Interface
from wallet.core.ledger_time import LedgerTime
from wallet.core.principal import Principal
from wallet.core.tip import Tip
from wallet.core.value import Case, Value
from wallet.devnet.interface import LEDGER_DID
from wallet.ports import FEE_QUERY, Allowance, LedgerTerms, SealedCall, Signer, StatedInterface, Stretch

_SHOWN = parse_did(LEDGER_DID)


@dataclass
class _Call:
    sender: Principal
    arguments: Mapping[str, Value]
    expiry: LedgerTime
    result: Case | Rejected | None = None


@dataclass
class FakeNetwork(FakeLedger):
    """Cues are used up one a post, in order: `Case(...)` is answered and nothing executed; a number is a certified
    reject code; "lose_reply", "lose_request", "not_sent" and "hold" (until `go_on` is set) are what they say."""

    name: str = "devnet"
    root_key: bytes = ROOT_KEY
    host_clock_offset_ns: int | None = 0
    cues: list[str | int | Case] = field(default_factory=list)
    silent: str | None = None
    """Why the network cannot be reached, while it cannot."""
    archive_silent: bool = False
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    posts: int = 0
    _arguments: dict[bytes, Mapping[str, Value]] = field(default_factory=dict)
    _calls: dict[bytes, _Call] = field(default_factory=dict)

    # --- the network ---

    async def time(self, canister: Principal) -> LedgerTime:
        self._reach()
        return self.now

    def encode(self, method: str, values: Sequence[Value], interface: Interface | None) -> bytes:
        data = candid.encode(candid.METHODS[method].args, values)
        match values:
            case [dict(arguments)]:
                self._arguments[data] = arguments
        return data

    def seal(
        self, canister: Principal, method: str, argument: bytes, expiry: LedgerTime, nonce: bytes, signer: Signer
    ) -> SealedCall:
        request_id = hashlib.sha256(argument + nonce + expiry.to_bytes(8, "big")).digest()
        self._calls[request_id] = _Call(signer.principal, self._arguments[argument], expiry)
        return SealedCall(request_id, b"envelope of " + request_id, expiry)

    async def submit(self, canister: Principal, request_id: bytes, envelope: bytes) -> Evidence:
        self.posts += 1
        call = self._calls[request_id]
        cue = self.cues.pop(0) if self.cues else None
        match cue:
            case "not_sent":
                return NotSent("the name of the host is not known")
            case "lose_request":
                return Silence(SilenceReason.TIMEOUT, "no answer within 10 s")
            case "hold":
                await self.go_on.wait()
            case Case() if call.result is None:
                call.result = cue
            case int(code) if call.result is None:
                call.result = Rejected(code, "the canister is stopped", True, None, b"certificate", self.now)
        self._run(call)
        if cue == "lose_reply":
            return Silence(SilenceReason.CONNECTION, "the server closed the connection")
        return self._answer(call)

    async def status(self, canister: Principal, request_id: bytes, signer: Signer) -> Evidence:
        if self.silent is not None:
            return Silence(SilenceReason.CONNECTION, self.silent)
        return self._answer(self._calls[request_id])

    def arrive(self) -> None:
        """What was thought lost comes through after all."""
        for call in self._calls.values():
            self._run(call)

    def _run(self, call: _Call) -> None:
        if call.result is None and self.now <= call.expiry:
            call.result = self.run(call.sender, call.arguments)

    def _answer(self, call: _Call) -> Evidence:
        match call.result:
            case Case() as result:
                return Reply([result], b"DIDL", b"certificate", self.now)
            case Rejected() as rejected:
                return rejected
        return Status(StatusWord.ABSENT, b"certificate", self.now)

    def _reach(self) -> None:
        if self.silent is not None:
            raise NetworkFault(f"The network {self.name} cannot be reached: {self.silent}. Nothing was sent.")

    # --- the ledger ---

    async def terms(self, ledger: Principal) -> LedgerTerms:
        self._reach()
        return self.terms_stated

    async def stated_terms(self, ledger: Principal) -> LedgerTerms:
        return await self.terms(ledger)

    async def interface(self, canister: Principal) -> StatedInterface | None:
        self._reach()
        return StatedInterface(_SHOWN, certified=True)

    async def fee(self, ledger: Principal, query: str = FEE_QUERY) -> int:
        self._reach()
        return self.fee_stated

    async def balance(self, ledger: Principal, account: Account) -> int:
        self._reach()
        return self.balances.get(account, 0)

    async def allowance(self, ledger: Principal, account: Account, spender: Account) -> Allowance:
        self._reach()
        given = self.given.get(account, [])
        return next((each for each in given if each.spender == spender), Allowance(spender, 0))

    async def allowances(self, ledger: Principal, account: Account) -> list[Allowance] | None:
        self._reach()
        return list(self.given.get(account, [])) if self.lists_allowances else None

    async def tip(self, ledger: Principal) -> tuple[Tip, LedgerTime] | None:
        self._reach()
        return (Tip(len(self.log) - 1, value_hash(self.log[-1])), self.now) if self.log else None

    async def blocks(self, ledger: Principal, start: int, length: int, *, certified: bool) -> Stretch:
        self._reach()
        if self.archive_silent:
            return Stretch(len(self.log), {}, ("the archive of the blocks 0 to 999 does not answer",))
        return Stretch(len(self.log), dict(list(enumerate(self.log))[start : start + length]))

    async def block(self, ledger: Principal, index: int) -> LedgerBlock | None:
        self._reach()
        return read_block(index, self.log[index]) if index < len(self.log) and not self.archive_silent else None

    async def close(self) -> None:
        return None
