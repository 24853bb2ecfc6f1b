"""The papers' numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from math import comb
from pathlib import Path

import pytest

import outscore
from tests.test_documentation import load

ROOT = Path(__file__).resolve().parent.parent
REPRODUCTIONS = load(ROOT / "docs" / "reproductions.py")
THRESHOLDS = load(ROOT / "docs" / "thresholds.py")
p_of = REPRODUCTIONS.p_of
helped_and_hurt = REPRODUCTIONS.helped_and_hurt

SHUFFLES = 2**20


@pytest.mark.parametrize(
    ("items", "helped", "hurt", "options", "expected"),
    [
        (10, 4, 3, {"test": "bootstrap-uncentred"}, 0.421732332),
        (10, 4, 3, {}, 0.429402952),
        (10, 4, 3, {"ties": "strict"}, 0.288713728),
        (500, 10, 7, {"test": "bootstrap-uncentred"}, 0.27173562562814),
        (100, 2, 0, {"test": "bootstrap-uncentred"}, 0.132619555894753),
    ],
)
def test_jansens_p_values(items: int, helped: int, hurt: int, options: dict[str, str], expected: float) -> None:
    test = p_of(*helped_and_hurt(items, helped, hurt), **options)
    assert test.exact
    assert test.p_value == pytest.approx(expected, rel=1e-12)
    assert test.p_value_low <= expected <= test.p_value_high or abs(test.p_value - expected) < 1e-14


def test_jansens_two_percent_of_100_items_is_not_significant() -> None:
    assert p_of(*helped_and_hurt(100, 7, 2), test="bootstrap-uncentred").p_value > 0.05


def test_jansens_sampled_figure_is_within_sampling_error() -> None:
    exact = p_of(*helped_and_hurt(10, 4, 3), test="bootstrap-uncentred").p_value
    assert abs(0.4316 - exact) < 3 * math.sqrt(exact * (1 - exact) / 10_000)


@pytest.mark.parametrize(
    ("metric", "one", "two"), [("recall", 0.456, 0.243), ("precision", 0.495, 0.641), ("f1", 0.475, 0.352)]
)
def test_yehs_scores(metric: str, one: float, two: float) -> None:
    method_one, method_two = REPRODUCTIONS.yeh_responses()
    comparison = outscore.compare(method_two, method_one, metric=metric).comparisons[0]
    assert comparison.candidate_score == pytest.approx(one, abs=5e-4)
    assert comparison.baseline_score == pytest.approx(two, abs=5e-4)


def test_yehs_correlation_and_chi_squared() -> None:
    found_one, found_two = REPRODUCTIONS.yeh_found()
    comparison = outscore.compare(found_two, found_one, metric="accuracy").comparisons[0]
    assert comparison.correlation == pytest.approx(0.345, abs=5e-4)
    method_one, method_two = REPRODUCTIONS.yeh_responses()
    chi = p_of(method_two, method_one, metric="precision", test="chi-squared", alternative="two-sided")
    assert chi.statistic == pytest.approx(2.380, abs=5e-4)
    assert chi.assumes_independence


def _counted_swaps(metric: str, *, one_over_two: bool) -> Fraction:
    """Return the share of swaps at least as good, from binomial coefficients: right and spurious ones that I has."""

    def score(right: int, spurious: int) -> Fraction:
        tp, predicted = 19 + right, 24 + right + spurious
        return {
            "recall": Fraction(tp, 103),
            "precision": Fraction(tp, predicted),
            "f1": Fraction(2 * tp, predicted + 103),
        }[metric]

    sign = 1 if one_over_two else -1
    observed = sign * (score(28, 43) - score(6, 9))
    count = sum(
        comb(34, right) * comb(52, spurious)
        for right in range(35)
        for spurious in range(53)
        if sign * (score(right, spurious) - score(34 - right, 52 - spurious)) >= observed
    )
    return Fraction(count, 2**86)


@pytest.mark.parametrize(
    ("metric", "one_over_two", "printed", "exact"),
    [("recall", True, 96, 102.302), ("f1", True, 14794, 15493.43), ("precision", False, 25770, 20965.53)],
)
def test_yehs_randomization_by_response(metric: str, one_over_two: bool, printed: int, exact: float) -> None:
    method_one, method_two = REPRODUCTIONS.yeh_responses()
    systems = (method_two, method_one) if one_over_two else (method_one, method_two)
    ours = p_of(*systems, metric=metric, test="randomization")
    assert ours.exact
    assert ours.p_value == pytest.approx(float(_counted_swaps(metric, one_over_two=one_over_two)), rel=1e-11)
    assert ours.p_value * SHUFFLES == pytest.approx(exact, rel=1e-6)

    # His counts for F and precision are further off than 2²⁰ shuffles can be (false-alarm rate 2e-8); ours are not
    # (this seed; 4 standard errors, 6e-5).
    error = math.sqrt(SHUFFLES * ours.p_value * (1 - ours.p_value))
    assert (abs(printed - exact) / error > 5.6) == (metric != "recall")
    sampled = p_of(*systems, metric=metric, test="randomization", method="monte-carlo", n_resamples=200_000)
    error = math.sqrt(200_000 * ours.p_value * (1 - ours.p_value))
    assert abs((sampled.n_exceeding or 0) - 200_000 * ours.p_value) < 4 * error


def test_yehs_two_sided_precision() -> None:
    method_one, method_two = REPRODUCTIONS.yeh_responses()
    test = p_of(method_one, method_two, metric="precision", test="randomization", alternative="two-sided")
    assert test.p_value == pytest.approx(0.0399886, abs=5e-8)


@pytest.mark.parametrize(("r12", "factor"), [(0.38, 1.27), (0.50, 1.41), (0.80, 2.24)])
def test_yehs_inflation_factors(r12: float, factor: float) -> None:
    from tests.kit import inflation

    assert inflation(r12) == pytest.approx(factor, abs=5e-3)


def test_the_page_of_reproductions_is_what_its_script_writes() -> None:
    assert (ROOT / "docs" / "reproductions.md").read_text(encoding="utf-8") == REPRODUCTIONS.page()


def test_the_page_of_thresholds_is_that_of_its_data_file() -> None:
    assert (ROOT / "docs" / "thresholds.md").read_text(encoding="utf-8") == THRESHOLDS.page(THRESHOLDS.figures())
