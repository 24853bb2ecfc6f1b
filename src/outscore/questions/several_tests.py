"""Tests over several datasets: the number with an effect, and tasks that decide the result.

The number of datasets comes from partial conjunction. The average over tasks like these has a paired t-test of one gain
per task, with `Randomization` of whole tasks beside it if there are few.
This module adds the minimum number of tasks, and the tasks that decide the result.
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
from outscore.laws.tolerances import NOISE, ROUNDING_SLACK
from outscore.options import opt
from outscore.results import Alternative
from outscore.significance.corrections import holm
from outscore.text.naming import nearest, quoted

LEAST_TASKS = 5
"""Minimum number of tasks for a claim about other tasks."""
FEW_TASKS = 10
"""With fewer tasks, reports add all gains, the sign-flip test and the tasks that decide the result."""

Combination: TypeAlias = Literal["bonferroni", "fisher"]
_COMBINATIONS: tuple[Combination, ...] = ("bonferroni", "fisher")


@dataclass(frozen=True, slots=True)
class PartialConjunction:
    """The minimum number of datasets with an effect."""

    count: int  # k̂: at least k̂ null hypotheses are false, with confidence 1 − α
    # p^{u/N} of "fewer than u are false" for u = 1 to N, ascending. k̂ of them are at most α.
    p_values: tuple[float, ...]


def at_least(p_values: Sequence[float], alpha: float = 0.05, method: str = "bonferroni") -> PartialConjunction:
    """Return the minimum number of datasets with an effect, by partial conjunction, from one-sided p-values.

    Let p₍₁₎ ≤ … ≤ p₍ₙ₎ be the sorted p-values. The hypothesis "fewer than u of N effects" has the p-value p^{u/N} = (N
    − u + 1) p₍ᵤ₎ by Bonferroni's method, or Fisher's combination of the N − u + 1 largest. k̂ is the largest u up to
    which all are at most α (Benjamini & Heller 2008; Dror et al. 2017).

    `method` is "bonferroni", which holds under any dependence, or "fisher". Fisher's method has more power but needs
    independent p-values: with a correlation of 0.7 its type I error rate is 20% at a nominal 5%. Datasets share no
    items, but new runs that are the same on all datasets correlate their p-values.

    Examples
    --------
    >>> at_least([0.01, 0.3, 0.001]).count
    2
    """
    name = method.lower()
    if name not in _COMBINATIONS:
        what = f"unknown method {quoted(method)}"
        raise OptionError(Problem("method", what, nearest(name, _COMBINATIONS), "unknown-method"))
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError("expected p-values in [0, 1]")
    # Holm's adjusted p-values in order are Bonferroni's p^{u/N}, both maxima of the same products.
    combined = sorted(holm(p_values)) if name == "bonferroni" else _fisher(sorted(p_values))
    return PartialConjunction(sum(p <= alpha * ROUNDING_SLACK for p in combined), tuple(combined))


def _fisher(ascending: list[float]) -> list[float]:
    """Return the p-values by Fisher's method for all, of all but the smallest, and so on, ascending."""
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
    """Raise `NotApplicableError` if there are fewer than five tasks for a claim about other tasks."""
    if n_tasks < LEAST_TASKS:
        what = f"a claim about other tasks needs at least {LEAST_TASKS} tasks, got {n_tasks}"
        advice = f"Use {opt('tasks', 'fixed')} or {opt('tasks', 'count')}."
        raise NotApplicableError(Problem(opt("tasks", "random"), what, advice, "few-tasks"))


def deciding_tasks(
    gains: FloatArray, alpha: float = 0.05, alternative: Alternative = Alternative.TWO_SIDED
) -> tuple[int, ...]:
    """Return the places of the tasks that decide the result, ascending, given the gain of each task, shape (n_tasks,).

    Without any one of them the verdict of the t-test changes. Fewer than five tasks raise a NotApplicableError.

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
        alike = spread <= NOISE * float(np.abs(values).max())
        t = math.copysign(math.inf, mean) if alike else mean * math.sqrt(n) / spread
        return bool(student_p_value(t, n - 1, alternative) <= alpha * ROUNDING_SLACK)

    of_all = significant(gains)
    return tuple(i for i in range(len(gains)) if significant(np.delete(gains, i)) != of_all)
