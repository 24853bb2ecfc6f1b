"""Scores of single systems: intervals against formulas, enumerations and coverage."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, binomtest, norm, t

import outscore
from outscore.cli import main
from outscore.design import Design
from outscore.metrics import Accuracy
from outscore.questions.system_scores import _Alone, settled_score
from outscore.significance.score_intervals import BoundedMean
from tests.significance.kit import in_canonical_order


def interval(*systems: object, **options: object) -> outscore.Interval:
    return outscore.score(*systems, **options).scores[0].interval  # type: ignore[arg-type]


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (10, 10), (3, 7), (499, 500), (1, 1000)])
@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_binary_items_have_clopper_and_pearsons_interval(successes: int, trials: int, alpha: float) -> None:
    found = interval([1] * successes + [0] * (trials - successes), metric="accuracy", alpha=alpha)
    theirs = binomtest(successes, trials).proportion_ci(1 - alpha, method="exact")
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert found.method == "clopper-pearson"
    assert found.exact


def test_binary_errors_have_clopper_and_pearsons_interval() -> None:
    errors = interval([0, 1] * 20 + [0] * 10, metric="mean", lower_is_better=True)
    theirs = binomtest(20, 50).proportion_ci(0.95, method="exact")
    assert (errors.low, errors.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_scores_of_unknown_range_have_the_interval_of_the_default_test() -> None:
    for scores in (np.random.default_rng(1).normal(size=11), np.random.default_rng(2).exponential(size=30)):
        found = interval(scores)
        compared = outscore.compare(np.zeros(len(scores)), scores).comparisons[0].interval
        assert (found.method, found.exact) == ("skew-t", False)
        assert (found.low, found.high) == pytest.approx((compared.low, compared.high), rel=1e-12)


def test_clusters_and_strata_and_runs_of_unknown_range_are_those_of_a_comparison_with_a_constant() -> None:
    stream = np.random.default_rng(3)
    scores, labels = stream.exponential(size=(60, 4)), [str(i // 4) for i in range(60)]
    for options in (
        {"clusters": labels},
        {"strata": [str(i % 3) for i in range(60)]},
        {"strata": ["a"] * 10 + ["b"] * 50, "weights": "macro"},
    ):
        found = interval(scores[:, 0], **options)
        compared = outscore.compare(scores[:, 0] * 0, scores[:, 0], **options).comparisons[0].interval
        assert (found.low, found.high) == pytest.approx((compared.low, compared.high), rel=1e-12)
    found = interval(scores, runs="random", clusters=labels)
    compared = (
        outscore.compare(scores, against=0, runs="random", clusters=labels, tests="skew-t").comparisons[0].interval
    )
    assert (found.low, found.high) == pytest.approx((compared.low, compared.high), rel=1e-9)


def test_graded_scores_with_a_range_use_the_bounds() -> None:
    """No item scores 0: that some would is possible, and the interval says so."""
    scores = [1.0, 0.999] * 15
    named = interval(scores, metric="mean:lowest=0,highest=1")
    assert named.method == "score"
    assert named.low < 0.92
    assert 0.9995 < named.high < 1
    assert interval(scores).low > 0.999


def test_the_score_interval_is_the_inverted_score_test() -> None:
    """Of 0 and 1 the reweighted variance is v(1 − v): Wilson's interval, with Student's quantile for the normal one."""
    scores = [1.0] * 21 + [0.0] * 9
    units = np.array(scores), np.ones(30), (0.0, 1.0), 29.0
    low, high = BoundedMean(*units).interval(0.025)
    level = 2 * norm.cdf(t.ppf(0.975, 29)) - 1
    theirs = binomtest(21, 30).proportion_ci(level, method="wilson")
    assert (low, high) == pytest.approx((theirs.low, theirs.high), abs=1e-10)
    # New runs add their variance.
    wider = BoundedMean(*units, of_levels=0.01).interval(0.025)
    assert wider[0] < low < 0.7 < high < wider[1]


def test_f1_has_the_interval_of_the_score_test() -> None:
    stream = np.random.default_rng(5)
    gold = stream.poisson(2.0, 80) + 1.0
    right = stream.binomial(gold.astype(int), 0.7) + 0.0
    found = interval(np.column_stack([right, gold, gold]), metric="f1")
    assert found.method == "score"
    flawless = interval(np.column_stack([gold, gold, gold]), metric="f1")
    assert 0.85 < flawless.low < flawless.high == 1


def test_the_law_of_a_score_is_the_enumerated_one() -> None:
    from outscore.metrics import Mean
    from outscore.significance import Resampling
    from tests.significance.kit import GainLaws

    values = np.array([0.0, 1.0, 5.0, 2.0])
    rows = np.column_stack([values, np.ones(4)]) if len(Mean().statistics) == 2 else values[:, None]
    law = GainLaws([_Alone(Mean(), rows, rows)], Resampling()).law()
    means = [np.mean(draw) for draw in itertools.product(values, repeat=4)]
    for limit in (0.5, 1.0, 2.0, 3.25):
        assert law.outside(-np.inf, limit).value == pytest.approx(np.mean(np.array(means) >= limit - 1e-12), abs=1e-12)


def test_the_interval_of_a_score_covers() -> None:
    # 95% of 150: fewer than 130 covered has a probability of 1e-5.
    stream = np.random.default_rng(7)
    hits = 0
    for _ in range(150):
        found = interval(stream.gamma(4.0, size=60), n_resamples=1000)
        hits += found.low <= 4.0 <= found.high
    assert hits >= 130


@pytest.mark.parametrize("same", [0, 1])
def test_scores_that_all_happen_to_be_1_are_not_taken_for_binary(same: int) -> None:
    (found,) = outscore.score([same] * 20).scores
    assert found.interval.method == "skew-t"
    assert (found.interval.low, found.interval.high) == (same, same)
    (warning,) = outscore.score([same] * 20).warnings
    assert "the interval has no width. If scores are 0 or 1, use the metric accuracy." in warning
    for metric in ("accuracy", "mean:lowest=0,highest=1"):
        assert outscore.score([same] * 20, metric=metric).scores[0].interval.method == "clopper-pearson"


def test_a_range_other_than_0_to_1_is_not_taken_for_binary() -> None:
    scores = [0, 1] * 30
    assert outscore.score(scores).scores[0].interval.method == "clopper-pearson"
    assert outscore.score(scores, metric="mean:lowest=0,highest=5").scores[0].interval.method == "score"


def test_a_share_has_no_interval_beyond_1() -> None:
    found = outscore.score([0.9, 1.0, 1.0, 0.2], [0.5, 0.5, 0.5, 0.5], metric="mean:lowest=0,highest=1")
    assert all(0 <= one.interval.low < one.score < one.interval.high <= 1 for one in found.scores)
    assert not found.warnings


@pytest.mark.parametrize(
    "options",
    [
        {"clusters": [str(i // 5) for i in range(60)]},
        {"strata": [str(i % 3) for i in range(60)]},
        {"strata": ["a"] * 5 + ["b"] * 55, "weights": "macro"},
    ],
)
def test_a_flawless_system_has_an_interval_with_a_width(options: dict[str, Any]) -> None:
    found = outscore.score([1] * 60, metric="accuracy", **options)
    one = found.scores[0].interval
    assert one.method == "korn-graubard"
    assert 0.5 < one.low < 0.95
    assert one.high == 1
    assert not found.warnings


def test_a_flawless_system_of_runs_has_an_interval_with_a_width() -> None:
    for runs in ("fixed", "random"):
        found = interval(np.ones((60, 3)), metric="accuracy", runs=runs, clusters=[str(i // 5) for i in range(60)])
        assert found.low < 0.9 < found.high == 1


def test_korn_and_graubards_interval_by_definition() -> None:
    stream = np.random.default_rng(8)
    right, clusters = (stream.random(200) < 0.8).astype(int), np.repeat(np.arange(20), 10)
    found = outscore.score(right, metric="accuracy", clusters=[str(c) for c in clusters]).scores[0]
    share = right.mean()
    u = (np.bincount(clusters, right) - 10 * share) / 200 / np.sqrt(0.95)
    degrees = min(19, 3 * (u**2).sum() ** 2 / (u**4).sum() - 1)
    trials = min(share * (1 - share) / (u**2).sum(), 200) * (t.ppf(0.975, 199) / t.ppf(0.975, degrees)) ** 2
    right_ones = share * trials
    assert found.interval.low == pytest.approx(beta.ppf(0.025, right_ones, trials - right_ones + 1), rel=1e-10)
    assert found.interval.high == pytest.approx(beta.ppf(0.975, right_ones + 1, trials - right_ones), rel=1e-10)


def test_clusters_of_one_item_have_hardly_another_interval_than_items() -> None:
    right = [1, 0, 1, 1] * 25
    items, clusters = interval(right), interval(right, clusters=[str(i) for i in range(100)])
    assert (items.method, clusters.method) == ("clopper-pearson", "korn-graubard")
    assert (clusters.low, clusters.high) == pytest.approx((items.low, items.high), abs=0.005)


def test_rare_errors_of_heavy_strata_are_possible() -> None:
    """Two strata of 5 weigh a third each: that no item of theirs is wrong does not say that none can be."""
    right = [1] * 10 + [1, 1, 1, 0] * 75
    found = interval(right, metric="accuracy", strata=["a"] * 5 + ["b"] * 5 + ["c"] * 300, weights="macro")
    assert found.low < 0.75


def test_a_warning_names_the_few_items_that_carry_the_variance() -> None:
    (warning,) = outscore.score([1.0, 0.9, 1.1, 1.05] * 10 + [9.0]).warnings
    assert "1 of 41 items (item 41) accounts" in warning
    assert "mean:lowest=0,highest=1" in warning


def test_a_score_that_hangs_on_one_unit_has_no_end() -> None:
    """Without the one reference that has words there is no WER: it may have any value of 0 or more."""
    found = outscore.score(["a b c", "", ""], references=["a b d", "", ""], metric="wer")
    assert (found.scores[0].interval.low, found.scores[0].interval.high) == (0, np.inf)
    assert json.loads(found.to_json())["scores"][0]["interval"]["high"] is None
    assert "at least 0" in str(found)
    assert "<svg" in found.to_html()


def test_one_function_gives_the_interval_of_a_system_of_a_ranking() -> None:
    right = np.array([1.0, 0.0, 1.0] * 20)
    rows = outscore.read(right, metric="accuracy").rows[0][0]
    (system,), design = in_canonical_order([rows], Design(60))
    assert settled_score(Accuracy(), system, design, 0.05).interval == interval(right, metric="accuracy")


def test_a_score_of_outputs_that_is_recomputed() -> None:
    gold = [float(i) for i in range(30)]
    found = outscore.score(
        [float((i * 3) % 31) for i in range(30)], references=gold, metric="spearman", n_resamples=500
    )
    one = found.scores[0]
    assert -1 <= one.interval.low < one.score < one.interval.high <= 1
    assert one.interval.high - one.interval.low < 1
    assert one.system == "system"


def test_names_and_metrics_of_several_systems() -> None:
    found = outscore.score({"old": [1, 0, 1], "new": [1, 1, 1]}, metric=["accuracy", "mean"])
    assert [(one.metric.name, one.system) for one in found.scores] == [
        (metric, system) for metric in ("accuracy", "mean") for system in ("old", "new")
    ]
    assert found.records()[3]["score"] == 1
    assert found.to_csv().startswith("metric,system,score,interval_low")
    assert "tabular" in found.to_latex()
    assert "old" in found.to_markdown()
    assert "<svg" in found.to_html()
    assert "interval" in found._repr_html_()


def test_errors_are_one_line() -> None:
    wrong: list[tuple[list[object], dict[str, Any]]] = [
        ([], {}),
        ([[1]], {}),
        ([[1, 0]], {"alpha": 2}),
        ([[1, 0]], {"n_resamples": 0}),
        ([[1, 0]], {"clusters": ["a", "a"]}),
    ]
    for systems, options in wrong:
        with pytest.raises(outscore.OutscoreError) as error:
            outscore.score(*systems, **options)
        assert "\n" not in str(error.value)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, right in (("a", "1\n0\n1\n1\n"), ("b", "1\n1\n1\n1\n")):
        (tmp_path / f"{name}.txt").write_text(right)
    board = 'metrics = "accuracy"\n' + "".join(f'[[systems]]\nname = "{n}"\nfile = "{n}.txt"\n' for n in "ab")
    (tmp_path / "board.toml").write_text(board)
    with pytest.raises(SystemExit) as end:
        main(["score", str(tmp_path / "board.toml"), "--format", "json"])
    assert end.value.code in (0, None)
    found = json.loads(capsys.readouterr().out)
    assert [(one["system"], one["score"]) for one in found["scores"]] == [("a", 0.75), ("b", 1.0)]
    for argv in (["score"], ["score", str(tmp_path / "none.txt")]):
        with pytest.raises(SystemExit) as end:
            main(argv)
        assert end.value.code == 2
        assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("n", [15, 50])
def test_scores_that_are_equal_within_strata_have_an_interval(n: int) -> None:
    """Neither stratum shows any spread, but a known range says that other scores are possible."""
    options: dict[str, Any] = {"metric": "mean:lowest=0,highest=1"}
    found = interval(np.repeat([1.0, 0.5], n), **options, strata=["easy"] * n + ["hard"] * n)
    assert found.method == "score"
    # Wilson's interval of 2n flawless items, of which an unseen one would lose the mean.
    assert found.low == pytest.approx(0.75 * 2 * n / (2 * n + t.isf(0.025, 2 * n - 2) ** 2), abs=1e-9)
    assert 0.75 < found.high < interval(np.repeat([1.0, 0.5], n), **options).high


@pytest.mark.slow
@pytest.mark.parametrize(("n", "zeros", "noise"), [(15, 0.02, 0.0), (30, 0.02, 0.1), (100, 0.01, 0.1)])
def test_intervals_in_strata_of_a_known_range_cover(n: int, zeros: float, noise: float) -> None:
    rng = np.random.default_rng(4)
    truth, sets, covered = 0.75 * (1 - zeros) * (1 - noise / 2), 150, 0
    for _ in range(sets):
        scores = np.repeat([1.0, 0.5], n) * (1 - noise * rng.random(2 * n)) * (rng.random(2 * n) >= zeros)
        found = interval(scores, metric="mean:lowest=0,highest=1", strata=["easy"] * n + ["hard"] * n)
        covered += found.low - 1e-9 <= truth <= found.high + 1e-9
    assert covered >= 0.93 * sets


def test_a_ranking_warns_of_scores_that_rest_on_few_clusters() -> None:
    rng = np.random.default_rng(1)
    clusters = [str(place // 20) for place in range(100)]
    systems = {name: rng.normal(0, 1, 100) + np.repeat(rng.normal(0, 1, 5), 20) for name in "abc"}
    ranking = outscore.rank(systems, clusters=clusters)
    first, second, last = (system.name for system in ranking.systems)
    said = f"For 3 of 3 systems ({first}, {second} and {last}) fewer than 5 clusters carry the variance of the score."
    assert [warning for warning in ranking.warnings if warning.startswith(said)]
    assert said in " ".join(ranking.to_text(table="intervals").split())
    assert said in ranking.to_latex(table="intervals")
    assert "of the score" not in " ".join(outscore.rank(systems).warnings)
