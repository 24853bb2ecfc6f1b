"""The hook of pre-commit, with the configuration that docs/gate-ci.md shows, called as pre-commit calls it."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.gating.actions import ROOT
from tests.gating.made import LOST, SAME, system
from tests.running import Runner

[HOOK] = msgspec.yaml.decode((ROOT / ".pre-commit-hooks.yaml").read_bytes(), type=list[dict[str, Any]])


def configured() -> dict[str, Any]:
    """Return the hook as the page configures it: its keys replace those of the definition."""
    page = (ROOT / "docs" / "gate-ci.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^```yaml\n(repos:\n.*?)^```$", page, re.MULTILINE | re.DOTALL)
    configuration: Any = msgspec.yaml.decode(block.encode())
    return HOOK | dict(configuration["repos"][0]["hooks"][0])


@pytest.mark.parametrize(("sizes", "status", "said"), [(SAME, 0, "Passed"), (LOST, 1, "Failed")])
def test_a_commit_fails_for_a_loss_only(outscore: Runner, sizes: tuple[int, int, int], status: int, said: str) -> None:
    hook = configured()
    for name, candidate in (("old", False), ("new", True)):
        scores = system(sizes, candidate=candidate)
        Path(f"{name}.csv").write_text("id,accuracy\n" + "".join(f"{item},{right}\n" for item, right in scores.items()))
    changed = [name for name in ("new.csv", "old.csv", "other.txt") if re.search(hook["files"], name)]
    configured_arguments: list[str] = hook["args"]
    program, *arguments = [*shlex.split(hook["entry"]), *configured_arguments, *changed]
    run = outscore(*arguments)
    assert (program, run.status, run.err) == ("outscore", status, "")
    assert run.out.startswith(said)
    assert sorted(path.name for path in Path().iterdir()) == ["new.csv", "old.csv"]  # no file of the commit changes


def test_the_definition_has_what_pre_commit_needs() -> None:
    assert {"id", "name", "entry", "language"} <= HOOK.keys()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert HOOK["entry"].split()[0] in project["scripts"]
    assert (HOOK["language"], HOOK["require_serial"]) == ("python", True), "all changed files are arguments of one call"


def test_without_files_the_error_says_what_is_expected(outscore: Runner) -> None:
    run = outscore("gate", "old.csv", "new.csv", "other.csv", "--metric", "accuracy", "--margin", "2%")
    assert run.status == 2
    assert "expected a baseline and one candidate, got 3 systems" in run.err
