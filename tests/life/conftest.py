"""One laboratory for the tests of a module that start the real program."""

from collections.abc import Iterator

import pytest

from tests.life.lab import Lab, laboratory
from tests.services.conftest import start  # noqa: F401  # a fixture


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with laboratory(tmp_path_factory.mktemp("lab")) as made:
        yield made


@pytest.fixture(autouse=True)
def kind_again(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "lab" in request.fixturenames:
        request.getfixturevalue("lab").devnet.clear()
