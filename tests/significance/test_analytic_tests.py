"""Tests with a textbook law, against SciPy, a formula written out, or all signs listed."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import erfc, sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

import outscore
from outscore._types import FloatArray
from tests import oracles

RNG = np.random.default_rng(99)
ALTERNATIVES = ("greater", "less", "two-sided")


def _paired(n: int, *, gain: float = 0.1) -> tuple[FloatArray, FloatArray]:
    shared = RNG.normal(size=n)
    return shared + RNG.normal(size=n), shared + RNG.normal(gain, 1, n)


def _binary(n: int, one: float = 0.6, other: float = 0.7) -> tuple[FloatArray, FloatArray]:
    return (RNG.random(n) < one).astype(float), (RNG.random(n) < other).astype(float)


REAL = {n: _paired(n) for n in (2, 3, 5, 10, 30, 200, 2000)} | {1000: _paired(1000, gain=1.0)}
BINARY = {n: _binary(n) for n in (2, 5, 12, 40, 500, 3000)}


def _test(name: str, systems: tuple[Any, Any], metric: Any = "mean", **options: Any) -> outscore.TestResult:
    result: outscore.ComparisonResult = outscore.compare(*systems, metric=metric, tests=name, **options)
    return result.comparisons[0].test


def _agrees(found: outscore.TestResult, p_value: float, *, relative: float = 1e-9) -> None:
    assert found.n_resamples is None
    assert found.p_value == pytest.approx(p_value, rel=relative, abs=0)
    assert found.p_value_low * (1 - 1e-12) <= p_value <= found.p_value_high * (1 + 1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", REAL)
def test_paired_t(n: int, alternative: Any) -> None:
    one, other = REAL[n]
    expected = stats.ttest_rel(other, one, alternative=alternative)
    found = _test("paired-t", (one, other), alternative=alternative)
    _agrees(found, expected.pvalue)
    assert found.statistic == pytest.approx(expected.statistic)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", REAL)
def test_two_sample_t(n: int, alternative: Any) -> None:
    one, other = REAL[n]
    expected = stats.ttest_ind(other, one, alternative=alternative)
    found = _test("two-sample-t", (one, other), alternative=alternative)
    _agrees(found, expected.pvalue)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.assumes_independence
    if n > 2:
        assert found.inflation == pytest.approx(1 / sqrt(1 - np.corrcoef(one, other)[0, 1]))


@pytest.mark.parametrize("test", ["paired-t", "two-sample-t"])
def test_margins_shift_t(test: str) -> None:
    one, other = REAL[30]
    d = other - one
    error = float(d.std(ddof=1)) if test == "paired-t" else sqrt(float(np.var(one, ddof=1) + np.var(other, ddof=1)))
    degrees = 29 if test == "paired-t" else 58
    above, below = (float(stats.t.sf((sign * float(d.mean()) + 0.5) / error * sqrt(30), degrees)) for sign in (1, -1))
    _agrees(_test(test, (one, other), claim="not-worse", margin=0.5), above)
    _agrees(_test(test, (one, other), claim="equivalent", margin=0.5), max(above, below))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", REAL)
def test_sign(n: int, alternative: Any) -> None:
    one, other = REAL[n]
    helped = int((other > one).sum())
    found = _test("sign", (one, other), alternative=alternative)
    _agrees(found, stats.binomtest(helped, n, alternative=alternative).pvalue)
    assert found.statistic == helped


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", BINARY)
def test_mcnemar_is_the_sign_test_of_binary_scores(n: int, alternative: Any) -> None:
    one, other = BINARY[n]
    helped, hurt = int((other > one).sum()), int((other < one).sum())
    expected = stats.binomtest(helped, helped + hurt, alternative=alternative).pvalue if helped + hurt else 1.0
    for test in ("mcnemar", "sign"):
        _agrees(_test(test, (one, other), "accuracy", alternative=alternative), expected)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [n for n in REAL if n <= 1000])
def test_wilcoxon_without_ties(n: int, alternative: Any) -> None:
    one, other = REAL[n]
    expected = stats.wilcoxon(other, one, alternative=alternative, method="exact")
    found = _test("wilcoxon", (one, other), alternative=alternative)
    if expected.pvalue > 1e-10:  # SciPy adds its counts up in double precision
        _agrees(found, float(expected.pvalue), relative=1e-6)
    if alternative == "greater":
        assert found.statistic == expected.statistic


@pytest.mark.parametrize(
    "d",
    [
        [1, 1, -1, 2, 2, -3],
        [0, 0, 1, -1, 2, 0, 2],
        [0.1, 0.2, -0.3, 0.3, -0.1, 0.1, 0.4],
        [1, -1],
        [0, 0, 5],
        [0.3, 0.1 + 0.2, -0.3],
    ],
)
def test_wilcoxon_with_ties_by_all_signs(d: list[float]) -> None:
    sizes = [abs(oracles.fraction(round(value, 9))) for value in d if value]
    ranks = [
        Fraction(sum(other < size for other in sizes) * 2 + sum(other == size for other in sizes) + 1, 2)
        for size in sizes
    ]
    law = oracles.sign_sums(ranks)
    total = sum((rank if value > 0 else -rank for rank, value in zip(ranks, filter(None, d), strict=True)), Fraction(0))
    events: dict[str, oracles.Event] = {
        "greater": lambda reached: reached >= total,
        "less": lambda reached: reached <= total,
        "two-sided": lambda reached: abs(reached) >= abs(total),
    }
    for alternative, event in events.items():
        found = _test("wilcoxon", ([0] * len(d), d), alternative=alternative)
        _agrees(found, float(oracles.event_probability(law, event)))


def test_wilcoxon_with_many_ties_is_the_convolution_of_the_mid_ranks() -> None:
    rng = np.random.default_rng(4)
    one, other = rng.integers(0, 5, 150), rng.integers(0, 6, 150)
    d = (other - one)[other != one]
    doubled = 2 * stats.rankdata(np.abs(d))
    signed = [int(value) for value in doubled * np.sign(d)]
    expected = oracles.event_probability(oracles.convolved_signs(signed), lambda reached: reached >= sum(signed))
    _agrees(_test("wilcoxon", (one, other), alternative="greater"), float(expected))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", BINARY)
def test_two_proportions_and_chi_squared_of_items(n: int, alternative: Any) -> None:
    one, other = BINARY[n]
    _check_proportions(int(one.sum()), n, int(other.sum()), n, (one, other), "accuracy", alternative)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_two_proportions_and_chi_squared_of_responses(alternative: Any) -> None:
    gold = RNG.poisson(3, 50)
    systems = []
    for recall in (0.6, 0.75):
        tp = RNG.binomial(gold, recall)
        systems.append(np.column_stack([tp, tp + RNG.poisson(1, 50), gold]))
    (tp1, predicted1, gold1), (tp2, predicted2, gold2) = (part.sum(axis=0) for part in systems)
    pair = (systems[0], systems[1])
    _check_proportions(tp1, predicted1, tp2, predicted2, pair, "precision", alternative)
    _check_proportions(tp1, gold1, tp2, gold2, pair, "recall", alternative)


def _check_proportions(
    right1: int, trials1: int, right2: int, trials2: int, systems: Any, metric: str, alternative: str
) -> None:
    pooled = (right1 + right2) / (trials1 + trials2)
    variance = pooled * (1 - pooled) * (1 / trials1 + 1 / trials2)
    z = (right2 / trials2 - right1 / trials1) / sqrt(variance) if variance else 0.0
    upper = {"greater": z, "less": -z, "two-sided": abs(z)}[alternative]
    expected = (erfc(upper / sqrt(2)) / (1 if alternative == "two-sided" else 2)) if variance else 1.0
    for test in ("two-proportion", "chi-squared"):
        found = _test(test, systems, metric, alternative=alternative)
        _agrees(found, expected)
        assert found.assumes_independence
    if variance:
        table = [[right1, trials1 - right1], [right2, trials2 - right2]]
        squared = stats.chi2_contingency(table, correction=False)
        assert _test("chi-squared", systems, metric).statistic == pytest.approx(squared.statistic)
        if alternative == "two-sided":
            assert expected == pytest.approx(squared.pvalue)


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_constant_scores_are_no_error(value: float) -> None:
    comparison = outscore.compare([value] * 6, [value] * 6, tests="all").comparisons[0]
    assert {test.p_value for test in comparison.tests} == {1.0}
    assert comparison.correlation is None


def test_of_a_constant_difference_the_t_test_is_the_sign_test() -> None:
    for alternative, expected in (("greater", 1 / 32), ("two-sided", 1 / 16)):
        [comparison] = outscore.compare(
            [1, 2, 3, 4, 5], [2, 3, 4, 5, 6], tests=["paired-t", "sign", "wilcoxon"], alternative=alternative
        ).comparisons
        paired, sign, _ = comparison.tests
        assert (paired.statistic, paired.computation) == (sign.statistic, sign.computation) == (5, "exact: binomial")
        assert [test.p_value for test in comparison.tests] == [expected, expected, expected]


@pytest.mark.parametrize(("one", "other", "bound"), [(0, 0.25, "above 0"), (0.25, 0, "below 0")])
def test_where_all_gains_are_alike_the_sentence_names_the_sign_test(one: float, other: float, bound: str) -> None:
    scores = np.arange(12) / 16
    [comparison] = outscore.compare(scores + one, scores + other).comparisons
    said = f"95% sign-test bound: {bound}; two-sided sign test, p = 0.00049, exact)."
    assert comparison.sentence.endswith(said)
    assert comparison.test.p_value == 2 * 0.5**12
    assert comparison.interval.method == "sign"
    assert sum("The sign test replaces" in warning for warning in comparison.warnings) == 1


@pytest.mark.parametrize(
    ("test", "metric"),
    [
        ("wilcoxon", "f1"),
        ("sign", "f1"),
        ("paired-t", "precision"),
        ("mcnemar", "mean"),
        ("mcnemar", "f1"),
        ("two-proportion", "mean"),
        ("chi-squared", "f1"),
        ("two-sample-t", "recall"),
    ],
)
def test_what_does_not_apply_is_said(test: str, metric: str) -> None:
    rows: Any = [(1, 2, 3), (0, 1, 2), (2, 2, 2)], [(2, 3, 3), (1, 2, 2), (1, 2, 2)]
    scores: Any = [0.5, 0.25, 0.75], [0.5, 1, 0.5]
    systems = scores if metric == "mean" else rows
    with pytest.raises(outscore.NotApplicableError, match=test):
        _test(test, systems, metric)
    left_out = outscore.compare(*systems, metric=metric, tests="all").comparisons[0].left_out
    assert test in [one.name for one in left_out]


def test_pooled_and_paired_agree_where_they_must() -> None:
    """All binary tests of one table, from one pair of lists: helped and hurt are all that McNemar sees."""
    for signs in product([0, 1], repeat=4):
        one, other = np.array([0, 0, 1, 1] * 3), np.array(list(signs) * 3)
        helped, hurt = int((other > one).sum()), int((other < one).sum())
        for alternative in ALTERNATIVES:
            by_randomization, by_mcnemar = (
                _test(test, (one, other), "accuracy", alternative=alternative).p_value
                for test in ("randomization", "mcnemar")
            )
            assert by_randomization == pytest.approx(by_mcnemar)
            if helped + hurt:
                expected = stats.binomtest(helped, helped + hurt, alternative=alternative).pvalue  # type: ignore[arg-type]
                assert by_randomization == pytest.approx(expected)


ASYMPTOTIC = {
    "paired-t": "t distribution",
    "cr2-t": "t distribution",
    "skew-t": "t distribution",
    "two-sample-t": "t distribution",
    "two-proportion": "normal distribution",
    "chi-squared": "χ² distribution",
    "score": "normal distribution",
}


@pytest.mark.parametrize("name", [*ASYMPTOTIC, "mcnemar", "sign", "wilcoxon", "bootstrap", "randomization"])
def test_only_p_values_from_the_null_distribution_are_called_exact(name: str) -> None:
    result = outscore.compare(*BINARY[500], metric="accuracy", tests=name)
    (found,) = result.comparisons[0].tests
    assert found.exact == (name not in ASYMPTOTIC)
    assert (found.computation == "asymptotic") == (name in ASYMPTOTIC)
    assert found.distribution == ASYMPTOTIC.get(name)
    assert ("|r:exact|" in found.signature) == found.exact
    assert ("|r:asymptotic|" in found.signature) == (name in ASYMPTOTIC)
    assert (", exact)" in str(result)) == found.exact
    details = " ".join(result.to_text(details=True).split())
    assert (f"asymptotic ({found.distribution}" in details) == (name in ASYMPTOTIC)


@pytest.mark.parametrize("name", ["paired-t", "score"])
def test_pairs_of_a_ranking_by_t_are_asymptotic(name: str) -> None:
    one, other = BINARY[500]
    systems = {"one": one, "other": other, "copy": one}
    ranking = outscore.rank(systems, metric="accuracy", tests=name, n_resamples=100)
    assert "|r:asymptotic|" in ranking.signature
    for pair in ranking.pairs:
        same = {pair.baseline, pair.candidate} == {"one", "copy"}
        assert pair.exact == same
        assert pair.computation == (None if same else "asymptotic")
