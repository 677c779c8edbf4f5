"""wallet pack ...: linting files and ledgers, and a person's own packs, with the real program."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import Wallet
from wallet.adapters.packs import SCHEMA, bundled_names, bundled_pack
from wallet.core.outcome import PACK_CLASSES
from wallet.core.pack_entry import MAX_CLASSES, TAGS
from wallet.core.pack_tags import UNIT_NS, Form
from wallet.core.pack_text import MAX_ENTRIES
from wallet.devnet.interface import LEDGER_DID

FROZEN_DID = LEDGER_DID.replace("  TooOld;", "  TooOld; Frozen : record { until : nat64 };")
PACKS = Path(__file__).parents[2] / "wallet" / "adapters" / "packs"


@pytest.fixture
def alone(tmp_path: Path) -> Wallet:
    """A wallet with nothing in it: these commands need no network and no keys."""
    return Wallet(tmp_path / "data", tmp_path / "passphrase")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The ICRC-1 pack as a file of one's own."""
    path = tmp_path / "mine.json"
    path.write_text(bundled_pack("icrc1").text)
    return path


@pytest.fixture
def did(tmp_path: Path) -> Path:
    path = tmp_path / "frozen.did"
    path.write_text(FROZEN_DID)
    return path


def spoilt(file: Path, old: str, new: str) -> Path:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    return file


def test_a_lint_prints_one_line_for_each_finding(alone: Wallet, file: Path, did: Path) -> None:
    ran = alone.run("pack", "lint", str(file), "--did", str(did))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "info    W_OUTCOME_UNCLASSIFIED     [mine] icrc1_transfer"
        '  result case "Err.Frozen" has no class (falls back to default)\n'
    )


def test_a_lint_as_json(alone: Wallet, file: Path, did: Path) -> None:
    assert alone.json("pack", "lint", str(file), "--did", str(did)) == {
        "findings": [
            {
                "level": "info",
                "code": "W_OUTCOME_UNCLASSIFIED",
                "pack": "mine",
                "method": "icrc1_transfer",
                "message": 'result case "Err.Frozen" has no class (falls back to default)',
            }
        ],
        "errors": 0,
        "warnings": 0,
        "infos": 1,
    }


def test_errors_exit_2_and_warnings_do_not(alone: Wallet, file: Path, did: Path) -> None:
    spoilt(file, ',\n      "default": "fail"', "")
    warned = alone.json("pack", "lint", str(file), "--did", str(did))
    assert [each["code"] for each in warned["findings"]] == ["W_PACK_NO_DEFAULT", "W_OUTCOME_UNCLASSIFIED"]
    spoilt(file, "Err.TooOld", "Err.TooYoung")
    document = alone.json("pack", "lint", str(file), "--did", str(did), code=2)
    assert (document["errors"], document["warnings"], document["infos"]) == (1, 3, 0)
    assert document["findings"][0]["code"] == "E_OUTCOME_NOT_CASE"


def test_a_lint_without_an_interface_says_so(alone: Wallet, file: Path) -> None:
    ran = alone.run("pack", "lint", str(file))
    assert (ran.code, ran.out) == (0, "[mine] no findings\n")
    assert "--did FILE" in ran.err


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b'[\n  {"at": }]', "line 2, column 10"),
        (b"\n\xff", "line 2: byte 2 is not UTF-8"),
        (b"[" * 10_000_000, "it is longer than 262144 characters"),
        (b"[" * 500 + b"]" * 500, "it is nested deeper than 16"),
        (b"{}", "it is not a list of entries"),
        (b'[\n\n{"at": "pay", "tag": "colour", "args": {}}]', "line 3, entry 1: the tag 'colour' is not known"),
        (b'[{"at": "pay", "at": "pay"}]', "line 1, entry 1: the key 'at' stands twice in one object"),
        (b"[7]", "line 1, entry 1: an entry has"),
    ],
    ids=["no JSON", "no text", "10 MB", "deep", "no list", "tag", "twice", "no entry"],
)
def test_what_is_no_pack_gets_one_sentence_with_file_and_place(
    alone: Wallet, tmp_path: Path, content: bytes, where: str
) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    ran = alone.run("pack", "lint", str(path))
    assert ran.code == 2
    [line] = [each for each in (ran.out + ran.err).splitlines() if "--did FILE" not in each]
    assert str(path) in line
    assert where in line


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("lint", "gone.json"), "gone.json cannot be read: No such file"),
        (("lint", "gone"), "'gone' is not a ledger here"),
        (("lint", "gone.json", "--did", "gone.did"), "gone.did cannot be read"),
        (("show", "gone"), "there is no pack 'gone'; there are: icp, icrc1, icrc2, example_give, example_pay"),
        (("add", "gone.json"), "gone.json cannot be read"),
        (("add", "no name.json"), "gives a pack no name"),
        (("add", "README.md"), "gives a pack no name"),
    ],
)
def test_what_is_not_there_is_named(alone: Wallet, words: tuple[str, ...], why: str) -> None:
    ran = alone.run("pack", *words)
    assert (ran.code, ran.out) == (2, "")
    assert why in ran.err


def test_an_interface_that_is_none_is_named_with_its_place(alone: Wallet, file: Path) -> None:
    ran = alone.run("pack", "lint", str(file), "--did", str(file))
    assert (ran.code, ran.out) == (2, "")
    assert f"{file}, line 1, column 1:" in ran.err


def test_a_pack_of_ones_own_is_added_listed_and_asked_first(alone: Wallet, file: Path) -> None:
    before = alone.json("pack", "list")
    assert [each["origin"] for each in before] == ["bundled"] * len(bundled_names())
    added = alone.json("pack", "add", str(file))
    kept = alone.folder / "packs" / "mine.json"
    assert added == {"name": "mine", "origin": "own", "place": str(kept), "replaced": False}
    assert kept.read_text() == file.read_text()
    assert kept.stat().st_mode & 0o077 == 0
    assert alone.json("pack", "list") == [
        {"name": "mine", "origin": "own", "methods": ["icrc1_transfer"], "usable": True},
        *before,
    ]
    assert "asked after your own for icrc1_transfer" in alone.run("pack", "list").out
    assert alone.json("pack", "add", str(file))["replaced"] is True
    shown = alone.run("pack", "show", "mine")
    assert shown.out == file.read_text()
    assert alone.json("pack", "show", "mine")["entries"] == json.loads(file.read_text())


def test_a_pack_with_errors_is_not_added(alone: Wallet, file: Path) -> None:
    spoilt(file, '"fail"\n      }', '"reconcile"\n      }')
    document = alone.json("pack", "add", str(file), code=2)
    assert document["error"]["exit"] == 2
    assert [each["code"] for each in document["findings"]] == ["E_OUTCOME_RECONCILE"]
    ran = alone.run("pack", "add", str(file))
    assert (ran.code, "was not added" in ran.err) == (2, True)
    assert ran.out.startswith("error   E_OUTCOME_RECONCILE")
    assert not (alone.folder / "packs").exists()


def test_an_own_pack_that_was_spoilt_later_is_listed_with_its_fault(alone: Wallet, file: Path) -> None:
    alone.json("pack", "add", str(file))
    spoilt(alone.folder / "packs" / "mine.json", '"args": {}', '"args": {"x": 1}')
    [mine, *_] = alone.json("pack", "list")
    assert (mine["name"], mine["usable"]) == ("mine", False)
    assert "cannot be used: line " in alone.run("pack", "list").out


def test_a_ledger_is_asked_for_its_interface(wallet: Wallet, file: Path) -> None:  # R1
    ran = wallet.run("pack", "lint", "TOK")
    assert (ran.code, ran.out) == (0, "[icrc1] no findings\n[icrc2] no findings\n")
    assert "read from its certified metadata" in ran.err
    wallet.json("pack", "add", str(file))
    assert wallet.run("pack", "lint", "TOK").out == "[mine] no findings\n[icrc2] no findings\n"
    canister = wallet.json("ledger", "list")[0]["ledger"]
    assert wallet.json("pack", "lint", canister)["findings"] == []


def test_a_pack_that_does_not_match_the_ledger_says_why(wallet: Wallet, file: Path) -> None:  # R1
    wallet.json("pack", "add", str(spoilt(file, "Err.TooOld", "Err.TooYoung")))
    ran = wallet.run("pack", "lint", "TOK")
    assert (ran.code, ran.out) == (0, "[icrc1] no findings\n[icrc2] no findings\n")
    assert '[mine] does not match: icrc1_transfer: the key "Err.TooYoung" selects no case of the result' in ran.err


# The schema says what the reader takes


def schema() -> Any:
    return json.loads((PACKS / SCHEMA).read_text())


def test_the_schema_has_the_words_that_the_reader_has() -> None:
    found = schema()
    kinds = [each["$ref"].removeprefix("#/$defs/") for each in found["items"]["oneOf"]]
    assert tuple(kinds) == TAGS
    defined = found["$defs"]
    assert [defined[kind]["properties"]["tag"]["const"] for kind in kinds] == kinds
    assert set(defined["class"]["enum"]) == PACK_CLASSES
    args = {kind: defined[kind]["properties"]["args"] for kind in kinds}
    assert args["timestamp"]["properties"]["unit"]["enum"] == list(UNIT_NS)
    assert args["recipient"]["properties"]["form"]["enum"] == list(Form)
    assert args["outcome"]["properties"]["classes"]["maxProperties"] == MAX_CLASSES
    assert found["maxItems"] == MAX_ENTRIES


def test_the_schema_is_no_pack() -> None:
    assert sorted(f"{name}.json" for name in bundled_names()) == sorted(
        each.name for each in PACKS.glob("*.json") if each.name != SCHEMA
    )
