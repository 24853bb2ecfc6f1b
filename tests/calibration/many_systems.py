"""Populations of many systems, some of them equal: how often a ranking tells equal ones apart.

The null hypothesis of every pair of equal systems is true; the ranking makes a mistake if it calls any such pair
different (family-wise error), and its rank intervals hold if every one holds all ranks that its system shares.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from outscore import F1, Accuracy, Mean
from outscore.metrics import Metric
from outscore.metrics.translation import Bleu
from outscore.results import Correction, Method
from outscore.rows import Rows
from outscore.significance import Bootstrap, PairedT, Resampling
from outscore.significance.corrections import holm
from outscore.significance.ranking import RankingSettings, rank_scores
from tests.scored import scored

FloatArray = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, int, int], FloatArray]

N_RESAMPLES = 999
ALPHA = 0.05


@dataclass(frozen=True)
class Board:
    """Where the scores of many systems come from.

    Attributes
    ----------
    name : str
    metric : Metric
    draw : callable
        (rng, n, s) to the rows of s systems that are equal, shape (n units, s, k).
    gain : float
        What is added to the scores of the better half of the systems, in standard errors of a gain; means alone.
    strata : int
        Into how many strata the units are parted; scores differ between them.
    """

    name: str
    metric: Metric
    draw: Draw
    gain: float = 0.0
    strata: int = 0

    def __str__(self) -> str:
        return f"{self.name}, half of them better" if self.gain else self.name


def _with_ones(scores: FloatArray) -> FloatArray:
    return np.stack([scores, np.ones_like(scores)], axis=-1)


def _normal(rng: np.random.Generator, n: int, s: int) -> FloatArray:
    return _with_ones(rng.normal(size=(n, 1)) + rng.normal(size=(n, s)))


def _lognormal(rng: np.random.Generator, n: int, s: int) -> FloatArray:
    return _with_ones(np.exp(0.7 * rng.normal(size=(n, 1)) + 0.7 * rng.normal(size=(n, s))))


def _binary(rng: np.random.Generator, n: int, s: int) -> FloatArray:
    right = 1 / (1 + np.exp(-0.8 - 1.5 * rng.normal(size=(n, 1))))
    return _with_ones((rng.random((n, s)) < right).astype(np.float64))


def _nearly_all_right(rng: np.random.Generator, n: int, s: int) -> FloatArray:
    right = 1 / (1 + np.exp(-4 - 2 * rng.normal(size=(n, 1))))
    return _with_ones((rng.random((n, s)) < right).astype(np.float64))


def _f1(rng: np.random.Generator, n: int, s: int) -> FloatArray:
    gold = np.broadcast_to(rng.poisson(2, (n, 1)), (n, s))
    right = rng.binomial(gold, np.clip(0.7 + 0.15 * rng.normal(size=(n, 1)), 0.05, 0.95))
    return np.stack([right, right + rng.poisson(0.6, (n, s)), gold], axis=-1).astype(np.float64)


def _bleu(rng: np.random.Generator, n: int, s: int) -> FloatArray:
    reference = np.broadcast_to(rng.integers(8, 60, (n, 1)), (n, s))
    length = reference + rng.integers(-3, 4, (n, s))
    ngrams = length[..., None] - np.arange(4)
    hard = 0.05 * rng.normal(size=(n, 1, 1))
    matches = rng.binomial(ngrams, np.clip(np.array([0.65, 0.42, 0.30, 0.20]) + hard, 0.02, 0.98))
    lengths = np.stack([length, reference], axis=-1)
    return np.concatenate([lengths, matches, ngrams], axis=-1).astype(np.float64)


def _documents(rng: np.random.Generator, n: int, s: int) -> FloatArray:
    """Clusters of 1 to 9 items whose scores lean the same way: sums, and numbers of items."""
    sizes = np.broadcast_to(rng.integers(1, 10, (n, 1)), (n, s))
    lean = np.sqrt(0.2) * rng.normal(size=(n, s))
    noise = np.sqrt(0.8) * rng.normal(size=(n, s))
    return np.stack([sizes * lean + np.sqrt(sizes) * noise, sizes], axis=-1).astype(np.float64)


def equal_systems() -> Sequence[Board]:
    return (
        Board("normal scores", Mean(), _normal),
        Board("lognormal scores", Mean(), _lognormal),
        Board("right or wrong, 64% right", Accuracy(), _binary),
        Board("F1", F1(), _f1),
        Board("BLEU", Bleu(), _bleu),
    )


def further_boards() -> Sequence[Board]:
    normal = equal_systems()[0]
    return (
        replace(normal, gain=4.0),
        replace(equal_systems()[2], gain=4.0),
        Board("right or wrong, 92% right", Accuracy(), _nearly_all_right),
        Board("clusters of 1 to 9 items", Mean(), _documents),
        replace(normal, name="normal scores, 5 strata", strata=5),
    )


@dataclass(frozen=True)
class Judged:
    """What a ranking made of one test set.

    Attributes
    ----------
    error : bool
        Whether any two equal systems were told apart.
    intervals_hold : bool
        Whether every rank interval holds all ranks that its system shares.
    power, power_of_holm : float
        Share of the true differences that max-T finds, and Holm's correction of paired t tests; 0 where there are none.
    """

    error: bool
    intervals_hold: bool
    power: float = 0.0
    power_of_holm: float = 0.0


def judge(board: Board, rng: np.random.Generator, n: int, s: int, *, r: int = N_RESAMPLES) -> Judged:
    """Rank s systems on n units by max-T at 5%, two-sided."""
    rows = board.draw(rng, n, s)
    strata = None
    if board.strata:
        strata = np.arange(n) % board.strata
        rows[..., 0] += 3 * strata[:, None]
    half = s // 2 if board.gain else 0
    if board.gain:
        if isinstance(board.metric, Accuracy):
            # Wrong answers turned right, so that the gain is that many standard errors.
            wrong = 1 - rows[:, half:, 0]
            spread = np.sqrt(2 * np.var(rows[:, :, 0] - rows[:, :, 0].mean(axis=1, keepdims=True)) / n)
            rows[:, half:, 0] += wrong * (rng.random((n, s - half)) < board.gain * spread / wrong.mean())
        else:
            rows[:, half:, 0] += board.gain * np.sqrt(2 / n)
    systems = [Rows(str(k), np.ascontiguousarray(rows[:, k])) for k in range(s)]
    resampling = Resampling(Method.MONTE_CARLO, r, int(rng.integers(2**31)))
    tests = (Bootstrap(), PairedT()) if board.gain else (Bootstrap(),)
    settings = RankingSettings(tests=tests, resampling=resampling, correction=Correction.MAX_T)
    [ranking] = rank_scores(scored(board.metric, systems, strata=strata), settings)
    better = {str(k): bool(board.gain) and k >= half for k in range(s)}
    null = np.array([better[pair.candidate] == better[pair.baseline] for pair in ranking.pairs])
    p = np.array([float(pair.p_maxt or 0) for pair in ranking.pairs])
    wins = s - half if board.gain else 0
    hold = all(
        (system.rank_low <= 1 and wins <= system.rank_high)
        if better[system.name]
        else (system.rank_low <= 1 + wins and s <= system.rank_high)
        for system in ranking.systems
    )
    judged = Judged(bool((p[null] <= ALPHA).any()), hold)
    if not board.gain:
        return judged
    by_holm = np.array(holm([next(iter(pair.other_p_values.values())) for pair in ranking.pairs]))
    power = [float((values[~null] <= ALPHA).mean()) for values in (p, by_holm)]
    return replace(judged, power=power[0], power_of_holm=power[1])
