"""Many systems ranked: every pair tested, corrected for there being many, and put into groups."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Literal, TypeAlias

import numpy as np

from outscore._types import AnyArray, BoolArray, FloatArray, IntArray
from outscore._version import __version__
from outscore.data.rows import Rows
from outscore.design import Design, Units
from outscore.design.scores import Scores
from outscore.errors import NotApplicableError, OptionError, Problem
from outscore.gains.canonical import in_canonical_order
from outscore.gains.carriers import FEW, NO_VARIANCE, few_carry
from outscore.gains.crossing import crossing_of
from outscore.gains.gain_laws import DrawnLaws, Question, Resampling
from outscore.gains.influence import Spread, enough_units
from outscore.gains.pair import AnyPair
from outscore.gains.score_draws import PairScan, ScoreDraws
from outscore.gains.tables import AnyTable, RecomputedTable, SystemTable
from outscore.gains.tilted import RANKING_CELLS, few_exceeding
from outscore.gains.variance import far_remarks
from outscore.laws.exact.steps import StepSums
from outscore.laws.exact.subsets import score_ends, step_ratio_quantiles
from outscore.laws.law import Probability
from outscore.laws.resampling import Engine, SwapScheme
from outscore.laws.student import normal_quantile
from outscore.metrics import AnyMetric, Metric
from outscore.metrics.base import RecomputedMetric
from outscore.metrics.options import describe_metric
from outscore.options import opt
from outscore.questions.comparing import remarks_on
from outscore.questions.findings import claims_of
from outscore.questions.ranks.all_pairs import ExactLaws, outcomes_of_pairs
from outscore.questions.ranks.groups import FALSE_DISCOVERY_WARNING, ranked_systems
from outscore.questions.ranks.max_t import MaxT, NormalDraws, max_t
from outscore.questions.settings import Settings
from outscore.questions.signatures import signature
from outscore.questions.system_scores import score_interval_of
from outscore.results import (
    Alternative,
    Correction,
    Estimator,
    Interval,
    IntervalMethod,
    Method,
    Ranking,
    RunLaw,
    Ties,
)
from outscore.results.rankings import IntervalColumn, OtherPValues, PairColumns
from outscore.significance.auto import Auto, usual_test
from outscore.significance.base import Outcomes, PairLaws, SignificanceTest, rejecting_share
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.classical import BySigns
from outscore.significance.intervals import agreeing, agreeing_ends, gain_interval, test_interval
from outscore.significance.p_values import PValues, benjamini_hochberg, holm
from outscore.significance.randomization import Randomization
from outscore.significance.t_tests import InfluenceT
from outscore.text.numbers import format_counted

_Agreed: TypeAlias = Callable[[IntArray, FloatArray, FloatArray], tuple[FloatArray, FloatArray]]

_TIE = 1e-12
_MOST_SUBSET_TOTALS = 2**24  # totals over random subsets that are kept at once, but as many as ...
_FEWEST_SUBSETS = 20_480
_MOST_INVERTED = 45  # pairs of binary scores whose swaps are inverted one by one
_NEGLIGIBLE_BOUND = 1e-12
_NORMAL_95 = 1.96  # standard deviations to each side that hold 95% of a normal law


@dataclass(frozen=True)
class RankingSettings:
    """Everything that is asked of a ranking.

    Attributes
    ----------
    tests : sequence of SignificanceTest
        The first one's p-values are corrected, and give ranks and groups.
    resampling : Resampling
        Its n_resamples serve p-values that are sampled, the normal draws of max-T, intervals and P(best).
    alternative : Alternative
        two-sided, because the direction of a pair comes from the data; or greater, as BK12.
    ties, estimator : enumerations
    correction : Correction, optional
        The one that ranks and groups go by. By default max-T for the default test and the bootstrap, and Holm's for
        other tests and for random runs.
    max_t : bool
        Whether to compute max-T.
    alpha : float
        In (0, 1); the confidence level of intervals is 1 − alpha.
    interval : IntervalMethod
        Of the pairs' gains.
    run_law, run_sd
        As of `Settings`.
    design_parts : mapping
        What signatures say of runs, samples and weights.
    """

    tests: Sequence[SignificanceTest] = field(default_factory=lambda: (Auto(),))
    resampling: Resampling = field(default_factory=Resampling)
    alternative: Alternative = Alternative.TWO_SIDED
    ties: Ties = Ties.COUNT
    estimator: Estimator = Estimator.ADD_ONE
    correction: Correction | None = None
    max_t: bool = True
    alpha: float = 0.05
    interval: IntervalMethod = IntervalMethod.TEST
    run_law: RunLaw = RunLaw.SATTERTHWAITE
    run_sd: float | Literal["borrowed"] | None = None
    design_parts: Mapping[str, str] = field(default_factory=dict)

    @property
    def confidence_level(self) -> float:
        return 1 - self.alpha

    def __post_init__(self) -> None:
        # What is wrong with them is wrong with them in a comparison too, and said in the same words.
        Settings(
            tests=self.tests,
            resampling=self.resampling,
            alternative=self.alternative,
            alpha=self.alpha,
        )
        if self.alternative is Alternative.LESS:
            raise OptionError(
                Problem(
                    opt("alternative"),
                    "in a ranking the better-scoring system of each pair is the candidate: less asks nothing",
                    "Use two-sided or greater.",
                    "out-of-range",
                )
            )
        if self.correction is Correction.MAX_T and not self.max_t:
            raise OptionError(
                Problem(opt("correction"), "max-t was asked for and left out at once", "Drop one.", "out-of-range")
            )

    def on_table(self, design: Design, table: AnyTable, unit: str) -> RankingSettings:
        """Return the same for the systems of a table: the default test by its name, and what signatures say.

        Raises
        ------
        OptionError
            As `Settings.tests_on`; max-T of random runs: it needs one accurate distribution of all pairs, and few runs
            have none.
        NotApplicableError
            A test that takes random runs as they are.
        """
        settings = Settings(
            self.tests,
            resampling=self.resampling,
            interval=self.interval,
            run_law=self.run_law,
            run_sd=self.run_sd,
        )
        first, *others = settings.tests_on(design, [] if table.crossing is None else [table.crossing])
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
            what = "max-T needs one accurate distribution of all pairs, and few runs have none"
            raise OptionError(Problem(opt("correction"), what, f"Use holm, or {opt('runs', 'fixed')}.", "runs-random"))
        for test in tests:
            for reason in design.undrawn(test.samples):
                raise NotApplicableError(
                    Problem(opt("tests", test.name), f"it {reason}", "Name another test.", "not-applicable")
                )
        return replace(self, tests=tests, max_t=False, correction=correction, design_parts=parts)

    @property
    def chosen_correction(self) -> Correction:
        """The correction that ranks and groups go by."""
        return self.correction or Correction.HOLM

    @property
    def tilted(self) -> Resampling:
        """The resampling, with tilted resamples but of the papers' own estimator, and of max-T, whose floor stays."""
        tilts = self.estimator is Estimator.ADD_ONE and self.chosen_correction is not Correction.MAX_T
        return replace(self.resampling, tilted_cells=RANKING_CELLS // len(self.tests) if tilts else 0)

    @property
    def question(self) -> Question:
        """What is asked of the better-scoring system of each pair."""
        return Question(self.alternative, 0.0, self.ties)


def rank_scores(scores: Scores, settings: RankingSettings) -> list[Ranking]:
    """Return the ranking of all systems on every metric.

    Null hypothesis of every pair: the two systems' scores over the population of items are equal; under `greater`,
    that the better-scoring one's is no better, although it was the data that said which one that is.

    Parameters
    ----------
    scores : Scores
    settings : RankingSettings

    Raises
    ------
    DataError
        Fewer than two systems or clusters, two systems of one name, or a cluster in more than one stratum.
    NotApplicableError
        A test that does not fit some pair, or no exact law where one was demanded.

    Notes
    -----
    Cost of the default: one pass over the units a pair, and 1 to 6 ns a pair and draw of max-T. Of the bootstrap: one
    product of shapes (r, n) and (n, s·k), and about 3 ns a pair and resample; of a metric that is recomputed r·s scores
    of n items, and 2r of every pair for other tests that resample. Memory: 8rs bytes and 400 MB.
    """
    scores.check_names()
    return [
        _ranked(metric, systems, scores, settings) for metric, systems in zip(scores.metrics, scores.rows, strict=True)
    ]


def _ranked(metric: AnyMetric, systems: Sequence[Rows], scores: Scores, settings: RankingSettings) -> Ranking:
    ids = systems[0].item_ids
    systems, design = in_canonical_order(systems, scores.design)
    units = design.units
    table, order = _table(metric, systems, units, design)
    settings = settings.on_table(design, table, units.name)
    names = [systems[i].name for i in order]
    family_of = [scores.families[i] for i in order]
    inquiry = _Inquiry(table, settings)
    outcomes = [
        outcomes_of_pairs(
            test,
            table,
            settings.question,
            settings.tilted,
            exact=inquiry.exact,
            counted=inquiry.counts,
            spreads=lambda: inquiry.spreads,
        )
        for test in settings.tests
    ]
    p_values = [PValues(of_test, settings.estimator) for of_test in outcomes]
    first = p_values[0]
    corrected = inquiry.max_t(first.values)
    wins, ties, losses = _item_outcomes(metric, [systems[i].values for i in order], table)
    better, worse, m = table.pairs.better, table.pairs.worse, len(table.pairs)
    called, sampled, tilted = np.array(names, dtype=object), outcomes[0].sampled, outcomes[0].tilted
    pairs = PairColumns(
        {
            "baseline": called[worse],
            "candidate": called[better],
            "gain": table.pairs.gains,
            "interval": inquiry.pair_intervals(first.values),
            "wins": wins,
            "ties": ties,
            "losses": losses,
            "p_value": first.values,
            "p_holm": holm(first.values),
            "p_bh": benjamini_hochberg(first.values),
            "p_maxt": [None] * m if corrected is None else corrected.p_values,
            "exact": outcomes[0].derived,
            "n_exceeding": _or_none(outcomes[0].n_exceeding, sampled),
            "p_value_low": first.brackets[0],
            "p_value_high": first.brackets[1],
            "other_p_values": OtherPValues(
                {test.name: of_test.values for test, of_test in zip(settings.tests[1:], p_values[1:], strict=True)}, m
            ),
            "same_family": _same_family(family_of, better, worse),
            "is_bound": first.are_bounds,
            "n_tilted": _or_none(np.full(m, outcomes[0].n_tilted or 0), tilted),
            "computation": _or_none(np.full(m, "asymptotic"), outcomes[0].asymptotic),
        }
    )
    correction, r = settings.chosen_correction, inquiry.n_resamples(corrected)
    shares_of_best = inquiry.shares_of_best(r)
    without = table.without if isinstance(table, RecomputedTable) else [None] * len(order)
    score_intervals = [
        score_interval_of(metric, systems[i], design, settings.alpha, own)
        for i, own in zip(order, without, strict=True)
    ]
    gains = np.zeros((len(names), len(names)))
    gains[table.pairs.better, table.pairs.worse] = table.pairs.gains
    return Ranking(
        metric=describe_metric(metric),
        n_items=len(systems[0]),
        n_units=units.count,
        tests=tuple(test.name for test in settings.tests),
        alternative=settings.alternative,
        correction=correction,
        alpha=settings.alpha,
        systems=ranked_systems(
            names,
            family_of,
            table.scores,
            gains,
            _better(table, pairs, correction, inquiry),
            score_intervals,
            shares_of_best,
        ),
        pairs=pairs,
        n_resamples=r,
        seed=settings.resampling.seed,
        signature=_signature(settings, outcomes[0], metric, units, len(systems), r),
        version=__version__,
        warnings=(
            *scores.notes,
            *remarks_on(metric, *systems),
            *table.remarks_on_rounding(units, ids),
            *inquiry.few_carriers(units.name),
            *_warnings(pairs, first, table, settings, r, unit=units.name),
            *_contradictions(pairs, settings),
            *inquiry.of_levels([systems[i] for i in order]),
        ),
        findings=claims_of(design),
        over=design.over(systems),
        pairing=scores.audit_on(metric),
    )


def _contradictions(pairs: PairColumns, settings: RankingSettings) -> list[str]:
    """Return a warning where the test could not be inverted, and intervals shown beside it say otherwise."""
    intervals = pairs.columns["interval"]
    if settings.interval is not IntervalMethod.TEST or isinstance(intervals, IntervalColumn):
        return []
    against = [
        interval.method
        for interval, gain, p in zip(intervals, pairs.columns["gain"], pairs.columns["p_value"], strict=True)
        if gain > 0 and (p <= settings.alpha) == interval.holds(0.0)
    ]
    if not against:
        return []
    return [
        f"The intervals of {len(against)} pair(s) contradict their p-values before correction: the test "
        f"{settings.tests[0].name} has no interval of its own here ({', '.join(dict.fromkeys(against))} instead)."
    ]


def _table(metric: AnyMetric, systems: Sequence[Rows], units: Units, design: Design) -> tuple[AnyTable, Sequence[int]]:
    """Return the systems in the order of their scores, and their places; equal ones stay as they stand."""
    if isinstance(metric, RecomputedMetric):
        items = [system.values for system in systems]
        scores = np.array([metric.score_of_set(rows) for rows in items])
        order = np.argsort(-scores if metric.higher_is_better else scores, kind="stable").tolist()
        return RecomputedTable(metric, [items[i] for i in order], units), order
    assert isinstance(metric, Metric)
    summed = [units.sums(system.values) for system in systems]
    order = SystemTable.order(metric, summed).tolist()
    crossing = crossing_of(metric, [systems[i] for i in order], units, design)
    return SystemTable(metric, [summed[i] for i in order], units.strata, crossing), order


class _Inquiry:
    """What is asked of a table of systems, each once and when first needed."""

    def __init__(self, table: AnyTable, settings: RankingSettings) -> None:
        self._table, self._settings = table, settings
        self.tail = (1 - settings.confidence_level) / 2
        self.exact = ExactLaws(table, settings.resampling, self._of_law if self._from_bootstrap else None)
        self._may_be_exact = settings.resampling.method is not Method.MONTE_CARLO

    @property
    def _test(self) -> SignificanceTest:
        return self._settings.tests[0]

    @property
    def _from_bootstrap(self) -> bool:
        """Whether the pairs' intervals come from the bootstrap law without a look at each pair by itself."""
        if self._settings.interval is IntervalMethod.TEST:
            return isinstance(self._test, Bootstrap)
        return self._settings.interval is not IntervalMethod.BCA

    @property
    def _from_swaps(self) -> bool:
        """Whether the pairs' intervals invert swaps."""
        return self._settings.interval is IntervalMethod.TEST and isinstance(self._test, Randomization | BySigns)

    @cached_property
    def draws(self) -> ScoreDraws:
        """Bootstrap replicates of all scores."""
        return self._table.draws(self._settings.resampling)

    @cached_property
    def spreads(self) -> Spread:
        """The spreads of all pairs' gains."""
        return self._table.spreads()

    @cached_property
    def _errors(self) -> NormalDraws:
        """Normal draws of the errors of all scores."""
        return NormalDraws(self._table.covariance(), self._settings.resampling.seed)

    def max_t(self, p_values: FloatArray) -> MaxT | None:
        """Return max-T of the first test's p-values; None where it is not wanted."""
        settings = self._settings
        if not settings.max_t:
            return None
        return max_t(
            p_values,
            self._table.pairs,
            self._errors,
            np.asarray(self.spreads.effective),
            two_sided=settings.alternative is Alternative.TWO_SIDED,
            alpha=settings.alpha,
            most=settings.resampling.n_resamples,
            executor=settings.resampling.executor,
        )

    def n_resamples(self, corrected: MaxT | None) -> int:
        """Return how many resamples, or draws of max-T, were asked."""
        if "draws" in self.__dict__ or corrected is None:
            return self._settings.resampling.n_resamples
        return corrected.n_draws

    def shares_of_best(self, n_draws: int) -> FloatArray:
        """Return the share of draws in which each system scores best."""
        return self._errors.shares_of_best(self._table.sign * self._table.scores, n_draws)

    @cached_property
    def scan(self) -> PairScan:
        tail = self._law_interval(self.draws.n_resamples).share
        return self.draws.scan(self._table.pairs, self._settings.question, tail)

    def counts(self) -> AnyArray:
        """Return how many resamples meet the event of the recentred bootstrap, pair by pair."""
        return self.scan.n_exceeding

    @property
    def alpha(self) -> float:
        return self._settings.alpha

    @property
    def may_withhold(self) -> bool:
        """Whether there may be no verdict on some pairs."""
        crossing, test = self._table.crossing, self._settings.tests[0]
        if crossing is not None and crossing.is_random:
            return True
        return isinstance(test, InfluenceT) and test.withheld(self._table.pair(0)) is not None

    def withheld(self, index: int) -> str | None:
        """Return why there is no verdict on a pair, None where there is one."""
        return self._settings.tests[0].withheld(self._table.pair(index)) if self.may_withhold else None

    def of_levels(self, systems: Sequence[Rows]) -> list[str]:
        """Return what is to be known of runs that are random, in sentences: of few runs, and of some that lie far off.

        Parameters
        ----------
        systems : sequence of Rows
            In the order of the table.
        """
        table, test = self._table, self._settings.tests[0]
        crossing = table.crossing
        if crossing is None or not crossing.is_random:
            return []
        pairs = [table.pair(index) for index in range(len(table.pairs))]
        of_pairs = [remark for pair in pairs for remark in (test.withheld(pair), *test.remarks(pair)) if remark]
        return [*dict.fromkeys(of_pairs), *far_remarks(table.metric, systems, crossing)]

    def few_carriers(self, unit: str) -> list[str]:
        """Return a sentence where the variances of some pairs' gains come from few units."""
        crossing = self._table.crossing
        if not isinstance(self._test, InfluenceT) or (crossing is not None and crossing.is_random):
            return []
        effective, variance = np.asarray(self.spreads.effective), np.asarray(self.spreads.variance)
        unknown, said = np.isinf(variance), []
        few, of = (effective < FEW) & (variance > 0) & ~unknown, format_counted(len(variance), "pair")
        if unknown.any():
            said.append(
                f"In {unknown.sum()} of {of} there is nothing to score without one of the {unit}s, {NO_VARIANCE}"
            )
        if few.any():
            carry = few_carry(f"In {few.sum()} of {of} fewer than {FEW:g} {unit}s carry")
            said.append(f"{carry} A comparison of the pair names them.")
        return said

    def pair_intervals(self, p_values: FloatArray) -> Sequence[Interval]:
        """Return the intervals of the pairs' gains, whose p-values by the first test these are."""
        table, settings = self._table, self._settings
        m, level, test = len(table.pairs), settings.confidence_level, self._test
        if settings.interval is IntervalMethod.TEST and isinstance(test, InfluenceT) and table.common is None:
            gains = table.pairs.gains
            spreads = self.spreads if test.corrects else self.spreads.plain
            low, high = test.ends(gains, spreads, settings.alpha, settings.alternative)
            low, high = agreeing_ends(low, high, gains, 0.0, p_values, settings.alpha)
            method = next(iter(test.intervals))
            title = test.intervals[method]
            return IntervalColumn(m, lambda index: (low[index], high[index]), level, method, exact=False, title=title)
        if self._from_swaps and table.steps is not None and m > _MOST_INVERTED:
            ends = partial(_swap_ends, table.steps, table.pairs.gains, p_values, settings)
            method, title = Randomization.name, Randomization.intervals[Randomization.name]
            return IntervalColumn(m, ends, level, method, exact=False, title=title)
        if not self._from_bootstrap:
            every = list(enumerate(p_values.tolist()))
            return [self._interval(index, p) for index, p in settings.resampling.reporting(every)]
        agreed = _as_they_are
        if settings.interval is IntervalMethod.TEST:
            agreed = partial(_agreed, table.pairs.gains, p_values, settings.alpha)
        known = self._law_interval(None)
        if table.steps is not None and self._may_be_exact:
            ends = partial(_step_ends, table.steps, known, table.pairs.gains, agreed)
            return IntervalColumn(len(table.pairs), ends, settings.confidence_level, known.method, exact=True)
        low, high = self._law_interval(self.draws.n_resamples).ends(table.pairs.gains, self.scan)
        derived = [self.exact.interval(index) for index in range(len(low))]
        for index, interval in enumerate(derived):
            if interval is not None:
                low[index], high[index] = interval.low, interval.high
        low, high = agreed(np.arange(len(low)), low, high)
        return [
            Interval(one, other, settings.confidence_level, known.method, interval is not None)
            for one, other, interval in zip(low.tolist(), high.tolist(), derived, strict=True)
        ]

    def _law_interval(self, n_resamples: int | None) -> _LawInterval:
        """Return how intervals are made from the bootstrap law, from an exact one or from so many resamples."""
        settings = self._settings
        if settings.interval is not IntervalMethod.TEST:
            return _LawInterval(settings.interval.value, self.tail)
        share = rejecting_share(n_resamples, settings.alpha, settings.estimator)
        if settings.alternative is Alternative.TWO_SIDED:
            return _LawInterval("symmetric", share / 2)
        return _LawInterval("basic", share, bound=True)

    def _of_law(self, pair: AnyPair, laws: PairLaws) -> Interval | None:
        """Return the interval of a pair from its exact bootstrap law, where that is a mean of equal weights."""
        settings = self._settings
        if not self._table.linear or not pair.equal_weights:
            return None
        if settings.interval is IntervalMethod.TEST:
            return Bootstrap().interval(pair, laws, settings.alpha, settings.question, settings.estimator)
        return gain_interval(pair, laws.bootstrap(), settings.confidence_level, settings.interval)

    def _interval(self, index: int, p: float) -> Interval:
        settings, gain = self._settings, float(self._table.pairs.gains[index])
        pair, resampling = self._table.pair(index), settings.resampling
        if not (self.exact.inverts if self._from_swaps else self.exact.wanted):
            resampling = replace(resampling, method=Method.MONTE_CARLO)
        drawn, subsets = partial(self._drawn_gains, index), partial(self._subset_totals, index)
        laws = PairLaws(DrawnLaws(pair, resampling, drawn, subsets), 0)
        if settings.interval is not IntervalMethod.TEST:
            return gain_interval(pair, laws.bootstrap_or_sampled(), settings.confidence_level, settings.interval)
        question = settings.question
        interval, own = test_interval(self._test, pair, laws, [question], settings.alpha, settings.estimator)
        return agreeing(interval, gain, question.null_gain, p, settings.alpha) if own else interval

    def _drawn_gains(self, index: int) -> FloatArray:
        return self.draws.gains(self._table.pairs, index)

    @cached_property
    def _subsets(self) -> FloatArray:
        """The totals over random subsets of units: of all systems' numerators, and of the denominators they share."""
        table, resampling = self._table, self._settings.resampling
        assert isinstance(table, SystemTable)
        columns = table.linear_columns
        r = min(resampling.n_resamples, max(_FEWEST_SUBSETS, _MOST_SUBSET_TOTALS // columns.shape[1]))
        engine = Engine(resampling.seed, resampling.executor, resampling.progress)
        return engine.replicates(SwapScheme(table.n_units), columns, np.asarray, r)

    def _subset_totals(self, index: int) -> FloatArray:
        """Return the totals of a pair's d and ℓ over random subsets of units, shape (r, 2)."""
        better, worse, totals = self._table.pairs.better[index], self._table.pairs.worse[index], self._subsets
        return np.column_stack([self._table.sign * (totals[:, better] - totals[:, worse]), totals[:, -1]])


@dataclass(frozen=True)
class _LawInterval:
    """How the intervals of many gains are made from their bootstrap laws.

    Attributes
    ----------
    method : str
        As that of `Interval`.
    share : float
        What of the law lies beyond each end.
    bound : bool
        Whether the upper end is infinite.
    """

    method: str
    share: float
    bound: bool = False

    def ends(self, gains: FloatArray, scan: PairScan) -> tuple[FloatArray, FloatArray]:
        """Return the ends of all intervals from what was drawn."""
        return self._ends(gains, scan.low, scan.high, scan.reach)

    def step_ends(self, gains: FloatArray, steps: StepSums) -> tuple[FloatArray, FloatArray]:
        """Return the ends of all intervals of sums whose laws are known."""
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
    steps: StepSums, of: _LawInterval, gains: FloatArray, agreed: _Agreed, index: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the intervals of some pairs of systems whose items are right or wrong."""
    return agreed(index, *of.step_ends(gains[index], steps.take(index)))


def _agreed(
    gains: FloatArray, p_values: FloatArray, alpha: float, index: IntArray, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of some pairs' intervals, which agree with the p-values of all pairs."""
    return agreeing_ends(low, high, gains[index], 0.0, p_values[index], alpha)


def _as_they_are(index: IntArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    del index
    return low, high


def _swap_ends(
    steps: StepSums, gains: FloatArray, p_values: FloatArray, settings: RankingSettings, index: IntArray
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
    return agreeing_ends(low, high, gains[index], 0.0, p_values[index], settings.alpha)


def _better(table: AnyTable, pairs: PairColumns, correction: Correction, inquiry: _Inquiry) -> BoolArray:
    """Return whether each system is significantly better than each other one, shape (s, s)."""
    better = np.zeros((len(table.scores), len(table.scores)), dtype=bool)
    significant = (table.pairs.gains > 0) & (pairs.corrected(correction) <= inquiry.alpha)
    for index in np.flatnonzero(significant) if inquiry.may_withhold else ():
        significant[index] = not inquiry.withheld(int(index))
    better[table.pairs.better, table.pairs.worse] = significant
    return better


def _same_family(families: Sequence[str | None], better: IntArray, worse: IntArray) -> AnyArray:
    """Return whether the systems of each pair are of one family, shape (m,); None where that is not known."""
    codes = {family: code for code, family in enumerate(dict.fromkeys(families))}
    of = np.array([codes[family] for family in families])
    unknown = np.array([family is None for family in families])
    return _or_none(of[better] == of[worse], ~(unknown[better] | unknown[worse]))


def _or_none(values: AnyArray, known: BoolArray) -> AnyArray:
    column = values.astype(object)
    column[~known] = None
    return column


def _item_outcomes(
    metric: AnyMetric, systems: Sequence[FloatArray], table: AnyTable
) -> tuple[Sequence[int | None] | IntArray, ...]:
    """Return wins, ties and losses over the items, a column each; of None where items have no scores of their own."""
    m, n = len(table.pairs), len(systems[0])
    if table.right_alone is not None and table.n_units == n:
        won, lost = table.right_alone
        return won, n - won - lost, lost
    own = [metric.item_scores(values) for values in systems]
    if any(scores is None for scores in own):
        return ([None] * m,) * 3
    scores = np.array(own, dtype=np.float64)
    sign = 1.0 if metric.higher_is_better else -1.0
    wins, losses = [], []
    for better in range(len(scores)):
        others = scores[better + 1 :]
        gains = sign * (scores[better] - others)
        noise = _TIE * np.maximum(np.abs(scores[better]), np.abs(others))
        wins.append((gains > noise).sum(axis=1))
        losses.append((gains < -noise).sum(axis=1))
    won, lost = np.concatenate(wins), np.concatenate(losses)
    return won, n - won - lost, lost


def _signature(settings: RankingSettings, outcomes: Outcomes, metric: AnyMetric, units: Units, s: int, r: int) -> str:
    correction = settings.chosen_correction
    further = {"systems": str(s), "correction": correction.value}
    if correction is Correction.MAX_T:
        # Sampled even where the test's own p-values are exact.
        further["maxt"] = f"r={r}"
    if settings.interval is not IntervalMethod.TEST:
        further["interval"] = settings.interval.value
    if outcomes.n_tilted is not None:
        further["tilted"] = f"r={outcomes.n_tilted}"
    further |= settings.design_parts
    return signature(
        settings.tests[0],
        settings.question,
        Probability(1.0, n_resamples=outcomes.n_resamples or (r if outcomes.n_tilted else None)),
        asymptotic=bool(outcomes.asymptotic.any()),
        metric=describe_metric(metric).spec,
        n_units=units.count,
        unit=units.name,
        seed=settings.resampling.seed,
        estimator=settings.estimator,
        further=further,
    )


def _warnings(
    pairs: PairColumns,
    p_values: PValues,
    table: AnyTable,
    settings: RankingSettings,
    r: int,
    *,
    unit: str,
) -> list[str]:
    """Return what a reader of a ranking must know, in full sentences; p-values are the first test's."""
    alpha, m = settings.alpha, len(pairs)
    warnings, sampled = [], p_values.outcomes.sampled
    if settings.alternative is Alternative.GREATER:
        warnings.append(
            "One-sided p-values in the direction that the data took, as BK12 report them: under the null hypothesis "
            "they are half as large as they should be."
        )
    correction = settings.chosen_correction
    least = 1 / (r + 1)
    rare = int((sampled & (p_values.outcomes.n_exceeding < few_exceeding(r))).sum())
    if correction is Correction.HOLM and rare and m * least > alpha:
        many = (
            settings.resampling.method is Method.AUTO
            and settings.estimator is Estimator.ADD_ONE
            and not settings.tilted.n_tilted(rare, table.n_units)
        )
        warnings.append(
            f"With {r} resamples the smallest p-value is {least:.2g}, and Holm's correction over {m} pairs makes it "
            f"{min(m * least, 1.0):.2g}{', and so many pairs are not tilted' if many else ''}: raise "
            f"{opt('n_resamples')}, or use max-t."
        )
    low, high = p_values.brackets
    close = int((sampled & (low <= alpha) & (alpha <= high)).sum())
    if close and correction is Correction.NONE:
        warnings.append(
            f"The sampled p-values of {close} pair(s) are too close to {alpha:g} to call: their intervals hold it. "
            f"Raise {opt('n_resamples')}."
        )
    if correction is Correction.MAX_T:
        # Those that hold α in the interval of Wilson's at 95%.
        error = _NORMAL_95 * math.sqrt(alpha * (1 - alpha) / r)
        p_maxt = pairs.corrected(correction)
        close = int(((sampled | (p_maxt != p_values.values)) & (np.abs(p_maxt - alpha) <= error)).sum())
        if close:
            warnings.append(
                f"The max-T p-values of {close} pair(s), sampled, are too close to {alpha:g} to call: with "
                f"another seed the groups could be others. Raise {opt('n_resamples')}."
            )
    if table.n_units < enough_units(alpha) and isinstance(settings.tests[0], Bootstrap):
        warnings.append(
            f"With {table.n_units} {unit}s the bootstrap rejects true nulls too often. Leave {opt('tests')} out: "
            "the default does not."
        )
    same = int(table.identical.sum())
    if same:
        warnings.append(f"{same} pair(s) of systems have the same rows: their p-values are 1.")
    if correction is Correction.BH:
        warnings.append(FALSE_DISCOVERY_WARNING)
    bounds = p_values.are_bounds
    if (bounds & (p_values.values > _NEGLIGIBLE_BOUND)).any():
        warnings.append(f"No resample reaches the threshold of {bounds.sum()} pair(s): their p-values are bounds.")
    return warnings
