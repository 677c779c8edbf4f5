"""Allowances, payments from another's account, and account ids: the further methods, in the real program."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import Devnet, Wallet, running_devnet
from tests.cli.test_paying import CARD, FIELDS
from tests.cli.test_trouble import DAY_S, EXPIRY_S, prove_dedup
from wallet.cli.main import run
from wallet.core.account import Account, AccountId

HOUR_NS = 3600 * 10**9
MONEY = 10**12


@pytest.fixture(scope="session")
def alice(template: Wallet) -> str:
    return template.account("alice")


def approve(wallet: Wallet, spender: str, amount: str = "5", *more: str, code: int = 0) -> Any:
    return wallet.json("prepare", "--ledger", "TOK", "--approve", spender, "--amount", amount, *more, code=code)


def words_of(wallet: Wallet, *words: str) -> str:
    """What a person reads on stdout."""
    ran = wallet.run(*words)
    assert ran.code == 0, ran
    return ran.out


# --- allowances ---


def test_an_allowance_is_given_listed_used_and_revoked(wallet: Wallet, devnet: Devnet, alice: str, bob: str) -> None:
    given = approve(wallet, bob, "5", "--lasts", "24h", "--memo", "gym")
    assert given.keys() == FIELDS
    card = given["card"]
    assert card.keys() == CARD | {"expires_at"}
    assert (given["method"], card["to"], card["amount"], card["total"]) == ("icrc2_approve", bob, "500000000", "10000")
    assert int(card["expires_at"]) - int(given["stamp"]) == 24 * HOUR_NS
    done = wallet.confirm(given)
    assert (done["class"], done["case"], done["moved"], done["block"]) == ("success", "Ok", True, done["payload"])

    (listed,) = wallet.json("allowances", "TOK")
    assert (listed["account"], listed["spender"], listed["amount"]) == (alice, bob, "500000000")
    assert (listed["amount_text"], listed["expires_at"]) == ("5.00000000", card["expires_at"])
    assert f"revoke it: {listed['revoke']}" in words_of(wallet, "allowances")

    taken = wallet.prepare(bob, "2", "--from", alice, "--identity", "bob")
    assert taken.keys() == FIELDS
    assert taken["card"].keys() == CARD | {"spender"}
    assert (taken["method"], taken["sender"]) == ("icrc2_transfer_from", bob)
    assert (taken["card"]["from"], taken["card"]["spender"], taken["card"]["to"]) == (alice, bob, bob)
    again = wallet.prepare(bob, "2.0", "--from", alice, "--identity", "bob")
    assert again == {**taken, "existing": True}  # R13
    assert wallet.confirm(taken, "--identity", "bob")["moved"] is True
    transaction = devnet.blocks()[-1]["tx"]
    assert (transaction["op"], transaction["from"], transaction["spender"]) == ("xfer", [alice], [bob])
    assert wallet.json("allowances")[0]["amount"] == str(500_000_000 - 200_000_000 - 10_000)

    revoked = wallet.go_on(listed["revoke"])
    assert revoked["card"].keys() == CARD
    assert (revoked["method"], revoked["card"]["amount"]) == ("icrc2_approve", "0")
    assert any("revokes the allowance of 2.9999 TOK" in warning for warning in revoked["card"]["warnings"])
    assert wallet.confirm(revoked)["moved"] is True
    assert wallet.json("allowances") == []
    assert words_of(wallet, "allowances") == f"Nobody may spend TOK from {alice}.\n"


def test_the_same_allowance_is_the_same_intent(wallet: Wallet, bob: str) -> None:  # R10, R13
    first = approve(wallet, bob, "5", "--lasts", "24h")
    again = approve(wallet, bob, "5.00", "--lasts", "1d")
    assert (first["existing"], again) == (False, {**first, "existing": True})
    longer = approve(wallet, bob, "5", "--lasts", "25h")
    assert (longer["existing"], longer["id"] == first["id"]) == (False, False)
    assert any(f"still open: {first['id']}" in warning for warning in longer["card"]["warnings"])
    paid = wallet.prepare(bob, "5")  # the same account and amount, and another thing altogether
    assert (paid["method"], paid["existing"]) == ("icrc1_transfer", False)


def test_the_command_that_revokes_is_for_the_network_and_identity_that_were_asked(
    wallet: Wallet, devnet: Devnet, alice: str, bob: str
) -> None:
    devnet.fund(bob, 10**9)
    options = ("--identity", "bob", "--network", "local", "--from-subaccount", "7")
    devnet.fund(approve(wallet, alice, "1", *options)["card"]["from"], 10**9)
    wallet.confirm(approve(wallet, alice, "1", *options), *options[:4])
    (listed,) = wallet.json("allowances", "TOK", *options)
    revoked = wallet.go_on(listed["revoke"])
    assert (revoked["sender"], revoked["card"]["from"], revoked["card"]["amount"]) == (bob, listed["account"], "0")


def test_a_reference_belongs_to_one_allowance(wallet: Wallet, alice: str, bob: str) -> None:  # R36
    given = approve(wallet, bob, "5", "--ref", "gym")
    again = approve(wallet, bob, "5.0", "--ref", "gym")
    assert (again["id"], again["existing"]) == (given["id"], True)
    anybody = "rdmx6-jaaaa-aaaaa-aaadq-cai"
    for refused in (
        approve(wallet, anybody, "5", "--ref", "gym", code=2),
        approve(wallet, bob, "6", "--ref", "gym", code=2),
        approve(wallet, bob, "5", "--lasts", "1h", "--ref", "gym", code=2),
        approve(wallet, bob, "5", "--ref", "another", code=2),
        wallet.prepare(bob, "5", "--ref", "gym", code=2),
    ):
        assert refused["error"]["field"] == "ref"
        assert given["id"] in refused["error"]["message"]
    assert [each["id"] for each in wallet.json("intents")] == [given["id"]]


def test_an_allowance_is_not_confirmed_without_its_digest(wallet: Wallet, devnet: Devnet, bob: str) -> None:  # R15
    given = approve(wallet, bob)
    before = len(devnet.blocks())
    for digest in ((), ("--digest", "0" * 16)):
        assert wallet.json("confirm", given["id"], *digest, code=2)["error"]["field"] == "digest"
    assert wallet.json("show", given["id"])["state"] == "prepared"
    assert len(devnet.blocks()) == before


def test_more_than_was_allowed_is_refused_by_the_ledger(wallet: Wallet, devnet: Devnet, alice: str, bob: str) -> None:
    anybody = "rdmx6-jaaaa-aaaaa-aaadq-cai"
    taken = wallet.prepare(anybody, "9", "--from", alice, "--identity", "bob")
    assert any("more than you are allowed to take (0 TOK" in warning for warning in taken["card"]["warnings"])
    refused = wallet.confirm(taken, code=1)
    assert (refused["class"], refused["case"], refused["moved"]) == ("fail", "Err.InsufficientAllowance", False)
    assert refused["payload"] == {"allowance": "0"}
    assert "You may take 0 TOK from that account, and this takes 9.0001 TOK" in words_of(wallet, "show", taken["id"])


def test_an_allowance_that_would_have_ended_already_is_to_be_fixed(wallet: Wallet, devnet: Devnet, bob: str) -> None:
    given = approve(wallet, bob, "5", "--lasts", "10s")
    devnet.jump(60)
    refused = wallet.confirm(given, code=3)
    assert (refused["class"], refused["case"], refused["moved"]) == ("fix_input", "Err.Expired", False)
    assert "The allowance would have ended already" in words_of(wallet, "show", given["id"])


def test_a_lost_approve_is_already_done_in_its_own_block(wallet: Wallet, devnet: Devnet, bob: str) -> None:  # R19, R20
    prove_dedup(wallet)
    before = len(devnet.blocks())
    given = approve(wallet, bob, "5", "--lasts", "24h")
    devnet.arm("lose_reply")
    devnet.arm("forget_status")
    unknown = wallet.confirm(given, "--timeout", "1.5", code=4)
    assert (unknown["state"], unknown["moved"]) == ("unknown", None)
    assert "the spender may be allowed to take it" in words_of(wallet, "show", given["id"])
    devnet.jump(EXPIRY_S)
    done = wallet.go_on(unknown["next"])
    (block,) = devnet.blocks()[before:]
    assert (done["class"], done["duplicate_of"], done["alarms"]) == ("already_done", block["index"], [])
    assert (done["duplicate"]["spender"], done["duplicate"]["differs"]) == (bob, [])


def test_a_new_stamp_moves_the_end_of_an_allowance_along(wallet: Wallet, devnet: Devnet, bob: str) -> None:  # R23
    old = approve(wallet, bob, "5", "--lasts", "12h")
    devnet.jump(DAY_S + 1)
    late = wallet.confirm(old, code=5)
    new = wallet.go_on(late["next"])
    assert (new["supersedes"], new["card"]["to"]) == (old["id"], bob)
    assert int(new["card"]["expires_at"]) - int(new["stamp"]) == 12 * HOUR_NS
    assert wallet.confirm(new)["moved"] is True


def test_lists_tell_the_methods_apart(wallet: Wallet, alice: str, bob: str) -> None:
    given, revoked = approve(wallet, bob, "5"), approve(wallet, bob, "0")
    taken = wallet.prepare(bob, "2", "--from", alice, "--identity", "bob")
    lines = {line.split()[2]: line for line in words_of(wallet, "intents").splitlines()}
    assert f"allow 5 TOK → {bob}" in lines[given["id"]]
    assert f"revoke the allowance → {bob}" in lines[revoked["id"]]
    assert f"2 TOK of {alice} → {bob}" in lines[taken["id"]]

    shown = words_of(wallet, "show", given["id"])
    assert "until     no end" in shown
    assert "An allowance of 5 TOK is prepared" in shown
    assert "The end of an allowance is prepared" in words_of(wallet, "show", revoked["id"])
    shown = words_of(wallet, "show", taken["id"])
    assert f"from      {alice}, which is not yours" in shown
    assert f"by        bob · {bob}" in shown


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({}, "to"),
        ({"--to": "bob", "--approve": "bob"}, "approve"),
        ({"--to": "bob", "--lasts": "24h"}, "lasts"),
        ({"--to": "bob", "--from": "bob", "--lasts": "24h"}, "lasts"),
        ({"--approve": "bob", "--from": "bob"}, "from"),
        ({"--approve": "bob", "--lasts": "soon"}, "lasts"),
        ({"--approve": "bob", "--lasts": "0s"}, "lasts"),
        ({"--approve": "bob", "--lasts": ""}, "lasts"),
        ({"--approve": "bob", "--amount": "max"}, "amount"),
        ({"--approve": "alice"}, "approve"),
        ({"--approve": "nobody"}, "approve"),
        ({"--approve": "id"}, "approve"),
        ({"--to": "bob", "--from": "alice"}, "from"),
        ({"--to": "bob", "--from": "nobody"}, "from"),
        ({"--to": "bob", "--from": "id"}, "from"),
        ({"--to": "bob", "--from": ""}, "from"),
        ({"--to": "id"}, "to"),
    ],
)
def test_what_cannot_be_meant_names_its_field(
    wallet: Wallet,
    alice: str,
    bob: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: dict[str, str],
    field: str,
) -> None:
    for name, value in wallet.environment.items():
        monkeypatch.setenv(name, value)
    names = {"alice": alice, "bob": bob, "id": id_of(bob)}
    chosen = {"--ledger": "TOK", "--amount": "1", **{name: names.get(value, value) for name, value in options.items()}}
    code = run(["prepare", "--json", *(word for pair in chosen.items() for word in pair)])
    error = json.loads(capsys.readouterr().out)["error"]
    assert (code, error["exit"], error["field"]) == (2, 2, field), error["message"]
    assert run(["intents", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


# --- the ICP ledger ---


def id_of(account: str) -> str:
    return AccountId.of(Account.from_text(account)).text


@pytest.fixture(scope="session")
def icp_network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Devnet]:
    with running_devnet(tmp_path_factory.mktemp("icp"), "--icp") as devnet:
        yield devnet


@pytest.fixture
def icp(icp_network: Devnet) -> Iterator[Devnet]:
    yield icp_network
    icp_network.clear()


@pytest.fixture(scope="session")
def icp_template(template: Wallet, icp_network: Devnet, alice: str, tmp_path_factory: pytest.TempPathFactory) -> Wallet:
    wallet = template.copy_to(tmp_path_factory.mktemp("icp-wallet") / "data")
    wallet.json("network", "add", "icp", icp_network.url)
    wallet.json("ledger", "add", icp_network.ledger)
    icp_network.fund(alice, MONEY)
    return wallet


@pytest.fixture
def icp_wallet(icp_template: Wallet, icp: Devnet, tmp_path: Path) -> Wallet:
    return icp_template.copy_to(tmp_path / "icp-data")


def pay_id(wallet: Wallet, account_id: str, amount: str = "1.5", *more: str, code: int = 0) -> Any:
    return wallet.json("prepare", "--ledger", "ICP", "--to", account_id, "--amount", amount, *more, code=code)


def test_an_account_id_is_paid_with_a_number_for_a_memo(icp_wallet: Wallet, icp: Devnet, bob: str) -> None:
    intent = pay_id(icp_wallet, id_of(bob), "1.5", "--memo", "77")
    assert intent.keys() == FIELDS
    assert intent["card"].keys() == CARD
    assert (intent["method"], intent["card"]["to"]) == ("transfer", id_of(bob))
    assert (intent["card"]["memo_text"], intent["card"]["memo_hex"]) == ("77", None)
    assert pay_id(icp_wallet, id_of(bob), "1.50", "--memo", "77") == {**intent, "existing": True}
    assert "memo      77 (a number)" in words_of(icp_wallet, "show", intent["id"])
    done = icp_wallet.confirm(intent)
    block = icp.blocks()[-1]
    assert (done["class"], done["block"]) == ("success", block["index"])
    assert (block["tx"]["to"], block["tx"]["memo_number"]) == (id_of(bob), "77")
    assert f"1.5 ICP → {id_of(bob)}" in words_of(icp_wallet, "intents")


def test_an_account_on_the_icp_ledger_is_paid_by_the_standard(icp_wallet: Wallet, bob: str) -> None:
    intent = icp_wallet.json("prepare", "--ledger", "ICP", "--to", bob, "--amount", "1", "--memo", "tea")
    assert (intent["method"], intent["card"]["to"]) == ("icrc1_transfer", bob)
    assert icp_wallet.confirm(intent)["moved"] is True


@pytest.mark.parametrize(
    ("option", "value", "field"),
    [("--memo", "tea", "memo"), ("--memo", "-1", "memo"), ("--memo-hex", "07", "memo_hex"), ("--to", "0" * 64, "to")],
)
def test_what_the_icp_ledger_cannot_take_names_its_field(
    icp_wallet: Wallet, bob: str, option: str, value: str, field: str
) -> None:
    chosen = {"--ledger": "ICP", "--to": id_of(bob), "--amount": "1", option: value}
    refused = icp_wallet.json("prepare", *(word for pair in chosen.items() for word in pair), code=2)
    assert refused["error"]["field"] == field
    assert icp_wallet.json("intents") == []


def test_a_stamp_too_old_for_the_icp_ledger_asks_for_a_new_one(icp_wallet: Wallet, icp: Devnet, bob: str) -> None:
    old = pay_id(icp_wallet, id_of(bob), "1.5", "--memo", "7")
    icp.arm("result", "TxTooOld")
    late = icp_wallet.confirm(old, code=5)  # R23
    assert (late["state"], late["class"], late["case"]) == ("retry_new", "retry_new", "Err.TxTooOld")
    assert "too old (TxTooOld)" in words_of(icp_wallet, "show", old["id"])
    new = icp_wallet.go_on(late["next"])
    assert (new["supersedes"], new["card"]["to"], new["card"]["memo_text"]) == (old["id"], id_of(bob), "7")
    assert icp_wallet.confirm(new)["moved"] is True


def lost(wallet: Wallet, icp: Devnet, bob: str) -> Any:
    """A payment to an account id that executed, whose reply was lost and of which the network has forgotten."""
    icp.arm("lose_reply")
    icp.arm("forget_status")
    found = wallet.confirm(pay_id(wallet, id_of(bob)), "--timeout", "1.5", code=4)
    assert (found["state"], found["moved"]) == ("unknown", None)
    icp.jump(EXPIRY_S)
    return found


def test_a_lost_payment_to_an_id_is_already_done_where_repeats_are_known(
    icp_wallet: Wallet, icp: Devnet, bob: str
) -> None:  # R19, R20
    prove_dedup(icp_wallet)
    before = len(icp.blocks())
    done = icp_wallet.go_on(lost(icp_wallet, icp, bob)["next"])
    (block,) = icp.blocks()[before:]
    assert (done["class"], done["case"], done["moved"]) == ("already_done", "Err.TxDuplicate", True)
    assert (done["block"], done["duplicate_of"]) == (block["index"], block["index"])
    assert (done["duplicate"], done["alarms"]) == (None, [])  # this ledger shows no blocks that could be compared
    assert "The block could not be read; the ledger's answer stands." in words_of(icp_wallet, "show", done["id"])


def test_a_lost_payment_to_an_id_asks_where_they_are_not(icp_wallet: Wallet, icp: Devnet, bob: str) -> None:  # R19, R25
    before = len(icp.blocks())
    asked = icp_wallet.go_on(lost(icp_wallet, icp, bob)["next"], code=6)
    assert (asked["state"], asked["moved"], len(asked["attempts"])) == ("ask", None, 1)
    unread = icp_wallet.json("answer", asked["id"], "--executed", icp.blocks()[-1]["index"], code=2)
    assert unread["error"]["field"] == "block"  # a block that is named is compared, and this ledger shows none
    answered = icp_wallet.json("answer", asked["id"], "--executed")
    assert (answered["settled_by"], answered["moved"]) == ("person", True)
    assert len(icp.blocks()) == before + 1
