"""Figures as charts of Altair, the optional package; `reports.charts` writes these into files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from outscore.reports.charts import GREY, require_altair
from outscore.reports.figures.model import Figure, Form, Panel, Scale

__all__ = ["figure_chart"]

ALONE, AMONG_OTHERS = {"width": 480, "height": 300}, {"width": 300, "height": 220}
ROW, BETWEEN = 16, 10  # heights of a series in a named row, and of what is between rows
LINE = 90  # characters of a subtitle
NOTHING = "there is nothing to draw: the report says why"
SIZES = (60, 32, 14)  # of marks that are few, many, a cloud
AXES = {Form.NUMBER: {}, Form.COUNT: {"format": "~s"}, Form.SHARE: {"format": "~%"}}


def figure_chart(figure: Figure) -> Any:
    """Return a figure as an Altair chart.

    Raises
    ------
    MissingDependencyError
        Altair is not installed.
    """
    alt = require_altair()
    every = [series for panel in figure.panels for series in panel.series]
    # One table for all layers: panels are made of it.
    data = alt.Data(values=[row for panel in figure.panels for row in _rows(figure, panel)])
    x, y = _channel(alt.X, "x", figure.x), _channel(alt.Y, "y", figure.y)
    offset = {"yOffset": alt.YOffset("series:N", sort=list(figure.kinds))} if figure.y.names and len(every) > 1 else {}
    color, shape, dash = _looks(figure)

    def layer(kind: str) -> Any:
        return alt.Chart().transform_filter(alt.datum.kind == kind)

    layers = []
    if figure.levels:
        bands = layer("level").mark_rect(color=GREY, opacity=0.18)
        layers.append(bands.encode(y=_channel(alt.Y, "low", figure.y), y2="high:Q"))
        lines = layer("level").transform_filter("datum.low == datum.high").mark_rule(color=GREY, strokeDash=[3, 3])
        layers.append(lines.encode(y=_channel(alt.Y, "low", figure.y)))
    if any(each.curve for each in every):
        layers.append(layer("curve").mark_line(strokeDash=[5, 3]).encode(x=x, y=y, color=color))
    if any(each.at is not None for each in every):
        layers.append(layer("line").mark_rule(strokeDash=[6, 4], strokeWidth=1.5).encode(x=x, color=color))
    if any(each.joined for each in every):
        layers.append(layer("mark").mark_line().encode(x=x, y=y, color=color, strokeDash=dash))
    if any(mark.low is not None for each in every for mark in each.marks):
        ends = (
            {"x": _channel(alt.X, "low", figure.x), "x2": "high:Q", "y": y}
            if figure.y.names
            else {"x": x, "y": _channel(alt.Y, "low", figure.y), "y2": "high:Q"}
        )
        bars = layer("mark").mark_rule(strokeWidth=1.5, opacity=0.6)
        layers.append(bars.encode(color=color, **ends, **offset))
    crowded = max(panel.crowded for panel in figure.panels)
    points = layer("mark").mark_point(filled=True, size=SIZES[crowded], opacity=0.6 if crowded else 1)
    layers.append(points.encode(x=x, y=y, color=color, shape=shape, tooltip=["series:N", "said:N"], **offset))
    notes = [*figure.notes, NOTHING] if figure.is_empty else figure.notes
    title = alt.TitleParams(figure.title, subtitle=[line for note in notes for line in wrap(note, LINE)])
    drawn = alt.layer(*layers, data=data)
    if len(figure.panels) > 1:
        facet = alt.Facet("panel:N", title=None, sort=[panel.name for panel in figure.panels])
        return (
            drawn.properties(**AMONG_OTHERS)
            .facet(facet=facet, columns=3 if len(figure.panels) == 3 else 2)
            .properties(title=title)
        )
    size = ALONE if not figure.y.names else {**ALONE, "height": len(figure.y.names) * (ROW * len(every) + BETWEEN)}
    return drawn.properties(**size, title=title)


def _rows(figure: Figure, panel: Panel) -> Iterator[dict[str, object]]:
    names = figure.y.names
    for level in figure.levels:
        yield {"kind": "level", "panel": panel.name, "low": level.low, "high": level.high}
    for series in panel.drawn:
        common = {"series": series.name, "panel": panel.name}
        for mark in series.marks:
            place = {"x": mark.x, "y": names[int(mark.y)] if names else mark.y, "low": mark.low, "high": mark.high}
            yield {"kind": "mark", **common, **place, "said": mark.said}
        for x, y in series.curve:
            yield {"kind": "curve", **common, "x": x, "y": y}
        if series.at is not None:
            yield {"kind": "line", **common, "x": series.at}


def _channel(kind: Any, field: str, scale: Scale) -> Any:
    alt = require_altair()
    if scale.names:
        axis = alt.Axis(labelLimit=300, domain=False, ticks=False)
        return kind(f"{field}:N", title=scale.title or None, sort=list(scale.names), axis=axis)
    fixed = {name: end for name, end in (("domainMin", scale.low), ("domainMax", scale.high)) if end is not None}
    room = {} if "domainMin" in fixed else {"padding": 8}
    made = alt.Scale(type="log" if scale.log else "linear", nice=False, zero=False, **fixed, **room)
    return kind(f"{field}:Q", title=scale.title, scale=made, axis=alt.Axis(**AXES[scale.form]))


def _looks(figure: Figure) -> tuple[Any, Any, Any]:
    """Return the encodings that tell series apart by colour, by the shape of points and by dashes of lines."""
    alt = require_altair()
    names, looks = list(figure.kinds), list(figure.kinds.values())
    legend = alt.Legend(title=figure.legend or None, titleLimit=300, labelLimit=300) if len(names) > 1 else None

    def coded(channel: Any, values: Sequence[object]) -> Any:
        return channel("series:N", sort=names, scale=alt.Scale(domain=names, range=list(values)), legend=legend)

    return (
        coded(alt.Color, [look.colour for look in looks]),
        coded(alt.Shape, [look.shape for look in looks]),
        coded(alt.StrokeDash, [list(look.dashes) or [1, 0] for look in looks]),
    )
