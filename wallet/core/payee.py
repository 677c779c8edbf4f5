"""Who is paid: an ICRC-1 account, or an account id of the ICP ledger, which hides the account behind a hash."""

from typing import TypeAlias

from wallet.core.account import Account, AccountId

Payee: TypeAlias = Account | AccountId


def read_payee(text: str) -> Payee:
    """64 hex digits are an account id, anything else an account. ValueError with a sentence for a person."""
    plain = text.strip()
    is_id = len(plain) == 64 and plain.isalnum() and all(digit in "0123456789abcdefABCDEF" for digit in plain)
    return AccountId.from_text(plain) if is_id else Account.from_text(text)


def is_same(account: Account | None, payee: Payee) -> bool:
    """Whether the payee is this account, by whichever name."""
    if account is None or isinstance(payee, Account):
        return account == payee
    return AccountId.of(account) == payee
