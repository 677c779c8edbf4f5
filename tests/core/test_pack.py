"""Packs: the longest key wins, nothing is guessed, and a bad pack is refused with a sentence (R1-R9)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.adapters.packs import bundled_names, bundled_pack, bundled_packs
from wallet.core.errors import BadInput
from wallet.core.outcome import PACK_CLASSES, OutcomeClass
from wallet.core.pack import Classification, Pack, Stamp
from wallet.core.pack_tags import (
    Amount,
    ExpiresAt,
    Fee,
    Form,
    FromSubaccount,
    Key,
    Memo,
    MemoForm,
    Payer,
    Recipient,
    Spender,
)
from wallet.core.pack_text import inspect_pack, parse_pack
from wallet.core.strict_json import MAX_CHARS
from wallet.core.value import Case, Value

C = OutcomeClass


def entry(args: Any, tag: str = "outcome", at: str = "pay") -> dict[str, Any]:
    return {"at": at, "tag": tag, "args": args}


def pack_of(*entries: Any) -> Pack:
    return parse_pack("test", json.dumps(entries))


def outcome(classes: dict[str, str] | None, default: str | None = None) -> Pack:
    args: dict[str, Any] = {} if classes is None else {"classes": classes}
    return pack_of(entry(args if default is None else args | {"default": default}))


def err(tag: str, value: Value = None) -> list[Value]:
    return [Case("Err", Case(tag, value))]


# R9: the ICRC-1 pack


@pytest.mark.parametrize(
    ("result", "cls"),
    [
        ([Case("Ok", 7)], C.SUCCESS),
        (err("Duplicate", {"duplicate_of": 7}), C.ALREADY_DONE),
        (err("TemporarilyUnavailable"), C.RETRY_SAME),
        (err("TooOld"), C.RETRY_NEW),
        (err("CreatedInFuture", {"ledger_time": 1}), C.RETRY_NEW),
        (err("BadFee", {"expected_fee": 1}), C.FIX_INPUT),
        (err("BadBurn", {"min_burn_amount": 1}), C.FIX_INPUT),
        (err("InsufficientFunds", {"balance": 1}), C.FAIL),
        (err("GenericError", {"error_code": 1, "message": "no"}), C.FAIL),
    ],
)
def test_the_icrc1_pack_names_each_reply(result: list[Value], cls: OutcomeClass) -> None:
    found = bundled_pack("icrc1").classify("icrc1_transfer", result)
    assert (found.cls, found.by) == (cls, "key")


def test_the_icrc1_pack_takes_an_undeclared_case_by_default() -> None:  # R5
    found = bundled_pack("icrc1").classify("icrc1_transfer", err("Frozen", {"until": 3}))
    assert found == Classification(C.FAIL, "Err.Frozen", {"until": 3}, "default")


def test_the_icrc1_pack_stamps_created_at_time_in_nanoseconds() -> None:  # R7
    pack = bundled_pack("icrc1")
    assert pack.stamp("icrc1_transfer") == Stamp("created_at_time", "nanoseconds")
    assert pack.has_idempotency("icrc1_transfer")
    assert not pack.has_idempotency("icrc2_approve")
    assert pack.methods == {"icrc1_transfer"}


def test_every_bundled_pack_reads_and_keeps_its_text() -> None:
    assert "icrc1" in bundled_names()
    for pack in bundled_packs():
        assert parse_pack(pack.name, pack.text) == pack
        assert hash(pack) == hash(parse_pack(pack.name, pack.text))


def test_an_unknown_bundled_pack_names_those_there_are() -> None:
    with pytest.raises(BadInput, match="icrc1"):
        bundled_pack("../icrc1")


# R3-R6: classifying


def test_the_longest_key_wins() -> None:  # R4
    pack = outcome({"Err": "fail", "Err.Busy": "retry_same", "Err.Busy.Hard": "fix_input"})
    assert pack.classify("pay", err("Other")).cls is C.FAIL
    assert pack.classify("pay", err("Busy", {"s": 1})).cls is C.RETRY_SAME
    assert pack.classify("pay", err("Busy", Case("Hard", 1))) == Classification(C.FIX_INPUT, "Err.Busy.Hard", 1, "key")


def test_the_case_is_the_whole_path_that_came_even_where_a_shorter_key_matches() -> None:
    found = outcome({"Err": "fail"}).classify("pay", err("Other", Case("Deep", {"a": 1})))
    assert found == Classification(C.FAIL, "Err.Other.Deep", {"a": 1}, "key")


def test_without_key_and_default_the_class_is_fail_by_none() -> None:  # R5
    found = outcome({"Ok": "success"}).classify("pay", err("Frozen"))
    assert found == Classification(C.FAIL, "Err.Frozen", None, "none")


def test_a_method_the_pack_does_not_know_is_fail_by_none() -> None:
    assert outcome({"Ok": "success"}).classify("burn", [Case("Ok", 1)]) == Classification(C.FAIL, "Ok", 1, "none")


def test_a_result_without_variant_takes_the_default_as_the_packs_word() -> None:  # R6
    pack = outcome(None, "success")
    assert pack.classify("pay", [7]) == Classification(C.SUCCESS, None, 7, "key")
    assert pack.classify("pay", []) == Classification(C.SUCCESS, None, None, "key")
    assert pack.classify("pay", [7, True]) == Classification(C.SUCCESS, None, [7, True], "key")


def test_default_alone_leaves_every_case_of_a_variant_unclassified() -> None:  # R6
    assert outcome(None, "success").classify("pay", [Case("Ok", 7)]).by == "default"


def test_classes_for_a_variant_that_never_came_fall_to_the_default() -> None:
    assert outcome({"Ok": "success"}, "fail").classify("pay", [7]) == Classification(C.FAIL, None, 7, "default")


def test_a_key_can_name_another_result_and_go_through_a_record() -> None:  # R3
    pack = outcome({"1.Err.why.Busy": "retry_same", "1.Ok": "success"})
    busy: Value = Case("Err", {"why": Case("Busy", 4)})
    assert pack.classify("pay", [0, busy]) == Classification(C.RETRY_SAME, "1.Err.why.Busy", 4, "key")
    assert pack.classify("pay", [0, Case("Ok", None)]) == Classification(C.SUCCESS, "1.Ok", None, "key")
    assert pack.classify("pay", [busy]).by == "none"


def test_a_key_that_ends_in_a_record_field_matches_nothing() -> None:  # R3
    assert outcome({"Ok.block": "success"}).classify("pay", [Case("Ok", {"block": 7})]).by == "none"


def test_keys_of_one_length_that_disagree_are_no_match() -> None:
    pack = outcome({"Ok": "success", "1.Bad": "fix_input", "1.Good": "success"}, "fail")
    assert pack.classify("pay", [Case("Ok"), Case("Bad")]).by == "default"
    assert pack.classify("pay", [Case("Ok"), Case("Good")]) == Classification(C.SUCCESS, "Ok", None, "key")


def test_a_case_known_only_by_its_hash_is_the_case_of_that_name() -> None:
    # Candid's published hashes: Ok 17724, Err 3456837.
    pack = outcome({"Ok": "success", "Err.Busy": "retry_same"}, "fail")
    assert pack.classify("pay", [Case("_17724", 7)]) == Classification(C.SUCCESS, "Ok", 7, "key")
    assert pack.classify("pay", [Case("_3456837", Case("_5", 1))]) == Classification(C.FAIL, "Err._5", 1, "default")
    assert pack.names == {"Ok", "Err", "Busy"}


tags = st.sampled_from(["Ok", "Err", "Busy", "Frozen", "_17724", "_9"])
values: st.SearchStrategy[Value] = st.recursive(
    st.none() | st.integers() | st.text(max_size=3) | st.binary(max_size=3),
    lambda inner: (
        st.builds(Case, tags, inner)
        | st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["Err", "a", "_9"]), inner, max_size=2)
    ),
    max_leaves=6,
)
keys = st.lists(st.sampled_from(["Ok", "Err", "Busy", "a"]), min_size=1, max_size=3).map(".".join)
words = st.sampled_from(sorted(PACK_CLASSES))


@given(st.dictionaries(keys, words, max_size=5), st.none() | words, st.lists(values, max_size=3))
def test_classifying_never_raises_and_never_guesses(
    classes: dict[str, str], default: str | None, result: list[Value]
) -> None:
    found = outcome(classes, default).classify("pay", result)
    match found.by:
        case "key":
            assert found.cls in classes.values()
            assert found.case is not None
            assert any(f"{found.case}.".startswith(f"{key}.") for key in classes)
        case "default":
            assert found.cls == default
        case "none":
            assert default is None
            assert found.cls is C.FAIL


@given(st.dictionaries(keys, words, min_size=1), st.data())
def test_adding_a_shorter_key_changes_no_longer_match(classes: dict[str, str], data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(sorted(classes)))
    value: Value = None
    for step in reversed(key.split(".")):
        value = Case(step, value)
    before = outcome({key: classes[key]}).classify("pay", [value])
    shorter = {other: cls for other, cls in classes.items() if len(other.split(".")) < len(key.split("."))}
    assert outcome({**shorter, key: classes[key]}).classify("pay", [value]) == before


# Reading: structure and refusals


@pytest.mark.parametrize(
    ("text", "code", "why"),
    [
        ("", "E_PACK_JSON", "not JSON: line 1, column 1"),
        ("[", "E_PACK_JSON", "not JSON"),
        ("[NaN]", "E_PACK_JSON", "NaN is no number"),
        ("[" + "9" * 5000 + "]", "E_PACK_JSON", "not JSON that can be read"),
        ("{}", "E_PACK_JSON", "not a list"),
        ("[" * 100_000, "E_PACK_JSON", "nested deeper than 16"),
        ("[" * 20 + "]" * 20, "E_PACK_JSON", "nested deeper than 16"),
        (" " * (MAX_CHARS + 1), "E_PACK_JSON", "longer than"),
        (r'["\ud800"]', "E_PACK_JSON", "not Unicode"),
        ('[{"at": "a", "at": "b"}]', "E_PACK_DUPLICATE", "'at' stands twice"),
        (
            '[{"at": "a", "tag": "outcome", "args": {"classes": {"Ok": "success", "Ok": "fail"}}}]',
            "E_PACK_DUPLICATE",
            "'Ok' stands twice",
        ),
    ],
)
def test_a_text_that_is_no_pack_is_refused(text: str, code: str, why: str) -> None:
    pack, faults = inspect_pack("x", text)
    assert pack.entries == ()
    assert [fault.code for fault in faults] == [code]
    assert why in faults[0].why
    with pytest.raises(BadInput, match="the pack x cannot be used"):
        parse_pack("x", text)


@pytest.mark.parametrize(
    ("item", "code", "why"),
    [
        (7, "E_PACK_ENTRY", "entry 1: an entry has"),
        ({"at": "pay", "tag": "outcome"}, "E_PACK_ENTRY", "an entry has"),
        ({**entry({}), "more": 1}, "E_PACK_ENTRY", "an entry has"),
        (entry({}, at=""), "E_PACK_ENTRY", '"at" names'),
        (entry({}, at="pay."), "E_PACK_ENTRY", '"at" names'),
        (entry({}, at="p\u202ey"), "E_PACK_ENTRY", '"at" names'),
        (entry({}, tag=""), "E_PACK_ENTRY", '"tag" is a word'),
        (entry({}, tag="colour"), "E_PACK_TAG", "'colour' is not known; the tags are outcome, idempotency"),
        (entry([]), "E_PACK_ENTRY", '"args" is an object'),
        (entry({}), "E_OUTCOME_DEFAULT", 'needs a "default"'),
        (entry({"defualt": "fail"}), "E_PACK_ENTRY", "'defualt' is not known"),
        (entry({"classes": []}), "E_PACK_ENTRY", '"classes" is an object'),
        (entry({"classes": {"Ok": "succes"}}), "E_OUTCOME_CLASS", "'succes' is no outcome class"),
        (entry({"classes": {"Ok": None}}), "E_OUTCOME_CLASS", "None is no outcome class"),
        (entry({"default": ["fail"]}), "E_OUTCOME_CLASS", "is no outcome class"),
        (entry({"classes": {"Ok": "reconcile"}}), "E_OUTCOME_RECONCILE", "the wallet's to conclude"),
        (entry({"default": "reconcile"}), "E_OUTCOME_RECONCILE", "the wallet's to conclude"),
        (entry({"classes": {"": "fail"}}), "E_OUTCOME_NOT_CASE", "no path to a case"),
        (entry({"classes": {"Err.": "fail"}}), "E_OUTCOME_NOT_CASE", "no path to a case"),
        (entry({"classes": {"0": "fail"}}), "E_OUTCOME_NOT_CASE", "no path to a case"),
        (entry({"classes": {"Ok": "fail", "0.Ok": "fail"}}), "E_PACK_DUPLICATE", "Ok has two classes"),
        (entry({"default": "fail"}, at="pay.to"), "E_PACK_ENTRY", "belongs to a method"),
        (entry({"mode": "once", "stamp": "t"}, "idempotency"), "E_IDEMPOTENCY_MODE", "'once' is no mode"),
        (entry({"stamp": "t"}, "idempotency"), "E_IDEMPOTENCY_MODE", "None is no mode"),
        (entry({"mode": "replay_same_payload"}, "idempotency"), "E_PACK_ENTRY", '"stamp" names'),
        (entry({"unit": "nanoseconds"}, "timestamp"), "E_PACK_ENTRY", "belongs to a field"),
        (entry({"unit": "days"}, "timestamp", "pay.t"), "E_STAMP_UNIT", "'days' is no unit"),
        (entry({"unit": []}, "timestamp", "pay.t"), "E_STAMP_UNIT", "[] is no unit"),
        (entry({}, "amount"), "E_PACK_ENTRY", "the tag amount belongs to a field"),
        (entry({"of": 1}, "amount", "pay.a"), "E_PACK_ENTRY", "'of' is not known here; amount takes none"),
        (entry({}, "recipient", "pay.to"), "E_PACK_ENTRY", "None is no form of a recipient; the words are account"),
        (entry({"form": ["account"]}, "recipient", "pay.to"), "E_PACK_ENTRY", "is no form of a recipient"),
        (entry({"auto": "a.b"}, "fee", "pay.fee"), "E_PACK_ENTRY", '"auto" names the query'),
        (entry({"auto": None}, "fee", "pay.fee"), "E_PACK_ENTRY", '"auto" names the query'),
    ],
)
def test_a_malformed_entry_is_refused_and_the_others_still_read(item: Any, code: str, why: str) -> None:
    pack, faults = inspect_pack("x", json.dumps([item, entry({"default": "fail"}, at="other")]))
    assert [entry.at for entry in pack.entries] == ["other"]
    assert [fault.code for fault in faults] == [code]
    assert why in faults[0].why


def test_one_tag_twice_at_one_place_is_refused() -> None:
    with pytest.raises(BadInput, match="entry 2: pay has the tag outcome twice") as refusal:
        pack_of(entry({"default": "fail"}), entry({"default": "success"}))
    assert refusal.value.field == "pack"


def test_every_fault_of_an_entry_is_named_in_one_run() -> None:  # R8
    classes = {"Ok": "succes", "Err.": "fail", "Err.Busy": "reconcile", "Err": "fail", "0.Err": "fail"}
    _, faults = inspect_pack("x", json.dumps([entry({"classes": classes, "default": 3})]))
    assert [fault.code for fault in faults] == [
        "E_OUTCOME_CLASS",
        "E_OUTCOME_CLASS",
        "E_OUTCOME_NOT_CASE",
        "E_OUTCOME_RECONCILE",
        "E_PACK_DUPLICATE",
    ]
    assert {(fault.method, fault.entry) for fault in faults} == {("pay", 1)}


def test_a_fault_says_on_which_line_its_entry_starts() -> None:
    text = '[\n  {"at": "pay", "tag": "outcome", "args": {"default": "fail"}},\n\n  7\n]'
    _, faults = inspect_pack("x", text)
    assert [fault.why.partition(": ")[0] for fault in faults] == ["line 4, entry 2"]


def test_the_tags_of_a_form_are_read() -> None:
    fields = {
        "amount": ({}, Amount()),
        "to": ({"form": "account_id"}, Recipient(Form.ACCOUNT_ID)),
        "note": ({"form": "number"}, Memo(MemoForm.NUMBER)),
        "fee": ({"auto": "icrc1_fee"}, Fee("icrc1_fee")),
        "part": ({}, FromSubaccount()),
        "who": ({}, Spender()),
        "whose": ({}, Payer()),
        "until": ({}, ExpiresAt()),
    }
    tags = ("amount", "recipient", "memo", "fee", "from_subaccount", "spender", "payer", "expires_at")
    pack = pack_of(*(entry(args, tag, f"pay.{at}") for (at, (args, _)), tag in zip(fields.items(), tags, strict=True)))
    assert {each.field: each.meaning for each in pack.entries} == {at: meaning for at, (_, meaning) in fields.items()}
    assert pack_of(entry({}, "memo", "pay.note")).entries[0].meaning == Memo(MemoForm.BYTES)


def test_a_form_of_a_memo_that_there_is_not_is_refused() -> None:
    _, faults = inspect_pack("x", json.dumps([entry({"form": "poem"}, "memo", "pay.note")]))
    assert [fault.code for fault in faults] == ["E_PACK_ENTRY"]


def test_two_fields_with_one_role_are_refused() -> None:
    with pytest.raises(BadInput, match="two fields of pay have the tag amount: a and b"):
        pack_of(entry({}, "amount", "pay.a"), entry({}, "amount", "pay.b"))
    pack_of(entry({}, "amount", "pay.a"), entry({}, "amount", "get.b"))


def test_an_untagged_stamp_has_no_unit() -> None:
    pack = pack_of(entry({"mode": "replay_same_payload", "stamp": "at.time"}, "idempotency"))
    assert pack.stamp("pay") == Stamp("at.time", None)


@given(st.text(max_size=40) | st.recursive(st.none() | st.text(max_size=5), st.lists).map(json.dumps))
def test_reading_never_crashes(text: str) -> None:
    pack, faults = inspect_pack("x", text)
    assert pack.text == text
    assert faults or text.strip() == "[]"


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["outcome", "fail", "pay", "Ok", "reconcile"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["at", "tag", "args", "classes", "default", "mode", "stamp", "unit"]), inner)
    ),
    max_leaves=12,
)
near_entries = st.fixed_dictionaries(
    {
        "at": st.sampled_from(["pay", "pay.t"]),
        "tag": st.sampled_from(["outcome", "idempotency", "timestamp", "amount", "fee", "recipient", "colour"]),
        "args": st.dictionaries(st.sampled_from(["classes", "default", "mode", "stamp", "unit"]), json_values),
    }
)


@given(st.lists(near_entries | json_values, max_size=3))
def test_every_entry_is_either_read_or_named(entries: list[Any]) -> None:
    pack, faults = inspect_pack("x", json.dumps(entries))
    assert len(pack.entries) + len({fault.entry for fault in faults}) == len(entries)


@given(
    st.integers(0, 9), st.lists(st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,5}", fullmatch=True), min_size=1, max_size=4)
)
def test_a_key_prints_as_it_is_read(index: int, steps: list[str]) -> None:
    key = Key(index, tuple(steps))
    assert Key.from_text(key.text) == key
