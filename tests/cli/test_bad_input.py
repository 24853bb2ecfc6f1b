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
    Case("different lengths", ["b.txt: ", "4", "3", "[different-lengths]"], candidate=b"1\n0\n1\n"),
    csv("no shared ids", ["b.csv", '"x"', "[no-shared-ids]"], b"id,score\nx,1\ny,0\nz,1\n"),
    csv("duplicate ids", ["b.csv:4", '"a"', "[duplicate-id]"], b"id,score\na,1\nb,0\na,1\nc,1\n"),
    csv("missing ids", ["b.csv", '"c"', "--missing drop", "[missing-ids]"], b"id,score\na,1\nb,0\n"),
    Case("an empty file", ["b.txt", "[empty]"], candidate=b""),
    Case("one item", ["a.txt", "[one-item]"], baseline=b"1\n", candidate=b"0\n"),
    Case("NaN", ["b.txt:2", "nan", "[not-finite]"], candidate=b"1\nnan\n0\n1\n"),
    Case("infinity", ["b.txt:4", "inf", "[not-finite]"], candidate=b"1\n1\n0\n-inf\n"),
    Case("text for a number", ["b.txt:3", "expected a number", '"n/a"', "[not-a-number]"], candidate=b"1\n1\nn/a\n0\n"),
    csv("text for a number in a table", ["b.csv:3", '"score"', '"x"', "[not-a-number]"], b"id,score\na,1\nb,x\nc,1\n"),
    csv("a wrong column", ["a.csv", '"scor"', '"score"', "[wrong-column]"], IDS, options=("--score", "scor")),
    csv("a wrong id column", ["a.csv", '"ids"', '"id"', "[wrong-column]"], IDS, options=("--id", "ids")),
    counts("negative counts", ["b.csv:2", '"tp"', "-1", "[negative]"], b"tp,predicted,gold\n-1,2,2\n2,2,3\n"),
    counts("fractions of counts", ["b.csv:3", "1.5", "[not-a-count]"], b"tp,predicted,gold\n1,2,2\n1.5,2,3\n"),
    counts("tp beyond predicted", ["b.csv:2", "predicted", "[tp-too-large]"], b"tp,predicted,gold\n2,1,2\n2,2,3\n"),
    counts("tp beyond gold", ["b.csv:3", "gold", "[tp-too-large]"], b"tp,predicted,gold\n1,2,2\n4,4,3\n"),
    counts("nothing predicted", ["b.csv", "[zero-denominator]"], b"tp,predicted,gold\n0,0,2\n0,0,3\n", "precision"),
    Case(
        "a denominator of zero",
        ["b.csv:3", '"denominator"', "[zero-denominator]"],
        b"numerator,denominator\n1,2\n1,3\n",
        b"numerator,denominator\n1,2\n0,0\n",
        "csv",
        ("--metric", "ratio"),
    ),
    Case(
        "accuracy of graded scores",
        ["b.txt:2", "0.5", "[not-binary]"],
        candidate=b"1\n0.5\n1\n1\n",
        options=("-m", "accuracy"),
    ),
    option("no resamples", ["--n-resamples", "0"], "--n-resamples", "0"),
    option("negative resamples", ["--n-resamples", "-1"], "--n-resamples", "-1"),
    option("half a resample", ["--n-resamples", "2.5"], "--n-resamples", "2.5"),
    option("an alpha of 0", ["--alpha"], "--alpha", "0"),
    option("an alpha of 2", ["--alpha"], "--alpha", "2"),
    option("an alpha that is no number", ["--alpha"], "--alpha", "five"),
    option("a confidence level of 95", ["--confidence-level"], "--confidence-level", "95"),
    option("a missing margin", ["--margin", "[bad-margin]"], "--claim", "not-worse"),
    option("a negative margin", ["--margin", "-0.1"], "--claim", "equivalent", "--margin", "-0.1"),
    option("a margin without a claim", ["--margin", "--claim"], "--margin", "0.1"),
    option("a negative seed", ["--seed"], "--seed", "-3"),
    option("an unknown metric", ["accuracy"], "--metric", "acuracy"),
    option("an unknown test", ["wilcoxon"], "--test", "wilcoxn"),
    option("an unknown method", ["exact"], "--method", "exct"),
    option("an unknown option", ['"--metric"'], "--metrik", "f1"),
    option("an option like no other", ["outscore compare --help"], "--zzz"),
    option("a report of another format", ["--report", ".pdf", ".html"], "--report", "x.pdf"),
    csv("columns parted by bars", ["b.csv:2", "1 cell ", "commas"], b"id|score\na|0,5\n"),
    option("a direction that accuracy has", ["--lower-is-better"], "-m", "accuracy", "--lower-is-better"),
    option("an unknown cluster column", ["doc", "[wrong-cluster]"], "--cluster", "doc"),
    option("an unwritable output", ["no/such/folder/x.json", "[cannot-write]"], "-o", "no/such/folder/x.json"),
    Case(
        "Wilcoxon on F1",
        ["--test wilcoxon", "[not-applicable]"],
        COUNTS,
        b"tp,predicted,gold\n1,1,2\n2,3,3\n",
        "csv",
        ("-m", "f1", "-t", "wilcoxon"),
    ),
    Case("a binary file", ["b.txt", "[not-text]"], candidate=b"\x7fELF\x00\x01\x02\x00"),
    Case("a file that is not UTF-8", ["b.txt", "0xFF", "[not-utf8]"], candidate=b"1\n0\n\xff\n1\n"),
    csv("a ragged row", ["b.csv:3", "[ragged-row]"], b"id,score\na,1\nb,0,7\nc,1\n"),
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


def test_a_missing_file(outscore: Runner, jansen: tuple[str, str]) -> None:
    run = outscore("compare", jansen[0], "nowhere.txt")
    assert run.status == 2
    assert run.err.startswith("nowhere.txt: ")
    assert run.err.count("\n") == 1


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
