"""Levels of planned comparisons, and claims with a margin."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from statistics import NormalDist

import numpy as np

from outscore._types import BoolArray
from outscore.data.coercion import described, number, wrong
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.results import Alternative, Claim
from outscore.significance.score_test import ScoreTest, score_statistics
from outscore.significance.simulated import SimulatedSets
from outscore.significance.t_tests import SkewT

_NORMAL = NormalDist()


@dataclass(frozen=True)
class Level:
    """The level and alternative of planned comparisons.

    Each comparison is tested at α/m (Bonferroni). Holm's correction, which `outscore compare` applies, rejects at
    least as much, so the planned power is a lower bound.

    Parameters
    ----------
    alpha : float
        Over all comparisons, in (0, 0.5).
    comparisons : int
        m, at least 1.
    alternative : Alternative
        greater or two-sided, as a member or its name.

    Raises
    ------
    OptionError
        A value is out of its range.
    """

    alpha: float = 0.05
    comparisons: int = 1
    alternative: Alternative = Alternative.TWO_SIDED

    def __post_init__(self) -> None:
        if not (isinstance(self.alpha, Real) and 0 < self.alpha < 0.5):
            what = f"expected a number above 0 and below 0.5, got {described(self.alpha)}"
            raise OptionError(Problem(opt("alpha"), what, "", "out-of-range"))
        if not (isinstance(self.comparisons, Integral) and self.comparisons >= 1):
            what = f"expected a whole number, at least 1, got {described(self.comparisons)}"
            raise OptionError(Problem(opt("comparisons"), what, "", "out-of-range"))
        object.__setattr__(self, "alpha", float(self.alpha))
        object.__setattr__(self, "comparisons", int(self.comparisons))
        if not isinstance(self.alternative, str):
            raise wrong("alternative", "greater or two-sided", self.alternative)
        try:
            object.__setattr__(self, "alternative", Alternative(self.alternative))
        except ValueError:
            what = f'expected greater or two-sided, got "{self.alternative}"'
            raise OptionError(Problem(opt("alternative"), what, "", "wrong-alternative")) from None
        if self.alternative is Alternative.LESS:
            what = "plans test for a gain, so the alternative is greater or two-sided"
            raise OptionError(Problem(opt("alternative"), what, "", "wrong-alternative"))

    @property
    def per_comparison(self) -> float:
        """The level of each comparison."""
        return self.alpha / self.comparisons

    @property
    def two_sided(self) -> bool:
        """True if a loss can be significant."""
        return self.alternative is Alternative.TWO_SIDED

    @property
    def tail(self) -> float:
        """The probability of each rejection tail."""
        return self.per_comparison / (2 if self.two_sided else 1)

    def target(self, value: float | str) -> float:
        """Return the power, checked to be above the level of each comparison and below 1."""
        power = number(value, opt("target"))
        if not self.per_comparison < power < 1:
            what = f"expected a number above the level ({self.per_comparison:g}) and below 1, got {power:g}"
            raise OptionError(Problem(opt("target"), what, "", "out-of-range"))
        return power


def level_of(level: Level | None) -> Level:
    """Return the level of a plan, 5% by default, if it is one."""
    if not isinstance(level, Level | None):
        raise wrong("level", "a Level such as outscore.Level(0.05)", level)
    return level or Level()


def title_with_margin(test: str) -> str:
    """Return the name of the test of a claim with a margin in a sentence: "score" or "skew-t"."""
    return "score test" if test == ScoreTest.name else SkewT.titled()


@dataclass(frozen=True)
class Margin:
    """The claim on the candidate, with its margin, which is positive and in the unit of the score.

    The claim is not-worse (H0: δ ≤ −margin) or equivalent (two one-sided tests, the second of H0: δ ≥ margin), and the
    test "score" or "skew-t". The `reach` of a pilot, for the score test, is the largest effect of one unit on the gain,
    and its ℓ, as `reach_of` returns them.
    """

    claim: Claim
    size: float
    reach: tuple[float, float] = (0.0, 1.0)
    test: str = ScoreTest.name

    def __post_init__(self) -> None:
        object.__setattr__(self, "claim", Claim(self.claim))
        object.__setattr__(self, "size", number(self.size, opt("margin")))
        if self.claim is Claim.BETTER:
            raise OptionError(
                Problem(opt("margin"), "applies only to the claims not-worse and equivalent", "", "usage")
            )
        if not 0 < self.size < math.inf:
            what = f"expected a positive number, the largest tolerated loss, got {self.size:g}"
            raise OptionError(Problem(opt("margin"), what, "", "out-of-range"))

    @property
    def equivalent(self) -> bool:
        """True if large gains count against the claim as well."""
        return self.claim is Claim.EQUIVALENT

    def distance(self, gain: float) -> float:
        """Return the distance from a true gain to the nearest one at which the claim is false."""
        return self.size - abs(gain) if self.equivalent else self.size + gain

    def check(self, gain: float) -> None:
        """Refuse a true gain at which the claim is false: its power would be the level, or less."""
        if self.distance(gain) <= 0:
            inside = f"between {-self.size:g} and {self.size:g}" if self.equivalent else f"above {-self.size:g}"
            what = f"expected a true gain {inside}, at which the claim {self.claim} is true, got {gain:g}"
            raise OptionError(Problem(opt("gain"), what, "Use a larger margin, or another gain.", "impossible-gain"))

    def decides_draws(self, sets: SimulatedSets, alpha: float, *, two_sided: bool) -> BoolArray:
        """Return the simulated test sets on which the claim is shown, shape (b,): each test is one-sided."""
        del two_sided
        if self.test == SkewT.name:
            return self._by_skew_t(sets, alpha)
        critical = -_NORMAL.inv_cdf(alpha)
        not_worse = score_statistics(sets, -self.size, 1.0, self.reach) >= critical
        if not self.equivalent:
            return not_worse
        return np.asarray(not_worse & (score_statistics(sets, self.size, -1.0, self.reach) >= critical))

    def _by_skew_t(self, sets: SimulatedSets, alpha: float) -> BoolArray:
        spread, n = sets.spread(), sets.weights.sum(axis=1)
        not_worse = SkewT().rejects(sets.gains + self.size, n, spread, alpha, Alternative.GREATER)
        if not self.equivalent:
            return not_worse
        return not_worse & SkewT().rejects(sets.gains - self.size, n, spread, alpha, Alternative.LESS)
