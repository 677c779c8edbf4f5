"""Candid interface texts: those of real ledgers read whole, and what is none is refused with its line and column."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wallet.adapters.ic.did import MAX_CHARS, MAX_DEFINITIONS, parse_did
from wallet.adapters.ic.did_tokens import MalformedInterface
from wallet.core.interface import (
    BLOB,
    Field,
    Func,
    Interface,
    Method,
    Mode,
    Opt,
    Primitive,
    Record,
    Ref,
    Service,
    Type,
    Variant,
    Vec,
)
from wallet.devnet.interface import ARCHIVE_DID, LEDGER_DID, TRANSFERS

NAT = Primitive.NAT

# In the manner of DFINITY's ICRC-1 ledger: constructor arguments with a name, aliases used before they are defined,
# a recursive value, a function type by name, keys of records in any order.
ICRC_LEDGER = """
type Tokens = nat;
// How the constructor is called.
type LedgerArg = variant { Init : record { token_symbol : text; metadata : vec record { text; Value } }; Upgrade : opt UpgradeArgs };
type UpgradeArgs = record { change_fee_collector : opt variant { Unset; SetTo : Account } };
type Account = record { owner : principal; subaccount : opt Subaccount };
type Subaccount = blob;
type TransferArg = record {
    to : Account; amount : Tokens; fee : opt Tokens; memo : opt blob;
    from_subaccount : opt Subaccount; created_at_time: opt Timestamp;
};
type Timestamp = nat64;
type TransferResult = variant { Ok : nat; Err : TransferError; };
type TransferError = variant { TooOld; Duplicate : record { duplicate_of : nat }; GenericError : record { message : text; error_code : nat } };
type Value = variant { Blob : blob; Nat64: nat64; Array : vec Value; Map : Map };
type Map = vec record { text; Value };
/* An archive's own
   /* nested */ call. */
type QueryBlockArchiveFn = func (record { start : nat; length : nat }) -> (vec Value) query;

service : (ledger_arg : LedgerArg) -> {
    archives : () -> (vec record { callback : QueryBlockArchiveFn }) query;
    icrc1_transfer : (TransferArg) -> (TransferResult);
    get_block : QueryBlockArchiveFn;
}
"""  # noqa: E501

# In the manner of the ICP ledger: times and amounts as records, a trailing comma, an empty record as argument.
ICP_LEDGER = """
type Tokens = record { e8s : nat64; };
type TimeStamp = record { timestamp_nanos: nat64; };
type AccountIdentifier = blob;
type TransferArgs = record {
    memo: nat64; amount: Tokens; fee: Tokens; from_subaccount: opt blob; to: AccountIdentifier;
    created_at_time: opt TimeStamp;
};
type TransferError = variant {
    BadFee : record { expected_fee : Tokens; };
    InsufficientFunds : record { balance: Tokens; };
    TxTooOld : record { allowed_window_nanos: nat64 };
    TxCreatedInFuture : null;
    TxDuplicate : record { duplicate_of: nat64; }
};
type QueryArchiveFn = func (record {}) -> (variant { Ok : vec blob; Err : text },) query;
service: (record { send_whitelist: vec principal }) -> {
    transfer : (TransferArgs) -> (variant { Ok : nat64; Err : TransferError });
    transfer_fee : (record {}) -> (record { transfer_fee: Tokens }) query;
}
"""


def test_the_icrc_ledger_reads_whole() -> None:
    interface = parse_did(ICRC_LEDGER)
    assert [each.name for each in interface.methods] == ["archives", "icrc1_transfer", "get_block"]
    transfer = interface.method("icrc1_transfer")
    assert transfer == Method("icrc1_transfer", (Ref("TransferArg"),), (Ref("TransferResult"),))
    argument = interface.resolve(transfer.args[0])
    assert isinstance(argument, Record)
    assert [each.name for each in argument.fields][:3] == ["to", "amount", "fee"]
    assert interface.types["TransferError"] == Variant(
        (
            Field.named("TooOld"),
            Field.named("Duplicate", Record((Field.named("duplicate_of", NAT),))),
            Field.named(
                "GenericError", Record((Field.named("message", Primitive.TEXT), Field.named("error_code", NAT)))
            ),
        )
    )
    pair = Record((Field(0, None, Primitive.TEXT), Field(1, None, Ref("Value"))))
    assert interface.types["Map"] == Vec(pair)
    block = interface.method("get_block")
    assert block is not None
    assert (block.mode, block.results) == (Mode.QUERY, (Vec(Ref("Value")),))


def test_the_icp_ledger_reads_whole() -> None:
    interface = parse_did(ICP_LEDGER)
    assert interface.types["TransferArgs"] == Record(
        (
            Field.named("memo", Primitive.NAT64),
            Field.named("amount", Ref("Tokens")),
            Field.named("fee", Ref("Tokens")),
            Field.named("from_subaccount", Opt(BLOB)),
            Field.named("to", Ref("AccountIdentifier")),
            Field.named("created_at_time", Opt(Ref("TimeStamp"))),
        )
    )
    assert [(each.name, each.is_query) for each in interface.methods] == [("transfer", False), ("transfer_fee", True)]


def test_the_embedded_network_reads_whole() -> None:
    methods = {each.name: each for each in parse_did(LEDGER_DID).methods}
    assert methods.keys() > TRANSFERS
    assert all(each.is_query is (each.name not in TRANSFERS) for each in methods.values())
    assert parse_did(ARCHIVE_DID).method("icrc3_get_blocks") is not None


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("service:{a:()->()}", Method("a", (), ())),
        ("service : { a : () -> () oneway; };", Method("a", (), (), Mode.ONEWAY)),
        ("service s : { a : () -> () composite_query }", Method("a", (), (), Mode.COMPOSITE_QUERY)),
        ("service : { a : () -> () query query }", Method("a", (), (), Mode.QUERY)),
        ('service : () -> { "a" : (x : nat, "y z" : opt nat, vec nat8,) -> (nat) }', None),
        ("type S = service { a : F }; type F = func (nat) -> (nat); service : S", Method("a", (NAT,), (NAT,))),
        ("type A = nat service : { a : (nat) -> (nat) }", Method("a", (NAT,), (NAT,))),
        ("type S = T; type T = service { a : (nat) -> (nat) }; service : S;", Method("a", (NAT,), (NAT,))),
    ],
)
def test_every_way_to_give_a_service_is_read(text: str, method: Method | None) -> None:
    [found] = parse_did(text).methods
    assert found == method or (method is None and found.args == (NAT, Opt(NAT), BLOB))


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("record { nat; x : text; bool }", [(0, None), (120, "x"), (121, None)]),
        ("record { 5 : nat; bool; 0x1F : nat }", [(5, None), (6, None), (31, None)]),
        ("record { blob : blob; type : text; principal : principal }", ["blob", "type", "principal"]),
        ('record { "" : nat; "a\\"\\u{e9}\\n" : nat }', ["", 'a"é\n']),
        ("record { x /* : */ : nat }", ["x"]),
        ('variant { Ok; 7; opt; "b c" : nat }', ["Ok", (7, None), "opt", "b c"]),
        ("variant { 1_000 }", [(1000, None)]),
    ],
)
def test_fields_are_read_by_name_number_and_place(text: str, type: list[str | tuple[int, str | None]]) -> None:
    [method] = parse_did(f"service : {{ a : ({text}) -> () }}").methods
    [argument] = method.args
    assert isinstance(argument, Record | Variant)
    fields = argument.fields if isinstance(argument, Record) else argument.cases
    wanted = [(Field.named(each).number, each) if isinstance(each, str) else each for each in type]
    assert [(each.number, each.name) for each in fields] == wanted


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "line 1, column 1: there is no service in it"),
        ("type A = nat;\n", "line 2, column 1: there is no service in it"),
        ('import "other.did"; service : {}', "line 1, column 1: imports cannot be followed"),
        ("service : {\n  a : () -> () quer;\n}", "line 2, column 16: \";\" is expected, not 'quer'"),
        ("service : { a : nat }", "the method a is given by a type that is no func"),
        ("service : A", "the type A is not defined"),
        ("type A = nat; service : A", "the service is given by a type that is none"),
        ("service : { a : (B) -> () }", "the type B is not defined"),
        ("type A = B; type B = A; service : {}", "defined by nothing but itself"),
        ("type A = nat; type A = nat; service : {}", "line 1, column 20: the type A is defined twice"),
        ("type A = nat type B = nat; service : {}", "line 1, column 14: \";\" is expected, not 'type'"),
        ("type nat = text; service : {}", "nat is a word of Candid"),
        ("service : { a : () -> (); a : () -> () }", "line 1, column 27: the method a stands twice"),
        ("service : { a : (record { x : nat; x : text }) -> () }", "x stands twice"),
        ("service : { a : (record { x : nat; 120 : text }) -> () }", "has the number of another name"),
        ("service : { a : (record { 4294967296 : nat }) -> () }", "below 2^32"),
        ("service : { a : (record { " + "9" * 6000 + " : nat }) -> () }", "below 2^32"),
        ("service : { a : (record { 4294967295 : nat; nat }) -> () }", "no number left"),
        ("service : { a : () -> (nat) oneway }", "a oneway method has no results"),
        ("service : { a : () -> () query oneway }", "in one way only"),
        ("service : {} service : {}", "'service' stands after the service"),
        ("service : { a : (\x00) -> () }", r"line 1, column 18: '\x00' cannot stand here"),
        ("service : { a : (١) -> () }", "cannot stand here"),
        ('service : { "a : () -> () }', "cannot stand here"),
        ('service : { "\\u{d800}" : () -> () }', "stands for no character"),
        ('service : { "\\q" : () -> () }', "stands for no character"),
        ("/* /* */ service : {}", "line 1, column 1: this comment has no end"),
        ("service : { a : (" + "opt " * 64 + "nat) -> () }", "nested deeper than 64"),
        ("service : { a : (" + "record { " * 100_000, "nested deeper than 64"),
        (" " * (MAX_CHARS + 1), "longer than"),
        ("".join(f"type t{n}=nat;" for n in range(MAX_DEFINITIONS + 1)), "more than 10000 types"),
    ],
    ids=lambda value: value[:40],
)
def test_what_is_no_interface_is_refused_with_its_place(text: str, why: str) -> None:
    with pytest.raises(MalformedInterface) as refusal:
        parse_did(text)
    assert why in str(refusal.value)


WORDS = "service type import nat opt vec record variant func query oneway A B blob 7 0x"
MARKS = ': ; , { } ( ) -> = /* */ // "a" "'
PIECES = [*WORDS.split(), *MARKS.split(), "\n"]


@given(st.text() | st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join))
def test_reading_ends_and_refuses_in_one_way(text: str) -> None:
    with contextlib.suppress(MalformedInterface):
        parse_did(text)


@given(st.integers(0, len(ICP_LEDGER)))
@settings(max_examples=30)
def test_a_text_cut_off_is_never_taken_for_another_interface(at: int) -> None:
    with contextlib.suppress(MalformedInterface):
        assert parse_did(ICP_LEDGER[:at]) == parse_did(ICP_LEDGER)


NAMES = ("A", "B", "C")
labels = st.integers(0, 5).map(lambda n: (n, None)) | st.text(max_size=4).map(lambda t: (Field.named(t).number, t))


def fields_of(types: st.SearchStrategy[Type]) -> st.SearchStrategy[tuple[Field, ...]]:
    field = st.builds(lambda label, type: Field(label[0], label[1], type), labels, types)
    return st.lists(field, max_size=3, unique_by=lambda each: each.number).map(tuple)


def tuples_of(types: st.SearchStrategy[Type]) -> st.SearchStrategy[tuple[Type, ...]]:
    return st.lists(types, max_size=2).map(tuple)


def funcs_of(types: st.SearchStrategy[Type]) -> st.SearchStrategy[Func]:
    oneway = st.builds(lambda args: Func(args, (), Mode.ONEWAY), tuples_of(types))
    modes = st.sampled_from([Mode.UPDATE, Mode.QUERY, Mode.COMPOSITE_QUERY])
    return oneway | st.builds(Func, tuples_of(types), tuples_of(types), modes)


def grow(types: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    methods = st.lists(st.tuples(st.text(max_size=3), funcs_of(types)), max_size=2, unique_by=lambda each: each[0])
    return (
        st.builds(Opt, types)
        | st.builds(Vec, types)
        | st.builds(Record, fields_of(types))
        | st.builds(Variant, fields_of(types))
        | funcs_of(types)
        | st.builds(lambda some: Service(tuple(some)), methods)
    )


types: st.SearchStrategy[Type] = st.recursive(
    st.sampled_from(Primitive) | st.sampled_from(NAMES).map(Ref), grow, max_leaves=6
)
interfaces = st.builds(
    lambda methods, definitions: Interface(
        tuple(Method(name, func.args, func.results, func.mode) for name, func in methods.items()),
        dict(zip(NAMES, definitions, strict=True)),
    ),
    st.dictionaries(st.text(max_size=4), funcs_of(types), max_size=3),
    st.tuples(*(types.filter(lambda each: not isinstance(each, Ref)) for _ in NAMES)),
)


def quoted(text: str) -> str:
    return '"' + "".join(f"\\u{{{ord(each):x}}}" for each in text) + '"'


def written(type: Type) -> str:
    match type:
        case Primitive():
            return type.value
        case Ref(name=name):
            return name
        case Opt(inner=inner):
            return f"opt {written(inner)}"
        case Vec(inner=inner):
            return f"vec {written(inner)}"
        case Record(fields=fields):
            return f"record {{ {written_fields(fields)} }}"
        case Variant(cases=fields):
            return f"variant {{ {written_fields(fields)} }}"
        case Func():
            return f"func {written_func(type)}"
        case Service(methods=methods):
            return "service {" + ";".join(f"{quoted(name)} : {written_func(func)}" for name, func in methods) + "}"


def written_fields(fields: tuple[Field, ...]) -> str:
    return "; ".join(
        f"{each.number if each.name is None else quoted(each.name)} : {written(each.type)}" for each in fields
    )


def written_func(func: Type) -> str:
    assert isinstance(func, Func)
    mode = "" if func.mode is Mode.UPDATE else f" {func.mode}"
    return f"({', '.join(map(written, func.args))}) -> ({', '.join(map(written, func.results))}){mode}"


# Where it draws one field's name too often, Hypothesis says so with the whole strategy, and warns of its length.
@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@given(interfaces)
def test_an_interface_reads_as_it_was_written(interface: Interface) -> None:
    definitions = "".join(f"type {name} = {written(type)};\n" for name, type in interface.types.items())
    methods = "".join(
        f"{quoted(each.name)} : {written_func(Func(each.args, each.results, each.mode))};\n"
        for each in interface.methods
    )
    assert parse_did(f"{definitions}service : {{\n{methods}}}") == interface
