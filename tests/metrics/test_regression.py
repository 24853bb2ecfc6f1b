"""Errors and correlations equal those of SciPy and scikit-learn."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from outscore.errors import DataError
from tests.kit import output_metric, output_metrics, read_corpus

Mae, Mse, Pearson, Spearman = output_metrics("mae mse pearson spearman")

sklearn = pytest.importorskip("sklearn.metrics")

METRICS = [Pearson(), Mse(), Mae()]


def score(metric: Any, outputs: Sequence[float], references: Sequence[float]) -> float:
    return float(metric.score(metric.rows(outputs, references).sum(axis=0)))


@pytest.mark.parametrize("offset", [0.0, -3.0, 1e2, 1e3])
@pytest.mark.parametrize("size", [1e-40, 1.0, 1e60])
@pytest.mark.parametrize("seed", range(3))
def test_scores_as_in_scipy_and_scikit_learn(seed: int, size: float, offset: float) -> None:
    rng = np.random.default_rng(seed)
    y = rng.normal(size=400)
    x = (offset + np.round(0.5 * y + rng.normal(size=400), seed)).astype(float)
    outputs, gold = (size * x).tolist(), (size * y).tolist()
    assert score(Mse(), outputs, gold) == pytest.approx(sklearn.mean_squared_error(gold, outputs), rel=1e-9)
    assert score(Mae(), outputs, gold) == pytest.approx(sklearn.mean_absolute_error(gold, outputs), rel=1e-9)
    digits = 1e-9 if abs(offset) < 1e3 else 1e-8
    assert score(Pearson(), outputs, gold) == pytest.approx(stats.pearsonr(x, y).statistic, abs=digits)
    assert Spearman().score_of(outputs, gold) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)


def exact_correlation(outputs: Sequence[float], references: Sequence[float]) -> float:
    """Return Pearson's r of the very numbers, rounded once: SciPy's own mean loses digits where it is large."""
    x, y = (list(map(Fraction, side)) for side in (outputs, references))
    n = len(x)
    sums = [sum(values, start=Fraction(0)) for values in (x, y)]
    xy, xx, yy = (
        n * sum((a * b for a, b in zip(*both, strict=True)), start=Fraction(0)) for both in ((x, y), (x, x), (y, y))
    )
    top, bottom = xy - sums[0] * sums[1], (xx - sums[0] ** 2) * (yy - sums[1] ** 2)
    return math.copysign(math.sqrt(top**2 / bottom), top)


@pytest.mark.parametrize("offset", [20.0, 1e4, -1e9, 1e12])
@pytest.mark.parametrize("size", [1e-40, 1.0, 1e60])
def test_numbers_far_from_zero_correlate_as_in_scipy(size: float, offset: float) -> None:
    rng = np.random.default_rng(5)
    gold = rng.normal(size=300)
    systems = [gold + rng.normal(size=300) + shift for shift in (0.0, 2.5, -30.0)]
    references = (size * (gold - 3 * offset)).tolist()
    outputs = [(size * (system + offset)).tolist() for system in systems]
    metric = Pearson().fitted(references, outputs)
    assert metric.fitted(references, outputs) == metric
    for system in outputs:
        assert score(metric, system, references) == pytest.approx(exact_correlation(system, references), abs=1e-9)


def test_offsets_are_round_and_only_where_they_are_needed() -> None:
    assert Pearson().fitted([1.0, 2.0, 3.0], [[5.0, 7.0], [-1.0, 0.0]]) == Pearson()
    assert Pearson().fitted([], [[]]) == Pearson()
    assert Pearson().fitted([float("nan"), 1e6], [[1e101, 1.0]]) == Pearson()  # what rows refuse
    metric = Pearson().fitted([1e6, 1e6 + 1, 1e6 + 3], [[2000.0, 2001.0, 2005.0]])
    rows = metric.rows([2000.0, 2001.0, 2005.0], [1e6, 1e6 + 1, 1e6 + 3])
    assert (rows == np.round(rows)).all()
    assert np.abs(rows).max() < 50
    assert Pearson(output_offset=7.0).fitted([1.0, 2.0], [[1e6, 1e6 + 1]]).output_offset == 7.0
    constant = Pearson().fitted([1.0, 2.0], [[1e9, 1e9]])
    assert score(constant, [1e9, 1e9], [1.0, 2.0]) == 0.0


def test_systems_far_from_each_other_are_refused() -> None:
    near, far, gold = [1.0, 2.0, 4.0], [1e9, 1e9 + 1, 1e9 + 3], [1.0, 2.0, 3.0]
    metric = Pearson().fitted(gold, [near, far])
    with pytest.raises(DataError, match=r"^\[0\]: .* Subtract a constant .*\[large-offset\]$"):
        metric.rows(far, gold)


tens = st.integers(-10, 10).map(lambda i: i / 10)
pairs = st.lists(st.tuples(tens, tens), min_size=3, max_size=20)


@settings(max_examples=40)
@given(pairs)
def test_numbers_with_ties(both: list[tuple[float, float]]) -> None:
    x, y = [a for a, _ in both], [b for _, b in both]
    constant = np.ptp(x) == 0 or np.ptp(y) == 0
    assert score(Pearson(), x, y) == pytest.approx(0.0 if constant else stats.pearsonr(x, y).statistic, abs=1e-9)
    assert Spearman().score_of(x, y) == pytest.approx(0.0 if constant else stats.spearmanr(x, y).statistic, abs=1e-9)


def test_a_resample_of_equal_items_has_no_correlation() -> None:
    metric = Pearson()
    rows = metric.rows([0.1, 0.7, 1234.5], [1 / 3, 5.1, 0.3])
    resamples = 1000.0 * np.eye(3) + 0.0
    assert metric.score(resamples @ rows).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("metric", METRICS)
def test_rows_add_up_and_nothing_scores_nothing(metric: Any) -> None:
    x, y = [1.0, 5.0, 2.0, -1.0], [2.0, 4.0, 4.0, 0.5]
    rows = metric.rows(x, y)
    assert rows.tolist() == np.concatenate([metric.rows(x[:1], y[:1]), metric.rows(x[1:], y[1:])]).tolist()
    weights = np.array([[[2.0, 1, 0, 1], [1, 1, 1, 1]], [[0, 0, 2, 2], [0, 0, 0, 0]]])
    scores = metric.score(weights @ rows)
    assert scores.shape == (2, 2)
    assert scores[0, 0] == pytest.approx(score(metric, [1.0, 1.0, 5.0, -1.0], [2.0, 2.0, 4.0, 0.5]), abs=1e-12)
    assert scores[1, 1] == 0
    assert metric.rows([], []).shape == (0, len(metric.statistics))
    assert pickle.loads(pickle.dumps(metric)) == metric


def test_spearman_of_little() -> None:
    assert Spearman().score_of([], []) == 0.0
    assert Spearman().score_of([1.0], [2.0]) == 0.0
    assert pickle.loads(pickle.dumps(Spearman())) == Spearman()


@pytest.mark.parametrize(
    ("outputs", "slug"),
    [([1.0, float("nan")], "not-finite"), ([1.0, 1e101], "out-of-scale"), ([1e9, 1e9 + 1], "large-offset")],
)
def test_bad_numbers(outputs: list[float], slug: str) -> None:
    for metric in (Pearson(), *([Mse(), Mae()] if slug != "large-offset" else [])):
        with pytest.raises(DataError, match=rf"\[{slug}\]"):
            metric.rows(outputs, [1.0, 2.0])
    assert score(Pearson(), [1e9, 1e9], [1.0, 2.0]) == 0.0


def test_bad_references_are_told_from_bad_outputs() -> None:
    with pytest.raises(DataError, match=r"^references\[1\]: "):
        Mae().rows([1.0, 2.0], [1.0, 1e101])
    with pytest.raises(DataError, match=r"^\[1\]: "):
        Mae().rows([1.0, 1e101], [1.0, 2.0])


def test_every_metric_of_every_summarizer_against_people(data: Callable[[str], Path]) -> None:
    folder = data("summ-realsumm")
    human = folder / "scores.litepyramid_recall.tsv"
    _, *systems = human.read_text("utf-8").partition("\n")[0].split("\t")
    metrics: dict[str, Any] = {
        "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
        "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
        "mse": lambda x, y: sklearn.mean_squared_error(y, x),
        "mae": lambda x, y: sklearn.mean_absolute_error(y, x),
    }
    assert len(systems) == 25
    paths = sorted(path for path in folder.glob("scores.*.tsv") if path != human)
    assert len(paths) == 14
    for system in systems:
        gold = read_corpus(f"{human}:{system}", float)
        corpora = [read_corpus(f"{path}:{system}", float) for path in paths]
        for name, theirs in metrics.items():
            metric: Any = output_metric(name)
            fitted = metric.fitted(gold.items, [corpus.items for corpus in corpora])
            for corpus in corpora:
                outputs = fitted.paired(corpus, gold).items
                score = fitted.score_of_set(fitted.rows(outputs, gold.items))
                assert score == pytest.approx(theirs(outputs, gold.items), abs=1e-9), (corpus.name, name)
