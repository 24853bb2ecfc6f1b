"""`--report` and `--chart`: pages and drawings beside what the command prints."""

from __future__ import annotations

import gzip
import html
import json
import re
from pathlib import Path

import pytest

from tests.running import Runner

REFERENCES = ["the cat sat on the mat", "dogs bark at night", "it rains in the town", "she reads a long book"]
BASELINE = ["the cat sat on a mat", "dogs bark in night", "<script>alert(1)</script>", "she read a book"]
CANDIDATE = ["the cat sat on the mat", "dogs bark at the night", "it rains in a town", "she reads the long book"]
SOURCES = ["le chat", "les chiens", "il pleut", "elle lit"]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    for name, lines in (("r", REFERENCES), ("a", BASELINE), ("b", CANDIDATE), ("s", SOURCES)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return tmp_path


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    rows = ["item,one,two,three", *(f"q{i},{i % 2},{i % 3 == 0:d},{i % 5 != 0:d}" for i in range(60))]
    (tmp_path / "scores.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path


def test_a_report_shows_the_texts_of_items_and_runs_none(outscore: Runner, texts: Path) -> None:
    run = outscore("compare", "-m", "chrf", "-r", "r", "a", "b", "--source", "s", "--report", "page.html", "-q")
    assert run.status == 0, run.err
    assert run.out.startswith("b scores")  # what is printed is printed as ever
    page = (texts / "page.html").read_text(encoding="utf-8")
    for text in (*SOURCES, REFERENCES[0], BASELINE[0], CANDIDATE[3], run.out.strip()):
        assert text in page
    assert "alert(1)" in page
    assert "<script>alert" not in page
    assert not re.search(r'(src|href)="(?!#)', page)


def test_reports_of_several_metrics_and_candidates(outscore: Runner, texts: Path) -> None:
    run = outscore("compare", "-m", "bleu", "-m", "wer", "-r", "r", "a", "b", "r", "--report", "page.html", "-q")
    assert run.status == 0, run.err
    page = (texts / "page.html").read_text(encoding="utf-8")
    said = re.sub(r"<[^>]*>", "", page)
    assert all(html.escape(sentence) in said for sentence in run.out.splitlines())


def test_a_report_of_score_tables_has_scores_alone(outscore: Runner, scores: Path) -> None:
    run = outscore("compare", "scores.csv:one", "scores.csv:two", "--report", "page.html")
    assert run.status == 0, run.err
    page = (scores / "page.html").read_text(encoding="utf-8")
    assert "q17" in page


def test_kept_rows_and_metrics_without_scores_of_items(outscore: Runner, texts: Path) -> None:
    assert outscore("rows", "-m", "bleu", "-r", "r", "a", "b", "-o", "kept/").status == 0
    run = outscore("compare", "kept/a.bleu.npz", "kept/b.bleu.npz", "--report", "page.html", "-q")
    assert run.status == 0, run.err
    for name in ("gold", "one", "two"):
        (texts / name).write_text("".join(f"{i * 7 % (5 + len(name))}\n" for i in range(30)), encoding="utf-8")
    given = ("-r", "gold", "one", "two", "--report", "page.html", "--n-resamples", "300", "-q")
    run = outscore("compare", "-m", "spearman", *given)
    assert run.status == 0, run.err
    assert "without scores" in (texts / "page.html").read_text(encoding="utf-8")


def test_a_ranking_has_a_page_and_charts(outscore: Runner, scores: Path) -> None:
    run = outscore("rank", "scores.csv", "--report", "page.html", "--chart", "scores.svg", "--n-resamples", "500", "-q")
    assert run.status == 0, run.err
    assert run.out.strip() in (scores / "page.html").read_text(encoding="utf-8")
    assert "<svg" in (scores / "scores.svg").read_text(encoding="utf-8")
    for kind in ("gains", "p-values"):
        run = outscore("rank", "scores.csv", "--chart", "c.json", "--chart-of", kind, "--n-resamples", "500", "-q")
        assert run.status == 0, run.err
        assert '"$schema"' in (scores / "c.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["law.svg", "law.PNG", "law.pdf", "law.html", "law.json"])
def test_the_law_of_a_gain_is_drawn(outscore: Runner, scores: Path, name: str) -> None:
    run = outscore("compare", "scores.csv:one", "scores.csv:two", "--chart", name, "-q")
    assert run.status == 0, run.err
    start = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!DOCTYPE html>", "json": b"{"}
    assert (scores / name).read_bytes().startswith(start[name.lower().rpartition(".")[2]])


def test_a_chart_of_several_candidates_is_a_forest(outscore: Runner, scores: Path) -> None:
    systems = [f"scores.csv:{name}" for name in ("one", "two", "three")]
    run = outscore("compare", *systems, "--chart", "forest.json", "--format", "json")
    assert run.status == 0, run.err
    comparisons = json.loads(run.out)["comparisons"]
    chart = json.loads((scores / "forest.json").read_text(encoding="utf-8"))
    marks = [row for row in chart["data"]["values"] if row["kind"] == "mark"]
    assert [(row["y"], row["x"], row["low"], row["high"]) for row in marks] == [
        (one["candidate"], one["gain"], one["interval"]["low"], one["interval"]["high"])
        for verdict in ("better", "inconclusive", "worse")
        for one in sorted(comparisons, key=lambda one: -one["gain"])
        if one["verdict"] == verdict
    ]
    assert [row["x"] for row in chart["data"]["values"] if row["kind"] == "line"] == [0]


@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        (["compare", "scores.csv:one", "scores.csv:two", "--chart", "law.bmp"], "chart-format"),
        (["compare", "scores.csv:one", "scores.csv:two", "--chart", "law"], "chart-format"),
        (["compare", "scores.csv:one", "scores.csv:two", "--report", "scores.csv"], "overwrites-input"),
        (["compare", "scores.csv:one", "scores.csv:two", "--report", "no/such/page.html"], "cannot-write"),
        (["compare", "scores.csv:one", "scores.csv:two", "--source", "scores.csv"], "usage"),
        (["rank", "scores.csv", "--chart", "c.txt"], "chart-format"),
    ],
)
def test_what_cannot_be_drawn_or_written_is_one_line(
    outscore: Runner, scores: Path, arguments: list[str], slug: str
) -> None:
    before = sorted(path.name for path in scores.iterdir())
    run = outscore(*arguments)
    assert run.status == 2
    assert run.err.count("\n") == 1
    assert f"[{slug}]" in run.err
    assert sorted(path.name for path in scores.iterdir()) == before


def test_sources_of_another_number_are_told(outscore: Runner, texts: Path) -> None:
    (texts / "s.gz").write_bytes(gzip.compress(b"le chat\nles chiens\n"))
    run = outscore("compare", "-m", "chrf", "-r", "r", "a", "b", "--source", "s.gz", "--report", "page.html")
    assert run.status == 2
    assert "expected 4 sources, one per reference, got 2" in run.err
    assert not (texts / "page.html").exists()
