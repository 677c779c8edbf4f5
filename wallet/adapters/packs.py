"""Packs where they rest: those that come with the wallet (packs/*.json), and a person's own in the data folder."""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final, Literal

from wallet.adapters.host import private_folder
from wallet.adapters.private_file import write_private
from wallet.core.errors import BadInput, StoreFault
from wallet.core.pack import Pack
from wallet.core.pack_text import parse_pack
from wallet.core.secret import Secret
from wallet.core.strict_json import MAX_CHARS

SCHEMA: Final = "pack.schema.json"
"""What a pack may say, as a JSON Schema for those who write one."""
_FOLDER: Final = files("wallet.adapters") / "packs"
_OWN_FOLDER: Final = "packs"
_END: Final = ".json"
_MAX_BYTES: Final = 4 * MAX_CHARS


@dataclass(frozen=True, slots=True)
class PackFile:
    """A pack's text and where it comes from. A text that cannot be a pack is here too: who uses it checks it."""

    name: str
    origin: Literal["own", "bundled"]
    place: str  # a path, or what comes with the wallet
    text: str


def bundled_names() -> tuple[str, ...]:
    """The names of the bundled packs, sorted, the examples last: they speak only where nothing else does."""
    found = (each.name for each in _FOLDER.iterdir() if each.name.endswith(_END) and each.name != SCHEMA)
    names = (name.removesuffix(_END) for name in found)
    return tuple(sorted(names, key=lambda name: (name.startswith("example"), name)))


def bundled_pack(name: str) -> Pack:
    """The bundled pack of this name. BadInput where there is none."""
    if name not in bundled_names():
        raise BadInput("pack", f"there is no bundled pack {name}; there are: {', '.join(bundled_names())}")
    return parse_pack(name, _bundled_text(name))


def bundled_packs() -> tuple[Pack, ...]:
    return tuple(bundled_pack(name) for name in bundled_names())


def pack_files(folder: Path) -> list[PackFile]:
    """A person's own, by name, and then the bundled ones: the first that fits a canister's method speaks for it.

    `folder` is the data folder. Raises StoreFault where an own one cannot be read.
    """
    try:
        paths = sorted((folder / _OWN_FOLDER).glob(f"[!.]*{_END}"))
        own = [PackFile(path.stem, "own", str(path), read_pack_text(path)) for path in paths]
    except (OSError, BadInput) as fault:
        raise StoreFault(f"Your own packs cannot be read. {fault}") from None
    bundled = [PackFile(name, "bundled", "comes with the wallet", _bundled_text(name)) for name in bundled_names()]
    return own + bundled


def read_pack_text(path: Path) -> str:
    """The text of a file, cut off where it is too long for a pack; BadInput where it cannot be read or is no text."""
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise BadInput("file", f"{path} cannot be read: {error.strerror}") from None
    if len(data) > _MAX_BYTES:
        return data.decode("utf-8", "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise BadInput("file", f"{path}, line {line}: byte {fault.start + 1} is not UTF-8") from None


def keep_pack(folder: Path, name: str, text: str) -> Path:
    """Write a person's own pack into the data folder, over one of the same name. Raises StoreFault."""
    path = private_folder(folder / _OWN_FOLDER) / f"{name}{_END}"
    try:
        write_private(path, Secret(text.encode()), replace=True)
    except OSError as error:
        raise StoreFault(f"{path} cannot be written ({error.strerror}). Nothing was added.") from None
    return path


def _bundled_text(name: str) -> str:
    return (_FOLDER / f"{name}{_END}").read_text(encoding="utf-8")
