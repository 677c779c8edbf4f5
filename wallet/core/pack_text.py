"""Reads a pack's text: the entries that are sound, and every fault that shows without an interface (R1, R2, R8)."""

from dataclasses import dataclass

from wallet.core.errors import BadInput
from wallet.core.pack import Entry, Pack
from wallet.core.pack_entry import Draft, method_of, read_entry
from wallet.core.pack_tags import Idempotency, Outcome, Timestamp
from wallet.core.strict_json import Json, item_lines, read_json

MAX_ENTRIES = 1000

_MAY_STAND_OFTEN = (Outcome, Idempotency, Timestamp)
"""Any other tag says which field of a method's argument is the amount and so on: there is one."""


@dataclass(frozen=True, slots=True)
class PackFault:
    """An error of the pack itself, whatever the canister. `method` is empty where it is about no method.

    `entry` counts from 1, and is 0 where the text as a whole is at fault. `why` says where it stands.
    """

    code: str
    method: str
    why: str
    entry: int = 0


@dataclass(frozen=True, slots=True)
class ExaminedPack:
    """A text as far as it can be read. `draft` holds more than `pack`: what could be made of faulty entries.

    `numbers` are those of the draft's entries in the text, from 1.
    """

    pack: Pack
    draft: Pack
    numbers: tuple[int, ...]
    faults: tuple[PackFault, ...]


def parse_pack(name: str, text: str) -> Pack:
    """A pack without any fault. Raises BadInput with a sentence about the first one."""
    pack, faults = inspect_pack(name, text)
    if faults:
        raise BadInput("pack", f"the pack {name} cannot be used: {faults[0].why}")
    return pack


def inspect_pack(name: str, text: str) -> tuple[Pack, tuple[PackFault, ...]]:
    """The entries that are sound, in order, and the faults of the others. Never raises on any text."""
    examined = examine_pack(name, text)
    return examined.pack, examined.faults


def examine_pack(name: str, text: str) -> ExaminedPack:
    """Everything that can be said of the text. Never raises."""
    try:
        document = read_json(text)
    except ValueError as fault:
        return _unreadable(name, text, str(fault))
    if not isinstance(document, list):
        return _unreadable(name, text, "it is not a list of entries")
    if len(document) > MAX_ENTRIES:
        return _unreadable(name, text, f"it has more than {MAX_ENTRIES} entries")
    drafts = _without_repeats([read_entry(item) for item in document])
    sound = tuple(each.entry for each in drafts if each.entry is not None and not each.faults)
    made = [(number, each.entry) for number, each in enumerate(drafts, start=1) if each.entry is not None]
    return ExaminedPack(
        pack=Pack(name, sound, text),
        draft=Pack(name, tuple(entry for _, entry in made), text),
        numbers=tuple(number for number, _ in made),
        faults=_faults(text, document, drafts),
    )


def _unreadable(name: str, text: str, why: str) -> ExaminedPack:
    return ExaminedPack(Pack(name, (), text), Pack(name, (), text), (), (PackFault("E_PACK_JSON", "", why),))


def _without_repeats(drafts: list[Draft]) -> list[Draft]:
    """What an earlier entry has said already is a fault of the later one."""
    first: dict[tuple[str, str], Entry] = {}
    checked: list[Draft] = []
    for draft in drafts:
        entry, why = draft.entry, None
        if entry is not None:
            place = entry.at if isinstance(entry.meaning, _MAY_STAND_OFTEN) else entry.method
            earlier = first.setdefault((place, entry.tag), entry)
            if earlier is not entry and earlier.at == entry.at:
                why = f"{entry.at} has the tag {entry.tag} twice"
            elif earlier is not entry:
                why = f"two fields of {entry.method} have the tag {entry.tag}: {earlier.field} and {entry.field}"
        checked.append(draft if why is None else Draft(None, (*draft.faults, ("E_PACK_DUPLICATE", why))))
    return checked


def _faults(text: str, document: list[Json], drafts: list[Draft]) -> tuple[PackFault, ...]:
    if not any(each.faults for each in drafts):
        return ()
    lines = item_lines(text)
    return tuple(
        PackFault(code, method_of(item), f"line {line}, entry {number}: {why}", number)
        for number, (item, line, draft) in enumerate(zip(document, lines, drafts, strict=True), start=1)
        for code, why in draft.faults
    )
