"""The ledger's rules: the reference ledger's order of checks, and what an accepted transaction does to the balances."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from wallet.core.account import Account, AccountId
from wallet.devnet.allowances import Allowance, Allowances, Holder
from wallet.devnet.blocks import Block, Named, Party, Transaction
from wallet.devnet.requests import ApproveRequest, Declined, Rules, TransferRequest, Trap
from wallet.devnet.settings import DRIFT_NS, MAX_MEMO, DevnetOptions
from wallet.devnet.transactions import approved, burned, by_ids, minted, moved


class Ledger:
    """Balances, allowances and the chain of blocks; replaying the blocks gives the same ledger again.

    The ICP ledger knows accounts by their ids alone: its balances, allowances and transactions have them.
    """

    def __init__(self, options: DevnetOptions, blocks: Iterable[Block] = ()) -> None:
        self.options = options
        self.minting = Account.of(options.minter)
        self._minting = self.holder(self.minting)
        self.balances: dict[Holder, int] = {}
        self.allowances = Allowances()
        self.supply = 0
        self.blocks: list[Block] = []
        self.archived = 0
        self._known: dict[Transaction, int] = {}
        self._by_age: deque[tuple[int, Transaction]] = deque()
        for block in blocks:
            self._append(block)
            self._apply(block.transaction, block.charged)

    def snapshot(self) -> Ledger:
        """The ledger as it stands; what comes later does not change it. For reading only."""
        twin = Ledger(self.options)
        twin.balances, twin.allowances = dict(self.balances), self.allowances.copy()
        twin.supply, twin.archived, twin.blocks = self.supply, self.archived, list(self.blocks)
        return twin

    def holder(self, named: Named | Account) -> Holder:
        """Whose balance it is, by the name that this kind of ledger has for it."""
        if isinstance(named, AccountId):
            return named
        account = named if isinstance(named, Account) else named.account
        return AccountId.of(account) if self.options.kind == "icp" else account

    def balance(self, of: Named | Holder) -> int:
        return self.balances.get(self.holder(of), 0)

    def min_burn(self, fee: int) -> int:
        return fee if self.options.min_burn is None else self.options.min_burn

    def transfer(self, request: TransferRequest, rules: Rules, arguments: str | None = None) -> int:
        """Execute a transfer, mint or burn, whichever it is. Returns its block's index; raises Trap and Declined."""
        if request.memo is not None and len(request.memo) > MAX_MEMO:
            raise Trap(
                f"the memo field size of {len(request.memo)} bytes is above the allowed limit of {MAX_MEMO} bytes"
            )
        sender, to = self.holder(request.sender), self.holder(request.to)
        if request.amount > self.options.max_tokens:
            raise Declined("InsufficientFunds", balance=self.balance(sender))  # no one can have so many
        moves = to != self._minting and sender != self._minting
        if rules.funds_first and sender != self._minting:
            self._check_funds(sender, request.amount + (rules.fee if moves else 0))
        fee = rules.fee if moves else 0
        if to != self._minting and sender == self._minting and request.spender is not None:
            raise Trap("the minter account cannot delegate mints")
        if request.fee is not None and request.fee != fee:
            raise Declined("BadFee", expected_fee=fee)
        if to == self._minting:
            self._check_burn(sender, request.amount, rules.fee)
        write = burned if to == self._minting else moved if moves else minted
        transaction = self._written(write(request), fee)
        self._check_throttle_age_and_repeat(transaction, rules)
        self._check_transfer(transaction, fee, rules.now)
        return self._commit(transaction, fee if moves and transaction.fee is None else None, rules, arguments)

    def approve(self, request: ApproveRequest, rules: Rules, arguments: str | None = None) -> int:
        """Set an allowance and return its block's index. Raises Trap, Declined."""
        if request.sender.owner == request.spender.owner:
            raise Trap("self approval is not allowed")
        sender, spender = self.holder(request.sender), self.holder(request.spender)
        if sender == self._minting:
            raise Trap("the minting account cannot delegate mints")
        if request.memo is not None and len(request.memo) > MAX_MEMO:
            raise Trap("the memo field is too large")
        current = self.allowances.get(sender, spender, rules.now).amount
        if request.expected_allowance is not None and request.expected_allowance > self.options.max_tokens:
            raise Declined("AllowanceChanged", current_allowance=current)
        if rules.funds_first:
            self._check_funds(sender, rules.fee)
        if request.fee is not None and request.fee != rules.fee:
            raise Declined("BadFee", expected_fee=rules.fee)
        transaction = self._written(approved(request, self.options.max_tokens), rules.fee)
        self._check_throttle_age_and_repeat(transaction, rules)
        self._check_funds(sender, rules.fee)
        if request.expires_at is not None and request.expires_at <= rules.now:
            raise Declined("Expired", ledger_time=rules.now)
        if request.expected_allowance is not None and request.expected_allowance != current:
            raise Declined("AllowanceChanged", current_allowance=current)
        return self._commit(transaction, rules.fee if transaction.fee is None else None, rules, arguments)

    def mint(self, to: Account, amount: int, now: int) -> int:
        """Mint without a caller, for funding an account. Raises Declined where the supply would not fit."""
        request = TransferRequest(Party(self.minting.owner), Party(to.owner, to.subaccount), amount)
        return self.transfer(request, Rules(now, fee=0))

    def _check_burn(self, sender: Holder, amount: int, fee: int) -> None:
        least = self.min_burn(fee)
        if amount < min(least, self.balance(sender)) or amount == 0:
            raise Declined("BadBurn", min_burn_amount=least if amount == 0 else min(least, self.balance(sender)))

    def _written(self, transaction: Transaction, fee: int) -> Transaction:
        return by_ids(transaction, fee) if self.options.kind == "icp" else transaction

    def _check_throttle_age_and_repeat(self, transaction: Transaction, rules: Rules) -> None:
        self._forget_old(rules.now)
        if rules.busy:
            raise Declined("TemporarilyUnavailable")
        stamp = transaction.created_at
        if stamp is None:
            return
        # Both edges are observed: exactly the window old is accepted, and so is exactly the drift ahead.
        if stamp + self.options.window_ns < rules.now:
            raise Declined("TooOld")
        if stamp > rules.now + DRIFT_NS:
            raise Declined("CreatedInFuture", ledger_time=rules.now)
        if rules.dedup and self.options.dedup and transaction in self._known:
            raise Declined("Duplicate", duplicate_of=self._known[transaction])

    def _check_transfer(self, transaction: Transaction, fee: int, now: int) -> None:
        if transaction.sender is None:
            if self.supply + transaction.amount > self.options.max_tokens:
                raise Declined("InsufficientFunds", balance=self.options.max_tokens - self.supply)
            return
        sender, needed = self.holder(transaction.sender), transaction.amount + fee
        spender = self.holder(transaction.spender) if transaction.spender is not None else None
        if spender is not None and spender != sender:
            allowed = self.allowances.get(sender, spender, now).amount
            if allowed < needed:
                raise Declined("InsufficientAllowance", allowance=allowed)
        self._check_funds(sender, needed)

    def _check_funds(self, account: Holder, needed: int) -> None:
        if self.balance(account) < needed:
            raise Declined("InsufficientFunds", balance=self.balance(account))

    def _commit(self, transaction: Transaction, implied_fee: int | None, rules: Rules, arguments: str | None) -> int:
        last = self.blocks[-1] if self.blocks else None
        block = Block(
            index=len(self.blocks),
            parent=last.hash if last is not None else None,
            # A ledger whose clock lags still never writes a block older than the one before.
            timestamp=max(rules.now, last.timestamp) if last is not None else rules.now,
            transaction=transaction,
            fee=implied_fee,
            typed=self.options.blocks == "typed",
            arguments=arguments,
        )
        self._append(block)
        self._apply(transaction, block.charged)
        return block.index

    def _append(self, block: Block) -> None:
        self.blocks.append(block)
        if block.transaction.created_at is not None:
            self._known.setdefault(block.transaction, block.index)
            self._by_age.append((block.timestamp, block.transaction))
        if len(self.blocks) - self.archived > self.options.archive_after:
            self.archived += max(1, self.options.archive_after // 2)

    def _apply(self, transaction: Transaction, charged: int) -> None:
        sender = self.holder(transaction.sender) if transaction.sender is not None else None
        spender = self.holder(transaction.spender) if transaction.spender is not None else None
        if transaction.operation == "approve":
            assert sender is not None
            assert spender is not None
            self._add(sender, -charged)
            self.allowances.set(sender, spender, Allowance(transaction.amount, transaction.expires_at))
            return
        if sender is not None:
            self._add(sender, -transaction.amount - charged)
            if spender is not None and spender != sender:
                self.allowances.use(sender, spender, transaction.amount + charged)
        if transaction.to is not None:
            self._add(self.holder(transaction.to), transaction.amount)

    def _add(self, account: Holder, amount: int) -> None:
        self.supply += amount
        balance = self.balances.get(account, 0) + amount
        if balance:
            self.balances[account] = balance
        else:
            self.balances.pop(account, None)

    def _forget_old(self, now: int) -> None:
        """A repeat is known until its block has left the window and the drift, as in the reference ledger."""
        while self._by_age and self._by_age[0][0] + self.options.window_ns + DRIFT_NS < now:
            _, transaction = self._by_age.popleft()
            self._known.pop(transaction, None)
