"""Tests that do not test the gain: the direction of their own statistic, and the quantity that they report."""

from __future__ import annotations

import json
import pickle
from itertools import permutations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import outscore
from outscore import Wilcoxon
from outscore._types import FloatArray
from outscore.questions import pair_tests
from outscore.results import Verdict
from outscore.schemas import schema_of
from outscore.significance import walsh
from outscore.significance.walsh import median_of, pseudo_median
from tests import oracles
from tests.gating.kit import GateOutcome

# Estimates, intervals and p-values by other code: ends are where the exact p-value crosses the level.
CASES = json.loads(Path(__file__).with_name("direction_cases.json").read_text(encoding="utf-8"))
WILCOXON = [case for case in CASES if case["kind"].startswith("wilcoxon")]
SIGN = [case for case in CASES if case["kind"] == "sign"]
SPEECH = Path(__file__).resolve().parents[3] / "shared" / "data" / "asr-librispeech-test-clean"


def _compared(d: Any, test: str, **options: Any) -> outscore.Comparison:
    d = np.asarray(d, dtype=float)
    result: outscore.ComparisonResult = outscore.compare(np.zeros(len(d)), d, tests=test, **options)
    return result.comparisons[0]


def _against(n: int = 60, few: int = 6) -> tuple[FloatArray, FloatArray]:
    """Two systems of which the second is usually better and has the lower mean."""
    rng = np.random.default_rng(0)
    baseline = rng.normal(0, 1, n)
    candidate = baseline + rng.normal(1, 0.3, n)
    candidate[:few] -= 60
    return baseline, candidate


@pytest.mark.parametrize("case", WILCOXON, ids=range(len(WILCOXON)))
def test_wilcoxon_reports_the_pseudo_median(case: Any) -> None:
    comparison = _compared(case["d"], "wilcoxon")
    above, estimate, low, high = case["independent"]
    found = comparison.found
    assert found is not None
    assert found.interval is not None
    assert found.quantity == comparison.test.quantity == "pseudo-median"
    assert (found.estimate, found.pairs_above) == pytest.approx((estimate, above), abs=1e-12)
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=1e-12)
    assert (found.null, found.unit, found.interval.method) == (0.0, "score", "wilcoxon")
    d = np.array(case["d"])
    if len(set(np.abs(d))) == len(d):
        assert comparison.p_value == pytest.approx(case["p"], rel=1e-9)
    else:  # the file's p breaks the tie; with mean ranks:
        doubled = [int(value) for value in 2 * stats.rankdata(np.abs(d)) * np.sign(d)]
        law = oracles.convolved_signs(doubled)
        p = oracles.event_probability(law, lambda reached: abs(reached) >= abs(sum(doubled)))
        assert comparison.p_value == pytest.approx(float(p), rel=1e-9)
    assert comparison.test.sign == np.sign(above - 0.5)
    if "verdict" in case:
        assert comparison.gain == pytest.approx(case["mean"])
        assert (found.direction, comparison.verdict) == (Verdict.BETTER, Verdict.INCONCLUSIVE)


@pytest.mark.parametrize("case", SIGN, ids=range(len(SIGN)))
def test_sign_reports_the_share_of_wins(case: Any) -> None:
    wins, losses, share, low, high, median, median_low, median_high = case["independent"]
    # Twice the differences, so that none of them are binary items, for which this is a test of the gain.
    comparison = _compared(2 * np.array(case["d"]), "sign")
    found = comparison.found
    assert found is not None
    assert found.interval is not None
    assert found.median_interval is not None
    assert (found.quantity, found.wins, found.losses, found.null) == ("share of wins", wins, losses, 0.5)
    assert (found.estimate, found.interval.low, found.interval.high) == pytest.approx((share, low, high), abs=1e-10)
    ends = found.median_interval.low, found.median_interval.high
    assert (found.median, *ends) == pytest.approx((2 * median, 2 * median_low, 2 * median_high), abs=1e-12)
    assert comparison.p_value == pytest.approx(case["p"], rel=1e-9)
    assert (comparison.p_value <= 0.05) == (found.interval.low > 0.5 or found.interval.high < 0.5)


@pytest.mark.parametrize("n", [1, 2, 7, 30, 60, 61, 90])
def test_walsh_averages_by_listing_them(n: int) -> None:
    rng = np.random.default_rng(n)
    for decimals in (0, 1, 6):
        d = np.round(rng.normal(0.2, 1, n), decimals)
        averages = sorted((d[i] + d[j]) / 2 for i in range(n) for j in range(i, n))
        m = len(averages)
        # The rank sum's distribution by listing subsets (n <= 7), or by SciPy's normal approximation.
        found = pseudo_median(d, 0.025)
        assert found.estimate == pytest.approx(float(np.median(averages)), abs=1e-12)
        above = sum(a > 1e-12 for a in averages) + sum(abs(a) <= 1e-12 for a in averages) / 2
        assert found.share_above == pytest.approx(above / m)
        assert found.exact == (n <= 60)
        if np.isfinite(found.low):
            k = sum(a < found.low - 1e-12 for a in averages)
            assert k <= walsh._most_below(n, 0.025) <= sum(a <= found.low + 1e-12 for a in averages) - 1


@pytest.mark.parametrize("n", range(1, 11))
@pytest.mark.parametrize("tail", [0.005, 0.025, 0.05, 0.2])
def test_ranks_of_the_ends_by_listing_all_signs(n: int, tail: float) -> None:
    sums = np.array([sum(r for r in range(1, n + 1) if mask >> (r - 1) & 1) for mask in range(2**n)])
    expected = max((k for k in range(n * (n + 1) // 2) if (sums <= k).mean() <= tail), default=-1)
    assert walsh._most_below(n, tail) == expected


def test_ranks_of_the_ends_at_60_and_beyond() -> None:
    """With 60 differences the exact rank is that of integers of any size. The normal one is near it, or below."""
    counts = [1] + [0] * 1830
    for rank in range(1, 61):
        for total in range(1830, rank - 1, -1):
            counts[total] += counts[total - rank]
    for tail in (0.025, 0.0005):
        exact = walsh._most_below(60, tail)
        assert sum(counts[: exact + 1]) <= tail * 2**60 < sum(counts[: exact + 2])
        normal = 60 * 61 / 4 - stats.norm.isf(tail) * np.sqrt(60 * 61 * 121 / 24) - 0.5
        assert -1 <= exact - np.floor(normal) <= (1 if tail == 0.025 else 10)


def test_bisection_finds_what_sorting_finds() -> None:
    rng = np.random.default_rng(5)
    for d in (rng.normal(0.1, 1, 300), np.round(rng.normal(0, 2, 300)), rng.lognormal(0, 3, 300), np.zeros(300)):
        i, j = np.triu_indices(300)
        averages = np.sort((d[i] + d[j]) / 2)
        k, scale = walsh._most_below(300, 0.025), float(np.abs(d).max())
        found = pseudo_median(d, 0.025)
        expected = float(np.median(averages)), averages[k], averages[-1 - k]
        assert (found.estimate, found.low, found.high) == pytest.approx(expected, abs=1e-14 * scale)
        assert found.share_above == ((averages > 0).sum() + (averages == 0).sum() / 2) / len(averages)


def test_intervals_of_many_items_take_little_memory() -> None:
    """20,000 items have 200 million averages, which are counted and not stored."""
    d = np.random.default_rng(1).normal(0.05, 1, 20_000)
    found = pseudo_median(d, 0.025)
    assert found.low < 0.05 < found.high
    # For normal differences: the estimate's standard error is about √(π/3) of the mean's.
    assert found.high - found.low == pytest.approx(2 * 1.96 * np.sqrt(np.pi / 3 / 20_000), rel=0.05)


@pytest.mark.parametrize("n", [1, 5, 6, 20, 51])
def test_median_of_ordered_differences(n: int) -> None:
    d = np.random.default_rng(n).permutation(np.arange(1.0, n + 1))
    _, low, high = median_of(d, 0.025)
    k = max((k for k in range(n) if sum(comb(n, i) for i in range(k + 1)) / 2**n <= 0.025), default=-1)
    assert (low, high) == ((k + 1, n - k) if k >= 0 else (-np.inf, np.inf))


DIFFERENCES = st.lists(st.integers(-4, 4), min_size=2, max_size=25)


@given(DIFFERENCES, st.sampled_from(["two-sided", "greater", "less"]), st.sampled_from([0.01, 0.05, 0.2]))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_intervals_exclude_their_null_value_if_and_only_if_the_test_rejects(
    values: list[int], alternative: Any, alpha: float
) -> None:
    d = np.array(values) * 1.5  # so that differences of 1 are no binary items
    for test in ("sign", "wilcoxon"):
        comparison = _compared(d, test, alternative=alternative, alpha=alpha)
        found = comparison.found
        if found is None:  # no unit differs
            assert not d.any()
            continue
        assert found.interval is not None
        low, high, null = found.interval.low, found.interval.high, found.null
        rejects = comparison.p_value <= alpha
        # p decides whether an end that equals the null value belongs to the interval.
        if rejects:
            assert low >= null or high <= null
            assert found.direction is (Verdict.BETTER if comparison.test.sign == 1 else Verdict.WORSE)
        else:
            assert low <= null <= high
            assert found.direction is Verdict.INCONCLUSIVE
        opposed = (comparison.test.sign or 0) * comparison.gain < 0
        assert comparison.verdict is (Verdict.INCONCLUSIVE if opposed else found.direction)


@given(st.lists(st.floats(-3, 3).map(lambda x: round(x, 6)), min_size=1, max_size=40, unique_by=abs))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_without_ties_the_pseudo_medians_interval_needs_no_correction(values: list[float]) -> None:
    d = np.array([value for value in values if value != 0])
    if len(d) < 2:
        return
    found, p = pseudo_median(d, 0.025), _compared(d, "wilcoxon").p_value
    assert (p <= 0.05) == (found.low > 0 or found.high < 0)


def test_zeros_can_be_ends_that_the_test_rejects() -> None:
    """Ten gains of 2 among 100 items: signed ranks reject, and most pairwise averages are 0."""
    comparison = _compared([0.0] * 90 + [2.0] * 10, "wilcoxon")
    found = comparison.found
    assert found is not None
    assert found.interval is not None
    assert comparison.p_value == 2 / 2**10
    assert (found.interval.low, found.interval.high, found.estimate) == (0.0, 0.0, 0.0)
    assert (comparison.verdict, comparison.test.sign) == (Verdict.BETTER, 1)
    assert "The interval excludes its end at the value that is rejected." in " ".join(str(comparison).split())


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
def test_the_verdict_is_withheld_where_the_mean_points_the_other_way(test: str) -> None:
    baseline, candidate = _against()
    [comparison] = outscore.compare(baseline, candidate, tests=test).comparisons
    found = comparison.found
    assert comparison.p_value < 2e-5
    assert comparison.gain < -4
    assert comparison.verdict is Verdict.INCONCLUSIVE
    assert found is not None
    assert found.direction is Verdict.BETTER
    assert comparison.withheld is not None
    assert comparison.withheld in comparison.warnings
    text = " ".join(str(comparison).split())
    assert "a gain of -5.0, which was not tested" in text
    assert "The two answer different questions. For the mean use the default test." in text
    assert "skew" not in text  # not the interval of the mean
    interval = {"sign": "share won 90%, 95% Clopper-Pearson interval 79 to 96", "wilcoxon": "+0.84 to +1.07"}[test]
    assert interval in comparison.sentence
    assert interval in comparison.withheld
    # Exchanged, the same with the other sign.
    [turned] = outscore.compare(candidate, baseline, tests=test).comparisons
    assert turned.found is not None
    assert turned.found.direction is Verdict.WORSE
    assert turned.verdict is Verdict.INCONCLUSIVE


def test_the_sentence_of_losses_names_both_facts() -> None:
    baseline, candidate = _against()
    said = outscore.compare({"old": candidate, "new": baseline}, tests="sign").comparisons[0].withheld
    assert said == (
        "new loses to old on 54 of the 60 items that differ (share won 10%, 95% Clopper-Pearson interval 4 to 21), but "
        "its mean is 5.0 higher. A few items outweigh the many. The two answer different questions. For the mean use "
        "the default test."
    )


def test_where_the_mean_has_the_same_direction_it_was_not_tested() -> None:
    d = np.random.default_rng(2).normal(0.5, 1, 50)
    for test, quantity in (("sign", "share of wins of 1/2"), ("wilcoxon", "pseudo-median of 0")):
        comparison = _compared(d, test)
        text = " ".join(str(comparison).split())
        assert comparison.verdict is Verdict.BETTER
        assert comparison.withheld is None
        assert f"The test rejects a {quantity} at α = 0.05." in text
        assert "The mean was not tested." in text


def test_a_mean_gain_of_0_contradicts_nothing() -> None:
    comparison = _compared([1.5] * 12 + [-18.0], "sign")
    assert comparison.gain == 0
    assert comparison.verdict is Verdict.BETTER


def test_one_sided_tests_are_about_the_tested_quantity() -> None:
    baseline, candidate = _against()
    d = np.asarray(candidate) - baseline
    for test, p in (
        ("sign", stats.binomtest(54, 60, alternative="greater").pvalue),
        ("wilcoxon", stats.wilcoxon(d, alternative="greater", method="exact").pvalue),
    ):
        [greater] = outscore.compare(baseline, candidate, tests=test, alternative="greater").comparisons
        assert greater.p_value == pytest.approx(p, rel=1e-6)
        assert greater.found is not None
        assert greater.found.direction is Verdict.BETTER
        assert greater.found.interval is not None
        assert greater.found.interval.high == np.inf
        assert greater.verdict is Verdict.INCONCLUSIVE
        [less] = outscore.compare(baseline, candidate, tests=test, alternative="less").comparisons
        assert less.p_value > 0.99
        assert less.found is not None
        assert less.found.direction is less.verdict is Verdict.INCONCLUSIVE


def test_a_margin_of_wilcoxon_is_added_to_the_differences() -> None:
    d = np.random.default_rng(8).normal(0.1, 0.3, 40)
    comparison = _compared(d, "wilcoxon", claim="not-worse", margin=0.1)
    assert comparison.p_value == pytest.approx(
        stats.wilcoxon(d + 0.1, alternative="greater", method="exact").pvalue, rel=1e-9
    )
    found = comparison.found
    assert found is not None
    assert found.interval is not None
    assert (found.null, found.direction, comparison.verdict) == (-0.1, Verdict.NOT_WORSE, Verdict.NOT_WORSE)
    assert found.interval.low > -0.1
    assert found.interval.high == np.inf
    equivalent = _compared(d, "wilcoxon", claim="equivalent", margin=0.3)
    above = stats.wilcoxon(d + 0.3, alternative="greater", method="exact").pvalue
    below = stats.wilcoxon(d - 0.3, alternative="less", method="exact").pvalue
    assert equivalent.p_value == pytest.approx(max(above, below), rel=1e-9)
    assert equivalent.found is not None
    assert equivalent.found.interval is not None
    assert equivalent.found.interval.confidence_level == pytest.approx(0.9)
    assert equivalent.verdict is Verdict.EQUIVALENT


def test_a_mean_beyond_the_margin_withholds_not_worse() -> None:
    baseline, candidate = _against()
    [comparison] = outscore.compare(baseline, candidate, tests="wilcoxon", claim="not-worse", margin=0.1).comparisons
    assert comparison.p_value < 1e-4
    assert comparison.found is not None
    assert comparison.found.direction is Verdict.NOT_WORSE
    assert comparison.verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    ("test", "metric", "why"),
    [("sign", "mean", "not in the unit of the score"), ("wilcoxon", "wer", "not in the unit of the score")],
)
def test_margins_that_have_no_such_scale_are_errors(test: str, metric: str, why: str) -> None:
    systems: Any = ([0.1, 0.2, 0.4], [0.3, 0.2, 0.5]) if metric == "mean" else (["a b", "c d e"], ["a c", "c d e"])
    options: Any = {} if metric == "mean" else {"references": ["a b", "c d e"]}
    with pytest.raises(outscore.NotApplicableError, match=why):
        outscore.compare(*systems, metric=metric, tests=test, claim="not-worse", margin=0.01, **options)


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "mcnemar", "randomization"])
def test_of_binary_items_all_are_one_test_of_the_gain(test: str) -> None:
    rng = np.random.default_rng(4)
    one, other = (rng.random(80) < 0.6).astype(float), (rng.random(80) < 0.75).astype(float)
    [comparison] = outscore.compare(one, other, metric="accuracy", tests=test).comparisons
    [expected] = outscore.compare(one, other, metric="accuracy", tests="randomization").comparisons
    assert comparison.found is None
    assert comparison.test.quantity is None
    assert comparison.interval == expected.interval
    assert comparison.verdict == expected.verdict


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
def test_identical_systems_have_no_other_quantity(test: str) -> None:
    for metric, scores in (("accuracy", [1.0, 0.0, 1.0]), ("mean", [0.3, 0.2, 0.9])):
        [comparison] = outscore.compare(scores, scores, metric=metric, tests=test).comparisons
        assert (comparison.found, comparison.p_value, comparison.verdict) == (None, 1.0, Verdict.INCONCLUSIVE)


def test_ratios_rank_the_differences_of_counts() -> None:
    """Word errors of utterances: the estimate is in errors, not in points of WER."""
    reference = ["a b c d", "e f", "g h i", "j", "k l"] * 6
    baseline = ["a b c x", "e x", "g x x", "j", "x x"] * 6
    candidate = ["a b c d", "e f", "g h x", "j j", "k l"] * 6
    [comparison] = outscore.compare(
        baseline, candidate, references=reference, metric="wer", tests="wilcoxon"
    ).comparisons
    d = np.array([1, 1, 1, -1, 2] * 6)
    found = comparison.found
    assert found is not None
    assert found.unit == "count"
    averages = [(d[i] + d[j]) / 2 for i in range(30) for j in range(i, 30)]
    assert found.estimate == np.median(averages)
    assert "differences of the items' counts is +1" in " ".join(comparison.sentence.split())


def test_json_has_both_verdicts() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    baseline, candidate = _against()
    result = outscore.compare(candidate, baseline, tests=["sign", "wilcoxon", "paired-t"])
    written = json.loads(result.to_json())
    jsonschema.validate(written, schema_of(written["schema"]))
    [comparison] = written["comparisons"]
    assert comparison["verdict"] == "inconclusive"
    found = comparison["found"]
    assert {key: found[key] for key in ("quantity", "direction", "wins", "losses", "null", "unit")} == {
        "quantity": "share of wins",
        "direction": "worse",
        "wins": 6,
        "losses": 54,
        "null": 0.5,
        "unit": "share",
    }
    assert [(test.get("quantity"), test.get("sign")) for test in comparison["tests"]] == [
        ("share of wins", -1),
        ("pseudo-median", -1),
        (None, None),
    ]
    assert pickle.loads(pickle.dumps(result)) == result


def test_other_tests_of_a_comparison_name_their_hypotheses() -> None:
    baseline, candidate = _against()
    text = str(outscore.compare(baseline, candidate, tests=["paired-t", "sign", "wilcoxon"]))
    assert {"gain = 0", "share of wins = 1/2", "pseudo-median = 0"} <= {
        line[12:33].strip() for line in text.splitlines()
    }


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
def test_rankings_count_opposed_pairs_as_not_significant(test: str) -> None:
    baseline, candidate = _against()
    worst = baseline - 100
    ranking = outscore.rank({"a": baseline, "b": candidate, "c": worst}, tests=test)
    pair = ranking.pair("b", "a")
    assert pair.p_holm < 1e-4
    assert (pair.sign, pair.opposed) == (-1, True)
    assert ranking.pair("a", "b").sign == 1
    ranks = {
        system.name: (system.rank_low, system.rank_high, system.group, system.cluster) for system in ranking.systems
    }
    assert ranks == {"a": (1, 2, "a", 1), "b": (1, 2, "a", 1), "c": (3, 3, "b", 2)}
    [warning] = [warning for warning in ranking.warnings if "favours the system with the worse score" in warning]
    assert "In 1 of 3 pairs" in warning
    assert "b over a" in warning
    quantity = {"sign": "share of wins", "wilcoxon": "pseudo-median"}[test]
    assert ranking.test_title.endswith(f" of the {quantity}")
    assert not any("contradict" in warning for warning in ranking.warnings)


def test_datasets_count_opposed_ones_as_not_significant() -> None:
    baseline, candidate = _against(n=40, few=4)
    sets = np.array(["x"] * 20 + ["y"] * 20)
    for alternative in ("two-sided", "greater"):
        result: Any = outscore.compare(baseline, candidate, tests="sign", test_sets=sets, alternative=alternative)
        [both] = result.comparisons
        assert [one.verdict for one in both.test_sets] == [Verdict.INCONCLUSIVE, Verdict.BETTER]
        assert [one.p_value < 0.05 for one in both.test_sets] == [True, True]
        assert both.better_on == ("y",)
        assert "share of wins" in str(result)


def test_gates_are_inconclusive_where_the_mean_points_the_other_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gates use the default test. If that were one of another quantity, they would not pass either."""
    baseline, candidate = _against()
    monkeypatch.setattr(pair_tests, "default_test", lambda *_: Wilcoxon())
    result = outscore.gate(baseline, candidate, margin=0.1)
    [check] = result.checks
    assert check.p_pass < 1e-4  # a pseudo-median of −0.1 or less is rejected
    assert (check.outcome, result.exit_status) == (GateOutcome.INCONCLUSIVE, 3)


def test_power_counts_verdicts() -> None:
    """One item in 20 outweighs the others: signs reject in nearly all test sets, and the mean opposes them in half."""
    rng = np.random.default_rng(6)
    d = rng.normal(1, 0.2, 200)
    d[:10] = -19
    population = outscore.pilot(np.zeros(200), d, n_sets=400, n_checks=20)
    for row in outscore.plan_power(population, 200, 0.05, tests=["sign", "wilcoxon"]).rows:
        assert 0.3 < row.power.value < 0.75
        assert row.power.check is not None
        assert row.power.check.n_more + row.power.check.n_fewer == 0


@pytest.mark.skipif(not SPEECH.is_dir(), reason="the LibriSpeech outputs are not in ../shared")
def test_verdicts_on_speech_recognisers() -> None:
    """Of 12 verdicts, 3 had the direction of the mean against their own statistic; errors by another edit distance."""
    names = ("azure", "watson", "google", "deepspeech")
    words = {
        name: [line.split()[1:] for line in (SPEECH / path).read_text(encoding="utf-8").split("\n") if line]
        for name, path in [("ref", "ref.txt"), *((name, f"systems/{name}.txt") for name in names)]
    }
    errors = {
        name: np.array([_edits(one, other) for one, other in zip(words["ref"], words[name], strict=True)])
        for name in names
    }
    reversed_ones = set()
    for test in ("sign", "wilcoxon"):
        for one, other in permutations(names, 2):
            d = errors[one] - errors[other]
            wins, losses = int((d > 0).sum()), int((d < 0).sum())
            ranks = stats.rankdata(np.abs(d[d != 0])) * np.sign(d[d != 0])
            side = np.sign(wins - losses if test == "sign" else ranks.sum())
            result = outscore.compare(errors[one], errors[other], lower_is_better=True, tests=test)
            [comparison] = result.comparisons
            assert comparison.found is not None
            if test == "sign":
                assert (comparison.found.wins, comparison.found.losses) == (wins, losses)
                p = stats.binomtest(wins, wins + losses).pvalue
                assert comparison.p_value == pytest.approx(p, rel=1e-9, abs=1e-300)
            assert comparison.tests[0].sign == side
            found = ("better" if side > 0 else "worse") if comparison.p_value <= 0.05 else "inconclusive"
            assert comparison.found.direction.value == found
            if side * comparison.gain < 0 and found != "inconclusive":
                reversed_ones.add((test, frozenset((one, other))))
                found = "inconclusive"
            assert comparison.verdict.value == found
    assert reversed_ones == {
        ("sign", frozenset(("azure", "watson"))),
        ("sign", frozenset(("azure", "google"))),
        ("wilcoxon", frozenset(("azure", "watson"))),
    }


@pytest.mark.skipif(not SPEECH.is_dir(), reason="the LibriSpeech outputs are not in ../shared")
def test_word_error_rates_of_speech_recognisers() -> None:
    azure, watson = (str(SPEECH / "systems" / f"{name}.txt") for name in ("azure", "watson"))
    result = outscore.compare(azure, watson, references=str(SPEECH / "ref.txt"), metric="wer", tests="sign,wilcoxon")
    [comparison] = result.comparisons
    sign, wilcoxon = comparison.tests
    assert (sign.p_value, wilcoxon.p_value) == pytest.approx((6.8e-22, 1.5e-10), rel=0.02)
    assert (sign.sign, wilcoxon.sign, comparison.verdict) == (-1, -1, Verdict.INCONCLUSIVE)
    assert wilcoxon.statistic == 554066.5
    assert comparison.withheld == (
        "watson loses to azure on 1,016 of the 1,643 items that differ (share won 38.2%, 95% Clopper-Pearson interval "
        "35.8 to 40.6), but its WER is 1.04 points lower. A few items outweigh the many. The two answer different "
        "questions. For the WER use the default test."
    )


def _edits(reference: list[str], hypothesis: list[str]) -> int:
    row = list(range(len(hypothesis) + 1))
    for i, word in enumerate(reference, 1):
        previous, row[0] = row[0], i
        for j, other in enumerate(hypothesis, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (word != other))
    return row[-1]
