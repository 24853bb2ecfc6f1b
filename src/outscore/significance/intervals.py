"""Intervals of the gain from its bootstrap distribution, and the histogram of that distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import NormalDist

import numpy as np

from outscore._types import FloatArray
from outscore.data.strata import members_of
from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.pair import Pair
from outscore.laws.law import Law
from outscore.results import Estimator, Histogram, Interval, IntervalMethod, TestedQuantity
from outscore.significance.base import SignificanceTest, one_sided
from outscore.significance.t_tests import SkewT

_BINS = 24


def test_interval(
    test: SignificanceTest,
    pair: Pair,
    laws: GainLaws,
    hypotheses: Sequence[Hypothesis],
    alpha: float,
    estimator: Estimator,
) -> tuple[Interval, bool]:
    """Return the interval of all gains that a test does not reject, and whether it is the test's own.

    The test's own interval cannot contradict its p-value. For the two one-sided hypotheses of equivalence both ends
    are the test's own, at level 1 − 2α (Schuirmann 1987). A test that cannot be inverted is reported with the interval
    of the skewness-corrected t-test.
    """
    intervals = [test.interval(pair, laws, alpha, hypothesis, test.estimator or estimator) for hypothesis in hypotheses]
    is_own = not any(interval is None for interval in intervals)
    if not is_own:
        test = SkewT()
        intervals = [test.interval(pair, laws, alpha, hypothesis, estimator) for hypothesis in hypotheses]
    first, *others = (
        replace(possible(interval, pair, hypothesis), title=test.intervals.get(interval.method, interval.title))
        for interval, hypothesis in zip(intervals, hypotheses, strict=True)
        if interval is not None
    )
    if not others:
        return first, is_own
    # Each of the two one-sided intervals has one finite end.
    low, high = max(other.low for other in (first, *others)), min(other.high for other in (first, *others))
    return replace(first, low=low, high=high, confidence_level=1 - 2 * alpha), is_own


def possible(interval: Interval, pair: Pair, hypothesis: Hypothesis) -> Interval:
    """Return the interval without the gains that the range of scores excludes."""
    lowest, highest = pair.gain_range
    return one_sided(
        replace(interval, low=max(interval.low, lowest), high=min(interval.high, highest)), hypothesis.alternative
    )


def agreeing(interval: Interval, gain: float, null_gain: float, p: float, alpha: float) -> Interval:
    """Return the interval in agreement with p: an end on the wrong side of δ₀, by rounding or sampling, is moved."""
    if gain == null_gain or (p > alpha) == interval.holds(null_gain):
        return interval
    low_end, high_end, of_gain, of_p = (np.array([value]) for value in (interval.low, interval.high, gain, p))
    (low,), (high,) = agreeing_ends(low_end, high_end, of_gain, null_gain, of_p, alpha)
    return replace(interval, low=float(low), high=float(high))


def agreeing_quantity(quantity: TestedQuantity, sign: int, p: float, alpha: float) -> TestedQuantity:
    """Return a tested quantity whose interval agrees with the test, given its sign and its p-value.

    Ties and units that do not differ count differently in p and in the interval. Where the two disagree, the end on
    the wrong side of the null value is moved to it. p decides whether such an end belongs to the interval.
    """
    interval, null = quantity.interval, quantity.null
    if interval is None:
        return quantity
    if p > alpha:
        interval = replace(interval, low=min(interval.low, null), high=max(interval.high, null))
    elif interval.holds(null):
        interval = replace(interval, low=null) if sign > 0 else replace(interval, high=null)
    return replace(quantity, interval=interval)


def agreeing_ends(
    low: FloatArray, high: FloatArray, gains: FloatArray, null_gain: float, p_values: FloatArray, alpha: float
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of many intervals corrected as by `agreeing`, shape (m,) each."""
    wrong = (gains != null_gain) & ((p_values > alpha) != ((low <= null_gain) & (null_gain <= high)))
    held = wrong & (p_values > alpha)
    above, below = (wrong & ~held & side for side in (gains > null_gain, gains < null_gain))
    # δ₀ itself is rejected: the end is the next double beyond it.
    low = np.where(held, np.minimum(low, null_gain), np.where(above, math.nextafter(null_gain, math.inf), low))
    high = np.where(held, np.maximum(high, null_gain), np.where(below, math.nextafter(null_gain, -math.inf), high))
    return low, high


def gain_interval(pair: Pair, law: Law, confidence_level: float, method: IntervalMethod) -> Interval:
    """Return an interval of the gain.

    percentile: the quantiles of the distribution at (1 ± level)/2. basic: 2δ minus these, in reverse order
    (Davison & Hinkley 1997, section 5.2). bca: the percentiles corrected for bias and acceleration
    (Efron 1987, eqs. 2.3 and 6.6); percentile if the distribution has no variance.

    Cost: two quantiles of the distribution; bca also needs n jackknife values.
    """
    tail = (1 - confidence_level) / 2
    levels = (tail, 1 - tail)
    if method is IntervalMethod.BCA:
        levels = _bca_levels(pair, law, levels)
    low, high = (law.quantile(level) for level in levels)
    if method is IntervalMethod.BASIC:
        low, high = 2 * pair.gain - high, 2 * pair.gain - low
    lowest, highest = pair.gain_range
    return Interval(max(low, lowest), min(high, highest), confidence_level, method.value, law.exact)


def _bca_levels(pair: Pair, law: Law, levels: tuple[float, float]) -> tuple[float, float]:
    below = law.below(pair.gain)
    # If all values are on one side of the gain, the bias is infinite.
    if not 0 < below < 1:
        return levels
    normal = NormalDist()
    bias = normal.inv_cdf(below)
    influence = _jackknife(pair)
    spread = float((influence**2).sum()) ** 1.5
    acceleration = float((influence**3).sum()) / (6 * spread) if spread > 0 else 0.0
    adjusted = []
    for level in levels:
        shifted = bias + normal.inv_cdf(level)
        # Beyond the pole of the correction (Efron 1987) the level would jump to the other tail.
        stretched = 1 - acceleration * shifted
        adjusted.append(normal.cdf(bias + shifted / stretched) if stretched > 0 else level)
    # The quantiles at 0 and 1 are undefined.
    smallest = 1e-12
    return min(max(adjusted[0], smallest), 1 - smallest), min(max(adjusted[1], smallest), 1 - smallest)


def _jackknife(pair: Pair) -> FloatArray:
    """Return the mean jackknife gain minus the gain without each unit, shape (n,), per stratum."""
    without = pair.jackknife
    if pair.strata is None:
        return np.asarray(without.mean() - without)
    influence = np.zeros(len(without))
    for members in members_of(pair.strata):
        influence[members] = without[members].mean() - without[members]
    return influence


def gain_histogram(pair: Pair, law: Law, interval: Interval) -> Histogram:
    """Return a histogram of about two dozen bins, two intervals wide, with bins of whole steps on a grid."""
    half = interval.reach(pair.gain) or law.reach(pair.gain, 0.05)
    if half <= pair.tolerance:
        edge = max(abs(pair.gain), 1.0) * 1e-3
        return Histogram((pair.gain - edge, pair.gain + edge), (1.0,), law.exact)
    low, high = pair.gain - 2 * half, pair.gain + 2 * half
    width = (high - low) / _BINS
    if law.step is None:
        first = low
    else:
        # Bins of whole steps have equal numbers of possible values. Otherwise bars of a smooth distribution look like a
        # comb.
        width = math.ceil(width / law.step) * law.step
        anchor = pair.gain - law.step / 2  # so that edges lie between values
        first = anchor - math.ceil((anchor - low) / width) * width
    count = max(1, math.ceil((high - first) / width))
    edges = tuple(first + width * i for i in range(count + 1))
    return Histogram(edges, law.histogram(edges), law.exact)
