"""The ledger's and the archive's public interface: which methods there are, and their Candid text."""

from __future__ import annotations

from typing import Final

from wallet.devnet.settings import DevnetOptions

TRANSFERS: Final = frozenset({"icrc1_transfer", "icrc2_approve", "icrc2_transfer_from"})
"""The updates that move something: what the counted faults are about."""
ICP_TRANSFER: Final = "transfer"
EXAMPLES: Final = frozenset({"example_pay", "example_give"})

_BLOCKS = """\
type Value = variant { Blob : blob; Text : text; Nat : nat; Int : int; Array : vec Value; Map : vec record { text; Value } };
type GetBlocksArgs = vec record { start : nat; length : nat };
type GetBlocksResult = record {
  log_length : nat;
  blocks : vec record { id : nat; block : Value };
  archived_blocks : vec record { args : GetBlocksArgs; callback : func (GetBlocksArgs) -> (GetBlocksResult) query };
};
type BlockType = record { block_type : text; url : text };
"""  # noqa: E501

_COMMON = """\
type Account = record { owner : principal; subaccount : opt blob };
type TransferArg = record {
  from_subaccount : opt blob;
  to : Account;
  amount : nat;
  fee : opt nat;
  memo : opt blob;
  created_at_time : opt nat64;
};
type TransferError = variant {
  BadFee : record { expected_fee : nat };
  BadBurn : record { min_burn_amount : nat };
  InsufficientFunds : record { balance : nat };
  TooOld;
  CreatedInFuture : record { ledger_time : nat64 };
  TemporarilyUnavailable;
  Duplicate : record { duplicate_of : nat };
  GenericError : record { error_code : nat; message : text };
};
type ApproveArgs = record {
  from_subaccount : opt blob;
  spender : Account;
  amount : nat;
  expected_allowance : opt nat;
  expires_at : opt nat64;
  fee : opt nat;
  memo : opt blob;
  created_at_time : opt nat64;
};
type ApproveError = variant {
  BadFee : record { expected_fee : nat };
  InsufficientFunds : record { balance : nat };
  AllowanceChanged : record { current_allowance : nat };
  Expired : record { ledger_time : nat64 };
  TooOld;
  CreatedInFuture : record { ledger_time : nat64 };
  Duplicate : record { duplicate_of : nat };
  TemporarilyUnavailable;
  GenericError : record { error_code : nat; message : text };
};
type TransferFromArgs = record {
  spender_subaccount : opt blob;
  from : Account;
  to : Account;
  amount : nat;
  fee : opt nat;
  memo : opt blob;
  created_at_time : opt nat64;
};
type TransferFromError = variant {
  BadFee : record { expected_fee : nat };
  BadBurn : record { min_burn_amount : nat };
  InsufficientFunds : record { balance : nat };
  InsufficientAllowance : record { allowance : nat };
  TooOld;
  CreatedInFuture : record { ledger_time : nat64 };
  Duplicate : record { duplicate_of : nat };
  TemporarilyUnavailable;
  GenericError : record { error_code : nat; message : text };
};
type AllowanceArgs = record { account : Account; spender : Account };
type Allowance = record { allowance : nat; expires_at : opt nat64 };
type MetadataValue = variant { Nat : nat; Int : int; Text : text; Blob : blob };
type Standard = record { name : text; url : text };
"""
_ALLOWANCES = """\
type GetAllowancesArgs = record { from_account : opt Account; prev_spender : opt Account; take : opt nat };
type Allowance103 = record { from_account : Account; to_spender : Account; allowance : nat; expires_at : opt nat64 };
type GetAllowancesError = variant {
  AccessDenied : record { reason : text };
  GenericError : record { error_code : nat; message : text };
};
"""
_ICP = """\
type Tokens = record { e8s : nat64 };
type TimeStamp = record { timestamp_nanos : nat64 };
type TransferArgs = record {
  memo : nat64;
  amount : Tokens;
  fee : Tokens;
  from_subaccount : opt blob;
  to : blob;
  created_at_time : opt TimeStamp;
};
type IcpTransferError = variant {
  BadFee : record { expected_fee : Tokens };
  InsufficientFunds : record { balance : Tokens };
  TxTooOld : record { allowed_window_nanos : nat64 };
  TxCreatedInFuture;
  TxDuplicate : record { duplicate_of : nat64 };
};
"""
_COMMON_METHODS = """\
  icrc1_name : () -> (text) query;
  icrc1_symbol : () -> (text) query;
  icrc1_decimals : () -> (nat8) query;
  icrc1_fee : () -> (nat) query;
  icrc1_metadata : () -> (vec record { text; MetadataValue }) query;
  icrc1_total_supply : () -> (nat) query;
  icrc1_minting_account : () -> (opt Account) query;
  icrc1_balance_of : (Account) -> (nat) query;
  icrc1_supported_standards : () -> (vec Standard) query;
  icrc1_transfer : (TransferArg) -> (variant { Ok : nat; Err : TransferError });
  icrc2_approve : (ApproveArgs) -> (variant { Ok : nat; Err : ApproveError });
  icrc2_allowance : (AllowanceArgs) -> (Allowance) query;
  icrc2_transfer_from : (TransferFromArgs) -> (variant { Ok : nat; Err : TransferFromError });
  icrc10_supported_standards : () -> (vec Standard) query;
"""
_ICRC3_METHODS = """\
  icrc3_get_blocks : (GetBlocksArgs) -> (GetBlocksResult) query;
  icrc3_get_archives : (record { from : opt principal }) -> (vec record { canister_id : principal; start : nat; end : nat }) query;
  icrc3_get_tip_certificate : () -> (opt record { certificate : blob; hash_tree : blob }) query;
  icrc3_supported_block_types : () -> (vec BlockType) query;
  icrc103_get_allowances : (GetAllowancesArgs) -> (variant { Ok : vec Allowance103; Err : GetAllowancesError }) query;
"""  # noqa: E501
_ICP_METHODS = """\
  transfer : (TransferArgs) -> (variant { Ok : nat64; Err : IcpTransferError });
  account_balance : (record { account : blob }) -> (Tokens) query;
  account_identifier : (Account) -> (blob) query;
"""
_EXAMPLE_METHODS = """\
  example_pay : (record { to : Account; amount : nat; memo : opt blob })
    -> (variant { Ok : nat; Err : variant { InsufficientFunds : record { balance : nat }; Frozen } });
  example_give : (record { to : Account; amount : nat; created_at_time : nat64 }) -> (nat);
"""


def ledger_did(options: DevnetOptions) -> str:
    """The interface that the ledger shows."""
    types, methods = _COMMON, _COMMON_METHODS
    if options.kind == "icp":
        types, methods = types + _ICP, methods + _ICP_METHODS
    else:
        types, methods = _BLOCKS + types + _ALLOWANCES, methods + _ICRC3_METHODS
    if options.examples:
        methods += _EXAMPLE_METHODS
    text = f"{types}service : {{\n{methods}}}\n"
    if options.more_cases:
        text = text.replace("Ok : nat; Err : TransferError", "Ok : nat; Ok2 : nat; Err : TransferError")
        text = text.replace("type TransferError = variant {\n", "type TransferError = variant {\n  Frozen;\n")
    return text


LEDGER_DID: Final = ledger_did(DevnetOptions())

ARCHIVE_DID: Final = (
    _BLOCKS
    + """\
service : {
  icrc3_get_blocks : (GetBlocksArgs) -> (GetBlocksResult) query;
  icrc3_supported_block_types : () -> (vec BlockType) query;
}
"""
)

_STANDARDS_URL = "https://github.com/dfinity/ICRC-1/tree/main/standards"
_ICRCS_URL = "https://github.com/dfinity/ICRC/blob/main/ICRCs"
STANDARDS: Final = {
    **{name: f"{_STANDARDS_URL}/{name}" for name in ("ICRC-1", "ICRC-2", "ICRC-3")},
    **{name: f"{_ICRCS_URL}/{name}/{name}.md" for name in ("ICRC-10", "ICRC-103")},
}
ICP_STANDARDS: Final = {name: url for name, url in STANDARDS.items() if name not in ("ICRC-3", "ICRC-103")}
BLOCK_TYPES: Final = {
    "1burn": f"{_STANDARDS_URL}/ICRC-1/README.md",
    "1mint": f"{_STANDARDS_URL}/ICRC-1/README.md",
    "1xfer": f"{_STANDARDS_URL}/ICRC-1/README.md",
    "2approve": f"{_STANDARDS_URL}/ICRC-2/README.md",
    "2xfer": f"{_STANDARDS_URL}/ICRC-2/README.md",
}


def standards(options: DevnetOptions) -> dict[str, str]:
    return ICP_STANDARDS if options.kind == "icp" else STANDARDS


def transfers(options: DevnetOptions) -> frozenset[str]:
    """The methods of this ledger that move something."""
    more = {ICP_TRANSFER} if options.kind == "icp" else set()
    return TRANSFERS | more | (EXAMPLES if options.examples else set())
