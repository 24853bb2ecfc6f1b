"""Results on systems that are not paired: scores with their intervals, and two independent samples."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from outscore.results.audit import PairingAudit
from outscore.results.comparisons import (
    DISTRIBUTION,
    SHARE_OF_PAIRS,
    UNCORRECTED,
    Alternative,
    Claim,
    MetricDescription,
    Multiplicity,
    OneComparison,
    TestedQuantity,
    Verdict,
)
from outscore.results.findings import Finding, OfResult, PredictionPowered
from outscore.results.intervals import OF_SCORE, Interval
from outscore.results.parts import Parts
from outscore.results.record import (
    UNITS,
    IfAny,
    Keywords,
    Level,
    Messages,
    Null,
    Positive,
    Seed,
    Share,
    Signature,
    Since,
    Size,
    Version,
    table,
)
from outscore.results.shown import Shown


@dataclass(frozen=True)
class StandardError:
    """The standard error of a score over test sets of the same kind and size.

    Attributes
    ----------
    value : float
    method : str
        "analytic" of a mean of items: their standard deviation with n - 1 over the root of n; else "jackknife" of what
        is resampled.
    """

    value: Size
    method: str


@dataclass(frozen=True)
class SystemScore:
    """The score of one system on one metric.

    Attributes
    ----------
    system : str
        The system's name.
    metric : MetricDescription
    score : float
        The score; a fraction, never a percentage.
    interval : Interval
        The interval of the score, over test sets of the same kind and size. Its method is "clopper-pearson" (binary
        scores of independent items), "korn-graubard" (binary scores in clusters, strata or with weights), "score"
        (means and ratios of sums with a known range) or "skew-t". An end is infinite (in JSON null) if the score is
        undefined without one of the units and the metric has no bound on that side.
    n_items : int
        Number of scored items.
    n_units : int
        Number of clusters if there are any, else of items.
    test_set : str or None
        The test set if there are several, or "average" for their mean with equal weights.
    over : str or None
        The averages that scores are, as for a comparison.
    standard_error : StandardError or None
        The standard error. None for scores over new runs, and if it takes too long. Not part of the JSON.
    prediction_powered : PredictionPowered or None
        For human labels of some items and a judge's labels of all.
    overstatement : float or None
        For the best of several systems: the largest expected part of the score that is due to the choice, in the unit
        of the score. None without a standard error.
    interval_as_chosen : Interval or None
        For the best of several systems: the interval of the score, which allows for the choice.
    """

    json_keys: ClassVar = "-standard_error"

    system: str
    metric: MetricDescription
    score: float
    interval: Annotated[Interval, OF_SCORE]
    n_items: Positive
    n_units: Annotated[int, Keywords(minimum=2)]
    over: Annotated[str | None, IfAny("0.4.0")] = None
    test_set: Annotated[str | None, IfAny("0.4.0")] = None
    standard_error: StandardError | None = None
    prediction_powered: Annotated[PredictionPowered | None, IfAny("0.8.0")] = None
    overstatement: Annotated[Size | None, IfAny("0.8.0")] = None
    interval_as_chosen: Annotated[Annotated[Interval, OF_SCORE] | None, IfAny("0.8.0")] = None


@dataclass(frozen=True, repr=False)
class ScoreResult(Shown, Parts[SystemScore], OfResult):
    """Scores of single systems, with intervals.

    This is the JSON output of outscore score. ``result["name"]`` is the score of one system; with several metrics or
    tasks ``result["name", "bleu"]``. `score` and `interval` are attributes of the result as well if it holds one score.

    Attributes
    ----------
    scores : tuple of SystemScore
        Scores by metric, in the order given, then by system, in the order given.
    confidence_level : float
        Confidence level of all intervals.
    unit : str
        The resampling unit.
    n_resamples, seed : int
        The options as given. Intervals of scores use no resamples.
    signature : str
        The settings of the intervals: "interval:clopper-pearson|level:0.95|...".
    version : str
    warnings : tuple of str
    findings : tuple of Finding
        Findings on the design of the systems' scores.
    pairing : PairingAudit or None
        How evaluation logs were paired; null for other systems.
    best_of : int or None
        The number of systems from which each system was chosen as the best one.
    """

    schema: ClassVar = "outscore/scores/1"
    json_keys: ClassVar = "version signature"

    scores: tuple[SystemScore, ...]
    confidence_level: Level
    unit: Annotated[str, UNITS]
    n_resamples: Positive
    seed: Seed
    signature: str
    version: Version
    warnings: Messages = ()
    findings: tuple[Finding, ...] = ()
    pairing: Annotated[PairingAudit | None, IfAny("0.5.0")] = None
    best_of: Annotated[Positive | None, IfAny("0.8.0")] = None

    _part = "score"

    def _all_parts(self) -> Sequence[SystemScore]:
        return self.scores

    def _labels(self, part: SystemScore) -> Sequence[Collection[str]]:
        metric, test_set = part.metric, part.test_set
        labels: list[Collection[str]] = [(part.system,)]
        if len({one.metric.spec for one in self.scores}) > 1 or len({one.system for one in self.scores}) == 1:
            labels.append((metric.spec, metric.name, metric.title))
        return labels if test_set is None else [*labels, (test_set,)]

    @property
    def score(self) -> float:
        """The score, if there is one; a fraction, never a percentage."""
        return self._only.score

    @property
    def interval(self) -> Interval:
        """The confidence interval of the score, if there is one."""
        return self._only.interval

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row per metric and system."""
        columns = (
            "metric=metric.spec system score interval.low interval.high confidence_level=interval.confidence_level "
            "interval.method exact=interval.exact n_items n_units"
        )
        columns += " test_set" if self.scores[0].test_set is not None else ""
        if self.best_of is not None:
            columns += " overstatement interval_as_chosen.low interval_as_chosen.high"
        return table(columns, [(score,) for score in self.scores])


_NAMES = (
    *("unconditional", "skew-t", "permutation", "brunner-munzel"),
    *("fisher", "welch", "rank-sum", "label-permutation"),
)
_UNKNOWN_P = Annotated[float, Keywords(type=["number", "null"], exclusiveMinimum=0, maximum=1)]


@dataclass(frozen=True)
class UnpairedTest:
    """One test of two independent samples.

    Attributes
    ----------
    name : str
        The test's name.
    statistic : float
        The test's statistic: a score (unconditional), t, the odds ratio (fisher), the Mann-Whitney U of the candidate
        (rank-sum), or the gain (label-permutation). Null if it is infinite or there is no p-value.
    p_value : float
        The p-value before any correction: above 0, at most 1. Null if all scores of each system are equal.
    adjusted_p_value : float
        The p-value after Holm's correction over the family of the result, null likewise.
    computation : str
        "exact", "asymptotic" (from a t or normal distribution) or "100,000 permutations".
    quantity : str or None
        What is tested, if that is not the gain: "share of pairs won", the probability that an item of the candidate
        scores better than one of the baseline, with ties as half; "distribution" if the null hypothesis is that all
        scores have one distribution, so that the test gives no verdict on means or shares. None if it is the gain.
    sign : int or None
        The direction of its statistic, if it does not test the gain: 1 if it favours the candidate, -1 if it favours
        the baseline.
    estimate : float or None
        The estimate of the share of pairs won. None for other tests.
    interval : Interval or None
        The test's own interval of what it tests. None if it has none.
    is_bound : bool
        Whether the p-value is an upper bound: the smallest p-value that the unconditional test can show.
    title : str
        The name in sentences. Not part of the JSON, like the next three.
    null : str or None
        The sentence on its null hypothesis, if that is not the default test's.
    caveat : str or None
        What is written beside its p-value.
    is_of_means : bool
        Whether the interval of the gain is written beside its p-value.
    """

    json_keys: ClassVar = "-title -null -caveat -is_of_means"

    name: Annotated[str, Keywords(enum=list(_NAMES))]
    statistic: Null
    p_value: _UNKNOWN_P
    adjusted_p_value: _UNKNOWN_P
    computation: str
    quantity: Annotated[Annotated[str, Keywords(enum=[SHARE_OF_PAIRS, DISTRIBUTION])] | None, IfAny("0.8.0")] = None
    sign: Annotated[Annotated[int, Keywords(enum=[-1, 0, 1])] | None, IfAny("0.8.0")] = None
    estimate: Annotated[Share | None, IfAny("0.8.0")] = None
    interval: Annotated[Interval | None, IfAny("0.8.0")] = None
    is_bound: Annotated[bool, Since("0.8.0")] = False
    title: str = ""
    null: str | None = None
    caveat: str | None = None
    is_of_means: bool = True


@dataclass(frozen=True)
class UnpairedComparison:
    """A candidate and the baseline, on different items.

    Attributes
    ----------
    baseline : str
        The baseline's name.
    candidate : str
        The candidate's name.
    baseline_score : float
        Its score; a fraction, never a percentage.
    candidate_score : float
        Its score; a fraction, never a percentage.
    gain : float
        The gain in the unit of the score; positive if the candidate is better.
    interval : Interval
        The interval of the gain: of the first test, or of the default test if the first has none. The default's method
        is "unconditional" (binary scores; exact) or "skew-t". It is "none", without ends, if all scores of each system
        are equal.
    n_baseline : int
        Number of the baseline's items.
    n_candidate : int
        Number of the candidate's items.
    correlation : float or None
        The correlation of the items' scores, if the systems could be paired: they have the same item ids, or as
        many items without ids. None otherwise, or if scores are constant.
    verdict : Verdict
        The verdict of the first test on the claim. It has the direction of the test's own statistic, and is
        "inconclusive" if the gain points the other way or the test gives no verdict.
    tests : tuple of UnpairedTest
        Tests; the first gives the verdict.
    withheld : str or None
        Why the first test gives no verdict, as a sentence.
    found : TestedQuantity or None
        What the first test found, if it tests the share of pairs won. None for other tests.
    baseline_clusters, candidate_clusters : int or None
        Numbers of clusters. None without clusters.
    """

    baseline: str
    candidate: str
    baseline_score: float
    candidate_score: float
    gain: float
    interval: Annotated[
        Interval, Keywords(properties={"method": {"enum": ["unconditional", "skew-t", "welch", "none"]}})
    ]
    n_baseline: Annotated[int, Keywords(minimum=2)]
    n_candidate: Annotated[int, Keywords(minimum=2)]
    correlation: Annotated[float, Keywords(minimum=-1, maximum=1)] | None
    verdict: Verdict
    tests: tuple[UnpairedTest, ...]
    withheld: Annotated[str | None, IfAny("0.8.0")] = None
    found: Annotated[TestedQuantity | None, IfAny("0.8.0")] = None
    baseline_clusters: Annotated[Positive | None, IfAny("0.8.0")] = None
    candidate_clusters: Annotated[Positive | None, IfAny("0.8.0")] = None

    @property
    def p_value(self) -> float:
        """The p-value of the first test, before any correction; the verdict uses its `adjusted_p_value`."""
        return self.tests[0].p_value


@dataclass(frozen=True, repr=False)
class UnpairedResult(Shown, OneComparison[UnpairedComparison]):
    """Candidates and a baseline, each on its own items.

    Written by outscore compare of unpaired systems as JSON. Candidates are found as in a `ComparisonResult`.

    Attributes
    ----------
    metric : MetricDescription
    comparisons : tuple of UnpairedComparison
        One a candidate, in the order given.
    alternative : Alternative
    alpha : float
        Level of the verdict.
    seed : int
        Of the permutations.
    signature : str
        Of the first test.
    version : str
    notes : tuple of str
        What pairing would have brought.
    warnings : tuple of str
    multiplicity : Multiplicity
        The family over which the p-values of each test are corrected.
    claim : Claim
        The claim about the candidate.
    margin : float or None
        The largest loss that does not matter. Null for the claim "better".
    """

    schema: ClassVar = "outscore/unpaired/1"
    json_keys: ClassVar = "version signature"

    metric: MetricDescription
    comparisons: tuple[UnpairedComparison, ...]
    alternative: Alternative
    alpha: Level
    seed: Seed
    signature: Signature
    version: Version
    notes: tuple[str, ...] = ()
    warnings: Messages = ()
    multiplicity: Annotated[Multiplicity, Since("0.8.0")] = UNCORRECTED
    claim: Annotated[Claim, Since("0.8.0")] = Claim.BETTER
    margin: Annotated[float | None, Since("0.8.0")] = None

    def _all_parts(self) -> Sequence[UnpairedComparison]:
        return self.comparisons

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row per candidate and test."""
        columns = (
            "metric=metric.spec baseline candidate baseline_score candidate_score gain interval.low interval.high "
            "confidence_level=interval.confidence_level n_baseline n_candidate correlation verdict test=name "
            "alternative statistic p_value adjusted_p_value computation tested=quantity estimate claim margin "
            "interval.method"
        )
        return table(columns, [(one, test, self) for one in self.comparisons for test in one.tests])
