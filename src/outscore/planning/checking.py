"""Running tests themselves on simulated test sets, to check the shortcut that planning takes."""

from __future__ import annotations

import numpy as np

from outscore._types import BoolArray, FloatArray
from outscore.planning.levels import Level
from outscore.planning.margins import Margin
from outscore.results import Estimator, Ties
from outscore.results.plans import PowerCheck
from outscore.significance import Resampling, SignificanceTest
from outscore.significance.base import PairLaws, Question
from outscore.significance.claims import questions
from outscore.significance.gain_laws import GainLaws
from outscore.significance.p_values import p_value
from outscore.significance.pair import Pair
from outscore.significance.score_test import ScoreTest

__all__ = ["check_decisions", "test_itself"]

_N_RESAMPLES = 2_000


def test_itself(test: SignificanceTest | Margin, pair: Pair, weights: FloatArray, level: Level, seed: int) -> bool:
    """Return whether a test is significant on the test set in which unit i stands weights[i] times.

    Where the test has no exact law it draws 2,000 resamples: a simulation within the simulation.
    """
    index = np.repeat(np.arange(pair.n_units), weights.astype(np.int64))
    strata = None if pair.strata is None else pair.strata[index]
    drawn = Pair(pair.metric, pair.baseline[index], pair.candidate[index], strata)
    laws = PairLaws(GainLaws([drawn], Resampling(n_resamples=_N_RESAMPLES, seed=seed)), 0)
    run, asked = (
        (ScoreTest(), questions(test.claim, level.alternative, test.size, Ties.COUNT))
        if isinstance(test, Margin)
        else (test, [Question(level.alternative)])
    )
    found = [p_value(run.outcome(drawn, laws, question), Estimator.ADD_ONE) for question in asked]
    return all(one.value <= level.each for one in found)


test_itself.__test__ = False  # type: ignore[attr-defined]  # not a test, whatever pytest thinks of its name


def check_decisions(
    test: SignificanceTest | Margin, pair: Pair, weights: FloatArray, found: BoolArray, level: Level, seed: int
) -> PowerCheck:
    """Compare decisions, shape (b,), with those of the test itself on the same sets, weights of shape (b, n)."""
    itself = np.array([test_itself(test, pair, row, level, seed + i) for i, row in enumerate(weights)])
    return PowerCheck(len(weights), int((itself & ~found).sum()), int((found & ~itself).sum()))
