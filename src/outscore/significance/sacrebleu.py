"""The paired tests of sacreBLEU, by their formula: to be compared with, never to be relied on.

Formula and defaults are those of sacreBLEU 2.6 (`sacrebleu/significance.py`); the draws are our own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.laws import Probability
from outscore.results import Alternative, Estimator, Ties
from outscore.significance.base import Outcome, PairLaws, Question, SignificanceTest
from outscore.significance.pair import AnyPair

__all__ = ["SacrebleuBootstrap", "SacrebleuRandomization", "bootstrap_exceeding", "randomization_exceeding"]


def bootstrap_exceeding(gains: FloatArray, gain: float | FloatArray, tolerance: float | FloatArray = 0.0) -> AnyArray:
    """Count the bootstrap replicates that exceed the gain as sacreBLEU does: |δ*| − mean |δ*| > |δ|.

    The sizes are taken before they are centred. Where |δ| is large so is their mean, and what is counted is one
    tail of two.

    Parameters
    ----------
    gains : ndarray, shape (r,) or (r, m)
        δ*, not centred.
    gain, tolerance : float or ndarray, shape (m,)
        δ, and by how much equal gains can differ through rounding.

    Returns
    -------
    ndarray of int, shape () or (m,)
    """
    sizes = np.abs(gains)
    return np.asarray((sizes - sizes.mean(axis=0) > np.abs(gain) + tolerance).sum(axis=0))


def randomization_exceeding(
    gains: FloatArray, gain: float | FloatArray, tolerance: float | FloatArray = 0.0
) -> AnyArray:
    """Count the swaps after which the gain is larger than the one observed, as sacreBLEU does: |δ'| > |δ|.

    Parameters and return value are those of `bootstrap_exceeding`.
    """
    return np.asarray((np.abs(gains) > np.abs(gain) + tolerance).sum(axis=0))


class _Emulation(SignificanceTest):
    """What both tests share: two-sided, strict, (c + 1)/(r + 1), sampled whatever the method, no margin."""

    resamples = True
    emulates = "sacreBLEU"
    of_items_alone = True
    estimator = Estimator.ADD_ONE

    def answered(self, question: Question) -> Question:
        return replace(question, alternative=Alternative.TWO_SIDED, ties=Ties.STRICT)

    def obstacle(self, pair: AnyPair, question: Question) -> str | None:
        del pair
        return "knows no margin: sacreBLEU asks only whether two systems differ" if question.null_gain != 0 else None


def _outcome(exceeding: AnyArray, r: int) -> Outcome:
    c = int(exceeding)
    return Outcome(Probability(c / r, n_resamples=r, n_exceeding=c), "Monte Carlo", least=1 / (r + 1))


@dataclass(frozen=True)
class SacrebleuBootstrap(_Emulation):
    """The formula of sacreBLEU's `--paired-bs`, p = (#{|δ*| − mean |δ*| > |δ|} + 1) / (r + 1), on our draws.

    Always two-sided, whatever alternative is asked for. It centres after taking absolute values, which
    rejects 10.9% of true nulls where 5% is meant (docs/calibration.md), and gives 1/(r + 1) to two systems that
    are the same. `Bootstrap` is the test to rely on.

    Parameters
    ----------
    n_resamples : int
        r, sacreBLEU's default whatever is asked of other tests.
    """

    n_resamples: int = 1000

    caveat = (
        "The p-value of sacrebleu-bootstrap differs from the sound one because sacreBLEU centres the bootstrap after "
        "taking absolute values, which rejects 10.9% of true nulls where 5% is meant (see docs/calibration.md), and "
        "compares strictly, so that identical systems get 1/(r + 1)."
    )

    name = "sacrebleu-bootstrap"
    centre = "mean-size"

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        del question
        gains = laws.bootstrap_gains(self.n_resamples)
        return _outcome(bootstrap_exceeding(gains, pair.gain, pair.tolerance), self.n_resamples)


@dataclass(frozen=True)
class SacrebleuRandomization(_Emulation):
    """The formula of sacreBLEU's `--paired-ar`, p = (#{|δ'| > |δ|} + 1) / (r + 1), on our draws.

    Always two-sided, whatever alternative is asked for. The comparison is strict: what `Randomization` counts
    as a tie is no evidence against the gain here, and two systems that are the same get 1/(r + 1).

    Parameters
    ----------
    n_resamples : int
        r, sacreBLEU's default whatever is asked of other tests.
    """

    n_resamples: int = 10_000

    caveat = (
        "The p-value of sacrebleu-randomization differs from the sound one because sacreBLEU compares strictly: a swap "
        "that gives just the observed gain is not counted, so that identical systems get 1/(r + 1); where no swap "
        "does, only the draws make them differ."
    )

    name = "sacrebleu-randomization"
    centre = "0"

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        del question
        gains = laws.swap_gains(self.n_resamples)
        return _outcome(randomization_exceeding(gains, pair.gain, pair.tolerance), self.n_resamples)
