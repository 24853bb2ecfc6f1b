"""Power of claims with a margin: that a candidate is not worse, or equivalent, as the score test shows it.

The score test estimates the variance under the null hypothesis (Tango 1998; by maximum empirical likelihood where
differences are other than −1, 0 and 1): losses that a test set happens not to hold are possible all the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from outscore._types import BoolArray, FloatArray, IntArray
from outscore.coercion import number
from outscore.errors import OptionError, Problem
from outscore.planning.levels import Level
from outscore.results import Claim
from outscore.results.plans import Power
from outscore.significance.score_test import score_statistics
from outscore.significance.simulated import SimulatedSets

__all__ = ["Margin", "exact_margin_power", "normal_margin_power", "score_statistic"]

_NORMAL = NormalDist()
_ATOL = 1e-12


@dataclass(frozen=True)
class Margin:
    """What is claimed of the candidate, and by how much it may miss.

    Parameters
    ----------
    claim : Claim
        not-worse (H0: δ ≤ −margin) or equivalent (two one-sided tests, the second of H0: δ ≥ margin).
    size : float
        The margin, positive, in the unit of the score.
    reach : tuple of (float, float), optional
        Of a pilot: the worst that one unit may do to the gain, and its ℓ, as `reach_of` says.

    Raises
    ------
    OptionError
        Another claim, or no positive margin.
    """

    claim: Claim
    size: float
    reach: tuple[float, float] = (0.0, 1.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "claim", Claim(self.claim))
        object.__setattr__(self, "size", number(self.size, "--margin"))
        if self.claim is Claim.BETTER:
            raise OptionError(Problem("--margin", "is for the claims not-worse and equivalent", "", "usage"))
        if not 0 < self.size < math.inf:
            what = f"expected a positive number, the largest loss that would not matter, got {self.size:g}"
            raise OptionError(Problem("--margin", what, "", "out-of-range"))

    @property
    def name(self) -> str:
        """Of the test, as rows of plans name it."""
        return "score"

    @property
    def equivalent(self) -> bool:
        """Whether large gains count against the claim, too."""
        return self.claim is Claim.EQUIVALENT

    def distance(self, gain: float) -> float:
        """Return how far a true gain is from the nearest one at which the claim is false."""
        return self.size - abs(gain) if self.equivalent else self.size + gain

    def check(self, gain: float) -> None:
        """Refuse a true gain with which the claim is false: its power would be the level, or less."""
        if self.distance(gain) <= 0:
            inside = f"between {-self.size:g} and {self.size:g}" if self.equivalent else f"above {-self.size:g}"
            what = f"expected a true gain {inside}, with which the claim {self.claim} is true, got {gain:g}"
            raise OptionError(Problem("--gain", what, "Name a larger margin, or another gain.", "impossible-gain"))

    def decides_draws(self, sets: SimulatedSets, alpha: float, *, two_sided: bool) -> BoolArray:
        """Return on which simulated test sets the claim is shown, shape (b,): each test is one-sided."""
        del two_sided
        critical = -_NORMAL.inv_cdf(alpha)
        not_worse = score_statistics(sets, -self.size, 1.0, self.reach) >= critical
        if not self.equivalent:
            return not_worse
        return np.asarray(not_worse & (score_statistics(sets, self.size, -1.0, self.reach) >= critical))


def exact_margin_power(n: int, helped: float, hurt: float, margin: Margin, level: Level) -> Power:
    """Return the power of the score test on n items, each helped or hurt with these probabilities, independently.

    The numbers H and T of items helped and hurt are trinomial. Of T = t the claim is shown for H from l(t) on, and for
    equivalence up to u(t), so that the power is Σ_t P(T = t) P(l(t) ≤ H ≤ u(t) | T = t), with H | T = t binomial.

    Each of the two tests is one-sided, whatever the alternative of the level.
    """
    from scipy.special import bdtr
    from scipy.stats import binom

    spread = math.sqrt(n * hurt * (1 - hurt))
    low, high = max(0, math.floor(n * hurt - 8.5 * spread - 30)), min(n, math.ceil(n * hurt + 8.5 * spread + 30))
    t = np.arange(low, high + 1)
    mass = binom.pmf(t, n, hurt)
    critical = -_NORMAL.inv_cdf(level.per_comparison) * (1 - _ATOL)
    share = min(helped / (1 - hurt), 1.0) if hurt < 1 else 0.0

    def from_on(holds: Callable[[IntArray], BoolArray]) -> IntArray:
        """Return the least h for which something that stays true is, n − t + 1 where none."""
        below, above = np.zeros_like(t), n - t + 1
        while (open_ := below < above).any():
            middle = (below + above) // 2
            true = holds(middle)
            above = np.where(open_ & true, middle, above)
            below = np.where(open_ & ~true, middle + 1, below)
        return below

    def up_to(h: IntArray) -> FloatArray:
        """Return P(H ≤ h | T = t)."""
        return np.where(h < 0, 0.0, bdtr(np.clip(h, 0, n - t).astype(float), n - t, share))

    least = from_on(lambda h: score_statistic(h, t, n, margin.size) >= critical)
    most = n - t
    if margin.equivalent:
        most = from_on(lambda h: score_statistic(t, h, n, margin.size) < critical) - 1
    within = np.where(most >= least, up_to(most) - up_to(least - 1), 0.0)
    power = float(np.clip(mass @ within, 0.0, 1.0))
    reversed_ = float(mass @ up_to(t - 1))
    return Power(power, power, power, None, None, min(reversed_, 1.0), "exact: trinomial")


def score_statistic(helped: IntArray, hurt: IntArray, n: int, margin: float) -> FloatArray:
    """Return Tango's z of H0: δ ≤ −margin, for items of which so many are helped, and hurt, shape (m,).

    z = (h − t + n m)/√(n (2q − m − m²)), q the largest likelihood's share of items hurt where δ = −m: the larger root
    of 2n q² − ((h + t)(1 + m) − 2hm + 2nm) q + t m (1 + m) = 0 (Tango 1998).
    """
    h, t = np.asarray(helped, dtype=float), np.asarray(hurt, dtype=float)
    b = (h + t) * (1 + margin) - 2 * h * margin + 2 * n * margin
    q = (b + np.sqrt(np.maximum(b**2 - 8 * n * t * margin * (1 + margin), 0.0))) / (4 * n)
    variance = np.maximum(2 * q - margin - margin**2, 1e-300)
    return np.asarray((h - t + n * margin) / np.sqrt(n * variance))


def normal_margin_power(n: int, gain: float, deviation: float, margin: Margin, level: Level) -> Power:
    """Return the power for differences with this standard deviation, from the normal law of their mean.

    not-worse: Φ((m + δ)√n/σ − z); equivalent: Φ((m + δ)√n/σ − z) + Φ((m − δ)√n/σ − z) − 1, at least 0, with z the
    normal quantile of 1 − α.
    """
    z, per = -_NORMAL.inv_cdf(level.per_comparison), math.sqrt(n) / deviation
    power = _NORMAL.cdf((margin.size + gain) * per - z)
    if margin.equivalent:
        power = max(0.0, power + _NORMAL.cdf((margin.size - gain) * per - z) - 1)
    return Power(power, power, power, None, None, _NORMAL.cdf(-gain * per), "normal")
