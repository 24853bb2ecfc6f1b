"""Candidates against a baseline: every test, interval and verdict of one comparison."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from outscore._dataclasses import dataclass
from outscore._types import FloatArray
from outscore._version import __version__
from outscore.blocks import blocks
from outscore.coercion import score_gain
from outscore.design import Design, Units
from outscore.errors import NotApplicableError, OptionError, Problem
from outscore.laws import Probability, clopper_pearson
from outscore.metrics import AnyMetric
from outscore.metrics.base import AnyOutputMetric, RecomputedMetric
from outscore.metrics.options import describe_metric
from outscore.numbers import format_count, format_counted
from outscore.reducers import sampling_share
from outscore.results import (
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
    MissingScores,
    RunComponents,
    RunsAnalysis,
    RunSd,
    TemplatesAnalysis,
    TestResult,
    Unit,
    Verdict,
    interval_title,
)
from outscore.results.shown import computed, deferred
from outscore.rows import Rows, RunDesign
from outscore.scores import Scores
from outscore.significance.auto import Auto, Choice, choose
from outscore.significance.base import Outcome, PairLaws, Question, SignificanceTest
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.canonical import in_canonical_order
from outscore.significance.claims import margin_warning, questions, taken, verdict
from outscore.significance.corrections import holm
from outscore.significance.gain_laws import GainLaws, Resampling
from outscore.significance.influence import ENOUGH_DIFFERING, effective_units, enough_units, influence_of
from outscore.significance.intervals import agreeing, gain_histogram, gain_interval
from outscore.significance.p_values import PValue, p_value, sd_factors
from outscore.significance.pair import AnyPair
from outscore.significance.pairing import pair_of, refuse_hidden, remark_on_rounding, runs_of
from outscore.significance.settings import Settings
from outscore.significance.signatures import signature

if TYPE_CHECKING:
    from outscore.significance.crossed import GainVariance

__all__ = ["averages", "compare_scores", "inflation", "remarks_on"]

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
    settings = settings.on_design(design, [match.pair.runs for match in matches if match.pair.runs is not None])
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
    score_gain(settings.margin, "--margin", metric=metric.name, is_share=metric.as_percentage)
    if metric.score_range is not None:
        low, high = metric.score_range
        if settings.margin >= high - low:
            what = f"expected less than {high - low:g}, the range of {metric.name}, got {settings.margin:g}"
            raise OptionError(Problem("--margin", what, "No candidate could be worse by as much.", "bad-margin"))


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
    units = design.units if design.two_way is None else Units(design.n_items, given=design.given)
    runs = runs_of(metric, [baseline, candidate], units, design)
    pair = pair_of(metric, baseline, candidate, units, runs=runs, two_way=design.two_way)
    refuse_hidden(pair, units, ids)
    return _Match((baseline, candidate), design, units, pair, ids)


def _contests(metric: AnyMetric, matches: Sequence[_Match], settings: Settings) -> list[_Contest]:
    """Return what is asked of each candidate: the same tests of all, but for the default's choice."""
    pairs, units = [match.pair for match in matches], matches[0].units
    hypotheses = questions(settings.claim, settings.alternative, settings.margin, settings.ties)
    chosen, left_out = _applicable(settings, pairs, hypotheses, units)
    by_response = settings.unit is Unit.RESPONSE
    # The verdict is the item's: tests that swap responses stand beside it.
    of_items = [test for test in chosen if not (by_response and test.swaps)] or chosen[:1]
    laws = _laws(pairs, settings)
    choices = [
        _choice(of_items[0], pair, own, hypotheses[0], settings, units) for pair, own in zip(pairs, laws, strict=True)
    ]
    others = [test for test in of_items[1:] if any(choice.test != test for choice in choices)]
    checkers = _checkers(pairs, settings)
    runs = [
        [_Run(test, pair, laws[i], hypotheses, settings, units, checkers, i) for test in (choices[i].test, *others)]
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
        _Contest(
            metric,
            match.systems,
            tuple(cache(partial(metric.item_scores, system.values)) for system in match.systems),
            pairs[i],
            laws[i],
            hypotheses,
            settings,
            match.units,
            choices[i],
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


def _choice(
    test: SignificanceTest, pair: AnyPair, laws: PairLaws, question: Question, settings: Settings, units: Units
) -> Choice:
    """Return the test that gives the verdict."""
    if not isinstance(test, Auto):
        return Choice(test, None, (test,))
    return choose(pair, laws, question, unit=units.name, alpha=settings.alpha, estimator=settings.estimator)


@dataclass(frozen=True)
class _Contest:
    """One candidate against the baseline: its tests, and all that a comparison says of it, each computed once."""

    metric: AnyMetric
    systems: tuple[Rows, Rows]
    item_scores: tuple[Callable[[], FloatArray | None], ...]
    pair: AnyPair
    laws: PairLaws
    hypotheses: Sequence[Question]
    settings: Settings
    units: Units
    choice: Choice
    runs: Sequence[_Run]
    left_out: Sequence[LeftOut]
    n_candidates: int
    design: Design
    item_ids: Sequence[str] | None  # in the order given

    def comparison(self, adjusted: Sequence[float], notes: Sequence[str]) -> Comparison:
        """Return the comparison, given the p-values after Holm's correction."""
        settings, pair, (baseline, candidate) = self.settings, self.pair, self.systems
        description = describe_metric(self.metric)
        tests = tuple(
            run.result(
                p,
                description.spec,
                reason=self.choice.reason if j == 0 else None,
                inflation=inflation(self.correlation) if run.test.assumes_independence else None,
            )
            for j, (run, p) in enumerate(zip(self.runs, adjusted, strict=True))
        )
        return Comparison(
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
            runs=deferred(self.runs_analysis),
            components=deferred(self.components),
            run_sd=deferred(self.run_sd),
            tipping_run_sd=deferred(self.tipping_run_sd),
            sampling_share=deferred(self.sampling_share),
            against=self.design.against,
            templates=deferred(self.templates),
            missing=self.missing(),
            over=averages(self.design, self.systems),
        )

    def _verdict(self, first: TestResult) -> Verdict:
        if self.runs[0].test.withheld(self.pair) is not None:
            return Verdict.INCONCLUSIVE
        alpha = self.settings.alpha
        return verdict(self.settings.claim, first.alternative, first.adjusted_p_value, self.pair.gain, alpha)

    @cached_property
    def interval(self) -> Interval:
        settings, pair = self.settings, self.pair
        if settings.interval is not IntervalMethod.TEST:
            law = self.laws.bootstrap_or_sampled()  # an interval says of itself whether it is exact
            return gain_interval(pair, law, 1 - settings.alpha, settings.interval)
        interval, own = self.choice.interval(pair, self.laws, self.hypotheses, settings.alpha, settings.estimator)
        if len(self.hypotheses) > 1 or not own:
            return interval
        return agreeing(interval, pair.gain, self.hypotheses[0].null_gain, self.runs[0].p_value.value, settings.alpha)

    def histogram(self) -> Histogram:
        law = self.runs[0].test.gain_law(self.pair, self.laws)
        histogram = gain_histogram(self.pair, law or self.laws.bootstrap_or_sampled(), self.interval)
        return histogram if law is None else replace(histogram, law="t", over=self._drawn)

    @property
    def _drawn(self) -> str | None:
        """What the test over items draws as well, where that is not runs alone."""
        factors = self.design.factors
        if self.design.two_way is not None:
            return "clusters"
        return " and ".join(f"{name}s" for name in reversed(factors)) if "template" in factors else None

    @property
    def _variance(self) -> GainVariance | None:
        """What items and runs add to the variance of the gain, where the systems have several runs."""
        pair = self.pair
        return None if pair.runs is None else self.laws.gain_variance(pair)

    def runs_analysis(self) -> RunsAnalysis | None:
        """Return what there is to know of the systems' runs; None where they have none."""
        design, pair, variance = self.design, self.pair, self._variance
        if design.runs is None:
            return None
        if variance is None or pair.runs is None or "run" not in design.factors:
            of = [system.runs for system in self.systems]
            counts = [1 if one is None else len(one.averaged or one.names) for one in of]
            return RunsAnalysis(design.runs, (counts[0], counts[1]))
        random = design.claims_other_runs
        m = [factor.n_runs for factor in variance.factors]
        now = variance.anew(variance.n_units, m)
        more_runs = more_items = None
        if random and now > 0 and min(pair.runs.n_runs) > 1:
            added = [factor.n_runs + (factor.kind == "run") for factor in variance.factors]
            more_runs = 1 - math.sqrt(variance.anew(variance.n_units, added) / now)
            more_items = 1 - math.sqrt(variance.anew(1.1 * variance.n_units, m) / now)
        return RunsAnalysis(
            design.runs,
            (pair.runs.n_runs[0], pair.runs.n_runs[1]),
            pair.runs.paired,
            tuple(variance.run_scores[0].tolist()),
            tuple(variance.run_scores[1].tolist()),
            self._fixed_p_value,
            more_runs,
            more_items,
            variance.share_won,
        )

    @property
    def _fixed_p_value(self) -> float | None:
        """What these very runs and templates tell, where something is claimed of others."""
        if not self.design.claims_other_runs:
            return None
        outcome = self.laws.outcome(Bootstrap(), self.pair, self.runs[0].question)
        return p_value(outcome, self.settings.estimator).value

    def templates(self) -> TemplatesAnalysis | None:
        """Return what there is to know of templates; None where items have one."""
        design, variance, runs = self.design, self._variance, self.systems[0].runs
        if design.templates is None or variance is None or runs is None:
            return None
        if design.factors == ("run",):  # averaged
            return TemplatesAnalysis(design.templates, runs.averaged)
        alone = design.factors == ("template",)
        scores = [tuple(of.tolist()) for of in (variance.run_scores if alone else variance.template_scores)]
        fixed = self._fixed_p_value if alone else None
        return TemplatesAnalysis(design.templates, runs.names if alone else runs.templates, scores[0], scores[1], fixed)

    def missing(self) -> MissingScores | None:
        one, other = (system.missing for system in self.systems)
        if one is None or other is None:
            return None
        return MissingScores(one.count, other.count, one.cells, other.cells, one.treated)

    def components(self) -> RunComponents | None:
        variance = self._variance
        if variance is None or not self.design.claims_other_runs:
            return None
        from outscore.significance.crossed import CrossedT

        items, runs, interaction = variance.components
        of_templates, test = variance.of_templates, self.runs[0].test
        runs -= of_templates
        if isinstance(test, CrossedT) and test.run_sd is not None:
            # What is lent stands for the runs, and one run tells nothing of interaction, which items hold.
            items, interaction = variance.items, 0.0
            runs = test.error(self.pair, self.laws)[0] ** 2 - items - of_templates
        whole = math.fsum((items, runs, interaction, of_templates))
        if whole == 0:
            return None
        templates = of_templates / whole if "template" in self.design.factors else None
        return RunComponents(items / whole, max(runs, 0.0) / whole, interaction / whole, templates)

    def run_sd(self) -> RunSd | None:
        variance = self._variance
        if variance is None or "run" not in self.design.factors or all(len(of) < 2 for of in variance.run_scores):
            return None
        estimate, degrees = variance.run_sd
        low, high = sd_factors(degrees, 0.05)
        return RunSd(estimate, estimate * low, estimate * high)

    def tipping_run_sd(self) -> float | None:
        """Return by how much runs may vary before the gain of these is no longer significant."""
        variance = self._variance
        if variance is None or self.pair.runs is None or self.design.factors != ("run",):
            return None
        if self.design.claims_other_runs:
            return None
        from outscore.significance.crossed import tipping_run_sd

        return tipping_run_sd(variance, self.pair.gain, self.settings.alpha, self.pair.runs.n_drawn)

    def sampling_share(self) -> float | None:
        """Return the share of the gain's variance that sampling answers anew would change."""
        within = [system.sampling_variance for system in self.systems if system.sampling_variance is not None]
        if len(within) < 2 or self.pair.linear is None or self.design.weights is not None:
            return None
        variance = influence_of(self.pair).variance
        return sampling_share(variance, *within)

    def _far_runs(self) -> Sequence[str]:
        variance = self._variance
        if variance is None or self.design.runs is not RunDesign.RANDOM:
            return ()
        from outscore.significance.crossed import far_run_remarks

        return far_run_remarks(self.metric, self.systems, variance)

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
        return helped, hurt, len(self.systems[0]) - helped - hurt

    @cached_property
    def correlation(self) -> float | None:
        one, other = (scores() for scores in self.item_scores)
        return None if one is None or other is None else _correlation(one, other)

    def warnings(self, tests: Sequence[TestResult]) -> Sequence[str]:
        """Return what a reader must know beside the notes on the data."""
        pair, (baseline, candidate) = self.pair, self.systems
        withheld = self.runs[0].test.withheld(pair)
        return (
            *filter(None, [withheld]),
            *remarks_on(self.metric, baseline, candidate),
            *filter(None, [remark_on_rounding(pair, self.units, self.item_ids)]),
            *_warnings(self.runs, tests, self.interval, pair, self.units, self.settings),
            *(remark for run in self.runs for remark in run.test.remarks(pair)),
            *self._far_runs(),
            *dict.fromkeys(caveat for run in self.runs if (caveat := run.caveat) is not None),
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
    def _run_parts(self) -> Mapping[str, str]:
        """What a signature says of the runs of the two systems."""
        runs, degrees = self.pair.runs, self.outcome.degrees
        if runs is None:
            return {}
        parts = {"m": ",".join(map(str, runs.n_runs)), "paired": "yes" if runs.paired else "no"}
        if runs.kind == "template":
            parts = {"T": str(runs.n_runs[0])}
        elif runs.n_templates > 1:
            parts["T"] = str(runs.n_templates)
        return parts if degrees is None else {**parts, "df": f"{degrees:.4g}"}

    @property
    def _computation(self) -> str:
        if self.outcome.asymptotic:
            return "asymptotic"
        return "bound: rarest resample" if self.p_value.is_bound and not self.sampled else self.outcome.computation

    def result(self, adjusted: float, metric: str, *, reason: str | None, inflation: float | None) -> TestResult:
        """Return what a comparison says of the test."""
        p, probability, (unit, n_units) = self.p_value, self.outcome.probability, self.unit
        return TestResult(
            name=self.test.name,
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
                further={**self._settings.design_parts, **self._run_parts},
            ),
            checks=self._checks(),
            emulates=self.test.emulates,
            unit=unit,
            n_units=n_units,
            reason=reason,
            distribution=(self.outcome.computation or None) if self.outcome.asymptotic else None,
        )


def _applicable(
    settings: Settings, pairs: Sequence[AnyPair], hypotheses: Sequence[Question], units: Units
) -> tuple[list[SignificanceTest], list[LeftOut]]:
    chosen: list[SignificanceTest] = []
    left_out: list[LeftOut] = []
    for test in (taken(test, settings.claim) for test in settings.tests):
        obstacles = [
            obstacle for pair in pairs for question in hypotheses if (obstacle := test.obstacle(pair, question))
        ]
        if isinstance(test, Auto) and not chosen:
            obstacles = []
        if test.of_items_alone and (units.clusters is not None or settings.unit is not Unit.ITEM):
            obstacles.append("resamples and swaps single items, and knows no other units")
        if settings.claims_other_runs and not test.of_runs:
            obstacles.append("takes these runs as they are, and says nothing of others: see --runs fixed")
        if settings.two_way and not test.two_way:
            obstacles.append("knows one clustering: of items in two that cross there is two-way-t")
        if not obstacles:
            chosen.append(test)
        elif settings.skip_inapplicable and test.of_runs and all(pair.runs is None for pair in pairs):
            continue  # of systems without runs nobody misses it
        elif settings.skip_inapplicable and test.two_way:
            continue  # of one clustering neither
        elif settings.skip_inapplicable:
            left_out.append(LeftOut(test.name, obstacles[0]))
        else:
            raise NotApplicableError(
                Problem(f"--test {test.name}", f"it {obstacles[0]}", "Name another test, or all.", "not-applicable")
            )
    return chosen, left_out


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


def averages(design: Design, systems: Sequence[Rows]) -> str | None:
    """Return of what the scores of systems are means, or how their samples were reduced."""
    over = []
    of_runs = [system.runs for system in systems if system.runs is not None]
    counts = sorted({len(of.averaged if design.factors == ("template",) and of.averaged else of) for of in of_runs})
    if design.runs is not None and counts:
        m = " or ".join(map(format_count, counts)) if len(counts) < 3 else f"{counts[0]} to {counts[-1]}"
        several = "" if counts == [1] else "s"
        if design.runs is RunDesign.SAMPLES:
            lacking = any(system.runs is not None and system.runs.lacking.any() for system in systems)
            how = f"{design.reducer} of" if design.reducer not in (None, "mean") else "means over"
            over.append(f"{how} {'up to ' if lacking else ''}{m} sample{several} an item")
        else:
            over.append(f"means over {m} run{several}{' each' if len(systems) > 1 and len(counts) == 1 else ''}")
    if design.templates is not None and of_runs:
        first = of_runs[0]
        alone = design.factors == ("template",)
        names = first.names if alone else first.averaged if design.factors == ("run",) else first.templates
        by_runs = bool(over) and design.runs is not RunDesign.SAMPLES
        over[-1:] = [*over[-1:], f"means over {len(names)} templates"]
        over = [" and ".join([over[0], over[1].removeprefix("means over ")])] if by_runs else over
    if design.weights is not None:
        kind = "macro" if len(set(design.weights)) == 1 else "weighted"
        over.append(f"{kind} average of {format_count(len(design.weights))} {design.strata_are}")
    return ", ".join(over) or None


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
                f"{settings.alpha:g}. Raise --n-resamples."
            )
        warnings.extend(
            f"The double check of {test.name} disagrees: {check.p_value:g} against {test.p_value:g}."
            for check in test.checks
            if not check.agrees
        )
    of_margin = None if settings.margin is None else margin_warning([run.test for run in runs])
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
    if first.reason is not None:
        yield first.reason[0].upper() + first.reason[1:]
    effective = effective_units(pair.sizes)
    unsure = test.unsure_of_few and not isinstance(settings.tests[0], Auto) and units.name != "task"
    if unsure and effective < enough_units(settings.alpha):
        worth = "" if effective > 0.8 * units.count else f", worth {effective:.3g} of equal size,"
        yield (
            f"With {units.count} {units.name}s{worth} {first.name} rejects true nulls too often; leave --test out, and "
            "what holds there is taken."
        )
    elif unsure and 0 < pair.n_differing < ENOUGH_DIFFERING:
        yield (
            f"The systems differ on {format_counted(pair.n_differing, units.name)} only, and with so few {first.name} "
            "rejects true nulls too often; leave --test out, and what holds there is taken."
        )
    rejected = first.p_value <= settings.alpha
    if settings.claim is Claim.BETTER and rejected == interval.holds(0.0):
        inside, said = ("holds", "rejects it") if rejected else ("leaves out", "does not reject it")
        yield (
            f"The interval {inside} a gain of 0, and {first.name} {said}: the interval is not the test's own "
            f"({interval_title(interval)})."
        )
