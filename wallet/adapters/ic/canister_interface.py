"""The Candid interface that a canister shows: certified metadata, or by the query that older canisters answer (R1)."""

from typing import Final

from wallet.adapters.ic.agent import Agent
from wallet.adapters.ic.answers import CallRejected, one
from wallet.adapters.ic.did import parse_did
from wallet.adapters.ic.did_tokens import MalformedInterface
from wallet.core.errors import NetworkFault, UnreadableInterface
from wallet.core.principal import Principal
from wallet.ports import StatedInterface

_SECTION: Final = "candid:service"
_QUERY: Final = "__get_candid_interface_tmp_hack"
_NOTHING: Final = b"DIDL\x00\x00"
"""The message without a value: writing it with ic-py would load ic-py."""
_NO_SUCH_METHOD: Final = frozenset({3, 5})


async def read_interface(agent: Agent, canister: Principal) -> StatedInterface | None:
    """None where the canister shows none. Raises NetworkFault, and UnreadableInterface for a text that is none."""
    certified = await agent.metadata(canister, _SECTION)
    text = await _by_query(agent, canister) if certified is None else certified
    if text is None:
        return None
    try:
        interface = parse_did(text.decode() if isinstance(text, bytes) else text)
    except UnicodeDecodeError:
        raise UnreadableInterface(f"The interface that {canister} shows is no text.") from None
    except MalformedInterface as why:
        raise UnreadableInterface(f"The interface that {canister} shows cannot be read: {why}.") from None
    return StatedInterface(interface, certified is not None)


async def _by_query(agent: Agent, canister: Principal) -> str | None:
    try:
        found = one(await agent.query(canister, _QUERY, _NOTHING), _QUERY)
    except CallRejected as why:
        if why.code in _NO_SUCH_METHOD:
            return None
        raise
    if not isinstance(found, str):
        raise NetworkFault(f"The answer of {canister} to {_QUERY} is no answer to that.")
    return found
