"""No log of a judge's is taken for another's, and nothing else for one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.logs.kit import LogFile, log_formats

ROOT = Path(__file__).resolve().parents[2]
OURS = {
    "AlpacaEval": ("alpacaeval-",),
    "MT-bench": ("mtbench-",),
    "Arena-Hard": (),
    "Every Eval Ever": ("eee-",),
}


@pytest.mark.parametrize("name", OURS)
def test_only_its_own_sets_are_recognized(logs: Callable[[str], Path], name: str) -> None:
    known = log_formats()[name]
    sets = logs("alpacaeval-v1-gpt4").parent
    for path in sorted(sets.rglob("*")):
        if path.is_file() and path.suffix in known.suffixes and known.recognizes(LogFile(path)):
            assert path.relative_to(sets).parts[0].startswith(OURS[name])


@pytest.mark.parametrize("name", OURS)
def test_nothing_that_outscore_reads_otherwise(name: str) -> None:
    known = log_formats()[name]
    others = [path for place in ("examples", "tests/fuzz/corpus") for path in (ROOT / place).rglob("*")]
    files = [path for path in others if path.is_file() and "logs" not in path.relative_to(ROOT).parts]
    assert len(files) > 20
    assert [path for path in files if not path.parent.name.startswith("log-") and known.recognizes(LogFile(path))] == []
