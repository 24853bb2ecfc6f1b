"""The distribution of a gain under resampling, which tests, intervals and histograms query.

A distribution is exact (derived or enumerated) or sampled, with the same interface.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist

import numpy as np

from outscore._types import FloatArray
from outscore.laws.beta import binomial_at_least, quantiles
from outscore.laws.tolerances import ALMOST_1, JUST_ABOVE, JUST_BELOW, RISK_OF_FIRST, TWO_DIGITS

_MOST_SECANTS, _FLATTEST, _STEEPEST = 10, 0.1, 10.0  # limits for slopes of normal scores, per spread, if smooth


@dataclass(frozen=True, slots=True)
class Probability:
    """The probability of an event, with its error bound or sampling information.

    Attributes
    ----------
    value : float
        The probability; for a sampled distribution c / r.
    error : float
        A bound on the absolute error of an exact value: rounding, aliasing, truncation. 0 for samples.
    n_resamples, n_exceeding : int, optional
        r and c of a sampled distribution; None for an exact one.
    n_surely, n_possibly : int, optional
        For a sampled distribution with gains blurred by rounding: how many surely meet the event, and how many may.
    """

    value: float
    error: float = 0.0
    n_resamples: int | None = None
    n_exceeding: int | None = None
    n_surely: int | None = None
    n_possibly: int | None = None


_STEPS_OF_ROOT, _LAST_PLACE = 2000, 2.2e-16


class Law(ABC):
    """The distribution of a gain over resampled test sets.

    Attributes
    ----------
    how : str
        Method of computation: "Monte Carlo", "exact: lattice".
    least : float
        The probability of the least likely sample, positive: no p-value is smaller.
    n_resamples : int or None
        None for an exact distribution.
    step : float or None
        The distance of neighbouring values, if the distribution is known to be on a grid.
    """

    how: str
    exact: bool
    least: float
    n_resamples: int | None = None
    step: float | None = None

    @abstractmethod
    def outside(self, low: float, high: float, *, strict: bool = False) -> Probability:
        """Return P(X <= low or X >= high), with < and > if `strict`.

        Infinite limits leave one tail. With low >= high the two tails meet and the probability is 1, except if
        `strict` and low == high: then the atom at that value is left out. A value equal to a limit in real arithmetic
        counts as equal.
        """

    @abstractmethod
    def quantile(self, level: float) -> float:
        """Return the smallest value x with P(X <= x) >= level, for 0 < level < 1."""

    @abstractmethod
    def below(self, value: float) -> float:
        """Return P(X < value) + P(X = value) / 2."""

    def reach(self, centre: float, level: float) -> float:
        """Return the smallest q >= 0 with P(|X − centre| > q) <= level, for 0 < level < 1."""
        spread = self.spread()
        if spread == 0:
            return abs(self.quantile(0.5) - centre)

        def within(q: float) -> float:
            return 0.0 if q < 0 else 1 - self.beyond(centre - q, centre + q)

        guess = NormalDist().inv_cdf(1 - level / 2) * spread
        return max(first_reaching_smoothly(within, 1 - level, guess, spread), 0.0)

    def spread(self) -> float:
        """Return about one standard deviation, as the starting step of searches; 0 if all values are equal."""
        return (self.quantile(0.84) - self.quantile(0.16)) / 2

    def beyond(self, low: float, high: float) -> float:
        """Return P(X < low or X > high), as accurately as an interval needs it."""
        return self.outside(low, high, strict=True).value

    def histogram(self, edges: Sequence[float]) -> tuple[float, ...]:
        """Return the probability between each two neighbouring edges, with the tails added to the outermost bins."""
        inner = [self.below(edge) for edge in edges[1:-1]]
        return tuple(max(0.0, b - a) for a, b in zip([0.0, *inner], [*inner, 1.0], strict=True))


def first_reaching(
    share: Callable[[float], float], aim: float, guess: float, spread: float, *, digits: float = 1e-11
) -> float:
    """Return the smallest x with share(x) >= aim, to `digits` of the spread; share must increase with x.

    False position with bisection (Illinois) on normal scores, which are nearly linear in x for most distributions:
    about a dozen evaluations.
    """
    scores = NormalDist()
    aimed = scores.inv_cdf(aim)

    def excess(value: float) -> float:
        reached = share(value)
        # On the scale of normal scores most distribution functions are nearly straight. Jumps remain jumps, so the sign
        # at the jump is decided by the proportion itself, with ties up to rounding.
        score = scores.inv_cdf(min(max(reached, 1e-300), ALMOST_1)) - aimed
        return max(score, 0.0) if reached >= aim * JUST_BELOW else min(score, -1e-16)

    stride = 0.02 * spread
    high = guess
    above = excess(high)
    low, below = high, above
    # Outwards with doubled steps, until the root is between two points.
    while below >= 0:
        high, above = low, below
        low, stride = low - stride, 2 * stride
        below = excess(low)
    while above < 0:
        low, below = high, above
        high, stride = high + stride, 2 * stride
        above = excess(high)
    return illinois(
        excess, (low, below), (high, above), lambda low, high: high - low <= digits * spread, halving=3, steps=200
    )


def first_reaching_smoothly(share: Callable[[float], float], aim: float, guess: float, spread: float) -> float:
    """Return `first_reaching` to 1e-10 of the spread, with half as many evaluations for smooth distributions.

    Secants on normal scores, five to seven evaluations. If these do not converge, as at a jump, `first_reaching` starts
    again.
    """
    scores = NormalDist()
    aimed, digits = scores.inv_cdf(aim), 1e-10 * spread
    low, high = -math.inf, math.inf
    x, slope, last = guess, 1 / spread, (guess, math.nan)
    for _ in range(_MOST_SECANTS):
        reached = share(x)
        value = scores.inv_cdf(min(max(reached, 1e-300), ALMOST_1)) - aimed
        if reached >= aim * JUST_BELOW:
            high = x
        else:
            low = x
        if high - low <= digits:
            return high
        if x != last[0]:
            slope = (value - last[1]) / (x - last[0])
        # A slope far from that of a normal distribution shows a jump or a gap, where secants go astray.
        if not _FLATTEST <= slope * spread <= _STEEPEST:
            break
        last = x, value
        # Slightly beyond, so that in the end both sides are known.
        x -= value / slope + math.copysign(0.4 * digits, 1.0 if x == high else -1.0)
        if not low < x < high:
            break
    return first_reaching(share, aim, guess, spread)


def illinois(
    excess: Callable[[float], float],
    lower: tuple[float, float],
    upper: tuple[float, float],
    narrow: Callable[[float, float], bool],
    *,
    halving: int,
    steps: int,
    near_enough: float = -1.0,
) -> float:
    """Return where an increasing function becomes positive, by false position with occasional bisection.

    `lower` and `upper` are the ends of the bracket with the function there, negative and not. Every `halving` steps the
    bracket is halved. Values within `near_enough` of 0 count as 0.
    """
    (low, below), (high, above) = lower, upper
    kept = 0
    for step in range(steps):
        if narrow(low, high):
            break
        # False position can stay on one side for long, at a jump for ever. Hence the halving, and an end that is kept
        # twice counts half (Illinois).
        middle = (low * above - high * below) / (above - below) if step % halving != halving - 1 else (low + high) / 2
        # Not next to an end, where the step would not shrink the bracket.
        middle = min(max(middle, low + 1e-3 * (high - low)), high - 1e-3 * (high - low))
        value = excess(middle)
        if abs(value) <= near_enough:
            return middle
        if value < 0:
            low, below = middle, value
            above = above / 2 if kept == -1 else above
            kept = -1
        else:
            high, above = middle, value
            below = below / 2 if kept == 1 else below
            kept = 1
    return high


def root(excess: Callable[[float], float], low: float, high: float, *, within: float = 0.0) -> float:
    """Return the root of a continuous function between two points with different signs, of which one may be the root.

    Chandrupatla's (1997) method: inverse quadratic interpolation if the last three values allow it, else bisection.
    `within` is the error allowed, in addition to four units in the last place.

    Examples
    --------
    >>> round(root(lambda x: x**3 - 2, 0, 2), 12)
    1.259921049895
    """
    new, old, at_new, at_old = high, low, excess(high), excess(low)
    if at_new == 0 or at_old == 0:
        return new if at_new == 0 else old
    share = 0.5
    for _ in range(_STEPS_OF_ROOT):
        trial = new + share * (old - new)
        value = excess(trial)
        # The bracket is from `new` to `old`, and `last` was left out of it.
        if (value > 0) == (at_new > 0):
            last, at_last = new, at_new
        else:
            last, at_last, old, at_old = old, at_old, new, at_new
        new, at_new = trial, value
        best, at_best = (new, at_new) if abs(at_new) < abs(at_old) else (old, at_old)
        least = (2 * _LAST_PLACE * abs(best) + within / 2) / abs(old - new)
        if at_best == 0 or least >= 0.5:
            break
        position, ratio = (new - old) / (last - old), (at_new - at_old) / (at_last - at_old)
        share = 0.5
        # Chandrupatla's condition: the parabola through the three points is monotone in the bracket.
        if 1 - math.sqrt(1 - position) < ratio < math.sqrt(position):
            across = (last - new) / (old - new)
            share = at_new / (at_old - at_new) * (at_last / (at_old - at_last)) + across * at_new / (
                at_last - at_new
            ) * (at_old / (at_last - at_old))
        # Each step moves at least by the error that is allowed: near the root the bracket then closes from both sides.
        share = min(max(share, least), 1 - least)
    return best


class MirroredLaw(Law):
    """The distribution of −X given that of X, bit-identical to its mirror image.

    Its quantile at a level is minus that of X at 1 − level.
    """

    def __init__(self, law: Law) -> None:
        self._law = law
        self.how, self.exact, self.least = law.how, law.exact, law.least
        self.n_resamples, self.step = law.n_resamples, law.step

    def outside(self, low: float, high: float, *, strict: bool = False) -> Probability:
        return self._law.outside(-high, -low, strict=strict)

    def quantile(self, level: float) -> float:
        return -self._law.quantile(1 - level)

    def below(self, value: float) -> float:
        return 1 - self._law.below(-value)

    def reach(self, centre: float, level: float) -> float:
        return self._law.reach(-centre, level)

    def spread(self) -> float:
        return self._law.spread()

    def beyond(self, low: float, high: float) -> float:
        return self._law.beyond(-high, -low)

    def histogram(self, edges: Sequence[float]) -> tuple[float, ...]:
        return self._law.histogram([-edge for edge in reversed(edges)])[::-1]


class _SortedLaw(Law):
    """A distribution as a sorted list of values; those closer than the tolerance to a limit equal it."""

    _values: FloatArray
    _tolerance: float
    _blur: float  # maximum rounding error of values and limits

    def _index(self, value: float, *, after_equal: bool, tolerance: float | None = None) -> int:
        """Return the number of values before `value`, or up to it."""
        reach = self._tolerance if tolerance is None else tolerance
        shift = reach if after_equal else -reach
        return int(np.searchsorted(self._values, value + shift, side="right" if after_equal else "left"))


class AtomicLaw(_SortedLaw):
    """A distribution of finitely many values with their probabilities.

    Parameters
    ----------
    values : ndarray, shape (m,)
        In any order.
    probabilities : ndarray, shape (m,)
        With a sum of 1.
    tolerance : float
        Values this close to a limit equal it up to rounding.
    blur : float
        Maximum rounding error of values and limits; its effect is included in `Probability.error`.
    relative_error : float
        Maximum relative error of each probability.
    least : float
        The probability of the least likely sample; several samples may have one value.
    """

    exact = True

    def __init__(
        self,
        values: FloatArray,
        probabilities: FloatArray,
        *,
        tolerance: float,
        how: str,
        least: float,
        relative_error: float = 1e-13,
        blur: float = 0.0,
    ) -> None:
        order = np.argsort(values, kind="stable")
        self._values, self._tolerance, self._blur = values[order], tolerance, blur
        self._probabilities = probabilities[order]
        self._up_to = np.concatenate([[0.0], np.cumsum(self._probabilities)])
        self._relative_error = relative_error
        self.how = how
        self.least = least

    def outside(self, low: float, high: float, *, strict: bool = False) -> Probability:
        probability = self._outside(low, high, strict=strict)
        if not self._blur:
            return probability
        # The error includes all probability within the rounding error of a limit.
        ends = [self._outside(low, high, strict=side, tolerance=self._blur).value for side in (False, True)]
        return replace(probability, error=probability.error + max(abs(probability.value - end) for end in ends))

    def _outside(self, low: float, high: float, *, strict: bool, tolerance: float | None = None) -> Probability:
        if low >= high and not strict:
            return Probability(1.0)
        first = self._index(low, after_equal=not strict, tolerance=tolerance)
        last = self._index(high, after_equal=strict, tolerance=tolerance)
        if first >= last:  # there is nothing between, whatever the rounding error of the sum
            return Probability(1.0)
        # NumPy adds pairwise, so a tail of a million values keeps its digits; a running sum would not.
        lower = float(self._probabilities[:first].sum())
        upper = float(self._probabilities[last:].sum())
        value = min(lower + upper, 1.0)
        return Probability(value, error=value * self._relative_error)

    def quantile(self, level: float) -> float:
        index = int(np.searchsorted(self._up_to[1:], level * JUST_BELOW, side="left"))
        return float(self._values[min(index, len(self._values) - 1)])

    def reach(self, centre: float, level: float) -> float:
        distances = np.abs(self._values - centre)
        order = np.argsort(distances)
        beyond = np.cumsum(self._probabilities[order][::-1])[::-1]
        # The probability beyond the i-th distance is that of the values after it in this order.
        index = int(np.searchsorted(-beyond, -level * JUST_ABOVE, side="left"))
        return float(distances[order[max(index - 1, 0)]])

    def below(self, value: float) -> float:
        left, right = self._index(value, after_equal=False), self._index(value, after_equal=True)
        return float(self._up_to[left] + self._up_to[right]) / 2


class SampledLaw(_SortedLaw):
    """The distribution of a gain from r samples.

    Parameters
    ----------
    replicates : ndarray, shape (r,)
        Gains of the samples, in any order.
    tolerance : float
        Gains this close to a limit equal it up to rounding.
    blur : float
        Maximum rounding error of gains and limits; see `Probability.n_surely`.
    """

    exact = False
    how = "Monte Carlo"

    def __init__(self, replicates: FloatArray, *, tolerance: float, blur: float = 0.0) -> None:
        self._values, self._tolerance, self._blur = np.sort(replicates), tolerance, blur
        self.n_resamples = len(replicates)
        self.least = 1 / (len(replicates) + 1)

    def outside(self, low: float, high: float, *, strict: bool = False) -> Probability:
        r, count = len(self._values), self._count(low, high, strict=strict)
        if not self._blur:
            return Probability(count / r, n_resamples=r, n_exceeding=count)
        # A gain that is within its rounding error of a limit meets the event possibly, but not surely.
        surely, possibly = (self._count(low, high, strict=side, tolerance=self._blur) for side in (True, False))
        return Probability(count / r, n_resamples=r, n_exceeding=count, n_surely=surely, n_possibly=possibly)

    def _count(self, low: float, high: float, *, strict: bool, tolerance: float | None = None) -> int:
        r = len(self._values)
        if low >= high and not strict:
            return r
        lower = self._index(low, after_equal=not strict, tolerance=tolerance)
        # With strict limits that meet, both tails may include the same values.
        return lower + r - max(self._index(high, after_equal=strict, tolerance=tolerance), lower)

    def quantile(self, level: float) -> float:
        r = len(self._values)
        return float(self._values[min(max(int(np.ceil(level * r * JUST_BELOW)) - 1, 0), r - 1)])

    def reach(self, centre: float, level: float) -> float:
        r = len(self._values)
        beyond = min(int(np.floor(level * r * JUST_ABOVE)), r - 1)  # this many gains may be further out
        return float(np.partition(np.abs(self._values - centre), r - 1 - beyond)[r - 1 - beyond])

    def below(self, value: float) -> float:
        return (self._index(value, after_equal=False) + self._index(value, after_equal=True)) / 2 / len(self._values)

    def beyond(self, low: float, high: float) -> float:
        return self._count(low, high, strict=True) / len(self._values)


class StagedLaw(Law):
    """The distribution of a gain from its first samples, or from all of them if a decision needs them.

    A probability is that of the first samples if at least 100 or none of them meet the event, and if they settle the
    decision (`settles`). Quantiles are those of all samples, of sums those of the first. Histograms show the first.

    Parameters
    ----------
    every : callable
        Returns the distributions from all samples, which include the first ones.
    index : int
        Index of this distribution among them.
    n_resamples : int
        Number of all samples.
    alpha : float
        Level of the decision.
    n_corrected : int
        Largest divisor of the level in Holm's correction.
    is_sum : bool
        Whether the gain is linear. `n_resamples` is then the number of the first samples.
    """

    exact = False
    how = "Monte Carlo"

    def __init__(
        self,
        first: SampledLaw,
        every: Callable[[], Sequence[SampledLaw]],
        index: int,
        n_resamples: int,
        alpha: float,
        n_corrected: int,
        *,
        is_sum: bool = False,
    ) -> None:
        self._first, self._every, self._position, self._is_sum = first, every, index, is_sum
        self._alpha, self._n_corrected = alpha, n_corrected
        self.n_resamples, self.least = first.n_resamples if is_sum else n_resamples, 1 / (n_resamples + 1)

    @cached_property
    def _all(self) -> SampledLaw:
        return self._every()[self._position]

    def outside(self, low: float, high: float, *, strict: bool = False) -> Probability:
        first = self._first.outside(low, high, strict=strict)
        is_settled = settles(first, self._alpha, self._n_corrected)
        return first if is_settled else self._all.outside(low, high, strict=strict)

    @property
    def _of_interval(self) -> SampledLaw:
        return self._first if self._is_sum else self._all

    def quantile(self, level: float) -> float:
        return self._of_interval.quantile(level)

    def reach(self, centre: float, level: float) -> float:
        return self._of_interval.reach(centre, level)

    def below(self, value: float) -> float:
        return self._of_interval.below(value)

    def beyond(self, low: float, high: float) -> float:
        return self._of_interval.beyond(low, high)

    def histogram(self, edges: Sequence[float]) -> tuple[float, ...]:
        return self._first.histogram(edges)


def settles(sampled: Probability, alpha: float, n_corrected: int) -> bool:
    """Return whether samples determine a probability to two digits, or as 0, and settle the decision at a level.

    Two digits need 100 samples that meet the event. A decision is settled unless Clopper and Pearson's 99.9% interval
    includes α/k for a k from 1 to twice `n_corrected`: two-sided p-values may be twice the probability. So more samples
    would change the decision with a probability of at most 0.001 (Gandy 2009).

    Examples
    --------
    >>> [settles(Probability(c / 10_000, n_resamples=10_000, n_exceeding=c), 0.05, 1) for c in (0, 20, 150, 490, 900)]
    [True, False, True, False, True]
    """
    c, r = sampled.n_exceeding, sampled.n_resamples
    assert c is not None
    assert r is not None
    if 0 < c < TWO_DIGITS:
        return False
    # Holm's levels are α/k. The interval includes those at which neither tail is below the risk of one side.
    levels = alpha / np.arange(1, 2 * n_corrected + 1)
    at_least = binomial_at_least(np.array([c]), np.array([r - c]), levels)
    at_most = binomial_at_least(np.array([r - c]), np.array([c]), 1 - levels)
    return bool((np.minimum(at_least, at_most) < RISK_OF_FIRST / 2).all())


def clopper_pearson(c: int, r: int, level: float) -> tuple[float, float]:
    """Return Clopper and Pearson's exact interval of a probability at a confidence level, given c of r trials."""
    return proportion_ends(c, r - c, (1 - level) / 2)


def proportion_ends(right: float, wrong: float, tail: float) -> tuple[float, float]:
    """Return the ends of Clopper and Pearson's (1934) interval, given the counts of two outcomes and a side's level.

    Counts need not be whole numbers, because correlated trials have a smaller effective number.
    """
    low, high = proportions_ends(np.array([right]), np.array([wrong]), tail)
    return float(low[0]), float(high[0])


def proportions_ends(right: FloatArray, wrong: FloatArray, tail: float) -> tuple[FloatArray, FloatArray]:
    """Return `proportion_ends` of arrays of counts, in their shape."""
    # The lower end is a quantile of Beta(k, n − k + 1), the upper one of Beta(k + 1, n − k). Both by one search.
    both = np.array([right, right + 1.0]), np.array([wrong + 1.0, wrong])
    a, b = (np.where(count > 0, count, 1.0) for count in both)
    levels = np.reshape([tail, 1 - tail], (2, *[1] * np.ndim(right)))
    low, high = quantiles(a, b, levels, levels[::-1])
    return np.where(right > 0, low, 0.0), np.where(wrong > 0, high, 1.0)
