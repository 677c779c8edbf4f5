"""One network of the Internet Computer behind the `Network` port: its pinned root key, its endpoint, its ledgers."""

from collections.abc import Sequence

from wallet.adapters.ic import candid, certificate, envelope
from wallet.adapters.ic.agent import Agent
from wallet.adapters.ic.canister_interface import read_interface
from wallet.adapters.ic.cbor import decode as decode_cbor
from wallet.adapters.ic.ledger import LedgerReader
from wallet.adapters.ic.network_time import NetworkTime
from wallet.adapters.ic.transport import Limits, Lost, NeverConnected, Transport
from wallet.adapters.ic.undecodable import Undecodable
from wallet.core.account import Account
from wallet.core.attempt import Evidence
from wallet.core.blocks import LedgerBlock
from wallet.core.errors import NetworkFault, Untrusted
from wallet.core.interface import Interface
from wallet.core.ledger_time import LedgerTime
from wallet.core.principal import Principal
from wallet.core.tip import Tip
from wallet.core.value import Value
from wallet.ports import FEE_QUERY, Allowance, LedgerTerms, SealedCall, Signer, StatedInterface, Stretch


class IcNetwork:
    """The `Network` port over HTTP. Raises BadInput for an endpoint, Untrusted for a root key, that cannot be one."""

    def __init__(
        self,
        name: str,
        url: str,
        root_key: bytes,
        limits: Limits | None = None,
        time: NetworkTime | None = None,
    ) -> None:
        self.name = name
        self.root_key = root_key
        self._clock = time or NetworkTime()
        self._transport = Transport(url, limits)
        self._agent = Agent(self._transport, root_key, self._clock)
        self._ledgers = LedgerReader(self._agent)

    @property
    def host_clock_offset_ns(self) -> int | None:
        return self._clock.host_offset_ns

    async def time(self, canister: Principal) -> LedgerTime:
        return await self._agent.time(canister)

    def encode(self, method: str, values: Sequence[Value], interface: Interface | None) -> bytes:
        if interface is not None:
            from wallet.adapters.ic.candid_shapes import argument_types

            try:
                return candid.encode(argument_types(interface, method), values)
            except RecursionError:
                raise ValueError("its types nest too deeply") from None
        if method not in candid.METHODS:
            raise ValueError(f"no method {method} is known")
        return candid.encode(candid.METHODS[method].args, values)

    def seal(
        self, canister: Principal, method: str, argument: bytes, expiry: LedgerTime, nonce: bytes, signer: Signer
    ) -> SealedCall:
        content = envelope.call(canister, method, argument, signer.principal, expiry, nonce)
        return SealedCall(envelope.request_id(content), envelope.seal(content, signer), expiry)

    async def submit(self, canister: Principal, request_id: bytes, envelope: bytes) -> Evidence:
        return await self._agent.submit(canister, request_id, envelope)

    async def status(self, canister: Principal, request_id: bytes, signer: Signer) -> Evidence:
        return await self._agent.status(canister, request_id, signer)

    async def terms(self, ledger: Principal) -> LedgerTerms:
        return await self._ledgers.terms(ledger)

    async def stated_terms(self, ledger: Principal) -> LedgerTerms:
        return await self._ledgers.stated_terms(ledger)

    async def interface(self, canister: Principal) -> StatedInterface | None:
        return await read_interface(self._agent, canister)

    async def fee(self, ledger: Principal, query: str = FEE_QUERY) -> int:
        return await self._ledgers.fee(ledger, query)

    async def balance(self, ledger: Principal, account: Account) -> int:
        return await self._ledgers.balance(ledger, account)

    async def allowance(self, ledger: Principal, account: Account, spender: Account) -> Allowance:
        return await self._ledgers.allowance(ledger, account, spender)

    async def allowances(self, ledger: Principal, account: Account) -> list[Allowance] | None:
        return await self._ledgers.allowances(ledger, account)

    async def tip(self, ledger: Principal) -> tuple[Tip, LedgerTime] | None:
        return await self._ledgers.tip(ledger)

    async def block(self, ledger: Principal, index: int) -> LedgerBlock | None:
        return await self._ledgers.block(ledger, index)

    async def blocks(self, ledger: Principal, start: int, length: int, *, certified: bool) -> Stretch:
        return await self._ledgers.blocks(ledger, start, length, certified=certified)

    async def close(self) -> None:
        await self._transport.close()


async def fetch_root_key(url: str, limits: Limits | None = None) -> bytes:
    """The root key that an endpoint names as its network's, DER: to be shown to the person and pinned, once.

    Raises BadInput for the address, NetworkFault, and Untrusted where it is no root key.
    """
    transport = Transport(url, limits)
    try:
        answer = await transport.status()
        if answer.status != 200:
            raise NetworkFault(
                f"{transport.url} answered {answer.complaint}. Is it a network of the Internet Computer?"
            )
        match decode_cbor(answer.body):
            case {"root_key": bytes() as root_key}:
                certificate.check_root_key(root_key)
                return root_key
            case _:
                raise Untrusted(f"{transport.url} does not name a root key, so nothing it says could be verified.")
    except NeverConnected as why:
        raise NetworkFault(f"{transport.url} cannot be reached: {why}. Check the address and the connection.") from None
    except Lost as why:
        raise NetworkFault(f"{transport.url} did not answer: {why.reason} ({why.detail}).") from None
    except Undecodable as why:
        raise NetworkFault(f"{transport.url} answered something that is no status: {why}.") from None
    finally:
        await transport.close()
