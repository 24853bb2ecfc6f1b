"""Histories of commits at a gate, many at once: systems whose answers vary from run to run, and a stored baseline.

An item is answered rightly with a chance of its own, drawn from Beta(0.4, 0.6), whose mean is 0.4: a few items are
always right, many never, and the rest are flaky. A loss lowers every chance by the same share. Every history has its
own items and its own run of the baseline; commits of one history share both.

The p-values depend only on the numbers of wins and losses, so all histories are tested at once;
`tests/calibration/test_gate_histories.py` holds these to `outscore.gate` with stored baselines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from tests.gating.kit import GateRule, spent_level
from tests.significance.kit import score_statistics

__all__ = ["MEAN", "Histories", "P", "Runs", "failed", "levels", "p_values", "passed"]

_ALWAYS, _NEVER = 0.4, 0.6
MEAN = _ALWAYS / (_ALWAYS + _NEVER)

Runs = npt.NDArray[np.uint8]  # (histories, items): how many of a system's runs are right
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class P:
    """P-values of one look in each history: of a loss of the margin or more, and of no loss; shape (histories,)."""

    passing: Floats
    failing: Floats


class Histories:
    """Systems on items of their own, one a history.

    Parameters
    ----------
    n_histories, n_items, seed : int
    """

    def __init__(self, n_histories: int, n_items: int, seed: int) -> None:
        self._rng = np.random.default_rng([seed, n_items])
        self.n_items = n_items
        self.chances = self._rng.beta(_ALWAYS, _NEVER, (n_histories, n_items)).astype(np.float32)
        self.baseline = self.run()

    def run(self, loss: float = 0.0) -> Runs:
        """Return one run of a system that loses so much against the baseline, as its population of items goes."""
        draws = self._rng.random(self.chances.shape, dtype=np.float32)
        right: Runs = (draws < self.chances * np.float32(1 - loss / MEAN)).astype(np.uint8)
        return right


def p_values(baseline: Runs, runs: Sequence[Runs], margin: float) -> P:
    """Return the p-values of the gate for the mean over runs of one commit, against one run of the baseline."""
    m = len(runs)
    right = np.sum(runs, axis=0, dtype=np.int16) - m * baseline.astype(np.int16)
    values = np.arange(-m, m + 1) / m
    counts = np.stack([(right == place).sum(axis=1) for place in range(-m, m + 1)], axis=1).astype(np.float64)
    linear = SimpleNamespace(d=values, shared=np.ones(len(values)))
    sets: Any = SimpleNamespace(pair=SimpleNamespace(linear=linear), weights=counts)
    return P(
        *(
            norm.sf(score_statistics(sets, null_gain, sign, (1.0, 1.0)))
            for null_gain, sign in ((-margin, 1.0), (0.0, -1.0))
        )
    )


def passed(p: P, level: float) -> Flags:
    """Return where a gate passes at a level."""
    return np.asarray((p.passing <= level) & (level > 0))


def failed(p: P, level: float) -> Flags:
    """Return where a gate fails at a level; a loss that is shown to be less than the margin is tolerated."""
    return np.asarray((p.failing <= level) & (level > 0) & ~passed(p, level))


def levels(rule: GateRule, n: int) -> list[float]:
    """Return the levels of the looks 1 to n at a baseline, each at a commit of its own."""
    by_commit: Callable[[int], int] = (lambda _: 1) if rule.error.value == "per-commit" else (lambda look: look)
    return [spent_level(rule, by_commit(look)) for look in range(1, n + 1)]
