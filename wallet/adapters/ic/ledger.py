"""What a ledger says of itself, of balances and of its blocks: certified where it must be, by query where it may be."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from wallet.adapters.ic import certificate
from wallet.adapters.ic.agent import Agent, CallRejected, one
from wallet.adapters.ic.candid import METHODS, encode
from wallet.core.account import Account
from wallet.core.blocks import LedgerBlock, MalformedBlock, read_block
from wallet.core.errors import BadInput, NetworkFault
from wallet.core.ledger_time import LedgerTime
from wallet.core.principal import Principal
from wallet.core.tip import Tip
from wallet.core.value import Case, Value
from wallet.ports import LedgerTerms

Ask: TypeAlias = Callable[[Principal, str, bytes], Awaitable[list[Value]]]
"""`Agent.query` or `Agent.certified`."""

BLOCKS_A_REPLY: Final = 100
MAX_SYMBOL: Final = 32
MAX_NAME: Final = 100
_MIN_MEMO: Final = 32
_NO_SUCH_METHOD: Final = frozenset({3, 5})
"""Reject codes of a canister that does not have the method: destination invalid, and (newer) canister error."""
_TERMS: Final = (
    "icrc1_name",
    "icrc1_symbol",
    "icrc1_decimals",
    "icrc1_fee",
    "icrc1_minting_account",
    "icrc1_supported_standards",
    "icrc1_metadata",
)


@dataclass(frozen=True, slots=True)
class History:
    """A stretch of a ledger's blocks by index, as far as it could be had; `gaps` says what kept the rest back."""

    log_length: int
    blocks: dict[int, Value] = field(repr=False)
    gaps: tuple[str, ...] = ()


class NoLedger(NetworkFault):
    """The canister answers, and not as an ICRC-1 ledger would."""


class LedgerReader:
    """Reads ledgers through one agent."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    async def terms(self, ledger: Principal) -> LedgerTerms:
        """By certified calls. Raises BadInput when it is no ICRC-1 ledger, NetworkFault and Untrusted (R34)."""
        try:
            return await self._terms(ledger, self._agent.certified)
        except NoLedger as why:
            raise BadInput("canister", str(why)) from None
        except CallRejected as why:
            if why.code not in _NO_SUCH_METHOD:
                raise
            raise BadInput("canister", f"{ledger} is no ICRC-1 ledger. It said: {why.message[:200]}") from None

    async def stated_terms(self, ledger: Principal) -> LedgerTerms:
        """The same by query. Raises NetworkFault."""
        return await self._terms(ledger, self._agent.query)

    async def fee(self, ledger: Principal) -> int:
        return _nat(await self._ask(self._agent.query, ledger, "icrc1_fee"), "icrc1_fee")

    async def balance(self, ledger: Principal, account: Account) -> int:
        named: Value = {"owner": account.owner, "subaccount": account.subaccount}
        return _nat(await self._ask(self._agent.query, ledger, "icrc1_balance_of", named), "icrc1_balance_of")

    async def tip(self, ledger: Principal) -> tuple[Tip, LedgerTime] | None:
        """The certified end of the blocks and the moment of which that is true; None without ICRC-3 or a block (R25).

        Raises NetworkFault, and Untrusted where the certificate does not verify or is stale.
        """
        try:
            found = await self._ask(self._agent.query, ledger, "icrc3_get_tip_certificate")
        except CallRejected as why:
            if why.code in _NO_SUCH_METHOD:
                return None
            raise
        match found:
            case None:
                return None
            case {"certificate": bytes() as data, "hash_tree": bytes() as tree}:
                verified = self._agent.fresh(self._agent.verified(data, ledger))
                tip = certificate.verify_tip(verified, ledger, tree)
                return None if tip is None else (tip, verified.time)
            case _:
                raise NetworkFault(f"The tip certificate of {ledger} cannot be read.")

    async def block(self, ledger: Principal, index: int) -> LedgerBlock | None:
        """One block by certified calls, from the archive that the ledger names where it must; None without it (R20)."""
        try:
            history = await self.blocks(ledger, index, 1, certified=True)
            return read_block(index, history.blocks[index])
        except (KeyError, MalformedBlock):
            return None
        except CallRejected as why:
            if why.code in _NO_SUCH_METHOD:
                return None
            raise

    async def blocks(self, ledger: Principal, start: int, length: int, *, certified: bool) -> History:
        """Blocks `start` to `start + length`, archives followed, as far as they can be had.

        By query they are one node's word, and only their hash chain can vouch for them. A certified archive counts
        because a certified reply of the ledger named it (R25). Raises NetworkFault where the ledger itself is silent,
        CallRejected where it has no ICRC-3.
        """
        ask: Ask = self._agent.certified if certified else self._agent.query
        found: dict[int, Value] = {}
        gaps: list[str] = []
        log_length = 0
        at, end = start, start + length
        while at < end:
            part = await self._stretch(ask, ledger, at, min(BLOCKS_A_REPLY, end - at))
            log_length = part.log_length
            found |= part.blocks
            gaps += part.gaps
            before, at = at, at + 1
            while at in found:
                at += 1
            if before not in found:
                break
        return History(log_length, found, tuple(gaps))

    async def _stretch(self, ask: Ask, ledger: Principal, start: int, length: int) -> History:
        wanted = range(start, start + length)
        reply = await self._get_blocks(ask, ledger, "icrc3_get_blocks", wanted)
        blocks = _blocks_in(reply, wanted)
        gaps: list[str] = []
        for archive, method, ranges in _archives_in(reply):
            for some in ranges:
                missing = range(max(some.start, wanted.start), min(some.stop, wanted.stop))
                if not missing or missing.start in blocks:
                    continue
                try:
                    blocks |= _blocks_in(await self._get_blocks(ask, archive, method, missing), missing)
                except NetworkFault as why:
                    gaps.append(f"archive {archive} is silent about block {missing.start}: {why}")
        return History(_nat(reply.get("log_length"), "icrc3_get_blocks"), blocks, tuple(gaps))

    async def _get_blocks(self, ask: Ask, canister: Principal, method: str, wanted: range) -> dict[str, Value]:
        ranges: Value = [{"start": wanted.start, "length": len(wanted)}]
        argument = encode(METHODS["icrc3_get_blocks"].args, [ranges])
        reply = one(await ask(canister, method, argument), method)
        if not isinstance(reply, dict):
            raise NetworkFault(f"The answer of {canister} to {method} is no answer to that.")
        return reply

    async def _ask(self, ask: Ask, ledger: Principal, method: str, *values: Value) -> Value:
        return one(await ask(ledger, method, encode(METHODS[method].args, values)), method)

    async def _terms(self, ledger: Principal, ask: Ask) -> LedgerTerms:
        answers = await asyncio.gather(*(self._ask(ask, ledger, method) for method in _TERMS), return_exceptions=True)
        values: list[Value] = []
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
            values.append(answer)
        name, symbol, decimals, fee, minting_account, standards, metadata = values
        return LedgerTerms(
            canister=ledger,
            name=_label(name, "name", MAX_NAME),
            symbol=_label(symbol, "symbol", MAX_SYMBOL),
            decimals=_decimals(decimals),
            fee=_nat(fee, "icrc1_fee"),
            minting_account=_account(minting_account),
            standards=_standards(standards),
            max_memo_bytes=_max_memo(metadata),
        )


def _blocks_in(reply: dict[str, Value], wanted: range) -> dict[int, Value]:
    """The blocks of a reply by index; those that nobody asked for are left out."""
    blocks: dict[int, Value] = {}
    listed = reply.get("blocks")
    for entry in listed if isinstance(listed, list) else []:
        match entry:
            case {"id": int() as index, "block": Case() as block} if index in wanted:
                blocks.setdefault(index, block)
    return blocks


def _archives_in(reply: dict[str, Value]) -> list[tuple[Principal, str, list[range]]]:
    archives: list[tuple[Principal, str, list[range]]] = []
    listed = reply.get("archived_blocks")
    for entry in listed if isinstance(listed, list) else []:
        match entry:
            case {"args": list() as args, "callback": [Principal() as archive, str() as method]}:
                ranges = []
                for arg in args:
                    match arg:
                        case {"start": int() as start, "length": int() as length}:
                            ranges.append(range(start, start + length))
                archives.append((archive, method, ranges))
    return archives


def _nat(value: Value, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise NoLedger(f"{what} did not answer a whole number, as a ledger does.")
    return value


def _label(value: Value, what: str, most: int) -> str:
    if not isinstance(value, str) or not 0 < len(value.strip()) <= len(value) <= most or not value.isprintable():
        raise NoLedger(f"The ledger's {what} is empty, too long, or holds characters that cannot be shown.")
    return value


def _decimals(value: Value) -> int:
    decimals = _nat(value, "icrc1_decimals")
    if decimals > 255:
        raise NoLedger("The ledger has more than 255 decimals, which no ledger can have.")
    return decimals


def _account(value: Value) -> Account | None:
    match value:
        case None:
            return None
        case {"owner": Principal() as owner, "subaccount": (None | bytes()) as subaccount}:
            try:
                return Account.of(owner, subaccount)
            except ValueError:
                pass
    raise NoLedger("The ledger's minting account is none.")


def _standards(value: Value) -> tuple[str, ...]:
    names = []
    for entry in value if isinstance(value, list) else []:
        match entry:
            case {"name": str() as name} if name.isprintable() and len(name) <= MAX_NAME:
                names.append(name)
    if "ICRC-1" not in names:
        raise NoLedger("The canister does not list ICRC-1 among its standards.")
    return tuple(names)


def _max_memo(metadata: Value) -> int:
    """What a memo may hold, in bytes: at least 32 on every ledger."""
    for entry in metadata if isinstance(metadata, list) else []:
        match entry:
            case ["icrc1:max_memo_length", Case(tag="Nat", value=int() as most)]:
                return max(most, _MIN_MEMO)
    return _MIN_MEMO
