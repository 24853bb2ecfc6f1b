"""Claims about the candidate, their null hypotheses, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.design.crossed import CrossedFactor
from outscore.gains.gain_laws import Hypothesis
from outscore.results import Alternative, Claim, Ties, Verdict
from outscore.significance.base import SignificanceTest
from outscore.significance.t_tests import SkewT
from outscore.words import warnings


def margin_warning(tests: Sequence[SignificanceTest], factors: Sequence[CrossedFactor]) -> str | None:
    """Return the warning of a claim with a margin, or None if these tests control the error rate.

    `factors` are the random factors.
    """
    names = [test.name for test in tests if not test.keeps_level_at_margins]
    if not names:
        return None
    if factors:
        return warnings.margin_of_levels(names, [factor.plural for factor in factors])
    return warnings.SKEW_T_AT_MARGINS if names == [SkewT.name] else warnings.margin(names)


def hypotheses_of(claim: Claim, alternative: Alternative, margin: float | None, ties: Ties) -> Sequence[Hypothesis]:
    """Return the hypotheses whose largest p-value tests the claim.

    better: H0: δ ≤ 0 (or by the alternative). not-worse: H0: δ ≤ −margin. equivalent: two one-sided tests,
    H0: δ ≤ −margin and H0: δ ≥ margin (Schuirmann 1987).
    """
    match claim:
        case Claim.BETTER:
            return (Hypothesis(alternative, 0.0, ties),)
        case Claim.NOT_WORSE:
            return (Hypothesis(Alternative.GREATER, -(margin or 0.0), ties),)
        case Claim.EQUIVALENT:
            return (
                Hypothesis(Alternative.GREATER, -(margin or 0.0), ties),
                Hypothesis(Alternative.LESS, margin or 0.0, ties),
            )


def verdict(claim: Claim, alternative: Alternative, p_value: float, direction: float, alpha: float) -> Verdict:
    """Return the verdict on the claim at level alpha. A large p-value is inconclusive.

    `direction` is positive if the test's statistic favours the candidate: the gain, or the test's own sign. At 0 the
    candidate is never better, even with strict ties and two equal systems.
    """
    if p_value > alpha:
        return Verdict.INCONCLUSIVE
    match claim, alternative:
        case Claim.NOT_WORSE, _:
            return Verdict.NOT_WORSE
        case Claim.EQUIVALENT, _:
            return Verdict.EQUIVALENT
        case _, Alternative.GREATER if direction > 0:
            return Verdict.BETTER
        case _, Alternative.LESS if direction < 0:
            return Verdict.WORSE
        case _, Alternative.TWO_SIDED if direction != 0:
            return Verdict.BETTER if direction > 0 else Verdict.WORSE
        case _:
            return Verdict.INCONCLUSIVE


def contradicts(decided: Verdict, gain: float, margin: float | None = None) -> bool:
    """Return whether the mean gain contradicts a verdict on another quantity.

    The verdict on the gain is then withheld.
    """
    match decided:
        case Verdict.BETTER:
            return gain < 0
        case Verdict.WORSE:
            return gain > 0
        case Verdict.NOT_WORSE:
            return gain < -(margin or 0.0)
        case Verdict.EQUIVALENT:
            return abs(gain) > (margin or 0.0)
        case Verdict.INCONCLUSIVE:
            return False
