"""Scores of single systems: intervals against formulas, enumerations and coverage."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, t

import outscore
from outscore.cli import main


def interval(*systems: object, **options: object) -> outscore.Interval:
    return outscore.score(*systems, **options).scores[0].interval  # type: ignore[arg-type]


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (10, 10), (3, 7), (499, 500), (1, 1000)])
@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_wilson_is_scipys(successes: int, trials: int, alpha: float) -> None:
    mine = wilson_interval(successes, trials, alpha)
    theirs = binomtest(successes, trials).proportion_ci(1 - alpha, method="wilson")
    assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high), abs=1e-14)


def test_right_or_wrong_items_have_wilsons_interval() -> None:
    found = interval([1] * 30, metric="accuracy")
    assert found.method == "wilson"
    assert found.high == 1
    assert 0.88 < found.low < 0.9
    errors = interval([0, 1] * 20 + [0] * 10, metric="mean", lower_is_better=True)
    theirs = binomtest(20, 50).proportion_ci(0.95, method="wilson")
    assert (errors.low, errors.high) == pytest.approx((theirs.low, theirs.high), abs=1e-14)


def test_few_real_scores_have_students_interval() -> None:
    scores = np.random.default_rng(1).normal(size=11)
    found = interval(scores)
    reach = t.ppf(0.975, 10) * scores.std(ddof=1) / 11**0.5
    assert "cr2-t" in found.method
    assert found.low <= scores.mean() - reach + 1e-12
    assert found.high >= scores.mean() + reach - 1e-12


def test_the_bootstrap_law_of_f1_is_exact() -> None:
    stream = np.random.default_rng(5)
    gold = stream.poisson(2.0, 80) + 1.0
    right = stream.binomial(gold.astype(int), 0.7) + 0.0
    rows = np.column_stack([right, gold, gold])
    exact = interval(rows, metric="f1")
    sampled = interval(rows, metric="f1", method="monte-carlo", n_resamples=20_000)
    assert exact.exact
    assert not sampled.exact
    assert (exact.low, exact.high) == pytest.approx((sampled.low, sampled.high), abs=0.003)


def test_the_law_of_a_score_is_the_enumerated_one() -> None:
    from outscore.metrics import Mean
    from outscore.significance import Resampling
    from outscore.significance.gain_laws import GainLaws
    from outscore.significance.system_scores import _Alone

    values = np.array([0.0, 1.0, 5.0, 2.0])
    rows = np.column_stack([values, np.ones(4)]) if len(Mean().statistics) == 2 else values[:, None]
    law = GainLaws([_Alone(Mean(), rows, rows)], Resampling()).bootstrap(0)
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
    assert found.interval.method != "wilson"
    assert (found.interval.low, found.interval.high) == (same, same)
    (warning,) = outscore.score([same] * 20).warnings
    assert "the interval has no width. If scores are 0 or 1, name the metric accuracy." in warning
    for metric in ("accuracy", "mean:lowest=0,highest=1"):
        assert outscore.score([same] * 20, metric=metric).scores[0].interval.method == "wilson"


def test_a_range_other_than_0_to_1_is_not_taken_for_binary() -> None:
    scores = [0, 1] * 30
    assert outscore.score(scores).scores[0].interval.method == "wilson"
    assert outscore.score(scores, metric="mean:lowest=0,highest=5").scores[0].interval.method != "wilson"


def test_a_share_has_no_interval_beyond_1() -> None:
    found = outscore.score([0.9, 1.0, 1.0, 0.2], [0.5, 0.5, 0.5, 0.5], metric="mean:lowest=0,highest=1")
    assert found.scores[0].interval.high == 1
    assert found.scores[1].interval.low == 0.5
    assert any("have the same score" in warning for warning in found.warnings)


def test_clusters_and_strata_are_kept() -> None:
    values, clusters = [1, 1, 0, 0] * 15, [i // 4 for i in range(60)]
    clustered = outscore.score(values, metric="accuracy", clusters=clusters)
    assert clustered.scores[0].n_units == 15
    assert clustered.unit == "cluster"
    assert clustered.scores[0].interval.low == clustered.scores[0].interval.high == 0.5
    strata = interval(values, metric="accuracy", strata=[i % 2 for i in range(60)])
    assert strata.method.startswith("symmetric")
    assert strata.low < 0.5 < strata.high


def test_a_score_of_outputs_that_is_recomputed() -> None:
    gold = [float(i) for i in range(30)]
    found = outscore.score(
        [float((i * 3) % 31) for i in range(30)], references=gold, metric="spearman", n_resamples=500
    )
    one = found.scores[0]
    assert one.interval.low < one.score < one.interval.high
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
