"""What the embedded network is asked to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wallet.core.errors import BadInput
from wallet.core.ledger_time import SECOND
from wallet.core.principal import Principal

LEDGER_ID = Principal.from_text("bkyz2-fmaaa-aaaaa-qaaaq-cai")
ARCHIVE_ID = Principal.from_text("bd3sg-teaaa-aaaaa-qaaba-cai")
MINTER = Principal.from_text("be2us-64aaa-aaaaa-qaabq-cai")
"""Owns the minting account; nobody has a key for it, tokens are minted from the admin address."""

_SYMBOL, _NAME = "TOK", "Local Token"

MAX_MEMO = 32
MAX_TAKE = 500
"""Allowances in one reply (ICRC-103), as the reference ledger has it."""
DRIFT_NS = 60 * SECOND


@dataclass(frozen=True, slots=True)
class DevnetOptions:
    """Everything that can be chosen; the defaults are a token of 8 decimals as the reference ledger would have it.

    kind            "icrc", the reference ledger of ICRC-1, -2 and -3, or "icp": the ICP ledger, which keeps accounts by
                    their ids, has a `transfer` of its own, and no ICRC-3
    port            0 lets the system choose
    fee, min_burn   base units; min_burn None follows the fee, as the reference ledger does
    window_s        seconds in which a repeat is recognised
    archive_after   blocks the ledger keeps to itself; beyond, the older half of them goes to the archive
    delegation      whether certificates come from a subnet that the root delegated to, and where its canister ranges
                    stand: as on mainnet (by endpoint), in one of the two layouts, or no delegation at all
    blocks          "legacy" without `btype`, as most ledgers have them, or "typed"
    minter          owner of the minting account
    examples        two methods more, as an application might have them: `example_pay` and `example_give`
    more_cases      the result of icrc1_transfer has two cases more, `Ok2` and `Err.Frozen`
    fresh           forget what an earlier run left in the folder
    """

    port: int = 0
    kind: Literal["icrc", "icp"] = "icrc"
    symbol: str = _SYMBOL
    name: str = _NAME
    decimals: int = 8
    fee: int = 10_000
    min_burn: int | None = None
    window_s: int = 24 * 60 * 60
    archive_after: int = 1000
    delegation: Literal["mainnet", "flat", "sharded", "none"] = "mainnet"
    blocks: Literal["legacy", "typed"] = "legacy"
    dedup: bool = True
    logo: str | None = None
    minter: Principal = MINTER
    examples: bool = False
    more_cases: bool = False
    fresh: bool = False

    def __post_init__(self) -> None:
        """Raises BadInput for what no ledger could be. An ICP ledger that was not named is ICP."""
        if self.kind == "icp":
            if self.decimals != 8:
                raise BadInput("decimals", "the ICP ledger has 8 decimals")
            if (self.symbol, self.name) == (_SYMBOL, _NAME):
                object.__setattr__(self, "symbol", "ICP")
                object.__setattr__(self, "name", "Internet Computer")
        for name, low, high in (
            ("port", 0, 65_535),
            ("decimals", 0, 255),
            ("fee", 0, self.max_tokens),
            ("window_s", 1, 10 * 366 * 86_400),
            ("archive_after", 1, 1_000_000),
        ):
            if not low <= getattr(self, name) <= high:
                raise BadInput(name, f"{name} is a whole number from {low} to {high}")
        if not self.symbol or not self.name:
            raise BadInput("symbol", "a token has a symbol and a name")

    @property
    def max_tokens(self) -> int:
        """The reference ledger counts in 64 bits; its build for tokens of 18 decimals in 256."""
        return (1 << (64 if self.decimals <= 8 else 256)) - 1

    @property
    def window_ns(self) -> int:
        return self.window_s * SECOND
