"""A significance test: signs of the differences, with quantiles of the differences in the place of an interval."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.pair import Pair
from outscore.laws.exact.steps import sign_tail
from outscore.results import Alternative, Estimator, Interval
from outscore.significance.base import SignificanceTest, no_unit_scores, unit_differences
from outscore.significance.p_values import PValue
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

    def obstacle(self, pair: Pair, hypothesis: Hypothesis) -> str | None:
        return "does not support a margin" if hypothesis.null_gain else no_unit_scores(pair)

    def p_value(self, pair: Pair, laws: GainLaws, hypothesis: Hypothesis) -> PValue[float]:
        d = unit_differences(pair, 0.0)
        helped, hurt = np.array([(d > 0).sum()]), np.array([(d < 0).sum()])
        p = float(_tail(helped, hurt, two_sided=hypothesis.alternative is Alternative.TWO_SIDED)[0])
        return PValue(p, "exact: binomial", statistic=float(np.median(d)))

    def interval(
        self, pair: Pair, laws: GainLaws, alpha: float, hypothesis: Hypothesis, estimator: Estimator
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
