"""Errors and correlations equal those of SciPy and scikit-learn."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from outscore.errors import DataError
from outscore.metrics.regression import Mae, Mse, Pearson, Spearman

sklearn = pytest.importorskip("sklearn.metrics")

METRICS = [Pearson(), Mse(), Mae()]


def score(metric: Pearson | Mse | Mae, outputs: Sequence[float], references: Sequence[float]) -> float:
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


tens = st.integers(-10, 10).map(lambda i: i / 10)
pairs = st.lists(st.tuples(tens, tens), min_size=3, max_size=20)


@settings(max_examples=100)
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
def test_rows_add_up_and_nothing_scores_nothing(metric: Pearson | Mse | Mae) -> None:
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
