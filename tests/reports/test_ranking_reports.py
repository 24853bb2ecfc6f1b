"""Rankings as text, JSON, CSV, Markdown and LaTeX, and as they show themselves."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO

import narwhals as nw
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

import outscore
from outscore.errors import MissingDependencyError, OptionError
from outscore.reports.documents.rankings import share, summary_document, system_columns
from outscore.results import Correction, MetricDescription, Ranking
from tests.kit import format_p
from tests.reports.kit import Table, broken, cut, documents_to_text, native_frame, plain

from .rankings import a_ranking, renamed
from .written import to_csv, to_html, to_json, to_latex, to_markdown, to_text

NASTY = ["a_b & 5% {#1}", "x|y <script>alert('1')</script>", "=SUM(A1)", "tab\there\x1b[31m", "名前", "-" * 90]


def nasty() -> Ranking:
    ranking = a_ranking(6)
    names = dict(zip([system.name for system in ranking.systems], NASTY, strict=True))
    systems = tuple(replace(system, name=names[system.name], family="é_1") for system in ranking.systems)
    pairs = tuple(
        replace(pair, baseline=names[pair.baseline], candidate=names[pair.candidate]) for pair in ranking.pairs
    )
    return replace(ranking, systems=systems, pairs=pairs, warnings=("A warning with | and _.",))


def in_tiers(s: int, sizes: Sequence[int]) -> Ranking:
    """Return a ranking whose systems are in tiers of these sizes."""
    ranking = a_ranking(s)
    tiers = [k for k, size in enumerate(sizes, start=1) for _ in range(size)]
    held = zip(ranking.systems, tiers, strict=True)
    return replace(ranking, systems=tuple(replace(system, cluster=tier) for system, tier in held))


@pytest.mark.parametrize("ascii_only", [False, True])
def test_lines_separate_tiers(ascii_only: bool) -> None:
    lines = to_text(in_tiers(6, [1, 3, 2]), ascii_only=ascii_only, width=100, details=True).splitlines()
    names = [system.name for system in a_ranking(6).systems]
    table = [line for line in lines if any(f"  {name}  " in line for name in names) or set(line) in ({"┄"}, {"."})]
    assert [line[0] in "┄." for line in table[:8]] == [False, True, False, False, False, True, False, False]
    heading = next(line for line in lines if "P(best)" in line)
    assert "to next" in heading
    assert "to best" in heading
    assert "3 tiers: every system" in " ".join(" ".join(lines).split())
    assert not any(set(line) in ({"┄"}, {"."}) for line in to_text(a_ranking(6)).splitlines())


def test_short_text_has_what_decides_and_at_most_six_lines_beside_the_table() -> None:
    for ranking, heading in (
        (in_tiers(6, [1, 3, 2]), "rank system family score 95% interval group tier"),
        (in_tiers(6, [6]), "rank system family score 95% interval group"),
    ):
        lead, table, notes = to_text(ranking).split("\n\n")
        assert table.splitlines()[0].split() == heading.split()
        assert lead.startswith(f"{ranking.systems[0].name} scores best of 6 systems: ")
        assert lead.count(". ") == 0
        assert len(notes.splitlines()) <= 4
        assert notes.splitlines()[-1].startswith("details  to_text(details=True) shows ")


def test_the_room_of_names_is_all_that_other_columns_leave() -> None:
    ranking = renamed(a_ranking(9), ["x" * 16])
    full = next(line for line in to_text(ranking, width=100, details=True).splitlines() if "P(best)" in line)
    assert "to next" in full
    at_its_width = to_text(ranking, width=len(full), details=True).splitlines()
    assert full in at_its_width
    assert full not in to_text(ranking, width=len(full) - 1, details=True).splitlines()


def test_long_names_are_folded_where_they_have_parts_and_cut_with_a_mark() -> None:
    long = ["chatgpt-4o-latest-24-09-07-long-context", "chatgpt-4o-latest-24-09-08-long-context"]
    ranking = renamed(a_ranking(60), long)
    for ascii_only, mark in ((False, "…"), (True, "~")):
        text = to_text(ranking, width=80, ascii_only=ascii_only, details=True)
        table, triangle = text.split("\n\n")[1:3]
        folded = [line.split()[1] for line in table.splitlines() if "chatgpt" in line]
        assert folded == ["chatgpt-4o-latest-24-"] * 2 or all(each.endswith("-") for each in folded)
        rows = [line.split()[1] for line in triangle.splitlines() if "chatgpt" in line]
        assert all(mark in row for row in rows)


@given(st.text(st.characters(exclude_categories=["C", "Z", "M"]), min_size=1, max_size=60), st.integers(4, 40))
def test_names_are_folded_without_loss_and_cut_to_their_room(name: str, room: int) -> None:
    lines = broken(name, room)
    assert "".join(lines) == name
    assert all(cell_len(line) <= room for line in lines)
    short = cut(name, room)
    assert cell_len(short) <= room
    assert (short == name) == (cell_len(name) <= room)
    if short != name:
        head, tail = short.split("…") if short.count("…") == 1 else (short[:1], "")
        assert name.startswith(head)
        assert name.endswith(tail)


def test_the_smallest_p_value_of_max_t_is_a_bound_in_every_format() -> None:
    ranking = a_ranking(4)
    first, *others = ranking.pairs
    r = ranking.n_resamples
    smallest = replace(first, p_maxt=1 / (r + 1))
    larger = replace(first, p_maxt=2 / (r + 1))
    for pair, shown in ((smallest, True), (larger, False)):
        held = replace(ranking, pairs=(pair, *others))
        assert ("≤ 1e-05" in to_text(held, details=True)) is shown
        assert ("<= 1e-05" in to_text(held, ascii_only=True, pairs=True)) is shown
        assert ("≤ 1e-05" in to_markdown(held)) is shown
        assert (r"$\leq$ $10^{-5}$" in to_latex(held, pairs=True)) is shown
        assert ("≤ 1e-05" in to_html(held)) is shown
        assert json.loads(to_json(held))["pairs"][0]["p_maxt"] == pair.p_maxt


@pytest.mark.parametrize(
    ("bound", "alpha", "shown"),
    [(1 / 3000, 0.05, "≤ 0.00034"), (1 / 2000, 0.05, "≤ 0.0005"), (0.0499, 0.05, "≤ 0.0499"), (0.0499, 0.01, "≤ 0.05")],
)
def test_bounds_are_rounded_up_and_not_across_alpha(bound: float, alpha: float, shown: str) -> None:
    assert format_p(bound, alpha, bound=True) == shown


def test_gains_are_written_alike_in_every_format() -> None:
    ranking = a_ranking(5)
    columns = system_columns(ranking)
    by_system = [[columns[key].cell(system) for key in ("to_next", "to_best")] for system in ranking.systems]
    assert by_system[0][1] == by_system[-1][0] == ""
    assert all(to_next.startswith("+") for to_next, _ in by_system[:-1])
    assert all(to_best.startswith("-") for _, to_best in by_system[1:])
    text, markdown, html = to_text(ranking, width=100, details=True), to_markdown(ranking), to_html(ranking)
    for system, cells in zip(ranking.systems, by_system, strict=True):
        for cell in filter(None, cells):
            assert cell in next(line for line in text.splitlines() if f"  {system.name} " in line).split()
            assert f">{cell}</td>" in html
        row = next(line for line in markdown.splitlines() if f"| {system.name} |" in line)
        assert " | ".join(cells) in row


def test_a_probability_of_being_best_is_never_said_to_be_nothing() -> None:
    ranking = a_ranking(5)
    assert ranking.n_resamples == 100_000
    for p, shown in ((0.0, "<0.1%"), (1.0, ">99.9%"), (0.25, "25%"), (1e-5, "<0.1%")):
        assert share(ranking, p) == shown
    few = replace(ranking, n_resamples=99)
    assert (share(few, 0.0), share(few, 1.0)) == ("<1.0%", ">99%")
    assert share(replace(ranking, systems=ranking.systems[:1]), 1.0) == "100%"


def test_one_pair_is_one_pair() -> None:
    ranking = a_ranking(2)
    for write in (to_text, to_markdown, to_html):
        assert "1 pairs" not in " ".join(write(ranking).split())


@pytest.mark.parametrize("s", [2, 8, 9, 60])
@pytest.mark.parametrize("width", [72, 100])
@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("details", [False, True])
def test_no_line_is_wider_than_the_terminal(s: int, width: int, pairs: bool, details: bool) -> None:
    for ranking in (a_ranking(s), *([nasty()] if s == 2 else [])):
        *lines, last = to_text(ranking, width=width, pairs=pairs, details=details).splitlines()
        assert last.startswith("signature" if details else "details  ")
        assert all(len(line) <= width for line in lines), max(lines, key=len)


def test_sixty_systems_fit_on_a_terminal() -> None:
    ranking = a_ranking(60)
    text = to_text(ranking, width=92, details=True)
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
    assert "pairs=True lists them" in to_text(replace(ranking, systems=(*ranking.systems, *more)), details=True)


def test_ascii_only_is_ascii() -> None:
    for ranking in (a_ranking(12), nasty()):
        assert to_text(ranking, ascii_only=True, pairs=True).isascii()


def test_colour_says_nothing_alone() -> None:
    import re

    for s in (4, 20):
        colored = to_text(a_ranking(s), color=True)
        assert "\x1b[" in colored
        bare = re.sub(r"\x1b\[[\d;]*m", "", colored)
        assert [line.rstrip() for line in bare.splitlines()] == to_text(a_ranking(s)).splitlines()


def test_csv_gives_every_number_back() -> None:
    ranking = a_ranking(7)
    systems = list(csv.DictReader(StringIO(to_csv(ranking))))
    assert [float(row["score"]) for row in systems] == [system.score for system in ranking.systems]
    pairs = list(csv.DictReader(StringIO(to_csv(ranking, pairs=True))))
    assert [float(row["p_holm"]) for row in pairs] == [pair.p_holm for pair in ranking.pairs]
    assert {row["same_family"] for row in pairs} <= {"", "true", "false"}
    names = [row["name"] for row in csv.DictReader(StringIO(to_csv(nasty())))]
    assert "'=SUM(A1)" in names


def test_names_are_escaped() -> None:
    markdown, latex = to_markdown(nasty(), pairs=True), to_latex(nasty(), pairs=True)
    assert "<script>" not in markdown
    assert r"x\|y" in markdown
    assert r"a\_b \& 5\% \{\#1\}" in latex
    for line in latex.splitlines():
        if not line.startswith("%"):
            assert line.count("{") - line.count("\\{") == line.count("}") - line.count("\\}")
    assert "\x1b" not in to_text(nasty())


def test_reports_speak_of_the_correction_they_use() -> None:
    ranking = a_ranking(5)
    for correction, words in (
        (Correction.HOLM, "Holm"),
        (Correction.BH, "Benjamini–Hochberg"),
        (Correction.NONE, "without correction"),
    ):
        assert words in to_text(replace(ranking, correction=correction))


def test_what_cannot_be_told_is_never_called_equal() -> None:
    text = to_text(a_ranking(12), details=True)
    assert "does not show that two systems are equal" in " ".join(text.split())
    assert "same tier may still differ" in " ".join(text.split())
    assert "no difference" not in text


def test_a_ranking_shows_itself() -> None:
    ranking = outscore.rank({"a": [1, 0, 1, 1] * 5, "<b>": [1, 0, 0, 0] * 5}, metric="accuracy", n_resamples=99)
    assert f"{ranking!r}\n" == to_text(ranking)
    assert "&lt;b&gt;" in ranking._repr_html_()
    assert "><b><" not in ranking._repr_html_()


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_data_frames_of_any_library(backend: str) -> None:
    pytest.importorskip(backend, reason=f"{backend} is not installed")
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
    with pytest.raises(MissingDependencyError, match="pip install polars"):
        a_ranking(3).to_dataframe()


def test_a_library_that_is_not_installed_is_named_to_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingDependencyError, match=r"pandas is not installed\. Install it: pip install pandas\."):
        a_ranking(3).to_dataframe(backend="pandas")


def test_data_that_make_no_frame_are_not_blamed_on_the_backend() -> None:
    with pytest.raises(TypeError):
        native_frame({"gain": [1, "a", 0.5]}, "polars")


def test_several_metrics_begin_with_all_of_them_side_by_side() -> None:
    first = a_ranking(6)
    second = replace(a_ranking(6), metric=MetricDescription("loss", higher_is_better=False, as_percentage=False))
    second = replace(second, systems=second.systems[::-1])
    document = summary_document([first, second])
    [table] = [block for block in document.blocks if isinstance(block, Table)]
    assert tuple(map(plain, table.headings[1::2])) == ("bleu", "loss")
    assert [plain(row[0]) for row in table.rows] == [system.name for system in first.systems]
    for row, system in zip(table.rows, first.systems, strict=True):
        low, high = system.rank_low, system.rank_high
        assert row[2] == row[4] == (str(low) if low == high else f"{low}–{high}")
        assert float(row[1]) == float(row[3]) == pytest.approx(system.score, abs=0.06)
    best = first.systems[0].name, second.systems[0].name
    assert " ".join(documents_to_text([document]).split("\n\n")[0].split()) == (
        f"{best[0]} scores best of 6 systems by 1 of 2 metrics; {best[1]} by 1 (1,000 items). It is significantly "
        "better than every other by none of the metrics. Ranks are from the two-sided bootstrap test (α = 0.05, "
        "after max-T "
        "correction over 15 pairs, for each metric separately)."
    )
    assert "signature" not in documents_to_text([document])
