"""Prepare, confirm, show: the ordinary way, in the real program."""

from pathlib import Path

import pytest

from tests.cli.program import Devnet, Wallet

FIELDS = {
    *("id", "ref", "state", "class", "case", "payload", "settled", "settled_by", "moved", "existing", "dropped"),
    *("block", "duplicate_of", "duplicate", "history", "stamp", "window_closes", "digest", "bytes_sha256", "network"),
    *("ledger", "method", "sender", "card", "attempts", "alarms", "supersedes", "superseded_by", "next"),
}
CARD = {
    *("from", "to", "amount", "fee", "total", "amount_text", "fee_text", "total_text", "memo_hex", "memo_text"),
    *("symbol", "decimals", "warnings"),
}
ATTEMPT = {"n", "request_id", "sent_at", "expiry", "posts", "outcome", "detail"}


def test_the_same_payment_is_the_same_intent(wallet: Wallet, bob: str) -> None:  # R10, R13
    first = wallet.prepare(bob, "1.5", "--memo", "tea")
    again = wallet.prepare(bob, "1.50", "--memo-hex", "746561")
    assert (first["existing"], again["existing"]) == (False, True)
    assert {**again, "existing": False} == first
    assert first.keys() == FIELDS
    assert first["card"].keys() == CARD
    assert (first["state"], first["moved"], first["attempts"]) == ("prepared", False, [])
    assert first["digest"] == first["bytes_sha256"][:16]
    assert first["card"]["amount"] == "150000000"
    assert first["card"]["total_text"] == "1.50010000"


def test_a_confirmed_intent_moves_once_and_sends_the_bytes_of_its_card(
    wallet: Wallet, devnet: Devnet, bob: str
) -> None:  # R12, R15
    before = len(devnet.blocks())
    intent = wallet.prepare(bob)
    done = wallet.confirm(intent)
    (block,) = devnet.blocks()[before:]
    shown = wallet.json("show", intent["id"])
    assert block["arguments_sha256"] == shown["bytes_sha256"] == intent["bytes_sha256"]
    assert (done["state"], done["class"], done["case"], done["moved"]) == ("settled", "success", "Ok", True)
    assert (done["block"], done["payload"], done["settled_by"]) == (block["index"], block["index"], "reply")
    assert done["next"] is None
    (attempt,) = done["attempts"]
    assert attempt.keys() == ATTEMPT
    assert (attempt["n"], attempt["posts"], attempt["outcome"], attempt["detail"]) == (1, 1, "replied", "Ok")
    assert shown == done


def test_a_settled_intent_is_not_confirmed_again(wallet: Wallet, devnet: Devnet, bob: str) -> None:  # R14
    intent = wallet.prepare(bob)
    wallet.confirm(intent)
    before = len(devnet.blocks())
    assert wallet.confirm(intent, code=2)["error"]["exit"] == 2
    assert wallet.json("resume", intent["id"])["class"] == "success"
    anew = wallet.prepare(bob)
    assert (anew["existing"], anew["id"] == intent["id"]) == (False, False)
    assert int(anew["stamp"]) > int(intent["stamp"])
    assert len(devnet.blocks()) == before


@pytest.mark.parametrize("digest", [(), ("--digest", "0" * 16), ("--digest", ""), ("--digest", "1")])
def test_nothing_is_confirmed_without_the_digest(
    wallet: Wallet, devnet: Devnet, bob: str, digest: tuple[str, ...]
) -> None:  # R15
    intent = wallet.prepare(bob)
    before = len(devnet.blocks())
    error = wallet.json("confirm", intent["id"], *digest, code=2)["error"]
    assert (error["exit"], error["field"]) == (2, "digest")
    assert wallet.json("show", intent["id"])["state"] == "prepared"
    assert len(devnet.blocks()) == before


def test_max_sends_the_balance_less_the_fee(wallet: Wallet, devnet: Devnet, bob: str) -> None:
    subaccount = "7"
    mine = wallet.prepare(bob, "1", "--from-subaccount", subaccount)["card"]["from"]
    devnet.fund(mine, 5_000_000)
    intent = wallet.prepare(bob, "max", "--from-subaccount", subaccount)
    assert intent["card"]["amount"] == "4990000"
    assert wallet.confirm(intent)["moved"] is True


def test_a_reference_belongs_to_one_intent(wallet: Wallet, bob: str) -> None:  # R36
    intent = wallet.prepare(bob, "2", "--ref", "order 7")
    assert wallet.prepare(bob, "2.0", "--ref", "order 7")["id"] == intent["id"]
    assert wallet.prepare(bob, "3", "--ref", "order 7", code=2)["error"]["field"] == "ref"
    wallet.confirm(intent)
    again = wallet.prepare(bob, "2", "--ref", "order 7")
    assert (again["id"], again["state"], again["existing"]) == (intent["id"], "settled", True)


def test_a_person_reads_the_whole_card(wallet: Wallet, bob: str) -> None:
    ran = wallet.run("prepare", "--ledger", "TOK", "--to", bob, "--amount", "1.5", "--memo", "tea")
    assert ran.code == 0
    for text in (bob, "1.50000000 TOK", "0.00010000 TOK", "1.50010000 TOK", '"tea"', "on local", "wallet confirm "):
        assert text in ran.out
    assert ran.err == ""


def test_progress_goes_to_stderr_and_the_result_to_stdout(wallet: Wallet, bob: str) -> None:
    intent = wallet.prepare(bob)
    ran = wallet.run("confirm", intent["id"], "--digest", intent["digest"])
    assert ran.code == 0
    assert "certified" in ran.err
    assert "success" in ran.out
    assert intent["card"]["to"] in ran.out


def test_lists_show_what_is_unsettled_first(wallet: Wallet, bob: str) -> None:
    done, kept, dropped = (wallet.prepare(bob, amount) for amount in ("1", "2", "3"))
    wallet.confirm(done)
    assert wallet.json("drop", dropped["id"])["dropped"] is True
    assert wallet.json("intents")[0]["id"] == kept["id"]
    assert {each["id"] for each in wallet.json("intents")} == {each["id"] for each in (done, kept, dropped)}
    assert [each["id"] for each in wallet.json("intents", "--unsettled")] == [kept["id"]]


def test_a_dropped_intent_comes_back_when_it_is_prepared_again(wallet: Wallet, bob: str) -> None:  # R14
    intent = wallet.prepare(bob)
    wallet.json("drop", intent["id"])
    for words in (("confirm", intent["id"], "--digest", intent["digest"]), ("resume", intent["id"])):
        wallet.json(*words, code=2)
    again = wallet.prepare(bob)
    assert (again["id"], again["dropped"], again["existing"]) == (intent["id"], False, True)
    assert wallet.confirm(again)["moved"] is True


def test_an_intent_belongs_to_its_network_and_its_sender(wallet: Wallet, bob: str) -> None:
    intent = wallet.prepare(bob)
    wallet.json("identity", "use", "bob")
    for option in (("--network", "mainnet"), ("--identity", "bob")):
        assert wallet.confirm(intent, *option, code=2)["error"]["exit"] == 2
    assert wallet.confirm(intent)["moved"] is True


def test_common_options_stand_before_or_after_the_command(wallet: Wallet, tmp_path: Path) -> None:
    other = tmp_path / "other"
    before = wallet.run("--data-dir", str(other), "--json", "network", "list")
    after = wallet.run("network", "list", "--json", "--data-dir", str(other))
    assert before == after
    assert [each["name"] for each in after.document] == ["mainnet"]


def test_the_command_that_goes_on_names_the_folder_that_was_named(wallet: Wallet, bob: str) -> None:
    where = ("--data-dir", str(wallet.folder))
    intent = wallet.prepare(bob, "4", *where)
    assert intent["next"] == f"wallet confirm {intent['id']} --data-dir {wallet.folder}"


def test_the_balance_is_exact(wallet: Wallet, devnet: Devnet) -> None:
    devnet.fund(wallet.account("bob"), 29)
    (each,) = wallet.json("balance", "TOK", "--identity", "bob")
    assert int(each["amount"]) > 0
    whole, _, fraction = each["amount_text"].partition(".")
    assert int(whole + fraction) == int(each["amount"])
    assert len(fraction) == each["decimals"] == 8
