"""A person's own packs from the file to the outcome: they win, they are refused with errors, they can be taken away."""

import json
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from tests.cli.program import Devnet, Wallet
from wallet.adapters.host import data_folder
from wallet.adapters.ic.did import parse_did
from wallet.adapters.ic.network import IcNetwork
from wallet.adapters.packs import bundled_pack, keep_pack, own_folder, pack_files
from wallet.cli.main import run
from wallet.core.errors import NetworkFault, UnreadableInterface
from wallet.core.pack_check import check_pack

STRICT = bundled_pack("icrc1").text.replace('"Err.BadFee": "fix_input"', '"Err.BadFee": "fail"')
"""The ICRC-1 pack of somebody for whom another fee is the end of it."""


@pytest.fixture
def strict(tmp_path: Path) -> Path:
    path = tmp_path / "strict.json"
    path.write_text(STRICT)
    return path


def own(wallet: Wallet, name: str) -> Path:
    return wallet.folder / "packs" / f"{name}.json"


def put(wallet: Wallet, name: str, text: str) -> Path:
    """Into the folder by hand, past `pack add` and its checks."""
    path = own(wallet, name)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.write_text(text)
    return path


def is_own_said(intent: Any, name: str) -> bool:
    return any(f"Your own pack {name} speaks for this ledger" in warning for warning in intent["card"]["warnings"])


def test_own_packs_lie_in_the_configuration_and_with_data_that_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    usual = data_folder(None, {})
    assert keep_pack(usual, "strict", STRICT) == own_folder(usual) / "strict.json"
    assert own_folder(usual) == platformdirs.user_config_path("wallet", appauthor=False) / "packs"
    assert [each.name for each in pack_files(usual) if each.origin == "own"] == ["strict"]
    assert own_folder(tmp_path / "named") == tmp_path / "named" / "packs"


def test_an_own_pack_speaks_from_the_next_intent_on(wallet: Wallet, devnet: Devnet, bob: str, strict: Path) -> None:
    before = wallet.prepare(bob, "1")
    wallet.json("pack", "add", str(strict))
    after = wallet.prepare(bob, "2")
    assert not is_own_said(before, "strict")
    assert is_own_said(after, "strict")
    assert "icrc1_transfer, by the pack strict" in wallet.run("show", after["id"]).out
    assert wallet.prepare(bob, "1")["id"] == before["id"]  # R13
    devnet.arm("fee", 20_000)
    refused = wallet.confirm(after, code=1)
    assert (refused["class"], refused["case"], refused["moved"]) == ("fail", "Err.BadFee", False)
    kept = wallet.confirm(before, code=3)
    assert (kept["class"], kept["case"], kept["moved"]) == ("fix_input", "Err.BadFee", False)
    # What settled stays as it was called, and an old intent stays readable, when the pack is gone.
    own(wallet, "strict").unlink()
    assert wallet.json("show", after["id"])["class"] == "fail"
    again = wallet.prepare(bob, "2")
    assert not is_own_said(again, "strict")
    devnet.arm("fee", 30_000)
    assert wallet.confirm(again, code=3)["class"] == "fix_input"


def test_an_own_pack_of_a_bundled_ones_name_wins(wallet: Wallet, bob: str, strict: Path) -> None:
    named = strict.rename(strict.with_name("icrc1.json"))
    wallet.json("pack", "add", str(named))
    assert is_own_said(wallet.prepare(bob, "1"), "icrc1")
    first, *others = (each for each in wallet.json("pack", "list") if each["name"] == "icrc1")
    assert (first["origin"], [each["origin"] for each in others]) == ("own", ["bundled"])
    assert wallet.run("pack", "show", "icrc1").out == STRICT


def test_an_own_pack_that_does_not_match_is_passed_over(wallet: Wallet, devnet: Devnet, bob: str) -> None:  # R1
    put(wallet, "other", STRICT.replace("Err.TooOld", "Err.TooYoung"))
    intent = wallet.prepare(bob, "1")
    assert not is_own_said(intent, "other")
    assert wallet.confirm(intent)["class"] == "success"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (STRICT.replace('"fail",\n', '"lost",\n', 1), "line 2, entry 1: 'lost' is no outcome class"),
        ('[\n  {"at": }]', "line 2, column 10"),
        ("{}", "it is not a list of entries"),
        ("[" * 500 + "]" * 500, "it is nested deeper than 16"),
        (" " * 10_000_000, "it is longer than 262144 characters"),
        ('[\n\n{"at": "pay", "tag": "colour", "args": {}}]', "line 3, entry 1: the tag 'colour' is not known"),
        ('[{"at": "pay", "at": "pay"}]', "line 1, entry 1: the key 'at' stands twice"),
        ("[7]", "line 1, entry 1: an entry has"),
        ("[" + "9" * 5000 + "]", "it is not JSON that can be read"),
        ("", "line 1, column 1"),
    ],
    ids=["class", "no JSON", "no list", "deep", "10 MB", "tag", "twice", "no entry", "long number", "empty"],
)
def test_a_pack_with_errors_is_neither_added_nor_used(
    wallet: Wallet,
    bob: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    where: str,
) -> None:
    for name, value in wallet.environment.items():
        monkeypatch.setenv(name, value)
    bad = tmp_path / "bad.json"
    bad.write_text(text)
    for command in ("lint", "add"):
        assert run(["pack", command, str(bad)]) == 2
        told = "".join(capsys.readouterr())
        assert f"{bad}, " in told
        assert where in told
    assert not own(wallet, "bad").exists()

    kept = put(wallet, "bad", text)
    assert run(["prepare", "--json", "--ledger", "TOK", "--to", bob, "--amount", "1"]) == 2
    out, err = capsys.readouterr()
    error = json.loads(out)["error"]
    assert error["field"] == "pack"
    assert error["message"].startswith(f"{kept}, ")
    assert where in error["message"]
    assert len([line for line in err.splitlines() if "machine's clock" not in line]) == 1
    assert run(["intents", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.parametrize("spoil", ["no text", "a folder"])
def test_an_own_pack_that_cannot_be_read_as_text_is_refused(wallet: Wallet, bob: str, spoil: str) -> None:
    path = put(wallet, "bad", STRICT)
    if spoil == "no text":
        path.write_bytes(b"[\n\xff]")
        refused = wallet.prepare(bob, "1", code=2)["error"]
        assert "line 2: byte 3 is not UTF-8" in refused["message"]
    else:
        path.unlink()
        path.mkdir()
        refused = wallet.prepare(bob, "1", code=7)["error"]  # R32
    assert str(path) in refused["message"]
    assert wallet.json("intents") == []


def test_the_pack_of_the_readme_has_no_findings() -> None:
    _, _, rest = (Path(__file__).parents[2] / "README.md").read_text().partition("<!-- pack: ")
    text = rest.split("```json\n")[1].split("```")[0]
    interface = parse_did(
        "type A = record { owner : principal; subaccount : opt blob };"
        "service : { pay : (record { to : A; amount : nat; created_at_time : opt nat64 })"
        " -> (variant { Ok : nat; Err : variant { Closed } }) }"
    )
    assert check_pack("mine", text, interface) == []


# --- which packs speak for a ledger, said when it is added ---


def test_a_ledger_that_is_added_says_who_speaks_for_it(wallet: Wallet, devnet: Devnet, strict: Path) -> None:
    ran = wallet.run("ledger", "add", devnet.ledger)
    assert "packs      icrc1, to pay an account\n" in ran.out
    assert "icrc2, to allow a spender, to pay from another's account\n" in ran.out
    assert ran.err == ""
    listed = wallet.json("ledger", "list")[0]
    assert wallet.json("ledger", "add", devnet.ledger) == {**listed, "changes": [], "packs": ["icrc1", "icrc2"]}
    wallet.json("pack", "add", str(strict))
    assert wallet.json("ledger", "add", devnet.ledger)["packs"] == ["strict", "icrc2"]
    assert "packs      strict (your own), to pay an account\n" in wallet.run("ledger", "add", devnet.ledger).out


def test_what_there_is_to_say_of_a_pack_is_said_when_a_ledger_is_added(wallet: Wallet, devnet: Devnet) -> None:  # R8
    put(wallet, "other", STRICT.replace("Err.TooOld", "Err.TooYoung"))
    text = STRICT.replace(',\n        "Err.GenericError": "fail"', "").replace(',\n      "default": "fail"', "")
    put(wallet, "loose", text)
    ran = wallet.run("ledger", "add", devnet.ledger, "--json")
    assert (ran.code, ran.document["packs"]) == (0, ["loose", "icrc2"])
    said = ran.err.splitlines()
    assert any(line.startswith("warning W_PACK_NO_DEFAULT") and "[loose] icrc1_transfer" in line for line in said)
    assert any("W_OUTCOME_UNCLASSIFIED" in line and '"Err.GenericError"' in line for line in said)
    assert any(line.startswith("[other] your own pack does not match: ") and "Err.TooYoung" in line for line in said)


def test_a_ledger_is_added_where_an_own_pack_has_errors(wallet: Wallet, devnet: Devnet) -> None:
    bad = put(wallet, "bad", "[7]")
    ran = wallet.run("ledger", "add", devnet.ledger, "--json")
    assert (ran.code, ran.document["packs"]) == (0, [])
    assert f"{bad}, line 1, entry 1:" in ran.err


@pytest.mark.parametrize(
    ("fault", "packs", "notice"),
    [
        (None, ["icrc1", "icrc2"], "matched by the standards it names (ICRC-1, ICRC-2, ICRC-3, ICRC-10, ICRC-103)"),
        (UnreadableInterface("It is none."), ["icrc1", "icrc2"], "matched by the standards it names"),
        (NetworkFault("It did not answer."), [], "It did not answer."),
    ],
)
def test_a_ledger_without_an_interface_is_added_with_a_notice(
    wallet: Wallet,
    devnet: Devnet,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    fault: NetworkFault | None,
    packs: list[str],
    notice: str,
) -> None:
    async def interface(*_: object) -> None:
        if fault is not None:
            raise fault

    for name, value in wallet.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(IcNetwork, "interface", interface)
    assert run(["ledger", "add", devnet.ledger, "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["packs"] == packs
    assert notice in err
    assert len([line for line in err.splitlines() if "machine's clock" not in line]) == 1
