"""Charts and files of charts; skipped where Altair and vl-convert are not installed."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import outscore
from outscore.errors import FileAccessError, MissingDependencyError, OptionError
from outscore.reports.figures.comparisons import gains_figure, law_figure
from outscore.results import Comparison, Correction, Ranking
from tests.reports.kit import (
    SUFFIXES,
    chart_bytes,
    figure_chart,
    figures_chart,
    gain_figure,
    matrix_figure,
    save_chart,
    score_figure,
)

from .conftest import RESULTS
from .rankings import a_ranking, renamed

pytest.importorskip("altair", reason="Altair is not installed")
pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")

HOSTILE = "</script><script>alert(1)</script>"


def forest_chart(ranking: Ranking) -> Any:
    return figure_chart(score_figure(ranking))


def values(chart: Any, layer: int = 0) -> list[dict[str, Any]]:
    whole = chart.to_dict()
    return list(whole["layer"][layer].get("data", whole.get("data"))["values"])


def marks(chart: Any) -> list[dict[str, Any]]:
    return [row for row in chart.to_dict()["data"]["values"] if row["kind"] == "mark"]


def test_a_forest_holds_every_system_in_its_order() -> None:
    ranking = a_ranking()
    chart = forest_chart(ranking)
    rows = {row["y"]: row for row in marks(chart)}
    kinds = {True: "not significantly worse than the best", False: "significantly worse"}
    for one in ranking.systems:
        row = rows[one.name]
        assert (row["x"], row["low"], row["high"]) == (one.score, one.interval.low, one.interval.high)
        assert (row["aside"], row["series"]) == (one.group, kinds[one.among_best])
    [fill] = [layer["encoding"]["fill"] for layer in chart.to_dict()["layer"] if "fill" in layer["encoding"]]
    hollow = dict(zip(fill["scale"]["domain"], fill["scale"]["range"], strict=True))
    assert {name for name, colour in hollow.items() if colour == "white"} == {kinds[False]}


def drawn(chart: Any) -> dict[str, Any]:
    """Return what is drawn: the Vega specification."""
    import vl_convert

    vega: dict[str, Any] = vl_convert.vegalite_to_vega(chart.to_json())
    return vega


def legends(vega: Any) -> list[dict[str, Any]]:
    """Return the legends of a specification and of its groups."""
    own = list(vega.get("legends", []))
    return own + [legend for group in vega.get("marks", []) for legend in legends(group)]


def test_the_legend_of_a_forest_fills_the_marks_of_the_best_alone() -> None:
    chart = forest_chart(a_ranking())
    vega = drawn(chart)
    (legend,) = legends(vega)
    # One legend for the colour of the outline, the filling and the shape.
    assert {"stroke", "fill", "shape"} <= legend.keys()
    assert "symbols" not in legend.get("encode", {}) or "fill" not in legend["encode"]["symbols"].get("update", {})
    (fill,) = [scale for scale in vega["scales"] if scale["name"] == legend["fill"]]
    assert dict(zip(fill["domain"], fill["range"], strict=True)) == {
        "not significantly worse than the best": "#0072b2",
        "significantly worse": "white",
    }


def test_each_panel_of_several_rankings_has_its_own_legend() -> None:
    figures = [score_figure(a_ranking()), score_figure(a_ranking())]
    vega = drawn(figures_chart(figures))
    assert not vega.get("legends")
    assert len(legends(vega)) == 2
    assert all({"stroke", "fill", "shape"} <= legend.keys() for legend in legends(vega))


def test_a_line_at_zero_is_not_in_the_legend() -> None:
    scored = np.random.default_rng(1).random((2, 90))
    sets = np.repeat(["easy", "hard", "long"], 30).tolist()
    candidate = np.where(np.arange(90) < 30, scored[1] + 1, scored[1])
    result = outscore.compare(scored[0], candidate, test_sets=sets)
    (legend,) = legends(drawn(result.chart()))
    assert legend["values"] == ["better", "inconclusive"]


def test_gains_of_candidates_are_sorted_and_look_like_their_verdict() -> None:
    comparisons = RESULTS["several_with_holm"]().comparisons
    figure = gains_figure(RESULTS["several_with_holm"]())
    gains = [x for _, x in sorted((mark.y, mark.x) for series in figure.panels[0].series for mark in series.marks)]
    assert gains == sorted(gains, reverse=True)
    zero, *by_verdict = figure.panels[0].series
    assert {series.name for series in by_verdict} == {c.verdict for c in comparisons}
    # Colours differ, and without colour shapes do. The line at zero has none of them.
    for looks in ({s.look.colour for s in figure.panels[0].series}, {s.look.shape for s in figure.panels[0].series}):
        assert len(looks) == 1 + len(by_verdict)
    assert zero.at == 0
    assert figure.notes == ("Uncorrected 95% intervals. Verdicts are after Holm's correction over 3 comparisons.",)


def test_gains_hold_every_pair_with_its_confidence() -> None:
    ranking = a_ranking()
    held = marks(figure_chart(gain_figure(ranking)))
    kinds = {True: "same family", False: "different families", None: "family not known"}
    assert sorted((row["x"], row["y"], row["series"]) for row in held) == sorted(
        (pair.gain, 1 - pair.p_value, kinds[pair.same_family]) for pair in ranking.pairs
    )


@pytest.mark.parametrize("correction", [None, *Correction])
def test_a_matrix_holds_every_pair(correction: Correction | None) -> None:
    ranking = a_ranking()
    held = values(figure_chart(matrix_figure(ranking, correction)))
    significant = [bool(row["mark"]) for row in held]
    assert significant == [pair.corrected(correction or Correction.MAX_T) <= 0.05 for pair in ranking.pairs]


def law_of(c: Comparison) -> Any:
    return figure_chart(law_figure(c))


@pytest.mark.parametrize("name", sorted(set(RESULTS) - {"undefined"}))
def test_a_law_parts_losses_from_gains(name: str) -> None:
    c = RESULTS[name]().comparisons[0]
    scale = 100 if c.metric.as_percentage else 1
    bars = values(law_of(c))
    assert all((bar["side"] == "baseline better") == (bar["to"] <= 0) for bar in bars)
    area = sum((bar["to"] - bar["from"]) * bar["density"] for bar in bars)
    assert area == pytest.approx(1.0 if len(c.histogram.edges) > 2 else 0.0)
    flags = {row["kind"]: row["at"] for row in values(law_of(c), 1)}
    assert flags.get("zero", 0) == 0
    assert flags["gain"] == c.gain * scale


def test_a_law_that_is_not_defined_is_drawn_without_it() -> None:
    assert values(law_of(RESULTS["undefined"]().comparisons[0])) == []


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_charts_are_written_in_every_format(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"chart{suffix}"
    save_chart(forest_chart(a_ranking(5)), path)
    written = path.read_bytes()
    if suffix == ".svg":
        root = ElementTree.fromstring(written)
        assert root.tag.endswith("svg")
        assert a_ranking(5).systems[0].name in "".join(root.itertext())
    elif suffix == ".json":
        assert "vega-lite" in json.loads(written)["$schema"]
    elif suffix == ".html":
        assert not re.search(rb"<script[^>]* src=|<link|@import|cdn\.jsdelivr", written)
    else:
        assert written.startswith({".png": b"\x89PNG", ".pdf": b"%PDF"}[suffix])


def test_names_are_shown_and_not_run() -> None:
    chart = forest_chart(renamed(a_ranking(3), [HOSTILE, "a\x1bb\ue000"]))
    page, picture = (chart_bytes(chart, suffix) for suffix in (".html", ".svg"))
    assert HOSTILE.encode() not in page + picture
    assert rb"\u003c/script>\u003cscript>alert(1)" in page
    drawn = "".join(ElementTree.fromstring(picture).itertext())
    assert HOSTILE in drawn
    assert r"a\x1bb\ue000" in drawn


def test_one_system_and_systems_without_families() -> None:
    from dataclasses import replace

    ranking = a_ranking(3)
    alone = replace(ranking, systems=ranking.systems[:1], pairs=())
    for chart in (forest_chart(alone), figure_chart(gain_figure(alone)), figure_chart(matrix_figure(alone))):
        assert drawn(chart)["marks"]
    unknown = replace(ranking, pairs=tuple(replace(pair, same_family=None) for pair in ranking.pairs))
    assert list(gain_figure(unknown).kinds) == ["family not known"]


def test_a_format_that_is_not_known(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r'expected a file name that ends in \.svg, .*, got "\.gif"'):
        chart_bytes(None, ".gif")
    with pytest.raises(FileAccessError, match="cannot write"):
        save_chart(forest_chart(a_ranking(2)), tmp_path / "nowhere" / "chart.json")


@pytest.mark.parametrize(("module", "package"), [("altair", "altair"), ("vl_convert", "vl-convert-python")])
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, module: str, package: str) -> None:
    chart = forest_chart(a_ranking(2))
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingDependencyError, match=rf"package {package}, .*pip install altair vl-convert-python"):
        forest_chart(a_ranking(2)) if module == "altair" else chart_bytes(chart, ".svg")
