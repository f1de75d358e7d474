"""Imports between the modules of each package."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "contract/modelarts_contract",
    "emulator/modelarts_emulator",
    "generated/modelarts_api",
    "overlays/modelarts_runtime",
    "overlays/modelarts_toolkit",
)


def _imports(path: Path, modules: set[str]) -> set[str]:
    """The modules that this one imports, also where only a type checker or a function does."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = {f"{node.module}.{alias.name}" for alias in node.names} & modules
            found |= names or ({node.module} & modules)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} & modules
    return found


def _name(path: Path, folder: Path) -> str:
    return ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__")


def _check(paths: dict[str, Path]) -> None:
    graph = {name: _imports(path, set(paths)) - {name} for name, path in paths.items()}
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("package", PACKAGES)
def test_no_modules_of_a_package_import_each_other_in_a_circle(package: str) -> None:
    """Also not for type checking only: each can be read and tested without those above it."""
    folder = ROOT / package
    paths = {_name(path, folder.parent): path for path in folder.rglob("*.py")}

    assert len(paths) > 5
    _check(paths)


def test_a_circle_is_found(tmp_path: Path) -> None:
    """Even if one of its imports is inside a function."""
    (tmp_path / "a.py").write_text("import b\n")
    (tmp_path / "b.py").write_text("def f():\n    from a import g\n")
    with pytest.raises(CycleError):
        _check({name: tmp_path / f"{name}.py" for name in "ab"})


# Modules that load others by a name which they compute: their own, or an optional library.
LAZY = {
    "contract/modelarts_contract/commands/__init__.py",
    "overlays/modelarts_toolkit/__init__.py",
    "overlays/modelarts_toolkit/cli/groups.py",
    "overlays/modelarts_toolkit/jobs/tables.py",
}


def _hidden_imports(text: str) -> list[int]:
    """The lines that import a module by a string, which the import rules cannot follow."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Name | ast.Attribute)
        and (node.id if isinstance(node, ast.Name) else node.attr) in {"import_module", "__import__"}
        and isinstance(node.ctx, ast.Load)
    ]


def test_nothing_is_imported_by_a_string(files: list[Path], root: Path) -> None:
    """The rules in pyproject.toml see import statements only."""
    ours = [file for file in files if file.suffix == ".py" and str(file.parent).startswith(PACKAGES)]
    found = {
        str(file)
        for file in ours
        if not str(file).startswith("generated/") and _hidden_imports((root / file).read_text("utf-8"))
    }

    assert found == LAZY
    assert _hidden_imports("import importlib\nimportlib.import_module('modelarts_emulator.server')\n") == [2]
