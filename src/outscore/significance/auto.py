"""The default test: the bootstrap where its measured level is good, and elsewhere what holds there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from outscore.numbers import format_counted
from outscore.results import Alternative, Estimator, Interval
from outscore.significance.base import Outcome, PairLaws, Question, SignificanceTest
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.influence import Influence, effective_units, enough_units, influence_of
from outscore.significance.intervals import test_interval
from outscore.significance.p_values import p_value
from outscore.significance.pair import AnyPair
from outscore.significance.paired_t import PairedT
from outscore.significance.randomization import Randomization
from outscore.significance.recomputed import RecomputedPair
from outscore.significance.robust_t import RobustT, SkewT
from outscore.significance.score_test import ScoreTest, knows_the_worst

__all__ = ["Auto", "Choice", "choose"]

_ENOUGH_DIFFERING = 10
_NEARLY_ALL = 0.8  # of the units that differ: then there are few because there are few units
_MOST_RECOMPUTED = 1000  # units, left out one by one
_SKEWED = 0.1  # of the law of the gain: what exponential differences have at n = 400, normal ones never beyond 50


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
    """What `auto` takes for a pair.

    Attributes
    ----------
    test : SignificanceTest
    interval : Interval
        The test's own; widened by that of the test it was held against, where the data are skewed or few differ.
    reason : str or None
        A sentence on why it is not the bootstrap.
    """

    test: SignificanceTest
    interval: Interval
    reason: str | None


def choose(
    pair: AnyPair, laws: PairLaws, question: Question, *, unit: str, alpha: float, level: float, estimator: Estimator
) -> Choice:
    """Return the test that keeps its level on data like the pair's, and its interval.

    0. With strata paired-t where fewer than that are drawn, Σ (n_h − 1), if the gain is linear.
    1. The bootstrap from 50 effective units on (100 at a level of 1%), (Σℓ)²/Σℓ² for units of size ℓ (Kish), if 10 of
       them differ; else randomization, which is exact whatever their number; else, where even all swaps cannot reach
       alpha because there are so few units, the t-test with CR2 variance and Satterthwaite's degrees of freedom.
    2. Where the law of the gain is skewed, or few units differ, none of these holds its level of equal but unlike
       systems. Then another test must reject as well: the score test, which allows for items that could be but are not
       in the test set, where the metric has a range, and otherwise the t-test corrected for skewness. Where it does
       not, it is what is taken; and the interval covers both.

    Parameters
    ----------
    pair : AnyPair
    laws : PairLaws
    question : Question
        About a null gain of 0.
    unit : str
        "item" or "cluster".
    alpha, level : float
        Of the verdict, and of one of several candidates by itself: alpha divided by their number.
    estimator : Estimator
    """
    influence = _influence(pair)
    test, reason = _by_size(pair, question, influence, unit, alpha)

    def p_of(one: SignificanceTest) -> float:
        return p_value(one.outcome(pair, laws, question), one.estimator or estimator).value

    def interval_of(one: SignificanceTest) -> Interval:
        return test_interval(one, pair, laws, [question], alpha, estimator)

    interval = interval_of(test)
    guard = _guard(pair, influence)
    if guard is None:
        return Choice(test, interval, reason)
    other = interval_of(guard)
    widened = replace(interval, low=min(interval.low, other.low), high=max(interval.high, other.high))
    interval = interval if widened == interval else replace(widened, method=f"{interval.method}+{other.method}")
    if p_of(test) <= alpha and p_of(guard) > level:
        return Choice(
            guard,
            interval,
            f"{guard.name} gives the verdict, not {test.name}: few {unit}s make up most of the gain's variance, on one "
            "side, and allowing for what happens not to be in this test set it may be chance.",
        )
    return Choice(test, interval, reason)


def _guard(pair: AnyPair, influence: Influence | None) -> SignificanceTest | None:
    """Return the test that has to reject as well where units are few that differ, or skewed; else None."""
    skewed = influence is not None and influence.variance > 0 and abs(influence.skewness) >= _SKEWED
    if skewed or pair.n_differing < _ENOUGH_DIFFERING:
        if knows_the_worst(pair):
            return ScoreTest()
        if skewed:
            return SkewT()
    return None


def _influence(pair: AnyPair) -> Influence | None:
    """Return what units contribute, but for metrics that would have to be recomputed too often."""
    return None if isinstance(pair, RecomputedPair) and pair.n_units > _MOST_RECOMPUTED else influence_of(pair)


def _by_size(
    pair: AnyPair, question: Question, influence: Influence | None, unit: str, alpha: float
) -> tuple[SignificanceTest, str | None]:
    """Return the test for so many units, and why it is not the bootstrap."""
    enough = enough_units(alpha)
    effective = effective_units(pair.sizes) if pair.strata is None else float(pair.n_draws)
    differing = pair.n_differing
    if pair.strata is not None and effective < enough and differing and not PairedT().obstacle(pair, question):
        return PairedT(), (
            f"paired-t within strata gives the verdict: the bootstrap draws {pair.n_draws} of {pair.n_units} {unit}s, "
            "one less of each stratum, and with so few rejects true nulls too often."
        )
    if differing == 0 or (effective >= enough and differing >= _ENOUGH_DIFFERING):
        return Bootstrap(), None
    if effective < enough:
        count = format_counted(pair.n_units, unit)
        if effective < 0.8 * pair.n_units:
            count += f", of such unequal size that they are worth {effective:.3g},"
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
