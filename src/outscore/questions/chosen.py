"""What a system owes to having been chosen: the first of a ranking, the largest gain, the best of k checkpoints.

The score of the best of many systems is too high, because part of what made it the best is chance. The expected error
and an interval that allows for the choice come from the same normal samples of all scores as P(best).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.laws.student import normal_p_value, normal_quantile
from outscore.laws.tolerances import SINGLE_NOISE
from outscore.results import Alternative, Interval
from outscore.results.rankings import RankedSystem

if TYPE_CHECKING:
    from outscore.questions.ranks.max_t import NormalDraws

# Standard errors by which the distance to the first place is lowered, so that systems which may be as good count as
# equal. Larger values widen the interval of a clear winner (moment selection, Andrews & Soares 2010).
_LENIENCE = 2.0
_BLOCKS = 2  # of 8,192 samples: the error of the quantile is then 0.02 standard errors
_NOTABLE = 0.1  # standard errors: smaller overstatements are not reported
# Grid for the mean of the largest of k normal numbers: the trapezoidal rule is exact to 1e-9 up to k = 10⁶.
_GRID = np.linspace(-9.0, 9.0, 721)


@dataclass(frozen=True, eq=False)
class FirstPlace:
    """What the systems in first place owe to having been chosen."""

    overstatement: float  # the expected error of the score of the system that comes first, at least 0
    # For each system in first place, by its place, the level of the lower end of its interval, as a proportion of the
    # level without a choice.
    shares: Mapping[int, float]
    is_notable: bool  # large enough to be reported
    n_systems: int  # the number of systems from which they were chosen


def first_place(behind: FloatArray, draws: NormalDraws, tail: float) -> FirstPlace:
    """Return the selection bias of the systems in first place.

    With new errors Z added to the observed scores, the overstatement is the mean of Z of the system that is then first.
    The lower ends have the level Φ(−c), c = z + max(0, Q(Z/σ of the first of Z − g) − Q(Z/σ of this system)), where Q
    is the 1 − `tail` quantile and g the distance to the first place less two standard errors. The difference removes
    the sampling error of Q. Only the lower end moves, because a choice of the best only overstates.

    Parameters
    ----------
    behind : ndarray, shape (s,)
        The distances of the scores to the first place, 0 for the best system and those tied with it.
    draws : NormalDraws
        Of the errors of the scores, higher being better.
    tail : float
        One-sided level of the intervals.
    """
    first, variances = np.flatnonzero(behind == 0), np.maximum(np.diag(draws.covariance), 0.0)
    errors, behind = np.sqrt(variances), behind / draws.unit
    errors[errors <= SINGLE_NOISE * errors.max()] = 0.0
    between = np.sqrt(np.maximum(variances[:, None] + variances[first] - 2 * draws.covariance[:, first], 0.0))
    gap = np.maximum(behind - _LENIENCE * between.max(axis=1), 0.0)
    z = np.concatenate([draws.errors(block) for block in range(_BLOCKS)], axis=1)
    overstatement = max(float(np.mean(_of_first(z, behind) - z[first].mean(axis=0), dtype=np.float64)), 0.0)
    scales = np.divide(1.0, errors, out=np.zeros_like(errors), where=errors > 0)
    farthest = np.quantile(_of_first(z, gap, scales), 1 - tail)
    usual = normal_quantile(tail)
    # Without an error of its own, as if every item is right, a system has no sampled quantile.
    shares = {}
    for index in first.tolist():
        plain = np.quantile(z[index] * scales[index], 1 - tail) if errors[index] > 0 else usual
        more = round(float(farthest - plain), 4)  # single precision: further digits depend on the processor
        shares[index] = normal_p_value(usual + more, Alternative.GREATER) / tail if more > 0 else 1.0
    is_notable = overstatement > 0 and overstatement >= _NOTABLE * float(errors[first].max())
    return FirstPlace(overstatement * draws.unit, shares, is_notable, len(behind))


def _of_first(errors: AnyArray, behind: FloatArray, scales: FloatArray | None = None) -> AnyArray:
    """Return the error, times its scale, of the system that comes first in each sample of errors, shape (s, b)."""
    best, chosen = np.full(errors.shape[1], -np.inf, errors.dtype), np.zeros(errors.shape[1], errors.dtype)
    for index, (error, less) in enumerate(zip(errors, behind.tolist(), strict=True)):
        value = error - less
        first = value > best
        np.copyto(best, value, where=first)
        np.copyto(chosen, error if scales is None else error * float(scales[index]), where=first)
    return chosen


def as_chosen(
    systems: Sequence[RankedSystem],
    place: FirstPlace,
    at: Callable[[int, float], Interval],
    *,
    higher_is_better: bool,
) -> tuple[RankedSystem, ...]:
    """Return ranked systems, with the selection bias of those in first place.

    `at` returns the interval of the score of the system at an index, given a proportion of its level.
    """
    chosen = list(systems)
    for index, share in place.shares.items():
        interval = systems[index].interval
        if share < 1:
            interval = lowered(interval, at(index, share), higher_is_better=higher_is_better)
        chosen[index] = replace(
            systems[index],
            overstatement=place.overstatement,
            interval_as_chosen=interval,
            is_overstated=place.is_notable,
        )
    return tuple(chosen)


def share_of_best(k: int, tail: float) -> float:
    """Return the level of the lower end of the best of k systems, as a proportion of that without a choice.

    Without the scores of the others, the k count as equal and independent, which makes the interval widest.

    Examples
    --------
    >>> round(0.025 * share_of_best(20, 0.025), 6)
    0.001265
    """
    return -math.expm1(math.log1p(-tail) / k) / tail


def largest_of(k: int) -> float:
    """Return the mean of the largest of k independent standard normal numbers.

    It is the overstatement of the best of k equal systems in standard errors of the score, or a bound if the systems
    are correlated or not equal.

    Examples
    --------
    >>> round(largest_of(20), 6)
    1.867475
    """
    below = np.array(list(map(NormalDist().cdf, _GRID.tolist())))
    density = np.exp(-(_GRID**2) / 2) / math.sqrt(2 * math.pi)
    return float((_GRID * k * density * below ** (k - 1)).sum()) * float(_GRID[1] - _GRID[0])


def lowered(interval: Interval, further: Interval, *, higher_is_better: bool = True) -> Interval:
    """Return an interval with its worse end replaced by that of an interval of the same kind at a smaller level."""
    if higher_is_better:
        return replace(interval, low=min(interval.low, further.low), exact=False)
    return replace(interval, high=max(interval.high, further.high), exact=False)
