"""The embedded network: an ICRC ledger behind the real HTTP interface, with certificates and faults on cue."""

from wallet.devnet.server import Devnet, serve
from wallet.devnet.settings import DevnetOptions

__all__ = ["Devnet", "DevnetOptions", "serve"]
