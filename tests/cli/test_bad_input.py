"""Everything that a user can get wrong is one line on standard error, exit status 2, and no output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.running import Runner

GOOD = b"1\n0\n1\n0\n"
IDS = b"id,score\na,1\nb,0\nc,1\n"
COUNTS = b"tp,predicted,gold\n1,2,2\n2,2,3\n"


@dataclass(frozen=True)
class Case:
    name: str
    says: Sequence[str]
    baseline: bytes = GOOD
    candidate: bytes = GOOD
    suffix: str = "txt"
    options: Sequence[str] = ()


def csv(
    name: str, says: Sequence[str], candidate: bytes, *, baseline: bytes = IDS, options: Sequence[str] = ()
) -> Case:
    return Case(name, says, baseline, candidate, "csv", options)


def counts(name: str, says: Sequence[str], candidate: bytes, metric: str = "f1") -> Case:
    return Case(name, says, COUNTS, candidate, "csv", ("--metric", metric))


def option(name: str, says: Sequence[str], *options: str) -> Case:
    return Case(name, says, options=options)


CASES = [
    counts("nothing predicted", ["b.csv", "[zero-denominator]"], b"tp,predicted,gold\n0,0,2\n0,0,3\n", "precision"),
    Case(
        "a denominator of zero",
        ["b.csv:3", '"denominator"', "[zero-denominator]"],
        b"numerator,denominator\n1,2\n1,3\n",
        b"numerator,denominator\n1,2\n0,0\n",
        "csv",
        ("--metric", "ratio"),
    ),
    option("an option like no other", ["outscore compare --help"], "--zzz"),
    csv("columns parted by bars", ["b.csv:2", "1 cell ", "commas"], b"id|score\na|0,5\n"),
    option("a direction that accuracy has", ["--lower-is-better"], "-m", "accuracy", "--lower-is-better"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_bad_input_is_one_line_and_status_2(case: Case, outscore: Runner, tmp_path: Path) -> None:
    (tmp_path / f"a.{case.suffix}").write_bytes(case.baseline)
    (tmp_path / f"b.{case.suffix}").write_bytes(case.candidate)
    run = outscore("compare", f"a.{case.suffix}", f"b.{case.suffix}", *case.options)
    assert run.status == 2
    assert run.out == ""
    assert run.err.count("\n") == 1, run.err
    assert run.err.endswith("]\n"), run.err
    assert "Traceback" not in run.err
    for part in case.says:
        assert part in run.err, run.err


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
