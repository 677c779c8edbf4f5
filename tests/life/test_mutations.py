"""Certificates, tips, blocks and hash links with a byte altered are never believed (R16, R25)."""

import random

from tests.life import mutations


def test_nothing_altered_is_believed() -> None:
    figures = mutations.run(flips=1, share=0.15)
    assert figures.believed == []
    assert figures.tried["forged chains"] > 100
    assert figures.tried["disguises"] > 30
    assert sum(figures.tried.values()) > 700


def test_a_check_that_is_left_out_would_be_noticed() -> None:
    believed = mutations.Figures()
    careless = mutations.Specimen("anything", b"abc", lambda data: True)
    mutations.alter(careless, 2, believed, random.Random(1))
    assert len(believed.believed) == 6
