"""The paired t test, within strata where there are some."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.laws import Probability
from outscore.results import Alternative, Estimator, Interval
from outscore.significance.base import Outcome, PairLaws, Question, SignificanceTest
from outscore.significance.distributions import student_p_value, student_quantile
from outscore.significance.pair import AnyPair
from outscore.significance.signed import no_unit_scores, unit_differences
from outscore.strata import members_of

__all__ = ["PairedT", "mean_error", "t_limits"]

_NO_SPREAD = 1e-12  # of the largest difference: rounding noise
_FARTHEST = 2.0**40  # times the usual distance of an end, beyond which an end is infinite


@dataclass(frozen=True)
class PairedT(SignificanceTest):
    """Student's t test of paired differences (Yeh 2000, section 2.2).

    Null hypothesis: the mean difference is 0 (or δ₀). t = mean(d) / (s / √n) with n − 1 degrees of freedom,
    exact for normal differences and nearly so for large n. Where all differences are 0, p = 1.

    With strata t = mean(d) / √V, V = Σ V_h = Σ (n_h/n)² s_h²/n_h, with Satterthwaite's degrees of freedom
    ν = V² / Σ (V_h²/(n_h − 1)) (Satterthwaite 1946; Cochran 1977, section 5.4). Where fewer than some 30 units are
    drawn in all, Σ (n_h − 1), resampling has too few points, and this test holds its level.

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

    def interval(
        self, pair: AnyPair, laws: PairLaws, alpha: float, question: Question, estimator: Estimator
    ) -> Interval | None:
        """Return Student's interval, or its bound; where units weigh differently Fieller's."""
        del laws, estimator
        if pair.linear is None:
            return None
        return Interval(*t_limits(pair, 1 - alpha, question.alternative), 1 - alpha, "t", exact=False)


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
    largest = max(spreads)
    if largest <= negligible:
        return 0.0, float(n - len(groups))
    # In units of the largest one: fourth powers of scores can be beyond all numbers.
    parts = np.array(
        [
            len(group) * (spread / largest) ** 2 if spread > negligible else 0.0
            for group, spread in zip(groups, spreads, strict=True)
        ]
    )
    degrees = np.array([len(group) - 1 for group in groups])
    return largest * math.sqrt(parts.sum()) / n, float(parts.sum() ** 2 / (parts**2 / degrees).sum())


def t_limits(pair: AnyPair, confidence_level: float, alternative: Alternative) -> tuple[float, float]:
    """Return the ends of the null gains that the paired t test does not reject at 1 − confidence level.

    δ ± t·se where all units weigh the same; else (Fieller 1954) by the t of dᵢ − δ₀ℓᵢ, which grows with the distance of
    δ₀ from δ. One-sided alternatives leave one end infinite, and so does a spread of the weights that no δ₀ outgrows.

    Parameters
    ----------
    pair : AnyPair
        Of a linear gain.
    confidence_level : float
        In (0, 1).
    alternative : Alternative
    """
    assert pair.linear is not None
    tail = (1 - confidence_level) / (2 if alternative is Alternative.TWO_SIDED else 1)

    def excess(null_gain: float) -> float:
        differences = unit_differences(pair, null_gain)
        error, degrees = mean_error(differences, pair.strata)
        return abs(float(differences.mean())) + error * student_quantile(tail, degrees)  # a negative one

    error, degrees = mean_error(unit_differences(pair, pair.gain), pair.strata)
    reach = -error * student_quantile(tail, degrees) / float(pair.linear.shared.mean())
    low, high = pair.gain - reach, pair.gain + reach
    if not pair.equal_weights and reach > 0:
        low, high = (_crossing(excess, pair.gain, step) for step in (-reach, reach))
    if alternative is Alternative.GREATER:
        return low, math.inf
    return (-math.inf, high) if alternative is Alternative.LESS else (low, high)


def _crossing(excess: Callable[[float], float], centre: float, step: float) -> float:
    """Return where the excess becomes positive, from a centre on, a step or more away; infinity where it never does."""
    near, far = centre, centre + step
    while excess(far) <= 0:
        near, far = far, centre + 2 * (far - centre)
        if abs(far - centre) > _FARTHEST * abs(step):
            return math.copysign(math.inf, step)
    for _ in range(60):
        middle = (near + far) / 2
        near, far = (middle, far) if excess(middle) <= 0 else (near, middle)
    return far
