"""The demo's world, without its screen: made once, reopened, begun anew."""

from pathlib import Path

from wallet.adapters.store import open_store
from wallet.cli.context import Common, Context
from wallet.cli.demo import ME, SHOP, open_demo


async def keys_and_url(folder: Path, *, fresh: bool) -> tuple[str, bytes, str]:
    with Context(Common(data_dir=folder)) as context:
        async with open_demo(folder / "demo", context, fresh=fresh) as ready:
            (ledger,) = ready.store.ledgers(ready.network.root_key)
            assert ledger.dedup_proven  # R19's bundled list
            assert {each.name for each in ready.store.identities()} == {ME, SHOP}
            assert ready.store.setting("identity") == ME
            assert len(ready.devnet.network.ledger.blocks) == 2
            (me,) = (each for each in ready.store.identities() if each.name == ME)
            return me.principal.text, ready.network.root_key, ready.network.url


async def test_the_demo_reopens_and_begins_anew(tmp_path: Path) -> None:
    first = await keys_and_url(tmp_path, fresh=False)
    again = await keys_and_url(tmp_path, fresh=False)
    assert again[:2] == first[:2]
    anew = await keys_and_url(tmp_path, fresh=True)
    assert anew[0] != first[0]
    assert anew[1] != first[1]


async def test_no_key_of_the_demo_lies_in_plain_text(tmp_path: Path) -> None:
    await keys_and_url(tmp_path, fresh=False)
    for file in (tmp_path / "demo").rglob("*"):
        if file.is_file():
            assert b"PRIVATE KEY" not in file.read_bytes()
    assert (tmp_path / "demo" / "passphrase").stat().st_mode & 0o077 == 0


async def test_the_demo_does_not_touch_the_wallet_beside_it(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.put_setting("network", "mainnet")
    store.close()
    await keys_and_url(tmp_path, fresh=True)
    store = open_store(tmp_path)
    assert (store.networks(), store.identities()) == ([], [])
    assert store.setting("network") == "mainnet"
    store.close()
