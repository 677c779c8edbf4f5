"""Reads one entry of a pack: what can be made of it, and every fault that shows without an interface (R1, R2, R8)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeGuard

from wallet.core.outcome import PACK_CLASSES, OutcomeClass
from wallet.core.pack import Entry
from wallet.core.pack_tags import (
    REPLAY_SAME_PAYLOAD,
    UNIT_NS,
    Amount,
    ExpiresAt,
    Fee,
    Form,
    FromSubaccount,
    Idempotency,
    Key,
    Meaning,
    Memo,
    MemoForm,
    Outcome,
    Payer,
    Recipient,
    Spender,
    Timestamp,
)
from wallet.core.strict_json import Json, Object, repeated_keys

MAX_CLASSES: Final = 500
"""Keys of one outcome: every two of them are compared."""

Say: TypeAlias = Callable[[str, str], None]
"""Takes a fault's code and sentence."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What could be made of an entry in spite of its faults, so that the rest of it can be checked too."""

    entry: Entry | None
    faults: tuple[tuple[str, str], ...]


def read_entry(item: Json) -> Draft:
    """Never raises. A word that is no class stands as `fail` in the draft; an entry with faults is never used."""
    faults: list[tuple[str, str]] = []

    def say(code: str, why: str) -> None:
        faults.append((code, why))

    entry = _entry(item, say)
    return Draft(entry, tuple(faults))


def method_of(item: Json) -> str:
    """The method that an entry is about, as far as that can be seen; empty where it cannot."""
    at = item.get("at") if isinstance(item, dict) else None
    return at.partition(".")[0] if _is_name(at) else ""


def _entry(item: Json, say: Say) -> Entry | None:
    for key in repeated_keys(item):
        say("E_PACK_DUPLICATE", f"the key {_shown(key)} stands twice in one object")
    if isinstance(item, Object) and item.repeated:
        return None  # which of the two is meant?
    if not isinstance(item, dict) or item.keys() != {"at", "tag", "args"}:
        say("E_PACK_ENTRY", 'an entry has "at", "tag" and "args", and nothing else')
        return None
    at, tag, args = item["at"], item["tag"], item["args"]
    if not _is_path(at):
        say("E_PACK_ENTRY", '"at" names a method, or a method, a point and a field of its argument')
        return None
    if not _is_name(tag):
        say("E_PACK_ENTRY", '"tag" is a word')
        return None
    if tag not in _READERS:
        say("E_PACK_TAG", f"the tag {_shown(tag)} is not known; the tags are {', '.join(_READERS)}")
        return None
    if not isinstance(args, dict):
        say("E_PACK_ENTRY", '"args" is an object')
        return None
    is_of_field, expected, read = _READERS[tag]
    if is_of_field is not ("." in at):
        belongs = "a field, not to a method" if is_of_field else "a method, not to a field"
        say("E_PACK_ENTRY", f"the tag {tag} belongs to {belongs} ({at})")
        return None
    unknown = [key for key in args if key not in expected]
    for key in unknown:  # a misspelt word would change what replies mean without a sound
        words = f"expected {' and '.join(sorted(expected))}" if expected else f"{tag} takes none"
        say("E_PACK_ENTRY", f"{_shown(key)} is not known here; {words}")
    meaning = None if unknown else read(args, say)
    return None if meaning is None else Entry(at, tag, meaning)


def _outcome(args: Mapping[str, Json], say: Say) -> Meaning | None:
    default = _class_of(args["default"], say) if "default" in args else None
    if "classes" not in args:
        if default is None:
            say("E_OUTCOME_DEFAULT", 'an outcome without "classes" needs a "default"')  # R6
            return None
        return Outcome(None, default)
    given = args["classes"]
    if not isinstance(given, dict):
        say("E_PACK_ENTRY", '"classes" is an object of keys and class words')
        return None
    if len(given) > MAX_CLASSES:
        say("E_PACK_ENTRY", f'"classes" has more than {MAX_CLASSES} keys')
        return None
    classes: dict[Key, OutcomeClass] = {}
    for text, word in given.items():
        cls = _class_of(word, say)
        try:
            key = Key.from_text(text)
        except ValueError as fault:
            say("E_OUTCOME_NOT_CASE", str(fault))
            continue
        if key in classes:
            say("E_PACK_DUPLICATE", f"the case {key.text} has two classes")
        else:
            classes[key] = cls
    return Outcome(tuple(classes.items()), default)


def _class_of(word: Json, say: Say) -> OutcomeClass:
    words = ", ".join(cls for cls in OutcomeClass if cls in PACK_CLASSES)
    if word == OutcomeClass.RECONCILE:
        say("E_OUTCOME_RECONCILE", f"reconcile is the wallet's to conclude; a pack says one of {words}")  # R2
        return OutcomeClass.FAIL
    if not isinstance(word, str) or word not in PACK_CLASSES:
        say("E_OUTCOME_CLASS", f"{_shown(word)} is no outcome class; the words are {words}")
        return OutcomeClass.FAIL
    return OutcomeClass(word)


def _idempotency(args: Mapping[str, Json], say: Say) -> Meaning | None:
    mode, stamp = args.get("mode"), args.get("stamp")
    if mode != REPLAY_SAME_PAYLOAD:
        say(
            "E_IDEMPOTENCY_MODE",
            f"{_shown(mode)} is no mode of idempotency; the only one is {REPLAY_SAME_PAYLOAD}",
        )
        return None  # what another mode would ask of its stamp is not known
    if not _is_path(stamp):
        say("E_PACK_ENTRY", '"stamp" names a field of the argument')
        return None
    return Idempotency(stamp)


def _timestamp(args: Mapping[str, Json], say: Say) -> Meaning | None:
    unit = args.get("unit")
    if not isinstance(unit, str) or unit not in UNIT_NS:
        say("E_STAMP_UNIT", f"{_shown(unit)} is no unit of time; the words are {', '.join(UNIT_NS)}")
        unit = "nanoseconds"
    return Timestamp(unit)


def _recipient(args: Mapping[str, Json], say: Say) -> Meaning | None:
    form = args.get("form")
    if not isinstance(form, str) or form not in [each.value for each in Form]:
        say("E_PACK_ENTRY", f"{_shown(form)} is no form of a recipient; the words are {', '.join(Form)}")
        return None
    return Recipient(Form(form))


def _memo(args: Mapping[str, Json], say: Say) -> Meaning | None:
    form = args.get("form", MemoForm.BYTES.value)
    if not isinstance(form, str) or form not in [each.value for each in MemoForm]:
        say("E_PACK_ENTRY", f"{_shown(form)} is no form of a memo; the words are {', '.join(MemoForm)}")
        return None
    return Memo(MemoForm(form))


def _fee(args: Mapping[str, Json], say: Say) -> Meaning | None:
    auto = args.get("auto")
    if not _is_name(auto) or "." in auto:
        say("E_PACK_ENTRY", '"auto" names the query that answers the fee')
        return None
    return Fee(auto)


_READERS: Final[Mapping[str, tuple[bool, frozenset[str], Callable[[Mapping[str, Json], Say], Meaning | None]]]] = {
    "outcome": (False, frozenset({"classes", "default"}), _outcome),
    "idempotency": (False, frozenset({"mode", "stamp"}), _idempotency),
    "timestamp": (True, frozenset({"unit"}), _timestamp),
    "amount": (True, frozenset(), lambda args, say: Amount()),
    "recipient": (True, frozenset({"form"}), _recipient),
    "spender": (True, frozenset(), lambda args, say: Spender()),
    "payer": (True, frozenset(), lambda args, say: Payer()),
    "expires_at": (True, frozenset(), lambda args, say: ExpiresAt()),
    "memo": (True, frozenset({"form"}), _memo),
    "fee": (True, frozenset({"auto"}), _fee),
    "from_subaccount": (True, frozenset(), lambda args, say: FromSubaccount()),
}
"""By tag: whether it belongs to a field (else to a method), the words of its `args`, and how they are read."""

TAGS: Final = tuple(_READERS)


def _is_name(value: Json) -> TypeGuard[str]:
    return isinstance(value, str) and 0 < len(value) <= 200 and value.isprintable()


def _is_path(value: Json) -> TypeGuard[str]:
    return _is_name(value) and all(value.split("."))


def _shown(value: Json) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."
