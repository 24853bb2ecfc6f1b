"""The interface of a significance test: from a hypothesis about a pair to a p-value."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

import numpy as np

from outscore._types import BoolArray, FloatArray, IntArray
from outscore.design import Units
from outscore.design.registry import crossed_factors
from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.pair import AnyPair
from outscore.laws.exact import swap_law
from outscore.laws.law import Law, Probability
from outscore.laws.student import normal_p_value
from outscore.laws.tolerances import LEAST_P, TAIL_ERROR
from outscore.results import Alternative, Estimator, Interval, Method, Moments, TestedQuantity, Ties
from outscore.text.naming import in_a_row, printable

if TYPE_CHECKING:
    from outscore.laws.exact.steps import StepSums
    from outscore.significance.simulated import SimulatedSets

# Computations that use the null distribution itself or samples of it. All others are asymptotic.
_OF_NULL_DISTRIBUTION = ("exact", "Monte Carlo")

# What may be sampled: units, and factors crossed with items.
UNITS = frozenset({"item", "cluster"})
CROSSED = frozenset(factor.name for factor in crossed_factors())


@dataclass(frozen=True, eq=False)
class PairLaws:
    """The distributions of one of several pairs."""

    laws: GainLaws
    index: int

    def outcome(self, test: SignificanceTest, pair: AnyPair, hypothesis: Hypothesis) -> Outcome:
        """Return the outcome of a test of this pair; resampling tests of identical systems draw no samples."""
        # Resampling two identical systems gives a p-value of 1, except if ties do not count, against a margin, or by a
        # formula that is emulated with its faults.
        sound = test.resamples and test.emulates is None and hypothesis.null_gain == 0 and hypothesis.ties is Ties.COUNT
        return IDENTICAL if sound and pair.n_differing == 0 else test.outcome(pair, self, hypothesis)

    def bootstrap(self) -> Law:
        return self.laws.law(self.index)

    @property
    def has_cheap_grid(self) -> bool:
        """Whether the exact distribution of the bootstrap costs next to nothing."""
        return self.laws.has_cheap_grid(self.index)

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
    """The outcome of a test.

    Attributes
    ----------
    probability : Probability
        Probability of the event, before the estimator is applied.
    computation : str
        Method of computation: "exact: lattice", "Monte Carlo". For an asymptotic p-value, the distribution
        assumed for the statistic, such as "t distribution".
    least : float
        The smallest p-value possible for these data.
    doubled : bool
        Whether the p-value is twice the probability, at most 1.
    degrees : float or None
        Degrees of freedom of the statistic, if they are to be reported.
    moments : Moments or None
        The numbers from which the skewness-corrected t-test follows.
    sign : int or None
        The direction of the test's own statistic: 1 if it favours the candidate, −1 if it favours the baseline, 0 if
        it has its null value. None if the statistic is the gain. Only tests with `SignificanceTest.tests` have a sign.
    """

    probability: Probability
    computation: str
    statistic: float | None = None
    least: float = LEAST_P
    doubled: bool = False
    degrees: float | None = None
    moments: Moments | None = None
    sign: int | None = None

    @property
    def asymptotic(self) -> bool:
        """Whether the p-value is an approximation, from a normal, t or chi-squared distribution for example."""
        return not self.computation.startswith(_OF_NULL_DISTRIBUTION)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The outcomes of a test for many pairs: the fields of `Outcome` and its probability, each of shape (m,).

    Attributes
    ----------
    lows, highs : ndarray
        Error bounds of the exact values.
    n_exceeding : ndarray of int
        −1 if the outcome was not sampled.
    n_resamples : int or None
        Number of samples of the sampled outcomes; None if none was sampled.
    signs : ndarray of int or None
        The directions of the test's own statistics, as in `Outcome`; 1 for a statistic that is the gain, because
        candidates score at least as well. None if all statistics are gains.
    """

    values: FloatArray
    lows: FloatArray
    highs: FloatArray
    least: FloatArray
    n_exceeding: IntArray
    doubled: BoolArray
    asymptotic: BoolArray
    n_resamples: int | None = None
    signs: IntArray | None = None

    @classmethod
    def exact(cls, values: FloatArray, errors: FloatArray, least: FloatArray | float) -> Outcomes:
        """Return outcomes that are all exact."""
        m = len(values)
        floors = np.broadcast_to(np.asarray(least, dtype=np.float64), m)
        never = np.zeros(m, dtype=bool)
        return cls(values, values - errors, values + errors, floors, np.full(m, -1), never, never)

    @classmethod
    def asymptotic_ones(cls, values: FloatArray) -> Outcomes:
        """Return outcomes that are all asymptotic."""
        # A p-value of 1, from t = 0 or from no variance, is exact.
        errors = np.where(values < 1, TAIL_ERROR * values, 0.0)
        return replace(cls.exact(values, errors, LEAST_P), asymptotic=np.ones(len(values), dtype=bool))

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Outcomes:
        """Return the outcomes of single pairs as columns."""
        drawn = [outcome.probability for outcome in outcomes]
        signs = [outcome.sign for outcome in outcomes]
        return cls(
            np.array([p.value for p in drawn]),
            np.array([p.value - p.error for p in drawn]),
            np.array([p.value + p.error for p in drawn]),
            np.array([outcome.least for outcome in outcomes]),
            np.array([-1 if p.n_exceeding is None else p.n_exceeding for p in drawn], dtype=np.int64),
            np.array([outcome.doubled for outcome in outcomes], dtype=bool),
            np.array([outcome.asymptotic for outcome in outcomes], dtype=bool),
            next((p.n_resamples for p in drawn if p.n_resamples is not None), None),
            None if signs.count(None) == len(signs) else np.array([1 if sign is None else sign for sign in signs]),
        )

    def __len__(self) -> int:
        return len(self.values)

    @property
    def sampled(self) -> BoolArray:
        """Whether each outcome was sampled, shape (m,)."""
        return self.n_exceeding >= 0

    @property
    def derived(self) -> BoolArray:
        """Whether each outcome is exact, shape (m,)."""
        return ~(self.sampled | self.asymptotic)

    def but_for(self, identical: BoolArray) -> Outcomes:
        """Return the outcomes with p-values of 1 for identical systems."""
        return Outcomes(
            np.where(identical, 1.0, self.values),
            np.where(identical, 1.0, self.lows),
            np.where(identical, 1.0, self.highs),
            np.where(identical, IDENTICAL.least, self.least),
            np.where(identical, -1, self.n_exceeding),
            self.doubled & ~identical,
            self.asymptotic & ~identical,
            self.n_resamples if bool((self.sampled & ~identical).any()) else None,
            self.signs,
        )


IDENTICAL = Outcome(Probability(1.0), "exact: identical systems")


def outcome_of(law: Law, probability: Probability, *, doubled: bool = False) -> Outcome:
    """Return the outcome for a probability under the distribution `law`."""
    return Outcome(probability, law.how, least=law.least, doubled=doubled)


def sign_flip_outcome(values: FloatArray, hypothesis: Hypothesis, statistic: float, computation: str) -> Outcome:
    """Return the exact outcome for Σ values with random signs, from its distribution on a grid.

    With millions of values the grid is too fine: then the sum is taken as normal.
    """
    law = swap_law(values, np.ones(len(values))) if values.any() else None
    if law is None:
        z = float(values.sum()) / math.sqrt(float(values @ values)) if values.any() else 0.0
        p = normal_p_value(z, hypothesis.alternative) if z else 1.0
        return Outcome(Probability(p), "normal distribution" if z else computation, statistic=statistic)
    probability = tail(law, hypothesis, float(values.mean()), centre=0.0)
    return Outcome(probability, computation, statistic=statistic, least=law.least)


class SignificanceTest(ABC):
    """A test of a pair's gain. Its class defines everything about the test.

    A test needs a name and an `outcome`. Planning also uses `DecidesCounts`, `TellsNormalLimit` and `DecidesDraws`,
    and rankings use `TakesTables`, if the test implements them.

    Attributes
    ----------
    name : str
        Name on the command line and in JSON.
    title : str or None
        Name in sentences, with "{drawn}" for the sampled factors. Defaults to `name`.
    title_if : mapping
        Other names in sentences, by computation.
    intervals : mapping
        Names of its intervals in sentences, by interval method.
    cites : tuple of str
        Keys of the works that a methods paragraph cites (``words/references.bib``).
    unsure_of_few : bool
        Whether it rejects true null hypotheses too often if few units, or few that differ, are available.
    centre : str or None
        Where a resampling test centres its distribution, for the signature.
    resamples : bool
        Whether it uses resampling distributions. If so, its p-value can be checked with other samples.
    swaps : bool
        Whether it swaps units.
    assumes_independence : bool
        Whether it treats the two systems' items as independent samples. Paired systems are not.
    keeps_level_at_margins : bool
        Whether, for a claim with a margin, it allows for losses that are possible but not in the test set.
    emulates : str or None
        Tool whose formula it reproduces for comparison. Such a test never gives a verdict.
    caveat : str or None
        One sentence to print beside its p-values.
    samples : frozenset of str
        Sources of sampling error that it allows for: "item", "cluster", "crossed clusters", and crossed factors by
        name, such as "run". It applies only if nothing else was sampled (`Design.sampled`).
    requires : frozenset of str
        Factors of which at least one must have been sampled. Empty for most tests.
    alternative, ties, estimator : enumerations or None
        The only supported value, for tests that support only one.
    tests : str or None
        What the test tests, if that is not the gain: "share of wins". Verdicts then have the direction of
        `Outcome.sign`, and reports show `quantity`. None for most tests.
    """

    name: ClassVar[str]
    title: ClassVar[str | None] = None
    title_if: ClassVar[Mapping[str, str]] = MappingProxyType({})
    intervals: ClassVar[Mapping[str, str]] = MappingProxyType({})
    cites: ClassVar[tuple[str, ...]] = ()
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
    tests: ClassVar[str | None] = None

    @classmethod
    def titled(cls, *drawn: str, computation: str = "") -> str:
        """Return the name of the test in a sentence; `drawn` are the factors that are sampled besides items."""
        title = cls.title_if.get(computation) or cls.title or f"{printable(cls.name)} test"
        return title.replace("{drawn}", in_a_row(["items", *drawn]))

    def obstacle(self, pair: AnyPair, hypothesis: Hypothesis) -> str | None:
        """Return why the test cannot be applied to this pair, worded to follow "it"; None if it can."""
        del pair, hypothesis
        return None

    def caveat_on(self, pair: AnyPair, seed: int) -> str | None:
        """Return the sentence to print beside this pair's p-value, or None."""
        del pair, seed
        return self.caveat

    def remarks(self, pair: AnyPair) -> Sequence[str]:
        """Return sentences about this pair that qualify the p-value."""
        del pair
        return ()

    def withheld(self, pair: AnyPair) -> str | None:
        """Return, as a sentence, why the test gives no verdict on this pair; None if it does."""
        del pair
        return None

    def gain_law(self, pair: AnyPair, laws: PairLaws) -> Law | None:
        """Return the test's distribution of the gain; None if it is the bootstrap distribution."""
        del pair, laws
        return None

    def unit_of(self, pair: AnyPair, units: Units) -> tuple[str, int]:
        """Return what the test resamples or swaps, such as "item", and how many there are of it."""
        del pair
        return units.name, units.count

    @abstractmethod
    def outcome(self, pair: AnyPair, laws: PairLaws, hypothesis: Hypothesis) -> Outcome:
        """Return the outcome of the test; the caller has checked `obstacle`."""

    def quantity(self, pair: AnyPair, alpha: float, hypotheses: Sequence[Hypothesis]) -> TestedQuantity | None:
        """Return what the test tests, if that is not the gain, with its estimate and interval; None if it is the gain.

        The verdict is then about this quantity, and `Outcome.sign` is its direction. Fields about the decision keep
        their defaults. See `sides` for the level of each end of the interval.
        """
        del pair, alpha, hypotheses
        return None

    def interval(
        self, pair: AnyPair, laws: PairLaws, alpha: float, hypothesis: Hypothesis, estimator: Estimator
    ) -> Interval | None:
        """Return all null gains that the test does not reject at level alpha; None if it cannot be inverted.

        For a one-sided hypothesis the other end is infinite. Its null gain is ignored.
        """
        del pair, laws, alpha, hypothesis, estimator
        return None


@runtime_checkable
class DecidesCounts(Protocol):
    """A test of binary scores that depends on two counts only. Planning computes its power exactly."""

    @abstractmethod
    def decides_counts(self, n: int, helped: IntArray, hurt: IntArray, alpha: float, *, two_sided: bool) -> BoolArray:
        """Return whether `helped` wins and `hurt` losses among n items are significant, shape (m,).

        False if there are no more wins than losses, and monotone in the wins: planning searches for the limit.
        """


@runtime_checkable
class TellsNormalLimit(Protocol):
    """A test of normal differences that is significant beyond some t = d̄√n/s. Planning computes its power."""

    @abstractmethod
    def normal_limit(self, n: int, tail: float) -> float | FloatArray:
        """Return the critical value of t for n differences, or infinity. `tail` is the level of one side.

        If the limit depends on the skewness of the sample, the result has shape (k,), with equally likely entries.
        """


@runtime_checkable
class DecidesDraws(Protocol):
    """A test that can decide many simulated test sets at once. Planning simulates its power."""

    @abstractmethod
    def decides_draws(self, sets: SimulatedSets, alpha: float, *, two_sided: bool) -> BoolArray:
        """Return for which test sets a gain (two-sided: a gain or a loss) is significant, shape (b,)."""


@runtime_checkable
class TakesTables(Protocol):
    """A test that decides all pairs of a table of binary scores at once."""

    @abstractmethod
    def outcomes_of_table(self, steps: StepSums, hypothesis: Hypothesis) -> Outcomes:
        """Return the outcomes of pairs, given the sums of their differences −1, 0 and 1. No candidate scores worse."""


def no_unit_scores(pair: AnyPair) -> str | None:
    """Return why the pair has no unit differences, or None if it has them."""
    if not pair.metric.has_unit_scores:
        return "needs a score for every unit, but most units have no human label"
    if pair.linear is None:
        return (
            f"needs a score difference for every unit, but the two systems have different denominators of "
            f"{pair.metric.name}"
        )
    return None


def unit_differences(pair: AnyPair, null_gain: float) -> FloatArray:
    """Return dᵢ − δ₀ℓᵢ for every unit, shape (n,), with rounding errors set to 0."""
    assert pair.linear is not None
    return pair.linear.centred(null_gain)


def one_sided(interval: Interval, alternative: Alternative) -> Interval:
    """Return the interval with the end that a one-sided test does not bound made infinite."""
    match alternative:
        case Alternative.GREATER:
            return replace(interval, high=float("inf"))
        case Alternative.LESS:
            return replace(interval, low=float("-inf"))
        case Alternative.TWO_SIDED:
            return interval


def tail_of(alpha: float, alternative: Alternative) -> float:
    """Return the level of each tail: half of alpha if both count."""
    return alpha / 2 if alternative is Alternative.TWO_SIDED else alpha


def sides(alpha: float, hypotheses: Sequence[Hypothesis]) -> tuple[float, float]:
    """Return the level of each end of an interval, and its confidence level, for the hypotheses of a claim.

    Two one-sided hypotheses, of equivalence, have both ends at alpha (Schuirmann 1987).
    """
    if len(hypotheses) > 1:
        return alpha, 1 - 2 * alpha
    return tail_of(alpha, hypotheses[0].alternative), 1 - alpha


def rejecting_share(n_resamples: int | None, alpha: float, estimator: Estimator) -> float:
    """Return the largest probability under a distribution that gives a p-value of at most alpha.

    With r samples, (c + 1)/(r + 1) <= alpha means c/r <= (alpha(r + 1) − 1)/r. An exact distribution has None for r.
    """
    r = n_resamples
    if r is None or estimator is Estimator.PLAIN:
        return alpha
    # With too few samples for the level no p-value is small enough. Half a sample then leads quantiles to the outermost
    # gain instead of below all.
    return max((alpha * (r + 1) - 1) / r, 0.5 / r)


def tail(law: Law, hypothesis: Hypothesis, value: float, centre: float) -> Probability:
    """Return the probability, under a distribution around `centre`, of a gain at least as extreme as `value`.

    greater: P(X >= value); less: P(X <= value); two-sided: P(|X − centre| >= |value − centre|).
    With strict ties, > and <.
    """
    return law.outside(*limits(hypothesis, value, centre), strict=hypothesis.ties is Ties.STRICT)


def limits(hypothesis: Hypothesis, value: float, centre: float) -> tuple[float, float]:
    """Return the limits at and beyond which gains are at least as extreme as `value`; one may be infinite."""
    infinity = float("inf")
    match hypothesis.alternative:
        case Alternative.GREATER:
            return -infinity, value
        case Alternative.LESS:
            return value, infinity
        case Alternative.TWO_SIDED:
            reach = abs(value - centre)
            return centre - reach, centre + reach
