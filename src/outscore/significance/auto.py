"""The default test, chosen by the kind of scores, the same in every command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.pair import Pair
from outscore.results import Claim
from outscore.significance.base import SignificanceTest
from outscore.significance.p_values import PValue
from outscore.significance.randomization import Randomization
from outscore.significance.score_intervals import Binomial
from outscore.significance.score_test import ScoreTest, knows_the_range
from outscore.significance.t_tests import SkewT


@dataclass(frozen=True)
class Auto(SignificanceTest):
    """The default test, as chosen by `default_test`."""

    name = "auto"

    def obstacle(self, pair: Pair, hypothesis: Hypothesis) -> str | None:
        del pair, hypothesis
        return "selects another test; pass the name of that test"

    def p_value(self, pair: Pair, laws: GainLaws, hypothesis: Hypothesis) -> PValue[float]:
        raise NotImplementedError("selects another test: see `default_test`")


def default_test(pairs: Sequence[Pair], hypotheses: Sequence[Hypothesis], claim: Claim, unit: str) -> SignificanceTest:
    """Return the default test of some pairs of systems on the same units, called `unit`: "item", "cluster", "task".

    Binary scores of single items use the randomization test, which is exact. Against a constant they use the exact
    binomial test. All other scores use the t-test corrected for skewness. Claims with a margin use the score test if
    the range of the scores is known, because large losses may be possible that the sample does not show. For the same
    reason they use it for systems that score the same on every item.
    """
    if unit == "item" and all(pair.against is not None for pair in pairs):
        binomial = Binomial()
        if all(binomial.obstacle(pair, hypothesis) is None for pair in pairs for hypothesis in hypotheses):
            return binomial
    if claim is not Claim.BETTER:
        score = ScoreTest()
        applies = all(
            not (pair.crossing and pair.crossing.is_random)
            and pair.clusterings is None
            and (
                pair.n_differing == 0
                or (
                    knows_the_range(pair) and all(score.obstacle(pair, hypothesis) is None for hypothesis in hypotheses)
                )
            )
            for pair in pairs
        )
        return score if applies else SkewT()
    # With crossed clusterings or random levels, the units are not single items.
    single = all(pair.clusterings is None and not (pair.crossing and pair.crossing.is_random) for pair in pairs)
    binary = single and all(pair.binary and pair.against is None for pair in pairs)
    return usual_test(unit, binary=binary)


def usual_test(unit: str, *, binary: bool) -> SignificanceTest:
    """Return the default test of the claim that one system is better; `binary` is whether all units score 0 or 1."""
    return Randomization() if unit == "item" and binary else SkewT()
