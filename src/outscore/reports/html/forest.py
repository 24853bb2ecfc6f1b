"""Marks with their intervals and groups, drawn one below another: a row each."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from rich.cells import cell_len

from outscore.reports.figures import LETTER, Figure, Mark
from outscore.reports.html.drawing import LETTER_WIDTH, Axis, across, label, line, picture, spanning
from outscore.reports.html.elements import Content, Element, tag
from outscore.reports.html.page import boxed
from outscore.reports.names import broken

TOP = 30.0
LINE = 15.0  # of text
FEW_LETTERS = 18
ROOM = 44  # characters of a name that stand on one line; longer ones are folded, and none is cut
AXIS = 340.0  # the width of the axis, in pixels: about that of the longest names on one line
# In narrow windows, so that with the margins of the page it fits in 360 pixels, as phones have; names end before it.
NARROW_AXIS, NARROW_NAMES = 310.0, 290.0


@dataclass(frozen=True, slots=True)
class _Row:
    """A row: its name, its mark unless that is not finite, its groups."""

    name: str
    mark: Mark | None
    hollow: bool
    groups: str


def _rows(figure: Figure) -> list[_Row]:
    by_row = {int(mark.y): (mark, series.hollow) for series in figure.panels[0].series for mark in series.marks}
    rows = []
    for index, name in enumerate(figure.y.names):
        mark, hollow = by_row.get(index, (None, True))
        rows.append(_Row(name, mark, hollow, mark.aside if mark else ""))
    return rows


@dataclass(frozen=True, slots=True)
class _Layout:
    """The positions of the rows of a drawing, in pixels.

    In narrow windows names and letters are above their intervals, and there is no column of names.
    """

    names: float  # the width of the column of names
    plot: float  # the width of the axis
    stacked: bool
    lines: Sequence[Sequence[str]]  # the name of each system
    letters: Sequence[Sequence[str]]  # its groups below its name, if they do not fit to its right
    tops: Sequence[float]  # the top of each row, and the bottom of the last

    def middle(self, i: int) -> float:
        """Return where the interval of row i is drawn."""
        return self.tops[i + 1] - 9 if self.stacked else (self.tops[i] + self.tops[i + 1]) / 2


def _wide(rows: Sequence[_Row]) -> _Layout:
    lines = [broken(row.name, ROOM) for row in rows]
    names = 12 + LETTER_WIDTH * max(cell_len(line) for several in lines for line in several)
    return _Layout(names, AXIS, False, lines, [()] * len(lines), _tops(map(len, lines), 6.0))


def _narrow(rows: Sequence[_Row]) -> _Layout:
    room = round(NARROW_NAMES / LETTER_WIDTH)
    lines = [broken(row.name, room) for row in rows]
    letters = [
        [] if cell_len(name[-1]) + len(row.groups) < room else textwrap.wrap(row.groups, room)
        for name, row in zip(lines, rows, strict=True)
    ]
    heights = (len(name) + len(below) for name, below in zip(lines, letters, strict=True))
    return _Layout(0.0, NARROW_AXIS, True, lines, letters, _tops(heights, 21.0))


def _tops(heights: Iterable[int], more: float) -> list[float]:
    """Return where rows of so many lines each begin, and where the last one ends."""
    return list(accumulate((LINE * height + more for height in heights), initial=TOP))


def forest_figure(figure: Figure, caption: Sequence[str]) -> Content:
    """Return the rows for wide and for narrow windows.

    The caption has what is said below it, what is said of wide windows alone, and of narrow ones.
    """
    rows = _rows(figure)
    wide, narrow = (_drawing(figure, rows, layout(rows)) for layout in (_wide, _narrow))
    if wide is None or narrow is None:
        return tag("p", f"{figure.nothing[:1].upper()}{figure.nothing[1:]}.", class_="note")
    words, of_wide, of_narrow = caption
    return tag(
        "figure",
        tag("div", boxed(figure.title, wide), class_="wide-only"),
        tag("div", narrow, class_="narrow-only"),
        tag(
            "figcaption", words, tag("span", of_wide, class_="wide-only"), tag("span", of_narrow, class_="narrow-only")
        ),
        class_="forest",
    )


def forest_drawing(figure: Figure) -> Element | None:
    """Return the rows for wide windows alone; None where no mark is finite."""
    rows = _rows(figure)
    return _drawing(figure, rows, _wide(rows))


def _width(layout: _Layout, groups: Sequence[object]) -> float:
    if layout.stacked:
        return layout.names + layout.plot + 8
    return layout.names + layout.plot + 74 + _pitch(groups) * len(groups) + 6


def _pitch(groups: Sequence[object]) -> float:
    return 16.0 if len(groups) <= FEW_LETTERS else 9.0


def _drawing(figure: Figure, rows: Sequence[_Row], layout: _Layout) -> Element | None:
    marks = [row.mark for row in rows if row.mark is not None]
    ends = [end for mark in marks for end in (mark.x, mark.low, mark.high) if end is not None]
    axis = spanning(ends, layout.names + 6, layout.names + layout.plot)
    if axis is None:
        return None
    bottom = layout.tops[-1] + 4
    groups = [] if layout.stacked else _groups(rows)
    pitch = _pitch(groups)
    first = axis.stop + 74
    width = _width(layout, groups)
    return picture(
        width,
        bottom + 44,
        f"{marks[0].said}.",
        across(axis, TOP - 6, bottom, axis.ticks(64)),
        [_row(i, row, axis, layout) for i, row in enumerate(rows)],
        [line(0.0, layout.tops[i], width, layout.tops[i], "boundary") for i in figure.y.parted],
        label(axis.stop + 34, TOP - 14, "score", "tick") if not layout.stacked else None,
        [_group(name, members, layout, first + pitch * k, len(groups)) for k, (name, members) in enumerate(groups)],
        label((axis.start + axis.stop) / 2, bottom + 36, figure.x.title, "title"),
        class_="drawing",
    )


def _row(i: int, row: _Row, axis: Axis, layout: _Layout) -> Iterator[Content]:
    y, lines, letters, mark = layout.middle(i), layout.lines[i], layout.letters[i], row.mark
    kind = "" if row.hollow else "best"
    texts = [*((text, kind) for text in lines), *((text, "tick") for text in letters)]
    if layout.stacked:
        first, x, anchor = y - 10 - LINE * (len(texts) - 1), 2.0, "start"
        yield label(axis.stop + 6, y - 10, row.groups, "tick", anchor="end") if not letters else None
    else:
        first, x, anchor = y + 4 - LINE * (len(texts) - 1) / 2, layout.names - 4, "end"
    yield [label(x, first + LINE * k, text, style, anchor=anchor) for k, (text, style) in enumerate(texts)]
    if mark is None:
        return
    if mark.low is not None and mark.high is not None:
        yield line(axis.at(mark.low), y, axis.at(mark.high), y, "range")
    dot = "point hollow" if row.hollow else "point"
    yield tag("circle", tag("title", mark.said), cx=axis.at(mark.x), cy=y, r=4.5, class_=dot)
    if not layout.stacked:
        yield label(axis.stop + 54, y + 4, mark.number, anchor="end")


def _groups(rows: Sequence[_Row]) -> list[tuple[str, list[int]]]:
    """Return the letters with the places of their rows, in the order of the first of them."""
    members: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        for letter in LETTER.findall(row.groups):
            members.setdefault(letter, []).append(i)
    return list(members.items())


def _group(name: str, members: Sequence[int], layout: _Layout, x: float, count: int) -> Iterator[Content]:
    top, bottom = layout.middle(members[0]), layout.middle(members[-1])
    yield line(x, top - 6, x, bottom + 6, "group")
    yield [tag("circle", cx=x, cy=layout.middle(i), r=2.8, class_="group") for i in members]
    if count <= FEW_LETTERS:
        yield label(x, top - 10, name, "letter")
