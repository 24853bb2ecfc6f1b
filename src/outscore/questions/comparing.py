"""Candidates against a baseline: every test, interval and verdict of one comparison."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial

import numpy as np

from outscore._types import FloatArray
from outscore._version import __version__
from outscore.data.blocks import blocks
from outscore.data.coercion import score_gain
from outscore.data.rows import Rows
from outscore.design import Design, Units
from outscore.design.clusters import SINGLE_ITEMS
from outscore.design.constant import Constant
from outscore.design.scores import Scores
from outscore.design.strata import Strata
from outscore.errors import NotApplicableError, OptionError, Problem
from outscore.gains.canonical import in_canonical_order
from outscore.gains.carriers import NO_VARIANCE, few_carriers, few_carry
from outscore.gains.crossing import crossing_of
from outscore.gains.gain_laws import GainLaws, Question, Resampling
from outscore.gains.influence import ENOUGH_DIFFERING, effective_units, enough_units
from outscore.gains.pair import AnyPair, Pair
from outscore.gains.pairing import name_of_unit, pair_of, refuse_hidden, remark_on_rounding
from outscore.laws.law import Probability, clopper_pearson
from outscore.metrics import AnyMetric
from outscore.metrics.base import AnyOutputMetric, RecomputedMetric
from outscore.metrics.options import describe_metric
from outscore.options import opt
from outscore.questions.claims import margin_warning, questions, verdict
from outscore.questions.findings import crossed_with, findings_of
from outscore.questions.settings import Settings
from outscore.questions.signatures import signature
from outscore.results import (
    Alternative,
    Check,
    Claim,
    Comparison,
    ComparisonResult,
    Estimator,
    Histogram,
    Interval,
    IntervalMethod,
    LeftOut,
    Method,
    TestResult,
    Unit,
    Verdict,
    interval_title,
)
from outscore.results.findings import drawn
from outscore.results.shown import computed, deferred
from outscore.significance.auto import Auto, default_test
from outscore.significance.base import Outcome, PairLaws, SignificanceTest
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.corrections import holm
from outscore.significance.intervals import agreeing, gain_histogram, gain_interval, test_interval
from outscore.significance.p_values import PValue, p_value
from outscore.significance.t_tests import InfluenceT
from outscore.text.naming import in_a_row
from outscore.text.numbers import format_counted, state_p

_NEGLIGIBLE_BOUND = 1e-12  # bounds below this are shown as such, "< 1e-12", anyway
_OF_RESPONSES = (
    "Responses of one item depend on each other, and a test that swaps them one by one takes them to be independent: "
    "with 12 spans a sentence, as hard as their sentence is, it rejects 46.3% of true nulls where 5% is meant, and "
    "swaps of whole items 3.7%. The verdict is that of the items."
)


def compare_scores(scores: Scores, settings: Settings, margin: float | str | None = None) -> list[ComparisonResult]:
    """Return the comparison of all systems with the first one, on every metric.

    Each candidate has an order of the items of its own: its draws do not depend on other candidates and other metrics.

    Parameters
    ----------
    scores : Scores
        Of two systems at least.
    settings : Settings
    margin : float or str, optional
        As a user writes it, in the unit of each metric's score; in place of that of the settings.

    Raises
    ------
    DataError
        Fewer than two clusters, or a cluster in more than one stratum.
    OptionError
        A margin that is none.
    NotApplicableError
        A test that was asked for by name and does not fit, or no exact law where one was demanded.

    Notes
    -----
    Tests are carried out. What only readers of their results ask for, such as the interval, is computed when they do;
    at once where resamples were drawn, or are drawn elsewhere.
    """
    return [
        replace(
            _compared(metric, systems, scores.design, settings.with_margin(margin, metric, systems), scores.notes),
            pairing=scores.audit_on(metric),
        )
        for metric, systems in zip(scores.metrics, scores.rows, strict=True)
    ]


def _compared(
    metric: AnyMetric, systems: Sequence[Rows], design: Design, settings: Settings, notes: Sequence[str]
) -> ComparisonResult:
    baseline, *candidates = systems
    matches = [_match(metric, baseline, candidate, design) for candidate in candidates]
    _check_margin(metric, settings)
    crossings = [match.pair.crossing for match in matches if match.pair.crossing is not None]
    settings = settings.on_design(design, crossings)
    contests = _contests(metric, matches, settings)
    runs = [contest.runs for contest in contests]
    p_values = [[run.p_value for run in of_pair] for of_pair in runs]
    adjusted = []
    for j, run in enumerate(runs[0]):
        plain = [of_pair[j].value for of_pair in p_values]
        # The tools whose formulas are emulated correct nothing for there being several candidates.
        adjusted.append(holm(plain) if run.test.emulates is None else plain)
    comparisons = tuple(
        contest.comparison([of_test[i] for of_test in adjusted], notes) for i, contest in enumerate(contests)
    )
    resampling = settings.resampling
    sampled = any(run.sampled for of_pair in runs for run in of_pair)
    # A function of the user's own tells of its faults here, and not where a result is read.
    own = isinstance(metric, RecomputedMetric)
    if sampled or own or resampling.executor is not None or resampling.progress is not None:
        for comparison in comparisons:
            computed(comparison)
    return ComparisonResult(
        metric=comparisons[0].metric,
        n_items=len(baseline),
        n_units=matches[0].units.count,
        comparisons=comparisons,
        signature=comparisons[0].tests[0].signature,
        version=__version__,
        seed=resampling.seed,
    )


def _check_margin(metric: AnyMetric, settings: Settings) -> None:
    """Refuse a margin that is none in the unit of the metric's score, or as wide as its range."""
    if settings.margin is None:
        return
    score_gain(settings.margin, opt("margin"), metric=metric.name, is_share=metric.as_percentage)
    if metric.score_range is not None:
        low, high = metric.score_range
        if settings.margin >= high - low:
            what = f"expected less than {high - low:g}, the range of {metric.name}, got {settings.margin:g}"
            raise OptionError(Problem(opt("margin"), what, "No candidate could be worse by as much.", "bad-margin"))


@dataclass(frozen=True)
class _Match:
    """A candidate and the baseline, with their items in canonical order: no other candidate has a part in it.

    Attributes
    ----------
    systems : tuple of Rows
        The baseline and the candidate.
    design : Design
    units : Units
    pair : AnyPair
        In `units`.
    item_ids : sequence of str, optional
        In the order given.
    """

    systems: tuple[Rows, Rows]
    design: Design
    units: Units
    pair: AnyPair
    item_ids: Sequence[str] | None


def _match(metric: AnyMetric, baseline: Rows, candidate: Rows, design: Design) -> _Match:
    ids = baseline.item_ids
    (baseline, candidate), design = in_canonical_order([baseline, candidate], design)
    units = design.single_units
    crossing = crossing_of(metric, [baseline, candidate], units, design)
    clusterings = design.crossed_clusters
    pair = pair_of(
        metric, baseline, candidate, units, crossing=crossing, clusterings=clusterings, against=design.against
    )
    refuse_hidden(pair, units, ids)
    return _Match((baseline, candidate), design, units, pair, ids)


def _contests(metric: AnyMetric, matches: Sequence[_Match], settings: Settings) -> list[Contest]:
    """Return what is asked of each candidate: the same tests of all, but for the default's choice."""
    pairs, units = [match.pair for match in matches], matches[0].units
    hypotheses = questions(settings.claim, settings.alternative, settings.margin, settings.ties)
    chosen, left_out = _applicable(settings, pairs, hypotheses, units)
    by_response = settings.unit is Unit.RESPONSE
    # The verdict is the item's: tests that swap responses stand beside it.
    of_items = [test for test in chosen if not (by_response and test.swaps)] or chosen[:1]
    laws = _laws(pairs, settings)
    checkers = _checkers(pairs, settings)
    runs = [
        [_Run(test, pair, laws[i], hypotheses, settings, units, checkers, i) for test in of_items]
        for i, pair in enumerate(pairs)
    ]
    if by_response:
        swapped = [pair_of(metric, *match.systems, match.units, settings.unit) for match in matches]
        swaps, checkers = _laws(swapped, settings), _checkers(swapped, settings)
        for i, pair in enumerate(swapped):
            runs[i] += [
                _Run(test, pair, swaps[i], hypotheses, settings, units, checkers, i) for test in chosen if test.swaps
            ]
    return [
        Contest(
            metric,
            match.systems,
            tuple(cache(partial(metric.item_scores, system.values)) for system in match.systems),
            pairs[i],
            laws[i],
            hypotheses,
            settings,
            match.units,
            runs[i],
            left_out,
            len(matches),
            match.design,
            match.item_ids,
        )
        for i, match in enumerate(matches)
    ]


def _laws(pairs: Sequence[AnyPair], settings: Settings) -> list[PairLaws]:
    laws = GainLaws(pairs, settings.tilted, settings.null_gains)
    return [PairLaws(laws, i) for i in range(len(pairs))]


@dataclass(frozen=True)
class Contest:
    """One candidate against the baseline: its tests, and all that a comparison says of it, each computed once."""

    metric: AnyMetric
    systems: tuple[Rows, Rows]
    item_scores: tuple[Callable[[], FloatArray | None], ...]
    pair: AnyPair
    laws: PairLaws
    hypotheses: Sequence[Question]
    settings: Settings
    units: Units
    runs: Sequence[_Run]
    left_out: Sequence[LeftOut]
    n_candidates: int
    design: Design
    item_ids: Sequence[str] | None  # in the order given

    @property
    def test(self) -> SignificanceTest:
        """The test of the verdict."""
        return self.runs[0].test

    def comparison(self, adjusted: Sequence[float], notes: Sequence[str]) -> Comparison:
        """Return the comparison, given the p-values after Holm's correction."""
        settings, pair, (baseline, candidate) = self.settings, self.pair, self.systems
        description = describe_metric(self.metric)
        findings = tuple(findings_of(self, lambda: made))
        tests = tuple(
            run.result(
                p,
                description.spec,
                drawn(findings),
                inflation=inflation(self.correlation) if run.test.assumes_independence else None,
            )
            for run, p in zip(self.runs, adjusted, strict=True)
        )
        made = Comparison(
            metric=description,
            baseline=baseline.name,
            candidate=candidate.name,
            baseline_score=pair.baseline_score,
            candidate_score=pair.candidate_score,
            gain=pair.gain,
            interval=deferred(lambda: self.interval),
            helped=deferred(lambda: self.outcomes[0]),
            hurt=deferred(lambda: self.outcomes[1]),
            unchanged=deferred(lambda: self.outcomes[2]),
            n_items=len(baseline),
            n_units=self.units.count,
            n_candidates=self.n_candidates,
            correlation=deferred(lambda: self.correlation),
            claim=settings.claim,
            margin=settings.margin,
            alpha=settings.alpha,
            verdict=self._verdict(tests[0]),
            tests=tests,
            histogram=deferred(self.histogram),
            left_out=tuple(self.left_out),
            warnings=deferred(lambda: (*notes, *self.warnings(tests))),
            findings=findings,
            withheld=self._withheld,
        )
        return made

    @cached_property
    def _withheld(self) -> str | None:
        return self.test.withheld(self.pair)

    def _verdict(self, first: TestResult) -> Verdict:
        if self._withheld is not None:
            return Verdict.INCONCLUSIVE
        alpha = self.settings.alpha
        return verdict(self.settings.claim, first.alternative, first.adjusted_p_value, self.pair.gain, alpha)

    @cached_property
    def interval(self) -> Interval:
        settings, pair = self.settings, self.pair
        if settings.interval is not IntervalMethod.TEST:
            law = self.laws.bootstrap_or_sampled()  # an interval says of itself whether it is exact
            return gain_interval(pair, law, 1 - settings.alpha, settings.interval)
        test = self.test
        interval, own = test_interval(test, pair, self.laws, self.hypotheses, settings.alpha, settings.estimator)
        if len(self.hypotheses) > 1 or not own:
            return interval
        return agreeing(interval, pair.gain, self.hypotheses[0].null_gain, self.runs[0].p_value.value, settings.alpha)

    def histogram(self) -> Histogram:
        law = self.test.gain_law(self.pair, self.laws)
        histogram = gain_histogram(self.pair, law or self.laws.bootstrap_or_sampled(), self.interval)
        if law is None:
            if not self.design.new_levels:
                return histogram
            of = in_a_row([factor.plural for factor in self.design.new_levels])
            return replace(histogram, title=f"{histogram.title} over {self.units.name}s, for these {of}")
        over = crossed_with(self.design)
        return replace(
            histogram, law="t", over=over if over != "runs" else None, title=f"law of the gain over items and {over}"
        )

    @property
    def p_on_new_items(self) -> float:
        """The p-value that the default test has for these levels of crossed factors."""
        assert isinstance(self.pair, Pair)
        pair = replace(self.pair, crossing=None)
        test = default_test([pair], self.hypotheses, self.settings.claim, self.units.name)
        outcomes = [self.laws.outcome(test, pair, question) for question in self.hypotheses]
        return max(p_value(outcome, test.estimator or self.settings.estimator).value for outcome in outcomes)

    def _far_levels(self) -> Sequence[str]:
        crossing = self.pair.crossing
        if crossing is None or not crossing.is_random:
            return ()
        from outscore.gains.variance import far_remarks

        return far_remarks(self.metric, self.systems, crossing)

    @cached_property
    def outcomes(self) -> tuple[int, int, int] | tuple[None, None, None]:
        """How many items the candidate helps, hurts and leaves unchanged (Jansen); None where they have no scores."""
        before, after = (scores() for scores in self.item_scores)
        if before is None or after is None:
            return None, None, None
        up = down = 0
        for at in blocks(len(before)):
            one, other = before[at], after[at]
            tolerance = 1e-12 * np.maximum(np.abs(one), np.abs(other))
            up += int(np.count_nonzero(other - one > tolerance))
            down += int(np.count_nonzero(one - other > tolerance))
        helped, hurt = (up, down) if self.metric.higher_is_better else (down, up)
        return helped, hurt, len(self.systems[0]) - self._n_weightless - helped - hurt

    @property
    def _n_weightless(self) -> int:
        """How many items lie in strata of weight 0."""
        strata = self.design.get(Strata)
        if strata is None or strata.weights is None:
            return 0
        return int(np.isin(strata.codes, [code for code, weight in enumerate(strata.weights) if weight == 0]).sum())

    @cached_property
    def correlation(self) -> float | None:
        one, other = (scores() for scores in self.item_scores)
        return None if one is None or other is None else _correlation(one, other)

    def warnings(self, tests: Sequence[TestResult]) -> Sequence[str]:
        """Return what a reader must know beside the notes on the data."""
        pair, (baseline, candidate) = self.pair, self.systems
        return (
            *filter(None, [self._withheld]),
            *remarks_on(self.metric, baseline, candidate),
            *filter(None, [remark_on_rounding(pair, self.units, self.item_ids)]),
            *filter(None, [self._few_carriers(tests[0])]),
            *_warnings(self.runs, tests, self.interval, pair, self.units, self.settings),
            *(remark for run in self.runs for remark in run.test.remarks(pair)),
            *self._far_levels(),
            *dict.fromkeys(caveat for run in self.runs if (caveat := run.caveat) is not None),
        )

    def _few_carriers(self, first: TestResult) -> str | None:
        """Return a sentence on the few units that carry the variance, and on what would overturn the verdict."""
        if not isinstance(self.test, InfluenceT):
            return None
        if self.pair.clusterings is not None:
            return self._few_clusters()
        few, units = few_carriers(self.pair), self.units
        if few is None:
            return None
        if not few.is_known:
            return f"Without one of the {units.count} {units.name}s there is nothing to score, {NO_VARIANCE}"
        said = few_carry(few.counted(units))
        rejects = first.p_value <= self.settings.alpha and first.alternative is Alternative.TWO_SIDED
        if not rejects or few.worst is None or few.p_with_another is None:
            return said
        name = name_of_unit(units, few.worst, self.item_ids)
        p = state_p(few.p_with_another, self.settings.alpha)
        if few.p_with_another > self.settings.alpha:
            return f"{said} One more unit like {name} would overturn the verdict ({p})."
        return f"{said} With one more unit like {name} the verdict would stay ({p})."

    def _few_clusters(self) -> str | None:
        """Return a sentence on the few clusters of two crossed clusterings that carry the variance over them."""
        from outscore.gains.variance import in_clusters

        found = [(few_carriers(of), of.n_units) for of in in_clusters(self.pair)]
        said = [
            f"{few.count} of {n} clusters {'carries' if few.count == 1 else 'carry'} {few.share:.0%}"
            for few, n in found
            if few is not None
        ]
        if not said:
            return None
        return (
            f"Of the variance of the gain over their clustering, {in_a_row(said)}: with so few, no test can vouch for "
            "its error rate."
        )


class _Run:
    """One test of one pair: the answers to all questions of the claim, of which the worst counts."""

    def __init__(
        self,
        test: SignificanceTest,
        pair: AnyPair,
        laws: PairLaws,
        hypotheses: Sequence[Question],
        settings: Settings,
        units: Units,
        checkers: Sequence[_Checker],
        index: int,
    ) -> None:
        self.test, self.pair, self._settings = test, pair, settings
        answers = [(question, laws.outcome(test, pair, question)) for question in map(test.answered, hypotheses)]
        self.question, self.outcome = max(answers, key=lambda answer: answer[1].probability.value)
        # What the test resamples or swaps, and how many there are.
        self.unit = (units.name, units.count)
        if self.swaps_responses:
            self.unit = (Unit.RESPONSE.value, pair.swapped.n_differing)
        self._checks = partial(_checks, self, checkers, index)

    @property
    def estimator(self) -> Estimator:
        return self.test.estimator or self._settings.estimator

    @cached_property
    def p_value(self) -> PValue:
        return p_value(self.outcome, self.estimator)

    @property
    def sampled(self) -> bool:
        return self.outcome.probability.n_resamples is not None

    @property
    def swaps_responses(self) -> bool:
        return self.test.swaps and self.pair.swapped is not self.pair

    @property
    def caveat(self) -> str | None:
        return _OF_RESPONSES if self.swaps_responses else self.test.caveat_on(self.pair, self._settings.resampling.seed)

    @property
    def _crossed_parts(self) -> Mapping[str, str]:
        """What a signature says of the levels of the two systems."""
        crossing, degrees = self.pair.crossing, self.outcome.degrees
        if crossing is None:
            return {}
        parts = crossing.signature
        return parts if degrees is None else {**parts, "df": f"{degrees:.4g}"}

    @property
    def _computation(self) -> str:
        if self.outcome.asymptotic:
            return "asymptotic"
        return "bound: rarest resample" if self.p_value.is_bound and not self.sampled else self.outcome.computation

    def result(self, adjusted: float, metric: str, drawn: Sequence[str], *, inflation: float | None) -> TestResult:
        """Return what a comparison says of the test."""
        p, probability, (unit, n_units) = self.p_value, self.outcome.probability, self.unit
        return TestResult(
            name=self.test.name,
            title=self.test.titled(*drawn, computation=self._computation),
            alternative=self.question.alternative,
            ties=self.question.ties,
            statistic=self.outcome.statistic,
            df=self.outcome.degrees,
            p_value=p.value,
            adjusted_p_value=adjusted,
            exact=self.outcome.exact,
            computation=self._computation,
            n_resamples=probability.n_resamples,
            n_exceeding=probability.n_exceeding,
            p_value_low=p.low,
            p_value_high=p.high,
            assumes_independence=self.test.assumes_independence,
            inflation=inflation,
            signature=signature(
                self.test,
                self.question,
                probability,
                asymptotic=self.outcome.asymptotic,
                metric=metric,
                n_units=n_units,
                unit=unit,
                seed=self._settings.resampling.seed,
                estimator=self.estimator,
                further={**self._settings.design.parts, **self._crossed_parts},
            ),
            checks=self._checks(),
            emulates=self.test.emulates,
            unit=unit,
            n_units=n_units,
            distribution=(self.outcome.computation or None) if self.outcome.asymptotic else None,
        )


def _applicable(
    settings: Settings, pairs: Sequence[AnyPair], hypotheses: Sequence[Question], units: Units
) -> tuple[list[SignificanceTest], list[LeftOut]]:
    chosen: list[SignificanceTest] = []
    left_out: list[LeftOut] = []
    crossed = settings.design.sampled | {factor.name for factor in settings.design.axes}
    if settings.design.against is not None:
        crossed |= {Constant.name}
    for test in _tests_of(settings, pairs, hypotheses, units):
        obstacles = [
            obstacle for pair in pairs for question in hypotheses if (obstacle := test.obstacle(pair, question))
        ]
        if settings.unit is not Unit.ITEM and "cluster" not in test.samples:
            obstacles.append(SINGLE_ITEMS)
        obstacles += settings.design.undrawn(test.samples)
        if not obstacles:
            chosen.append(test)
        elif settings.skip_inapplicable and test.requires and not test.requires & crossed:
            continue  # nobody misses it
        elif settings.skip_inapplicable:
            left_out.append(LeftOut(test.name, obstacles[0]))
        else:
            raise NotApplicableError(
                Problem(opt("tests", test.name), f"it {obstacles[0]}", "Name another test, or all.", "not-applicable")
            )
    return chosen, left_out


def _tests_of(
    settings: Settings, pairs: Sequence[AnyPair], hypotheses: Sequence[Question], units: Units
) -> Sequence[SignificanceTest]:
    """Return the tests, the default one by its own name, with the paired bootstrap beside it, as papers cite it."""
    first, *others = settings.tests
    if not isinstance(first, Auto):
        return settings.tests
    first = default_test(pairs, hypotheses, settings.claim, units.name)
    plain = settings.claim is Claim.BETTER and settings.design.sampled <= Bootstrap.samples
    if plain and units.name != "task" and not others:
        others = [Bootstrap()]
    return [first, *(test for test in others if test != first)]


class _Checker:
    """Another way of computing the resampling tests (Yeh 2000, section 3.3: a second set of shuffles)."""

    def __init__(self, pairs: Sequence[AnyPair], settings: Settings, resampling: Resampling) -> None:
        self._laws = GainLaws(pairs, resampling, settings.null_gains)
        self._settings = settings
        self._resampling = resampling

    def applies(self, run: _Run, index: int) -> bool:
        if not run.test.resamples:
            return False
        if self._resampling.method is Method.MONTE_CARLO:
            return not (run.sampled and self._resampling.seed == self._settings.resampling.seed)
        if not run.sampled or run.test.emulates is not None:  # an emulated test is sampled whatever the method
            return False
        try:
            self._outcome(run, index)
        except NotApplicableError:
            return False
        return True

    def _outcome(self, run: _Run, index: int) -> Outcome:
        return run.test.outcome(run.pair, PairLaws(self._laws, index), run.question)

    def check(self, run: _Run, index: int) -> Check:
        outcome = self._outcome(run, index)
        p = p_value(outcome, run.estimator)
        probability = outcome.probability
        return Check(
            computation=outcome.computation,
            seed=None if probability.n_resamples is None else self._resampling.seed,
            p_value=p.value,
            p_value_low=p.low,
            p_value_high=p.high,
            n_resamples=probability.n_resamples,
            n_exceeding=probability.n_exceeding,
            agrees=_agree(probability, run.outcome.probability),
        )


def _checks(run: _Run, checkers: Sequence[_Checker], index: int) -> tuple[Check, ...]:
    return tuple(checker.check(run, index) for checker in checkers if checker.applies(run, index))


def _checkers(pairs: Sequence[AnyPair], settings: Settings) -> list[_Checker]:
    """Return the other ways to compute tests of these pairs, if a double check is asked for."""
    if not settings.double_check:
        return []
    first = settings.resampling
    second = int(np.random.SeedSequence(first.seed, spawn_key=(3,)).generate_state(1)[0])
    ways = [
        replace(first, method=Method.MONTE_CARLO),
        replace(first, method=Method.MONTE_CARLO, seed=second),
        replace(first, method=Method.EXACT),
    ]
    return [_Checker(pairs, settings, way) for way in ways]


def _agree(one: Probability, other: Probability) -> bool:
    """Say whether two computations of one probability are compatible, at a level of 0.1%."""
    if one.n_resamples is None:
        one, other = other, one
    if one.n_resamples is None or one.n_exceeding is None:
        return abs(one.value - other.value) <= one.error + other.error + 1e-9
    if other.n_resamples is None or other.n_exceeding is None:
        low, high = clopper_pearson(one.n_exceeding, one.n_resamples, 0.999)
        return low - other.error <= other.value <= high + other.error
    pooled = (one.n_exceeding + other.n_exceeding) / (one.n_resamples + other.n_resamples)
    variance = pooled * (1 - pooled) * (1 / one.n_resamples + 1 / other.n_resamples)
    return abs(one.value - other.value) <= 3.2905 * math.sqrt(variance)


def _correlation(one: FloatArray, other: FloatArray) -> float | None:
    """Return r12 of the items' own scores, or None where one of the systems' scores are all equal."""
    ends = [float(end) for of in (one, other) for end in (of.min(), of.max())]
    if not all(map(math.isfinite, ends)):
        return None
    means = one.mean(), other.mean()
    moments = np.zeros(3)
    for at in blocks(len(one)):
        a, b = one[at] - means[0], other[at] - means[1]
        moments += [a @ a, b @ b, a @ b]
    squares, other_squares, products = moments.tolist()
    scale = math.sqrt(squares * other_squares)
    largest = [max(-low, high, 1e-300) for low, high in (ends[:2], ends[2:])]
    floor = 1e-24 * len(one) * largest[0] * largest[1]
    return min(max(products / scale, -1.0), 1.0) if scale > floor else None


def inflation(r12: float | None) -> float | None:
    """Return 1/√(1 − r12): by how much independence overstates the gain's standard deviation (Yeh, section 2.1)."""
    return None if r12 is None or r12 >= 1 - 1e-12 else 1 / math.sqrt(1 - r12)


def remarks_on(metric: AnyMetric, *systems: Rows) -> Sequence[str]:
    """Return what is to be said of how the test set is scored, then of the systems' scores, each with its name."""
    described = metric.described
    of_set = described.origin.remarks if isinstance(described, AnyOutputMetric) else ()
    return [
        *of_set,
        *(
            f"{system.name}: {remark}"
            for system in systems
            for remark in (*system.remarks, *metric.remarks(system.values))
        ),
    ]


def _warnings(
    runs: Sequence[_Run],
    tests: Sequence[TestResult],
    interval: Interval,
    pair: AnyPair,
    units: Units,
    settings: Settings,
) -> Sequence[str]:
    warnings = []
    bounds = [
        test.name
        for test, run in zip(tests, runs, strict=True)
        if run.p_value.is_bound and test.exact and test.p_value > _NEGLIGIBLE_BOUND
    ]
    if bounds:
        warnings.append(
            f"No resample reaches the threshold of {', '.join(bounds)}: the p-value given is a bound, the probability "
            "of the rarest resample."
        )
    for test in tests:
        factor = test.adjusted_p_value / test.p_value  # of Holm's correction
        close = test.p_value_low * factor <= settings.alpha <= test.p_value_high * factor
        if test.n_resamples is not None and test.emulates is None and close:
            warnings.append(
                f"The sampled p-value of {test.name} is too close to {settings.alpha:g} to call: its interval holds "
                f"{settings.alpha:g}. Raise {opt('n_resamples')}."
            )
        warnings.extend(
            f"The double check of {test.name} disagrees: {check.p_value:g} against {test.p_value:g}."
            for check in test.checks
            if not check.agrees
        )
    factors = settings.design.new_levels
    of_margin = None if settings.margin is None else margin_warning([run.test for run in runs], factors)
    warnings.extend(
        _doubts(runs[0].test, tests[0], interval, pair, units, settings) if of_margin is None else [of_margin]
    )
    if interval.low == interval.high:
        warnings.append(f"All resamples give the same gain: resampling {units.name}s sees no spread at all.")
    return warnings


def _doubts(
    test: SignificanceTest, first: TestResult, interval: Interval, pair: AnyPair, units: Units, settings: Settings
) -> Iterator[str]:
    """Yield where the test of the verdict, if a user named it, and its interval are known to be wrong."""
    effective = effective_units(pair.sizes)
    unsure = test.unsure_of_few and units.name != "task"
    if unsure and effective < enough_units(settings.alpha):
        worth = "" if effective > 0.8 * units.count else f", worth {effective:.3g} of equal size,"
        yield (
            f"With {units.count} {units.name}s{worth} {first.name} rejects true nulls too often. Leave "
            f"{opt('tests')} out for the default test, which keeps its level better."
        )
    elif unsure and 0 < pair.n_differing < ENOUGH_DIFFERING:
        yield (
            f"The systems differ on {format_counted(pair.n_differing, units.name)} only, and with so few {first.name} "
            f"rejects true nulls too often. Leave {opt('tests')} out for the default test, which keeps its level "
            "better."
        )
    rejected = first.p_value <= settings.alpha
    if settings.claim is Claim.BETTER and rejected == interval.holds(0.0):
        inside, said = ("holds", "rejects it") if rejected else ("leaves out", "does not reject it")
        yield (
            f"The interval {inside} a gain of 0, and {first.name} {said}: the interval is not the test's own "
            f"({interval_title(interval)})."
        )
