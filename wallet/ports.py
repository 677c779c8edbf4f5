"""The doors of the services to the outside: Network, Store, Vault, KeyFiles and Clock."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from wallet.core.account import Account
from wallet.core.attempt import Attempt, Evidence
from wallet.core.blocks import LedgerBlock
from wallet.core.finding import Finding
from wallet.core.history import Reading
from wallet.core.intent import Intent
from wallet.core.interface import Interface
from wallet.core.ledger_time import DedupWindow, LedgerTime
from wallet.core.lifecycle import Verdict
from wallet.core.principal import Principal
from wallet.core.secret import Secret
from wallet.core.tip import Tip
from wallet.core.value import Value

MAINNET = "mainnet"
"""The one network that is built in with its root key; nothing can replace either (design, section 3)."""

FEE_QUERY = "icrc1_fee"


class Signer(Protocol):
    """A key that can sign for its principal."""

    @property
    def principal(self) -> Principal: ...
    @property
    def public_key_der(self) -> bytes: ...
    def sign(self, message: bytes) -> bytes: ...


@dataclass(frozen=True, slots=True)
class SealedCall:
    """A signed update call: these very bytes are stored, then posted, and posted again (R29)."""

    request_id: bytes
    envelope: bytes
    expiry: LedgerTime


@dataclass(frozen=True, slots=True)
class LedgerTerms:
    """What an amount means on a ledger, read by certified calls and pinned (R34)."""

    canister: Principal
    name: str
    symbol: str
    decimals: int
    fee: int  # base units, as the ledger said when it was added; the fee of a payment is asked anew (R34)
    minting_account: Account | None
    standards: tuple[str, ...]
    max_memo_bytes: int = 32


@dataclass(frozen=True, slots=True)
class StatedInterface:
    """What a canister shows of its methods and types; one node's word where it is not certified."""

    interface: Interface = field(repr=False)
    certified: bool


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a ledger's history by index, as far as it could be had; `gaps` says what kept the rest back."""

    log_length: int
    blocks: Mapping[int, Value] = field(repr=False)
    gaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a spender may take from an account, in base units; an amount of 0 is none at all."""

    spender: Account
    amount: int
    expires_at: LedgerTime | None = None


class Network(Protocol):
    """One network, its answers verified against a pinned root key. Raises NetworkFault or Untrusted; never lies."""

    @property
    def name(self) -> str: ...
    @property
    def root_key(self) -> bytes:
        """DER of the pinned root key."""
        ...

    @property
    def host_clock_offset_ns(self) -> int | None:
        """Host clock minus certified time, once a certified time was seen (R33)."""
        ...

    async def time(self, canister: Principal) -> LedgerTime:
        """Certified time of the subnet that hosts `canister`, asked just now (R11, R33)."""
        ...

    def encode(self, method: str, values: Sequence[Value], interface: Interface | None) -> bytes:
        """The Candid bytes of the method's arguments, by the types of the interface; without one, by those of the
        standards. Raises ValueError for an unknown method or a value that does not fit its type."""
        ...

    def seal(
        self, canister: Principal, method: str, argument: bytes, expiry: LedgerTime, nonce: bytes, signer: Signer
    ) -> SealedCall: ...

    async def submit(self, canister: Principal, request_id: bytes, envelope: bytes) -> Evidence:
        """Post the stored envelope once and say what came back. Never raises for what the network does (R18)."""
        ...

    async def status(self, canister: Principal, request_id: bytes, signer: Signer) -> Evidence:
        """Ask the certified state about one request id: Reply, Rejected, Status or Silence. Never NotSent."""
        ...

    async def terms(self, ledger: Principal) -> LedgerTerms:
        """Certified (anonymous updates, each with a nonce). Raises BadInput when it is no ICRC-1 ledger."""
        ...

    async def stated_terms(self, ledger: Principal) -> LedgerTerms:
        """The same by query: one replica's word, good enough to stop when it differs from what is pinned (R34)."""
        ...

    async def interface(self, canister: Principal) -> StatedInterface | None:
        """None where the canister shows none (R1). Raises UnreadableInterface where it is none, and NetworkFault."""
        ...

    async def fee(self, ledger: Principal, query: str = FEE_QUERY) -> int:
        """By query, one without an argument: a lie earns a BadFee, no more (R34)."""
        ...

    async def balance(self, ledger: Principal, account: Account) -> int: ...

    async def allowance(self, ledger: Principal, account: Account, spender: Account) -> Allowance:
        """What `spender` may still take from `account`, by query. Raises NetworkFault, also without ICRC-2."""
        ...

    async def allowances(self, ledger: Principal, account: Account) -> list[Allowance] | None:
        """All that the account has given, by query; None where the ledger lists none: it has no ICRC-103, or shows
        them to their owner only."""
        ...

    async def tip(self, ledger: Principal) -> tuple[Tip, LedgerTime] | None:
        """The certified tip of the ledger's blocks, and the moment of which it is true; None where the ledger
        certifies none: it has no ICRC-3, or no block yet (R25)."""
        ...

    async def blocks(self, ledger: Principal, start: int, length: int, *, certified: bool) -> Stretch:
        """Blocks from `start` on, archives followed, as far as they can be had. By query they are one node's word,
        and only their hash chain can vouch for them (R25). Raises NetworkFault where the ledger itself is silent."""
        ...

    async def block(self, ledger: Principal, index: int) -> LedgerBlock | None:
        """One block by certified call, archives followed; None where it cannot be had (R20)."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class NetworkEntry:
    """A network as the person added it: its root key is pinned."""

    name: str
    url: str
    root_key: bytes


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A ledger of one network with its pinned terms, its window, and whether its deduplication is proven (R19)."""

    root_key: bytes
    name: str
    terms: LedgerTerms
    window: DedupWindow
    dedup_proven: bool = False
    dedup_broken: bool = False  # two equal blocks were seen: nothing proves it again (R27)


@dataclass(frozen=True, slots=True)
class IdentityEntry:
    """The public side of an identity; its key rests in the vault."""

    name: str
    principal: Principal
    curve: str
    backed_up: bool
    kept_in: str  # "keyring" or "file"


class Store(Protocol):
    """The local file. Every method that changes something is one durable transaction. Raises StoreFault (R32).

    Methods that take an Intent compare-and-set on its `version`: they return the stored successor, or None when
    somebody else moved it first.
    """

    # intents
    def intent(self, intent_id: str) -> Intent | None: ...
    def intents(self, *, unsettled: bool = False, limit: int | None = None) -> list[Intent]:
        """Unsettled first, then newest first. `unsettled` leaves out settled and dropped ones."""
        ...

    def open_intent(self, lookup_key: bytes) -> Intent | None:
        """The unsettled intent of R13's look-up key, dropped or not; or the one that ended as not executed by history
        or by the person's word, and asks for a new stamp (R14)."""
        ...

    def intent_by_ref(self, ref: str) -> Intent | None:
        """The intent that owns the reference now (R36)."""
        ...

    def stamps_of_sender(self, root_key: bytes, sender: Principal, since: LedgerTime) -> set[LedgerTime]:
        """Every stamp of the sender on that network from `since` on (R11)."""
        ...

    def last_stamp(self, lookup_key: bytes) -> LedgerTime | None:
        """The latest stamp of R13's look-up key that was not refused as CreatedInFuture (R14)."""
        ...

    def payments_like(self, intent: Intent, limit: int) -> list[Intent]:
        """Newest first: other intents on the same ledger to the same payee (owner and subaccount) (R28)."""
        ...

    def add(self, intent: Intent, supersede: Intent | None = None) -> Intent | None:
        """Store a prepared intent. `supersede` is settled as superseded by it, and its reference passes on, in the
        same transaction (R13, R23, R36). None when another intent of its look-up key is open, or `supersede` moved."""
        ...

    def attach_ref(self, intent: Intent, ref: str) -> Intent | None: ...
    def drop(self, intent: Intent, dropped: bool) -> Intent | None: ...

    # attempts
    def begin_attempt(self, intent: Intent, attempt: Attempt, *, confirmed: bool) -> Intent | None:
        """The attempt, and with `confirmed` the confirmation, on disk before its first byte is sent (R15, R29).
        The state becomes `sending`."""
        ...

    def record_post(self, intent: Intent, n: int) -> Intent | None:
        """One more post of attempt `n`'s envelope is about to start; the state becomes `sending` (R29)."""
        ...

    def record(self, intent: Intent, n: int, evidence: Evidence, verdict: Verdict) -> Intent | None:
        """Evidence about attempt `n`, and the verdict that follows from all of it, in one transaction."""
        ...

    def move(self, intent: Intent, verdict: Verdict) -> Intent | None:
        """A verdict that follows from time alone (a closed window)."""
        ...

    def record_duplicate(self, intent: Intent, block: LedgerBlock | None, differs: Sequence[str]) -> Intent | None:
        """The block that an already_done names, as fetched; what differs raises an alarm (R20)."""
        ...

    def record_finding(self, intent: Intent, finding: Finding, verdict: Verdict, alarm: str | None) -> Intent | None:
        """What the history or the person says, the verdict that follows, and an alarm if it is one (R25, R27, R35).
        A settled intent's ending changes only where the verdict says "moved" and it said "not moved", or was the
        person's word."""
        ...

    def acknowledge(self, intent: Intent) -> Intent | None:
        """Put the intent's alarms to rest (R35)."""
        ...

    def alarming(self) -> list[Intent]:
        """Every intent whose alarm nobody has acknowledged yet, newest first, whatever its state (R35)."""
        ...

    def looks_due(self) -> list[Intent]:
        """Settled intents that one more look is still owed (R27)."""
        ...

    def reading(self, intent_id: str) -> Reading | None:
        """How far the history was read for the intent, to go on from there."""
        ...

    def keep_reading(self, intent_id: str, reading: Reading | None) -> None: ...

    def sending_lock(self, intent_id: str) -> AbstractContextManager[bool]:
        """True inside when this process may send the intent; held until the block ends or the process dies (R31)."""
        ...

    def is_being_sent(self, intent_id: str) -> bool:
        """Whether a living process holds the intent's lock."""
        ...

    def change_counter(self) -> int:
        """Grows when another connection committed (R31)."""
        ...

    # the person's lists
    def networks(self) -> list[NetworkEntry]: ...
    def add_network(self, entry: NetworkEntry) -> None: ...
    def remove_network(self, name: str) -> bool: ...
    def ledgers(self, root_key: bytes) -> list[LedgerEntry]: ...
    def put_ledger(self, entry: LedgerEntry) -> None:
        """Add, or replace the entry of the same canister."""
        ...

    def remove_ledger(self, root_key: bytes, canister: Principal) -> bool: ...
    def identities(self) -> list[IdentityEntry]: ...
    def put_identity(self, entry: IdentityEntry) -> None: ...
    def remove_identity(self, name: str) -> bool: ...
    def setting(self, key: str) -> str | None: ...
    def put_setting(self, key: str, value: str) -> None: ...
    def network_time(self, root_key: bytes) -> LedgerTime | None:
        """The highest certified time ever seen of a network."""
        ...

    def put_network_time(self, root_key: bytes, time: LedgerTime) -> None: ...
    def close(self) -> None: ...


class Key(Signer, Protocol):
    """A private key in hand."""

    @property
    def curve(self) -> str: ...
    def pkcs8(self) -> Secret:
        """The unencrypted PKCS#8 DER: what a vault keeps."""
        ...


class Vault(Protocol):
    """Where keys rest. Raises VaultFault with a sentence that says what to do."""

    @property
    def kind(self) -> str:
        """Where a new key would be kept: "keyring" or "file"."""
        ...

    def put(self, principal: Principal, secret: Secret) -> None: ...
    def get(self, principal: Principal) -> Key: ...
    def remove(self, principal: Principal) -> None: ...
    def needs_passphrase(self, principal: Principal) -> bool:
        """Whether `get` would have to ask the person: an interface can ask first, and `unlock`."""
        ...

    def unlock(self, passphrase: Secret) -> None: ...


class KeyFiles(Protocol):
    """Keys as they come into the wallet and leave it. Raises BadInput with a sentence that shows nothing of a key."""

    def generate(self, curve: str) -> Key: ...
    def read(self, path: Path) -> Key:
        """The one private key in a PEM file, a passphrase asked where it is encrypted."""
        ...

    def write(self, path: Path, key: Key, *, plain: bool, replace: bool) -> None:
        """Write the key for its owner only; encrypted under a passphrase that is asked for, unless `plain`."""
        ...


class Clock(Protocol):
    """The host's monotonic clock, for pauses and time-outs only; it decides nothing (R33)."""

    def now_s(self) -> float: ...
    async def sleep(self, seconds: float) -> None: ...
