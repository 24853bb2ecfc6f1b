"""Several test sets, or tasks: on how many is a system better, on which, and does one task alone decide.

*On how many* is partial conjunction, *on which* Holm's correction. *On average over tasks like these* is the paired
t-test of the tasks' gains, one a task, with `Randomization` of whole tasks beside it where they are few. Here is only
what these tests lack: how few are too few, and the task that decides alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from outscore._types import FloatArray
from outscore.errors import NotApplicableError, OptionError, Problem
from outscore.laws.student import student_p_value
from outscore.options import opt
from outscore.results import Alternative
from outscore.significance.base import A_HAIR_MORE
from outscore.significance.p_values import holm
from outscore.text.naming import nearest, quoted

LEAST_TASKS = 5
"""Of fewer tasks drawn at random nothing is claimed."""
FEW_TASKS = 10
"""Of fewer the gains of all tasks, their sign flips and the tasks that decide alone belong beside t."""

Combination: TypeAlias = Literal["bonferroni", "fisher"]
_NO_SPREAD = 1e-12  # of the largest gain: rounding noise
_COMBINATIONS: tuple[Combination, ...] = ("bonferroni", "fisher")


@dataclass(frozen=True, slots=True)
class PartialConjunction:
    """On how many test sets there is an effect at least, and on which.

    Attributes
    ----------
    count : int
        k̂: with confidence 1 − α at least so many null hypotheses are false.
    p_values : tuple of float
        p^{u/N} for u = 1 to N, of "fewer than u are false"; ascending. k̂ is how many are at most α.
    rejected : tuple of int
        Which test sets Holm's correction rejects, ascending; by Bonferroni's method exactly k̂.
    """

    count: int
    p_values: tuple[float, ...]
    rejected: tuple[int, ...]


def at_least(p_values: Sequence[float], alpha: float = 0.05, method: str = "bonferroni") -> PartialConjunction:
    """Return on how many test sets there is an effect at least, by partial conjunction.

    The hypothesis "fewer than u of N effects" has, of p₍₁₎ ≤ … ≤ p₍ₙ₎, p^{u/N} = (N − u + 1) p₍ᵤ₎ by Bonferroni's
    method, or the p-value of Fisher's combination of the N − u + 1 largest; k̂ is the largest u up to which all are at
    most α (Benjamini & Heller 2008; Dror et al. 2017).

    Parameters
    ----------
    p_values : sequence of float
        One-sided, one a test set, in [0, 1].
    alpha : float
        In (0, 1).
    method : {"bonferroni", "fisher"}
        Bonferroni's holds under any dependence. Fisher's counts more, but only of independent p-values: where they
        correlate by 0.7 it counts too many in 20% of all cases where 5% is meant. Test sets share no items, but where
        runs are drawn at random the same runs on all of them correlate their p-values: there it must not be used.

    Raises
    ------
    OptionError
        Where there is no such method.

    Examples
    --------
    >>> at_least([0.01, 0.3, 0.001]).count, at_least([0.01, 0.3, 0.001]).rejected
    (2, (0, 2))
    """
    name = method.lower()
    if name not in _COMBINATIONS:
        what = f"unknown way to count {quoted(method)}"
        raise OptionError(Problem("method", what, nearest(name, _COMBINATIONS), "unknown-method"))
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError("expected p-values in [0, 1]")
    by_holm = holm(p_values)
    limit = alpha * A_HAIR_MORE
    # Holm's adjusted p-values in order are Bonferroni's p^{u/N}, both maxima of the same products.
    combined = sorted(by_holm) if name == "bonferroni" else _fisher(sorted(p_values))
    rejected = tuple(index for index, p in enumerate(by_holm) if p <= limit)
    return PartialConjunction(sum(p <= limit for p in combined), tuple(combined), rejected)


def _fisher(ascending: list[float]) -> list[float]:
    """Return the p-values of Fisher's combination of all, of all but the smallest, ..., rising."""
    from scipy.special import gammaincc  # SciPy takes longer to import than most comparisons to compute

    n = len(ascending)
    logs = [-math.log(p) if p > 0 else math.inf for p in ascending]
    combined: list[float] = []
    running = 0.0
    for u in range(n):
        running = max(running, float(gammaincc(n - u, math.fsum(logs[u:]))))  # half of χ² with 2(N − u) degrees
        combined.append(running)
    return combined


def check_tasks(n_tasks: int) -> None:
    """Raise where so few tasks were drawn that nothing can be claimed of others.

    Raises
    ------
    NotApplicableError
        Below five.
    """
    if n_tasks < LEAST_TASKS:
        what = f"expected at least {LEAST_TASKS} tasks to claim something of others like them, got {n_tasks}"
        advice = f"Claim something of these tasks: {opt('tasks', 'fixed')}, or {opt('tasks', 'count')}."
        raise NotApplicableError(Problem(opt("tasks", "random"), what, advice, "few-tasks"))


def deciding_tasks(
    gains: FloatArray, alpha: float = 0.05, alternative: Alternative = Alternative.TWO_SIDED
) -> tuple[int, ...]:
    """Return the tasks that decide alone: those without which the t-test of the others' gains says otherwise.

    Parameters
    ----------
    gains : ndarray, shape (n_tasks,)
        One a task, of five at least.
    alpha : float
        In (0, 1).
    alternative : Alternative

    Returns
    -------
    tuple of int
        Ascending. A gain that is significant of all is not without one of these, or the other way round.

    Raises
    ------
    NotApplicableError
        Below five tasks.

    Examples
    --------
    >>> deciding_tasks(np.array([0.2, 2.0, 2.1, 1.9, 2.0, 2.1, -3.0]))
    (6,)
    """
    check_tasks(len(gains))

    def significant(values: FloatArray) -> bool:
        n, mean, spread = len(values), float(values.mean()), float(values.std(ddof=1))
        if mean == 0:
            return False
        alike = spread <= _NO_SPREAD * float(np.abs(values).max())
        t = math.copysign(math.inf, mean) if alike else mean * math.sqrt(n) / spread
        return bool(student_p_value(t, n - 1, alternative) <= alpha * A_HAIR_MORE)

    of_all = significant(gains)
    return tuple(i for i in range(len(gains)) if significant(np.delete(gains, i)) != of_all)
