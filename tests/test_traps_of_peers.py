"""What peers get wrong where there are runs, samples, strata or test sets, each beside what outscore says.

A peer's formula stands in the test in plain NumPy. Where rates are compared, 200 sets of data leave a standard error of
1.5 points at 5%: outscore's is to lie below 10%, three of them above.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

import outscore
from tests.kit import TestSetsResult

FloatArray = npt.NDArray[np.float64]

SETS, NO_MORE = 200, 0.1


def null_data(n: int, m: int, rho: float, seed: int) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield two equal systems' scores, shape (n, m): items differ between them, and so do runs where rho is not 0.

    Half of the variance of a difference of two runs is the items', half noise; a run adds rho/n of it.
    """
    rng = np.random.default_rng(seed)
    for _ in range(SETS):
        common = rng.normal(size=(n, 1))
        systems = [
            common
            + 0.5 * rng.normal(size=(n, 1))
            + 0.5 * rng.normal(size=(n, m))
            + math.sqrt(rho / n) * rng.normal(size=(1, m))
            for _ in range(2)
        ]
        yield systems[0], systems[1]


def p_of(baseline: FloatArray, candidate: FloatArray, runs: str) -> float:
    [comparison] = outscore.compare(baseline, candidate, metric="mean", runs=runs).comparisons
    return comparison.test.p_value


def share(p_values: list[float]) -> float:
    return float(np.mean(np.array(p_values) <= 0.05))


def test_multeval_swaps_outputs_across_runs() -> None:
    """All 2m outputs of an item are dealt out anew: right if the systems were alike on each item."""
    theirs, ours = [], []
    for one, other in islice(null_data(50, 3, 0.0, 1), 150):
        dealt = np.concatenate([one, other], axis=1).var(axis=1, ddof=1).sum() * 2 / 3 / 50**2
        theirs.append(float(2 * stats.norm.sf(abs((other - one).mean()) / math.sqrt(dealt))))
        ours.append(p_of(one, other, "fixed"))
    assert share(theirs) > 0.14
    assert share(ours) < 0.11  # of 150 sets


@pytest.mark.parametrize("runs", ["samples", "fixed", "random"])
def test_multeval_gives_identical_systems_the_smallest_p(runs: str) -> None:
    """A strict > counts no replicate where all are equal, and p is 1/(r + 1)."""
    scores = np.random.default_rng(2).integers(0, 2, (30, 3)).astype(float)
    assert p_of(scores, scores, runs) == 1.0


def test_rliable_draws_the_runs_of_each_task_by_themselves() -> None:
    """One checkpoint meets all tasks: what it has in common on them does not average out."""
    rng, m, n = np.random.default_rng(3), 5, 10
    theirs = ours = 0
    for _ in range(SETS):
        scores = rng.normal(size=(n, m)) + rng.normal(size=(1, m))  # of mean 0
        drawn = rng.integers(0, m, (400, n, m))
        means = np.take_along_axis(np.broadcast_to(scores, drawn.shape), drawn, axis=2).mean(axis=(1, 2))
        low, high = np.quantile(means, [0.025, 0.975])
        theirs += low <= 0 <= high
        [score] = outscore.score(scores, metric="mean", runs="random").scores
        ours += score.interval.low <= 0 <= score.interval.high
    assert theirs / SETS < 0.65
    assert ours / SETS > 1 - NO_MORE


def test_evalstats_draws_runs_within_items() -> None:
    """What all items of a run share is taken for noise of each item, and the effect of a seed disappears."""
    theirs, ours = [], []
    for one, other in null_data(100, 3, 2.0, 4):
        d = other - one
        variance = (d.mean(axis=1).var() + d.var(axis=1).mean() / 3) / 100
        theirs.append(float(2 * stats.norm.sf(abs(d.mean()) / math.sqrt(variance))))
        ours.append(p_of(one, other, "random"))
    assert share(theirs) > 0.15
    assert share(ours) < NO_MORE


def test_inspect_takes_epochs_for_items() -> None:
    """Answers that are the same in every epoch say nothing new: neither p nor the interval may change."""
    rng = np.random.default_rng(5)
    one, other = rng.integers(0, 2, (2, 60)).astype(float)
    [once] = outscore.compare(one, other, metric="mean").comparisons
    epochs = [np.repeat(scores[:, None], 9, axis=1) for scores in (one, other)]
    [nine] = outscore.compare(*epochs, metric="mean", runs="samples").comparisons
    assert nine.test.p_value == pytest.approx(once.test.p_value, rel=1e-9)
    assert (nine.interval.low, nine.interval.high) == pytest.approx((once.interval.low, once.interval.high))
    [wrong] = outscore.compare(*(of.ravel() for of in epochs), metric="mean").comparisons
    assert wrong.interval.high - wrong.interval.low < 0.4 * (once.interval.high - once.interval.low)


def test_lm_evaluation_harness_pools_the_standard_error_by_size() -> None:
    """Beside an unweighted mean of groups stands the standard error of a mean over all items."""
    rng, sizes = np.random.default_rng(6), np.array([10, 20, 40, 80, 350])
    groups = np.repeat(np.arange(5), sizes)
    theirs, ours = [], []
    for _ in range(SETS):
        d = rng.normal(size=sizes.sum())
        own = [d[groups == group] for group in range(5)]
        gain = float(np.mean([of.mean() for of in own]))
        pooled = math.sqrt(sum((len(of) - 1) * of.var(ddof=1) for of in own) / (len(d) - 5) / len(d))
        theirs.append(float(2 * stats.norm.sf(abs(gain) / pooled)))
        [comparison] = outscore.compare(
            np.zeros(len(d)), d, metric="mean", strata=groups.tolist(), weights="macro", tests="paired-t"
        ).comparisons
        assert comparison.gain == pytest.approx(gain)
        ours.append(comparison.test.p_value)
    assert share(theirs) > 0.2
    assert share(ours) < NO_MORE


def test_p_values_of_several_test_sets_are_neither_0_nor_above_1() -> None:
    """1 - cdf is 0 below 1e-16, and Bonferroni's product is no probability without a bound."""
    assert 1 - stats.norm.cdf(40) == 0
    n = 100
    baseline = np.zeros(6 * n)
    candidate = np.concatenate([np.ones(3 * n), np.tile([1.0, 0.0], n // 2), np.tile([0.0, 1.0], n // 2), np.zeros(n)])
    baseline[3 * n : 5 * n] = np.tile([0.0, 1.0], n)
    sets = np.repeat(["a", "b", "c", "d", "e", "f"], n).tolist()
    for tasks in ("count", "fixed", "random"):
        result = outscore.compare(baseline, candidate, metric="accuracy", test_sets=sets, tasks=tasks)
        assert isinstance(result, TestSetsResult)
        [both] = result.comparisons
        p_values = [p for one in both.test_sets for p in (one.p_value, one.adjusted_p_value)]
        p_values += [] if both.average is None else [test.p_value for test in both.average.tests]
        assert all(0 < p <= 1 for p in p_values)
        assert max(p_values) == 1.0
        assert both.k_hat == len(both.better_on) == 3


def test_t_over_seeds_on_one_test_set_says_nothing_of_other_items() -> None:
    theirs, ours = [], []
    for one, other in null_data(100, 10, 0.0, 7):
        theirs.append(float(stats.ttest_ind(one.mean(axis=0), other.mean(axis=0), equal_var=False).pvalue))
        ours.append(p_of(one, other, "random"))
    assert share(theirs) > 0.25
    assert share(ours) < NO_MORE


def test_items_of_one_seed_say_nothing_of_other_seeds() -> None:
    """Where seeds matter one seed of each is no evidence, however many items there are: it is refused."""
    theirs, ours = [], []
    for one, other in null_data(100, 5, 2.0, 8):
        theirs.append(float(stats.ttest_rel(one[:, 0], other[:, 0]).pvalue))
        ours.append(p_of(one, other, "random"))
    assert share(theirs) > 0.25
    assert share(ours) < NO_MORE
    with pytest.raises(outscore.OutscoreError, match="one-run"):
        p_of(one[:, :1], other[:, :1], "random")


def test_a_bad_seed_is_told() -> None:
    """Nothing mends a run that failed; a reader must see it."""
    rng = np.random.default_rng(10)
    one, other = (rng.random((200, 6)) < 0.7).astype(float), (rng.random((200, 6)) < 0.75).astype(float)

    def told(candidate: FloatArray) -> list[str]:
        result = outscore.compare(one, candidate, metric="accuracy", runs="random")
        return [warning for warning in result.comparisons[0].warnings if "is an outlier" in warning]

    assert told(other) == []
    (warning,) = told(np.column_stack([other[:, :5], rng.random(200) < 0.1]))
    assert warning.startswith("candidate: run ")
