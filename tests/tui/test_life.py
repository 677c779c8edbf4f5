"""Sends outlive their screens and the wallet itself; what is shown is what is on disk (R29-R33)."""

import pytest
from textual.widgets import OptionList, Static

from tests.tui.conftest import World, until
from tests.tui.scenes import confirmed, held, open_it, prepare, retry_new, unknown
from wallet.core.errors import StoreFault
from wallet.core.intent import State
from wallet.core.ledger_time import MINUTE
from wallet.tui.app import WalletApp
from wallet.tui.screens import home
from wallet.tui.screens.home import HomeScreen
from wallet.tui.screens.intent import IntentScreen
from wallet.tui.screens.restamp import RestampScreen


def shown(app: WalletApp, where: str = "#intent-text") -> str:
    return str(app.screen.query_one(where, Static).render())


def listed(app: WalletApp, where: str) -> str:
    options = app.screen.query_one(where, OptionList)
    return "\n".join(str(each.prompt) for each in options.options)


async def test_leaving_the_screen_keeps_the_send_alive(world: World) -> None:
    app = world.app()
    intent = await prepare(world, app.session)
    async with app.run_test() as pilot:
        await held(world, pilot, intent)
        assert isinstance(app.screen, IntentScreen)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert "sending" in listed(app, "#unsettled")
        world.network.go_on.set()
        await until(pilot, lambda: "block 1203" in listed(app, "#recent"))
    assert world.network.posts == 1


async def test_quitting_in_mid_send_leaves_the_truth_on_disk_and_reopening_settles_it(world: World) -> None:
    app = world.app()
    intent = await prepare(world, app.session)
    async with app.run_test() as pilot:
        await held(world, pilot, intent)
        await pilot.press("ctrl+q")
    again = world.session()
    left = again.intent(intent.id)
    assert left is not None
    assert left.state is State.UNKNOWN
    assert left.outcome.moved is None
    world.network.go_on.set()
    reopened = WalletApp(again)
    async with reopened.run_test() as pilot:
        # It is only asked about: nothing is sent without the person (R30).
        await until(pilot, lambda: not reopened.work.is_on(intent.id))
        assert world.network.posts == 1
        assert "unknown" in listed(reopened, "#unsettled")
        await open_it(world, pilot, intent)
        await pilot.click("#again")
        await until(pilot, lambda: world.found(intent).is_settled)
        await until(pilot, lambda: "moved in block 1203" in shown(reopened))
    assert world.network.payments == 1204


async def test_a_lost_reply_is_settled_by_reopening_alone(world: World) -> None:  # R30
    session = world.session()
    world.network.cues += ["lose_request"]
    intent = await confirmed(world, session, wait_s=0.5)
    world.network.arrive()
    assert intent.state is State.UNKNOWN
    app = world.app()
    async with app.run_test() as pilot:
        await until(pilot, lambda: world.found(intent).is_settled)
        await until(pilot, lambda: "block 1203" in listed(app, "#recent"))
    assert world.network.posts == 1


async def test_what_another_wallet_did_is_shown_within_a_second(world: World) -> None:  # R31
    app = world.app()
    async with app.run_test() as pilot:
        await until(pilot, lambda: "Nothing is unsettled" in listed(app, "#unsettled"))
        other = world.session()
        await world.prepared(other, "7.25")
        await until(pilot, lambda: "7.25 TOK" in listed(app, "#unsettled"))


async def test_intents_of_another_network_are_not_shown(world: World) -> None:
    session = world.session()
    intent = await world.prepared(session)
    world.network.root_key = bytes(133)
    world.settle_in()
    app = world.app()
    async with app.run_test() as pilot:
        await pilot.pause(0.1)
        assert intent.card.text_short(intent.card.amount) not in listed(app, "#unsettled")


async def test_the_old_and_the_new_stand_side_by_side_and_the_new_one_is_confirmed_by_itself(world: World) -> None:
    session = world.session()
    old = await retry_new(world, session)
    app = world.app()
    async with app.run_test() as pilot:
        await open_it(world, pilot, old)
        await pilot.click("#restamp")
        await until(pilot, lambda: isinstance(app.screen, RestampScreen))
        successor = world.found(old).superseded_by
        assert successor is not None
        text = shown(app, "#card-text")
        assert old.id in text
        assert successor in text
        assert world.network.posts == 0
        world.clock.seconds += 1
        await pilot.click("#go")
        await pilot.press("end")
        world.clock.seconds += 1
        await until(pilot, lambda: not app.screen.query_one("#confirm").disabled)
        assert world.network.posts == 0
        await pilot.click("#confirm")
        await until(pilot, lambda: world.network.posts == 1)
        await until(pilot, lambda: (heir := app.session.intent(successor)) is not None and heir.is_settled)
    assert world.found(old).attempts == ()


async def test_an_unreachable_network_is_said_and_nothing_is_asked_for(world: World) -> None:
    session = world.session()
    await unknown(world, session)
    world.network.silent = "connection refused"
    app = world.app()
    async with app.run_test() as pilot:
        await until(pilot, lambda: "does not answer" in str(app.screen.query_one("#status-right", Static).render()))
        assert "unknown" in listed(app, "#unsettled")


async def test_a_host_clock_that_is_off_is_named(world: World) -> None:  # R33
    world.network.host_clock_offset_ns = -3 * MINUTE
    app = world.app()
    async with app.run_test() as pilot:
        await until(pilot, lambda: "3 min behind" in str(app.screen.query_one("#status-right", Static).render()))


async def test_an_empty_wallet_says_what_to_do_first(empty_world: World) -> None:
    app = empty_world.app()
    async with app.run_test() as pilot:
        await pilot.pause(0.1)
        text = str(app.screen.query_one("#first-steps", Static).render())
        assert "wallet identity new" in text
        assert "wallet ledger add" in text
        shown_keys = {each.binding.action for each in app.screen.active_bindings.values() if each.enabled}
        assert "help" in shown_keys
        assert not {"send", "receive", "allowances"} & shown_keys


async def test_an_alarm_stands_on_home_however_old_it_is(world: World, monkeypatch: pytest.MonkeyPatch) -> None:  # R35
    monkeypatch.setattr(home, "RECENT", 2)
    session = world.session()
    old = await confirmed(world, session, "1")
    world.store.record_duplicate(world.found(old), None, ("amount",))
    for amount in ("2", "3", "4"):
        await confirmed(world, session, amount)
    app = world.app()
    async with app.run_test() as pilot:
        await until(pilot, lambda: "alarm" in listed(app, "#unsettled"))
        assert "1 TOK" in listed(app, "#unsettled")


async def test_an_alarm_stands_on_home_until_it_is_acknowledged(world: World) -> None:  # R35
    session = world.session()
    intent = await confirmed(world, session)
    stored = world.store.intent(intent.id)
    assert stored is not None
    world.store.record_duplicate(stored, None, ("amount",))
    app = world.app()
    async with app.run_test() as pilot:
        await until(pilot, lambda: "alarm" in listed(app, "#unsettled") + listed(app, "#recent"))
        await open_it(world, pilot, intent)
        await pilot.click("#acknowledge")
        await until(pilot, lambda: world.found(intent).alarms == ())


@pytest.mark.parametrize("where", ["intents", "change_counter"])
async def test_a_store_that_fails_is_a_sentence_and_not_the_end(
    world: World, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:  # R32
    app = world.app()
    async with app.run_test() as pilot:
        await pilot.pause(0.1)

        def broken(*_: object, **__: object) -> object:
            raise StoreFault("The store is damaged. Restore it from a backup.")

        monkeypatch.setattr(type(app.session.store), where, broken)
        app.show_changes()
        await pilot.pause(0.7)
        assert app.is_running
        assert any("damaged" in str(each.message) for each in app._notifications)
