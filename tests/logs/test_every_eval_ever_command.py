"""`--format every-eval-ever`: an array to a file, or a file a system into a folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def systems(tmp_path: Path) -> list[str]:
    """Return the files of two systems."""
    for name, scores in (("old", "101101"), ("new", "111101")):
        (tmp_path / f"{name}.txt").write_text("\n".join(scores))
    return [str(tmp_path / "old.txt"), str(tmp_path / "new.txt")]


def test_one_system_is_one_record(outscore: Callable[..., Any], systems: list[str], tmp_path: Path) -> None:
    target = tmp_path / "x.json"
    outscore("score", systems[0], "-m", "accuracy", "-o", str(target), "--format", "every-eval-ever")
    assert json.loads(target.read_text())["schema_version"] == "0.3.0"


@pytest.mark.parametrize("command", ["score", "rank", "compare"])
def test_several_are_an_array_or_a_folder(
    outscore: Callable[..., Any], systems: list[str], tmp_path: Path, command: str
) -> None:
    target, folder = tmp_path / "x.json", tmp_path / "data" / "bench"
    for output in (str(target), f"{folder}/"):
        outscore(command, *systems, "-m", "accuracy", "-o", output, "--format", "every-eval-ever")
    expected = {record["model_info"]["id"]: record for record in json.loads(target.read_text())}
    found = {path.parts[-2]: json.loads(path.read_text()) for path in folder.rglob("*.json")}
    assert found == expected
    assert {path.parts[-3] for path in folder.rglob("*.json")} == {"unknown"}


def test_plans_and_logs_hold_none(outscore: Callable[..., Any], tmp_path: Path) -> None:
    for command in (("plan", "items", "--hurt", "5%", "--gain", "2%"), ("logs", str(tmp_path))):
        run = outscore(*command, "--format", "every-eval-ever")
        assert run.status == 2
        assert "[no-scores]" in run.err


def test_a_folder_that_cannot_be_made(outscore: Callable[..., Any], systems: list[str], tmp_path: Path) -> None:
    run = outscore("score", systems[0], "-m", "accuracy", "-o", f"{systems[1]}/", "--format", "every-eval-ever")
    assert run.status == 2
    assert "[cannot-write]" in run.err
