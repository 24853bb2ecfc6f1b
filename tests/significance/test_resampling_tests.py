"""The bootstrap and randomization tests are what they are defined to be: all draws and all swaps, listed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import outscore
from outscore import Mean, Ratio
from tests import oracles
from tests.significance.truth import Systems, p_value

TESTS = ("bootstrap", "bootstrap-uncentred", "randomization")
ROOTS = (2**0.5, 3**0.5, 5**0.5, 7**0.5, 11**0.5)


@dataclass(frozen=True)
class Case:
    """Two systems as a user gives them, and as rows."""

    baseline: Sequence[Any]
    candidate: Sequence[Any]
    metric: Any = "mean"
    score: oracles.Score = oracles.ratio
    options: Mapping[str, Any] = field(default_factory=dict)
    tests: Sequence[str] = TESTS

    def rows(self, system: Sequence[Any]) -> list[oracles.Row]:
        several = isinstance(system[0], Sequence)
        rows = [oracles.fractions(item) if several else (oracles.fraction(item), Fraction(1)) for item in system]
        clusters = self.options.get("clusters")
        if clusters is None:
            return rows
        return [
            oracles.totals([row for row, of in zip(rows, clusters, strict=True) if of == cluster])
            for cluster in dict.fromkeys(clusters)
        ]

    @property
    def systems(self) -> Systems:
        return Systems(self.rows(self.baseline), self.rows(self.candidate), self.score, self.options.get("strata"))

    def compare(self, **options: Any) -> outscore.Comparison:
        given = {"metric": self.metric, "tests": TESTS, "method": "exact", "interval": "percentile", **self.options}
        result: outscore.ComparisonResult = outscore.compare(self.baseline, self.candidate, **{**given, **options})
        return result.comparisons[0]


def lower(row: oracles.Row) -> Fraction:
    return -oracles.ratio(row)


SPANS = (
    [(1, 2, 3), (0, 1, 2), (2, 2, 2), (1, 1, 1), (0, 0, 1)],
    [(2, 3, 3), (1, 2, 2), (1, 2, 2), (1, 1, 1), (0, 1, 1)],
)
CASES: dict[str, Case] = {
    "whole numbers": Case([1, 2, 0, 3, 1], [2, 2, 1, 1, 3]),
    "decimals": Case([0.1, 0.2, 0.3, 0.7, 0.1], [0.3, 0.1, 0.4, 0.9, 0.1]),
    "decimals that cancel": Case([0.0, 0.0, 0.0], [0.1, 0.2, -0.3]),
    "thirds": Case([1 / 3, 2 / 3, 0, 1], [2 / 3, 1, 1 / 3, 1 / 3]),
    "real values": Case([0.0] * 5, [ROOTS[0], -ROOTS[1], ROOTS[2], ROOTS[3], -ROOTS[4]]),
    "tiny among large": Case([0.0] * 4, [1.0, -1.0, 1e-6, 3e-6]),
    "a worse candidate": Case([1, 2, 3, 2], [0, 2, 3, 0]),
    "two items": Case([1, 0], [3, 1]),
    "two equal differences": Case([1, 0], [2, 1]),
    "one item differs": Case([1, 1, 1, 1], [1, 1, 2, 1]),
    "identical": Case([1, 0, 1, 1], [1, 0, 1, 1]),
    "all differ alike": Case([1, 2, 3, 4], [2, 3, 4, 5]),
    "lower is better": Case([1, 2, 0, 3], [1, 1, 1, 0], Mean(higher_is_better=False), lower),
    "right or wrong": Case([1, 0, 0, 1, 0], [1, 1, 1, 0, 1], "accuracy"),
    "shared denominators": Case([(1, 3), (2, 5), (0, 1), (4, 4)], [(2, 3), (2, 5), (1, 1), (2, 4)], "ratio"),
    "decimal denominators": Case([(1, 1.5), (0.5, 0.5), (0, 2.5)], [(1.5, 1.5), (0, 0.5), (1, 2.5)], "ratio"),
    "denominators that differ": Case([(1, 3), (2, 5), (0, 1), (4, 4)], [(2, 4), (2, 5), (1, 2), (2, 3)], "ratio"),
    "numerators that cancel": Case(
        [(1.1, 3), (-2.9, 8), (-0.9, 4.8), (2.7, 3)], [(-2.7, 3), (4.2, 7), (0.5, 4.8), (-2.0, 2)], "ratio"
    ),
    "error rates": Case([(2, 3), (2, 5), (1, 1)], [(2, 3), (1, 5), (0, 1)], Ratio(higher_is_better=False), lower),
    "real ratios": Case([(ROOTS[0], 3.7), (0.1, 1.1), (2, 2)], [(1.3, 3.7), (ROOTS[2], 1.1), (0.7, 2)], "ratio"),
    "recall": Case([(1, 1, 3), (0, 1, 0), (2, 2, 2)], [(2, 3, 3), (0, 0, 0), (1, 2, 2)], "recall", oracles.recall),
    "precision": Case(*SPANS, "precision", oracles.precision),
    "f1": Case(*SPANS, "f1", oracles.f1),
    "f1 of equals": Case(SPANS[0], SPANS[0], "f1", oracles.f1),
    "clusters": Case([1, 2, 0, 3, 1, 2], [2, 2, 1, 1, 3, 3], options={"clusters": ["a", "b", "a", "c", "c", "c"]}),
    "clusters of equal size": Case([1, 2, 0, 3, 1, 2], [2, 2, 1, 1, 3, 3], options={"clusters": [1, 2, 1, 3, 2, 3]}),
    "clusters of f1": Case(*SPANS, "f1", oracles.f1, {"clusters": ["a", "b", "b", "c", "a"]}),
    "strata": Case([1, 2, 0, 3, 1], [2, 2, 1, 1, 3], options={"strata": [0, 1, 0, 1, 0]}),
    "strata of f1": Case(*SPANS, "f1", oracles.f1, {"strata": [0, 1, 1, 0, 1]}),
    "strata of ratios": Case(
        [(1 / 3, 1), (1, 5.6), (-4 / 3, 0.5), (-1, 1.7)],
        [(2 / 3, 1), (0, 5.6), (-7 / 3, 0.5), (1, 1.7)],
        "ratio",
        options={"strata": [1, 1, 0, 0]},
    ),
    "strata of real values": Case(
        [-ROOTS[0], ROOTS[1], -ROOTS[1], 2 * ROOTS[0]],
        [1.2345678, 0.9, 0.9, 1.2345678],
        options={"strata": [0, 1, 1, 0]},
    ),
    "strata of recall": Case(
        [(1, 1, 2), (0, 1, 0), (1, 2, 2), (0, 1, 1)],
        [(2, 3, 2), (0, 0, 0), (2, 2, 2), (1, 2, 1)],
        "recall",
        oracles.recall,
        {"strata": [0, 0, 1, 1]},
    ),
}  # fmt: skip


def _holds(test: outscore.TestResult, true: Fraction) -> None:
    assert test.exact
    if true:
        assert test.p_value == pytest.approx(float(true), rel=1e-9, abs=0)
    else:  # an event that no resample reaches says no more than that its probability is below that of any
        assert test.p_value_low <= 1e-14
    rounding = Fraction(1, 10**15)
    assert Fraction(test.p_value_low) - rounding <= true <= Fraction(test.p_value_high) + rounding
    assert 0 <= test.p_value_low <= test.p_value <= test.p_value_high <= 1
    assert test.p_value > 0


@pytest.mark.parametrize("name", CASES)
def test_every_alternative_and_both_ways_with_ties(name: str) -> None:
    case = CASES[name]
    systems = case.systems
    for alternative, ties in product(outscore.Alternative, outscore.Ties):
        comparison = case.compare(alternative=alternative, ties=ties)
        assert comparison.gain == pytest.approx(float(systems.gain), abs=1e-15)
        for test in comparison.tests:
            _holds(test, p_value(test.name, systems, alternative, strict=ties == "strict"))


@pytest.mark.parametrize("margin", [0.25, 0.5, 0.1, 0.75])
@pytest.mark.parametrize(
    "name",
    [
        "whole numbers",
        "decimals",
        "thirds",
        "real values",
        "lower is better",
        "right or wrong",
        "shared denominators",
        "error rates",
        "clusters of equal size",
        "identical",
    ],
)
def test_claims_with_a_margin(name: str, margin: float) -> None:
    case = CASES[name]
    systems, limit = case.systems, oracles.fraction(margin)
    not_worse = case.compare(claim="not-worse", margin=margin)
    equivalent = case.compare(claim="equivalent", margin=margin)
    for one, both in zip(not_worse.tests, equivalent.tests, strict=True):
        above = p_value(one.name, systems, "greater", -limit)
        _holds(one, above)
        _holds(both, max(above, p_value(both.name, systems, "less", limit)))


@pytest.mark.parametrize(
    "name", ["whole numbers", "thirds", "real values", "shared denominators", "f1", "clusters of f1", "strata"]
)
def test_percentiles_are_those_of_all_draws(name: str) -> None:
    case = CASES[name]
    systems = case.systems
    law = systems.bootstrap()
    for level in (0.5, 0.9, 0.95, 0.99):
        tail = (1 - Fraction(level)) / 2
        # Levels are floats: a hair less of them is the same level.
        low, high = (oracles.quantile(law, at * (1 - Fraction(1, 10**12))) for at in (tail, 1 - tail))
        percentile = case.compare(confidence_level=level).interval
        assert percentile.exact
        assert (percentile.low, percentile.high) == pytest.approx((float(low), float(high)), abs=1e-9)
        basic = case.compare(confidence_level=level, interval="basic").interval
        mirrored = (2 * systems.gain - high, 2 * systems.gain - low)
        assert (basic.low, basic.high) == pytest.approx(tuple(map(float, mirrored)), abs=1e-9)


@pytest.mark.parametrize(
    "name",
    ["whole numbers", "thirds", "shared denominators", "precision", "f1", "clusters of f1", "strata", "recall"],
)
def test_sampling_agrees_with_listing(name: str) -> None:
    """4,000 resamples; 48 counts, each within its 99.9999% interval: one false alarm in 20,000 runs."""
    case = CASES[name]
    for ties in outscore.Ties:
        sampled = outscore.compare(
            case.baseline,
            case.candidate,
            metric=case.metric,
            tests=TESTS,
            alternative="greater",
            method="monte-carlo",
            n_resamples=4000,
            ties=ties,
            **case.options,
        )
        for test in sampled.comparisons[0].tests:
            assert not test.exact
            assert test.n_resamples == 4000
            assert test.n_exceeding is not None
            true = float(p_value(test.name, case.systems, strict=ties == "strict"))
            assert abs(test.n_exceeding - 4000 * true) <= 4.9 * (4000 * true * (1 - true)) ** 0.5 + 8
            assert test.p_value == (test.n_exceeding + 1) / 4001


def test_p_is_a_bound_if_no_sample_reaches_the_threshold() -> None:
    result = outscore.compare(
        [0.0] * 200, [1.0] * 150 + [0.0] * 50, tests="bootstrap", method="monte-carlo", n_resamples=2000
    )
    test = result.comparisons[0].test
    assert (test.p_value, test.p_value_low, test.n_exceeding) == (1 / 2001, 0.0, 0)
    assert (test.is_bound, test.computation) == (True, "Monte Carlo")
    assert "p ≤ 0.0005, none of 2,000 resamples" in result.to_text()


def test_a_law_that_no_bound_fits_is_sampled() -> None:
    """Few irrational differences among many zeros: the law has heavy atoms, and its transform does not die off."""
    d = [0.0] * 995 + list(ROOTS)
    result = outscore.compare([0.0] * 1000, d, tests=["bootstrap", "bootstrap-uncentred"], n_resamples=2000)
    assert [test.n_resamples for test in result.comparisons[0].tests] == [2000, 2000]
    assert not result.comparisons[0].interval.exact
    with pytest.raises(outscore.NotApplicableError):
        outscore.compare([0.0] * 1000, d, tests="bootstrap", method="exact")


@pytest.mark.parametrize("seed", [0, 3, 4, 5])
def test_every_exact_p_value_is_bounded_well(seed: int) -> None:
    """Laws were asked for their bounds at 2δ from one side alone, and gave 0.5 ± 0.5 at other thresholds."""
    rng = np.random.default_rng(seed)
    n = 40
    values = rng.choice(np.array(ROOTS)[: 2 + seed // 2], n) * rng.choice([0, 1, -1], n, p=[0.8, 0.12, 0.08])
    strata = np.arange(n) % 2 if seed % 2 else None
    claims: list[dict[str, Any]] = [{}, {"claim": "equivalent", "margin": 0.1}, {"claim": "not-worse", "margin": 0.05}]
    for options in claims:
        result = outscore.compare(np.zeros(n), values, tests=TESTS, strata=strata, n_resamples=1000, **options)
        for test in result.comparisons[0].tests:
            if test.exact:
                assert test.p_value_high - test.p_value_low <= 1e-8 + 3e-3 * test.p_value


def test_neither_a_constant_nor_its_size_breaks_ties() -> None:
    """Decimals keep their ties, however large the scores that they are differences of."""
    baseline = [0.1, 0.2, 0.3, 0.7, 0.1, 0.4, 0.2, 0.9, 0.5, 0.3, 0.6, 0.8]
    candidate = [0.3, 0.1, 0.4, 0.9, 0.1, 0.7, 0.1, 0.9, 0.6, 0.5, 0.6, 0.7]
    plain = outscore.compare(baseline, candidate, tests="all").comparisons[0]
    for constant in (1, 100, 12345, 1e6, 1e7):
        moved = outscore.compare(
            [constant + x for x in baseline], [constant + x for x in candidate], tests="all"
        ).comparisons[0]
        for one, other in zip(plain.tests, moved.tests, strict=True):
            assert other.p_value == pytest.approx(one.p_value, rel=1e-6), (constant, one.name)
