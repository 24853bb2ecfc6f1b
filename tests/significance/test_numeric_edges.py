"""Numbers at the edges: huge and tiny scores, whole numbers beyond 2⁵³, no counts at all, wrong arguments."""

from __future__ import annotations

import math
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from outscore import OptionError, OutscoreError, compare, rank
from outscore._types import FloatArray
from outscore.metrics import Mean
from tests.significance.kit import Pair


def _pair(baseline: FloatArray, candidate: FloatArray) -> Pair:
    ones = np.ones(len(baseline))
    return Pair(Mean(), np.column_stack([baseline, ones]), np.column_stack([candidate, ones]))


def _differences(baseline: list[float], candidate: list[float]) -> list[float]:
    linear = _pair(np.array(baseline), np.array(candidate)).linear
    assert linear is not None
    return [float(d) for d in linear.d]


def test_a_huge_item_leaves_all_others_as_they_are() -> None:
    rng = np.random.default_rng(0)
    n = 20_000
    baseline = rng.lognormal(1, 0.3, n)
    candidate = baseline + rng.normal(0.02, 0.2, n)
    baseline[0] = candidate[0] = 1e12
    comparison = compare(baseline, candidate, alternative="greater").comparisons[0]
    without = compare(baseline[1:], candidate[1:], alternative="greater").comparisons[0]
    assert comparison.gain == pytest.approx(float((candidate - baseline)[1:].sum()) / n, rel=1e-9)
    assert comparison.gain == pytest.approx(0.01996481, rel=1e-6)
    assert str(comparison.verdict) == "better"
    assert comparison.test.p_value == pytest.approx(without.test.p_value, rel=0.1)


@pytest.mark.parametrize("size", [1e12, 1e15, 2e15, 1e16])
def test_a_huge_item_leaves_a_ranking_as_it_is(size: float) -> None:
    rng = np.random.default_rng(1)
    n = 2000
    baseline = rng.lognormal(1, 0.3, n)
    candidate = baseline + rng.normal(0.012, 0.2, n)
    other = baseline + rng.normal(0, 0.2, n)
    found = []
    for first in (baseline[0], size):
        systems = {"a": baseline, "b": candidate, "c": other}
        for scores in systems.values():
            scores[0] = first
        found.append(rank(systems, alternative="two-sided", n_resamples=100_000))
    usual, huge = found
    assert [system.name for system in usual.systems] == [system.name for system in huge.systems]
    for one, another in zip(usual.pairs, huge.pairs, strict=True):
        assert another.gain == pytest.approx(one.gain, abs=2e-5)  # the first item's own difference is gone
        assert another.p_value == pytest.approx(one.p_value, rel=0.02)
        assert another.p_maxt == pytest.approx(one.p_maxt, rel=0.1)


def test_noise_is_not_chained() -> None:
    """Differences one noise apart, a thousand of them, once became one value."""
    scores = np.full(1000, 1 / 3)
    candidate = scores + 0.1 + np.arange(1000) * 5e-16
    linear = _pair(scores, candidate).linear
    assert linear is not None
    np.testing.assert_allclose(linear.d, candidate - scores, rtol=0, atol=2e-15)
    assert np.ptp(linear.d) == pytest.approx(999 * 5e-16, rel=0.01)


@given(
    st.lists(st.tuples(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6)), min_size=1, max_size=30),
    st.integers(0, 9),
    st.sampled_from([None, 1e12, 1e16 / 3, 1e99]),
)
def test_differences_of_decimals_are_decimals(pairs: list[tuple[int, int]], places: int, huge: float | None) -> None:
    scale = 10.0**places
    further = [] if huge is None else [(huge, huge)]
    found = _differences(
        [*(one / scale for one, _ in pairs), *(one for one, _ in further)],
        [*(other / scale for _, other in pairs), *(other for _, other in further)],
    )
    assert found == [*((other - one) / scale for one, other in pairs), *(0.0 for _ in further)]


@given(
    st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=1, max_size=40),
    st.lists(st.tuples(st.floats(-1e99, 1e99), st.floats(-1e99, 1e99)), max_size=2),
)
def test_no_difference_is_moved_by_more_than_its_own_noise(
    pairs: list[tuple[float, float]], huge: list[tuple[float, float]]
) -> None:
    everything = [*pairs, *huge]
    found = _differences([one for one, _ in everything], [other for _, other in everything])
    for d, (one, other) in zip(found, everything, strict=True):
        assert abs(d - (other - one)) <= 2.0**-49 * max(abs(one), abs(other))
    turned = _differences([other for _, other in everything], [one for one, _ in everything])
    assert turned == [-d for d in found]


def test_equal_thirds_stay_equal() -> None:
    assert len(set(_differences([1 / 3, 0.0, 2 / 3, 1 / 6], [2 / 3, 1 / 3, 1.0, 0.5]))) == 1


def test_an_item_whose_rounding_shows_is_named() -> None:
    ones = [1.0] * 50
    candidate = [1.5] * 30 + [0.2] * 20
    warned = compare([1e15, *ones], [1.0, *candidate]).comparisons[0].warnings
    assert any("item 1 " in warning and "rounding" in warning for warning in warned)
    frame = {"id": [f"q{i}" for i in range(51)], "score": [*ones, 1e15]}
    other = {"id": frame["id"], "score": [*candidate, 1e15 + 0.5]}
    polars = pytest.importorskip("polars")
    warned = compare(polars.DataFrame(frame), polars.DataFrame(other)).comparisons[0].warnings
    assert any('item "q50"' in warning for warning in warned)
    ranking = rank({"a": [1e15, *ones], "b": [1.0, *candidate], "c": [1.0, *candidate[::-1]]}, n_resamples=200)
    assert any("item 1 " in warning for warning in ranking.warnings)


def test_gains_next_to_huge_scores_are_no_zeros() -> None:
    comparison = compare([1e16] * 30, [1e16 + 2, 1e16 + 4, 1e16] * 10, alternative="greater").comparisons[0]
    assert comparison.gain == 2
    assert comparison.test.p_value_low < 1e-6 < comparison.test.p_value_high  # differences may be rounding
    assert comparison.verdict == "inconclusive"
    assert any("lost to rounding" in warning for warning in comparison.warnings)


@pytest.mark.parametrize("margin", [1e300, 1e-300, 5e-324, math.inf])
@pytest.mark.parametrize("claim", ["not-worse", "equivalent"])
def test_margins_out_of_all_scale_are_refused(margin: float, claim: str) -> None:
    with pytest.raises(OptionError, match=r"margin.*\[(bad-margin|out-of-range)\]"):
        compare([1.0, 2, 3, 4, 5], [2.0, 2, 4, 4, 7], claim=claim, margin=margin, tests="all")


def test_what_is_no_executor_is_refused() -> None:
    nothing: Any = object()
    expected = r"executor: expected a concurrent.futures.Executor.*\[wrong-type\]"
    with pytest.raises(OptionError, match=expected):
        compare([1.0, 2, 3], [2.0, 2, 4], executor=nothing)
    with pytest.raises(OptionError, match=expected):
        rank({"a": [1.0, 2, 3], "b": [2.0, 2, 4]}, executor=nothing)
    with ThreadPoolExecutor(1) as executor:
        compare([1.0, 2, 3], [2.0, 2, 4], method="monte-carlo", n_resamples=100, executor=executor)


@pytest.mark.parametrize("metric", ["macro-span-f1", "macro-span-precision", "macro-span-recall", "span-f1"])
@pytest.mark.parametrize("options", [{}, {"method": "monte-carlo"}, {"tests": "all"}, {"interval": "bca"}])
@pytest.mark.parametrize("n", [1, 25])
def test_data_without_any_span_show_no_gain(metric: str, options: dict[str, Any], n: int) -> None:
    sentences = [["O", "O"], ["O"]] * n
    comparison = compare(
        sentences, sentences, references=sentences, metric=metric, n_resamples=200, **options
    ).comparisons[0]
    assert comparison.gain == 0
    assert comparison.test.p_value == 1


odd = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.1, 1 / 3, 1e16, 1e16 + 2, 1e99, -1e99, 1e-99, 5e-324, 1e308, 2.0**53]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1e3, 1e3),
    st.integers(-3, 3).map(float),
)


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(odd, odd), min_size=2, max_size=25),
    st.sampled_from(["auto", "monte-carlo"]),
    st.sampled_from([None, 1e300, 1e99, 0.1, 1e-99]),
    st.booleans(),
)
@example([(1e308, -1e308), (1.0, 2.0)], "auto", None, True)
@example([(5e-324, 0.0), (0.0, 5e-324), (0.0, 1e-310)], "auto", None, True)
@example([(5e-324, 0.0), (1.0, 2.0), (0.0, 1.0)], "monte-carlo", None, True)
@example([(-0.0, 0.0)] * 5, "auto", 0.1, True)
@example([(0.0, 0.0), (0.0, 1e99)], "auto", None, True)
@example([(0.0, 0.0), (0.0, 1e-99)], "auto", 1e99, True)
def test_odd_numbers_give_results_or_one_line(
    pairs: list[tuple[float, float]], method: str, margin: float | None, every: bool
) -> None:
    options: dict[str, Any] = {} if margin is None else {"claim": "not-worse", "margin": margin}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            result = compare(
                [one for one, _ in pairs],
                [other for _, other in pairs],
                method=method,
                n_resamples=50,
                tests="all" if every else None,
                **options,
            )
        except OutscoreError as error:
            refused = str(error)
        else:
            refused = ""
    if refused:
        assert all(line.strip().endswith("]") for line in refused.splitlines())
        return
    comparison = result.comparisons[0]
    numbers = [comparison.gain, comparison.baseline_score, comparison.candidate_score]
    numbers += [comparison.interval.low, comparison.interval.high, *(test.p_value for test in comparison.tests)]
    assert not any(math.isnan(number) for number in numbers)
    assert all(0 < test.p_value <= 1 for test in comparison.tests if test.emulates is None)


@pytest.mark.parametrize("units", [{"strata": [0, 0, 1, 1, 2, 2]}, {"clusters": [0, 0, 0, 1, 1, 2]}], ids=str)
@pytest.mark.parametrize("claim", [{}, {"claim": "not-worse", "margin": 1e99}], ids=str)
@pytest.mark.parametrize("size", [1e99, 1e-99])
def test_degrees_of_freedom_do_not_depend_on_the_size_of_scores(
    units: dict[str, Any], claim: dict[str, Any], size: float
) -> None:
    """Their formulas have fourth powers of scores."""
    one, other = [3.0, 1, 4, 1, 5, 9], [2.0, 7, 1, 8, 2, 8]
    asked: dict[str, Any] = {"tests": ["paired-t", "cr2-t", "skew-t"][1 if "clusters" in units else 0 :], **units}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        [plain] = compare(one, other, **asked, **({**claim, "margin": 1.0} if claim else {})).comparisons
        of_size = {**claim, "margin": size} if claim else {}
        [scaled] = compare([size * x for x in one], [size * x for x in other], **asked, **of_size).comparisons
    for found, expected in zip(scaled.tests, plain.tests, strict=True):
        assert found.p_value == pytest.approx(expected.p_value, rel=1e-6), found.name
