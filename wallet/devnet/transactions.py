"""What a ledger writes of a request, and so what makes another one its duplicate."""

from __future__ import annotations

from dataclasses import replace

from wallet.core.account import AccountId
from wallet.devnet.blocks import Named, Operation, Transaction
from wallet.devnet.requests import ApproveRequest, TransferRequest


def burned(request: TransferRequest) -> Transaction:
    """Its fee is nothing either way, and the ledger does not keep whether it was written."""
    return replace(_written("burn", request), sender=request.sender, spender=request.spender)


def minted(request: TransferRequest) -> Transaction:
    return replace(_written("mint", request), to=request.to)


def moved(request: TransferRequest) -> Transaction:
    return replace(
        _written("xfer", request), sender=request.sender, to=request.to, spender=request.spender, fee=request.fee
    )


def _written(operation: Operation, request: TransferRequest) -> Transaction:
    """What every kind keeps."""
    return Transaction(
        operation,
        request.amount,
        memo=request.memo,
        created_at=request.created_at,
        memo_number=request.memo_number,
    )


def approved(request: ApproveRequest, most: int) -> Transaction:
    """An allowance beyond what the ledger can count is kept as the largest that it can."""
    return Transaction(
        "approve",
        min(request.amount, most),
        sender=request.sender,
        spender=request.spender,
        fee=request.fee,
        memo=request.memo,
        created_at=request.created_at,
        expected_allowance=request.expected_allowance,
        expires_at=request.expires_at,
    )


def by_ids(transaction: Transaction, fee: int) -> Transaction:
    """As the ICP ledger writes it: with account ids, the fee that is taken, and a memo that is a number.

    Which subaccount or fee the caller left out cannot be told from it.
    """
    return replace(
        transaction,
        sender=_id(transaction.sender),
        to=_id(transaction.to),
        spender=_id(transaction.spender),
        fee=fee if transaction.operation in ("xfer", "approve") else None,
        memo_number=transaction.memo_number or 0,
    )


def _id(named: Named | None) -> AccountId | None:
    return named if named is None or isinstance(named, AccountId) else AccountId.of(named.account)
