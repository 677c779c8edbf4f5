"""The diagnostics of a pack, by itself and against a canister's interface: all of them in one run (R8)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from wallet.core.interface import BLOB, Interface, Method, Primitive, Record, Type, field_called, type_text
from wallet.core.pack import Entry
from wallet.core.pack_paths import (
    ABSENT,
    cases_without_key,
    disagreeing,
    find_field,
    has_variant,
    selects_case,
    usual_path,
)
from wallet.core.pack_tags import (
    Amount,
    ExpiresAt,
    Fee,
    Form,
    FromSubaccount,
    Idempotency,
    Memo,
    MemoForm,
    Outcome,
    Payer,
    Recipient,
    Spender,
    Timestamp,
)
from wallet.core.pack_text import ExaminedPack, examine_pack


class Level(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Finding:
    """One diagnostic. `method` is empty where it is about the pack as a whole."""

    level: Level
    code: str
    pack: str
    method: str
    message: str

    @property
    def line(self) -> str:
        return f"{self.level:<7} {self.code:<26} [{self.pack}] {self.method or '-'}  {self.message}"


_NATURAL: Final = (Primitive.NAT, Primitive.NAT64, Primitive.NAT32, Primitive.NAT16, Primitive.NAT8)
_WHOLE: Final = (*_NATURAL, Primitive.INT, Primitive.INT64)
_TAKES: Final = {
    Timestamp: ("a whole number", _WHOLE),
    Amount: ("a whole number", _NATURAL),
    Fee: ("a whole number", _NATURAL),
    ExpiresAt: ("a whole number", _NATURAL),
    FromSubaccount: ("bytes", (BLOB,)),
}


def check_pack(name: str, text: str, interface: Interface | None = None, source: str | None = None) -> list[Finding]:
    """Errors, then warnings, then infos, each in the pack's order. `source` is what the text is called: its file.

    Without an interface the keys and fields are compared with no types. Never raises on any text.
    """
    examined = examine_pack(name, text)
    where = "" if source is None else f"{source}, "
    found = [
        (fault.entry, Finding(Level.ERROR, fault.code, name, fault.method, f"{where}{fault.why}"))
        for fault in examined.faults
    ]
    found += _Check(examined, interface).findings()
    levels = list(Level)
    found.sort(key=lambda each: (levels.index(each[1].level), each[0]))
    return list(dict.fromkeys(finding for _, finding in found))


class _Check:
    """One pack against one interface or none. Findings carry the number of their entry, to be put in order."""

    def __init__(self, examined: ExaminedPack, interface: Interface | None) -> None:
        self._pack = examined.draft
        self._numbers = dict(zip(examined.draft.entries, examined.numbers, strict=True))
        self._at_fault = {each.method for each in examined.faults}
        self._interface = interface
        self._found: list[tuple[int, Finding]] = []

    def findings(self) -> list[tuple[int, Finding]]:
        first = {entry.method: entry for entry in reversed(self._pack.entries)}
        for entry in self._pack.entries:
            method = None if self._interface is None else self._interface.method(entry.method)
            if first[entry.method] is entry:
                self._method(entry, method)
            self._entry(entry, method)
        return self._found

    def _method(self, first: Entry, method: Method | None) -> None:
        """What is said once of a method, at its first entry."""
        if self._interface is not None and method is None:
            self._error("E_METHOD_MISSING", first, "the interface has no such method")
        is_query = method is not None and method.is_query
        if self._pack.outcome(first.method) is None and first.method not in self._at_fault and not is_query:
            self._warn("W_OUTCOME_MISSING", first, "the pack does not say what its replies mean: each would be fail")

    def _entry(self, entry: Entry, method: Method | None) -> None:
        stamp = entry.meaning.stamp if isinstance(entry.meaning, Idempotency) else ""
        for path in filter(None, (entry.field, stamp)):
            if (usual := usual_path(self._interface, method, path)) != path:
                self._error("E_FIELD_ALIAS", entry, f'the field "{path}" is written "{usual}"')
        roles = [each.tag for each in self._pack.entries if each.method == entry.method and _fills(each, stamp)]
        if stamp and roles:
            self._error("E_FIELD_ROLES", entry, f'the stamp field "{stamp}" is tagged {roles[0]} as well')
        match entry.meaning:
            case Outcome() as outcome:
                self._outcome(entry, outcome, method)
            case Idempotency(stamp=stamp):
                self._idempotency(entry, stamp, method)
            case ExpiresAt() if self._pack.unit(entry.method, entry.field) is None:
                self._error(
                    "E_EXPIRY_UNTAGGED",
                    entry,
                    f'the field "{entry.field}" (expires_at) has no timestamp tag, so its unit is unknown',
                )
            case meaning if method is not None and self._interface is not None:
                field = find_field(self._interface, method, entry.field)
                if field is None:
                    self._error("E_FIELD_MISSING", entry, f'the argument has no field "{entry.field}" ({entry.tag})')
                elif wrong := _wrong_type(self._interface, meaning, field.type):
                    self._error("E_FIELD_TYPE", entry, f'the field "{entry.field}" is tagged {entry.tag}, {wrong}')

    def _outcome(self, entry: Entry, outcome: Outcome, method: Method | None) -> None:
        classes = outcome.classes or ()
        can_tell = True
        if self._interface is not None and method is not None:
            sound = [(key, cls) for key, cls in classes if selects_case(self._interface, method, key)]
            for key, _ in classes:
                if key not in dict(sound):
                    self._error("E_OUTCOME_NOT_CASE", entry, f'the key "{key.text}" selects no case of the result')
            classes = tuple(sound)
            can_tell = bool(sound) or has_variant(self._interface, method)
        for one, other in disagreeing(self._interface, method, classes):
            self._error(
                "E_OUTCOME_AMBIGUOUS",
                entry,
                f'"{one.text}" and "{other.text}" can match one reply, are of one length, and give it two classes',
            )
        if outcome.default is None and can_tell:
            self._warn("W_PACK_NO_DEFAULT", entry, "the outcome has no default: a case without a key is fail")
        elif outcome.default is None:
            self._error("E_OUTCOME_DEFAULT", entry, "its result is no variant, so the outcome needs a default")  # R6
        if self._interface is None or method is None or not can_tell:
            return
        for case in cases_without_key(self._interface, method, [key for key, _ in classes]):
            if case != ABSENT or outcome.classes is not None:  # R6: without classes, what is no case has the default
                self._unclassified(entry, case, has_default=outcome.default is not None)

    def _unclassified(self, entry: Entry, case: str, *, has_default: bool) -> None:
        what = "an absent result" if case == ABSENT else f'result case "{case}"'
        if has_default:
            self._say(Level.INFO, "W_OUTCOME_UNCLASSIFIED", entry, f"{what} has no class (falls back to default)")
        else:
            self._warn("W_OUTCOME_UNCLASSIFIED", entry, f"{what} has no class, and there is no default")

    def _idempotency(self, entry: Entry, stamp: str, method: Method | None) -> None:
        if method is not None and method.is_query:
            self._error("E_IDEMPOTENCY_MODE", entry, "a query changes nothing, so nothing of it can be replayed")
        at = f"{entry.method}.{stamp}"
        if not any(each.at == at and isinstance(each.meaning, Timestamp) for each in self._pack.entries):
            self._error(
                "E_STAMP_UNTAGGED", entry, f'the stamp field "{stamp}" has no timestamp tag, so its unit is unknown'
            )
        if self._interface is None or method is None:
            return
        field = find_field(self._interface, method, stamp)
        if field is None:
            self._error("E_FIELD_MISSING", entry, f'the argument has no field "{stamp}" (stamp)')
        elif not field.is_optional:
            self._warn(
                "W_STAMP_REQUIRED", entry, f'the stamp field "{stamp}" is not optional: the wallet must always fill it'
            )

    def _error(self, code: str, entry: Entry, why: str) -> None:
        self._say(Level.ERROR, code, entry, why)

    def _warn(self, code: str, entry: Entry, why: str) -> None:
        self._say(Level.WARNING, code, entry, why)

    def _say(self, level: Level, code: str, entry: Entry, why: str) -> None:
        self._found.append((self._numbers[entry], Finding(level, code, self._pack.name, entry.method, why)))


def _fills(entry: Entry, field: str) -> bool:
    """Whether the entry says that something else than a time goes into the field."""
    return entry.field == field and not isinstance(entry.meaning, Timestamp)


def _wrong_type(interface: Interface, meaning: object, type: Type) -> str | None:
    """What the field is instead of what its tag needs; None where it fits."""
    match meaning:
        case Recipient(form=form):
            return None if _is_recipient(interface, form, type) else f"and is no {form}: {type_text(type)}"
        case Spender() | Payer():
            return None if _is_recipient(interface, Form.ACCOUNT, type) else f"and is no account: {type_text(type)}"
        case Memo(form=MemoForm.BYTES):
            return None if interface.is_blob(type) else f"a tag for bytes, and is {type_text(type)}"
        case Memo(form=MemoForm.NUMBER):
            return None if type in _NATURAL else f"a tag for a whole number, and is {type_text(type)}"
    for tag, (words, types) in _TAKES.items():
        if isinstance(meaning, tag):
            fits = type in types or (BLOB in types and interface.is_blob(type))
            return None if fits else f"a tag for {words}, and is {type_text(type)}"
    return None


def _is_recipient(interface: Interface, form: Form, type: Type) -> bool:
    match form, type:
        case Form.PRINCIPAL, Primitive.PRINCIPAL:
            return True
        case Form.ACCOUNT_ID, _:
            return interface.is_blob(type)
        case Form.ACCOUNT, Record(fields=fields):
            owner, subaccount = field_called(fields, "owner"), field_called(fields, "subaccount")
            if owner is None or subaccount is None:
                return False
            inner, is_optional = interface.bare(subaccount.type)
            return interface.resolve(owner.type) is Primitive.PRINCIPAL and is_optional and interface.is_blob(inner)
        case _:
            return False
