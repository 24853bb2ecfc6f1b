"""Comparisons of unpaired systems: named tests against SciPy and enumeration, sentences, and how they are called."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import fisher_exact, mannwhitneyu, permutation_test, rankdata, ttest_ind

import outscore
from outscore.cli import main
from outscore.errors import OptionError
from outscore.results import UnpairedComparison
from outscore.significance import unpaired

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
    found = compared(*samples, alternative=alternative, tests="welch")
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
    found = compared(a, b, tests="label-permutation", alternative=alternative).tests[0]
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
    theirs = compared(*LARGE, tests="welch").tests[0].p_value
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
        found = compared(a, b, tests="skew-t,permutation")
        rejected += [test.p_value <= 0.05 for test in found.tests]
    assert max(rejected) <= 40


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
    assert "skewness-corrected two-sample t-test" in repr(result)


@pytest.mark.parametrize(
    "options",
    [
        {"clusters": [[1] * 6, [2] * 6]},
        {"strata": [1] * 6},
        {"claim": "equivalent"},
        {"margin": 0.1},
        {"claim": "not-worse", "margin": 0.1, "alternative": "less"},
        {"claim": "not-worse", "margin": 0.1, "tests": "brunner-munzel"},
        {"clusters": [1] * 6},  # of 6 items only
        {"tests": "fisher"},
        {"tests": "unconditional"},
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


def test_tests_of_items_need_item_scores() -> None:
    rows = np.array([[1.0, 2.0, 2.0], [1.0, 1.0, 4.0]])
    for tests in ("welch", "permutation", "brunner-munzel", "rank-sum", "label-permutation"):
        with pytest.raises(outscore.NotApplicableError, match="mean of item scores"):
            compared(rows, rows, metric="f1", tests=tests)
    assert compared(rows, rows[::-1], metric="f1").p_value == 1.0
    assert compared([1.0, 1.0], [1.0, 1.0, 1.0], tests="rank-sum,permutation").tests[1].p_value == 1
    equal = compared(np.ones(20_000), np.ones(20_000), tests="rank-sum").tests[0]
    assert (equal.p_value, equal.computation) == (1.0, "exact")


@pytest.mark.parametrize("tests", ["auto", "welch"])
def test_constant_scores_have_no_p_value(tests: str) -> None:
    result = outscore.compare([4.0] * 9, [5.0] * 7, unpaired=True, tests=tests)
    made = result.comparisons[0]
    assert math.isnan(made.p_value)
    assert (made.verdict, made.interval.method) == ("inconclusive", "none")
    assert (
        "All scores of baseline are 4.0 and all of candidate are 5.0, so there is no p-value and no interval."
        in " ".join(str(result).split())
    )
    as_json = json.loads(result.to_json())["comparisons"][0]
    assert as_json["tests"][0]["p_value"] is None
    assert (as_json["interval"]["low"], as_json["interval"]["high"]) == (None, None)
    # Scores of 0 and 1 have the exact test, and a range shows what is possible.
    assert compared([0.0] * 9, [1.0] * 7).tests[0].name == "unconditional"
    assert compared([4.0] * 9, [5.0] * 7, metric="mean:lowest=1,highest=5").p_value < 1


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("ties", [False, True])
def test_few_studentized_permutations_are_enumerated(alternative: Any, ties: bool) -> None:
    """The statistic is SciPy's, over all assignments of the items to systems."""
    a, b = (np.rint(one) if ties else one for one in (SMALL[0][:5], SMALL[1][:6]))
    both = np.concatenate([a, b])

    def welch(chosen: tuple[int, ...]) -> float:
        rest = np.delete(both, chosen)
        return float(ttest_ind(both[list(chosen)], rest, equal_var=False).statistic)

    def brunner_munzel(chosen: tuple[int, ...]) -> float:
        mine, rest = both[list(chosen)], np.delete(both, chosen)
        share = float((np.sign(mine[:, None] - rest) + 1).mean() / 2)
        variances = [
            float(np.var(np.sign(one[:, None] - other).mean(axis=1) / 2, ddof=1)) / len(one)
            for one, other in ((mine, rest), (rest, mine))
        ]
        gain, error = share - 0.5, math.sqrt(sum(variances))
        return gain / error if error > 1e-12 else math.copysign(math.inf, gain) if abs(gain) > 1e-12 else 0.0

    for name, statistic in (("permutation", welch), ("brunner-munzel", brunner_munzel)):
        observed = statistic(tuple(range(5, 11)))
        every = np.array([statistic(chosen) for chosen in itertools.combinations(range(11), 6)])
        slack = 1e-9 if math.isfinite(observed) else 0.0
        above, below = (every >= observed - slack).mean(), (every <= observed + slack).mean()
        expected = {"two-sided": min(2 * min(above, below), 1.0), "greater": above, "less": below}[alternative]
        [found] = compared(a, b, tests=name, alternative=alternative).tests
        assert found.computation == "exact"
        assert (found.statistic, found.p_value) == pytest.approx((observed, expected))


def test_sampled_permutations_are_near_the_t_distribution() -> None:
    """For normal scores of equal spread both tests agree; 20,000 permutations have a standard error of .0015."""
    a, b = STREAM.normal(size=40), STREAM.normal(0.4, size=60)
    for test in ("permutation", "brunner-munzel"):
        near = compared(a, b, tests={"permutation": "welch"}.get(test, test)).p_value
        found = compared(a[:9] if test == "brunner-munzel" else a, b, tests=test, n_resamples=20_000).tests[0]
        assert found.computation == "20,000 permutations"
        if test == "permutation":
            assert found.p_value == pytest.approx(near, abs=0.01)


def test_brunner_munzel_of_many_ties_is_a_permutation_test() -> None:
    """95% zeros: with t distributions 35% of true nulls are rejected at these sizes."""
    zeros = np.zeros(200)
    zeros[:10] = np.arange(1.0, 11.0)
    few = np.append(np.zeros(19), 3.0)
    made = compared(few, zeros, tests="brunner-munzel", n_resamples=500)
    assert made.tests[0].computation == "500 permutations"
    assert made.found is not None
    assert made.found.interval is None
    assert made.found.estimate == pytest.approx(0.5, abs=0.02)
    plain = compared(STREAM.normal(size=30), STREAM.normal(size=40), tests="brunner-munzel")
    assert plain.tests[0].computation == "asymptotic"
    assert plain.tests[0].interval is not None


def outweighed() -> tuple[Any, Any]:
    """Return systems of which the candidate usually scores better, but with a lower mean."""
    stream = np.random.default_rng(0)
    a, b = stream.normal(0, 1, 60), stream.normal(1.5, 1, 60)
    b[:6] -= 60
    return a, b


def test_verdicts_have_the_direction_of_the_test() -> None:
    result = outscore.compare(*outweighed(), unpaired=True, tests="brunner-munzel,welch")
    made = result.comparisons[0]
    assert made.gain < 0
    assert made.p_value < 1e-4
    assert made.found is not None
    assert (made.found.quantity, made.found.direction) == ("share of pairs won", "better")
    assert made.verdict == "inconclusive"
    sentence = " ".join(str(result).split())
    assert "scores better in 77.7% of all pairs of their items" in sentence
    assert "The gain points the other way, so there is no verdict on it" in sentence
    less = compared(*outweighed(), tests="brunner-munzel", alternative="less")
    assert less.p_value > 0.99
    assert less.verdict == "inconclusive"
    # If the mean agrees, the verdict is about the share, and the mean was not tested.
    agreed = outscore.compare(LARGE[0], LARGE[1] + 3, unpaired=True, tests="brunner-munzel")
    assert agreed.comparisons[0].verdict == "better"
    assert "The gain was not tested." in " ".join(str(agreed).split())


@pytest.mark.parametrize("test", ["rank-sum", "label-permutation"])
def test_tests_of_one_distribution_give_no_verdict(test: str) -> None:
    result = outscore.compare(LARGE[0], LARGE[1] + 9, unpaired=True, tests=test, n_resamples=999)
    made = result.comparisons[0]
    assert made.p_value <= 0.001
    assert (made.verdict, made.found, made.tests[0].quantity) == ("inconclusive", None, "distribution")
    sentence = " ".join(str(result).split())
    assert "The null hypothesis of this p-value is that all scores have one distribution." in sentence
    assert "It gives no verdict on means" in sentence
    assert ("interval of the default test" in sentence) == (test == "label-permutation")


def test_permutations_of_means_show_the_interval_of_the_default_test() -> None:
    result = outscore.compare(*LARGE, unpaired=True, tests="permutation", n_resamples=999)
    made, default = result.comparisons[0], compared(*LARGE)
    assert made.interval == default.interval
    assert made.tests[0].interval is None
    assert "p is for equal distributions" in " ".join(str(result).split())


def test_unequal_spreads() -> None:
    """sd 3 against 1, 20 against 100 items: permuted differences of means reject 30% of true nulls, not so others.

    150 sets at 5%: at a true 7%, more than 24 rejections have a probability of 1e-4.
    """
    stream = np.random.default_rng(5)
    names = ("auto", "brunner-munzel", "label-permutation")
    rejected = dict.fromkeys(names, 0)
    for _ in range(150):
        a, b = stream.normal(0, 3, 20), stream.normal(0, 1, 100)
        tests = compared(a, b, tests=",".join(names), n_resamples=199).tests
        for name, test in zip(names, tests, strict=True):
            rejected[name] += test.p_value <= 0.05
    assert max(rejected["auto"], rejected["brunner-munzel"]) <= 24
    assert rejected["label-permutation"] > 30


@pytest.mark.parametrize("alternative", SIDES)
def test_fisher_is_scipys(alternative: Any) -> None:
    a, b = np.repeat([0.0, 1.0], [31, 9]), np.repeat([0.0, 1.0], [20, 13])
    found = compared(a, b, tests="fisher", alternative=alternative)
    odds, p = fisher_exact(np.array([[13, 20], [9, 31]]), alternative=alternative)
    assert (found.tests[0].statistic, found.p_value) == pytest.approx((odds, p))
    assert found.interval.method == "unconditional"
    assert found.tests[0].interval is None


def test_items_of_0_and_1_have_the_exact_test() -> None:
    """A few right items of 50 and 500: Welch's t-test says "better, p = .0015"."""
    result = outscore.compare([0] * 50, [1] * 10 + [0] * 490, unpaired=True, metric="accuracy")
    made = result.comparisons[0]
    assert (made.tests[0].name, made.verdict) == ("unconditional", "inconclusive")
    assert made.p_value == pytest.approx(0.4527, abs=5e-5)
    assert "-4.2 to +3.6" in str(result)
    # Errors, of which fewer are better: the same the other way round.
    errors = compared([1] * 50, [0] * 10 + [1] * 490, lower_is_better=True)
    assert errors.p_value == pytest.approx(made.p_value)
    assert errors.gain == pytest.approx(0.02)
    assert errors.baseline_score == 1.0
    # Grades from 1 to 5 that happen to be 1 are no proportions.
    assert compared([1, 1, 2], [1, 1, 1], metric="mean:lowest=1,highest=5").tests[0].name == "skew-t"
    smallest = outscore.compare([0] * 400, [1] * 400, unpaired=True)
    assert smallest.comparisons[0].tests[0].is_bound
    assert "p ≤ 2e-09" in str(smallest)


def test_margins() -> None:
    a, b = np.repeat([0.0, 1.0], [20, 80]), np.repeat([0.0, 1.0], [18, 82])
    made = outscore.compare(a, b, unpaired=True, claim="not-worse", margin="10%", metric="accuracy")
    [comparison] = made.comparisons
    assert comparison.p_value == pytest.approx(0.018259004762, rel=1e-8)  # an oracle of the exact test
    assert (comparison.verdict, made.claim, made.margin) == ("not worse", "not-worse", 0.1)
    assert comparison.interval.low > -0.1
    assert comparison.interval.high == math.inf
    assert "non-inferiority with a margin of 10.0 points" in " ".join(str(made).split())
    equivalent = outscore.compare(a, b, unpaired=True, claim="equivalent", margin=0.1)
    [comparison] = equivalent.comparisons
    assert comparison.interval.confidence_level == pytest.approx(0.9)
    one_sided = [compared(*pair, claim="not-worse", margin=0.1).p_value for pair in ((a, b), (b, a))]
    assert comparison.p_value == max(one_sided)
    assert (comparison.verdict == "equivalent") == (comparison.p_value <= 0.05)
    # Of other scores the margin is in the unit of the score: the shifted scores are not worse by 0 or more.
    graded = compared(*LARGE, claim="not-worse", margin=0.25)
    assert graded.p_value == pytest.approx(compared(LARGE[0] - 0.25, LARGE[1], alternative="greater").p_value)
    assert compared(*LARGE, claim="not-worse", margin=0.25, tests="welch").p_value == pytest.approx(
        ttest_ind(LARGE[1], LARGE[0] - 0.25, equal_var=False, alternative="greater").pvalue
    )


def test_ratios_and_texts_have_the_test_of_two_samples() -> None:
    """WER and F1 are ratios of sums, BLEU is not; all have influences."""
    words = [["a", "b", "c", "d", "e", "f"][: 3 + k % 4] for k in range(24)]
    references = [" ".join(of) for of in words]
    worse = [" ".join(["x", *of[1:]]) for of in words]
    mixed = [text if k % 3 else references[k] for k, text in enumerate(worse)]
    for metric in ("wer", "bleu", "rougeL"):
        made = compared(worse, mixed, references=references, metric=metric)
        assert made.tests[0].name == "skew-t"
        assert made.gain > 0
        assert made.interval.holds(0) == (made.p_value > 0.05)
    errors, sizes = [1] * 24, [len(of) for of in words]
    ours = compared(worse, mixed, references=references, metric="wer")
    fewer = [int(k % 3 > 0) for k in range(24)]
    by_hand = compared(
        np.column_stack([errors, sizes]), np.column_stack([fewer, sizes]), metric="ratio", lower_is_better=True
    )
    assert ours.p_value == pytest.approx(by_hand.p_value)


def test_clusters_are_those_of_each_system(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As ratios of the clusters' sums to their sizes."""
    stream, sums = np.random.default_rng(2), []
    for name, clusters in (("a", 9), ("b", 14)):
        lines, of_system = ["item,score,document"], []
        for cluster in range(clusters):
            size = int(stream.integers(1, 6))
            scores = (stream.random(size) < 0.6).astype(int).tolist()
            lines += [f"{name}{cluster}.{k},{score},{name}{cluster}" for k, score in enumerate(scores)]
            of_system.append([sum(scores), size])
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
        sums.append(np.array(of_system))
    files = [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]
    with pytest.raises(SystemExit):
        main(
            ["compare", "--unpaired", *(f"{file}:score" for file in files), "--cluster", "document", "--format", "json"]
        )
    found = json.loads(capsys.readouterr().out)
    [made] = found["comparisons"]
    by_hand = compared(*sums, metric="ratio:lowest=0,highest=1")
    assert made["tests"][0]["name"] == "skew-t"
    assert made["tests"][0]["p_value"] == pytest.approx(by_hand.p_value)
    assert made["interval"]["high"] == pytest.approx(by_hand.interval.high)
    assert (made["candidate"], made["baseline_clusters"], made["candidate_clusters"]) == ("b", 9, 14)
    assert "unit:cluster" in found["signature"]
    turned = outscore.compare(*files, unpaired=True, clusters="document", score_column="score", baseline="b")
    assert turned.comparisons[0].p_value == pytest.approx(by_hand.p_value)
    # Labels of all items of both systems, by id.
    labelled = outscore.compare(
        {"p": 1.0, "q": 0.0, "r": 2.0},
        {"s": 3.0, "t": 1.0},
        unpaired=True,
        clusters=dict(zip("pqrst", "xxyzw", strict=False)),
    )
    assert labelled.comparisons[0].baseline_clusters == 2
    with pytest.raises(outscore.NotApplicableError, match="independent items"):
        outscore.compare(*files, unpaired=True, clusters="document", score_column="score", tests="welch")


def test_several_metrics_that_nobody_named_are_refused(tmp_path: Path) -> None:
    """As in a leaderboard file, or in scores that were read before; none of them is taken silently."""
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("id,em,f1\nx,1,0.5\ny,0,0.25\nz,1,1\n")
    board = tmp_path / "board.toml"
    board.write_text(
        'metrics = ["em", "f1"]\n[[systems]]\nname = "a"\nfile = "a.csv"\n[[systems]]\nname = "b"\nfile = "b.csv"\n'
    )
    scores = outscore.read({"a": str(tmp_path / "a.csv"), "b": str(tmp_path / "b.csv")}, score_column="em,f1")
    several = r'metric: expected one metric with unpaired=True, got "em", "f1".*\[several-metrics\]'
    for given, baseline in ((str(board), "a"), (scores, None)):
        with pytest.raises(outscore.OptionError, match=several):
            outscore.compare(given, baseline=baseline, unpaired=True)
    assert outscore.compare(scores, metric="f1", unpaired=True).metric.name == "f1"


def test_tables_of_several_tests_fit_a_terminal() -> None:
    samples = {"baseline": SMALL[0], "a_candidate_with_a_long_name": SMALL[1], "another": LARGE[1]}
    tests = ["permutation", "brunner-munzel", "rank-sum", "welch"]
    text = outscore.compare(samples, tests=tests, unpaired=True, n_resamples=200, seed=1).to_text(width=80)
    assert max(map(len, text.splitlines())) <= 80
    assert all(word in text.split() for word in ("distribution", "permutations", "asymptotic"))


def test_ids_that_only_some_items_share_and_other_scales_are_warned_of() -> None:
    first = {f"q{k}": float(k % 2) for k in range(20)}
    other = {f"q{k}": float(k % 3 == 0) for k in range(5, 40)}
    result = outscore.compare(first, other, unpaired=True)
    (said,) = result.warnings
    assert said.startswith("candidate and baseline share 15 item ids. If these are the same items")
    assert "on 35 items, baseline 0.50 on 20 items" in result.sentences[0]
    graded = list(np.linspace(0.1, 0.9, 30))
    (said,) = outscore.compare(list(first.values()), graded, unpaired=True).warnings
    assert said.startswith("All scores of baseline are 0 or 1, and those of candidate are not. Check that")
    assert said.endswith("If scores have a range, pass it, as in mean:lowest=0,highest=1.")
    assert not outscore.compare(list(first.values()), graded, unpaired=True, metric="mean:lowest=0,highest=1").warnings


@pytest.mark.parametrize("metric", ["wer", "bleu", "accuracy", "macro-f1"])
def test_each_system_may_have_its_own_references(metric: str, tmp_path: Path) -> None:
    lines = {"ref_a": 30, "a": 30, "ref_b": 24, "b": 24}
    rng = np.random.default_rng(4)
    for name, n in lines.items():
        words = ["yes", "no"] if metric in ("accuracy", "macro-f1") else ["a", "b", "c", "d", "e", "f"]
        size = 1 if metric in ("accuracy", "macro-f1") else 6
        texts = [" ".join(rng.choice(words, size)) for _ in range(n)]
        (tmp_path / f"{name}.txt").write_text("\n".join(texts))
    files = {name: str(tmp_path / f"{name}.txt") for name in lines}
    how: Any = {"metric": metric, "references": [files["ref_a"], files["ref_b"]], "unpaired": True}
    result = outscore.compare(files["a"], files["b"], **how)
    scores = [outscore.score(files[name], metric=metric, references=files[f"ref_{name}"]).scores[0] for name in "ab"]
    found = result.comparisons[0]
    assert (found.baseline_score, found.candidate_score) == (scores[0].score, scores[1].score)
    assert (found.n_baseline, found.n_candidate) == (30, 24)
    assert result.warnings[0].startswith("Each system has its own references: a with ")
    turned = outscore.compare(files["a"], files["b"], baseline="b", **how).comparisons[0]
    assert (turned.baseline, turned.gain) == ("b", pytest.approx(-found.gain))
    if metric == "macro-f1":
        Path(files["ref_b"]).write_text("\n".join(["yes", "maybe"] * 12))
        with pytest.raises(OptionError, match=r"depends on the labels that occur.*\[other-labels\]"):
            outscore.compare(files["a"], files["b"], **how)


def test_the_paragraph_on_methods() -> None:
    first = outscore.compare([0] * 50, [1] * 10 + [0] * 490, unpaired=True, metric="accuracy")
    assert "50 items for baseline and 500 items for candidate" in first.methods
    assert "exact unconditional test (Gart and Nam, 1990; Berger and Boos, 1994)" in first.methods
    assert "@article{berger1994," in first.bibtex
    share = outscore.compare(*LARGE, LARGE[0], unpaired=True, tests="brunner-munzel")
    assert "We tested the share of pairs won with the two-sided Brunner-Munzel test" in share.methods
    assert "corrected by Holm's method" in share.methods
    drawn = outscore.compare(*LARGE, unpaired=True, tests="permutation", n_resamples=200)
    assert "from 200 permutations" in drawn.methods
    assert "random seed 12345" in drawn.methods


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
        main(["compare", "--unpaired", *files, "--stratum", "c.txt"])
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("--stratum: cannot be combined with --unpaired")


def test_no_p_value_with_an_interval() -> None:
    """Welch's t-test has no p-value of constant scores, but the default test has an interval of rates."""
    result = outscore.compare([1] * 6, [1] * 5, unpaired=True, tests="welch", metric="accuracy")
    [made] = result.comparisons
    assert math.isnan(made.p_value)
    assert made.interval.method == "unconditional"
    assert math.isfinite(made.interval.low)
    expected = "All scores of baseline are 100% and all of candidate are 100%, so there is no p-value."
    assert made.withheld == expected


def test_sides_name_what_is_tested() -> None:
    sentence = str(outscore.compare(*LARGE, unpaired=True, tests="brunner-munzel", alternative="less"))
    assert "one-sided Brunner-Munzel test of a lower share of pairs won" in " ".join(sentence.split())
    sentence = str(outscore.compare(*LARGE, unpaired=True, tests="welch", alternative="less"))
    assert "one-sided Welch's t-test of a loss" in " ".join(sentence.split())


def test_small_p_values_of_permutations_are_about_distributions() -> None:
    sentence = " ".join(str(outscore.compare(*SMALL, unpaired=True, tests="permutation")).split())
    assert "A small one shows that the distributions differ. It is not exact for equal means." in sentence


def test_the_paragraph_names_the_family() -> None:
    result = outscore.compare(*LARGE, LARGE[0], unpaired=True)
    assert "corrected by Holm's method (Holm, 1979) over 2 comparisons" in result.methods


@pytest.mark.parametrize("test", ["permutation", "brunner-munzel", "label-permutation"])
@pytest.mark.parametrize("alternative", SIDES)
def test_sampled_permutations_are_near_all_of_them(
    test: str, alternative: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """20,000 permutations have a standard error of at most .0071 for a doubled p: .03 is 4 of them."""
    grades = [1, 2, 2, 3, 5, 2, 1.0], [2, 3, 3, 4, 5, 5, 5, 4.0]  # 6,435 assignments
    exact = compared(*grades, tests=test, alternative=alternative).tests[0]
    assert exact.computation == "exact"
    monkeypatch.setattr(unpaired, "MOST_LABELLINGS", 0)
    for samples in (grades, grades[::-1]):
        turned = (
            {"greater": "less", "less": "greater"}.get(alternative, alternative) if samples != grades else alternative
        )
        for steps in (1, 100):  # each way to draw
            monkeypatch.setattr(unpaired, "_STEPS_OF_DRAW", steps)
            found = compared(*samples, tests=test, alternative=turned, n_resamples=20_000).tests[0]
            assert found.computation == "20,000 permutations"
            assert found.p_value == pytest.approx(exact.p_value, abs=0.03)


def test_permutations_of_many_items_are_bounded() -> None:
    """Of ties only the distinct scores count: 5,000 items with 4 of them had 80 seconds of permutations."""
    stream = np.random.default_rng(0)
    distinct = compared(stream.normal(size=4_000), stream.normal(size=4_000), tests="label-permutation").tests[0]
    assert distinct.computation == "10,000 permutations"  # of 2e8 / (4,000 + 2 * 8,000)
    zeros = np.append(np.zeros(4_997), [1.0, 2.0, 3.0])
    tied = compared(zeros, zeros[::-1] * 2, tests="brunner-munzel").tests[0]
    assert tied.computation == "100,000 permutations"


@pytest.mark.parametrize(("low", "high", "sizes"), [(1.0, 2.0, (3, 4)), (0.5, 0.7, (5, 9)), (0.9, 0.2, (2, 5))])
def test_the_observed_assignment_is_one_of_the_permutations(low: float, high: float, sizes: tuple[int, int]) -> None:
    """Two constant systems: only the observed assignment separates them, and its mirror if there is one."""
    n_a, n_b = sizes
    found: Any = outscore.compare([low] * n_a, [high] * n_b, unpaired=True, tests="permutation")
    assert found.comparisons[0].tests[0].p_value == pytest.approx(2 / math.comb(n_a + n_b, n_a), rel=1e-9)
