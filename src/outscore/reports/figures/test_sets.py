"""The drawing of several test sets: a gain with its interval for each."""

from __future__ import annotations

import math
from collections.abc import Iterator

from outscore.reports.documents.test_sets import test_sets_format
from outscore.reports.figures import LOOKS, Figure, Form, Mark, Panel, Scale, Series
from outscore.reports.figures.comparisons import verdict_series
from outscore.results import Interval
from outscore.results.test_sets import TestSetsComparison, TestSetsResult
from outscore.text.naming import printable
from outscore.text.numbers import format_level
from outscore.words.test_sets import explain_correction


def test_sets_figure(result: TestSetsResult) -> Figure:
    """Return the gains on the test sets by verdict, one row each, and the average gain, in one panel per candidate."""
    scores, scale = test_sets_format(result), result.metric.factor
    first = result.comparisons[0]
    names = tuple(printable(test_set.test_set) for test_set in first.test_sets)
    averaged = first.average is not None

    def mark(row: int, name: str, gain: float, interval: Interval, quantity: str | None = None) -> Mark:
        if quantity is not None:
            return Mark(gain * scale, row, f"{name}: {scores.gain(gain)}, verdict by the {quantity}")
        low, high = (end * scale if math.isfinite(end) else None for end in (interval.low, interval.high))
        label = f"{name}: {scores.gain(gain)} ({scores.interval(interval.low, interval.high)})"
        return Mark(gain * scale, row, label, low, high)

    def series(both: TestSetsComparison) -> Iterator[Series]:
        yield from verdict_series(
            (on_set.verdict, mark(row, names[row], on_set.gain, on_set.interval, on_set.quantity))
            for row, on_set in enumerate(both.test_sets)
        )
        if both.average is not None:
            average = both.average
            yield Series("average", LOOKS[6], (mark(len(names), "average", average.gain, average.interval),))

    alone = len(result.comparisons) == 1
    panels = tuple(
        Panel("" if alone else printable(both.candidate), tuple(series(both)), stacked=False)
        for both in result.comparisons
    )
    return Figure(
        "Gains on the test sets",
        (
            f"Uncorrected {format_level(1 - result.alpha)} intervals. "
            f"{explain_correction(result).replace('p (Holm) is p', 'Verdicts are')}",
        ),
        Scale(printable(result.metric.gain_heading), Form.GAIN),
        Scale("", names=(*names, *(["average"] if averaged else []))),
        panels,
    )


test_sets_figure.__test__ = False  # type: ignore[attr-defined]
