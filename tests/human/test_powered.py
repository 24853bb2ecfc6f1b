"""Few human and many judge labels: prediction-powered scores, comparisons and rankings, against plain formulas."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import ranksums

import outscore
from outscore import SystemScore
from outscore._types import FloatArray
from outscore.cli import main
from outscore.errors import DataError, NotApplicableError, OptionError
from outscore.metrics import Mean
from outscore.results import PredictionPowered
from outscore.wings.human.powered import Labels
from tests.metaeval.test_wmt23 import HUMAN, METRICS, ROOT


class Plain(NamedTuple):
    """A prediction-powered mean by its formula."""

    estimate: float
    lambda_: float
    error: float  # as published
    wider: float  # with residuals divided by 1 - h
    correlation: float
    worth: float


def plain(y: FloatArray, f: FloatArray, rest: FloatArray) -> Plain:
    """Return the prediction-powered mean of labels y with the judge's f, and `rest` on the items without a label."""
    n, other = len(y), len(rest)
    covariance = float(np.cov(y, f)[0, 1])
    weight = covariance / ((1 + n / other) * float(np.concatenate([f, rest]).var(ddof=1)))
    left, unlabelled = y - weight * f, weight**2 * float(rest.var(ddof=1)) / other
    leverage = (f - f.mean()) ** 2 / ((f - f.mean()) ** 2).sum()
    wider = (left - left.mean()) / (1 - leverage)
    r = float(np.corrcoef(y, f)[0, 1])
    return Plain(
        weight * float(rest.mean()) + float(left.mean()),
        weight,
        math.sqrt(float(left.var(ddof=1)) / n + unlabelled),
        math.sqrt(float(wider.var(ddof=1)) / n + unlabelled),
        r,
        n * (1 / (1 - r**2 * other / (n + other)) - 1),
    )


def table(human: Sequence[float | None], judge: Sequence[float], **columns: Sequence[object]) -> pd.DataFrame:
    ids = [f"i{place}" for place in range(len(judge))]
    return pd.DataFrame({"item": ids, "human": human, "judge": judge, **columns})


def labelled(rng: np.random.Generator, n: int, other: int, *, shift: float = 0.0, first: bool = False) -> pd.DataFrame:
    """Return the table of a system whose judge sees a part of the quality, on another scale."""
    quality = rng.gamma(2.0, size=n + other) + shift
    human = quality + rng.normal(0, 0.5, n + other)
    judge = 0.05 * quality + rng.normal(0, 0.03, n + other)
    keep = np.arange(n + other) < n if first else rng.permutation(n + other) < n
    return table([value if own else None for value, own in zip(human, keep, strict=True)], judge.tolist())


def split(frame: pd.DataFrame) -> tuple[FloatArray, FloatArray, FloatArray]:
    own = frame["human"].notna().to_numpy()
    y, f = frame["human"].to_numpy(dtype=np.float64), frame["judge"].to_numpy(dtype=np.float64)
    return y[own], f[own], f[~own]


LABELS: Mapping[str, Any] = {"human": "human", "judge": "judge"}


def scored(frame: pd.DataFrame, **options: Any) -> tuple[SystemScore, PredictionPowered, float]:
    """Return the score of one system, what its labels are worth, and its standard error."""
    one = outscore.score(frame, **{**LABELS, **options}).scores[0]
    assert one.prediction_powered is not None
    assert one.standard_error is not None
    return one, one.prediction_powered, one.standard_error.value


# ppi-python 0.2.3: ppi_mean_pointestimate(Y, Yhat, Yhat_unlabeled), and its lam, which divides the covariance by n.
PPI = (
    (
        [1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1],
        [1, 0, 1, 0, 0, 1, 1, 1, 1, 1, 0, 1],
        [1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1],
        0.6881613756613756,
    ),
    (
        [3.1, 4.2, 2.5, 5.0, 3.3, 4.4, 1.9, 2.7, 3.8, 4.9],
        [2.9, 4.5, 2.0, 4.6, 3.9, 4.0, 2.5, 2.2, 4.1, 4.4],
        [3.0, 2.1, 4.4, 3.6, 2.8, 4.1, 3.3, 1.7, 4.9, 3.5, 2.6, 3.9, 4.2, 3.1, 2.4, 3.7, 4.6, 2.2, 3.4, 3.0],
        3.4520748424,
    ),
)


@pytest.mark.parametrize(("human", "judge", "rest", "estimate"), PPI)
def test_a_mean_is_that_of_ppi_python(
    human: list[float], judge: list[float], rest: list[float], estimate: float
) -> None:
    frame = table([*human, *[None] * len(rest)], [*judge, *rest])
    one, powered, _ = scored(frame)
    y, f, others = map(np.array, (human, judge, rest))
    assert 0 < powered.lambda_ < 1
    theirs = powered.lambda_ * (1 - 1 / len(y))
    assert theirs * others.mean() + (y - theirs * f).mean() == pytest.approx(estimate, abs=1e-9)
    assert one.score == pytest.approx(powered.lambda_ * others.mean() + (y - powered.lambda_ * f).mean(), abs=1e-12)


# Of `designs/meta.md`: XCOMET-Ensemble, MQM of every fifth of the 460 segments.
WMT23 = {
    "GPT4-5shot": (-3.140217, 0.470054, 18.853063, -3.173175, 0.410131),
    "ONLINE-W": (-3.859783, 0.622552, 23.758574, -3.966577, 0.520893),
}


def wmt23(system: str) -> pd.DataFrame:
    def of(path: Path) -> list[float | None]:
        lines = (line.split("\t") for line in path.read_text().splitlines())
        return [None if score.strip() == "None" else float(score) for name, score in lines if name == system]

    people, judge = of(HUMAN), of(METRICS / "XCOMET-Ensemble-refA.seg.score")
    scored = [(y, f) for y, f in zip(people, judge, strict=True) if y is not None]
    human = [y if place % 5 == 0 else None for place, (y, _) in enumerate(scored)]
    return table(human, [float(f) for _, f in scored if f is not None])


@pytest.mark.skipif(not ROOT.exists(), reason="the data of WMT23 are not on this machine")
@pytest.mark.parametrize("system", WMT23)
def test_scores_of_wmt23(system: str) -> None:
    alone, error, weight, estimate, powered_error = WMT23[system]
    frame = wmt23(system)
    one, powered, own_error = scored(frame)
    y, f, rest = split(frame)
    expected = plain(y, f, rest)
    assert y.std(ddof=1) / math.sqrt(len(y)) == pytest.approx(error, abs=1e-6)
    assert powered.labels_alone == pytest.approx(alone, abs=1e-6)
    assert powered.lambda_ == pytest.approx(weight, abs=1e-6)
    assert one.score == pytest.approx(estimate, abs=1e-6)
    assert expected.error == pytest.approx(powered_error, abs=1e-6)
    assert own_error == pytest.approx(expected.wider, rel=1e-12)
    assert 1.02 < own_error / powered_error < 1.1  # few heavy segments determine λ
    assert (powered.n_labelled, powered.n_unlabelled) == (92, 368)


@pytest.mark.skipif(not ROOT.exists(), reason="the data of WMT23 are not on this machine")
def test_a_comparison_in_wmt23_takes_the_lambda_of_the_differences() -> None:
    one, other = wmt23("ONLINE-W"), wmt23("ONLINE-B")
    c = outscore.compare(one, other, **LABELS).comparisons[0]
    expected = plain(*(b - a for a, b in zip(split(one), split(other), strict=True)))
    powered = c.prediction_powered
    assert c.gain == pytest.approx(expected.estimate, abs=1e-12)
    assert powered.lambda_ == pytest.approx(expected.lambda_, rel=1e-12)
    assert (powered.correlation, powered.worth_labels) == pytest.approx((expected.correlation, expected.worth))
    assert c.candidate_score - c.baseline_score == pytest.approx(c.gain, abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(20, 60),
    other=st.integers(20, 400),
    scale=st.sampled_from([1.0, -1.0, 1e3, 1e-3]),
)
def test_score_and_gain_are_those_of_the_formula(seed: int, n: int, other: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    frames = [labelled(rng, n, other, first=True), labelled(rng, n, other, shift=0.5, first=True)]
    for frame in frames:
        frame["judge"] *= scale
        _, f, rest = split(frame)
        assume(ranksums(f, rest).pvalue > 0.003)  # one random sample of 1,000 is refused
        expected, (one, powered, error) = plain(*split(frame)), scored(frame)
        assert one.score == pytest.approx(expected.estimate, rel=1e-9)
        assert powered.lambda_ == pytest.approx(expected.lambda_, rel=1e-9)
        assert error == pytest.approx(expected.wider, rel=1e-9)
    expected = plain(*(b - a for a, b in zip(*map(split, frames), strict=True)))
    c = outscore.compare(*frames, **LABELS).comparisons[0]
    assert c.gain == pytest.approx(expected.estimate, rel=1e-9)
    assert c.prediction_powered.worth_labels == pytest.approx(expected.worth, rel=1e-9, abs=1e-9)


def test_a_judge_without_variance_has_no_weight() -> None:
    frame = labelled(np.random.default_rng(1), 40, 100)
    frame["judge"] = 0.1
    (one, powered, error), (y, _, _) = scored(frame), split(frame)
    assert (powered.lambda_, powered.correlation, powered.worth_labels) == (0.0, None, 0.0)
    assert one.score == pytest.approx(y.mean(), rel=1e-12)
    assert error == pytest.approx(y.std(ddof=1) / math.sqrt(len(y)), rel=1e-12)


def test_a_judge_that_always_agrees_makes_its_labels_human() -> None:
    frame = labelled(np.random.default_rng(2), 40, 100)
    y, _, rest = split(frame)
    frame.loc[frame["human"].notna(), "judge"] = y
    frame.loc[frame["human"].isna(), "judge"] = 20 * rest
    assert scored(frame)[1].worth_labels == pytest.approx(100, rel=1e-9)


def test_without_many_judge_labels_a_ratio_is_that_of_human_labels() -> None:
    rng = np.random.default_rng(3)
    n = 200
    words = rng.integers(5, 40, n)
    errors = rng.binomial(words, 0.2)
    frame = table(
        [float(e) if i < 60 else None for i, e in enumerate(errors)],
        rng.normal(0, 1, n).tolist(),
        denominator=words.tolist(),
    )
    one, powered, error = scored(frame, metric="ratio")
    alone = float(errors[:60].sum() / words[:60].sum())
    assert powered.labels_alone == pytest.approx(alone, rel=1e-12)
    judged = frame["judge"].to_numpy(dtype=np.float64)
    judge = judged[:60].sum() / words[:60].sum(), judged[60:].sum() / words[60:].sum()
    assert one.score == pytest.approx(alone + powered.lambda_ * (judge[1] - judge[0]), rel=1e-12)
    left = errors[:60] - alone * words[:60]
    assert error == pytest.approx(left.std(ddof=1) / words[:60].mean() / math.sqrt(60), rel=0.1)


def in_clusters(rng: np.random.Generator, *, whole: bool) -> pd.DataFrame:
    """Return 60 clusters of 4 items, labelled as a whole or one item each."""
    quality = np.repeat(rng.normal(0, 1, 60), 4) + rng.normal(0, 1, 240)
    own = np.repeat(rng.permutation(60) < 20, 4) if whole else np.tile([True, False, False, False], 60)
    human = [value if known else None for value, known in zip(quality, own, strict=True)]
    return table(human, (quality + rng.normal(0, 1, 240)).tolist(), document=np.repeat(np.arange(60), 4).tolist())


def test_whole_clusters_are_units() -> None:
    frame = in_clusters(np.random.default_rng(4), whole=True)
    y, f, rest = (part.reshape(-1, 4).sum(axis=1) for part in split(frame))
    one, powered, error = scored(frame, clusters="document")
    expected = plain(y / 4, f / 4, rest / 4)
    assert (one.score, powered.lambda_) == pytest.approx((expected.estimate, expected.lambda_), rel=1e-9)
    assert error == pytest.approx(expected.wider, rel=1e-9)
    assert powered.worth_labels == pytest.approx(4 * expected.worth, rel=1e-9)
    assert (one.n_units, powered.n_labelled) == (60, 80)


def test_clusters_with_some_labels_are_drawn_together() -> None:
    frame = in_clusters(np.random.default_rng(5), whole=False)
    y, f, rest = split(frame)
    one, powered, error = scored(frame, clusters="document")
    means = rest.reshape(-1, 3).mean(axis=1)
    steps = f - f.mean() - (means - means.mean())
    weight = float(((y - y.mean()) * steps).sum() / (steps**2).sum())
    assert powered.lambda_ == pytest.approx(weight, rel=1e-9)
    assert one.score == pytest.approx(weight * rest.mean() + (y - weight * f).mean(), rel=1e-12)
    leverage = (f - f.mean()) ** 2 / ((f - f.mean()) ** 2).sum()
    parts = (y - y.mean() - weight * (f - f.mean())) / (1 - leverage) + weight * means
    assert error == pytest.approx(parts.std(ddof=1) / math.sqrt(60), rel=1e-9)


def several(rng: np.random.Generator, n: int = 30, other: int = 120) -> pd.DataFrame:
    """Return three systems as a long table; the same items have human labels."""
    return pd.concat([labelled(rng, n, other, first=True).assign(system=name) for name in "abc"], ignore_index=True)


def test_a_ranking_has_one_lambda_for_all_pairs() -> None:
    frame = several(np.random.default_rng(6))
    ranking = outscore.rank(frame, **LABELS)
    y, f, rest = (np.array([split(of)[part] for _, of in frame.groupby("system")]) for part in range(3))
    every = np.concatenate([f, rest], axis=1)
    pairs = [(0, 1), (0, 2), (1, 2)]
    covariance = sum(np.cov(y[i] - y[j], f[i] - f[j])[0, 1] for i, j in pairs)
    variance = sum((every[i] - every[j]).var(ddof=1) for i, j in pairs)
    weight = covariance / (1.25 * variance)
    assert ranking.prediction_powered is not None
    assert ranking.prediction_powered.lambda_ == pytest.approx(weight, rel=1e-9)
    for place, system in enumerate("abc"):
        expected = weight * rest[place].mean() + (y[place] - weight * f[place]).mean()
        assert ranking[system].score == pytest.approx(expected, rel=1e-9)
    assert ranking.findings[0].label == "labels"


def test_the_order_of_items_and_systems_has_no_effect() -> None:
    rng = np.random.default_rng(7)
    frame = several(rng)
    shuffled = frame.sample(frac=1, random_state=3)
    for one, other in ((frame, shuffled),):
        there, back = (outscore.compare(of, baseline="a", **LABELS).comparisons for of in (one, other))
        assert {c.candidate: (c.gain, c.p_value, c.prediction_powered) for c in there} == {
            c.candidate: (c.gain, c.p_value, c.prediction_powered) for c in back
        }
    turned = outscore.compare(frame, baseline="b", **LABELS)["a"]
    ahead = outscore.compare(frame, baseline="a", **LABELS)["b"]
    assert (turned.gain, turned.p_value) == (-ahead.gain, ahead.p_value)
    assert turned.prediction_powered.lambda_ == ahead.prediction_powered.lambda_


def test_other_candidates_have_no_effect_on_a_comparison() -> None:
    frame = several(np.random.default_rng(8))
    together = outscore.compare(frame, baseline="a", **LABELS)["b"]
    alone = outscore.compare(frame[frame["system"] != "c"], baseline="a", **LABELS).comparisons[0]
    assert (together.gain, together.p_value) == (alone.gain, alone.p_value)
    assert together.prediction_powered == alone.prediction_powered


@pytest.mark.parametrize("test", ["skew-t", "cr2-t", "bootstrap", "randomization"])
def test_tests_of_gains_apply(test: str) -> None:
    frame = several(np.random.default_rng(9))
    p = outscore.compare(frame[frame["system"] != "c"], tests=test, baseline="a", **LABELS).comparisons[0].p_value
    default = outscore.compare(frame[frame["system"] != "c"], baseline="a", **LABELS).comparisons[0]
    assert default.test.name == "skew-t"
    assert p == pytest.approx(default.p_value, abs=0.1)


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "two-sample-t", "mcnemar", "score"])
def test_tests_of_single_scores_do_not_apply(test: str) -> None:
    frame = several(np.random.default_rng(9))
    with pytest.raises(NotApplicableError):
        outscore.compare(frame, tests=test, baseline="a", **LABELS)


def test_a_judge_that_favours_a_system_is_reported() -> None:
    frame = several(np.random.default_rng(10), n=60)
    frame.loc[frame["system"] == "b", "judge"] += 0.15
    said = [w for w in outscore.compare(frame, baseline="a", **LABELS)["b"].warnings if "favours" in w]
    assert len(said) == 1
    assert said[0].startswith("The judge favours b: at equal judge labels, people score a better by ")
    assert not any("favours" in w for w in outscore.compare(frame, baseline="a", **LABELS)["c"].warnings)


def refused(slug: str, frame: pd.DataFrame, **options: Any) -> str:
    with pytest.raises((DataError, OptionError)) as caught:
        outscore.score(frame, **{**LABELS, **options})
    assert caught.value.problems[0].slug == slug
    return str(caught.value)


def test_labels_of_the_worst_items_are_refused() -> None:
    frame = labelled(np.random.default_rng(11), 40, 160).sort_values("judge")
    frame["human"] = [1.0 + place if place < 40 else None for place in range(200)]
    said = refused("labels-not-random", frame)
    assert "labelled items are not a random sample" in said


def test_labels_that_cannot_be_used_are_refused() -> None:
    frame = labelled(np.random.default_rng(12), 40, 160)
    refused("one-label", frame, judge=None)
    refused("one-label", frame, human=None)
    refused("not-with-labels", frame, strata=["a", "b"] * 100)
    refused("not-with-labels", frame, references=["a"] * 200)
    refused("no-unlabelled-items", frame[frame["human"].notna()])
    refused("few-labels", pd.concat([frame[frame["human"].isna()], frame[frame["human"].notna()].head(9)]))


def test_an_item_without_a_judge_label_is_refused_or_left_out(tmp_path: Path) -> None:
    frame = labelled(np.random.default_rng(12), 40, 160)
    place = int(np.flatnonzero(frame["human"].notna())[0])
    frame.loc[place, "judge"] = math.nan
    frame.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(DataError, match="expected a number"):
        outscore.score(tmp_path / "a.csv", **LABELS)
    for data in (tmp_path / "a.csv", frame):
        without = outscore.score(data, drop_missing=True, **LABELS).scores[0]
        assert without.prediction_powered == scored(frame.drop(index=place))[1]


def test_few_labels_are_reported() -> None:
    frame = several(np.random.default_rng(13), n=15)
    c = outscore.compare(frame, baseline="a", **LABELS)["b"]
    assert any(w.startswith("Only 15 items with human labels.") for w in c.warnings)


def test_scores_without_a_question_are_refused(tmp_path: Path) -> None:
    frame = several(np.random.default_rng(14))
    scores = outscore.read(frame, **LABELS)
    assert outscore.rank(scores).prediction_powered == outscore.rank(frame, **LABELS).prediction_powered
    with pytest.raises(NotApplicableError, match="human and judge labels apply only to"):
        outscore.study_gain(scores)
    with pytest.raises(OptionError, match="cannot be stored in a baseline"):
        outscore.gate_accept(frame[frame["system"] == "a"], tmp_path / "base.json", **LABELS)


def run(*arguments: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert ended.value.code == 0


def test_files_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = several(np.random.default_rng(15))
    frame.to_csv(tmp_path / "all.csv", index=False)
    labels = ["--human", "human", "--judge", "judge"]
    path = str(tmp_path / "all.csv")
    run("compare", f"{path}:a", f"{path}:b", *labels, "--format", "json")
    told = json.loads(capsys.readouterr().out)
    of = outscore.compare(frame, baseline="a", **LABELS)["b"]
    assert told["comparisons"][0]["gain"] == of.gain
    powered = told["comparisons"][0]["prediction_powered"]
    assert powered["lambda"] == of.prediction_powered.lambda_
    assert set(powered) == {
        "lambda",
        "correlation",
        "worth_labels",
        "n_labelled",
        "n_unlabelled",
        "labels_alone",
        "judge_alone",
    }
    run("compare", f"{path}:a", f"{path}:b", *labels)
    text = " ".join(capsys.readouterr().out.split())
    assert "(prediction-powered with 30 human and 150 judge labels, 150 items)" in text
    assert "120 judge labels on other items are worth" in text
    run("score", f"{path}:a", f"{path}:b", *labels)
    assert " ".join(capsys.readouterr().out.split()).count("120 judge labels on other items are worth") == 2
    report = tmp_path / "report.html"
    run("rank", path, *labels, "--report", str(report))
    assert "120 judge labels on other items are worth" in report.read_text(encoding="utf-8")
    run("compare", path, "--baseline", "a", *labels, "--report", str(report), "-q")
    assert "120 judge labels on other items are worth" in report.read_text(encoding="utf-8")


def test_a_random_sample_of_clusters_with_a_missing_label_is_not_refused() -> None:
    rng, refusals = np.random.default_rng(16), 0
    clusters = np.repeat(np.arange(60), 10)
    for _ in range(200):
        judge = np.repeat(rng.normal(0, 3, 60), 10) + rng.normal(0, 1, 600)
        own = np.repeat(rng.permutation(60) < 20, 10)
        own[np.flatnonzero(own)[0]] = False
        labels = Labels(Mean(), ["a"], [], [np.column_stack([judge, np.ones(600)])], own, clusters)
        try:
            labels.check()
        except DataError:
            refusals += 1
    assert refusals <= 2


def test_one_unlabelled_cluster_is_refused() -> None:
    frame = in_clusters(np.random.default_rng(4), whole=True)
    own = frame[frame["human"].notna()]
    rest = frame[frame["human"].isna()].head(4)
    said = refused("no-unlabelled-items", pd.concat([own, rest]), clusters="document")
    assert "expected at least 2 clusters with items without a human label, got 1" in said


def test_a_table_without_ids_is_refused_once(tmp_path: Path) -> None:
    frame = labelled(np.random.default_rng(12), 40, 160).drop(columns="item")
    frame.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(DataError, match="expected a column of item ids") as caught:
        outscore.score(tmp_path / "a.csv", **LABELS)
    assert len(caught.value.problems) == 1


def test_labels_that_are_not_used_are_counted() -> None:
    frame = several(np.random.default_rng(17), n=60)
    frame.loc[(frame["system"] == "a") & (frame["item"].isin([f"i{place}" for place in range(20)])), "human"] = None
    c = outscore.compare(frame, baseline="a", **LABELS)["b"]
    assert "Not used: 20 of 60 human labels of b, on items that another system lacks a human label of." in c.warnings
