"""On a small terminal nothing is out of reach: every button is on the screen, and the focus is to be seen."""

import asyncio

import pytest
from textual.pilot import Pilot
from textual.widgets import Button, Static

from tests.tui.conftest import World
from tests.tui.scenes import SCENES, Scene, calm
from tests.tui.test_screens import SMALL
from wallet.core.intent import Intent
from wallet.tui.screens.send import SendScreen

TINY = (60, 20)


@pytest.mark.parametrize("size", [SMALL, TINY], ids=["80x24", "60x20"])
@pytest.mark.parametrize("scene", SCENES, ids=lambda each: each.name)
def test_every_button_is_on_the_screen_and_the_focus_in_sight(
    world: World, scene: Scene, size: tuple[int, int]
) -> None:
    async def before() -> Intent | None:
        return await scene.before(world, world.session())

    async def work() -> None:
        async with app.run_test(size=size) as pilot:
            await calm(pilot)
            await scene.then(world, pilot, intent)
            await check(pilot)

    intent = asyncio.run(before())
    world.stores.pop().close()
    app = world.app()
    asyncio.run(work())


async def check(pilot: Pilot[None]) -> None:
    await pilot.pause()
    screen = pilot.app.screen
    shown = [each for each in screen.query(Button) if each.display]
    if not isinstance(screen, SendScreen):  # the form scrolls to its buttons
        for button in shown:
            assert screen.region.contains_region(button.region), button.id
            assert button.region.width >= len(str(button.label)) + 2, button.id
    focused = screen.focused
    if focused is not None:
        assert screen.region.contains_region(focused.region), focused.id
    for each in screen.query("#intent-text, #card-text").results(Static):
        # Text is laid out for its width: a line that is wider would be folded where nobody meant it to be.
        widest = max(len(line) for line in str(each.render()).splitlines())
        folds_by_itself = each.id == "intent-text"
        assert folds_by_itself or widest <= each.size.width, each.id
