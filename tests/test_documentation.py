"""What README.md and docs/ show is what the program prints."""

from __future__ import annotations

import doctest
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

import outscore

ROOT = Path(__file__).resolve().parent.parent


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"documentation_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


EXAMPLES = load(ROOT / "docs" / "examples.py")


@pytest.mark.parametrize("page", EXAMPLES.pages(), ids=lambda page: page.name)
def test_console_examples_show_the_real_output(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert EXAMPLES.refreshed(text) == text, "refresh them with: python docs/examples.py --write"


def test_the_python_example_of_the_readme_runs() -> None:
    found = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert found.attempted > 0
    assert found.failed == 0


def test_ci_runs_the_test_command_of_the_readme() -> None:
    commands = [
        line
        for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("python3 -m venv") and line.endswith("-m pytest")
    ]
    assert len(commands) == 1
    assert commands[0] in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_public_names_are_there() -> None:
    assert len(set(outscore.__all__)) == len(outscore.__all__)
    assert all(hasattr(outscore, name) for name in outscore.__all__)
    assert outscore.__version__ in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## {outscore.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
