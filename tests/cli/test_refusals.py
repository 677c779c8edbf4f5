"""What cannot be right is refused in one sentence, before anything is stored or sent."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.cli.program import Devnet, Wallet
from wallet.cli.main import run
from wallet.core.names import check_name

Refuse: TypeAlias = Callable[..., Any]
ICP_ACCOUNT_ID = "d3e13d4777e22367532053190b6c6ccf57444a61337e996242b1abfb52cf92c8"


@pytest.fixture
def refused(wallet: Wallet, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Refuse:
    """Runs a command in this process, since there are many; gives the error of one that is refused."""
    for name, value in wallet.environment.items():
        monkeypatch.setenv(name, value)

    def refuse(*words: str) -> Any:
        assert run([*words, "--json"]) == 2
        return json.loads(capsys.readouterr().out)["error"]

    return refuse


@pytest.mark.parametrize(
    ("option", "value", "field"),
    [
        ("--to", "nobody", "to"),
        ("--to", ICP_ACCOUNT_ID, "to"),
        ("--to", "", "to"),
        ("--amount", "1.123456789", "amount"),
        ("--amount", "1e3", "amount"),
        ("--amount", "１", "amount"),
        ("--amount", "-1", "amount"),
        ("--amount", "", "amount"),
        ("--ledger", "GOLD", "ledger"),
        ("--memo", "x" * 33, "memo"),
        ("--memo-hex", "abc", "memo_hex"),
        ("--from-subaccount", "xyz", "from_subaccount"),
        ("--ref", "", "ref"),
        ("--network", "nowhere", "network"),
        ("--identity", "nobody", "identity"),
        ("--timeout", "0", "timeout"),
        ("--nonsense", "1", None),
    ],
)
def test_what_cannot_be_right_names_its_field(
    wallet: Wallet, bob: str, refused: Refuse, option: str, value: str, field: str | None
) -> None:
    right = {"--ledger": "TOK", "--to": bob, "--amount": "1"}
    error = refused("prepare", *(word for pair in {**right, option: value}.items() for word in pair))
    assert error.keys() == {"exit", "message", "field"}
    assert (error["exit"], error["field"]) == (2, field)
    assert wallet.json("intents") == []


BAD_NAMES = [
    *(
        "",
        " ",
        ".",
        "..",
        "a..b",
        "a/b",
        "../x",
        ".x",
        "a b",
        "a\nb",
        "a\x1b[2Jb",
        "a\u202eb",
        "a\u200bb",
        "x" * 65,
    ),
    *("\u05d0\u05d1", "a\u0627", "\u0661", "2vxsx-fae", "ryjl3-tyaaa-aaaaa-aaaba-cai"),
]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_every_name_that_a_person_gives_is_held_to_one_rule(
    wallet: Wallet, devnet: Devnet, refused: Refuse, tmp_path: Path, name: str
) -> None:
    key = tmp_path / "key.pem"
    key.touch()
    said = {
        refused(*words)["message"]
        for words in (
            ("identity", "new", name),
            ("identity", "import", name, f"--pem={key}"),
            ("network", "add", name, devnet.url),
            ("ledger", "add", devnet.ledger, f"--name={name}"),
        )
    }
    assert len(said) == 1
    assert said.pop().startswith("a name begins with a letter or digit")


@pytest.mark.parametrize("ref", ["", " ", "a ", "a\nb", "a\x1b[2Jb", "a\u202eb", "a\u200bb", "x" * 201])
def test_a_reference_can_be_seen_for_what_it_is(bob: str, refused: Refuse, ref: str) -> None:
    right = ("prepare", "--ledger", "TOK", "--to", bob, "--amount", "1")
    assert refused(*right, f"--ref={ref}")["field"] == "ref"


@pytest.mark.parametrize("name", ["alice-2", "Zoë", "ключ", "a.b_c", "7", "x" * 64])
def test_ordinary_names_are_taken(name: str) -> None:
    check_name(name)


def test_an_icp_account_id_is_called_by_its_name(wallet: Wallet) -> None:
    ran = wallet.run("prepare", "--ledger", "TOK", "--to", ICP_ACCOUNT_ID, "--amount", "1")
    assert (ran.code, ran.out) == (2, "")
    assert "ICP" in ran.err


@pytest.mark.parametrize(
    "words",
    [
        ("nonsense",),
        ("network",),
        ("show",),
        ("show", "grey-goose-1"),
        ("confirm", "grey-goose-1", "--digest", "0" * 16),
        ("resume", "grey-goose-1"),
        ("restamp", "grey-goose-1"),
        ("drop", "grey-goose-1"),
        ("reconcile", "grey-goose-1"),
        ("answer", "grey-goose-1", "--executed"),
        ("acknowledge", "grey-goose-1"),
        ("ledger", "add", "not-a-canister"),
        ("ledger", "add", "ryjl3-tyaaa-aaaaa-aaaba-cai", "--window", "long"),
        ("ledger", "remove", "GOLD"),
        ("identity", "new", "alice"),
        ("identity", "new", "carol", "--curve", "bn254"),
        ("identity", "import", "carol", "--pem", "/nowhere"),
        ("identity", "use", "carol"),
        ("identity", "remove", "alice"),  # it is not backed up
        ("network", "use", "nowhere"),
        ("network", "remove", "mainnet"),
        ("network", "add", "mainnet", "http://127.0.0.1:1"),
        ("network", "add", "plain", "http://example.com"),
        (),
        ("demo",),
    ],
)
def test_a_refused_command_exits_with_two_and_one_error_document(refused: Refuse, words: tuple[str, ...]) -> None:
    error = refused(*words)
    assert error["exit"] == 2
    assert error["message"]


def test_a_prepared_intent_is_neither_resumed_nor_restamped(wallet: Wallet, bob: str) -> None:
    intent = wallet.prepare(bob)
    for command in ("resume", "restamp", "reconcile", "acknowledge"):
        wallet.json(command, intent["id"], code=2)
    assert wallet.json("show", intent["id"])["state"] == "prepared"


def test_mainnet_wants_a_backup_first(wallet: Wallet, bob: str) -> None:  # design, section 6
    # Refused before the network is asked: this machine needs no connection for it.
    ran = wallet.run("prepare", "--network", "mainnet", "--ledger", "ICP", "--to", bob, "--amount", "1", "--json")
    assert ran.code == 2


def test_another_root_key_is_not_trusted(wallet: Wallet, devnet: Devnet) -> None:
    error = wallet.json("network", "add", "other", devnet.url, "--root-key", "00" * 133, code=8)["error"]
    assert error["exit"] == 8
    assert [each["name"] for each in wallet.json("network", "list")] == ["mainnet", "local"]


def test_a_store_that_cannot_be_read_stops_everything(wallet: Wallet) -> None:  # R32
    (wallet.folder / "wallet.db").write_bytes(b"not a database, and longer than a header of sixteen bytes" * 40)
    assert wallet.json("intents", code=7)["error"]["exit"] == 7


def test_a_wrong_passphrase_sends_nothing(wallet: Wallet, devnet: Devnet, bob: str) -> None:
    intent = wallet.prepare(bob)
    wrong = wallet.folder.parent / "wrong"
    wrong.write_text("something else")
    wrong.chmod(0o600)
    before = len(devnet.blocks())
    other = Wallet(wallet.folder, wrong)
    assert other.confirm(intent, code=7)["error"]["exit"] == 7
    assert wallet.json("show", intent["id"])["state"] == "prepared"
    assert len(devnet.blocks()) == before
