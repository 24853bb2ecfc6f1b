"""Rankings as text, JSON, CSV, Markdown and LaTeX, and as they show themselves."""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import replace
from io import StringIO

import narwhals as nw
import pytest

import outscore
from outscore.errors import MissingDependencyError, OptionError
from outscore.reports.rankings import (
    RANKING_FORMATS,
    ranking_to_csv,
    ranking_to_json,
    ranking_to_latex,
    ranking_to_markdown,
    ranking_to_text,
    rankings_to_json,
)
from outscore.results import Correction, MetricDescription, Ranking

from .rankings import a_ranking

NASTY = ["a_b & 5% {#1}", "x|y <script>alert('1')</script>", "=SUM(A1)", "tab\there\x1b[31m", "名前", "-" * 90]


def nasty() -> Ranking:
    ranking = a_ranking(6)
    names = dict(zip([system.name for system in ranking.systems], NASTY, strict=True))
    systems = tuple(replace(system, name=names[system.name], family="é_1") for system in ranking.systems)
    pairs = tuple(
        replace(pair, baseline=names[pair.baseline], candidate=names[pair.candidate]) for pair in ranking.pairs
    )
    return replace(ranking, systems=systems, pairs=pairs, warnings=("A warning with | and _.",))


@pytest.mark.parametrize("name", RANKING_FORMATS)
@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("s", [2, 6, 30])
def test_every_format_ends_with_one_newline_and_holds_the_signature(name: str, pairs: bool, s: int) -> None:
    ranking = a_ranking(s)
    text = RANKING_FORMATS[name](ranking, pairs)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    if name != "csv":
        assert ranking.signature in text


@pytest.mark.parametrize("s", [2, 8, 9, 60])
@pytest.mark.parametrize("width", [72, 100])
@pytest.mark.parametrize("pairs", [False, True])
def test_no_line_is_wider_than_the_terminal(s: int, width: int, pairs: bool) -> None:
    for ranking in (a_ranking(s), *([nasty()] if s == 2 else [])):
        *lines, last = ranking_to_text(ranking, width=width, pairs=pairs).splitlines()
        assert last.startswith("signature")
        assert all(len(line) <= width for line in lines), max(lines, key=len)


def test_sixty_systems_fit_on_a_terminal() -> None:
    ranking = a_ranking(60)
    text = ranking_to_text(ranking)
    assert len(text.splitlines()) < 150
    for system in ranking.systems:
        assert system.name in text
    for pair in ranking.pairs:
        assert (pair.p_maxt is not None and pair.p_maxt <= 0.05) == (pair.corrected(ranking.correction) <= 0.05)
    # One mark a pair, in the row of the worse system.
    (row,) = [line for line in text.splitlines() if line.startswith("60 ")]
    marks = row.split(" ")[-1]
    assert len(marks) == 59
    significant = sum(
        pair.corrected(ranking.correction) <= 0.05
        for pair in ranking.pairs
        if pair.baseline == ranking.systems[-1].name
    )
    assert sum(mark != "·" for mark in marks) == significant
    more = tuple(replace(system, name=f"more {k}") for k, system in enumerate(ranking.systems[:15]))
    assert "--pairs lists them" in ranking_to_text(replace(ranking, systems=(*ranking.systems, *more)))


def test_ascii_only_is_ascii() -> None:
    for ranking in (a_ranking(12), nasty()):
        assert ranking_to_text(ranking, ascii_only=True, pairs=True).isascii()


def test_colour_says_nothing_alone() -> None:
    import re

    for s in (4, 20):
        colored = ranking_to_text(a_ranking(s), color=True)
        assert "\x1b[" in colored
        bare = re.sub(r"\x1b\[[\d;]*m", "", colored)
        assert [line.rstrip() for line in bare.splitlines()] == ranking_to_text(a_ranking(s)).splitlines()


def test_json_has_the_keys_of_its_schema_first() -> None:
    ranking = a_ranking(5)
    held = json.loads(ranking_to_json(ranking))
    assert list(held)[:3] == ["schema", "systems", "pairs"]
    assert held["schema"] == "outscore/ranking/1"
    systems = ["name", "family", "score", "interval", "rank", "rank_low", "rank_high", "group"]
    pairs = ["baseline", "candidate", "gain", "interval", "p_value", "p_holm", "p_bh", "p_maxt", "exact", "same_family"]
    for system, true in zip(held["systems"], ranking.systems, strict=True):
        assert list(system)[: len(systems)] == systems
        assert system["score"] == true.score
    assert len(held["pairs"]) == 10
    for pair, true_pair in zip(held["pairs"], ranking.pairs, strict=True):
        assert list(pair)[: len(pairs)] == pairs
        assert pair["gain"] >= 0
        assert pair["p_value"] == true_pair.p_value
    assert json.loads(rankings_to_json([ranking, ranking]))["results"] == [held, held]


def test_csv_gives_every_number_back() -> None:
    ranking = a_ranking(7)
    systems = list(csv.DictReader(StringIO(ranking_to_csv(ranking))))
    assert [float(row["score"]) for row in systems] == [system.score for system in ranking.systems]
    pairs = list(csv.DictReader(StringIO(ranking_to_csv(ranking, pairs=True))))
    assert [float(row["p_holm"]) for row in pairs] == [pair.p_holm for pair in ranking.pairs]
    assert {row["same_family"] for row in pairs} <= {"", "true", "false"}
    names = [row["name"] for row in csv.DictReader(StringIO(ranking_to_csv(nasty())))]
    assert "'=SUM(A1)" in names


def test_names_are_escaped() -> None:
    markdown, latex = ranking_to_markdown(nasty(), pairs=True), ranking_to_latex(nasty(), pairs=True)
    assert "<script>" not in markdown
    assert r"x\|y" in markdown
    assert r"a\_b \& 5\% \{\#1\}" in latex
    for line in latex.splitlines():
        if not line.startswith("%"):
            assert line.count("{") - line.count("\\{") == line.count("}") - line.count("\\}")
    assert "\x1b" not in ranking_to_text(nasty())


def test_latex_has_a_superscript_for_every_system() -> None:
    latex = ranking_to_latex(a_ranking(12))
    assert latex.count(r"\textsuperscript{") == 12
    assert r"\toprule" in latex
    assert r"\textsuperscript{za$_{1}$}" in ranking_to_latex(
        replace(a_ranking(3), systems=tuple(replace(system, group="za1") for system in a_ranking(3).systems))
    )


def test_reports_speak_of_the_correction_they_use() -> None:
    ranking = a_ranking(5)
    for correction, words in (
        (Correction.HOLM, "Holm"),
        (Correction.BH, "Benjamini–Hochberg"),
        (Correction.NONE, "without correction"),
    ):
        assert words in ranking_to_text(replace(ranking, correction=correction))


def test_what_cannot_be_told_is_never_called_equal() -> None:
    text = ranking_to_text(a_ranking(12))
    assert "no evidence that two systems are equal" in " ".join(text.split())
    assert "not transitive" in " ".join(text.split())
    assert "no difference" not in text


def test_percentages() -> None:
    metric = MetricDescription("accuracy", higher_is_better=True, as_percentage=True)
    for write in (ranking_to_text, ranking_to_markdown, ranking_to_latex):
        assert "accuracy" in write(replace(a_ranking(4), metric=metric)).lower()
        assert "%)" in write(replace(a_ranking(4), metric=metric))


def test_a_ranking_shows_itself() -> None:
    ranking = outscore.rank({"a": [1, 0, 1, 1] * 5, "<b>": [1, 0, 0, 0] * 5}, metric="accuracy", n_resamples=99)
    lines = repr(ranking).splitlines()
    assert len(lines) == 4
    assert lines[0].split() == ["rank", "system", "accuracy", "(%)", "interval", "group", "p", "to", "best", "(max-t)"]
    assert lines[-1] == ranking.signature
    assert "&lt;b&gt;" in ranking._repr_html_()
    assert "<b>" not in ranking._repr_html_()


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_data_frames_of_any_library(backend: str) -> None:
    ranking = a_ranking(5)
    systems = nw.from_native(ranking.to_dataframe(backend=backend), eager_only=True)
    pairs = nw.from_native(ranking.to_dataframe(pairs=True, backend=backend), eager_only=True)
    assert backend in str(systems.implementation).lower()
    assert systems["score"].to_list() == [system.score for system in ranking.systems]
    assert pairs["p_holm"].to_list() == [pair.p_holm for pair in ranking.pairs]
    assert len(pairs) == 10


def test_data_frames_need_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    with pytest.raises(OptionError, match="expected a data frame library"):
        a_ranking(3).to_dataframe(backend="spreadsheet")
    for name in ("polars", "pandas", "pyarrow"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"outscore\[frames\]"):
        a_ranking(3).to_dataframe()
