"""Human and metric scores of the translations of several systems, on the same segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from outscore._types import BoolArray, FloatArray, IntArray
from outscore.errors import DataError, Problem
from outscore.text.naming import printable


@dataclass(frozen=True, eq=False)
class Judgements:
    """The scores of S systems on n segments by people and by metrics.

    Attributes
    ----------
    name : str
        The language pair or task.
    systems : tuple of str
        S names.
    items : tuple of str
        n ids of segments.
    human : ndarray, shape (S, n)
        NaN for translations that were not rated.
    metrics : mapping of str to ndarray, shape (S, n)
        By the metrics' names; NaN if a metric has no score.
    documents : tuple of str, optional
        The document of each segment.
    system_scores : mapping of str to ndarray, shape (S,)
        The system scores that the metric itself computes, if they are not the mean over segments.
    labels : tuple of str
        If scores are labels, their names; a score is then the place of a label.
    notes : tuple of str
        Notes for users on how the scores were read.
    """

    name: str
    systems: tuple[str, ...]
    items: tuple[str, ...]
    human: FloatArray
    metrics: Mapping[str, FloatArray]
    documents: tuple[str, ...] | None = None
    system_scores: Mapping[str, FloatArray] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def rated(self) -> BoolArray:
        """Whether translations have a human score, shape (S, n)."""
        return np.isfinite(self.human)

    def standardised(self, metric: str) -> FloatArray:
        """Return a metric's scores with mean 0 and standard deviation 1 over all translations, shape (S, n).

        Tests that swap the scores of two metrics need a common scale.
        """
        scores = self.metrics[metric]
        mean, deviation = float(np.nanmean(scores)), float(np.nanstd(scores))
        return np.asarray((scores - mean) / (deviation or 1.0))

    def offset(self, metric: str) -> FloatArray:
        """Return the metric's own system scores minus its means, standardised, shape (S,)."""
        scores, own = self.metrics[metric], self.system_scores.get(metric)
        if own is None:
            return np.zeros(len(self.systems))
        return np.asarray((own - np.nanmean(scores, axis=1)) / (float(np.nanstd(scores)) or 1.0))

    def take(self, places: IntArray) -> Judgements:
        """Return the judgements of some of the segments."""
        return replace(
            self,
            items=tuple(self.items[place] for place in places.tolist()),
            human=self.human[:, places],
            metrics={name: scores[:, places] for name, scores in self.metrics.items()},
            documents=None if self.documents is None else tuple(self.documents[place] for place in places.tolist()),
        )

    def with_systems(self, kept: Sequence[int]) -> Judgements:
        """Return the judgements of some of the systems."""
        places = list(kept)
        return replace(
            self,
            systems=tuple(self.systems[place] for place in places),
            human=self.human[places],
            metrics={name: scores[places] for name, scores in self.metrics.items()},
            system_scores={name: scores[places] for name, scores in self.system_scores.items()},
        )

    @property
    def ordered(self) -> Judgements:
        """The same with systems in the order of their human scores, so that resamples do not depend on their order."""
        return self.with_systems(np.argsort(np.nanmean(self.human, axis=1), kind="stable").tolist())

    def check(self) -> None:
        """Raise if agreement cannot be computed.

        Raises
        ------
        DataError
            No translation is rated, or a metric has no score of a rated translation.
        """
        if not self.rated.any():
            what = "expected human scores, got none"
            raise DataError(Problem(printable(self.name), what, "Check that this is the right file.", "empty"))
        for name, scores in self.metrics.items():
            if not (np.isfinite(scores) & self.rated).any():
                what = f"expected scores of rated translations by {printable(name)}, got none"
                advice = "Check that systems and segments have the same names."
                raise DataError(Problem(printable(self.name), what, advice, "no-items"))
