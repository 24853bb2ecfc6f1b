"""Exact distributions of linear gains whose values are on a grid, and of few units.

With d the differences of the numerators (positive is better) and ℓ the shared denominators, the gain of a sample with
weights w is Σ wᵢdᵢ / Σ wᵢℓᵢ. If the denominator is the same in all samples, that is a sum of independent draws
(bootstrap) or of independent signs (randomization). With strata a draw has the weight c_h = n_h/(n_h − 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.data.strata import members_of, scales
from outscore.laws.exact.enumeration import (
    ENUMERATION,
    enumerated_bootstrap_law,
    enumerated_swap_law,
    rarest_draw,
)
from outscore.laws.exact.lattice import TIE, Precision, find_step
from outscore.laws.exact.sums import DrawnSum, SumLaw, SwitchedSum, TermSum
from outscore.laws.law import AtomicLaw, Law
from outscore.laws.tolerances import MOST_COMPOSITIONS, MOST_SWAPS, MOST_SWITCHED_UNITS, NOISE

# Nanoseconds per sample that could be enumerated instead: 0.7 seconds for the usual limit of 1.4 million, which a
# Fourier transform of 2²⁴ cells takes.
_COST_PER_SAMPLE = 500
_QUARTER = 0.25  # of a step: thresholds of sums with a known grain have no larger error


class GridLaw(SumLaw):
    """X = centre + step · S for a centred sum S of numbers on a grid.

    Parameters
    ----------
    total : TermSum
        Sums (S, 0).
    centre, step : float
        The gain at S = 0, and of one step of the grid.
    grain : float, optional
        As for `Precision`.
    """

    def __init__(
        self,
        total: TermSum,
        *,
        centre: float,
        step: float,
        least: float,
        is_counted: bool = False,
        grain: float | None = None,
    ) -> None:
        super().__init__(total, least=least, is_counted=is_counted)
        self._centre, self._step, self.step = centre, step, step
        self.near = _QUARTER if grain is not None else min(TIE, NOISE * float(total.high[0] - total.low[0]))

    def boundary(self, gain: float, y: FloatArray) -> FloatArray:
        return np.full(len(y), (gain - self._centre) / self._step)

    def gain_of_mean(self) -> float:
        return self._centre

    def quantile(self, level: float) -> float:
        low = self._total.low[0]
        steps = round((super().quantile(level) - self._centre) / self._step - low)
        return float(self._centre + self._step * (low + steps))

    def reach(self, centre: float, level: float) -> float:
        # The centre of the bootstrap distribution is on its grid: the reach is a whole number of steps.
        return round(super().reach(centre, level) / self._step) * self._step


class RatioLaw(SumLaw):
    """The distribution of D/L, 0 if L = 0, for sums (D, L) of whole numbers of units drawn with replacement."""

    near_tail = 1e-3  # a tilt costs as much as everything else: with nine digits there is none

    def __init__(self, total: DrawnSum, unit: float, *, least: float) -> None:
        super().__init__(total, least=least)
        self._mean, self._unit = total.mean, unit
        # D − gL with a g that is a ratio of the same counts is a multiple of 1/L.
        size = float(np.abs(total.mean).sum() + (total.high - total.low).sum())
        self.near = min(NOISE * size, _QUARTER / float(total.mean[1]))

    def boundary(self, gain: float, y: FloatArray) -> FloatArray:
        weights = y + self._mean[1]
        limits: FloatArray = gain / self._unit * weights - self._mean[0]
        return np.where(weights > 0.5, limits, np.copysign(np.inf, gain)) if gain else limits

    def gain_of_mean(self) -> float:
        return float(self._mean[0] / self._mean[1]) * self._unit


def bootstrap_law(
    d: FloatArray,
    shared: FloatArray,
    strata: AnyArray | None = None,
    *,
    most: int = MOST_COMPOSITIONS,
    precision: Precision | None = None,
    grid: GridLaw | None = None,
) -> Law | None:
    """Return the distribution of the gain of units drawn with replacement, or None if it has to be sampled.

    n units are drawn; with strata one fewer from each, with weights n_h/(n_h − 1) (`outscore.data.strata`). The
    distribution is known if the differences are on a grid of at most 2²² steps and draws do not change the denominator,
    and for few units.

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
    grid : GridLaw, optional
        That of `grid_law`, if it is known.
    """
    precision = precision or Precision(NOISE * float(np.abs(d).sum()))
    grid = grid or grid_law(d, shared, strata, precision)
    if grid is not None and grid.is_cheap:  # others are left to enumeration, if there are few samples
        return grid
    law: SumLaw | None = grid
    if law is None and not precision.blur:
        law = _ratio_law(d, shared, strata, rarest_draw(strata, len(d)), precision.grain)
    # Draws of n units of two or more kinds have more than n outcomes.
    if len(d) <= most or (np.ptp(d) == 0 and np.ptp(shared) == 0):
        whole = float(shared.sum())
        tolerance, blur = precision.noise / whole, precision.blur / whole
        counted = enumerated_bootstrap_law(
            np.column_stack([d, shared]), _ratios, strata, tolerance=tolerance, blur=blur, most=most
        )
        if counted is not None:
            return counted
    return law if law is not None and law.affordable(_COST_PER_SAMPLE * most) else None


def grid_law(d: FloatArray, shared: FloatArray, strata: AnyArray | None, precision: Precision) -> GridLaw | None:
    """Return the distribution of the gain of units drawn with replacement, if d is on a grid and ℓ is constant.

    It may cost more than `bootstrap_law` accepts.
    """
    if precision.blur:
        return None
    least, grain = rarest_draw(strata, len(d)), precision.grain
    if strata is None and (steps := step_counts(d, shared)) is not None:
        # Arrays of all units would take more memory than everything else about binary scores.
        counts = np.array([steps[1], len(d) - sum(steps), steps[0]])
        places, step, (first,) = _on_grid(np.array([-1.0, 0.0, 1.0])[counts > 0], [slice(None)], grain)
        assert step is not None
        total = DrawnSum(np.column_stack([places, np.zeros_like(places)]), counts=counts[counts > 0])
        centre = first + float(total.mean[0]) * step / len(d)
        return GridLaw(total, centre=centre, step=step / len(d), least=least, grain=grain)
    multiples, divisor, groups = _drawn_from(strata)
    if any(np.ptp(shared[members]) for members in groups):
        return None
    values = d * multiples
    places, step, lowest = _on_grid(values, groups, grain)
    if step is None:
        return None
    total = DrawnSum(np.column_stack([places, np.zeros_like(places)]), strata)
    scale = 1 / (float(shared.sum()) * divisor)
    fewer = 0 if strata is None else 1
    offset = sum((len(values[members]) - fewer) * low for members, low in zip(groups, lowest, strict=True))
    centre = (offset + float(total.mean[0]) * step) * scale
    return GridLaw(total, centre=centre, step=step * scale, least=least, grain=grain)


def _ratio_law(
    d: FloatArray, shared: FloatArray, strata: AnyArray | None, least: float, grain: float | None
) -> RatioLaw | None:
    """Return the same if ℓ varies, and both are on grids."""
    multiples, _, groups = _drawn_from(strata)
    if not any(np.ptp(shared[members]) for members in groups):
        return None
    values, weights = d * multiples, shared * multiples
    if _on_grid(values, groups, grain)[1] is None:
        return None
    units = [find_step(np.abs(part)) for part in (values, weights)]
    if units[0] is None or units[1] is None:
        return None
    pairs = np.rint(np.column_stack([values / units[0], weights / units[1]])).astype(np.int64)
    return RatioLaw(DrawnSum(pairs, strata), units[0] / units[1], least=least)


def _drawn_from(strata: AnyArray | None) -> tuple[Any, float, Sequence[Any]]:
    """Return the weights of draws, their common divisor, and the units of each stratum."""
    return (1.0, 1.0, [slice(None)]) if strata is None else (*scales(strata), members_of(strata))


def _on_grid(
    values: FloatArray, groups: Sequence[Any], grain: float | None
) -> tuple[IntArray, float | None, list[float]]:
    """Return the places of values above the lowest of their groups, in steps; the step, if any; and the lowest."""
    lowest = [float(values[members].min()) for members in groups]
    offsets = np.empty_like(values)
    for members, low in zip(groups, lowest, strict=True):
        offsets[members] = values[members] - low
    step = find_step(offsets, float(np.abs(values).max()), grain)
    return np.rint(offsets / (step or 1.0)).astype(np.int64), step, lowest


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

    With a null value δ₀ other than 0 the signs of dᵢ − δ₀ℓᵢ are flipped. None if it has to be sampled. Other arguments
    are those of `bootstrap_law`.
    """
    if null_gain == 0:
        centred = d[d != 0]
    else:
        shift = null_gain * shared
        centred = d - shift
        # Rounding error of a unit without a difference is not a difference.
        centred = centred[np.abs(centred) > 1e-12 * np.maximum(np.abs(d), np.abs(shift))]
    if len(centred) == 0:
        return AtomicLaw(np.array([null_gain]), np.ones(1), tolerance=0.0, how=GridLaw.how, least=1.0)
    precision = precision or Precision(NOISE * float(np.abs(centred).sum()))
    whole = float(shared.sum())
    sizes = np.abs(centred)
    step = None if precision.blur else find_step(sizes, grain=precision.grain)
    few = len(centred) <= MOST_SWITCHED_UNITS
    if step is not None:
        multiples = np.rint(sizes / step).astype(np.int64)
        law = GridLaw(
            SwitchedSum(np.column_stack([multiples, np.zeros_like(multiples)])),
            centre=null_gain,
            step=2 * step / whole,
            least=max(0.5 ** len(centred), float(np.finfo(np.float64).tiny)),
            is_counted=True,
            grain=precision.grain,
        )
        if few:  # rounded to counts of swaps, as an enumeration has them
            law.how = ENUMERATION
        if law.is_cheap or not few:
            return law if law.affordable(_COST_PER_SAMPLE * most) else None
    total = float(centred.sum())
    return enumerated_swap_law(
        centred[:, None],
        lambda sums: null_gain + (total - 2 * sums[:, 0]) / whole,
        tolerance=precision.noise / whole,
        blur=precision.blur / whole,
        most=min(most, MOST_SWAPS),
    )
