"""The t-test of two samples: against independent values, its symmetries, and its error rates."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import brunnermunzel

import outscore
from outscore.results import Alternative, UnpairedComparison
from tests.significance.kit import Sample, Spread, TwoSamples

CASES = json.loads((Path(__file__).parent / "unpaired_cases.json").read_text(encoding="utf-8"))
SCORES = st.lists(st.integers(-20, 20).map(float), min_size=2, max_size=25)


def compared(a: Any, b: Any, **options: Any) -> UnpairedComparison:
    return outscore.compare(a, b, unpaired=True, **options).comparisons[0]


def found(comparison: UnpairedComparison) -> list[float]:
    return [comparison.p_value, comparison.interval.low, comparison.interval.high]


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["kind"] == "two samples"], ids=lambda case: str(case["name"])
)
def test_p_values_and_intervals_are_the_reference_s(case: Any) -> None:
    metric = "mean" if case["range"] is None else "mean:lowest={},highest={}".format(*case["range"])
    if case.get("a_sizes") or case.get("b_sizes"):  # numerators and denominators, of clusters or references
        sides = [
            np.column_stack([case[side], case.get(f"{side}_sizes") or np.ones(len(case[side]))]) for side in ("a", "b")
        ]
        made = compared(*sides, metric="ratio")
    else:
        made = compared(case["a"], case["b"], metric=metric)
    assert made.tests[0].name == "skew-t"
    assert found(made) == pytest.approx(case["value"], rel=1e-9)


@pytest.mark.parametrize("case", [case for case in CASES if case["kind"].startswith("brunner-munzel")], ids=str)
def test_brunner_munzel_is_the_reference_s(case: Any) -> None:
    made = compared(case["a"], case["b"], tests="brunner-munzel")
    [test] = made.tests
    assert test.quantity == "share of pairs won"
    assert made.found is not None
    theirs = brunnermunzel(case["b"], case["a"])
    assert test.computation == "asymptotic"
    assert (abs(test.statistic), test.p_value) == pytest.approx((abs(theirs.statistic), theirs.pvalue))
    if case["kind"] == "brunner-munzel share":
        assert test.interval is not None
        assert [test.estimate, test.p_value, test.interval.low, test.interval.high] == pytest.approx(case["value"])
    else:
        assert (abs(test.statistic), test.p_value) == pytest.approx(case["value"])


@settings(max_examples=20, deadline=None)
@given(SCORES, SCORES, st.integers(-100, 300))
def test_symmetries(a: list[float], b: list[float], power: int) -> None:
    """Exchanged systems mirror the interval, and other units of scores change nothing but the unit."""
    assume({*a, *b} - {0.0, 1.0})
    made, swapped = compared(a, b), compared(b, a)
    if math.isnan(made.p_value):
        assert len(set(a)) == len(set(b)) == 1
        assert (made.verdict, made.interval.method) == ("inconclusive", "none")
        assert made.withheld is not None
        assert "no p-value" in made.withheld
        return
    assert swapped.p_value == pytest.approx(made.p_value, rel=1e-12)
    assert (swapped.interval.low, swapped.interval.high) == pytest.approx(
        (-made.interval.high, -made.interval.low), rel=1e-9, abs=1e-12
    )
    assert made.interval.holds(0.0) == (made.p_value > 0.05)
    assert made.interval.holds(made.gain)
    scaled = compared(np.ldexp(a, power), np.ldexp(b, power))
    # Scores that fit into single precision are read as the decimals that they were written as.
    assert scaled.p_value == pytest.approx(made.p_value, rel=1e-6)
    assert scaled.interval.low == pytest.approx(math.ldexp(made.interval.low, power), rel=1e-5)
    higher = compared([-score for score in a], [-score for score in b], lower_is_better=True)
    assert higher.p_value == pytest.approx(made.p_value, rel=1e-12)
    assert higher.verdict == made.verdict


def test_a_constant_sample_borrows_the_spread_of_the_other() -> None:
    fours, both = [4.0] * 30, [4.0] * 200 + [5.0] * 100
    result = outscore.compare(fours, both, unpaired=True)
    made = result.comparisons[0]
    assert found(made) == pytest.approx([0.0021, 0.14, 0.51], abs=0.005)
    assert "the spread of those of candidate was used as well" in result.warnings[0]
    assert "mean:lowest=0,highest=1" in result.warnings[0]
    # With a range nothing is borrowed: one more 1 and one more 5 show what 30 fours cannot.
    ranged = outscore.compare(fours, both, unpaired=True, metric="mean:lowest=1,highest=5")
    assert ranged.warnings == ()
    assert ranged.comparisons[0].p_value == pytest.approx(0.000501096275, rel=1e-8)


def test_ends_do_not_leave_the_range() -> None:
    made = compared([1.0, 1, 1, 5], [5.0, 5, 5, 4], metric="mean:lowest=1,highest=5")
    assert made.interval.high == 4.0
    assert made.gain < made.interval.high


def test_a_score_that_is_undefined_without_one_unit_has_no_verdict() -> None:
    unknown, usual = Spread(math.inf, 0.0, 1.0, 1.0), Spread(0.01, 0.0, 20.0, 59.0)
    two = TwoSamples((Sample(0.1, unknown, 2, is_low=True), Sample(0.9, usual, 60, is_low=False)))
    assert two.p_value(0.0, Alternative.TWO_SIDED) == 1.0
    assert two.interval(0.05, Alternative.TWO_SIDED, math.inf) == (-math.inf, math.inf)
    assert two.borrowed == (False, False)


@pytest.mark.parametrize("law", ["normal", "exponential", "ceiling", "rare"])
@pytest.mark.parametrize("sizes", [(20, 200), (50, 500)])
def test_true_nulls_are_rejected_as_often_as_they_may(law: str, sizes: tuple[int, int]) -> None:
    """200 sets at a nominal 5%: at a true 6%, more than 32 rejections have a probability of 1e-6.

    Of grades at a ceiling and rare nonzero scores, Welch's t-test rejects 9 to 15%.
    """
    stream, rejected = np.random.default_rng(7), 0
    laws: dict[str, Callable[[int], Any]] = {
        "normal": lambda n: stream.normal(size=n),
        "exponential": lambda n: stream.exponential(size=n),
        "ceiling": lambda n: stream.choice([5.0, 4, 3, 1], p=[0.95, 0.03, 0.01, 0.01], size=n),
        "rare": lambda n: stream.exponential(size=n) * (stream.random(n) < 0.05),
    }
    for _ in range(200):
        a, b = (laws[law](n) for n in sizes)
        rejected += compared(a, b).p_value <= 0.05
    assert rejected <= 32
    if law in ("ceiling", "rare"):
        assert rejected <= 12
