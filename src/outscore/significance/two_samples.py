"""The t-test of two independent samples, each with its own skewness, and its interval.

The candidate's score is that of one sample, and the baseline's that of another. With V = V₁ + V₂ and t = (δ − δ₀)/√V,
each sample has s and ν of `gains.skewness`, and the baseline counts with −κ:

    s = Σ sign(κₕ)·sₕ·(Vₕ/V)^1.5 if it is against t, else 0
    ν = 1/Σ (Vₕ/V)²/νₕ

p and the interval follow from s and ν as for one sample.

A few units may carry all of a sample's variance, or its scores may all be equal. Such a sample does not show its
spread (`Sample.is_low`). If the range of the scores is known, it gets one more unit of mean size at each end of the
range. Otherwise it borrows the variance of all units, up to the limit that its own units allow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from outscore._types import FloatArray
from outscore.gains.carriers import FEW
from outscore.gains.influence import Leverage, Spread, satterthwaite, spread_of_gaps
from outscore.gains.pair import Pair
from outscore.gains.skewness import corrected_t, shape, stretched
from outscore.laws.student import student_p_value, student_quantile
from outscore.results import Alternative
from outscore.significance.base import tail_of

_PART = 0.25  # of all units, below 20 units, where 5 effective ones are more than equal small scores can reach
_FIVE_PERCENT = 1.6448536269514722  # normal quantile of the limit of a low sample's variance
_NOTHING_UNSEEN = math.inf  # effective units of a sample with units at both ends of the range: nothing is further out


@dataclass(frozen=True)
class Sample:
    """The score of one system, turned so that higher is better, and its spread over the system's own units.

    Attributes
    ----------
    is_low : bool
        Whether too few units carry the variance to show it: fewer than 5 effective ones, or a quarter of all if these
        are fewer.
    """

    score: float
    spread: Spread
    n_units: int
    is_low: bool

    @property
    def variance(self) -> float:
        """V of the score."""
        return float(self.spread.variance)

    @property
    def unit_variance(self) -> float:
        """The variance of a unit of mean size."""
        return self.variance * self.n_units

    def borrowing(self, other: Sample) -> Sample:
        """Return the sample with the pooled variance of both samples, if that is larger and plausible.

        It is possible up to the variance that would be as small as the sample's own with a probability of 5%, by
        Wilson and Hilferty's (1931) approximation for 3m − 1 degrees of freedom. Skewness and m are those of all units.
        """
        n, n_other, v = self.n_units, other.n_units, self.variance
        whole = (n - 1) * self.unit_variance + (n_other - 1) * other.unit_variance
        pooled = whole / (n + n_other - 2)
        wide = pooled / n
        if v > 0:
            # χ²/ν is about (1 − f + z√f)³ with f = 2/(9ν). Its 5% quantile divides the variance that the sample shows.
            f = 2 / (9 * (3 * float(self.spread.effective) - 1))
            least = max(1 - f - _FIVE_PERCENT * math.sqrt(f), 0.0) ** 3
            wide = min(wide, v / least) if least > 0 else wide
        if not self.is_low or wide <= v:
            return self
        third = first = second = 0.0
        for sample in (self, other):
            of_units = sample.unit_variance / pooled * sample.n_units
            third += float(sample.spread.skewness) * of_units**1.5
            first, second = first + of_units, second + of_units**2 / float(sample.spread.effective)
        kappa = third / (n + n_other) / math.sqrt(n)
        effective = max(first**2 / second * n / (n + n_other), 1.0)
        return replace(self, spread=Spread(math.sqrt(wide), kappa, effective, self.spread.design_degrees))


def sample_of(pair: Pair, limits: tuple[float, float] | None) -> Sample:
    """Return the sample of one system, a pair without a baseline.

    Its gain is its score and `limits` the range of scores, both turned so that higher is better.
    """
    spread, n = pair.spread, pair.n_units
    effective = float(spread.effective) if float(spread.variance) > 0 else 0.0
    is_low = effective < min(FEW, n * _PART)
    if not is_low or limits is None or pair.linear is None:
        return Sample(pair.gain, spread, n, is_low)
    sizes = np.abs(pair.linear.shared)
    mean = float(sizes.mean())
    # A sample that shows no spread gets the largest one that two unseen units may have.
    d = np.concatenate([pair.linear.d, [mean * limits[0], mean * limits[1]]])
    sizes = np.concatenate([sizes, [mean, mean]])
    whole = float(sizes.sum())
    score = math.fsum(d) / whole
    spread = spread_of_gaps(Leverage(sizes), (d - score * sizes) / (whole - sizes), pair.tolerance)
    return Sample(score, replace(spread, skewness=0.0, effective=_NOTHING_UNSEEN), n, is_low=False)


@dataclass(frozen=True)
class TwoSamples:
    """Two independent samples, `given` of baseline and candidate, and the test of the difference of their scores."""

    given: tuple[Sample, Sample]

    @cached_property
    def borrowed(self) -> tuple[bool, bool]:
        """Whether the baseline and the candidate borrow the variance of the other."""
        return self._samples[0] is not self.given[0], self._samples[1] is not self.given[1]

    @cached_property
    def _samples(self) -> tuple[Sample, Sample]:
        baseline, candidate = self.given
        # A score that is undefined without a unit has no variance to lend or to limit.
        if math.isinf(self._variance_of(self.given)):
            return self.given
        return baseline.borrowing(candidate), candidate.borrowing(baseline)

    @staticmethod
    def _variance_of(samples: tuple[Sample, Sample]) -> float:
        return samples[0].variance + samples[1].variance

    @cached_property
    def gain(self) -> float:
        """The difference of the scores, with the units that were added at the ends of a known range."""
        return self.given[1].score - self.given[0].score

    @cached_property
    def variance(self) -> float:
        """V. 0 if all scores of each sample are equal; infinite if a score is undefined without one of its units."""
        return self._variance_of(self._samples)

    def statistic(self, null_gain: float) -> float:
        """Return t; V is not 0."""
        return (self.gain - null_gain) / math.sqrt(self.variance)

    def _shape(self, sign: float) -> tuple[FloatArray, float]:
        """Return s and ν for t of this sign."""
        skewness, parts = 0.0, []
        for direction, sample in zip((-1.0, 1.0), self._samples, strict=True):
            kappa, share = direction * float(sample.spread.skewness), sample.variance / self.variance
            s, degrees = shape(sample.spread, sign * kappa < 0)
            skewness += math.copysign(float(s), kappa) * share**1.5
            parts.append((share, float(degrees)))
        return np.asarray(max(-sign * skewness, 0.0)), float(satterthwaite(parts))

    def p_value(self, null_gain: float, alternative: Alternative) -> float:
        """Return the p-value of a difference of `null_gain`; V is not 0."""
        if math.isinf(self.variance):
            return 1.0
        t = self.statistic(null_gain)
        s, degrees = self._shape(1.0 if t > 0 else -1.0)
        return student_p_value(float(corrected_t(np.asarray(t), s)), degrees, alternative)

    def interval(self, alpha: float, alternative: Alternative, width: float) -> tuple[float, float]:
        """Return the differences that the test does not reject at level alpha, at most `width` from 0; V is not 0.

        An end that a one-sided test does not bound is infinite.
        """
        tail = tail_of(alpha, alternative)
        reaches = [math.inf, math.inf]
        # At the lower end the hypothetical difference is below the gain, so t is positive there, and its shape that of
        # positive t. Each end then has the p-value of its side, and the interval agrees with the test.
        for side, sign in enumerate((1.0, -1.0)):
            if math.isfinite(self.variance):
                s, degrees = self._shape(sign)
                quantile = np.asarray(student_quantile(tail, degrees))
                reaches[side] = math.sqrt(self.variance) * float(stretched(quantile, s))
        low = -math.inf if alternative is Alternative.LESS else max(self.gain - reaches[0], -width)
        high = math.inf if alternative is Alternative.GREATER else min(self.gain + reaches[1], width)
        return low, high
