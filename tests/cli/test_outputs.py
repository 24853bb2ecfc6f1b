"""`outscore compare --reference`: systems that are files of outputs."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.running import Runner


def test_retrieval_runs_are_paired_by_query(outscore: Runner, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 1\nq3 0 d3 2\n")
    (tmp_path / "a.run").write_text("q2 Q0 d2 1 2.0 a\nq1 Q0 d9 1 2.0 a\nq1 Q0 d1 2 1.0 a\n")
    (tmp_path / "b.run").write_text("q1 Q0 d1 1 2.0 b\nq2 Q0 d2 1 2.0 b\nq3 Q0 d3 1 1.0 b\n")
    run = outscore("compare", "-m", "rr", "-m", "p@1", "-r", "qrels.txt", "a.run", "b.run", "--format", "json")
    results = json.loads(run.out)
    assert results["schema"] == "outscore/comparisons/1"
    reciprocal, precision = (result["comparisons"][0] for result in results["results"])
    assert (reciprocal["baseline_score"], reciprocal["candidate_score"]) == (0.5, 1.0)
    assert (precision["baseline_score"], precision["candidate_score"]) == (pytest.approx(1 / 3), 1.0)


def test_several_metrics_share_the_draws_and_are_all_printed(outscore: Runner, tmp_path: Path) -> None:
    for name, text in (("r", "x\ny\nx\n"), ("a", "x\nx\ny\n"), ("b", "x\ny\nx\n")):
        (tmp_path / f"{name}.txt").write_text(text)
    run = outscore("compare", "-m", "accuracy", "-m", "kappa", "-r", "r.txt", "a.txt", "b.txt", "-q")
    assert run.status == 0, run.err
    assert "(accuracy in %, 3 items)" in run.out
    assert "(Cohen's kappa, 3 items)" in run.out


@pytest.mark.parametrize(
    ("format_name", "shown"),
    [
        ("text", "micro F1 50 100 +50"),
        ("text --details", "(micro F1 (labels=x) in %, 3 items)"),
        ("markdown", "(micro F1 (labels=x) in %, 3 items)"),
        ("latex", "& Micro F1 (labels=x) (%)"),
        ("json", "(micro F1 (labels=x) in %, 3 items)"),
    ],
)
def test_metrics_are_told_apart_by_their_options(
    outscore: Runner, tmp_path: Path, format_name: str, shown: str
) -> None:
    for name, text in (("r", "x\ny\nx\n"), ("a", "x\nx\ny\n"), ("b", "x\ny\nx\n")):
        (tmp_path / f"{name}.txt").write_text(text)
    options = [
        "-m",
        "micro-f1",
        "-m",
        "micro-f1:labels=x",
        "-r",
        "r.txt",
        "a.txt",
        "b.txt",
        "--format",
        *format_name.split(),
    ]
    run = outscore("compare", *options)
    assert run.status == 0, run.err
    plain = run.out.replace("\\", "")
    assert shown in " ".join(plain.split())
    if format_name != "text":
        assert "|metric:micro-f1:labels=x|" in plain
        assert "|metric:micro-f1|" in plain


def test_clusters_of_items_with_ids_come_from_another_table(outscore: Runner, tmp_path: Path) -> None:
    for name, text in (
        ("r", "u1 a b\nu2 c d\nu3 e f\n"),
        ("a", "u1 a x\nu2 c d\nu3 e x\n"),
        ("b", "u3 e f\nu1 a b\nu2 c d\n"),
    ):
        (tmp_path / f"{name}.kaldi").write_text(text)
    (tmp_path / "items.tsv").write_text("item\tutterance\tspeaker\n0\tu1\ts\n1\tu2\tt\n2\tu3\ts\n")
    files = ["r.kaldi", "a.kaldi", "b.kaldi"]
    run = outscore("compare", "-m", "wer", "-r", *files, "--cluster", "items.tsv:speaker", "--format", "json")
    found = json.loads(run.out)
    assert (found["n_items"], found["n_units"]) == (3, 2)


def test_standard_input_serves_several_metrics(
    outscore: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["the cat sat on the mat", "dogs bark at night", "it rains in town"]
    for name, text in (("r", lines), ("a", [line[:-2] for line in lines])):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
    data = (tmp_path / "r").read_bytes()
    for given in (["-r", "r", "a", "-"], ["-r", "-", "a", "r"]):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        result = outscore("compare", "-m", "bleu", "-m", "wer", *given, "--format", "json")
        assert [one["comparisons"][0]["candidate_score"] for one in json.loads(result.out)["results"]] == [
            pytest.approx(100),
            0,
        ]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--lower-is-better"], "--lower-is-better: metrics of outputs define their direction"),
        (["--id", "id"], "--id: outputs are paired by the ids in their files, or line by line"),
        (["--score", "text"], "--score: outputs have no scores"),
        (["--missing", "drop"], "--missing drop: every system needs an output for every reference"),
    ],
)
@pytest.mark.parametrize("command", ["compare", "rank"])
def test_options_of_score_tables_are_refused(
    command: str, options: Sequence[str], says: str, outscore: Runner, tmp_path: Path
) -> None:
    for name in "rab":
        (tmp_path / f"{name}.txt").write_text("x\ny\n")
    run = outscore(command, "-m", "accuracy", "-r", "r.txt", "a.txt", "b.txt", *options)
    assert (run.status, run.out) == (2, "")
    assert run.err == f"{says}. Omit the option. [not-for-outputs]\n"


def test_options_of_metrics_of_columns(outscore: Runner, tmp_path: Path) -> None:
    for name, numbers in (("a", "1\n2\n4\n"), ("b", "1\n1\n3\n")):
        (tmp_path / f"{name}.txt").write_text(numbers)
    run = outscore("compare", "-m", "mean:higher_is_better=false", "a.txt", "b.txt", "--format", "json")
    assert run.status == 0, run.err
    other = outscore("compare", "--lower-is-better", "a.txt", "b.txt", "--format", "json")
    assert json.loads(run.out)["comparisons"] == json.loads(other.out)["comparisons"]
    assert json.loads(run.out)["comparisons"][0]["gain"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    "text", ['Yes, "no".\n"x" y\n', "The\tO\nend\tO\n\nIt\tO\n", "q Q0 d 1 0.5 tag\n", "one, two\nthree\n"]
)
def test_outputs_that_are_read_as_scores_say_what_they_need(outscore: Runner, text: str) -> None:
    for name in ("a.txt", "b.txt"):
        Path(name).write_text(text, encoding="utf-8")
    run = outscore("compare", "a.txt", "b.txt")
    assert run.status == 2
    assert "need --metric and --reference" in run.err
    Path("b.txt").write_text("1\nx\n", encoding="utf-8")
    Path("a.txt").write_text("1\n2\n", encoding="utf-8")
    assert "--reference" not in outscore("compare", "a.txt", "b.txt").err
