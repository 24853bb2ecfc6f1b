"""Exact distributions of linear gains, against enumeration and convolution in whole numbers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import outscore
from outscore._types import FloatArray, IntArray
from outscore.laws.exact import Precision, enumerated_bootstrap_law, grid_law, linear
from outscore.laws.exact.sums import DrawnSum, SwitchedSum, TermSum, Tilted
from tests import oracles
from tests.laws.exact.claims import INFINITY, check, check_law
from tests.laws.kit import Law, bootstrap_law, swap_law

RNG = np.random.default_rng(20240607)


def _whole(low: int, high: int, n: int) -> list[int]:
    return [int(value) for value in RNG.integers(low, high + 1, n)]


WHOLE: dict[str, list[int]] = {
    "two items": [3, -1],
    "two equal items": [2, 2],
    "three": [1, 0, -1],
    "binary": [int(v) for v in RNG.choice([-1, 0, 1], 200, p=[0.1, 0.75, 0.15])],
    "small steps": _whole(-3, 4, 150),
    "wide": _whole(-40, 60, 60),
    "skewed": [int(v) for v in RNG.choice([-1, 0, 9], 100, p=[0.3, 0.65, 0.05])],
    "sparse": [0] * 290 + _whole(-3, 4, 10),
    "one outlier": [80, *_whole(-1, 1, 40)],
    "one outlier below": [-200, *_whole(-1, 1, 30)],
    "one item differs": [0] * 30 + [5],
    "all but one equal": [7] * 40 + [6],
    "even": [2 * v for v in _whole(-3, 3, 80)],
    "all up": [1] * 100 + [2] * 100,
    "duplicated": _whole(-5, 6, 40) * 2,
}
SCALES: dict[str, float] = {
    "whole": 1.0,
    "decimals": 0.1,
    "thirds": 1 / 3,
    "irrational": 2**0.5,
    "tiny": 1e-7,
    "huge": 1e5,
}


def _thresholds(values: Sequence[int], low: int, high: int) -> list[Fraction]:
    """In the middle, at the thresholds of the tests, at and beyond both ends, on and off the grid."""
    total = sum(values)
    return [
        *map(Fraction, {2 * total, total, 0, low, low + 1, low - 1, high - 1, high, high + 1}),
        Fraction(2 * total + 1, 2),
        Fraction(low + high, 2) + Fraction(1, 3),
    ]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", WHOLE)
def test_bootstrap_of_whole_numbers_is_the_convolution(name: str, scale: str) -> None:
    values = WHOLE[name]
    n, factor = len(values), SCALES[scale]
    if n > 100 and scale not in ("whole", "thirds"):
        values = values[: n // 3]
        n = len(values)
    law = bootstrap_law(np.array(values) * factor, np.ones(n))
    assert law is not None
    true = oracles.convolved_draws(values)
    check_law(law, true, _thresholds(values, n * min(values), n * max(values)), scale=factor / n, absolute=0)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", [name for name in WHOLE if name != "two equal items"])
def test_swaps_of_whole_numbers_are_the_convolution(name: str, scale: str) -> None:
    values = WHOLE[name]
    n, factor = len(values), SCALES[scale]
    law = swap_law(np.array(values) * factor, np.ones(n))
    assert law is not None
    true = oracles.convolved_signs(values)
    reach = sum(map(abs, values))
    thresholds = [*_thresholds(values, -reach, reach), Fraction(-sum(values))]
    check_law(law, true, thresholds, scale=factor / n, absolute=0)


@pytest.mark.parametrize("null_gain", [0.0, 0.5, -0.25, 1.0])
def test_a_margin_flips_the_signs_of_what_lies_beyond_it(null_gain: float) -> None:
    values = _whole(-3, 4, 60)
    law = swap_law(np.array(values, dtype=float), np.ones(60), null_gain)
    assert law is not None
    quarters = [4 * v - round(4 * null_gain) for v in values]
    true = {Fraction(null_gain) + value / 240: chance for value, chance in oracles.convolved_signs(quarters).items()}
    check_law(law, true, [Fraction(sum(values), 60), Fraction(null_gain)], absolute=0)


@pytest.mark.parametrize(
    "values",
    [
        [1, 0, -1, 2, 0, 1, 1, -1],
        [2, 2, 2, 1, 1, -3, 0, 0, 0, 0],
        [0, 0, 0, 5, -5, 5],
    ],
)
@pytest.mark.parametrize("sizes", ["equal", "unequal"])
def test_strata_are_drawn_separately(values: list[int], sizes: str) -> None:
    strata = [0, 1] * (len(values) // 2) if sizes == "equal" else [0, 0, *[1] * (len(values) - 2)]
    law = bootstrap_law(np.array(values, dtype=float), np.ones(len(values)), np.array(strata))
    assert law is not None
    true = oracles.convolved_draws(values, strata)
    check_law(
        law, true, map(Fraction, range(min(true).__floor__() - 1, max(true).__ceil__() + 2)), scale=1 / len(values)
    )


def test_a_draw_less_of_each_stratum_is_worth_what_it_lacks() -> None:
    """Macro averages over strata d = (1, 1, −1), (1, 0): p = P(δ* ≥ 2δ) = 2/9 and the variance Σ s²/(4n) = 25/144."""
    strata = np.array([0, 0, 0, 1, 1])
    law = bootstrap_law(np.array([1, 1, -1, 1, 0]) * np.array([2, 2, 2, 3, 3]) / 12, np.full(5, 0.2), strata)
    assert law is not None
    assert law.exact
    assert law.outside(-INFINITY, 2 * 5 / 12).value == pytest.approx(2 / 9, rel=1e-12)
    assert law.least == pytest.approx(1 / 18)
    points = np.arange(-6, 13) / 12  # every value of the law is a twelfth
    masses = np.array([law.outside(-INFINITY, x).value - law.outside(-INFINITY, x, strict=True).value for x in points])
    assert masses.sum() == pytest.approx(1, abs=1e-12)
    assert points @ masses == pytest.approx(5 / 12, abs=1e-12)
    assert points**2 @ masses - (points @ masses) ** 2 == pytest.approx(25 / 144, abs=1e-12)


@pytest.mark.parametrize("sizes", [(2, 3), (2, 2, 2, 2), (3, 9, 4), (9, 20, 40), (10, 20, 41, 7)])
@pytest.mark.parametrize("seed", range(4))
def test_strata_of_unlike_sizes_have_the_law_of_all_their_counts(sizes: tuple[int, ...], seed: int) -> None:
    """The law of Σ n_h/(n_h − 1)·K_h, K_h the sum of n_h − 1 draws from −1, 0 and 1: a convolution of their counts."""
    rng = np.random.default_rng(seed)
    strata = np.repeat(np.arange(len(sizes)), sizes)
    d = rng.choice([-1.0, 0.0, 1.0], p=[0.2, 0.5, 0.3], size=len(strata))
    values, masses = np.zeros(1), np.ones(1)
    for h, size in enumerate(sizes):
        own = d[strata == h]
        step, of_stratum = np.array([np.mean(own == x) for x in (-1, 0, 1)]), np.ones(1)
        for _ in range(size - 1):
            of_stratum = np.convolve(of_stratum, step)
        reached = np.arange(1 - size, size) * (size / (size - 1))
        values, masses = np.add.outer(values, reached).ravel(), np.multiply.outer(masses, of_stratum).ravel()
        kept = masses > 1e-18
        values, masses = values[kept], masses[kept]
    n = len(d)
    law = bootstrap_law(d, np.ones(n), strata)
    if law is None:  # left to sampling
        assert len(set(sizes)) > 2
        return
    for x in (0.0, d.sum(), 2 * d.sum(), d.sum() + 3.0, -2.5):
        true = masses[values >= x - 1e-9].sum()
        found = law.outside(-INFINITY, x / n)
        assert abs(found.value - true) <= found.error + 1e-9
        above = masses[values > x + 1e-9].sum()
        assert abs(law.outside(-INFINITY, x / n, strict=True).value - above) <= found.error + 1e-9


@pytest.mark.parametrize("strata", [None, [0, 0, 1, 1, 1]], ids=["", "strata"])
@pytest.mark.parametrize(
    ("d", "shared"),
    [
        ([1, 0, -1, 2, 1], [3, 1, 4, 1, 5]),
        ([2, -3, 0, 0, 1], [1, 1, 1, 1, 2]),
        ([0, 0, 1, 0, -1], [0, 2, 1, 0, 1]),  # as recall has it: items without gold
        ([0, 0, 0, 0, 1], [0, 0, 0, 0, 1]),
        ([0.5, -0.25, 1.5, 0.1, 0.2], [1.5, 2.0, 0.5, 1.0, 3.0]),
        ([1 / 3, 2 / 3, -1 / 3, 1, 0], [1, 2, 1, 3, 2]),
        ([1, 1, 1, 1, 1], [2, 2, 2, 2, 4]),
    ],
)
def test_varying_denominators_are_those_of_all_draws(
    d: list[float], shared: list[float], strata: list[int] | None
) -> None:
    law = bootstrap_law(np.array(d), np.array(shared, dtype=float), None if strata is None else np.array(strata))
    assert law is not None
    rows = [
        (numerator, weight) for numerator, weight in zip(oracles.fractions(d), oracles.fractions(shared), strict=True)
    ]
    nothing = [(Fraction(0), weight) for _, weight in rows]
    true = oracles.bootstrap_law(nothing, rows, oracles.ratio, strata)
    gain = oracles.ratio(oracles.totals(rows))
    check_law(law, true, [gain, 2 * gain, Fraction(0), gain / 2, -gain, min(true), max(true), max(true) + 1])


FAR: dict[str, Callable[[], list[int]]] = {
    "binary": lambda: [1] * 300 + [-1] * 100 + [0] * 1600,
    "graded": lambda: [int(v) for v in np.random.default_rng(3).choice([-1, 0, 1, 2], 1000, p=[0.1, 0.5, 0.3, 0.1])],
    "sparse": lambda: [0] * 1960 + [1] * 38 + [-2] * 2,
}


@pytest.mark.parametrize("name", FAR)
def test_far_tails_are_right_to_six_digits_relative_to_themselves(name: str) -> None:
    values = FAR[name]()
    n = len(values)
    law = bootstrap_law(np.array(values, dtype=float), np.ones(n))
    assert law is not None
    lowest, true = oracles.long_convolved_draws(values)
    upper = np.cumsum(true[::-1])[::-1]
    tested = 0
    for exponent in (-5, -12, -20, -50, -100, -200, -290):
        place = int(np.searchsorted(-upper, -(10.0**exponent)))
        found = law.outside(-INFINITY, (lowest + place) / n)
        assert found.value == pytest.approx(float(upper[place]), rel=1e-9)
        assert abs(found.value - float(upper[place])) <= found.error
        tested += found.value > 1e-300
    assert tested == 7


def test_swaps_as_rare_as_one_in_ten_to_the_200() -> None:
    values = [1] * 700 + [3] * 50 + [-1] * 20
    law = swap_law(np.array(values, dtype=float), np.ones(len(values)))
    assert law is not None
    true = oracles.convolved_signs(values)
    least = 0.0
    for threshold in (300, 500, 700, 780, 820, 850, 868):
        expected = oracles.event_probability(true, lambda value, threshold=threshold: value >= threshold)  # type: ignore[misc]
        check(law.outside(-INFINITY, threshold / len(values)), expected, absolute=0)
        least = float(expected)
    assert least < 1e-200


def test_quantiles_are_the_smallest_values_that_reach_the_level() -> None:
    for values in (WHOLE["small steps"][:40], WHOLE["skewed"][:60], [3, -1], [0, 0, 0, 5]):
        law = bootstrap_law(np.array(values) * 0.1, np.ones(len(values)))
        assert law is not None
        true = oracles.convolved_draws(values)
        for level in (0.001, 0.025, 0.1, 0.5, 0.9, 0.975, 0.999):
            expected = oracles.quantile(true, Fraction(level) * (1 - Fraction(1, 10**12)))
            assert law.quantile(level) == pytest.approx(float(expected) * 0.1 / len(values), abs=1e-12)


def test_a_law_without_spread_sits_in_one_place() -> None:
    law = bootstrap_law(np.full(9, 0.3), np.ones(9))
    assert law is not None
    assert law.quantile(0.025) == law.quantile(0.975) == pytest.approx(0.3)
    assert law.outside(-INFINITY, 0.3).value == law.outside(0.3, INFINITY).value == 1
    assert law.outside(-INFINITY, 0.3, strict=True).value == law.outside(-INFINITY, 0.6).value == 0


# What lies nearly on a grid is not on it: rounding it there makes ties where there are none. (d = [1, −1, 3e-6]
# was taken for [1, −1, 0], and p = 0.75 reported with an error bound of 1e-14 where 0.5 is right.)
NEARLY: dict[str, list[float]] = {
    "one small difference": [1.0, -1.0, 3e-6],
    "small differences": [1.0, -1.0, 1e-6, -2e-6, 3e-6, 0.0],
    "one value off the grid": [1.000003, -1.0, 1.0, 0.0, -1.0, 1.0, 0.0, 0.0, 1.0, 1.0],
    "two values close together": [1.0, 1.000001] * 5 + [-1.0] * 5,
    "off by a billionth": [2.000000003, -1.0, 1.0, -1.0, 1.0],
    "one irrational value": [2**0.5, -1.0, 1.0, 0.0, -1.0, 1.0, 0.0, 0.0, 1.0, 1.0],
    "few irrational values": [2**0.5] * 4 + [-(3**0.5)] * 4,
    "thirds among decimals": [1 / 3, 0.1, -0.2, 0.5, 0.1, 0.0, 0.1, -0.2],
    "sparse irrational": [0.0] * 25 + [2**0.5, -(3**0.5), 0.1],
    "sums that nearly vanish": [0.0] * 27 + [2**0.5, 1.0, 1e-9 - 1.0 - 2**0.5],
}


@pytest.mark.parametrize("name", NEARLY)
def test_near_a_grid_is_not_on_it(name: str) -> None:
    values = NEARLY[name]
    n = len(values)
    exact = oracles.fractions(values)
    total = sum(exact, Fraction(0))
    ones = np.ones(n)
    drawn = bootstrap_law(np.array(values), ones) or enumerated_bootstrap_law(
        np.column_stack([values, ones]), lambda totals: totals[:, 0] / n, tolerance=1e-12
    )
    assert drawn is not None
    check_law(drawn, oracles.drawn_sums(exact), [2 * total, Fraction(0), total], scale=Fraction(1, n))
    swapped = swap_law(np.array(values), ones)
    assert swapped is not None
    check_law(swapped, oracles.sign_sums(exact), [total, -total], scale=Fraction(1, n))


def _law_of_jansen() -> Law:
    law = bootstrap_law(np.array([-1.0] * 3 + [1.0] * 4 + [0.0] * 3), np.ones(10))
    assert law is not None
    return law


def test_two_sided_events_add_up_both_tails() -> None:
    law = _law_of_jansen()
    true = oracles.convolved_draws([-1] * 3 + [1] * 4 + [0] * 3)
    both = oracles.event_probability(true, lambda value: abs(value - 1) >= 1)
    assert law.outside(0.0, 0.2).value == pytest.approx(float(both), rel=1e-12)
    assert law.outside(0.1, 0.1).value == 1
    assert law.outside(0.1, 0.1, strict=True).value == pytest.approx(float(1 - true[Fraction(1)]), rel=1e-12)


def test_a_histogram_holds_everything() -> None:
    bins = _law_of_jansen().histogram([-0.95, -0.25, 0.05, 0.35, 0.95])
    assert sum(bins) == pytest.approx(1)
    true = oracles.convolved_draws([-1] * 3 + [1] * 4 + [0] * 3)
    inner = oracles.event_probability(true, lambda value: Fraction(-5, 2) < value < Fraction(1, 2))
    assert bins[1] == pytest.approx(float(inner))


def test_few_values_on_a_fine_grid_are_right_relative_to_themselves() -> None:
    """The whole period of the transform is needed; as the sum of draws, one by one, has it."""
    d = np.round(np.random.default_rng(2).gamma(0.3, 0.1, 25), 4)
    law = bootstrap_law(d, np.ones(25), most=0)
    assert law is not None
    multiples = np.rint((d - d.min()) * 1e4).astype(int)
    one = np.bincount(multiples) / 25
    many = np.ones(1)
    for _ in range(25):
        many = np.convolve(many, one)
    sums = np.arange(len(many)) * 1e-4 + 25 * d.min()
    for factor in (1.0, 1.4, 2.0):
        x = sums[np.searchsorted(sums, factor * d.sum())]
        found = law.outside(-INFINITY, x / 25)
        expected = (
            many[np.abs(np.arange(len(many)) - np.rint((x - 25 * d.min()) * 1e4)) < 0.5].sum()
            + many[sums > x + 5e-5].sum()
        )
        assert abs(found.value - expected) <= found.error + 1e-13 * expected
        assert found.error <= 1e-8 * expected


@pytest.mark.parametrize("decimals", [1, 2, 3, 4])
@pytest.mark.parametrize("weights", ["equal", "strata"])
def test_decimals_as_files_have_them_are_exact(decimals: int, weights: str) -> None:
    """2,000 differences of scores with so many decimals, also in strata of equal sizes with weights of their own."""
    rng = np.random.default_rng(decimals)
    d = np.round(rng.normal(0.02, 0.3, 2000).clip(-1, 1), decimals)
    strata = None if weights == "equal" else np.arange(2000) % 4
    if strata is not None:
        d *= np.array([0.5, 1.0, 1.5, 1.0])[strata]
    drawn, swapped = bootstrap_law(d, np.ones(2000), strata), swap_law(d, np.ones(2000))
    for law in (drawn, swapped):
        assert isinstance(law, linear.GridLaw)
        found = law.outside(-INFINITY, 2 * float(d.mean()))
        assert 0 < found.error <= 1e-10 * found.value


def test_a_gain_of_0_has_all_samples_outside_though_its_decimals_add_up_to_a_last_bit() -> None:
    worse = [0.8, 0.6, 1, 0.9, 0.9, 1, 0.7, 0.3, 0.6, 0.4, 0.5, 0.2, 0, 0.4, 0.1]
    better = [0.6, 0.5, 1, 0.9, 0.9, 1, 0.8, 0.3, 0.9, 0.4, 0.5, 0.1, 0, 0.3, 0.2]
    [comparison] = outscore.compare(worse, better, tests="bootstrap").comparisons
    assert comparison.gain != 0
    assert comparison.p_value == 1


@pytest.mark.parametrize(("largest", "cheap"), [(4, True), (50_000, False), (400_000, False)])
def test_a_grid_is_cheap_by_the_nodes_of_its_transform(largest: int, cheap: bool) -> None:
    d = np.array([*range(-3, 4), *range(-3, 4), *range(-3, 4), largest], dtype=float)
    law = grid_law(d, np.ones(len(d)), None, Precision(1e-9))
    assert law is not None
    assert law.is_cheap == cheap


def test_more_steps_than_a_transform_has_cells_are_sampled() -> None:
    rng = np.random.default_rng(3)
    assert bootstrap_law(np.round(rng.normal(size=100), 7), np.ones(100)) is None
    assert swap_law(np.round(rng.normal(size=100), 7), np.ones(100)) is None
    assert bootstrap_law(rng.normal(size=100), np.ones(100)) is None
    assert bootstrap_law(rng.integers(-2, 3, 100).astype(float), rng.normal(5, 1, 100)) is None


@pytest.mark.parametrize("signs", [False, True])
@pytest.mark.parametrize("deviations", [-6.0, -1.0, 0.3, 2.0, 5.0, 8.0])
def test_tails_of_fine_grids_are_those_of_a_cyclic_lattice(signs: bool, deviations: float) -> None:
    d = np.round(np.random.default_rng(1).standard_t(3, 400) + 0.05, 3)
    law = swap_law(d, np.ones(400)) if signs else bootstrap_law(d, np.ones(400))
    assert law is not None
    sd = float(np.sqrt(d @ d)) if signs else float(d.std()) * 20
    x = (0.0 if signs else d.sum()) + deviations * sd
    step, origin = (0.002, d.sum()) if signs else (0.001, 0.0)
    between = origin + (np.rint((x - origin) / step) - 0.5) * step
    found = law.outside(-INFINITY, between / 400)
    # The step is a thirty-thousandth of the spread, so the cyclic lattice is right to some nine digits of its square.
    assert found.value == pytest.approx(oracles.lattice_tail(d, between, signs=signs), rel=3e-6, abs=0)


def _pairs(drawn: IntArray) -> IntArray:
    return np.column_stack([drawn, np.zeros_like(drawn)])


def _sums() -> dict[str, TermSum]:
    rng = np.random.default_rng(7)
    few, many = rng.integers(-20, 21, 50), np.rint(rng.normal(size=500) * rng.choice([10, 1000], 500)).astype(int)
    coarse = (1000 * np.rint(rng.normal(size=300)) + (rng.random(300) < 0.01)).astype(int)
    counts = np.column_stack([rng.integers(-2, 3, 80), rng.integers(1, 30, 80)])
    return {
        "few": DrawnSum(_pairs(few)),
        "many": DrawnSum(_pairs(many)),
        "in strata": DrawnSum(_pairs(many), np.arange(500) % 3),
        "on a coarse grid but for some": DrawnSum(_pairs(coarse)),
        "pairs": DrawnSum(counts),
        "even pairs": DrawnSum(np.column_stack([counts[:, 1], counts[:, 1] + 2 * counts[:, 0]])),
        "signs": SwitchedSum(_pairs(many[many != 0])),
        "signs on a coarse grid but for some": SwitchedSum(_pairs(coarse[coarse != 0])),
        "signs of pairs": SwitchedSum(counts),
    }


@pytest.mark.parametrize("name", _sums())
@pytest.mark.parametrize("theta", [0.0, 0.5, -3.0])
def test_no_node_that_matters_is_left_out(name: str, theta: float) -> None:
    """|φ| at all nodes outside the runs is as small as the runs promise, and so between the nodes of the survey."""
    total = _sums()[name]
    tilt = np.array([theta, -theta / 3]) / np.maximum(np.sqrt(total.variance), 1)
    tilted = Tilted(total, tilt)
    n, m = tilted.lengths.tolist()
    inside = {k: (starts, stops) for k, starts, stops in tilted._runs}
    for k, v in list(enumerate(2 * np.pi * np.fft.fftfreq(m)))[:: max(1, m // 50)]:
        left = np.ones(n // 2 + 1, dtype=bool)
        for start, stop in zip(*inside.get(k, ((), ())), strict=True):
            left[start : stop + 1] = False
        heights = np.abs(total.transform(tilt, v, 2 * np.pi / n, 0, n // 2 + 1))
        assert (heights[left] <= 1e-16).all()


@pytest.mark.parametrize("name", ["few", "in strata", "pairs"])
@pytest.mark.parametrize("theta", [0.0, 0.7, -2.0])
def test_the_transform_of_a_whole_period_is_that_at_its_nodes(name: str, theta: float) -> None:
    total, lengths = _sums()[name], np.array([501, 1 if name != "pairs" else 40])
    tilt = np.array([theta, -theta / 3]) / np.maximum(np.sqrt(total.variance), 1)
    whole = total.whole_transform(tilt, lengths)
    assert whole is not None
    for row, v in zip(whole, 2 * np.pi * np.fft.fftfreq(int(lengths[1])), strict=True):
        plain = total.transform(tilt, float(v), 2 * np.pi / 501, 0, 251)
        assert np.abs(row - plain).max() < 1e-12  # the rounding error of 500 factors


@given(st.lists(st.integers(1, 30), min_size=1, max_size=10), st.integers(-150, 150))
def test_tails_are_the_shares_of_all_signs(values: list[int], twice: int) -> None:
    total, least = SwitchedSum(_pairs(np.array(values))), 0.5 ** len(values)
    laws = [linear.GridLaw(total, centre=0.0, step=2.0, least=least, is_counted=counted) for counted in (False, True)]
    sums = [sum(signed) for signed in itertools.product(*((-v, v) for v in values))]
    for strict in (False, True):
        beyond = Fraction(sum(s > twice if strict else s >= twice for s in sums), len(sums))
        for law in laws:
            check(law.outside(-INFINITY, float(twice), strict=strict), beyond, relative=1e-11, absolute=0)
    assert laws[0].quantile(0.5) == sorted(sums)[-(-len(sums) // 2) - 1]


def _errors(n: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Differences of numbers of errors, and numbers of words."""
    rng = np.random.default_rng(seed)
    words = rng.integers(1, 12, n)
    return rng.binomial(words, 0.3).astype(float) - rng.binomial(words, 0.2), words.astype(float)


@pytest.mark.parametrize("stratified", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_ratios_of_counts_are_those_of_all_draws(seed: int, stratified: bool) -> None:
    """As word error rates have them: every resample has another number of words. Also with other units of counts."""
    d, words = _errors(7, seed)
    strata = np.arange(7) % 2 if stratified else None
    rows = list(zip(oracles.fractions(d), oracles.fractions(words), strict=True))
    nothing = [(Fraction(0), weight) for _, weight in rows]
    true = oracles.bootstrap_law(nothing, rows, oracles.ratio, None if strata is None else strata.tolist())
    gain = oracles.ratio(oracles.totals(rows))
    thresholds = [gain, 2 * gain, Fraction(0), gain / 2, -gain, gain / 3, min(true), max(true), max(true) + 1]
    for units in ((1.0, 1.0), (0.1, 3.0)):
        law = linear._ratio_law(d * units[0], words * units[1], strata, 1e-6, None)
        assert isinstance(law, linear.RatioLaw)
        check_law(law, true, thresholds, scale=units[0] / units[1])
        for level in (0.025, 0.3, 0.9):
            values = sorted(true)
            up_to = np.cumsum([float(true[value]) for value in values])
            expected = float(values[int(np.searchsorted(up_to, level))]) * units[0] / units[1]
            assert law.quantile(level) == pytest.approx(expected, abs=1e-9)


def test_ratios_of_many_counts_agree_with_samples_and_have_small_tails() -> None:
    """20,000 samples, at five standard errors: one false alarm in a million."""
    d, words = _errors(400, 9)
    law = bootstrap_law(d, words)
    assert isinstance(law, linear.RatioLaw)
    weights = np.random.default_rng(10).multinomial(400, np.full(400, 1 / 400), 20_000)
    gains, gain = (weights @ d) / (weights @ words), float(d.sum() / words.sum())
    for x in (gain, 1.2 * gain, 0.7 * gain, 0.4 * gain):
        p = law.outside(-INFINITY, x)
        assert abs(np.mean(gains >= x - 1e-12) - p.value) < 5 * np.sqrt(p.value * (1 - p.value) / 20_000)
    reach = law.reach(gain, 0.1)
    assert abs(np.mean(np.abs(gains - gain) > reach) - 0.1) < 5 * np.sqrt(0.09 / 20_000)
    # A gain of 0 is the event that the sum of whole numbers is at most 0, whatever the numbers of words.
    whole = bootstrap_law(d, np.ones(400))
    assert whole is not None
    for strict in (False, True):
        expected = whole.outside(0.0, INFINITY, strict=strict)
        assert expected.value < 1e-4
        found = law.outside(0.0, INFINITY, strict=strict)
        assert found.value == pytest.approx(expected.value, rel=1e-9)
        assert found.error < 1e-9 * found.value
