"""outscore agrees with the plain reference of its default rule, which docs/statistics/default_rule.py shows."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outscore

ROOT = Path(__file__).resolve().parent.parent
RULE = ROOT / "docs" / "statistics" / "default_rule.py"
compare = runpy.run_path(str(RULE))["compare"]
Rng = np.random.Generator


def items(rng: Rng, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of two systems: skewed differences, some of them ties."""
    base = rng.normal(size=n)
    return base, base + rng.choice([0.0, 0.0, 1.0], n) * (rng.lognormal(size=n) - rng.uniform(0.5, 2))


def agree(expected: Any, result: Any, tolerance: float = 1e-11) -> None:
    gain, p, ends, verdict = expected
    assert result.gain == pytest.approx(gain, abs=1e-13)
    assert result.p_value == pytest.approx(p, rel=tolerance)
    assert (result.interval.low, result.interval.high) == pytest.approx(ends, abs=tolerance, rel=tolerance)
    assert result.verdict == verdict


@pytest.mark.smoke
@pytest.mark.parametrize("n", [4, 5, 8, 20, 50, 200])
@pytest.mark.parametrize("seed", range(4))
def test_items(n: int, seed: int) -> None:
    base, new = items(np.random.default_rng([n, seed]), n)
    agree(compare(base, new), outscore.compare(base, new))


@pytest.mark.parametrize("seed", range(6))
def test_clusters_and_strata(seed: int) -> None:
    rng = np.random.default_rng(seed)
    base, new = items(rng, 60)
    labels = np.concatenate([np.arange(8), rng.integers(0, 8, 52)])
    clusters = [f"document {label}" for label in labels]
    agree(compare(base, new, clusters=clusters), outscore.compare(base, new, clusters=clusters))
    strata = [f"subject {label // 2}" for label in labels] if seed % 2 else ["a"] * 25 + ["b"] * 35
    agree(compare(base, new, strata=strata), outscore.compare(base, new, strata=strata))


@pytest.mark.parametrize("seed", range(4))
def test_ratios_of_unlike_denominators(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [np.column_stack([rng.integers(0, 9, 40), rng.integers(5, 30, 40)]) for _ in range(2)]
    pairs = [[tuple(row) for row in system.tolist()] for system in rows]
    agree(compare(*rows), outscore.compare(*pairs, metric="ratio"))


@pytest.mark.parametrize(
    ("wins", "losses", "ties"), [(0, 0, 9), (6, 0, 4), (0, 5, 20), (9, 1, 2), (3, 4, 30), (30, 12, 40)]
)
def test_binary_items(wins: int, losses: int, ties: int) -> None:
    base = np.array([0] * wins + [1] * losses + [1] * ties)
    new = np.array([1] * wins + [0] * losses + [1] * ties)
    result = outscore.compare(base, new, metric="accuracy")
    expected = compare(base, new)
    assert result.p_value == pytest.approx(expected[1], rel=1e-12)
    # outscore finds the ends to a millionth of a standard error.
    agree((*expected[:1], result.p_value, *expected[2:]), result, tolerance=1e-6)


def test_a_score_range_cuts_the_ends() -> None:
    base, new = [0.0, 0.1, 0.0, 0.2], [1.0, 0.9, 0.3, 0.9]
    result = outscore.compare(base, new, metric="mean:lowest=0,highest=1")
    agree(compare(base, new, score_range=(0, 1)), result)


def test_one_gain_for_all_units() -> None:
    for n, verdict in ((4, "inconclusive"), (10, "better")):
        base, new = np.zeros(n), np.full(n, 0.5)
        agree(compare(base, new), outscore.compare(base, new))
        assert outscore.compare(base, new).verdict == verdict


def test_the_reference_is_short_and_stands_alone() -> None:
    text = RULE.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 300
    assert {line.split()[1] for line in text.splitlines() if line.startswith(("import ", "from "))} == {
        "__future__",
        "itertools",
        "math",
        "numpy",
        "numpy.typing",
    }
