"""The demo's panel: a trick is armed and named, and the blocks on the ledger can be counted."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Button

from tests.builders import ALICE, BOB
from tests.tui.conftest import World
from tests.tui.test_life import shown
from wallet.cli.tricks import NetworkTricks
from wallet.core.ledger_time import SECOND
from wallet.devnet import Devnet, DevnetOptions, serve
from wallet.devnet.blocks import Party, Transaction
from wallet.tui.app import WalletApp
from wallet.tui.screens.tricks import TricksScreen


@pytest.fixture
async def devnet(tmp_path: Path) -> AsyncIterator[Devnet]:
    devnet = await serve(DevnetOptions(), tmp_path / "devnet")
    yield devnet
    await devnet.close()


def pay_twice(devnet: Devnet) -> None:
    """What no ledger does by itself: one call, two blocks."""
    devnet.fund(ALICE, 10**12)
    ledger = devnet.network.ledger
    wanted = Transaction("xfer", 150_000_000, Party(ALICE.owner), Party(BOB.owner), created_at=SECOND)
    for _ in range(2):
        last = ledger.blocks[-1]
        ledger.blocks.append(replace(last, index=last.index + 1, parent=last.hash, transaction=wanted))


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_the_latest_blocks_are_listed_and_a_call_that_ran_twice_is_named(
    world: World, devnet: Devnet, size: tuple[int, int]
) -> None:
    pay_twice(devnet)
    app = WalletApp(world.session(), NetworkTricks(devnet))
    async with app.run_test(size=size) as pilot:
        await pilot.press("t")
        await pilot.pause()
        assert isinstance(app.screen, TricksScreen)
        blocks = " ".join(shown(app, "#blocks").split())
        assert "Blocks on the ledger: 3, newest first" in blocks
        assert "transfer of 1.5 TOK → 3rgon-…-2qe" in blocks
        assert "the same call as in block 1: it ran twice" in blocks
        assert "mint of 10,000 TOK" in blocks


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_a_letter_arms_a_trick_and_everything_stays_on_the_screen(
    world: World, devnet: Devnet, size: tuple[int, int]
) -> None:
    pay_twice(devnet)
    app = WalletApp(world.session(), NetworkTricks(devnet))
    async with app.run_test(size=size) as pilot:
        await pilot.press("t")
        await pilot.pause()
        await pilot.press("a")
        await pilot.pause()
        assert "lose_reply" in shown(app, "#card-note")
        assert [each["fault"] for each in devnet.network.faults.as_json()] == ["lose_reply"]
        for each in app.screen.query(Button):
            assert app.screen.region.contains_region(each.region)
        await pilot.press("delete")
        assert devnet.network.faults.as_json() == []
