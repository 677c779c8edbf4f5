"""What the program says and how it is asked: help and version as documents, answers in any order, helpful sentences."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import Devnet, Wallet
from tests.cli.test_trouble import DAY_S, EXPIRY_S, lost
from wallet.adapters.store import open_store
from wallet.cli.context import Common, Context
from wallet.cli.demo import open_demo
from wallet.core.errors import Refused
from wallet.core.finding import CannotTell, Span
from wallet.services.concluding import conclude


@pytest.mark.parametrize("words", [("--version", "--json"), ("--json", "--version")])
def test_the_version_is_one_document(wallet: Wallet, words: tuple[str, ...]) -> None:
    ran = wallet.run(*words)
    assert (ran.code, ran.err) == (0, "")
    assert ran.document.keys() == {"version"}
    assert wallet.run("--version").out == f"wallet {ran.document['version']}\n"


@pytest.mark.parametrize("words", [("--help",), ("prepare", "--help"), ("network", "-h")])
def test_help_is_one_document_too(wallet: Wallet, words: tuple[str, ...]) -> None:
    ran = wallet.run(*words, "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.document["help"] == wallet.run(*words).out.rstrip()


def test_a_pause_that_outlasts_the_command_says_so(wallet: Wallet, devnet: Devnet, bob: str) -> None:  # R17, design 2
    devnet.arm("lose_request", times=100)
    intent = wallet.prepare(bob)
    wallet.confirm(intent, "--timeout", "1", code=4)
    for more in ((), ("--json",)):
        ran = wallet.run("resume", intent["id"], "--timeout", "2", *more)
        assert ran.code == 4
        said, last = ran.err.splitlines()[-2:]
        assert "this ends here" in said
        assert " s are to pass before " in said
        assert last == f"wallet resume {intent['id']}"


def test_a_superseded_intent_names_its_successor_whatever_is_asked_of_it(
    wallet: Wallet, devnet: Devnet, bob: str
) -> None:
    old = wallet.prepare(bob)
    devnet.jump(DAY_S + 1)
    wallet.confirm(old, code=5)
    new = wallet.json("restamp", old["id"])
    for command in ("confirm", "reconcile"):
        more = ("--digest", old["digest"]) if command == "confirm" else ()
        assert new["id"] in wallet.json(command, old["id"], *more, code=2)["error"]["message"]
    for command in ("show", "resume"):
        ran = wallet.run(command, old["id"])
        assert f"{new['id']} took its place" in ran.out


def asked(wallet: Wallet, devnet: Devnet, bob: str) -> str:
    """An intent in state `ask`, as a history that cannot tell leaves it."""
    intent = lost(wallet, devnet, bob)
    devnet.jump(DAY_S + EXPIRY_S)
    with closing(open_store(wallet.folder)) as store:
        found = store.intent(intent["id"])
        assert found is not None
        conclude(store, found, CannotTell(Span(None, None), "an archive is silent", asks=True))
    return str(intent["id"])


@pytest.mark.parametrize(
    ("words", "moved"),
    [
        (("--executed", "ID"), True),
        (("ID", "--executed"), True),
        (("--not-executed", "ID"), False),
        (("ID", "--not-executed"), False),
    ],
)
def test_an_answer_may_be_given_in_either_order(
    wallet: Wallet, devnet: Devnet, bob: str, words: tuple[str, ...], moved: bool
) -> None:
    intent_id = asked(wallet, devnet, bob)
    given = [word.replace("ID", intent_id) for word in words]
    answered = wallet.json("answer", *given, code=0 if moved else 5)
    assert (answered["id"], answered["settled_by"], answered["moved"]) == (intent_id, "person", moved)


@pytest.mark.parametrize("words", [("--executed", "BLOCK", "ID"), ("ID", "--executed", "BLOCK")])
def test_a_block_may_be_named_in_either_order(wallet: Wallet, devnet: Devnet, bob: str, words: tuple[str, ...]) -> None:
    intent_id = asked(wallet, devnet, bob)
    block = devnet.blocks()[-1]["index"]
    given = [word.replace("ID", intent_id).replace("BLOCK", block) for word in words]
    assert wallet.json("answer", *given)["block"] == block


@pytest.mark.parametrize("words", [("--executed",), ("--executed", "5"), ("--not-executed",), ("amber-fox-71",)])
def test_an_answer_without_its_intent_or_its_word_is_wrong_usage(wallet: Wallet, words: tuple[str, ...]) -> None:
    assert wallet.json("answer", *words, code=2)["error"]["message"]


async def test_a_second_demo_is_told_that_one_is_running(tmp_path: Path) -> None:
    with Context(Common(data_dir=tmp_path)) as context:
        async with open_demo(tmp_path / "demo", context, fresh=False) as ready:
            for fresh in (False, True):
                with pytest.raises(Refused, match="already running"):
                    async with open_demo(tmp_path / "demo", context, fresh=fresh):
                        pass
            assert ready.store.identities()
        async with open_demo(tmp_path / "demo", context, fresh=False):
            pass


# --- a key store that cannot be opened --------------------------------------------------------------------------------


def without_its_key(wallet: Wallet) -> Wallet:
    wrong = wallet.folder.parent / "wrong"
    wrong.write_text("something else")
    wrong.chmod(0o600)
    return Wallet(wallet.folder, wrong)


def test_bare_resume_lists_what_it_cannot_ask_about(wallet: Wallet, devnet: Devnet, bob: str) -> None:  # R30, design 2
    intent, prepared = lost(wallet, devnet, bob), wallet.prepare(bob, "8")
    ran = without_its_key(wallet).run("resume", "--json")
    assert ran.code == 0
    found: dict[str, Any] = {each["id"]: each for each in json.loads(ran.out)}
    assert found[intent["id"]]["state"] == "unknown"
    assert found[prepared["id"]]["state"] == "prepared"
    assert ran.err.count("nobody can ask") == 1


def test_bare_resume_needs_no_key_where_there_is_nothing_to_ask(wallet: Wallet, bob: str) -> None:
    wallet.prepare(bob)
    ran = without_its_key(wallet).run("resume")
    assert ran.code == 0
    assert "passphrase" not in ran.err


def test_an_unknown_that_needs_a_key_that_cannot_be_had_is_shown(wallet: Wallet, devnet: Devnet, bob: str) -> None:
    intent = lost(wallet, devnet, bob)
    ran = without_its_key(wallet).run("resume", intent["id"], "--json")
    assert ran.code == 7
    assert (ran.document["id"], ran.document["moved"]) == (intent["id"], None)
    assert ran.last_line == f"wallet resume {intent['id']}"
