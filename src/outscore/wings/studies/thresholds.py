"""Thresholds: the gain above which nearly all pairs of systems are significant.

BK12 take all pairs with p-values near 0.05 and report the 95th percentile of their gains. On a small leaderboard,
few pairs have such p-values; the other rules use more pairs. All rules estimate the same quantity. If a pair's gain
has the standard error σ, its p-value is about Φ(−δ/σ), and the gain that it needs for p = α is z σ with z = Φ⁻¹(1 −
α). The threshold is the 95th percentile of z σ over the pairs: 95% of them need no more.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from outscore._types import BoolArray, FloatArray, IntArray
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.wings.studies.pair_tests import PairTests
from outscore.wings.studies.results import Fit

_STEPS = 60  # of Newton's method
_CONVERGED = 1e-8


@dataclass(frozen=True)
class ThresholdRule(ABC):
    """A rule for a threshold."""

    # low, high: the window of p-values near α; α is its middle.
    low: float = 0.04
    high: float = 0.06
    share: float = 0.95  # the percentile as a fraction: 0.95

    fit: ClassVar[Fit]
    replicates: ClassVar[int]  # for the bootstrap of its interval

    def __post_init__(self) -> None:
        if not 0 <= self.low < self.high <= 1:
            what = f"expected two p-values, the smaller one first, got {self.low:g} and {self.high:g}"
            raise OptionError(Problem(opt("window"), what, "", "out-of-range"))

    @property
    def alpha(self) -> float:
        """The middle of the window."""
        return (self.low + self.high) / 2

    @abstractmethod
    def used(self, tests: PairTests) -> BoolArray:
        """Return which tests the threshold uses, shape (m,)."""

    @abstractmethod
    def thresholds(self, gains: FloatArray, p_values: FloatArray, weights: IntArray) -> FloatArray:
        """Return the threshold for each row of weights, shape (b, m) to (b,); NaN without a threshold.

        Gains and p-values, shape (m,), are those of the `used` tests. A weight is the number of times that a test
        counts.
        """

    @abstractmethod
    def reason(self, gains: FloatArray, p_values: FloatArray) -> str:
        """Return why there is no threshold, although there are enough tests."""


@dataclass(frozen=True)
class WindowRule(ThresholdRule):
    """The 95th percentile of the gains of tests with p-values in the window (BK12, section 3.1)."""

    fit = Fit.WINDOW
    replicates = 1000

    def used(self, tests: PairTests) -> BoolArray:
        return (tests.p_values >= self.low) & (tests.p_values <= self.high) & tests.valued

    def thresholds(self, gains: FloatArray, p_values: FloatArray, weights: IntArray) -> FloatArray:
        del p_values
        return weighted_percentiles(gains, weights, self.share)

    def reason(self, gains: FloatArray, p_values: FloatArray) -> str:
        del gains, p_values
        return "no pair is left"


@dataclass(frozen=True)
class ScaledFit(ThresholdRule):
    """The 95th percentile of the gains that tests would need for p = α: δ z(α) / z(p), z(p) = Φ⁻¹(1 − p).

    If resampled gains are about normal, each test has the standard error δ / z(p). This is imprecise for p below
    0.001 or above 0.25, and useless if no resample reached the statistic, as p is then 1/(r + 1) for any gain.
    """

    fit = Fit.SCALED
    replicates = 1000
    smallest: float = 0.001
    largest: float = 0.25

    def used(self, tests: PairTests) -> BoolArray:
        inside = (tests.p_values >= self.smallest) & (tests.p_values <= self.largest)
        return inside & (tests.gains > 0) & tests.valued

    def thresholds(self, gains: FloatArray, p_values: FloatArray, weights: IntArray) -> FloatArray:
        from scipy.special import (
            ndtri,
        )  # imported here: SciPy takes longer to import than most studies take to read columns

        needed = gains * ndtri(self.alpha) / ndtri(p_values)
        return weighted_percentiles(needed, weights, self.share)

    def reason(self, gains: FloatArray, p_values: FloatArray) -> str:
        del gains, p_values
        return "no pair is left"


@dataclass(frozen=True)
class _Curve(ThresholdRule):
    """The gain at which a curve of the proportion of significant tests reaches 95%."""

    def used(self, tests: PairTests) -> BoolArray:
        return tests.gains > 0

    def thresholds(self, gains: FloatArray, p_values: FloatArray, weights: IntArray) -> FloatArray:
        order = np.argsort(gains, kind="stable")
        ordered, significant = gains[order], (p_values <= self.alpha)[order].astype(np.float64)
        thresholds = []
        for line in weights[:, order]:
            there = line > 0
            thresholds.append(self._reached(ordered[there], significant[there], line[there].astype(np.float64)))
        return np.array(thresholds)

    def reason(self, gains: FloatArray, p_values: FloatArray) -> str:
        del gains
        significant = int((p_values <= self.alpha).sum())
        if significant in (0, len(p_values)):
            which = "no pair" if significant == 0 else "every pair"
            return f"{which} has a p-value up to {self.alpha:g}"
        return f"the curve does not reach {self.share:.0%}"

    @abstractmethod
    def _reached(self, gains: FloatArray, significant: FloatArray, weights: FloatArray) -> float:
        """Return the gain at which the curve reaches the proportion; NaN if it does not."""


@dataclass(frozen=True)
class IsotonicFit(_Curve):
    """The smallest gain above which at least 95% of the tests are significant, by isotonic regression."""

    fit = Fit.ISOTONIC
    replicates = 1000

    def _reached(self, gains: FloatArray, significant: FloatArray, weights: FloatArray) -> float:
        from scipy.optimize import isotonic_regression

        if significant.min(initial=1.0) == 1:  # if everything is significant, there is no lower end
            return float("nan")
        fitted = isotonic_regression(significant, weights=weights).x
        reached = np.flatnonzero(fitted >= self.share * (1 - 1e-12))
        return float(gains[reached[0]]) if len(reached) else float("nan")


@dataclass(frozen=True)
class LogisticFit(_Curve):
    """The gain at which 95% of the tests are significant, by logistic regression on the logarithm of the gain.

    Firth's penalty makes the fit possible if one gain separates all significant tests from the others (Firth 1993;
    Heinze & Schemper 2002).
    """

    fit = Fit.LOGISTIC
    replicates = 300

    def _reached(self, gains: FloatArray, significant: FloatArray, weights: FloatArray) -> float:
        logs = np.log(gains)
        if len(np.unique(significant)) < 2 or np.ptp(logs) == 0:
            return float("nan")
        centre, scale = float(logs.mean()), float(logs.std())
        level, slope = firth_logistic((logs - centre) / scale, significant, weights)
        if not slope > 0:
            return float("nan")
        wanted = np.log(self.share / (1 - self.share))
        return float(np.exp(centre + scale * (wanted - level) / slope))


def firth_logistic(x: FloatArray, y: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return intercept and slope of a logistic regression with Firth's penalty; NaN if it does not converge.

    Newton's method on the modified score Σ wᵢ (yᵢ − πᵢ + hᵢ(½ − πᵢ)) (1, xᵢ), where hᵢ is the leverage of one copy of
    observation i (Heinze & Schemper 2002, section 2). Steps are halved where the penalised likelihood would fall.

    y in {0, 1}; a weight is the number of times that an observation counts.
    """
    design = np.column_stack([np.ones_like(x), x])
    beta, reached = np.zeros(2), -np.inf
    step = np.zeros(2)
    for _ in range(_STEPS):
        candidate = beta + step
        eta = design @ candidate
        probability = 1 / (1 + np.exp(-np.clip(eta, -500, 500)))
        spread = probability * (1 - probability)
        information = design.T @ (design * (weights * spread)[:, None])
        sign, log_determinant = np.linalg.slogdet(information)
        likelihood = float(weights @ (y * eta - np.logaddexp(0, eta)) + 0.5 * log_determinant) if sign > 0 else -np.inf
        if likelihood < reached - 1e-9 * abs(reached):  # too far: the penalised likelihood must not fall
            step = step / 2
            continue
        if not np.isfinite(likelihood):
            break
        converged = float(np.abs(step).max()) < _CONVERGED and np.isfinite(reached)
        beta, reached = candidate, likelihood
        if converged:
            return float(beta[0]), float(beta[1])
        inverse = np.linalg.inv(information)
        leverage = spread * np.einsum("ij,jk,ik->i", design, inverse, design)
        step = inverse @ (design.T @ (weights * (y - probability + leverage * (0.5 - probability))))
        step = step / max(1.0, float(np.abs(step).max()) / 5)
    return float("nan"), float("nan")


def weighted_percentiles(values: FloatArray, weights: IntArray, share: float) -> FloatArray:
    """Return `numpy.percentile` (linear) of values repeated by their weights, shape (b,).

    NaN if all weights, shape (b, m), are 0.
    """
    order = np.argsort(values, kind="stable")
    ordered, up_to = values[order], np.cumsum(weights[:, order], axis=1)
    total = up_to[:, -1] if len(values) else np.zeros(len(weights), dtype=np.int64)
    position = share * np.maximum(total - 1, 0)
    below = np.floor(position).astype(np.int64)
    percentiles = np.full(len(weights), np.nan)
    for line in np.flatnonzero(total > 0):
        low, high = np.searchsorted(up_to[line], [below[line], min(below[line] + 1, total[line] - 1)], side="right")
        part = position[line] - below[line]
        percentiles[line] = ordered[low] + (ordered[high] - ordered[low]) * part
    return percentiles
