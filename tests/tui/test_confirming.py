"""A confirmation cannot happen by accident, and happens once (R15)."""

import pytest
from textual import events
from textual.widgets import Button

from tests.tui.conftest import World, until
from tests.tui.scenes import awake, open_awake_card, open_card, prepare, prepare_long
from wallet.core.intent import Intent, State
from wallet.core.secret import Secret
from wallet.tui.app import WalletApp
from wallet.tui.screens.card import CardScreen
from wallet.tui.screens.home import HomeScreen
from wallet.tui.screens.intent import IntentScreen
from wallet.tui.screens.unlock import UnlockScreen


async def ready(world: World, *, is_long: bool = False) -> tuple[WalletApp, Intent]:
    app = world.app()
    return app, await (prepare_long if is_long else prepare)(world, app.session)


async def test_the_focus_starts_on_cancel(world: World) -> None:
    app, intent = await ready(world)
    async with app.run_test() as pilot:
        await open_awake_card(world, pilot, intent)
        assert app.focused is not None
        assert app.focused.id == "cancel"


async def test_confirm_sleeps_until_the_whole_card_was_shown(world: World) -> None:
    app, intent = await ready(world, is_long=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_card(world, pilot, intent)
        world.clock.seconds += 60
        await pilot.pause(0.25)
        assert app.screen.query_one("#confirm", Button).disabled
        await awake(world, pilot)
        assert not app.screen.query_one("#confirm", Button).disabled


async def test_confirm_sleeps_until_a_person_can_have_read_it(world: World) -> None:
    app, intent = await ready(world)
    async with app.run_test(size=(120, 60)) as pilot:
        await open_card(world, pilot, intent)
        await pilot.pause(0.25)
        assert app.screen.query_one("#confirm", Button).disabled
        await pilot.click("#confirm")
        assert world.network.posts == 0


async def test_the_button_says_what_it_does(world: World) -> None:
    app, intent = await ready(world)
    async with app.run_test() as pilot:
        await open_card(world, pilot, intent)
        assert str(app.screen.query_one("#confirm", Button).label) == "Confirm: send 1.5 TOK"


async def test_a_doubled_enter_sends_once(world: World) -> None:
    app, intent = await ready(world)
    async with app.run_test() as pilot:
        await open_awake_card(world, pilot, intent)
        app.screen.query_one("#confirm").focus()
        world.clock.seconds += 1
        await pilot.press("enter", "enter", "enter")
        await until(pilot, lambda: world.found(intent).is_settled)
        assert world.network.posts == 1
        assert len(world.found(intent).attempts) == 1


async def test_an_enter_meant_for_the_form_reaches_no_button_of_the_card(world: World) -> None:
    app, intent = await ready(world)
    async with app.run_test() as pilot:
        await open_card(world, pilot, intent)
        await pilot.press("enter", "enter")
        assert isinstance(app.screen, CardScreen)
        assert world.found(intent).state is State.PREPARED


async def test_a_paste_confirms_nothing(world: World) -> None:
    app, intent = await ready(world)
    async with app.run_test() as pilot:
        await open_awake_card(world, pilot, intent)
        app.screen.query_one("#confirm").focus()
        app.post_message(events.Paste("yes\n\n"))
        await pilot.pause(0.2)
        assert world.found(intent).state is State.PREPARED
        assert world.network.posts == 0


async def test_keys_that_come_faster_than_a_person_confirm_nothing(world: World) -> None:
    """A terminal without bracketed paste hands a paste over as keys: no time passes between them."""
    app, intent = await ready(world)
    async with app.run_test() as pilot:
        await open_awake_card(world, pilot, intent)
        await pilot.press("tab", "tab", "enter", "tab", "enter", "enter")
        await pilot.pause(0.2)
        assert world.found(intent).state is State.PREPARED
        assert world.network.posts == 0


async def test_cancel_leaves_the_intent_prepared(world: World) -> None:
    app, intent = await ready(world)
    async with app.run_test() as pilot:
        await open_awake_card(world, pilot, intent)
        world.clock.seconds += 1
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert world.found(intent).state is State.PREPARED
        assert not world.found(intent).dropped


async def test_drop_puts_it_away(world: World) -> None:
    app, intent = await ready(world)
    async with app.run_test() as pilot:
        await open_awake_card(world, pilot, intent)
        await pilot.click("#drop")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert world.found(intent).dropped


async def test_a_card_that_another_wallet_settled_cannot_be_confirmed(world: World) -> None:
    app, intent = await ready(world)
    async with app.run_test() as pilot:
        await open_awake_card(world, pilot, intent)
        other = world.session()
        await other.sending.confirm(intent.id, intent.digest, 5.0, lambda _: None)
        await until(pilot, lambda: isinstance(app.screen, IntentScreen))
        assert len(world.found(intent).attempts) == 1
        assert world.network.posts == 1


async def test_the_passphrase_is_asked_for_before_anything_is_sent(world: World) -> None:
    app, intent = await ready(world)
    world.vault.passphrase = Secret("open sesame")
    async with app.run_test() as pilot:
        await open_awake_card(world, pilot, intent)
        await pilot.click("#confirm")
        await until(pilot, lambda: isinstance(app.screen, UnlockScreen))
        await pilot.press(*"wrong", "enter")
        await until(pilot, lambda: "does not open" in str(app.screen.query_one("#card-note").render()))
        assert world.network.posts == 0
        await pilot.press(*"open", "space", *"sesame", "enter")
        await until(pilot, lambda: world.found(intent).is_settled)
        assert world.network.posts == 1


@pytest.mark.parametrize("leaves", ["escape", "ctrl+q"])
async def test_a_passphrase_that_is_not_given_leaves_the_card_as_it_was(world: World, leaves: str) -> None:
    app, intent = await ready(world)
    world.vault.passphrase = Secret("open sesame")
    async with app.run_test() as pilot:
        await open_awake_card(world, pilot, intent)
        await pilot.click("#confirm")
        await until(pilot, lambda: isinstance(app.screen, UnlockScreen))
        await pilot.press(leaves)
        if leaves == "escape":
            await until(pilot, lambda: isinstance(app.screen, CardScreen))
            await awake(world, pilot)  # and can be confirmed after all
    assert world.network.posts == 0
    assert world.found(intent).state is State.PREPARED
