"""What is typed is checked beside its field, faults are sentences, and foreign text is only ever text."""

import time
from dataclasses import replace

import pytest
from textual.widgets import Input, Static

from tests.builders import BOB
from tests.tui.conftest import World, until
from tests.tui.fake_ledger import TERMS
from tests.tui.fake_network import FakeNetwork
from tests.tui.scenes import SCENES, Scene, fill_form, fix_input, open_awake_card, open_card, open_it
from tests.tui.test_life import listed, shown
from wallet.core.errors import StoreFault, VaultFault
from wallet.core.intent import State
from wallet.services import wording
from wallet.tui.app import WalletApp
from wallet.tui.screens.card import CardScreen
from wallet.tui.screens.home import HomeScreen
from wallet.tui.screens.intent import IntentScreen
from wallet.tui.screens.send import SendScreen

EVIL = "[bold red]x[/] [@click=app.quit]y[/]"


def said(app: WalletApp) -> str:
    return "\n".join(str(each.message) for each in app._notifications)


@pytest.mark.parametrize(
    ("field", "typed", "why"),
    [
        ("to", BOB.text[:-1], "checksum"),
        ("to", "a" * 64, "not an account id"),
        ("amount", "1,5", "without commas"),
        ("amount", "0.123456789", "8 digits after the point"),
        ("amount", "-1", "without a sign"),
        ("memo", "x" * 33, "at most 32 bytes"),
        ("from_subaccount", "0x1", "without 0x"),
    ],
)
async def test_what_cannot_be_right_is_said_beside_its_field(world: World, field: str, typed: str, why: str) -> None:
    app = world.app()
    async with app.run_test() as pilot:
        await pilot.press("s")
        await fill_form(pilot, **{field: typed})
        assert why in shown(app, f"#hint-{field}")
        assert app.screen.query_one(f"#{field}").has_class("wrong")


async def test_an_empty_form_prepares_nothing_and_says_what_is_missing(world: World) -> None:
    app = world.app()
    async with app.run_test() as pilot:
        await pilot.press("s", "f2")
        await until(pilot, lambda: "no account given" in shown(app, "#hint-to"))
        assert app.focused is not None
        assert app.focused.id == "to"
        assert app.session.intents() == []


async def test_preparing_goes_to_the_first_field_that_cannot_be_right_and_keeps_every_reason(world: World) -> None:
    app = world.app()
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.press("s")
        await fill_form(pilot, to=BOB.text, amount="1,5", from_subaccount="0x1")
        app.screen.query_one("#from_subaccount").focus()
        await pilot.press("f2")
        await pilot.pause()
        assert app.focused is not None
        assert app.focused.id == "amount"
        for field, why in (("amount", "without commas"), ("from_subaccount", "without 0x")):
            assert why in shown(app, f"#hint-{field}")
        hint = app.screen.query_one("#hint-amount")
        assert app.screen.query_one("#form").region.contains_region(hint.region)
        assert app.session.intents() == []


async def test_a_good_form_becomes_a_card(world: World) -> None:
    app = world.app()
    async with app.run_test() as pilot:
        await pilot.press("s")
        await fill_form(pilot, to=BOB.text, amount="1.5", memo="invoice 77")
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(app.screen, CardScreen))
        text = shown(app, "#card-text")
        for part in ("1.50000000 TOK", "0.00010000 TOK", "1.50010000 TOK", BOB.text, '"invoice 77"', "icrc1_transfer"):
            assert part in text
        (intent,) = app.session.intents()
        assert intent.state is State.PREPARED


@pytest.mark.parametrize(
    ("zone", "says"), [("UTC-9", "16:59:59 +0900 here"), ("UTC+9", "2027-01-14 22:59:59 -0900 here")]
)
async def test_the_stamp_is_told_in_the_persons_own_time_too(
    world: World, monkeypatch: pytest.MonkeyPatch, zone: str, says: str
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    app = world.app()
    intent = await world.prepared(app.session)
    async with app.run_test() as pilot:
        await open_card(world, pilot, intent)
        assert f"2027-01-15 07:59:59 UTC, the ledger's clock ({says})" in " ".join(shown(app, "#card-text").split())


async def test_preparing_the_same_again_shows_the_same_card_and_says_so(world: World) -> None:  # R13
    session = world.session()
    intent = await world.prepared(session)
    app = world.app()
    async with app.run_test() as pilot:
        await pilot.press("s")
        await fill_form(pilot, to=BOB.text, amount="1.50")
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(app.screen, CardScreen))
        assert str(app.screen.query_one("#card").border_title).startswith("You have prepared this before")
        assert [each.id for each in app.session.intents()] == [intent.id]


async def test_fix_input_reopens_the_form_with_the_field_marked(world: World) -> None:  # R26
    session = world.session()
    intent = await fix_input(world, session)
    app = world.app()
    async with app.run_test() as pilot:
        await open_it(world, pilot, intent)
        await pilot.click("#correct")
        await until(pilot, lambda: isinstance(app.screen, SendScreen))
        await pilot.pause(0.1)
        assert app.screen.query_one("#to", Input).value == BOB.text
        assert app.screen.query_one("#amount", Input).value == "1.5"
        assert app.screen.query_one("#memo", Input).value == "invoice 77"
        marked = "\n".join(str(each.render()) for each in app.screen.query(".hint").results(Static))
        assert "The ledger's fee is 0.0002 TOK, not 0.0001 TOK." in marked
        assert app.screen.query(".wrong")


@pytest.mark.parametrize("trouble", ["silent", "terms"])
async def test_what_keeps_it_from_preparing_is_a_sentence_on_the_form(world: World, trouble: str) -> None:
    app = world.app()
    async with app.run_test() as pilot:
        await pilot.press("s")
        await fill_form(pilot, to=BOB.text, amount="1.5")
        if trouble == "silent":
            world.network.silent = "connection refused"
        else:
            world.network.terms_stated = replace(TERMS, decimals=6)
        await pilot.press("f2")
        await until(pilot, lambda: ("cannot be reached" if trouble == "silent" else "its decimals were 8") in said(app))
        assert isinstance(app.screen, SendScreen)
        assert app.session.intents() == []


@pytest.mark.parametrize("fault", [StoreFault("The disk is full."), VaultFault("There is no key."), KeyError("defect")])
async def test_what_keeps_it_from_sending_is_a_sentence_and_the_intent_stays(
    world: World, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    app = world.app()
    intent = await world.prepared(app.session)

    def broken(*_: object, **__: object) -> None:
        raise fault

    if isinstance(fault, StoreFault):
        monkeypatch.setattr(type(app.session.store), "begin_attempt", broken)
    elif isinstance(fault, VaultFault):
        monkeypatch.setattr(world.vault, "get", broken)
    else:
        monkeypatch.setattr(FakeNetwork, "seal", broken)
    async with app.run_test() as pilot:
        await open_awake_card(world, pilot, intent)
        await pilot.click("#confirm")
        await until(pilot, lambda: str(fault.args[0]) in said(app))
        assert world.network.posts == 0
        assert world.found(intent).state is State.PREPARED


async def test_markup_in_a_memo_is_shown_as_it_is(world: World) -> None:
    app = world.app()
    intent = await world.prepared(app.session, memo="[b]x[/][@click=app.quit]y")
    async with app.run_test() as pilot:
        await open_card(world, pilot, intent)
        assert '"[b]x[/][@click=app.quit]y"' in shown(app, "#card-text")


async def test_markup_in_a_ledgers_words_is_shown_as_it_is(empty_world: World) -> None:
    world = empty_world
    world.network.terms_stated = replace(TERMS, symbol="[b]T[/]", name=EVIL)
    world.settle_in(symbol="[b]T[/]", name=EVIL)
    app = world.app()
    intent = await world.prepared(app.session)
    async with app.run_test() as pilot:
        await until(pilot, lambda: "[b]T[/]" in shown(app, "#accounts"))
        assert "1.5 [b]T[/]" in listed(app, "#unsettled")
        await open_card(world, pilot, intent)
        assert "1.50000000 [b]T[/]" in shown(app, "#card-text")
        await app.push_screen(IntentScreen(intent.id))
        await pilot.pause()
        assert "[b]T[/]" in str(app.screen.query_one("#intent").border_title).replace("\\", "")


async def test_what_cannot_be_seen_is_shown_as_its_code(empty_world: World) -> None:
    world = empty_world
    world.network.terms_stated = replace(TERMS, symbol="T\u202eKO")
    world.settle_in(symbol="T\u202eKO")
    app = world.app()
    await world.prepared(app.session)
    async with app.run_test() as pilot:
        await pilot.pause(0.1)
        assert "\u202e" not in listed(app, "#unsettled")
        assert "T\\u202eKO" in listed(app, "#unsettled")


@pytest.mark.parametrize("scene", [each for each in SCENES if each.then is open_it], ids=lambda each: each.name)
async def test_an_outcome_is_told_by_glyph_word_and_sentence(world: World, scene: Scene) -> None:
    session = world.session()
    intent = await scene.before(world, session)
    assert intent is not None
    app = WalletApp(session)
    async with app.run_test() as pilot:
        await open_it(world, pilot, intent)
        current = world.found(intent)
        text = shown(app)
        assert f"{wording.glyph(current)} {wording.word(current)}" in text
        assert wording.headline(current) in text
        assert wording.explanation(current) in text


async def test_every_binding_has_an_id_and_a_tooltip(world: World) -> None:
    app = world.app()
    async with app.run_test() as pilot:
        for keys in ((), ("s",), ("escape", "v")):
            await pilot.press(*keys)
            for active in app.screen.active_bindings.values():
                if not active.binding.system and active.binding.show:
                    assert active.binding.id
                    assert active.binding.tooltip


async def test_help_lists_the_keys_of_the_screen_it_was_called_from(world: World) -> None:
    app = world.app()
    async with app.run_test() as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        text = shown(app, "#card-text")
        assert "Prepare a transfer" in text
        assert "Show your own account in full" in text
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))


async def test_receive_shows_the_account_in_full(world: World) -> None:
    app = world.app()
    async with app.run_test() as pilot:
        await pilot.press("v")
        await pilot.pause()
        assert app.session.identity is not None
        assert app.session.identity.principal.text in shown(app, "#card-text").replace("\n", "")


async def test_the_palette_has_every_key_of_the_screen_and_what_is_unsettled(world: World) -> None:
    app = world.app()
    intent = await world.prepared(app.session)
    async with app.run_test() as pilot:
        commands = {each.title: each for each in app.get_system_commands(app.screen)}
        assert {"Send", "Receive", "Help", "Quit", f"Open {intent.id}"} <= commands.keys()
        commands["Send"].callback()
        await until(pilot, lambda: isinstance(app.screen, SendScreen))
        commands[f"Open {intent.id}"].callback()
        await until(pilot, lambda: isinstance(app.screen, CardScreen))
