"""The score test against Tango's closed form, against maximum likelihood by another way, and against itself."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize
from scipy.stats import norm

from outscore import F1, Accuracy, Mean, Ratio, compare
from outscore.errors import NotApplicableError, OptionError
from outscore.results import Alternative, ComparisonResult, Verdict
from outscore.significance import Resampling, ScoreTest
from tests.calibration.nulls import f1_losses, right_or_wrong
from tests.significance.kit import GainLaws, Hypothesis, Pair, reweighted_variance, score_interval


def tango(helped: int, hurt: int, n: int, null_gain: float) -> float:
    """Return Tango's (1998) z: the larger root of the likelihood's quadratic is the share hurt under the null."""
    both, a = n - helped - hurt, null_gain
    # Σ of the derivatives of helped·ln(q + a) + hurt·ln q + both·ln(1 − 2q − a), times its denominators.
    square = -2.0 * n
    line = (helped + hurt) * (1 - a) - 2 * a * (hurt + both)
    constant = hurt * a * (1 - a)
    q = (-line - math.sqrt(line * line - 4 * square * constant)) / (2 * square)
    return (helped - hurt - n * a) / math.sqrt(n * (2 * q + a - a * a))


def pair(helped: int, hurt: int, n: int) -> Pair:
    return Pair(Accuracy(), *right_or_wrong(helped, hurt, n))


def asked(of: Pair, null_gain: float, alternative: Alternative = Alternative.GREATER) -> tuple[float, float]:
    """Return p and z."""
    laws = GainLaws([of], Resampling())
    p = ScoreTest().p_value(of, laws, Hypothesis(alternative, null_gain))
    assert p.statistic is not None
    return p.probability, p.statistic


@pytest.mark.parametrize("n", [1, 2, 5, 30, 100, 1000])
@pytest.mark.parametrize("null_gain", [-0.9, -0.5, -0.1, -0.01, 0.01, 0.3])
def test_of_right_and_wrong_answers_it_is_tangos(n: int, null_gain: float) -> None:
    for helped in sorted({0, 1, 2, n // 3, n}):
        for hurt in sorted({0, 1, n // 4, n - helped}):
            if not 0 <= hurt <= n - helped:
                continue
            p, z = asked(pair(helped, hurt, n), null_gain)
            expected = tango(helped, hurt, n, null_gain)
            assert z == pytest.approx(expected, rel=2e-12, abs=1e-12)
            assert p == pytest.approx(norm.sf(expected), rel=1e-9)
            less, _ = asked(pair(helped, hurt, n), null_gain, Alternative.LESS)
            assert p + less == pytest.approx(1)


def test_without_a_margin_it_is_mcnemars_without_correction() -> None:
    assert asked(pair(15, 5, 400), 0.0)[1] == pytest.approx(10 / math.sqrt(20), rel=1e-12)


def test_the_interval_of_systems_that_do_not_differ() -> None:
    low, high = score_interval(pair(0, 0, 100), 0.95)
    # Nothing differs: z² = nδ/(1 − δ) at the ends, so that δ = z²/(n + z²).
    critical = norm.isf(0.025) ** 2
    assert (low, high) == pytest.approx((-critical / (100 + critical), critical / (100 + critical)), rel=1e-9)


def test_weights_are_those_of_maximum_likelihood() -> None:
    values, extreme = np.array([-0.3, 0.1, 0.2, 0.2, 0.6, 0.9]), -1.0
    counts = np.ones(len(values))

    def unlikely(weights: np.ndarray[Any, Any]) -> float:
        return -float(np.log(weights[:-1]).sum())

    points = np.append(values, extreme)
    found = minimize(
        unlikely,
        np.full(len(points), 1 / len(points)),
        bounds=[(1e-9, 1)] * len(values) + [(0, 1)],
        constraints=LinearConstraint(np.array([np.ones(len(points)), points]), [1, 0], [1, 0]),
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert found.x[-1] > 0.01  # the support point is needed
    assert reweighted_variance(values, counts, extreme) == pytest.approx(float(found.x @ points**2), rel=1e-5)


@pytest.mark.parametrize("worst", [-0.3, -0.5, -1.0, -10.0])
def test_equal_values_count_as_often_as_they_are(worst: float) -> None:
    values = np.array([-0.3, -0.3, 0.1, 0.1, 0.1, 0.8])
    few, counts = np.unique(values, return_counts=True)
    each = reweighted_variance(values, np.ones(len(values)), worst)
    assert reweighted_variance(few, counts.astype(float), worst) == pytest.approx(each, rel=1e-12)


def test_the_worse_the_worst_the_larger_the_variance() -> None:
    values, counts = np.array([-0.1, 0.0, 0.3]), np.array([3.0, 90.0, 7.0])
    variances = [reweighted_variance(values + 0.05, counts, worst) for worst in (-0.05, -0.2, -0.5, -1.0, -5.0)]
    assert variances == sorted(variances)
    assert variances[-1] > 2 * variances[0]


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(1, 6)), min_size=2, max_size=25),
    st.floats(-0.95, 0.95),
    st.sampled_from([0.8, 0.9, 0.95, 0.99]),
    st.sampled_from(list(Alternative)),
)
def test_the_interval_holds_what_is_not_rejected(
    items: list[tuple[int, int]], null_gain: float, level: float, alternative: Alternative
) -> None:
    lengths = np.array([float(length) for _, length in items])
    d = np.array([change * length / 4 for change, length in items])
    of = Pair(Ratio(lowest=0, highest=1), np.column_stack([lengths - np.maximum(d, 0), lengths]),
              np.column_stack([lengths + np.minimum(d, 0), lengths]))  # fmt: skip
    low, high = score_interval(of, level, alternative)
    assert low <= of.gain + 1e-9
    assert high >= of.gain - 1e-9
    p, _ = asked(of, null_gain, alternative)
    if min(abs(null_gain - low), abs(null_gain - high)) > 1e-6:
        assert (low < null_gain < high) == (p > 1 - level)


def test_the_interval_is_that_of_the_claim() -> None:
    baseline, candidate = [1] * 150 + [0] * 50, [0] * 3 + [1] * 150 + [0] * 47
    for margin in (0.01, 0.02, 0.03, 0.05, 0.1):
        found = compare(baseline, candidate, claim="not-worse", margin=margin).comparisons[0]
        assert found.interval.method == "score"
        assert (found.interval.low > -margin) == (found.verdict is Verdict.NOT_WORSE)
        assert found.interval.high == math.inf
        found = compare(baseline, candidate, claim="equivalent", margin=margin).comparisons[0]
        inside = -margin < found.interval.low < found.interval.high < margin
        assert inside == (found.verdict is Verdict.EQUIVALENT)
        assert found.interval.confidence_level == pytest.approx(0.9)


def test_swapping_the_systems_turns_the_interval() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.random((2, 50))
    ones = np.ones(50)
    rows = np.column_stack([one, ones]), np.column_stack([other, ones])
    low, high = score_interval(Pair(Mean(), *rows), 0.95)
    assert score_interval(Pair(Mean(), *rows[::-1]), 0.95) == pytest.approx((-high, -low), rel=1e-9)


def test_many_normal_differences_are_those_of_the_normal_interval() -> None:
    rng = np.random.default_rng(2)
    n = 20_000
    baseline = rng.normal(size=n)
    candidate = baseline + rng.normal(0.01, 1, size=n)
    ones = np.ones(n)
    of = Pair(Mean(), np.column_stack([baseline, ones]), np.column_stack([candidate, ones]))
    d = candidate - baseline
    half = norm.isf(0.025) * d.std() / math.sqrt(n)
    assert score_interval(of, 0.95) == pytest.approx((d.mean() - half, d.mean() + half), abs=0.02 * half)


# What resampling says of losses that it has not seen.


def verdicts(result: ComparisonResult) -> list[Verdict]:
    return [comparison.verdict for comparison in result.comparisons]


def test_identical_systems_are_not_equivalent_on_a_hundred_items() -> None:
    """With a loss of 1% none is seen in 0.99^100 = 37% of such test sets."""
    right = [1, 0] * 50
    found = compare(right, right, claim="equivalent", margin=0.01)
    assert verdicts(found) == [Verdict.INCONCLUSIVE]
    # All weight is on 0 and -1: V = m(1 - m).
    assert found.comparisons[0].tests[0].p_value == pytest.approx(norm.sf(0.01 / math.sqrt(0.01 * 0.99 / 100)))
    assert verdicts(compare(right, right, claim="equivalent", margin=0.05)) == [Verdict.EQUIVALENT]


@pytest.mark.parametrize("right", [[1] * 200, [0] * 200])
@pytest.mark.parametrize("metric", ["accuracy", "mean:lowest=0,highest=1"])
def test_systems_that_are_all_right_or_all_wrong_still_have_the_range_of_the_metric(
    right: list[int], metric: str
) -> None:
    assert verdicts(compare(right, right, metric=metric, claim="not-worse", margin=0.01)) == [Verdict.INCONCLUSIVE]
    assert verdicts(compare(right, right, metric=metric, claim="not-worse", margin=0.05)) == [Verdict.NOT_WORSE]


@pytest.mark.parametrize("same", [0, 1, 5])
def test_scores_that_are_all_the_same_do_not_show_their_range(same: int) -> None:
    with pytest.raises(NotApplicableError, match="needs the range of the scores, because all scores are the same"):
        compare([same] * 200, [same] * 200, claim="not-worse", margin=0.05)


def test_a_range_that_the_user_states_is_wider_than_the_scores_seen() -> None:
    right = [1, 0] * 100
    by_metric = {
        metric: compare(right, right, metric=metric, claim="not-worse", margin=0.05).comparisons[0].test.p_value
        for metric in ("mean", "accuracy", "mean:lowest=0,highest=5")
    }
    assert by_metric["mean"] == by_metric["accuracy"] < by_metric["mean:lowest=0,highest=5"]


@pytest.mark.parametrize("claim", ["not-worse", "equivalent"])
def test_a_margin_in_per_cent_is_clear_for_scores_of_0_and_1(claim: str) -> None:
    baseline, candidate = [1, 0] * 100, [1, 0] * 99 + [0, 0]
    found = compare(baseline, candidate, claim=claim, margin="5%")
    assert found == compare(baseline, candidate, claim=claim, margin=0.05)


@pytest.mark.parametrize(
    ("scores", "metric"), [([0, 1, 2] * 20, "mean"), ([0, 0.5, 1] * 20, "mean"), ([0, 1] * 20, "mean:highest=5")]
)
def test_a_margin_in_per_cent_of_other_scores_is_refused(scores: list[float], metric: str) -> None:
    with pytest.raises(OptionError, match="is not a proportion"):
        compare(scores, scores, metric=metric, claim="not-worse", margin="1%")


def test_one_loss_among_two_hundred_items_is_no_proof() -> None:
    baseline, candidate = [1] * 200, [0] + [1] * 199
    found = compare(baseline, candidate, metric="accuracy", claim="not-worse", margin=0.02).comparisons[0]
    assert found.test.name == "score"
    assert found.test.p_value == pytest.approx(norm.sf(tango(0, 1, 200, -0.02)))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert not any("observed range" in warning for warning in found.warnings)


@pytest.mark.parametrize("name", ["bootstrap", "randomization", "paired-t"])
def test_other_tests_with_a_margin_say_what_was_measured(name: str) -> None:
    found = compare([1, 0] * 50, [1, 0] * 50, tests=name, claim="not-worse", margin=0.01).comparisons[0]
    [told] = [warning for warning in found.warnings if "36.6%" in warning]
    assert name in told
    assert not any("allows for it" in warning or "randomization does not" in warning for warning in found.warnings)


def test_a_candidate_that_is_worse_than_the_margin_has_a_large_p() -> None:
    found = compare([1] * 50 + [0] * 50, [1] * 40 + [0] * 60, claim="not-worse", margin=0.05)
    p = found.comparisons[0].test.p_value
    assert 0.5 < p < 1
    assert p == pytest.approx(norm.sf(tango(0, 10, 100, -0.05)))


# Ranges.


def graded() -> tuple[list[float], list[float]]:
    rng = np.random.default_rng(3)
    baseline = rng.random(300).round(2)
    return baseline.tolist(), np.clip(baseline + rng.normal(0, 0.05, 300).round(2), 0, 1).tolist()


def test_without_a_range_losses_are_not_bounded_and_the_result_says_so() -> None:
    baseline, candidate = graded()
    free = compare(baseline, candidate, tests="score", claim="not-worse", margin=0.01).comparisons[0]
    [told] = [warning for warning in free.warnings if "observed range" in warning]
    assert "mean:lowest=0,highest=1" in told
    ranged = compare(baseline, candidate, metric="mean:lowest=0,highest=1", claim="not-worse", margin=0.01)
    assert not any("observed range" in warning for warning in ranged.comparisons[0].warnings)
    wide = compare(baseline, candidate, metric="mean:lowest=0,highest=5", claim="not-worse", margin=0.01)
    p = [result.test.p_value for result in (free, ranged.comparisons[0], wide.comparisons[0])]
    assert p == sorted(p)
    assert p[2] > p[0]


def test_constant_scores_without_a_range_tell_nothing() -> None:
    with pytest.raises(NotApplicableError, match="lowest=0,highest=1"):
        compare([3.5] * 40, [3.5] * 40, claim="equivalent", margin=0.1)
    found = compare([3.5] * 40, [3.5] * 40, metric="mean:lowest=1,highest=5", claim="equivalent", margin=0.1)
    assert verdicts(found) == [Verdict.INCONCLUSIVE]


@pytest.mark.parametrize("margin", [4.0, 5.0, 1e300])
def test_a_margin_as_wide_as_the_range_is_refused(margin: float) -> None:
    with pytest.raises(OptionError, match=r"bad-margin|at most 1e\+100"):
        compare([1, 2, 3], [3, 2, 5], metric="mean:lowest=1,highest=5", claim="not-worse", margin=margin)


def test_a_margin_beyond_all_scores_is_refused() -> None:
    with pytest.raises(NotApplicableError, match="margin below"):
        compare([1.5, 2, 3] * 20, [3, 2, 5] * 20, tests="score", claim="not-worse", margin=1e90)


@pytest.mark.parametrize("n", [2, 3, 10])
@pytest.mark.parametrize(("baseline", "candidate"), [(1, 0), (0, 1), (1, 1), (0, 0)])
def test_few_and_equal_items_give_a_p_value(n: int, baseline: int, candidate: int) -> None:
    for claim in ("not-worse", "equivalent"):
        found = compare([baseline] * n, [candidate] * n, metric="accuracy", claim=claim, margin=0.3).comparisons[0]
        assert 0 < found.test.p_value < 1
        assert any("30 units" in warning for warning in found.warnings)
        if candidate < baseline:
            assert found.verdict is Verdict.INCONCLUSIVE


# Gains that are no means.


def test_f1_is_linearised() -> None:
    population = f1_losses(0.1, 0.1, easy=False)
    baseline, candidate = (rows[0] for rows in population.draw(np.random.default_rng(4), 1, 2000))
    of = Pair(F1(), baseline, candidate)
    assert of.linear is None
    assert ScoreTest().obstacle(of, Hypothesis(Alternative.GREATER, -0.05)) is None
    for scores, score in zip(of.pseudo_scores, (of.baseline_score, of.candidate_score), strict=True):
        assert scores.mean() == pytest.approx(score, rel=1e-12)
    d = of.pseudo_scores[1] - of.pseudo_scores[0]
    low, high = score_interval(of, 0.95)
    half = norm.isf(0.025) * d.std() / math.sqrt(2000)
    assert (low, high) == pytest.approx((of.gain - half, of.gain + half), abs=0.1 * half)


@pytest.mark.parametrize("n", [99, 100])
def test_too_few_units_of_a_gain_that_is_no_ratio_are_refused(n: int) -> None:
    gold = (["a", "b"] * n)[:n]
    outputs = ["a", *gold[1:50], *["b"] * (n - 50)]
    asked: dict[str, Any] = {"references": gold, "metric": "macro-f1", "claim": "not-worse", "margin": 0.3}
    if n == 99:
        with pytest.raises(NotApplicableError, match="100 units or more"):
            compare(gold, outputs, tests="score", **asked)
        assert compare(gold, outputs, **asked).comparisons[0].test.name == "skew-t"
    else:
        assert compare(gold, outputs, **asked).comparisons[0].test.name == "score"


def test_a_unit_that_makes_the_score_is_refused() -> None:
    gold = ["a"] * 199 + ["b"]
    wrong = ["a"] * 198 + ["b", "b"]
    with pytest.raises(NotApplicableError, match="one unit moves"):
        compare(gold, wrong, references=gold, metric="macro-f1", tests="score", claim="not-worse", margin=0.1)


def test_recomputed_metrics_have_influence_values_too() -> None:
    rng = np.random.default_rng(5)
    gold = rng.normal(size=150)
    one, other = gold + rng.normal(0, 0.5, (2, 150))
    found = compare(one.tolist(), other.tolist(), references=gold.tolist(), metric="spearman", claim="not-worse",
                    margin=0.1, n_resamples=100)  # fmt: skip
    assert found.comparisons[0].test.name == "score"
    assert 0 < found.comparisons[0].test.p_value < 1
