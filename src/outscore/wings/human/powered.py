"""Few human and many judge labels: prediction-powered scores and gains.

The estimate is θ = λ f(U) + Y(L) − λ f(L), where Y(L) is the score by the human labels of the labelled units L, and
f(L) and f(U) are the scores by the judge's labels of L and of the other units U. It is unbiased for any fixed λ if L is
a random sample (Angelopoulos et al. 2023, arXiv:2301.09633). The λ with the smallest variance is estimated
(arXiv:2311.01453). For a mean it is Cov(Y, f) / ((1 + n/N) Var f). It is not limited to [0, 1], because a judge may use
another scale. For several systems it is that of the differences between systems.

Each unit gets its part of the estimate as a row, so that the score is a mean of rows, and labelled and other units are
strata. Everything else follows, as for any mean in strata.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from outscore._types import AnyArray, BoolArray, FloatArray, IntArray
from outscore.data.blocks import exact_sum
from outscore.data.rows import Rows
from outscore.design.design import Design
from outscore.design.strata import Labelled, Strata
from outscore.errors import DataError, NotApplicableError, Problem
from outscore.laws.student import normal_p_value, student_p_value
from outscore.metrics.base import Metric, RatioMetric
from outscore.metrics.families.averages import Averaged
from outscore.options import opt
from outscore.results import Alternative, PredictionPowered
from outscore.significance.unpaired import rank_sum
from outscore.text.naming import printable
from outscore.text.numbers import format_count, format_counted, format_exactly, state_p

FEWEST, ENOUGH = 10, 30  # labelled units: below the first an error, below the second a warning
_NOT_RANDOM = 0.001  # at most this proportion of random samples is refused
_CLEARLY_RANDOM = 0.02  # p-values above it need not be exact
_UNLIKE_JUDGE = 0.01
_LARGEST_LEVERAGE = 0.9
# Of influences, relative to the score: smaller ones are 0. It is larger than `NOISE`, because an influence is n times a
# difference of two scores, whose rounding error it multiplies.
_INFLUENCE_NOISE = 1e-11


@dataclass(frozen=True)
class LabelledMetric(Averaged):
    """A metric by human labels of some items and a judge's labels of all.

    A row is whether the item has a human label, its row by that label (else 0), and its row by the judge's label. Such
    rows have no score until `on_systems` knows which systems are compared.
    """

    metric: Metric

    fits_systems = True

    @cached_property
    def statistics(self) -> tuple[str, ...]:  # type: ignore[override]
        names = self.metric.statistics
        return ("labelled", *(f"human {name}" for name in names), *(f"judge {name}" for name in names))

    def score(self, totals: FloatArray) -> FloatArray:
        del totals
        what = "human and judge labels apply only to paired comparisons, rankings and scores of systems"
        raise NotApplicableError(Problem(opt("human"), what, f"Use {opt('score_column')} here.", "not-for-labels"))

    def item_scores(self, rows: AnyArray) -> None:
        del rows

    def on_systems(self, systems: Sequence[Rows], design: Design) -> tuple[Metric, Sequence[Rows], Design]:
        """Return the estimates as a mean, the part of each item in it, and the design with λ and labelled strata.

        Raises DataError if there are too few labels, or labelled items are not a random sample.
        """
        labels = Labels.of(self.metric, systems, design)
        labels.check()
        rows = [replace(system, values=values) for system, values in zip(systems, labels.rows(), strict=True)]
        design = design.having(Labelled(labels.powered, tuple(labels.remarks())))
        if not labels.mixed:
            design = design.having(Strata((~labels.labelled).astype(np.int64), ("labelled", "unlabelled")))
        return Estimate(self.metric), rows, design


@dataclass(frozen=True)
class Estimate(Averaged, RatioMetric):
    """The mean of the units' parts of an estimate, with the name and unit of the metric that it estimates."""

    metric: Metric

    has_unit_scores = False
    statistics = ("estimate", "items")
    shared_statistics = ("items",)
    numerator = (1.0, 0.0)
    denominator = (0.0, 1.0)

    @property
    def score_range(self) -> None:
        """None: an estimate can be outside of the range of the metric."""

    def item_scores(self, rows: AnyArray) -> None:  # type: ignore[override]
        del rows


@dataclass(frozen=True, eq=False)
class Labels:
    """Human and judge labels of one system, or of several on the same items.

    Attributes
    ----------
    names : sequence of str
        Of the systems.
    human, judge : sequence of ndarray
        For each system its rows by human labels, shape (labelled items, k), and by the judge's, shape (items, k).
    labelled : ndarray of bool, shape (items,)
        Whether an item has a human label in every system.
    clusters : ndarray of int, shape (items,), or None
        Codes of the items' clusters.
    unused : sequence of str
        What is not used: human labels of items that lack one in another system.
    """

    metric: Metric
    names: Sequence[str]
    human: Sequence[FloatArray]
    judge: Sequence[FloatArray]
    labelled: BoolArray
    clusters: IntArray | None = None
    unused: Sequence[str] = ()

    @classmethod
    def of(cls, metric: Metric, systems: Sequence[Rows], design: Design) -> Labels:
        """Return the labels in rows of `LabelledMetric`."""
        k = len(metric.statistics)
        each = [system.values[:, 0] == 1 for system in systems]
        labelled, counts = np.all(each, axis=0), [int(labelled_here.sum()) for labelled_here in each]
        human = [system.values[labelled, 1 : 1 + k] for system in systems]
        return cls(
            metric,
            [system.name for system in systems],
            human,
            [system.values[:, 1 + k :] for system in systems],
            labelled,
            design.clusters,
            [
                f"{format_count(count - int(labelled.sum()))} of {format_count(count)} human labels of {system.name}"
                for system, count in zip(systems, counts, strict=True)
                if count > labelled.sum()
            ],
        )

    @property
    def n(self) -> tuple[int, int]:
        """The numbers of items with and without a human label."""
        count = int(self.labelled.sum())
        return count, len(self.labelled) - count

    @cached_property
    def mixed(self) -> bool:
        """Whether a cluster has items with and without a human label, so that they are no strata."""
        if self.clusters is None:
            return False
        return bool(np.intersect1d(self.clusters[self.labelled], self.clusters[~self.labelled]).size)

    def check(self) -> None:
        """Raise an error if there are too few labels, or labelled items are not a random sample."""
        (n, other), where = self.n, opt("human")
        units = n if self.clusters is None else len(np.unique(self.clusters[self.labelled]))
        name = "item" if self.clusters is None else "cluster"
        if other < 2:
            what = f"expected items without a human label, got {other} of {n + other}"
            advice = f"Use {opt('score_column')} with the column of human labels."
            raise DataError(Problem(where, what, advice, "no-unlabelled-items"))
        if self.clusters is not None and len(np.unique(self.clusters[~self.labelled])) < 2:
            what = "expected at least 2 clusters with items without a human label, got 1"
            advice = f"Use {opt('score_column')} with the column of human labels."
            raise DataError(Problem(where, what, advice, "no-unlabelled-items"))
        if units < FEWEST:
            what = f"expected at least {FEWEST} {name}s with a human label (in every system), got {units}"
            raise DataError(Problem(where, what, f"Label a random sample of {ENOUGH} {name}s.", "few-labels"))
        for system, judge in zip(self.names, self.judge, strict=True):
            p = _p_of_random_sample(self._by_unit(_influences(self.metric, judge)), *self._sides)
            if p * len(self.names) <= _NOT_RANDOM:
                what = f"labelled {name}s are not a random sample: the judge scores them differently from the others"
                what += f" (rank-sum test, {state_p(p, _NOT_RANDOM)})"
                advice = f"Label a random sample of {name}s, or use human labels only, with {opt('score_column')}."
                raise DataError(Problem(printable(system), what, advice, "labels-not-random"))

    @cached_property
    def _sides(self) -> tuple[BoolArray, BoolArray]:
        """Which units of `_by_unit` are labelled, and which are not: clusters by most of their items."""
        labelled = self.labelled if self._shares is None else self._shares > 0.5
        return labelled, ~labelled

    @cached_property
    def _shares(self) -> FloatArray | None:
        """The proportion of labelled items of each cluster; None if units are items, as most clusters have both."""
        if self.clusters is None:
            return None
        shares = _summed(self.labelled.astype(np.float64), self.clusters) / np.bincount(self.clusters)
        both = (shares > 0) & (shares < 1)
        return None if both.mean() > 0.5 or len(np.unique(shares > 0.5)) == 1 else shares

    def _by_unit(self, values: FloatArray) -> FloatArray:
        """Return the mean of each unit of `_sides`, given values of items, shape (items,)."""
        if self.clusters is None or self._shares is None:
            return values
        counts = np.bincount(self.clusters)
        return _summed(values, self.clusters) / counts

    @cached_property
    def _scores(self) -> FloatArray:
        """Y(L), f(L), f(U) and f(all) of each system, shape (systems, 4)."""
        labelled = self.labelled
        return np.array(
            [
                [float(self.metric.score(_totals(rows))) for rows in (human, judge[labelled], judge[~labelled], judge)]
                for human, judge in zip(self.human, self.judge, strict=True)
            ]
        )

    @cached_property
    def _influences(self) -> tuple[FloatArray, FloatArray]:
        """The influence of each item on Y(L), else 0, and on f(L) or f(U), shape (systems, items) each."""
        labelled, metric = self.labelled, self.metric
        on_human, on_judge = np.zeros((2, len(self.names), len(labelled)))
        for index, (human, judge) in enumerate(zip(self.human, self.judge, strict=True)):
            on_human[index, labelled] = _influences(metric, human)
            on_judge[index, labelled] = _influences(metric, judge[labelled])
            on_judge[index, ~labelled] = _influences(metric, judge[~labelled])
        return on_human, on_judge

    def _units(self, values: FloatArray) -> FloatArray:
        """Return sums per unit, shape (systems, units), given those of items; of differences between systems."""
        values = values if len(values) == 1 else values - np.sort(values, axis=0).sum(axis=0) / len(values)
        return values if self.clusters is None else np.array([_summed(value, self.clusters) for value in values])

    @cached_property
    def _moments(self) -> tuple[FloatArray, FloatArray]:
        """The sums per unit of influences on Y(L) and on f(L), shape (systems, units)."""
        on_human, on_judge = self._influences
        return self._units(on_human), self._units(np.where(self.labelled, on_judge, 0.0))

    @cached_property
    def lambda_(self) -> float:
        """λ: the covariance of Y(L) and f(L) − f(U) over the variance of f(L) − f(U); 0 if the judge is constant."""
        (n, other), (human, judge) = self.n, self._moments
        rest = self._units(np.where(self.labelled, 0.0, self._influences[1]))
        steps = judge / n - rest / other
        units = human.shape[1]
        labelled = units if self.clusters is None else len(np.unique(self.clusters[self.labelled]))
        labelled = n if self.clusters is None else labelled
        covariance = exact_sum((human / n * steps).ravel()) * labelled / (labelled - 1)
        if self.mixed:
            variance = exact_sum((steps**2).ravel()) * units / (units - 1)
        else:  # that of all items is more precise
            every = self._units(np.array([_influences(self.metric, judge) for judge in self.judge]))
            variance = exact_sum((every**2).ravel()) / (n + other) * units / (units - 1) * (1 / n + 1 / other)
        return covariance / variance if variance > 0 else 0.0

    @cached_property
    def powered(self) -> PredictionPowered:
        """λ, the correlation, and the number of human labels that the judge's replace: n (1/(1 − ρ² N/(n + N)) − 1)."""
        (n, other), (human, judge) = self.n, self._moments
        squares = exact_sum((human**2).ravel()) * exact_sum((judge**2).ravel())
        r = exact_sum((human * judge).ravel()) / math.sqrt(squares) if squares > 0 else None
        r = None if r is None else min(max(r, -1.0), 1.0)
        worth = n * (1 / (1 - (r or 0.0) ** 2 * other / (n + other)) - 1)
        sign = 1.0 if self.metric.higher_is_better else -1.0
        alone: list[float | None] = [None, None]
        if len(self.names) < 3:
            sides = self._scores[:, [0, 3]].T
            alone = [
                float(scores_of_side[0])
                if len(scores_of_side) == 1
                else sign * float(scores_of_side[1] - scores_of_side[0])
                for scores_of_side in sides
            ]
        return PredictionPowered(self.lambda_, r, worth, n, other, *alone)

    def rows(self) -> Sequence[FloatArray]:
        """Return each item's part of the estimate beside 1, shape (items, 2), for each system.

        Residuals of labelled units are divided by 1 − h, where h is the unit's leverage on λ. So they are those of the
        λ without that unit, and the variance allows for λ being an estimate.
        """
        (n, other), weight = self.n, self.lambda_
        judge = self._moments[1]
        squares = (judge**2).sum(axis=0)
        leverage = squares / squares.sum() if squares.any() else squares
        factors = 1 / (1 - np.minimum(leverage, _LARGEST_LEVERAGE))
        factors = factors if self.clusters is None else factors[self.clusters]
        labelled, rows = self.labelled, []
        for (y, f, rest, _), on_human, on_judge in zip(self._scores, *self._influences, strict=True):
            left = (on_human - weight * on_judge)[labelled] * factors[labelled]
            parts = np.empty((2, len(labelled)))
            parts[0, labelled] = (left - exact_sum(left) / n) * (len(labelled) / n)
            parts[0, ~labelled] = on_judge[~labelled] * weight * (len(labelled) / other)
            if self.mixed:
                parts[0] += y - weight * (f - rest)
            else:
                parts[0, labelled] += (y - weight * f) * (len(labelled) / n)
                parts[0, ~labelled] += weight * rest * (len(labelled) / other)
            parts[1] = 1.0
            rows.append(np.ascontiguousarray(parts.T))
        return rows

    def remarks(self) -> Sequence[str]:
        """Return warnings about few labels, and about a judge that favours one of two systems."""
        units = self.n[0] if self.clusters is None else len(np.unique(self.clusters[self.labelled]))
        notes = [
            f"Not used: {metric_name}, on items that another system lacks a human label of."
            for metric_name in self.unused
        ]
        if units < ENOUGH:
            name = "item" if self.clusters is None else "cluster"
            notes.append(
                f"Only {format_counted(units, name)} with human labels. With fewer than {ENOUGH}, tests reject up to "
                "9% of true null hypotheses at a nominal 5% if labels are skewed."
            )
        favoured = self._favoured() if len(self.names) == 2 else None
        return notes if favoured is None else [*notes, favoured]

    def _favoured(self) -> str | None:
        """Return a warning if the judge overstates the gain of one system, or gives it to the wrong system.

        Its labels are put on the scale of human labels by their slope within systems. Noise of the judge makes the
        slope too small, so that the judge seems to understate every gain. Only the opposite is therefore reported.
        """
        on_human, on_judge = (values[:, self.labelled] for values in self._influences)
        squares = exact_sum((on_judge**2).ravel())
        if squares == 0:
            return None
        slope = exact_sum((on_human * on_judge).ravel()) / squares
        (y, f), n = np.diff(self._scores[:, :2], axis=0)[0], self.n[0]
        left = np.diff(on_human - slope * on_judge, axis=0)[0]
        if self.clusters is not None:
            left = _summed(left, np.unique(self.clusters[self.labelled], return_inverse=True)[1])
        by_judge, excess = slope * f, y - slope * f
        error = math.sqrt(exact_sum(left**2) * len(left) / (len(left) - 1)) / n
        if error == 0 or excess * by_judge >= 0:
            return None
        p = student_p_value(excess / error, len(left) - 1, Alternative.TWO_SIDED)
        if p > _UNLIKE_JUDGE:
            return None
        sign = 1.0 if self.metric.higher_is_better else -1.0
        favoured, other = self.names if sign * by_judge < 0 else self.names[::-1]
        return (
            f"The judge favours {favoured}: at equal judge labels, people score {other} better by "
            f"{format_exactly(float(f'{abs(excess):.3g}'))} on average ({state_p(p, _UNLIKE_JUDGE)}). Human labels "
            "correct this in the gain reported here. The gain by judge labels without human labels is biased."
        )


def _totals(rows: FloatArray) -> FloatArray:
    """Return the exact sums of columns, which do not depend on the order of rows."""
    return np.array([exact_sum(column) for column in rows.T])


def _influences(metric: Metric, rows: FloatArray) -> FloatArray:
    """Return the influence of each row, shape (n, k), on the score of n rows: for a mean, its distance from it."""
    n, totals = len(rows), _totals(rows)
    score = float(metric.score(totals))
    values = n * (score - metric.score(totals - rows + totals / n))
    values = values - exact_sum(values) / n
    largest = float(np.abs(values).max(initial=0.0))
    return np.asarray(values if largest > _INFLUENCE_NOISE * abs(score) else np.zeros(n))


def _summed(values: FloatArray, codes: IntArray) -> FloatArray:
    """Return the sums of values by code, the same in any order of the values."""
    order = np.lexsort((values, codes))
    return np.asarray(np.bincount(codes[order], weights=values[order]), dtype=np.float64)


def _p_of_random_sample(values: FloatArray, labelled: BoolArray, others: BoolArray) -> float:
    """Return the p-value of the rank-sum test of labelled against other units; approximate if it is far from small."""
    labelled_values, other_values = np.sort(values[labelled]), np.sort(values[others])
    every = np.sort(np.concatenate([labelled_values, other_values]))
    below, upto = (np.searchsorted(every, every, side=side) for side in ("left", "right"))
    ranks = (below + upto + 1) / 2
    spread = float(ranks.var()) * len(labelled_values) * len(other_values) / (len(every) - 1)
    if spread == 0:
        return 1.0
    mid_ranks = (
        np.searchsorted(every, labelled_values) + np.searchsorted(every, labelled_values, side="right") + 1
    ) / 2
    p = normal_p_value(
        (float(mid_ranks.sum()) - len(labelled_values) * float(ranks.mean())) / math.sqrt(spread), Alternative.TWO_SIDED
    )
    if p > _CLEARLY_RANDOM:
        return p
    return rank_sum(labelled_values, other_values, Alternative.TWO_SIDED)[0]
