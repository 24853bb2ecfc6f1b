"""The exact randomization distribution of metrics that are a ratio of two counts: F1, precision, AER.

A swap keeps the sum of the two systems' rows, so one system's two counts determine the other's. Each deviates from half
of the sum by a sum of signed pairs of counts. Given the denominators, the gain increases with the numerator.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.laws.exact.sums import SumLaw, SwitchedSum
from outscore.laws.law import Law
from outscore.laws.tolerances import RATIO_NOISE

# Nanoseconds: 3,500 sentences take about 50 ms, and no sum on a grid takes longer.
_DEAREST = 7e8


@dataclass(frozen=True, eq=False)
class TwoCounts:
    """Two systems' counts per unit: score = numerator / denominator of the sums, 0 for 0/0."""

    baseline: IntArray  # numerators and denominators, shape (n, 2)
    candidate: IntArray  # likewise
    sign: int = 1  # 1 if higher is better, −1 if lower is


def two_count_swap_law(counts: TwoCounts) -> Law | None:
    """Return the distribution of the gain under swaps with probability ½, or None if its grid is too large."""
    change = counts.candidate - counts.baseline
    change = change[(change != 0).any(axis=1)]
    if len(change) == 0:
        return None
    law = _TwoCountLaw(counts, change)
    return law if law.affordable(_DEAREST) else None


class _TwoCountLaw(SumLaw):
    """The distribution over sums S of half the changes with random signs, in steps of their common divisors."""

    how = "exact: two counts"

    def __init__(self, counts: TwoCounts, change: IntArray) -> None:
        self._steps = np.maximum(np.gcd.reduce(change, axis=0), 1)
        least = max(0.5 ** len(change), float(np.finfo(np.float64).tiny))
        super().__init__(SwitchedSum(change // self._steps), least=least, is_counted=True)
        self._half = (counts.baseline + counts.candidate).sum(axis=0) / 2
        better = counts.candidate if counts.sign > 0 else counts.baseline
        self._observed = abs(self._exact_gain(better.sum(axis=0) - self._half))

    def boundary(self, gain: float, y: FloatArray) -> FloatArray:
        # With x added to a half of all numerators n: (n + x)·a − (n − x)·b ≥ δ; a or b is 0 for a denominator of 0.
        top, bottom = self._half
        change = self._steps[1] * y
        a, b = (
            np.divide(1.0, part, out=np.zeros(len(y)), where=part > 0.5) for part in (bottom + change, bottom - change)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            limits = (gain - top * (a - b)) / ((a + b) * self._steps[0])
        return np.where(a + b > 0, limits, np.inf if gain > 0 else -np.inf)

    def gain_of_mean(self) -> float:
        return 0.0

    def ties(self, gain: float, x: FloatArray, y: FloatArray) -> AnyArray:
        # Ratios of counts can differ by less than rounding: they are compared as fractions.
        rounding = RATIO_NOISE * max(1.0, abs(gain))
        is_observed = abs(abs(gain) - float(self._observed)) <= rounding
        aim = self._observed * (1 if gain > 0 else -1) if is_observed else Fraction(gain)
        slack = 0 if is_observed else Fraction(rounding)
        beyond = [self._exact_gain(point) - aim for point in np.column_stack([x, y]) * self._steps]
        return np.array([(excess > slack) - (excess < -slack) for excess in beyond], dtype=np.int64)

    def _exact_gain(self, change: FloatArray) -> Fraction:
        """Return the gain if the better system's totals are half of all and `change`."""
        up, down = (
            Fraction(round(n), round(d)) if round(d) else Fraction(0)
            for n, d in ((self._half + change).tolist(), (self._half - change).tolist())
        )
        return up - down
