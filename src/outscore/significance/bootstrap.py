"""The paired bootstrap tests, recentred and uncentred."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from outscore._types import AnyArray, BoolArray, IntArray
from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.pair import Pair
from outscore.laws.exact.enumeration import rarest_draw
from outscore.laws.exact.steps import StepSums
from outscore.laws.student import normal_quantile
from outscore.laws.tolerances import ROUNDING_SLACK
from outscore.results import Alternative, Estimator, Interval, Ties
from outscore.significance.base import (
    SignificanceTest,
    one_sided,
    rejecting_share,
    tail,
    tail_of,
)
from outscore.significance.p_values import PValue

if TYPE_CHECKING:
    from outscore.significance.simulated import SimulatedSets


@dataclass(frozen=True)
class Bootstrap(SignificanceTest):
    """The paired bootstrap, recentred (BK12, Figure 1; SLP). Reported beside the default test.

    Null hypothesis: the candidate's gain over the population of items is 0 (or δ₀), one-sided at most that.
    Units are drawn with replacement; δ* is the gain of a bootstrap sample. The bootstrap distribution is centred at
    the observed δ, so a gain as surprising as δ lies at 2δ:

        greater: p = P(δ* ≥ 2δ − δ₀);  less: p = P(δ* ≤ 2δ − δ₀);  two-sided: p = P(|δ* − δ| ≥ |δ − δ₀|).

    With strict ties > replaces ≥, as in BK12. On small test sets the two differ considerably.
    If the gain is linear in the weights, the distribution is exact at any size; otherwise it is sampled. With fewer
    than about 50 units the type I error rate exceeds the level (see docs/calibration.md); use the default test. With
    a margin it ignores losses that are possible but not in the test set; use `ScoreTest`.
    """

    name = "bootstrap"
    cites = ("efron1979", "koehn2004", "bergkirkpatrick2012")
    title = "paired bootstrap test"
    unsure_of_few = True
    centre = "2d"
    resamples = True

    def p_value(self, pair: Pair, laws: GainLaws, hypothesis: Hypothesis) -> PValue[float]:
        # Under the null hypothesis the distribution is around δ₀ instead of δ. The limit moves instead: δ* − δ + δ₀ ≥ δ
        # is δ* ≥ 2δ − δ₀.
        return tail(laws.law(), hypothesis, 2 * pair.gain - hypothesis.null_gain, centre=pair.gain)

    def interval(
        self, pair: Pair, laws: GainLaws, alpha: float, hypothesis: Hypothesis, estimator: Estimator
    ) -> Interval:
        """Return δ ± the 1 − α quantile of |δ* − δ| (Hall 1988: symmetric), or the bound of the basic interval."""
        law, gain = laws.law(or_sampled=True), pair.gain
        share = rejecting_share(law.n_resamples, alpha, estimator)
        match hypothesis.alternative:
            case Alternative.TWO_SIDED:
                reach = law.reach(gain, share)
                return Interval(gain - reach, gain + reach, 1 - alpha, "symmetric", law.exact)
            case Alternative.GREATER:
                low, high = 2 * gain - law.quantile(1 - share), math.inf
            case Alternative.LESS:
                low, high = -math.inf, 2 * gain - law.quantile(share)
        return Interval(low, high, 1 - alpha, "basic", law.exact)

    def p_values_of_table(self, steps: StepSums, hypothesis: Hypothesis) -> PValue[AnyArray]:
        """Return P(|S − D| ≥ D), or P(S ≥ 2D), for sums S of differences that add up to D ≥ 0 in the data."""
        observed = np.maximum(steps.mean, 0)
        # Sums are whole numbers, so > x is ≥ x + 1.
        beyond = int(hypothesis.ties is Ties.STRICT)
        if hypothesis.alternative is Alternative.TWO_SIDED:
            values, errors = steps.outside(-np.full(len(observed), beyond), 2 * observed + beyond)
            # With D = 0 the two tails meet, and would count the atom between them twice.
            everything = (observed == 0) & (hypothesis.ties is Ties.COUNT)
            values, errors = np.where(everything, 1.0, values), np.where(everything, 0.0, errors)
        else:
            values, errors = steps.at_least(2 * observed + beyond)
        return PValue(values, "exact: steps", errors, least=rarest_draw(None, steps.n))

    def decides_counts(self, n: int, helped: IntArray, hurt: IntArray, alpha: float, *, two_sided: bool) -> BoolArray:
        """Return whether P(S ≥ 2δ) ≤ α; two-sided P(S ≥ 2δ) + P(S ≤ 0); δ = h − t."""
        steps = StepSums(helped, hurt, n)
        # |S − D| ≥ D as two tails. D > 0 wherever the result is true, so that they do not overlap.
        limits = 2 * (helped - hurt)
        p, _ = steps.outside(np.zeros_like(helped), limits) if two_sided else steps.at_least(limits)
        return np.asarray((p <= alpha * ROUNDING_SLACK) & (helped > hurt))

    def normal_limit(self, n: int, tail: float) -> float:
        return _normal_limit(n, tail)

    def decides_draws(self, sets: SimulatedSets, alpha: float, *, two_sided: bool) -> BoolArray:
        p = sets.upper()
        if two_sided:
            return np.asarray((p + sets.lower() <= alpha) & (sets.gains != 0))
        return np.asarray((p <= alpha) & (sets.gains > 0))


@dataclass(frozen=True)
class BootstrapUncentred(SignificanceTest):
    """The paired bootstrap without recentring (Koehn 2004; Jansen): how often a bootstrap sample shows no gain.

    Null hypothesis: the gain is at most 0 (or δ₀).

        greater: p = P(δ* ≤ δ₀);  less: p = P(δ* ≥ δ₀);  two-sided: twice the smaller, at most 1.

    With strict ties < replaces ≤. It inverts the percentile interval: p ≤ α if the one-sided interval excludes δ₀.
    For symmetric distributions it agrees with `Bootstrap`.
    """

    name = "bootstrap-uncentred"
    cites = ("efron1979", "koehn2004")
    title = "uncentred paired bootstrap test"
    unsure_of_few = True
    centre = "0"
    resamples = True

    def p_value(self, pair: Pair, laws: GainLaws, hypothesis: Hypothesis) -> PValue[float]:
        del pair
        law = laws.law()
        strict = hypothesis.ties is Ties.STRICT
        infinity = float("inf")
        at_most = law.outside(hypothesis.null_gain, infinity, strict=strict)
        at_least = law.outside(-infinity, hypothesis.null_gain, strict=strict)
        if hypothesis.alternative is Alternative.TWO_SIDED:
            return PValue.of_event(law, min(at_most, at_least, key=lambda event: event.value), factor=2)
        return PValue.of_event(law, at_most if hypothesis.alternative is Alternative.GREATER else at_least)

    def interval(
        self, pair: Pair, laws: GainLaws, alpha: float, hypothesis: Hypothesis, estimator: Estimator
    ) -> Interval:
        """Return the percentile interval, or its bound."""
        del pair
        law = laws.law(or_sampled=True)
        share = rejecting_share(law.n_resamples, tail_of(alpha, hypothesis.alternative), estimator)
        both = Interval(law.quantile(share), law.quantile(1 - share), 1 - alpha, "percentile", law.exact)
        return one_sided(both, hypothesis.alternative)

    def decides_counts(self, n: int, helped: IntArray, hurt: IntArray, alpha: float, *, two_sided: bool) -> BoolArray:
        """Return whether P(S ≤ 0) ≤ α, twice that for two sides."""
        p = StepSums(helped, hurt, n).at_most(np.zeros_like(helped))[0] * (2 if two_sided else 1)
        return np.asarray((p <= alpha * ROUNDING_SLACK) & (helped > hurt))

    def normal_limit(self, n: int, tail: float) -> float:
        return _normal_limit(n, tail)

    def decides_draws(self, sets: SimulatedSets, alpha: float, *, two_sided: bool) -> BoolArray:
        p = sets.lower()
        if two_sided:
            return np.asarray((2 * p <= alpha) & (sets.gains != 0))
        return np.asarray((p <= alpha) & (sets.gains > 0))


def _normal_limit(n: int, tail: float) -> float:
    """Return z √((n − 1)/n): the bootstrap variance is (n − 1)s²/n², and its distribution is taken as normal."""
    return normal_quantile(tail) * math.sqrt((n - 1) / n)
