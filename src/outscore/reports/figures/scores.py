"""What is drawn of scores: each system's with its interval, a panel a metric."""

from __future__ import annotations

from outscore.naming import printable
from outscore.numbers import format_level
from outscore.reports.figures.model import LOOKS, Figure, Mark, Panel, Scale, Series
from outscore.reports.scores import formats_of
from outscore.results.scores import Scores, SystemScore

__all__ = ["score_figure"]


def score_figure(result: Scores) -> Figure:
    """Return the scores as marks with intervals, one row a system and one panel a metric."""
    formats = formats_of(result.scores)
    systems = list(dict.fromkeys(one.system for one in result.scores))

    def mark(one: SystemScore) -> Mark:
        scores, scale = formats[one.metric.spec], one.metric.factor
        low, high = one.interval.low, one.interval.high
        said = f"{printable(one.system)}: {scores.score(one.score)} ({scores.scores(low, high)})"
        return Mark(one.score * scale, systems.index(one.system), said, low * scale, high * scale)

    by_metric: dict[str, list[SystemScore]] = {}
    for one in result.scores:
        by_metric.setdefault(one.metric.title + (" (%)" if one.metric.as_percentage else ""), []).append(one)
    alone = len(by_metric) == 1
    panels = tuple(
        Panel("" if alone else title, (Series("score", LOOKS[0], tuple(map(mark, held))),))
        for title, held in by_metric.items()
    )
    return Figure(
        "Scores",
        (f"{format_level(result.confidence_level)} intervals",),
        Scale(next(iter(by_metric)) if alone else "score"),
        Scale("", names=tuple(map(printable, systems))),
        panels,
    )
