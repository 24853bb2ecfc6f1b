"""What the curvature of a score does to the bootstrap law of a gain."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from outscore._types import FloatArray
from outscore.planning.gradients import gradients
from outscore.significance.pair import Pair

__all__ = ["FLAT", "Curvature", "curvature_of"]

_UNIT_STEP = 1e-5  # of the units of a test set
_WAY_STEP = 1e-2  # of a standard deviation of the gain


@dataclass(frozen=True)
class Curvature:
    """What a gain's second derivatives add to the law of its bootstrap replicates, in standard deviations.

    Attributes
    ----------
    shift : float or ndarray
        Of the mean: E δ* − δ.
    skewness : float or ndarray
        Beside that of the linear part.
    """

    shift: float | FloatArray
    skewness: float | FloatArray


FLAT = Curvature(0.0, 0.0)


def curvature_of(pair: Pair, probabilities: FloatArray, units: int) -> Curvature:
    """Return the curvature of the gain for test sets of m units drawn with these probabilities, shape (n,).

    With totals T = m r̄, the units' covariance C, slopes g and second derivatives H of the gain at T, a replicate is
    δ + g·Δ + ½ Δ'HΔ, where Δ has the covariance mC. Its mean lies ½ m tr(HC) off δ, and its third cumulant exceeds
    that of the linear part by 3 v'Hv with v = mCg (Hall 1992, section 2.4). Both are of the order 1/√m of a standard
    deviation, so that the population's values serve all its test sets. A gain that is linear needs none of it.
    """
    if pair.linear is not None:
        return FLAT
    columns = pair.columns
    mean = probabilities @ columns
    totals = units * mean
    apart = columns - mean
    slopes = gradients(pair.gains, totals[None])[0]
    along = apart @ slopes
    deviation = math.sqrt(units * float(probabilities @ along**2))
    if deviation == 0:
        return FLAT
    step = _UNIT_STEP * units
    bends = _bends(pair, totals, apart * step) / step**2
    shift = units / 2 * float(probabilities @ bends)
    way = units * ((probabilities * along) @ apart) / deviation
    bend = float(_bends(pair, totals, _WAY_STEP * way[None])[0]) / _WAY_STEP**2
    return Curvature(shift / deviation, 3 * bend / deviation)


def _bends(pair: Pair, totals: FloatArray, steps: FloatArray) -> FloatArray:
    """Return the second differences of the gain along steps, shape (b, columns) to (b,)."""
    middle = pair.gains(totals[None])[0]
    # Counts do not fall below 0.
    bent = pair.gains(totals + steps) + pair.gains(np.maximum(totals - steps, 0.0)) - 2 * middle
    return np.asarray(bent)
