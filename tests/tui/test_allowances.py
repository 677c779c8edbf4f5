"""Allowing, revoking and paying from another's account: on a card like a transfer's, in words of their own."""

import pytest
from textual.widgets import Select

from tests.builders import BOB
from tests.tui.conftest import SIGNER, World, until
from tests.tui.scenes import (
    CAROL,
    SHOP,
    allowances,
    awake,
    fill_form,
    open_awake_card,
    prepare_allowance,
    prepare_from_another,
    several_allowances,
)
from tests.tui.test_life import listed, shown
from wallet.core.account import Account, AccountId
from wallet.core.intent import State
from wallet.core.pack import Operation
from wallet.tui.app import WalletApp
from wallet.tui.screens.allowances import AllowancesScreen
from wallet.tui.screens.card import CardScreen
from wallet.tui.screens.send import SendScreen


def button(app: WalletApp) -> str:
    return str(app.screen.query_one("#confirm").render())


async def test_an_allowance_is_prepared_in_the_form_and_given_on_its_card(world: World) -> None:
    app = world.app()
    async with app.run_test() as pilot:
        await pilot.press("s")
        app.screen.query_one("#operation", Select).value = Operation.APPROVE
        await fill_form(pilot, to=SHOP.text, amount="5", lasts="30d")
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(app.screen, CardScreen))
        card = shown(app, "#card-text")
        for part in ("up to 5.00000000 TOK", SHOP.text, "the fee alone", "icrc2_approve, by the pack icrc2", "until"):
            assert part in card
        assert "Confirm: allow 5 TOK" in button(app)
        await awake(world, pilot)
        await pilot.click("#confirm")
        await until(pilot, lambda: world.network.given.get(Account(SIGNER)))
        (allowance,) = world.network.given[Account(SIGNER)]
        assert (allowance.spender, allowance.amount) == (SHOP, 500_000_000)


async def test_a_revocation_is_a_card_of_its_own_and_empties_the_list(world: World) -> None:
    session = world.session()
    await several_allowances(world, session)
    app = WalletApp(session)
    async with app.run_test() as pilot:
        await allowances(world, pilot, None)
        assert "1,000,000.00000000 TOK" in listed(app, "#allowances")
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, CardScreen))
        (intent,) = app.session.intents()
        assert (intent.card.operation, intent.card.amount, intent.card.recipient) == (Operation.APPROVE, 0, SHOP)
        assert "revokes the allowance of 5 TOK" in shown(app, "#card-text")
        assert "Confirm: revoke the allowance" in button(app)
        assert world.network.posts == 0
        await awake(world, pilot)
        await pilot.click("#confirm")
        await until(pilot, lambda: world.found(intent).is_settled)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, AllowancesScreen))
        await until(pilot, lambda: SHOP.text not in listed(app, "#allowances"))


async def test_a_payment_from_another_account_names_whose_money_moves(world: World) -> None:
    app = world.app()
    intent = await prepare_from_another(world, app.session)
    async with app.run_test() as pilot:
        await open_awake_card(world, pilot, intent)
        card = shown(app, "#card-text").replace("\n" + " " * 10, "")
        assert CAROL.text in card
        assert "not yours" in card
        assert "after" not in card  # what that account keeps is not ours to know
        await pilot.click("#confirm")
        await until(pilot, lambda: world.found(intent).is_settled)
        assert world.network.balances[BOB] == 125_000_000
        await until(pilot, lambda: "not yours" in shown(app))


async def test_fields_of_another_operation_are_neither_shown_nor_sent(world: World) -> None:
    app = world.app()
    async with app.run_test() as pilot:
        await pilot.press("s")
        operation = app.screen.query_one("#operation", Select)
        operation.value = Operation.APPROVE
        await fill_form(pilot, to=SHOP.text, amount="5", lasts="no duration")
        operation.value = Operation.TRANSFER
        await pilot.pause()
        assert not app.screen.query_one("#row-lasts").display
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(app.screen, CardScreen))
        (intent,) = app.session.intents()
        assert (intent.card.operation, intent.card.expires_at) == (Operation.TRANSFER, None)


async def test_what_the_ledger_cannot_take_is_said_at_its_field(world: World) -> None:
    """An ICRC-1 ledger takes no account id, and that is known once its packs were asked."""
    app = world.app()
    async with app.run_test() as pilot:
        await pilot.press("s")
        await fill_form(pilot, to=AccountId.of(SHOP).text, amount="1.5")
        assert shown(app, "#hint-to") == ""
        await pilot.press("f2")
        await until(pilot, lambda: shown(app, "#hint-to"))
        assert app.focused is not None
        assert app.focused.id == "to"
        assert app.session.intents() == []


@pytest.mark.parametrize("key", ["n", "escape"])
async def test_from_the_list_it_goes_on_to_a_new_one_or_back(world: World, key: str) -> None:
    app = world.app()
    async with app.run_test() as pilot:
        await allowances(world, pilot, None)
        await pilot.press(key)
        await until(pilot, lambda: not isinstance(app.screen, AllowancesScreen))
        if key == "n":
            assert isinstance(app.screen, SendScreen)
            assert app.screen.query_one("#operation", Select).value is Operation.APPROVE


async def test_an_allowance_that_is_open_is_found_again_from_its_form(world: World) -> None:  # R13
    app = world.app()
    intent = await prepare_allowance(world, app.session)
    async with app.run_test() as pilot:
        await pilot.press("s")
        app.screen.query_one("#operation", Select).value = Operation.APPROVE
        await fill_form(pilot, to=SHOP.text, amount="5.0", lasts="720h")
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(app.screen, CardScreen))
        assert [each.id for each in app.session.intents()] == [intent.id]
        assert world.found(intent).state is State.PREPARED
