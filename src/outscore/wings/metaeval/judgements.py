"""Human and metric scores of the translations of several systems, on the same segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from outscore._types import BoolArray, FloatArray
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.text.naming import nearest, quoted


@dataclass(frozen=True, eq=False)
class Judgements:
    """The scores of S systems on n segments by people and by metrics."""

    name: str  # the language pair or task
    systems: tuple[str, ...]  # S names
    items: tuple[str, ...]  # n ids of segments
    human: FloatArray  # shape (S, n): NaN for translations that were not rated
    metrics: Mapping[str, FloatArray]  # shape (S, n): by the metrics' names; NaN if a metric has no score
    documents: tuple[str, ...] | None = None  # the document of each segment, "" if it is unknown
    # Shape (S,): the system scores that the metric itself computes, if they are not the mean over segments.
    system_scores: Mapping[str, FloatArray] = field(default_factory=dict)
    labels: tuple[str, ...] = ()  # if scores are labels, their names; a score is then the place of a label
    notes: tuple[str, ...] = ()  # notes for users on how the scores were read

    @property
    def rated(self) -> BoolArray:
        """Whether translations have a human score, shape (S, n)."""
        return np.isfinite(self.human)

    def means(self, metric: str) -> FloatArray:
        """Return the metric's own system scores, or its means over segments, shape (S,)."""
        system_scores_of_metric = self.system_scores.get(metric)
        return np.asarray(
            np.nanmean(self.metrics[metric], axis=1) if system_scores_of_metric is None else system_scores_of_metric
        )

    def offset(self, metric: str) -> FloatArray:
        """Return by how much the metric's own system scores exceed its means, standardised, shape (S,)."""
        scores = self.metrics[metric]
        return np.asarray((self.means(metric) - np.nanmean(scores, axis=1)) / (float(np.nanstd(scores)) or 1.0))

    def noting(self, notes: Sequence[str]) -> Judgements:
        """Return the same with notes before its own."""
        return replace(self, notes=(*notes, *self.notes))

    def with_systems(self, kept: Sequence[int]) -> Judgements:
        """Return the judgements of some of the systems."""
        indices = list(kept)
        return replace(
            self,
            systems=tuple(self.systems[index] for index in indices),
            human=self.human[indices],
            metrics={name: scores[indices] for name, scores in self.metrics.items()},
            system_scores={name: scores[indices] for name, scores in self.system_scores.items()},
        )

    @property
    def ordered(self) -> Judgements:
        """The same with systems in the order of their human scores, so that resamples do not depend on their order."""
        return self.with_systems(np.argsort(np.nanmean(self.human, axis=1), kind="stable").tolist())


def with_chosen(judgements: Sequence[Judgements], names: Sequence[str]) -> list[Judgements]:
    """Return the judgements of the systems with these names, or of all systems without names; refuse unknown names."""
    systems = list(dict.fromkeys(system for data in judgements for system in data.systems))
    for name in names:
        if name not in systems:
            what = f"no system with scores of people and all metrics is called {quoted(name)}"
            advice = f"{nearest(name, systems)} For a claim, pass fixed or sampled."
            raise OptionError(Problem(opt("systems"), what, advice, "unknown-system"))
    if not names:
        return list(judgements)
    return [
        data.with_systems([index for index, system in enumerate(data.systems) if system in names])
        for data in judgements
    ]


def standardised(scores: FloatArray) -> FloatArray:
    """Return scores with mean 0 and standard deviation 1 over all that are finite, of the same shape.

    Metrics have scales of their own. Tests that swap two metrics need the same scale.
    """
    return np.asarray((scores - np.nanmean(scores)) / (float(np.nanstd(scores)) or 1.0))
