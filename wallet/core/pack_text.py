"""Reads a pack's text: what is sound of it, and every fault that shows without an interface (R1, R2, R8)."""

from dataclasses import dataclass
from typing import TypeGuard

from wallet.core.errors import BadInput
from wallet.core.outcome import PACK_CLASSES, OutcomeClass
from wallet.core.pack import REPLAY_SAME_PAYLOAD, UNIT_NS, Entry, Idempotency, Key, Meaning, Outcome, Pack, Timestamp
from wallet.core.strict_json import DuplicateKey, Json, read_json


@dataclass(frozen=True, slots=True)
class PackFault:
    """An error of the pack itself, whatever the canister. `method` is empty where it is about no method."""

    code: str
    method: str
    why: str


class _Faulty(Exception):
    def __init__(self, code: str, why: str) -> None:
        super().__init__(why)
        self.code = code


def parse_pack(name: str, text: str) -> Pack:
    """A pack without any fault. Raises BadInput with a sentence about the first one."""
    pack, faults = inspect_pack(name, text)
    if faults:
        raise BadInput("pack", f"the pack {name} cannot be used: {faults[0].why}")
    return pack


def inspect_pack(name: str, text: str) -> tuple[Pack, tuple[PackFault, ...]]:
    """The entries that are sound, in order, and the faults of the others. Never raises on any text."""
    try:
        document = read_json(text)
    except DuplicateKey as fault:
        return Pack(name, (), text), (PackFault("E_PACK_DUPLICATE", "", str(fault)),)
    except ValueError as fault:
        return Pack(name, (), text), (PackFault("E_PACK_JSON", "", str(fault)),)
    if not isinstance(document, list):
        return Pack(name, (), text), (PackFault("E_PACK_JSON", "", "it is not a list of entries"),)
    entries: dict[tuple[str, str], Entry] = {}
    faults: list[PackFault] = []
    for number, item in enumerate(document, start=1):
        try:
            entry = _entry(item)
            if (entry.at, entry.tag) in entries:
                raise _Faulty("E_PACK_DUPLICATE", f"{entry.at} has the tag {entry.tag} twice")
            entries[entry.at, entry.tag] = entry
        except _Faulty as fault:
            faults.append(PackFault(fault.code, _method_of(item), f"entry {number}: {fault}"))
    return Pack(name, tuple(entries.values()), text), tuple(faults)


def _entry(item: Json) -> Entry:
    if not isinstance(item, dict) or item.keys() != {"at", "tag", "args"}:
        raise _Faulty("E_PACK_ENTRY", 'an entry has "at", "tag" and "args", and nothing else')
    at, tag, args = item["at"], item["tag"], item["args"]
    if not _is_name(at) or not all(at.split(".")):
        raise _Faulty("E_PACK_ENTRY", '"at" names a method, or a method, a point and a field of its argument')
    if not _is_name(tag):
        raise _Faulty("E_PACK_ENTRY", '"tag" is a word')
    if not isinstance(args, dict):
        raise _Faulty("E_PACK_ENTRY", '"args" is an object')
    entry = Entry(at, tag, _meaning(tag, args))
    if entry.field and isinstance(entry.meaning, Outcome | Idempotency):
        raise _Faulty("E_PACK_ENTRY", f"the tag {tag} belongs to a method, not to a field ({at})")
    if not entry.field and isinstance(entry.meaning, Timestamp):
        raise _Faulty("E_PACK_ENTRY", f"the tag {tag} belongs to a field, not to a method ({at})")
    return entry


def _meaning(tag: str, args: dict[str, Json]) -> Meaning:
    match tag:
        case "outcome":
            return _outcome(args)
        case "idempotency":
            return _idempotency(args)
        case "timestamp":
            return _timestamp(args)
        case _:
            return None  # the profile has further tags, which say nothing about outcomes and retries


def _outcome(args: dict[str, Json]) -> Outcome:
    _only(args, {"classes", "default"})
    default = _class_of(args["default"]) if "default" in args else None
    if "classes" not in args:
        if default is None:
            raise _Faulty("E_OUTCOME_DEFAULT", 'an outcome without "classes" needs a "default"')  # R6
        return Outcome(None, default)
    given = args["classes"]
    if not isinstance(given, dict):
        raise _Faulty("E_PACK_ENTRY", '"classes" is an object of keys and class words')
    classes: dict[Key, OutcomeClass] = {}
    for text, word in given.items():
        try:
            key = Key.from_text(text)
        except ValueError as fault:
            raise _Faulty("E_OUTCOME_NOT_CASE", str(fault)) from None
        if key in classes:
            raise _Faulty("E_PACK_DUPLICATE", f"the case {key.text} has two classes")
        classes[key] = _class_of(word)
    return Outcome(tuple(classes.items()), default)


def _class_of(word: Json) -> OutcomeClass:
    words = ", ".join(cls for cls in OutcomeClass if cls in PACK_CLASSES)
    if word == OutcomeClass.RECONCILE:
        raise _Faulty("E_OUTCOME_RECONCILE", f"reconcile is the wallet's to conclude; a pack says one of {words}")  # R2
    if not isinstance(word, str) or word not in PACK_CLASSES:
        raise _Faulty("E_OUTCOME_CLASS", f"{_shown(word)} is no outcome class; the words are {words}")
    return OutcomeClass(word)


def _idempotency(args: dict[str, Json]) -> Idempotency:
    _only(args, {"mode", "stamp"})
    if args.get("mode") != REPLAY_SAME_PAYLOAD:
        why = f"{_shown(args.get('mode'))} is no mode of idempotency; the only one is {REPLAY_SAME_PAYLOAD}"
        raise _Faulty("E_IDEMPOTENCY_MODE", why)
    stamp = args.get("stamp")
    if not _is_name(stamp) or not all(stamp.split(".")):
        raise _Faulty("E_PACK_ENTRY", '"stamp" names a field of the argument')
    return Idempotency(stamp)


def _timestamp(args: dict[str, Json]) -> Timestamp:
    _only(args, {"unit"})
    unit = args.get("unit")
    if not isinstance(unit, str) or unit not in UNIT_NS:
        raise _Faulty("E_STAMP_UNIT", f"{_shown(unit)} is no unit of time; the words are {', '.join(UNIT_NS)}")
    return Timestamp(unit)


def _only(args: dict[str, Json], known: set[str]) -> None:
    # A misspelt word would change what replies mean without a sound.
    for key in args:
        if key not in known:
            raise _Faulty("E_PACK_ENTRY", f"{_shown(key)} is not known here; expected {' and '.join(sorted(known))}")


def _is_name(value: Json) -> TypeGuard[str]:
    return isinstance(value, str) and 0 < len(value) <= 200 and value.isprintable()


def _shown(value: Json) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _method_of(item: Json) -> str:
    at = item.get("at") if isinstance(item, dict) else None
    return at.partition(".")[0] if _is_name(at) else ""
