"""A value that must never be seen: a key, a passphrase, a seed."""

import hmac
from typing import NoReturn


class Secret:
    """Wraps bytes or text so that no print, log, traceback or pickle can show them; `reveal` is the one way out."""

    __slots__ = ("_value",)

    def __init__(self, value: bytes | str) -> None:
        self._value = value.encode("utf-8") if isinstance(value, str) else bytes(value)

    def reveal(self) -> bytes:
        """The bytes themselves (text as UTF-8). Use the result where it stands; do not give it a name that lasts.

        A traceback with locals (Textual prints those) shows every named value but not this wrapper.
        """
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        return hmac.compare_digest(self._value, other._value) if isinstance(other, Secret) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # a hash could be looked up

    def __repr__(self) -> str:
        return "Secret(...)"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a Secret is neither pickled nor copied")
