"""What a significance test is: a question about a pair, answered by a p-value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

import numpy as np

from outscore._types import BoolArray, FloatArray, IntArray
from outscore.design.registry import crossed_factors
from outscore.gains.gain_laws import GainLaws, Question
from outscore.gains.pair import AnyPair
from outscore.laws.exact import swap_law
from outscore.laws.law import Law, Probability
from outscore.results import Alternative, Estimator, Interval, Method, Ties
from outscore.text.naming import in_a_row, printable

if TYPE_CHECKING:
    from outscore.laws.exact.steps import StepSums
    from outscore.significance.simulated import SimulatedSets

# How p-values are computed that are no approximations of the null distribution: derived from it, or sampled.
_OF_NULL_DISTRIBUTION = ("exact", "Monte Carlo", "tilted")

# What was sampled: units, and what can be crossed with items.
UNITS = frozenset({"item", "cluster"})
CROSSED = frozenset(factor.name for factor in crossed_factors())

A_HAIR_MORE = 1 + 1e-12  # a p-value that equals the level is none above it


@dataclass(frozen=True, eq=False)
class PairLaws:
    """The laws of one of several pairs."""

    laws: GainLaws
    index: int

    def outcome(self, test: SignificanceTest, pair: AnyPair, question: Question) -> Outcome:
        """Return the outcome of a test of this pair; that of resampling identical systems needs no resamples."""
        sound = test.resamples and test.emulates is None and question.null_gain == 0 and question.ties is Ties.COUNT
        return IDENTICAL if sound and pair.n_differing == 0 else test.outcome(pair, self, question)

    def bootstrap(self) -> Law:
        return self.laws.law(self.index)

    def bootstrap_or_sampled(self) -> Law:
        return self.laws.law(self.index, or_sampled=True)

    def swap(self, null_gain: float) -> Law:
        return self.laws.law(self.index, null_gain)

    def level_scores(self) -> Sequence[FloatArray]:
        return self.laws.level_scores(self.index)

    def pigeonhole(self) -> Law:
        return self.laws.pigeonhole(self.index)

    def subset_totals(self) -> FloatArray:
        return self.laws.subset_totals(self.index)

    @property
    def method(self) -> Method:
        return self.laws.resampling.method

    def bootstrap_gains(self, n_resamples: int) -> FloatArray:
        return self.laws.gains(self.index, n_resamples, swapped=False)

    def swap_gains(self, n_resamples: int) -> FloatArray:
        return self.laws.gains(self.index, n_resamples, swapped=True)


@dataclass(frozen=True)
class Outcome:
    """What a test found.

    Attributes
    ----------
    probability : Probability
        Of the event, before any estimator.
    computation : str
        How: "exact: lattice", "Monte Carlo", "tilted"; or the distribution that the statistic has only in the limit or
        under assumptions, such as "t distribution", which makes the p-value asymptotic.
    statistic : float or None
    least : float
        The smallest p-value that the test could give on these data.
    doubled : bool
        Whether the p-value is twice the probability, at most 1.
    degrees : float or None
        Degrees of freedom of the statistic, where results are to tell them.
    """

    probability: Probability
    computation: str
    statistic: float | None = None
    least: float = 5e-324
    doubled: bool = False
    degrees: float | None = None

    @property
    def asymptotic(self) -> bool:
        """Whether the p-value is from a normal, t or chi-squared distribution, or another approximation."""
        return not self.computation.startswith(_OF_NULL_DISTRIBUTION)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What a test found of many pairs, in columns of shape (m,): those of `Outcome`, and of its probability.

    Attributes
    ----------
    values, least : ndarray
    lows, highs : ndarray
        Brackets of the values that are exact.
    n_exceeding : ndarray of int
        −1 where nothing was sampled.
    doubled, asymptotic : ndarray of bool
    n_resamples : int or None
        Of those that were sampled; None where none was.
    """

    values: FloatArray
    lows: FloatArray
    highs: FloatArray
    least: FloatArray
    n_exceeding: IntArray
    doubled: BoolArray
    asymptotic: BoolArray
    n_resamples: int | None = None

    @classmethod
    def exact(cls, values: FloatArray, errors: FloatArray, least: FloatArray | float) -> Outcomes:
        """Return outcomes of which none was sampled."""
        m = len(values)
        floors = np.broadcast_to(np.asarray(least, dtype=np.float64), m)
        never = np.zeros(m, dtype=bool)
        return cls(values, values - errors, values + errors, floors, np.full(m, -1), never, never)

    @classmethod
    def asymptotic_ones(cls, values: FloatArray) -> Outcomes:
        """Return outcomes that are all asymptotic."""
        errors = np.where(values < 1, 1e-12 * values, 0.0)
        return replace(cls.exact(values, errors, 5e-324), asymptotic=np.ones(len(values), dtype=bool))

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Outcomes:
        """Return in columns what was found pair by pair."""
        drawn = [outcome.probability for outcome in outcomes]
        return cls(
            np.array([p.value for p in drawn]),
            np.array([p.value - p.error if p.low is None else p.low for p in drawn]),
            np.array([p.value + p.error if p.high is None else p.high for p in drawn]),
            np.array([outcome.least for outcome in outcomes]),
            np.array([-1 if p.n_exceeding is None else p.n_exceeding for p in drawn], dtype=np.int64),
            np.array([outcome.doubled for outcome in outcomes], dtype=bool),
            np.array([outcome.asymptotic for outcome in outcomes], dtype=bool),
            next((p.n_resamples for p in drawn if p.n_resamples is not None), None),
        )

    def __len__(self) -> int:
        return len(self.values)

    @property
    def sampled(self) -> BoolArray:
        """Which were sampled, shape (m,)."""
        return self.n_exceeding >= 0

    @property
    def derived(self) -> BoolArray:
        """Which are exact, derived from the null distribution, shape (m,)."""
        return ~(self.sampled | self.asymptotic)

    def but_for(self, identical: BoolArray) -> Outcomes:
        """Return outcomes of which those of identical systems are certain: their p-values are 1."""
        return Outcomes(
            np.where(identical, 1.0, self.values),
            np.where(identical, 1.0, self.lows),
            np.where(identical, 1.0, self.highs),
            np.where(identical, IDENTICAL.least, self.least),
            np.where(identical, -1, self.n_exceeding),
            self.doubled & ~identical,
            self.asymptotic & ~identical,
            self.n_resamples if bool((self.sampled & ~identical).any()) else None,
        )


IDENTICAL = Outcome(Probability(1.0), "exact: identical systems")


def outcome_of(law: Law, probability: Probability, *, doubled: bool = False) -> Outcome:
    """Return the outcome of a test that asks a law for a probability."""
    if probability.tilted:
        from outscore.gains.tilted import LEAST_TILTED

        return Outcome(probability, "tilted", least=LEAST_TILTED, doubled=doubled)
    return Outcome(probability, law.how, least=law.least, doubled=doubled)


def sign_flip_outcome(values: FloatArray, question: Question, statistic: float, computation: str) -> Outcome:
    """Return the outcome of Σ values under random signs: exact, from its law on a grid."""
    law = swap_law(values, np.ones(len(values))) if values.any() else None
    if law is None:
        return Outcome(Probability(1.0), computation, statistic=statistic)
    probability = tail(law, question, float(values.mean()), centre=0.0)
    return Outcome(probability, computation, statistic=statistic, least=law.least)


class SignificanceTest(ABC):
    """A test of a pair's gain: all that outscore knows of it stands in its class.

    A test needs a name and an `outcome`. It may know more, which `DecidesCounts`, `TellsNormalLimit` and
    `DecidesDraws` say of planning, and `TakesTables` of rankings.

    Attributes
    ----------
    name : str
        The name on the command line and in JSON.
    title : str or None
        What it is called in a sentence, "{drawn}" in place of what it draws; by its name where it has none.
    title_if : mapping
        What it is called in a sentence instead, by how it was computed.
    intervals : mapping
        What its intervals are called in a sentence, by their method.
    unsure_of_few : bool
        Whether it rejects true nulls too often with few units, or few that differ.
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
    samples : frozenset of str
        What it allows for having been sampled: "item", "cluster", "crossed clusters", and crossed factors by name, such
        as "run". It applies where nothing else was sampled (`Design.sampled`).
    requires : frozenset of str
        Without one of which having been sampled there is nothing that it could ask; none of most tests.
    alternative, ties, estimator : enumerations or None
        The only one that it knows, where it knows only one.
    """

    name: ClassVar[str]
    title: ClassVar[str | None] = None
    title_if: ClassVar[Mapping[str, str]] = MappingProxyType({})
    intervals: ClassVar[Mapping[str, str]] = MappingProxyType({})
    unsure_of_few: ClassVar[bool] = False
    centre: ClassVar[str | None] = None
    resamples: ClassVar[bool] = False
    swaps: ClassVar[bool] = False
    assumes_independence: ClassVar[bool] = False
    keeps_level_at_margins: ClassVar[bool] = False
    emulates: ClassVar[str | None] = None
    caveat: ClassVar[str | None] = None
    samples: ClassVar[frozenset[str]] = UNITS
    requires: ClassVar[frozenset[str]] = frozenset()
    alternative: ClassVar[Alternative | None] = None
    ties: ClassVar[Ties | None] = None
    estimator: ClassVar[Estimator | None] = None

    @classmethod
    def titled(cls, *drawn: str, computation: str = "") -> str:
        """Return what it is called in a sentence; `drawn` names what it draws as well as items."""
        title = cls.title_if.get(computation) or cls.title or f"{printable(cls.name)} test"
        return title.replace("{drawn}", in_a_row(["items", *drawn]))

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

    def withheld(self, pair: AnyPair) -> str | None:
        """Return why the test gives no verdict on this pair, in a sentence; None where it does."""
        del pair
        return None

    def gain_law(self, pair: AnyPair, laws: PairLaws) -> Law | None:
        """Return the law by which the test knows the gain; None where that is the bootstrap's."""
        del pair, laws
        return None

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


@runtime_checkable
class DecidesCounts(Protocol):
    """A test of right and wrong answers that is significant by two counts alone: planning computes its power."""

    @abstractmethod
    def decides_counts(self, n: int, helped: IntArray, hurt: IntArray, alpha: float, *, two_sided: bool) -> BoolArray:
        """Return whether a gain is significant on n items of which so many are helped, and hurt, shape (m,) each.

        Never where no more are helped than hurt, and the sooner the more are: planning searches for the limit.
        """


@runtime_checkable
class TellsNormalLimit(Protocol):
    """A test of normal differences that is significant beyond some t = d̄√n/s: planning computes its power."""

    @abstractmethod
    def normal_limit(self, n: int, tail: float) -> float | FloatArray:
        """Return that t for n differences, infinity where there is none; `tail` is the level, of two sides half.

        Several, shape (k,) and each as likely as the next, where it depends on how skewed the sample is.
        """


@runtime_checkable
class DecidesDraws(Protocol):
    """A test that decides on many simulated test sets at once: planning simulates its power."""

    @abstractmethod
    def decides_draws(self, sets: SimulatedSets, alpha: float, *, two_sided: bool) -> BoolArray:
        """Return on which sets a gain, of two sides a gain or a loss, is significant, shape (b,)."""


@runtime_checkable
class TakesTables(Protocol):
    """A test that answers for all pairs of a table of right and wrong answers at once."""

    @abstractmethod
    def outcomes_of_table(self, steps: StepSums, question: Question) -> Outcomes:
        """Return the outcomes for sums of −1, 0 and 1, one a pair, whose candidate scores at least as well."""


def no_unit_scores(pair: AnyPair) -> str | None:
    """Say why the pair has no differences unit by unit, or None where it has."""
    if pair.linear is None:
        return (
            f"needs a difference of scores for every unit, and {pair.metric.name} has none: "
            "the systems' denominators differ"
        )
    return None


def unit_differences(pair: AnyPair, null_gain: float) -> FloatArray:
    """Return dᵢ − δ₀ℓᵢ for every unit, shape (n,); rounding noise is 0."""
    assert pair.linear is not None
    return pair.linear.centred(null_gain)


def one_sided(interval: Interval, alternative: Alternative) -> Interval:
    """Return the interval without the end that a one-sided test says nothing of."""
    match alternative:
        case Alternative.GREATER:
            return replace(interval, high=float("inf"))
        case Alternative.LESS:
            return replace(interval, low=float("-inf"))
        case Alternative.TWO_SIDED:
            return interval


def rejecting_share(n_resamples: int | None, alpha: float, estimator: Estimator) -> float:
    """Return the largest probability under a law that is a p-value of at most alpha.

    Of laws of r resamples (c + 1)/(r + 1) <= alpha is c/r <= (alpha(r + 1) − 1)/r; None is an exact law.
    """
    r = n_resamples
    if r is None or estimator is Estimator.PLAIN:
        return alpha
    return max((alpha * (r + 1) - 1) / r, 0.5 / r)


def tail(law: Law, question: Question, value: float, centre: float) -> Probability:
    """Return the probability, under a law about `centre`, of a gain at least as extreme as `value`.

    greater: P(X >= value); less: P(X <= value); two-sided: P(|X − centre| >= |value − centre|).
    With strict ties, > and <.
    """
    return law.outside(*limits(question, value, centre), strict=question.ties is Ties.STRICT)


def limits(question: Question, value: float, centre: float) -> tuple[float, float]:
    """Return from where on, downwards and upwards, gains are at least as extreme as `value`; one may be infinite."""
    infinity = float("inf")
    match question.alternative:
        case Alternative.GREATER:
            return -infinity, value
        case Alternative.LESS:
            return value, infinity
        case Alternative.TWO_SIDED:
            reach = abs(value - centre)
            return centre - reach, centre + reach
