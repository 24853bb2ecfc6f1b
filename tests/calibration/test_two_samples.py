"""Systems on different items: the default tests keep their level, and these cells are those of the public call.

Rates are held to three standard errors above their bound, with fixed seeds, as in tests/calibration/test_default.py.
"""

from __future__ import annotations

import pytest

from tests.calibration.test_default import at_most
from tests.calibration.two_samples import RATES, SAMPLES, Rates, Samples

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("rates", [RATES[0], RATES[3], Rates(10, 20, -0.1)], ids=str)
def test_the_exact_test_keeps_its_level_at_all_rates(rates: Rates) -> None:
    """Exact: no figure is an estimate."""
    found = rates.judged()
    assert found["at_5"] <= 0.05
    assert found["at_1"] <= 0.01
    assert found["at_0.1"] <= 0.001
    assert found["one_sided"] <= 0.05


@pytest.mark.parametrize("samples", SAMPLES, ids=lambda samples: samples.name)
def test_p_values_are_those_of_compare(samples: Samples) -> None:
    """`judged` raises an error if the first data set has another p-value by `outscore.compare`."""
    assert samples.judged(samples.counts[0], 1, seed=4)["sets"] == 1


@pytest.mark.parametrize(
    ("name", "counts", "most"),
    [
        ("normal", (20, 200), 0.055),
        ("exponential", (20, 200), 0.055),
        ("grades near the highest", (20, 200), 0.03),
        ("clusters of 1 to 9, accuracy 0.1", (20, 200), 0.03),
        ("the same as before, range known", (20, 20), 0.03),
    ],
)
def test_the_t_test_of_two_samples_rejects_few_true_nulls(name: str, counts: tuple[int, int], most: float) -> None:
    sets = 500
    [samples] = [samples for samples in SAMPLES if samples.name == name]
    assert samples.judged(counts, sets, seed=5)["at_5"] <= at_most(most, sets)
