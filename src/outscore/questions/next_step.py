"""The number of units that would show a true gain of the observed size: the next step after an inconclusive verdict."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from outscore.gains.influence import Spread
from outscore.gains.pair import Pair
from outscore.gains.skewness import skew_reach
from outscore.laws.student import normal_quantile
from outscore.results import Alternative, Claim, NextStep, TestResult, Verdict
from outscore.results.scores import UnpairedComparison
from outscore.significance.randomization import Randomization
from outscore.significance.t_tests import SkewT

_MISSED = 0.2  # 80% power, the usual convention (Cohen 1988)
_TAIL_OF_RANGE = 0.025  # a 95% range of the variance: 90% of them must hold the right number, and tails are heavier
_TAIL_OF_ONE = 0.05  # on each side, so that a single number is right in 90% of samples
_ENOUGH_DIFFERING = 100  # from this number on, the variance of binary scores is known within 20% at a level of 95%
_ENOUGH_UNPAIRED = 200  # with 100, the variance of exponential scores is wrong by more than 20% in half of the samples
_LITTLE = 0.03  # of the variance: with more from runs, the few runs decide about the power on many items
_LEAST_UNITS = 5  # with fewer, the range is wider than a factor of 10 and helps nobody
_FEWEST_UNITS = 20  # with fewer, Student's quantile differs from the normal one so much that numbers are 14% off
_LARGEST_ERROR = 0.2  # a single number is given if it is within 20%, in 90% of samples
_MOST_TIMES = 100.0  # beyond this many times the present units the number helps nobody
_ROUNDS = 12  # each divides the error of the number of an equivalence test by 3 or more


@dataclass(frozen=True)
class _Sought:
    """What is to be shown, and by which number of units.

    `excess` is the distance of the gain from the null hypothesis, positive on the side of the claim, and `side` the
    side of the null hypothesis, -1 below. `staying` is the proportion of the variance that more units do not reduce.
    """

    pair: Pair
    spread: Spread
    excess: float
    side: int
    tail: float
    staying: float

    def reach(self, spread: Spread, missed: float = _MISSED) -> float:
        """Return how many standard errors from the null hypothesis a gain is found with this power."""
        below, above = skew_reach(self.tail, spread)
        return float(below if self.side < 0 else above) + normal_quantile(missed)

    def by_spread(self, times: float, missed: float = _MISSED) -> float:
        """Return the number of units by the t-test corrected for skewness, with the variance multiplied by `times`.

        Degrees of freedom and shape of a variance that is partly of runs, templates or raters stay as they are.
        """
        n, variance = self.pair.n_units, float(self.spread.variance) * times

        def is_enough(number: float) -> bool:
            spread = self.spread if self.staying else _at_size(self.spread, number / n)
            left = variance * (self.staying + (1 - self.staying) * n / number)
            return self.reach(spread, missed) * math.sqrt(left) <= self.excess

        return _least(is_enough, 2.0, 2 * _MOST_TIMES * n)

    def by_counts(self, times: float) -> float:
        """Return the number of items by the exact test of wins and losses, with their proportion times `times`.

        The normal approximation of Connor (1987), with a continuity correction of one item, except at the low end of a
        range, since the correction is too large for few items.
        """
        n, excess = self.pair.n_units, self.excess
        differing = min(max(times * self.pair.n_differing / n, excess), 1.0)
        z = normal_quantile(self.tail) * math.sqrt(differing)
        z += normal_quantile(_MISSED) * math.sqrt(differing - excess**2)
        correction = 4 * excess if times >= 1 else 0.0
        return ((z + math.sqrt(z * z + correction)) / (2 * excess)) ** 2


def _least(is_enough: Callable[[float], bool], low: float, high: float) -> float:
    """Return the least number between two that is enough, to a thousandth; infinite if none is."""
    if not is_enough(high):
        return math.inf
    while high > 1.001 * low:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _at_size(spread: Spread, times: float) -> Spread:
    """Return the spread with the shape that so many times the units have; its standard error is not changed."""
    return replace(
        spread,
        skewness=float(spread.skewness) / math.sqrt(times),
        effective=float(spread.effective) * times,
        design_degrees=float(spread.design_degrees) * times,
    )


def next_step(
    pair: Pair, test: TestResult, claim: Claim, margin: float, level: float, unit: str, staying: float
) -> NextStep | None:
    """Return the number of units with which a true gain of this size is found with 80% power.

    None if the test is of another quantity than the gain or neglects the pairing, if there is no spread to go by, or if
    the gain contradicts a claim with a margin. `level` is that of this test after the correction, `unit` the name of
    the units, and `staying` the proportion of the variance that is due to new runs, templates or raters.
    """
    spread = SkewT().spread(pair)
    error, n = float(spread.error), pair.n_units
    if test.quantity is not None or test.emulates or test.assumes_independence or pair.clusterings is not None:
        return None
    if not 0 < error < math.inf or unit == "task" or n < _LEAST_UNITS:
        return None
    two_sided = test.alternative is Alternative.TWO_SIDED
    side = -1 if test.alternative is Alternative.GREATER or (two_sided and pair.gain > 0) else 1
    excess = -side * pair.gain
    if claim is not Claim.BETTER:
        side, excess = (1 if claim is Claim.EQUIVALENT and pair.gain > 0 else -1), margin + pair.gain
        excess = min(excess, margin - pair.gain) if claim is Claim.EQUIVALENT else excess
        if excess <= 0:
            return None
    tail = level / (2 if two_sided else 1)
    sought = _Sought(pair, spread, excess, side, tail, staying)
    is_exact = claim is Claim.BETTER and test.name == Randomization.name and pair.binary and unit == "item"
    number = sought.by_counts if is_exact else sought.by_spread
    if claim is Claim.EQUIVALENT:
        number = partial(_of_both_sides, sought, margin)
    estimate, most = number(1.0) if excess > pair.tolerance else math.inf, _MOST_TIMES * n
    if estimate > most:
        if staying > 0 and excess > pair.tolerance and replace(sought, staying=0.0).by_spread(1.0) <= most:
            return NextStep(unit, n, math.inf, math.inf)
        if claim is not Claim.BETTER or n < _FEWEST_UNITS:
            return None
        if is_exact:
            least = _least(lambda gain: replace(sought, excess=gain).by_counts(1.0) <= n, 1 / n, 1.0)
        else:
            least = sought.reach(spread) * error
        return NextStep(unit, n, math.inf, math.inf, least) if least < pair.gain_range[1] else None
    differing = pair.n_differing / n
    if is_exact:
        unsure = math.sqrt((1 - differing) / pair.n_differing)
    else:
        unsure = math.sqrt(max(1 / float(spread.effective) - 1 / n, 2 / float(spread.degrees)))
    if (
        pair.n_differing >= _ENOUGH_DIFFERING
        and staying <= _LITTLE
        and normal_quantile(_TAIL_OF_ONE) * unsure <= _LARGEST_ERROR
    ):
        return NextStep(unit, n, estimate, estimate)
    factor = math.exp(normal_quantile(_TAIL_OF_RANGE) * unsure)
    return NextStep(unit, n, number(1 / factor), math.inf if staying > _LITTLE else number(factor))


def _of_both_sides(sought: _Sought, margin: float, times: float) -> float:
    """Return the number of units of an equivalence test, which must reject on both sides."""
    missed, number = _MISSED, math.inf
    for _ in range(_ROUNDS):
        number = sought.by_spread(times, missed)
        if math.isinf(number):
            return math.inf
        staying = sought.staying + (1 - sought.staying) * sought.pair.n_units / number
        error = math.sqrt(float(sought.spread.variance) * times * staying)
        other = (2 * margin - sought.excess) / error - normal_quantile(sought.tail)
        missed = max(_MISSED - 0.5 * math.erfc(other / math.sqrt(2)), _MISSED / 2)
    return number


def times_as_many(
    comparison: UnpairedComparison, claim: Claim, alternative: Alternative, level: float
) -> tuple[float, float] | None:
    """Return how many times the items of both unpaired systems give a true gain of this size 80% power, as a range.

    The interval is twice a normal quantile times the standard error wide, or once if it has one end. `level` is that
    of the test after the correction. The ends of the range are equal from 200 items or clusters of both systems on.
    None if there is no verdict on means that is inconclusive, with few units, or if the number is too large to be of
    use.
    """
    c, interval = comparison, comparison.interval
    if c.verdict is not Verdict.INCONCLUSIVE or claim is not Claim.BETTER or c.withheld or not c.tests[0].is_of_means:
        return None
    reaches = [reach for reach in (c.gain - interval.low, interval.high - c.gain) if math.isfinite(reach)]
    units = min(c.baseline_clusters or c.n_baseline, c.candidate_clusters or c.n_candidate)
    sides = {Alternative.TWO_SIDED: abs(c.gain), Alternative.GREATER: c.gain, Alternative.LESS: -c.gain}
    excess, tail = sides[alternative], level / (2 if alternative is Alternative.TWO_SIDED else 1)
    if not reaches or not excess > 0 or units < _FEWEST_UNITS:
        return None
    error = sum(reaches) / len(reaches) / normal_quantile((1 - interval.confidence_level) / len(reaches))
    times = ((normal_quantile(tail) + normal_quantile(_MISSED)) * error / excess) ** 2
    if not times <= _MOST_TIMES:
        return None
    # The logarithm of the variance of n normal values has about this standard deviation.
    unsure = math.sqrt(2 / (units - 1)) if units < _ENOUGH_UNPAIRED else 0.0
    factor = math.exp(normal_quantile(_TAIL_OF_RANGE) * unsure)
    return times / factor, times * factor
