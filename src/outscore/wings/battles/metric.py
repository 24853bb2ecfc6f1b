"""Strengths of systems from pairwise comparisons: a user sees two answers to a prompt and picks the better one.

The totals are the matrix of wins, with a tie as half a win for each. The score is the maximum of the likelihood of
Bradley and Terry (1952), P(a beats b) = 1/(1 + exp(θ_b − θ_a)), with mean 0. Only differences of strengths are
meaningful.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from outscore._types import BoolArray, FloatArray, IntArray
from outscore.options import opt
from outscore.results import MetricDescription

if TYPE_CHECKING:
    from outscore.metrics.descriptions import Description

NAME = "bradley-terry"
BRADLEY_TERRY = MetricDescription(NAME, higher_is_better=True, as_percentage=False, title="Bradley-Terry strength")
TIE = 1e-10  # smaller differences of two strengths are the error of Newton's method
_LONGEST_STEP = 1.0  # largest change of the difference of two strengths per step
_MOST_STEPS = 1000
_CLOSE = 1e-9  # the next step after one of this width is of the order of its square


@dataclass(frozen=True, eq=False)
class Battles:
    """Pairwise comparisons of systems, in an order that does not depend on that of the table."""

    source: str  # the source, for messages
    systems: tuple[str, ...]  # names, sorted
    # Both of shape (n,): the systems of each comparison, by their places: first < second.
    first: IntArray
    second: IntArray
    halves: IntArray  # shape (n,): twice the points of the first system: 2 win, 1 tie, 0 loss
    # Shape (n,): the unit of each comparison, from 0: users in the order of their names, or the comparison itself.
    units: IntArray
    unit: str  # "cluster" if users are known, else "battle"
    families: tuple[str | None, ...] = field(default=())  # one per system
    columns: Mapping[str, str] = field(default_factory=dict)  # the columns of the table, by role
    notes: tuple[str, ...] = ()  # notes on reading the table

    def __len__(self) -> int:
        return len(self.halves)

    @property
    def n_units(self) -> int:
        return int(self.units.max()) + 1

    @cached_property
    def wins(self) -> FloatArray:
        """The matrix of wins of row over column, shape (s, s), with ties as halves."""
        s = len(self.systems)
        flat = np.bincount(self.first * s + self.second, self.halves, s * s)
        flat += np.bincount(self.second * s + self.first, 2 - self.halves, s * s)
        return flat.reshape(s, s) / 2

    @cached_property
    def outcomes(self) -> IntArray:
        """The counts of losses, ties and wins of row against column: shape (3, s, s)."""
        s = len(self.systems)
        counts = np.bincount((self.halves * s + self.first) * s + self.second, minlength=3 * s * s).reshape(3, s, s)
        return np.asarray(counts + counts[::-1].transpose(0, 2, 1))


def description() -> Description:
    """Return the description for `outscore metrics`."""
    from outscore.metrics.descriptions import Description, Exactness, Kind

    return Description(
        name=NAME,
        spec=NAME,
        kind=Kind.COLUMNS,
        summary=(
            "Strengths of systems from pairwise comparisons (arena), by maximum likelihood; only for `outscore rank`."
        ),
        details=(
            "One row per comparison: two systems, and which of them won. A tie is half a win for each. With "
            "strengths s of mean 0,",
            "    P(a beats b) = 1/(1 + exp(s_b - s_a))",
            "They exist only where no part of the systems has won, or lost, all its battles with the others (Ford "
            f"1957). The battles of one user or judge depend on each other: {opt('clusters')} names the column "
            "of users.",
        ),
        columns=("system_a", "system_b", "outcome"),
        output_type=None,
        reference_type=None,
        takes_several_references=False,
        extra=None,
        packages=(),
        statistics=("wins of each system over each",),
        bootstrap=Exactness.NEVER,
        randomization=Exactness.NEVER,
        higher_is_better=True,
        as_percentage=False,
        score_range=None,
        citation="Bradley & Terry 1952",
        options=(),
    )


def strengths(wins: FloatArray, start: FloatArray | None = None) -> FloatArray:
    """Return the strengths that maximise the likelihood of b matrices of wins, each with mean 0, shape (b, s).

    `wins`, shape (b, s, s), are wins of row over column. Each matrix must be strongly connected, or there is no
    maximum. Newton's method on H + 11ᵀ/s starts at `start`, shape (s,), or at 0, for all matrices together. Steps that
    change no difference of two strengths by more than 1 raise the likelihood from any start, as the third derivative of
    a logistic likelihood is bounded by its second (Bach 2010). Longer steps are shortened to that.

    Cost: some 5 steps, each b solutions of s equations. Memory: 40 b s² bytes.

    Examples
    --------
    >>> theta = strengths(np.array([[[0, 2, 4], [1, 0, 2], [1, 1, 0.0]]]))[0]
    >>> np.exp(theta[0] - theta[1:]).round(9).tolist()  # 2 : 1 and 4 : 1
    [2.0, 4.0]
    """
    count, s, _ = wins.shape
    battles = wins + wins.transpose(0, 2, 1)
    scored = wins.sum(axis=2)
    theta = np.zeros((count, s)) if start is None else np.tile(start - start.mean(), (count, 1))
    diagonal = np.arange(s)
    left = np.arange(count)  # matrices that have not converged
    for _ in range(_MOST_STEPS):
        # θ is limited to the range of exp: differences beyond ±300 cannot occur with real counts.
        odds = np.exp(np.clip(theta[left], -300.0, 300.0))
        expected = odds[:, :, None] / (odds[:, :, None] + odds[:, None, :])
        information = battles[left] * expected
        gradient = scored[left] - information.sum(axis=2)
        information *= expected - 1  # −n p (1 − p)
        information[:, diagonal, diagonal] = 0.0
        information[:, diagonal, diagonal] = -information.sum(axis=2)
        information += 1 / s
        step = np.linalg.solve(information, gradient[..., None])[..., 0]
        step -= step.mean(axis=1, keepdims=True)
        width = np.ptp(step, axis=1)
        step *= np.minimum(1.0, _LONGEST_STEP / np.maximum(width, _LONGEST_STEP))[:, None]
        theta[left] += step
        left = left[width > _CLOSE * np.maximum(1.0, np.ptp(theta[left], axis=1))]
        if not len(left):
            break
    return theta


def connected(wins: FloatArray) -> BoolArray:
    """Return which matrices of wins are strongly connected, shape (b,): those that have strengths (Ford 1957).

    From the first system all others can be reached along wins, and from all others the first one.
    """
    arcs = wins > 0
    are_connected = np.ones(len(wins), dtype=bool)
    for along in (arcs, arcs.transpose(0, 2, 1)):
        reached = np.zeros(wins.shape[:2], dtype=bool)
        reached[:, 0] = True
        while True:
            further = reached | (reached[:, :, None] & along).any(axis=1)
            if np.array_equal(further, reached):
                break
            reached = further
        are_connected &= reached.all(axis=1)
    return are_connected


def reachable(wins: FloatArray) -> BoolArray:
    """Return whether a chain of wins leads from row to column, or they are equal; shape (b, s, s)."""
    s = wins.shape[1]
    paths = ((wins > 0) | np.eye(s, dtype=bool)).astype(np.float32)
    for _ in range(max(s - 1, 1).bit_length()):
        paths = (paths @ paths > 0).astype(np.float32)
    return paths > 0


def parts_of(wins: FloatArray) -> list[list[int]]:
    """Return the strongly connected parts of one matrix of wins, shape (s, s), unbeaten parts first."""
    paths = reachable(wins[None])[0]
    together = paths & paths.T
    firsts = sorted({int(row.argmax()) for row in together}, key=lambda i: (-int(paths[i].sum()), i))
    return [np.flatnonzero(together[i]).tolist() for i in firsts]
