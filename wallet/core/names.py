"""What a person calls things: identities, networks and ledgers by name, a payment by a reference of their own."""

import re
import unicodedata

from wallet.core.errors import BadInput
from wallet.core.memo import is_plain
from wallet.core.principal import Principal

_NAME = re.compile(r"[^\W_][\w.-]{0,63}\Z")
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
MAX_REFERENCE = 200


def check_name(name: str, field: str = "name") -> None:
    """Raises BadInput for a name that could be taken for something else where it is typed, listed or pasted."""
    turns = any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in name)
    if turns or not _NAME.match(name) or ".." in name or _is_principal(name):
        raise BadInput(
            field,
            "a name begins with a letter or digit and has 1 to 64 letters, digits, dashes, single points or"
            " underscores, none of them written from right to left, and it is no principal",
        )


def check_reference(ref: str) -> None:
    """Raises BadInput for a reference that cannot be seen for what it is. It is only ever compared and shown (R36)."""
    if not 0 < len(ref) <= MAX_REFERENCE or not all(map(is_plain, ref)) or ref != ref.strip():
        raise BadInput(
            "ref", f"a reference has 1 to {MAX_REFERENCE} characters that can be seen, and no space at either end"
        )


def _is_principal(name: str) -> bool:
    """A name like one would hide the thing that the principal is of."""
    try:
        Principal.from_text(name)
    except ValueError:
        return False
    return True
