"""What a significance test is: a question about a pair, answered by a p-value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from outscore._types import FloatArray
from outscore.laws import Law, Probability
from outscore.results import Alternative, Estimator, Interval, Method, Ties
from outscore.significance.gain_laws import GainLaws
from outscore.significance.pair import AnyPair

__all__ = ["Outcome", "PairLaws", "Question", "SignificanceTest", "one_sided", "rejecting_share", "tail"]


@dataclass(frozen=True)
class Question:
    """What is asked of the gain.

    Attributes
    ----------
    alternative : Alternative
    null_gain : float
        δ₀: the gain that the null hypothesis puts at the boundary; 0 but for claims with a margin.
    ties : Ties
    """

    alternative: Alternative = Alternative.GREATER
    null_gain: float = 0.0
    ties: Ties = Ties.COUNT


@dataclass(frozen=True)
class PairLaws:
    """The laws of one of several pairs."""

    laws: GainLaws
    index: int

    def bootstrap(self) -> Law:
        return self.laws.bootstrap(self.index)

    def bootstrap_or_sampled(self) -> Law:
        return self.laws.bootstrap_or_sampled(self.index)

    def swap(self, null_gain: float) -> Law:
        return self.laws.swap(self.index, null_gain)

    def subset_totals(self) -> FloatArray:
        return self.laws.subset_totals(self.index)

    @property
    def method(self) -> Method:
        return self.laws.resampling.method

    def bootstrap_gains(self, n_resamples: int) -> FloatArray:
        return self.laws.bootstrap_gains(self.index, n_resamples)

    def swap_gains(self, n_resamples: int) -> FloatArray:
        return self.laws.swap_gains(self.index, n_resamples)


@dataclass(frozen=True)
class Outcome:
    """What a test found.

    Attributes
    ----------
    probability : Probability
        Of the event, before any estimator.
    computation : str
        How: "Monte Carlo", "exact: lattice", "exact: t distribution".
    statistic : float or None
    least : float
        The smallest p-value that the test could give on these data.
    doubled : bool
        Whether the p-value is twice the probability, at most 1.
    """

    probability: Probability
    computation: str
    statistic: float | None = None
    least: float = 5e-324
    doubled: bool = False


class SignificanceTest(ABC):
    """A test of a pair's gain.

    Attributes
    ----------
    name : str
        The name on the command line and in JSON.
    centre : str or None
        For the signature: about what a resampling test compares.
    resamples : bool
        Whether it asks resampling laws, and so can be checked with other resamples.
    swaps : bool
        Whether it swaps units, and so can swap single responses.
    assumes_independence : bool
        Whether it takes the two systems' items to be independent, which paired systems are not.
    keeps_level_at_margins : bool
        Whether it allows, with a margin, for losses that happen not to be in the test set.
    emulates : str or None
        The tool whose formula it reproduces to be compared with. Such a test never gives a verdict.
    caveat : str or None
        One sentence that a reader of its p-values must know.
    of_items_alone : bool
        Whether it knows neither clusters nor responses.
    estimator : Estimator or None
        The only one that it knows, where it knows only one.
    """

    name: ClassVar[str]
    centre: ClassVar[str | None] = None
    resamples: ClassVar[bool] = False
    swaps: ClassVar[bool] = False
    assumes_independence: ClassVar[bool] = False
    keeps_level_at_margins: ClassVar[bool] = False
    emulates: ClassVar[str | None] = None
    caveat: ClassVar[str | None] = None
    of_items_alone: ClassVar[bool] = False
    estimator: ClassVar[Estimator | None] = None

    def answered(self, question: Question) -> Question:
        """Return the question that the test answers when asked this one."""
        return question

    def obstacle(self, pair: AnyPair, question: Question) -> str | None:
        """Say why the test cannot be applied to this pair, as the end of "it …"; None where it can."""
        del pair, question
        return None

    def caveat_on(self, pair: AnyPair, seed: int) -> str | None:
        """Return the sentence that a reader of this pair's p-value must know, where there is one."""
        del pair, seed
        return self.caveat

    def remarks(self, pair: AnyPair) -> Sequence[str]:
        """Return what a reader of its p-value for this pair must know, in sentences."""
        del pair
        return ()

    @abstractmethod
    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        """Carry out the test; `obstacle` has been asked before."""

    def interval(
        self, pair: AnyPair, laws: PairLaws, alpha: float, question: Question, estimator: Estimator
    ) -> Interval | None:
        """Return all null gains that the test does not reject at level alpha; None where it cannot be inverted.

        Of a one-sided question the other end is infinite. The null gain of the question does not matter.
        """
        del pair, laws, alpha, question, estimator
        return None


def one_sided(interval: Interval, alternative: Alternative) -> Interval:
    """Return the interval without the end that a one-sided test says nothing of."""
    match alternative:
        case Alternative.GREATER:
            return replace(interval, high=float("inf"))
        case Alternative.LESS:
            return replace(interval, low=float("-inf"))
        case Alternative.TWO_SIDED:
            return interval


def rejecting_share(law: Law, alpha: float, estimator: Estimator) -> float:
    """Return the largest probability under the law that is a p-value of at most alpha.

    Of sampled laws (c + 1)/(r + 1) <= alpha is c/r <= (alpha(r + 1) − 1)/r.
    """
    r = law.n_resamples
    if r is None or estimator is Estimator.PLAIN:
        return alpha
    return max((alpha * (r + 1) - 1) / r, 0.5 / r)


def tail(law: Law, question: Question, value: float, centre: float) -> Probability:
    """Return the probability, under a law about `centre`, of a gain at least as extreme as `value`.

    greater: P(X >= value); less: P(X <= value); two-sided: P(|X − centre| >= |value − centre|).
    With strict ties, > and <.
    """
    strict = question.ties is Ties.STRICT
    infinity = float("inf")
    match question.alternative:
        case Alternative.GREATER:
            return law.outside(-infinity, value, strict=strict)
        case Alternative.LESS:
            return law.outside(value, infinity, strict=strict)
        case Alternative.TWO_SIDED:
            reach = abs(value - centre)
            return law.outside(centre - reach, centre + reach, strict=strict)
