"""Slopes of scores in their totals, by differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from outscore._types import FloatArray

__all__ = ["gradients"]

_STEP = 1e-5  # of the total: the error of a central difference is the square of it


def gradients(value_of: Callable[[FloatArray], FloatArray], totals: FloatArray) -> FloatArray:
    """Return the slopes of a function of totals, shape (b, columns).

    Central differences; forward ones where a total is 0, as counts do not fall below.

    Parameters
    ----------
    value_of : callable
        From totals, shape (b, columns), to values, shape (b,).
    totals : ndarray, shape (b, columns)
    """
    steps = _STEP * np.abs(totals)
    flat = steps == 0
    steps[flat] = np.broadcast_to(_STEP * np.maximum(np.abs(totals).max(axis=1, keepdims=True), 1e-300), steps.shape)[
        flat
    ]
    found = np.empty_like(totals)
    for column in range(totals.shape[1]):
        up, down = totals.copy(), totals.copy()
        up[:, column] += steps[:, column]
        down[:, column] -= np.where(flat[:, column], 0.0, steps[:, column])
        found[:, column] = (value_of(up) - value_of(down)) / (up[:, column] - down[:, column])
    return found
