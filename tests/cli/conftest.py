"""One embedded network for all tests of the command line, and a wallet of its own for each."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.program import Devnet, Wallet, running_devnet

FUNDS = 10**15


@pytest.fixture(scope="session")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Devnet]:
    with running_devnet(tmp_path_factory.mktemp("network")) as devnet:
        yield devnet


@pytest.fixture(scope="session")
def template(network: Devnet, tmp_path_factory: pytest.TempPathFactory) -> Wallet:
    """A wallet that knows the network, has two identities, money, and the ledger."""
    folder = tmp_path_factory.mktemp("template")
    passphrase = folder / "passphrase"
    passphrase.write_text("correct horse\n")
    passphrase.chmod(0o600)
    wallet = Wallet(folder / "data", passphrase)
    wallet.json("network", "add", "local", network.url, "--root-key", network.description["root_key"])
    for name in ("alice", "bob"):
        wallet.json("identity", "new", name)
    network.fund(wallet.account("alice"), FUNDS)
    wallet.json("ledger", "add", network.ledger)
    return wallet


@pytest.fixture
def devnet(network: Devnet) -> Iterator[Devnet]:
    yield network
    network.clear()


@pytest.fixture
def wallet(template: Wallet, devnet: Devnet, tmp_path: Path) -> Wallet:
    """A copy of the template: the same keys, an empty list of intents."""
    return template.copy_to(tmp_path / "data")


@pytest.fixture(scope="session")
def bob(template: Wallet) -> str:
    return template.account("bob")
