"""Candidates against a baseline: every test, interval and verdict of one comparison."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from outscore._version import __version__
from outscore.data.blocks import blocks
from outscore.data.coercion import score_gain
from outscore.data.rows import Rows
from outscore.design import Design, Units
from outscore.design.constant import Constant
from outscore.design.scores import Scores, score_gain_of
from outscore.design.strata import Labelled
from outscore.errors import OptionError, Problem
from outscore.gains.canonical import in_canonical_order
from outscore.gains.influence import ENOUGH_DIFFERING, effective_units, enough_units
from outscore.gains.pairing import name_of_unit, pair_of, refuse_hidden, remark_on_rounding
from outscore.gains.recomputed import RecomputedPair
from outscore.metrics import AnyMetric
from outscore.metrics.base import AnyOutputMetric, ColumnMetric
from outscore.metrics.families.columns import ColumnMean, warnings_on_direction
from outscore.metrics.options import describe_metric
from outscore.options import opt
from outscore.questions.claims import contradicts, hypotheses_of, margin_warning, verdict
from outscore.questions.pair_tests import PairTest, applicable_tests, second_laws
from outscore.questions.settings import Settings
from outscore.results import (
    Alternative,
    Claim,
    Comparison,
    ComparisonResult,
    Family,
    Histogram,
    Interval,
    IntervalMethod,
    LeftOut,
    Multiplicity,
    NextStep,
    TestResult,
    Verdict,
    format_of_all,
)
from outscore.results.findings import Finding, drawn
from outscore.results.record import deferred
from outscore.significance.auto import default_test
from outscore.significance.base import SignificanceTest
from outscore.significance.corrections import Place, corrected
from outscore.significance.intervals import agreeing, gain_histogram, gain_interval, test_interval
from outscore.significance.t_tests import InfluenceT
from outscore.text.naming import few_named
from outscore.text.numbers import state_p
from outscore.words import warnings
from outscore.words.comparisons import (
    against_the_gain,
    contrary,
    crossed_law_title,
    interval_title,
    largest_gain,
    law_title,
)

if TYPE_CHECKING:
    from outscore.questions.chosen import FirstPlace

_OTHER_SCALE = 10.0  # times the mean: those of counts or times on one scale differ by less
_MUCH_OF_VARIANCE = 1 / 6  # of the units; half of that of normal scores, a third, so that the quantile of t is larger
_NEGLIGIBLE_BOUND = 1e-12  # bounds below this are shown as such, "< 1e-12", anyway


def compare_scores(scores: Scores, settings: Settings, margin: float | str | None = None) -> list[ComparisonResult]:
    """Return the comparison of all systems with the first one, on every metric.

    Each candidate has its own order of items, so its resamples do not depend on other candidates and metrics. `margin`
    is as users write it, in the unit of each metric's score, and replaces that of the settings.

    The p-values of the verdict are computed at once. Other values, such as the interval and further tests, are computed
    on access, and raise their errors there. Errors are fewer than two clusters, a cluster in several strata, a margin
    out of range, a named test that does not fit, and an exact p-value that is required and not possible.
    """
    [results] = results_of([contests_of(scores, settings, margin)], settings.family)
    return results


@dataclass(frozen=True)
class Tested:
    """The tests of all candidates on one metric, before any correction."""

    __test__ = False  # not a test class, despite its name

    contests: Sequence[Contest]  # one per candidate
    left_out: Sequence[LeftOut]
    scores: Scores
    metric: AnyMetric
    systems: Sequence[Rows]  # the baseline, then the candidates


def contests_of(scores: Scores, settings: Settings, margin: float | str | None = None) -> list[Tested]:
    """Return the tests of all candidates on each metric; see `compare_scores`."""
    tables = []
    for metric, systems in zip(scores.metrics, scores.rows, strict=True):
        metric_settings, (baseline, *candidates) = settings, systems
        if margin is not None:
            metric_settings = replace(settings, margin=score_gain_of(margin, opt("margin"), metric, systems))
        contests = [Contest(metric, baseline, candidate, scores.design, metric_settings) for candidate in candidates]
        if metric_settings.margin is not None:
            check_margin(metric, metric_settings.margin)
        tables.append(Tested(contests, _carry_out(contests, metric_settings), scores, metric, systems))
    return tables


def results_of(
    datasets: Sequence[Sequence[Tested]], family: Family, average: Sequence[Tested] = ()
) -> list[list[ComparisonResult]]:
    """Return the results on each dataset and metric, with the p-values of each family corrected together.

    `datasets` has the tests by dataset, then by metric. `average` has those of the average over datasets by metric; its
    results come last.
    """
    groups = [*datasets, average] if average else datasets
    # The first test gives the verdict. Which one it is can depend on the dataset. The others are computed on access.
    first, others = list[_Entry](), list[_Entry]()
    for k, group in enumerate(groups):
        for m, table in enumerate(group):
            for i, contest in enumerate(table.contests):
                place = Place("", m, i, k, bool(average) and group is average)
                first.append((contest.tests[0], place))
                others += [(test, place._replace(test=test.test.name)) for test in contest.tests[1:]]
    taken = iter(_corrected(first, family))
    later = cache(lambda: dict(zip((test for test, _ in others), _corrected(others, family), strict=True)))
    return [[_result(table, taken, later) for table in group] for group in groups]


_Correction = tuple[float, Multiplicity]
_Entry = tuple[PairTest, Place]


def _corrected(tests: Sequence[_Entry], family: Family) -> list[_Correction]:
    """Return the corrected p-values of tests, each with the family over which it is corrected."""
    plain, entering = [test.p.value for test, _ in tests], [test.entering for test, _ in tests]
    return list(zip(*corrected(plain, entering, [place for _, place in tests], family), strict=True))


def _result(
    table: Tested, first: Iterator[_Correction], others: Callable[[], Mapping[PairTest, _Correction]]
) -> ComparisonResult:
    """Return the result of one metric, with the next corrected p-values of first tests, and those of all others."""
    contests, notes = table.contests, table.scores.notes
    comparisons: list[Comparison] = []
    decimals = None if len(contests) == 1 else deferred(cache(lambda: format_of_all(comparisons).decimals))
    comparisons += [
        contest.comparison(next(first), others, table.left_out, notes, decimals, choice)
        for contest, choice in zip(contests, [None] if len(contests) == 1 else _choices(table), strict=True)
    ]
    return ComparisonResult(
        metric=comparisons[0].metric,
        n_items=len(contests[0].systems[0]),
        n_units=contests[0].units.count,
        comparisons=tuple(comparisons),
        signature=deferred(lambda: comparisons[0].test.signature),
        version=__version__,
        seed=contests[0].settings.resampling.seed,
        pairing=table.scores.audit_on(table.metric),
    )


def _choices(table: Tested) -> Sequence[Callable[[], tuple[FirstPlace, float]] | None]:
    """Return, for each candidate, a function that computes its selection bias if its gain is the largest; else None.

    The second part is the candidate's own share of the interval's level.
    """
    contests = table.contests
    settings, gains = contests[0].settings, np.array([contest.pair.gain for contest in contests])
    behind = gains.max() - gains
    behind[behind <= max(contest.pair.tolerance for contest in contests)] = 0.0

    @cache
    def computed_place() -> tuple[FirstPlace, list[int]]:
        from outscore.questions.chosen import first_place
        from outscore.questions.ranks.max_t import NormalDraws
        from outscore.questions.ranks.tables import covariance_of_gains

        covariance, unit = covariance_of_gains(table.metric, table.systems, table.scores.design)
        order = np.lexsort((np.diag(covariance), behind))  # the order of the candidates does not matter
        draws = NormalDraws(covariance[np.ix_(order, order)], settings.resampling.seed, unit)
        two_sided = contests[0].tests[0].hypotheses[0].alternative is Alternative.TWO_SIDED
        return first_place(behind[order], draws, settings.alpha / (2 if two_sided else 1)), order.tolist()

    def choice(index: int) -> tuple[FirstPlace, float]:
        place, order = computed_place()
        return place, place.shares[order.index(index)]

    return [partial(choice, index) if distance == 0 else None for index, distance in enumerate(behind.tolist())]


def check_margin(metric: AnyMetric, margin: float) -> None:
    """Refuse a margin that is out of range in the unit of the metric's score, or as wide as the score's range."""
    score_gain(margin, opt("margin"), metric=metric.name, is_share=metric.as_percentage)
    if metric.score_range is not None:
        low, high = metric.score_range
        if margin >= high - low:
            what = f"expected less than {high - low:g}, the range of {metric.name}, got {margin:g}"
            raise OptionError(Problem(opt("margin"), what, "Pass a smaller margin.", "bad-margin"))


def _carry_out(contests: Sequence[Contest], settings: Settings) -> Sequence[LeftOut]:
    """Run the same tests for all candidates on shared resamples, and return the tests that do not apply."""
    pairs, design, units = [contest.pair for contest in contests], contests[0].design, contests[0].units
    hypotheses = hypotheses_of(settings.claim, settings.alternative, settings.margin, settings.ties)
    chosen, left_out = applicable_tests(settings, pairs, hypotheses, design, units)
    laws, others = settings.laws_of(pairs), second_laws(pairs, settings) if settings.double_check else []
    for i, contest in enumerate(contests):
        pair_laws, second = laws.of_pair(i), [other.of_pair(i) for other in others]
        contest.test = chosen[0]
        contest.tests = [PairTest(test, pairs[i], pair_laws, hypotheses, settings, units, second) for test in chosen]
        contest.named_tests = contest.tests if settings.tests_named else contest.tests[:1]
    return left_out


class Contest:
    """One candidate against the baseline, and the values of their comparison, each computed once.

    Attributes
    ----------
    systems : sequence of Rows
        The baseline and the candidate, with items in canonical order, which depends only on these two.
    design : Design
        The design in that order.
    pair : Pair
        The pair in `units`.
    item_ids : sequence of str, optional
        In the given order.
    test : SignificanceTest
        The test of the verdict.
    tests : sequence of PairTest
        The tests that were run, that of the verdict first.
    named_tests : sequence of PairTest
        The tests that were named, or that of the verdict. A test beside the default gives no warnings.
    remarks : sequence of str
        Warnings about human and judge labels.
    """

    test: SignificanceTest
    tests: Sequence[PairTest]
    named_tests: Sequence[PairTest]
    remarks: Sequence[str] = ()

    def __init__(self, metric: AnyMetric, baseline: Rows, candidate: Rows, design: Design, settings: Settings) -> None:
        self.settings, self.item_ids = settings, baseline.item_ids
        if metric.fits_systems:
            metric, (baseline, candidate), design = metric.on_systems([baseline, candidate], design)
            self.remarks = [
                remark for factor in design.factors if isinstance(factor, Labelled) for remark in factor.remarks
            ]
        self.metric = metric
        (baseline, candidate), self.design = in_canonical_order([baseline, candidate], design)
        self.systems = baseline, candidate
        # Two crossed clusterings cannot both be resampled, so the units of the pair are single items.
        crossed = self.design.crossed_clusters
        self.units = self.design.units if crossed is None else Units(len(baseline), given=self.design.given)
        self.pair = pair_of(metric, baseline, candidate, self.units, self.design)
        if self.pair.blur:
            refuse_hidden(self.pair, self.units, self.item_ids)
        self._item_scores = [cache(partial(metric.item_scores, system.values)) for system in self.systems]

    def comparison(
        self,
        correction: _Correction,
        others: Callable[[], Mapping[PairTest, _Correction]],
        left_out: Sequence[LeftOut],
        notes: Sequence[str],
        decimals: int | None = None,
        choice: Callable[[], tuple[FirstPlace, float]] | None = None,
    ) -> Comparison:
        """Return the comparison, given the corrected p-values of its first test and of others, and the decimals.

        `choice` is for the largest gain of several.
        """
        settings, pair, (baseline, candidate) = self.settings, self.pair, self.systems
        description = describe_metric(self.metric)
        findings: tuple[Finding, ...] = ()
        if self.design.factors:
            from outscore.questions.findings import findings_of

            findings = tuple(findings_of(self, lambda: made))
        if choice is not None:
            findings = (*findings, *self._as_chosen(choice, lambda: made))

        def tested(test: PairTest, p: float) -> TestResult:
            return test.result(
                # Emulated tools do not correct.
                test.p.value if test.test.emulates is not None else p,
                description.spec,
                drawn(findings),
                self.design.parts,
                inflation=inflation(self.correlation) if test.test.assumes_independence else None,
            )

        first = tested(self.tests[0], correction[0])
        tests = deferred(lambda: (first, *(tested(test, others()[test][0]) for test in self.tests[1:])), first)
        withheld, direction = self.test.withheld(pair), pair.gain if first.sign is None else float(first.sign)
        decided = verdict(settings.claim, first.alternative, first.adjusted_p_value, direction, settings.alpha)
        if withheld is None and first.sign is not None and contradicts(decided, pair.gain, settings.margin):
            withheld = deferred(lambda: against_the_gain(made))
        has_second = len(self.tests) > len(self.named_tests)  # beside the default test
        made = Comparison(
            metric=description,
            baseline=baseline.name,
            candidate=candidate.name,
            baseline_score=pair.baseline_score,
            candidate_score=pair.candidate_score,
            gain=pair.gain,
            interval=deferred(lambda: self.interval(settings.alpha)),
            helped=deferred(lambda: self.outcomes[0]),
            hurt=deferred(lambda: self.outcomes[1]),
            unchanged=deferred(lambda: self.outcomes[2]),
            n_items=len(baseline),
            n_units=self.units.count,
            correlation=deferred(lambda: self.correlation),
            claim=settings.claim,
            margin=settings.margin,
            alpha=settings.alpha,
            verdict=decided if withheld is None else Verdict.INCONCLUSIVE,
            tests=tests,
            histogram=deferred(lambda: self.histogram(made.interval)),
            left_out=tuple(left_out),
            warnings=deferred(lambda: (*notes, *self.warnings(made))),
            findings=findings,
            withheld=withheld,
            found=None if first.sign is None else deferred(lambda: self.tests[0].quantity(decided)),
            decimals=decimals,
            tests_named=settings.tests_named,
            multiplicity=correction[1],
            second=deferred(lambda: made.tests[1] if has_second and self.tests[0].laws.has_cheap_grid else None),
            contrary=deferred(lambda: self._contrary(made) if has_second else None),
            next_step=deferred(lambda: self._next_step(made)),
        )
        return made

    def interval(self, alpha: float) -> Interval:
        """Return the interval of the gain with the confidence level 1 − alpha."""
        settings, pair, first = self.settings, self.pair, self.tests[0]
        if settings.interval is not IntervalMethod.TEST:
            law = first.laws.law(or_sampled=True)  # the interval has its own flag `exact`
            return gain_interval(pair, law, 1 - alpha, settings.interval)
        hypotheses = first.hypotheses
        interval, is_own = test_interval(first.test, pair, first.laws, hypotheses, alpha, settings.estimator)
        if len(hypotheses) > 1 or not is_own:
            return interval
        return agreeing(interval, pair.gain, hypotheses[0].null_gain, first.p.value, alpha)

    def _as_chosen(
        self, choice: Callable[[], tuple[FirstPlace, float]], comparison: Callable[[], Comparison]
    ) -> Iterator[Finding]:
        """Yield the finding on the selection bias of the largest gain of several."""
        label = "largest gain"

        def interval() -> Interval:
            from outscore.questions.chosen import lowered

            (_, share), usual = choice(), comparison().interval
            return usual if share == 1 else lowered(usual, self.interval(share * self.settings.alpha))

        def sentence() -> str | None:
            return largest_gain(comparison(), choice()[0].n_systems) if choice()[0].is_notable else None

        yield Finding(label, deferred(sentence), "overstatement", deferred(lambda: choice()[0].overstatement))
        yield Finding(label, None, "interval_as_chosen", deferred(interval))

    def _contrary(self, comparison: Comparison) -> str | None:
        """Return that the bootstrap beside the default test would decide differently, and why."""
        first, second, alpha = comparison.test, comparison.tests[1], self.settings.alpha
        rejects, pair, moments, count = second.adjusted_p_value <= alpha, self.pair, first.moments, self.units.count
        if rejects == (first.adjusted_p_value <= alpha):
            return None
        reason = warnings.why_contrary(
            self.units.name,
            exact=first.exact,
            n_units=pair.n_units if rejects and effective_units(pair.sizes) < enough_units(alpha) else None,
            n_differing=pair.n_differing if rejects and pair.n_differing < ENOUGH_DIFFERING else None,
            skewness=moments.skewness * math.sqrt(count) if moments and moments.skewness * moments.t < 0 else None,
            few_carry=moments is not None and moments.effective_units < _MUCH_OF_VARIANCE * count,
        )
        return f"{contrary(second)} {reason}"

    def _next_step(self, comparison: Comparison) -> NextStep | None:
        """Return the number of units that a true gain of this size needs, if the verdict is inconclusive."""
        if comparison.verdict is not Verdict.INCONCLUSIVE or comparison.withheld is not None:
            return None
        from outscore.questions.next_step import next_step

        parts, settings, test = comparison.components, self.settings, comparison.test
        staying = 0.0 if parts is None else 1 - parts.items - parts.interaction
        capped = test.adjusted_p_value >= 1  # by how much it was multiplied is unknown then, but at most by all
        level = settings.alpha / (comparison.multiplicity.size if capped else test.correction_factor)
        return next_step(self.pair, test, settings.claim, settings.margin or 0.0, level, self.units.name, staying)

    def histogram(self, interval: Interval) -> Histogram:
        """Return the distribution of the gain, with the tails of an interval."""
        first = self.tests[0]
        law = None if self.pair.crossing is None else first.test.gain_law(self.pair, first.laws)
        histogram = gain_histogram(self.pair, law or first.laws.law(or_sampled=True), interval)
        if law is None:
            if not self.design.new_levels:
                return histogram
            levels = [factor.plural for factor in self.design.new_levels]
            return replace(histogram, title=law_title(self.units.name, levels))
        from outscore.questions.findings import crossed_with

        over = crossed_with(self.design)
        return replace(histogram, law="t", over=over if over != "runs" else None, title=crossed_law_title(over))

    @property
    def p_on_new_items(self) -> float:
        """The p-value of the default test for these levels of crossed factors."""
        assert not isinstance(self.pair, RecomputedPair)  # crossed factors have rows that add up
        pair = replace(self.pair, crossing=None)
        first = self.tests[0]
        test = default_test([pair], first.hypotheses, self.settings.claim, self.units.name)
        return replace(first, test=test, pair=pair).p.value

    @cached_property
    def outcomes(self) -> tuple[int, int, int] | tuple[None, None, None]:
        """The numbers of wins, losses and ties of the candidate (Jansen), or None without scores per item."""
        before, after = (scores() for scores in self._item_scores)
        if before is None or after is None:
            return None, None, None
        up = down = 0
        for at in blocks(len(before)):
            old, new = before[at], after[at]
            tolerance = 1e-12 * np.maximum(np.abs(old), np.abs(new))
            up += int(np.count_nonzero(new - old > tolerance))
            down += int(np.count_nonzero(old - new > tolerance))
        helped, hurt = (up, down) if self.metric.higher_is_better else (down, up)
        n_items = len(self.systems[0]) - (self.design.n_weightless if self.design.is_weighted else 0)
        return helped, hurt, n_items - helped - hurt

    @cached_property
    def correlation(self) -> float | None:
        """The correlation of the item scores, or None without scores per item or if a system's scores are all equal."""
        first, second = (scores() for scores in self._item_scores)
        if first is None or second is None:
            return None
        ends = [float(end) for values in (first, second) for end in (values.min(), values.max())]
        if not all(map(math.isfinite, ends)):
            return None
        means = first.mean(), second.mean()
        moments = np.zeros(3)
        for at in blocks(len(first)):
            a, b = first[at] - means[0], second[at] - means[1]
            moments += [a @ a, b @ b, a @ b]
        squares, other_squares, products = moments.tolist()
        scale = math.sqrt(squares * other_squares)
        largest = [max(-low, high, 1e-300) for low, high in (ends[:2], ends[2:])]
        floor = 1e-24 * len(first) * largest[0] * largest[1]
        return min(max(products / scale, -1.0), 1.0) if scale > floor else None

    def warnings(self, comparison: Comparison) -> Sequence[str]:
        """Return the warnings of its comparison, other than the notes on the data."""
        pair, crossing, first, withheld = self.pair, self.pair.crossing, comparison.test, comparison.withheld
        far: Sequence[str] = ()
        caveats = [test.test.caveat_on(pair, self.settings.resampling.seed) for test in self.named_tests]
        # A gate has two claims, and outcomes of its own.
        verdicts = partial(self._verdicts, first) if self.settings.claim is Claim.BETTER else None
        if crossing is not None and crossing.is_random:
            from outscore.gains.variance import far_remarks

            far = far_remarks(self.metric, self.systems, crossing)
        return (
            *filter(None, [withheld]),
            *self.remarks,
            *remarks_on(self.metric, *self.systems, verdicts=verdicts),
            *filter(None, [remark_on_rounding(pair, self.units, self.item_ids)]),
            *filter(None, [self._few_carriers(first)]),
            *_warnings(self, comparison),
            *(remark for test in self.named_tests for remark in test.test.remarks(pair)),
            *far,
            *dict.fromkeys(caveat for caveat in caveats if caveat not in (None, withheld)),
        )

    def _verdicts(self, first: TestResult) -> tuple[str, str]:
        """Return the verdict, and the verdict if differences of formatting are ignored."""
        plain = [
            system if system.reformatted is None else replace(system, values=system.reformatted.values)
            for system in self.systems
        ]
        settings, pair = self.settings, Contest(self.metric, plain[0], plain[1], self.design, self.settings).pair
        again = replace(self.tests[0], pair=pair, laws=settings.laws_of([pair]))
        p = min(first.correction_factor * again.p.value, 1.0)

        def decided(p: float, sign: int | None, gain: float) -> str:
            direction = gain if sign is None else float(sign)
            outcome = verdict(settings.claim, first.alternative, p, direction, settings.alpha)
            withheld = sign is not None and contradicts(outcome, gain, settings.margin)
            return (Verdict.INCONCLUSIVE if withheld else outcome).value

        before = decided(first.adjusted_p_value, first.sign, self.pair.gain)
        return before, decided(p, again.p.sign, pair.gain)

    def _few_carriers(self, first: TestResult) -> str | None:
        """Return a warning of the few units with most of the variance, and of what would overturn the verdict."""
        if not isinstance(self.test, InfluenceT):
            return None
        from outscore.gains.carriers import few_carriers, with_copies

        if self.pair.clusterings is not None:
            return self._few_clusters()
        few, units, alpha = few_carriers(self.pair), self.units, self.settings.alpha
        if few is None:
            return None
        if not few.is_known:
            return warnings.nothing_without_one(units.count, units.name)
        message, hypothesis = warnings.few_carry(few.counted(units, self.item_ids)), self.tests[0].hypothesis
        worst = few.worst(self.pair.gain - hypothesis.null_gain)
        name, factor = name_of_unit(units, worst, self.item_ids), first.correction_factor
        rejects = first.adjusted_p_value <= alpha
        for copies in (2, 0):
            pair = with_copies(self.pair, worst, copies)
            if pair is None:
                continue
            p = self.test.p_value(pair, self.tests[0].laws, hypothesis).probability
            if copies:
                changes = rejects != (factor * p <= alpha)
                message += f" {warnings.one_more_like(name, state_p(p, alpha), changes=changes)}"
            elif not rejects and factor * p <= alpha:
                message += f" {warnings.without_one(name, state_p(p, alpha))}"
        return message

    def _few_clusters(self) -> str | None:
        """Return a warning of the few clusters with most of the variance, for two crossed clusterings."""
        from outscore.gains.carriers import few_carriers

        each = [(few_carriers(pair), pair.n_units) for pair in self.pair.in_clusters]
        clusterings = [(len(few.places), n, few.share) for few, n in each if few is not None]
        return warnings.few_clusters_carry(clusterings) if clusterings else None


def inflation(r12: float | None) -> float | None:
    """Return 1/√(1 − r12), the factor by which independence overstates the gain's standard deviation (Yeh 2000)."""
    return None if r12 is None or r12 >= 1 - 1e-12 else 1 / math.sqrt(1 - r12)


def remarks_on(
    metric: AnyMetric, *systems: Rows, verdicts: Callable[[], tuple[str, str]] | None = None
) -> Sequence[str]:
    """Return the remarks on the scoring of the test set, on differences of systems, then on each system's scores.

    `verdicts` returns the verdict on a pair with and without differences of formatting.
    """
    described, unlike = metric.described, list[str]()
    of_set: Sequence[str] = described.origin.remarks if isinstance(described, AnyOutputMetric) else ()
    if isinstance(metric, ColumnMean):
        of_set = warnings_on_direction(metric, metric.name)
    if all(system.reformatted is not None for system in systems):
        from outscore.questions.unlike import in_other_formatting

        unlike = in_other_formatting(metric, systems, None if verdicts is None else verdicts())
    elif metric.score_range is None and isinstance(metric, ColumnMetric):
        unlike = _on_other_scale(metric, systems)
    of_remark: dict[str, list[str]] = {}
    for system in systems:
        for remark in (*system.remarks, *metric.remarks(system.values)):
            of_remark.setdefault(remark, []).append(system.name)
    return [*of_set, *unlike, *(f"{few_named(names)}: {remark}" for remark, names in of_remark.items())]


def _on_other_scale(metric: ColumnMetric, systems: Sequence[Rows]) -> list[str]:
    """Return a warning if scores of unknown range are from 0 to 1 in some systems, and from 0 to 100 in others."""
    means: dict[bool, list[tuple[float, str]]] = {True: [], False: []}
    for system in systems:
        scores = metric.item_scores(system.values)
        if scores is None or not (len(scores) and scores.min() >= 0 and scores.max() <= 100):
            return []
        means[bool(scores.max() <= 1)].append((float(scores.mean()), system.name))
    low, high = sorted(means[True]), sorted(means[False])
    if not (low and high and 0 < _OTHER_SCALE * low[-1][0] <= high[0][0]):
        return []
    return [warnings.other_scale([name for _, name in low], [name for _, name in high])]


def _warnings(contest: Contest, comparison: Comparison) -> Sequence[str]:
    interval, tests = comparison.interval, comparison.named_tests
    units, settings = contest.units, contest.settings
    messages = []
    if contest.pair.n_differing == 0 and contest.design.get(Constant) is None:
        messages.append(warnings.IDENTICAL)
    bounds = [
        test.name
        for test, pair_test in zip(tests, contest.named_tests, strict=True)
        if pair_test.p.is_bound and test.exact and test.p_value > _NEGLIGIBLE_BOUND
    ]
    if bounds:
        messages.append(warnings.bounds(bounds))
    for test in tests:
        if test.n_resamples is not None and test.emulates is None:
            factor = test.correction_factor
            if test.p_value_low * factor <= settings.alpha <= test.p_value_high * factor:
                messages.append(warnings.too_close(test.name, settings.alpha))
        messages.extend(
            warnings.check_disagrees(test.name, check.p_value, test.p_value)
            for check in test.checks
            if not check.agrees
        )
    of_margin = None
    if settings.margin is not None:
        of_margin = margin_warning([pair_test.test for pair_test in contest.named_tests], contest.design.new_levels)
    messages.extend(_doubts(contest, comparison) if of_margin is None else [of_margin])
    if interval.low == interval.high:
        messages.append(warnings.no_spread(units.name) if interval.low else warnings.none_differs(units.name))
    return messages


def _doubts(contest: Contest, comparison: Comparison) -> Iterator[str]:
    """Yield warnings of the known errors of a named test of the verdict and of its interval."""
    test, pair, units, settings = contest.test, contest.pair, contest.units, contest.settings
    first, interval = comparison.test, comparison.interval
    effective = effective_units(pair.sizes)
    unsure = test.unsure_of_few and units.name != "task"
    if unsure and effective < enough_units(settings.alpha):
        yield warnings.few_units(units.count, effective, units.name, first.name)
    elif unsure and 0 < pair.n_differing < ENOUGH_DIFFERING:
        yield warnings.few_differ(pair.n_differing, units.name, first.name)
    rejected = first.p_value <= settings.alpha
    if settings.claim is Claim.BETTER and first.quantity is None and rejected == interval.holds(0.0):
        yield warnings.contradicted(first.name, interval_title(interval), rejected=rejected)
