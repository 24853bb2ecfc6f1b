"""The sign test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from outscore.significance.base import Outcome, PairLaws, Question, SignificanceTest
from outscore.significance.pair import AnyPair
from outscore.significance.signed import no_median, sign_flip_outcome, unit_differences

__all__ = ["Sign"]


@dataclass(frozen=True)
class Sign(SignificanceTest):
    """The sign test, exact: helped against hurt units, whatever by how much.

    Null hypothesis: among units that differ, helped and hurt are equally likely. The number of helped units
    is Binomial(m, ½) for m units that differ; units without a difference are left out.
    The statistic is the number of helped units.
    """

    name = "sign"

    def obstacle(self, pair: AnyPair, question: Question) -> str | None:
        return no_median(pair, question)

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        del laws
        signs = np.sign(unit_differences(pair, 0.0))
        return sign_flip_outcome(signs, question, float((signs > 0).sum()), "exact: binomial")
