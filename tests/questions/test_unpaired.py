"""Tests of independent samples: against SciPy and enumeration, and their doors."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, permutation_test, rankdata, ttest_ind

import outscore
from outscore.cli import main
from outscore.results import UnpairedComparison

EVERY: Any = np.inf
SIDES = ("two-sided", "greater", "less")
STREAM = np.random.default_rng(11)
SMALL = (STREAM.normal(size=6), STREAM.normal(0.5, 2, size=8))
LARGE = (STREAM.normal(size=90), STREAM.normal(0.3, 2, size=140))
MANY_TIED = (np.rint(STREAM.normal(size=300) * 3), np.rint(STREAM.normal(0.3, size=400) * 3))
TIED = (STREAM.integers(0, 5, 40) + 0.0, STREAM.integers(1, 6, 55) + 0.0)


def compared(a: object, b: object, **options: Any) -> UnpairedComparison:
    return outscore.compare(a, b, unpaired=True, **options).comparisons[0]


@pytest.mark.parametrize("samples", [SMALL, LARGE, TIED])
@pytest.mark.parametrize("alternative", SIDES)
def test_welch_is_scipys(samples: tuple[Any, Any], alternative: Any) -> None:
    found = compared(*samples, alternative=alternative)
    theirs = ttest_ind(samples[1], samples[0], equal_var=False, alternative=alternative)
    assert found.tests[0].statistic == pytest.approx(theirs.statistic)
    assert found.tests[0].p_value == pytest.approx(theirs.pvalue)
    ends = theirs.confidence_interval(0.95)
    assert (found.interval.low, found.interval.high) == pytest.approx((ends.low, ends.high))
    assert found.interval.holds(0) == (found.tests[0].p_value > 0.05)


@pytest.mark.parametrize(("samples", "method"), [(SMALL, "exact"), (LARGE, "asymptotic"), (MANY_TIED, "asymptotic")])
@pytest.mark.parametrize("alternative", SIDES)
def test_the_rank_sum_is_scipys(samples: tuple[Any, Any], method: Any, alternative: Any) -> None:
    found = compared(*samples, tests="rank-sum", alternative=alternative).tests[0]
    theirs = mannwhitneyu(samples[1], samples[0], alternative=alternative, method=method)
    assert (found.statistic, found.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert found.computation == ("exact" if method == "exact" else "asymptotic")


def rank_sum_by_enumeration(a: Any, b: Any, alternative: str) -> float:
    """Return the share of all ways to choose the candidate's items whose midranks add up to as extreme a sum."""
    ranks = rankdata(np.concatenate([a, b]))
    sums = np.array([sum(chosen) for chosen in itertools.combinations(ranks.tolist(), len(b))])  # halves: exact
    off, observed = sums - len(b) * ranks.mean(), ranks[len(a) :].sum() - len(b) * ranks.mean()
    by_side = {
        "two-sided": np.abs(off) >= abs(observed),
        "greater": off >= observed,
        "less": off <= observed,
    }
    return float(by_side[alternative].mean())


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("seed", range(12))
def test_the_rank_sum_of_few_items_is_exact_with_ties(seed: int, alternative: Any) -> None:
    stream = np.random.default_rng(seed)
    a, b = (stream.integers(0, 1 + seed, int(stream.integers(2, 9))) + 0.0 for _ in range(2))
    found = compared(a, b, tests="rank-sum", alternative=alternative).tests[0]
    assert found.computation == "exact"
    assert found.p_value == pytest.approx(rank_sum_by_enumeration(a, b, alternative), rel=1e-12)


def test_the_rank_sum_of_10_and_8_tied_grades_is_exact() -> None:
    a, b = [1, 2, 2, 3, 1, 2, 1, 3, 2, 2], [4, 3, 5, 4, 2, 4, 5, 3]
    found = compared(a, b, tests="rank-sum").tests[0]
    assert found.computation == "exact"
    assert found.p_value == pytest.approx(rank_sum_by_enumeration(a, b, "two-sided"), rel=1e-12)
    asymptotic = mannwhitneyu(b, a, method="asymptotic").pvalue
    assert abs(found.p_value / asymptotic - 1) > 0.2


@pytest.mark.parametrize("sizes", [(60, 70), (4, 900), (900, 4)])
def test_the_exact_rank_sum_of_more_items_is_scipys(sizes: tuple[int, int]) -> None:
    a, b = (np.random.default_rng(5).normal(size=size) + place for place, size in enumerate(sizes))
    found = compared(a, b, tests="rank-sum").tests[0]
    theirs = mannwhitneyu(b, a, method="exact")
    assert (found.statistic, found.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)
    assert found.computation == "exact"


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("ties", [False, True])
def test_few_labels_are_all_permuted(alternative: Any, ties: bool) -> None:
    a, b = (np.rint(one) if ties else one for one in SMALL)
    found = compared(a, b, tests="permutation", alternative=alternative).tests[0]
    if alternative == "two-sided":  # SciPy doubles the smaller tail; |gain| is another test with unequal numbers
        both, gain = np.concatenate([a, b]), abs(b.mean() - a.mean())
        theirs = permutation_test(
            (both[:6], both[6:]), lambda x, y: abs(y.mean() - x.mean()), n_resamples=EVERY, alternative="greater"
        )
        assert gain == pytest.approx(theirs.statistic)
    else:
        theirs = permutation_test((a, b), lambda x, y: y.mean() - x.mean(), n_resamples=EVERY, alternative=alternative)
    assert found.computation == "exact"
    assert found.p_value == pytest.approx(theirs.pvalue)


def test_many_labels_are_sampled_on_a_seed() -> None:
    found = [compared(*LARGE, tests="label-permutation", n_resamples=20_000).tests[0] for _ in range(2)]
    assert found[0] == found[1]
    theirs = compared(*LARGE).tests[0].p_value
    # Asymptotically alike but for the unequal variances; the larger sample has the larger one: permutation is cautious.
    assert theirs < found[0].p_value < 4 * theirs + 0.01
    far = compared(LARGE[0], LARGE[1] + 10, tests="label-permutation", n_resamples=999).tests[0]
    assert far.p_value == 1 / 1000


@pytest.mark.slow
def test_true_nulls_are_rejected_as_often_as_they_may() -> None:
    # 400 sets at 5%: more than 40 rejections have a probability below 1e-4.
    stream = np.random.default_rng(3)
    rejected = np.zeros(2, dtype=int)
    for _ in range(400):
        a, b = stream.normal(size=8), stream.normal(0, 4, size=30)
        found = compared(a, b, tests="welch,rank-sum")
        rejected += [test.p_value <= 0.05 for test in found.tests]
    assert rejected[0] <= 40


def test_losses_count_the_other_way() -> None:
    found = compared(SMALL[0], SMALL[1], lower_is_better=True)
    assert found.gain == pytest.approx(SMALL[0].mean() - SMALL[1].mean())
    assert found.candidate_score == pytest.approx(SMALL[1].mean())


def test_what_pairing_would_have_brought() -> None:
    base = STREAM.normal(size=50)
    other = base + STREAM.normal(0, 0.3, size=50)
    with_ids = [{f"q{i}": float(score) for i, score in enumerate(scores)} for scores in (base, other)]
    result = outscore.compare(*with_ids, unpaired=True)
    r12 = float(np.corrcoef(base, other)[0, 1])
    assert result.comparisons[0].correlation == pytest.approx(r12)
    assert f"{(1 - r12) ** 0.5:.2f} times as wide" in result.notes[0]
    # Lists of counts are often sorted, so without ids the order shows nothing.
    assert outscore.compare(base, other, unpaired=True).comparisons[0].correlation is None
    by_id = outscore.compare({"x": 1.0, "y": 2.0}, {"y": 1.0, "z": 2.0, "w": 4.0}, unpaired=True)
    assert by_id.comparisons[0].correlation is None


def test_several_candidates_are_corrected() -> None:
    result = outscore.compare(LARGE[0], LARGE[1], LARGE[1] + 0.4, unpaired=True)
    first, second = (one.tests[0] for one in result.comparisons)
    assert max(first.adjusted_p_value, second.adjusted_p_value) >= max(first.p_value, second.p_value)
    assert min(first.adjusted_p_value, second.adjusted_p_value) == 2 * min(first.p_value, second.p_value)
    assert result.to_csv().startswith("metric,baseline,candidate")
    assert "tabular" in result.to_latex()
    assert "<svg" in result.to_html()
    assert "Welch" in repr(result)


@pytest.mark.parametrize(
    "options",
    [
        {"clusters": [1] * 6},
        {"strata": [1] * 6},
        {"claim": "equivalent", "margin": 0.1},
        {"tests": "bootstrap"},
        {"metric": ["mean", "accuracy"]},
        {"double_check": True},
        {"alpha": 1.5},
    ],
)
def test_what_pairs_alone_have_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(outscore.OutscoreError) as error:
        compared(*SMALL, **options)
    assert "\n" not in str(error.value)


def test_metrics_without_item_scores_are_refused() -> None:
    rows = np.array([[1.0, 2.0, 2.0], [1.0, 1.0, 4.0]])
    with pytest.raises(outscore.NotApplicableError, match="mean of item scores"):
        compared(rows, rows, metric="f1")
    with pytest.raises(outscore.NotApplicableError, match="have the same score"):
        compared([1.0, 1.0], [2.0, 2.0, 2.0])
    assert compared([1.0, 1.0], [1.0, 1.0, 1.0], tests="welch,rank-sum,permutation").tests[2].p_value == 1
    equal = compared(np.ones(20_000), np.ones(20_000), tests="rank-sum").tests[0]
    assert (equal.p_value, equal.computation) == (1.0, "exact")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, scores in (("a", range(12)), ("b", range(5, 20))):
        (tmp_path / f"{name}.txt").write_text("".join(f"{score}\n" for score in scores))
    files = [str(tmp_path / "a.txt"), str(tmp_path / "b.txt")]
    with pytest.raises(SystemExit) as end:
        main(["compare", "--unpaired", *files, "--format", "json"])
    assert end.value.code in (0, None)
    found = json.loads(capsys.readouterr().out)["comparisons"][0]
    assert (found["n_baseline"], found["n_candidate"], found["gain"]) == (12, 15, 6.5)
    with pytest.raises(SystemExit) as end:
        main(["compare", "--unpaired", *files, "--cluster", "c.txt"])
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("--cluster: cannot be combined with --unpaired")
