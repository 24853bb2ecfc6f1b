"""The settings of a ranking, and the computations on its table of systems: tests, max-T, intervals of pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TypeAlias

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.data.rows import Rows
from outscore.design import Design
from outscore.errors import NotApplicableError, OptionError, Problem
from outscore.gains.carriers import FEW
from outscore.gains.gain_laws import DrawnLaws, GainLaws, Hypothesis
from outscore.gains.influence import Spread
from outscore.gains.pair import Pair
from outscore.gains.score_draws import PairScan, ScoreDraws
from outscore.gains.tables import SystemTable
from outscore.gains.variance import far_remarks
from outscore.laws.exact.steps import StepSums
from outscore.laws.exact.subsets import score_ends, step_ratio_quantiles
from outscore.laws.resampling import SwapScheme
from outscore.laws.student import normal_quantile
from outscore.options import opt
from outscore.questions.ranks.all_pairs import ExactLaws, p_values_of_pairs
from outscore.questions.ranks.max_t import MaxT, NormalDraws, max_t
from outscore.questions.settings import SharedSettings
from outscore.results import (
    Alternative,
    Correction,
    Interval,
    IntervalMethod,
    Method,
)
from outscore.results.rankings import IntervalColumn
from outscore.significance.auto import Auto, usual_test
from outscore.significance.base import rejecting_share
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.classical import BySigns
from outscore.significance.intervals import agreeing, agreeing_ends, gain_interval, test_interval
from outscore.significance.p_values import PValue
from outscore.significance.randomization import Randomization
from outscore.significance.t_tests import InfluenceT
from outscore.words.warnings import few_carry_in, nothing_without_one_in

_Agreed: TypeAlias = Callable[[IntArray, FloatArray, FloatArray], tuple[FloatArray, FloatArray]]

_MOST_SUBSET_TOTALS = 2**24  # totals over random subsets that are kept at once, but as many as ...
_FEWEST_SUBSETS = 20_480
_MOST_INVERTED = 45  # pairs of binary scores whose swaps are inverted one by one


@dataclass(frozen=True)
class RankingSettings(SharedSettings):
    """The settings of a ranking.

    The resamples also limit the normal samples of max-T, intervals and P(best). The alternative is two-sided, because
    the data decide the direction of a pair, or greater, as in BK12.
    """

    # The correction for ranks and groups. By default max-T for the default test and the bootstrap, and Holm's for
    # other tests and for new runs.
    correction: Correction | None = None
    max_t: bool = True
    design_parts: Mapping[str, str] = field(default_factory=dict)  # runs, samples and weights in signatures

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.alternative is Alternative.LESS:
            raise OptionError(
                Problem(
                    opt("alternative"),
                    "not available in rankings, where the candidate is the better-scoring system of each pair",
                    "Use two-sided or greater.",
                    "out-of-range",
                )
            )
        if self.correction is Correction.MAX_T and not self.max_t:
            raise OptionError(
                Problem(opt("correction"), "max-t is both requested and switched off", "Drop one.", "out-of-range")
            )

    def on_table(self, design: Design, table: SystemTable, unit: str) -> RankingSettings:
        """Return the settings for the systems of a table, with the chosen default test and the parts of signatures.

        See `SharedSettings.tests_on` for errors. Further errors are a test that does not support new runs, and max-T
        with new runs, which needs an accurate joint distribution.
        """
        first, *others = self.tests_on(design, [] if table.crossing is None else [table.crossing])
        correction = self.correction
        if correction is None:
            usual = isinstance(first, Auto | Bootstrap) and self.max_t and not design.new_levels
            correction = Correction.MAX_T if usual else Correction.HOLM
        if isinstance(first, Auto):
            first = usual_test(unit, binary=table.right is not None)
        tests = (first, *(test for test in others if test != first))
        parts = {**design.parts, **({} if table.crossing is None else table.crossing.signature)}
        if not design.new_levels:
            return replace(self, tests=tests, correction=correction, design_parts=parts)
        if correction is Correction.MAX_T:
            what = "max-t does not support new runs"
            raise OptionError(Problem(opt("correction"), what, f"Use holm, or {opt('runs', 'fixed')}.", "runs-random"))
        for test in tests:
            for reason in design.undrawn(test.samples):
                raise NotApplicableError(
                    Problem(opt("tests", test.name), f"it {reason}", "Use another test.", "not-applicable")
                )
        return replace(self, tests=tests, max_t=False, correction=correction, design_parts=parts)


class Inquiry:
    """The computations on a table of systems, each done once and on demand.

    Attributes
    ----------
    test : SignificanceTest
        The first test, which ranks and groups.
    hypothesis : Hypothesis
        About the better-scoring system of each pair.
    level : float
        The confidence level of intervals.
    """

    def __init__(self, table: SystemTable, settings: RankingSettings) -> None:
        self.table, self.settings, self.test = table, settings, settings.tests[0]
        self.hypothesis = Hypothesis(settings.alternative, 0.0, settings.ties)
        self.level = 1 - settings.alpha
        self.tail = (1 - self.level) / 2
        by_test = settings.interval is IntervalMethod.TEST
        # Whether the intervals of all pairs invert swaps, or come from shared bootstrap samples.
        self._from_swaps = by_test and isinstance(self.test, Randomization | BySigns)
        self._from_bootstrap = (
            isinstance(self.test, Bootstrap) if by_test else settings.interval is not IntervalMethod.BCA
        )
        self.exact = ExactLaws(table, settings.resampling, self._of_law if self._from_bootstrap else None)
        self._may_be_exact = settings.resampling.method is not Method.MONTE_CARLO

    def p_values(self) -> list[PValue[AnyArray]]:
        """Return the p-values of all pairs by each test."""
        return [
            p_values_of_pairs(
                test, self.exact, self.hypothesis, counted=self.counts, spreads=lambda: self.spreads
            ).estimated(self.settings.estimator)
            for test in self.settings.tests
        ]

    @cached_property
    def draws(self) -> ScoreDraws:
        """Bootstrap replicates of all scores."""
        return self.table.draws(self.settings.resampling)

    @cached_property
    def spreads(self) -> Spread:
        """The spreads of all pairs' gains."""
        return self.table.spreads()

    @cached_property
    def errors(self) -> NormalDraws:
        """Normal samples of the errors of all scores."""
        covariance, unit = self.table.covariance()
        return NormalDraws(covariance, self.settings.resampling.seed, unit)

    def entering(self, p_values: FloatArray) -> FloatArray:
        """Return the p-values that corrections use, given those of the first test."""
        test = self.test
        if not isinstance(test, InfluenceT) or not test.corrects:
            return p_values
        cautious = test.p_values_of_spreads(self.table, replace(self.spreads, cautious=True), self.hypothesis)
        return np.maximum(cautious.with_identical(self.table.identical).probability, p_values)

    def max_t(self, p_values: FloatArray, entering: FloatArray) -> MaxT | None:
        """Return max-T of the first test's p-values, or None if it is switched off."""
        settings = self.settings
        if not settings.max_t:
            return None
        return max_t(
            p_values,
            entering,
            self.table.pairs,
            self.errors,
            np.asarray(self.spreads.effective),
            two_sided=settings.alternative is Alternative.TWO_SIDED,
            alpha=settings.alpha,
            most=settings.resampling.n_resamples,
            executor=settings.resampling.executor,
        )

    def n_resamples(self, corrected: MaxT | None) -> int:
        """Return the number of resamples, or of normal samples of max-T."""
        if "draws" in self.__dict__ or corrected is None:
            return self.settings.resampling.n_resamples
        return corrected.n_draws

    @cached_property
    def scan(self) -> PairScan:
        tail = self._law_interval(self.draws.n_resamples).share
        return self.draws.scan(self.table.pairs, self.hypothesis, tail)

    def counts(self) -> AnyArray:
        """Return the number of resamples in the event of the recentred bootstrap, per pair."""
        return self.scan.n_exceeding

    @property
    def may_withhold(self) -> bool:
        """Whether there may be no verdict on some pairs."""
        crossing, test = self.table.crossing, self.test
        if crossing is not None and crossing.is_random:
            return True
        return isinstance(test, InfluenceT) and test.withheld(self.table.pair(0)) is not None

    def withheld(self, index: int) -> str | None:
        """Return why there is no verdict on a pair, or None if there is one."""
        return self.test.withheld(self.table.pair(index)) if self.may_withhold else None

    def of_levels(self, systems: Sequence[Rows]) -> list[str]:
        """Return the warnings of random runs: few runs, and outliers. The systems are in the order of the table."""
        table, test = self.table, self.test
        crossing = table.crossing
        if crossing is None or not crossing.is_random:
            return []
        pairs = [table.pair(index) for index in range(len(table.pairs))]
        of_pairs = [remark for pair in pairs for remark in (test.withheld(pair), *test.remarks(pair)) if remark]
        return [*dict.fromkeys(of_pairs), *far_remarks(table.metric, systems, crossing)]

    def few_carriers(self, unit: str) -> list[str]:
        """Return a warning if the variances of some pairs' gains come from few units."""
        crossing = self.table.crossing
        if not isinstance(self.test, InfluenceT) or (crossing is not None and crossing.is_random):
            return []
        effective, error = np.asarray(self.spreads.effective), np.asarray(self.spreads.error)
        unknown, messages = np.isinf(error), []
        few, m = (effective < FEW) & (error > 0) & ~unknown, len(error)
        if unknown.any():
            messages.append(nothing_without_one_in(int(unknown.sum()), m, unit))
        if few.any():
            messages.append(few_carry_in(int(few.sum()), m, FEW, unit))
        return messages

    def pair_intervals(self, p_values: FloatArray) -> Sequence[Interval]:
        """Return the intervals of the pairs' gains, given their p-values by the first test."""
        table, settings = self.table, self.settings
        m, level, test = len(table.pairs), self.level, self.test
        if settings.interval is IntervalMethod.TEST and isinstance(test, InfluenceT) and table.common is None:
            gains = table.pairs.gains
            spreads = self.spreads if test.corrects else self.spreads.plain
            low, high = test.ends(gains, spreads, settings.alpha, settings.alternative)
            low, high = _possible_ends(low, high, table.widest_gain, settings.alternative)
            low, high = agreeing_ends(low, high, gains, 0.0, p_values, settings.alpha)
            method = next(iter(test.intervals))
            title = test.intervals[method]
            return IntervalColumn(m, lambda index: (low[index], high[index]), level, method, exact=False, title=title)
        if self._from_swaps and table.steps is not None and m > _MOST_INVERTED:
            ends = partial(_swap_ends, table.steps, table.widest_gain, table.pairs.gains, p_values, settings)
            method, title = Randomization.name, Randomization.intervals[Randomization.name]
            return IntervalColumn(m, ends, level, method, exact=False, title=title)
        if not self._from_bootstrap:
            every = list(enumerate(p_values.tolist()))
            return [self._interval(index, p) for index, p in settings.resampling.reporting(every)]
        agreed = _as_they_are
        if settings.interval is IntervalMethod.TEST:
            agreed = partial(_agreed, table.pairs.gains, p_values, settings.alpha)
        law_interval = self._law_interval(None)
        if table.steps is not None and self._may_be_exact:
            ends = partial(_step_ends, table.steps, law_interval, table.pairs.gains, agreed)
            return IntervalColumn(len(table.pairs), ends, self.level, law_interval.method, exact=True)
        low, high = self._law_interval(self.draws.n_resamples).ends(table.pairs.gains, self.scan)
        derived = [self.exact.interval(index) for index in range(len(low))]
        for index, interval in enumerate(derived):
            if interval is not None:
                low[index], high[index] = interval.low, interval.high
        low, high = agreed(np.arange(len(low)), low, high)
        return [
            Interval(low_end, high_end, self.level, law_interval.method, interval is not None)
            for low_end, high_end, interval in zip(low.tolist(), high.tolist(), derived, strict=True)
        ]

    def _law_interval(self, n_resamples: int | None) -> _LawInterval:
        """Return the settings of bootstrap intervals, exact or from a number of resamples."""
        settings = self.settings
        if settings.interval is not IntervalMethod.TEST:
            return _LawInterval(settings.interval.value, self.tail)
        share = rejecting_share(n_resamples, settings.alpha, settings.estimator)
        if settings.alternative is Alternative.TWO_SIDED:
            return _LawInterval("symmetric", share / 2)
        return _LawInterval("basic", share, bound=True)

    def _of_law(self, pair: Pair, laws: GainLaws) -> Interval | None:
        """Return the interval of a pair from its exact bootstrap distribution, for a mean with equal weights."""
        settings = self.settings
        if not self.table.linear or not pair.equal_weights:
            return None
        law = laws.law()  # raises without an exact distribution, where the test would sample this pair alone
        if settings.interval is IntervalMethod.TEST:
            return Bootstrap().interval(pair, laws, settings.alpha, self.hypothesis, settings.estimator)
        return gain_interval(pair, law, self.level, settings.interval)

    def _interval(self, index: int, p: float) -> Interval:
        settings, gain = self.settings, float(self.table.pairs.gains[index])
        pair, resampling = self.table.pair(index), settings.resampling
        if not (self.exact.inverts if self._from_swaps else self.exact.wanted):
            resampling = replace(resampling, method=Method.MONTE_CARLO)
        drawn, subsets = partial(self._drawn_gains, index), partial(self._subset_totals, index)
        laws = DrawnLaws(pair, resampling, drawn, subsets)
        if settings.interval is not IntervalMethod.TEST:
            return gain_interval(pair, laws.law(or_sampled=True), self.level, settings.interval)
        interval, is_own = test_interval(self.test, pair, laws, [self.hypothesis], settings.alpha, settings.estimator)
        return agreeing(interval, gain, self.hypothesis.null_gain, p, settings.alpha) if is_own else interval

    def _drawn_gains(self, index: int) -> FloatArray:
        return self.draws.gains(self.table.pairs, index)

    @cached_property
    def _subsets(self) -> FloatArray:
        """The totals over random subsets of units: the numerators of all systems, and their shared denominators."""
        table, resampling = self.table, self.settings.resampling
        assert isinstance(table, SystemTable)
        columns = table.linear_columns
        r = min(resampling.n_resamples, max(_FEWEST_SUBSETS, _MOST_SUBSET_TOTALS // columns.shape[1]))
        return resampling.engine.replicates(SwapScheme(table.n_units), columns, np.asarray, r)

    def _subset_totals(self, index: int) -> FloatArray:
        """Return the totals of a pair's d and ℓ over random subsets of units, shape (r, 2)."""
        better, worse, totals = self.table.pairs.better[index], self.table.pairs.worse[index], self._subsets
        return np.column_stack([self.table.sign * (totals[:, better] - totals[:, worse]), totals[:, -1]])


@dataclass(frozen=True)
class _LawInterval:
    """The settings of the intervals of many gains from their bootstrap distributions."""

    method: str  # see `Interval`
    share: float  # the probability beyond each end
    bound: bool = False  # whether the upper end is infinite

    def ends(self, gains: FloatArray, scan: PairScan) -> tuple[FloatArray, FloatArray]:
        """Return the ends of all intervals from resamples."""
        return self._ends(gains, scan.low, scan.high, scan.reach)

    def step_ends(self, gains: FloatArray, steps: StepSums) -> tuple[FloatArray, FloatArray]:
        """Return the ends of all intervals of sums with known distributions."""
        low, high = steps.quantiles(self.share, 1 - self.share) / steps.n
        return self._ends(gains, low, high, steps.reaches(2 * self.share) / steps.n)

    def _ends(
        self, gains: FloatArray, low: FloatArray, high: FloatArray, reach: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        if self.method == "symmetric":
            return gains - reach, gains + reach
        if self.method == IntervalMethod.BASIC:
            low, high = 2 * gains - high, 2 * gains - low
        return (low, np.full(len(low), np.inf)) if self.bound else (low.copy(), high.copy())


def _step_ends(
    steps: StepSums, law_interval: _LawInterval, gains: FloatArray, agreed: _Agreed, index: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the intervals of some pairs of systems with binary items."""
    return agreed(index, *law_interval.step_ends(gains[index], steps.take(index)))


def _agreed(
    gains: FloatArray, p_values: FloatArray, alpha: float, index: IntArray, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of some pairs' intervals, in agreement with the p-values of all pairs."""
    return agreeing_ends(low, high, gains[index], 0.0, p_values[index], alpha)


def _as_they_are(index: IntArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    del index
    return low, high


def _possible_ends(
    low: FloatArray, high: FloatArray, widest: float, alternative: Alternative
) -> tuple[FloatArray, FloatArray]:
    """Return the ends within the possible gains; a one-sided test leaves the upper end infinite."""
    two_sided = alternative is Alternative.TWO_SIDED
    return np.maximum(low, -widest), np.minimum(high, widest) if two_sided else high


def _swap_ends(
    steps: StepSums, widest: float, gains: FloatArray, p_values: FloatArray, settings: RankingSettings, index: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the intervals that invert swaps of binary scores, of some pairs."""
    two_sided = settings.alternative is Alternative.TWO_SIDED
    level = settings.alpha / (2 if two_sided else 1)
    ups, downs = (part[index].astype(np.float64) for part in (steps.ups, steps.downs))
    low = step_ratio_quantiles(ups, downs, steps.n, level)
    high = -step_ratio_quantiles(downs, ups, steps.n, level) if two_sided else np.full(len(low), np.inf)
    one_way = np.flatnonzero((ups == 0) | (downs == 0))  # as in comparisons
    lower, upper = score_ends(ups[one_way], downs[one_way], steps.n, normal_quantile(level))
    low[one_way] = np.minimum(low[one_way], lower)
    high[one_way] = np.maximum(high[one_way], upper)
    low, high = _possible_ends(low, high, widest, settings.alternative)
    return agreeing_ends(low, high, gains[index], 0.0, p_values[index], settings.alpha)
