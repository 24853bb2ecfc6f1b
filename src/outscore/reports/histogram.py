"""The bootstrap law of a gain drawn with characters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from outscore.results import Histogram, Interval

__all__ = ["Chart", "draw"]


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


def draw(
    histogram: Histogram,
    marks: Sequence[tuple[float, str]],
    interval: Interval,
    interval_label: str,
    *,
    columns: int,
    rows: int,
    ascii_only: bool = False,
) -> Chart | None:
    r"""Draw a histogram with marked values and an interval below it.

    Parameters
    ----------
    histogram : Histogram
        Its outermost bins hold the tails.
    marks : sequence of (float, str)
        Values on the axis and their labels, the most important first.
    interval : Interval
    interval_label : str
    columns, rows : int
        How much room there is for the bars.
    ascii_only : bool

    Returns
    -------
    Chart or None
        None where there is no shape to draw: fewer than two bins, because all resamples have the same gain.

    Examples
    --------
    >>> from outscore.results import IntervalMethod
    >>> law = Histogram((-0.2, -0.1, 0.0, 0.1, 0.2, 0.3), (0.05, 0.2, 0.5, 0.2, 0.05), exact=True)
    >>> interval = Interval(-0.1, 0.2, 0.95, IntervalMethod.PERCENTILE, exact=True)
    >>> chart = draw(law, [(0.0, "0"), (0.05, "+0.05")], interval, "95%", columns=30, rows=3, ascii_only=True)
    >>> print("\n".join(line.rstrip() for line in [*chart.bars, chart.axis, *chart.labels]))
                ######
          ......######......
    ......##################......
    ------------+--+--------------
                0  +0.05
          |-----------------| 95%
    """
    edges = histogram.edges
    if len(edges) < 3 or not all(map(math.isfinite, edges)) or not edges[-1] > edges[0]:
        return None
    heaviest = max(histogram.probabilities)
    if not heaviest > 0:
        return None
    glyphs = _ASCII if ascii_only else _BLOCKS
    m = len(histogram.probabilities)
    width = m * min(columns // m, 8) if m <= columns else columns

    def column(value: float) -> int:
        """Return the column of a value; -1 left of the chart, and `width` right of it."""
        place = (value - edges[0]) / (edges[-1] - edges[0]) * width
        # The last edge belongs to the last column, and a value that rounding put just below an edge to the
        # column that begins there.
        return width - 1 if value == edges[-1] else min(max(math.floor(place + 1e-6), -1), width)

    zero = column(0.0)
    shown = [(column(value), label) for value, label in marks if math.isfinite(value)]
    # What has no end on one side is drawn to the edge.
    low, high = (min(max(end, edges[0] - 1.0), edges[-1] + 1.0) for end in (interval.low, interval.high))
    bounded = not math.isnan(interval.low + interval.high)
    ticks = {place for place, _ in shown if 0 <= place < width}
    return Chart(
        bars=_bars(_in_columns(histogram, width), rows, glyphs, zero),
        axis="".join(glyphs.tick if i in ticks else glyphs.axis for i in range(width)),
        labels=(
            *_labels(shown, width, columns, glyphs),
            *(_span(column(low), column(high), interval_label, width, columns, glyphs) if bounded else ()),
        ),
        zero=zero,
    )


def _in_columns(histogram: Histogram, width: int) -> list[float]:
    """Spread each bin evenly over the columns that it covers, in whole or in part."""
    edges = histogram.edges
    scale = width / (edges[-1] - edges[0])
    spread = [0.0] * width
    for left, right, probability in zip(edges, edges[1:], histogram.probabilities, strict=False):
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
