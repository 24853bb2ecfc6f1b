"""What is claimed of the candidate, the questions that a claim asks, and the verdict on it."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.design.crossed import CrossedFactor
from outscore.gains.gain_laws import Question
from outscore.results import Alternative, Claim, Ties, Verdict
from outscore.significance.base import SignificanceTest
from outscore.significance.t_tests import SkewT
from outscore.words import warnings


def margin_warning(tests: Sequence[SignificanceTest], factors: Sequence[CrossedFactor]) -> str | None:
    """Return what a reader must know of a claim with a margin by these tests; None where they keep their level.

    Parameters
    ----------
    tests : sequence of SignificanceTest
    factors : sequence of CrossedFactor
        Those that are random.
    """
    names = [test.name for test in tests if not test.keeps_level_at_margins]
    if not names:
        return None
    if factors:
        return warnings.margin_of_levels(names, [factor.plural for factor in factors])
    return warnings.SKEW_T_AT_MARGINS if names == [SkewT.name] else warnings.margin(names)


def questions(claim: Claim, alternative: Alternative, margin: float | None, ties: Ties) -> Sequence[Question]:
    """Return the questions whose largest p-value tests the claim.

    better: H0: δ ≤ 0 (or as the alternative says). not-worse: H0: δ ≤ −margin. equivalent: two one-sided
    tests, H0: δ ≤ −margin and H0: δ ≥ margin (Schuirmann 1987).
    """
    match claim:
        case Claim.BETTER:
            return (Question(alternative, 0.0, ties),)
        case Claim.NOT_WORSE:
            return (Question(Alternative.GREATER, -(margin or 0.0), ties),)
        case Claim.EQUIVALENT:
            return (
                Question(Alternative.GREATER, -(margin or 0.0), ties),
                Question(Alternative.LESS, margin or 0.0, ties),
            )


def verdict(claim: Claim, alternative: Alternative, p_value: float, gain: float, alpha: float) -> Verdict:
    """Return what a p-value at level alpha says of the claim; a large one says that the data do not tell.

    A candidate without a gain is never better, whatever strict ties make of two equal systems.
    """
    if p_value > alpha:
        return Verdict.INCONCLUSIVE
    match claim, alternative:
        case Claim.NOT_WORSE, _:
            return Verdict.NOT_WORSE
        case Claim.EQUIVALENT, _:
            return Verdict.EQUIVALENT
        case _, Alternative.GREATER if gain > 0:
            return Verdict.BETTER
        case _, Alternative.LESS if gain < 0:
            return Verdict.WORSE
        case _, Alternative.TWO_SIDED if gain != 0:
            return Verdict.BETTER if gain > 0 else Verdict.WORSE
        case _:
            return Verdict.INCONCLUSIVE
