"""What a significance test is: a question about a pair, answered by a p-value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from outscore._types import FloatArray
from outscore.laws import Law, Probability
from outscore.results import Alternative, Estimator, Ties
from outscore.significance.gain_laws import GainLaws
from outscore.significance.pair import AnyPair

__all__ = ["Outcome", "PairLaws", "Question", "SignificanceTest", "tail"]


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

    def swap(self, null_gain: float) -> Law:
        return self.laws.swap(self.index, null_gain)

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

    @abstractmethod
    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        """Carry out the test; `obstacle` has been asked before."""


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
