"""The step-down max-T on correlated systems: its family-wise error, and its power beside Holm's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from outscore._types import FloatArray
from outscore.metrics import Mean
from outscore.results import Method
from outscore.rows import Rows
from outscore.significance import Resampling
from outscore.significance.ranking import RankingSettings, rank_scores
from tests.calibration.many_systems import equal_systems, further_boards, judge
from tests.scored import scored

N, S, R = 120, 6, 399
ALPHA = 0.05


def p_values(rng: np.random.Generator, means: FloatArray, seed: int) -> FloatArray:
    """Return (max-T, Holm) of all pairs of systems whose items are strongly correlated, shape (2, pairs)."""
    # Two families, each with a part of its own: pairs of one family are far more alike than others.
    shared = rng.normal(size=(N, 1)) + 0.7 * np.repeat(rng.normal(size=(N, 2)), S // 2, axis=1)
    scores = shared + 0.6 * rng.standard_t(5, size=(N, S)) + means
    systems = [Rows(f"s{k}", np.column_stack([scores[:, k], np.ones(N)])) for k in range(S)]
    settings = RankingSettings(resampling=Resampling(Method.MONTE_CARLO, R, seed))
    [ranking] = rank_scores(scored(Mean(), systems), settings)
    true = {f"s{k}": means[k] for k in range(S)}
    # What counts as a false discovery: systems whose means are equal, called different.
    null = np.array([true[pair.candidate] == true[pair.baseline] for pair in ranking.pairs])
    found = np.array([[pair.p_maxt, pair.p_holm] for pair in ranking.pairs], dtype=np.float64).T
    return np.concatenate([found, null[None, :]])


@pytest.mark.slow
def test_max_t_keeps_the_family_wise_error_where_all_systems_are_equal() -> None:
    """With 300 data sets and an error of at most 5.5% a false alarm has a probability below 1e-3.

    The bootstrap of 120 items is itself a little liberal (docs/calibration.md): 5.5%, not 5%, is what it owes.
    """
    rng = np.random.default_rng(2024)
    trials = 300
    errors = np.zeros(2)
    for trial in range(trials):
        found = p_values(rng, np.zeros(S), trial)
        errors += (found[:2] <= ALPHA).any(axis=1)
    assert errors[0] <= binom.ppf(0.999, trials, 0.055)
    # Nor is it so careful that it says nothing: a true error of 3% would fall below this once in 10⁴.
    assert errors[0] >= binom.ppf(1e-4, trials, 0.03)
    assert errors[1] <= errors[0]


@pytest.mark.slow
def test_max_t_keeps_the_family_wise_error_among_systems_that_differ_and_finds_more_than_holm() -> None:
    """Steps down: with half of the systems truly better, false discoveries among equal ones stay at the level.

    100 data sets; a false alarm has a probability below 1e-3. Holm finds fewer of the true differences, over all data
    sets together; both see the same draws, so that this is no matter of luck.
    """
    rng = np.random.default_rng(2025)
    trials = 100
    means = np.repeat([0.0, 0.35], S // 2)
    wrong = np.zeros(2)
    right = np.zeros(2)
    for trial in range(trials):
        found = p_values(rng, means, trial)
        null = found[2] == 1
        wrong += (found[:2, null] <= ALPHA).any(axis=1)
        right += (found[:2, ~null] <= ALPHA).sum(axis=1)
    assert wrong[0] <= binom.ppf(0.999, trials, 0.055)
    assert right[0] > right[1]
    assert right[0] > 0.2 * trials * (S // 2) ** 2


@pytest.mark.slow
def test_many_equal_systems_on_few_units_are_not_told_apart() -> None:
    """50 units, 25 systems: 70 data sets of five kinds, an error of at most 6.5%, and a false alarm once in 10³.

    Replicates in units of one fixed standard error give 12 to 15% (lognormal scores: 4%), which fails in five of six
    seeds: it is seen in all kinds but the lognormal together, where more than 32 of 280 are too many.
    """
    rng = np.random.default_rng(2026)
    trials, together = 70, []
    for board in equal_systems():
        found = [judge(board, rng, 50, 25, r=499) for _ in range(trials)]
        errors, missed = sum(each.error for each in found), sum(not each.intervals_hold for each in found)
        assert errors <= binom.ppf(1 - 1e-3, trials, 0.065)
        assert missed <= binom.ppf(1 - 1e-3, trials, 0.065)
        together += [errors] if board.name != "lognormal scores" else []
    assert sum(together) <= binom.ppf(1 - 1e-3, trials * len(together), 0.065)


@pytest.mark.slow
def test_studentised_max_t_finds_what_holm_finds() -> None:
    """At 200 units half of 12 systems are better by 4 standard errors: within 3 points of Holm over paired t tests."""
    rng = np.random.default_rng(2027)
    found = [judge(further_boards()[0], rng, 200, 12) for _ in range(40)]
    assert np.mean([each.power for each in found]) > np.mean([each.power_of_holm for each in found]) - 0.03
