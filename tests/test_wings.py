"""The core stands without its wings: each is removed in turn, and comparisons, scores and rankings still work."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import outscore

WINGS = ("battles", "gating", "human", "judging", "logs", "metaeval", "planning", "replication", "studies")
CODE = """
import json, sys
import outscore
from outscore.cli import main

assert not any(name.split(".")[1:3] == ["wings", sys.argv[1]] for name in sys.modules)
base, new = [1, 0, 0, 1, 0, 1, 0, 0], [1, 1, 0, 1, 1, 1, 0, 1]
compared = outscore.compare(base, new, metric="accuracy")
assert str(compared) and compared.to_json() and outscore.score(new, metric="accuracy").to_json()
assert outscore.rank({"base": base, "new": new}).to_json()
for line in (["compare", "base.txt", "new.txt"], ["compare", "base.csv", "new.csv", "--report", "page.html"],
             ["rank", "base.txt", "new.txt", "--chart", "scores.svg"], ["score", "new.txt", "--format", "json"],
             ["rows", "--help"], ["metrics"], ["formats"], ["--help"], ["compare", "--help"]):
    try:
        main(line)
    except SystemExit as done:
        assert not done.code, (line, done.code)
"""


@pytest.mark.smoke
@pytest.mark.parametrize("wing", [None, "gating", "logs"])
def test_the_core_needs_no_wing(tmp_path: Path, wing: str | None) -> None:
    package = tmp_path / "library" / "outscore"
    shutil.copytree(Path(outscore.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in WINGS if wing is None else (wing,):
        shutil.rmtree(package / "wings" / name)
    for name, scores in (("base", "1 0 0 1 0 1 0 0"), ("new", "1 1 0 1 1 1 0 1")):
        (tmp_path / f"{name}.txt").write_text("\n".join(scores.split()) + "\n")
        rows = "".join(f"{item},{score}\n" for item, score in enumerate(scores.split()))
        (tmp_path / f"{name}.csv").write_text(f"item,score\n{rows}")
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}
    command = [sys.executable, "-c", CODE, wing or "logs"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
