"""Drawings of scores, and of unpaired systems: each with its interval, in one panel per metric."""

from __future__ import annotations

import math

from outscore.reports.documents.scores import formats_of
from outscore.reports.figures import LOOKS, Figure, Mark, Panel, Scale, Series
from outscore.reports.figures.comparisons import by_gain, verdict_series
from outscore.results.scores import ScoreResult, SystemScore, UnpairedComparison, UnpairedResult
from outscore.text.naming import printable
from outscore.words.comparisons import gains_notes
from outscore.words.unpaired import gains_format


def score_figure(result: ScoreResult) -> Figure:
    """Return the scores as marks with intervals, one row per system and one panel per metric."""
    formats = formats_of(result.scores)
    systems = list(dict.fromkeys(score.system for score in result.scores))

    def mark(row_result: SystemScore) -> Mark:
        scores, scale = formats[row_result.metric.spec], row_result.metric.factor
        low, high = row_result.interval.low, row_result.interval.high
        label = f"{printable(row_result.system)}: {scores.score(row_result.score)} ({scores.scores(low, high)})"
        below, above = (end * scale if math.isfinite(end) else None for end in (low, high))
        return Mark(row_result.score * scale, systems.index(row_result.system), label, below, above)

    by_metric: dict[str, list[SystemScore]] = {}
    for score in result.scores:
        title = (
            score.metric.heading if score.test_set is None else f"{score.metric.heading} ({printable(score.test_set)})"
        )
        by_metric.setdefault(title, []).append(score)
    alone = len(by_metric) == 1
    panels = tuple(
        Panel("" if alone else title, (Series("score", LOOKS[0], tuple(map(mark, of_metric))),))
        for title, of_metric in by_metric.items()
    )
    return Figure(
        "Scores",
        (f"{result.scores[0].interval.level} intervals",),
        Scale(next(iter(by_metric)) if alone else "score"),
        Scale("", names=tuple(map(printable, systems))),
        panels,
    )


def unpaired_figure(result: UnpairedResult) -> Figure:
    """Return the gains as marks with their intervals by verdict, one row per candidate, the largest gain first."""
    scores, scale = gains_format(result), result.metric.factor
    ordered = by_gain(result.comparisons)

    def mark(row: int, row_result: UnpairedComparison) -> Mark:
        low, high = (
            end * scale if math.isfinite(end) else None for end in (row_result.interval.low, row_result.interval.high)
        )
        return Mark(
            row_result.gain * scale,
            row,
            f"{printable(row_result.candidate)}: {scores.gain(row_result.gain)}, {row_result.verdict}",
            low,
            high,
        )

    series = verdict_series((c.verdict, mark(row, c)) for row, c in enumerate(ordered))
    return Figure(
        "Gains of unpaired systems",
        gains_notes(result.comparisons[0].interval, result.multiplicity),
        Scale(f"gain in {result.metric.heading}"),
        Scale("", names=tuple(printable(c.candidate) for c in ordered)),
        (Panel("", series, stacked=False),),
    )
