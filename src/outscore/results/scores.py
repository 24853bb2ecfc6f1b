"""Results on systems that are not paired: scores with their intervals, and two independent samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from outscore.results.audit import PairingAudit
from outscore.results.comparisons import OF_SCORE, Alternative, Interval, MetricDescription, Verdict
from outscore.results.findings import Finding, OfResult
from outscore.results.record import (
    UNITS,
    IfAny,
    Keywords,
    Level,
    Messages,
    Positive,
    PValue,
    Seed,
    Signature,
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
        A fraction, never a percentage.
    interval : Interval
        Of the score, over test sets of the same kind and size. Its method is "clopper-pearson" (binary scores of
        independent items), "korn-graubard" (binary scores in clusters, strata or with weights), "score" (means and
        ratios of sums whose range is known) or "skew-t". An end is infinite, in JSON null, where the score without one
        of the units is not defined and the metric has no bound on that side.
    n_items : int
        Items that are scored.
    n_units : int
        Clusters where there are clusters, else items.
    test_set : str or None
        On which of several test sets, or "average", of all of one weight.
    over : str or None
        As of a comparison.
    standard_error : StandardError or None
        None of scores over new runs, and where it costs too much. Not written as JSON.
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


@dataclass(frozen=True, repr=False)
class ScoreResult(Shown, OfResult):
    """Scores of single systems, with intervals.

    Written by outscore score as JSON.

    Attributes
    ----------
    scores : tuple of SystemScore
        Metric by metric, in the order asked for, of all systems in the order given.
    confidence_level : float
        Of all intervals.
    unit : str
        What is resampled.
    n_resamples, seed : int
        As given. No interval of a score draws resamples.
    signature : str
        How the intervals came about: "interval:clopper-pearson|level:0.95|...".
    version : str
    warnings : tuple of str
    findings : tuple of Finding
        What there is to know of the design of the systems' scores.
    pairing : PairingAudit or None
        Of systems in logs of evaluation harnesses: how these were paired.
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

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row a metric and system."""
        columns = (
            "metric=metric.spec system score interval.low interval.high confidence_level=interval.confidence_level "
            "interval.method exact=interval.exact n_items n_units"
        )
        columns += " test_set" if self.scores[0].test_set is not None else ""
        return table(columns, [(score,) for score in self.scores])


@dataclass(frozen=True)
class UnpairedTest:
    """One test of two independent samples.

    Attributes
    ----------
    name : str
        The test's name.
    statistic : float
        t, the Mann-Whitney U of the candidate, or the gain.
    p_value : float
        The p-value before any correction: above 0, at most 1.
    adjusted_p_value : float
        After Holm's correction over the candidates.
    computation : str
        "exact", "asymptotic" (from a t or normal distribution) or "100,000 permutations".
    """

    name: Annotated[str, Keywords(enum=["welch", "rank-sum", "label-permutation"])]
    statistic: float
    p_value: PValue
    adjusted_p_value: PValue
    computation: str


@dataclass(frozen=True)
class UnpairedComparison:
    """A candidate and the baseline, each on items of its own.

    Attributes
    ----------
    baseline : str
        The baseline's name.
    candidate : str
        The candidate's name.
    baseline_score : float
        The mean of its items' scores; a fraction, never a percentage.
    candidate_score : float
        The mean of its items' scores; a fraction, never a percentage.
    gain : float
        In the unit of the score; positive where the candidate is better.
    interval : Interval
        Of the gain, Welch's, with Satterthwaite's degrees of freedom: never exact.
    n_baseline : int
        Items of the baseline.
    n_candidate : int
        Items of the candidate.
    correlation : float or None
        Of the items' scores, where the systems have the same item ids, or as many items without ids, and so could be
        paired. None where they cannot, or scores are constant.
    verdict : Verdict
        By the first test.
    tests : tuple of UnpairedTest
        The first gives the verdict.
    """

    baseline: str
    candidate: str
    baseline_score: float
    candidate_score: float
    gain: float
    interval: Annotated[Interval, Keywords(properties={"method": {"const": "welch"}})]
    n_baseline: Annotated[int, Keywords(minimum=2)]
    n_candidate: Annotated[int, Keywords(minimum=2)]
    correlation: Annotated[float, Keywords(minimum=-1, maximum=1)] | None
    verdict: Annotated[Verdict, Keywords(enum=["better", "worse", "inconclusive"])]
    tests: tuple[UnpairedTest, ...]


@dataclass(frozen=True, repr=False)
class UnpairedResult(Shown):
    """Candidates and a baseline, each on its own items.

    Written by outscore compare of unpaired systems as JSON.

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

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row a candidate and test."""
        columns = (
            "metric=metric.spec baseline candidate baseline_score candidate_score gain interval.low interval.high "
            "confidence_level=interval.confidence_level n_baseline n_candidate correlation verdict test=name "
            "alternative statistic p_value adjusted_p_value computation"
        )
        return table(columns, [(one, test, self) for one in self.comparisons for test in one.tests])
