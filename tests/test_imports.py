"""No module imports a module that imports it, directly or through others, even in functions or for type checkers.

Registries name modules as text ("module:name") to load them when they are asked for. Those are not imports.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src"
Graph = dict[str, dict[str, int]]  # by the importing and the imported module, the line


def module_names(root: Path) -> dict[str, Path]:
    """Return the files of all modules below a folder by their names."""
    names = {}
    for path in root.rglob("*.py"):
        parts = path.relative_to(root).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


def imported_names(statement: ast.Import | ast.ImportFrom, package: str) -> Iterator[str]:
    """Yield the full names that a statement imports: of modules, and of what modules hold."""
    if isinstance(statement, ast.Import):
        yield from (alias.name for alias in statement.names)
        return
    base = statement.module or ""
    if statement.level:
        above = package.split(".")[: len(package.split(".")) - statement.level + 1]
        base = ".".join([*above, *([statement.module] if statement.module else [])])
    yield from (f"{base}.{alias.name}" for alias in statement.names)


def imports_of(files: Mapping[str, Path]) -> Graph:
    """Return which modules each module imports.

    A module of another package is imported after the packages that hold it, which count as imported, too. The packages
    that hold the importing module itself do not: they are there before any of their modules.
    """
    graph: Graph = {}
    for name, path in files.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        graph[name] = {}
        for statement in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(statement, ast.Import | ast.ImportFrom):
                continue
            for full in imported_names(statement, package):
                target = full if full in files else full.rpartition(".")[0]
                passed = target
                while passed in files:
                    own = f"{name}.".startswith(f"{passed}.")
                    if passed != name and (passed == target or not own):
                        graph[name].setdefault(passed, statement.lineno)
                    passed = passed.rpartition(".")[0]
    return graph


@pytest.mark.smoke
def test_no_modules_import_each_other() -> None:
    TopologicalSorter(imports_of(module_names(SOURCE))).prepare()


def test_no_import_is_excused_from_the_layers() -> None:
    contracts = tomllib.loads((SOURCE.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    assert [contract["name"] for contract in contracts["contracts"] if "ignore_imports" in contract] == []
