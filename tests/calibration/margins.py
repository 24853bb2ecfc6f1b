"""Exact sizes of claims with a margin on right-or-wrong items, by enumeration of what can be helped and hurt."""

from __future__ import annotations

from functools import cache

from outscore import Accuracy
from outscore.results import Claim
from outscore.significance import Resampling, SignificanceTest
from tests.calibration.measuring import Ask
from tests.calibration.nulls import Losses, right_or_wrong
from tests.significance.kit import GainLaws, Pair

__all__ = ["passing", "size"]


@cache
def _p_value(test: SignificanceTest, claim: Claim, margin: float, helped: int, hurt: int, n: int) -> float:
    pair = Pair(Accuracy(), *right_or_wrong(helped, hurt, n))
    laws = GainLaws([pair], Resampling())
    questions = Ask(claim, margin=margin).questions()
    return max(test.p_value(pair, laws, question).value for question in questions)


def passing(test: SignificanceTest, claim: Claim, margin: float, losses: Losses, alpha: float = 0.05) -> float:
    """Return how often a candidate passes, whatever its true loss: the size where that is the margin, else the power.

    Exact but for data sets that are less likely than 1e-7 each, which count as passing.
    """
    found = losses.probabilities(1e-7)
    rejected = sum(
        probability
        for helped, hurt, probability in found
        if _p_value(test, claim, margin, helped, hurt, losses.n) <= alpha
    )
    return float(rejected + 1 - sum(probability for _, _, probability in found))


def size(test: SignificanceTest, claim: Claim, losses: Losses, alpha: float = 0.05) -> float:
    """Return how often a candidate that is worse by exactly the margin passes."""
    return passing(test, claim, losses.margin, losses, alpha)
