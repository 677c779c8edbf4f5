"""Whether a pack speaks for a canister, told by its interface and not by its id (R1)."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from wallet.core.interface import Interface
from wallet.core.pack import Pack
from wallet.core.pack_check import Level, check_pack
from wallet.core.pack_paths import required_fields
from wallet.core.pack_tags import Idempotency, Outcome

_STANDARD_METHOD: Final = re.compile(r"icrc([0-9]{1,4})_")


@dataclass(frozen=True, slots=True)
class Match:
    """The pack speaks for these methods of the canister. `by_standard`: as far as its standards say, no types seen."""

    methods: tuple[str, ...]
    by_standard: bool = False


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Why it does not: what is missing or of another type, one sentence each."""

    reasons: tuple[str, ...]


def match(pack: Pack, interface: Interface) -> Match | Mismatch:
    """Extra result cases and extra optional fields still match; what the pack names and the canister lacks does not.

    Nor does a field that must be given and that the pack says nothing of: nothing could fill it.
    """
    reasons = _errors(pack, interface)
    for name in _methods(pack):
        method = interface.method(name)
        known = _argument_fields(pack, name)
        if method is not None and known:
            reasons += [
                f'{name}: the argument needs a field "{each}", of which the pack says nothing'
                for each in required_fields(interface, method, known)
            ]
    return Mismatch(tuple(reasons)) if reasons else Match(_methods(pack))


def match_by_standards(pack: Pack, standards: Collection[str]) -> Match | Mismatch:
    """For a canister that shows no interface: what it says that it supports, such as ICRC-1."""
    reasons = _errors(pack, None)
    for name in _methods(pack):
        found = _STANDARD_METHOD.match(name)
        if found is None:
            reasons.append(f"{name}: no standard tells of it, and the canister shows no interface")
        elif f"ICRC-{found[1]}" not in standards:
            reasons.append(f"{name}: the canister does not name ICRC-{found[1]} among its standards")
    return Mismatch(tuple(reasons)) if reasons else Match(_methods(pack), by_standard=True)


def first_to_speak(found: Iterable[tuple[Pack, Match | Mismatch]]) -> list[Pack]:
    """The packs that match, in order, without those all of whose methods an earlier one speaks for."""
    chosen: list[Pack] = []
    spoken_for: set[str] = set()
    for pack, fit in found:
        if isinstance(fit, Match) and not spoken_for.issuperset(fit.methods):
            chosen.append(pack)
            spoken_for.update(fit.methods)
    return chosen


def _errors(pack: Pack, interface: Interface | None) -> list[str]:
    return [
        f"{each.method or pack.name}: {each.message}"
        for each in check_pack(pack.name, pack.text, interface)
        if each.level is Level.ERROR
    ]


def _methods(pack: Pack) -> tuple[str, ...]:
    return tuple(dict.fromkeys(entry.method for entry in pack.entries))


def _argument_fields(pack: Pack, method: str) -> list[str]:
    """The fields that the pack says how to fill; empty where it leaves the argument alone."""
    entries = [each for each in pack.entries if each.method == method]
    stamps = [each.meaning.stamp for each in entries if isinstance(each.meaning, Idempotency)]
    fields = [each.field for each in entries if not isinstance(each.meaning, Outcome | Idempotency)]
    return fields + stamps if set(fields) - set(stamps) else []
