"""Candidates against a baseline: every test, interval and verdict of one comparison."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from outscore._types import AnyArray
from outscore._version import __version__
from outscore.design import Units
from outscore.errors import NotApplicableError, OptionError, Problem
from outscore.given import score_gain
from outscore.laws import Probability
from outscore.metrics import AnyMetric
from outscore.metrics.base import AnyOutputMetric
from outscore.metrics.specs import describe_metric
from outscore.numbers import format_counted
from outscore.results import (
    Alternative,
    Check,
    Claim,
    Comparison,
    ComparisonResult,
    Estimator,
    Interval,
    IntervalMethod,
    LeftOut,
    Method,
    TestResult,
    Ties,
    Unit,
    interval_title,
)
from outscore.rows import Rows
from outscore.significance.auto import Auto, Choice, choose
from outscore.significance.base import Outcome, PairLaws, Question, SignificanceTest
from outscore.significance.claims import margin_warning, questions, taken, verdict
from outscore.significance.corrections import holm
from outscore.significance.gain_laws import GainLaws, Resampling
from outscore.significance.influence import effective_units, enough_units
from outscore.significance.intervals import agreeing, gain_histogram, gain_interval, test_interval
from outscore.significance.p_values import PValue, clopper_pearson, p_value
from outscore.significance.pair import AnyPair
from outscore.significance.pairing import pair_of, remark_on_rounding
from outscore.significance.signatures import signature

__all__ = ["Settings", "compare_rows", "remarks_on"]

_FEW_DIFFERING = 10
_UNSURE_OF_FEW = ("bootstrap", "bootstrap-uncentred", "paired-t")
_NEGLIGIBLE_BOUND = 1e-12  # bounds below this are shown as such, "< 1e-12", anyway
_MOST_RESAMPLES = 10**8
_OF_RESPONSES = (
    "Responses of one item depend on each other, and a test that swaps them one by one takes them to be independent: "
    "with 12 spans a sentence, as hard as their sentence is, it rejects 46.3% of true nulls where 5% is meant, and "
    "swaps of whole items 3.7%. The verdict is that of the items."
)
_LARGEST_MARGIN = 1e100  # as for scores: their squares are numbers, too


@dataclass(frozen=True)
class Settings:
    """Everything that is asked of a comparison.

    Attributes
    ----------
    tests : sequence of SignificanceTest
        The first one gives the verdict.
    skip_inapplicable : bool
        Leave out tests that do not apply, saying so, instead of raising.
    resampling : Resampling
    alternative, ties, estimator, claim, interval : enumerations
    margin : float, optional
        Positive, in the unit of the score; for the claims that need one.
    alpha : float
        In (0, 1); the confidence level of intervals is 1 − alpha.
    double_check : bool
        Compute resampling tests a second time, another way.
    unit : Unit
        What randomization swaps.
    """

    tests: Sequence[SignificanceTest] = field(default_factory=lambda: (Auto(),))
    skip_inapplicable: bool = False
    resampling: Resampling = field(default_factory=Resampling)
    alternative: Alternative = Alternative.TWO_SIDED
    ties: Ties = Ties.COUNT
    estimator: Estimator = Estimator.ADD_ONE
    claim: Claim = Claim.BETTER
    margin: float | None = None
    alpha: float = 0.05
    interval: IntervalMethod = IntervalMethod.TEST
    double_check: bool = False
    unit: Unit = Unit.ITEM

    @property
    def null_gains(self) -> Sequence[float]:
        """The null values of the gain that the claim can ask about."""
        return (0.0,) if self.margin is None else (-self.margin, self.margin)

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise OptionError(
                Problem("--alpha", f"expected a number between 0 and 1, got {self.alpha:g}", "", "out-of-range")
            )
        r = self.resampling.n_resamples
        if not 1 <= r <= _MOST_RESAMPLES:
            raise OptionError(
                Problem("--n-resamples", f"expected a whole number from 1 to 10^8, got {r}", "", "out-of-range")
            )
        if self.resampling.seed < 0:
            raise OptionError(Problem("--seed", f"expected 0 or more, got {self.resampling.seed}", "", "out-of-range"))
        if self.claim is not Claim.BETTER and self.alternative is not Alternative.TWO_SIDED:
            raise OptionError(
                Problem(
                    "--alternative",
                    f'the claim "{self.claim}" has its own alternative',
                    "Leave the option out.",
                    "alternative-with-claim",
                )
            )
        if self.claim is Claim.BETTER:
            if self.margin is not None:
                raise OptionError(
                    Problem(
                        "--margin",
                        'the claim "better" has no margin',
                        "Use --claim not-worse or --claim equivalent.",
                        "margin-without-claim",
                    )
                )
        elif self.margin is None or not 1 / _LARGEST_MARGIN <= self.margin <= _LARGEST_MARGIN:
            got = "none" if self.margin is None else f"{self.margin:g}"
            between = " between 1e-100 and 1e100" if self.margin is not None and self.margin > 0 else ""
            raise OptionError(
                Problem(
                    "--margin",
                    f'the claim "{self.claim}" needs a positive margin{between}, got {got}',
                    "Give the largest loss that would not matter, in the unit of the score.",
                    "bad-margin",
                )
            )
        if self.unit is Unit.RESPONSE and not any(test.swaps for test in self.tests):
            raise OptionError(
                Problem(
                    "--unit response",
                    "none of the tests swaps responses",
                    "Add --test randomization.",
                    "unit-without-swaps",
                )
            )
        if not self.tests:
            raise OptionError(Problem("--test", "expected at least one test", "", "no-test"))
        first = self.tests[0]
        if first.emulates is not None:
            what = f"{first.name} reproduces a formula of {first.emulates} that misleads, and cannot give the verdict"
            advice = f"Name a sound test before it, as in --test bootstrap,{first.name}."
            raise OptionError(Problem(f"--test {first.name}", what, advice, "emulation-first"))


def compare_rows(
    metric: AnyMetric,
    baseline: Rows,
    candidates: Sequence[Rows],
    settings: Settings,
    *,
    clusters: AnyArray | None = None,
    strata: AnyArray | None = None,
    notes: Sequence[str] = (),
) -> ComparisonResult:
    """Compare candidates with a baseline on rows that are aligned item by item.

    Parameters
    ----------
    metric : AnyMetric
    baseline : Rows
        Shape (n, k), checked by the metric.
    candidates : sequence of Rows
        At least one, each of the baseline's shape.
    settings : Settings
    clusters, strata : ndarray of int, shape (n,), optional
        Codes. Rows are summed cluster by cluster, and the clusters are what is resampled and swapped.
    notes : sequence of str
        What the caller has to say about the data; they go before the warnings.

    Raises
    ------
    DataError
        Fewer than two clusters, or a cluster in more than one stratum.
    NotApplicableError
        A test that was asked for by name and does not fit, or no exact law where one was demanded.
    """
    units = Units(len(baseline), clusters, strata)
    pairs = [pair_of(metric, baseline, candidate, units) for candidate in candidates]
    laws = GainLaws(pairs, settings.resampling, settings.null_gains)
    asked = questions(settings.claim, settings.alternative, settings.margin, settings.ties)
    if settings.margin is not None:
        score_gain(settings.margin, "--margin", metric=metric.name, is_share=metric.as_percentage)
    if metric.score_range is not None and settings.margin is not None:
        low, high = metric.score_range
        if settings.margin >= high - low:
            what = f"expected less than {high - low:g}, the range of {metric.name}, got {settings.margin:g}"
            raise OptionError(Problem("--margin", what, "No candidate could be worse by as much.", "bad-margin"))
    chosen, left_out = _applicable(settings, pairs, asked, units)
    by_response = settings.unit is Unit.RESPONSE
    # The verdict is the item's: tests that swap responses stand beside it.
    of_items = [test for test in chosen if not (by_response and test.swaps)] or chosen[:1]
    choices = [
        _first_test(of_items[0], pair, PairLaws(laws, i), asked, settings, units) for i, pair in enumerate(pairs)
    ]
    others = [test for test in of_items[1:] if any(choice.test != test for choice in choices)]
    runs = [
        [_Run(test, pair, PairLaws(laws, i), asked, units) for test in (choices[i].test, *others)]
        for i, pair in enumerate(pairs)
    ]
    double_checks = _checkers(pairs, settings) if settings.double_check else []
    checkers = [double_checks for _ in (None, *others)]
    if by_response:
        swapped = [pair_of(metric, baseline, candidate, units, settings.unit) for candidate in candidates]
        swaps = GainLaws(swapped, settings.resampling, settings.null_gains)
        swapping = [test for test in chosen if test.swaps]
        for i, pair in enumerate(swapped):
            runs[i] += [_Run(test, pair, PairLaws(swaps, i), asked, units) for test in swapping]
        double_checks = _checkers(swapped, settings) if settings.double_check else []
        checkers += [double_checks for _ in swapping]
    p_values = [[run.p_value(settings.estimator) for run in of_pair] for of_pair in runs]
    adjusted = []
    for j, run in enumerate(runs[0]):
        plain = [of_pair[j].value for of_pair in p_values]
        # The tools whose formulas are emulated correct nothing for there being several candidates.
        adjusted.append(holm(plain) if run.test.emulates is None else plain)
    description = describe_metric(metric)
    r12 = [_correlation(metric, baseline.values, candidate.values) for candidate in candidates]

    comparisons = []
    for i, (pair, candidate) in enumerate(zip(pairs, candidates, strict=True)):
        tests = tuple(
            TestResult(
                name=run.test.name,
                alternative=run.worst.question.alternative,
                ties=run.worst.question.ties,
                statistic=run.worst.outcome.statistic,
                p_value=p.value,
                adjusted_p_value=adjusted[j][i],
                exact=not run.sampled,
                computation=run.computation(p),
                n_resamples=run.worst.outcome.probability.n_resamples,
                n_exceeding=run.worst.outcome.probability.n_exceeding,
                p_value_low=p.low,
                p_value_high=p.high,
                assumes_independence=run.test.assumes_independence,
                inflation=inflation(r12[i]) if run.test.assumes_independence else None,
                signature=signature(
                    run.test,
                    run.worst.question,
                    run.worst.outcome.probability,
                    metric=description.spec,
                    n_units=run.unit[1],
                    unit=run.unit[0],
                    seed=settings.resampling.seed,
                    estimator=run.test.estimator or settings.estimator,
                ),
                checks=tuple(checker.check(run, i) for checker in checkers[j] if checker.applies(run, i)),
                emulates=run.test.emulates,
                unit=run.unit[0],
                n_units=run.unit[1],
                reason=choices[i].reason if j == 0 else None,
            )
            for j, (run, p) in enumerate(zip(runs[i], p_values[i], strict=True))
        )
        bootstrap = laws.bootstrap_or_sampled(i)  # an interval says of itself whether it is exact
        interval = _interval(choices[i], pair, PairLaws(laws, i), asked, tests[0], settings)
        helped, hurt = _helped_and_hurt(metric, baseline.values, candidate.values)
        comparisons.append(
            Comparison(
                metric=description,
                baseline=baseline.name,
                candidate=candidate.name,
                baseline_score=pair.baseline_score,
                candidate_score=pair.candidate_score,
                gain=pair.gain,
                interval=interval,
                helped=helped,
                hurt=hurt,
                unchanged=None if helped is None or hurt is None else len(baseline) - helped - hurt,
                n_items=len(baseline),
                n_units=units.count,
                n_candidates=len(candidates),
                correlation=r12[i],
                claim=settings.claim,
                margin=settings.margin,
                alpha=settings.alpha,
                verdict=verdict(
                    settings.claim, tests[0].alternative, tests[0].adjusted_p_value, pair.gain, settings.alpha
                ),
                tests=tests,
                histogram=gain_histogram(pair, bootstrap, interval),
                left_out=tuple(left_out),
                warnings=(
                    *notes,
                    *remarks_on(metric, baseline, candidate),
                    *filter(None, [remark_on_rounding(pair, units, baseline.item_ids)]),
                    *_warnings(runs[i], tests, p_values[i], interval, pair, units, settings),
                    *(remark for run in runs[i] for remark in run.test.remarks(pair)),
                    *dict.fromkeys(caveat for run in runs[i] if (caveat := run.caveat) is not None),
                ),
            )
        )
    return ComparisonResult(
        metric=description,
        n_items=len(baseline),
        n_units=units.count,
        comparisons=tuple(comparisons),
        signature=comparisons[0].tests[0].signature,
        version=__version__,
        seed=settings.resampling.seed,
    )


@dataclass(frozen=True)
class _Answer:
    question: Question
    outcome: Outcome


class _Run:
    """One test of one pair: the answers to all questions of the claim, of which the worst counts."""

    def __init__(
        self, test: SignificanceTest, pair: AnyPair, laws: PairLaws, asked: Sequence[Question], units: Units
    ) -> None:
        self.test, self.pair = test, pair
        self.seed = laws.laws.resampling.seed
        answers = [_Answer(question, _outcome(test, pair, laws, question)) for question in map(test.answered, asked)]
        self.worst = max(answers, key=lambda answer: answer.outcome.probability.value)
        # What the test resamples or swaps, and how many there are.
        self.unit = (units.name, units.count)
        if self.swaps_responses:
            self.unit = (Unit.RESPONSE.value, pair.swapped.n_differing)

    def computation(self, p: PValue) -> str:
        return "bound: rarest resample" if p.is_bound and not self.sampled else self.worst.outcome.computation

    @property
    def sampled(self) -> bool:
        return self.worst.outcome.probability.n_resamples is not None

    @property
    def swaps_responses(self) -> bool:
        return self.test.swaps and self.pair.swapped is not self.pair

    @property
    def caveat(self) -> str | None:
        return _OF_RESPONSES if self.swaps_responses else self.test.caveat_on(self.pair, self.seed)

    def p_value(self, estimator: Estimator) -> PValue:
        return p_value(self.worst.outcome, self.test.estimator or estimator)


def _outcome(test: SignificanceTest, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
    """Return the outcome of a test; that of resampling identical systems needs no resamples."""
    sound = test.resamples and test.emulates is None and question.null_gain == 0 and question.ties is Ties.COUNT
    if sound and pair.n_differing == 0:
        return Outcome(Probability(1.0), "exact: identical systems")
    return test.outcome(pair, laws, question)


def _first_test(
    test: SignificanceTest,
    pair: AnyPair,
    laws: PairLaws,
    asked: Sequence[Question],
    settings: Settings,
    units: Units,
) -> Choice:
    """Return the test that gives the verdict, with its interval."""
    if not isinstance(test, Auto):
        return Choice(test, *test_interval(test, pair, laws, asked, settings.alpha, settings.estimator), None)
    return choose(pair, laws, asked[0], unit=units.name, alpha=settings.alpha, estimator=settings.estimator)


def _interval(
    choice: Choice, pair: AnyPair, laws: PairLaws, asked: Sequence[Question], first: TestResult, settings: Settings
) -> Interval:
    if settings.interval is not IntervalMethod.TEST:
        law = laws.bootstrap_or_sampled()  # an interval says of itself whether it is exact
        return gain_interval(pair, law, 1 - settings.alpha, settings.interval)
    if len(asked) > 1 or not choice.own:
        return choice.interval
    return agreeing(choice.interval, pair.gain, asked[0].null_gain, first.p_value, settings.alpha)


def _applicable(
    settings: Settings, pairs: Sequence[AnyPair], asked: Sequence[Question], units: Units
) -> tuple[list[SignificanceTest], list[LeftOut]]:
    chosen: list[SignificanceTest] = []
    left_out: list[LeftOut] = []
    for test in (taken(test, settings.claim) for test in settings.tests):
        obstacles = [found for pair in pairs for question in asked if (found := test.obstacle(pair, question))]
        if isinstance(test, Auto) and not chosen:
            obstacles = []
        if test.of_items_alone and (units.clusters is not None or settings.unit is not Unit.ITEM):
            obstacles.append("resamples and swaps single items, and knows no other units")
        if not obstacles:
            chosen.append(test)
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
        sampled = run.worst.outcome.probability.n_resamples is not None
        if self._resampling.method is Method.MONTE_CARLO:
            return not (sampled and self._resampling.seed == self._settings.resampling.seed)
        if not sampled or run.test.emulates is not None:  # an emulated test is sampled whatever the method
            return False
        try:
            self._outcome(run, index)
        except NotApplicableError:
            return False
        return True

    def _outcome(self, run: _Run, index: int) -> Outcome:
        return run.test.outcome(run.pair, PairLaws(self._laws, index), run.worst.question)

    def check(self, run: _Run, index: int) -> Check:
        outcome = self._outcome(run, index)
        p = p_value(outcome, run.test.estimator or self._settings.estimator)
        probability = outcome.probability
        return Check(
            computation=outcome.computation,
            seed=None if probability.n_resamples is None else self._resampling.seed,
            p_value=p.value,
            p_value_low=p.low,
            p_value_high=p.high,
            n_resamples=probability.n_resamples,
            n_exceeding=probability.n_exceeding,
            agrees=_agree(probability, run.worst.outcome.probability),
        )


def _checkers(pairs: Sequence[AnyPair], settings: Settings) -> list[_Checker]:
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


def _helped_and_hurt(metric: AnyMetric, baseline: AnyArray, candidate: AnyArray) -> tuple[int, int] | tuple[None, None]:
    """Count the items whose own score the candidate improves and worsens (Jansen)."""
    before, after = metric.item_scores(baseline), metric.item_scores(candidate)
    if before is None or after is None:
        return None, None
    tolerance = 1e-12 * np.maximum(np.abs(before), np.abs(after))
    up, down = after - before > tolerance, before - after > tolerance
    helped, hurt = int(up.sum()), int(down.sum())
    return (helped, hurt) if metric.higher_is_better else (hurt, helped)


def _correlation(metric: AnyMetric, baseline: AnyArray, candidate: AnyArray) -> float | None:
    """Return r12 of the items' own scores, or None where one of the systems' scores are all equal."""
    one, other = metric.item_scores(baseline), metric.item_scores(candidate)
    if one is None or other is None:
        return None
    if not (np.isfinite(one).all() and np.isfinite(other).all()):
        return None
    a, b = one - one.mean(), other - other.mean()
    scale = math.sqrt(float(a @ a) * float(b @ b))
    floor = 1e-24 * len(one) * max(float(np.abs(one).max()), 1e-300) * max(float(np.abs(other).max()), 1e-300)
    return min(max(float(a @ b) / scale, -1.0), 1.0) if scale > floor else None


def inflation(r12: float | None) -> float | None:
    """Return 1/√(1 − r12): by how much independence overstates the gain's standard deviation (Yeh, section 2.1)."""
    return None if r12 is None or r12 >= 1 - 1e-12 else 1 / math.sqrt(1 - r12)


def remarks_on(metric: AnyMetric, *systems: Rows) -> Sequence[str]:
    """Return what is to be said of how the test set is scored, then of the systems' scores, each with its name."""
    of_set = metric.origin.remarks if isinstance(metric, AnyOutputMetric) else ()
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
    p_values: Sequence[PValue],
    interval: Interval,
    pair: AnyPair,
    units: Units,
    settings: Settings,
) -> Sequence[str]:
    found = []
    bounds = [
        test.name
        for test, p in zip(tests, p_values, strict=True)
        if p.is_bound and test.exact and p.value > _NEGLIGIBLE_BOUND
    ]
    if bounds:
        found.append(
            f"No resample reaches the threshold of {', '.join(bounds)}: the p-value given is a bound, the probability "
            "of the rarest resample."
        )
    for test in tests:
        factor = test.adjusted_p_value / test.p_value  # of Holm's correction
        close = test.p_value_low * factor <= settings.alpha <= test.p_value_high * factor
        if test.n_resamples is not None and test.emulates is None and close:
            found.append(
                f"The sampled p-value of {test.name} is too close to {settings.alpha:g} to call: its interval holds "
                f"{settings.alpha:g}. Raise --n-resamples."
            )
        found.extend(
            f"The double check of {test.name} disagrees: {check.p_value:g} against {test.p_value:g}."
            for check in test.checks
            if not check.agrees
        )
    told = None if settings.margin is None else margin_warning([run.test for run in runs])
    found.extend(_doubts(tests[0], interval, pair, units, settings) if told is None else [told])
    if interval.low == interval.high:
        found.append(f"All resamples give the same gain: resampling {units.name}s sees no spread at all.")
    return found


def _doubts(first: TestResult, interval: Interval, pair: AnyPair, units: Units, settings: Settings) -> Iterator[str]:
    """Yield where the test of the verdict, if a user named it, and its interval are known to be wrong."""
    if first.reason is not None:
        yield first.reason[0].upper() + first.reason[1:]
    effective = effective_units(pair.sizes)
    unsure = first.name in _UNSURE_OF_FEW and not isinstance(settings.tests[0], Auto)
    if unsure and effective < enough_units(settings.alpha):
        worth = "" if effective > 0.8 * units.count else f", worth {effective:.3g} of equal size,"
        yield (
            f"With {units.count} {units.name}s{worth} {first.name} rejects true nulls too often; leave --test out, and "
            "what holds there is taken."
        )
    elif unsure and 0 < pair.n_differing < _FEW_DIFFERING:
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
