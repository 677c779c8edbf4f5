"""Readers for the fields of an ICRC-3 Map: None where the field is absent, ValueError where it is another shape."""

from wallet.core.account import Account
from wallet.core.principal import Principal
from wallet.core.value import Case, Value


def read_map(value: Value, where: str) -> dict[str, Value]:
    if not isinstance(value, Case) or value.tag != "Map" or not isinstance(value.value, list):
        raise ValueError(f"{where} is no Map")
    fields: dict[str, Value] = {}
    for pair in value.value:
        match pair:
            case [str() as name, Case() as inner]:
                if name in fields:
                    raise ValueError(f"{where} has {name!a} twice")
                fields[name] = inner
            case _:
                raise ValueError(f"{where} holds something that is no pair of a text and a Value")
    return fields


def read_nat(fields: dict[str, Value], name: str) -> int | None:
    match fields.get(name):
        case None:
            return None
        case Case("Nat", int() as number) if not isinstance(number, bool) and number >= 0:
            return number
        case _:
            raise ValueError(f"{name} is no Nat")


def read_text(fields: dict[str, Value], name: str) -> str | None:
    match fields.get(name):
        case None:
            return None
        case Case("Text", str() as text):
            return text
        case _:
            raise ValueError(f"{name} is no Text")


def read_blob(fields: dict[str, Value], name: str) -> bytes | None:
    match fields.get(name):
        case None:
            return None
        case Case("Blob", bytes() as raw):
            return raw
        case _:
            raise ValueError(f"{name} is no Blob")


def read_account(fields: dict[str, Value], name: str) -> Account | None:
    match fields.get(name):
        case None:
            return None
        case Case("Array", [Case("Blob", bytes() as owner)]):
            return Account.of(Principal(owner))
        case Case("Array", [Case("Blob", bytes() as owner), Case("Blob", bytes() as subaccount)]):
            return Account.of(Principal(owner), subaccount)
        case _:
            raise ValueError(f"{name} is no account")
