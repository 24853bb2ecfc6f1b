"""Results on single systems: a score on each metric, with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from outscore.results.comparisons import Interval, MetricDescription
from outscore.results.shown import Shown

__all__ = ["SCORES_SCHEMA", "ScoreResult", "SystemScore"]

SCORES_SCHEMA = "outscore/scores/1"


@dataclass(frozen=True)
class SystemScore:
    """The score of one system on one metric.

    Attributes
    ----------
    system : str
    metric : MetricDescription
    score : float
        A fraction where `metric.as_percentage`.
    interval : Interval
        Of the score: where it would lie on all items of the kind that these are drawn from. Its method is "wilson",
        "symmetric" (bootstrap), "cr2-t", or "a+b", the least that holds both.
    n_items : int
    n_units : int
        Clusters where there are clusters, else items.
    """

    system: str
    metric: MetricDescription
    score: float
    interval: Interval
    n_items: int
    n_units: int


@dataclass(frozen=True, repr=False)
class ScoreResult(Shown):
    """Scores of one or several systems on one or several metrics.

    Attributes
    ----------
    scores : tuple of SystemScore
        Metric by metric, in the order asked for, of all systems in the order given.
    confidence_level : float
    unit : str
        What is resampled: "item" or "cluster".
    n_resamples : int
        Where laws are sampled.
    seed : int
    signature : str
    version : str
        Of outscore.
    warnings : tuple of str
    """

    scores: tuple[SystemScore, ...]
    confidence_level: float
    unit: str
    n_resamples: int
    seed: int
    signature: str
    version: str
    warnings: tuple[str, ...] = ()

    @property
    def schema(self) -> str:
        """The name and version of the JSON form."""
        return SCORES_SCHEMA

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row a metric and system."""
        return [
            {
                "metric": one.metric.spec,
                "system": one.system,
                "score": one.score,
                "interval_low": one.interval.low,
                "interval_high": one.interval.high,
                "confidence_level": one.interval.confidence_level,
                "interval_method": one.interval.method,
                "exact": one.interval.exact,
                "n_items": one.n_items,
                "n_units": one.n_units,
            }
            for one in self.scores
        ]
