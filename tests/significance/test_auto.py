"""The default test: which one on which data, and that verdict and interval never contradict each other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import brentq

import outscore
from tests.significance.kit import Pair
from tests.significance.plain import plain_p_value, plain_shape

FloatArray = npt.NDArray[np.float64]
RNG = np.random.default_rng(6)


def _compared(*systems: Any, **options: Any) -> outscore.Comparison:
    result: outscore.ComparisonResult = outscore.compare(*systems, **options)
    return result.comparisons[0]


def _first(*systems: Any, **options: Any) -> str:
    return _compared(*systems, **options).test.name


def plain_rule(d: FloatArray, sizes: FloatArray, alpha: float = 0.05) -> tuple[float, float, float]:
    """The skewness-corrected t of Σd/Σℓ, step by step: p, and the ends of the interval."""
    n, whole = len(d), float(sizes.sum())
    gain = float(d.sum()) / whole
    u = [(d[i] - gain * sizes[i]) / whole / np.sqrt(1 - sizes[i] / whole) for i in range(n)]
    variance = sum(x**2 for x in u)
    kappa = sum(x**3 for x in u) / variance**1.5
    m = variance**2 / sum(x**4 for x in u)
    a = [size**2 / (whole - size) for size in sizes]
    degrees = whole**2 / (sum(size**2 for size in sizes) + sum(a) ** 2 - sum(x**2 for x in a))
    error = np.sqrt(variance)

    def reach(*, against: bool) -> float:
        s, nu = plain_shape(kappa, m, degrees, against=against)
        quantile = float(stats.t.ppf(1 - alpha / 2, nu))
        return quantile if s < 1e-9 else float(1.5 / s * (np.exp(2 / 3 * s * (quantile + s / 6)) - 1))

    p = plain_p_value(gain / error, kappa, m, degrees)
    return p, gain - error * reach(against=kappa < 0), gain + error * reach(against=kappa > 0)


ORACLES = [json.loads(line) for line in (Path(__file__).parent / "default_rule.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("case", ORACLES, ids=[case["name"] for case in ORACLES])
def test_p_and_ends_are_those_of_an_independent_program(case: dict[str, Any]) -> None:
    d = np.array(case["differences"])
    sizes = np.ones(len(d)) if case["sizes"] is None else np.array(case["sizes"], dtype=float)
    rows = np.column_stack([np.zeros(len(d)), sizes]), np.column_stack([d, sizes])
    for level in (0.95, 0.99, 0.999):
        # Named, it has no bootstrap beside it.
        found = _compared(*rows, metric="ratio", alpha=1 - level, tests="auto")
        assert found.test.p_value == pytest.approx(case["p"], rel=1e-10)
        ends = (found.interval.low, found.interval.high)
        assert ends == pytest.approx(case[f"interval_{100 * level:g}".replace(".", "")], rel=1e-10)
    greater, less = (
        _compared(*rows, metric="ratio", alternative=side, tests="auto").test.p_value for side in ("greater", "less")
    )
    assert greater == pytest.approx(case["p_greater"], rel=1e-10)
    assert less == pytest.approx(1 - case["p_greater"], rel=1e-10)


DIFFERENCES: dict[str, Callable[[int], FloatArray]] = {
    "normal": lambda n: RNG.normal(0.3, 1, n),
    "exponential": lambda n: RNG.exponential(size=n) - 0.6,
    "lognormal": lambda n: 1 - RNG.lognormal(size=n),
    "grades": lambda n: RNG.choice([-1.0, 0.0, 0.5, 1.0], n),
}


@pytest.mark.parametrize("of", DIFFERENCES)
@pytest.mark.parametrize("n", [5, 12, 50, 300])
def test_the_default_of_scores_that_are_not_binary_is_the_skewness_corrected_t(of: str, n: int) -> None:
    d = DIFFERENCES[of](n)
    found = _compared(np.zeros(n), d)
    p, low, high = plain_rule(d, np.ones(n))
    assert found.tests[0].name == "skew-t"
    assert found.tests[0].p_value == pytest.approx(p, rel=1e-10)
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), rel=1e-9)


@pytest.mark.parametrize("sizes", [[1, 1, 2, 3, 5, 8, 13], [40, 1, 1, 1, 2, 2, 1, 3]])
def test_clusters_of_unequal_sizes_take_the_same_rule(sizes: list[int]) -> None:
    codes = np.repeat(np.arange(len(sizes)), sizes)
    d = RNG.normal(0.2, 1, len(codes)) + RNG.normal(size=len(sizes))[codes]
    found = _compared(np.zeros(len(d)), d, clusters=codes.tolist())
    p, low, high = plain_rule(np.bincount(codes, d).astype(np.float64), np.array(sizes, dtype=float))
    assert found.tests[0].name == "skew-t"
    assert found.tests[0].p_value == pytest.approx(p, rel=1e-10)
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), rel=1e-9)


@pytest.mark.parametrize("n", [8, 60, 400])
def test_binary_scores_of_items_take_the_exact_randomization_test_at_any_size(n: int) -> None:
    one, other = RNG.random((2, n)) < [[0.5], [0.7]]
    found = _compared(one, other, metric="accuracy")
    won, lost = int((other & ~one).sum()), int((one & ~other).sum())
    assert found.test.name == "randomization"
    assert found.test.exact
    assert found.test.p_value == pytest.approx(stats.binomtest(won, won + lost).pvalue, rel=1e-10)


def test_binary_scores_in_clusters_take_the_rule() -> None:
    one, other = (RNG.random((2, 60)) < 0.6).astype(float)
    assert _first(one, other, clusters=(np.arange(60) // 4).tolist(), metric="accuracy") == "skew-t"


def test_one_more_item_changes_no_test() -> None:
    d = RNG.normal(0.2, 1, 60)
    assert {_first(np.zeros(n), d[:n]) for n in range(3, 60)} == {"skew-t"}


def test_several_candidates_take_one_test() -> None:
    """One of them is binary, as the baseline is: the table still has one test."""
    baseline, binary, graded = RNG.random(40) < 0.5, RNG.random(40) < 0.5, RNG.random(40)
    result = outscore.compare(baseline.astype(float), binary.astype(float), graded)
    assert [one.tests[0].name for one in result.comparisons] == ["skew-t", "skew-t"]


def test_the_paired_bootstrap_is_shown_beside_the_verdict() -> None:
    d = RNG.normal(0.4, 1, 40)
    found = _compared(np.zeros(40), d)
    assert [test.name for test in found.tests] == ["skew-t", "bootstrap"]
    assert found.tests[1].p_value == _compared(np.zeros(40), d, tests="bootstrap").tests[0].p_value
    assert "bootstrap" in found.to_text(details=True)


def test_units_that_all_gain_the_same_take_the_sign_test() -> None:
    found = _compared(np.zeros(6), np.full(6, 0.3))
    assert found.test.p_value == 2**-5
    assert found.interval.low > 0
    assert found.interval.high == np.inf
    assert _compared(np.zeros(4), np.full(4, 0.3)).verdict == "inconclusive"


def test_a_unit_that_outweighs_all_others_leaves_one_degree_of_freedom() -> None:
    rows = np.array([[2e9, 4e9], [1, 1], [2, 3]])
    outweighed = Pair(outscore.Ratio(), rows, rows - np.array([[1e9, 0], [0, 0], [1, 0]])).spread
    assert outweighed.design_degrees == pytest.approx(1, abs=1e-6)
    assert 0 < float(outweighed.variance) < np.inf


def test_few_items_that_carry_the_variance_are_named_with_what_would_overturn_the_verdict() -> None:
    d = RNG.normal(0.02, 0.01, 500)
    d[:3] = [3.0, 2.6, -0.4]
    items = {f"x{i}": value for i, value in enumerate(d)}
    (warning,) = _compared(dict.fromkeys(items, 0.0), items).warnings
    assert warning.startswith('2 of 500 items (item "x0" and item "x1") account for ')
    d = 0.5 + 0.02 * np.cos(np.arange(20))
    d[:2] = [-0.5, 0.9]
    (warning,) = _compared(np.zeros(20), d).warnings
    assert "One more like item 1 would change the verdict" in warning


def test_claims_with_a_margin_take_the_score_test_where_the_range_is_known() -> None:
    one, other = RNG.random((2, 60))
    asked = {"claim": "not-worse", "margin": 0.2}
    assert _first(one, other, metric="mean:lowest=0,highest=1", **asked) == "score"
    assert _first(one, other, **asked) == "skew-t"


def test_means_of_fixed_runs_take_the_score_test_at_a_margin_and_random_runs_do_not() -> None:
    rng = np.random.default_rng(4)
    systems = {name: rng.integers(0, 2, (30, 3)) for name in ("old", "new")}
    claim: dict[str, Any] = {"metric": "accuracy", "claim": "not-worse", "margin": 0.1}
    assert _first(systems, baseline="old", runs="fixed", **claim) == "score"
    assert _first(systems, baseline="old", runs="random", **claim) == "skew-t"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("strata", [False, True])
def test_compare_and_rank_agree_where_the_skewness_is_on_its_threshold(seed: int, strata: bool) -> None:
    """There the root of κ² − threshold multiplies rounding errors by up to 10⁸."""
    rng = np.random.default_rng(seed)
    n = 12 + 9 * seed
    base, rest = rng.normal(0, 3, n), 0.9 - rng.exponential(size=n - 1) + 0.3 * rng.normal(size=n - 1)

    def beyond(x: float) -> float:
        u = np.append(rest, x) - np.append(rest, x).mean()
        m = (u @ u) ** 2 / (u**4).sum()
        return float((u**3).sum() ** 2 / (u @ u) ** 3 - max(4 / (m + 4) ** 2, 2 / 3 / m**2))

    far = next(x for x in np.arange(0, 9, 0.5) if beyond(x) * beyond(x + 0.5) < 0)
    other = rng.normal(size=n)
    options: Any = {"strata": (np.arange(n) % 2).tolist()} if strata else {}
    for tolerance in (1e-15, 1e-12, 1e-9, 1e-6):
        d = np.append(rest, brentq(beyond, far, far + 0.5, xtol=tolerance))
        found = _compared(base, base + d, **options).test.p_value
        ranked = outscore.rank({"a": base, "b": base + d, "c": other}, **options).pair("a", "b")
        assert ranked.p_value == pytest.approx(found, rel=0, abs=1e-12)


def test_compare_and_rank_give_a_pair_one_p_value_and_one_interval() -> None:
    systems = {name: RNG.normal(0.1 * place, 1, 40) for place, name in enumerate("abcd")}
    options: Any
    for options in ({}, {"clusters": (np.arange(40) // 3).tolist()}, {"strata": (np.arange(40) % 3).tolist()}):
        for pair in outscore.rank(systems, **options).pairs:
            found = _compared(systems[pair.baseline], systems[pair.candidate], **options)
            assert pair.p_value == pytest.approx(found.test.p_value, rel=1e-9)
            ends = pair.interval.low, pair.interval.high
            assert ends == pytest.approx((found.interval.low, found.interval.high), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("n", [8, 30, 200])
def test_cr2_of_equal_units_is_the_paired_t_test(n: int) -> None:
    one, other = RNG.normal(size=(2, n))
    expected = stats.ttest_rel(other, one)
    comparison = _compared(one, other, tests="cr2-t")
    assert comparison.test.p_value == pytest.approx(expected.pvalue, rel=1e-12)
    assert comparison.test.statistic == pytest.approx(expected.statistic, rel=1e-12)
    limits = expected.confidence_interval(0.95)
    assert (comparison.interval.low, comparison.interval.high) == pytest.approx((limits.low, limits.high))


def test_cr2_against_its_definition() -> None:
    """Least squares on a constant with clusters, with matrices (Bell & McCaffrey 2002; Pustejovsky & Tipton 2018)."""
    sizes = np.array([1, 3, 4, 9, 20])
    codes = np.repeat(np.arange(5), sizes)
    y = RNG.normal(size=37) + codes
    n = len(y)
    residuals = y - y.mean()
    centring = np.eye(n) - 1 / n
    quadratic = np.zeros((n, n))
    variance = 0.0
    for code in range(5):
        members = np.flatnonzero(codes == code)
        block = np.eye(len(members)) - 1 / n
        values, vectors = np.linalg.eigh(block)
        adjustment = vectors @ np.diag(values**-0.5) @ vectors.T
        row = np.zeros(n)
        row[members] = adjustment.sum(axis=0) / n
        variance += float(row @ residuals) ** 2
        quadratic += np.outer(centring @ row, centring @ row)
    degrees = np.trace(quadratic) ** 2 / np.trace(quadratic @ quadratic)
    rows = np.array([[y[codes == code].sum(), size] for code, size in enumerate(sizes)])
    pair = Pair(outscore.Ratio(), np.column_stack([np.zeros(5), sizes]).astype(float), rows)
    found = pair.spread
    assert found.variance == pytest.approx(variance, rel=1e-10)
    assert found.design_degrees == pytest.approx(degrees, rel=1e-10)


REAL = st.lists(st.floats(-5, 5).map(lambda x: round(x, 3)), min_size=3, max_size=40)
GRADES = st.lists(st.sampled_from([-1.0, 0.0, 0.0, 0.5, 1.0]), min_size=3, max_size=80)
RATIOS = st.lists(st.tuples(st.integers(-3, 3), st.integers(1, 30)), min_size=3, max_size=40)
INVERTIBLE = ["auto", "bootstrap", "bootstrap-uncentred", "randomization", "cr2-t", "skew-t", "score"]


def _never_contradicts(comparison: outscore.Comparison) -> None:
    interval, verdict = comparison.interval, comparison.verdict
    if comparison.gain == 0:
        assert verdict == "inconclusive"
        return
    if verdict == "inconclusive":
        assert interval.holds(0.0), (comparison, interval)
    else:
        assert not interval.holds(0.0), (comparison, interval)
        assert (interval.low > 0) == (verdict == "better")


@settings(max_examples=30, deadline=None)
@given(
    REAL | GRADES,
    st.sampled_from([*INVERTIBLE, "paired-t"]),
    st.sampled_from(["two-sided", "greater", "less"]),
    st.sampled_from([0.05, 0.01, 0.2]),
)
def test_verdict_and_interval_never_contradict_each_other(
    differences: list[float], test: str, alternative: str, alpha: float
) -> None:
    zeros = [0.0] * len(differences)
    found = _compared(zeros, differences, tests=test, alternative=alternative, alpha=alpha, n_resamples=2000)
    _never_contradicts(found)


@settings(max_examples=25, deadline=None)
@given(RATIOS, st.sampled_from(INVERTIBLE))
def test_nor_do_they_of_ratios(rows: list[tuple[int, int]], test: str) -> None:
    lengths = [n for _, n in rows]
    one = np.column_stack([[5] * len(rows), lengths])
    other = np.column_stack([[5 + d for d, _ in rows], lengths])
    _never_contradicts(_compared(one, other, metric="ratio", tests=test, n_resamples=2000))


@pytest.mark.parametrize("test", ["bootstrap", "randomization", "paired-t", "skew-t"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_an_interval_ends_where_the_test_begins_to_reject(test: str, alternative: str) -> None:
    """Shift the candidate by an end of the interval: p is alpha there, to the accuracy of the ends."""
    differences = RNG.normal(0.2, 1, size=24)
    zeros = np.zeros(24)
    interval = _compared(zeros, differences, tests=test, alternative=alternative).interval
    assert (interval.low == -np.inf) == (alternative == "less")
    assert (interval.high == np.inf) == (alternative == "greater")
    for end in (interval.low, interval.high):
        if np.isfinite(end):
            inside, outside = (
                _compared(zeros, differences - end - step, tests=test, alternative=alternative).test.p_value
                for step in np.array([-1e-4, 1e-4]) * (-1 if end == interval.low else 1)
            )
            assert outside <= 0.05 <= inside or inside == pytest.approx(outside, abs=1e-3) == 0.05


def test_intervals_of_randomization_are_hartigans_typical_values() -> None:
    """Means of all subsets, of which a share of alpha / 2 is cut off on each side."""
    differences = RNG.normal(size=9)
    means = [differences[[bool(code >> i & 1) for i in range(9)]].mean() for code in range(1, 2**9)]
    ordered = np.sort(means)
    interval = _compared(np.zeros(9), differences, tests="randomization", alpha=0.1).interval
    # p of the k-th mean from below counts it, those below it and the empty set.
    k = int(np.floor(0.05 * 2**9)) - 1
    assert interval.low == pytest.approx(ordered[k], abs=1e-5)
    assert interval.high == pytest.approx(ordered[-1 - k], abs=1e-5)


@pytest.mark.parametrize(("alternative", "alpha"), [("two-sided", 1 / 16), ("greater", 1 / 32), ("less", 1 / 32)])
def test_a_p_value_of_the_very_level_is_rejected(alternative: str, alpha: float) -> None:
    """Null gains beyond all five differences have p = 2⁻⁵ on their side, which is the level."""
    differences = np.array([0.3, -0.2, 1.1, 0.7, 0.4])
    asked: dict[str, Any] = {"tests": "randomization", "alternative": alternative, "alpha": alpha}
    interval = _compared(np.zeros(5), differences, **asked).interval
    low, high = (-np.inf if alternative == "less" else -0.2), (np.inf if alternative == "greater" else 1.1)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-5)
    outside = differences + (-1.101 if alternative == "less" else 0.201)
    assert _compared(np.zeros(5), outside, **asked).test.p_value == alpha


def test_resamples_too_few_to_reject_leave_no_gain_out() -> None:
    differences = np.random.default_rng(6).normal(0.2, 1, size=40)
    asked: dict[str, Any] = {"tests": "randomization", "method": "monte-carlo"}
    for n_resamples, alternative in ((38, "two-sided"), (18, "greater"), (18, "less")):
        found = _compared(np.zeros(40), differences, n_resamples=n_resamples, alternative=alternative, **asked)
        assert (found.interval.low, found.interval.high) == (-np.inf, np.inf)
        assert found.verdict == "inconclusive"
    assert np.isfinite(_compared(np.zeros(40), differences, n_resamples=39, **asked).interval.low)
    for alternative, is_finite in (("greater", [True, False]), ("less", [False, True])):
        interval = _compared(np.zeros(40), differences, n_resamples=19, alternative=alternative, **asked).interval
        assert np.isfinite([interval.low, interval.high]).tolist() == is_finite


def test_what_cannot_be_inverted_has_a_line_where_it_disagrees() -> None:
    rng = np.random.default_rng(3)
    gold = rng.poisson(2.0, size=160)
    rows = [np.column_stack([tp := rng.binomial(gold, p), tp + rng.poisson(0.5, 160), gold]) for p in (0.6, 0.68)]
    comparison = _compared(*rows, metric="f1", tests="randomization")
    assert comparison.interval.method == "skew-t"
    contradicts = comparison.interval.holds(0.0) == (comparison.verdict != "inconclusive")
    assert contradicts == any("different methods" in line for line in comparison.warnings)


def test_confidence_level_and_alpha_are_one_option() -> None:
    one, other = RNG.normal(size=(2, 60))
    by_level, by_alpha = (_compared(one, other, **o) for o in ({"confidence_level": 0.9}, {"alpha": 0.1}))
    assert by_level.interval == by_alpha.interval
    assert by_level.alpha == by_alpha.alpha == 0.1
    with pytest.raises(outscore.OptionError, match=r"expected 1 - alpha = 0\.9, got 0\.95"):
        _compared(one, other, alpha=0.1, confidence_level=0.95)


PERSON, NOBODY = ["B-PER", "I-PER"], ["O", "O"]


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("options", [{}, {"tests": "skew-t"}, {"tests": "cr2-t"}], ids=str)
def test_one_unit_that_carries_everything_is_inconclusive_and_no_error(
    options: dict[str, Any], alternative: Any
) -> None:
    gold, empty = [PERSON, NOBODY, NOBODY], [NOBODY] * 3
    asked: dict[str, Any] = {"references": gold, "metric": "span-f1", "alternative": alternative, **options}
    found = _compared(empty, gold, **asked)
    assert (found.verdict, found.test.p_value) == ("inconclusive", 1.0)
    # Nothing is known but that span F1 is between 0 and 1.
    assert (found.interval.low, found.interval.high) == (-1, 1 if alternative == "two-sided" else np.inf)
    assert any("Without one of the 3 items the score is undefined" in warning for warning in found.warnings)
    ranking = outscore.rank({"a": empty, "b": gold}, correction="holm", **asked)
    assert (ranking.pairs[0].p_value, ranking.pairs[0].interval) == (1.0, found.interval)
    assert any("In 1 of 1 pair the score is undefined" in warning for warning in ranking.warnings)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1.0, 2.0, 3.5, 4.0, 5.0, 6.5], [2.0, 3.0, 4.5, 5.0, 6.0, 7.5]),
        ([1.0, 2.0, 3.0], [3.0, 1.0, 2.0]),
        ([1e16] * 30, [1e16 + 2, 1e16 + 4, 1e16] * 10),
    ],
    ids=["the same gain everywhere", "no gain", "huge scores"],
)
def test_a_pair_of_a_ranking_is_its_comparison(one: list[float], other: list[float], alternative: Any) -> None:
    found = _compared(one, other, alternative=alternative)
    pair = outscore.rank({"a": one, "b": other}, alternative=alternative, correction="holm").pairs[0]
    assert pair.p_value == pytest.approx(found.test.p_value, rel=1e-9)
    assert (pair.interval.low, pair.interval.high) == pytest.approx((found.interval.low, found.interval.high), rel=1e-9)
