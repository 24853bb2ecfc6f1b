"""Perplexity and bits per byte follow their formulas, and refuse what is no log-loss."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

from outscore import RatioMetric, Rows
from outscore.errors import DataError
from outscore.metrics import METRICS

Perplexity, BitsPerByte = METRICS["perplexity"], METRICS["bits-per-byte"]

COLUMNS = np.array([[31.5, 12.0], [0.0, 3.0], [812.25, 240.0]])


def test_formulas() -> None:
    loss, count = COLUMNS.sum(axis=0)
    perplexity, bits = Perplexity(), BitsPerByte()
    assert float(perplexity.score(perplexity.rows(COLUMNS).sum(axis=0))) == pytest.approx(math.exp(loss / count))
    assert float(bits.score(bits.rows(COLUMNS).sum(axis=0))) == pytest.approx(loss / count / math.log(2))
    assert float(perplexity.score(np.array([10 * math.log(50), 10.0]))) == pytest.approx(50)


@pytest.mark.parametrize("metric", [Perplexity(), BitsPerByte()])
def test_vectorised_and_nothing_is_no_surprise(metric: Any) -> None:
    weights = np.array([[[1.0, 0, 0], [1, 1, 1]], [[0, 0, 3], [0, 0, 0]]])
    scores = metric.score(weights @ COLUMNS)
    assert scores.shape == (2, 2)
    assert scores[0, 0] == scores.flat[0] == metric.score(COLUMNS)[0]
    assert scores[1, 0] == pytest.approx(metric.score(COLUMNS)[2])
    assert scores[1, 1] == (1 if isinstance(metric, Perplexity) else 0)
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert not metric.higher_is_better


def test_perplexity_is_no_ratio_of_sums() -> None:
    assert not isinstance(Perplexity(), RatioMetric)


@pytest.mark.parametrize(
    ("bad", "slug"),
    [
        ((-1.0, 3.0), "negative"),
        ((1.0, 0.0), "not-a-count"),
        ((1.0, 2.5), "not-a-count"),
        ((1.0, -2.0), "not-a-count"),
        ((5000.0, 2.0), "loss-too-large"),
    ],
)
def test_what_is_no_log_loss(bad: tuple[float, float], slug: str) -> None:
    columns = np.array([(1.0, 2.0), bad])
    for metric in (Perplexity(), BitsPerByte()):
        assert [(fault.index, fault.slug) for fault in metric.faults(columns)] == [(1, slug)]
    with pytest.raises(DataError, match=rf"a.csv:3: .*\[{slug}\]"):
        BitsPerByte().rows_of(Rows("a.csv", columns, lines=[2, 3]))
