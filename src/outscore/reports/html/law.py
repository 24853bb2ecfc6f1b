"""The bootstrap law of a gain, drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from outscore.reports import wording
from outscore.reports.html.drawing import Axis, across, label, line, picture
from outscore.reports.html.elements import Content, Element, tag
from outscore.results import Claim, Comparison, Histogram, comparison_format

__all__ = ["law_drawing", "law_figure"]

HEIGHT, TOP, BOTTOM = 300.0, 44.0, 222.0
REACH = 2.0  # widths of the law, within which marks are drawn where they lie
CHARACTER = 7.2  # about what a digit takes, in pixels


def law_figure(c: Comparison, prefix: str) -> Element:
    """Return the law of the gain with 0, the gain, its interval and margins, for wide and for narrow windows."""
    scores = comparison_format(c)
    how = "exact" if c.histogram.exact else "sampled"
    if not _has_shape(c.histogram):
        return tag("p", f"Every resample has the gain {scores.gain(c.gain)}.", class_="note")
    caption = (
        f"Bootstrap law of the gain ({how}): how the gain would vary over test sets like this one. Left of 0, hatched, "
        "the baseline is better. The outermost bars hold the tails."
    )
    return tag(
        "figure",
        tag("div", _drawing(c, 760.0, f"{prefix}-wide"), class_="wide-only"),
        tag("div", _drawing(c, 340.0, f"{prefix}-narrow"), class_="narrow-only"),
        tag("figcaption", caption),
        class_="law",
    )


def law_drawing(c: Comparison, width: float, prefix: str) -> Element:
    """Return the law alone; `prefix` begins the ids of its parts."""
    return _drawing(c, width, prefix) if _has_shape(c.histogram) else tag("p", "Every resample has the same gain.")


def _has_shape(histogram: Histogram) -> bool:
    edges = histogram.edges
    return (
        len(edges) > 2 and all(map(math.isfinite, edges)) and edges[-1] > edges[0] and max(histogram.probabilities) > 0
    )


def _marks(c: Comparison) -> Iterator[tuple[float, str, str]]:
    """Yield what is marked: its place, what is written there, and its style."""
    scores = comparison_format(c)
    if math.isfinite(c.gain):
        yield c.gain, f"δ = {scores.gain(c.gain)}", "gain"
    if c.gain != 0:
        yield 0.0, "0", "zero"
    if c.margin is not None and c.claim is not Claim.BETTER:
        yield -c.margin, f"-{scores.size(c.margin)}", "margin"
        if c.claim is Claim.EQUIVALENT:
            yield c.margin, f"+{scores.size(c.margin)}", "margin"


def _drawing(c: Comparison, width: float, prefix: str) -> Element:
    scores, histogram = comparison_format(c), c.histogram
    low, high = histogram.edges[0], histogram.edges[-1]
    marks = list(_marks(c))
    # A mark far from the law would squeeze it: then it stands at the edge, with an arrow.
    reach = REACH * (high - low)
    places = [place for place, _, _ in marks if low - reach <= place <= high + reach]
    low, high = min([low, *places]), max([high, *places])
    slack = 0.03 * (high - low)
    axis = Axis(low - slack, high + slack, 12.0, width - 12.0)
    interval = c.interval
    bounded = not math.isnan(interval.low + interval.high)
    ends = scores.interval(interval.low, interval.high)
    said = f"The gain is {scores.gain(c.gain)}, its {wording.interval_heading(c)} {ends}."
    points = ", points" if c.metric.as_percentage else ""
    return picture(
        width,
        HEIGHT,
        said,
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
        across(axis, TOP, BOTTOM, axis.ticks(56, percentage=c.metric.as_percentage, signed=True)),
        _bars(histogram, axis, prefix),
        _marked(marks, axis),
        _interval(axis, interval.low, interval.high, f"{wording.interval_heading(c)} {ends}") if bounded else None,
        label((axis.start + axis.stop) / 2, HEIGHT - 6, f"gain in {c.metric.title}{points}", "title"),
        class_="drawing",
    )


def _bars(histogram: Histogram, axis: Axis, prefix: str) -> Iterator[Element]:
    edges = histogram.edges
    bins = [(a, b, p) for a, b, p in zip(edges, edges[1:], histogram.probabilities, strict=False) if b > a and p > 0]
    highest = max(p / (b - a) for a, b, p in bins)
    for left, right, probability in bins:
        height = (BOTTOM - TOP - 8) * probability / (right - left) / highest
        # A bar that holds 0 is a loss to its left and a gain to its right.
        for a, b in ((left, min(right, 0.0)), (max(left, 0.0), right)):
            if b > a:
                loss = b <= 0
                yield tag(
                    "rect",
                    x=axis.at(a),
                    y=BOTTOM - height,
                    width=max(axis.at(b) - axis.at(a) - 0.6, 0.4),
                    height=height,
                    class_="bar loss" if loss else "bar win",
                    fill=f"url(#{prefix}-hatch)" if loss else None,
                )


def _marked(marks: Iterable[tuple[float, str, str]], axis: Axis) -> Iterator[Content]:
    """Yield marks with their labels above them, in as many lines as keep them apart."""
    taken: list[tuple[float, float, int]] = []
    for place, text, kind in marks:
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
