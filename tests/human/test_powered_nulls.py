"""Prediction-powered tests hold their level with few labels; docs/human-measured.md#few-human-labels has all cases."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from scipy.stats import binom

from tests.human import made
from tests.test_documentation import load

SURE = 0.999  # a test that rejects 6.5% fails with a probability of at most 0.1% per case
HARD = (
    ("lognormal, judge of logarithms", 20, 100, ""),
    ("lognormal, judge on 3% of the scale", 20, 20, ""),
    ("normal noise, lognormal judge", 20, 20, ""),
    ("error counts, good judge", 30, 150, ""),
    ("normal, ρ = .95", 20, 100, "whole"),
    ("normal, ρ = .95", 20, 0, "mixed"),
)


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load(made.ROOT / "benchmarks" / "powered.py")


def rejected_at_most(script: ModuleType, case: tuple[str, int, int, str], sets: int) -> None:
    name, n, other, clusters = case
    rate, refused = script.rate(script.POPULATIONS[name], n, other, sets, clusters)
    assert rate * sets / 100 <= binom.ppf(SURE, sets, 0.065)
    assert refused * sets / 100 <= binom.ppf(SURE, sets, 0.001)


def test_a_hard_judge_keeps_the_level(script: ModuleType) -> None:
    rejected_at_most(script, HARD[2], 200)


def test_the_published_error_is_too_small_for_few_labels(script: ModuleType) -> None:
    """The same judge with λ taken as known: the plain t-test of residuals rejects too often."""
    rng, rejected, sets, n = np.random.default_rng(1), 0, 2000, 20
    for _ in range(sets):
        y, f = script.POPULATIONS["normal noise, lognormal judge"](rng, 2 * n)
        weight = np.cov(y[:n], f[:n])[0, 1] / (2 * f.var(ddof=1))
        left = y[:n] - weight * f[:n]
        error = np.sqrt(left.var(ddof=1) / n + weight**2 * f[n:].var(ddof=1) / n)
        rejected += abs(left.mean() + weight * f[n:].mean()) > 1.96 * error
    assert rejected / sets > 0.08


@pytest.mark.slow
@pytest.mark.parametrize("case", HARD, ids=str)
def test_hard_judges_keep_the_level(case: tuple[str, int, int, str], script: ModuleType) -> None:
    rejected_at_most(script, case, 600)
