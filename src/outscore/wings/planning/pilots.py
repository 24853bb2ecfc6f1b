"""A pilot as the population: test sets of other sizes are drawn from two systems' rows, for any metric.

Exponential tilting of its units' weights sets another true gain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore.data.coercion import score_gain
from outscore.data.strata import members_of, shared_out
from outscore.design.scores import Scores
from outscore.errors import DataError, OptionError, Problem
from outscore.gains.canonical import in_canonical_order
from outscore.gains.gain_laws import Hypothesis
from outscore.gains.pair import Pair
from outscore.laws.law import clopper_pearson, root
from outscore.metrics.options import describe_metric
from outscore.options import opt
from outscore.questions.claims import hypotheses_of
from outscore.results import Alternative, Claim, MetricDescription, Ties
from outscore.significance import Bootstrap, ScoreTest, SignificanceTest, SkewT
from outscore.significance.auto import default_test
from outscore.significance.base import DecidesCounts, DecidesDraws
from outscore.significance.score_test import reach_of
from outscore.text.numbers import format_count, score_format
from outscore.wings.planning.levels import Level, Margin
from outscore.wings.planning.populations import INDEPENDENCE, Observed, Population, check_pilot
from outscore.wings.planning.powers import exact_margin_power, exact_power
from outscore.wings.planning.results import Power
from outscore.wings.planning.simulating import Simulation, simulated_powers

_STEP = 1e-5  # relative to the total: the error of a central difference is of the order of its square
_FEWEST_TILTED = 10.0
_LEAST_SHARE = 0.2  # smallest effective size of a tilted pilot, as a fraction of the pilot's units
_STEEPEST = 60.0  # in standard deviations of the influence
_LEAST_VARIANCE = (
    0.25  # as a fraction of the pilot's own variance: below it, the units with large differences are almost excluded
)

_MOST_UNITS = 10**7
_FEWEST_UNITS = 2
_FAR = 0.5  # fraction of the pilot's units

# Smallest number of differing units: with 10, detectable gains of BLEU and F1 were off by a factor of 0.45 to 1.7 (90%
# of pilots drawn from real ones), with 50 by 0.73 to 1.47. With fewer than 50, a warning gives the uncertainty.
_FEWEST_DIFFERING, _FEW_DIFFERING = 10, 50
# Smallest effective number of units: with 3, the standard error of the variance, and so of the items, is 58%. A higher
# limit is no safer: heavy-tailed populations yield pilots with many effective units that have missed the tail.
_FEWEST_EFFECTIVE = 3.0
# As measured by `benchmarks/pilot_optimism.py`.
OPTIMISM = (
    "A pilot contains no information about large differences that did not occur in it. If they are possible, the "
    "true power is lower than planned. Use a large pilot, or plan for 90% power."
)


@dataclass(frozen=True, eq=False)
class Tilting:
    """The populations with other gains that are nearest to a pilot.

    The pilot is a population in which each unit has probability 1/n. Among populations of the same units with a
    given gain, the nearest one by Kullback-Leibler divergence gives unit i a probability proportional to exp(λ zᵢ),
    with zᵢ the influence of the unit on the gain (Efron 1981, "nonparametric tilting"; Davison & Hinkley 1997,
    section 4.4). Rows stay unchanged: units on which the candidate did well are drawn more often, others less. λ =
    0 is the pilot itself. Strata are tilted separately with the same λ, so each keeps its proportion.
    """

    pair: Pair

    @cached_property
    def _slopes_along(self) -> FloatArray:
        columns = self.pair.columns
        values = columns @ gradients(self.pair.gains, columns.sum(axis=0)[None])[0]
        for members in self._strata:
            values[members] -= values[members].mean()
        return np.asarray(values * self.pair.n_units)

    @cached_property
    def _strata(self) -> list[IntArray]:
        n = self.pair.n_units
        return [np.arange(n)] if self.pair.strata is None else members_of(self.pair.strata)

    @cached_property
    def spread(self) -> float:
        """The standard deviation of the gain times the root of the number of units."""
        return float(self._slopes_along.std())

    @cached_property
    def influence(self) -> FloatArray:
        """The zᵢ, shape (n,), with mean 0 and standard deviation 1; all 0 if all units are alike."""
        negligible = 1e-9 * max(self.pair.tolerance * 1e12, 1e-300)
        return self._slopes_along / self.spread if self.spread > negligible else np.zeros(self.pair.n_units)

    def tilted(self, steepness: float) -> FloatArray:
        """Return the units' probabilities for λ, shape (n,)."""
        probabilities = np.empty(self.pair.n_units)
        for members in self._strata:
            exponents = steepness * self.influence[members]
            grown = np.exp(exponents - exponents.max())
            probabilities[members] = grown / grown.sum() * (len(members) / len(probabilities))
        return probabilities

    def gain(self, steepness: float) -> float:
        """Return the true gain of the population tilted by λ."""
        return float(self.pair.gains(self.tilted(steepness)[None] @ self.pair.columns)[0])

    @cached_property
    def effective_units(self) -> float:
        """The effective number of units for the variance: (Σz²)²/Σz⁴, Kish's number for the weights z².

        If all differing items differ by the same amount, it is their number. For normal differences it is a third
        of the units, and 1 if one unit dominates. The variance of n units has the relative standard error
        √(1/effective − 1/n).
        """
        squares = self.influence**2
        return float(squares.sum() ** 2 / (squares**2).sum()) if squares.any() else 0.0

    def variance(self, probabilities: FloatArray) -> float:
        """Return the variance of the influence in a tilted population; 1 is the pilot's own."""
        variance = 0.0
        for members in self._strata:
            chances, influence = probabilities[members], self.influence[members]
            variance += float(chances @ (influence - chances @ influence / chances.sum()) ** 2)
        return variance

    @property
    def _fewest(self) -> float:
        return max(_LEAST_SHARE * self.pair.n_units, min(_FEWEST_TILTED, self.pair.n_units / 2))

    @cached_property
    def steepest(self) -> float:
        """The largest λ at which the tilted pilot has enough effective units (Kish's 1/Σw²) and enough variance."""
        return self._farthest(lambda tilted: worth(tilted) >= self._fewest and self._spread_enough(tilted))

    @cached_property
    def _lowest(self) -> float:
        # For smaller gains there is no limit on effective units: the steps are short.
        return -self._farthest(self._spread_enough, sign=-1)

    def _spread_enough(self, tilted: FloatArray) -> bool:
        return self.variance(tilted) >= _LEAST_VARIANCE

    def _farthest(self, allowed: Callable[[FloatArray], bool], sign: int = 1) -> float:
        """Return the steepest λ of this sign that is allowed."""
        low, high = 0.0, _STEEPEST
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if allowed(self.tilted(sign * middle)) else (low, middle)
        return low

    def reaches(self, gain: float) -> bool:
        """Return whether tilting can produce this gain."""
        untilted = self.gain(0.0)
        end = self.gain(self.steepest if gain > untilted else self._lowest)
        return min(untilted, end) <= gain <= max(untilted, end)

    def to(self, gain: float) -> FloatArray:
        """Return the units' probabilities at which the true gain is `gain`."""
        untilted = self.gain(0.0)
        end = self.steepest if gain > untilted else self._lowest
        if not self.reaches(gain):
            what = (
                f"a gain of {gain:.4g} is too far from the pilot's {self.pair.gain:.4g}: it would depend on few "
                f"of its {self.pair.n_units} units, or exclude those with large differences (possible gains: "
                f"{self.gain(self._lowest):.4g} to {self.gain(self.steepest):.4g})"
            )
            raise OptionError(Problem(opt("gain"), what, "Use a larger pilot.", "beyond-pilot"))
        if math.isclose(gain, untilted, rel_tol=1e-12) or end == 0:
            return self.tilted(0.0)
        return self.tilted(root(lambda steepness: self.gain(steepness) - gain, 0.0, end, within=1e-12))


def worth(probabilities: FloatArray) -> float:
    """Return the effective number of equally likely units: 1/Σw² (Kish)."""
    return 1 / float((probabilities**2).sum())


def gradients(value_of: Callable[[FloatArray], FloatArray], totals: FloatArray) -> FloatArray:
    """Return the slopes of a function of totals, shape (b, columns).

    Central differences; forward ones if a total is 0, as counts cannot be negative.
    """
    steps = _STEP * np.abs(totals)
    flat = steps == 0
    steps[flat] = np.broadcast_to(_STEP * np.maximum(np.abs(totals).max(axis=1, keepdims=True), 1e-300), steps.shape)[
        flat
    ]
    slopes = np.empty_like(totals)
    for column in range(totals.shape[1]):
        up, down = totals.copy(), totals.copy()
        up[:, column] += steps[:, column]
        down[:, column] -= np.where(flat[:, column], 0.0, steps[:, column])
        slopes[:, column] = (value_of(up) - value_of(down)) / (up[:, column] - down[:, column])
    return slopes


@dataclass(frozen=True, eq=False)
class Pilot(Population):
    """Test sets drawn with replacement from the units of a pilot.

    A test set of m units is m draws from the pilot's rows, with whole clusters. Tilting (see `Tilting`) sets
    another true gain and keeps the real differences between units. The test's decision on each simulated set is
    computed from weighted moments (see `SimulatedSets`). For binary items without clusters, powers are exact.

    Parameters
    ----------
    pair : Pair
        The pair's units are items, or clusters with their rows summed.
    n_items : int
        Number of items in all units.
    names : tuple of (str, str)
        Names of baseline and candidate.
    remarks : tuple of str
        Changes made to the items or their strata.
    unit : str
        The sampling unit: "item" or "cluster".
    """

    pair: Pair
    n_items: int
    names: tuple[str, str] = ("baseline", "candidate")
    simulation: Simulation = field(default_factory=Simulation)
    remarks: tuple[str, ...] = ()
    unit: str = "item"

    @property
    def default_tests(self) -> Sequence[SignificanceTest]:  # type: ignore[override]
        return self._default(Claim.BETTER), Bootstrap()

    def _default(self, claim: Claim, margin: float | None = None) -> SignificanceTest:
        """Return the default test of `compare`."""
        hypotheses = hypotheses_of(claim, Alternative.TWO_SIDED, margin, Ties.COUNT)
        return default_test([self.pair], hypotheses, claim, self.unit)

    @property
    def metric(self) -> MetricDescription:  # type: ignore[override]
        return describe_metric(self.pair.metric)

    @property
    def seed(self) -> int | None:  # type: ignore[override]
        return None if self._binary else self.simulation.seed

    @property
    def n_sets(self) -> int | None:  # type: ignore[override]
        return None if self._binary else self.simulation.n_sets

    @property
    def observed(self) -> Observed:  # type: ignore[override]
        pair, percentage = self.pair, self.pair.metric.as_percentage
        # The normal interval, which has about the width by which a comparison rounds.
        half_width = 1.96 * self._tilting.spread / math.sqrt(pair.n_units)
        scores = [pair.baseline_score, pair.candidate_score]
        form = score_format(scores, [half_width], [pair.gain], percentage=percentage).adding_up(scores, pair.gain)
        return Observed(self.n_items, pair.gain, form.decimals + 2 * percentage)

    @cached_property
    def _binary(self) -> bool:
        return self.pair.binary and self.pair.n_units == self.n_items and self.pair.strata is None

    @cached_property
    def fewest_units(self) -> int:  # type: ignore[override]
        """The smallest number of units with which every stratum has two, in proportion."""
        if self.pair.strata is None:
            return _FEWEST_UNITS
        sizes = np.bincount(self.pair.strata)
        least = _FEWEST_UNITS * len(sizes)
        while shared_out(sizes, least).min() < _FEWEST_UNITS:
            least += 1
        return least

    @cached_property
    def _reach(self) -> tuple[float, float]:
        return reach_of(self.pair)

    @cached_property
    def _tilting(self) -> Tilting:
        return Tilting(self.pair)

    def in_unit(self, value: object, argument: str) -> float:
        pair = self.pair
        in_per_cent = isinstance(value, str) and "%" in value
        binary = pair.binary and pair.metric.score_range in (None, (0, 1))
        is_share = pair.metric.as_percentage or (in_per_cent and binary)
        return score_gain(value, argument, metric=pair.metric.name, is_share=is_share)

    def describe(self) -> str:
        units = "" if self.pair.n_units == self.n_items else f" in {format_count(self.pair.n_units)} clusters"
        return (
            f"A pilot of {format_count(self.n_items)} items{units}{self._in_strata}: {self.names[1]} against "
            f"{self.names[0]}, {self.pair.metric.name}."
        )

    @property
    def _in_strata(self) -> str:
        if self.pair.strata is None:
            return ""
        return f", in {format_count(int(self.pair.strata.max()) + 1)} strata, whose proportions test sets keep"

    def notes(self, gains: Sequence[float]) -> Sequence[str]:
        n = self.pair.n_units
        error = math.sqrt((_kurtosis(self._tilting.influence) - 1) / (4 * n))
        units = format_count(n)
        notes = [
            *self.remarks,
            f"From {units} units the pilot estimates the standard deviation of the gain, and so the detectable gain, "
            f"to about ±{200 * error:.0f}%, and the number of items needed to about ±{400 * error:.0f}%.",
        ]
        if not self.pair.binary:
            notes.append(OPTIMISM)
        if self.pair.n_differing < _FEWEST_DIFFERING:
            notes.append(self._on_precision())
        elif self.pair.n_differing < _FEW_DIFFERING:
            notes.append(
                f"The systems differ on only {self.pair.n_differing} of these units. With so few, the number of items "
                "can be off by half, even if its stated precision is better. Use a larger pilot."
            )
        if any(map(self._by_share, gains)):
            notes.append(
                f"The wins and losses among the pilot's {self.pair.n_differing} differing items are too unequal for "
                "this gain. The plan assumes that as many items differ, and as many more wins than losses as it needs."
            )
        farthest = min((worth(self._tilting.to(gain)) for gain in gains if not self._by_share(gain)), default=math.inf)
        if farthest < _FAR * self.pair.n_units:
            notes.append(
                "The planned gain is far from the pilot's own. The plan depends on an effective number of "
                f"{farthest:.0f} of its {units} units."
            )
        return notes

    def _on_precision(self) -> str:
        """Return a warning if few units differ: the items needed are proportional to their number."""
        differing, units = self.pair.n_differing, self.pair.n_units
        low, high = clopper_pearson(differing, units, 0.95)
        share = differing / units
        return (
            f"This plan is imprecise: the systems differ on only {differing} of {format_count(units)} units. In the "
            f"population {100 * low:.1f}% to {100 * high:.1f}% of units may differ (95% interval), so the items needed "
            f"may be {low / share:.2g} to {high / share:.2g} times as many. Use a larger pilot."
        )

    def obstacle(self, test: SignificanceTest) -> str | None:
        if test.assumes_independence:
            return INDEPENDENCE
        if not isinstance(test, DecidesCounts if self._binary else DecidesDraws):
            return "is not supported by planning"
        return test.obstacle(self.pair, Hypothesis())

    def units(self, items: int) -> int:
        units = round(items * self.pair.n_units / self.n_items)
        if _FEWEST_UNITS <= units < self.fewest_units:
            what = (
                f"{format_count(items)} items are {format_count(units)} units, expected at least "
                f"{format_count(self.fewest_units)}, so that the smallest of the pilot's strata has 2"
            )
            raise OptionError(Problem(opt("items"), what, "Collapse strata, or plan more items.", "out-of-range"))
        if not _FEWEST_UNITS <= units <= _MOST_UNITS:
            what = f"{format_count(items)} items are {format_count(units)} of the pilot's units, expected 2 to 10^7"
            raise OptionError(Problem(opt("items"), what, "", "out-of-range"))
        return units

    def largest_gain(self) -> float:
        return self._tilting.gain(self._tilting.steepest)

    @property
    def _share_differing(self) -> float:
        return self.pair.n_differing / self.pair.n_units

    def _by_share(self, gain: float) -> bool:
        """Return whether to use only the pilot's proportion of differing items, as tilting does not reach the gain.

        For example, all differing items of a binary pilot may be losses, while the plan is for an equally good
        candidate.
        """
        return self._binary and not self._tilting.reaches(gain) and abs(gain) < self._share_differing

    def deviation(self, gain: float) -> float:
        if self._by_share(gain):
            return math.sqrt(self._share_differing - gain**2)
        variance = self._tilting.variance(self._tilting.to(min(gain, self.largest_gain())))
        return self._tilting.spread * math.sqrt(max(variance, 1.0) * self.n_items / self.pair.n_units)

    def powers(self, tests: Sequence[SignificanceTest], items: int, gain: float, level: Level) -> list[Power]:
        self.check_gain(gain)
        tilted = self._tilting.to(gain)
        units = self._worth_units(self.units(items), tilted)
        if self._binary and self.pair.linear is not None:
            d = self.pair.linear.d
            helped, hurt = float(tilted[d > 0].sum()), float(tilted[d < 0].sum())
            return [exact_power(test, units, helped, hurt, level) for test in tests if isinstance(test, DecidesCounts)]
        able = [test for test in tests if isinstance(test, DecidesDraws)]
        return simulated_powers(able, self.pair, tilted, units, gain, level, self.simulation)

    def claim_tests(self, claim: Claim, margin: float) -> Sequence[str]:
        first = self._default(claim, margin)
        if self._binary:
            return (first.name,)
        score, hypotheses = ScoreTest(), hypotheses_of(claim, Alternative.TWO_SIDED, margin, Ties.COUNT)
        others = [SkewT.name]
        if all(score.obstacle(self.pair, hypothesis) is None for hypothesis in hypotheses):
            others.append(score.name)
        return list(dict.fromkeys([first.name, *others]))

    def margin_power(self, margin: Margin, items: int, gain: float, level: Level) -> Power:
        margin.check(gain)
        if self._by_share(gain):
            helped, hurt = (self._share_differing + gain) / 2, (self._share_differing - gain) / 2
            return exact_margin_power(self.units(items), helped, hurt, margin, level)
        tilted = self._tilting.to(gain)
        units = self._worth_units(self.units(items), tilted)
        if self._binary and self.pair.linear is not None and margin.test == ScoreTest.name:
            d = self.pair.linear.d
            return exact_margin_power(units, float(tilted[d > 0].sum()), float(tilted[d < 0].sum()), margin, level)
        margin = replace(margin, reach=self._reach)
        return simulated_powers([margin], self.pair, tilted, units, None, level, self.simulation)[0]

    def _worth_units(self, units: int, tilted: FloatArray) -> int:
        """Return how many units to draw so that the gain of a test set has the variance of the pilot's.

        Tilting makes units with large differences rarer, which lowers the variance artificially. Drawing fewer
        units corrects for that.
        """
        return max(self.fewest_units, round(units * min(self._tilting.variance(tilted), 1.0)))


def pilot_of(scores: Scores, simulation: Simulation | None = None) -> Pilot:
    """Return the population of a pilot: the items of two systems on one metric, the baseline first.

    Clusters are drawn whole. Test sets keep the strata's proportions of the units. Refused are metrics without
    sufficient statistics that can be summed, fewer than 10 units on which systems differ, 3 effective units of the
    variance or two clusters, and a stratum with a single unit.
    """
    check_pilot(scores)
    scores.refuse_test_sets("plans are for one task, got several")
    scores.refuse_new_levels("plans from a pilot resample only items", "Plan runs with outscore plan runs, or pass")
    metric = scores.metric_with_rows("for drawing larger test sets")
    (baseline, candidate), design = in_canonical_order(scores.rows[0], scores.design)
    units = design.units
    pair = Pair(metric, units.sums(baseline.values), units.sums(candidate.values), units.strata)
    names = baseline.name, candidate.name
    pilot = Pilot(pair, len(baseline), names, simulation or Simulation(), scores.notes, units.name)
    if not pilot._tilting.influence.any():
        raise DataError(
            Problem(
                candidate.name,
                (
                    f"differs from {baseline.name} on no unit, or by the same amount on all, so the variance "
                    "cannot be estimated"
                ),
                "Use two systems that differ.",
                "no-spread",
            )
        )
    if pair.n_units < _FEWEST_DIFFERING:
        what = (
            f"expected a pilot in which the systems differ on at least {_FEWEST_DIFFERING} {units.name}s, got "
            f"{pair.n_differing} of {pair.n_units}: too few to estimate the variance"
        )
        raise DataError(Problem(candidate.name, what, "Use a larger pilot.", "small-pilot"))
    effective = pilot._tilting.effective_units
    if effective < _FEWEST_EFFECTIVE:
        what = (
            f"expected at least {_FEWEST_EFFECTIVE:.0f} effective units, got {effective:.1f} of {pair.n_units} "
            "units: a few large differences dominate the variance"
        )
        raise DataError(Problem(candidate.name, what, "Use a larger pilot.", "few-effective-units"))
    return pilot


def _kurtosis(influence: FloatArray) -> float:
    """Return the bias-corrected kurtosis of standardized values; at least 3, that of a normal distribution.

    The raw kurtosis of few values is too small and never exceeds their number, so the variance would seem more
    precise than it is.
    """
    n = len(influence)
    excess = float((influence**4).mean()) - 3
    return 3 + max((n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * excess + 6), 0.0)
