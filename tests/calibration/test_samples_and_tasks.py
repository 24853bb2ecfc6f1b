"""Samples within items, tasks drawn at random and counts of test sets keep their level.

Checks fail by chance as often as `tests.calibration.checks` says.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from outscore.significance import Bootstrap, PairedT, Randomization
from tests.calibration.checks import Check, assert_all, rate_of
from tests.calibration.measuring import GREATER, TWO_SIDED, measure
from tests.calibration.samples_and_tasks import counted, nested, p_values, tasks

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("sharp", [True, False], ids=["alike", "differ"])
@pytest.mark.parametrize("spec", ["pass@1", "pass@5"])
def test_items_are_drawn_and_samples_left_within(spec: str, sharp: bool) -> None:
    population = nested(spec, 5, sharp=sharp)
    found = measure(population, 50, 500, tests=(Bootstrap(), PairedT(), Randomization()))
    assert_all(rate_of(found, test, ask, 0.05, 0.04, 0.06) for test in found.tests for ask in (GREATER, TWO_SIDED))


@pytest.mark.parametrize("n", [5, 10])
def test_t_of_tasks_drawn_at_random(n: int) -> None:
    found = measure(replace(tasks("normal"), exact=True), n, 1000, tests=(PairedT(), Randomization()))
    assert_all(rate_of(found, "paired-t", ask, 0.05, 0.04, 0.06) for ask in (GREATER, TWO_SIDED))
    # No two-sided p of five tasks is below 2/32.
    low, high = (0.04, 0.06) if n == 10 else (0.0, 0.0)
    assert_all([rate_of(found, "randomization", TWO_SIDED, 0.05, low, high)])


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.7])
@pytest.mark.parametrize(("n_sets", "n_gains"), [(5, 0), (10, 9), (20, 10)])
def test_bonferroni_counts_too_many_no_more_often_than_it_says(n_sets: int, n_gains: int, correlation: float) -> None:
    k = counted(p_values(n_sets, n_gains, correlation, 1500, 1), "bonferroni")
    what = f"{n_gains} of {n_sets}, correlation {correlation}"
    assert_all([Check(what, int((k > n_gains).sum()), len(k), 0.0, 0.06)])


@pytest.mark.parametrize(("correlation", "low", "high"), [(0.0, 0.0, 0.06), (0.3, 0.12, 0.18), (0.7, 0.17, 0.23)])
def test_fishers_count_needs_independence(correlation: float, low: float, high: float) -> None:
    k = counted(p_values(20, 10, correlation, 1500, 2), "fisher")
    assert_all([Check(f"Fisher, correlation {correlation}", int((k > 10).sum()), len(k), low, high)])
