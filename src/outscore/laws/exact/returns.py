"""Returns of a sum's transform far from 0: those caused by coarse grids, and a survey of all."""

from __future__ import annotations

import math

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore.laws.exact.lattice import find_step
from outscore.laws.exact.sums import DECAY_ERROR, MANY_VALUES, CentredSum

SURVEYED = 2**18  # cells of the Fourier transform in which returns are searched
_NEGLIGIBLE_DECAY = 36.0
_FEW_RETURNS = 12  # that represent all others
_WORTH_A_GRID = 1e-3  # height of a return that indicates a grid
_MOST_GRIDS = 8
_MOST_TRIED = 200  # nodes near which a grid is searched
_TOGETHER = 2**15  # values at nodes tried at once: arrays that stay in the processor's cache
_SAME_GRID = 1e-9


def coarse_returns(total: CentredSum, theta: float, length: float, after: float = 0.0) -> float:
    """Return the sum of the integrand over the returns of the transform that coarse grids would cause.

    If all values but a few are on a coarse grid, |φ(t)| returns near 1 at multiples of 2π over its step, far beyond
    the first nodes.
    """
    steps = {float(f"{step:.9g}") for picked in total.selections() if (step := find_step(picked)) is not None}
    finest = 0.0 if total.step is None else total.step
    width = length / math.sqrt(total.variance)  # nodes that one return is wide
    worst = 0.0
    for step in steps:
        count = 8 if finest == 0 else min(8, int(step / finest / 2 + 1e-6))
        if count:
            multiples = np.arange(1, count + 1)
            heights = np.abs(total.transform(theta, 2 * math.pi / step, 1, count))
            heights[multiples * 2 * math.pi / step <= after] = 0.0
            worst = max(worst, float((heights / multiples).sum()) * step / math.pi * width)
    return worst


def survey_spacing(total: CentredSum) -> float:
    """Return a distance between nodes at which no return of one term's transform is missed."""
    return 0.25 / math.sqrt(total.variance / total.n_terms)


def near_steps(total: CentredSum) -> list[float]:
    """Return the steps of grids that values may nearly be on, the coarsest first."""
    spacing = survey_spacing(total)
    steps: list[float] = []
    after = 1 / math.sqrt(total.variance)
    nodes = open_nodes(total, 0.0, after, None, SURVEYED)[0]
    tried: FloatArray = np.asarray(nodes[:_MOST_TRIED] * spacing, dtype=np.float64)
    together = max(1, _TOGETHER // total.n_values)
    for start in range(0, len(tried), together):
        t = tried[start : start + together]
        for _ in range(4):
            t = total.refined(t)
        t = t[t > after]
        for step in (2 * math.pi / t[total.heights(t) > _WORTH_A_GRID]).tolist():
            if not any(abs(step / other - 1) < _SAME_GRID for other in steps):
                steps.append(step)
            if len(steps) == _MOST_GRIDS:
                return sorted(steps, reverse=True)
    return sorted(steps, reverse=True)


def open_nodes(
    total: CentredSum, theta: float, after: float, end: int | None, cells: int, negligible: float = _NEGLIGIBLE_DECAY
) -> tuple[IntArray, FloatArray]:
    """Return the nodes beyond `after` near which the transform may not be negligible, and bounds on it there."""
    spacing = survey_spacing(total)
    # A return may be between two nodes.
    slack = total.n_terms * (DECAY_ERROR + 0.125**2 / 2 + 0.002)
    begin = max(1, math.ceil(after / spacing - 0.5))
    period = 2 * math.pi / spacing
    # Next to 0 the decay is too small compared to the errors of the survey, but the node itself is exact.
    if total.n_values > MANY_VALUES and (end is None or begin < end):
        near = total.decay_at(theta, begin * spacing) - slack + total.n_terms * DECAY_ERROR
        begin += near > negligible
    if total.least_decay(theta, period, cells, begin, end, negligible + slack) > negligible + slack:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    decay = total.decay(theta, period, cells) if theta else total.untilted_decay(period, cells)
    dead = min(negligible + slack, total.dead_decay(theta, negligible, spacing / 2))
    nodes = begin + np.flatnonzero(decay[begin:end] <= dead)
    logs = np.minimum(slack - decay[nodes], total.near_bounds(theta, decay[nodes], spacing / 2))
    return nodes, np.exp(np.minimum(logs, 0.0))


def near_returns(
    total: CentredSum,
    theta: float,
    length: float,
    after: float,
    last: int | None,
    cells: int,
    evaluated: tuple[float, float, float] | None = None,
    enough: float = 0.0,
) -> float:
    """Return the sum of the integrand over all returns of the transform beyond `after`.

    Values near a grid make |φ(t)| return near 1 at multiples of 2π over its step, until the noise around the grid
    dominates. So do values near few points. The survey covers all t up to about ten thousand over the terms' standard
    deviation, at a quarter of its inverse apart: |φ|^(1/n) is near 1 there wherever φ is not negligible. The last
    octave is assumed to repeat twenty times. If the bounds are at most `enough`, nothing is evaluated.
    """
    spacing = survey_spacing(total)
    end = None if last is None else int(last * 2 * math.pi / length / spacing) + 2
    nodes, bounds = open_nodes(total, theta, after, end, cells)
    if evaluated is not None:
        returning, half, until = evaluated
        t = nodes * spacing
        off = np.abs(t - np.rint(t / returning) * returning)
        left = (off + spacing / 2 > half) | (t + spacing / 2 > until)
        nodes, bounds = nodes[left], bounds[left]
    if len(nodes) == 0:
        return 0.0
    bounds = bounds * length / math.pi / nodes  # ∫ 2|φ|/t dt around a node, in units of the nodes' own spacing
    bounded = float(bounds.sum()) * (1 if last is not None else 21)
    if bounded <= enough:
        return bounded
    looked, others = _largest(bounds, _FEW_RETURNS)
    sizes = [_around(total, theta, length, int(nodes[place]), evaluated) for place in looked]
    returns = sum(sizes)
    if len(others):
        # If there are very many, some represent all.
        taken = others[np.unique(np.linspace(0, len(others) - 1, _FEW_RETURNS).round().astype(np.int64))]
        sampled = [_around(total, theta, length, int(nodes[place]), evaluated) for place in taken]
        returns += min(float(bounds[others].sum()), 2 * len(others) * float(np.mean(sampled)))
    if last is None:
        late = nodes > cells / 8
        returns += 20 * min(float(bounds[late].sum()), returns)
    return float(returns)


def _largest(values: FloatArray, count: int) -> tuple[IntArray, IntArray]:
    """Return the places of the `count` largest values, in descending order, and those of the others, in order."""
    if len(values) > count:
        above = values >= np.partition(values, len(values) - count)[len(values) - count]
        candidates = np.flatnonzero(above)
    else:
        candidates = np.arange(len(values))
    looked = candidates[np.argsort(-values[candidates], kind="stable")][:count]
    others = np.ones(len(values), dtype=bool)
    others[looked] = False
    return looked, np.flatnonzero(others)


def _around(
    total: CentredSum, theta: float, length: float, node: int, evaluated: tuple[float, float, float] | None
) -> float:
    """Return ∫ 2|φ|/t dt around a node of the survey, in units of the spacing of the contour's nodes."""
    spacing = survey_spacing(total)
    fine = 2 * math.ceil(spacing * math.sqrt(total.variance)) + 1
    first = node * fine - fine // 2
    heights = np.abs(total.transform(theta, spacing / fine, first, fine))
    if evaluated is not None:
        returning, half, until = evaluated
        t = spacing / fine * np.arange(first, first + fine)
        heights[(np.abs(t - np.rint(t / returning) * returning) <= half) & (t <= until)] = 0.0
    return float((heights / np.arange(first, first + fine)).sum()) * length / math.pi
