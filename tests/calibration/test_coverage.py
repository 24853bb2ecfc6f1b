"""How often intervals hold a true gain that is not 0."""

from __future__ import annotations

import pytest

from outscore.results import IntervalMethod
from tests.calibration.checks import Check, assert_all
from tests.calibration.measuring import measure
from tests.calibration.nulls import GAINS, Population

pytestmark = pytest.mark.slow

COUNT = 150  # benchmarks/calibration.py draws many more


@pytest.mark.parametrize("population", GAINS, ids=str)
def test_intervals_cover_the_true_gain(population: Population) -> None:
    found = measure(population, 200, COUNT, tests=(), intervals=tuple(IntervalMethod))
    allowed = (0.90, 1.0) if population.name == "binary, r12 = 0.9" else (0.935, 0.965)
    assert_all(Check(f"{population}: {method}", found.covered(method), COUNT, *allowed) for method in IntervalMethod)
