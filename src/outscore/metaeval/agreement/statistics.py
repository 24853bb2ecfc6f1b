"""Statistics of agreement between a metric and people: the rows of segments, and the metric that scores their sums."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.errors import DataError, OptionError, Problem
from outscore.metaeval.agreement import correlations
from outscore.metaeval.agreement.confidence import sign_p_values
from outscore.metaeval.agreement.correlations import Correlation, pairs_of
from outscore.metaeval.agreement.ties import Pairs, best_epsilons
from outscore.metaeval.agreement.totals import MeanOfSegments, OfMeans, OfTotals, SoftAccuracy, best_of_curve
from outscore.metaeval.judgements import Judgements
from outscore.metrics import Metric
from outscore.options import opt
from outscore.text.naming import nearest, printable, quoted
from outscore.text.numbers import format_counted

_GRID = 128  # thresholds ε among which each resample finds its best
BEST, REFIT = "best", "refit"


@dataclass(frozen=True, eq=False)
class Measured:
    """The values of a statistic on judgements, for all metrics.

    Attributes
    ----------
    metric : Metric
    places : ndarray of int, shape (n,)
        The segments that count.
    rows : mapping of str to ndarray, shape (n, k)
        By the metrics' names.
    epsilons : mapping of str to float
        The largest differences that acc-t counts as ties, by metric.
    notes : tuple of str
        Notes for users.
    """

    metric: Metric
    places: IntArray
    rows: Mapping[str, FloatArray]
    epsilons: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class Statistic(ABC):
    """A statistic of agreement.

    Attributes
    ----------
    name, title, citation : str
    bootstraps : bool
        Whether the bootstrap is its default test.
    is_smooth : bool
        Whether it is a smooth function of sums, so that influences of segments describe it.
    """

    name: str
    title: str
    citation: ClassVar[str] = ""
    bootstraps: bool = False
    is_smooth: bool = True

    @abstractmethod
    def measured(self, data: Judgements) -> Measured:
        """Return the metric of the statistic and the rows of all metrics."""


@dataclass(frozen=True)
class AccT(Statistic):
    """Accuracy of pairs of translations with ties: acc-t, or tau_eq.

    Parameters
    ----------
    epsilon : {"best", "refit"} or float
        The largest difference that counts as a tie: the best one for each metric, the best one in each resample, or
        a number.
    """

    epsilon: str | float = BEST

    name = "acc-t"
    title = "acc-t"
    citation = "Deutsch, Foster & Freitag 2023"

    @property
    def bootstraps(self) -> bool:  # type: ignore[override]
        return self.epsilon == REFIT

    def measured(self, data: Judgements) -> Measured:
        pairs = {name: Pairs.of(data.human, scores) for name, scores in data.metrics.items()}
        known = np.isfinite(pairs_of(data.human)).sum(axis=0)
        places, scale = _with_pairs(data, known > 0), float(known.max())
        epsilons, rows = {}, {}
        for name, of in pairs.items():
            epsilon = best_epsilons(of)[0] if isinstance(self.epsilon, str) else self.epsilon
            counts = of.known.sum(axis=0)[places]
            weights = np.divide(scale, counts, out=np.zeros(len(places)), where=counts > 0)
            thresholds = _thresholds(of, epsilon) if self.epsilon == REFIT else np.array([epsilon])
            curves = of.curves(thresholds)[places] * weights[:, None]
            epsilons[name] = epsilon
            rows[name] = np.column_stack([curves, np.where(counts > 0, scale, 0.0)])
        metric: Metric = MeanOfSegments(self.name, self.title)
        if self.epsilon == REFIT:
            metric = OfTotals(self.name, self.title, _GRID + 1, best_of_curve)
        return Measured(metric, places, rows, epsilons, _lacking(data))


def _thresholds(pairs: Pairs, epsilon: float) -> FloatArray:
    """Return the best ε and quantiles of all differences, 0 among them."""
    sizes = pairs.sizes[pairs.known]
    return np.append(np.quantile(sizes, np.linspace(0, 1, _GRID - 2)), [0.0, epsilon])


def _with_pairs(data: Judgements, has_pairs: object) -> IntArray:
    places: IntArray = np.flatnonzero(np.asarray(has_pairs))
    if not len(places):
        what = "expected segments with human scores of at least two systems, got none"
        raise DataError(Problem(printable(data.name), what, "Check that this is the right file.", "no-pairs"))
    return places


def _lacking(data: Judgements) -> tuple[str, ...]:
    """Return a note for each metric without scores of some rated translations."""
    return tuple(
        f"{printable(name)} lacks scores of {format_counted(count, 'rated translation')}, which are left out."
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
        places = _with_pairs(data, data.rated.sum(axis=0) > 1)
        human, rows = data.human[:, places], {}
        for name, scores in data.metrics.items():
            own = self.correlation(human, np.where(data.rated, scores, np.nan)[:, places])
            rows[name] = np.column_stack([np.nan_to_num(own), np.isfinite(own)])
        return Measured(MeanOfSegments(self.name, self.title), places, rows, notes=_lacking(data))


@dataclass(frozen=True)
class Pooled(Statistic):
    """Pearson's correlation over all translations of all segments."""

    name = "pearson"
    title = "segment Pearson"

    def measured(self, data: Judgements) -> Measured:
        places = _with_pairs(data, data.rated.any(axis=0))
        rows = {name: rows_of_moments(data, name)[:, places].sum(axis=0) for name in data.metrics}
        return Measured(OfTotals(self.name, self.title, 6, of_moments, -1.0), places, rows, notes=_lacking(data))


def rows_of_moments(data: Judgements, metric: str) -> FloatArray:
    """Return 1, x, y, x², y², xy of each translation, all 0 if one of the scores is missing: shape (S, n, 6)."""
    scores = data.standardised(metric)
    there = data.rated & np.isfinite(scores)
    centre, spread = np.nanmean(data.human), float(np.nanstd(data.human)) or 1.0
    x, y = np.where(there, scores, 0.0), np.where(there, (data.human - centre) / spread, 0.0)
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
    citation: str = ""  # type: ignore[misc]
    bootstraps = True

    @property
    def is_smooth(self) -> bool:  # type: ignore[override]
        return self.correlation is correlations.pearson

    def measured(self, data: Judgements) -> Measured:
        data = data.ordered
        s, centre = len(data.systems), float(np.nanmean(data.human))
        places = np.flatnonzero(np.asarray(data.rated.any(axis=0)) | _any_score(data))
        human = np.nan_to_num(data.human - centre)[:, places].T
        rows = {}
        for name in data.metrics:
            scores = data.standardised(name) + data.offset(name)[:, None]
            parts = human, data.rated[:, places].T, np.nan_to_num(scores)[:, places].T, np.isfinite(scores)[:, places].T
            rows[name] = np.column_stack(parts).astype(np.float64)
        metric = OfTotals(self.name, self.title, 4 * s, OfMeans(s, self.correlation), -1.0)
        notes = [
            f"{printable(name)} has its own system scores, which are not means over segments. Resamples change them as "
            "much as the means."
            for name in data.metrics
            if np.abs(data.offset(name)).max() > 1e-6
        ]
        return Measured(metric, places, rows, notes=tuple(notes))


def _any_score(data: Judgements) -> AnyArray:
    return np.asarray(np.any([np.isfinite(scores).any(axis=0) for scores in data.metrics.values()], axis=0))


@dataclass(frozen=True)
class Spa(Statistic):
    """Soft pairwise accuracy: 1 − the mean difference of the p-values of people and of the metric."""

    name = "spa"
    title = "soft pairwise accuracy"
    citation = "Thompson et al. 2024"
    bootstraps = True

    def measured(self, data: Judgements) -> Measured:
        data = data.ordered
        places = complete_segments(data)
        human, s = data.human[:, places], len(data.systems)
        human_pairs, rows = pairs_of(human), {}
        expected = sign_p_values(human_pairs)
        function = SoftAccuracy(s)
        for name in data.metrics:
            own = data.standardised(name)[:, places]
            own_pairs = pairs_of(own)
            exact = 1 - float(np.abs(expected - sign_p_values(own_pairs)).mean())
            ones = np.ones(len(places))
            of = np.column_stack([human.T, own.T, human_pairs.T**2, own_pairs.T**2, 0 * ones, ones])
            of[:, -2] = exact - float(function(of.sum(axis=0)))
            rows[name] = of
        metric = OfTotals(self.name, self.title, 2 * s + s * (s - 1) + 2, function)
        left_out = int(data.rated.any(axis=0).sum()) - len(places)
        note = f"{format_counted(left_out, 'segment')} without scores of all systems were left out."
        return Measured(metric, places, rows, notes=(note,) if left_out else ())


def complete_segments(data: Judgements) -> IntArray:
    """Return the segments with all scores of all systems.

    Raises
    ------
    DataError
        No segment has all scores.
    """
    every = data.rated.all(axis=0)
    for scores in data.metrics.values():
        every &= np.isfinite(scores).all(axis=0)
    return _with_pairs(data, every)


@dataclass(frozen=True)
class Preference(Statistic):
    """The proportion of pairs that the metric orders like people. A tie of the metric counts as half.

    Pairs that people tie are left out. With the systems "chosen" and "rejected" it is the accuracy of a judge.
    """

    name = "preference"
    title = "preference accuracy"

    def measured(self, data: Judgements) -> Measured:
        gaps = pairs_of(data.human)
        places = _with_pairs(data, (np.abs(gaps) > 0).any(axis=0))
        rows = {name: self._rows(gaps, scores)[places] for name, scores in data.metrics.items()}
        return Measured(MeanOfSegments(self.name, self.title), places, rows, notes=_lacking(data))

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

    def measured(self, data: Judgements) -> Measured:
        from outscore.metrics.families.classification import Kappa

        labels = data.labels or tuple(map(str, np.unique(_values(data)).tolist()))
        values = np.arange(float(len(labels))) if data.labels else np.unique(_values(data))
        places, rows = _with_pairs(data, data.rated.any(axis=0)), {}
        kappa = Kappa(labels=labels)
        width = 2 * len(labels) + 1
        for name, scores in data.metrics.items():
            there = data.rated & np.isfinite(scores)
            cells = np.zeros((*there.shape, width))
            own, human = (np.searchsorted(values, side[there]) for side in (scores, data.human))
            cells[there] = kappa.rows([labels[code] for code in own], [labels[code] for code in human])
            summed = cells[:, places].sum(axis=0)
            count = there[:, places].sum(axis=0)
            rows[name] = summed if self.by_chance else np.column_stack([count - summed[:, 0], count])
        metric: Metric = MeanOfSegments(self.name, self.title)
        if self.by_chance:
            metric = OfTotals(self.name, self.title, width, kappa.score, -1.0)
        return Measured(metric, places, rows, notes=_lacking(data))


def _values(data: Judgements) -> FloatArray:
    every = np.concatenate([data.human.ravel(), *(scores.ravel() for scores in data.metrics.values())])
    return np.asarray(every[np.isfinite(every)])


_KOCMI = "Kocmi et al. 2021"
STATISTICS: Mapping[str, Statistic] = {
    one.name: one
    for one in (
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
        OfSystems("pairwise-accuracy", "pairwise accuracy", correlations.pairwise_accuracy, _KOCMI),
        Preference(),
        Agreement("agreement", "agreement", by_chance=False),
        Agreement("kappa", "Cohen's kappa", by_chance=True),
    )
}


def statistic_named(name: str, epsilon: str | float = BEST) -> Statistic:
    """Return a statistic by its name.

    Raises
    ------
    OptionError
        An unknown name.
    """
    if name not in STATISTICS:
        what = f"unknown statistic {quoted(name)}"
        raise OptionError(Problem(opt("statistic"), what, nearest(name, list(STATISTICS)), "unknown-statistic"))
    return AccT(epsilon) if name == AccT.name else STATISTICS[name]
