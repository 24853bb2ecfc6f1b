"""Exact distributions of linear gains whose values are on a grid, and of few units.

With d the differences of the numerators (positive is better) and ℓ the shared denominators, the gain of a sample with
weights w is Σ wᵢdᵢ / Σ wᵢℓᵢ. If the denominator is the same in all samples, that is a sum of independent draws
(bootstrap) or of independent signs (randomization). With strata a draw has the weight c_h = n_h/(n_h − 1).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.data.strata import members_of, scales
from outscore.laws.exact.enumeration import (
    MOST_COMPOSITIONS,
    MOST_HALVED_UNITS,
    MOST_SWITCHED_UNITS,
    HalvesLaw,
    enumerated_bootstrap_law,
    rarest_draw,
)
from outscore.laws.exact.lattice import NOISE, TIE, Precision
from outscore.laws.exact.signs import CHEAP, SignsLaw, cost_of_adding
from outscore.laws.exact.steps import StepSums
from outscore.laws.exact.sums import DrawnSum, GridSum, SwitchedSum, Tails
from outscore.laws.law import AtomicLaw, Law, Probability

_ON_GRID = "exact: lattice"
# Nanoseconds per sample that could be enumerated instead: 0.7 seconds for the usual limit of 1.4 million, which a
# Fourier transform of 2²⁴ cells takes.
_COST_PER_SAMPLE = 500
_CHEAP = 3e7  # nanoseconds: a grid that costs more is left to enumeration, if there are few samples
_QUARTER = 0.25  # of a step: thresholds of sums with a known grain have no larger error


class GridLaw(Law):
    """X = centre + scale · S for a centred sum S on a grid.

    Parameters
    ----------
    total : GridSum
    centre, scale, least : float
    grain : float, optional
        As for `Precision`.
    """

    exact = True
    how = _ON_GRID

    def __init__(
        self, total: GridSum, *, centre: float, scale: float, least: float, grain: float | None = None
    ) -> None:
        assert total.step is not None
        self._total, self._centre, self._tails = total, centre, Tails(total)
        self.least = least
        self._step = self.step = scale * total.step
        self._tie = tie_on_grid(total, grain)

    def affordable(self, most: float) -> bool:
        """Return whether its tails cost at most so many nanoseconds."""
        return self._tails.affordable(most)

    def _place(self, value: float) -> float:
        """Return the number of steps of a value above the lowest one."""
        return (value - self._centre) / self._step - self._total.low

    def _last_below(self, value: float, *, strict: bool) -> int:
        """Return the place of the largest value that is at most `value`, or below it; ties within rounding count."""
        highest = round(self._total.high - self._total.low)
        place = min(max(self._place(value), -2.0), highest + 2.0)
        nearest = round(place)
        return nearest - strict if abs(place - nearest) <= self._tie else math.floor(place)

    def outside(self, low: float, high: float, *, strict: bool = False) -> Probability:
        if low >= high and not strict:
            return Probability(1.0)
        lower, one = self._tails.at_most(self._last_below(low, strict=strict))
        upper, other = self._tails.at_least(self._last_below(high, strict=not strict) + 1)
        return Probability(min(lower + upper, 1.0), error=one + other)

    def below(self, value: float) -> float:
        return sum(self._tails.about_at_most(self._last_below(value, strict=strict)) for strict in (False, True)) / 2

    def beyond(self, low: float, high: float) -> float:
        upper = 1 - self._tails.about_at_most(self._last_below(high, strict=False))
        return self._tails.about_at_most(self._last_below(low, strict=True)) + upper

    def spread(self) -> float:
        return self._step * math.sqrt(self._total.variance)

    def quantile(self, level: float) -> float:
        # Gallop from the mean, then bisect.
        stride = max(1, int(math.sqrt(self._total.variance)))

        def reached(place: int) -> bool:
            return self._tails.about_at_most(place) >= level * (1 - 1e-13)

        low = high = round(-self._total.low)
        while not reached(high):
            low, high = high, high + stride
        if low == high:
            while reached(low - stride):
                low -= stride
            low, high = low - stride, low
        return self._centre + self._step * (self._total.low + _first(reached, low, high))

    def reach(self, centre: float, level: float) -> float:
        if abs(centre - self._centre) > 1e-9 * self._step:
            return super().reach(centre, level)
        # The centre of the distribution, the observed gain, is on its grid: q is a whole number of steps.

        def within(q: int) -> bool:
            return 1 - self.beyond(centre - q * self._step, centre + q * self._step) >= (1 - level) * (1 - 1e-13)

        low, high = -1, (stride := max(1, int(math.sqrt(self._total.variance))))
        while not within(high):
            low, high = high, high + stride
        return _first(within, low, high) * self._step


class _StepLaw(Law):
    """The bootstrap distribution of a mean of units +1, −1 and 0, from their counts.

    Parameters
    ----------
    ups, downs, n : int
        Numbers of +1, of −1, and of all units.
    """

    exact = True
    how = _ON_GRID

    def __init__(self, ups: int, downs: int, n: int, *, least: float) -> None:
        self._sums, self._n, self._observed = StepSums(np.array([ups]), np.array([downs]), n), n, ups - downs
        self.step = (2 if ups + downs == n else 1) / n
        self.least = least

    def outside(self, low: float, high: float, *, strict: bool = False) -> Probability:
        if low >= high and not strict:
            return Probability(1.0)
        return self._outside(self._last_below(low, strict=strict), -self._last_below(-high, strict=strict))

    def below(self, value: float) -> float:
        inclusive, exclusive = (self._up_to(self._last_below(value, strict=strict)) for strict in (False, True))
        return (inclusive + exclusive) / 2

    def spread(self) -> float:
        return float(np.sqrt(self._sums.variance[0])) / self._n

    def quantile(self, level: float) -> float:
        aim = level * (1 - 1e-13)
        first, law = self._law
        place = int(first + np.argmax(np.cumsum(law) >= aim))
        while self._up_to(place) < aim:
            place += 1
        while self._up_to(place - 1) >= aim:
            place -= 1
        return place / self._n

    def reach(self, centre: float, level: float) -> float:
        if abs(centre * self._n - self._observed) > TIE:
            return super().reach(centre, level)
        # The observed gain is on the grid: q is a whole number of steps.
        aim = (1 - level) * (1 - 1e-13)
        law = self._law[1]
        middle = len(law) // 2
        folded = law[middle:].copy()
        folded[1:] += law[middle - 1 : 0 : -1]
        q = int(np.argmax(np.cumsum(folded) >= aim))
        while not self._within(q, aim):
            q += 1
        while q > 0 and self._within(q - 1, aim):
            q -= 1
        return q / self._n

    def histogram(self, edges: Sequence[float]) -> tuple[float, ...]:
        first, law = self._law
        up_to, inner = np.concatenate([[0.0], np.cumsum(law)]), []
        for edge in edges[1:-1]:
            places = (self._last_below(edge, strict=strict) - first + 1 for strict in (False, True))
            inner.append(sum(float(up_to[min(max(place, 0), len(law))]) for place in places) / 2)
        return tuple(max(0.0, b - a) for a, b in zip([0.0, *inner], [*inner, 1.0], strict=True))

    @cached_property
    def _law(self) -> tuple[int, FloatArray]:
        """The first of consecutive sums with all but 1e-18 of the probability, and their probabilities."""
        first, law = self._sums.law(int(self._sums.lengths[0]))
        return int(first[0]), law[0]

    def _last_below(self, value: float, *, strict: bool) -> int:
        """Return the largest sum that is at most `value`, or below it; a sum next to it counts as equal."""
        beyond = self._n + 1
        place = min(max(value * self._n, -beyond), beyond)
        nearest = round(place)
        return nearest - strict if abs(place - nearest) <= min(TIE, 2 * NOISE * self._n) else math.floor(place)

    def _outside(self, low: int, high: int) -> Probability:
        (value,), (error,) = self._sums.outside(np.array([low]), np.array([high]))
        return Probability(float(value), error=float(error))

    def _up_to(self, place: int) -> float:
        return float(self._sums.at_most(np.array([place]))[0][0])

    def _within(self, q: int, aim: float) -> bool:
        return 1 - self._outside(self._observed - q - 1, self._observed + q + 1).value >= aim


def tie_on_grid(total: GridSum, grain: float | None = None) -> float:
    """Return the distance from a point of its grid, in steps, within which a threshold counts as on it."""
    return _QUARTER if grain is not None else min(TIE, NOISE * (total.high - total.low))


def _first(reached: Callable[[int], bool], low: int, high: int) -> int:
    """Return the first place that is reached, between one that is not and one that is."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def bootstrap_law(
    d: FloatArray,
    shared: FloatArray,
    strata: AnyArray | None = None,
    *,
    most: int = MOST_COMPOSITIONS,
    precision: Precision | None = None,
) -> Law | None:
    """Return the distribution of the gain of units drawn with replacement, or None if it has to be sampled.

    n units are drawn; with strata one fewer from each, with weights n_h/(n_h − 1) (`outscore.data.strata`).

    Parameters
    ----------
    d : ndarray, shape (n,)
        Differences of numerators, unit by unit.
    shared : ndarray, shape (n,)
        The denominators that both systems share, 0 or more.
    strata : ndarray of int, shape (n,), optional
        Codes of the units' strata.
    most : int
        Maximum number of samples to enumerate, and the limit of the cost of other ways.
    precision : Precision, optional
        By default sums of d are exact up to rounding.

    Notes
    -----
    The distribution is known if the differences are on a grid of at most 2²² steps and draws do not change the
    denominator, and for few units. Units of +1, −1 and 0 use the closed form of `exact.steps`, as in tables of many
    systems.
    """
    least = rarest_draw(strata, len(d))
    precision = precision or Precision(NOISE * float(np.abs(d).sum()))
    if strata is None and not precision.blur and (steps := step_counts(d, shared)) is not None:
        return _StepLaw(*steps, len(d), least=least)
    multiples, divisor = (1.0, 1.0) if strata is None else scales(strata)
    whole = float(shared.sum())
    groups = [shared] if strata is None else [shared[members] for members in members_of(strata)]
    law = None
    if not precision.blur and all(np.ptp(group) == 0 for group in groups):
        total = DrawnSum(d if strata is None else d * multiples, strata, precision.grain)
        if total.step is not None:
            scale = 1 / (whole * divisor)
            law = GridLaw(total, centre=total.mean * scale, scale=scale, least=least, grain=precision.grain)
            if law.affordable(_CHEAP):
                return law
    # Draws of n units of two or more kinds have more than n outcomes.
    if len(d) <= most or (np.ptp(d) == 0 and np.ptp(shared) == 0):
        tolerance, blur = precision.noise / whole, precision.blur / whole
        counted = enumerated_bootstrap_law(
            np.column_stack([d, shared]), _ratios, strata, tolerance=tolerance, blur=blur, most=most
        )
        if counted is not None:
            return counted
    return law if law is not None and law.affordable(_COST_PER_SAMPLE * most) else None


def step_counts(d: FloatArray, shared: FloatArray) -> tuple[int, int] | None:
    """Return the numbers of +1 and −1 if all other differences are 0 and all units have weight 1; else None."""
    ups, downs = int(np.count_nonzero(d == 1)), int(np.count_nonzero(d == -1))
    if ups + downs != np.count_nonzero(d) or max(ups, downs) in (0, len(d)) or (shared != 1).any():
        return None
    return ups, downs


def _ratios(totals: FloatArray) -> FloatArray:
    """Return Σ wd / Σ wℓ, shape (r, 2) to (r,), 0 where Σ wℓ is 0."""
    return np.divide(totals[:, 0], totals[:, 1], out=np.zeros(len(totals)), where=totals[:, 1] > 0)


def swap_law(
    d: FloatArray,
    shared: FloatArray,
    null_gain: float = 0.0,
    *,
    most: int = MOST_COMPOSITIONS,
    precision: Precision | None = None,
) -> Law | None:
    """Return the distribution of the gain when the systems' rows are swapped unit by unit with probability ½.

    With a null value other than 0 the signs of dᵢ − δ₀ℓᵢ are flipped. None if it has to be sampled.

    Parameters
    ----------
    d, shared : ndarray, shape (n,)
        As for `bootstrap_law`.
    null_gain : float
        δ₀, in the unit of the gain.
    most : int
        Maximum number of samples to enumerate, for each half of the units, and the limit of the cost of other ways.
    precision : Precision, optional
        As for `bootstrap_law`.
    """
    if null_gain == 0:
        centred = d[d != 0]
    else:
        shift = null_gain * shared
        centred = d - shift
        # Rounding error of a unit without a difference is not a difference.
        centred = centred[np.abs(centred) > 1e-12 * np.maximum(np.abs(d), np.abs(shift))]
    if len(centred) == 0:
        return AtomicLaw(np.array([null_gain]), np.ones(1), tolerance=0.0, how=_ON_GRID, least=1.0)
    precision = precision or Precision(NOISE * float(np.abs(centred).sum()))
    whole = float(shared.sum())
    total = SwitchedSum(centred, precision.grain)
    # Counting gives multiples of 2⁻ᵐ without rounding.
    halves = len(centred) <= MOST_HALVED_UNITS and 2 ** -(-len(centred) // 2) <= most
    if halves and (len(centred) <= MOST_SWITCHED_UNITS or total.step is None or precision.blur):
        return HalvesLaw(centred, centre=null_gain, scale=1 / whole, precision=precision)
    if total.step is None or precision.blur:
        return None
    budget, scale, tie = _COST_PER_SAMPLE * most, 2 / whole, tie_on_grid(total, precision.grain)
    adding = cost_of_adding(total.multiples)
    if adding <= CHEAP:
        return SignsLaw(total.multiples, total.step, centre=null_gain, scale=scale, tie=tie)
    least = max(0.5**total.n_terms, float(np.finfo(np.float64).tiny))
    law = GridLaw(total, centre=null_gain, scale=scale, least=least, grain=precision.grain)
    if law.affordable(min(budget, adding)):
        return law
    return SignsLaw(total.multiples, total.step, centre=null_gain, scale=scale, tie=tie) if adding <= budget else None
