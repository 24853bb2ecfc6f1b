"""Proportions and coefficients of agreement of verdicts, with intervals; items are the units."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.data.rows import Labels, Rows
from outscore.design import Design
from outscore.design.clusters import Clusters
from outscore.design.scores import Systems
from outscore.gains.canonical import in_canonical_order
from outscore.gains.positions import sign_p_value
from outscore.laws.law import root
from outscore.laws.student import student_p_value, student_quantile
from outscore.metrics import Metric
from outscore.metrics.families.classification import Kappa
from outscore.metrics.families.columns import Mean
from outscore.metrics.families.raters import Agreement, Alpha, AlphaOfScores
from outscore.questions.ranks.inquiry import RankingSettings
from outscore.questions.ranks.ranking import rank_scores
from outscore.questions.system_scores import settled_score
from outscore.results import Alternative
from outscore.significance.score_intervals import BoundedMean
from outscore.wings.judging.results import AgreementOfRaters, Difference, FirstPosition, Proportion
from outscore.wings.judging.verdicts import Verdicts

Coefficient: TypeAlias = Agreement | Alpha | AlphaOfScores | Kappa

SHARE = Mean(lowest=0.0, highest=1.0)
_FARTHEST = 4.0  # times the largest observed disagreement
_MOST_CELLS = 2**20  # of a matrix of cases and values, 8 MB: more are computed in parts
_NAMES = {"kappa": "cohen-kappa"}


def summed(values: FloatArray, codes: IntArray) -> FloatArray:
    """Return the sums of values, shape (n, ...), by distinct code in ascending order."""
    distinct, places = np.unique(codes, return_inverse=True)
    if len(distinct) == len(codes):
        return values[np.argsort(places)]
    sums = np.zeros((len(distinct), *values.shape[1:]))
    np.add.at(sums, places, values)
    return sums


def score_interval(
    metric: Metric, rows: FloatArray, items: IntArray, alpha: float
) -> tuple[float, float | None, float | None]:
    """Return the score of rows, one or more per item, and the ends of its interval over items; None for one item."""
    codes = np.unique(items, return_inverse=True)[1]
    n = int(codes.max()) + 1
    if n < 2:
        return float(metric.score(rows.sum(axis=0))), None, None
    design = Design(len(rows), factors=(Clusters(codes),) if n < len(codes) else ())
    (ordered,), design = in_canonical_order([Rows("verdicts", rows)], design)
    score = settled_score(metric, ordered, design, alpha)
    return score.score, score.interval.low, score.interval.high


def proportion(values: FloatArray, items: IntArray, alpha: float) -> Proportion | None:
    """Return the mean of values from 0 to 1, shape (n,), one or more per item; None of none."""
    if not len(values):
        return None
    score, low, high = score_interval(SHARE, SHARE.rows(values[:, None]), items, alpha)
    return Proportion(score, max(low or 0.0, 0.0), 1.0 if high is None else min(high, 1.0), len(np.unique(items)))


def mean_by(values: FloatArray, *codes: AnyArray) -> tuple[FloatArray, IntArray]:
    """Return the means over rows with the same codes, by ascending codes, and the index of one row of each."""
    _, first, places, counts = np.unique(
        np.column_stack(codes), axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    return np.bincount(places.ravel(), weights=values) / counts, first


def same_in_both_orders(data: Verdicts, chosen: IntArray) -> tuple[FloatArray, IntArray]:
    """Return the proportion of equal verdicts, of all pairs in different orders, by case; and the cases' items."""
    return _pairs(data, chosen, across=True)


def flipped(data: Verdicts, chosen: IntArray) -> tuple[FloatArray, IntArray]:
    """Return the proportion of different verdicts, of all pairs of repetitions, by case; and the cases' items."""
    same, items = _pairs(data, chosen, across=False)
    return 1 - same, items


def _pairs(data: Verdicts, chosen: IntArray, *, across: bool) -> tuple[FloatArray, IntArray]:
    """Return the proportion of equal verdicts, of all pairs of one order or across orders, by case; and their items."""
    roles = ("judge", "item", "system", "part", *(() if across else ("order",)))
    _, first, case = np.unique(
        np.column_stack([getattr(data, role)[chosen] for role in roles]), axis=0, return_index=True, return_inverse=True
    )
    # The verdicts of a case that are equal, by order: never a column for each of many values.
    equal, at = np.unique(case.ravel() * len(data.values) + data.verdict[chosen], return_inverse=True)
    by_value, counts = np.zeros((2, len(equal))), np.zeros((2, len(first)))
    np.add.at(by_value, (data.order[chosen], at), 1)
    np.add.at(counts, (data.order[chosen], case.ravel()), 1)
    if across:
        products, pairs = by_value[0] * by_value[1], counts[0] * counts[1]
    else:
        n_same, n = by_value.sum(axis=0), counts.sum(axis=0)
        products, pairs = n_same * (n_same - 1), n * (n - 1)
    same = np.bincount(equal // len(data.values), products, len(first))
    has_pairs = pairs > 0
    return same[has_pairs] / pairs[has_pairs], data.item[chosen][first[has_pairs]]


def first_position(data: Verdicts, chosen: IntArray, alpha: float) -> FirstPosition | None:
    """Return how often verdicts are for the first place; None if that is unknown, or no item has both orders.

    Each case (judge, item, system) in both orders is the mean of both; an item favours a place if its mean does.
    """
    if data.first is None:
        return None
    keys = data.judge[chosen], data.item[chosen], data.system[chosen], data.part[chosen]
    means, at = mean_by(data.first[chosen], *keys, data.order[chosen])
    both = [key[at] for key in keys]
    shares, of_items = mean_by(means, *both)
    counts = np.unique(np.column_stack(both), axis=0, return_counts=True)[1]
    shares, items = shares[counts == 2], both[1][of_items][counts == 2]
    interval = proportion(shares, items, alpha)
    if interval is None:
        return None
    sides = np.sign(np.round(mean_by(shares, items)[0] - 0.5, 12))
    first, second = int((sides > 0).sum()), int((sides < 0).sum())
    return FirstPosition(
        interval.value, interval.low, interval.high, first, second, interval.n_items, sign_p_value(first, second)
    )


def coefficient_interval(
    metric: Coefficient, sums: Callable[[], Iterator[FloatArray]], alpha: float
) -> tuple[float, float | None, float | None] | None:
    """Return a coefficient 1 − D_o/D_e with its interval, if D_e remains without an item; None if D_e is 0.

    The interval is that of the score test by maximum empirical likelihood (`BoundedMean`): for each hypothetical value
    the items, and an unseen item with no disagreement or a large one, are reweighted to have that value. So it has
    width if all raters agree. The large one is the largest possible, but at most four times the largest observed one:
    otherwise few ratings on a long scale would have an interval of almost all values. D_o and D_e are parted into
    contributions of items: what they change if it is left out. `sums` yields the rows of items, some at a time.
    """
    several = [(len(part), part.sum(axis=0)) for part in sums()]
    totals, n = np.sum([of for _, of in several], axis=0), sum(count for count, _ in several)
    observed, expected = (float(part) for part in metric.disagreements(totals))
    if not expected > 0 or n < 2:
        return None
    parts = (
        tuple(map(np.array, metric.disagreements(totals - part))) for part in sums()
    )  # copies: views would keep rows
    without = [np.concatenate(of) for of in zip(*parts, strict=True)]
    d, shared = (_parted(whole, of) for whole, of in zip((observed, expected), without, strict=True))
    if not shared.any():
        return 1 - observed / expected, None, None
    most = metric.largest(totals)
    if d.max() > 0:
        most = min(most, _FARTHEST * float(d.max() * shared.sum() / (shared @ shared)))
    low, high = BoundedMean(d, shared, (0.0, most), n - 1.0).interval(alpha / 2)
    return 1 - observed / expected, max(1 - high, -1.0), 1 - low


def _parted(whole: float, without: FloatArray) -> FloatArray:
    """Return the contributions of items to a sum, given the sum without each item."""
    parts = whole - without
    return np.asarray(parts * (whole / parts.sum()) if parts.sum() > 0 else parts)


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings of cases, each by several raters; cases are sorted by item.

    Attributes
    ----------
    case, value : ndarray of int, shape (n,)
        The case of each rating, from 0, and the code of its value.
    items : ndarray of int, shape (n_cases,)
        The item of each case.
    """

    case: IntArray
    value: IntArray
    items: IntArray

    @classmethod
    def of(cls, data: Verdicts, chosen: IntArray | None = None) -> Ratings:
        """Return the ratings by all judges, or each of the chosen verdicts with that of a person beside it."""
        if chosen is None:
            _, first, case = np.unique(cases_of(data), return_index=True, return_inverse=True)
            return cls(case.ravel(), data.verdict, data.item[first])
        rows = chosen[np.argsort(data.item[chosen], kind="stable")]
        case = np.tile(np.arange(len(rows)), 2)
        return cls(case, np.concatenate([data.verdict[rows], data.human[rows]]), data.item[rows])

    @property
    def n_items(self) -> int:
        """The number of items with several ratings of a case."""
        return len(np.unique(self.items[np.bincount(self.case, minlength=len(self.items)) > 1]))

    def counts(self, c: int, part: slice = slice(None)) -> FloatArray:
        """Return how many raters chose each of c values in some cases, shape (n, c)."""
        start, end, _ = part.indices(len(self.items))
        counts = np.zeros((end - start, c))
        in_part = (self.case >= start) & (self.case < end)
        np.add.at(counts, (self.case[in_part] - start, self.value[in_part]), 1)
        return counts

    def parts(self, k: int) -> Iterator[slice]:
        """Yield all cases in parts of whole items whose rows of k numbers take little memory."""
        most, n = max(_MOST_CELLS // k, 1), len(self.items)
        ends = [*(np.flatnonzero(np.diff(self.items)) + 1).tolist(), n]
        start = before = 0
        for end in ends:
            if end - start > most and before > start:
                yield slice(start, before)
                start = before
            before = end
        yield slice(start, n)

    def alpha(self, data: Verdicts) -> tuple[Alpha | AlphaOfScores, Callable[[slice], FloatArray]]:
        """Return Krippendorff's alpha, and its rows of some cases."""
        if data.level == "interval":
            of_scores = AlphaOfScores(float(data.values.min()), float(data.values.max()))
            return of_scores, of_scores.rows(self.case, data.values[self.value]).__getitem__
        coefficient = Alpha(tuple(data.values.tolist()), data.level)
        return coefficient, lambda part: coefficient.rows(self.counts(len(data.values), part))


def agreement_of(
    data: Verdicts, names: tuple[str, ...], chosen: IntArray | None, alpha: float, *, only_main: bool = False
) -> list[AgreementOfRaters]:
    """Return the coefficients of agreement for the level of measurement: of a judge with people, or of all judges.

    The main one of labels is the raw agreement, of scores Krippendorff's alpha.
    """
    ratings, c = Ratings.of(data, chosen), len(data.values)
    found: list[tuple[Coefficient, Callable[[slice], FloatArray], Ratings]] = []
    if data.level in ("nominal", "ordinal") and not (only_main and data.level == "ordinal"):
        kinds = ("raw",) if only_main else ("raw", "ac1", "fleiss")
        found += [
            (of, partial(lambda of, part: of.rows(ratings.counts(c, part)), of), ratings)
            for of in (Agreement(c, kind) for kind in kinds)
        ]
        n_pairs = len(ratings.items)
        if len(names) == 2 and not only_main and c * max(n_pairs, c) <= _MOST_CELLS:
            *codes, both = _by_rater(data) if chosen is None else (data.verdict[chosen], data.human[chosen], chosen)
            labels = tuple(map(str, range(c)))
            kappa = Kappa(labels=labels, weights="linear" if data.level == "ordinal" else None)
            one, other = ([labels[code] for code in own] for own in codes)
            rows = kappa.rows(one, other)
            pairs = Ratings(np.arange(len(rows)), codes[0], data.item[both])
            found.insert(1, (kappa, rows.__getitem__, pairs))
    if not (only_main and found):
        found.append((*ratings.alpha(data), ratings))
    return [
        AgreementOfRaters(names, _NAMES.get(of.name, of.name), *_estimate(c, of, rows, own, alpha), ratings.n_items)
        for of, rows, own in found
    ]


def _estimate(
    c: int, metric: Coefficient, rows: Callable[[slice], FloatArray], ratings: Ratings, alpha: float
) -> tuple[float | None, float | None, float | None]:
    """Return a coefficient and the ends of its interval; None if it is undefined."""
    parts = [slice(None)] if isinstance(metric, Kappa) else list(ratings.parts(len(metric.statistics)))
    if isinstance(metric, Agreement) and metric.by_chance == "raw":
        disagreement, several = np.concatenate([rows(part)[:, :2].copy() for part in parts]).T
        interval = proportion(1 - disagreement[several > 0], ratings.items[several > 0], alpha)
        return (None, None, None) if interval is None else (interval.value, interval.low, interval.high)

    def sums() -> Iterator[FloatArray]:
        yield from (summed(rows(part), ratings.items[part]) for part in parts)

    ends = None if c < 2 else coefficient_interval(metric, sums, alpha)
    return ends or (None, None, None)


def _by_rater(data: Verdicts) -> tuple[IntArray, IntArray, IntArray]:
    """Return the verdicts of two judges on the cases of both, and a row of each case."""
    case = cases_of(data)
    codes, rows = np.full((2, case.max() + 1), -1), np.zeros(case.max() + 1, dtype=np.int64)
    codes[data.judge, case], rows[case] = data.verdict, np.arange(len(case))
    both = (codes >= 0).all(axis=0)
    return codes[0][both], codes[1][both], rows[both]


def cases_of(data: Verdicts) -> IntArray:
    """Return the code of each verdict's case: an item, a system, a part, an order, a repetition and a person."""
    keys = np.column_stack([data.item, data.system, data.part, data.order, data.repetition, data.person])
    return np.unique(keys, axis=0, return_inverse=True)[1].ravel()


def rates_compared(measure: str, higher: str, lower: str, rows: Sequence[FloatArray], alpha: float) -> Difference:
    """Return the difference of the rates of two systems, the higher rate first, by a score test; uncorrected.

    `rows` of each system, shape (n_items, 2), are right verdicts and verdicts, item by item; 0 without any.

    With xᵢ right verdicts of mᵢ, rates p and n = Σ mᵢ, the variance of p_A − p_B − δ under the null hypothesis is
    f Σ_s p̃_s (1 − p̃_s) Σ mᵢ²/n_s² − 2 Σ r_A r_B/(n_A n_B), with p̃_A = p̃_B + δ from all verdicts, residuals
    r = x − m p̃, and f = Σ r²/(p̃ (1 − p̃) Σ m²) at δ = 0, the design effect of several verdicts of an item. So a system
    without any error has a variance. For one verdict per item, δ = 0 is Pearson's test of unshared items and McNemar's
    of shared ones. The interval has all δ that are not rejected. t has n_items − 1 degrees of freedom.
    """
    (x_a, m_a), (x_b, m_b) = (row.T for row in rows)
    n_a, n_b = float(m_a.sum()), float(m_b.sum())
    gap = float(x_a.sum() / n_a - x_b.sum() / n_b)
    k_a, k_b = float(m_a @ m_a) / n_a**2, float(m_b @ m_b) / n_b**2
    p = float(x_a.sum() + x_b.sum()) / (n_a + n_b)
    squares = float(((x_a - p * m_a) ** 2).sum() + ((x_b - p * m_b) ** 2).sum())
    times = squares / (p * (1 - p) * float(m_a @ m_a + m_b @ m_b)) if 0 < p < 1 else 1.0
    degrees = float(((m_a + m_b) > 0).sum() - 1)

    def statistic(delta: float) -> float:
        low = min(max(p - delta * n_a / (n_a + n_b), 0.0, -delta), 1.0, 1.0 - delta)
        high = low + delta
        own, other = x_a - high * m_a, x_b - low * m_b
        variance = times * (high * (1 - high) * k_a + low * (1 - low) * k_b) - 2 * float(own @ other) / (n_a * n_b)
        if variance <= 0:
            variance = float(((own / n_a - other / n_b) ** 2).sum())
        return 0.0 if gap == delta else (gap - delta) / math.sqrt(variance) if variance > 0 else math.inf

    critical = student_quantile(alpha / 2, degrees)

    def end(bound: float) -> float:
        if abs(statistic(bound)) <= critical:
            return bound
        return root(lambda delta: abs(statistic(delta)) - critical, gap, bound, within=1e-9)

    p_value = student_p_value(statistic(0.0), degrees, Alternative.TWO_SIDED)
    return Difference(measure, higher, lower, gap, end(-1.0), end(1.0), p_value, p_value, int(degrees) + 1)


def compared(
    metric: Metric, rows: dict[str, FloatArray], items: IntArray, measure: str, settings: RankingSettings
) -> list[Difference]:
    """Return all pairs of judges or systems, each with rows of the same cases, tested with items as units."""
    codes = np.unique(items, return_inverse=True)[1]
    clusters = Labels("items", tuple(f"{code}" for code in codes)) if codes.max() + 1 < len(codes) else None
    read = Systems(
        metrics=(metric,),
        rows=(tuple(Rows(name, rows_of_one) for name, rows_of_one in rows.items()),),
        families=(None,) * len(rows),
        clusters=clusters,
    )
    (ranking,) = rank_scores(read.paired(), settings)
    low, high = metric.score_range or (-math.inf, math.inf)
    return [
        Difference(
            measure,
            pair.candidate,
            pair.baseline,
            pair.gain,
            max(pair.interval.low, low - high),
            min(pair.interval.high, high - low),
            pair.p_value,
            pair.corrected(ranking.correction) if len(ranking.pairs) > 1 else pair.p_value,
            ranking.n_units,
        )
        for pair in ranking.pairs
    ]
