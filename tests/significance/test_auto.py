"""The default test: what it takes on which data, and that verdict and interval never contradict each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import outscore
from outscore.errors import NotApplicableError
from outscore.significance.influence import effective_units, influence_of
from outscore.significance.pair import Pair

FloatArray = npt.NDArray[np.float64]
RNG = np.random.default_rng(6)


def _compared(*systems: Any, **options: Any) -> outscore.Comparison:
    result: outscore.ComparisonResult = outscore.compare(*systems, **options)
    return result.comparisons[0]


def _first(*systems: Any, **options: Any) -> str:
    return _compared(*systems, **options).tests[0].name


def test_the_bootstrap_is_taken_from_fifty_units_on() -> None:
    zeros, normal = np.zeros(50), RNG.normal(size=50)
    assert _first(zeros, normal) == "bootstrap"
    assert _first(zeros[:49], normal[:49]) == "randomization"
    assert _first(zeros, normal, alpha=0.01) == "randomization"  # at 1% a hundred units are needed
    reason = _compared(zeros[:49], normal[:49]).tests[0].reason
    assert reason == "randomization gives the verdict: with 49 items the bootstrap rejects true nulls too often."


def test_units_of_unequal_size_count_for_fewer() -> None:
    lengths = np.full(60, 20.0)
    lengths[0] = 3000
    errors = RNG.poisson(0.1 * lengths)
    one, other = (np.column_stack([RNG.poisson(errors), lengths]) for _ in range(2))
    assert effective_units(lengths) == pytest.approx(lengths.sum() ** 2 / (lengths**2).sum())
    comparison = _compared(one, other, metric="ratio")
    assert comparison.tests[0].name != "bootstrap"
    assert "worth 1.9" in str(comparison.tests[0].reason)
    lengths[0] = 20
    assert (
        _first(
            one * [[1, 0]] + lengths[:, None] * [[0, 1]], other * [[1, 0]] + lengths[:, None] * [[0, 1]], metric="ratio"
        )
        == "bootstrap"
    )


def test_one_unit_with_all_the_size_shows_nothing() -> None:
    systems = [[2, 2, 2], [0] * 3, [0] * 3], [[1, 2, 2], [0] * 3, [0] * 3]
    comparison = _compared(*systems, metric="f1")
    assert comparison.tests[0].p_value == 1.0
    assert (comparison.interval.low, comparison.interval.high) == (-np.inf, np.inf)
    for test in ("cr2-t", "skew-t"):
        with pytest.raises(NotApplicableError, match="needs two units"):
            _compared(*systems, metric="f1", tests=test)


def test_a_unit_that_outweighs_all_others_leaves_one_degree_of_freedom() -> None:
    rows = np.array([[2e9, 4e9], [1, 1], [2, 3]])
    outweighed = influence_of(Pair(outscore.Ratio(), rows, rows - np.array([[1e9, 0], [0, 0], [1, 0]])))
    assert outweighed.degrees == pytest.approx(1, abs=1e-6)
    assert 0 < outweighed.variance < np.inf


@pytest.mark.parametrize("unit", [1.0, 1000.0])
def test_items_of_a_correlation_weigh_the_same_whatever_the_unit_of_its_numbers(unit: float) -> None:
    rng = np.random.default_rng(3)
    truth = rng.normal(size=60)
    outputs = [(unit * (truth + rng.normal(size=60))).tolist() for _ in range(2)]
    comparison = _compared(*outputs, references=(unit * truth).tolist(), metric="pearson", n_resamples=200)
    assert comparison.tests[0].reason is None


def test_few_units_that_differ_are_left_to_randomization() -> None:
    zeros = np.zeros(500)
    nine, ten = zeros.copy(), zeros.copy()
    nine[:9], ten[:10] = 1, 1
    assert _first(zeros, nine, metric="accuracy") == "randomization"
    assert _first(zeros, ten, metric="accuracy") == "bootstrap"


def test_five_clusters_are_told_apart_by_t_and_said_to_be_few() -> None:
    clusters = np.repeat(np.arange(5), [1, 5, 10, 20, 50])
    differences = RNG.normal(1, 1, size=5)[clusters] + RNG.normal(size=86)
    comparison = _compared(np.zeros(86), differences, clusters=list(clusters))
    assert comparison.tests[0].name == "cr2-t"
    assert "swaps of so few cannot reach 0.05" in str(comparison.tests[0].reason)
    assert comparison.interval.method.split("+")[0] == "cr2-t"


def test_where_nothing_can_be_told_it_is_said() -> None:
    comparison = _compared([0, 0, 0, 1], [1, 1, 1, 1], metric="accuracy")
    assert comparison.verdict == "inconclusive"
    assert str(comparison.tests[0].reason).startswith("No verdict is possible: the systems differ on 3 items")
    assert "No verdict is possible" in " ".join(comparison.warnings)


def test_a_few_large_wins_that_may_be_missing_are_allowed_for() -> None:
    """Lognormal differences less their mean: of true nulls the bootstrap calls 11% a loss at n = 200."""
    rng = np.random.default_rng(0)
    names = set()
    for _ in range(40):
        comparison = _compared(np.zeros(30), rng.lognormal(size=30) - np.exp(0.5))
        names.add(comparison.tests[0].name)
        plain = _compared(np.zeros(30), np.asarray(rng.normal(size=30)))
        assert plain.tests[0].name == "randomization"
    assert names == {"randomization", "skew-t"}


def test_the_range_of_the_metric_tells_what_is_not_in_the_test_set() -> None:
    """Nine small losses among items that may also win: only the range says so."""
    scores = np.where(np.arange(20) < 9, 0.25, 0.0)
    bounded = _compared(scores + 0.25, np.full(20, 0.25), metric="mean:lowest=0,highest=1")
    assert bounded.tests[0].name == "score"
    assert bounded.verdict == "inconclusive"


@pytest.mark.parametrize("n", [8, 30, 200])
def test_cr2_of_equal_units_is_the_paired_t_test(n: int) -> None:
    one, other = RNG.normal(size=(2, n))
    expected = stats.ttest_rel(other, one)
    comparison = _compared(one, other, tests="cr2-t")
    assert comparison.tests[0].p_value == pytest.approx(expected.pvalue, rel=1e-12)
    assert comparison.tests[0].statistic == pytest.approx(expected.statistic, rel=1e-12)
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
    found = influence_of(pair)
    assert found.variance == pytest.approx(variance, rel=1e-10)
    assert found.degrees == pytest.approx(degrees, rel=1e-10)


def test_skewness_is_removed_as_hall_does() -> None:
    differences = RNG.lognormal(size=40) - 1
    mean, sd = differences.mean(), differences.std(ddof=1)
    kappa = stats.skew(differences) / np.sqrt(40) * (1 + 6 / 40)
    t = mean / sd * np.sqrt(40)
    statistic = t + kappa * t**2 / 3 + kappa**2 * t**3 / 27 + kappa / 6
    test = _compared(np.zeros(40), differences, tests="skew-t").tests[0]
    assert test.statistic == pytest.approx(statistic, rel=1e-10)
    assert test.p_value == pytest.approx(2 * stats.t.sf(abs(statistic), 39), rel=1e-10)


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


@settings(max_examples=60, deadline=None)
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


@pytest.mark.parametrize("test", ["bootstrap", "randomization", "paired-t", "skew-t", "wilcoxon"])
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
                _compared(zeros, differences - end - step, tests=test, alternative=alternative).tests[0].p_value
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
    assert _compared(np.zeros(5), outside, **asked).tests[0].p_value == alpha


def test_resamples_too_few_to_reject_leave_no_gain_out() -> None:
    differences = RNG.normal(0.2, 1, size=40)
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
    assert comparison.interval.method == "symmetric"
    contradicts = comparison.interval.holds(0.0) == (comparison.verdict != "inconclusive")
    assert contradicts == any("not the test's own" in line for line in comparison.warnings)


def test_confidence_level_and_alpha_are_one_option() -> None:
    one, other = RNG.normal(size=(2, 60))
    by_level, by_alpha = (_compared(one, other, **o) for o in ({"confidence_level": 0.9}, {"alpha": 0.1}))
    assert by_level.interval == by_alpha.interval
    assert by_level.alpha == by_alpha.alpha == 0.1
    with pytest.raises(outscore.OptionError, match=r"expected 1 - alpha, which is 0\.9, got 0\.95"):
        _compared(one, other, alpha=0.1, confidence_level=0.95)
