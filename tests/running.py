"""Files to compare, and a way to run the command in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from outscore.cli import main


@dataclass(frozen=True)
class Run:
    """What the command left behind."""

    status: int
    out: str
    err: str


Runner = Callable[..., Run]

# Environment variables in which CI services name the commit.
COMMIT_VARIABLES = (
    "GITHUB_SHA",
    "CI_COMMIT_SHA",
    "BUILDKITE_COMMIT",
    "CIRCLE_SHA1",
    "GIT_COMMIT",
    "BITBUCKET_COMMIT",
    "BUILD_SOURCEVERSION",
    "DRONE_COMMIT_SHA",
    "TRAVIS_COMMIT",
)


@pytest.fixture
def outscore(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    """Run `outscore …` in an empty folder, as a terminal of 80 columns without colour would."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("OUTSCORE_SEED", "OUTSCORE_EXECUTOR", *COMMIT_VARIABLES):
        monkeypatch.delenv(name, raising=False)

    def run(*argv: str) -> Run:
        with pytest.raises(SystemExit) as exit_:
            main([str(part) for part in argv])
        captured = capsys.readouterr()
        code = exit_.value.code
        return Run(code if isinstance(code, int) else 1, captured.out, captured.err)

    return run


@pytest.fixture
def jansen(tmp_path: Path) -> tuple[str, str]:
    """Jansen's ten questions, as two files of one score a line."""
    (tmp_path / "baseline.txt").write_text("1\n1\n1\n0\n0\n0\n0\n1\n1\n0\n")
    (tmp_path / "experimental.txt").write_text("0\n0\n0\n1\n1\n1\n1\n1\n1\n0\n")
    return "baseline.txt", "experimental.txt"
