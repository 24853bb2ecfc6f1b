"""The default test: the bootstrap where its measured level is good, and elsewhere what holds there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from outscore._dataclasses import dataclass
from outscore.numbers import format_counted
from outscore.results import Alternative, Estimator, Interval
from outscore.significance.base import Outcome, PairLaws, Question, SignificanceTest
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.influence import (
    ENOUGH_DIFFERING,
    SKEWED,
    Influence,
    effective_units,
    enough_units,
    influence_if_cheap,
)
from outscore.significance.intervals import test_interval
from outscore.significance.p_values import p_value
from outscore.significance.pair import AnyPair
from outscore.significance.randomization import Randomization
from outscore.significance.score_test import ScoreTest, knows_the_worst, reach_of
from outscore.significance.t_tests import PairedT, RobustT, SkewT

__all__ = ["Auto", "Choice", "choose"]

_NEARLY_ALL = 0.8  # of the units that differ: then there are few because there are few units
_SKEWED_TO_ONE_SIDE = 0.03  # what skewness adds to one tail it takes from the other


@dataclass(frozen=True)
class Auto(SignificanceTest):
    """The default test, chosen by what the data can tell; `choose` says how.

    What decides is the effective number of units (Kish), how many of them differ, and how skewed the gain's law is.
    """

    name = "auto"

    def obstacle(self, pair: AnyPair, question: Question) -> str | None:
        del pair, question
        return "chooses the test of a verdict, and stands first, in compare alone"

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        raise NotImplementedError("a choice among tests: see `choose`")


@dataclass(frozen=True)
class Choice:
    """The test that gives the verdict on a pair.

    Attributes
    ----------
    test : SignificanceTest
    reason : str or None
        A sentence on why the default is not the bootstrap.
    both : sequence of SignificanceTest
        All tests that must reject: the interval covers that of each. Of the default it may be two.
    """

    test: SignificanceTest
    reason: str | None
    both: Sequence[SignificanceTest]

    def interval(
        self, pair: AnyPair, laws: PairLaws, questions: Sequence[Question], alpha: float, estimator: Estimator
    ) -> tuple[Interval, bool]:
        """Return the interval, and whether it is the first test's own rather than of another that can be inverted."""
        first, *others = self.both
        interval, own = test_interval(first, pair, laws, questions, alpha, estimator)
        for test in others:
            other, _ = test_interval(test, pair, laws, questions, alpha, estimator)
            widened = replace(interval, low=min(interval.low, other.low), high=max(interval.high, other.high))
            interval = interval if widened == interval else replace(widened, method=f"{interval.method}+{other.method}")
        return interval, own


def choose(
    pair: AnyPair, laws: PairLaws, question: Question, *, unit: str, alpha: float, estimator: Estimator
) -> Choice:
    """Return the test that keeps its level on data like the pair's.

    1. The bootstrap from 50 effective units on (100 at a level of 1%), (Σℓ)²/Σℓ² for units of size ℓ (Kish), less the
       number of strata, if 10 of them differ; else the t-test within strata, or randomization, which is exact whatever
       their number; else, where even all swaps cannot reach alpha because there are so few units, the t-test with CR2
       variance and Satterthwaite's degrees of freedom.
    2. Where the law of the gain is skewed, few units differ, or one item that could be but is not in the test set would
       move the gain by much of its standard error, none of these holds its level of equal but unlike systems. Then
       another test must reject as well: the score test, where the metric has a range, which tells what is not there,
       and otherwise the t-test corrected for skewness. The larger p-value is taken, and the interval covers both.
    """
    influence = influence_if_cheap(pair)
    test, reason = _by_size(pair, question, influence, unit, alpha)

    def p_of(one: SignificanceTest) -> float:
        return p_value(laws.outcome(one, pair, question), one.estimator or estimator).value

    guard = _guard(pair, question, influence)
    if guard is None:
        return Choice(test, reason, (test,))
    if alpha >= p_of(test) < p_of(guard):
        reason = (
            f"{guard.name} gives the verdict, not {test.name}: rare large differences, of which this test set may hold "
            "none by chance, could outweigh what it shows. The larger of the two p-values counts."
        )
        return Choice(guard, reason, (test, guard))
    return Choice(test, reason, (test, guard))


def _guard(pair: AnyPair, question: Question, influence: Influence | None) -> SignificanceTest | None:
    """Return the test that has to reject as well, or None where nothing calls for one."""
    two_sided = question.alternative is Alternative.TWO_SIDED
    variance = 0.0 if influence is None else influence.variance
    skewness = 0.0 if influence is None else influence.skewness
    skewed = variance > 0 and abs(skewness) >= (SKEWED if two_sided else _SKEWED_TO_ONE_SIDE)
    if pair.linear is not None and influence is not None and knows_the_worst(pair):
        worst = reach_of(pair)[0] / float(pair.linear.shared.sum())
        unseen = worst**2 * ENOUGH_DIFFERING > variance
        return ScoreTest() if skewed or unseen or pair.n_differing < ENOUGH_DIFFERING else None
    return SkewT() if skewed else None


def _by_size(
    pair: AnyPair, question: Question, influence: Influence | None, unit: str, alpha: float
) -> tuple[SignificanceTest, str | None]:
    """Return the test for so many units, and why it is not the bootstrap."""
    enough = enough_units(alpha)
    worth = effective_units(pair.sizes)
    effective = worth - (pair.n_units - pair.n_draws)  # each stratum's mean takes one
    differing = pair.n_differing
    if pair.strata is not None and effective < enough and differing and not PairedT().obstacle(pair, question):
        return PairedT(), (
            f"paired-t within strata gives the verdict: the bootstrap draws {pair.n_draws} of {pair.n_units} {unit}s, "
            "one less of each stratum, and with so few rejects true nulls too often."
        )
    if differing == 0 or (effective >= enough and differing >= ENOUGH_DIFFERING):
        return Bootstrap(), None
    if effective < enough:
        count = format_counted(pair.n_units, unit)
        if worth < 0.8 * pair.n_units:
            count += f", of such unequal size that they are worth {worth:.3g},"
        why = f"with {count} the bootstrap rejects true nulls too often"
    else:
        few = f"the systems differ on {format_counted(differing, unit)} only"
        why = f"{few}, and with so few the bootstrap rejects true nulls too often"
    swaps = pair.swapped.n_differing
    smallest = 0.5**swaps * (2 if question.alternative is Alternative.TWO_SIDED else 1)
    if smallest <= alpha:
        return Randomization(), f"randomization gives the verdict: {why}."
    if influence is not None and influence.variance > 0 and differing >= _NEARLY_ALL * pair.n_units:
        return RobustT(), f"cr2-t gives the verdict: {why}, and swaps of so few cannot reach {alpha:g}."
    return (
        Randomization(),
        f"No verdict is possible: the systems differ on {format_counted(differing, unit)}, and even if one of them won "
        f"all of these p would be {smallest:g}.",
    )
