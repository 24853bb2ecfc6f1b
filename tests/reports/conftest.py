"""Hand-made results that every report is run over. The numbers are plausible; no test was carried out for them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from outscore.results import (
    Alternative,
    Check,
    Claim,
    Comparison,
    ComparisonResult,
    Histogram,
    Interval,
    IntervalMethod,
    LeftOut,
    MetricDescription,
    Multiplicity,
    TestResult,
    Ties,
    Verdict,
)
from outscore.significance import BY_NAME, TESTS

OF_T = {"computation": "asymptotic", "distribution": "t distribution", "exact": False}
OF_Z = {**OF_T, "distribution": "normal distribution"}
ACCURACY = MetricDescription("accuracy", higher_is_better=True, as_percentage=True)
MEAN = MetricDescription("mean", higher_is_better=True, as_percentage=False)
ERRORS = MetricDescription("ratio", higher_is_better=False, as_percentage=False)
F1 = MetricDescription("f1", higher_is_better=True, as_percentage=True)


def bell(centre: float, deviation: float, bins: int = 40, *, exact: bool = True) -> Histogram:
    """Return a normal law in bins of four deviations to each side."""
    edges = [centre + deviation * (8 * i / bins - 4) for i in range(bins + 1)]
    below = [0.0, *(0.5 * math.erfc((centre - edge) / deviation / math.sqrt(2)) for edge in edges[1:-1]), 1.0]
    return Histogram(tuple(edges), tuple(b - a for a, b in pairwise(below)), exact)


def a_test(name: str = "bootstrap", p: float = 0.0003214, **fields: Any) -> TestResult:
    known = TESTS.get(name) or BY_NAME.get(name)
    given: dict[str, Any] = {
        "title": f"{name} test" if known is None else known.titled(),
        "alternative": Alternative.GREATER,
        "ties": Ties.COUNT,
        "statistic": None,
        "adjusted_p_value": p,
        "exact": True,
        "computation": "exact: lattice",
        "n_resamples": None,
        "n_exceeding": None,
        "p_value_low": p * (1 - 2e-13),
        "p_value_high": p * (1 + 2e-13),
        "assumes_independence": False,
        "inflation": None,
        "signature": f"test:{name}|alternative:greater|n:800|version:0.1.0",
        **fields,
    }
    return TestResult(name=name, p_value=p, **given)


def sampled(name: str = "bootstrap", c: int = 4881, r: int = 100000, **fields: Any) -> TestResult:
    p = (c + 1) / (r + 1)
    spread = 1.96 * math.sqrt(p * (1 - p) / r)
    given: dict[str, Any] = {"p_value_low": p - spread, "p_value_high": p + spread, **fields}
    return a_test(name, p, exact=False, computation="Monte Carlo", n_resamples=r, n_exceeding=c, **given)


def a_comparison(**fields: Any) -> Comparison:
    gain, deviation = fields.get("gain", 0.0425), fields.pop("deviation", 0.0117)
    given: dict[str, Any] = {
        "metric": ACCURACY,
        "baseline": "gpt-4-turbo",
        "candidate": "gpt-4o",
        "baseline_score": 0.68125,
        "candidate_score": 0.68125 + gain,
        "gain": gain,
        "interval": Interval(
            gain - 1.96 * deviation, gain + 1.96 * deviation, 0.95, IntervalMethod.PERCENTILE, exact=True
        ),
        "helped": 61,
        "hurt": 27,
        "unchanged": 712,
        "n_units": 800,
        "correlation": 0.7443,
        "claim": Claim.BETTER,
        "margin": None,
        "alpha": 0.05,
        "verdict": Verdict.BETTER,
        "tests": (a_test(),),
        "histogram": bell(gain, deviation),
        **fields,
    }
    given.setdefault("n_items", given["helped"] + given["hurt"] + given["unchanged"])
    return Comparison(**given)


def a_result(*comparisons: Comparison, n_units: int | None = None) -> ComparisonResult:
    first = comparisons[0]
    n = first.n_items
    unit = "item" if n_units in (None, n) else "cluster"
    signature = (
        f"test:bootstrap|centre:2d|alternative:greater|ties:count|r:exact|n:{n_units or n}|unit:{unit}|seed:12345"
        f"|metric:{first.metric.name}|version:0.1.0"
    )
    units = n_units or n
    family = Multiplicity(size=len(comparisons), correction="holm" if len(comparisons) > 1 else "none")
    shown = tuple(replace(one, n_units=units, multiplicity=family) for one in comparisons)
    return ComparisonResult(first.metric, n, units, shown, signature, "0.1.0", 12345)


def one_exact() -> ComparisonResult:
    return a_result(a_comparison())


def several_with_holm() -> ComparisonResult:
    def against(candidate: str, gain: float, p: float, holm: float, verdict: Verdict, **fields: Any) -> Comparison:
        tests = (
            a_test(p=p, adjusted_p_value=holm),
            sampled("randomization", round(p * 100000), adjusted_p_value=holm),
        )
        return a_comparison(candidate=candidate, gain=gain, verdict=verdict, tests=tests, **fields)

    left_out = (LeftOut("mcnemar", "needs binary items (1 correct, 0 incorrect)"),)
    return a_result(
        against("gpt-4o", 0.0425, 0.0003214, 0.0009642, Verdict.BETTER, left_out=left_out),
        against("claude-3-opus", 0.0238, 0.0213, 0.0426, Verdict.BETTER, left_out=left_out, deviation=0.0121),
        against(
            "runs/2024-05-13/llama-3-70b-instruct/temperature-0.2/scores.txt",
            -0.0063,
            0.7121,
            0.7121,
            Verdict.INCONCLUSIVE,
            left_out=left_out,
            warnings=("2 items of the baseline have no counterpart and were dropped.",),
        ),
    )


def sampled_with_warning() -> ComparisonResult:
    check = Check("Monte Carlo", 12346, 0.04925, 0.0479, 0.0506, 100000, 4924, agrees=True)
    strange = Check("exact: two counts", None, 0.0612, 0.0612, 0.0612, None, None, agrees=False)
    test = sampled(checks=(check,))
    return a_result(
        a_comparison(
            metric=F1,
            gain=0.0187,
            tests=(test, sampled("randomization", 5012, checks=(strange,))),
            correlation=None,
            histogram=bell(0.0187, 0.0117, exact=False),
            warnings=("The 95% interval of p holds alpha = 0.05. Draw more resamples with --n-resamples.",),
        )
    )


def equivalence() -> ComparisonResult:
    return a_result(
        a_comparison(
            gain=-0.0025,
            claim=Claim.EQUIVALENT,
            margin=0.03,
            verdict=Verdict.EQUIVALENT,
            tests=(a_test(p=0.0131),),
        ),
        n_units=75,
    )


def not_worse() -> ComparisonResult:
    return a_result(
        a_comparison(
            metric=ERRORS,
            baseline_score=0.124,
            candidate_score=0.1251,
            gain=-0.0011,
            deviation=0.0021,
            claim=Claim.NOT_WORSE,
            margin=0.005,
            verdict=Verdict.NOT_WORSE,
            tests=(a_test(p=0.0317, computation="exact: characteristic function"),),
        )
    )


def assumes_independence() -> ComparisonResult:
    marked = {"assumes_independence": True, "inflation": 1.9776}
    return a_result(
        a_comparison(
            tests=(
                a_test(),
                a_test(
                    "paired-t",
                    0.000297,
                    **OF_T,
                    statistic=3.63,
                ),
                a_test("two-proportion", 0.0318, **OF_Z, statistic=1.85, **marked),
                a_test(
                    "chi-squared",
                    0.0636,
                    alternative=Alternative.TWO_SIDED,
                    **{**OF_T, "distribution": "χ² distribution"},
                    p_value_low=0.0636,
                    p_value_high=0.0636,
                    **marked,
                ),
            ),
            left_out=(
                LeftOut("two-sample-t", "needs a score for every unit"),
                LeftOut("wilcoxon", "needs a score for every unit"),
            ),
        )
    )


def emulation() -> ComparisonResult:
    both: dict[str, Any] = {"alternative": Alternative.TWO_SIDED}
    theirs: dict[str, Any] = {**both, "ties": Ties.STRICT, "emulates": "sacreBLEU"}
    return a_result(
        a_comparison(
            metric=MEAN,
            baseline_score=33.17,
            candidate_score=34.01,
            gain=0.84,
            deviation=0.45,
            verdict=Verdict.INCONCLUSIVE,
            tests=(
                sampled("bootstrap", 6120, **both),
                sampled("randomization", 6033, **both),
                sampled("sacrebleu-bootstrap", 30, 1000, **theirs),
                sampled("sacrebleu-randomization", 598, 10000, **theirs),
            ),
            warnings=("The p-values of sacreBLEU's formula differ from the sound ones.",),
        )
    )


def extreme_p() -> ComparisonResult:
    test = a_test(p=1.25e-20)
    return a_result(a_comparison(gain=0.31, candidate_score=0.99125, tests=(test,), helped=248, hurt=0, unchanged=552))


WEIRD = r"a_b%c&d#e$f~g^h\i{j}k|l*m`n<script>alert('x')</script>[bold]o[/bold]:smile:--p"


def weird_names() -> ComparisonResult:
    others = ("line\nbreak\x1b[31mred", "模型-é-🙂", "- # 1. list | cell", "[o] " + "x/" * 40)
    return a_result(
        *(a_comparison(baseline=WEIRD, candidate=other) for other in others),
        a_comparison(baseline=WEIRD, candidate="*star"),
    )


def identical() -> ComparisonResult:
    nothing = Interval(0.0, 0.0, 0.95, IntervalMethod.PERCENTILE, exact=True)
    return a_result(
        a_comparison(
            metric=MEAN,
            candidate="gpt-4-turbo (again)",
            gain=0.0,
            interval=nothing,
            helped=0,
            hurt=0,
            unchanged=800,
            correlation=1.0,
            verdict=Verdict.INCONCLUSIVE,
            tests=(a_test(p=1.0, p_value_low=1.0, p_value_high=1.0),),
            histogram=Histogram((0.0, 0.0), (1.0,), exact=True),
            warnings=("The systems score the same on every item.",),
        )
    )


def jansen() -> ComparisonResult:
    """Jansen's ten questions, with the true law of their gain in bins of one atom."""
    weights = {0: 1.0}
    for _ in range(10):
        grown: dict[int, float] = {}
        for value, weight in weights.items():
            for step, share in ((1, 0.4), (-1, 0.3), (0, 0.3)):
                grown[value + step] = grown.get(value + step, 0.0) + weight * share
        weights = grown
    edges = tuple(i / 10 - 0.05 for i in range(-7, 11))
    inner = [weights.get(i, 0.0) for i in range(-7, 10)]
    inner[0] += sum(weights[i] for i in range(-10, -7))
    inner[-1] += sum(weights[i] for i in range(10, 11))
    return a_result(
        a_comparison(
            metric=MEAN,
            baseline="baseline.txt",
            candidate="experimental.txt",
            baseline_score=0.5,
            candidate_score=0.6,
            gain=0.1,
            interval=Interval(-0.4, 0.6, 0.95, IntervalMethod.PERCENTILE, exact=True),
            helped=4,
            hurt=3,
            unchanged=3,
            correlation=-0.408248290463863,
            verdict=Verdict.INCONCLUSIVE,
            tests=(a_test(p=0.429402952),),
            histogram=Histogram(edges, tuple(inner), exact=True),
        )
    )


def undefined() -> ComparisonResult:
    """What should not happen, and must not break a report either."""
    nan = float("nan")
    test = a_test(p=nan, statistic=float("inf"), inflation=float("inf"), assumes_independence=True)
    return a_result(
        a_comparison(
            tests=(test,),
            correlation=1.0,
            gain=nan,
            candidate_score=nan,
            histogram=Histogram((), (), exact=True),
            verdict=Verdict.INCONCLUSIVE,
        )
    )


def a_loss() -> ComparisonResult:
    two_sided = a_test(p=0.0121, alternative=Alternative.TWO_SIDED)
    return a_result(a_comparison(gain=-0.0296, verdict=Verdict.WORSE, tests=(two_sided,)))


def one_sided() -> ComparisonResult:
    """Few items: the default takes randomization and says why, and a one-sided test bounds the gain on one side."""
    reason = "randomization gives the verdict: with 40 items the bootstrap rejects true nulls too often."
    bounds = (Interval(0.0125, math.inf, 0.95, "randomization", True), Interval(-math.inf, 0.2851, 0.95, "t", False))
    few = {"helped": 9, "hurt": 3, "unchanged": 28, "gain": 0.15, "deviation": 0.081}
    return a_result(
        a_comparison(
            interval=bounds[0],
            tests=(a_test("randomization", 0.0381, computation="exact: enumeration", reason=reason),),
            warnings=(reason[0].upper() + reason[1:],),
            **few,
        ),
        a_comparison(
            interval=bounds[1],
            tests=(
                a_test(
                    "paired-t",
                    0.991,
                    alternative=Alternative.LESS,
                    **OF_T,
                ),
            ),
            verdict=Verdict.INCONCLUSIVE,
            **few,
        ),
    )


RESULTS: dict[str, Callable[[], ComparisonResult]] = {
    made.__name__: made
    for made in (
        one_exact,
        several_with_holm,
        sampled_with_warning,
        equivalence,
        not_worse,
        assumes_independence,
        emulation,
        extreme_p,
        weird_names,
        identical,
        jansen,
        undefined,
        a_loss,
        one_sided,
    )
}


@pytest.fixture(params=RESULTS, ids=str)
def result(request: pytest.FixtureRequest) -> ComparisonResult:
    """Each of the hand-made results in turn."""
    return RESULTS[request.param]()


@pytest.fixture
def results() -> dict[str, ComparisonResult]:
    """All hand-made results by name."""
    return {name: make() for name, make in RESULTS.items()}
