"""A ledger in memory, with the reference ledger's rules: order of checks, window, deduplication, allowances, and blocks
in a hash chain."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tests.builders import ALICE, FEE, LEDGER, NOW
from wallet.core.account import Account
from wallet.core.icrc3 import value_hash
from wallet.core.ledger_time import DAY, MINUTE, SECOND, LedgerTime
from wallet.core.principal import Principal
from wallet.core.value import Case, Value
from wallet.ports import Allowance, LedgerTerms

TERMS = LedgerTerms(
    canister=LEDGER,
    name="Local Token",
    symbol="TOK",
    decimals=8,
    fee=FEE,
    minting_account=Account(Principal(bytes([0, 0, 0, 0, 0, 0, 0, 9, 1, 1]))),
    standards=("ICRC-1", "ICRC-2", "ICRC-3"),
)
BUSY = Case("Err", Case("TemporarilyUnavailable"))
TOO_OLD = Case("Err", Case("TooOld"))


@dataclass
class FakeLedger:
    now: LedgerTime = NOW
    terms_stated: LedgerTerms = TERMS
    fee_stated: int = FEE
    balances: dict[Account, int] = field(default_factory=lambda: {ALICE: 841_260_010_000})
    given: dict[Account, list[Allowance]] = field(default_factory=dict)
    """The allowances of each account, in the order in which the ledger lists them."""
    lists_allowances: bool = True
    log: list[Value] = field(default_factory=list)
    _seen: dict[bytes, int] = field(default_factory=dict)

    def later(self, nanoseconds: int) -> None:
        self.now = LedgerTime(self.now + nanoseconds)

    @property
    def payments(self) -> int:
        return len(self.log)

    def run(self, caller: Principal, arguments: Mapping[str, Value]) -> Case:
        """icrc1_transfer, icrc2_approve or icrc2_transfer_from, told by their arguments."""
        stamp = _number(arguments["created_at_time"])
        if arguments["fee"] != self.fee_stated:
            return Case("Err", Case("BadFee", {"expected_fee": self.fee_stated}))
        if stamp < self.now - DAY:
            return TOO_OLD
        if stamp > self.now + MINUTE:
            return Case("Err", Case("CreatedInFuture", {"ledger_time": self.now}))
        known = hashlib.sha256(repr((caller, sorted(arguments.items(), key=str))).encode()).digest()
        if known in self._seen:
            return Case("Err", Case("Duplicate", {"duplicate_of": self._seen[known]}))
        if "spender" in arguments:
            return self._approve(caller, arguments, known)
        own = Account.of(caller, _blob(arguments.get("from_subaccount") or arguments.get("spender_subaccount")))
        if "from" not in arguments:
            return self._move(own, arguments, known)
        payer, total = _account(arguments["from"]), _number(arguments["amount"]) + self.fee_stated
        allowed = self._allowance(payer, own)
        if allowed.amount < total:
            return Case("Err", Case("InsufficientAllowance", {"allowance": allowed.amount}))
        result = self._move(payer, arguments, known, own)
        if result.tag == "Ok":
            self._allow(payer, replace(allowed, amount=allowed.amount - total))
        return result

    def _move(
        self, sender: Account, arguments: Mapping[str, Value], known: bytes, spender: Account | None = None
    ) -> Case:
        recipient, amount = _account(arguments["to"]), _number(arguments["amount"])
        balance = self.balances.get(sender, 0)
        if balance < amount + self.fee_stated:
            return Case("Err", Case("InsufficientFunds", {"balance": balance}))
        self.balances[sender] = balance - amount - self.fee_stated
        self.balances[recipient] = self.balances.get(recipient, 0) + amount
        parties = {"from": sender, "to": recipient} | ({} if spender is None else {"spender": spender})
        index = self._seen[known] = self._append("xfer", parties, arguments)
        return Case("Ok", index)

    def _approve(self, caller: Principal, arguments: Mapping[str, Value], known: bytes) -> Case:
        owner = Account.of(caller, _blob(arguments["from_subaccount"]))
        spender, ends = _account(arguments["spender"]), arguments["expires_at"]
        self.balances[owner] = self.balances.get(owner, 0) - self.fee_stated
        until = None if ends is None else LedgerTime(_number(ends))
        self._allow(owner, Allowance(spender, _number(arguments["amount"]), until))
        index = self._seen[known] = self._append("approve", {"from": owner, "spender": spender}, arguments)
        return Case("Ok", index)

    def _allowance(self, owner: Account, spender: Account) -> Allowance:
        given = self.given.get(owner, [])
        return next((each for each in given if each.spender == spender), Allowance(spender, 0))

    def _allow(self, owner: Account, allowance: Allowance) -> None:
        others = [each for each in self.given.get(owner, []) if each.spender != allowance.spender]
        self.given[owner] = [*others, allowance]

    def pay(self, arguments: Mapping[str, Value], caller: Principal = ALICE.owner) -> Case:
        """The same payment from elsewhere: a second machine, a restored backup."""
        return self.run(caller, arguments)

    def _append(self, op: str, parties: Mapping[str, Account], arguments: Mapping[str, Value]) -> int:
        tx: dict[str, Value] = {"op": Case("Text", op)}
        tx |= {name: _account_value(each) for name, each in parties.items()}
        tx["amt"] = Case("Nat", arguments["amount"])
        tx["fee"] = Case("Nat", arguments["fee"])
        tx["ts"] = Case("Nat", arguments["created_at_time"])
        if arguments.get("expires_at") is not None:
            tx["expires_at"] = Case("Nat", arguments["expires_at"])
        if arguments["memo"] is not None:
            tx["memo"] = Case("Blob", arguments["memo"])
        block: dict[str, Value] = {"ts": Case("Nat", self.now), "tx": _map(tx)}
        if self.log:
            block["phash"] = Case("Blob", value_hash(self.log[-1]))
        self.log.append(_map(block))
        return len(self.log) - 1


def fill(ledger: FakeLedger, count: int) -> None:
    """Blocks of somebody else's, so that the interesting ones have numbers of their own."""
    for n in range(count):
        stranger = Account(Principal(hashlib.sha224(b"stranger %d" % n).digest() + b"\x02"))
        arguments: dict[str, Value] = {
            "amount": n + 1,
            "fee": int(FEE),
            "memo": None,
            "created_at_time": NOW - (count - n) * SECOND,
        }
        ledger._append("xfer", {"from": stranger, "to": ALICE}, arguments)


def _account(value: Value) -> Account:
    assert isinstance(value, dict)
    assert isinstance(value["owner"], Principal)
    return Account.of(value["owner"], _blob(value["subaccount"]))


def _blob(value: Value) -> bytes | None:
    assert value is None or isinstance(value, bytes)
    return value


def _number(value: Value) -> int:
    assert isinstance(value, int)
    return value


def _account_value(account: Account) -> Case:
    parts: list[Value] = [Case("Blob", account.owner.raw)]
    return Case("Array", parts if account.subaccount is None else [*parts, Case("Blob", account.subaccount)])


def _map(fields: Mapping[str, Value]) -> Case:
    pairs: list[Value] = [[name, value] for name, value in fields.items()]
    return Case("Map", pairs)
