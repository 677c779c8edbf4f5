"""The README's pictures are those of the tested screens."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SNAPSHOTS = Path(__file__).parent / "__snapshots__" / "test_screens"


@pytest.mark.parametrize(
    ("picture", "scene"),
    [
        ("home", "home"),
        ("card", "card_awake"),
        ("already_done", "already_done"),
        ("unknown", "unknown"),
        ("allowance", "card_allowance"),
    ],
)
def test_a_picture_is_the_tested_screen(picture: str, scene: str) -> None:
    shown = (ROOT / "screenshots" / f"{picture}.svg").read_text()
    assert shown == (SNAPSHOTS / f"test_screen[{scene}].svg").read_text(), "copy the snapshot over it"
    assert f"screenshots/{picture}.svg" in (ROOT / "README.md").read_text()
