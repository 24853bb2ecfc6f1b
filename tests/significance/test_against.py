"""One system against a constant: the laws of any mean, and the words for it."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import outscore
from outscore.errors import NotApplicableError, OptionError
from tests.frozen.cases import run
from tests.laws.kit import student_p_value

PREFERENCES = [1, 0.5, 1, 1, 0, 1, 1, 0.5, 1, 1]


def test_it_is_the_comparison_with_a_system_of_that_score() -> None:
    constant = outscore.compare([0.5] * 10, PREFERENCES, tests="all").comparisons[0]
    against = outscore.compare(PREFERENCES, against=0.5, tests="all").comparisons[0]
    assert (against.baseline, against.against, against.gain) == ("0.5", 0.5, constant.gain)
    assert constant.against is None
    known = {test.name: test.p_value for test in constant.tests}
    assert {test.name: test.p_value for test in against.tests} == {
        name: known[name] for name in known if "two" not in name
    }
    assert against.interval == constant.interval


def test_swaps_are_counted_exactly() -> None:
    d = np.array(PREFERENCES) - 0.5
    extreme = [abs(np.dot(signs, d)) >= abs(d.sum()) - 1e-12 for signs in product((1, -1), repeat=len(d))]
    result = outscore.compare(PREFERENCES, against=0.5, tests="randomization").comparisons[0]
    assert result.test.p_value == pytest.approx(np.mean(extreme), rel=1e-12)
    assert result.test.exact


def test_it_is_the_one_sample_t_test() -> None:
    d = np.array(PREFERENCES) - 0.5
    t = d.mean() / (d.std(ddof=1) / np.sqrt(len(d)))
    result = outscore.compare(PREFERENCES, against=0.5, tests="paired-t").comparisons[0]
    assert result.test.p_value == pytest.approx(
        student_p_value(float(t), len(d) - 1, outscore.Alternative.TWO_SIDED), rel=1e-12
    )


def test_of_what_it_speaks() -> None:
    result = outscore.compare(PREFERENCES, against=0.5)
    assert "scores 0.80 against a constant of 0.50 (mean, 10 items)" in result.sentences[0]
    assert "|against:0.5|" in result.signature
    assert json.loads(result.to_json())["comparisons"][0]["against"] == 0.5
    assert "against" not in json.loads(outscore.compare([1, 0], [1, 1]).to_json())["comparisons"][0]
    for form in (result.to_html(), result.to_markdown(), result.to_latex(details=True)):
        assert "a constant of" in form
    table = result.to_text(table="scores").splitlines()
    assert ["constant", "0.50"] in [line.split() for line in table]
    assert "No test against the constant is significant (" in " ".join(table)


def test_a_constant_has_no_correlation() -> None:
    [c] = outscore.compare([0.2, 0.4, 0.9, 0.7, 0.6], against=0.5).comparisons
    assert c.correlation is None
    assert "correlation" not in c.to_text(details=True)


def test_shares_are_written_as_shares() -> None:
    right = [1, 1, 0, 1, 1, 1, 0, 1] * 10
    results = [outscore.compare(right, metric="accuracy", against=value) for value in ("50%", 0.5)]
    assert results[0] == results[1]
    assert "75 against a constant of 50 (accuracy in %" in results[0].sentences[0]
    for value, slug in ((50, "not-a-share"), ("150%", "out-of-range"), ("half", "not-a-number")):
        with pytest.raises(OptionError, match=rf"\[{slug}\]"):
            outscore.compare(right, metric="accuracy", against=value)


def test_several_systems_and_one_table_of_them() -> None:
    stream = np.random.default_rng(0)
    systems = {name: stream.integers(0, 3, 40) / 2 for name in ("one", "two", "three")}
    result = outscore.compare(systems, against=0.5)
    assert [c.candidate for c in result.comparisons] == list(systems)
    assert {c.baseline for c in result.comparisons} == {"0.5"}
    assert outscore.compare(outscore.read(systems), against=0.5) == result
    one_by_one = [outscore.compare(system, against=0.5).comparisons[0] for system in systems.values()]
    assert [c.test.p_value for c in one_by_one] == [c.test.p_value for c in result.comparisons]


def test_clusters_strata_weights_and_test_sets() -> None:
    stream = np.random.default_rng(1)
    scores = stream.integers(0, 3, 60) / 2
    labels = [f"l{i // 6}" for i in range(60)]
    halves = ["a"] * 20 + ["b"] * 40
    constant = np.full(60, 0.5)
    for reading in (
        {"clusters": labels},
        {"strata": halves},
        {"strata": halves, "weights": "macro"},
    ):
        arguments: Any = reading
        here = outscore.compare(scores, against=0.5, **arguments).comparisons[0]
        there = outscore.compare(constant, scores, **arguments).comparisons[0]
        assert (here.gain, here.test.p_value) == (there.gain, there.test.p_value)
        assert here.interval == there.interval
    several: Any = outscore.compare(scores, against=0.5, test_sets=halves)
    assert [one.n_items for one in several.comparisons[0].test_sets] == [20, 40]


def test_samples_are_reduced_before() -> None:
    samples = np.random.default_rng(2).integers(0, 2, (30, 6)).astype(float)
    result = outscore.compare(samples, against=0.9, runs="samples", reduce="pass@2").comparisons[0]
    wrong = 6 - samples.sum(axis=1)
    scores = 1 - wrong * (wrong - 1) / 30
    assert result.candidate_score == pytest.approx(scores.mean(), rel=1e-12)
    assert result.gain == pytest.approx(scores.mean() - 0.9, rel=1e-12)
    assert result.baseline_score == pytest.approx(0.9, rel=1e-12)


def test_random_runs_are_those_of_the_system_alone() -> None:
    stream = np.random.default_rng(3)
    scores = stream.normal(0.6, 1, (50, 1)) + stream.normal(0, 0.3, 4) + stream.normal(0, 0.5, (50, 4))
    result = outscore.compare(scores, against=0.5, runs="random").comparisons[0]
    alone = outscore.score(scores, runs="random").scores[0]
    assert result.test.name == "skew-t"
    assert result.interval.low + 0.5 == pytest.approx(alone.interval.low, rel=1e-12)
    assert result.interval.high + 0.5 == pytest.approx(alone.interval.high, rel=1e-12)
    assert result.run_sd is not None
    assert result.run_sd.estimate == pytest.approx(scores.mean(axis=0).std(ddof=1), rel=1e-12)
    with pytest.raises(NotApplicableError, match="a constant has no runs"):
        outscore.compare(scores, against=0.5, runs="random", tests="permute-runs")
    fixed = outscore.compare(scores, against=0.5, runs="fixed").comparisons[0]
    means = outscore.compare(scores.mean(axis=1), against=0.5).comparisons[0]
    assert fixed.test.p_value == pytest.approx(means.test.p_value, rel=1e-9)


def test_one_run_with_a_known_deviation() -> None:
    scores = np.random.default_rng(4).normal(0.6, 1, 50)
    result = outscore.compare(scores, against=0.5, runs="random", run_sd=0.1).comparisons[0]
    error = np.sqrt(scores.var(ddof=1) / 50 + 0.1**2)
    t = (scores.mean() - 0.5) / error
    p = student_p_value(float(t), 49, outscore.Alternative.TWO_SIDED)
    assert result.test.p_value == pytest.approx(p, rel=1e-12)


def test_losses_are_turned() -> None:
    result = outscore.compare([1.0, 2.0, 3.0], against=2.5, lower_is_better=True).comparisons[0]
    assert result.gain == pytest.approx(0.5)


REFUSED: list[tuple[Any, Any, str]] = [
    ([PREFERENCES], {"baseline": "x"}, "against-constant"),
    ([PREFERENCES], {"unpaired": True}, "against-constant"),
    ([PREFERENCES], {"tests": "two-sample-t"}, "not-applicable"),
    ([], {}, "no-system"),
    ([PREFERENCES], {"against": float("nan")}, "out-of-range"),
    ([[[1, 2, 3], [2, 3, 4]]], {"metric": "f1"}, "no-constant"),
    ([[[1, 2], [2, 3]], [[1, 4], [2, 3]]], {"metric": "ratio"}, "unlike-weights"),
]


@pytest.mark.parametrize(("systems", "arguments", "slug"), REFUSED)
def test_what_is_refused(systems: Any, arguments: Any, slug: str) -> None:
    with pytest.raises((OptionError, NotApplicableError), match=rf"\[{slug}\]"):
        outscore.compare(*systems, **{"against": 0.5, **arguments})


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"q{i},{score}" for i, score in enumerate(PREFERENCES)]
    Path("prefs.csv").write_text("\n".join(["item,preference", *rows]) + "\n")
    status, out, err = run("compare prefs.csv --against 0.5 --format json")
    assert status == 0, err
    assert out == outscore.compare("prefs.csv", against=0.5).to_json()
    assert run("compare prefs.csv --against 0.5 --report page.html")[0] == 0
    assert "a constant of 0.5" in Path("page.html").read_text(encoding="utf-8")
    assert run("compare --against 0.5")[0] == 2


@pytest.mark.parametrize("constant", [0.02, 0.5, 0.9, 0.98, "100%"])
@pytest.mark.parametrize("n", [20, 50])
def test_items_scored_0_or_1_take_the_exact_binomial_test(n: int, constant: float | str) -> None:
    share = 1.0 if constant == "100%" else float(constant)
    for k in {0, 1, n // 2, n - 1, n}:
        right = np.r_[np.ones(k), np.zeros(n - k)]
        c = outscore.compare(right, against=constant, metric="accuracy").comparisons[0]
        test = c.test
        assert (test.name, test.title, test.computation) == ("binomial", "exact binomial test", "exact: binomial")
        tails = [stats.binomtest(k, n, share, alternative).pvalue for alternative in ("greater", "less")]
        assert test.p_value == pytest.approx(min(1, 2 * min(tails)), rel=1e-9, abs=1e-300)
        for alternative, p in zip(("greater", "less"), tails, strict=True):
            one = outscore.compare(right, against=constant, metric="accuracy", alternative=alternative).comparisons[0]
            assert one.test.p_value == pytest.approx(p, rel=1e-9, abs=1e-300)
        score = outscore.score(right, metric="accuracy").scores[0].interval
        assert (c.interval.low, c.interval.high) == pytest.approx((score.low - share, score.high - share), abs=1e-15)
        assert (test.p_value <= 0.05) == (not c.interval.low <= 0 <= c.interval.high)


def test_the_binomial_test_keeps_its_level_exactly() -> None:
    """The sign test against the constant, which flawless data had, rejects 36% of true nulls here."""
    n, share = 50, 0.98
    likely = [k for k in range(n + 1) if stats.binom.pmf(k, n, share) > 1e-9]
    level = 0.0
    for k in likely:
        c = outscore.compare(np.r_[np.ones(k), np.zeros(n - k)], against=share, metric="accuracy").comparisons[0]
        level += stats.binom.pmf(k, n, share) * (c.verdict != "inconclusive")
    assert 0 < level <= 0.05


def test_the_binomial_test_is_turned_where_lower_is_better() -> None:
    wrong = np.r_[np.ones(3), np.zeros(47)]
    options: dict[str, Any] = {"metric": "mean", "lower_is_better": True, "against": 0.2}
    c = outscore.compare(wrong, **options).comparisons[0]
    assert (c.test.name, c.gain, c.verdict) == ("binomial", pytest.approx(0.14), "better")
    assert c.test.p_value == pytest.approx(2 * stats.binom.cdf(3, 50, 0.2), rel=1e-9)
    low, high = stats.binomtest(3, 50).proportion_ci(0.95, "exact")
    assert (c.interval.low, c.interval.high) == pytest.approx((0.2 - high, 0.2 - low))


def test_the_binomial_test_knows_margins() -> None:
    right = np.r_[np.ones(45), np.zeros(5)]
    c = outscore.compare(right, against=0.85, metric="accuracy", claim="not-worse", margin=0.1).comparisons[0]
    assert c.test.name == "binomial"
    assert c.test.p_value == pytest.approx(stats.binom.sf(44, 50, 0.75), rel=1e-9)
    assert not any("margin" in warning for warning in c.warnings)


def test_the_binomial_test_is_of_a_constant_and_independent_items() -> None:
    right = np.r_[np.ones(45), np.zeros(5)]
    designs: list[dict[str, Any]] = [
        {"clusters": [i // 5 for i in range(50)]},
        {"strata": [i // 25 for i in range(50)]},
    ]
    for options in designs:
        with pytest.raises(NotApplicableError, match="binomial"):
            outscore.compare(right, against=0.8, metric="accuracy", tests="binomial", **options)
        c = outscore.compare(right, against=0.8, metric="accuracy", **options).comparisons[0]
        assert c.test.name == "skew-t"
    with pytest.raises(NotApplicableError, match="for two systems use sign"):
        outscore.compare(right, right[::-1], metric="accuracy", tests="binom.test")
    with pytest.raises(NotApplicableError, match="scored 0 or 1"):
        outscore.compare(PREFERENCES, against=0.5, tests="binomial")
    both = outscore.compare(right, right[::-1], metric="accuracy", tests="all").comparisons[0]
    assert "binomial" not in [one.name for one in both.left_out]
    everything = outscore.compare(right, against=0.8, metric="accuracy", tests="all").comparisons[0]
    assert "binomial" in [one.name for one in everything.tests]


GRADES = {"metric": "mean:lowest=1,highest=5"}
ALIKE: dict[str, tuple[Any, dict[str, Any]]] = {
    "clusters": (np.ones(50), {"metric": "accuracy", "clusters": [i // 5 for i in range(50)]}),
    "unequal clusters": (np.ones(50), {"metric": "accuracy", "clusters": [0] * 20 + list(range(1, 31))}),
    "strata": (np.ones(50), {"metric": "accuracy", "strata": [i // 10 for i in range(50)]}),
    "grades": (np.full(50, 4.0), GRADES),
    "grades at the bound": (np.full(50, 5.0), GRADES),
    "levels of strata": (np.tile([5.0, 3.0], 25), {**GRADES, "strata": [0, 1] * 25}),
    "costs": (np.full(50, 2.0), {**GRADES, "lower_is_better": True}),
}


@pytest.mark.parametrize("case", ALIKE)
def test_equal_scores_of_a_known_range_have_the_interval_of_score(case: str) -> None:
    scores, options = ALIKE[case]
    score = outscore.score(scores, **options).scores[0]
    own, (lowest, highest) = score.interval, (0, 1) if options["metric"] == "accuracy" else (1, 5)
    assert own.high > own.low
    rejected = set()
    for off in (-1.4, -0.2, -0.02, -0.001, 0.001, 0.02, 0.2):
        constant = score.score + off * (highest - lowest) / 2
        if not lowest <= constant < highest:
            continue
        c = outscore.compare(scores, against=constant, **options).comparisons[0]
        ends = own.low - constant, own.high - constant
        if "lower_is_better" in options:
            ends = -ends[1], -ends[0]
        assert (c.interval.low, c.interval.high) == pytest.approx(ends, abs=1e-9)
        assert (c.test.p_value <= 0.05) == (not own.low <= constant <= own.high)
        assert any("allows for unobserved scores" in warning for warning in c.warnings)
        rejected.add(c.verdict != "inconclusive")
    assert rejected == {True, False}
