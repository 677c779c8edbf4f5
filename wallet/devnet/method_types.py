"""What each method of the embedded ledger takes and returns, in terms of ic-py: the standards' and the ledger's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ic.candid import Types

from wallet.adapters.ic.candid import METHODS
from wallet.adapters.ic.candid_types import Account, Blob, Method, Standards, TransferArg, TransferError, Type
from wallet.devnet.settings import DevnetOptions

Tokens: Final = Types.Record({"e8s": Types.Nat64})
_IcpTransfer: Final = Types.Record(
    {
        "memo": Types.Nat64,
        "amount": Tokens,
        "fee": Tokens,
        "from_subaccount": Types.Opt(Blob),
        "to": Blob,
        "created_at_time": Types.Opt(Types.Record({"timestamp_nanos": Types.Nat64})),
    }
)
_IcpTransferError: Final = Types.Variant(
    {
        "BadFee": Types.Record({"expected_fee": Tokens}),
        "InsufficientFunds": Types.Record({"balance": Tokens}),
        "TxTooOld": Types.Record({"allowed_window_nanos": Types.Nat64}),
        "TxCreatedInFuture": Types.Null,
        "TxDuplicate": Types.Record({"duplicate_of": Types.Nat64}),
    }
)
_ICP: Final[Mapping[str, Method]] = {
    "transfer": Method((_IcpTransfer,), (Types.Variant({"Ok": Types.Nat64, "Err": _IcpTransferError}),)),
    "account_balance": Method((Types.Record({"account": Blob}),), (Tokens,)),
    "account_identifier": Method((Account,), (Blob,)),
}

_ExamplePayError: Final = Types.Variant(
    {"InsufficientFunds": Types.Record({"balance": Types.Nat}), "Frozen": Types.Null}
)
_EXAMPLES: Final[Mapping[str, Method]] = {
    "example_pay": Method(
        (Types.Record({"to": Account, "amount": Types.Nat, "memo": Types.Opt(Blob)}),),
        (Types.Variant({"Ok": Types.Nat, "Err": _ExamplePayError}),),
    ),
    "example_give": Method(
        (Types.Record({"to": Account, "amount": Types.Nat, "created_at_time": Types.Nat64}),), (Types.Nat,)
    ),
}

_MORE_CASES: Final = Method(
    (TransferArg,),
    (
        Types.Variant(
            {
                "Ok": Types.Nat,
                "Ok2": Types.Nat,
                "Err": Types.Variant({**TransferError._fields, "Frozen": Types.Null}),
            }
        ),
    ),
)
_OTHERS: Final[Mapping[str, Method]] = {
    "icrc10_supported_standards": Method((), (Standards,)),
    "__get_candid_interface_tmp_hack": Method((), (Types.Text,)),
}


def declared(method: str, options: DevnetOptions) -> Method:
    """The types of a method that the ledger has. Raises KeyError for one that it lacks."""
    if method == "icrc1_transfer" and options.more_cases:
        return _MORE_CASES
    for table in (_OTHERS, _ICP if options.kind == "icp" else {}, _EXAMPLES if options.examples else {}):
        if method in table:
            return table[method]
    return METHODS[method]


def results(method: str, options: DevnetOptions) -> tuple[Type, ...]:
    return declared(method, options).results
