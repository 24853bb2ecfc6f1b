"""What every result can do by itself: tables, files, charts and notebooks, all through one place."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import outscore
from outscore import Rates, plan_power
from outscore.errors import FileAccessError
from outscore.results import ComparisonResults, Rankings
from tests.kit import ScoreFormat
from tests.reports.kit import Shown, cut, pieces

from .conftest import a_comparison, a_result, several_with_holm
from .rankings import a_ranking
from .written import to_text

SHOWN: dict[str, Callable[[], Shown]] = {
    "comparison": a_comparison,
    "result": lambda: a_result(a_comparison()),
    "several candidates": several_with_holm,
    "several metrics": lambda: ComparisonResults((a_result(a_comparison()), a_result(a_comparison()))),
    "ranking": lambda: a_ranking(5),
    "rankings": lambda: Rankings((a_ranking(5), a_ranking(5))),
    "plan": lambda: plan_power(Rates(hurt=0.02), items=200, gain=0.02),
}
shown = pytest.mark.parametrize("make", SHOWN.values(), ids=SHOWN)


def test_every_result_has_the_sentences_that_quiet_prints() -> None:
    ranking = a_ranking()
    (sentence,) = ranking.sentences
    assert " ".join(to_text(ranking).split()).startswith(sentence)
    result = a_result(a_comparison())
    assert result.sentences == (result.comparisons[0].sentence,)


@shown
def test_every_result_is_written_in_every_format(make: Callable[[], Shown], tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    from polars.testing import assert_frame_equal

    result = make()
    assert json.loads(result.to_json())["schema"].startswith("outscore/")
    assert "<!DOCTYPE html>" in result.to_html()
    assert r"\toprule" in result.to_latex()
    assert r"\begin{table}" not in result.to_latex(bare=True)
    assert "| ---" in result.to_markdown()
    assert len(result.to_csv().splitlines()) == 1 + len(result.records())
    assert len(result.to_dataframe(backend="polars")) == len(result.records())
    frame = pl.read_parquet(BytesIO(result.to_parquet(tmp_path / "file")))
    assert_frame_equal(frame, result.to_dataframe(backend="polars"), check_dtypes=False)
    assert pl.Null not in frame.dtypes
    assert_frame_equal(frame, pl.read_csv(BytesIO(result.to_csv().encode()), schema=frame.schema))
    assert pl.read_parquet(tmp_path / "file").equals(frame)
    for write in (result.to_json, result.to_html, result.to_latex, result.to_markdown, result.to_csv):
        assert write(tmp_path / "file") == (tmp_path / "file").read_text(encoding="utf-8")
    with pytest.raises(FileAccessError, match=r"\[cannot-write\]"):
        result.to_html(tmp_path / "no folder" / "file.html")


@shown
def test_every_result_is_drawn(make: Callable[[], Shown]) -> None:
    pytest.importorskip("altair")
    assert make().chart().to_dict()


@shown
def test_a_notebook_shows_results_in_its_own_colours(make: Callable[[], Shown]) -> None:
    html = make()._repr_html_()
    assert html.startswith('<div class="outscore"><style>')
    sheet = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)[0]
    # Every rule is of our own box alone, and neither white nor black is taken for granted.
    assert all(
        rule.strip().startswith(".outscore") for rule in re.findall(r"([^{}]+)\{", re.sub(r"/\*.*?\*/", "", sheet))
    )
    assert not re.search(r": *(#fff|#000|white|black) *;|prefers-color-scheme", sheet)
    assert "<script" not in html


def test_several_candidates_are_a_table_and_details_are_asked_for() -> None:
    result = several_with_holm()
    short, long = to_text(result), to_text(result, details=True)
    assert "bootstrap distribution of the gain" not in short
    assert "details=True" in short
    assert long.count("bootstrap distribution of the gain") == 3
    assert "2 items of the baseline have no counterpart and were dropped." in " ".join(short.split())


def test_numbers_of_one_column_have_one_precision() -> None:
    gains = (0.0425, 0.011, 0.0003)
    result = a_result(*(a_comparison(gain=gain, candidate=f"c{k}") for k, gain in enumerate(gains)))
    for text in (to_text(result), result.to_markdown(), result.to_latex(details=True), to_text([result, result])):
        rows = [line for line in text.splitlines() if re.search(r"\bc[012]\b.*(?:better|inconclusive)", line)]
        decimals = {len(number) for row in rows for number in re.findall(r"[+]\d+\.(\d+)", row)}
        assert len(decimals) == 1, text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.12, math.inf, "at least +0.12"),
        (-math.inf, 0.12, "at most +0.12"),
        (-math.inf, math.inf, "unbounded"),
        (-0.1, 0.25, "-0.10 to +0.25"),
    ],
)
def test_intervals_with_one_end(low: float, high: float, text: str) -> None:
    assert ScoreFormat(2).interval(low, high) == text
    c = a_comparison()
    one_sided = a_result(replace(c, interval=replace(c.interval, low=low, high=high)))
    every: list[Any] = [one_sided.to_latex(), one_sided.to_markdown(), one_sided.to_html(), one_sided._repr_html_()]
    for written in (*every, to_text(one_sided), repr(one_sided), one_sided.to_json()):
        assert not re.search(r"\binf\b|Infinity|\bnan\b", written)


def test_latex_marks_the_best_and_the_significant() -> None:
    text = several_with_holm().to_latex()
    assert len(re.findall(r"& \\textbf\{", text)) == 1
    assert re.search(r"& \\textbf\{72\.\d+\}\\rlap\{\$\^\{\*\}\$\}", text)
    assert r"$^{*}$ significantly better" in text
    assert r"$\alpha$ = 0.05, Holm's correction over 3 comparisons)." in text


@pytest.mark.parametrize(
    ("spec", "title"),
    [
        ("bleu", "BLEU"),
        ("bleu:tokenize=zh", "BLEU (tokenize=zh)"),
        ("chrf", "chrF"),
        ("ter", "TER"),
        ("uas", "UAS"),
        ("ndcg@10", "nDCG@10"),
        ("ap", "MAP"),
        ("rougeL", "ROUGE-L"),
        ("span-f1:type=person", "span F1 (type=person)"),
    ],
)
def test_metrics_are_called_as_papers_call_them(spec: str, title: str) -> None:
    from tests.kit import output_metric
    from tests.metrics.kit import describe_metric

    assert describe_metric(output_metric(spec)).title == title


def test_families_show_in_the_text_of_a_ranking() -> None:

    heading, *rows = (line for line in to_text(a_ranking(5)).splitlines() if re.match(r"rank|\s*\d+–", line))
    assert "family" in heading
    assert "Northwind" in rows[0]


def test_names_are_parted_at_few_places_and_cut_however_little_room_there_is() -> None:
    assert pieces("IIT-Kharagpur_sw3_2017-05-13-17-01-25") == ["IIT-Kharagpur_", "sw3_", "2017-05-13-", "17-01-25"]
    assert "".join(pieces("a--b__c d/e@f-")) == "a--b__c d/e@f-"
    assert [cut("chatgpt-4o", room) for room in (-3, 0, 1, 2)] == ["", "", "…", "c…"]


def test_a_page_of_many_groups_is_written_and_cuts_no_name() -> None:
    # One letter a system or more: beside the name there is no room at all.
    ranking = a_ranking(4)
    letters = "".join(f"{chr(97 + k % 26)}{k // 26 or ''}" for k in range(60))
    name = "a-system-with-a-name-" * 5
    systems = (replace(ranking.systems[0], group=letters, name=name), *ranking.systems[1:])
    pairs = tuple(replace(p, candidate=name) if p.candidate == ranking.systems[0].name else p for p in ranking.pairs)
    html = replace(ranking, systems=systems, pairs=pairs).to_html()
    drawing = html[html.index("<svg") :]
    assert "…" not in drawing[: drawing.index("<figcaption")]


def test_the_front_door_takes_candidates_by_name_and_several_metrics() -> None:
    gold, old, new = ["a", "b"] * 10, ["a"] * 20, ["a", "b"] * 9 + ["a", "a"]
    results = outscore.compare(old, {"new": new}, references=gold, metric=["accuracy", "macro-f1"], n_resamples=99)
    assert [c.candidate for c in results.comparisons] == ["new", "new"]
    assert [result.metric.title for result in results] == ["accuracy", "macro F1"]
    one = outscore.compare(old, new, references=gold, metric="macro-f1", names=["baseline", "new"], n_resamples=99)
    assert results[1] == one
    rankings = outscore.rank({"old": old, "new": new}, references=gold, metric=["accuracy", "macro-f1"], n_resamples=99)
    assert [ranking.systems[0].name for ranking in rankings] == ["new", "new"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_a_frame_are_the_candidates_and_lend_their_names(library: str) -> None:
    frames = pytest.importorskip(library)
    frame = frames.DataFrame({"old": [0, 1] * 10, "new": [1, 1] * 10, "newer": [1, 0] * 10})
    both = outscore.compare(frame["old"], frame[["new", "newer"]], n_resamples=99)
    assert [(c.baseline, c.candidate) for c in both.comparisons] == [("old", "new"), ("old", "newer")]
    one = outscore.compare(frame["old"], frame["new"], n_resamples=99).comparisons[0]
    assert (one.baseline, one.candidate) == ("old", "new")
    same = outscore.compare(frame["old"], frame["old"], n_resamples=99).comparisons[0]
    assert (same.baseline, same.candidate) == ("baseline", "candidate")


def test_what_holds_items_is_no_list_of_systems() -> None:
    ids = [f"q{k}" for k in range(20)]
    by_id = outscore.compare(dict(zip(ids, [0, 1] * 10)), dict(zip(ids, [1, 1] * 10)), n_resamples=99)  # noqa: B905
    assert len(by_id.comparisons) == 1
    listed = outscore.compare([0, 1] * 10, [[1, 1] * 10, [1, 0] * 10], n_resamples=99)
    assert [c.candidate for c in listed.comparisons] == ["candidate 1", "candidate 2"]
    rows = outscore.compare([(1, 2)] * 20, [(2, 2)] * 20, metric="ratio", n_resamples=99)
    assert len(rows.comparisons) == 1
    named = outscore.compare([(1, 2)] * 20, {"x": [(2, 2)] * 20, "y": [(1, 3)] * 20}, metric="ratio", n_resamples=99)
    assert [c.candidate for c in named.comparisons] == ["x", "y"]


def test_files_are_ranked_from_python(tmp_path: Path) -> None:
    for name, words in {"old": "the cat sat", "new": "the dog sat down", "gold": "the dog sat down"}.items():
        (tmp_path / f"{name}.txt").write_text(f"{words}\n" * 20, encoding="utf-8")
    paths = [tmp_path / "old.txt", tmp_path / "new.txt"]
    ranking = outscore.rank(paths, references=tmp_path / "gold.txt", metric="exact-match", n_resamples=99)
    assert [system.name for system in ranking.systems] == ["new", "old"]
