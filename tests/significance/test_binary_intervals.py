"""Intervals of gains of items scored 0 or 1: how often they hold the true gain, summed exactly over all outcomes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import outscore
from tests.laws.kit import score_ends


def interval_of(n: int, helped: int, hurt: int, tests: str = "auto") -> outscore.Interval:
    scores = np.repeat([[0, 1], [1, 0], [1, 1]], [helped, hurt, n - helped - hurt], axis=0)
    [comparison] = outscore.compare(scores[:, 0], scores[:, 1], metric="accuracy", tests=tests).comparisons
    return comparison.interval


@pytest.mark.parametrize(
    ("n", "wins", "losses", "at_least"), [(50, 0.02, 0.0, 0.99), (20, 0.1, 0.0, 0.99), (50, 0.1, 0.02, 0.95)]
)
def test_coverage_of_a_gain(n: int, wins: float, losses: float, at_least: float) -> None:
    # 0.635, 0.876 and 0.957 where the randomization test alone was inverted.
    covered = total = 0.0
    for helped in range(n + 1):
        for hurt in range(n + 1 - helped):
            probability = stats.multinomial.pmf([helped, hurt, n - helped - hurt], n, [wins, losses, 1 - wins - losses])
            if probability > 1e-4:
                interval = interval_of(n, helped, hurt)
                total += probability
                covered += probability * (interval.low - 1e-9 <= wins - losses <= interval.high + 1e-9)
    assert total > 0.99
    assert covered / total >= at_least


@pytest.mark.parametrize(("n", "helped", "hurt"), [(50, 0, 0), (50, 1, 0), (50, 0, 3), (20, 5, 2), (30, 30, 0)])
def test_score_ends_are_those_of_the_score_test(n: int, helped: int, hurt: int) -> None:
    low, high = score_ends(np.array([float(helped)]), np.array([float(hurt)]), n, stats.norm.isf(0.025))
    interval = interval_of(n, helped, hurt, "score")
    assert (low[0], high[0]) == pytest.approx((interval.low, interval.high), abs=1e-9)


def test_a_ranking_has_the_intervals_of_comparisons() -> None:
    """Of so many pairs that they are computed together, as well as of few."""
    systems = {f"s{i}": [1] * (40 - i) + [0] * i for i in range(12)}  # all that differ point one way
    ranking = outscore.rank(systems, metric="accuracy", n_resamples=1000)
    few = outscore.rank({name: systems[name] for name in ("s0", "s1", "s2")}, metric="accuracy", n_resamples=1000)
    ends = {(pair.candidate, pair.baseline): (pair.interval.low, pair.interval.high) for pair in ranking.pairs}
    for pair in few.pairs:
        assert ends[pair.candidate, pair.baseline] == pytest.approx((pair.interval.low, pair.interval.high), abs=2e-3)
        gap = int(pair.baseline[1:]) - int(pair.candidate[1:])
        interval = interval_of(40, gap, 0)
        assert (pair.interval.low, pair.interval.high) == pytest.approx((interval.low, interval.high))
