"""Ledger blocks (ICRC-3, with or without `btype`) read into fields, and laid beside the transfer that is looked for."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self, TypeAlias

from wallet.core.account import Account
from wallet.core.amount import Base
from wallet.core.block_value import read_account, read_blob, read_map, read_nat, read_text
from wallet.core.icrc3 import HASH_BYTES
from wallet.core.ledger_time import LedgerTime
from wallet.core.payee import Payee, is_same
from wallet.core.value import Value

TRANSFER, MINT, BURN, APPROVE = "transfer", "mint", "burn", "approve"

_BY_OP = {"xfer": TRANSFER, "mint": MINT, "burn": BURN, "approve": APPROVE}
_BY_BTYPE = {
    "1xfer": TRANSFER,
    "2xfer": TRANSFER,
    "1mint": MINT,
    "2mint": MINT,
    "1burn": BURN,
    "2burn": BURN,
    "2approve": APPROVE,
}
_REQUIRED = {
    TRANSFER: ("from", "to", "amt"),
    MINT: ("to", "amt"),
    BURN: ("from", "amt"),
    APPROVE: ("from", "spender", "amt"),
}


class MalformedBlock(ValueError):
    """What a ledger or archive gave out as this block is none: nothing may be concluded from it (R25)."""

    def __init__(self, index: int, why: str) -> None:
        super().__init__(f"block {index} cannot be read: {why}")
        self.index = index
        self.why = why


@dataclass(frozen=True, slots=True)
class LedgerBlock:
    """One block. `op` is transfer, mint, burn, approve, or the block's own word for another kind.

    `fee` is what the ledger charged, `caller_fee` what the call named; a field the block does not have is None. A block
    of another kind has the fields that could be read, and no promise about them.
    """

    index: int
    op: str
    sender: Account | None
    recipient: Account | None
    spender: Account | None
    amount: Base | None
    fee: Base | None
    caller_fee: Base | None
    memo: bytes | None
    stamp: LedgerTime | None
    expires_at: LedgerTime | None  # of an allowance
    timestamp: LedgerTime
    parent_hash: bytes | None
    raw: Value = field(repr=False, hash=False)

    @property
    def is_known(self) -> bool:
        return self.op in _REQUIRED


@dataclass(frozen=True, slots=True)
class WantedBlock:
    """The transfer, mint, burn or approve that an intent's bytes ask for, as a block would record it.

    `recipient` is None for an approve, `spender` for a plain transfer. `unsaid` names what the method's argument does
    not carry in the form of a block: a block that is equal in all else may be this one, and may be another's.
    """

    op: str
    sender: Account
    recipient: Payee | None
    amount: Base
    fee: Base
    memo: bytes | None
    stamp: LedgerTime
    spender: Account | None = None
    expires_at: LedgerTime | None = None
    unsaid: frozenset[str] = frozenset()

    @classmethod
    def transfer(
        cls,
        sender: Account,
        recipient: Payee,
        amount: Base,
        fee: Base,
        memo: bytes | None,
        stamp: LedgerTime,
        minting_account: Account | None,
        spender: Account | None = None,
        unsaid: frozenset[str] = frozenset(),
    ) -> Self:
        """From the minting account it is a mint, to it a burn, else a transfer."""
        is_burn = minting_account is not None and is_same(minting_account, recipient)
        op = MINT if sender == minting_account else BURN if is_burn else TRANSFER
        return cls(op, sender, recipient, amount, fee, memo, stamp, spender, unsaid=unsaid)


FieldValue: TypeAlias = str | int | bytes | Payee | None


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """A field in which a block is another: op, stamp, amount, from, to, spender, expires_at, memo or fee."""

    field: str
    wanted: FieldValue
    found: FieldValue


class Likeness(StrEnum):
    """Whether a block is the wanted transfer (R25)."""

    SAME = "same"
    UNSURE = "unsure"  # equal in all it says, and it does not say enough: neither found nor absent
    OTHER = "other"


_MOST_ALLOWED = (1 << 64) - 1
"""Ledgers that count in 64 bits record a greater allowance as this."""


def compare(block: LedgerBlock, wanted: WantedBlock) -> list[FieldDifference]:
    """Field by field, what in the block differs from what is wanted (R20, R25); empty where nothing does."""
    pairs: list[tuple[str, FieldValue, FieldValue]] = [
        ("op", wanted.op, block.op),
        ("stamp", wanted.stamp, block.stamp),
        ("amount", _as_recorded(wanted, block), block.amount),
        # We send no empty memo; a ledger that recorded our absent one so must still be found.
        ("memo", wanted.memo or None, block.memo or None),
        # Whoever has a spender was a call of that spender, not of the sender.
        ("spender", wanted.spender, block.spender),
        ("expires_at", wanted.expires_at, block.expires_at),
    ]
    # A mint has no sender and a burn no recipient: the minting account, left out.
    if block.sender is not None or wanted.op != MINT:
        pairs.append(("from", wanted.sender, block.sender))
    if block.recipient is not None or wanted.op != BURN:
        is_wanted = wanted.recipient is not None and is_same(block.recipient, wanted.recipient)
        pairs.append(("to", wanted.recipient, wanted.recipient if is_wanted else block.recipient))
    if block.caller_fee is not None:
        pairs.append(("fee", wanted.fee, block.caller_fee))
    return [
        FieldDifference(name, left, right) for name, left, right in pairs if left != right and name not in wanted.unsaid
    ]


def _as_recorded(wanted: WantedBlock, block: LedgerBlock) -> Base:
    is_capped = wanted.op == APPROVE and wanted.amount > _MOST_ALLOWED and block.amount == _MOST_ALLOWED
    return Base(_MOST_ALLOWED) if is_capped else wanted.amount


def likeness(block: LedgerBlock, wanted: WantedBlock) -> Likeness:
    """UNSURE where only what is left unsaid keeps it from being the same: `tx.ts` or a kind we know, or what the
    method's argument does not carry (R25)."""
    differences = compare(block, wanted)
    if not differences:
        return Likeness.UNSURE if wanted.unsaid else Likeness.SAME
    unsaid = {"stamp"} if block.stamp is None else set()
    if not block.is_known:
        unsaid.add("op")
        if block.stamp == wanted.stamp:  # to the nanosecond: it says too little, rather than something else
            unsaid |= {difference.field for difference in differences if difference.found is None}
    return Likeness.UNSURE if {difference.field for difference in differences} <= unsaid else Likeness.OTHER


def read_block(index: int, value: Value) -> LedgerBlock:
    """Read a decoded ICRC-3 Value as the block of this index. MalformedBlock for anything that is none."""
    try:
        return _read(index, value)
    except ValueError as fault:
        raise MalformedBlock(index, str(fault)) from None


def _read(index: int, value: Value) -> LedgerBlock:
    top = read_map(value, "the block")
    tx = read_map(top["tx"], "tx") if "tx" in top else {}
    op = _kind(read_text(top, "btype"), read_text(tx, "op"))
    timestamp = read_nat(top, "ts")
    if timestamp is None:
        raise ValueError("it has no ts")
    parent_hash = read_blob(top, "phash")
    if parent_hash is not None and len(parent_hash) != HASH_BYTES:
        raise ValueError(f"phash has {len(parent_hash)} bytes, not {HASH_BYTES}")
    for name in _REQUIRED.get(op, ()):
        if name not in tx:
            raise ValueError(f"a block of kind {op} needs tx.{name}")
    if op not in _REQUIRED:
        top, tx = _plain(top), _plain(tx)
    caller_fee = read_nat(tx, "fee")
    charged = read_nat(top, "fee")
    return LedgerBlock(
        index=index,
        op=op,
        sender=read_account(tx, "from"),
        recipient=read_account(tx, "to"),
        spender=read_account(tx, "spender"),
        amount=_base(read_nat(tx, "amt")),
        fee=_base(caller_fee if charged is None else charged),
        caller_fee=_base(caller_fee),
        memo=read_blob(tx, "memo"),
        stamp=_time(read_nat(tx, "ts")),
        expires_at=_time(read_nat(tx, "expires_at")),
        timestamp=LedgerTime(timestamp),
        parent_hash=parent_hash,
        raw=value,
    )


def _kind(btype: str | None, op: str | None) -> str:
    """`btype` where there is one, else `tx.op`; where both are words we know, they must agree."""
    known = {word for word in (_BY_BTYPE.get(btype or ""), _BY_OP.get(op or "")) if word is not None}
    if btype is None and op is None:
        raise ValueError("neither btype nor tx.op says what kind it is")
    if len(known) > 1:
        raise ValueError(f"its btype {btype!a} and its tx.op {op!a} contradict each other")
    if btype is not None:
        return _BY_BTYPE.get(btype, btype)
    return _BY_OP.get(op or "", op or "")


def _plain(fields: dict[str, Value]) -> dict[str, Value]:
    """Of a kind of block that we do not know, the fields that have the shape we know."""
    readers = {
        "from": read_account,
        "to": read_account,
        "spender": read_account,
        "amt": read_nat,
        "fee": read_nat,
        "ts": read_nat,
        "expires_at": read_nat,
        "memo": read_blob,
    }
    plain: dict[str, Value] = {}
    for name in fields.keys() & readers.keys():
        try:
            readers[name](fields, name)
        except ValueError:
            continue
        plain[name] = fields[name]
    return plain


def _base(number: int | None) -> Base | None:
    return None if number is None else Base(number)


def _time(number: int | None) -> LedgerTime | None:
    return None if number is None else LedgerTime(number)
