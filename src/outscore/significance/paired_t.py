"""The paired t test, within strata where there are some."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.laws import Probability
from outscore.significance.base import Outcome, PairLaws, Question, SignificanceTest
from outscore.significance.distributions import student_p_value
from outscore.significance.pair import AnyPair
from outscore.significance.signed import no_unit_scores, unit_differences
from outscore.strata import members_of

__all__ = ["PairedT", "mean_error"]

_NO_SPREAD = 1e-12  # of the largest difference: rounding noise


@dataclass(frozen=True)
class PairedT(SignificanceTest):
    """Student's t test of paired differences (Yeh 2000, section 2.2).

    Null hypothesis: the mean difference is 0 (or δ₀). t = mean(d) / (s / √n) with n − 1 degrees of freedom,
    exact for normal differences and nearly so for large n. Where all differences are 0, p = 1.

    With strata t = mean(d) / √V, V = Σ V_h = Σ (n_h/n)² s_h²/n_h, with Satterthwaite's degrees of freedom
    ν = V² / Σ (V_h²/(n_h − 1)) (Satterthwaite 1946; Cochran 1977, section 5.4). Where fewer than some 30 units are drawn
    in all, Σ (n_h − 1), resampling has too few points, and this test holds its level.

    Where units weigh differently, dᵢ − δ₀ℓᵢ takes the place of dᵢ (Fieller 1954).
    """

    name = "paired-t"

    def obstacle(self, pair: AnyPair, question: Question) -> str | None:
        del question
        return no_unit_scores(pair)

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        del laws
        differences = unit_differences(pair, question.null_gain)
        mean = float(differences.mean())
        if not differences.any():
            return Outcome(Probability(1.0), "t distribution", statistic=0.0)
        error, degrees = mean_error(differences, pair.strata)
        # Strata that differ from each other, but not within: equal means are no evidence against 0.
        if error == 0 and abs(mean) <= _NO_SPREAD * float(np.abs(differences).max()):
            return Outcome(Probability(1.0), "t distribution", statistic=0.0)
        t = mean / error if error > 0 else math.copysign(math.inf, mean)
        p = student_p_value(t, degrees, question.alternative)
        return Outcome(Probability(p, error=1e-12 * p if abs(t) > 1e-12 else 0.0), "t distribution", statistic=t)


def mean_error(values: FloatArray, strata: AnyArray | None = None) -> tuple[float, float]:
    """Return the standard error of the mean of all values, and its degrees of freedom.

    Parameters
    ----------
    values : ndarray, shape (n,)
    strata : ndarray of int, shape (n,), optional
        Codes of at least two values each.

    Returns
    -------
    tuple of (float, float)
        0 where values, or those of each stratum, are equal but for rounding; and the degrees of freedom: n − 1, with
        strata Satterthwaite's.

    Examples
    --------
    >>> error, degrees = mean_error(np.array([1.0, 1.0, -1.0, 1.0, 0.0]), np.array([0, 0, 0, 1, 1]))
    >>> round(error**2 * 25, 12), round(degrees, 12)
    (5.0, 2.777777777778)
    """
    n = len(values)
    groups = [values] if strata is None else [values[members] for members in members_of(strata)]
    negligible = _NO_SPREAD * float(np.abs(values).max())
    spreads = [float(group.std(ddof=1)) for group in groups]
    parts = np.array(
        [len(group) * spread**2 if spread > negligible else 0.0 for group, spread in zip(groups, spreads, strict=True)]
    )
    variance = float(parts.sum())
    if variance == 0:
        return 0.0, float(n - len(groups))
    degrees = np.array([len(group) - 1 for group in groups])
    return math.sqrt(variance) / n, float(variance**2 / (parts**2 / degrees).sum())
