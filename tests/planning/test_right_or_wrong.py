"""Exact power of right-or-wrong items, against sums over all outcomes and against simulation."""

from __future__ import annotations

from functools import cache
from math import factorial

import numpy as np
import pytest
from scipy.stats import binom

from outscore import Level, Rates, plan_power
from outscore.results import Alternative
from outscore.significance import (
    TESTS,
    Bootstrap,
    BootstrapUncentred,
    McNemar,
    PairedT,
    Randomization,
    Sign,
    test_named,
)
from outscore.wings.planning.powers import _limits, exact_power
from outscore.wings.planning.tables import expected_p_value
from tests.planning.kit import Power
from tests.significance.kit import DecidesCounts

GREATER, TWO_SIDED = Level(alternative=Alternative.GREATER), Level(alternative=Alternative.TWO_SIDED)
KNOWN = [name for name, test in TESTS.items() if isinstance(test(), DecidesCounts)]


@cache
def p_of(n: int, helped: int, hurt: int, name: str, alternative: Alternative) -> float:
    return 1.0 if helped == hurt == 0 else expected_p_value(n, helped, hurt, test_named(name), alternative)


def over_all_outcomes(name: str, n: int, a: float, b: float, level: Level) -> Power:
    """The power by its definition: every outcome, its probability, and the p-value that the comparison gives it."""
    total = wrong = gained = reverse = 0.0
    for helped in range(n + 1):
        for hurt in range(n - helped + 1):
            ways = factorial(n) // (factorial(helped) * factorial(hurt) * factorial(n - helped - hurt))
            probability = ways * a**helped * b**hurt * (1 - a - b) ** (n - helped - hurt)
            reverse += probability * (helped < hurt)
            if p_of(n, helped, hurt, name, level.alternative) <= level.per_comparison * (1 + 1e-12):
                total += probability
                wrong += probability * (helped < hurt)
                gained += probability * abs(helped - hurt)
    possible = total > 0
    s, m = (wrong / total, gained / total / n / (a - b)) if possible else (None, None)
    return Power(total, total, total, s, m, reverse, "")


def test_all_tests_of_pairs_have_an_exact_power() -> None:
    """But for the score test, whose power is that of claims with a margin, and what the default test may take."""
    sound = {name for name, test in TESTS.items() if not (test.assumes_independence or test.requires)}
    assert {*KNOWN, "score", "auto", "cr2-t", "skew-t"} == sound


@pytest.mark.parametrize("level", [GREATER, TWO_SIDED, Level(0.2, 1, Alternative.GREATER), Level(0.05, 3)], ids=str)
@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize(("n", "a", "b"), [(7, 0.3, 0.1), (14, 0.2, 0.0), (14, 0.6, 0.4)])
def test_it_is_the_sum_over_all_outcomes(name: str, n: int, a: float, b: float, level: Level) -> None:
    test = test_named(name)
    assert isinstance(test, DecidesCounts)
    found, expected = exact_power(test, n, a, b, level), over_all_outcomes(name, n, a, b, level)
    assert found.value == pytest.approx(expected.value, rel=1e-9, abs=1e-14)
    assert found.reversed == pytest.approx(expected.reversed, rel=1e-9, abs=1e-14)
    assert found.type_s == pytest.approx(expected.type_s, rel=1e-9, abs=1e-14)
    assert found.type_m == pytest.approx(expected.type_m, rel=1e-9)


def test_it_is_the_sum_over_all_outcomes_of_30_items() -> None:
    found = exact_power(Bootstrap(), 30, 0.25, 0.1, GREATER)
    assert found.value == pytest.approx(over_all_outcomes("bootstrap", 30, 0.25, 0.1, GREATER).value, rel=1e-10)


def test_without_hurt_items_randomization_needs_five_helped() -> None:
    """2⁻⁵ is the first power of ½ below 5%: a closed form of the whole power."""
    for n in (20, 100, 1000):
        found = exact_power(Randomization(), n, 0.03, 0.0, GREATER)
        assert found.value == pytest.approx(binom.sf(4, n, 0.03), rel=1e-10)
        counts = np.arange(5, n + 1)
        mean = float(binom.pmf(counts, n, 0.03) @ counts) / binom.sf(4, n, 0.03)
        assert found.type_m == pytest.approx(mean / (0.03 * n), rel=1e-9)


@pytest.mark.parametrize("n", [50, 500, 3000])
def test_randomization_keeps_its_level_where_there_is_no_gain(n: int) -> None:
    level = exact_power(Randomization(), n, 0.1 + 1e-12, 0.1, GREATER).value
    assert 0.02 < level <= 0.05


@pytest.mark.parametrize("test", [Bootstrap(), Sign(), PairedT()], ids=lambda test: test.name)
def test_it_is_what_simulation_finds(test: Bootstrap) -> None:
    """20,000 sets of 200 items; tests decide by their own p-values. Four standard errors: false alarms 6e-5."""
    n, a, b = 200, 0.15, 0.08
    drawn = np.random.default_rng(11).multinomial(n, [a, b, 1 - a - b], size=20_000)
    kinds, times = np.unique(drawn[:, :2], axis=0, return_counts=True)
    significant = np.array([p_of(n, int(h), int(t), test.name, Alternative.GREATER) <= 0.05 for h, t in kinds])
    share = float(times @ significant) / 20_000
    found = exact_power(test, n, a, b, GREATER)
    assert abs(share - found.value) < 4 * np.sqrt(share * (1 - share) / 20_000)
    gains = (kinds[:, 0] - kinds[:, 1]) / n
    exaggerated = float((times * gains) @ significant) / float(times @ significant) / (a - b)
    assert found.type_m == pytest.approx(exaggerated, rel=0.01)
    assert found.reversed == pytest.approx(float(times @ (gains < 0)) / 20_000, abs=0.003)


def test_two_sided_power_is_lower_and_holds_both_sides() -> None:
    one, two = (exact_power(McNemar(), 300, 0.12, 0.08, level) for level in (GREATER, TWO_SIDED))
    assert two.value < one.value
    assert one.type_s == 0.0
    assert two.type_s is not None
    assert 0 < two.type_s < 0.01
    assert two.type_m is not None
    assert one.type_m is not None
    assert two.type_m > one.type_m > 1


def test_weak_studies_exaggerate() -> None:
    """Gelman & Carlin's point: with a power of 7% a significant gain is several times too large."""
    weak = exact_power(Randomization(), 200, 0.105, 0.095, TWO_SIDED)
    assert weak.value < 0.1
    assert weak.type_m is not None
    assert weak.type_s is not None
    assert weak.type_m > 4
    assert weak.type_s > 0.1


def test_power_grows_with_items_and_gain() -> None:
    rows = plan_power(Rates(0.05), [100, 300, 1000, 3000], [0.01, 0.02, 0.05], tests=[Bootstrap()]).rows
    table = np.array([row.power.value for row in rows]).reshape(4, 3)
    assert (np.diff(table, axis=0) > 0).all()
    assert (np.diff(table, axis=1) > 0).all()


@pytest.mark.parametrize("test", [Bootstrap(), BootstrapUncentred(), Sign(), PairedT()], ids=lambda test: test.name)
@pytest.mark.parametrize("level", [GREATER, Level(0.05, 100, Alternative.GREATER), TWO_SIDED], ids=str)
def test_limits_between_knots_are_those_of_asking_everywhere(test: DecidesCounts, level: Level) -> None:
    for n, differing in ((151, np.arange(152)), (3000, np.arange(200, 700))):
        asked = [exhaustive_limit(test, n, int(m), level) for m in differing[::17]]
        assert _limits(test, n, differing, level)[::17].tolist() == asked


def exhaustive_limit(test: DecidesCounts, n: int, m: int, level: Level) -> int:
    helped = np.arange((m + 1) // 2, m + 1)
    significant = test.decides_counts(n, helped, m - helped, level.per_comparison, two_sided=level.two_sided)
    return int(helped[significant].min()) if significant.any() else m + 1
