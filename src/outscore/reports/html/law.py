"""A law with its flags and an interval, drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from outscore.reports.figures import Bars, Figure, Flag
from outscore.reports.html.drawing import Axis, across, label, line, picture
from outscore.reports.html.elements import Content, Element, tag

__all__ = ["law_drawing", "law_figure"]

HEIGHT, TOP, BOTTOM = 300.0, 44.0, 222.0
REACH = 2.0  # widths of the law, within which flags are drawn where they lie
CHARACTER = 7.2  # about what a digit takes, in pixels


def law_figure(figure: Figure, caption: str, prefix: str) -> Element:
    """Return a law for wide and for narrow windows, with its caption."""
    if figure.bars is None or not figure.bars.has_shape:
        return law_drawing(figure, 760.0, prefix)
    return tag(
        "figure",
        tag("div", law_drawing(figure, 760.0, f"{prefix}-wide"), class_="wide-only"),
        tag("div", law_drawing(figure, 340.0, f"{prefix}-narrow"), class_="narrow-only"),
        tag("figcaption", caption),
        class_="law",
    )


def law_drawing(figure: Figure, width: float, prefix: str) -> Element:
    """Return the law alone; `prefix` begins the ids of its parts."""
    law = figure.bars
    if law is None or not law.has_shape:
        return tag("p", f"{figure.nothing[:1].upper()}{figure.nothing[1:]}.", class_="note")
    low, high = law.edges[0], law.edges[-1]
    flags = sorted(figure.flags, key=lambda flag: flag.kind != "gain")  # its label stands highest
    # A flag far from the law would squeeze it: then it stands at the edge, with an arrow.
    reach = REACH * (high - low)
    places = [flag.at for flag in flags if low - reach <= flag.at <= high + reach]
    low, high = min([low, *places]), max([high, *places])
    slack = 0.03 * (high - low)
    axis = Axis(low - slack, high + slack, 12.0, width - 12.0)
    span = figure.span
    bounded = span is not None and not math.isnan(span.low + span.high)
    gains = [flag.said for flag in flags if flag.kind == "gain"]
    return picture(
        width,
        HEIGHT,
        "; ".join([*gains, *figure.notes]),
        tag(
            "pattern",
            tag("rect", width=6, height=6, class_="loss"),
            line(0, 0, 0, 6, "hatch"),
            id=f"{prefix}-hatch",
            width=6,
            height=6,
            patternUnits="userSpaceOnUse",
            patternTransform="rotate(45)",
        ),
        across(axis, TOP, BOTTOM, axis.ticks(56, signed=True)),
        _bars(law, axis, prefix),
        _flagged(flags, axis),
        _interval(axis, span.low, span.high, span.said) if span is not None and bounded else None,
        label((axis.start + axis.stop) / 2, HEIGHT - 6, figure.x.title, "title"),
        class_="drawing",
    )


def _bars(law: Bars, axis: Axis, prefix: str) -> Iterator[Element]:
    parts = [part for part in law.parts if part[2] > 0]
    highest = max(density for _, _, density in parts)
    for a, b, density in parts:
        height, loss = (BOTTOM - TOP - 8) * density / highest, b <= 0
        yield tag(
            "rect",
            x=axis.at(a),
            y=BOTTOM - height,
            width=max(axis.at(b) - axis.at(a) - 0.6, 0.4),
            height=height,
            class_="bar loss" if loss else "bar win",
            fill=f"url(#{prefix}-hatch)" if loss else None,
        )


def _flagged(flags: Iterable[Flag], axis: Axis) -> Iterator[Content]:
    """Yield flags with their labels above them, in as many lines as keep them apart."""
    taken: list[tuple[float, float, int]] = []
    for flag in flags:
        place, text, kind = flag.at, flag.said, flag.kind
        if not axis.holds(place):
            text, kind = (f"◂ {text}" if place < axis.low else f"{text} ▸"), f"{kind} beyond"
        x, half = axis.at(place), CHARACTER * len(text) / 2 + 6
        centre = min(max(x, axis.start + half - 10), axis.stop - half + 10)
        used = {row for a, b, row in taken if a < centre + half and centre - half < b}
        row = next(row for row in range(5) if row not in used)
        taken.append((centre - half, centre + half, row))
        if axis.holds(place):
            yield line(x, 20.0 + 16 * row, x, BOTTOM, f"mark {kind}")
        yield label(centre, 14.0 + 16 * row, text, f"mark-label {kind}")


def _interval(axis: Axis, low: float, high: float, text: str) -> Content:
    y, left, right = BOTTOM + 34, axis.at(low), axis.at(high)
    half = CHARACTER * len(text) / 2
    centre = min(max((left + right) / 2, axis.start + half), axis.stop - half)
    caps = [line(x, y - 5, x, y + 5, "interval") for x, end in ((left, low), (right, high)) if axis.holds(end)]
    return [line(left, y, right, y, "interval"), *caps, label(centre, y + 19, text, "tick")]
