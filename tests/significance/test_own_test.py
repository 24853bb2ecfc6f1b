"""A test of a user's own: one class, in this file alone, that comparisons, rankings and plans take."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

import outscore
from outscore.exact.steps import sign_tail
from outscore.laws import Probability
from outscore.results import Alternative, Estimator, Interval
from outscore.significance.base import (
    DecidesCounts,
    DecidesDraws,
    Outcome,
    PairLaws,
    Question,
    SignificanceTest,
    no_unit_scores,
    unit_differences,
)
from outscore.significance.pair import AnyPair
from outscore.significance.simulated import SimulatedSets

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class MedianSign(SignificanceTest):
    """Signs of the differences from 0, and the median of those that differ as the interval's middle."""

    name = "median-sign"
    title = "sign test of the median"
    intervals = MappingProxyType({"median": "toy"})
    caveat = "A toy."

    def obstacle(self, pair: AnyPair, question: Question) -> str | None:
        return "knows no margin" if question.null_gain else no_unit_scores(pair)

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        d = unit_differences(pair, 0.0)
        helped, hurt = np.array([(d > 0).sum()]), np.array([(d < 0).sum()])
        p = float(_tail(helped, hurt, two_sided=question.alternative is Alternative.TWO_SIDED)[0])
        return Outcome(Probability(p), "exact: binomial", statistic=float(np.median(d)))

    def interval(
        self, pair: AnyPair, laws: PairLaws, alpha: float, question: Question, estimator: Estimator
    ) -> Interval:
        d = unit_differences(pair, 0.0)
        low, high = np.quantile(d, [alpha / 2, 1 - alpha / 2])
        return Interval(float(low), float(high), 1 - alpha, "median", exact=False)

    def decides_counts(self, n: int, helped: IntArray, hurt: IntArray, alpha: float, *, two_sided: bool) -> BoolArray:
        return np.asarray((_tail(helped, hurt, two_sided=two_sided) <= alpha) & (helped > hurt))

    def decides_draws(self, sets: SimulatedSets, alpha: float, *, two_sided: bool) -> BoolArray:
        helped, hurt = (part.astype(np.int64) for part in sets.differing)
        return np.asarray(_tail(helped, hurt, two_sided=two_sided) <= alpha)


def _tail(helped: IntArray, hurt: IntArray, *, two_sided: bool) -> npt.NDArray[np.float64]:
    more = np.maximum(helped, hurt) if two_sided else helped
    return np.where(helped == hurt, 1.0, np.minimum(sign_tail(more, helped + hurt) * (1 + two_sided), 1.0))


RNG = np.random.default_rng(4)
BASELINE = (RNG.random(120) < 0.5).astype(float)
CANDIDATE = np.where(RNG.random(120) < 0.3, 1.0, BASELINE)


def test_it_compares_as_the_sign_test_does() -> None:
    comparison = outscore.compare(BASELINE, CANDIDATE, tests=[MedianSign(), "sign"]).comparisons[0]
    own, sign = comparison.tests
    assert own.name == "median-sign"
    assert own.p_value == sign.p_value
    assert comparison.interval.method == "median"
    assert "A toy." in comparison.warnings
    assert "median-sign test" in comparison.sentence  # it is not registered, and its result knows its name alone


def test_it_ranks() -> None:
    systems = {"a": BASELINE, "b": CANDIDATE, "c": 1 - BASELINE}
    own, sign = (outscore.rank(systems, tests=test) for test in (MedianSign(), "sign"))
    np.testing.assert_allclose([pair.p_value for pair in own.pairs], [pair.p_value for pair in sign.pairs], rtol=1e-12)
    assert own.tests == ("median-sign",)


def test_it_is_planned_for() -> None:
    test = MedianSign()
    assert isinstance(test, DecidesCounts)
    assert isinstance(test, DecidesDraws)
    own, sign = outscore.plan_power(outscore.Rates(0.05), 400, 0.04, tests=[test, outscore.Sign()]).rows
    assert own.power.value == sign.power.value
    noisy = BASELINE + 0.1 * RNG.normal(size=120)
    pilot = outscore.pilot(noisy, noisy + RNG.normal(0.05, 0.2, size=120))
    own, sign = outscore.plan_power(pilot, 200, 0.08, tests=[test, outscore.Sign()]).rows
    assert own.power.value == sign.power.value
