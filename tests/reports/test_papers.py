"""The table of a paper: systems by metrics, in every format that people read."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import outscore
from outscore.reports.typst import escape
from outscore.results import ComparisonResult, Ranking, Verdict
from tests.kit import printable
from tests.running import Runner

from .conftest import ERRORS, a_comparison, a_result, several_with_holm
from .rankings import a_ranking
from .written import written

FORMATS = ("text", "markdown", "latex", "typst", "html")
formats = pytest.mark.parametrize("form", FORMATS)


def two_metrics() -> list[ComparisonResult]:
    """Two candidates, one better and one worse, on two metrics; on the second lower is better."""
    results = []
    for metric in (None, ERRORS):
        fields = {} if metric is None else {"metric": metric}
        better = a_comparison(candidate="nova", gain=0.05, **fields)
        worse = a_comparison(candidate="x_y#", candidate_score=0.60, gain=-0.08, verdict=Verdict.WORSE, **fields)
        if metric is not None:
            better, worse = replace(better, candidate_score=0.63), replace(worse, candidate_score=0.76)
        results.append(a_result(better, worse))
    return results


class _Cells(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1] and not data.isspace():
            self.rows[-1][-1] += data


def cells(form: str, text: str) -> list[list[str]]:
    """Return the cells of the table in a format, without markup."""
    if form == "html":
        parser = _Cells()
        parser.feed(text)
        return parser.rows
    if form == "text":
        return [line.split() for line in text.split("\n\n")[1].splitlines() if "─" not in line]
    if form == "markdown":
        rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
        return [[re.sub(r"\*\*|</?sup>|\\", "", cell) for cell in row] for row in rows if "---" not in row[0]]
    if form == "latex":
        rows = [line.removesuffix(r"\\").split(" & ") for line in text.splitlines() if line.endswith(r"\\")]
        signs = {r"\dagger": "†", r"\downarrow": "↓"}
        return [
            [
                re.sub(
                    r"\\hphantom\{\\textsuperscript\{b+\}\}|\\rlap|\\textbf|\\textsuperscript|[\\${}^]",
                    "",
                    _replaced(cell, signs),
                ).strip()
                for cell in row
            ]
            for row in rows
        ]
    lines = re.findall(r"^ +(?:table.header\()?(\[.*\])\)?,$", text, re.MULTILINE)
    lines = [re.sub(r"#hide\[#super\[b+\]\]", "", line) for line in lines]
    bare = [re.sub(r"#(?:strong|super)\[|#box\(width: 0pt, align\(left\)\[|\]\)", "", row) for row in lines]
    return [[re.sub(r"[\\\[\]]", "", cell) for cell in re.split(r", (?=\[)", row)] for row in bare]


def _replaced(text: str, signs: dict[str, str]) -> str:
    for sign, other in signs.items():
        text = text.replace(sign, other)
    return text


@formats
def test_systems_have_a_row_and_metrics_a_column(form: str) -> None:
    rows = cells(form, written(form, two_metrics(), table="scores"))
    assert [[cell.lower() for cell in row] for row in rows[:1]] in (
        [["system", "accuracy (%)", "ratio ↓"]],
        [["system", "accuracy", "(%)", "ratio", "↓"]],
    )
    assert rows[1:] == [
        ["gpt-4-turbo", "68.1", "0.681"],
        ["nova", "73.1*", "0.630*"],
        ["x_y#", "60.0†", "0.760†"],
    ]


@formats
def test_intervals_have_a_column_each(form: str) -> None:
    text = written(form, two_metrics(), table="intervals")
    plain = re.sub(r"[\\$]", "", text).replace("−", "-")
    assert len(re.findall("95% interval(?!s)", plain)) == 2
    assert "+2.7 to +7.3" in plain
    assert "are not corrected. Positive gains are better." in " ".join(plain.split())


@formats
def test_the_best_score_is_in_bold(form: str) -> None:
    color = {"color": True} if form == "text" else {}
    text = written(form, two_metrics(), table="scores", **color)
    bold = {
        "text": r"\x1b\[1m([\d.]+)\x1b",
        "markdown": r"\*\*([\d.]+)\*\*",
        "latex": r"\\textbf\{([\d.]+)\}",
        "typst": r"#strong\[([\d.]+)\]",
        "html": "<strong>([\\d.]+)</strong>",
    }
    assert re.findall(bold[form], text) == ["73.1", "0.630"]
    assert ("in bold" in text) == (form != "text"), "without colour nothing is bold on a terminal"


@formats
def test_the_caption_states_data_test_level_and_correction(form: str) -> None:
    text = " ".join(re.sub(r"[\\$]|(?m:^(?://|%|<!--).*$)", "", written(form, two_metrics(), table="scores")).split())
    assert "Scores on 800 items." in text
    assert "lower is better." in text
    assert re.search(r"significantly better, \S+ significantly worse than gpt-4-turbo \(one-sided paired", text)
    assert re.search(
        "(α|alpha) = 0.05, Holm(')s correction over 2 comparisons, not corrected for the", text.replace("&#x27;", "'")
    )


def test_metrics_with_different_tests_and_items_say_so() -> None:
    one, other = two_metrics()
    tests = (replace(one.comparisons[0].test, title="paired t-test"),)
    comparisons = tuple(replace(c, tests=tests, n_items=500, n_units=500) for c in other.comparisons)
    other = replace(other, n_items=500, n_units=500, comparisons=comparisons)
    text = " ".join(written("text", [one, other], table="scores").split())
    assert text.startswith("Scores on 800 items for accuracy; on 500 items for ratio.")
    assert "(one-sided paired bootstrap test for accuracy; one-sided paired t-test for ratio, α = 0.05" in text


def test_a_table_without_significant_gains_says_so() -> None:
    text = written("text", [a_result(a_comparison(verdict=Verdict.INCONCLUSIVE))], table="scores")
    assert "No test against gpt-4-turbo is significant (one-sided" in " ".join(text.split())
    assert "*" not in text


def test_without_unicode_signs_stay_different() -> None:
    text = written("text", two_metrics(), table="scores", ascii_only=True)
    assert text.isascii()
    assert "73.1*" in text
    assert "60.0+" in text
    assert "ratio (v)" in text


@formats
def test_rankings_have_letters(form: str) -> None:
    ranking = a_ranking()
    rows = cells(form, written(form, [ranking, ranking], table="scores"))[1:]
    expected = [f"{ranking.score_format.score(system.score)}{system.group}" for system in ranking.systems]
    assert [row[0] for row in rows] == [system.name for system in ranking.systems]
    assert ["".join(row[1:]) for row in rows] == [text * 2 for text in expected]
    caption = written(form, [ranking], table="scores")
    assert "share a letter do not differ significantly" in " ".join(caption.split())


def test_formats_for_papers_always_write_the_table() -> None:
    for form in ("latex", "typst", "html"):
        for results in (two_metrics(), [a_ranking()]):
            assert written(form, results) == written(form, results, table="scores")


def test_text_folds_names_first_and_then_columns() -> None:
    first, *_ = two_metrics()
    name = "a-very-long-name-of-a-system-from-2026-with-a-date-and-a-size"
    comparisons = tuple(replace(c, baseline=name) for c in first.comparisons)
    result = replace(first, comparisons=comparisons)
    text = written("text", [result] * 3, table="scores").split("\n\n", 1)[1]
    assert text.count("accuracy (%)") == 3
    assert text.count("68.1") == 3
    assert len(text.split("\n\n")) == 1
    wide = written("text", [result] * 7, table="intervals").split("\n\n", 1)[1]
    assert wide.count("+2.7 to +7.3") == 7
    assert max(map(len, wide.splitlines())) <= 80


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=8), min_size=2, max_size=4, unique=True), st.integers(1, 4))
def test_no_name_breaks_a_table(names: list[str], metrics: int) -> None:
    first = several_with_holm()
    c = first.comparisons[0]
    result = replace(first, comparisons=tuple(replace(c, baseline=names[0], candidate=one) for one in names[1:]))
    for form in FORMATS:
        text = written(form, [result] * metrics, table="intervals")
        assert text.endswith("\n")
        if form in ("html", "typst"):
            rows = cells(form, text) if form == "html" else re.findall(r"^    \[.*\],$", text, re.MULTILINE)
            assert len(rows) == len(names) + (form == "html")


NASTY = (
    *("a_b & 5% {#1} ~x^2 \\end", "gpt-4--[mini]", "-5 x", "a--b...c-?", "1. One", "= x", "+ y", "/ t: d", "x@y <z>"),
    *(
        "'q' \"r\" `c`",
        "https://a.b/c // d",
        "$x$ *b* _i_",
        "模型-é-🙂",
        "#let x = 1",
        "a -5 b_-5",
        "-",
        "1.",
        "...",
        ":x:",
    ),
)
# From content to the text that it shows.
PLAIN = """
#let plain(it) = {
  if it == none { "" } else if type(it) == str { it }
  else if it.func() == [ ].func() { " " }
  else if it.has("text") { plain(it.text) }
  else if it.has("children") { it.children.map(plain).join("") }
  else if it.has("body") { plain(it.body) }
  else { "<" + repr(it.func()) + ">" }
}
"""


@cache
def typst_of(source: str, folder: Path) -> tuple[list[str], bytes]:
    """Return what is labelled <shown> in a source of Typst, and its PDF."""
    typst = pytest.importorskip("typst", reason="the typst package is not installed")
    path = folder / "main.typ"
    path.write_text(source, encoding="utf-8")
    return json.loads(typst.query(str(path), "<shown>", field="value")), typst.compile(str(path), format="pdf")


def test_typst_shows_names_as_they_are(tmp_path: Path) -> None:
    source = PLAIN + "".join(f"#metadata(plain([{escape(name)}])) <shown>\n" for name in NASTY)
    found, _ = typst_of(source, tmp_path)
    assert found == list(NASTY)


@settings(max_examples=5, deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=12), min_size=40, max_size=60))
def test_typst_shows_any_name(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    # Outer and repeated blanks are not kept in markup.
    shown = [" ".join(printable(name).split(" ")).strip() for name in names]
    shown = [re.sub(" +", " ", name) for name in shown if name]
    source = PLAIN + "".join(f"#metadata(plain([{escape(name)}])) <shown>\n" for name in shown)
    found, _ = typst_of(source, tmp_path_factory.mktemp("typst"))
    assert found == shown


def test_typst_compiles(results: dict[str, ComparisonResult], tmp_path: Path) -> None:
    rankings = [a_ranking(), a_ranking()]
    parts = [written("typst", result, details=True) for result in results.values()]
    parts += [written("typst", rankings, table="intervals", pairs=True), written("typst", two_metrics(), bare=True)]
    _, pdf = typst_of("\n".join(parts), tmp_path)
    assert pdf.startswith(b"%PDF")


LATEX = next(filter(shutil.which, ("pdflatex", "tectonic", "xelatex", "lualatex")), None)


@pytest.mark.skipif(LATEX is None, reason="LaTeX is not installed")
def test_latex_compiles(tmp_path: Path) -> None:
    parts = [written("latex", two_metrics(), table="intervals"), written("latex", [a_ranking()])]
    source = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n" + "\n".join(parts)
    (tmp_path / "tables.tex").write_text(f"{source}\n\\end{{document}}\n", encoding="utf-8")
    options = [] if LATEX == "tectonic" else ["-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run(
        [str(LATEX), *options, "tables.tex"], cwd=tmp_path, capture_output=True, text=True, errors="replace"
    )
    assert done.returncode == 0, done.stdout[-2000:]


def test_python_has_the_table_of_each_format() -> None:
    rng = np.random.default_rng(1)
    base, new = (rng.binomial(1, p, 200).tolist() for p in (0.5, 0.8))
    result = outscore.compare(base, new, metric=["accuracy", "mean"])
    every: tuple[Any, ...] = (result.to_text, result.to_markdown, result.to_latex, result.to_typst, result.to_html)
    for form, write in zip(FORMATS, every, strict=True):
        assert write(table="intervals") == written(form, list(result.results), table="intervals")
        assert "significantly better than baseline" in " ".join(write(table="scores").split())
    assert result.to_html().startswith("<!DOCTYPE html>")
    ranking = outscore.rank({"a": base, "b": new}, metric="accuracy")
    assert isinstance(ranking, Ranking)
    assert r"\textsuperscript{b}" in ranking.to_latex()
    with pytest.raises(outscore.OptionError, match="expected scores or intervals, got 'p'"):
        result.to_text(table="p")
    with pytest.raises(outscore.OptionError, match="no-table"):
        outscore.score(base, metric="accuracy").to_text(table="scores")


def test_the_command_prints_only_the_table(outscore: Runner, tmp_path: Path) -> None:
    for name, right in (("base", 3), ("new", 8)):
        (tmp_path / f"{name}.txt").write_text("".join(f"{int(k % 10 < right)}\n" for k in range(100)))
    for command in ("compare", "rank"):
        run = outscore(command, "base.txt", "new.txt", "-m", "accuracy", "--table", "intervals")
        assert (run.status, run.err) == (0, "")
        assert run.out.startswith("Scores on 100 items.")
        assert len(run.out.split("\n\n")) == 2
        assert outscore(command, "base.txt", "new.txt", "--table", "intervals", "-q", "-m", "accuracy").out == run.out
    refused = outscore("compare", "base.txt", "new.txt", "--table", "scores", "--format", "json")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err.startswith("--table: json has no such table. Choose one of the formats text, markdown,")
    assert outscore("compare", "base.txt", "new.txt", "--table", "p").status == 2
    assert "[no-table]" in outscore("compare", "--unpaired", "base.txt", "new.txt", "--table", "scores").err
