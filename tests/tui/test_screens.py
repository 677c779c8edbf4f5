"""Every screen and every ending as it looks at 80 by 24; what matters most also larger, and on a light ground.

A snapshot that changed on purpose is written anew: `pytest tests/tui/test_screens.py --snapshot-update`.
"""

import asyncio
from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import World
from tests.tui.scenes import SCENES, Scene, calm, still
from wallet.core.intent import Intent
from wallet.tui.app import WalletApp
from wallet.tui.themes import LIGHT

SMALL, LARGE = (80, 24), (120, 40)
Compare = Callable[..., bool]


def looks_as_before(world: World, scene: Scene, snap_compare: Compare, size: tuple[int, int], theme: str = "") -> bool:
    async def before() -> Intent | None:
        session = world.session()
        return await scene.before(world, session)

    intent = asyncio.run(before())
    world.stores.pop().close()
    app = world.app()
    app.theme = theme or app.theme

    async def then(pilot: Pilot[None]) -> None:
        await calm(pilot)
        await scene.then(world, pilot, intent)
        await still(pilot)

    return snap_compare(app, terminal_size=size, run_before=then)


def named(name: str) -> Scene:
    return next(each for each in SCENES if each.name == name)


@pytest.mark.parametrize("scene", SCENES, ids=lambda each: each.name)
def test_screen(world: World, snap_compare: Compare, scene: Scene) -> None:
    assert looks_as_before(world, scene, snap_compare, SMALL)


@pytest.mark.parametrize("name", ["home", "send_with_mistakes", "card_long", "already_done", "alarm"])
def test_large_screen(world: World, snap_compare: Compare, name: str) -> None:
    assert looks_as_before(world, named(name), snap_compare, LARGE)


@pytest.mark.parametrize("name", ["home", "card", "unknown"])
def test_light_screen(world: World, snap_compare: Compare, name: str) -> None:
    assert looks_as_before(world, named(name), snap_compare, SMALL, LIGHT.name)


def test_empty_wallet(empty_world: World, snap_compare: Compare) -> None:
    async def then(pilot: Pilot[None]) -> None:
        assert isinstance(pilot.app, WalletApp)
        await pilot.pause(0.05)

    assert snap_compare(empty_world.app(), terminal_size=SMALL, run_before=then)
