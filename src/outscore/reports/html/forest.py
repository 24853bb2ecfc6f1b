"""Scores of systems with their intervals and groups, drawn one below another."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from rich.cells import cell_len

from outscore.naming import printable
from outscore.reports.html.drawing import Axis, across, label, line, picture, spanning
from outscore.reports.html.elements import Content, Element, tag
from outscore.reports.html.page import boxed
from outscore.reports.names import folded
from outscore.reports.rankings.wording import LETTER, corrected, interval_heading
from outscore.results import RankedSystem, Ranking, ranking_format

__all__ = ["fits_beside", "forest_drawing", "forest_figure"]

TOP = 30.0
CHARACTER = 7.4  # about what a letter takes, in pixels
LINE = 15.0  # of text
FEW_LETTERS = 18
BESIDE = 990.0  # pixels
ROOM = 44  # characters of a name that stand on one line; longer ones are folded, and none is cut


@dataclass(frozen=True, slots=True)
class _Layout:
    """How the rows of a drawing stand, in pixels.

    Where windows are narrow, names and letters stand above their intervals, and there is no column of names.

    Attributes
    ----------
    names : float
        How wide the column of names is.
    plot : float
        Where the axis ends, from there on.
    stacked : bool
    lines : sequence of sequence of str
        The name of each system.
    letters : sequence of sequence of str
        Its groups below its name, where they do not fit to its right.
    tops : sequence of float
        Where each row begins, and where the last one ends.
    """

    names: float
    plot: float
    stacked: bool
    lines: Sequence[Sequence[str]]
    letters: Sequence[Sequence[str]]
    tops: Sequence[float]

    def middle(self, i: int) -> float:
        """Return where the interval of row i is drawn."""
        return self.tops[i + 1] - 9 if self.stacked else (self.tops[i] + self.tops[i + 1]) / 2


def _wide(systems: Sequence[RankedSystem]) -> _Layout:
    lines = [folded(printable(system.name), ROOM).split("\n") for system in systems]
    names = 12 + CHARACTER * max(cell_len(line) for each in lines for line in each)
    return _Layout(names, 430.0, False, lines, [()] * len(lines), _tops(map(len, lines), 6.0))


def _narrow(systems: Sequence[RankedSystem]) -> _Layout:
    room = round(290 / CHARACTER)
    lines = [folded(printable(system.name), room).split("\n") for system in systems]
    letters = [
        [] if cell_len(name[-1]) + len(system.group) < room else textwrap.wrap(system.group, room)
        for name, system in zip(lines, systems, strict=True)
    ]
    heights = (len(name) + len(below) for name, below in zip(lines, letters, strict=True))
    return _Layout(0.0, 310.0, True, lines, letters, _tops(heights, 21.0))


def _tops(heights: Iterable[int], more: float) -> list[float]:
    """Return where rows of so many lines each begin, and where the last one ends."""
    return list(accumulate((LINE * height + more for height in heights), initial=TOP))


def forest_figure(ranking: Ranking) -> Content:
    """Return the forest plot, for wide and for narrow windows."""
    caption = (
        f"Scores with their {interval_heading(ranking)}s, best first. Filled: not told apart from the best "
        f"{corrected(ranking.correction)}; hollow: significantly worse. Intervals of two scores may overlap although "
        "the two systems differ: tests compare them item by item, intervals do not."
    )
    groups = " Each bar at the right is a group: systems on the same bar do not differ significantly."
    letters = " Letters at the right are groups: systems that share one do not differ significantly."
    if len({system.cluster for system in ranking.systems}) > 1:
        caption += (
            " Dashed lines part clusters: every system above one is significantly better than every system below it. "
            "Within a cluster systems may differ, too."
        )
    wide, narrow = (_drawing(ranking, layout(ranking.systems)) for layout in (_wide, _narrow))
    if wide is None or narrow is None:
        return tag("p", "The scores are not finite, and are not drawn.", class_="note")
    return tag(
        "figure",
        tag("div", boxed("Scores and intervals", wide), class_="wide-only"),
        tag("div", narrow, class_="narrow-only"),
        tag("figcaption", caption, tag("span", groups, class_="wide-only"), tag("span", letters, class_="narrow-only")),
        class_="forest",
    )


def forest_drawing(ranking: Ranking) -> Element | None:
    """Return the plot for wide windows alone; None where scores are not finite."""
    return _drawing(ranking, _wide(ranking.systems))


def fits_beside(ranking: Ranking) -> bool:
    """Return whether the plot leaves room for another drawing beside it where windows are broad."""
    return _width(_wide(ranking.systems), _groups(ranking.systems)) <= BESIDE


def _width(layout: _Layout, groups: Sequence[object]) -> float:
    if layout.stacked:
        return layout.names + layout.plot + 8
    return layout.names + layout.plot + 74 + _pitch(groups) * len(groups) + 6


def _pitch(groups: Sequence[object]) -> float:
    return 16.0 if len(groups) <= FEW_LETTERS else 9.0


def _drawing(ranking: Ranking, layout: _Layout) -> Element | None:
    systems, scores = ranking.systems, ranking_format(ranking)
    ends = [end for system in systems for end in (system.score, system.interval.low, system.interval.high)]
    axis = spanning(ends, layout.names + 6, layout.names + layout.plot)
    if axis is None:
        return None
    bottom = layout.tops[-1] + 4
    groups = [] if layout.stacked else _groups(systems)
    pitch = _pitch(groups)
    first = axis.stop + 74
    width = _width(layout, groups)
    best = systems[0]
    said = f"{printable(best.name)} scores best, {scores.score(best.score)}."
    unit = " (%)" if ranking.metric.as_percentage else ""
    return picture(
        width,
        bottom + 44,
        said,
        across(axis, TOP - 6, bottom, axis.ticks(64, percentage=ranking.metric.as_percentage)),
        [_row(i, system, axis, layout, scores.score(system.score)) for i, system in enumerate(systems)],
        _boundaries(systems, layout, width),
        label(axis.stop + 34, TOP - 14, "score", "tick") if not layout.stacked else None,
        [_group(name, members, layout, first + pitch * k, len(groups)) for k, (name, members) in enumerate(groups)],
        label((axis.start + axis.stop) / 2, bottom + 36, f"{ranking.metric.title}{unit}", "title"),
        class_="drawing",
    )


def _row(i: int, system: RankedSystem, axis: Axis, layout: _Layout, score: str) -> Iterator[Content]:
    y, name, lines, letters = layout.middle(i), printable(system.name), layout.lines[i], layout.letters[i]
    kind = "best" if system.among_best else ""
    texts = [*((text, kind) for text in lines), *((text, "tick") for text in letters)]
    if layout.stacked:
        first, x, anchor = y - 10 - LINE * (len(texts) - 1), 2.0, "start"
        yield label(axis.stop + 6, y - 10, system.group, "tick", anchor="end") if not letters else None
    else:
        first, x, anchor = y + 4 - LINE * (len(texts) - 1) / 2, layout.names - 4, "end"
    yield [label(x, first + LINE * k, text, style, anchor=anchor) for k, (text, style) in enumerate(texts)]
    if not math.isfinite(system.score):
        return
    where = f"{name}: {score}"
    low, high = system.interval.low, system.interval.high
    if math.isfinite(low) and math.isfinite(high):
        yield line(axis.at(low), y, axis.at(high), y, "range")
    dot = "point" if system.among_best else "point hollow"
    yield tag("circle", tag("title", where), cx=axis.at(system.score), cy=y, r=4.5, class_=dot)
    if not layout.stacked:
        yield label(axis.stop + 54, y + 4, score, anchor="end")


def _boundaries(systems: Sequence[RankedSystem], layout: _Layout, right: float) -> Iterator[Element]:
    for i in range(1, len(systems)):
        if systems[i].cluster != systems[i - 1].cluster:
            y = layout.tops[i]
            yield line(0.0, y, right, y, "boundary")


def _groups(systems: Sequence[RankedSystem]) -> list[tuple[str, list[int]]]:
    """Return the letters with the places of their systems, in the order of the first of them."""
    members: dict[str, list[int]] = {}
    for i, system in enumerate(systems):
        for letter in LETTER.findall(system.group):
            members.setdefault(letter, []).append(i)
    return list(members.items())


def _group(name: str, members: Sequence[int], layout: _Layout, x: float, count: int) -> Iterator[Content]:
    top, bottom = layout.middle(members[0]), layout.middle(members[-1])
    yield line(x, top - 6, x, bottom + 6, "group")
    yield [tag("circle", cx=x, cy=layout.middle(i), r=2.8, class_="group") for i in members]
    if count <= FEW_LETTERS:
        yield label(x, top - 10, name, "letter")
