"""Power for normal differences, against statsmodels, SciPy and simulation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from outscore import Level, Rows, Spread, plan_gain, plan_items, plan_power
from outscore._types import FloatArray
from outscore.metrics import Mean
from outscore.results import Alternative
from outscore.significance import Bootstrap, PairedT, Randomization, Resampling, SignificanceTest
from tests.planning.kit import normal_power
from tests.significance.kit import GainLaws, Hypothesis, Pair

GREATER, TWO_SIDED = Level(alternative=Alternative.GREATER), Level(alternative=Alternative.TWO_SIDED)
STATSMODELS = {Alternative.GREATER: "larger", Alternative.TWO_SIDED: "two-sided"}


@pytest.mark.parametrize("level", [GREATER, TWO_SIDED, Level(0.01, 1, Alternative.GREATER), Level(0.05, 10)], ids=str)
@pytest.mark.parametrize("n", [2, 3, 5, 20, 200, 5000])
@pytest.mark.parametrize("effect", [0.05, 0.3, 1.2])
def test_the_paired_t_test_has_the_power_of_statsmodels(n: int, effect: float, level: Level) -> None:
    peer = pytest.importorskip("statsmodels.stats.power", reason="statsmodels is not installed").TTestPower()
    found = normal_power(PairedT(), n, effect * 2.5, 2.5, level)
    expected = peer.power(effect, n, level.per_comparison, alternative=STATSMODELS[level.alternative])
    if math.isnan(expected):  # SciPy's noncentral t gives up on powers of next to 1
        assert found.value > 1 - 1e-9
        return
    assert found.value == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("level", [GREATER, TWO_SIDED], ids=str)
def test_its_inverses_are_those_of_statsmodels(level: Level) -> None:
    peer = pytest.importorskip("statsmodels.stats.power", reason="statsmodels is not installed").TTestPower()
    solve, side = peer.solve_power, STATSMODELS[level.alternative]
    gain = plan_gain(Spread(0.4), 250, target=0.9, tests=[PairedT()], level=level).rows[0].gain
    assert gain / 0.4 == pytest.approx(solve(None, 250, 0.05, 0.9, alternative=side), rel=1e-5)
    items = plan_items(Spread(0.4), 0.05, tests=[PairedT()], level=level).rows[0].items
    assert items == math.ceil(solve(0.125, None, 0.05, 0.8, alternative=side))


def test_errors_of_sign_and_size_are_those_of_the_noncentral_law() -> None:
    """Type S and M where s is known are closed forms; at n = 100,000 it is as good as known."""
    n, shift = 100_000, 0.8
    found = normal_power(PairedT(), n, shift / math.sqrt(n), 1.0, TWO_SIDED)
    z = stats.norm.isf(0.025)
    right, wrong = stats.norm.sf(z - shift), stats.norm.cdf(-z - shift)
    assert found.value == pytest.approx(right + wrong, rel=1e-4)
    assert found.type_s == pytest.approx(wrong / (right + wrong), rel=1e-3)
    overshoot = shift * (right - wrong) + stats.norm.pdf(z - shift) + stats.norm.pdf(-z - shift)
    assert found.type_m == pytest.approx(overshoot / (right + wrong) / shift, rel=1e-4)
    assert found.reversed == pytest.approx(stats.norm.cdf(-shift), rel=1e-9)


def test_gelman_and_carlins_example() -> None:
    """Section "Hypothetical": a true effect of 0.1 standard errors of 3.28 points: power 5%, type S 46%, type M 77."""
    n = 10**6
    found = normal_power(PairedT(), n, 0.1, 3.28 * math.sqrt(n), TWO_SIDED)
    assert found.value == pytest.approx(0.05, abs=0.005)
    assert found.type_s == pytest.approx(0.46, abs=0.01)
    assert found.type_m == pytest.approx(77, abs=1)


def itself(test: SignificanceTest, differences: FloatArray, level: Level) -> bool:
    zeros = np.zeros((len(differences), 1))
    rows = [Mean().rows_of(Rows("system", values)).values for values in (zeros, differences[:, None])]
    pair = Pair(Mean(), rows[0], rows[1])
    laws = GainLaws([pair], Resampling())
    return test.p_value(pair, laws, Hypothesis(level.alternative)).value <= level.per_comparison


@pytest.mark.parametrize("test", [Bootstrap(), Randomization()], ids=lambda test: test.name)
@pytest.mark.parametrize("level", [GREATER, TWO_SIDED], ids=str)
def test_resampling_tests_decide_by_the_t_that_is_told(test: Bootstrap | Randomization, level: Level) -> None:
    """50 data sets of 60; where the exact p-value and the limit of t decide differently, t is at the limit."""
    rng, n = np.random.default_rng(5), 60
    critical = test.normal_limit(n, level.per_comparison / (2 if level.two_sided else 1))
    differ = 0
    for _ in range(50):
        d = rng.normal(0.25, 1, n).round(2)  # on a grid, so that p is exact
        t = d.mean() * math.sqrt(n) / d.std(ddof=1)
        if abs(abs(t) - critical) > 0.5:
            continue
        found = itself(test, d, level)
        differ += found != ((abs(t) if level.two_sided else t) >= critical)
    assert differ <= 1


@pytest.mark.parametrize(
    ("test", "expected"), [(Bootstrap(), 0.60986), (Randomization(), 0.58778), (PairedT(), 0.58663)]
)
def test_the_power_of_resampling_tests_is_simulated_alike(test: Any, expected: float) -> None:
    """The shares of 400,000 simulated sets of 40 whose t is beyond the limit; standard error 0.0008."""
    assert normal_power(test, 40, 0.3, 1.0, GREATER).value == pytest.approx(expected, abs=0.0025)


def test_randomization_needs_more_items_than_its_squared_quantile() -> None:
    assert normal_power(Randomization(), 2, 5.0, 1.0, GREATER).value == 0.0
    assert normal_power(Randomization(), 3, 5.0, 1.0, GREATER).value > 0.1


def test_the_unit_of_the_scores_does_not_matter() -> None:
    one, other = (plan_power(Spread(sd), 80, 0.25 * sd).rows for sd in (1.0, 1e-3))
    assert [row.power.value for row in one] == pytest.approx([row.power.value for row in other], rel=1e-10)
