"""Where a pack's paths lead in a method's types: keys into its results (R3), fields of its arguments (R1)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from wallet.core.interface import Field, Interface, Method, Opt, Primitive, Record, Ref, Type, Variant, field_called
from wallet.core.outcome import OutcomeClass
from wallet.core.pack_tags import Key

MAX_CASES: Final = 1000
"""How many cases are listed at most: types can be made to have more than anybody could read."""
_MAX_STEPS: Final = 4
"""How deep cases within cases are listed where no key leads further."""
ABSENT: Final = ""
"""The path of a result that is absent, or no case for another reason."""


@dataclass(frozen=True, slots=True)
class FoundField:
    """A field of a method's arguments: its type without options, and whether it, or what it is in, may be absent."""

    type: Type
    is_optional: bool


def has_variant(interface: Interface, method: Method) -> bool:
    """Whether a reply of the method is a case, so that it can say of itself what it means (R6)."""
    return any(isinstance(interface.bare(each)[0], Variant) for each in method.results)


def selects_case(interface: Interface, method: Method, key: Key) -> bool:
    """Whether the key leads to a case of the method's results (R3)."""
    if key.index >= len(method.results):
        return False
    type, is_case = method.results[key.index], False
    for step in key.steps:
        inside = _inside(interface, type, step)
        if inside is None:
            return False
        field, is_case = inside
        type = field.type
    return is_case


def cases_without_key(interface: Interface, method: Method, keys: Sequence[Key]) -> list[str]:
    """The replies that no key matches, by the path of their case; ABSENT for one that has no case.

    Where several results carry keys, a reply is matched as soon as one of them is.
    """
    indices = sorted({key.index for key in keys if key.index < len(method.results)})
    if not indices:
        indices = [at for at, each in enumerate(method.results) if isinstance(interface.bare(each)[0], Variant)][:1]
    found: list[str] = []
    for index in indices:
        below = [key.steps for key in keys if key.index == index]
        start = (str(index),) if index else ()
        open_cases = list(islice(_unmatched(interface, method.results[index], start, below, frozenset()), MAX_CASES))
        if not open_cases:
            return []
        found += [ABSENT if path == start else ".".join(path) for path in open_cases]
    return found[:MAX_CASES]


def disagreeing(
    interface: Interface | None, method: Method | None, classes: Sequence[tuple[Key, OutcomeClass]]
) -> list[tuple[Key, Key]]:
    """Pairs of keys of one length and two classes that one reply can match, so that neither is taken."""
    return [
        (one, other)
        for at, (one, cls) in enumerate(classes)
        for other, other_cls in classes[at + 1 :]
        if cls is not other_cls and len(one.steps) == len(other.steps)
        if one.index != other.index or _part_in_record(interface, method, one, other)
    ]


def split_path(path: str) -> tuple[int, list[str]]:
    """The argument's place, 0 where none is named, and the steps into it: `1.amount`, `1`, `amount.e8s`."""
    steps = path.split(".")
    index = int(steps.pop(0)) if steps[0].isdecimal() and len(steps[0]) < 5 else 0
    return index, steps


def find_field(interface: Interface, method: Method, path: str) -> FoundField | None:
    """The field that the path names, such as `amount.e8s`; `1.amount` and `1` are about the second argument."""
    index, steps = split_path(path)
    if index >= len(method.args):
        return None
    type, is_optional = interface.bare(method.args[index])
    for step in steps:
        inside = _inside(interface, type, step)
        if inside is None or inside[1]:
            return None
        type, may_be_absent = interface.bare(inside[0].type)
        is_optional = is_optional or may_be_absent
    return FoundField(type, is_optional)


def usual_path(interface: Interface | None, method: Method | None, path: str) -> str:
    """The path as it is written when nothing is said twice: no number for the first argument's fields, and names where
    the interface has them. One field has one path, or one payment could have two identities (R10)."""
    index, steps = split_path(path)
    type = method.args[index] if method is not None and index < len(method.args) else Primitive.NULL
    usual = [str(index)] if index or not steps else []
    for step in steps:
        inside = None if interface is None else _inside(interface, type, step)
        usual.append(step if inside is None else inside[0].label)
        type = Primitive.NULL if inside is None else inside[0].type
    return ".".join(usual)


def required_fields(interface: Interface, method: Method, known: Sequence[str]) -> list[str]:
    """The fields of the arguments that must be given and are not among the known paths, nor around or inside them."""
    paths = [split_path(path) for path in known]
    found: list[str] = []
    for index, argument in enumerate(method.args):
        below = [steps for at, steps in paths if at == index]
        found += _required(interface, argument, (str(index),) if index else (), below)
    return found


def _required(interface: Interface, type: Type, path: tuple[str, ...], below: Sequence[Sequence[str]]) -> list[str]:
    if [] in below:
        return []
    bare, is_optional = interface.bare(type)
    if not below and (is_optional or bare in (Primitive.NULL, Primitive.RESERVED)):
        return []
    if not below or not isinstance(bare, Record):
        return [".".join(path) or "0"]
    found: list[str] = []
    for field in bare.fields:
        inner = [steps[1:] for steps in below if field_called((field,), steps[0]) is not None]
        found += _required(interface, field.type, (*path, field.label), inner)
    return found


def _inside(interface: Interface, type: Type, step: str) -> tuple[Field, bool] | None:
    """One step inward as a reader of replies takes it, and whether it goes into a case."""
    match interface.bare(type)[0]:
        case Variant(cases=cases):
            found = field_called(cases, step)
            return None if found is None else (found, True)
        case Record(fields=fields, is_tuple=False):
            found = field_called(fields, step)
            return None if found is None else (found, False)
        case _:
            return None


def _unmatched(
    interface: Interface, type: Type, path: tuple[str, ...], below: Sequence[tuple[str, ...]], seen: frozenset[str]
) -> Iterator[tuple[str, ...]]:
    """The paths of the replies within this type that no key below here matches; no key above matches them."""
    bare, is_optional = interface.bare(type)
    seen |= _names(interface, type)
    match bare:
        case Variant(cases=variant_cases):
            for case in variant_cases:
                inner = [steps[1:] for steps in below if field_called((case,), steps[0]) is not None]
                if () not in inner:
                    yield from _unmatched_inside(interface, case.type, (*path, case.label), inner, seen)
        case Record(fields=fields, is_tuple=False) if below:
            open_by_field: list[list[tuple[str, ...]]] = []
            for field in fields:
                inner = [
                    steps[1:] for steps in below if len(steps) > 1 and field_called((field,), steps[0]) is not None
                ]
                if inner:
                    cases = _unmatched(interface, field.type, (*path, field.label), inner, seen)
                    open_by_field.append(list(islice(cases, MAX_CASES)))
            if not open_by_field:
                yield path
            elif all(open_by_field):  # else one field's keys match whatever comes
                yield from (each for some in open_by_field for each in some)
        case _:
            yield path
            return
    if is_optional:
        yield path


def _unmatched_inside(
    interface: Interface, type: Type, path: tuple[str, ...], below: Sequence[tuple[str, ...]], seen: frozenset[str]
) -> Iterator[tuple[str, ...]]:
    is_variant = isinstance(interface.bare(type)[0], Variant)
    is_worth = is_variant and len(path) < _MAX_STEPS and not (_names(interface, type) & seen)
    if below or is_worth:
        yield from _unmatched(interface, type, path, below, seen)
    else:
        yield path


def _names(interface: Interface, type: Type) -> frozenset[str]:
    """The names that lead from here to the type without options: a type that comes again is not listed again."""
    names: set[str] = set()
    while isinstance(type, Ref | Opt):
        if isinstance(type, Opt):
            type = type.inner
        elif type.name in names:
            break
        else:
            names.add(type.name)
            type = interface.types[type.name]
    return frozenset(names)


def _part_in_record(interface: Interface | None, method: Method | None, one: Key, other: Key) -> bool:
    """Whether two paths into one result part in a record, where both can be; in a variant only one of them can."""
    if interface is None or method is None or one.index >= len(method.results):
        return False
    type = method.results[one.index]
    for step, other_step in zip(one.steps, other.steps, strict=True):
        inside = _inside(interface, type, step)
        beside = _inside(interface, type, other_step)
        if inside is None or beside is None:
            return False
        if inside[0].number != beside[0].number:
            return not inside[1]
        type = inside[0].type
    return False
