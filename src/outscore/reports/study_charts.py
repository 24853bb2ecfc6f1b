"""Charts of studies, like BK12's figures, with the optional package Altair; `charts.save_chart` writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch
from itertools import pairwise
from typing import Any

from outscore.naming import printable
from outscore.numbers import format_p
from outscore.reports.charts import BLUE, GREY, RED, require_altair
from outscore.reports.studies.tables import Study
from outscore.results.studies import (
    ALL_PAIRS,
    DIFFERENT_FAMILY,
    SAME_FAMILY,
    CalibrationStudy,
    DomainStudy,
    GainStudy,
    PartOrder,
    SizeStudy,
    StudySetting,
    Threshold,
    TransferStudy,
)

__all__ = ["study_chart"]

# Okabe and Ito's colours; shapes say the same without colour.
FURTHER = (
    ("#009e73", "triangle-up"),
    ("#cc79a7", "square"),
    ("#e69f00", "triangle-down"),
    ("#56b4e9", "triangle-right"),
)
LOOKS = {ALL_PAIRS: ("black", "square"), SAME_FAMILY: (RED, "diamond"), DIFFERENT_FAMILY: (BLUE, "circle")}
UNKNOWN = "family not known"
WIDTH, HEIGHT = 480, 300
CURVE_POINTS = 60
DOUBTFUL = 0.01
FAR = 2.0


@singledispatch
def study_chart(study: Study) -> Any:
    """Return a study as an Altair chart.

    Gains: confidence, 1 − p, against gain by relation, with the thresholds (BK12, Figures 2 to 8). Sizes: thresholds
    by size with the 1/√n law (Figures 9 and 10). Domains: thresholds by domain (Figure 11). Calibration: the share of
    tests that are right by p-value. Transfer: the share of pairs that keep their sign.

    Raises
    ------
    MissingDependencyError
        Altair is not installed.
    """
    raise NotImplementedError(type(study))


@study_chart.register
def _(study: GainStudy) -> Any:
    alt, scale = require_altair(), _scale(study.setting)
    relations = list(dict.fromkeys(each.relation for each in study.thresholds if each.relation != ALL_PAIRS))
    held = {pair.relation for pair in study.pairs}
    shown = [name for name in relations if name in held] + ([UNKNOWN] if None in held else [])
    # Most pairs of most leaderboards are far beyond every doubt, and would press the others into a corner.
    furthest = FAR * max((pair.gain for pair in study.pairs if pair.p_value > DOUBTFUL), default=0.0)
    near = [pair for pair in study.pairs if furthest == 0 or pair.gain <= furthest]
    points = [
        {
            "gain": pair.gain * scale,
            "confidence": 1 - pair.p_value,
            "relation": pair.relation or UNKNOWN,
            "pair": f"{printable(pair.candidate)} over {printable(pair.baseline)}",
            "p": format_p(pair.p_value),
        }
        for pair in near
        if pair.p_value <= 0.5  # what ties add to one half
    ]
    y = alt.Y("confidence:Q", title="1 − p", scale=alt.Scale(domain=[0.5, 1], nice=False, zero=False))
    x = alt.X("gain:Q", title=f"gain{_unit(study.setting)}", scale=alt.Scale(nice=False, padding=8))
    scatter = (
        alt.Chart(alt.Data(values=points))
        .mark_point(filled=True, size=32, opacity=0.6)
        .encode(x=x, y=y, tooltip=["pair:N", "relation:N", "gain:Q", "p:N"], **_look(alt, "relation", shown))
    )
    low, high = study.setting.window
    window = alt.Chart(alt.Data(values=[{"confidence": 1 - high, "to": 1 - low}])).mark_rect(color=GREY, opacity=0.18)
    layers = [window.encode(y=y, y2="to:Q"), scatter]
    rules = _thresholds(study.thresholds, shown, scale)
    if rules:
        color = alt.Color("relation:N", scale=_colors(alt, shown), legend=None)
        drawn = alt.Chart(alt.Data(values=rules)).mark_rule(strokeDash=[6, 4], strokeWidth=1.5)
        layers.append(drawn.encode(x=alt.X("threshold:Q"), color=color))
    said = ["dashed: thresholds"] if rules else []
    beyond = len(study.pairs) - len(near)
    if beyond:
        said.append(f"{beyond:,} pairs of larger gains, all with p ≤ {DOUBTFUL:g}, are not shown")
    title = alt.Title("Confidence against gain", subtitle="; ".join(said))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=title)


@study_chart.register
def _(study: SizeStudy) -> Any:
    alt, scale = require_altair(), _scale(study.setting)
    random = any(point.order is PartOrder.RANDOM for point in study.points)
    order = PartOrder.RANDOM if random else PartOrder.INITIAL
    related = _related([point.threshold for point in study.points if point.order is order])
    points: list[dict[str, Any]] = [
        {
            "items": point.items,
            **_ends(point.threshold, scale),
            "relation": point.threshold.relation,
        }
        for point in study.points
        if point.order is order and point.threshold.threshold is not None and _drawn(point.threshold, related)
    ]
    shown = list(dict.fromkeys(str(point["relation"]) for point in points))
    curves = []
    sizes = [point.items for point in study.points]
    for fit in study.fits:
        if fit.order is order and fit.slope is not None:
            if related and fit.relation == ALL_PAIRS:
                continue
            for step in range(CURVE_POINTS + 1):
                items = min(sizes) * (max(sizes) / min(sizes)) ** (step / CURVE_POINTS)
                curves.append({"items": items, "threshold": scale * fit.slope / items**0.5, "relation": fit.relation})
    x = alt.X("items:Q", title="items", scale=alt.Scale(type="log", nice=False, padding=20))
    base = alt.Chart(alt.Data(values=points)).encode(x=x)
    color = alt.Color("relation:N", scale=_colors(alt, shown), legend=None)
    bars = base.mark_rule(strokeWidth=1.5, opacity=0.6).encode(
        y=alt.Y("low:Q", title=f"threshold{_unit(study.setting)}"), y2="high:Q", color=color
    )
    marks = base.mark_point(filled=True, size=60, opacity=1).encode(
        y=alt.Y("threshold:Q"), **_look(alt, "relation", shown)
    )
    law = alt.Chart(alt.Data(values=curves)).mark_line(strokeDash=[5, 3]).encode(x=x, y="threshold:Q", color=color)
    how = "random subsets" if random else "the first items"
    title = alt.Title("Threshold by size of the test set", subtitle=f"{how}; dashed: slope / √items")
    return alt.layer(law, bars, marks).properties(width=WIDTH, height=HEIGHT, title=title)


@study_chart.register
def _(study: DomainStudy) -> Any:
    alt, scale = require_altair(), _scale(study.setting)
    related = _related([point.threshold for point in study.points])
    points = [
        {"domain": printable(point.domain), **_ends(point.threshold, scale), "relation": point.threshold.relation}
        for point in study.points
        if point.threshold.threshold is not None and _drawn(point.threshold, related)
    ]
    shown = list(dict.fromkeys(str(point["relation"]) for point in points))
    names = list(dict.fromkeys(printable(point.domain) for point in study.points))
    base = alt.Chart(alt.Data(values=points)).encode(
        y=alt.Y("domain:N", sort=names, title=None, axis=alt.Axis(labelLimit=300, domain=False, ticks=False)),
        yOffset=alt.YOffset("relation:N", sort=shown),
    )
    bars = base.mark_rule(strokeWidth=1.5, opacity=0.6).encode(
        x=alt.X("low:Q", title=f"threshold{_unit(study.setting)}"),
        x2="high:Q",
        color=alt.Color("relation:N", scale=_colors(alt, shown), legend=None),
    )
    marks = base.mark_point(filled=True, size=60, opacity=1).encode(x="threshold:Q", **_look(alt, "relation", shown))
    title = alt.Title("Threshold by domain", subtitle=f"test sets of {study.items:,} items")
    return alt.layer(bars, marks).properties(width=WIDTH, height=max(80, 44 * len(names)), title=title)


@study_chart.register
def _(study: CalibrationStudy) -> Any:
    alt = require_altair()
    bins = [each for each in study.bins if each.share is not None and each.nominal is not None]
    values = [
        {
            "p": 1 - (each.nominal or 0.0),
            "share": each.share,
            "low": each.share_low,
            "high": each.share_high,
            "tests": each.n_tests,
        }
        for each in bins
    ]
    x = alt.X("p:Q", title="p (mean of the bin)", scale=alt.Scale(type="sqrt"))
    lowest = min([0.5, *(each.share_low for each in bins if each.share_low is not None)])
    y = {"scale": alt.Scale(domain=[lowest, 1], zero=False, nice=False), "axis": alt.Axis(format="%")}
    base = alt.Chart(alt.Data(values=values)).encode(x=x)
    diagonal = [{"p": step / 100, "share": 1 - step / 100} for step in range(51)]
    line = alt.Chart(alt.Data(values=diagonal)).mark_line(strokeDash=[5, 3], color=GREY)
    line = line.encode(x=x, y=alt.Y("share:Q", **y))
    bars = base.mark_rule(strokeWidth=2, opacity=0.6, color=BLUE).encode(
        y=alt.Y("low:Q", title="tests that point at the better system", **y), y2="high:Q"
    )
    marks = base.mark_point(filled=True, size=60, opacity=1, color=BLUE).encode(
        y=alt.Y("share:Q", **y), tooltip=["p:Q", "share:Q", "tests:Q"]
    )
    subtitle = f"{study.n_test_sets:,} test sets of {study.items:,} items; dashed: 1 − p"
    title = alt.Title("How often the favoured system is the better one", subtitle=subtitle)
    return alt.layer(line, bars, marks).properties(width=WIDTH, height=HEIGHT, title=title)


@study_chart.register
def _(study: TransferStudy) -> Any:
    alt = require_altair()
    edges = sorted({each.low for each in study.bins} | {each.high for each in study.bins})
    labels = {low: f"{low:g} to {high:g}" for low, high in pairwise(edges)}
    values = [
        {
            "p": labels[each.low],
            "share": each.share,
            "low": each.share_low,
            "high": each.share_high,
            "other": printable(each.other),
        }
        for each in study.bins
        if each.share is not None
    ]
    shown = list(dict.fromkeys(printable(other) for other in study.others))
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X(
            "p:N", sort=list(labels.values()), title=f"p on {printable(study.board)}", axis=alt.Axis(labelAngle=-30)
        ),
        xOffset=alt.XOffset("other:N", sort=shown),
    )
    y = {"scale": alt.Scale(domain=[0, 1]), "axis": alt.Axis(format="%")}
    bars = base.mark_rule(strokeWidth=1.5, opacity=0.6).encode(
        y=alt.Y("low:Q", title="pairs that keep their sign", **y),
        y2="high:Q",
        color=alt.Color("other:N", scale=_colors(alt, shown), legend=None),
    )
    marks = base.mark_point(filled=True, size=60, opacity=1).encode(
        y=alt.Y("share:Q", **y), **_look(alt, "other", shown)
    )
    return alt.layer(bars, marks).properties(width=WIDTH, height=HEIGHT, title="Gains that are gains elsewhere")


def _scale(setting: StudySetting) -> float:
    return 100.0 if setting.metric.as_percentage else 1.0


def _unit(setting: StudySetting) -> str:
    points = ", points" if setting.metric.as_percentage else ""
    return f" in {printable(setting.metric.spec)}{points}"


def _ends(threshold: Threshold, scale: float) -> dict[str, float | None]:
    ends = {"threshold": threshold.threshold, "low": threshold.low, "high": threshold.high}
    return {name: None if value is None else value * scale for name, value in ends.items()}


def _related(thresholds: Sequence[Threshold]) -> bool:
    """Return whether there are thresholds of relations, beside which that of all pairs says nothing new."""
    return any(each.relation != ALL_PAIRS and each.threshold is not None for each in thresholds)


def _drawn(threshold: Threshold, related: bool) -> bool:
    return threshold.relation != ALL_PAIRS or not related


def _thresholds(thresholds: Sequence[Threshold], shown: Sequence[str], scale: float) -> list[Mapping[str, Any]]:
    return [
        {"relation": each.relation, "threshold": each.threshold * scale}
        for each in thresholds
        if each.threshold is not None and each.relation in shown
    ]


def _looks(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return a colour and a shape for each name; those that are not relations of families take the further ones."""
    spare = [*FURTHER, (GREY, "cross")]
    found = []
    for name in names:
        if name == UNKNOWN:
            found.append((GREY, "cross"))
        elif name in LOOKS:
            found.append(LOOKS[name])
        else:
            found.append(spare[sum(other not in LOOKS for other in names[: names.index(name)]) % len(spare)])
    return found


def _colors(alt: Any, names: Sequence[str]) -> Any:
    return alt.Scale(domain=list(names), range=[color for color, _ in _looks(names)])


def _look(alt: Any, field: str, names: Sequence[str]) -> dict[str, Any]:
    """Return colour and shape of a field's marks, with one legend for both."""
    legend = alt.Legend(title=None) if len(names) > 1 else None
    shapes = alt.Scale(domain=list(names), range=[shape for _, shape in _looks(names)])
    return {
        "color": alt.Color(f"{field}:N", scale=_colors(alt, names), legend=legend),
        "shape": alt.Shape(f"{field}:N", scale=shapes, legend=legend),
    }
