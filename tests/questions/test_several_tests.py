"""Several test sets: partial conjunction against its definition, and tasks that decide alone."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import outscore
from outscore import Mean
from outscore.errors import NotApplicableError, OptionError
from outscore.results import Alternative
from outscore.significance import PairedT, Randomization, Resampling
from tests.kit import at_least, check_tasks, deciding_tasks
from tests.significance.kit import GainLaws, Hypothesis, Pair, holm

EXAMPLE = [0.168, 0.297, 0.357, 0.019, 0.218, 0.001]
P_VALUES = st.lists(
    st.sampled_from([0.0, 1e-9, 0.004, 0.01, 0.0125, 0.02, 0.025, 0.03, 0.05, 0.2, 1.0]) | st.floats(0, 1),
    min_size=1,
    max_size=9,
)


def test_partial_conjunction_by_hand() -> None:
    found = at_least(EXAMPLE)
    assert found.p_values == pytest.approx((0.006, 0.095, 0.672, 0.672, 0.672, 0.672), rel=1e-12)
    assert found.count == 1
    by_fisher = at_least(EXAMPLE, method="Fisher")
    expected = (0.001024, 0.039898, 0.195976, 0.274219, 0.343963, 0.357)
    assert by_fisher.p_values == pytest.approx(expected, abs=5e-7)
    assert by_fisher.count == 2


@given(P_VALUES, st.sampled_from([0.01, 0.05, 0.1]))
def test_bonferroni_counts_what_holm_rejects(p_values: list[float], alpha: float) -> None:
    n, ascending = len(p_values), sorted(p_values)
    found = at_least(p_values, alpha)
    expected = np.minimum(np.maximum.accumulate([(n - u) * p for u, p in enumerate(ascending)]), 1.0)
    assert found.p_values == pytest.approx(expected, rel=1e-12)
    assert found.count == sum(p <= alpha * (1 + 1e-12) for p in holm(p_values))


@given(P_VALUES)
def test_fisher_is_scipys_worst_combination(p_values: list[float]) -> None:
    # That fewer than u are false says that some N − u + 1 are all true: the worst of all such combinations.
    n, running = len(p_values), 0.0
    for u, p in enumerate(at_least(p_values, method="fisher").p_values, 1):
        statistics = (
            -2 * float(np.log(np.maximum(subset, 1e-320)).sum()) for subset in combinations(p_values, n - u + 1)
        )
        running = max(running, float(scipy.stats.chi2.sf(min(statistics), 2 * (n - u + 1))))
        assert p == pytest.approx(running, rel=1e-10, abs=1e-280)


def test_both_ways_share_the_level() -> None:
    better, worse = (at_least(p, 0.05 / 2) for p in ([0.01, 0.02, 0.98], [0.99, 0.98, 0.02]))
    assert (better.count, worse.count) == (0, 0)  # 3 · 0.01 and 3 · 0.02 are more than 0.025
    better, worse = (at_least(p, 0.05 / 2) for p in ([0.008, 0.012, 0.999], [0.992, 0.988, 0.001]))
    assert (better.count, worse.count) == (2, 1)


def test_bad_arguments() -> None:
    with pytest.raises(OptionError, match='Did you mean "fisher"'):
        at_least([0.1], method="fischer")
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="p-values"):
            at_least([wrong])
    assert at_least([]).count == 0


# Tasks


def _p_value(gains: list[float], test: PairedT | Randomization, alternative: Alternative) -> float:
    n = len(gains)
    pair = Pair(Mean(), np.column_stack([np.zeros(n), np.ones(n)]), np.column_stack([gains, np.ones(n)]))
    return test.p_value(pair, GainLaws([pair], Resampling()), Hypothesis(alternative)).probability


@given(
    st.lists(st.floats(-2, 5).map(lambda gain: round(gain, 2)), min_size=5, max_size=9),
    st.sampled_from(list(Alternative)),
)
def test_a_task_decides_alone_where_the_paired_t_test_without_it_says_otherwise(
    gains: list[float], alternative: Alternative
) -> None:
    def significant(values: list[float]) -> bool:
        return _p_value(values, PairedT(), alternative) <= 0.05

    expected = [i for i in range(len(gains)) if significant(gains[:i] + gains[i + 1 :]) != significant(gains)]
    assert list(deciding_tasks(np.array(gains), 0.05, alternative)) == expected


def test_tasks_by_t_and_by_signs() -> None:
    gains = [0.3, 0.5, -0.1, 0.8, 0.2]
    expected = scipy.stats.ttest_1samp(gains, 0, alternative="greater").pvalue
    assert _p_value(gains, PairedT(), Alternative.GREATER) == pytest.approx(expected, rel=1e-12)
    # Of the 32 signs only those of the gains as they are, and with the loss turned into a gain, reach 1.7.
    assert _p_value(gains, Randomization(), Alternative.GREATER) == 2 / 32


def test_few_tasks_are_refused() -> None:
    check_tasks(5)
    with pytest.raises(NotApplicableError) as caught:
        deciding_tasks(np.ones(4))
    assert str(caught.value) == (
        'tasks="random": a claim about other tasks needs at least 5 tasks, got 4. '
        'Use tasks="fixed" or tasks="count". [few-tasks]'
    )
    assert deciding_tasks(np.ones(5)) == ()
    assert deciding_tasks(np.zeros(5)) == ()


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("test", ["cr2-t", "bootstrap"])
def test_the_corrected_p_values_of_test_sets_are_holm_of_the_column_before_them(test: str, alternative: Any) -> None:
    rng = np.random.default_rng(4)
    n, names = 60, [f"set{k}" for k in range(7)]
    shift = np.repeat(np.linspace(-0.5, 0.6, 7), n)
    baseline = rng.exponential(size=7 * n)
    candidate = baseline + shift + rng.exponential(size=7 * n) - 1
    sets = [name for name in names for _ in range(n)]
    result: Any = outscore.compare(baseline, candidate, test_sets=sets, tests=test, alternative=alternative)
    (both,) = result.comparisons
    rows = both.test_sets
    assert all(row.directed_p_value >= row.p_value * (1 - 1e-9) for row in rows)
    assert [row.adjusted_p_value for row in rows] == pytest.approx(holm([row.p_value for row in rows]), rel=1e-12)
    up = [row.directed_p_value if row.gain >= 0 else 1.0 for row in rows]
    down = [row.directed_p_value if row.gain < 0 else 1.0 for row in rows]
    if alternative == "two-sided":
        counts = [at_least([p / 2 for p in side], 0.025).count for side in (up, down)]
        assert [both.k_hat, both.l_hat] == counts
    called = {row.test_set for row in rows if row.verdict in ("better", "worse")}
    assert called == {*both.better_on, *both.worse_on}
    text = " ".join(result.to_text(details=True).split())
    assert "p (Holm) is p after Holm's correction over 7 comparisons (7 datasets)." in text
    assert "The number of datasets in a claim has another rule than the verdicts: partial conjunction" in text
    # Where the distribution is symmetric, as Student's is, that column would repeat p.
    assert ("p (directed)" in text) == (alternative == "two-sided" and test == "bootstrap")
