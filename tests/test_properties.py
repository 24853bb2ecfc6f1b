"""What must hold for any data: the property suite of `outscore.compare`.

Hypothesis draws the data, the same in every run; the statistics are exact, so that no property fails by chance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import outscore
from outscore.results import TestResult
from tests.conftest import examples

pytestmark = pytest.mark.smoke

PAIRED = ("bootstrap", "bootstrap-uncentred", "randomization", "paired-t", "sign", "wilcoxon", "mcnemar")
MIRRORED = {"greater": "less", "less": "greater", "two-sided": "two-sided"}

whole = st.integers(-5, 5).map(float)
decimal = st.integers(-300, 300).map(lambda cents: cents / 100)
real = st.floats(-10, 10, allow_subnormal=False).map(lambda x: float(np.float32(x)))
right = st.sampled_from([0.0, 1.0])


def pairs_of(scores: st.SearchStrategy[float], least: int = 2, most: int = 25) -> st.SearchStrategy[Any]:
    return st.lists(st.tuples(scores, scores), min_size=least, max_size=most).map(lambda rows: np.array(rows).T)


any_scores = st.one_of(pairs_of(whole), pairs_of(decimal), pairs_of(right), pairs_of(real, most=12))


@st.composite
def counts(draw: st.DrawFn) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Draw rows (tp, predicted, gold) of two systems on the same items."""
    n = draw(st.integers(2, 10))
    gold = np.array(draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    systems = []
    for _ in range(2):
        tp = np.array([draw(st.integers(0, int(g))) for g in gold])
        spurious = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
        spurious[0] += 1
        systems.append(np.column_stack([tp, tp + spurious, gold]))
    return systems[0], systems[1]


def run(*systems: Any, test: str, **options: Any) -> TestResult:
    result: outscore.ComparisonResult = outscore.compare(*systems, tests=test, **options)
    return result.comparisons[0].test


def applies(test: str, scores: Any) -> bool:
    return test != "mcnemar" or bool(np.isin(scores, (0.0, 1.0)).all())


def close(a: float, b: float) -> bool:
    return a == pytest.approx(b, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("test", PAIRED)
@pytest.mark.parametrize("alternative", MIRRORED)
@settings(max_examples=examples(8))
@given(scores=any_scores)
def test_swapping_the_systems_mirrors_gain_and_p(test: str, alternative: str, scores: Any) -> None:
    if not applies(test, scores):
        return
    a, b = scores
    there = outscore.compare(a, b, tests=test, alternative=alternative).comparisons[0]
    back = outscore.compare(b, a, tests=test, alternative=MIRRORED[alternative]).comparisons[0]
    assert close(there.gain, -back.gain)
    assert (there.helped, there.hurt, there.unchanged) == (back.hurt, back.helped, back.unchanged)
    if there.test.exact and back.test.exact:
        assert close(there.test.p_value, back.test.p_value)


@pytest.mark.parametrize("test", ["bootstrap", "randomization"])
@settings(max_examples=examples(15))
@given(systems=counts(), metric=st.sampled_from(["f1", "precision", "recall"]))
def test_swapping_the_systems_mirrors_f1(test: str, systems: Any, metric: str) -> None:
    a, b = systems
    there = outscore.compare(a, b, tests=test, metric=metric, alternative="greater").comparisons[0]
    back = outscore.compare(b, a, tests=test, metric=metric, alternative="less").comparisons[0]
    assert close(there.gain, -back.gain)
    if there.test.exact and back.test.exact:
        assert close(there.test.p_value, back.test.p_value)


@pytest.mark.parametrize("test", PAIRED)
@settings(max_examples=examples(15))
@given(scores=any_scores, seed=st.integers(0, 100))
def test_the_order_of_items_changes_nothing_exact(test: str, scores: Any, seed: int) -> None:
    if not applies(test, scores):
        return
    order = np.random.default_rng(seed).permutation(scores.shape[1])
    one, other = run(*scores, test=test), run(*scores[:, order], test=test)
    if one.exact and other.exact:
        assert close(one.p_value, other.p_value)


@pytest.mark.parametrize("test", ["bootstrap", "bootstrap-uncentred", "randomization", "paired-t", "sign", "wilcoxon"])
@settings(max_examples=examples(15))
@given(
    scores=any_scores, factor=st.sampled_from([0.001, 0.1, 3.0, 64.0, 1e6]), shift=st.sampled_from([0.0, -7.0, 100.0])
)
def test_scaling_and_shifting_scores_change_no_p(test: str, scores: Any, factor: float, shift: float) -> None:
    one, other = run(*scores, test=test), run(*(scores * factor + shift), test=test)
    # A difference that rounding the shifted scores could make or hide is no difference to compare.
    differences = np.abs(scores[1] - scores[0])
    if one.exact and other.exact and not ((differences > 0) & (differences * factor < 1e-9 * abs(shift))).any():
        assert one.p_value == pytest.approx(other.p_value, rel=1e-5, abs=1e-9)


@settings(max_examples=examples(30))
@given(scores=any_scores, added=st.integers(1, 4), value=whole, method=st.sampled_from(["auto", "monte-carlo"]))
def test_items_on_which_both_agree_keep_randomizations_p(scores: Any, added: int, value: float, method: str) -> None:
    more = np.concatenate([scores, np.full((2, added), value)], axis=1)
    options: dict[str, Any] = {"test": "randomization", "method": method, "n_resamples": 300}
    one, other = run(*scores, **options), run(*more, **options)
    if method == "auto":
        assert close(one.p_value, other.p_value)
    else:  # the order of items, in which swaps are drawn, may be another
        assert abs(one.p_value - other.p_value) < 6 * (0.25 * 2 / 300) ** 0.5


@settings(max_examples=examples(20))
@given(systems=counts(), metric=st.sampled_from(["f1", "precision", "recall"]))
def test_counts_on_which_both_agree_change_f1_but_not_who_is_swapped(systems: Any, metric: str) -> None:
    a, b = systems
    clusters = np.arange(len(a))
    assert run(a, b, test="randomization", metric=metric) == run(
        a, b, test="randomization", metric=metric, clusters=clusters
    ) or close(
        run(a, b, test="randomization", metric=metric).p_value,
        run(a, b, test="randomization", metric=metric, clusters=clusters).p_value,
    )


@settings(max_examples=examples(20))
@given(systems=counts(), data=st.data())
def test_rows_add(systems: Any, data: st.DataObject) -> None:
    """Clusters are their rows summed: the same as items that were summed before."""
    a, b = systems
    labels = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(a), max_size=len(a))))
    labels[:2] = [0, 1]
    codes = list(dict.fromkeys(labels.tolist()))
    summed = [np.array([system[labels == code].sum(axis=0) for code in codes]) for system in (a, b)]
    for metric in ("f1", "precision", "recall"):
        for test in ("bootstrap", "randomization"):
            whole_items = run(a, b, test=test, metric=metric, clusters=labels)
            assert close(whole_items.p_value, run(*summed, test=test, metric=metric).p_value)


@pytest.mark.parametrize("test", PAIRED)
@settings(max_examples=examples(10))
@given(scores=st.one_of(pairs_of(whole), pairs_of(right), pairs_of(real, most=12)))
def test_identical_systems_give_p_1(test: str, scores: Any) -> None:
    if not applies(test, scores):
        return
    for alternative in MIRRORED:
        assert run(scores[0], scores[0], test=test, alternative=alternative).p_value == 1.0


@pytest.mark.parametrize("test", ["bootstrap", "bootstrap-uncentred", "randomization"])
@settings(max_examples=examples(20))
@given(scores=any_scores)
def test_p_values_are_in_order(test: str, scores: Any) -> None:
    counted = {alternative: run(*scores, test=test, alternative=alternative) for alternative in MIRRORED}
    strict = {alternative: run(*scores, test=test, alternative=alternative, ties="strict") for alternative in MIRRORED}
    for found in (*counted.values(), *strict.values()):
        assert 0 < found.p_value <= 1
        assert found.p_value_low <= found.p_value * (1 + 1e-12)
        assert found.p_value <= found.p_value_high * (1 + 1e-12) + 1e-12
    for alternative, found in strict.items():
        assert found.p_value <= counted[alternative].p_value * (1 + 1e-9) + 1e-12
    assert counted["two-sided"].p_value >= min(counted["greater"].p_value, counted["less"].p_value) * (1 - 1e-9) - 1e-12


@settings(max_examples=examples(20))
@given(scores=any_scores, level=st.sampled_from([0.5, 0.9, 0.99]))
def test_intervals_nest_and_basic_mirrors_percentile(scores: Any, level: float) -> None:
    def interval(method: str, confidence_level: float) -> tuple[float, float]:
        found = outscore.compare(*scores, interval=method, confidence_level=confidence_level).comparisons[0]
        return found.interval.low - found.gain, found.interval.high - found.gain

    low, high = interval("percentile", level)
    wider_low, wider_high = interval("percentile", 0.999)
    tolerance = 1e-7 * (wider_high - wider_low) + 1e-12
    assert wider_low <= low + tolerance
    assert high <= wider_high + tolerance
    mirrored = interval("basic", level)
    assert mirrored == pytest.approx((-high, -low), abs=tolerance)


@settings(max_examples=examples(25))
@given(scores=any_scores)
def test_swapping_the_systems_mirrors_the_interval(scores: Any) -> None:
    a, b = scores
    there, back = (outscore.compare(*pair).comparisons[0].interval for pair in ((a, b), (b, a)))
    if there.exact and back.exact:
        slack = 1e-4 * (there.high - there.low) + 1e-9
        assert (there.low, there.high) == pytest.approx((-back.high, -back.low), abs=slack)


@st.composite
def ratios(draw: st.DrawFn) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Draw rows (numerator, denominator) of two systems whose denominators are the same, or all but one of them."""
    n = draw(st.integers(2, 7))
    denominators = draw(st.lists(st.integers(1, 9), min_size=n, max_size=n))
    systems = [
        np.array([(draw(st.integers(-4, 9)), below) for below in denominators], dtype=np.float64) for _ in range(2)
    ]
    systems[1][0, 1] += draw(st.sampled_from([0, 0, 1]))
    return systems[0], systems[1]


@pytest.mark.parametrize("test", ["bootstrap", "bootstrap-uncentred", "randomization"])
@settings(max_examples=examples(25))
@given(systems=ratios(), factor=st.sampled_from([0.1, 3.0, 1000.0]), seed=st.integers(0, 100))
@example(  # whose gains of two swaps equal each other but for the rounding of scores in the hundreds
    systems=(np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([[0.0, 2.0], [-1.0, 1.0]])), factor=1000.0, seed=0
)
def test_ratios_do_not_see_the_unit_nor_the_order_nor_who_comes_first(
    test: str, systems: Any, factor: float, seed: int
) -> None:
    a, b = systems
    options: dict[str, Any] = {"test": test, "metric": "ratio", "alternative": "greater"}
    plain = run(a, b, **options)
    if not plain.exact:
        return
    order = np.random.default_rng(seed).permutation(len(a))
    for scale in ([factor, 1], [1, factor], [factor, factor]):
        scaled = run(a[order] * scale, b[order] * scale, **options)
        assert close(scaled.p_value, plain.p_value)
    assert close(run(b, a, **{**options, "alternative": "less"}).p_value, plain.p_value)
    assert close(run(a, b, **options, clusters=range(len(a))).p_value, plain.p_value)
