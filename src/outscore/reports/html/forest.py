"""Scores of systems with their intervals and groups, drawn one below another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from outscore.naming import printable
from outscore.reports.html.drawing import Axis, across, label, line, picture, spanning
from outscore.reports.html.elements import Content, Element, tag
from outscore.reports.html.page import boxed
from outscore.reports.names import cut
from outscore.reports.rankings.wording import LETTER, corrected, interval_heading
from outscore.results import RankedSystem, Ranking, ranking_format

__all__ = ["forest_figure"]

TOP = 30.0
CHARACTER = 7.4  # about what a letter takes, in pixels
FEW_LETTERS = 18


@dataclass(frozen=True, slots=True)
class _Layout:
    """How wide the columns of a drawing are at most, and how high its rows, in pixels.

    Where windows are narrow, names and letters stand above their intervals, and there is no column of names.
    """

    names: float
    plot: float
    row: float
    stacked: bool

    def middle(self, i: int) -> float:
        """Return where the interval of row i is drawn."""
        return TOP + self.row * i + (self.row - 9 if self.stacked else self.row / 2)


WIDE = _Layout(names=210.0, plot=430.0, row=21.0, stacked=False)
NARROW = _Layout(names=0.0, plot=310.0, row=36.0, stacked=True)


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
    wide, narrow = _drawing(ranking, WIDE), _drawing(ranking, NARROW)
    if wide is None or narrow is None:
        return tag("p", "The scores are not finite, and are not drawn.", class_="note")
    return tag(
        "figure",
        tag("div", boxed("Scores and intervals", wide), class_="wide-only"),
        tag("div", narrow, class_="narrow-only"),
        tag("figcaption", caption, tag("span", groups, class_="wide-only"), tag("span", letters, class_="narrow-only")),
        class_="forest",
    )


def _drawing(ranking: Ranking, layout: _Layout) -> Element | None:
    systems, scores = ranking.systems, ranking_format(ranking)
    ends = [end for system in systems for end in (system.score, system.interval.low, system.interval.high)]
    names = min(layout.names, 12 + CHARACTER * max(cell_len(system.name) for system in systems))
    axis = spanning(ends, names + 6, names + layout.plot)
    if axis is None:
        return None
    bottom = TOP + layout.row * len(systems) + 4
    groups = [] if layout.stacked else _groups(systems)
    pitch = 16.0 if len(groups) <= FEW_LETTERS else 9.0
    first = axis.stop + 74
    width = axis.stop + 8 if layout.stacked else first + pitch * len(groups) + 6
    best = systems[0]
    said = f"{printable(best.name)} scores best, {scores.score(best.score)}."
    unit = " (%)" if ranking.metric.as_percentage else ""
    return picture(
        width,
        bottom + 44,
        said,
        across(axis, TOP - 6, bottom, axis.ticks(64, percentage=ranking.metric.as_percentage)),
        [_row(i, system, axis, names, layout, scores.score(system.score)) for i, system in enumerate(systems)],
        _boundaries(systems, layout, width),
        label(axis.stop + 34, TOP - 14, "score", "tick") if not layout.stacked else None,
        [_group(name, members, layout, first + pitch * k, len(groups)) for k, (name, members) in enumerate(groups)],
        label((axis.start + axis.stop) / 2, bottom + 36, f"{ranking.metric.spec}{unit}", "title"),
        class_="drawing",
    )


def _row(i: int, system: RankedSystem, axis: Axis, names: float, layout: _Layout, score: str) -> Iterator[Content]:
    y, name = layout.middle(i), printable(system.name)
    kind = "best" if system.among_best else ""
    if layout.stacked:
        yield label(2, y - 10, cut(name, round((axis.stop - 20) / CHARACTER) - len(system.group)), kind, anchor="start")
        yield label(axis.stop + 6, y - 10, system.group, "tick", anchor="end")
    else:
        yield label(names - 4, y + 4, cut(name, round((names - 8) / CHARACTER)), kind, anchor="end")
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
            y = TOP + layout.row * i
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
