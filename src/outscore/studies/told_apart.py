"""Which p-values r resamples can tell apart: none below 1/(r + 1)."""

from __future__ import annotations

import math

import numpy as np

from outscore._types import BoolArray, FloatArray
from outscore.studies.boards import StudyOptions

__all__ = ["indistinct_notes", "resolution_of"]


def resolution_of(p_values: FloatArray, bounds: BoolArray) -> float:
    """Return the p-value below which these are not told apart; 0 where none is a bound."""
    return float(np.max(p_values, where=bounds, initial=0.0))


def indistinct_notes(resolution: float, edge: float, options: StudyOptions, so: str) -> tuple[str, ...]:
    """Return what must be said where p-values below `resolution` are not told apart, and bins begin there.

    `edge` is the smallest p-value that parts two bins, and `so` says what becomes of those below it.
    """
    if resolution <= edge:
        return ()
    r, enough = options.resampling.n_resamples, math.ceil(1 / edge)
    return (
        f"With {r:,} resamples p-values below {resolution:.3g} cannot be told apart: {so}. {enough:,} resamples "
        "(--n-resamples) are enough for all of them.",
    )
