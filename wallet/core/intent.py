"""An intent: one decision of a person, one stamp, one encoding, and all that became of it (part B of the rules)."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from wallet.core.account import Account
from wallet.core.amount import Base, format_amount, format_short
from wallet.core.arguments import identity_of
from wallet.core.attempt import Attempt
from wallet.core.blocks import LedgerBlock
from wallet.core.convert import Payment
from wallet.core.finding import Finding
from wallet.core.ledger_time import DedupWindow, LedgerTime
from wallet.core.outcome import OutcomeClass
from wallet.core.pack import Operation, Pack
from wallet.core.payee import Payee
from wallet.core.principal import Principal
from wallet.core.tip import Tip
from wallet.core.value import Case, Value


class State(StrEnum):
    """Where an intent stands (design, section 2)."""

    PREPARED = "prepared"
    SENDING = "sending"
    RETRY_SAME = "retry_same"
    REJECTED = "rejected"
    UNKNOWN = "unknown"
    RETRY_NEW = "retry_new"
    RECONCILE = "reconcile"
    ASK = "ask"
    SETTLED = "settled"


SettledBy = Literal["reply", "history", "person", "restamp"]


@dataclass(frozen=True, slots=True)
class Card:
    """What the person saw and confirmed, in the units and words of that moment (R15, R34)."""

    sender: Account  # the account that pays
    recipient: Payee  # who is paid; for an approve, who may spend
    amount: Base
    fee: Base
    symbol: str
    decimals: int
    memo: bytes | None = None  # of a method whose memo is a number: its decimal digits
    warnings: tuple[str, ...] = ()
    operation: Operation = Operation.TRANSFER
    spender: Account | None = None  # the caller's own account, where another's pays
    expires_at: LedgerTime | None = None  # when an allowance ends
    memo_is_number: bool = False

    @property
    def total(self) -> Base:
        """What leaves the paying account: base units, fee included. Allowing somebody to spend moves only the fee."""
        return Base(self.fee if self.operation is Operation.APPROVE else self.amount + self.fee)

    def text(self, amount: int) -> str:
        """An amount in full: every decimal the token has."""
        return format_amount(amount, self.decimals)

    def text_short(self, amount: int) -> str:
        return format_short(amount, self.decimals)


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The block that an already_done names, as fetched (R20). `block` is None when it could not be read."""

    block: LedgerBlock | None
    differs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How far an intent has come: its state, and once settled its ending."""

    state: State = State.PREPARED
    outcome_class: OutcomeClass | None = None
    case: str | None = None
    payload: Value = None
    settled_by: SettledBy | None = None
    moved: bool | None = False
    block: int | None = None
    duplicate_of: int | None = None
    look_due: bool = False  # moved after an unknown: one more look for a second equal block is still to come (R27)

    @property
    def is_settled(self) -> bool:
        return self.state is State.SETTLED


@dataclass(frozen=True, slots=True)
class Intent:
    """Everything about one intent. What was confirmed (`argument_bytes`, `stamp`, `card`) never changes (R12)."""

    id: str
    network: str
    root_key: bytes
    ledger: Principal
    ledger_name: str
    method: str
    sender: Principal
    pack: Pack
    arguments: Mapping[str, Value]  # converted, by the paths of the pack, the stamp included
    fee_is_auto: bool
    amount_is_max: bool  # typed as `max`: a script that asks again by its reference asks for the same (R36)
    stamp: LedgerTime
    window: DedupWindow
    argument_bytes: bytes
    card: Card
    prepared_at: LedgerTime
    anchor: Tip | None = None  # the certified tip when the stamp was minted (R25)
    ref: str | None = None
    supersedes: str | None = None
    superseded_by: str | None = None
    dropped: bool = False
    confirmed: bool = False
    attempts: tuple[Attempt, ...] = ()
    findings: tuple[Finding, ...] = ()
    outcome: Outcome = field(default_factory=Outcome)
    duplicate: Duplicate | None = None
    alarms: tuple[str, ...] = ()
    version: int = 0

    @property
    def state(self) -> State:
        return self.outcome.state

    @property
    def is_settled(self) -> bool:
        return self.outcome.is_settled

    @property
    def asks_for_restamp(self) -> bool:
        """Proven or said not to have executed: preparing the same again returns it and asks R23's question (R14)."""
        outcome = self.outcome
        return (
            self.superseded_by is None
            and outcome.is_settled
            and outcome.moved is False
            and outcome.settled_by in ("history", "person")
        )

    @property
    def payment(self) -> Payment:
        """What was meant, to be converted anew: an allowance lasts as long as it was to last from its stamp (R10)."""
        card = self.card
        return Payment(
            card.sender,
            card.recipient,
            card.amount,
            card.memo,
            card.operation,
            card.spender,
            None if card.expires_at is None else card.expires_at - self.stamp,
        )

    @property
    def has_stamp(self) -> bool:
        """Whether the bytes carry the stamp; without it the ledger tells no repeat from a new payment (R19)."""
        return self.pack.has_idempotency(self.method)

    @property
    def window_closes(self) -> LedgerTime:
        return self.window.closes(self.stamp)

    @property
    def bytes_sha256(self) -> str:
        return hashlib.sha256(self.argument_bytes).hexdigest()

    @property
    def digest(self) -> str:
        """What a confirmation without a terminal has to name: it binds it to these very bytes (R15)."""
        return self.bytes_sha256[:16]

    @property
    def lookup_key(self) -> bytes:
        """R13: equal for payments that are the same to a person; an auto-filled fee is left out."""
        return lookup_key(
            self.root_key, self.sender, self.ledger, self.method, self.arguments, self.pack, self.fee_is_auto
        )


def lookup_key(
    root_key: bytes,
    sender: Principal,
    canister: Principal,
    method: str,
    arguments: Mapping[str, Value],
    pack: Pack,
    fee_is_auto: bool,
) -> bytes:
    """The key under which one open intent may exist: network, sender, canister, method, converted arguments without
    the stamp and without an auto-filled fee (R10, R13)."""
    kept = identity_of(pack, method, arguments, fee_is_auto)
    return hashlib.sha256(_canonical([root_key, sender, canister, method, kept])).digest()


def _canonical(value: Value) -> bytes:
    """An injective encoding: equal bytes exactly for equal values. An absent field equals a null one (R10)."""
    match value:
        case None:
            return b"n;"
        case bool():
            return b"t;" if value else b"f;"
        case int():
            return b"i%d;" % value
        case str():
            data = value.encode()
            return b"s%d:" % len(data) + data
        case bytes():
            return b"b%d:" % len(value) + value
        case Principal():
            return b"p" + _canonical(value.raw)
        case Case():
            return b"c" + _canonical(value.tag) + _canonical(value.value)
        case list():
            return b"l%d:" % len(value) + b"".join(map(_canonical, value))
        case dict():
            pairs = sorted((name, inner) for name, inner in value.items() if inner is not None)
            return b"d%d:" % len(pairs) + b"".join(_canonical(name) + _canonical(inner) for name, inner in pairs)
