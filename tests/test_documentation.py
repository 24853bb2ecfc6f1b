"""What README.md and docs/ show is what the program prints."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import outscore
from outscore import results
from outscore.cli import main

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


PAGES_WITH_COMMANDS = {
    str(page.relative_to(ROOT)): [
        found[0]
        for form in (EXAMPLES.BLOCK, EXAMPLES.MARKDOWN)
        for found in form.finditer(page.read_text(encoding="utf-8"))
    ]
    for page in EXAMPLES.pages()
}


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Let commands of the pages run here, which saves starting the program two dozen times."""
    for name in [name for name in os.environ if name.startswith("OUTSCORE")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")

    def output_of(arguments: str) -> str:
        with pytest.raises(SystemExit) as end:
            main(shlex.split(arguments))
        captured = capsys.readouterr()
        return captured.out if end.value.code in (0, None) else captured.out + captured.err

    monkeypatch.setattr(EXAMPLES, "output_of", output_of)


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize(
    "example",
    [
        pytest.param(example, id=f"{name}-{number}")
        for name, examples in PAGES_WITH_COMMANDS.items()
        for number, example in enumerate(examples)
    ],
)
def test_console_examples_show_the_real_output(example: str) -> None:
    assert EXAMPLES.refreshed(example) == example, "refresh them with: python docs/examples.py --write"


def test_a_console_example_is_what_a_process_of_its_own_prints() -> None:
    example = next(each for each in PAGES_WITH_COMMANDS["README.md"] if " compare " in each)
    assert EXAMPLES.refreshed(example) == example


PAGES_WITH_PYTHON = [page for page in EXAMPLES.pages() if ">>> " in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", PAGES_WITH_PYTHON, ids=lambda page: page.name)
def test_python_examples_give_what_they_show(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert doctest.testfile(str(page), module_relative=False, encoding="utf-8").failed == 0


def test_ci_runs_the_test_command_of_the_readme() -> None:
    commands = [
        line
        for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("python3 -m venv") and line.endswith("-m pytest")
    ]
    assert len(commands) == 1
    assert commands[0] in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_type_checkers_find_the_public_names_where_they_are() -> None:
    stub = Path(str(outscore.__file__)).with_suffix(".pyi").read_text(encoding="utf-8")
    imports = re.findall(r"^from (outscore\S+) import (\w+) as (\w+)$", stub, re.MULTILINE)
    assert len(imports) == stub.count("import ")
    assert sorted(name for _, name, _ in imports) == sorted(outscore.__all__)
    for module, name, public in imports:
        assert name == public
        assert getattr(importlib.import_module(module), name) is getattr(outscore, name)


def test_modules_are_there_after_one_import() -> None:
    names = ["metrics", "results", "significance", "readers"]
    code = f"import outscore; print(*(getattr(outscore, name).__name__ for name in {names}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [f"outscore.{name}" for name in names]


def test_public_names_are_there() -> None:
    assert len(set(outscore.__all__)) == len(outscore.__all__)
    assert all(hasattr(outscore, name) for name in outscore.__all__)
    assert dir(outscore) == sorted(outscore.__all__)
    assert not hasattr(outscore, "power")
    assert not hasattr(outscore, "_power")
    assert all(hasattr(results, name) for name in results.__all__)
    assert outscore.__version__ in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## {outscore.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_who_compares_two_systems_does_not_wait_for_the_rest() -> None:
    asked = (
        "import sys, outscore; outscore.compare; print(*(name for name in sys.modules if name.startswith('outscore.')))"
    )
    loaded = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout.split()
    later = {f"outscore.{name}" for name in ("investigations", "leaderboards", "pilots", "planning", "studies")}
    assert "outscore.api" in loaded
    assert not later & set(loaded)
