"""Imports flow one way: every import under wallet/, also one inside a function, is read and weighed."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import wallet

ROOT = Path(wallet.__file__).parent

# What each layer may import of the wallet besides itself. A name may be a module inside a layer (`adapters.ic`).
MAY_IMPORT: dict[str, frozenset[str]] = {
    "core": frozenset(),
    "ports": frozenset({"core"}),
    "adapters": frozenset({"core", "ports"}),
    "services": frozenset({"core", "ports"}),
    "tui": frozenset({"core", "ports", "services"}),
    "devnet": frozenset({"core", "adapters.ic"}),
    "wiring": frozenset({"core", "ports", "adapters", "services"}),
    "cli": frozenset({"core", "ports", "adapters", "services", "tui", "wiring", "devnet"}),
    "__main__": frozenset({"cli", "core"}),
    "__init__": frozenset(),
}
# Costly to load: the command line imports them inside a function, when they are needed.
LATE_IN_CLI = ("textual", "ic", "wallet.tui", "wallet.devnet")


@dataclass(frozen=True)
class Import:
    name: str  # dotted, absolute
    line: int
    is_late: bool  # inside a function, or for type checkers only


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 2 else parts)


def imports_of(module: str, text: str, is_package: bool = False) -> Iterator[Import]:
    """Every import of the text: `from a import b` counts as `a.b`, since b may be a module."""

    def visit(node: ast.AST, is_late: bool) -> Iterator[Import]:
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield Import(alias.name, node.lineno, is_late)
            case ast.ImportFrom(module=source, names=names, level=level):
                base = module.split(".")
                base = base[: len(base) - level + is_package] if level else []
                for alias in names:
                    yield Import(".".join([*base, *filter(None, [source]), alias.name]), node.lineno, is_late)
            case ast.Call(func=ast.Name("__import__") | ast.Attribute(attr="import_module"), args=[first, *_]):
                name = first.value if isinstance(first, ast.Constant) else "*"
                yield Import(str(name), node.lineno, is_late)
        late = is_late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            late = True
        for child in ast.iter_child_nodes(node):
            yield from visit(child, late)

    return visit(ast.parse(text), False)


def is_within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def faults_of(module: str, text: str, is_package: bool = False) -> list[str]:
    """What is wrong with a module's imports, one line each."""
    layer = module.split(".")[1]
    if layer not in MAY_IMPORT:
        return [f"{module}: the layer {layer} is not known to this test"]
    allowed = ["wallet.__version__", *(f"wallet.{name}" for name in (layer, *MAY_IMPORT[layer]))]
    faults = []
    for each in imports_of(module, text, is_package):
        where = f"{module}:{each.line}"
        if is_within(each.name, "wallet"):
            if not any(is_within(each.name, package) for package in allowed):
                faults.append(f"{where}: {layer} imports {each.name}")
        elif each.name == "*":
            faults.append(f"{where}: an import whose name is computed cannot be weighed")
        elif layer == "core" and each.name.split(".")[0] not in sys.stdlib_module_names:
            faults.append(f"{where}: core imports {each.name}, which is not the standard library")
        elif layer in ("services", "ports") and is_within(each.name, "textual"):
            faults.append(f"{where}: {layer} imports {each.name}")
        if layer == "cli" and not each.is_late and any(is_within(each.name, costly) for costly in LATE_IN_CLI):
            faults.append(f"{where}: cli imports {each.name} at module level")
    return faults


MODULES = sorted(ROOT.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_flow_one_way(path: Path) -> None:
    module = module_name(path)
    assert faults_of(module, path.read_text(encoding="utf-8"), path.name == "__init__.py") == []


def test_every_layer_of_the_wallet_is_known() -> None:
    layers = {module_name(path).split(".")[1] for path in MODULES}
    assert {"core", "adapters", "services"} <= layers <= MAY_IMPORT.keys()


@pytest.mark.parametrize(
    ("module", "text", "fault"),
    [
        ("wallet.core.x", "import httpx", "core imports httpx"),
        ("wallet.core.x", "def f():\n    import ic.candid", "wallet.core.x:2: core imports ic.candid"),
        ("wallet.core.x", "from wallet.ports import Store", "core imports wallet.ports"),
        ("wallet.core.x", "from wallet import ports", "core imports wallet.ports"),
        ("wallet.core.x", "from .. import ports", "core imports wallet.ports"),
        ("wallet.core.x", "from ..adapters.ic import cbor", "core imports wallet.adapters.ic"),
        ("wallet.core.x", "import wallet", "core imports wallet"),
        ("wallet.core.x", "import importlib\nimportlib.import_module('httpx')", "core imports httpx"),
        ("wallet.core.x", "def f(n):\n    __import__(n)", "cannot be weighed"),
        ("wallet.core.x", "if TYPE_CHECKING:\n    from wallet.ports import Store", "core imports wallet.ports"),
        ("wallet.ports", "from wallet.services.sending import send", "ports imports wallet.services"),
        ("wallet.adapters.store.x", "from wallet.services import sending", "adapters imports wallet.services"),
        ("wallet.adapters.x", "from wallet.devnet import server", "adapters imports wallet.devnet"),
        ("wallet.services.x", "async def f():\n    from wallet.adapters.ic import cbor", "services imports"),
        ("wallet.services.x", "import textual.app", "services imports textual"),
        ("wallet.services.x", "from wallet.tui import app", "services imports wallet.tui"),
        ("wallet.tui.x", "from wallet.adapters.packs import bundled_packs", "tui imports wallet.adapters"),
        ("wallet.tui.x", "from wallet.devnet.faults import Faults", "tui imports wallet.devnet"),
        ("wallet.tui.x", "from wallet import wiring", "tui imports wallet.wiring"),
        ("wallet.devnet.x", "from wallet.adapters.store import database", "devnet imports wallet.adapters.store"),
        ("wallet.devnet.x", "from wallet.adapters.icebox import y", "devnet imports wallet.adapters.icebox"),
        ("wallet.devnet.x", "from wallet.ports import Network", "devnet imports wallet.ports"),
        ("wallet.wiring", "def f():\n    from wallet.devnet.server import Server", "wiring imports wallet.devnet"),
        ("wallet.wiring", "from wallet.tui.app import App", "wiring imports wallet.tui"),
        ("wallet.cli.x", "from textual.app import App", "cli imports textual.app.App at module level"),
        ("wallet.cli.x", "try:\n    import ic\nexcept ImportError:\n    pass", "cli imports ic at module level"),
        ("wallet.cli.x", "class A:\n    from wallet.tui import app", "cli imports wallet.tui.app at module level"),
        ("wallet.cli.x", "from wallet.devnet import server", "at module level"),
        ("wallet.extra.x", "", "the layer extra is not known"),
    ],
)
def test_a_module_that_turns_round_is_caught(module: str, text: str, fault: str) -> None:
    faults = faults_of(module, text)
    assert len(faults) == 1
    assert fault in faults[0]


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("wallet.core.x", "import json\nfrom wallet.core.value import Case\nfrom . import value"),
        ("wallet.devnet.x", "from wallet.adapters.ic.candid import decode\nimport cbor2"),
        ("wallet.cli.x", "def f():\n    from wallet.tui.app import App\n    import ic"),
        ("wallet.cli.x", "if TYPE_CHECKING:\n    from textual.app import App"),
        ("wallet.cli.x", "import icecream\nfrom wallet import __version__, wiring"),
        ("wallet.tui.x", "from textual.app import App\nfrom wallet.ports import Store"),
    ],
)
def test_a_module_that_keeps_to_its_layer_passes(module: str, text: str) -> None:
    assert faults_of(module, text) == []


def test_a_package_resolves_its_own_relative_imports() -> None:
    assert faults_of("wallet.core", "from . import value", is_package=True) == []
    assert len(faults_of("wallet.core", "from .. import ports", is_package=True)) == 1
