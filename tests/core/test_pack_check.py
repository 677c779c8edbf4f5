"""The diagnostics of a pack, each with its code and level, and what is promised where there is no error (R1, R3-R8)."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from wallet.adapters.ic.did import parse_did
from wallet.adapters.packs import bundled_pack
from wallet.core.interface import Field, Interface, Method, Opt, Primitive, Record, Type, Variant
from wallet.core.outcome import PACK_CLASSES, OutcomeClass
from wallet.core.pack import Pack
from wallet.core.pack_check import Finding, Level, check_pack
from wallet.core.pack_match import Match, Mismatch, first_to_speak, match, match_by_standards
from wallet.core.pack_tags import Key
from wallet.core.pack_text import parse_pack
from wallet.core.value import Case, Value
from wallet.devnet.interface import LEDGER_DID

LEDGER = parse_did(LEDGER_DID)
ICRC1 = bundled_pack("icrc1")


def entry(args: Any, tag: str = "outcome", at: str = "pay") -> dict[str, Any]:
    return {"at": at, "tag": tag, "args": args}


def stamped(stamp: str = "t", at: str = "pay") -> dict[str, Any]:
    return entry({"mode": "replay_same_payload", "stamp": stamp}, "idempotency", at)


def in_ns(at: str = "pay.t") -> dict[str, Any]:
    return entry({"unit": "nanoseconds"}, "timestamp", at)


def canister(methods: str, types: str = "") -> Interface:
    return parse_did(f"{types} service : {{ {methods} }}")


def found(interface: Interface | None, *entries: Any) -> list[tuple[str, str, str]]:
    return [(each.level, each.code, each.message) for each in check_pack("x", json.dumps(entries), interface)]


def codes(interface: Interface | None, *entries: Any) -> list[str]:
    return [code for _, code, _ in found(interface, *entries)]


# R8: one by one

PAYS = canister(
    "pay : (record { t : opt nat64 }) -> (variant { Ok : nat; Err : variant { Busy; Old : record { at : nat } } });"
    "look : (record { t : opt nat64 }) -> (nat) query"
)
WHOLE = {"Ok": "success", "Err.Busy": "retry_same", "Err.Old": "retry_new"}


def test_a_pack_without_fault_has_no_finding() -> None:
    assert found(PAYS, entry({"classes": WHOLE, "default": "fail"}), stamped(), in_ns()) == []
    assert check_pack("icrc1", ICRC1.text, LEDGER) == []


def test_a_case_that_the_default_takes_is_an_info() -> None:
    changed = parse_did(LEDGER_DID.replace("  TooOld;", "  TooOld; Frozen : record { until : nat64 };"))
    [finding] = check_pack("icrc1", ICRC1.text, changed)
    assert finding.line == (
        "info    W_OUTCOME_UNCLASSIFIED     [icrc1] icrc1_transfer"
        '  result case "Err.Frozen" has no class (falls back to default)'
    )


def test_a_case_with_neither_key_nor_default_is_a_warning() -> None:
    assert found(PAYS, entry({"classes": {"Ok": "success", "Err.Busy": "retry_same"}})) == [
        ("warning", "W_PACK_NO_DEFAULT", "the outcome has no default: a case without a key is fail"),
        ("warning", "W_OUTCOME_UNCLASSIFIED", 'result case "Err.Old" has no class, and there is no default'),
    ]


def test_an_outcome_without_default_is_a_warning_with_and_without_types() -> None:
    assert codes(None, entry({"classes": WHOLE})) == ["W_PACK_NO_DEFAULT"]
    assert codes(PAYS, entry({"classes": WHOLE})) == ["W_PACK_NO_DEFAULT"]


def test_default_alone_leaves_every_case_of_a_variant_unclassified() -> None:  # R6
    findings = found(PAYS, entry({"default": "fail"}))
    assert [message.split('"')[1] for _, _, message in findings] == ["Ok", "Err.Busy", "Err.Old"]
    assert {(level, code) for level, code, _ in findings} == {("info", "W_OUTCOME_UNCLASSIFIED")}


@pytest.mark.parametrize("key", ["Nope", "Err.Nope", "Ok.Deep", "Err.Old.at", "1.Ok", "Err.Busy.Deep"])
def test_a_key_that_selects_no_case_is_an_error(key: str) -> None:  # R3
    [(level, code, message)] = found(PAYS, entry({"classes": {**WHOLE, key: "fail"}, "default": "fail"}))
    assert (level, code, message) == (
        "error",
        "E_OUTCOME_NOT_CASE",
        f'the key "{key}" selects no case of the result',
    )


def test_a_key_reaches_through_options_records_and_names() -> None:  # R3
    interface = canister(
        "pay : () -> (nat, opt R)", "type R = record { state : opt V }; type V = variant { 17724; B };"
    )
    assert found(interface, entry({"classes": {"1.state.Ok": "success", "1.state.B": "fail"}, "default": "fail"})) == [
        ("info", "W_OUTCOME_UNCLASSIFIED", 'result case "1.state" has no class (falls back to default)'),
        ("info", "W_OUTCOME_UNCLASSIFIED", "an absent result has no class (falls back to default)"),
    ]


def test_a_tuples_places_lead_nowhere() -> None:
    interface = canister("pay : () -> (record { variant { Ok } })")
    assert codes(interface, entry({"classes": {"0.Ok": "success"}, "default": "fail"})) == ["E_OUTCOME_NOT_CASE"]


def test_an_absent_result_is_no_case() -> None:
    interface = canister("pay : () -> (opt variant { Ok })")
    assert found(interface, entry({"classes": {"Ok": "success"}, "default": "fail"})) == [
        ("info", "W_OUTCOME_UNCLASSIFIED", "an absent result has no class (falls back to default)")
    ]


def test_a_type_that_recurs_is_listed_once() -> None:
    interface = canister("pay : () -> (L)", "type L = variant { End; More : L };")
    assert [message.split('"')[1] for _, _, message in found(interface, entry({"default": "fail"}))] == ["End", "More"]
    deep = entry({"classes": {"More.More.End": "success"}, "default": "fail"})
    assert [message.split('"')[1] for _, _, message in found(interface, deep)] == [
        "End",
        "More.End",
        "More.More.More",
    ]


def test_types_that_multiply_end_the_list() -> None:
    types = "".join(f"type T{n} = variant {{ a : T{n + 1}; b : T{n + 1} }};" for n in range(60)) + "type T60 = nat;"
    assert len(codes(canister("pay : () -> (T0)", types), entry({"default": "fail"}))) <= 1000


def test_a_result_that_is_no_variant_needs_a_default() -> None:  # R6
    assert codes(PAYS, entry({"default": "success"}, at="look")) == []
    assert codes(PAYS, entry({"classes": {}}, at="look")) == ["E_OUTCOME_DEFAULT"]
    assert codes(PAYS, entry({}, at="look")) == ["E_OUTCOME_DEFAULT"]
    assert codes(PAYS, entry({"classes": {"Ok": "success"}}, at="look")) == ["E_OUTCOME_NOT_CASE", "E_OUTCOME_DEFAULT"]


def test_keys_that_match_one_reply_and_disagree_are_an_error() -> None:  # R4: neither is longer
    two = canister("pay : () -> (variant { Ok; Err }, variant { Good; Bad })")
    args = {"classes": {"Ok": "success", "Err": "fail", "1.Bad": "fail"}, "default": "fail"}
    [(level, code, message)] = found(two, entry(args))
    assert (level, code) == ("error", "E_OUTCOME_AMBIGUOUS")
    assert message.startswith('"Ok" and "1.Bad"')
    record = canister("pay : () -> (record { a : variant { X; Y }; b : variant { X; Y } })")
    disagree = entry({"classes": {"a.X": "success", "b.Y": "fail"}, "default": "fail"})
    agree = entry({"classes": {"a.X": "success", "b.Y": "success"}, "default": "fail"})
    assert "E_OUTCOME_AMBIGUOUS" in codes(record, disagree)
    assert "E_OUTCOME_AMBIGUOUS" not in codes(record, agree)
    assert "E_OUTCOME_AMBIGUOUS" not in codes(None, disagree)  # what they lead through is not known


def test_a_stamp_without_a_unit_is_an_error() -> None:
    assert codes(None, entry({"default": "fail"}), stamped()) == ["E_STAMP_UNTAGGED"]
    assert codes(None, entry({"default": "fail"}), stamped(), in_ns("pay.other")) == ["E_STAMP_UNTAGGED"]
    assert codes(None, entry({"default": "fail"}), stamped("t.ns"), in_ns("pay.t.ns")) == []


def test_a_stamp_that_must_be_given_is_a_warning() -> None:
    required = canister("pay : (record { t : nat64 }) -> (nat)")
    assert codes(required, entry({"default": "success"}), stamped(), in_ns()) == ["W_STAMP_REQUIRED"]
    inside = canister("pay : (record { t : opt record { ns : nat64 } }) -> (nat)")
    assert codes(inside, entry({"default": "success"}), stamped("t.ns"), in_ns("pay.t.ns")) == []


def test_a_mode_that_is_unknown_and_a_query_are_errors() -> None:
    assert codes(None, entry({"mode": "once", "stamp": "t"}, "idempotency")) == ["E_IDEMPOTENCY_MODE"]
    args = entry({"default": "success"}, at="look"), stamped(at="look"), in_ns("look.t")
    assert codes(PAYS, *args) == ["E_IDEMPOTENCY_MODE"]
    assert codes(None, *args) == []  # without types, nothing says that it is a query


def test_a_method_and_a_field_that_are_not_there_are_errors() -> None:
    assert codes(PAYS, entry({"default": "fail"}, at="gone"), in_ns("gone.t")) == ["E_METHOD_MISSING"]
    gone = entry({"classes": WHOLE, "default": "fail"}), stamped("gone"), in_ns("pay.gone")
    assert set(codes(PAYS, *gone)) == {"E_FIELD_MISSING"}


@pytest.mark.parametrize(
    ("tag", "args", "fits", "fits_not"),
    [
        ("amount", {}, ["nat", "nat64", "opt nat"], ["text", "int", "float64", "record {}"]),
        ("fee", {"auto": "icrc1_fee"}, ["nat", "opt nat64"], ["text"]),
        ("memo", {}, ["blob", "opt vec nat8"], ["text", "vec nat16", "nat64"]),
        ("memo", {"form": "bytes"}, ["blob"], ["nat64"]),
        ("memo", {"form": "number"}, ["nat64", "nat"], ["blob", "int"]),
        ("spender", {}, ["record { owner : principal; subaccount : opt blob }"], ["principal", "blob"]),
        ("payer", {}, ["record { owner : principal; subaccount : opt blob }"], ["principal", "blob"]),
        ("from_subaccount", {}, ["opt blob", "blob"], ["nat", "principal"]),
        ("timestamp", {"unit": "seconds"}, ["nat64", "int", "opt nat"], ["text", "record { timestamp_nanos : nat64 }"]),
        ("recipient", {"form": "principal"}, ["principal"], ["blob", "text"]),
        ("recipient", {"form": "account_id"}, ["blob"], ["text", "principal"]),
        (
            "recipient",
            {"form": "account"},
            ["record { owner : principal; subaccount : opt blob }"],
            [
                "principal",
                "record { owner : principal }",
                "record { owner : text; subaccount : opt blob }",
                "record { owner : principal; subaccount : blob }",
            ],
        ),
    ],
)
def test_a_tag_needs_a_field_of_its_kind(tag: str, args: Any, fits: list[str], fits_not: list[str]) -> None:
    entries = entry({"default": "success"}), entry(args, tag, "pay.f")
    for type in fits:
        assert codes(canister(f"pay : (record {{ f : {type} }}) -> (nat)"), *entries) == []
    for type in fits_not:
        assert codes(canister(f"pay : (record {{ f : {type} }}) -> (nat)"), *entries) == ["E_FIELD_TYPE"]


def test_an_expiry_needs_its_unit() -> None:
    interface = canister("pay : (record { f : opt nat64 }) -> (nat)")
    bare = entry({"default": "success"}), entry({}, "expires_at", "pay.f")
    assert codes(interface, *bare) == codes(None, *bare) == ["E_EXPIRY_UNTAGGED"]
    assert codes(interface, *bare, entry({"unit": "seconds"}, "timestamp", "pay.f")) == []


def test_a_number_first_means_another_argument() -> None:
    interface = canister("pay : (principal, nat, record { f : nat }) -> (nat)")
    entries = (
        entry({"default": "success"}),
        entry({"form": "principal"}, "recipient", "pay.0"),
        entry({}, "amount", "pay.1"),
        entry({"auto": "icrc1_fee"}, "fee", "pay.2.f"),
    )
    assert codes(interface, *entries) == []
    assert codes(interface, entry({"default": "success"}), entry({}, "amount", "pay.3")) == ["E_FIELD_MISSING"]


@pytest.mark.parametrize(("path", "usual"), [("0.f", "f"), ("_102", "f"), ("0._102", "f"), ("f", None), ("1.g", None)])
def test_a_field_has_one_path(path: str, usual: str | None) -> None:  # R10: or one payment could have two identities
    interface = canister("pay : (record { f : nat }, record { g : nat }) -> (nat)")
    found = check_pack("x", json.dumps([entry({"default": "success"}), entry({}, "amount", f"pay.{path}")]), interface)
    assert [each.code for each in found] == ([] if usual is None else ["E_FIELD_ALIAS"])
    assert all(f'is written "{usual}"' in each.message for each in found)


def test_without_an_interface_the_first_arguments_number_is_too_much() -> None:
    assert codes(None, entry({"default": "success"}), entry({}, "amount", "pay.0.f")) == ["E_FIELD_ALIAS"]
    assert codes(None, entry({"default": "success"}), entry({}, "amount", "pay.0")) == []


def test_the_stamp_field_is_nothing_else() -> None:
    assert "E_FIELD_ROLES" in codes(PAYS, stamped(), in_ns(), entry({}, "expires_at", "pay.t"))


def test_a_method_without_outcome_is_a_warning() -> None:
    assert codes(PAYS, stamped(), in_ns()) == ["W_OUTCOME_MISSING"]


# All of it at once

ONE_OF_EACH = [
    entry({"classes": {"Ok": "success", "Nope": "fail", "Err.Busy": "retry_same"}}),  # NOT_CASE, NO_DEFAULT, Err.Old
    stamped(),  # STAMP_UNTAGGED, STAMP_REQUIRED
    entry({"default": "success"}, at="look"),
    stamped("t", "look"),  # MODE: a query
    in_ns("look.t"),
    entry({"classes": {"Ok": "sucess", "Err": "reconcile"}, "default": "fail"}, at="send"),
    entry({"mode": "twice", "stamp": "t"}, "idempotency", "send"),
    entry({}, at="quiet"),
    {"at": "send"},
    entry({}, "colour", "send"),
    entry({"default": "fail"}, at="take"),
    entry({"default": "success"}, at="take"),
]
INTERFACE_OF_EACH = canister(
    "pay : (record { t : nat64 }) -> (variant { Ok; Err : variant { Busy; Old } });"
    "look : (record { t : opt nat64 }) -> (nat) query;"
    "send : () -> (variant { Ok; Err });"
    "take : () -> (variant { Ok });"
    "quiet : () -> (nat);"
)
ALL_FINDINGS = [
    ("error", "E_OUTCOME_NOT_CASE", "pay"),
    ("error", "E_STAMP_UNTAGGED", "pay"),
    ("error", "E_IDEMPOTENCY_MODE", "look"),
    ("error", "E_OUTCOME_CLASS", "send"),
    ("error", "E_OUTCOME_RECONCILE", "send"),
    ("error", "E_IDEMPOTENCY_MODE", "send"),
    ("error", "E_OUTCOME_DEFAULT", "quiet"),
    ("error", "E_PACK_ENTRY", "send"),
    ("error", "E_PACK_TAG", "send"),
    ("error", "E_PACK_DUPLICATE", "take"),
    ("warning", "W_PACK_NO_DEFAULT", "pay"),
    ("warning", "W_OUTCOME_UNCLASSIFIED", "pay"),
    ("warning", "W_STAMP_REQUIRED", "pay"),
    ("info", "W_OUTCOME_UNCLASSIFIED", "take"),
]


def test_a_pack_with_one_fault_of_each_kind_gives_them_all_in_one_run() -> None:
    text = json.dumps(ONE_OF_EACH)
    findings = check_pack("x", text, INTERFACE_OF_EACH, source="x.json")
    assert [(each.level, each.code, each.method) for each in findings] == ALL_FINDINGS
    assert check_pack("x", text, INTERFACE_OF_EACH, source="x.json") == findings
    assert all(each.pack == "x" and each.line.isprintable() for each in findings)
    assert [each.message for each in findings if each.code == "E_PACK_TAG"] == [
        "x.json, line 1, entry 10: the tag 'colour' is not known; the tags are outcome, idempotency, timestamp,"
        " amount, recipient, spender, payer, expires_at, memo, fee, from_subaccount"
    ]


def test_a_fault_of_the_text_hides_none_of_the_others() -> None:
    text = json.dumps(ONE_OF_EACH).replace('"Nope": "fail"', '"Nope": "fail", "Ok": "fail"')
    assert [each.code for each in check_pack("x", text, INTERFACE_OF_EACH)].count("E_PACK_DUPLICATE") == 2
    assert len(check_pack("x", text, INTERFACE_OF_EACH)) == len(ALL_FINDINGS) + 1


def test_levels_come_in_order_and_nothing_twice() -> None:
    findings = check_pack("x", json.dumps(ONE_OF_EACH), INTERFACE_OF_EACH)
    levels = [list(Level).index(each.level) for each in findings]
    assert levels == sorted(levels)
    assert len(set(findings)) == len(findings)


@pytest.mark.parametrize(
    "text",
    ["", "nonsense", "{}", "[" * 10_000_000, '[{"at": 1}]'],
    ids=["empty", "no JSON", "no list", "10 MB", "no entry"],
)
def test_what_is_no_pack_is_one_error_with_its_file(text: str) -> None:
    [finding] = check_pack("x", text, source="folder/x.json")
    assert finding.level is Level.ERROR
    assert finding.message.startswith("folder/x.json, ")


# R1: matching


def test_extra_cases_and_extra_optional_fields_still_match() -> None:
    more = LEDGER_DID.replace("  TooOld;", "  TooOld; Frozen;").replace(
        "amount : nat;", "amount : nat; note : opt text;"
    )
    for did in (LEDGER_DID, more, LEDGER_DID.replace("{ Ok : nat;", "{ Ok : nat; Ok2 : text;")):
        assert match(ICRC1, parse_did(did)) == Match(("icrc1_transfer",))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("icrc1_transfer", "transfer", "icrc1_transfer: the interface has no such method"),
        ("  TooOld;\n", "", 'icrc1_transfer: the key "Err.TooOld" selects no case of the result'),
        ("  memo : opt blob;\n", "", 'icrc1_transfer: the argument has no field "memo" (memo)'),
        ("amount : nat;", "amount : text;", 'icrc1_transfer: the field "amount" is tagged amount'),
        ("amount : nat;", "amount : nat; why : text;", 'icrc1_transfer: the argument needs a field "why"'),
        ("to : Account;", "to : principal;", 'icrc1_transfer: the field "to" is tagged recipient, and is no account'),
    ],
)
def test_what_is_missing_does_not_match_and_is_named(old: str, new: str, reason: str) -> None:
    fit = match(ICRC1, parse_did(LEDGER_DID.replace(old, new)))
    assert isinstance(fit, Mismatch)
    assert [each[: len(reason)] for each in fit.reasons] == [reason]


def test_what_must_be_given_inside_a_record_is_named() -> None:
    pack = parse_pack("x", json.dumps([entry({"default": "success"}), entry({}, "amount", "pay.amount.e8s")]))
    types = "pay : (record { amount : record { e8s : nat64; %s }; }) -> (nat)"
    assert match(pack, canister(types % "hint : opt text; gone : reserved")) == Match(("pay",))
    fit = match(pack, canister(types % "unit : text"))
    assert isinstance(fit, Mismatch)
    assert 'needs a field "amount.unit"' in fit.reasons[0]


def test_a_pack_that_leaves_the_argument_alone_asks_nothing_of_it() -> None:
    pack = parse_pack("x", json.dumps([entry({"default": "success"})]))
    assert match(pack, canister("pay : (record { who : text }) -> (nat)")) == Match(("pay",))


def test_a_canister_without_interface_is_matched_by_its_standards() -> None:
    assert match_by_standards(ICRC1, ["ICRC-1", "ICRC-2"]) == Match(("icrc1_transfer",), by_standard=True)
    assert isinstance(match_by_standards(ICRC1, ["ICRC-2"]), Mismatch)
    other = parse_pack("x", json.dumps([entry({"default": "success"})]))
    assert isinstance(match_by_standards(other, ["ICRC-1"]), Mismatch)


def test_the_first_pack_that_matches_speaks_for_a_method() -> None:
    mine, fit = replace(ICRC1, name="mine"), Match(("icrc1_transfer",))
    assert [each.name for each in first_to_speak([(mine, fit), (ICRC1, fit)])] == ["mine"]
    assert [each.name for each in first_to_speak([(mine, Mismatch(("no",))), (ICRC1, fit)])] == ["icrc1"]
    both = Match(("icrc1_transfer", "icrc2_approve"))
    assert [each.name for each in first_to_speak([(mine, fit), (ICRC1, both)])] == ["mine", "icrc1"]


# What a lint without errors promises, over generated packs and interfaces

CASES, FIELDS = ("A", "B", "C"), ("f", "g")


def grow(types: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    def parts(names: tuple[str, ...], least: int) -> st.SearchStrategy[tuple[Field, ...]]:
        some = st.dictionaries(st.sampled_from(names), types, min_size=least)
        return some.map(lambda each: tuple(Field.named(name, type) for name, type in sorted(each.items())))

    return (
        st.builds(Opt, types)
        | st.builds(Record, parts(FIELDS, 0))
        | st.builds(Variant, parts(CASES, 1))
        | st.builds(Variant, parts(CASES, 1))
    )


types: st.SearchStrategy[Type] = st.recursive(st.sampled_from([Primitive.NULL, Primitive.NAT]), grow, max_leaves=8)
words = st.sampled_from(sorted(PACK_CLASSES))
results = st.lists(types, min_size=1, max_size=2).map(tuple)


def paths_into(type: Type) -> Iterator[tuple[str, ...]]:
    """Every path from here to a case."""
    match type:
        case Opt(inner=inner):
            yield from paths_into(inner)
        case Record(fields=fields):
            for field in fields:
                yield from ((field.label, *path) for path in paths_into(field.type))
        case Variant(cases=cases):
            for case in cases:
                yield (case.label,)
                yield from ((case.label, *path) for path in paths_into(case.type))


def values_of(type: Type) -> st.SearchStrategy[Value]:
    match type:
        case Opt(inner=inner):
            return st.none() | values_of(inner)
        case Record(fields=fields):
            return st.fixed_dictionaries({field.label: values_of(field.type) for field in fields})
        case Variant(cases=cases):
            return st.one_of([st.builds(Case, st.just(case.label), values_of(case.type)) for case in cases])
        case _:
            return st.just(0)


def without_match(type: Type) -> Value:
    """A value that only an undeclared case can have, wherever a case is (R5)."""
    match type:
        case Opt(inner=inner):
            return without_match(inner)
        case Record(fields=fields):
            return {field.label: without_match(field.type) for field in fields}
        case Variant():
            return Case("Undeclared")
        case _:
            return 0


def along(type: Type, path: tuple[str, ...]) -> Value:
    """A value that takes this path, and matches nothing beside it."""
    match type:
        case Opt(inner=inner) if path:
            return along(inner, path)
        case Opt():
            return None
        case Record(fields=fields) if path:
            return {
                each.label: along(each.type, path[1:]) if each.label == path[0] else without_match(each.type)
                for each in fields
            }
        case Variant(cases=cases) if path:
            [case] = [each for each in cases if each.label == path[0]]
            return Case(case.label, along(case.type, path[1:]))
        case _:
            return without_match(type)


@st.composite
def linted(draw: st.DrawFn) -> tuple[Pack, Interface, list[Finding]]:
    """A pack and an interface of which the lint says no error."""
    results_ = draw(results)
    every = [Key(at, path) for at, type in enumerate(results_) for path in paths_into(type)]
    keys = draw(st.lists(st.sampled_from(every), unique=True, max_size=8)) if every else []
    args: dict[str, Any] = {"classes": {key.text: draw(words) for key in keys}} if keys else {}
    if not keys or draw(st.booleans()):
        args["default"] = draw(words)
    interface = Interface((Method("pay", (), tuple(results_)),))
    text = json.dumps([entry(args)])
    findings = check_pack("x", text, interface)
    assume(not any(each.level is Level.ERROR for each in findings))
    return parse_pack("x", text), interface, findings


def unclassified(findings: list[Finding]) -> list[str]:
    """The cases that are named; an absent result is none, and has a test of its own."""
    named = [each.message.split('"') for each in findings if each.code == "W_OUTCOME_UNCLASSIFIED"]
    return [parts[1] for parts in named if len(parts) > 1]


def matching(key: Key, result: list[Value]) -> bool:
    """Whether the key leads to a case of the reply; told in another way than `Pack.classify` does."""
    value, is_case = result[key.index], False
    for step in key.steps:
        if isinstance(value, Case):
            if value.tag != step:
                return False
            value, is_case = value.value, True
        elif isinstance(value, dict) and step in value:
            value, is_case = value[step], False
        else:
            return False
    return is_case


@given(linted(), st.data())
def test_every_reply_gets_exactly_one_class(
    checked: tuple[Pack, Interface, list[Finding]], data: st.DataObject
) -> None:
    pack, interface, findings = checked
    [method] = interface.methods
    result = [data.draw(values_of(each)) for each in method.results]
    outcome = pack.outcome("pay")
    assert outcome is not None
    keys = [(key, cls) for key, cls in outcome.classes or () if matching(key, result)]
    longest = max((len(key.steps) for key, _ in keys), default=0)
    given_classes = {cls for key, cls in keys if len(key.steps) == longest}
    classified = pack.classify("pay", result)
    assert len(given_classes) <= 1
    if given_classes:
        assert (classified.cls, classified.by) == (given_classes.pop(), "key")
    elif outcome.classes is None and not any(isinstance(each, Case) for each in result):
        assert classified.by == "key"  # R6
    else:
        assert classified.cls is (outcome.default or OutcomeClass.FAIL)
        is_named = any(each.code == "W_OUTCOME_UNCLASSIFIED" for each in findings)
        assert is_named or not has_variant_or_key(method, outcome.classes)


def has_variant_or_key(method: Method, classes: object) -> bool:
    def bare(type: Type) -> Type:
        return bare(type.inner) if isinstance(type, Opt) else type

    return bool(classes) or any(isinstance(bare(each), Variant) for each in method.results)


@given(linted())
def test_no_key_is_dead(checked: tuple[Pack, Interface, list[Finding]]) -> None:
    pack, interface, _ = checked
    [method] = interface.methods
    outcome = pack.outcome("pay")
    assert outcome is not None
    for key, cls in outcome.classes or ():
        result = [
            along(type, key.steps) if at == key.index else without_match(type) for at, type in enumerate(method.results)
        ]
        found = pack.classify("pay", result)
        assert (found.cls, found.by) == (cls, "key")


@given(linted())
def test_every_case_that_is_named_as_unclassified_is(checked: tuple[Pack, Interface, list[Finding]]) -> None:
    pack, interface, findings = checked
    [method] = interface.methods
    for text in unclassified(findings):
        steps = text.split(".")
        index = int(steps.pop(0)) if steps[0].isdecimal() else 0
        result = [
            along(type, tuple(steps)) if at == index else without_match(type) for at, type in enumerate(method.results)
        ]
        assert pack.classify("pay", result).by != "key"


@given(linted(), st.randoms(use_true_random=False))
def test_the_findings_do_not_change_with_the_order_of_an_interfaces_methods(
    checked: tuple[Pack, Interface, list[Finding]], random: Any
) -> None:
    pack, interface, findings = checked
    methods = [*interface.methods, Method("other", (), ()), Method("third", (), ())]
    random.shuffle(methods)
    assert check_pack("x", pack.text, Interface(tuple(methods))) == findings
