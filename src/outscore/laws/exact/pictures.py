"""Probabilities of a sum for charts: to about 1e-5, at a small part of the full cost."""

from __future__ import annotations

import math

import numpy as np

from outscore.laws.exact.inversion import aliasing
from outscore.laws.exact.returns import open_nodes, survey_spacing
from outscore.laws.exact.sums import CentredSum

_ROUGH_LENGTH, _ROUGH_NODES = 22.0, 32  # of a contour for a chart, in standard deviations: exp(−22) = 3e-10
_ROUGH, _ROUGH_DECAY = 1e-6, 20.0
_SMALL_SURVEYS = (2**13, 2e-6), (2**16, 2e-5), (2**18, 2e-4)  # cells, and the largest sum in their last octave
_MOST_OPEN = 400  # nodes of a survey


def roughly_below(total: CentredSum, x: float) -> float:
    """Return P(S < x) + P(S = x)/2 of a sum without a grid, to about 1e-5 for a chart; NaN if that fails.

    It uses one short contour, and evaluates the returns of the transform that a small survey finds.
    """
    if x < 0:
        return 1 - roughly_below(total.mirrored(), -x)
    sd = math.sqrt(total.variance)
    theta, length = 1 / sd, _ROUGH_LENGTH * sd
    if aliasing(total, x, theta, length) > _ROUGH or 10 * total.far_level() * _ROUGH_LENGTH > _ROUGH:
        return math.nan
    spacing = 2 * math.pi / length
    size = math.exp(total.cumulants(theta)[0] - theta * x) / length
    for cells, few in _SMALL_SURVEYS:
        runs = _rough_runs(total, theta, spacing, cells)
        integral = late = 0.0
        for first, last in runs:
            s = theta + 1j * spacing * np.arange(first, last)
            terms = 2 * total.transform(theta, spacing, first, last - first) / s
            if first == 0:
                terms[0] /= 2
            integral += float((terms * np.exp(-1j * x * s.imag)).real.sum())
            late += float(np.abs(terms).sum()) if first * spacing > cells / 8 * survey_spacing(total) else 0.0
        # The contributions of the last octave may continue, decreasing each time.
        if runs and late * size < few:
            return min(max(1 - size * integral, 0.0), 1.0)
    return math.nan


def _rough_runs(total: CentredSum, theta: float, spacing: float, cells: int) -> list[tuple[int, int]]:
    """Return the ranges of nodes in which the transform may matter; none if there are too many."""
    runs, width = [(0, _ROUGH_NODES)], survey_spacing(total)
    found, _ = open_nodes(total, theta, _ROUGH_NODES * spacing, None, cells, _ROUGH_DECAY)
    if len(found) > _MOST_OPEN:
        return []
    for node in found.tolist():
        first = max(math.ceil((node - 0.5) * width / spacing), runs[-1][1])
        last = math.floor((node + 0.5) * width / spacing) + 1
        if first == runs[-1][1]:
            runs[-1] = runs[-1][0], max(last, first)
        elif first < last:
            runs.append((first, last))
    return runs
