"""wallet identity ...: keys made, brought in, taken out, and the one in use."""

import argparse
from pathlib import Path

from wallet.cli.command import Command
from wallet.cli.context import Context, Result
from wallet.core.account import Account
from wallet.ports import IdentityEntry

CURVES = ("ed25519", "secp256k1", "p256")
_PLACES = {"keyring": "the system's keyring", "file": "an encrypted file"}


def new(context: Context, arguments: argparse.Namespace) -> Result:
    entry = context.identities().new(arguments.name, arguments.curve)
    backup = context.command(f"identity export {entry.name} -o FILE")
    return _result(context, entry, f"Made {entry.name}, its key in {_PLACES[entry.kept_in]}. Back it up: {backup}")


def bring_in(context: Context, arguments: argparse.Namespace) -> Result:
    entry = context.identities().bring_in(arguments.name, arguments.pem)
    return _result(context, entry, f"Imported {entry.name}, its key in {_PLACES[entry.kept_in]}.")


def show_list(context: Context, _: argparse.Namespace) -> Result:
    identities = context.identities()
    current = identities.current()
    entries = identities.all()
    lines = [f"{'*' if each == current else ' '} {each.name:<16} {each.principal}" for each in entries]
    return Result(
        document=[_document(each, is_current=each == current) for each in entries],
        lines=lines or [f"There is no identity yet. Make one: {context.command('identity new NAME')}"],
    )


def show(context: Context, arguments: argparse.Namespace) -> Result:
    entry = context.identities().find(arguments.name or context.common.identity)
    return _result(context, entry)


def use(context: Context, arguments: argparse.Namespace) -> Result:
    entry = context.identities().use(arguments.name)
    return _result(context, entry, f"{entry.name} is now the identity in use.")


def take_out(context: Context, arguments: argparse.Namespace) -> Result:
    entry = context.identities().take_out(arguments.name, arguments.output, plain=arguments.plain)
    how = "as it is, unencrypted: whoever reads the file has the key" if arguments.plain else "encrypted"
    return _result(context, entry, f"Wrote the key of {entry.name} to {arguments.output}, {how}.")


def remove(context: Context, arguments: argparse.Namespace) -> Result:
    entry = context.identities().remove(arguments.name)
    return Result(document=_document(entry, is_current=False), lines=[f"Removed {entry.name} and its key."])


def _result(context: Context, entry: IdentityEntry, *first: str) -> Result:
    is_current = context.identities().current() == entry
    lines = [
        *first,
        f"  name       {entry.name}{' (in use)' if is_current else ''}",
        f"  principal  {entry.principal}",
        f"  curve      {entry.curve}",
        f"  key in     {_PLACES[entry.kept_in]}",
        f"  backed up  {'yes' if entry.backed_up else 'no'}",
    ]
    return Result(document=_document(entry, is_current), lines=lines)


def _document(entry: IdentityEntry, is_current: bool) -> dict[str, object]:
    return {
        "name": entry.name,
        "principal": entry.principal.text,
        "account": Account(entry.principal).text,
        "curve": entry.curve,
        "kept_in": entry.kept_in,
        "backed_up": entry.backed_up,
        "current": is_current,
    }


def _name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")


def _new_arguments(parser: argparse.ArgumentParser) -> None:
    _name(parser)
    parser.add_argument("--curve", choices=CURVES, default=CURVES[0], help=f"the kind of key ({CURVES[0]})")


def _import_arguments(parser: argparse.ArgumentParser) -> None:
    _name(parser)
    parser.add_argument(
        "--pem", type=Path, metavar="FILE", required=True, help="a key file as dfx, icp-cli or OpenSSL write it"
    )


def _show_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="else the one in use")


def _export_arguments(parser: argparse.ArgumentParser) -> None:
    _name(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", required=True, help="a file that is not there yet")
    parser.add_argument("--plain", action="store_true", help="unencrypted, in the form that dfx and icp-cli import")


COMMANDS = (
    Command("identity new", "make a key", new, _new_arguments),
    Command("identity import", "bring in a key from a PEM file", bring_in, _import_arguments),
    Command("identity list", "list the identities; the one in use is marked", show_list),
    Command("identity show", "show an identity's principal", show, _show_arguments),
    Command("identity use", "choose the identity that is used where none is named", use, _name),
    Command("identity export", "write a key's file, encrypted unless --plain", take_out, _export_arguments),
    Command("identity remove", "forget an identity and its key, once it is backed up", remove, _name),
)
