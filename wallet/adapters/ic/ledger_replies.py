"""A ledger's replies, read with suspicion: whatever does not have the shape of the standards is no ledger's."""

from typing import Final

from wallet.core.account import Account
from wallet.core.errors import NetworkFault
from wallet.core.ledger_time import LedgerTime
from wallet.core.principal import Principal
from wallet.core.value import Case, Value
from wallet.ports import Allowance

MAX_SYMBOL: Final = 32
MAX_NAME: Final = 100
_MIN_MEMO: Final = 32


class NoLedger(NetworkFault):
    """The canister answers, and not as an ICRC-1 ledger would."""


def blocks_in(reply: dict[str, Value], wanted: range) -> dict[int, Value]:
    """The blocks of a reply by index; those that nobody asked for are left out."""
    blocks: dict[int, Value] = {}
    listed = reply.get("blocks")
    for entry in listed if isinstance(listed, list) else []:
        match entry:
            case {"id": int() as index, "block": Case() as block} if index in wanted:
                blocks.setdefault(index, block)
    return blocks


def archives_in(reply: dict[str, Value]) -> list[tuple[Principal, str, list[range]]]:
    archives: list[tuple[Principal, str, list[range]]] = []
    listed = reply.get("archived_blocks")
    for entry in listed if isinstance(listed, list) else []:
        match entry:
            case {"args": list() as args, "callback": [Principal() as archive, str() as method]}:
                ranges = []
                for arg in args:
                    match arg:
                        case {"start": int() as start, "length": int() as length}:
                            ranges.append(range(start, start + length))
                archives.append((archive, method, ranges))
    return archives


def nat_of(value: Value, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise NoLedger(f"{what} did not answer a whole number, as a ledger does.")
    return value


def label_of(value: Value, what: str, most: int) -> str:
    if not isinstance(value, str) or not 0 < len(value.strip()) <= len(value) <= most or not value.isprintable():
        raise NoLedger(f"The ledger's {what} is empty, too long, or holds characters that cannot be shown.")
    return value


def decimals_of(value: Value) -> int:
    decimals = nat_of(value, "icrc1_decimals")
    if decimals > 255:
        raise NoLedger("The ledger has more than 255 decimals, which no ledger can have.")
    return decimals


def account_of(value: Value) -> Account | None:
    """The minting account, where there is one."""
    if value is None:
        return None
    account = _account(value)
    if account is None:
        raise NoLedger("The ledger's minting account is none.")
    return account


def allowance_of(value: Value, spender: Account) -> Allowance:
    """The reply of icrc2_allowance, and what an entry of ICRC-103's list says beside its accounts."""
    match value:
        case {"allowance": int() as amount, "expires_at": (None | int()) as expires_at}:
            return Allowance(spender, amount, None if expires_at is None else LedgerTime(expires_at))
    raise NetworkFault("The ledger's answer about an allowance is none.")


def allowances_in(result: Value, account: Account) -> tuple[list[Allowance], bool] | None:
    """What the account has given, and whether the page went on into the next accounts; None where access is denied."""
    match result:
        case Case(tag="Err", value=Case(tag="AccessDenied")):
            return None
        case Case(tag="Ok", value=list() as listed):
            return _own_allowances(listed, account)
    raise NetworkFault("The ledger does not list the allowances that it says it lists.")


def _own_allowances(listed: list[Value], account: Account) -> tuple[list[Allowance], bool]:
    own: list[Allowance] = []
    for entry in listed:
        record = entry if isinstance(entry, dict) else {}
        giver, spender = _account(record.get("from_account")), _account(record.get("to_spender"))
        if giver is None or spender is None:
            raise NetworkFault("The ledger's list of allowances cannot be read.")
        if giver != account:
            return own, True
        own.append(allowance_of(record, spender))
    return own, False


def _account(value: Value) -> Account | None:
    match value:
        case {"owner": Principal() as owner, "subaccount": (None | bytes()) as subaccount}:
            try:
                return Account.of(owner, subaccount)
            except ValueError:
                return None
    return None


def standards_of(value: Value) -> tuple[str, ...]:
    names = []
    for entry in value if isinstance(value, list) else []:
        match entry:
            case {"name": str() as name} if name.isprintable() and len(name) <= MAX_NAME:
                names.append(name)
    if "ICRC-1" not in names:
        raise NoLedger("The canister does not list ICRC-1 among its standards.")
    return tuple(names)


def are_private(metadata: Value) -> bool:
    """Whether allowances are shown to their owner only (ICRC-103): to all others the list is denied, or empty."""
    listed = metadata if isinstance(metadata, list) else []
    return ["icrc103:public_allowances", Case("Text", "false")] in listed


def max_memo_of(metadata: Value) -> int:
    """What a memo may hold, in bytes: at least 32 on every ledger."""
    for entry in metadata if isinstance(metadata, list) else []:
        match entry:
            case ["icrc1:max_memo_length", Case(tag="Nat", value=int() as most)]:
                return max(most, _MIN_MEMO)
    return _MIN_MEMO
