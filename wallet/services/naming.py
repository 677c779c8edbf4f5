"""The names of a reply's cases and fields: only their hashes come over the wire, and a pack has few of them.

A canister's interface has the others. They are kept when an intent is prepared, for the day its reply comes.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from wallet.core.attempt import Evidence, Reply
from wallet.core.intent import Intent
from wallet.core.interface import Interface, name_hash, names_within
from wallet.core.principal import Principal
from wallet.core.value import Case, Value
from wallet.ports import Store

MAX_NAMES = 500
"""More are not kept: an interface can be made to have any number."""


def keep_names(store: Store, root_key: bytes, canister: Principal, interface: Interface | None, method: str) -> None:
    """Keep the names that the method's results may use."""
    found = None if interface is None else interface.method(method)
    if interface is None or found is None:
        return
    names = sorted(names_within(interface, found.results))[:MAX_NAMES]
    text = json.dumps(names)
    if store.setting(_key(root_key, canister, method)) != text:
        store.put_setting(_key(root_key, canister, method), text)


def kept_names(store: Store, intent: Intent) -> tuple[str, ...]:
    """What was kept for the intent's method. Text that is no list any more names nothing: it only serves to be read."""
    kept = store.setting(_key(intent.root_key, intent.ledger, intent.method))
    try:
        names = [] if kept is None else json.loads(kept)
    except ValueError:
        names = []
    return tuple(name for name in names if isinstance(name, str)) if isinstance(names, list) else ()


def with_names(names: Sequence[str], intent: Intent, evidence: Evidence) -> Evidence:
    """A reply with what is known by name called so. What a pack names is never called otherwise, whatever an interface
    says: two names can have one hash."""
    if not isinstance(evidence, Reply):
        return evidence
    by_hash = _by_hash(names) | _by_hash(intent.pack.names)
    return replace(evidence, result=[_named(each, by_hash) for each in evidence.result])


def _key(root_key: bytes, canister: Principal, method: str) -> str:
    return f"names {root_key.hex()[-32:]} {canister} {method}"


def _by_hash(names: Iterable[str]) -> dict[str, str]:
    return {f"_{name_hash(name)}": name for name in names}


def _named(value: Value, names: Mapping[str, str]) -> Value:
    match value:
        case Case(tag=tag, value=inner):
            return Case(names.get(tag, tag), _named(inner, names))
        case dict():
            return {names.get(name, name): _named(inner, names) for name, inner in value.items()}
        case list():
            return [_named(each, names) for each in value]
    return value
