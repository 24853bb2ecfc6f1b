"""Exact distributions of linear gains, where both systems share the denominators item by item.

With d the differences of the numerators (positive is better) and ℓ the shared denominators, the gain of a sample with
weights w is Σ wᵢdᵢ / Σ wᵢℓᵢ, and

    δ* ≥ c  ⟺  Σ wᵢ(dᵢ − cℓᵢ) ≥ 0,

an event of a sum of independent draws (bootstrap) or of independent signs (randomization). With strata a draw has the
weight c_h = n_h/(n_h − 1), so that c_h·d and c_h·ℓ replace d and ℓ. The characteristic function is
Π φ_h(c_h t)^(n_h − 1).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from statistics import NormalDist

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
from outscore.laws.exact.inversion import Tail, Tails, tie_on_grid
from outscore.laws.exact.lattice import NOISE, TIE, Precision
from outscore.laws.exact.pictures import roughly_below
from outscore.laws.exact.signs import SignsLaw, worth_adding
from outscore.laws.exact.steps import StepSums
from outscore.laws.exact.sums import MANY_VALUES, CentredSum, DrawnSum, SwitchedSum
from outscore.laws.law import Law, Probability, first_reaching_smoothly

_ON_GRID = "exact: lattice"
_USUAL_QUANTILES = (-1.96, 0.07, 1.96)  # in standard deviations
_MOST_QUANTILE_ERROR = 2e-3
_MOST_STRATA, _MOST_RATIO_STRATA = 64, 8
_FAR_LEVEL = 1e-4  # of |φ|, on average beyond the last node: above this the error bound is wide
_MOST_ERROR = 1e-3  # of p(1 − p): with a wider error bound the distribution is sampled


class _LinearLaw(Law):
    """A distribution whose events are those of centred sums."""

    exact = True

    @abstractmethod
    def tails_at(self, value: float) -> tuple[Tails, float]:
        """Return the tails of an S, and x, such that X ≥ value if and only if S ≥ x."""

    @property
    def settled(self) -> bool:
        """Whether its error bounds are known to be negligible everywhere."""
        return True

    @abstractmethod
    def spread(self) -> float:
        """Return the standard deviation of X, or an approximation."""

    @abstractmethod
    def centre(self) -> float:
        """Return the mean of X, or an approximation."""

    def hopeless(self, n_strata: int) -> bool:
        """Return whether inversion would take too long, given the number of strata without a grid."""
        return n_strata > _MOST_RATIO_STRATA

    def tail(self, value: float) -> Tail:
        """Return P(X >= value) and P(X > value)."""
        if np.isinf(value):
            return Tail(float(value < 0), float(value < 0), 0.0)
        tails, x = self.tails_at(value)
        return tails.at_least(x)

    def lower_tail(self, value: float) -> Tail:
        """Return P(X <= value) and P(X < value)."""
        if np.isinf(value):
            return Tail(float(value > 0), float(value > 0), 0.0)
        tails, x = self.tails_at(value)
        return tails.at_most(x)

    def up_to(self, value: float) -> float:
        """Return P(X <= value), as accurately as a quantile needs it."""
        return self.lower_tail(value).inclusive

    def outside(self, low: float, high: float, *, strict: bool = False) -> Probability:
        if low >= high and not strict:
            return Probability(1.0)
        lower, upper = self.lower_tail(low), self.tail(high)
        value = lower.exclusive + upper.exclusive if strict else lower.inclusive + upper.inclusive
        return Probability(min(value, 1.0), error=lower.error + upper.error)

    def below(self, value: float) -> float:
        tail = self.lower_tail(value)
        return (tail.inclusive + tail.exclusive) / 2

    def quantile(self, level: float) -> float:
        """Return the smallest x with P(X <= x) >= level, to ten digits of the spread."""
        spread = self.spread()
        if spread == 0:
            return self.centre()
        return first_reaching_smoothly(self.up_to, level, self.centre() + NormalDist().inv_cdf(level) * spread, spread)

    def bars_where_known(self, inner: FloatArray, shares: FloatArray) -> tuple[float, ...]:
        """Return a histogram from the probabilities below inner edges, computing those that are NaN."""
        for place in np.flatnonzero(np.isnan(shares)).tolist():
            shares[place] = self.below(inner[place])
        up_to = [0.0, *shares.tolist(), 1.0]
        return tuple(max(0.0, b - a) for a, b in pairwise(up_to))

    def trustworthy_at(self, *values: float) -> bool:
        """Return whether the error bounds at these values, on both sides, are small compared to sampling error."""
        tails = [side(value) for value in values for side in (self.tail, self.lower_tail)]
        return all(t.error <= 1e-9 + _MOST_ERROR * t.inclusive * (1 - t.inclusive) for t in tails)


class _FixedLaw(_LinearLaw):
    """X = centre + scale · S for one centred sum S."""

    def __init__(self, total: CentredSum, *, centre: float, scale: float, least: float) -> None:
        self._total, self._centre, self._scale = total, centre, scale
        self._tails = Tails(total)
        self.least = least
        self.how = "exact: inversion" if total.step is None else _ON_GRID
        self.step = None if total.step is None else scale * total.step

    def tails_at(self, value: float) -> tuple[Tails, float]:
        return self._tails, (value - self._centre) / self._scale

    def trustworthy_at(self, *values: float) -> bool:
        return self.settled or (super().trustworthy_at(*values) and self._has_quantiles())

    @property
    def settled(self) -> bool:
        return self._tails.settled

    def hopeless(self, n_strata: int) -> bool:
        return n_strata > _MOST_STRATA or self._total.far_level() > _FAR_LEVEL

    def _has_quantiles(self) -> bool:
        """Return whether quantiles can be computed as well, though they were not probed.

        The error within the blur around a grid point moves a quantile by at most that blur.
        """
        if not self._tails.blurred:
            return True
        sd = float(np.sqrt(self._total.variance))
        tails = [self._tails.at_least(deviations * sd) for deviations in _USUAL_QUANTILES]
        return all(tail.error <= _MOST_QUANTILE_ERROR for tail in tails)

    def spread(self) -> float:
        return self._scale * float(np.sqrt(self._total.variance))

    def centre(self) -> float:
        return self._centre

    def histogram(self, edges: Sequence[float]) -> tuple[float, ...]:
        inner = np.array(edges[1:-1], dtype=np.float64)
        shares = self._tails.below((inner - self._centre) / self._scale) if len(inner) else inner
        return self.bars_where_known(inner, shares)

    def quantile(self, level: float) -> float:
        step = self._total.step
        if step is None or self._total.variance == 0:
            return super().quantile(level)
        # On a grid, find the point itself: gallop from the neighbourhood of the normal quantile, then bisect.
        origin = self._total.low

        def reached(k: int) -> bool:
            return self._tails.at_most(origin + k * step).inclusive >= level * (1 - 1e-13)

        stride = max(1, int(np.sqrt(self._total.variance) / step))
        high = round(-origin / step)
        low = high
        while not reached(high):
            low, high = high, high + stride
        if low == high:
            while reached(low - stride):
                low -= stride
            low, high = low - stride, low
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if reached(middle) else (middle, high)
        return self._centre + self._scale * (origin + high * step)

    def reach(self, centre: float, level: float) -> float:
        step = self.step
        if step is None or self._total.variance == 0 or abs(centre - self._centre) > 1e-9 * step:
            return super().reach(centre, level)
        # The centre of the distribution, the observed gain, is on its grid: q is a whole number of steps.

        def within(k: int) -> bool:
            beyond = self.outside(centre - (k + 1) * step, centre + (k + 1) * step).value
            return 1 - beyond >= (1 - level) * (1 - 1e-13)

        stride = max(1, int(self.spread() / step))
        low, high = -1, stride
        while not within(high):
            low, high = high, high + stride
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if within(middle) else (middle, high)
        return high * step


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


class _RatioLaw(_LinearLaw):
    """The bootstrap distribution of Σ wd / Σ wℓ if ℓ differs between units: every value needs another sum.

    A sample of units with ℓ = 0 only has gain 0 by convention. d and ℓ are multiplied by the weight of a draw over
    `divisor`, as in `DrawnSum`.
    """

    def __init__(
        self,
        d: FloatArray,
        shared: FloatArray,
        strata: AnyArray | None,
        *,
        whole: float,
        divisor: float,
        gain: float,
        least: float,
    ) -> None:
        self._whole, self._divisor, self._gain = whole, divisor, gain
        self._d, self._shared, self._strata = d, shared, strata
        self.least = least
        self._counts = bool((d == np.rint(d)).all() and (shared == np.rint(shared)).all())
        self.how = _ON_GRID if self._counts else "exact: inversion"
        groups = [shared] if strata is None else [shared[members] for members in members_of(strata)]
        fewer = 0 if strata is None else 1
        self._exact_tails: dict[tuple[float, float], Tail] = {}  # probed values are needed again
        self._empty = math.prod(float(np.mean(group == 0)) ** (len(group) - fewer) for group in groups)

    def tails_at(self, value: float) -> tuple[Tails, float]:
        total = self._sum_at(value)
        return Tails(total), -total.mean

    def _sum_at(self, value: float) -> DrawnSum:
        # Scaled by the whole denominator L: with counts, the values needed are multiples of 1/L, and the terms
        # d·L − (cL)·ℓ are whole numbers.
        multiple = value * self._whole
        if self._counts and abs(multiple - round(multiple)) <= 1e-9 * max(abs(multiple), 1.0):
            multiple = float(round(multiple))
        return DrawnSum(self._d * self._whole - multiple * self._shared, self._strata)

    def _tie(self, total: CentredSum) -> float:
        """Return a bound on half the probability of a tie between counts with a grid too fine to use."""
        if not self._counts or total.step is not None or total.variance == 0:
            return 0.0
        return 0.4 / max(float(np.sqrt(total.variance)), 1.0)

    def tail(self, value: float) -> Tail:
        return self._exactly(value, -1.0)

    def lower_tail(self, value: float) -> Tail:
        return self._exactly(value, 1.0)

    def _exactly(self, value: float, side: float) -> Tail:
        if (value, side) not in self._exact_tails:
            # One contour serves both sides.
            total = None if np.isinf(value) else self._sum_at(value)
            tails = None if total is None else Tails(total)
            for either in (-1.0, 1.0):
                self._exact_tails[value, either] = self._either(value, either, total, tails)
        return self._exact_tails[value, side]

    def up_to(self, value: float) -> float:
        return self._roughly(value, 1.0).inclusive

    def below(self, value: float) -> float:
        tail = self._roughly(value, 1.0)
        return (tail.inclusive + tail.exclusive) / 2

    def beyond(self, low: float, high: float) -> float:
        return sum(self._roughly(value, side).exclusive for value, side in ((high, -1.0), (low, 1.0)))

    def _roughly(self, value: float, side: float) -> Tail:
        total = None if np.isinf(value) else self._sum_at(value)
        return self._either(value, side, total, None if total is None else Tails(total, roughly=True))

    def _either(self, value: float, side: float, total: DrawnSum | None, tails: Tails | None) -> Tail:
        """Return the upper tail at `value` for side −1, the lower for side 1, of the sum there, if it is finite."""
        if total is None or tails is None:
            return super().tail(value) if side < 0 else super().lower_tail(value)
        tail = tails.at_least(-total.mean) if side < 0 else tails.at_most(-total.mean)
        # In an empty sample Σ w(d − cℓ) = 0 ties at every c, but its gain is 0 by convention.
        return Tail(
            tail.inclusive - (self._empty if side * value < 0 else 0.0),
            tail.exclusive + (self._empty if side * value > 0 else 0.0),
            tail.error + self._tie(total),
        )

    def histogram(self, edges: Sequence[float]) -> tuple[float, ...]:
        groups = [slice(None)] if self._strata is None else members_of(self._strata)
        kinds = []
        for members in groups:
            found, counts = np.unique(np.stack([self._d[members], self._shared[members]]), axis=1, return_counts=True)
            kinds.append((found, counts))
        inner = np.array(edges[1:-1], dtype=np.float64)
        shares = np.full(len(inner), np.nan)
        for place, value in enumerate(inner.tolist() if sum(len(counts) for _, counts in kinds) <= MANY_VALUES else []):
            total = DrawnSum.of_kinds(
                ((d - value * shared, counts) for (d, shared), counts in kinds), stratified=self._strata is not None
            )
            if total.variance > 0:
                # In an empty sample the sum is 0, which counts half, but its gain is 0 by convention.
                shares[place] = roughly_below(total, -total.mean) + np.sign(value) * self._empty / 2
        return self.bars_where_known(inner, shares)

    @cached_property
    def _spread(self) -> float:
        total = self._sum_at(self._gain)
        return float(np.sqrt(total.variance)) / (self._whole**2 * self._divisor)

    def spread(self) -> float:
        return self._spread

    def centre(self) -> float:
        return self._gain


def bootstrap_law(
    d: FloatArray,
    shared: FloatArray,
    strata: AnyArray | None = None,
    *,
    probe: tuple[float, ...] = (),
    most: int = MOST_COMPOSITIONS,
    precision: Precision | None = None,
) -> Law | None:
    """Return the distribution of the gain of units drawn with replacement, or None if sampling is better.

    n units are drawn; with strata one fewer from each, with weights n_h/(n_h − 1) (`outscore.data.strata`).

    Parameters
    ----------
    d : ndarray, shape (n,)
        Differences of numerators, unit by unit.
    shared : ndarray, shape (n,)
        The denominators that both systems share, 0 or more.
    strata : ndarray of int, shape (n,), optional
        Codes of the units' strata.
    probe : tuple of float
        Values at which error bounds must be small, because they will be needed.
    most : int
        Maximum number of samples to enumerate.
    precision : Precision, optional
        By default sums of d are exact up to rounding.

    Notes
    -----
    Cost: about a hundred evaluations of the characteristic function, each O(distinct values), for any n. Units of +1,
    −1 and 0 use the closed form of `exact.steps`, as in tables of many systems.
    """
    least = rarest_draw(strata, len(d))
    precision = precision or Precision(NOISE * float(np.abs(d).sum()))
    if strata is None and not precision.blur and (steps := step_counts(d, shared)) is not None:
        return _StepLaw(*steps, len(d), least=least)
    multiples, divisor = (1.0, 1.0) if strata is None else scales(strata)
    whole = float(shared.sum())
    law: _LinearLaw
    groups = [shared] if strata is None else [shared[members] for members in members_of(strata)]
    if all(np.ptp(group) == 0 for group in groups):  # draws do not change the denominator
        total = DrawnSum(d if strata is None else d * multiples, strata, precision.grain)
        law = _FixedLaw(total, centre=total.mean / (whole * divisor), scale=1 / (whole * divisor), least=least)
    else:
        scaled = d * multiples, shared * multiples
        gain = float(d.sum()) / whole
        law = _RatioLaw(*scaled, strata, whole=whole, divisor=divisor, gain=gain, least=least)
    # Draws of n units of two or more kinds have more than n outcomes.
    countable = len(d) <= most or (np.ptp(d) == 0 and np.ptp(shared) == 0)
    if countable and (law.step is None or precision.blur or not law.settled):
        # Without a common grid, few draws have no smooth distribution: enumerate them.
        tolerance, blur = precision.noise / whole, precision.blur / whole
        counted = enumerated_bootstrap_law(
            np.column_stack([d, shared]), _ratios, strata, tolerance=tolerance, blur=blur, most=most
        )
        if counted is not None:
            return counted
    if precision.blur:
        return None
    if law.step is None and strata is not None and law.hopeless(len(groups)):
        return None  # each stratum is a transform of its own, and the bound is wide if they are small
    return law if law.trustworthy_at(*probe) else None


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
    probe: tuple[float, ...] = (),
    most: int = MOST_COMPOSITIONS,
    count_all: bool = True,
    precision: Precision | None = None,
) -> Law | None:
    """Return the distribution of the gain when the systems' rows are swapped unit by unit with probability ½.

    With a null value other than 0 the signs of dᵢ − δ₀ℓᵢ are flipped. None if sampling is better.

    Parameters
    ----------
    d, shared : ndarray, shape (n,)
        As for `bootstrap_law`.
    null_gain : float
        δ₀, in the unit of the gain.
    most : int
        Maximum number of samples to enumerate, for each half of the units.
    count_all : bool
        Whether to enumerate up to some dozen units, which takes a million sums, even if inversion is as accurate.
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
    precision = precision or Precision(NOISE * float(np.abs(centred).sum()))
    total = SwitchedSum(centred, precision.grain)
    whole = float(shared.sum())
    # Counting gives multiples of 2⁻ᵐ without rounding.
    halves = len(centred) <= MOST_HALVED_UNITS and 2 ** -(-len(centred) // 2) <= most
    fine = (total.step is None and count_all) or precision.blur > 0
    counted = MOST_HALVED_UNITS if fine else MOST_SWITCHED_UNITS
    if halves and 0 < len(centred) <= counted:
        return HalvesLaw(centred, centre=null_gain, scale=1 / whole, precision=precision)
    if precision.blur:
        return None
    if total.step is not None and worth_adding(total.sizes, total.step):
        return SignsLaw(total.sizes, total.step, centre=null_gain, scale=2 / whole, tie=tie_on_grid(total))
    least = max(0.5**total.n_terms, float(np.finfo(np.float64).tiny))
    law = _FixedLaw(total, centre=null_gain, scale=2 / whole, least=least)
    if law.trustworthy_at(*probe):
        return law
    return HalvesLaw(centred, centre=null_gain, scale=1 / whole, precision=precision) if halves else None
