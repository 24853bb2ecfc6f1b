"""A pair of systems on one metric: its gain, and the quantities from which the gain is resampled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.data.blocks import ONE_BLOCK, blocks, exact_sum
from outscore.data.rows import Answer
from outscore.design import Units
from outscore.gains.crossing import Crossing
from outscore.gains.influence import Leverage, Spread, spread_of_gaps, spread_of_many, spread_of_steps
from outscore.laws.exact import Precision, TwoCounts, step_counts
from outscore.laws.tolerances import (
    BETWEEN_DECIMALS,
    COARSE,
    LARGEST_EXACT,
    LAST_BITS,
    MOST_DECIMALS,
    NO_FRACTIONS,
    NOISE,
)
from outscore.metrics import Metric, RatioMetric
from outscore.metrics.base import combined

_FEW = 0.1  # of the differences; each has two neighbours, so what is left is smaller
_SMALL = 0.1  # of the differences: rounding that hides these hides a part of the distribution


@dataclass(frozen=True, eq=False)
class SharedDenominators:
    """A linear gain: Σ d / Σ ℓ."""

    d: FloatArray  # differences of the numerators, shape (n,); positive is better
    shared: FloatArray  # the denominators ℓ, shape (n,), which both systems share unit by unit
    grain: float | None = None  # all d are exact multiples of it
    noise: float = 0.0  # maximum rounding error of a d

    @cached_property
    def steps(self) -> tuple[int, int] | None:
        """The numbers of wins and losses if all d are −1, 0 or 1 and all units have weight 1, else None."""
        return step_counts(self.d, self.shared)

    @cached_property
    def precision(self) -> Precision:
        """The precision of sums of d under resampling, with their threshold.

        Usually sums of similar size are equal. If one item is so large that this would hide the others, whole numbers
        and decimals are resolved to double precision, and larger sums are blurred.
        """
        sizes = np.abs(self.d)
        usual = NOISE * float(sizes.sum())
        largest = len(sizes) * float(sizes.max(initial=0.0))
        rounding = LAST_BITS * largest * (1 if largest < NO_FRACTIONS * (self.grain or 0.0) else len(sizes))
        if self.grain is not None:
            # Sums are multiples of the grain. A threshold is at most a quarter of it from its multiple, so that a
            # tolerance of a quarter merges no two sums.
            if usual < self.grain / 4:
                return Precision(usual)
            if rounding < self.grain / 4 and np.ptp(self.shared) == 0:
                return Precision(self.grain / 4, grain=self.grain)
            return Precision(rounding, rounding)
        differing, hiding = sizes[sizes > 0], max(usual, self.noise)
        hides = len(differing) > 0 and hiding > COARSE * differing.min()
        if hides and (differing != np.rint(differing)).any():  # the smallest real number may be anything
            hides = hiding > COARSE * np.quantile(differing, _SMALL)
        return Precision(rounding, rounding + 2 * len(sizes) * self.noise) if hides else Precision(usual)

    def precision_at(self, null_gain: float) -> Precision:
        """Return `precision` of the sums of dᵢ − δ₀ℓᵢ, which have no grain."""
        if self.precision.grain is None:
            return self.precision
        largest = len(self.d) * float(np.abs(self.centred(null_gain)).max(initial=0.0))
        rounding = len(self.d) * LAST_BITS * largest
        return Precision(rounding, rounding)

    def gaps(self, gain: float) -> FloatArray:
        """Return δ − δ₍ᵢ₎, shape (n,): the change of the gain by each unit; 0 if it has all the weight."""
        # The exact sum, because with one dominating unit the rest is a small difference of large numbers.
        rest = exact_sum(self.shared) - self.shared
        owed = self.d - gain * self.shared
        return np.divide(owed, rest, out=np.zeros_like(owed), where=rest > 0)

    def centred(self, null_gain: float) -> FloatArray:
        """Return dᵢ − δ₀ℓᵢ, shape (n,)."""
        shift = null_gain * self.shared
        centred = self.d - shift
        # Rounding error of a unit without a difference is not a difference.
        negligible = np.abs(centred) <= NOISE * np.maximum(np.abs(self.d), np.abs(shift))
        return np.where(negligible, 0.0, centred)


@dataclass(frozen=True, eq=False)
class Pair:
    """A baseline and a candidate, paired unit by unit: the input of every test.

    Rows of units add up, except those of a `RecomputedPair`.

    Attributes
    ----------
    baseline, candidate : ndarray, shape (n, k)
        Rows of the units: items, or clusters with their rows summed.
    strata : ndarray of int, shape (n,), optional
        Codes of the units' strata.
    crossing : Crossing, optional
        The cells whose averages are the rows.
    clusterings : tuple of two ndarrays of int, shape (n,), optional
        Codes of two crossed clusterings of the units.
    given : ndarray of int, shape (n,), optional
        The places of the units before they were sorted.
    against : float, optional
        The baseline's score on every item, if it is a constant.
    scored : tuple of two sequences, optional
        What the items' rows were computed from: `Rows.scored` of both systems.
    n_units : int
        n.
    sign : float
        1 if higher is better, −1 if lower is.
    """

    metric: Metric
    baseline: FloatArray
    candidate: FloatArray
    strata: AnyArray | None = None
    crossing: Crossing | None = None
    clusterings: tuple[AnyArray, AnyArray] | None = None
    given: IntArray | None = None
    against: float | None = None
    scored: tuple[Sequence[Answer], Sequence[Answer]] | None = None
    n_units: int = field(init=False)
    sign: float = field(init=False)

    def __post_init__(self) -> None:
        # Attributes and not properties, since they are read for every sample.
        self.__dict__.update(n_units=len(self.baseline), sign=1.0 if self.metric.higher_is_better else -1.0)

    @cached_property
    def spread(self) -> Spread:
        """The spread of the gain over the units.

        Cost: n scores once, next to nothing for binary scores; n × n for metrics that are recomputed.
        """
        if self.strata is None and self.linear is not None:
            # Binary scores have a closed form of two counts. For very many units, no array of all jackknife
            # gains is kept.
            if self.linear.steps is not None:
                return spread_of_steps(self.n_units, *self.linear.steps)
            if self.equal_weights and self.n_units > ONE_BLOCK:
                return spread_of_many(self.linear.d, float(self.linear.shared[0]), self.gain, self.tolerance)
        gaps = self.gain - self.jackknife if self.linear is None else self.linear.gaps(self.gain)
        return spread_of_gaps(Leverage(self.sizes, self.strata), gaps, self.tolerance)

    @property
    def in_clusters(self) -> Sequence[Pair]:
        """The pair in the clusters of each of its two crossed clusterings; without these the pair itself."""
        return [self] if self.clusterings is None else self._in_clusters

    @cached_property
    def _in_clusters(self) -> Sequence[Pair]:
        assert self.clusterings is not None
        over = [Units(len(codes), codes) for codes in self.clusterings]
        return [Pair(self.metric, units.sums(self.baseline), units.sums(self.candidate)) for units in over]

    @property
    def rows_as_given(self) -> tuple[FloatArray, FloatArray]:
        """The rows of baseline and candidate, with the units in their original order."""
        if self.given is None:
            return self.baseline, self.candidate
        # `given` has the original place of each unit, and sorting it inverts that.
        places = np.argsort(self.given)
        return self.baseline[places], self.candidate[places]

    @cached_property
    def mirrored(self) -> Pair:
        """The same systems with baseline and candidate exchanged, so that the gain changes its sign; without cells."""
        pair = replace(self, baseline=self.candidate, candidate=self.baseline, crossing=None, against=None, scored=None)
        if self.linear is not None:
            # The negated differences need not be computed again.
            pair.__dict__["linear"] = replace(self.linear, d=-self.linear.d)
        return pair

    @cached_property
    def favours_baseline(self) -> bool:
        """Whether the candidate is the worse system or, if scores are equal, worse on the first unit that differs.

        Distributions are computed for the pair or its mirror image, whichever favours its candidate, so they agree.
        """
        if self.gain != 0:
            return self.gain < 0
        for at in blocks(self.n_units):
            differ = self.baseline[at] != self.candidate[at]
            if differ.any():
                first = np.unravel_index(differ.argmax(), differ.shape)
                return bool(self.candidate[at][first] < self.baseline[at][first])
        return False

    @cached_property
    def n_differing(self) -> int:
        """The number of units on which the systems differ."""
        differ = ((self.baseline[at] != self.candidate[at]).any(axis=1) for at in blocks(self.n_units))
        return sum(int(np.count_nonzero(of_block)) for of_block in differ)

    @cached_property
    def sizes(self) -> FloatArray:
        """The weight of each unit, shape (n_units,), non-negative: words, spans, items of a cluster.

        The denominators that the systems share, or else their `mean_sizes`.
        """
        if self.linear is not None:
            shared = self.linear.shared
            return shared if shared.min() >= 0 else np.abs(shared)
        return mean_sizes(self.metric, self.baseline, self.candidate)

    @cached_property
    def baseline_score(self) -> float:
        return self.metric.score_of_set(self.baseline)

    @cached_property
    def candidate_score(self) -> float:
        return self.metric.score_of_set(self.candidate)

    @cached_property
    def gain(self) -> float:
        """δ: positive if the candidate is better."""
        if self.linear is not None and self.linear.steps is not None:
            helped, hurt = self.linear.steps
            return (helped - hurt) / self.n_units
        if self.linear is not None:
            # Differences first: this avoids cancellation, and equal systems give exactly 0.
            return exact_sum(self.linear.d) / exact_sum(self.linear.shared)
        return self.sign * (self.candidate_score - self.baseline_score)

    @cached_property
    def tolerance(self) -> float:
        """Maximum difference by rounding between gains that are equal in real arithmetic, scaled to the data."""
        if self.linear is not None:
            return self.linear.precision.noise / float(self.linear.shared.sum())
        # Based on the sizes of rows: a score of 0 may be the sum of large numbers.
        scores = [self.metric.score(np.abs(rows).sum(axis=0)) for rows in (self.baseline, self.candidate)]
        return NOISE * max(float(np.abs(score)) for score in scores)

    @property
    def blur(self) -> float:
        """Maximum rounding error of a gain and its threshold; 0 if sums are exact up to `tolerance`."""
        return 0.0 if self.linear is None else self.linear.precision.blur / float(self.linear.shared.sum())

    @cached_property
    def linear(self) -> SharedDenominators | None:
        """The gain in linear form, or None if the systems have different denominators."""
        shared = shared_denominators(self.metric, (self.baseline, self.candidate))
        if shared is None:
            return None
        if not shared.any():
            # All denominators are 0, so both scores are 0 by definition, in every sample.
            return SharedDenominators(np.zeros_like(shared), np.ones_like(shared))
        differences = self._numerators
        noise = float(differences.noise.max(initial=0.0))
        return SharedDenominators(
            differences.values if self.sign == 1 else -differences.values, shared, differences.grain, noise
        )

    @cached_property
    def _numerators(self) -> _Differences:
        assert isinstance(self.metric, RatioMetric)
        before, after = (combined(rows, self.metric.numerator) for rows in (self.baseline, self.candidate))
        return _differences(before, after)

    @cached_property
    def coarse_unit(self) -> int | None:
        """The unit whose scores are so large that their rounding error affects the gain, or None."""
        if self.linear is None:
            return None
        sizes, noise = np.abs(self.linear.d), self._numerators.noise
        # The norm of the others, from both sides of the largest: subtracting its square from that of all would leave
        # only rounding error.
        largest = int(np.argmax(sizes))
        spread = math.hypot(*(float(np.linalg.norm(part)) for part in (sizes[:largest], sizes[largest + 1 :])))
        if noise.sum() > COARSE * max(spread, float(sizes[largest])):
            return int(np.argmax(noise))
        return largest if NOISE * sizes.sum() > COARSE * spread > 0 else None

    @cached_property
    def two_counts(self) -> TwoCounts | None:
        """The rows as two counts per unit, or None if they are not whole numbers."""
        metric = self.metric
        if not isinstance(metric, RatioMetric):
            return None
        form = np.column_stack([metric.numerator, metric.denominator])
        counts = [self.baseline @ form, self.candidate @ form]
        if any((part != np.rint(part)).any() or np.abs(part).sum() > LARGEST_EXACT for part in counts):
            return None
        baseline, candidate = (part.astype(np.int64) for part in counts)
        return TwoCounts(baseline, candidate, sign=int(self.sign))

    @cached_property
    def columns(self) -> FloatArray:
        """The columns that are summed in resampling, shape (n, columns): d and ℓ, or the rows of both systems."""
        if self.linear is not None:
            return np.column_stack([self.linear.d, self.linear.shared])
        return np.column_stack([self.baseline, self.candidate])

    def gains(self, totals: FloatArray) -> FloatArray:
        """Return the gains of weighted totals of `columns`, shape (r, columns) to (r,)."""
        if self.linear is not None:
            return np.divide(totals[:, 0], totals[:, 1], out=np.zeros(len(totals)), where=totals[:, 1] > 0)
        k = self.baseline.shape[1]
        return self.sign * (self.metric.score(totals[:, k:]) - self.metric.score(totals[:, :k]))

    @cached_property
    def jackknife(self) -> FloatArray:
        """The gain without each unit, shape (n_units,)."""
        return self.gains(self.columns.sum(axis=0) - self.columns)

    @cached_property
    def pseudo_scores(self) -> tuple[FloatArray, FloatArray]:
        """The contribution of each unit to the score of the baseline and of the candidate, shape (n_units,) each.

        Signed so that higher is better, with the scores as means. For a linear gain their difference is about
        `linear.d`, and for a plain mean they are the units' own scores. Otherwise they are jackknife pseudo-values
        (Tukey 1958), and NaN if the score without a unit is undefined.
        """
        if self.linear is not None and isinstance(self.metric, RatioMetric):
            shared, top = self.linear.shared, self.sign * np.asarray(self.metric.numerator)
            mean = float(shared.mean())
            scores = self.sign * self.baseline_score, self.sign * self.candidate_score
            baseline, candidate = (
                rows @ top + score * (mean - shared)
                for rows, score in zip((self.baseline, self.candidate), scores, strict=True)
            )
            return baseline, candidate
        baseline, candidate = (
            self.sign * pseudo_values(float(self.metric.score(totals)), self.metric.score(totals - rows))
            for rows in (self.baseline, self.candidate)
            for totals in [rows.sum(axis=0)]
        )
        return baseline, candidate

    def changes(self, null_gain: float) -> FloatArray:
        """Return the change of the candidate's totals when a unit is swapped, shape (n, columns).

        For a linear gain the signs of dᵢ − δ₀ℓᵢ are flipped. Other gains support only δ₀ = 0.
        """
        if self.linear is not None:
            return self.linear.centred(null_gain)[:, None]
        return self.candidate - self.baseline

    def gains_after(self, taken: FloatArray, null_gain: float) -> FloatArray:
        """Return the gains after swaps with a total change `taken`, shape (r, columns) to (r,)."""
        if self.linear is not None:
            centred = float(self.changes(null_gain).sum())
            return null_gain + (centred - 2 * taken[:, 0]) / float(self.linear.shared.sum())
        # A swap takes the difference of the rows from the candidate and adds it to the baseline.
        candidate = self.metric.score(self.candidate.sum(axis=0) - taken)
        return self.sign * (candidate - self.metric.score(self.baseline.sum(axis=0) + taken))

    @cached_property
    def equal_weights(self) -> bool:
        """Whether the gain is a mean over units of equal weight, so that each unit has a score of its own."""
        return self.linear is not None and bool(np.ptp(self.linear.shared) == 0)

    @cached_property
    def scores(self) -> tuple[FloatArray, FloatArray] | None:
        """The units' own scores, shape (n,) each, if `equal_weights` holds."""
        return (self.metric.score(self.baseline), self.metric.score(self.candidate)) if self.equal_weights else None

    @cached_property
    def successes(self) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """(successes, trials) of baseline and candidate if the score is a proportion of trials, else None."""
        metric = self.metric
        if not isinstance(metric, RatioMetric):
            return None
        if not metric.is_proportion and not self.binary:
            return None
        proportions = []
        for rows in (self.baseline, self.candidate):
            totals = rows.sum(axis=0)
            proportions.append(
                (float(totals @ np.asarray(metric.numerator)), float(totals @ np.asarray(metric.denominator)))
            )
        # A system that answered nothing has no trials, and no proportion.
        return (proportions[0], proportions[1]) if all(trials > 0 for _, trials in proportions) else None

    @cached_property
    def score_range(self) -> tuple[float, float] | None:
        """The metric's range, or else (0, 1) if every score is 0 or 1 and both occur.

        Scores that are all 1 (or all 0) do not show a range: they may be grades from 1 to 5.
        """
        stated = self.metric.score_range
        if stated is not None or not self.binary or self.scores is None:
            return stated
        low, high = min(scores.min() for scores in self.scores), max(scores.max() for scores in self.scores)
        return (0.0, 1.0) if low < high else None

    @property
    def gain_range(self) -> tuple[float, float]:
        """The smallest and the largest possible gain, infinite if the range of scores is unknown."""
        if self.score_range is None:
            return -math.inf, math.inf
        low, high = self.score_range
        if self.against is None:
            return low - high, high - low
        ends = sorted(self.sign * (end - self.against) for end in (low, high))
        return ends[0], ends[1]

    @cached_property
    def binary(self) -> bool:
        """Whether all units are binary: scores of 0 and 1 with weight 1."""
        if self.linear is None or self.linear.shared[0] != 1 or self.scores is None:
            return False
        return all(
            bool(((scores[at] == 0) | (scores[at] == 1)).all()) for at in blocks(self.n_units) for scores in self.scores
        )


def shared_denominators(metric: Metric, systems: Sequence[FloatArray]) -> FloatArray | None:
    """Return the denominators that all systems share unit by unit, so that gains are linear, shape (n,), or None."""
    if not isinstance(metric, RatioMetric):
        return None
    shared = combined(systems[0], metric.denominator)
    return shared if all(np.array_equal(shared, combined(rows, metric.denominator)) for rows in systems[1:]) else None


def mean_sizes(metric: Metric, *systems: FloatArray) -> FloatArray:
    """Return the systems' mean denominators; for other metrics the items, or the sizes of the rows, shape (n,)."""
    if isinstance(metric, RatioMetric):
        sizes = np.abs(np.sum([rows @ np.asarray(metric.denominator) for rows in systems], axis=0))
    elif "items" in metric.statistics:  # the moments beside them have other units
        items = list(metric.statistics).index("items")
        sizes = np.sum([rows[:, items] for rows in systems], axis=0)
    else:
        sizes = np.sum([np.abs(rows).sum(axis=1) for rows in systems], axis=0)
    return np.asarray(sizes / len(systems))


def pseudo_values(score: float, without: FloatArray) -> FloatArray:
    """Return the jackknife pseudo-values of a score, given those without each unit, shifted to have it as mean."""
    influence = (len(without) - 1) * (score - without)
    return np.asarray(score + influence - influence.mean())


@dataclass(frozen=True, eq=False)
class _Differences:
    """after − before, unit by unit, corrected for the rounding error of each unit's two scores."""

    values: FloatArray  # differences of decimals are decimals, equal differences are equal, and 0 is 0; shape (n,)
    noise: FloatArray  # maximum rounding error of each difference, 0 if it is exact; shape (n,)
    grain: float | None = None  # all values are multiples of it; None unless all are exact


def _differences(before: FloatArray, after: FloatArray) -> _Differences:
    """Return the differences of scores, shape (n,) each."""
    values, noise, exact = np.empty(len(before)), np.empty(len(before)), np.empty(len(before), dtype=bool)
    resolved, places, most = np.empty(len(before), dtype=bool), 0, 0
    for at in blocks(len(before)):
        values[at], exact[at], places = _decimal_differences(before[at], after[at], places)
        sizes = np.maximum(np.abs(before[at]), np.abs(after[at]))
        noise[at] = np.where(before[at] == after[at], 0.0, LAST_BITS * sizes)
        resolved[at] = exact[at] & (sizes < NO_FRACTIONS)
        most = max(most, places)
    all_exact = bool(exact.all())
    if resolved.all():
        return _Differences(values, np.broadcast_to(np.zeros(1), values.shape), 10.0**-most)
    if most == 0 and all_exact and _all_whole(before, after):
        # Integers with more bits than double precision may differ even if these are equal.
        sizes = np.maximum(np.abs(before), np.abs(after))
        noise = np.where(sizes > 2 * NO_FRACTIONS, LAST_BITS * sizes, noise)
    equal = values if all_exact else _made_equal(values, noise, exact)
    noise[resolved] = 0.0
    return _Differences(equal, noise)


def _all_whole(*scores: FloatArray) -> bool:
    return all(bool((part == np.rint(part)).all()) for part in scores)


def _decimal_differences(before: FloatArray, after: FloatArray, places: int) -> tuple[FloatArray, AnyArray, int]:
    """Return after − before, which of them are exact (for whole numbers and decimals), and the most decimal places.

    `places` is tried first, because the number from one block usually fits the next. Too many places are harmless.
    """
    values = after - before
    # Whole numbers are exact at any size, as long as doubles of that size can have fractions.
    exact = (before == np.rint(before)) & (after == np.rint(after))
    if exact.all():
        return values, exact, places
    same = before == after
    exact |= same
    noise = np.where(same, 0.0, LAST_BITS * np.maximum(np.abs(before), np.abs(after)))
    if places:
        decimals, differences = _at_places(before, after, noise, places)
        if (decimals | exact).all():
            return np.where(exact, values, differences), np.ones_like(exact), places
    # What is no decimal with the most places is none with fewer; twice the noise, because products are rounded as well.
    finest = 2 * noise * 10.0**MOST_DECIMALS
    possible = ~exact & ((finest > BETWEEN_DECIMALS) | _at_places(before, after, 2 * noise, MOST_DECIMALS)[0])
    most = 0
    for places in range(1, MOST_DECIMALS + 1):
        open_ = np.flatnonzero(possible & ~exact & (noise * 10.0**places <= BETWEEN_DECIMALS))
        if len(open_) == 0:
            break
        decimal, differences = _at_places(before[open_], after[open_], noise[open_], places)
        decimals = open_[decimal]
        values[decimals] = differences[decimal]
        exact[decimals] = True
        most = places
    values[~exact & (np.abs(values) <= noise)] = 0.0
    return values, exact, most


def _at_places(before: FloatArray, after: FloatArray, noise: FloatArray, places: int) -> tuple[AnyArray, FloatArray]:
    """Return where both scores are decimals with that many places, within their noise, and their differences."""
    scale = 10.0**places
    reach = noise * scale
    scaled_before, scaled_after = before * scale, after * scale
    off = np.maximum(np.abs(scaled_before - np.rint(scaled_before)), np.abs(scaled_after - np.rint(scaled_after)))
    return (off <= reach) & (reach <= BETWEEN_DECIMALS), (np.rint(scaled_after) - np.rint(scaled_before)) / scale


def _made_equal(values: FloatArray, noise: FloatArray, exact: AnyArray) -> FloatArray:
    """Return values, in which those that differ by less than the noise of either are made equal in size.

    No value moves by more than its own noise, so errors do not accumulate. Exact values are unchanged.
    """
    ordered = np.abs(values)
    ordered.sort()
    close = np.diff(ordered) <= noise.max(initial=0.0)
    if not close.any():
        return values
    sizes = np.abs(values)
    if np.count_nonzero(close) < _FEW * len(values):
        # Values far from all others need no order, which costs more than sorting.
        some = np.isin(sizes, np.concatenate([ordered[1:][close], ordered[:-1][close]]))
        cleaned = values.copy()
        cleaned[some] = _made_equal(values[some], noise[some], exact[some])
        return cleaned
    order = np.argsort(sizes, kind="stable")
    ordered, reach = sizes[order], noise[order]
    near = np.diff(ordered) <= np.minimum(reach[1:], reach[:-1])
    begins = np.concatenate([[True], ~near])
    firsts = np.flatnonzero(begins)
    lasts = np.append(firsts[1:], len(ordered)) - 1
    # Runs of neighbours longer than the noise of one value are cut where they leave that of their first value.
    long = ordered[lasts] - ordered[firsts] > np.minimum.reduceat(reach, firsts)
    for first, last in zip(firsts[long].tolist(), lasts[long].tolist(), strict=True):
        start = first
        for index in range(first + 1, last + 1):
            if ordered[index] - ordered[start] > min(reach[index], reach[start]):
                begins[index], start = True, index
    firsts = np.flatnonzero(begins)
    kept = exact[order]
    # A group is set to its first exact value, or else to its first value.
    places = np.where(kept, np.arange(len(ordered)), len(ordered))
    speaking = np.minimum.reduceat(places, firsts)
    speaking = np.where(speaking < len(ordered), speaking, firsts)
    same = np.repeat(ordered[speaking], np.diff(np.append(firsts, len(ordered))))
    cleaned = np.empty_like(values)
    cleaned[order] = np.where(kept, ordered, same)
    return np.copysign(cleaned, values)
