"""Items crossed with templates that systems share, and with runs of their own: how often tests reject true nulls."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from outscore import Mean
from outscore.design import CrossedFactor
from outscore.design.templates import Templates
from outscore.results import Alternative
from outscore.significance import Resampling, SkewT
from tests.kit import RunDesign, Runs
from tests.significance.kit import Crossing, GainLaws, Hypothesis, Pair, mean_of_cells

FloatArray = npt.NDArray[np.float64]

N_TEMPLATES, N_RUNS = 5, 3
QUESTION = Hypothesis(Alternative.TWO_SIDED)


def systems(rng: np.random.Generator, n: int, of_templates: float, of_runs: float) -> tuple[FloatArray, FloatArray]:
    """Return scores of two systems of one mean, shape (m, T, n): templates and runs of the given sd, interactions."""

    def one() -> FloatArray:
        def noise(*shape: int) -> FloatArray:
            return rng.standard_normal(shape)

        m, t = N_RUNS, N_TEMPLATES
        scores = 0.5 * noise(1, 1, n) + of_templates * noise(1, t, 1) + of_runs * noise(m, 1, 1)
        scores = scores + 0.3 * noise(1, t, n) + 0.3 * of_runs * noise(m, t, 1) + 0.5 * noise(m, t, n)
        return np.asarray(scores)

    return one(), one()


def paired_templates(rng: np.random.Generator, n: int, m: int, rho: float) -> tuple[FloatArray, FloatArray]:
    """Return scores, shape (m, n), that differ by templates which matter ρ times as much as items, and no runs."""
    d = 0.7 * rng.standard_normal((1, n)) + 0.7 * rng.standard_normal((m, n))
    d = d + np.sqrt(rho / n) * rng.standard_normal((m, 1))
    return np.zeros((m, n)), d


_BOTH = (Runs(RunDesign.RANDOM), Templates(RunDesign.RANDOM))


def p_value(one: FloatArray, other: FloatArray, *factors: CrossedFactor) -> float:
    """Return the p-value of the default test of scores, shape (levels of the first factor, ..., n)."""
    rows = [np.stack([of, np.ones_like(of)], axis=-1) for of in (one, other)]
    factors = factors or _BOTH[3 - one.ndim :]
    metric, values = mean_of_cells(Mean(), rows)
    pair = Pair(metric, values[0], values[1], crossing=Crossing(Mean(), factors, tuple(rows)))
    return SkewT().p_value(pair, GainLaws([pair], Resampling()), QUESTION).probability


def rejected(p_values: list[float], alpha: float) -> int:
    return sum(p <= alpha for p in p_values)
