"""Charts and files of charts; skipped where Altair and vl-convert are not installed."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from outscore.errors import FileAccessError, MissingDependencyError, OptionError
from outscore.reports.charts import (
    SUFFIXES,
    chart_bytes,
    forest_chart,
    gain_chart,
    heatmap_chart,
    law_chart,
    save_chart,
)
from outscore.results import Correction

from .conftest import RESULTS
from .rankings import a_ranking, renamed

pytest.importorskip("altair", reason="Altair is not installed")
pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")

HOSTILE = "</script><script>alert(1)</script>"


def values(chart: Any, layer: int = 0) -> list[dict[str, Any]]:
    whole = chart.to_dict()
    return list(whole["layer"][layer].get("data", whole.get("data"))["values"])


def test_a_forest_holds_every_system_in_its_order() -> None:
    ranking = a_ranking()
    held = values(forest_chart(ranking))
    assert [row["system"] for row in held] == [system.name for system in ranking.systems]
    assert [row["score"] for row in held] == [system.score for system in ranking.systems]
    assert [(row["low"], row["high"]) for row in held] == [(s.interval.low, s.interval.high) for s in ranking.systems]
    assert [row["groups"] for row in held] == [system.group for system in ranking.systems]


def test_gains_hold_every_pair_with_its_confidence() -> None:
    ranking = a_ranking()
    held = values(gain_chart(ranking), 1)
    assert [row["gain"] for row in held] == [pair.gain for pair in ranking.pairs]
    assert [row["confidence"] for row in held] == [1 - pair.p_value for pair in ranking.pairs]
    kinds = {True: "same family", False: "different families", None: "family not known"}
    assert [row["family"] for row in held] == [kinds[pair.same_family] for pair in ranking.pairs]


@pytest.mark.parametrize("correction", [None, *Correction])
def test_a_heat_map_holds_every_pair(correction: Correction | None) -> None:
    ranking = a_ranking()
    held = values(heatmap_chart(ranking, correction))
    significant = [bool(row["mark"]) for row in held]
    assert significant == [pair.corrected(correction or Correction.MAX_T) <= 0.05 for pair in ranking.pairs]


@pytest.mark.parametrize("name", sorted(set(RESULTS) - {"undefined"}))
def test_a_law_parts_losses_from_gains(name: str) -> None:
    c = RESULTS[name]().comparisons[0]
    scale = 100 if c.metric.as_percentage else 1
    bars = values(law_chart(c))
    assert all((bar["side"] == "baseline better") == (bar["to"] <= 0) for bar in bars)
    area = sum((bar["to"] - bar["from"]) * bar["density"] for bar in bars)
    assert area == pytest.approx(1.0 if len(c.histogram.edges) > 2 else 0.0)
    marks = {row["what"]: row["at"] for row in values(law_chart(c), 1)}
    assert marks["0"] == 0
    assert c.gain * scale in marks.values()


def test_a_law_that_is_not_defined_is_drawn_without_it() -> None:
    assert values(law_chart(RESULTS["undefined"]().comparisons[0])) == []


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
    for suffix in (".html", ".svg"):
        assert HOSTILE.encode() not in chart_bytes(chart, suffix)
    assert rb"\u003c/script>\u003cscript>alert(1)" in chart_bytes(chart, ".html")
    drawn = "".join(ElementTree.fromstring(chart_bytes(chart, ".svg")).itertext())
    assert HOSTILE in drawn
    assert r"a\x1bb\ue000" in drawn


def test_one_system_and_systems_without_families() -> None:
    from dataclasses import replace

    ranking = a_ranking(3)
    alone = replace(ranking, systems=ranking.systems[:1], pairs=())
    for chart in (forest_chart(alone), gain_chart(alone), heatmap_chart(alone)):
        assert chart_bytes(chart, ".svg").startswith(b"<svg")
    unknown = replace(ranking, pairs=tuple(replace(pair, same_family=None) for pair in ranking.pairs))
    assert gain_chart(unknown).to_dict()["layer"][1]["encoding"]["color"]["legend"] is None


def test_a_format_that_is_not_known(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r'expected a file name that ends in \.svg, .*, got "\.gif"'):
        chart_bytes(None, ".gif")
    with pytest.raises(FileAccessError, match="cannot write"):
        save_chart(forest_chart(a_ranking(2)), tmp_path / "nowhere" / "chart.json")


@pytest.mark.parametrize(("module", "package"), [("altair", "altair"), ("vl_convert", "vl-convert-python")])
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, module: str, package: str) -> None:
    chart = forest_chart(a_ranking(2))
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingDependencyError, match=rf'package {package}, .*pip install "outscore\[plots\]"'):
        forest_chart(a_ranking(2)) if module == "altair" else chart_bytes(chart, ".svg")
