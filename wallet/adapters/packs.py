"""Reads the packs that come with the wallet, from packs/*.json."""

from importlib.resources import files

from wallet.core.errors import BadInput
from wallet.core.pack import Pack
from wallet.core.pack_text import parse_pack

_FOLDER = files("wallet.adapters") / "packs"
_END = ".json"


def bundled_names() -> tuple[str, ...]:
    """The names of the bundled packs, sorted."""
    return tuple(sorted(each.name.removesuffix(_END) for each in _FOLDER.iterdir() if each.name.endswith(_END)))


def bundled_pack(name: str) -> Pack:
    """The bundled pack of this name. BadInput where there is none."""
    if name not in bundled_names():
        raise BadInput("pack", f"there is no bundled pack {name}; there are: {', '.join(bundled_names())}")
    return parse_pack(name, (_FOLDER / f"{name}{_END}").read_text(encoding="utf-8"))


def bundled_packs() -> tuple[Pack, ...]:
    return tuple(bundled_pack(name) for name in bundled_names())
