"""Comparisons of systems that were scored on different items, as two independent samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from outscore._version import __version__
from outscore.data.coercion import wrong
from outscore.data.pairing import align
from outscore.data.rows import Missing, Rows
from outscore.design import Design
from outscore.design.scores import Scores, Systems, score_gain_of
from outscore.errors import DataError, NotApplicableError, OptionError, Problem
from outscore.gains.canonical import in_canonical_order
from outscore.gains.gain_laws import Hypothesis, Resampling
from outscore.metrics import AnyMetric, RatioMetric
from outscore.metrics.base import combined
from outscore.metrics.options import describe_metric
from outscore.options import opt
from outscore.questions.claims import contradicts, hypotheses_of, verdict
from outscore.questions.comparing import check_margin, remarks_on
from outscore.questions.next_step import times_as_many
from outscore.questions.settings import check_claim, check_resampling
from outscore.questions.signatures import encoded, joined
from outscore.questions.system_scores import alone
from outscore.results import (
    Alternative,
    Claim,
    Family,
    Interval,
    MetricDescription,
    Multiplicity,
    TestedQuantity,
    Ties,
    Verdict,
)
from outscore.results.comparisons import DISTRIBUTION
from outscore.results.scores import UnpairedComparison, UnpairedResult, UnpairedTest
from outscore.significance.base import SignificanceTest
from outscore.significance.corrections import Place, corrected
from outscore.significance.two_rates import Right
from outscore.significance.unpaired import (
    NO_INTERVAL,
    UNPAIRED_TESTS,
    Samples,
    UnpairedMethod,
    UnpairedOutcome,
    default_test,
)
from outscore.text.naming import nearest, quoted
from outscore.words import unpaired as words

_LEAST = 5e-324  # the smallest positive double: p-values that underflow are positive
_ALIASES = {"ttest_ind": "welch", "mannwhitneyu": "rank-sum", "brunnermunzel": "brunner-munzel"}


@dataclass(frozen=True)
class SampleSettings:
    """The settings of a comparison of systems on different items."""

    tests: Sequence[str]  # Names of tests, "auto" for the default. The first one gives the verdict.
    resampling: Resampling  # for permutations
    alternative: Alternative
    claim: Claim
    alpha: float
    margin: float | None = None  # in the unit of the score

    def __post_init__(self) -> None:
        check_resampling(self.resampling, self.alpha)

    @property
    def hypotheses(self) -> Sequence[Hypothesis]:
        """The null hypotheses of the claim."""
        return hypotheses_of(self.claim, self.alternative, self.margin, Ties.COUNT)


def unpaired_test_named(name: str) -> str:
    """Return the name of a test of unpaired samples, such as "welch", given that name or SciPy's.

    An unknown name raises an OptionError.
    """
    full_name = _ALIASES.get(name.strip().lower(), name.strip().lower())
    names = ["auto", *UNPAIRED_TESTS]
    if full_name not in names:
        what = f"expected one of {', '.join(names)} for unpaired systems, got {quoted(name)}"
        raise OptionError(Problem(opt("tests"), what, nearest(full_name, names), "unknown-test"))
    return full_name


def tests_of_samples(tests: SignificanceTest | str | Sequence[SignificanceTest | str] | None) -> list[str]:
    """Return the names of tests from the argument of users, by default "auto"."""
    several = [tests] if isinstance(tests, str | SignificanceTest) else ["auto"] if tests is None else tests
    if not (isinstance(several, list | tuple) and all(isinstance(test, str | SignificanceTest) for test in several)):
        raise wrong("tests", 'tests such as outscore.Randomization() or "permutation"', tests)
    names = [name for test in several for name in (test if isinstance(test, str) else test.name).split(",")]
    return [unpaired_test_named(name) for name in names]


def refuse_of_pairs(**options: bool) -> None:
    """Refuse options of paired systems, given the names of the options in use."""
    for option, is_set in options.items():
        if is_set:
            raise OptionError(
                Problem(
                    opt(option),
                    f"cannot be combined with {opt('unpaired', True)}",
                    "Leave it out.",
                    "unpaired",
                )
            )


@dataclass(frozen=True)
class SeparateSystems:
    """Systems that were read one by one, each with the labels of its own items; the baseline first."""

    parts: tuple[Systems, ...]

    @property
    def metrics(self) -> tuple[AnyMetric, ...]:
        """The metrics, which are the same for all systems."""
        return self.parts[0].metrics

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for users on how the systems were read."""
        return tuple(dict.fromkeys(note for part in self.parts for note in part.notes))


def samples_of(systems: Systems | Scores | SeparateSystems) -> tuple[AnyMetric, Sequence[tuple[Rows, Design]]]:
    """Return the first metric, and the systems with one score per item and their designs.

    Errors are runs, samples, strata, several datasets, and labels of clusters that do not match the items of a system.
    """
    if isinstance(systems, SeparateSystems):
        parts = [samples_of(part) for part in systems.parts]
        other = next((samples[0][0].name for metric, samples in parts if metric != parts[0][0]), None)
        if other is not None:
            what = f"{parts[0][0].name} depends on the labels that occur, and {other} has others than the baseline"
            raise OptionError(Problem(opt("metric"), what, "Use a metric without labels.", "other-labels"))
        return parts[0][0], [sample for _, samples in parts for sample in samples]
    if isinstance(systems, Scores):
        design = systems.design
        refuse_of_pairs(
            **{factor.plural: True for factor in design.crossed},
            **{"strata": design.strata is not None, "test-set": design.test_sets is not None},
            clusters=design.crossed_clusters is not None,
        )
        return systems.metrics[0], [(rows, design) for rows in systems.rows[0]]
    declared = systems.declared
    refuse_of_pairs(
        **{factor.plural: True for factor in declared.crossed},
        **{"weights": declared.weights is not None, "test-set": systems.test_sets is not None},
        **{"missing zero": declared.missing is Missing.ZERO},
    )
    metric, reduced = declared.settled(systems.metrics[0], systems.rows[0])
    labels = systems.clusters
    return metric, [
        (rows, Design.of_items(rows, None if labels is None else labels.with_ids_of(rows), None)[0]) for rows in reduced
    ]


def compare_samples(
    metric: AnyMetric,
    systems: Sequence[tuple[Rows, Design]],
    settings: SampleSettings,
    margin: float | str | None = None,
    *,
    notes: Sequence[str] = (),
) -> UnpairedResult:
    """Compare candidates with a baseline, each scored on different items.

    Each system has the design of its items: clusters or none. The baseline is first. `margin` is as users write it, and
    replaces that of the settings. Errors are a test that does not fit, a system with one item or one cluster, a margin
    that is out of range, and a claim that needs one or has none.
    """
    rows = [system for system, _ in systems]
    number = None if margin is None else score_gain_of(margin, opt("margin"), metric, rows)
    check_claim(settings.claim, settings.alternative, number)
    if number is not None:
        check_margin(metric, number)
    settings = replace(settings, margin=number)
    description = describe_metric(metric)
    pairs = [_samples(metric, systems[0], other, settings.resampling) for other in systems[1:]]
    contests = [_Contest(samples, settings) for samples in pairs]
    adjusted, families = _corrected(contests)
    comparisons, warnings = [], list[str]()
    for index, (contest, (other, design)) in enumerate(zip(contests, systems[1:], strict=True)):
        comparison = contest.comparison(adjusted[index], (rows[0], other), description)
        clusters = [part.units.count if contest.samples.in_clusters else None for part in (systems[0][1], design)]
        comparison = replace(
            comparison,
            correlation=_correlation(metric, rows[0], other),
            baseline_clusters=clusters[0],
            candidate_clusters=clusters[1],
        )
        comparisons.append(comparison)
        warnings += [*contest.warnings(comparison, metric), *_unlike(metric, rows[0], other)]
    alternative = settings.hypotheses[0].alternative if len(settings.hypotheses) == 1 else Alternative.TWO_SIDED
    level = settings.alpha / families[0].size
    steps = [(comparison, times_as_many(comparison, settings.claim, alternative, level)) for comparison in comparisons]
    advice = [words.next_step(comparison, *times) for comparison, times in steps if times is not None]
    pairing = dict.fromkeys(words.on_pairing(comparison) for comparison in comparisons)
    return UnpairedResult(
        description,
        tuple(comparisons),
        alternative,
        settings.alpha,
        settings.resampling.seed,
        _signature(description.spec, comparisons, [design.units.count for _, design in systems], settings),
        __version__,
        (*advice, *pairing),
        (*notes, *remarks_on(metric, *rows), *warnings),
        families[0],
        settings.claim,
        settings.margin,
    )


class _Contest:
    """The tests of one candidate and the baseline."""

    def __init__(self, samples: Samples, settings: SampleSettings) -> None:
        self.samples, self.settings = samples, settings
        first = settings.hypotheses[0]
        self.default = default_test(samples, first)
        self.tests = [self.default if name == "auto" else UNPAIRED_TESTS[name] for name in settings.tests]
        self.outcomes = [self._outcome(test) for test in self.tests]

    def _outcome(self, test: type[UnpairedMethod]) -> UnpairedOutcome:
        """Return the outcome for the null hypothesis with the largest p-value."""
        settings = self.settings
        for hypothesis in settings.hypotheses:
            reason = test.obstacle(self.samples, hypothesis)
            if reason is not None:
                advice = f"Use {opt('tests', 'auto')}."
                raise NotApplicableError(Problem(opt("tests", test.name), reason, advice, "not-applicable"))
        outcomes = [test.outcome(self.samples, hypothesis) for hypothesis in settings.hypotheses]
        return max(outcomes, key=lambda outcome: outcome.p_value)

    @property
    def p_values(self) -> list[float]:
        """The p-values of the tests; NaN if there is none."""
        return [outcome.p_value for outcome in self.outcomes]

    def _interval(self, test: type[UnpairedMethod]) -> Interval | None:
        """Return the test's own interval; both ends of a claim of equivalence are one-sided."""
        alpha, hypotheses = self.settings.alpha, self.settings.hypotheses
        if len(hypotheses) == 1:
            return test.interval(self.samples, alpha, hypotheses[0].alternative)
        return test.interval(self.samples, 2 * alpha, Alternative.TWO_SIDED)

    def comparison(
        self, adjusted: Sequence[float], systems: tuple[Rows, Rows], metric: MetricDescription
    ) -> UnpairedComparison:
        """Return the comparison, given the p-values after Holm's correction."""
        samples, settings = self.samples, self.settings
        tests = []
        for test, outcome, p in zip(self.tests, self.outcomes, adjusted, strict=True):
            tests.append(
                UnpairedTest(
                    name=test.name,
                    statistic=outcome.statistic,
                    p_value=_above_0(outcome.p_value),
                    adjusted_p_value=_above_0(p),
                    computation=outcome.computation,
                    quantity=test.quantity,
                    sign=None if test.quantity is None else outcome.direction,
                    estimate=outcome.estimate,
                    interval=self._interval(test),
                    is_bound=outcome.is_bound,
                    title=test.title,
                    null=test.null,
                    caveat=test.caveat,
                    is_of_means=test.is_of_means,
                )
            )
        first, kind, p = self.outcomes[0], self.tests[0], adjusted[0]
        alternative = settings.hypotheses[0].alternative
        quantity, decided, withheld = None, Verdict.INCONCLUSIVE, None
        baseline, candidate = systems
        if kind.quantity == DISTRIBUTION:
            withheld = kind.null
        elif not math.isnan(p):
            decided = verdict(settings.claim, alternative, p, first.direction, settings.alpha)
            if kind.quantity is not None and first.estimate is not None:
                quantity = TestedQuantity(kind.quantity, decided, first.estimate, 0.5, tests[0].interval, "share")
            if contradicts(decided, samples.gain, settings.margin):
                decided = Verdict.INCONCLUSIVE
                withheld = words.against_the_range() if quantity is None else words.against_the_share(metric)
        sign = samples.baseline.sign
        interval = tests[0].interval if kind.quantity is None else None
        made = UnpairedComparison(
            baseline=baseline.name,
            candidate=candidate.name,
            baseline_score=sign * samples.baseline.gain,
            candidate_score=sign * samples.candidate.gain,
            gain=samples.gain,
            interval=interval
            or self._interval(self.default)
            or replace(NO_INTERVAL, confidence_level=1 - settings.alpha),
            n_baseline=len(baseline),
            n_candidate=len(candidate),
            correlation=None,
            verdict=decided,
            tests=tuple(tests),
            withheld=withheld,
            found=quantity,
        )
        return replace(made, withheld=words.no_p_value(made, metric)) if math.isnan(p) else made

    def warnings(self, comparison: UnpairedComparison, metric: AnyMetric) -> list[str]:
        """Return the warnings of samples that do not show their own spread."""
        uses_spread = comparison.interval.method == "skew-t"
        if not uses_spread:
            return []
        names = (comparison.baseline, comparison.candidate)
        unit = "cluster" if self.samples.in_clusters else "item"
        return [
            words.borrowed(names[index], names[1 - index], unit, metric.name if metric.takes_range else None)
            for index, borrows in enumerate(self.samples.two_samples.borrowed)
            if borrows
        ]


def _above_0(p: float) -> float:
    """Return a p-value as at least the smallest positive number, which JSON can hold; NaN stays."""
    return p if math.isnan(p) or p > 0 else _LEAST


def _corrected(contests: Sequence[_Contest]) -> tuple[list[Sequence[float]], list[Multiplicity]]:
    """Return the corrected p-values of each candidate by test, and their families; NaN stays, and counts as 1."""
    names = [test.name for test in contests[0].tests]
    n_tests = len(names)
    plain = [1.0 if math.isnan(p) else p for contest in contests for p in contest.p_values]
    places = [Place(test, candidate=i) for i in range(len(contests)) for test in names]
    adjusted, families = corrected(plain, plain, places, Family.TABLE)
    of_candidates = [adjusted[i * n_tests : (i + 1) * n_tests] for i in range(len(contests))]
    return [
        [math.nan if math.isnan(p) else of_test for p, of_test in zip(contest.p_values, of_candidate, strict=True)]
        for contest, of_candidate in zip(contests, of_candidates, strict=True)
    ], families


def _samples(
    metric: AnyMetric, baseline: tuple[Rows, Design], candidate: tuple[Rows, Design], resampling: Resampling
) -> Samples:
    """Return two systems as independent samples."""
    if metric.fits_systems:
        what = f"{metric.name} of some human labels and a judge needs paired items"
        raise NotApplicableError(Problem(opt("unpaired"), what, "Pair the systems.", "not-applicable"))
    pairs, in_clusters = [], False
    for rows, design in (baseline, candidate):
        (ordered_rows,), ordered = in_canonical_order([rows], design)
        units = ordered.units
        if units.count < 2:
            what = f"expected at least 2 {units.name}s, got {units.count}"
            raise DataError(Problem(rows.where, what, "", "one-item"))
        pairs.append(alone(metric, ordered_rows, ordered))
        in_clusters |= ordered.clusters is not None
    right = _right(metric, (baseline[0], candidate[0]))
    score_range = metric.score_range if right is None else (0.0, 1.0)
    if score_range is not None:
        low, high = sorted(pairs[0].sign * end for end in score_range)
        score_range = (low, high) if math.isfinite(high - low) else None
    return Samples(pairs[0], pairs[1], score_range, None if in_clusters else right, in_clusters, resampling)


def _right(metric: AnyMetric, systems: Sequence[Rows]) -> tuple[Right, Right] | None:
    """Return the better of two scores' counts if all items of both systems score 0 or 1, of 0 to 1; else None."""
    if not isinstance(metric, RatioMetric) or metric.score_range not in (None, (0.0, 1.0)):
        return None
    counts = []
    for rows in systems:
        top, bottom = (combined(rows.values, part) for part in (metric.numerator, metric.denominator))
        if not ((bottom == 1) & ((top == 0) | (top == 1))).all():
            return None
        ones = int(np.count_nonzero(top))
        counts.append(Right(ones if metric.higher_is_better else len(top) - ones, len(top)))
    return counts[0], counts[1]


def _signature(
    metric: str, comparisons: Sequence[UnpairedComparison], sizes: Sequence[int], settings: SampleSettings
) -> str:
    first = comparisons[0].tests[0]
    resampling, claim = settings.resampling, settings.claim
    return joined(
        test=first.name,
        alternative=settings.alternative.value if claim is Claim.BETTER else None,
        claim=None if claim is Claim.BETTER else f"{claim.value}:{settings.margin:g}",
        r=resampling.n_resamples if first.computation.endswith("permutations") else first.computation,
        n=",".join(map(str, sizes)),
        unit="item" if comparisons[0].baseline_clusters is None else "cluster",
        seed=resampling.seed,
        metric=encoded(metric),
        version=__version__,
    )


def _unlike(metric: AnyMetric, baseline: Rows, candidate: Rows) -> list[str]:
    """Return warnings of item ids that only some items share, and of scores of which one system's are only 0 and 1."""
    warnings, systems = [], (baseline, candidate)
    shared = {*(baseline.item_ids or ())} & {*(candidate.item_ids or ())}
    if shared and max(len(baseline), len(candidate)) > len(shared):
        warnings.append(words.shared_ids(candidate.name, baseline.name, len(shared)))
    scores = [metric.item_scores(rows.values) for rows in systems] if metric.score_range is None else [None]
    binary = [values is not None and set(np.unique(values)) == {0.0, 1.0} for values in scores]
    if any(binary) and not all(binary):
        of_binary, graded = (systems[binary.index(is_binary)].name for is_binary in (True, False))
        warnings.append(words.binary_and_graded(of_binary, graded, metric.name if metric.takes_range else None))
    return warnings


def _correlation(metric: AnyMetric, baseline: Rows, candidate: Rows) -> float | None:
    """Return the correlation of the scores of items with the same id; None without ids or for constant scores."""
    if baseline.item_ids is None or candidate.item_ids is None:
        return None  # two lists of counts are often sorted: their order shows nothing
    try:
        paired = align([baseline, candidate])
    except DataError:
        return None
    scores = [metric.item_scores(rows.values) for rows in paired]
    if scores[0] is None or scores[1] is None or np.ptp(scores[0]) == 0 or np.ptp(scores[1]) == 0:
        return None
    return float(np.corrcoef(scores[0], scores[1])[0, 1])
