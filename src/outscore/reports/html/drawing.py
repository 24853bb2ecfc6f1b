"""Drawings of HTML reports, each with a description in words: panels with a legend, and distributions of gains."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from outscore.reports.figures import Bars, Figure, Flag, Form, Look, Mark, Panel, Scale, Series
from outscore.reports.html.elements import Content, Element, tag
from outscore.reports.html.page import boxed
from outscore.text.numbers import ScoreFormat, format_count, format_exactly

_FINE = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
WIDTH, HEIGHT = 540.0, 330.0  # two fit side by side in a window of 1,200 pixels
NARROW, LOW = 340.0, 220.0  # of one panel among several; so wide it is shrunk but little on phones (360 pixels)
ROW = 22.0  # height of a series in a named row
LEFT, RIGHT, TOP, BELOW = 62.0, 26.0, 14.0, 52.0
LETTER_WIDTH = 7.4  # about that of a letter of a name, in pixels
LONGEST = 30  # letters of a row's name
CLOUD_SCALE = 0.65  # of marks that are so many that they hide one another
SHAPES = {
    "circle": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z",
    "diamond": "M0-5.2L5.2 0 0 5.2-5.2 0Z",
    "square": "M-3.7-3.7H3.7V3.7H-3.7Z",
    "triangle-up": "M0-5L4.8 3.6-4.8 3.6Z",
    "triangle-down": "M0 5L4.8-3.6-4.8-3.6Z",
    "triangle-right": "M5 0L-3.6 4.8-3.6-4.8Z",
    "triangle-left": "M-5 0L3.6 4.8 3.6-4.8Z",
    "cross": "M-1.4-4.4H1.4V-1.4H4.4V1.4H1.4V4.4H-1.4V1.4H-4.4V-1.4H-1.4Z",
}

# Of a law.
LAW_HEIGHT, LAW_TOP, BOTTOM = 300.0, 44.0, 222.0
REACH = 2.0  # widths of the law, within which flags are drawn where they lie
DIGIT_WIDTH = 7.2  # about that of a digit, in pixels


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale from data to pixels."""

    # In the unit of the data, low < high.
    low: float
    high: float
    # Where they lie, in pixels.
    start: float
    stop: float
    log: bool = False  # whether equal ratios are equally long; low is positive then

    def at(self, value: float) -> float:
        """Return where a value lies; what is beyond an end lies at that end."""
        inside = min(max(value, self.low), self.high)
        if self.log:
            share = math.log(inside / self.low) / math.log(self.high / self.low)
        else:
            share = (inside - self.low) / (self.high - self.low)
        return self.start + share * (self.stop - self.start)

    def holds(self, value: float) -> bool:
        """Return whether a value lies on the axis."""
        return self.low <= value <= self.high

    def ticks(self, spacing: float, *, percentage: bool = False, signed: bool = False) -> list[tuple[float, str]]:
        """Return round values at least `spacing` pixels apart, 1, 2 or 5 times a power of ten, with their labels.

        Labels show 100 times the value if `percentage`, and a sign, as gains do, if `signed`.
        """
        scale = 100 if percentage else 1
        width = (self.high - self.low) * scale
        least = width * spacing / abs(self.stop - self.start)
        power = 10.0 ** math.floor(math.log10(least))
        step = next(size for size in (power, 2 * power, 5 * power, 10 * power) if size >= least * (1 - 1e-9))
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        form = ScoreFormat(decimals)
        write = form.gain if signed else form.score
        first = math.ceil(self.low * scale / step - 1e-9)
        last = math.floor(self.high * scale / step + 1e-9)
        return [(i * step / scale, write(i * step)) for i in range(first, last + 1)]

    def decades(self, spacing: float) -> list[float]:
        """Return round values of a logarithmic scale: as many of each decade as there is room for."""
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        decade = abs(self.stop - self.start) / math.log10(self.high / self.low)
        for digits in (_FINE, (1, 2, 3, 5), (1, 2, 5), (1, 3), (1,)):
            least = min(math.log10(b / a) for a, b in pairwise((*digits, 10))) * decade
            if least >= spacing or digits == (1,):
                rounds = [digit * 10.0**power for power in powers for digit in digits]
                return [value for value in rounds if self.low * (1 - 1e-9) <= value <= self.high * (1 + 1e-9)]
        return []


def spanning(values: Iterable[float], start: float, stop: float, *, margin: float = 0.04) -> Axis | None:
    """Return an axis that holds all finite values, with a margin at both ends; None without finite values.

    If all values are equal, the axis is as long as they are large.
    """
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return None
    low, high = min(finite), max(finite)
    width = (high - low) or abs(high) or 1.0
    if high - low <= 1e-12 * abs(high):
        width = 2 * width
    return Axis(low - margin * width, high + margin * width, start, stop)


def picture(
    width: float, height: float, label: str, *contents: Content, class_: str = "", id_: str | None = None
) -> Element:
    """Return a drawing of that size in pixels; `said` is its description."""
    return tag(
        "svg",
        tag("title", label),
        *contents,
        viewBox=f"0 0 {width:g} {height:g}",
        width=width,
        height=height,
        role="img",
        class_=class_ or None,
        id=id_,
    )


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Element:
    """Return a straight line."""
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def label(x: float, y: float, text: str, class_: str = "", *, anchor: str = "middle") -> Element:
    """Return text set at a point."""
    side = {"start": None}.get(anchor, anchor)
    return tag("text", text, x=x, y=y, class_=class_ or None, text_anchor=side)


def across(axis: Axis, top: float, bottom: float, ticks: Iterable[tuple[float, str]]) -> Iterable[Element]:
    """Return a horizontal axis below `bottom` with grid lines up to `top`."""
    for value, text in ticks:
        x = axis.at(value)
        yield line(x, top, x, bottom, "grid")
        yield label(x, bottom + 16, text, "tick")
    yield line(axis.start, bottom, axis.stop, bottom, "axis")


def figure_drawing(figure: Figure, identifier: str) -> Content:
    """Return a figure: its notes, a legend, and a drawing for each panel."""
    panels = [panel for panel in figure.panels if any(s.marks or s.curve for s in panel.series)]
    values = [_values(figure, panel) for panel in panels]
    x = _scaled(figure.x, [x for xs, _ in values for x in xs])
    y = _scaled(figure.y, [y for _, ys in values for y in ys])
    if figure.is_empty or not panels or x is None or y is None:
        return tag("p", _sentence(figure.nothing), class_="note")
    drawings = [
        _drawing(figure, panel, x, y, f"{identifier}-{k}" if k else identifier) for k, panel in enumerate(panels)
    ]
    return [
        _legend(figure),
        tag("div", drawings, class_=f"panels of-{len(panels)}" if len(panels) > 1 else None),
        [tag("p", _sentence(note), class_="note") for note in figure.notes],
    ]


def _sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:].rstrip('.')}."


def _values(figure: Figure, panel: Panel) -> tuple[list[float], list[float]]:
    """Return all numbers that lie on the two axes."""
    xs: list[float] = []
    ys: list[float] = []
    for series in panel.series:
        for mark in series.marks:
            xs.append(mark.x)
            ys.append(mark.y)
            (xs if figure.y.names else ys).extend(end for end in (mark.low, mark.high) if end is not None)
        xs.extend(x for x, _ in series.curve)
        ys.extend(y for _, y in series.curve)
        xs += [] if series.at is None else [series.at]
    ys.extend(end for level in figure.levels for end in (level.low, level.high))
    return xs, ys


def _scaled(scale: Scale, values: list[float]) -> Axis | None:
    """Return an axis of length 1 that holds all values, and ends where the scale says."""
    if scale.names:
        return Axis(-0.5, len(scale.names) - 0.5, 0, 1)
    shown = [value for value in values if math.isfinite(value) and (value > 0 or not scale.log)]
    shown += [end for end in (scale.low, scale.high) if end is not None]
    if scale.log:
        axis = spanning(map(math.log, shown), 0, 1)
        axis = None if axis is None else Axis(math.exp(axis.low), math.exp(axis.high), 0, 1, log=True)
    else:
        axis = spanning(shown, 0, 1)
    if axis is None:
        return None
    low = axis.low if scale.low is None else scale.low
    return replace(axis, low=low, high=axis.high if scale.high is None else scale.high)


def _drawing(figure: Figure, panel: Panel, x: Axis, y: Axis, identifier: str) -> Element:
    among = len(figure.panels) > 1
    width, height = (NARROW, LOW) if among else (WIDTH, HEIGHT)
    left = LEFT
    if figure.y.names:
        left = 20 + LETTER_WIDTH * min(max(map(len, figure.y.names)), LONGEST)
        height = TOP + len(figure.y.names) * (ROW * (len(panel.series) if panel.stacked else 1) + 10)
    across_axis, up = replace(x, start=left, stop=width - RIGHT), replace(y, start=height, stop=TOP)
    if figure.y.names:
        up = replace(y, start=TOP, stop=height)
    frame = _Frame(figure, panel, across_axis, up)
    description = f"{figure.title}{': ' if panel.name else ''}{panel.name}. The tables hold the same numbers."
    drawing = picture(width, height + BELOW, description, *frame.contents(), class_="drawing plot", id_=identifier)
    # Scripts that know what is drawn move marks between bottom and top.
    heights = (("data-bottom", up.start), ("data-top", up.stop))
    drawing = replace(drawing, attributes=(*drawing.attributes, *heights))
    heading = tag("h4", panel.name) if panel.name else None
    return tag("div", heading, boxed(description, drawing), class_="panel")


@dataclass(frozen=True)
class _Frame:
    """A panel with its axes in pixels."""

    figure: Figure
    panel: Panel
    across: Axis
    up: Axis

    def contents(self) -> Iterator[Content]:
        figure, across_axis, up = self.figure, self.across, self.up
        top, bottom = min(up.start, up.stop), max(up.start, up.stop)
        for level in figure.levels:
            if level.low < level.high:
                yield self._band(level.low, level.high, level.said)
        yield across(across_axis, top, bottom, _ticks(across_axis, figure.x, 64))
        yield [self._row(value, text) for value, text in _ticks(up, figure.y, 38)]
        for level in figure.levels:
            if level.low == level.high:
                at = up.at(level.low)
                yield line(across_axis.start, at, across_axis.stop, at, "level")
                if not any(level.said in note for note in figure.notes):
                    yield label(across_axis.stop - 2, at + 15, level.said, "tick", anchor="end")
        yield label((across_axis.start + across_axis.stop) / 2, bottom + 40, figure.x.title, "title")
        if figure.y.title and not figure.y.names:
            transform = f"translate(14 {(top + bottom) / 2:g}) rotate(-90)"
            yield tag("text", figure.y.title, class_="title", transform=transform, text_anchor="middle")
        places = {id(series): k for k, series in enumerate(self.panel.series)}
        for series in self.panel.drawn:
            yield tag("g", self._series(series, places[id(series)]), class_=f"series look-{series.look.name}")

    def _band(self, low: float, high: float, label: str) -> Element:
        a, b = sorted((self.up.at(low), self.up.at(high)))
        width = self.across.stop - self.across.start
        return tag("rect", tag("title", label), x=self.across.start, y=a, width=width, height=b - a, class_="band")

    def _row(self, value: float, text: str) -> Iterator[Element]:
        y = self.up.at(value)
        yield line(self.across.start, y, self.across.stop, y, "grid")
        if len(text) > LONGEST and self.figure.y.names:
            shown = f"{text[: LONGEST - 1]}…"
            yield tag(
                "text", shown, tag("title", text), x=self.across.start - 8, y=y + 4, class_="tick", text_anchor="end"
            )
        else:
            yield label(self.across.start - 8, y + 4, text, "tick", anchor="end")

    def _series(self, series: Series, k: int) -> Iterator[Content]:
        if series.curve:
            yield _path(((self.across.at(x), self.up.at(y)) for x, y in series.curve), "curve", (5, 3))
        if series.at is not None:
            at, top, bottom = self.across.at(series.at), self.up.start, self.up.stop
            label = f"{series.name}: {format_exactly(float(f'{series.at:.4g}'))}"
            yield tag("line", tag("title", label), x1=at, y1=top, x2=at, y2=bottom, class_="at")
        places = [(mark, *self._place(mark, k)) for mark in series.marks]
        if series.joined:
            yield _path(((x, y) for _, x, y in places), "joined", series.look.dashes)
        yield [self._interval(mark, x, y) for mark, x, y in places if mark.low is not None and mark.high is not None]
        crowded = self.panel.crowded
        smaller = f" scale({CLOUD_SCALE:g})" if crowded > 1 else ""
        yield [
            tag(
                "path",
                tag("title", mark.said) if mark.place is None else None,
                d=SHAPES[series.look.shape],
                transform=f"translate({x:.1f} {y:.1f}){smaller}",
                class_="mark-point many" if crowded else "mark-point",
                data_pair=mark.place,
            )
            for mark, x, y in places
        ]

    def _place(self, mark: Mark, k: int) -> tuple[float, float]:
        """Return where a mark lies; the series of a named row lie one below the other."""
        shift = ROW * (k - (len(self.panel.series) - 1) / 2) if self.figure.y.names and self.panel.stacked else 0.0
        return self.across.at(mark.x), self.up.at(mark.y) + shift

    def _interval(self, mark: Mark, x: float, y: float) -> Element:
        assert mark.low is not None
        assert mark.high is not None
        if self.figure.y.names:
            return line(self.across.at(mark.low), y, self.across.at(mark.high), y, "range-of")
        return line(x, self.up.at(mark.low), x, self.up.at(mark.high), "range-of")


def _path(places: Iterable[tuple[float, float]], class_: str, dashes: tuple[int, ...]) -> Element:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return tag("polyline", points=points, class_=class_, stroke_dasharray=" ".join(map(str, dashes)) or None)


def _ticks(axis: Axis, scale: Scale, spacing: float) -> list[tuple[float, str]]:
    if scale.names:
        return [(float(row), name) for row, name in enumerate(scale.names)]
    if axis.log:
        return [(value, _written(value, scale.form)) for value in axis.decades(spacing if spacing < 50 else 44)]
    if scale.form is Form.SHARE:
        return [(value, f"{text}%") for value, text in axis.ticks(spacing, percentage=True)]
    return axis.ticks(spacing, signed=scale.form is Form.GAIN)


def _written(value: float, form: Form) -> str:
    match form:
        case Form.COUNT:
            return format_count(round(value))
        case Form.SHARE:
            return f"{format_exactly(round(100 * value, 9))}%"
        case Form.NUMBER | Form.GAIN:
            return f"{value:.6g}"


def _legend(figure: Figure) -> Element | None:
    kinds = figure.kinds
    if len(kinds) < 2:
        return None
    items = [tag("li", _key(figure, name, look), f" {name}") for name, look in kinds.items()]
    return tag(
        "ul", tag("li", f"{figure.legend}:", class_="of") if figure.legend else None, items, class_="legend plot"
    )


def _key(figure: Figure, name: str, look: Look) -> Element:
    """Return the sign of a series: its point, its line, or both."""
    series_named = [series for panel in figure.panels for series in panel.series if series.name == name]
    joined, marks = any(series.joined for series in series_named), any(series.marks for series in series_named)
    contents: list[Content] = []
    if joined or not marks:
        dashes = look.dashes if joined else (5, 3)
        contents.append(_path([(-13, 0), (13, 0)], "joined", dashes))
    if marks:
        contents.append(tag("path", d=SHAPES[look.shape], class_="mark-point"))
    wide = 28 if joined or not marks else 13
    box = f"{-wide / 2:g} -7 {wide} 14"
    return tag(
        "svg", contents, viewBox=box, width=wide, height=14, aria_hidden="true", class_=f"key series look-{look.name}"
    )


def law_figure(figure: Figure, caption: str, prefix: str) -> Element:
    """Return a distribution for wide and for narrow windows, with its caption."""
    if figure.bars is None or not figure.bars.has_shape:
        return law_drawing(figure, WIDTH, prefix)
    return tag(
        "figure",
        tag("div", law_drawing(figure, WIDTH, f"{prefix}-wide"), class_="wide-only"),
        tag("div", law_drawing(figure, NARROW, f"{prefix}-narrow"), class_="narrow-only"),
        tag("figcaption", caption),
        class_="law",
    )


def law_drawing(figure: Figure, width: float, prefix: str) -> Element:
    """Return a distribution without a caption; `prefix` begins the ids of its parts."""
    law = figure.bars
    if law is None or not law.has_shape:
        return tag("p", f"{figure.nothing[:1].upper()}{figure.nothing[1:]}.", class_="note")
    low, high = law.edges[0], law.edges[-1]
    flags = sorted(figure.flags, key=lambda flag: flag.kind != "gain")  # its label is highest
    # A flag far from the distribution would squeeze it, so it is put at the edge, with an arrow.
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
        LAW_HEIGHT,
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
        across(axis, LAW_TOP, BOTTOM, axis.ticks(56, signed=True)),
        _bars(law, axis, prefix),
        _flagged(flags, axis),
        _interval(axis, span.low, span.high, span.said) if span is not None and bounded else None,
        label((axis.start + axis.stop) / 2, LAW_HEIGHT - 6, figure.x.title, "title"),
        class_="drawing",
    )


def _bars(law: Bars, axis: Axis, prefix: str) -> Iterator[Element]:
    parts = [part for part in law.parts if part[2] > 0]
    highest = max(density for _, _, density in parts)
    for a, b, density in parts:
        height, loss = (BOTTOM - LAW_TOP - 8) * density / highest, b <= 0
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
        position, text, kind = flag.at, flag.said, flag.kind
        if not axis.holds(position):
            text, kind = (f"◂ {text}" if position < axis.low else f"{text} ▸"), f"{kind} beyond"
        x, half = axis.at(position), DIGIT_WIDTH * len(text) / 2 + 6
        centre = min(max(x, axis.start + half - 10), axis.stop - half + 10)
        used = {row for a, b, row in taken if a < centre + half and centre - half < b}
        row = next(row for row in range(5) if row not in used)
        taken.append((centre - half, centre + half, row))
        if axis.holds(position):
            yield line(x, 20.0 + 16 * row, x, BOTTOM, f"mark {kind}")
        yield label(centre, 14.0 + 16 * row, text, f"mark-label {kind}")


def _interval(axis: Axis, low: float, high: float, text: str) -> Content:
    y, left, right = BOTTOM + 34, axis.at(low), axis.at(high)
    half = DIGIT_WIDTH * len(text) / 2
    centre = min(max((left + right) / 2, axis.start + half), axis.stop - half)
    caps = [line(x, y - 5, x, y + 5, "interval") for x, end in ((left, low), (right, high)) if axis.holds(end)]
    return [line(left, y, right, y, "interval"), *caps, label(centre, y + 19, text, "tick")]
