"""The extension of Inspect: what is printed when tasks end, in Inspect itself."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from outscore import __version__
from tests.packages import installed

ROOT = Path(__file__).resolve().parents[2]
GROUP = "inspect_ai"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec(GROUP) is None, reason="inspect_ai is not installed"),
]


def run(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the tasks with the entry points that pyproject.toml declares, however outscore is installed."""
    points = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"][GROUP]
    installed(folder / "installed", GROUP, points, "outscore", __version__)
    path = [str(folder / "installed"), str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    kept = {name: value for name, value in os.environ.items() if name != "OUTSCORE_BASELINE"}
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "inspect_ended.py"), str(folder)],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**kept, "PYTHONPATH": os.pathsep.join(path), **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Mapping[str, str]]:
    """Return what is printed without a baseline, and by the title of each run what is printed with one."""
    folder = tmp_path_factory.mktemp("ended")
    without, done = run(folder), run(folder, OUTSCORE_BASELINE="set later")
    assert "Exception calling hook" not in done.stdout + done.stderr
    start, *parts = re.split(r"^# (\w+)\n", done.stdout, flags=re.MULTILINE)
    assert "outscore" not in start
    return without.stdout, dict(zip(parts[::2], parts[1::2], strict=True))


def test_without_a_baseline_inspect_is_as_before(ended: tuple[str, Mapping[str, str]]) -> None:
    assert ended[0] == "hooks 0\n"


def test_the_sentence_is_printed_when_a_task_ends(ended: tuple[str, Mapping[str, str]]) -> None:
    *before, sentence = ended[1]["better"].splitlines()
    assert re.match(r"mockllm/model scores 0\.83 against 0\.40 for \S+_sums_\S+\.eval \(match, 30 items\): ", sentence)
    assert "baseline: Compares finished tasks with OUTSCORE_BASELINE" in "".join(before), "as Inspect names hooks"


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        ("other", ['outscore: no comparison: OUTSCORE_BASELINE has no log of the task "words"']),
        ("failed", []),
        ("off", []),
    ],
)
def test_other_tasks_and_failures_are_not_compared(
    ended: tuple[str, Mapping[str, str]], title: str, lines: list[str]
) -> None:
    assert ended[1][title].splitlines() == lines


def test_a_folder_is_a_baseline_of_several_tasks(ended: tuple[str, Mapping[str, str]]) -> None:
    text = ended[1]["both"]
    assert "scores 0.40 against 0.40 for baseline (match, 30 items)" in text
    assert "has exactly the same scores as baseline on all items" in text
    assert "scores 0.27 against 0.67 for baseline (match, 30 items)" in text


def test_an_eval_set_is_read_from_its_file(ended: tuple[str, Mapping[str, str]]) -> None:
    assert "mockllm/model scores 0.83 against 0.40 for" in ended[1]["set"]


def test_a_missing_baseline_is_an_error_of_one_line(ended: tuple[str, Mapping[str, str]]) -> None:
    [line] = ended[1]["missing"].splitlines()
    assert re.fullmatch(r"outscore: \S+nosuch\.eval: cannot read file: .* \[cannot-read\]", line)
