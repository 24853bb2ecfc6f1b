"""The chart of a meta-evaluation: each metric's agreement with its interval."""

from __future__ import annotations

from outscore.reports.figures import LOOKS, Figure, Mark, Panel, Scale, Series
from outscore.text.naming import printable
from outscore.wings.metaeval.results import MetaResult, RankedMetric


def meta_figure(result: MetaResult) -> Figure:
    """Return the scores as marks with intervals, one row per metric; lines separate tiers."""
    scores = result.score_format

    def mark(row: int, metric: RankedMetric) -> Mark:
        low, high = metric.interval.low, metric.interval.high
        label = f"{printable(metric.name)}: {scores.score(metric.score)} ({scores.scores(low, high)})"
        return Mark(metric.score, row, label, low, high)

    marks = tuple(mark(row, metric) for row, metric in enumerate(result.metrics))
    tiers = [metric.tier for metric in result.metrics]
    parted = tuple(row for row in range(1, len(tiers)) if tiers[row] != tiers[row - 1])
    return Figure(
        "Agreement with people",
        (f"{result.metrics[0].interval.level} intervals",),
        Scale(result.title),
        Scale("", names=tuple(printable(metric.name) for metric in result.metrics), parted=parted),
        (Panel("", (Series("score", LOOKS[0], marks),)),),
    )
