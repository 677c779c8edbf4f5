"""Packs where they rest: those that come with the wallet (packs/*.json), and a person's own in the folder for them."""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final, Literal

from wallet.adapters.host import private_folder
from wallet.adapters.private_file import write_private
from wallet.core.errors import BadInput, StoreFault
from wallet.core.pack import Pack
from wallet.core.pack_text import inspect_pack, parse_pack
from wallet.core.secret import Secret
from wallet.core.strict_json import MAX_CHARS

SCHEMA: Final = "pack.schema.json"
"""What a pack may say, as a JSON Schema for those who write one."""
_FOLDER: Final = files("wallet.adapters") / "packs"
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

    `folder` is the data folder. Raises StoreFault where an own one cannot be read, BadInput where it is no text.
    """
    try:
        paths = sorted(own_folder(folder).glob(f"[!.]*{_END}"))
        own = [PackFile(path.stem, "own", str(path), _text(path, _bytes(path))) for path in paths]
    except OSError as fault:
        raise StoreFault(f"Your own packs cannot be read. {fault.filename}: {fault.strerror}") from None
    bundled = [PackFile(name, "bundled", "comes with the wallet", _bundled_text(name)) for name in bundled_names()]
    return own + bundled


def usable_pack(file: PackFile) -> Pack:
    """The pack that the file is. Raises BadInput, which names file and place, where it has an error."""
    pack, faults = inspect_pack(file.name, file.text)
    if faults:
        where = file.place if file.origin == "own" else file.name
        raise BadInput("pack", f"{where}, {faults[0].why}; mend it or take it away, for it cannot be used like this")
    return pack


def own_folder(folder: Path) -> Path:
    """Where a person's own packs lie: in the platform's folder for configuration; in that of the data, where this was
    named (--data-dir, WALLET_DATA_DIR): what is tried out there stays there."""
    import platformdirs  # late: only those need it who meet a pack

    is_usual = folder == platformdirs.user_data_path("wallet", appauthor=False).expanduser().absolute()
    return (platformdirs.user_config_path("wallet", appauthor=False) if is_usual else folder) / "packs"


def read_pack_text(path: Path) -> str:
    """The text of a file, cut off where it is too long for a pack; BadInput where it cannot be read or is no text."""
    try:
        return _text(path, _bytes(path))
    except OSError as error:
        raise BadInput("file", f"{path} cannot be read: {error.strerror}") from None


def _bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MAX_BYTES + 1)


def _text(path: Path, data: bytes) -> str:
    if len(data) > _MAX_BYTES:
        return data.decode("utf-8", "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise BadInput("file", f"{path}, line {line}: byte {fault.start + 1} is not UTF-8") from None


def keep_pack(folder: Path, name: str, text: str) -> Path:
    """Write a person's own pack into the folder for them, over one of the same name. Raises StoreFault."""
    path = private_folder(own_folder(folder)) / f"{name}{_END}"
    try:
        write_private(path, Secret(text.encode()), replace=True)
    except OSError as error:
        raise StoreFault(f"{path} cannot be written ({error.strerror}). Nothing was added.") from None
    return path


def _bundled_text(name: str) -> str:
    return (_FOLDER / f"{name}{_END}").read_text(encoding="utf-8")
