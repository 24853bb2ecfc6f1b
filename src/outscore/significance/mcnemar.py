"""McNemar's test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from outscore.significance.base import Outcome, PairLaws, Question, SignificanceTest
from outscore.significance.pair import AnyPair
from outscore.significance.signed import sign_flip_outcome, unit_differences

__all__ = ["McNemar"]


@dataclass(frozen=True)
class McNemar(SignificanceTest):
    """McNemar's test, exact: the sign test for items that are right or wrong.

    Null hypothesis: both systems are right equally often. Among the b + c items that exactly one system gets
    right, those of the candidate are Binomial(b + c, ½). The statistic is their number.
    """

    name = "mcnemar"

    def obstacle(self, pair: AnyPair, question: Question) -> str | None:
        if not pair.binary:
            return "needs items that are right (1) or wrong (0)"
        if question.null_gain != 0:
            return "knows no margin"
        return None

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        del laws
        differences = unit_differences(pair, 0.0)
        helped = float(np.count_nonzero(differences > 0))
        return sign_flip_outcome(differences, question, helped, "exact: binomial")
