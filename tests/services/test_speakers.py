"""Who speaks for a ledger: found for each thing that can be asked of it, by the packs as they are at that moment."""

from typing import Any

from tests.services.conftest import BOB, Start, World
from wallet.adapters.packs import bundled_pack, bundled_packs
from wallet.core.account import AccountId
from wallet.core.pack import Operation
from wallet.services.speakers import OfferedPack, Speakers

BUNDLED = [OfferedPack(each, is_own=False) for each in bundled_packs()]


async def test_a_pack_that_is_added_speaks_from_the_next_question_on(world: World) -> None:
    wallet = await world.wallet()
    offered, asked = list(BUNDLED), 0
    ask = wallet.network.interface

    async def counted(canister: Any) -> Any:
        nonlocal asked
        asked += 1
        return await ask(canister)

    wallet.network.interface = counted  # type: ignore[method-assign]
    speakers = Speakers(wallet.network, lambda: offered)
    assert not (await speakers.find(wallet.ledger, Operation.TRANSFER, BOB)).is_own
    offered.insert(0, OfferedPack(bundled_pack("icrc1"), is_own=True))
    assert (await speakers.find(wallet.ledger, Operation.TRANSFER, BOB)).is_own
    assert asked == 1


async def test_all_that_can_be_asked_has_the_speaker_that_would_be_found(start: Start) -> None:
    world = await start(kind="icp")
    wallet = await world.wallet()
    speakers = Speakers(wallet.network, lambda: BUNDLED)
    voices = await speakers.all_of(wallet.ledger)
    assert {use: speaker.pack.name for use, speaker in voices.by_use.items()} == {
        "pay an account": "icrc1",
        "pay an account id": "icp",
        "allow a spender": "icrc2",
        "pay from another's account": "icrc2",
    }
    found = await speakers.find(wallet.ledger, Operation.TRANSFER, AccountId.of(BOB))
    assert voices.by_use["pay an account id"] == found
    only_ids = Speakers(wallet.network, lambda: [OfferedPack(bundled_pack("icp"), is_own=False)])
    assert list((await only_ids.all_of(wallet.ledger)).by_use) == ["pay an account", "pay an account id"]
