"""Small boards to study, and plain loops that say what must come out."""

from __future__ import annotations

import numpy as np

from outscore import Rows
from outscore._types import FloatArray
from outscore.metrics import F1, Accuracy, ColumnMetric, Mean
from tests.scored import scored
from tests.studies.kit import StudySystems

ACCURACY, MEAN, F1_METRIC = Accuracy(), Mean(), F1()


def board_of(columns: list[FloatArray], metric: ColumnMetric = MEAN, families: list[str] | None = None) -> StudySystems:
    """Return systems s0, s1, … of columns, shape (n,) or (n, columns)."""
    rows = [
        metric.rows_of(Rows(f"s{i}", np.asarray(values, dtype=float).reshape(len(values), -1)))
        for i, values in enumerate(columns)
    ]
    return StudySystems.of_scores(scored(metric, rows, families=families))


def answers(s: int, n: int, *, seed: int, spread: float = 0.3) -> list[FloatArray]:
    """Return right or wrong answers of s systems of rising skill."""
    stream = np.random.default_rng(seed)
    hard = stream.normal(size=n)
    return [(stream.normal(size=n) + spread * i / s > hard).astype(float) for i in range(s)]


def counts(s: int, n: int, *, seed: int) -> list[FloatArray]:
    """Return (tp, predicted, gold) of s systems."""
    stream = np.random.default_rng(seed)
    gold = stream.integers(1, 6, n)
    found = []
    for i in range(s):
        tp = stream.binomial(gold, 0.5 + 0.3 * i / s)
        found.append(np.column_stack([tp, tp + stream.integers(0, 3, n), gold]).astype(float))
    return found


def normal_board(
    gains: FloatArray, n: int, *, seed: int, deviation: float = 1.0, families: list[str] | None = None
) -> StudySystems:
    """Return systems whose items score gain + independent normal noise."""
    stream = np.random.default_rng(seed)
    return board_of([gain + stream.normal(0, deviation, n) for gain in gains], families=families)
