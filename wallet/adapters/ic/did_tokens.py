"""The words, numbers and marks of a Candid interface's text, comments left out; every fault has its line and column."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NoReturn, TypeVar

T = TypeVar("T")

_TOKEN: Final = re.compile(
    r"""(?P<space>\s+|//[^\n]*)
      | (?P<block>/\*)
      | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<number>0x[0-9A-Fa-f](?:_?[0-9A-Fa-f])*(?![0-9A-Za-z_])|[0-9](?:_?[0-9])*(?![0-9A-Za-z_]))
      | (?P<text>"(?:[^"\\\n]|\\[^\n])*")
      | (?P<mark>->|[{}():;,=])""",
    re.VERBOSE,
)
_ESCAPE: Final = re.compile(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2})|(.))", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"', "'": "'"}


class MalformedInterface(ValueError):
    """The text is no Candid interface; the sentence says where and why."""


@dataclass(frozen=True, slots=True)
class Token:
    """One of them; `at` is where it starts."""

    kind: str  # word, number, text, mark or end
    text: str
    at: int


class Cursor:
    """A walk over a text, one token at a time. Every step raises MalformedInterface where it cannot be taken."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._rest = _tokens(text)
        self.token = next(self._rest)

    def sequence(self, opening: str, one: Callable[[], T], separator: str, closing: str) -> Iterator[T]:
        self.mark(opening)
        while self.token.text != closing or self.token.kind != "mark":
            yield one()
            self.separator(separator, closing)
        self.next()

    def separator(self, separator: str, closing: str) -> None:
        if not self.skip(separator) and not self.is_mark(closing):
            self.fail(f'"{separator}" is expected, not {self.shown()}')

    def name(self) -> str:
        if self.token.kind == "text":
            return _unquoted(self.text, self.next())
        return self.identifier()

    def identifier(self) -> str:
        if self.token.kind != "word":
            self.fail(f"a name is expected, not {self.shown()}")
        return self.next().text

    def word(self, word: str) -> None:
        if self.token.kind != "word" or self.token.text != word:
            self.fail(f'"{word}" is expected, not {self.shown()}')
        self.next()

    def mark(self, mark: str) -> None:
        if not self.skip(mark):
            self.fail(f'"{mark}" is expected, not {self.shown()}')

    def skip(self, mark: str) -> bool:
        is_there = self.is_mark(mark)
        if is_there:
            self.next()
        return is_there

    def is_mark(self, mark: str) -> bool:
        return self.token.kind == "mark" and self.token.text == mark

    def next(self) -> Token:
        token = self.token
        self.token = next(self._rest)
        return token

    def shown(self) -> str:
        return "the end" if self.token.kind == "end" else ascii(self.token.text[:40])

    def fail(self, why: str, token: Token | None = None) -> NoReturn:
        raise _malformed(self.text, (token or self.token).at, why)

    def is_before_colon(self, token: Token) -> bool:
        """Whether a colon follows the token, whatever space and comments are between."""
        at = token.at + len(token.text)
        while at < len(self.text):
            found = _TOKEN.match(self.text, at)
            if found is None or found.lastgroup not in ("space", "block"):
                return found is not None and found[0] == ":"
            at = _after_block(self.text, at) if found.lastgroup == "block" else found.end()
        return False


def _tokens(text: str) -> Iterator[Token]:
    """All of them, and then `end` for ever."""
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise _malformed(text, at, f"{text[at : at + 1]!a} cannot stand here")
        kind = found.lastgroup or ""
        if kind == "block":
            at = _after_block(text, at)
            continue
        if kind != "space":
            yield Token(kind, found[0], at)
        at = found.end()
    while True:
        yield Token("end", "", len(text))


def _after_block(text: str, start: int) -> int:
    """Block comments nest."""
    depth = 0
    for each in re.compile(r"/\*|\*/").finditer(text, start):
        depth += 1 if each[0] == "/*" else -1
        if depth == 0:
            return each.end()
    raise _malformed(text, start, "this comment has no end")


def _unquoted(text: str, token: Token) -> str:
    def replaced(escape: re.Match[str]) -> str:
        code, byte, letter = escape.groups()
        if code is not None and (int(code, 16) < 0xD800 or 0xDFFF < int(code, 16) < 0x110000):
            return chr(int(code, 16))
        if byte is not None and int(byte, 16) < 0x80:
            return chr(int(byte, 16))
        if letter in _ESCAPES:
            return _ESCAPES[letter]
        raise _malformed(text, token.at, f"{escape[0]!a} stands for no character")

    return _ESCAPE.sub(replaced, token.text[1:-1])


def _malformed(text: str, at: int, why: str) -> MalformedInterface:
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    return MalformedInterface(f"line {line}, column {column}: {why}")
