"""The interface of a significance test: from a hypothesis about a pair to a p-value."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

import numpy as np

from outscore._types import AnyArray, BoolArray, FloatArray, IntArray
from outscore.design import Units
from outscore.design.registry import crossed_factors
from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.pair import Pair
from outscore.laws.exact import swap_law
from outscore.laws.law import Law
from outscore.laws.student import normal_p_value
from outscore.results import Alternative, Estimator, Interval, TestedQuantity, Ties
from outscore.significance.p_values import PValue
from outscore.text.naming import in_a_row, printable

if TYPE_CHECKING:
    from outscore.laws.exact.steps import StepSums
    from outscore.significance.simulated import SimulatedSets

# What may be sampled: units, and factors crossed with items.
UNITS = frozenset({"item", "cluster"})
CROSSED = frozenset(factor.name for factor in crossed_factors())


def sign_flip_p_value(values: FloatArray, hypothesis: Hypothesis, statistic: float, how: str) -> PValue[float]:
    """Return the exact p-value of Σ values with random signs, from its distribution on a grid.

    With millions of values the grid is too fine: then the sum is taken as normal.
    """
    law = swap_law(values, np.ones(len(values))) if values.any() else None
    if law is not None:
        return replace(tail(law, hypothesis, float(values.mean()), centre=0.0), how=how, statistic=statistic)
    z = float(values.sum()) / math.sqrt(float(values @ values)) if values.any() else 0.0
    p = normal_p_value(z, hypothesis.alternative) if z else 1.0
    return PValue(p, "normal distribution" if z else how, statistic=statistic)


class SignificanceTest(ABC):
    """A test of a pair's gain. Its class defines everything about the test.

    A test needs a name and a `p_value`. Planning also uses `DecidesCounts`, `TellsNormalLimit` and `DecidesDraws`,
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
        `PValue.sign`, and reports show `quantity`. None for most tests.
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

    def obstacle(self, pair: Pair, hypothesis: Hypothesis) -> str | None:
        """Return why the test cannot be applied to this pair, worded to follow "it"; None if it can."""
        del pair, hypothesis
        return None

    def caveat_on(self, pair: Pair, seed: int) -> str | None:
        """Return the sentence to print beside this pair's p-value, or None."""
        del pair, seed
        return self.caveat

    def remarks(self, pair: Pair) -> Sequence[str]:
        """Return sentences about this pair that qualify the p-value."""
        del pair
        return ()

    def withheld(self, pair: Pair) -> str | None:
        """Return, as a sentence, why the test gives no verdict on this pair; None if it does."""
        del pair
        return None

    def gain_law(self, pair: Pair, laws: GainLaws) -> Law | None:
        """Return the test's distribution of the gain; None if it is the bootstrap distribution."""
        del pair, laws
        return None

    def unit_of(self, pair: Pair, units: Units) -> tuple[str, int]:
        """Return what the test resamples or swaps, such as "item", and how many there are of it."""
        del pair
        return units.name, units.count

    @abstractmethod
    def p_value(self, pair: Pair, laws: GainLaws, hypothesis: Hypothesis) -> PValue[float]:
        """Return the p-value of the test; the caller has checked `obstacle`."""

    def quantity(self, pair: Pair, alpha: float, hypotheses: Sequence[Hypothesis]) -> TestedQuantity | None:
        """Return what the test tests, if that is not the gain, with its estimate and interval; None if it is the gain.

        The verdict is then about this quantity, and `PValue.sign` is its direction. Fields about the decision keep
        their defaults. See `sides` for the level of each end of the interval.
        """
        del pair, alpha, hypotheses
        return None

    def interval(
        self, pair: Pair, laws: GainLaws, alpha: float, hypothesis: Hypothesis, estimator: Estimator
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
    def p_values_of_table(self, steps: StepSums, hypothesis: Hypothesis) -> PValue[AnyArray]:
        """Return the p-values of pairs, given the sums of their differences −1, 0 and 1. No candidate scores worse."""


def no_unit_scores(pair: Pair) -> str | None:
    """Return why the pair has no unit differences, or None if it has them."""
    if not pair.metric.has_unit_scores:
        return "needs a score for every unit, but most units have no human label"
    if pair.linear is None:
        return (
            f"needs a score difference for every unit, but the two systems have different denominators of "
            f"{pair.metric.name}"
        )
    return None


def unit_differences(pair: Pair, null_gain: float) -> FloatArray:
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


def tail(law: Law, hypothesis: Hypothesis, value: float, centre: float) -> PValue[float]:
    """Return the p-value of a gain at least as extreme as `value` under a distribution around `centre`.

    greater: P(X >= value); less: P(X <= value); two-sided: P(|X − centre| >= |value − centre|).
    With strict ties, > and <.
    """
    return PValue.of_event(law, law.outside(*limits(hypothesis, value, centre), strict=hypothesis.ties is Ties.STRICT))


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
