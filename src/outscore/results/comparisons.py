"""Results of comparisons: frozen, typed, and free of any computation.

Everything that a report shows stands in these fields; a report is a pure function of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar, NamedTuple

from outscore._version import __version__
from outscore.results.findings import Finding, OfComparison
from outscore.results.record import (
    IfAny,
    Keywords,
    Level,
    Messages,
    Natural,
    Null,
    Positive,
    PValue,
    Seed,
    Share,
    Signature,
    Table,
    Version,
    table,
)
from outscore.results.shown import Several, Shown, deferring, sentence_of
from outscore.text.numbers import (
    ScoreFormat,
    format_p,
    score_format,
)

if TYPE_CHECKING:
    from outscore.results.audit import PairingAudit


class Alternative(StrEnum):
    """The alternative hypothesis about the gain, against a gain of 0 (or of the margin)."""

    GREATER = "greater"
    LESS = "less"
    TWO_SIDED = "two-sided"

    @property
    def sided(self) -> str:
        """What a test of it is called: "one-sided" or "two-sided"."""
        return "two-sided" if self is Alternative.TWO_SIDED else "one-sided"


class Ties(StrEnum):
    """Whether a replicate equal to the threshold counts (≥, conservative) or not (>, as in BK12)."""

    COUNT = "count"
    STRICT = "strict"


class Estimator(StrEnum):
    """How c of r replicates give a p-value: (c + 1)/(r + 1), or c/r as BK12 and Jansen print it."""

    ADD_ONE = "add-one"
    PLAIN = "plain"


class Method(StrEnum):
    """How laws are computed: exactly where one can, exactly or not at all, or by sampling."""

    AUTO = "auto"
    EXACT = "exact"
    MONTE_CARLO = "monte-carlo"


class Unit(StrEnum):
    """What randomization swaps: the outputs of items, or single responses (Yeh 2000)."""

    ITEM = "item"
    RESPONSE = "response"


class Claim(StrEnum):
    """What is claimed of the candidate."""

    BETTER = "better"
    NOT_WORSE = "not-worse"
    EQUIVALENT = "equivalent"


class IntervalMethod(StrEnum):
    """How an interval of the gain is made: by the test of the verdict, or from the bootstrap law."""

    TEST = "test"
    PERCENTILE = "percentile"
    BASIC = "basic"
    BCA = "bca"


class RunLaw(StrEnum):
    """The law of the crossed t test: Student's with Satterthwaite's degrees of freedom, or a sum of several."""

    SATTERTHWAITE = "satterthwaite"
    FIDUCIAL = "fiducial"


class Verdict(StrEnum):
    """What the data say of the claim. A large p-value is never evidence of equality."""

    BETTER = "better"
    WORSE = "worse"
    EQUIVALENT = "equivalent"
    NOT_WORSE = "not worse"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class MetricDescription:
    """The metric, in whose unit all scores and gains are.

    Attributes
    ----------
    name : str
        The metric's name, such as "bleu".
    higher_is_better : bool
        Whether a higher score is the better one. Gains are positive for the better system either way.
    as_percentage : bool
        Whether people are shown scores as percentages. Here they are fractions all the same.
    spec : str
        What a user writes for the metric, options included: "bleu:tokenize=zh". The name by default.
    signature : str or None
        Of what computed the rows: sacreBLEU's own, or the versions of packages. None where outscore did alone.
    title : str
        What people read: as papers write the metric, "BLEU (tokenize=zh)". The spec by default.
    score_range : tuple of (float, float) or None
        The lowest and the highest score, where they are known. Not written as JSON.
    """

    json_keys: ClassVar = "-score_range"

    name: str
    higher_is_better: bool
    as_percentage: bool
    spec: str = ""
    signature: str | None = None
    title: str = ""
    score_range: tuple[float, float] | None = None

    @property
    def factor(self) -> float:
        """What scores and gains are multiplied by where people see them: 100 for percentages."""
        return 100.0 if self.as_percentage else 1.0

    @property
    def heading(self) -> str:
        """The title with the unit of its scores: "accuracy (%)"."""
        return f"{self.title} (%)" if self.as_percentage else self.title

    @property
    def points(self) -> str:
        """What follows a gain as people see it: " points" for percentages."""
        return " points" if self.as_percentage else ""

    @property
    def gain_heading(self) -> str:
        """The title with the unit of its gains: "gain in accuracy, points"."""
        return f"gain in {self.title}, points" if self.as_percentage else f"gain in {self.title}"

    def __post_init__(self) -> None:
        if not self.spec:
            object.__setattr__(self, "spec", self.name)
        if not self.title:
            object.__setattr__(self, "title", self.spec)


# How intervals of a gain are made from its law, and what they are called in a sentence; tests name their own.
_INTERVALS = {
    "symmetric": "symmetric bootstrap",
    "percentile": "percentile bootstrap",
    "basic": "basic bootstrap",
    "bca": "BCa bootstrap",
}
_OF_TESTS = (
    "randomization",
    "t",
    "cr2-t",
    "skew-t",
    "wilcoxon",
    "sign",
    "score",
    "crossed-t",
    "two-way-t",
    "clopper-pearson",
    "korn-graubard",
)
_ONE_METHOD = f"({'|'.join((*_INTERVALS, *_OF_TESTS))})"
METHODS = Keywords(properties={"method": {"pattern": rf"^{_ONE_METHOD}(\+{_ONE_METHOD})?$"}})
OF_SCORE = Keywords(properties={"method": {"enum": ["clopper-pearson", "korn-graubard", "score", "skew-t"]}})


@dataclass(frozen=True)
class Interval:
    """An interval of a score or a gain.

    Attributes
    ----------
    low : float
        Lower end, in the unit of the score. Minus infinity where a one-sided test bounds the gain from above alone: in
        JSON None.
    high : float
        Upper end, in the unit of the score. Infinity where a one-sided test bounds the gain from below alone: in JSON
        None.
    confidence_level : float
        The level of the interval, such as 0.95.
    method : str
        How it was made: from the bootstrap law ("symmetric", "percentile", "basic", "bca"), or by the test that it
        inverts: "randomization", "t", "cr2-t", "skew-t", "wilcoxon", "score", "crossed-t",
        "two-way-t"; "a+b" is the least that holds both.
        "clopper-pearson" and "korn-graubard" of binary scores of one system, less a constant where there
        is one, "welch" of unpaired systems.
    exact : bool
        Whether it comes from an exact law rather than from resamples or an approximation.
    title : str
        What its method is called in a sentence: "Student's t". Not written as JSON.
    """

    json_keys: ClassVar = "-title"

    low: Null
    high: Null
    confidence_level: Level
    method: str
    exact: bool
    title: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if not self.title:
            object.__setattr__(self, "title", _INTERVALS.get(self.method, self.method))

    def reach(self, gain: float) -> float:
        """Return how far its ends are from the gain, the further one that is finite; 0 where none is."""
        return max((abs(end - gain) for end in (self.low, self.high) if math.isfinite(end)), default=0.0)

    def holds(self, gain: float) -> bool:
        """Say whether it holds this gain; its ends do."""
        return self.low <= gain <= self.high


@dataclass(frozen=True)
class Histogram:
    """The bootstrap law of the gain, in bins.

    Attributes
    ----------
    edges : tuple of float, length m + 1
        Gains, ascending; one more than there are bins.
    probabilities : tuple of float, length m
        What lies between two edges; the outermost bins hold the tails too.
    exact : bool
        Whether this is the exact law rather than resamples.
    law : str or None
        "t" where it is the t distribution by which a test over runs knows the gain.
    over : str or None
        Over what beside items, where that is not runs alone: "templates", "templates and runs".
    title : str
        What the law is called, with how it was computed in brackets to follow. Not written as JSON.
    """

    json_keys: ClassVar = "-title"

    edges: tuple[float, ...]
    probabilities: tuple[Share, ...]
    exact: bool
    law: Annotated[str | None, IfAny("0.4.0")] = None
    over: Annotated[str | None, IfAny("0.4.0")] = None
    title: str = "bootstrap law of the gain"

    @property
    def how(self) -> str:
        """How it was computed."""
        return "Student's t" if self.law is not None else "exact" if self.exact else "sampled"


class _PValue:
    """What the p-values of tests and of their checks have in common."""

    computation: str
    n_exceeding: int | None
    emulates: str | None = None

    @property
    def is_bound(self) -> bool:
        """Whether no resample reached the threshold, so that the p-value is an upper bound."""
        return self.emulates is None and (self.n_exceeding == 0 or self.computation.startswith("bound"))


@dataclass(frozen=True)
class Check(_PValue):
    """The same test computed another way (Yeh's double check): other resamples, or the exact law.

    Attributes
    ----------
    computation : str
        "Monte Carlo", or which exact law.
    seed : int or None
        The seed of these resamples. None where exact.
    p_value : float
        The p-value computed this way.
    p_value_low : float
        Lower end of its bracket.
    p_value_high : float
        Upper end of its bracket.
    n_resamples : int or None
        How many resamples. None where exact.
    n_exceeding : int or None
        How many of them met the event. None where exact.
    agrees : bool
        Whether this is compatible with the p-value reported: the exact value in the 99.9% interval of the sampled one,
        or two sampled counts that a 0.1% test does not tell apart.
    """

    computation: str
    seed: Seed | None
    p_value: PValue
    p_value_low: Share
    p_value_high: Share
    n_resamples: Positive | None
    n_exceeding: Natural | None
    agrees: bool


@dataclass(frozen=True)
class TestResult(_PValue):
    """One test of one pair of systems.

    Attributes
    ----------
    name : str
        The test's name, such as "bootstrap".
    title : str
        What it is called in a sentence: "paired bootstrap test". Not written as JSON.
    alternative : Alternative
    ties : Ties
        Whether a replicate equal to the threshold counts, or not.
    statistic : float or None
        t, z, chi-squared or W. None where the test has none; in JSON also where it is infinite.
    p_value : float
        The p-value before any correction: above 0, at most 1.
    adjusted_p_value : float
        After Holm's correction over all candidates of the comparison, test by test; `p_value` itself for an emulated
        test, as the tools emulated correct nothing.
    exact : bool
        Whether the p-value was derived from the null distribution: neither sampled nor asymptotic.
    computation : str
        How p was computed: "exact: lattice", ..., "Monte Carlo", "tilted", "bound: rarest resample"; or "asymptotic",
        from a distribution that the statistic has only in the limit or under assumptions: normal, t, chi-squared.
    n_resamples : int or None
        r: how many resamples. None where nothing was sampled.
    n_exceeding : int or None
        c: how many of them met the event. None where nothing was sampled, and of tilted resamples, which do not count
        alike.
    p_value_low : float
        Lower end of a bracket of p: the error bound where exact, Clopper-Pearson at 95% where sampled, log-normal at
        95% where tilted.
    p_value_high : float
        Upper end of the bracket of p.
    assumes_independence : bool
        Whether the test takes the scores of the two systems to be independent, which they are not (Yeh 2000).
    inflation : float or None
        By which factor, 1/sqrt(1 - r12), a test that assumes independence overstates the standard deviation. None for
        other tests and where it is not known; in JSON also where it is infinite.
    signature : str
        How this p-value came about.
    checks : tuple of Check
        The same test computed other ways; empty unless a double check was asked for.
    emulates : str or None
        The tool whose formula the test reproduces, such as "sacreBLEU", to be compared with, and never first. None for
        outscore's own tests.
    unit : str
        What is resampled or swapped.
    n_units : int or None
        How many of them; of responses, those that the systems do not share. None where not known.
    reason : str or None
        Why the default took this test. None where that is the bootstrap, and where a user named the test.
    df : float or None
        Degrees of freedom, of a test over runs.
    distribution : str or None
        Which distribution an asymptotic p-value is from: "t distribution", "normal distribution". None for others.
    """

    __test__ = False  # not a test class, whatever pytest thinks of its name

    json_keys: ClassVar = (
        "name alternative ties p_value adjusted_p_value exact n_resamples n_exceeding p_value_low p_value_high "
        "assumes_independence statistic computation inflation signature checks unit n_units emulates reason -title"
    )

    name: str
    title: str
    alternative: Alternative
    ties: Ties
    statistic: Null | None
    p_value: PValue
    adjusted_p_value: PValue
    exact: bool
    computation: str
    n_resamples: Positive | None
    n_exceeding: Natural | None
    p_value_low: Share
    p_value_high: Share
    assumes_independence: bool
    inflation: Annotated[Null, Keywords(minimum=0)] | None
    signature: str
    checks: tuple[Check, ...] = ()
    emulates: str | None = None
    unit: Annotated[str, Keywords(enum=["item", "cluster", "task", "response"])] = "item"
    n_units: Natural | None = None
    reason: str | None = None
    df: Annotated[float | None, IfAny("0.4.0")] = None
    distribution: Annotated[str | None, IfAny("0.8.0")] = None


class LeftOut(NamedTuple):
    """A test that was left out where all were asked for.

    Attributes
    ----------
    name : str
        The test's name.
    reason : str
        Why it does not apply.
    """

    name: str
    reason: str


@deferring("interval", "helped", "hurt", "unchanged", "correlation", "histogram", "warnings")
@dataclass(frozen=True, repr=False)
class Comparison(Shown, OfComparison):
    """One candidate against the baseline; what takes time beside the verdict is computed when it is asked for.

    Attributes
    ----------
    metric : MetricDescription
    baseline : str
        The baseline's name.
    candidate : str
        The candidate's name.
    baseline_score : float
        The baseline's score; a fraction, never a percentage.
    candidate_score : float
        The candidate's score; a fraction, never a percentage.
    gain : float
        How much better the candidate scores, in the unit of the score: positive where it is better, also for metrics
        where lower is better.
    interval : Interval
        Of the gain.
    helped : int or None
        Items on which the candidate's own score is better; with `hurt` and `unchanged` they add up to the items whose
        strata have a weight above 0. None where single items have no score.
    hurt : int or None
        Items on which it is worse. None where single items have no score.
    unchanged : int or None
        Items on which it is the same. None where single items have no score.
    n_items : int
    n_units : int
        Clusters where there are clusters, else items.
    n_candidates : int
        How many were compared with the baseline, and Holm's correction goes over.
    correlation : float or None
        r12, of the two systems' scores, item by item. None where one of them is constant or items have no score.
    claim : Claim
        What is claimed of the candidate.
    margin : float or None
        The largest loss that would not matter, in the unit of the score. None for the claim "better".
    alpha : float
        The level of the verdict.
    verdict : Verdict
        What the first test says of the claim, by its adjusted p-value.
    tests : tuple of TestResult
        In the order asked for; the verdict rests on the first.
    histogram : Histogram
        The bootstrap law of the gain, in bins.
    left_out : tuple of LeftOut
        Tests left out where all were asked for.
    warnings : tuple of str
        What a reader must know, a sentence each: a sampled p-value too close to alpha, a degenerate case, left items.
    findings : tuple of Finding
        What there is to know of whatever was sampled or declared beside items, in the order of reports. In JSON and as
        attributes their values have names of their own, which follow.
    withheld : str or None
        Why the first test gives no verdict on these data, in a sentence that the warnings hold as well. The verdict is
        then "inconclusive". None where the test gives a verdict.
    """

    json_keys: ClassVar = (
        "baseline candidate baseline_score candidate_score gain interval helped hurt unchanged correlation claim "
        "margin alpha verdict tests left_out warnings histogram sentence -metric -n_items -n_units -n_candidates"
    )

    metric: MetricDescription
    baseline: str
    candidate: str
    baseline_score: float
    candidate_score: float
    gain: float
    interval: Annotated[Interval, METHODS]
    helped: Natural | None
    hurt: Natural | None
    unchanged: Natural | None
    n_items: Positive
    n_units: Positive
    n_candidates: Positive
    correlation: Annotated[float, Keywords(minimum=-1, maximum=1)] | None
    claim: Claim
    margin: Annotated[float, Keywords(exclusiveMinimum=0)] | None
    alpha: Level
    verdict: Verdict
    tests: tuple[TestResult, ...]
    histogram: Histogram
    left_out: tuple[LeftOut, ...] = ()
    warnings: Messages = ()
    findings: tuple[Finding, ...] = ()
    withheld: Annotated[str | None, IfAny("0.8.0")] = None

    @property
    def sentence(self) -> str:
        """The result in one sentence, for a paper: scores, gain, interval, the first test and how it was computed."""
        return sentence_of(self)

    @property
    def alone(self) -> ComparisonResult:
        """The result that holds this comparison and nothing else; its signature says the rest."""
        signature = self.tests[0].signature if self.tests else ""
        said = dict(part.split(":", 1) for part in signature.split("|") if ":" in part)
        version, seed = said.get("version", __version__), int(said.get("seed", 0))
        return ComparisonResult(self.metric, self.n_items, self.n_units, (self,), signature, version, seed)

    def _form(self) -> object:
        return self.alone

    def _reported(self) -> Sequence[ComparisonResult]:
        return (self.alone,)

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row a test, with what there is to know of the comparison in each."""
        columns = (
            "metric=metric.spec baseline candidate baseline_score candidate_score gain interval.low interval.high "
            "confidence_level=interval.confidence_level interval.method helped hurt unchanged n_items n_units "
            "correlation margin alpha claim verdict test=name alternative p_value adjusted_p_value p_value_low "
            "p_value_high exact n_resamples n_exceeding signature"
        )
        return table(columns, [(self, test) for test in self.tests or (None,)], kinds=(Comparison, TestResult))


@dataclass(frozen=True, repr=False)
class ComparisonResult(Shown):
    """Candidates against one baseline, on one metric.

    Written by outscore compare as JSON.

    Attributes
    ----------
    metric : MetricDescription
    n_items : int
        Items of the test set.
    n_units : int
        What is resampled or swapped: clusters where there are clusters, else items.
    comparisons : tuple of Comparison
        One a candidate, in the order given.
    signature : str
        Of the first test of the first comparison, in the manner of sacreBLEU: "test:bootstrap|alternative:greater|...".
    version : str
    seed : int
    pairing : PairingAudit or None
        Of systems in logs of evaluation harnesses: how these were paired.
    """

    schema: ClassVar = "outscore/comparison/1"
    json_keys: ClassVar = "version signature metric n_items n_units comparisons seed"
    later_types: ClassVar = {"PairingAudit": "outscore.results.audit"}

    metric: MetricDescription
    n_items: Positive
    n_units: Positive
    comparisons: Annotated[tuple[Comparison, ...], Keywords(minItems=1)]
    signature: Signature
    version: Version
    seed: Seed
    pairing: Annotated[PairingAudit | None, IfAny("0.5.0")] = None

    @property
    def sentences(self) -> tuple[str, ...]:
        """One sentence a candidate, in their order; see `Comparison.sentence`."""
        return tuple(comparison.sentence for comparison in self.comparisons)

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row a candidate and test."""
        return Table.joined([comparison.records() for comparison in self.comparisons])


@dataclass(frozen=True, repr=False)
class ComparisonResults(Several[ComparisonResult]):
    """Comparisons on several metrics.

    Written by outscore compare with several metrics as JSON.

    Attributes
    ----------
    results : tuple of ComparisonResult
        One a metric, in the order given; also by iteration, and by index.
    """

    schema: ClassVar = "outscore/comparisons/1"

    results: Annotated[tuple[ComparisonResult, ...], Keywords(minItems=1)]

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """All comparisons, metric by metric."""
        return tuple(c for result in self.results for c in result.comparisons)

    @property
    def sentences(self) -> tuple[str, ...]:
        """One sentence a metric and candidate."""
        return tuple(c.sentence for c in self.comparisons)


# Values as text.


def comparison_format(comparison: Comparison) -> ScoreFormat:
    """Return how the scores and gains of a comparison are written."""
    interval = comparison.interval
    return score_format(
        [comparison.baseline_score, comparison.candidate_score],
        [2 * interval.reach(comparison.gain)],
        [comparison.gain],
        percentage=comparison.metric.as_percentage,
        thresholds=() if comparison.margin is None else (-comparison.margin, comparison.margin),
        add_up=True,
    )


def format_test_p(test: TestResult | Check, alpha: float) -> str:
    """Write the p-value of a test before any correction: "0.0123", or "≤ 1e-05" where it is a bound."""
    return format_p(test.p_value, alpha, bound=test.is_bound)


def format_adjusted_p(test: TestResult, alpha: float) -> str:
    """Write a p-value after Holm's correction; nothing where the test emulates a tool that corrects nothing."""
    return "" if test.emulates else format_p(test.adjusted_p_value, alpha, bound=test.is_bound)
