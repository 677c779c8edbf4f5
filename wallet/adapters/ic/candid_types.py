"""The types of the methods of the standards and of the ICP ledger; importing this loads ic-py (150 ms): do it late."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from ic.candid import Types

Type: TypeAlias = Any
"""A type object of ic-py, which carries no annotations."""


@dataclass(frozen=True, slots=True)
class Method:
    """What a method takes and returns."""

    args: tuple[Type, ...]
    results: tuple[Type, ...]


def _result(ok: Type, err: Type) -> Type:
    return Types.Variant({"Ok": ok, "Err": err})


Blob = Types.Vec(Types.Nat8)
Account = Types.Record({"owner": Types.Principal, "subaccount": Types.Opt(Blob)})

_GENERIC = {
    "TemporarilyUnavailable": Types.Null,
    "GenericError": Types.Record({"error_code": Types.Nat, "message": Types.Text}),
}
_TOO_OLD_TO_DUPLICATE = {
    "TooOld": Types.Null,
    "CreatedInFuture": Types.Record({"ledger_time": Types.Nat64}),
    "Duplicate": Types.Record({"duplicate_of": Types.Nat}),
}
_FEE_AND_FUNDS = {
    "BadFee": Types.Record({"expected_fee": Types.Nat}),
    "InsufficientFunds": Types.Record({"balance": Types.Nat}),
}
_BAD_BURN = {"BadBurn": Types.Record({"min_burn_amount": Types.Nat})}
_COMMON_FIELDS = {
    "fee": Types.Opt(Types.Nat),
    "memo": Types.Opt(Blob),
    "created_at_time": Types.Opt(Types.Nat64),
}

TransferArg = Types.Record({"from_subaccount": Types.Opt(Blob), "to": Account, "amount": Types.Nat, **_COMMON_FIELDS})
TransferError = Types.Variant({**_FEE_AND_FUNDS, **_BAD_BURN, **_TOO_OLD_TO_DUPLICATE, **_GENERIC})

ApproveArg = Types.Record(
    {
        "from_subaccount": Types.Opt(Blob),
        "spender": Account,
        "amount": Types.Nat,
        "expected_allowance": Types.Opt(Types.Nat),
        "expires_at": Types.Opt(Types.Nat64),
        **_COMMON_FIELDS,
    }
)
ApproveError = Types.Variant(
    {
        **_FEE_AND_FUNDS,
        "AllowanceChanged": Types.Record({"current_allowance": Types.Nat}),
        "Expired": Types.Record({"ledger_time": Types.Nat64}),
        **_TOO_OLD_TO_DUPLICATE,
        **_GENERIC,
    }
)
TransferFromArg = Types.Record(
    {"spender_subaccount": Types.Opt(Blob), "from": Account, "to": Account, "amount": Types.Nat, **_COMMON_FIELDS}
)
TransferFromError = Types.Variant(
    {
        **_FEE_AND_FUNDS,
        **_BAD_BURN,
        "InsufficientAllowance": Types.Record({"allowance": Types.Nat}),
        **_TOO_OLD_TO_DUPLICATE,
        **_GENERIC,
    }
)
AllowanceArg = Types.Record({"account": Account, "spender": Account})
Allowance = Types.Record({"allowance": Types.Nat, "expires_at": Types.Opt(Types.Nat64)})

AllowancesArg = Types.Record(
    {"from_account": Types.Opt(Account), "prev_spender": Types.Opt(Account), "take": Types.Opt(Types.Nat)}
)
Allowances = Types.Vec(
    Types.Record(
        {
            "from_account": Account,
            "to_spender": Account,
            "allowance": Types.Nat,
            "expires_at": Types.Opt(Types.Nat64),
        }
    )
)
AllowancesError = Types.Variant(
    {"AccessDenied": Types.Record({"reason": Types.Text}), "GenericError": _GENERIC["GenericError"]}
)

MetadataValue = Types.Variant({"Nat": Types.Nat, "Int": Types.Int, "Text": Types.Text, "Blob": Blob})
Metadata = Types.Vec(Types.Tuple(Types.Text, MetadataValue))
Standards = Types.Vec(Types.Record({"name": Types.Text, "url": Types.Text}))

Value = Types.Rec()
Value.fill(
    Types.Variant(
        {
            "Blob": Blob,
            "Text": Types.Text,
            "Nat": Types.Nat,
            "Int": Types.Int,
            "Array": Types.Vec(Value),
            "Map": Types.Vec(Types.Tuple(Types.Text, Value)),
        }
    )
)
GetBlocksArgs = Types.Vec(Types.Record({"start": Types.Nat, "length": Types.Nat}))
GetBlocksResult = Types.Rec()
GetBlocksResult.fill(
    Types.Record(
        {
            "log_length": Types.Nat,
            "blocks": Types.Vec(Types.Record({"id": Types.Nat, "block": Value})),
            "archived_blocks": Types.Vec(
                Types.Record(
                    {"args": GetBlocksArgs, "callback": Types.Func([GetBlocksArgs], [GetBlocksResult], ["query"])}
                )
            ),
        }
    )
)
Archives = Types.Vec(Types.Record({"canister_id": Types.Principal, "start": Types.Nat, "end": Types.Nat}))
TipCertificate = Types.Opt(Types.Record({"certificate": Blob, "hash_tree": Blob}))
BlockTypes = Types.Vec(Types.Record({"block_type": Types.Text, "url": Types.Text}))

METHODS: dict[str, Method] = {
    "icrc1_name": Method((), (Types.Text,)),
    "icrc1_symbol": Method((), (Types.Text,)),
    "icrc1_decimals": Method((), (Types.Nat8,)),
    "icrc1_fee": Method((), (Types.Nat,)),
    "icrc1_total_supply": Method((), (Types.Nat,)),
    "icrc1_minting_account": Method((), (Types.Opt(Account),)),
    "icrc1_metadata": Method((), (Metadata,)),
    "icrc1_supported_standards": Method((), (Standards,)),
    "icrc1_balance_of": Method((Account,), (Types.Nat,)),
    "icrc1_transfer": Method((TransferArg,), (_result(Types.Nat, TransferError),)),
    "icrc2_approve": Method((ApproveArg,), (_result(Types.Nat, ApproveError),)),
    "icrc2_transfer_from": Method((TransferFromArg,), (_result(Types.Nat, TransferFromError),)),
    "icrc2_allowance": Method((AllowanceArg,), (Allowance,)),
    "icrc3_get_blocks": Method((GetBlocksArgs,), (GetBlocksResult,)),
    "icrc3_get_archives": Method((Types.Record({"from": Types.Opt(Types.Principal)}),), (Archives,)),
    "icrc3_get_tip_certificate": Method((), (TipCertificate,)),
    "icrc3_supported_block_types": Method((), (BlockTypes,)),
    "icrc103_get_allowances": Method((AllowancesArg,), (_result(Allowances, AllowancesError),)),
}
