"""Reads the text of a Candid interface (.did) into core values; every fault has its line and column.

A parser of our own: ic-py's prints its syntax errors and goes on with a guess (it loses numbered fields, and makes a
method of `composite_query`), reads neither nested comments nor quoted names, has no bounds, and takes 0.2 s to load.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from wallet.adapters.ic.did_tokens import Cursor, MalformedInterface, Token
from wallet.core.interface import (
    BLOB,
    Field,
    Func,
    Interface,
    Method,
    Mode,
    Opt,
    Primitive,
    Record,
    Ref,
    Service,
    Type,
    Variant,
    Vec,
    name_hash,
)

MAX_CHARS: Final = 1024 * 1024
MAX_DEPTH: Final = 64
"""Types within types, as written. Real interfaces stay below ten."""
MAX_DEFINITIONS: Final = 10_000

_MAX_DIGITS: Final = 40
_KEYWORDS: Final = frozenset({"type", "import", "service", "opt", "vec", "record", "variant", "func", "blob"})
_MODES: Final = {each.value: each for each in Mode if each is not Mode.UPDATE}


_PRIMITIVES: Final = {each.value: each for each in Primitive}


def parse_did(text: str) -> Interface:
    """The interface of the text's service. Raises MalformedInterface."""
    if len(text) > MAX_CHARS:
        raise MalformedInterface(f"the interface is longer than {MAX_CHARS} characters")
    return _Parser(text).interface()


class _Parser(Cursor):
    """Recursive descent with one token of look-ahead."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0
        self._types: dict[str, Type] = {}

    def interface(self) -> Interface:
        while self.token.text in ("type", "import") and self.token.kind == "word":
            self._definition()
        if self.token.kind == "end":
            self.fail("there is no service in it")
        self.word("service")
        if self.token.kind == "word":
            self.next()  # the service's own name means nothing to a caller
        self.mark(":")
        if self.token.text == "(":
            self._tuple()  # what it was installed with
            self.mark("->")
        at = self.token
        service: Type = self._service() if self.token.text == "{" else self._named_type()
        self.skip(";")
        if self.token.kind != "end":
            self.fail(f"{self.shown()} stands after the service")
        try:
            return Interface(self._methods(service, at), self._types)
        except ValueError as why:
            raise MalformedInterface(f"it is no interface: {why}") from None

    def _methods(self, service: Type, at: Token) -> tuple[Method, ...]:
        found = self._followed(service, at)
        if not isinstance(found, Service):
            self.fail("the service is given by a type that is none", at)
        methods: list[Method] = []
        for name, type in found.methods:
            func = self._followed(type, at)
            if not isinstance(func, Func):
                self.fail(f"the method {name} is given by a type that is no func", at)
            methods.append(Method(name, func.args, func.results, func.mode))
        return tuple(methods)

    def _followed(self, type: Type, at: Token) -> Type:
        names = 0
        while isinstance(type, Ref):
            if type.name not in self._types:
                self.fail(f"the type {type.name} is not defined", at)
            if names >= MAX_DEPTH:
                self.fail("a type is given by too many other names", at)
            type, names = self._types[type.name], names + 1
        return type

    def _definition(self) -> None:
        if self.token.text == "import":
            self.fail("imports cannot be followed; give the whole interface in one text")
        self.word("type")
        at, name = self.token, self.identifier()
        if name in self._types:
            self.fail(f"the type {name} is defined twice", at)
        if name in _KEYWORDS or name in _PRIMITIVES:
            self.fail(f"{name} is a word of Candid, so no type can have that name", at)
        if len(self._types) >= MAX_DEFINITIONS:
            self.fail(f"there are more than {MAX_DEFINITIONS} types", at)
        self.mark("=")
        self._types[name] = self._type()
        if not self.skip(";") and self.token.text != "service" and self.token.kind != "end":  # the last needs none
            self.fail(f'";" is expected, not {self.shown()}')

    # --- types ---

    def _type(self) -> Type:
        if self._depth >= MAX_DEPTH:
            self.fail(f"types are nested deeper than {MAX_DEPTH}")
        self._depth += 1
        try:
            return self._one_type()
        finally:
            self._depth -= 1

    def _one_type(self) -> Type:
        if self.token.kind != "word":
            self.fail(f"a type is expected, not {self.shown()}")
        match self.token.text:
            case "opt":
                self.next()
                return Opt(self._type())
            case "vec":
                self.next()
                return Vec(self._type())
            case "record":
                self.next()
                return Record(self._fields(self._record_field))
            case "variant":
                self.next()
                return Variant(self._fields(self._variant_case))
            case "func":
                self.next()
                return self._func()
            case "service":
                self.next()
                return self._service()
            case "blob":
                self.next()
                return BLOB
            case _:
                return self._named_type()

    def _named_type(self) -> Type:
        name = self.identifier()
        return _PRIMITIVES[name] if name in _PRIMITIVES else Ref(name)

    def _fields(self, one: Callable[[int], Field]) -> tuple[Field, ...]:
        seen: set[int] = set()
        following = 0

        def field() -> Field:
            nonlocal following
            at = self.token
            found = one(following)
            if found.number in seen:
                self.fail(f"{found.label} stands twice, or has the number of another name", at)
            seen.add(found.number)
            following = found.number + 1
            return found

        return tuple(self.sequence("{", field, ";", "}"))

    def _record_field(self, following: int) -> Field:
        label = self._label_before_colon()
        if label is None:
            if following >= 1 << 32:
                self.fail("there is no number left for this field")
            return Field(following, None, self._type())
        number, name = label
        return Field(number, name, self._type())

    def _variant_case(self, _: int) -> Field:
        number, name = self._label()
        if self.token.text == ":":
            self.next()
            return Field(number, name, self._type())
        return Field(number, name, Primitive.NULL)

    def _label(self) -> tuple[int, str | None]:
        token = self.token
        if token.kind == "number":
            self.next()
            digits = token.text.replace("_", "")
            number = int(digits[:_MAX_DIGITS], 16 if digits.startswith("0x") else 10)
            if number >= 1 << 32 or len(digits) > _MAX_DIGITS:
                self.fail("a field's number is below 2^32", token)
            return number, None
        name = self.name()
        return name_hash(name), name

    def _label_before_colon(self) -> tuple[int, str | None] | None:
        """A record's field may be a type alone: only the colon tells."""
        token = self.token
        if token.kind == "mark" or not self.is_before_colon(token):
            return None
        label = self._label()
        self.mark(":")
        return label

    def _func(self) -> Func:
        args = self._tuple()
        self.mark("->")
        at, results = self.token, self._tuple()
        modes: list[Mode] = []
        while self.token.kind == "word" and self.token.text in _MODES:
            modes.append(_MODES[self.next().text])
        if len(set(modes)) > 1:
            self.fail("a method is called in one way only", at)
        mode = modes[0] if modes else Mode.UPDATE
        if mode is Mode.ONEWAY and results:
            self.fail("a oneway method has no results", at)
        return Func(args, results, mode)

    def _tuple(self) -> tuple[Type, ...]:
        def argument() -> Type:
            token = self.token
            if token.kind in ("word", "text") and self.is_before_colon(token):
                self.name()
                self.mark(":")  # an argument's name means nothing on the wire
            return self._type()

        return tuple(self.sequence("(", argument, ",", ")"))

    def _service(self) -> Service:
        seen: set[str] = set()

        def method() -> tuple[str, Type]:
            at, name = self.token, self.name()
            if name in seen:
                self.fail(f"the method {name} stands twice", at)
            seen.add(name)
            self.mark(":")
            return name, self._func() if self.token.text == "(" else self._named_type()

        return Service(tuple(self.sequence("{", method, ";", "}")))
