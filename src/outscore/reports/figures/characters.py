"""Figures drawn with characters: the law of a gain, and all pairs of a ranking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from outscore.numbers import format_count
from outscore.reports.figures import Bars, Cells, Figure
from outscore.reports.names import cut

__all__ = ["Chart", "draw_bars", "draw_cells"]

NARROWEST_NAME = 12
_CELLS = {False: "·░▓█", True: ".*+#"}


@dataclass(frozen=True, slots=True)
class Chart:
    """A histogram in lines of characters.

    Attributes
    ----------
    bars : tuple of str
        Top to bottom, all of one width.
    axis : str
        The line below the bars, with a tick at each mark.
    labels : tuple of str
        What the ticks mean, in as many lines as keep them apart, and the interval.
    zero : int
        The column of a gain of 0; bars left of it are losses. It may lie outside of the chart.
    """

    bars: tuple[str, ...]
    axis: str
    labels: tuple[str, ...]
    zero: int


@dataclass(frozen=True, slots=True)
class _Glyphs:
    levels: str  # a cell filled from nothing to wholly
    zero: str
    axis: str
    tick: str
    left: str
    right: str
    span: tuple[str, str, str]  # left end, middle and right end of the interval


_BLOCKS = _Glyphs(" ▁▂▃▄▅▆▇█", "┊", "─", "┬", "◂", "▸", ("├", "─", "┤"))
_ASCII = _Glyphs(" .:#", "|", "-", "+", "<", ">", ("|", "-", "|"))


def draw_bars(figure: Figure, *, columns: int, rows: int, ascii_only: bool = False) -> Chart | None:
    r"""Draw a law with its flags, the most important first, and an interval below it.

    Parameters
    ----------
    figure : Figure
        With bars.
    columns, rows : int
        How much room there is for the bars.
    ascii_only : bool

    Returns
    -------
    Chart or None
        None where there is no shape to draw: fewer than two bins, because all resamples have the same gain.

    Examples
    --------
    >>> from outscore.reports.figures import Flag, Scale, Span
    >>> law = Bars((-0.2, -0.1, 0.0, 0.1, 0.2, 0.3), (0.05, 0.2, 0.5, 0.2, 0.05), ("worse", "better"))
    >>> flags = (Flag(0.0, "0", "zero"), Flag(0.05, "+0.05", "gain"))
    >>> figure = Figure("", (), Scale(""), Scale(""), (), bars=law, flags=flags, span=Span(-0.1, 0.2, "95%"))
    >>> chart = draw_bars(figure, columns=30, rows=3, ascii_only=True)
    >>> print("\n".join(line.rstrip() for line in [*chart.bars, chart.axis, *chart.labels]))
                ######
          ......######......
    ......##################......
    ------------+--+--------------
                0  +0.05
          |-----------------| 95%
    """
    bars = figure.bars
    if bars is None or not bars.has_shape:
        return None
    edges, m = bars.edges, len(bars.masses)
    glyphs = _ASCII if ascii_only else _BLOCKS
    width = m * min(columns // m, 8) if m <= columns else columns

    def column(value: float) -> int:
        """Return the column of a value; -1 left of the chart, and `width` right of it."""
        place = (value - edges[0]) / (edges[-1] - edges[0]) * width
        # The last edge belongs to the last column, and a value that rounding put just below an edge to the
        # column that begins there.
        return width - 1 if value == edges[-1] else min(max(math.floor(place + 1e-6), -1), width)

    zero = column(0.0)
    marks = [
        (column(flag.at), flag.said.replace("δ", "gain") if ascii_only else flag.said)
        for flag in figure.flags
        if math.isfinite(flag.at)
    ]
    labels = _labels(marks, width, columns, glyphs)
    if figure.span is not None and not math.isnan(figure.span.low + figure.span.high):
        # What has no end on one side is drawn to the edge.
        low, high = (min(max(end, edges[0] - 1.0), edges[-1] + 1.0) for end in (figure.span.low, figure.span.high))
        labels += _span(column(low), column(high), figure.span.said, width, columns, glyphs)
    ticks = {place for place, _ in marks if 0 <= place < width}
    return Chart(
        bars=_bars(_in_columns(bars, width), rows, glyphs, zero),
        axis="".join(glyphs.tick if i in ticks else glyphs.axis for i in range(width)),
        labels=tuple(labels),
        zero=zero,
    )


def draw_cells(cells: Cells, names: Sequence[str], width: int, *, ascii_only: bool = False) -> list[str]:
    """Draw all pairs as a triangle of marks: every thing against those above it, numbered across.

    Parameters
    ----------
    cells : Cells
    names : sequence of str
        As they are shown.
    width : int
        Columns of the terminal.
    ascii_only : bool

    Returns
    -------
    list of str
        Lines, the last one the legend; one line alone where there are too many pairs to be drawn.
    """
    s, marks = len(names), _CELLS[ascii_only]
    digits = len(str(s - 1))
    if s - 1 + digits + 2 + NARROWEST_NAME > width:
        return [f"{format_count(len(cells.cells))} pairs: --pairs lists them, --format csv --pairs writes them."]
    room = min(width - (s - 1) - digits - 2, max(map(cell_len, names)))
    margin = digits + 1 + room + 1
    lines = [
        " " * margin + "".join(str(column).rjust(digits)[place] for column in range(1, s)) for place in range(digits)
    ]
    rows: list[list[str]] = [[""] * row for row in range(s)]
    for cell in cells.cells:
        rows[cell.column][cell.row] = marks[cell.level]
    for row, name in enumerate(names):
        shown = cut(name, room, "~" if ascii_only else "…")
        blank = " " * (room - cell_len(shown))
        lines.append(f"{row + 1:>{digits}} {shown}{blank} {''.join(rows[row])}")
    legend = [f"{mark} {said}" for mark, said in reversed([*zip(marks[1:], cells.levels[1:], strict=True)])]
    return [*lines, "", f"{', '.join(legend)}, {marks[0]} larger; {cells.how}. --pairs lists them all."]


def _in_columns(law: Bars, width: int) -> list[float]:
    """Spread each bin evenly over the columns that it covers, in whole or in part."""
    edges = law.edges
    scale = width / (edges[-1] - edges[0])
    spread = [0.0] * width
    for left, right, probability in zip(edges, edges[1:], law.masses, strict=False):
        start, stop = (left - edges[0]) * scale, (right - edges[0]) * scale
        first = min(math.floor(start), width - 1)
        for i in range(first, min(math.ceil(stop), width)):
            covered = min(stop, i + 1) - max(start, i)
            if stop > start and covered > 0:
                spread[i] += probability * covered / (stop - start)
    return spread


def _bars(heights: Sequence[float], rows: int, glyphs: _Glyphs, zero: int) -> tuple[str, ...]:
    full = len(glyphs.levels) - 1
    levels = [round(height / max(heights) * rows * full) for height in heights]
    lines = []
    for row in reversed(range(rows)):
        cells = [glyphs.levels[min(max(level - row * full, 0), full)] for level in levels]
        if 0 <= zero < len(cells) and cells[zero] == " ":
            cells[zero] = glyphs.zero
        lines.append("".join(cells))
    return tuple(lines)


def _labels(marks: Sequence[tuple[int, str]], width: int, columns: int, glyphs: _Glyphs) -> list[str]:
    """Set labels below their ticks: centred, or else beside one another, or else in another line."""
    lines: list[str] = []
    for place, label in marks:
        if place < 0:
            text, starts = f"{glyphs.left} {label}", [0]
        elif place >= width:
            text = f"{label} {glyphs.right}"
            starts = [max(0, width - len(text))]
        else:
            text, last = label, max(0, columns - len(label))
            centred = min(max(0, place - len(text) // 2), last)
            starts = [centred, *(start for start in (place, place - len(text) + 1) if 0 <= start <= last)]
        spots = [(i, start) for i in range(len(lines)) for start in starts if _is_free(lines[i], start, len(text))]
        if not spots:
            lines.append("")
        i, start = spots[0] if spots else (len(lines) - 1, starts[0])
        lines[i] = lines[i].ljust(start)[:start] + text + lines[i][start + len(text) :]
    return lines


def _is_free(line: str, start: int, length: int) -> bool:
    """Return whether text can be put there with two blanks to each side."""
    return not line[max(0, start - 2) : start + length + 2].strip()


def _span(low: int, high: int, label: str, width: int, columns: int, glyphs: _Glyphs) -> list[str]:
    """Draw the interval as a line with two ends, its label beside it or, where there is no room, below it."""
    low, high = max(low, 0), min(high, width - 1)
    left, middle, right = glyphs.span
    line = left if low >= high else left + middle * (high - low - 1) + right
    if high + 2 + len(label) <= columns:
        return [f"{' ' * low}{line} {label}"]
    if len(label) + 1 <= low:
        return [f"{label.rjust(low - 1)} {line}"]
    start = min(max(0, (low + high - len(label)) // 2), max(0, columns - len(label)))
    return [" " * low + line, " " * start + label]
