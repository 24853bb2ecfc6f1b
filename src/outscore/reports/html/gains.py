"""Gain against confidence, for all pairs (BK12, Figure 2)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from outscore.numbers import format_exactly
from outscore.reports.html.drawing import Axis, across, label, line, picture, spanning
from outscore.reports.html.elements import Content, Element, tag
from outscore.reports.html.heatmap import correction_switch
from outscore.reports.html.page import boxed
from outscore.reports.html.plot import SHAPES
from outscore.results import Correction, RankedPair, Ranking

__all__ = ["gains_figure"]

WIDTH, LEFT, TOP, BOTTOM = 760.0, 58.0, 16.0, 350.0
KINDS = {
    True: ("same", "same family"),
    False: ("different", "different families"),
    None: ("unknown", "family not known"),
}
TRIANGLE = "M0-4.4L4.2 3.4-4.2 3.4Z"


def gains_figure(ranking: Ranking, prefix: str) -> Content:
    """Return the drawing, of uncorrected p-values as in BK12; a script moves its points for other ones."""
    gains = [pair.gain for pair in ranking.pairs if math.isfinite(pair.gain)]
    across_axis = spanning([0.0, *gains], LEFT, WIDTH - 14)
    if across_axis is None or not gains:
        return tag("p", "The gains are not finite, and are not drawn.", class_="note")
    up = Axis(0.0, 1.0, BOTTOM, TOP)
    percentage = ranking.metric.as_percentage
    threshold = up.at(1 - ranking.alpha)
    # Pairs of one family are the fewer ones, and lie on top.
    order = sorted(range(len(ranking.pairs)), key=lambda k: ranking.pairs[k].same_family is True)
    points = [_point(k, ranking.pairs[k], across_axis, up) for k in order if math.isfinite(ranking.pairs[k].gain)]
    said = "Gain against 1 − p of all pairs. The table of all pairs holds the same numbers."
    drawing = picture(
        WIDTH,
        BOTTOM + 48,
        said,
        across(across_axis, TOP, BOTTOM, across_axis.ticks(64, percentage=percentage, signed=True)),
        [_level(value, text, up) for value, text in up.ticks(50)],
        line(LEFT, threshold, WIDTH - 14, threshold, "threshold"),
        label(WIDTH - 16, threshold + 15, f"1 − α = {format_exactly(1 - ranking.alpha)}", "tick", anchor="end"),
        tag("g", points, class_="points", data_bottom=BOTTOM, data_top=TOP),
        label(
            (LEFT + WIDTH) / 2,
            BOTTOM + 40,
            f"gain in {ranking.metric.title}{', points' if percentage else ''}",
            "title",
        ),
        tag(
            "text",
            "1 − p",
            class_="title",
            transform=f"translate(14 {(TOP + BOTTOM) / 2:g}) rotate(-90)",
            text_anchor="middle",
        ),
        class_="drawing",
        id_=f"{prefix}-points",
    )
    return [
        correction_switch(ranking, f"{prefix}-gains", Correction.NONE),
        _legend(ranking),
        boxed("Gain against confidence", drawing),
    ]


def _level(value: float, text: str, up: Axis) -> Iterator[Element]:
    y = up.at(value)
    yield line(LEFT, y, WIDTH - 14, y, "grid")
    yield label(LEFT - 8, y + 4, text, "tick", anchor="end")


def _point(k: int, pair: RankedPair, axis: Axis, up: Axis) -> Element:
    x, y = axis.at(pair.gain), up.at(1 - pair.p_value)
    return _shape(pair.same_family, transform=f"translate({x:.1f} {y:.1f})", data_pair=k)


def _shape(same_family: bool | None, **attributes: str | float) -> Element:
    kind = KINDS[same_family][0]
    if same_family is None:
        return tag("path", d=TRIANGLE, class_=kind, **attributes)
    return (
        tag("path", d=SHAPES["diamond"], class_=kind, **attributes)
        if same_family
        else tag("circle", r=3.4, class_=kind, **attributes)
    )


def _legend(ranking: Ranking) -> Element | None:
    held = {pair.same_family for pair in ranking.pairs}
    if held == {None}:
        return None
    return tag(
        "ul",
        [
            tag(
                "li",
                tag("svg", _shape(kind), viewBox="-6 -6 12 12", width=13, height=13, aria_hidden="true", class_="key"),
                f" {KINDS[kind][1]}",
            )
            for kind in (False, True, None)
            if kind in held
        ],
        class_="legend points",
    )
