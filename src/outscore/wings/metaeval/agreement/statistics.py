"""Statistics of agreement between a metric and people: the rows of segments, and the metric that scores their sums."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from outscore._types import BoolArray, FloatArray, IntArray
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics import Metric
from outscore.options import opt
from outscore.text.naming import nearest, printable, quoted
from outscore.text.numbers import format_count, format_counted
from outscore.wings.metaeval.agreement import correlations
from outscore.wings.metaeval.agreement.confidence import sign_p_values
from outscore.wings.metaeval.agreement.correlations import Correlation, pairs_of
from outscore.wings.metaeval.agreement.ties import Pairs, best_epsilons
from outscore.wings.metaeval.agreement.totals import MeanOfSegments, OfMeans, OfTotals, SoftAccuracy, best_of_curve
from outscore.wings.metaeval.judgements import Judgements, standardised

_MOST_CELLS = 2**25  # of items, metrics and labels: their counts take 512 MB
_GRID = 128  # thresholds ε among which each resample finds its best
BEST, REFIT = "best", "refit"


@dataclass(frozen=True, eq=False)
class Measured:
    """The values of a statistic on judgements, for all metrics."""

    metric: Metric
    segments: IntArray  # shape (n,): the segments that count
    rows: Mapping[str, FloatArray]  # shape (n, k): by the metrics' names
    # The largest differences that acc-t counts as ties, by metric.
    epsilons: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # notes for users


class Statistic(ABC):
    """A statistic of agreement."""

    name: str
    title: str
    bootstraps: bool = False  # whether the bootstrap is its default test
    is_smooth: bool = True  # whether it is a smooth function of sums, so that influences of segments describe it
    fewest: int = 2  # the smallest number of systems
    needs_variation: bool = True  # whether it is undefined if all human scores are the same

    @abstractmethod
    def measured(self, data: Judgements) -> Measured:
        """Return the metric of the statistic and the rows of all metrics."""

    def counted(self, data: Judgements) -> BoolArray:
        """Return which segments count, shape (n,): by default all that people rated."""
        return np.asarray(data.rated.any(axis=0))

    def segments(self, data: Judgements) -> IntArray:
        """Return the indices of the segments that count.

        Refused are judgements without any, of too few systems, or with equal human scores throughout.
        """
        s = len(data.systems)
        if s < self.fewest:
            what = f"expected at least {format_counted(self.fewest, 'system')} with all scores, got {s}"
            raise DataError(Problem(printable(data.name), what, f"{self.name} needs them.", "one-system"))
        rated = data.human[data.rated]
        if self.needs_variation and (rated == rated[0]).all():
            what = "expected human scores that differ, got only one"
            raise DataError(Problem(printable(data.name), what, "Check that this is the right file.", "constant"))
        segments: IntArray = np.flatnonzero(self.counted(data))
        if not len(segments):
            what = f"expected segments with the scores that {self.name} needs, got none"
            raise DataError(Problem(printable(data.name), what, "Check that this is the right file.", "no-pairs"))
        return segments


@dataclass(frozen=True)
class AccT(Statistic):
    """Accuracy of pairs of translations with ties: acc-t, or tau_eq.

    The largest difference that counts as a tie, `epsilon`, is a number, the "best" one for each metric, or the best one
    in each resample ("refit").
    """

    epsilon: str | float = BEST

    name = "acc-t"
    title = "acc-t"
    needs_variation = False

    @property
    def bootstraps(self) -> bool:  # type: ignore[override]
        return self.epsilon == REFIT

    def measured(self, data: Judgements) -> Measured:
        pairs = {name: Pairs.of(data.human, scores) for name, scores in data.metrics.items()}
        n_pairs, segments = self._pairs(data), self.segments(data)
        scale = float(n_pairs.max())
        epsilons, rows = {}, {}
        for name, pairs_of_metric in pairs.items():
            epsilon = best_epsilons(pairs_of_metric)[0] if isinstance(self.epsilon, str) else self.epsilon
            counts = pairs_of_metric.complete.sum(axis=0)[segments]
            weights = np.divide(scale, counts, out=np.zeros(len(segments)), where=counts > 0)
            thresholds = _thresholds(pairs_of_metric, epsilon) if self.epsilon == REFIT else np.array([epsilon])
            curves = pairs_of_metric.curves(thresholds)[segments] * weights[:, None]
            epsilons[name] = epsilon
            rows[name] = np.column_stack([curves, np.where(counts > 0, scale, 0.0)])
        metric: Metric = MeanOfSegments(self.name, self.title)
        if self.epsilon == REFIT:
            metric = OfTotals(self.name, self.title, _GRID + 1, best_of_curve)
        return Measured(metric, segments, rows, epsilons, lacking(data))

    def _pairs(self, data: Judgements) -> IntArray:
        return np.asarray(np.isfinite(pairs_of(data.human)).sum(axis=0))

    def counted(self, data: Judgements) -> BoolArray:
        return self._pairs(data) > 0


def _thresholds(pairs: Pairs, epsilon: float) -> FloatArray:
    """Return the best ε and quantiles of all differences, 0 among them."""
    sizes = pairs.sizes[pairs.complete]
    return np.append(np.quantile(sizes, np.linspace(0, 1, _GRID - 2)), [0.0, epsilon])


def lacking(data: Judgements, rest: str = "which do not count for it") -> tuple[str, ...]:
    """Return a note for each metric without scores of some rated outputs."""
    return tuple(
        f"{printable(name)} has no score of {format_counted(count, 'rated output')}, {rest}."
        for name, scores in data.metrics.items()
        if (count := int((data.rated & ~np.isfinite(scores)).sum()))
    )


@dataclass(frozen=True)
class BySegment(Statistic):
    """The mean over segments of a correlation over systems. Segments without a correlation do not count."""

    name: str
    title: str
    correlation: Correlation

    def measured(self, data: Judgements) -> Measured:
        segments, notes = self.segments(data), [*lacking(data)]
        human, rows, n = data.human[:, segments], {}, format_count
        n_equal = int(np.isnan(self.correlation(human, human)).sum())
        if n_equal:
            notes.append(f"{n(n_equal)} of {n(len(segments))} segments do not count: people gave them equal scores.")
        for name, scores in data.metrics.items():
            correlations_of_metric = self.correlation(human, np.where(data.rated, scores, np.nan)[:, segments])
            rows[name] = np.column_stack([np.nan_to_num(correlations_of_metric), np.isfinite(correlations_of_metric)])
            count = int(np.isnan(correlations_of_metric).sum())
            if count == len(segments):
                what = f"{printable(name)} has no correlation in any segment: scores of it or of people are equal"
                raise DataError(Problem(printable(data.name), what, "Leave it out.", "constant"))
            if count > n_equal:
                more = format_counted(count - n_equal, "segment")
                notes.append(f"{printable(name)} has equal or no scores in {more} more, which do not count for it.")
        return Measured(MeanOfSegments(self.name, self.title, -1.0), segments, rows, notes=tuple(notes))

    def counted(self, data: Judgements) -> BoolArray:
        return np.asarray(data.rated.sum(axis=0) > 1)


@dataclass(frozen=True)
class Pooled(Statistic):
    """Pearson's correlation over all translations of all segments."""

    name = "pearson"
    title = "segment Pearson"
    fewest = 1

    def measured(self, data: Judgements) -> Measured:
        segments = self.segments(data)
        rows = {name: rows_of_moments(data, name)[:, segments].sum(axis=0) for name in data.metrics}
        return Measured(OfTotals(self.name, self.title, 6, of_moments, -1.0), segments, rows, notes=lacking(data))


def rows_of_moments(data: Judgements, metric: str) -> FloatArray:
    """Return 1, x, y, x², y², xy of each translation, all 0 if one of the scores is missing: shape (S, n, 6)."""
    scores = standardised(data.metrics[metric])
    there = data.rated & np.isfinite(scores)
    x, y = (np.where(there, side, 0.0) for side in (scores, standardised(data.human)))
    return np.stack([there.astype(np.float64), x, y, x * x, y * y, x * y], axis=-1)


def of_moments(totals: FloatArray) -> FloatArray:
    """Return Pearson's correlation of totals of `rows_of_moments`, 0 if it is undefined."""
    from outscore.metrics.families.regression import Pearson

    return Pearson().score(totals)


@dataclass(frozen=True)
class OfSystems(Statistic):
    """A correlation of the means of systems.

    Human means are over the rated translations, and the metric's over all that it scored, as in mt-metrics-eval.
    """

    name: str
    title: str
    correlation: Correlation
    bootstraps = True

    @property
    def is_smooth(self) -> bool:  # type: ignore[override]
        return self.correlation is correlations.pearson

    @property
    def fewest(self) -> int:  # type: ignore[override]
        return 3 if self.is_smooth else 2

    def measured(self, data: Judgements) -> Measured:
        data = data.ordered
        s, segments = len(data.systems), self.segments(data)
        human = np.nan_to_num(standardised(data.human))[:, segments].T
        rows = {}
        for name in data.metrics:
            scores = standardised(data.metrics[name]) + data.offset(name)[:, None]
            parts = (
                human,
                data.rated[:, segments].T,
                np.nan_to_num(scores)[:, segments].T,
                np.isfinite(scores)[:, segments].T,
            )
            rows[name] = np.column_stack(parts).astype(np.float64)
        metric = OfTotals(self.name, self.title, 4 * s, OfMeans(s, self.correlation), -1.0)
        return Measured(metric, segments, rows, notes=self.notes(data))

    def notes(self, data: Judgements) -> tuple[str, ...]:
        """Return what a reader must know of the means of metrics."""
        names_with_scores = (
            f"{printable(name)} has system scores of its own, which are not means over segments: resamples change "
            "them by as much as the means."
            for name in data.metrics
            if np.abs(data.offset(name)).max() > 1e-6
        )
        return (*names_with_scores, *lacking(data, "so that its means are over fewer outputs"))

    def counted(self, data: Judgements) -> BoolArray:
        scored = [np.isfinite(scores).any(axis=0) for scores in data.metrics.values()]
        return np.asarray(np.any([data.rated.any(axis=0), *scored], axis=0))


@dataclass(frozen=True)
class Spa(Statistic):
    """Soft pairwise accuracy: 1 − the mean difference of the p-values of people and of the metric."""

    name = "spa"
    title = "soft pairwise accuracy"
    bootstraps = True

    def measured(self, data: Judgements) -> Measured:
        data = data.ordered
        segments = self.segments(data)
        human, s = data.human[:, segments], len(data.systems)
        human_pairs, rows = pairs_of(human), {}
        expected = sign_p_values(human_pairs)
        function = SoftAccuracy(s)
        for name in data.metrics:
            metric_scores = standardised(data.metrics[name])[:, segments]
            metric_pairs = pairs_of(metric_scores)
            exact = 1 - float(np.abs(expected - sign_p_values(metric_pairs)).mean())
            ones = np.ones(len(segments))
            columns = np.column_stack([human.T, metric_scores.T, human_pairs.T**2, metric_pairs.T**2, 0 * ones, ones])
            columns[:, -2] = exact - float(function(columns.sum(axis=0)))
            rows[name] = columns
        metric = OfTotals(self.name, self.title, 2 * s + s * (s - 1) + 2, function)
        left_out = int(data.rated.any(axis=0).sum()) - len(segments)
        note = f"{format_counted(left_out, 'segment')} without scores of all systems were left out."
        return Measured(metric, segments, rows, notes=(note,) if left_out else ())

    def counted(self, data: Judgements) -> BoolArray:
        complete = [np.isfinite(scores).all(axis=0) for scores in data.metrics.values()]
        return np.asarray(np.all([data.rated.all(axis=0), *complete], axis=0))


@dataclass(frozen=True)
class Preference(Statistic):
    """The proportion of pairs that the metric orders like people. A tie of the metric counts as half.

    Pairs that people tie are left out. With the systems "chosen" and "rejected" it is the accuracy of a judge.
    """

    name = "preference"
    title = "preference accuracy"

    def measured(self, data: Judgements) -> Measured:
        gaps, segments = pairs_of(data.human), self.segments(data)
        rows = {name: self._rows(gaps, scores)[segments] for name, scores in data.metrics.items()}
        return Measured(MeanOfSegments(self.name, self.title), segments, rows, notes=lacking(data))

    def counted(self, data: Judgements) -> BoolArray:
        return np.asarray((np.abs(pairs_of(data.human)) > 0).any(axis=0))

    def _rows(self, gaps: FloatArray, scores: FloatArray) -> FloatArray:
        product = np.sign(gaps) * np.sign(pairs_of(scores))
        counts = np.isfinite(product) & (gaps != 0)
        return np.column_stack([np.where(counts, (1 + product) / 2, 0.0).sum(axis=0), counts.sum(axis=0)])


@dataclass(frozen=True)
class Agreement(Statistic):
    """The proportion of equal labels, or Cohen's kappa (1960)."""

    name: str
    title: str
    by_chance: bool
    fewest = 1
    needs_variation = False

    def measured(self, data: Judgements) -> Measured:
        segments = self.segments(data)
        rows = {name: self._rows(data, scores)[segments] for name, scores in data.metrics.items()}
        metric: Metric = MeanOfSegments(self.name, self.title)
        if self.by_chance:
            metric = OfTotals(self.name, self.title, len(next(iter(rows.values())).T), self._kappa(data).score, -1.0)
        return Measured(metric, segments, rows, notes=lacking(data))

    def _kappa(self, data: Judgements) -> Any:
        from outscore.metrics.families.classification import Kappa

        labels = data.labels or tuple(map(str, _values(data).tolist()))
        if len(labels) * len(data.items) * len(data.metrics) > _MOST_CELLS:
            most = _MOST_CELLS // (len(data.items) * len(data.metrics))
            what = f"expected at most {format_count(most)} labels, got {format_count(len(labels))}"
            advice = "Use a statistic of scores, such as acc-t or pearson."
            raise DataError(Problem(printable(data.name), what, advice, "too-many-labels"))
        return Kappa(labels=labels)

    def _rows(self, data: Judgements, scores: FloatArray) -> FloatArray:
        there = data.rated & np.isfinite(scores)
        if not self.by_chance:
            return np.column_stack([((scores == data.human) & there).sum(axis=0), there.sum(axis=0)])
        kappa, values = self._kappa(data), _values(data)
        cells = np.zeros((there.shape[1], 2 * len(kappa.labels) + 1))
        for translations, score, human in zip(there, scores, data.human, strict=True):  # systems one by one
            codes = (np.searchsorted(values, side[translations]).tolist() for side in (score, human))
            cells[translations] += kappa.rows(*([kappa.labels[code] for code in side] for side in codes))
        return cells


def _values(data: Judgements) -> FloatArray:
    """Return the distinct scores, which are the places of labels if labels are known."""
    if data.labels:
        return np.arange(float(len(data.labels)))
    every = np.concatenate([data.human.ravel(), *(scores.ravel() for scores in data.metrics.values())])
    return np.unique(every[np.isfinite(every)])


STATISTICS: Mapping[str, Statistic] = {
    statistic.name: statistic
    for statistic in (
        AccT(),
        Spa(),
        Pooled(),
        BySegment("pearson-item", "mean Pearson by segment", correlations.pearson),
        BySegment("spearman-item", "mean Spearman by segment", correlations.spearman),
        BySegment("kendall-item", "mean Kendall τ-b by segment", correlations.kendall_b),
        BySegment("kendall-c-item", "mean Kendall τ-c by segment", correlations.kendall_c),
        OfSystems("pearson-system", "system Pearson", correlations.pearson),
        OfSystems("spearman-system", "system Spearman", correlations.spearman),
        OfSystems("kendall-system", "system Kendall τ-b", correlations.kendall_b),
        OfSystems("kendall-c-system", "system Kendall τ-c", correlations.kendall_c),
        OfSystems("pairwise-accuracy", "pairwise accuracy", correlations.pairwise_accuracy),
        Preference(),
        Agreement("agreement", "agreement", by_chance=False),
        Agreement("kappa", "Cohen's kappa", by_chance=True),
    )
}


def statistic_named(name: str, epsilon: str | float = BEST) -> Statistic:
    """Return a statistic by its name, or raise OptionError."""
    if name not in STATISTICS:
        what = f"unknown statistic {quoted(name)}"
        raise OptionError(Problem(opt("statistic"), what, nearest(name, list(STATISTICS)), "unknown-statistic"))
    return AccT(epsilon) if name == AccT.name else STATISTICS[name]
