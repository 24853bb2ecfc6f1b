"""Everything that a user can get wrong is one line on standard error, exit status 2, and no output."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.running import Runner

GOOD = "1\n0\n1\n0\n"


@pytest.mark.parametrize(
    ("baseline", "candidate", "options", "says"),
    [
        (
            "tp,predicted,gold\n1,2,2\n2,2,3\n",
            "tp,predicted,gold\n0,0,2\n0,0,3\n",
            ["-m", "precision"],
            "b.csv.*zero-denominator",
        ),
        (
            "numerator,denominator\n1,2\n1,3\n",
            "numerator,denominator\n1,2\n0,0\n",
            ["-m", "ratio"],
            'b.csv:3.*"denominator".*zero-denominator',
        ),
        ("id,score\na,1\nb,0\nc,1\n", "id|score\na|0,5\n", [], "b.csv:2.*1 cell .*commas"),
        (GOOD, GOOD, ["--zzz"], "outscore compare --help"),
        (GOOD, GOOD, ["-m", "accuracy", "--lower-is-better"], "--lower-is-better"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    baseline: str, candidate: str, options: Sequence[str], says: str, outscore: Runner, tmp_path: Path
) -> None:
    """tests/frozen has most mistakes."""
    for name, text in (("a", baseline), ("b", candidate)):
        (tmp_path / f"{name}.csv").write_text(text)
    run = outscore("compare", "a.csv", "b.csv", *options)
    assert (run.status, run.out, run.err.count("\n")) == (2, "", 1), run.err
    assert re.search(says, run.err), run.err
    assert run.err.endswith("]\n"), run.err


def test_the_first_problems_of_a_kind_are_told(outscore: Runner, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n" * 20)
    (tmp_path / "b.txt").write_text("x\n" * 20)
    run = outscore("compare", "a.txt", "b.txt")
    assert run.status == 2
    assert run.err.count("[not-a-number]") == 3
    assert "17 more" in run.err


def test_an_error_leaves_no_output_and_an_old_file_as_it_was(
    outscore: Runner, jansen: tuple[str, str], tmp_path: Path
) -> None:
    (tmp_path / "old.json").write_text("old")
    assert outscore("compare", *jansen, "--alpha", "7", "-o", "old.json").status == 2
    assert outscore("compare", *jansen, "--alpha", "7", "-o", "new.json").status == 2
    assert (tmp_path / "old.json").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["baseline.txt", "experimental.txt", "old.json"]
