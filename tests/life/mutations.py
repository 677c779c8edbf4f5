"""Alters what the network says in every single byte, and counts what the wallet believes: nothing may be.

    python -m tests.life.mutations [--flips N]     N different alterations (2) of each byte of each specimen

The specimens are the embedded network's own words: certificates with their delegation, a tip, a stretch of blocks with
its hash links. Beside altered bytes there are forged chains (one field of a block altered and every later link made
anew) and disguises (a part of a block told as another kind of value with the very same hash, which no chain can
notice). Exit 1 where one was believed.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.devnet.client import Client, Person, opened
from wallet.adapters.ic import candid
from wallet.adapters.ic.certificate import verify, verify_tip
from wallet.adapters.ic.ledger_replies import blocks_in
from wallet.adapters.ic.request_status import read_status
from wallet.adapters.ic.undecodable import Undecodable
from wallet.core.account import Account
from wallet.core.attempt import Reply
from wallet.core.blocks import LedgerBlock, MalformedBlock, WantedBlock, read_block
from wallet.core.errors import Untrusted
from wallet.core.history import ChainBroken, Reading, is_complete, read_on
from wallet.core.icrc3 import leb128, sleb128, value_hash
from wallet.core.tip import Tip
from wallet.core.value import Case, Value
from wallet.devnet import DevnetOptions, serve
from wallet.devnet.settings import LEDGER_ID

PAYMENTS = 4


@dataclass(frozen=True)
class Specimen:
    """Bytes as the network gave them, and whether the wallet believes another version of them."""

    name: str
    data: bytes
    believes: Callable[[bytes], bool]


@dataclass(frozen=True)
class History:
    """Blocks between two certified hashes, and the last of them as the transfer that is looked for."""

    anchor: Tip
    tip: Tip
    blocks: dict[int, Value]
    wanted: WantedBlock

    def read(self, blocks: dict[int, Value]) -> Reading | None:
        """As the wallet reads a chain; None where it refuses to, or where it does not come to its end."""
        with suppress(ChainBroken, MalformedBlock):
            reading = read_on(Reading.after(self.anchor), blocks, self.wanted)
            if is_complete(reading, self.tip.index, self.tip.hash):
                return reading
        return None

    def believes(self, blocks: dict[int, Value]) -> bool:
        """Whether other blocks than the true ones are taken for the history."""
        return blocks != self.blocks and self.read(blocks) is not None

    def is_misled_by(self, blocks: dict[int, Value]) -> bool:
        """Whether these are taken for the history, and say something else of the transfer than the true ones."""
        told = self.read(blocks)
        return told is not None and ([each.index for each in told.same], told.unsure) != ([self.tip.index], ())


@dataclass
class Figures:
    """How many alterations were tried of what, and which were believed."""

    tried: Counter[str] = field(default_factory=Counter)
    believed: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def lines(self) -> Iterator[str]:
        yield f"mutations   {sum(self.tried.values())} in {self.seconds:.0f} s"
        yield from (f"  {count:6}  {name}" for name, count in self.tried.items())
        yield f"believed    {len(self.believed)}"
        yield from (f"  {each}" for each in self.believed)

    def note(self, name: str, what: str, is_believed: bool) -> None:
        self.tried[name] += 1
        if is_believed:
            self.believed.append(f"{name}: {what}")


# --- what the network says -----------------------------------------------------------------------------------------


async def collect(folder: Path) -> tuple[list[Specimen], History]:
    """Run an embedded network, pay a few times, and keep its words."""
    devnet = await serve(DevnetOptions(), folder)
    try:
        async with httpx.AsyncClient(base_url=devnet.url) as http:
            person = Person()
            devnet.fund(Account(person.principal), 10**12)
            return await _collect(Client(devnet, person, http))
    finally:
        await devnet.close()


async def _collect(client: Client) -> tuple[list[Specimen], History]:
    root_key = client.devnet.network.keys.root.der
    anchor, *_ = await _tip(client)
    for n in range(PAYMENTS):
        sent = client.transfer(1_000 + n, memo=b"tea", created_at_time=client.now(), fee=10_000)
        answer = await client.post(sent)
    sharded = opened(answer)["certificate"]
    flat = opened(await client.read_state([b"request_status", sent.id], version="v2"))["certificate"]
    tip, certificate, tree = await _tip(client)
    of_tip, of_reply = verify(certificate, root_key, LEDGER_ID), verify(sharded, root_key, LEDGER_ID)

    def is_certificate(data: bytes) -> bool:
        return _is_believed(lambda: verify(data, root_key, LEDGER_ID))

    def is_tip(data: bytes) -> bool:
        return _is_believed(lambda: verify_tip(of_tip, LEDGER_ID, data))

    def is_answered(request_id: bytes) -> bool:
        return isinstance(read_status(of_reply, request_id), Reply)

    reply, history = await _history(client, anchor, tip)
    specimens = [
        Specimen("certificate of a reply, ranges sharded", sharded, is_certificate),
        Specimen("certificate of a reply, ranges in one", flat, is_certificate),
        Specimen("certificate of the tip", certificate, is_certificate),
        Specimen("tip", tree, is_tip),
        Specimen("request id", sent.id, is_answered),
        Specimen("blocks and their links", reply, lambda data: history.believes(_blocks_of(data, history))),
    ]
    for each in specimens[:-1]:
        assert each.believes(each.data), f"the true {each.name} is not believed"
    assert history.read(_blocks_of(reply, history)) is not None
    return specimens, history


async def _tip(client: Client) -> tuple[Tip, bytes, bytes]:
    found = await client.query("icrc3_get_tip_certificate")
    match found:
        case {"certificate": bytes() as certificate, "hash_tree": bytes() as tree}:
            tip = verify_tip(client.verified(certificate), LEDGER_ID, tree)
            assert tip is not None
            return tip, certificate, tree
    raise AssertionError(found)


async def _history(client: Client, anchor: Tip, tip: Tip) -> tuple[bytes, History]:
    first = anchor.index + 1
    ranges: Value = [{"start": first, "length": tip.index + 1 - first}]
    answer = await client.query_raw(
        "icrc3_get_blocks", candid.encode(candid.METHODS["icrc3_get_blocks"].args, [ranges])
    )
    reply: bytes = answer["reply"]["arg"]
    (content,) = candid.decode(reply)
    assert isinstance(content, dict)
    blocks = blocks_in(content, range(first, tip.index + 1))
    return reply, History(anchor, tip, blocks, _as_wanted(read_block(tip.index, blocks[tip.index])))


def _as_wanted(block: LedgerBlock) -> WantedBlock:
    sender, recipient, amount, fee, stamp = block.sender, block.recipient, block.amount, block.caller_fee, block.stamp
    assert sender is not None
    assert recipient is not None
    assert amount is not None
    assert fee is not None
    assert stamp is not None
    return WantedBlock(block.op, sender, recipient, amount, fee, block.memo, stamp)


def _blocks_of(reply: bytes, history: History) -> dict[int, Value]:
    with suppress(Undecodable):
        match candid.decode(reply):
            case [dict() as content]:
                return blocks_in(content, range(history.anchor.index + 1, history.tip.index + 1))
    return {}


def _is_believed(read: Callable[[], object]) -> bool:
    try:
        read()
    except Untrusted:
        return False
    return True


# --- how it is altered ---------------------------------------------------------------------------------------------


def alter(specimen: Specimen, flips: int, figures: Figures, chance: random.Random, share: float = 1.0) -> None:
    """Each byte, or a share of them, each time by another difference."""
    for at, byte in enumerate(specimen.data):
        if chance.random() >= share:
            continue
        for difference in chance.sample(range(1, 256), flips):
            altered = specimen.data[:at] + bytes([byte ^ difference]) + specimen.data[at + 1 :]
            figures.note(specimen.name, f"byte {at} ^ {difference:#04x}", specimen.believes(altered))


def forge(history: History, figures: Figures) -> None:
    """Each leaf of each block altered, and every later block linked to what came of it: only the tip can tell."""
    for index, block in history.blocks.items():
        for place, other in _altered(block):
            chain = _linked_anew({**history.blocks, index: other}, index)
            figures.note("forged chains", f"block {index}, {place}", history.believes(chain))


def disguise(history: History, figures: Figures) -> None:
    """Each part of each block as another kind of value with the same hash."""
    for index, block in history.blocks.items():
        for place, other in _disguised(block):
            assert value_hash(other) == value_hash(block)
            figures.note("disguises", f"block {index}, {place}", history.is_misled_by({**history.blocks, index: other}))


def _linked_anew(blocks: dict[int, Value], since: int) -> dict[int, Value]:
    linked = dict(blocks)
    for index in range(since + 1, max(blocks) + 1):
        pairs = _pairs(linked[index])
        parent: Value = Case("Blob", value_hash(linked[index - 1]))
        linked[index] = Case("Map", [[name, parent if name == "phash" else inner] for name, inner in pairs])
    return linked


def _altered(value: Value) -> Iterator[tuple[str, Value]]:
    match value:
        case Case("Nat", int() as number):
            yield "a Nat", Case("Nat", number + 1)
        case Case("Text", str() as text):
            yield "a Text", Case("Text", text + "x")
        case Case("Blob", bytes() as raw):
            yield from (
                ("a Blob", Case("Blob", raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])) for at in range(len(raw))
            )
        case _:
            yield from _within(value, _altered)


def _disguised(value: Value) -> Iterator[tuple[str, Value]]:
    match value:
        case Case("Nat", int() as number):
            yield "a Nat as Blob", Case("Blob", leb128(number))
            if sleb128(number) == leb128(number):
                yield "a Nat as Int", Case("Int", number)
        case Case("Text", str() as text):
            yield "a Text as Blob", Case("Blob", text.encode())
        case Case("Blob", bytes() as raw):
            with suppress(UnicodeDecodeError):
                yield "a Blob as Text", Case("Text", raw.decode())
            number = sum((byte & 0x7F) << 7 * at for at, byte in enumerate(raw))
            if leb128(number) == raw:
                yield "a Blob as Nat", Case("Nat", number)
        case Case("Array", list() as items):
            yield "an Array as Blob", Case("Blob", b"".join(map(value_hash, items)))
        case Case("Map"):
            hashed = sorted(value_hash(Case("Text", name)) + value_hash(inner) for name, inner in _pairs(value))
            yield "a Map as Blob", Case("Blob", b"".join(hashed))
            in_order: list[Value] = []
            for name, inner in sorted(_pairs(value), key=lambda pair: value_hash(Case("Text", pair[0]))):
                in_order += [Case("Text", name), inner]
            yield "a Map as Array", Case("Array", in_order)
    yield from _within(value, _disguised)


def _within(value: Value, change: Callable[[Value], Iterator[tuple[str, Value]]]) -> Iterator[tuple[str, Value]]:
    """The value with one part of it changed."""
    match value:
        case Case("Array", list() as items):
            for at, item in enumerate(items):
                for what, other in change(item):
                    yield f"[{at}] {what}", Case("Array", [*items[:at], other, *items[at + 1 :]])
        case Case("Map"):
            pairs = _pairs(value)
            for name, inner in pairs:
                for what, other in change(inner):
                    changed: list[Value] = [[key, other if key == name else each] for key, each in pairs]
                    yield f"{name} {what}", Case("Map", changed)


def _pairs(value: Value) -> list[tuple[str, Value]]:
    assert isinstance(value, Case)
    assert isinstance(value.value, list)
    pairs = []
    for pair in value.value:
        match pair:
            case [str() as name, inner]:
                pairs.append((name, inner))
    return pairs


def run(flips: int, share: float = 1.0, seed: int = 1) -> Figures:
    """`share` of the bytes, each altered `flips` times; forged chains and disguises whole."""
    figures, started, chance = Figures(), time.monotonic(), random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
        specimens, history = asyncio.run(collect(Path(folder)))
    for specimen in specimens:
        alter(specimen, flips, figures, chance, share)
    forge(history, figures)
    disguise(history, figures)
    figures.seconds = time.monotonic() - started
    return figures


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.life.mutations")
    parser.add_argument("--flips", type=int, default=2, choices=range(1, 256), metavar="N")
    figures = run(parser.parse_args(words).flips)
    print("\n".join(figures.lines()))  # noqa: T201
    return 1 if figures.believed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
