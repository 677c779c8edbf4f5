"""Candid values as the wallet sees them: plain Python, with variants and nested options kept apart from records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from wallet.core.principal import Principal


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a variant with its payload (None where the case carries nothing)."""

    tag: str
    value: Value = None


Value: TypeAlias = "bool | int | str | bytes | Principal | Case | list[Value] | dict[str, Value] | None"
"""null and an absent opt are None, a present opt is its content; nat and int are int, blob is bytes, records are dicts.

A field or case whose name is not known to the reader is called `_<hash>`.
"""
