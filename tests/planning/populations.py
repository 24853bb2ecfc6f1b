"""Pilots for tests: real F1 counts, skewed means, clusters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from outscore import Pilot, Rows
from outscore.metrics import F1, Accuracy, Mean
from outscore.readers import read_system
from tests.kit import output_metric
from tests.planning.kit import Simulation, pilot_of
from tests.scored import scored

ROOT = Path(__file__).resolve().parent.parent.parent
WNUT = ROOT / "examples" / "wnut17"


def real_f1(simulation: Simulation | None = None) -> Pilot:
    """The F1 counts of two systems of WNUT-17, 1,287 sentences."""
    one, other = (read_system(str(WNUT / name), F1()) for name in ("spinningbytes.tsv", "uh-ritual.tsv"))
    return pilot_of(scored(F1(), [one, other]), simulation)


def pilot(
    metric: Mean | Accuracy, baseline: object, candidate: object, *, simulation: Simulation | None = None, **labels: Any
) -> Pilot:
    """A pilot of two lists of scores."""
    systems = [
        metric.rows_of(Rows(name, np.asarray(scores, dtype=float)[:, None]))
        for name, scores in (("baseline", baseline), ("candidate", candidate))
    ]
    return pilot_of(scored(metric, systems, **labels), simulation)


def skewed(n: int, seed: int = 2, **options: Any) -> Pilot:
    """Continuous scores whose differences are lognormal about their mean: many small losses, a few large gains."""
    rng = np.random.default_rng(seed)
    differences = rng.lognormal(0, 0.8, n) - np.exp(0.32) + 0.1
    return pilot(Mean(), np.zeros(n), differences, **options)


def clustered(n_clusters: int = 60, size: int = 5, seed: int = 4, *, named: bool = True, **options: Any) -> Pilot:
    """Items in clusters that share half of the variance of their differences."""
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(n_clusters), size)
    differences = rng.normal(0, 1, n_clusters)[clusters] + rng.normal(0.2, 1, n_clusters * size)
    labels: dict[str, Any] = {"clusters": clusters} if named else {}
    return pilot(Mean(), np.zeros(len(differences)), differences, **labels, **options)


def length_pilot(simulation: Simulation | None = None) -> Pilot:
    """BLEU's counts of outputs that differ in their lengths alone, the candidate's on average right."""
    rng = np.random.default_rng(6)
    n = 400
    reference = rng.integers(15, 40, n)
    systems = []
    for name, mean in (("baseline", -0.5), ("candidate", 0.0)):
        error = rng.normal(0, 4, n)
        length = np.maximum(reference + np.rint(error - error.mean() + mean), 5)
        ngrams = [length - order for order in range(4)]
        matches = [np.rint(share * count) for share, count in zip((0.8, 0.6, 0.45, 0.3), ngrams, strict=True)]
        systems.append(Rows(name, np.column_stack([length, reference, *matches, *ngrams])))
    return pilot_of(scored(output_metric("bleu"), systems), simulation)
