"""The default keeps its level, and its interval its coverage, where units are few, unequal, skewed or alike."""

from __future__ import annotations

import pytest

from tests.calibration.checks import Check, assert_all
from tests.calibration.default import judge, one_huge, rare_wins, unequal_clusters, unequal_lengths
from tests.calibration.nulls import Population, binary_alike, f1, lognormal, normal

COUNT = 200


@pytest.mark.slow
@pytest.mark.parametrize(
    ("population", "n"),
    [
        (normal(), 12),
        (lognormal(), 20),
        (unequal_lengths(), 20),
        (one_huge(), 50),
        (unequal_clusters(), 5),
        (unequal_clusters(), 12),
        (rare_wins(bounded=True), 20),
        (binary_alike(0.02), 50),
        (f1(), 20),
    ],
    ids=str,
)
def test_the_default_keeps_its_level(population: Population, n: int) -> None:
    found = judge(population, n, COUNT)
    what = f"{population}, n = {n}"
    checks = [Check(f"{what}: covered", found.covered, COUNT, 0.93, 1.0)]
    if population.gain == 0:
        checks += [
            Check(f"{what}: at 5%", found.rejected, COUNT, 0.0, 0.065),
            Check(f"{what}: at 1%", found.rejected_1, COUNT, 0.0, 0.025),
        ]
    assert_all(checks)
