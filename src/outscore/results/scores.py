"""Results on single systems: a score on each metric, with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from outscore.results.comparisons import Interval, MetricDescription
from outscore.results.record import FINITE, UNITS, Keywords, Level, Messages, Positive, Seed, Version, table
from outscore.results.shown import Shown

__all__ = ["ScoreResult", "SystemScore"]


@dataclass(frozen=True)
class SystemScore:
    """The score of one system on one metric.

    Attributes
    ----------
    system : str
        The system's name.
    metric : MetricDescription
    score : float
        A fraction, never a percentage.
    interval : Interval
        Of the score, over test sets of the same kind and size. Its method is "wilson", "symmetric" (bootstrap),
        "cr2-t", or "a+b", the least that holds both, where the law of the score is skewed.
    n_items : int
        Items that are scored.
    n_units : int
        Clusters where there are clusters, else items.
    """

    system: str
    metric: MetricDescription
    score: float
    interval: Annotated[Interval, FINITE]
    n_items: Positive
    n_units: Annotated[int, Keywords(minimum=2)]


@dataclass(frozen=True, repr=False)
class ScoreResult(Shown):
    """Scores of single systems, with intervals.

    Written by outscore score as JSON.

    Attributes
    ----------
    scores : tuple of SystemScore
        Metric by metric, in the order asked for, of all systems in the order given.
    confidence_level : float
        Of all intervals.
    unit : str
        What is resampled.
    n_resamples : int
        Where laws are sampled.
    seed : int
    signature : str
        How the intervals came about: "interval:wilson|level:0.95|...".
    version : str
    warnings : tuple of str
    """

    schema: ClassVar = "outscore/scores/1"
    json_keys: ClassVar = "version signature"

    scores: tuple[SystemScore, ...]
    confidence_level: Level
    unit: Annotated[str, UNITS]
    n_resamples: Positive
    seed: Seed
    signature: str
    version: Version
    warnings: Messages = ()

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row a metric and system."""
        columns = (
            "metric=metric.spec system score interval.low interval.high confidence_level=interval.confidence_level "
            "interval.method exact=interval.exact n_items n_units"
        )
        return table(columns, [(score,) for score in self.scores])
