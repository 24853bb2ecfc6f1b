"""Arenas whose users have unequal numbers of battles, or one system that hardly loses: `rank -m bradley-terry`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import outscore
from outscore.results import Correction
from tests.calibration.populations import Rng
from tests.calibration.sets import FloatArray, IntArray

_QUADRATURE = 40


@dataclass(frozen=True)
class Arena:
    """Users with tastes of their own, who compare systems drawn at random.

    Attributes
    ----------
    name : str
    strengths : tuple of float
        Of the systems; one user's are normal about them.
    battles : callable
        rng to the number of battles of each user.
    taste : float
        The standard deviation of a user's strengths.
    ties : float
        The proportion of ties.
    seen : int, optional
        How many of the systems each user meets; all by default.
    """

    name: str
    strengths: tuple[float, ...]
    battles: Callable[[Rng], IntArray]
    taste: float = 0.7
    ties: float = 0.2
    seen: int | None = None

    @property
    def truth(self) -> FloatArray:
        """The strengths that all users together would show: ties and tastes draw them towards each other."""
        means, s = np.array(self.strengths), len(self.strengths)
        nodes, weights = np.polynomial.hermite_e.hermegauss(_QUADRATURE)
        apart = means[:, None] - means[None]
        chances = 1 / (1 + np.exp(-(apart[..., None] + np.sqrt(2) * self.taste * nodes)))
        won = self.ties / 2 + (1 - self.ties) * (chances @ weights) / weights.sum()
        np.fill_diagonal(won, 0.0)
        found = np.zeros(s)
        for _ in range(200):
            expected = 1 / (1 + np.exp(found[None] - found[:, None]))
            met = won + won.T
            slopes = met * expected * (1 - expected)
            laplacian = np.diag(slopes.sum(axis=1)) - slopes
            found = found + np.linalg.solve(laplacian + 1 / s, (won - met * expected).sum(axis=1))
        return np.asarray(found - found.mean())

    def drawn(self, rng: Rng) -> dict[str, npt.NDArray[np.object_]]:
        """Return one table of battles, by columns."""
        user = np.repeat(np.arange(len(counts := self.battles(rng))), counts)
        own = np.array(self.strengths) + self.taste * rng.normal(size=(len(counts), len(self.strengths)))
        s, n = len(self.strengths), len(user)
        seen = s if self.seen is None else self.seen
        met = np.tile(np.arange(s), (len(counts), 1))
        met = met if seen == s else rng.permuted(met, axis=1)
        first = rng.integers(0, seen, n)
        a, b = met[user, first], met[user, (first + rng.integers(1, seen, n)) % seen]
        won = rng.random(n) < 1 / (1 + np.exp(own[user, b] - own[user, a]))
        outcome = np.where(rng.random(n) < self.ties, 0.5, won * 1.0)
        columns = {"system_a": [f"s{x}" for x in a], "system_b": [f"s{x}" for x in b], "user": [f"u{x}" for x in user]}
        return {**{name: np.array(of, dtype=object) for name, of in columns.items()}, "outcome": outcome}


@dataclass
class Ranked:
    """Counts over sets of battles that are not refused.

    Attributes
    ----------
    sets, refused : int
    pairs, first : float
        Sums of proportions of intervals that hold the true difference: of all pairs, and of those of the first system.
    errors : int
        Sets in which any two equal systems are called different.
    """

    sets: int = 0
    refused: int = 0
    pairs: float = 0.0
    first: float = 0.0
    errors: int = 0


def judge(arena: Arena, count: int, seed: int = 0) -> Ranked:
    """Rank `count` sets of battles."""
    import pandas as pd

    truth, found = arena.truth, Ranked()
    for index in range(count):
        table = pd.DataFrame(arena.drawn(np.random.default_rng([seed, index])))
        try:
            ranking = outscore.rank(table, metric="bradley-terry", clusters="user", n_resamples=499, seed=index)
        except outscore.OutscoreError:
            found.refused += 1
            continue
        held = {
            (pair.candidate, pair.baseline): pair.interval.holds(
                float(truth[int(pair.candidate[1:])] - truth[int(pair.baseline[1:])])
            )
            for pair in ranking.pairs
        }
        found.sets += 1
        found.pairs += float(np.mean(list(held.values())))
        found.first += float(np.mean([of for names, of in held.items() if "s0" in names]))
        if len(set(arena.strengths)) == 1:
            correction: Correction = ranking.correction
            found.errors += any(pair.corrected(correction) <= ranking.alpha for pair in ranking.pairs)
    if not found.sets:
        raise ValueError(f"{arena.name}: no set of battles could be ranked")
    return found


def _same(users: int, each: int) -> Callable[[Rng], IntArray]:
    return lambda rng: np.full(users, each)


def _lognormal(users: int) -> Callable[[Rng], IntArray]:
    return lambda rng: np.ceil(rng.lognormal(np.log(8), 1.2, users)).astype(np.int64)


def _one_with_half(users: int) -> Callable[[Rng], IntArray]:
    return lambda rng: np.array([10 * (users - 1)] + [10] * (users - 1))


_APART, _EQUAL = (1.0, 0.75, 0.5, 0.25, 0.0), (0.0,) * 5
ARENAS = (
    Arena("30 users, 50 battles each", _EQUAL, _same(30, 50)),
    Arena("60 users, 15 battles each", _EQUAL, _same(60, 15)),
    Arena("10 users, 50 battles each", _EQUAL, _same(10, 50)),
    Arena("30 users, lognormal", _EQUAL, _lognormal(30)),
    Arena("100 users, lognormal", _EQUAL, _lognormal(100)),
    Arena("30 users, one with half of the battles", _EQUAL, _one_with_half(30)),
    Arena("30 users, 50 battles each, three systems per user", _EQUAL, _same(30, 50), seen=3),
    Arena("60 users, 15 battles each, three systems per user", _EQUAL, _same(60, 15), seen=3),
    Arena("30 users, 10 battles each", _APART, _same(30, 10)),
    Arena("30 users, lognormal", _APART, _lognormal(30)),
    Arena("30 users, one with half of the battles", _APART, _one_with_half(30)),
    Arena("a nearly undefeated system, 30 users, no ties", (4.0, 0.0, 0.0, 0.0, 0.0), _same(30, 10), 0.5, 0.0),
    Arena("a nearly undefeated system, 40 users, 3% ties", (5.0, 0.0, 0.0, 0.0, 0.0), _same(40, 10), 0.5, 0.03),
)
