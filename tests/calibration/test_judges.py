"""Intervals of agreement cover on data chosen to hurt, and tests of judges keep their level.

docs/human-measured.md#agreement has the figures of more sets (benchmarks/judges.py). At a true coverage of 95% and
a true level of 5% a limit of these tests is passed by chance in less than 1% of the seeds.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.test_documentation import ROOT, load

pytestmark = pytest.mark.slow

COUNT = 150


@pytest.mark.parametrize("measure", ["kappa", "AC1", "Fleiss", "α nominal", "α ordinal"])
@pytest.mark.parametrize(("e", "n"), [(0.02, 30), (0.15, 30)])
def test_intervals_cover_where_the_bootstrap_does_not(measure: str, e: float, n: int) -> None:
    script, rng = load(ROOT / "benchmarks" / "judges.py"), np.random.default_rng(5)
    found = [script.covers(measure, (0.9, 0.1), e, n, rng) for _ in range(COUNT)]
    assert np.mean([one[0] for one in found if one is not None]) >= 0.9


@pytest.mark.parametrize("quality", [(0.6, 0.6), (0.3, 0.8)])
def test_differential_error_keeps_its_level(quality: tuple[float, float]) -> None:
    script, rng = load(ROOT / "benchmarks" / "judges.py"), np.random.default_rng(6)
    assert np.mean([script.of_errors(30, quality, rng, same_items=True) for _ in range(COUNT)]) <= 0.1
