"""What a ledger says of itself, of balances and of its blocks: certified where it must be, by query where it may be."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from wallet.adapters.ic import certificate
from wallet.adapters.ic.agent import Agent
from wallet.adapters.ic.answers import CallRejected, one
from wallet.adapters.ic.candid import METHODS, encode
from wallet.adapters.ic.ledger_replies import (
    MAX_NAME,
    MAX_SYMBOL,
    NoLedger,
    account_of,
    allowance_of,
    allowances_in,
    archives_in,
    are_private,
    blocks_in,
    decimals_of,
    label_of,
    max_memo_of,
    nat_of,
    standards_of,
)
from wallet.core.account import Account
from wallet.core.blocks import LedgerBlock, MalformedBlock, read_block
from wallet.core.errors import BadInput, NetworkFault
from wallet.core.ledger_time import LedgerTime
from wallet.core.principal import Principal
from wallet.core.tip import Tip
from wallet.core.value import Value
from wallet.ports import Allowance, LedgerTerms, Stretch

Ask: TypeAlias = Callable[[Principal, str, bytes], Awaitable[list[Value]]]
"""`Agent.query` or `Agent.certified`."""

BLOCKS_A_REPLY: Final = 100
ALLOWANCES_A_REPLY: Final = 100
MOST_ALLOWANCES: Final = 2_000
"""Of one account: nobody reads more, and a ledger that goes on for ever is not followed for ever."""
_NO_SUCH_METHOD: Final = frozenset({3, 5})
"""Reject codes of a canister that does not have the method: destination invalid, and (newer) canister error."""
_NO_ARGUMENT: Final = b"DIDL\x00\x00"
_TERMS: Final = (
    "icrc1_name",
    "icrc1_symbol",
    "icrc1_decimals",
    "icrc1_fee",
    "icrc1_minting_account",
    "icrc1_supported_standards",
    "icrc1_metadata",
)


class LedgerReader:
    """Reads ledgers through one agent."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    async def terms(self, ledger: Principal) -> LedgerTerms:
        """By certified calls. Raises BadInput when it is no ICRC-1 ledger, NetworkFault and Untrusted (R34)."""
        await self._agent.time(ledger)  # once, rather than by each of the calls that need it
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

    async def fee(self, ledger: Principal, query: str) -> int:
        return nat_of(one(await self._agent.query(ledger, query, _NO_ARGUMENT), query), query)

    async def balance(self, ledger: Principal, account: Account) -> int:
        answer = await self._ask(self._agent.query, ledger, "icrc1_balance_of", _named(account))
        return nat_of(answer, "icrc1_balance_of")

    async def allowance(self, ledger: Principal, account: Account, spender: Account) -> Allowance:
        """By query. Raises NetworkFault, also where the ledger has no ICRC-2."""
        asked: Value = {"account": _named(account), "spender": _named(spender)}
        return allowance_of(await self._ask(self._agent.query, ledger, "icrc2_allowance", asked), spender)

    async def allowances(self, ledger: Principal, account: Account) -> list[Allowance] | None:
        """By query, page by page; None without ICRC-103, or where it shows nobody else's. Raises NetworkFault."""
        ask = self._agent.query
        standards, metadata = await asyncio.gather(
            self._ask(ask, ledger, "icrc1_supported_standards"), self._ask(ask, ledger, "icrc1_metadata")
        )
        if "ICRC-103" not in standards_of(standards) or are_private(metadata):
            return None
        found: dict[Account, Allowance] = {}
        last: Account | None = None
        while len(found) <= MOST_ALLOWANCES:
            asked: Value = {
                "from_account": _named(account),
                "prev_spender": None if last is None else _named(last),
                "take": ALLOWANCES_A_REPLY,
            }
            page = allowances_in(await self._ask(ask, ledger, "icrc103_get_allowances", asked), account)
            if page is None:
                return None
            own, has_gone_on = page
            if any(each.spender in found for each in own):
                raise NetworkFault(f"{ledger} lists the same allowance twice, so its list cannot be relied on.")
            found |= {each.spender: each for each in own}
            if has_gone_on or not own:
                return list(found.values())
            last = own[-1].spender
        raise NetworkFault(f"{ledger} lists more than {MOST_ALLOWANCES} allowances of one account.")

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

    async def blocks(self, ledger: Principal, start: int, length: int, *, certified: bool) -> Stretch:
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
        return Stretch(log_length, found, tuple(gaps))

    async def _stretch(self, ask: Ask, ledger: Principal, start: int, length: int) -> Stretch:
        wanted = range(start, start + length)
        reply = await self._get_blocks(ask, ledger, "icrc3_get_blocks", wanted)
        blocks = blocks_in(reply, wanted)
        gaps: list[str] = []
        for archive, method, ranges in archives_in(reply):
            for some in ranges:
                missing = range(max(some.start, wanted.start), min(some.stop, wanted.stop))
                if not missing or missing.start in blocks:
                    continue
                try:
                    blocks |= blocks_in(await self._get_blocks(ask, archive, method, missing), missing)
                except NetworkFault as why:
                    gaps.append(f"archive {archive} is silent about block {missing.start}: {why}")
        return Stretch(nat_of(reply.get("log_length"), "icrc3_get_blocks"), blocks, tuple(gaps))

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
            name=label_of(name, "name", MAX_NAME),
            symbol=label_of(symbol, "symbol", MAX_SYMBOL),
            decimals=decimals_of(decimals),
            fee=nat_of(fee, "icrc1_fee"),
            minting_account=account_of(minting_account),
            standards=standards_of(standards),
            max_memo_bytes=max_memo_of(metadata),
        )


def _named(account: Account) -> Value:
    return {"owner": account.owner, "subaccount": account.subaccount}
