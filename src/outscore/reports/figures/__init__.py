"""The contents of drawings, for both ways to draw them: Altair for papers and notebooks, SVG for HTML reports."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

__all__ = [
    "LETTER",
    "LOOKS",
    "Bars",
    "Cell",
    "Cells",
    "Figure",
    "Flag",
    "Form",
    "Level",
    "Look",
    "Mark",
    "Panel",
    "Scale",
    "Series",
    "Span",
    "looks_for",
    "p_levels",
]


LETTER = re.compile(r"[a-z]\d*")  # of a group: a to z, then a1 to z1, and so on


class Form(StrEnum):
    """How the numbers of a scale are written."""

    NUMBER = "number"
    COUNT = "count"
    SHARE = "share"
    GAIN = "gain"  # with its sign


@dataclass(frozen=True)
class Look:
    """How a series looks: its colour, and a shape and dashes that say the same without colour."""

    name: str  # of the colour, which pages have a light and a dark one of
    colour: str  # on white
    shape: str  # as Vega names it
    dashes: tuple[int, ...] = ()  # lengths of dashes and gaps; none for a solid line


MANY, CLOUD = 300, 2000  # marks

# Okabe and Ito's colours, which all kinds of colour vision tell apart.
LOOKS = (
    Look("blue", "#0072b2", "circle"),
    Look("vermilion", "#d55e00", "diamond", (6, 3)),
    Look("green", "#009e73", "triangle-up", (2, 2)),
    Look("pink", "#cc79a7", "triangle-left", (8, 2, 2, 2)),
    Look("orange", "#e69f00", "triangle-down", (4, 1)),
    Look("sky", "#56b4e9", "triangle-right", (1, 3)),
    Look("ink", "#000000", "square", (10, 4)),
    Look("grey", "#6b7280", "cross", (3, 3)),
)


def looks_for(count: int) -> list[Look]:
    """Return looks that differ in colour or shape, in the order of `LOOKS`; up to 64 of them."""
    return [
        replace(LOOKS[i % len(LOOKS)], shape=other.shape, dashes=other.dashes)
        for i, other in ((i, LOOKS[(i + i // len(LOOKS)) % len(LOOKS)]) for i in range(count))
    ]


def p_levels(alpha: float) -> tuple[float, float, float]:
    """Return the bounds of stars and shades of p-values: α, a fifth and a fiftieth of it; 0.05, 0.01 and 0.001."""
    return (alpha, alpha / 5, alpha / 50)


@dataclass(frozen=True)
class Scale:
    """One direction of a drawing."""

    title: str
    form: Form = Form.NUMBER
    log: bool = False
    # Ends that are fixed; the others follow from the data.
    low: float | None = None
    high: float | None = None
    names: tuple[str, ...] = ()  # of rows, from top to bottom: a mark lies in row 0, 1, … Only of vertical scales
    parted: tuple[int, ...] = ()  # rows above which there is a line


@dataclass(frozen=True)
class Mark:
    """A point with an interval: of y, or of x if y has names."""

    x: float
    y: float
    said: str  # the text that is shown when it is pointed at
    low: float | None = None
    high: float | None = None
    aside: str = ""  # the letters of its groups, at the right of its row
    number: str = ""  # its number, also at the right
    place: int | None = None  # its number among the things drawn, for scripts


@dataclass(frozen=True)
class Series:
    """Marks of one kind, or a curve."""

    name: str
    look: Look
    marks: tuple[Mark, ...] = ()
    joined: bool = False  # whether a line goes through the marks
    curve: tuple[tuple[float, float], ...] = ()  # a model, drawn as a dashed line
    at: float | None = None  # a vertical line, such as a threshold
    hollow: bool = False  # whether marks are outlines


@dataclass(frozen=True)
class Panel:
    """A drawing among others on the same scales."""

    name: str  # empty where it is alone
    series: tuple[Series, ...]
    stacked: bool = True  # whether the series of a named row lie one below the other

    @property
    def drawn(self) -> list[Series]:
        """The series in the order in which they are drawn: what is rare lies on top."""
        return sorted(self.series, key=lambda series: -len(series.marks))

    @property
    def crowded(self) -> int:
        """How much marks hide one another: 0 where they are few, 1 where they are many, 2 where they are a cloud."""
        count = sum(len(series.marks) for series in self.series)
        return (count > MANY) + (count > CLOUD)


@dataclass(frozen=True)
class Level:
    """A height that drawings are seen against."""

    # A band; a line where they are equal.
    low: float
    high: float
    said: str


@dataclass(frozen=True)
class Bars:
    """A distribution in bins."""

    edges: tuple[float, ...]  # ascending
    masses: tuple[float, ...]  # probabilities
    sides: tuple[str, str]  # the meaning of values below and above 0

    @property
    def has_shape(self) -> bool:
        """Whether there is something to draw: more than a single value."""
        edges = self.edges
        finite = len(edges) > 2 and all(map(math.isfinite, edges))
        return finite and edges[-1] > edges[0] and max(self.masses) > 0

    @property
    def parts(self) -> Iterator[tuple[float, float, float]]:
        """Each bar of positive width, as its ends and its density; a bar that contains 0 is split there."""
        for left, right, mass in zip(self.edges, self.edges[1:], self.masses, strict=False):
            if right > left and math.isfinite(left + right + mass):
                for a, b in ((left, min(right, 0.0)), (max(left, 0.0), right)):
                    if b > a:
                        yield a, b, mass / (right - left)


@dataclass(frozen=True)
class Flag:
    """A value that is marked on the horizontal axis, with its text."""

    at: float
    said: str
    kind: str  # "gain", "zero" or "margin", which are drawn differently


@dataclass(frozen=True)
class Span:
    """An interval below the axis; an end may be infinite."""

    low: float
    high: float
    said: str


@dataclass(frozen=True)
class Cell:
    """A cell of a matrix."""

    # Places of names.
    row: int
    column: int
    level: int  # how many of the bounds it reaches: how dark it is
    said: str  # its number
    place: int  # which of the pairs it is, for scripts


@dataclass(frozen=True)
class Cells:
    """A matrix of all pairs of things."""

    names: tuple[str, ...]  # of the things, in their order
    cells: tuple[Cell, ...]  # one a pair, above the diagonal
    levels: tuple[str, ...]  # what each shade means, from the lightest
    how: str  # what the numbers are
    count: int  # how many pairs there are, drawn or not


@dataclass(frozen=True)
class Figure:
    """The contents of a drawing."""

    title: str
    notes: tuple[str, ...]  # lines below the title
    x: Scale
    y: Scale
    panels: tuple[Panel, ...]
    legend: str = ""  # what the series are
    levels: tuple[Level, ...] = ()
    bars: Bars | None = None  # in place of panels
    flags: tuple[Flag, ...] = ()
    span: Span | None = None
    cells: Cells | None = None  # in place of panels and scales
    nothing: str = "there is nothing to draw: the report says why"  # the text if there is nothing to draw

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not any(
            series.marks or series.curve or series.at is not None for panel in self.panels for series in panel.series
        )

    @property
    def kinds(self) -> dict[str, Look]:
        """The names of all series and how they look, each once."""
        return {series.name: series.look for panel in self.panels for series in panel.series}
