"""wallet pack ...: what the replies of ledgers mean, checked (R8), listed, shown, and a person's own added."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wallet.cli.command import Command
from wallet.cli.context import Context, Result
from wallet.cli.exits import Exit
from wallet.core.errors import BadInput, Refused
from wallet.core.principal import Principal
from wallet.services.shown import plain

if TYPE_CHECKING:
    from wallet.adapters.packs import PackFile
    from wallet.core.interface import Interface
    from wallet.core.pack_check import Finding
    from wallet.ports import StatedInterface
    from wallet.services.session import Session

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}\Z")


def lint(context: Context, arguments: argparse.Namespace) -> Result:
    """A file, with or without an interface; anything else is a ledger, whose own interface is asked for."""
    from wallet.adapters.packs import read_pack_text
    from wallet.core.pack_check import check_pack

    path = Path(arguments.what)
    if arguments.did is None and not path.is_file() and path.suffix != ".json":
        return _lint_ledger(context, arguments.what)
    interface = None if arguments.did is None else _read_did(arguments.did)
    findings = check_pack(path.stem, read_pack_text(path), interface, source=str(path))
    if interface is None:
        context.notify("No interface was given, so keys and fields were compared with no types: --did FILE names one.")
    return _checked(findings, [path.stem])


def show_list(context: Context, _: argparse.Namespace) -> Result:
    from wallet.core.pack_text import inspect_pack

    spoken_for: set[str] = set()
    documents: list[dict[str, object]] = []
    lines: list[str] = []
    for each in _files(context):
        pack, faults = inspect_pack(each.name, each.text)
        methods = sorted(pack.methods)
        remark = f"  cannot be used: {faults[0].why}" if faults else ""
        behind = [] if faults else [method for method in methods if method in spoken_for]
        if behind:
            remark = f"  asked after your own for {', '.join(behind)}"
        if not faults and each.origin == "own":
            spoken_for.update(methods)
        documents.append({"name": each.name, "origin": each.origin, "methods": methods, "usable": not faults})
        lines.append(plain(f"{each.name:<16} {each.origin:<8} {', '.join(methods) or '-'}{remark}"))
    return Result(document=documents, lines=lines)


def show(context: Context, arguments: argparse.Namespace) -> Result:
    found = next((each for each in _files(context) if each.name == arguments.name), None)
    if found is None:
        known = ", ".join(dict.fromkeys(each.name for each in _files(context)))
        raise BadInput("name", f"there is no pack {arguments.name!r}; there are: {known}")
    context.notify(plain(f"{found.name}: {found.origin}, {found.place}"))
    try:
        entries = json.loads(found.text)
    except (ValueError, RecursionError):
        entries = None
    document = {"name": found.name, "origin": found.origin, "place": found.place, "entries": entries}
    return Result(document=document, lines=[plain(line) for line in found.text.splitlines()])


def add(context: Context, arguments: argparse.Namespace) -> Result:
    from wallet.adapters.packs import keep_pack, read_pack_text
    from wallet.core.pack_check import Level, check_pack

    path: Path = arguments.file
    if not _NAME.match(path.stem) or path.suffix != ".json":
        raise BadInput(
            "file", f"{str(path)!a} gives a pack no name: it is a file NAME.json of letters, digits, _ and -"
        )
    text = read_pack_text(path)
    findings = check_pack(path.stem, text, source=str(path))
    errors = [each for each in findings if each.level is Level.ERROR]
    if errors:
        message = f"{path} was not added: {errors[0].message}"
        document = {"error": {"exit": int(Exit.USAGE), "message": message, "field": "file"}, **_document(findings)}
        context.notify(plain(f"wallet: {path} was not added."))
        return Result(Exit.USAGE, document, [plain(each.line) for each in findings])
    for each in findings:
        context.notify(plain(each.line))
    before = [each for each in _files(context) if each.name == path.stem and each.origin == "own"]
    kept = keep_pack(context.folder, path.stem, text)
    word = "Replaced" if before else "Added"
    document = {"name": path.stem, "origin": "own", "place": str(kept), "replaced": bool(before)}
    lines = [plain(f"{word} {path.stem} ({kept}). It is asked before the packs that come with the wallet.")]
    return Result(document=document, lines=lines)


# --- checking ---


def _read_did(path: Path) -> Interface:
    from wallet.adapters.ic.did import parse_did
    from wallet.adapters.ic.did_tokens import MalformedInterface
    from wallet.adapters.packs import read_pack_text

    try:
        return parse_did(read_pack_text(path))
    except MalformedInterface as why:
        raise BadInput("did", f"{path}, {why}") from None


def _lint_ledger(context: Context, what: str) -> Result:
    from wallet.core.pack_check import check_pack
    from wallet.core.pack_match import Mismatch, first_to_speak, match, match_by_standards
    from wallet.core.pack_text import examine_pack

    async def work() -> tuple[StatedInterface | None, tuple[str, ...]]:
        async with context.session() as session:
            canister = _canister(session, what)
            stated = await session.network.interface(canister)
            standards = () if stated else (await session.network.stated_terms(canister)).standards
            return stated, standards

    stated, standards = context.wait_briefly(work())
    interface = None if stated is None else stated.interface
    packs = [examine_pack(each.name, each.text).draft for each in _files(context)]
    fits = [match_by_standards(each, standards) if interface is None else match(each, interface) for each in packs]
    for pack, fit in zip(packs, fits, strict=True):
        for reason in fit.reasons if isinstance(fit, Mismatch) else ():
            context.notify(plain(f"[{pack.name}] does not match: {reason}"))
    context.notify(_how_it_was_seen(stated))
    chosen = first_to_speak(zip(packs, fits, strict=True))
    if not chosen:
        raise Refused(f"No pack speaks for {what}.")
    findings = [each for pack in chosen for each in check_pack(pack.name, pack.text, interface)]
    return _checked(findings, [pack.name for pack in chosen])


def _canister(session: Session, what: str) -> Principal:
    """A ledger by name, or any canister by its id."""
    try:
        return Principal.from_text(what)
    except ValueError:
        return session.ledgers.find(what).terms.canister


def _how_it_was_seen(stated: StatedInterface | None) -> str:
    if stated is None:
        return "The canister shows no interface: packs were matched by the standards that it names, without types."
    if not stated.certified:
        return "The canister's interface is one node's word: it is not in its certified metadata."
    return "The canister's interface was read from its certified metadata."


def _checked(findings: Sequence[Finding], names: Sequence[str]) -> Result:
    document = _document(findings)
    lines = [plain(each.line) for each in findings] or [plain(f"[{name}] no findings") for name in names]
    return Result(Exit.USAGE if document["errors"] else Exit.DONE, document, lines)


def _document(findings: Sequence[Finding]) -> dict[str, object]:
    from wallet.core.pack_check import Level

    def count(level: Level) -> int:
        return sum(each.level is level for each in findings)

    return {
        "findings": [
            {
                "level": each.level.value,
                "code": each.code,
                "pack": each.pack,
                "method": each.method,
                "message": each.message,
            }
            for each in findings
        ],
        "errors": count(Level.ERROR),
        "warnings": count(Level.WARNING),
        "infos": count(Level.INFO),
    }


def _files(context: Context) -> list[PackFile]:
    from wallet.adapters.packs import pack_files

    return pack_files(context.folder)


def _lint_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", metavar="FILE|LEDGER", help="a pack, or a ledger whose interface is to be compared")
    parser.add_argument("--did", type=Path, metavar="FILE", help="the Candid interface to compare the file with")


def _name_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a name of `wallet pack list`")


def _file_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a pack; its name is the file's, without .json")


COMMANDS = (
    Command("pack lint", "check a pack, or the packs that speak for a ledger", lint, _lint_arguments),
    Command("pack list", "list the packs, your own first", show_list),
    Command("pack show", "print a pack", show, _name_argument),
    Command("pack add", "add a pack of your own", add, _file_argument),
)
