"""Results of comparisons: frozen and typed, without computation.

Reports are pure functions of these fields.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar

from outscore._version import __version__
from outscore.results.findings import Finding, OfComparison
from outscore.results.intervals import INTERVAL_COLUMNS, METHODS, Interval
from outscore.results.parts import Parts
from outscore.results.record import (
    Level,
    Margin,
    Messages,
    Natural,
    Null,
    Positive,
    PValue,
    Seed,
    Share,
    Signature,
    Size,
    Table,
    Version,
    doc,
    first_of,
    record,
    table,
)
from outscore.results.shown import Several, Shown, sentence_of
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
        """The sidedness of a test: "one-sided" or "two-sided"."""
        return "two-sided" if self is Alternative.TWO_SIDED else "one-sided"


class Ties(StrEnum):
    """Whether a replicate equal to the threshold counts (≥, conservative) or not (>, as in BK12)."""

    COUNT = "count"
    STRICT = "strict"


class Estimator(StrEnum):
    """The estimator of a p-value from c of r resamples: (c + 1)/(r + 1), or c/r as printed by BK12 and Jansen."""

    ADD_ONE = "add-one"
    PLAIN = "plain"


class Method(StrEnum):
    """How distributions are computed: exactly if possible, always exactly or else an error, or by sampling."""

    AUTO = "auto"
    EXACT = "exact"
    MONTE_CARLO = "monte-carlo"


class Claim(StrEnum):
    """The claim about the candidate."""

    BETTER = "better"
    NOT_WORSE = "not-worse"
    EQUIVALENT = "equivalent"


class IntervalMethod(StrEnum):
    """How an interval of the gain is computed: by the test of the verdict, or from the bootstrap distribution."""

    TEST = "test"
    PERCENTILE = "percentile"
    BASIC = "basic"
    BCA = "bca"


class RunLaw(StrEnum):
    """The distribution of the crossed t test: t with Satterthwaite's degrees of freedom, or a sum of several."""

    SATTERTHWAITE = "satterthwaite"
    FIDUCIAL = "fiducial"


class Verdict(StrEnum):
    """The verdict on the claim. A large p-value is never evidence of equality."""

    BETTER = "better"
    WORSE = "worse"
    EQUIVALENT = "equivalent"
    NOT_WORSE = "not worse"
    INCONCLUSIVE = "inconclusive"


class Family(StrEnum):
    """The comparisons that are corrected together: those of one metric's table, its candidates or its datasets, or all.

    With several datasets, the table of a metric has a comparison for each candidate and dataset. The averages over
    datasets are another table.
    """

    TABLE = "table"
    CANDIDATES = "candidates"
    DATASETS = "datasets"
    ALL = "all"


@record
class Multiplicity:
    """The family of a p-value and its correction. Each test is corrected separately."""

    family: Family = doc(
        '"table": every comparison of one metric, candidates times datasets. "candidates": all candidates on one '
        'metric and dataset. "datasets": one candidate and metric on all datasets. "all": every comparison, of all '
        "metrics.",
        default=Family.TABLE,
    )
    size: Positive = doc("Number of comparisons in the family.", default=1)
    correction: str = doc('"holm", or "none" if the family has one comparison.', default="none", enum=["holm", "none"])


UNCORRECTED = Multiplicity()


@record
class MetricDescription:
    """The metric, which sets the unit of all scores and gains."""

    json_keys: ClassVar = "-score_range"

    name: str = doc('The metric\'s name, such as "bleu".')
    higher_is_better: bool = doc(
        "Whether higher scores are better. Gains are positive for the better system in either case."
    )
    as_percentage: bool = doc("Whether reports show scores as percentages. In results they are always fractions.")
    spec: str = doc(
        'The metric as written by users, including options: "bleu:tokenize=zh". Default: the name.', default=""
    )
    signature: str | None = doc(
        "The signature of the software that computed the statistics: sacreBLEU's own, or versions of packages. None "
        "for outscore's own metrics.",
        default=None,
    )
    title: str = doc('The name for readers, as in papers: "BLEU (tokenize=zh)". Default: the spec.', default="")
    score_range: tuple[float, float] | None = doc(
        "The lowest and the highest score, if known. Not part of the JSON.", default=None
    )

    @property
    def factor(self) -> float:
        """Factor for scores and gains in reports: 100 for percentages."""
        return 100.0 if self.as_percentage else 1.0

    @property
    def heading(self) -> str:
        """The title with the unit of its scores: "accuracy (%)"."""
        return f"{self.title} (%)" if self.as_percentage else self.title

    @property
    def points(self) -> str:
        """The unit of a gain in reports: " points" for percentages, else empty."""
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


@record
class Histogram:
    """The bootstrap distribution of the gain, in bins."""

    json_keys: ClassVar = "-title"

    edges: tuple[float, ...] = doc("The edges of the bins, in ascending order.")
    probabilities: tuple[Share, ...] = doc("The probability of each bin; the outermost bins include the tails.")
    exact: bool = doc("Whether this is the exact distribution rather than resamples.")
    law: str | None = doc('"t" for the t distribution of a test over runs.', default=None, since="0.4.0")
    over: str | None = doc(
        'The factors besides items, if not only runs: "templates", "templates and runs".', default=None, since="0.4.0"
    )
    title: str = doc(
        "The name of the distribution, to be followed by its computation in parentheses. Not part of the JSON.",
        default="bootstrap distribution of the gain",
    )

    @property
    def how(self) -> str:
        """How the distribution was computed."""
        return "Student's t" if self.law is not None else "exact" if self.exact else "sampled"


@record
class TestedQuantity:
    """What a test found about the quantity that it tests, if that is not the gain."""

    __test__ = False  # not a test class, despite its name

    quantity: str = doc('The quantity: "share of wins", "pseudo-median".')
    direction: Verdict = doc("The verdict on this quantity, not on the gain.")
    estimate: float = doc("The estimate, positive (or above 1/2) if it favours the candidate.")
    null: float = doc("The value that the null hypothesis gives it: 0 or 1/2, or the margin.")
    interval: Interval | None = doc(
        "Its interval; null if there is none. An end that equals `null` belongs to it only if the test does not "
        "reject.",
        properties=METHODS,
    )
    unit: str = doc(
        '"score" (the unit of the metric), "count" (of items\' counts, such as errors, or of the sums of unequal '
        'clusters) or "share" (0 to 1).',
        enum=["score", "count", "share"],
    )
    wins: Natural | None = doc(
        "For the share of wins, the number of units on which the candidate is better.", default=None, since="1.0.0"
    )
    losses: Natural | None = doc(
        "For the share of wins, the number of units on which it is worse.", default=None, since="1.0.0"
    )
    pairs_above: Share | None = doc(
        "For the pseudo-median, the share of pairs of units whose summed difference favours the candidate, with ties "
        "as half. None for claims with a margin.",
        default=None,
        since="1.0.0",
    )
    median: float | None = doc(
        "For the share of wins, the median of the differences in the unit of the score. None if units have different "
        "weights.",
        default=None,
        since="1.0.0",
    )
    median_interval: Interval | None = doc(
        "The interval of that median, from two ordered differences.", default=None, since="1.0.0", properties=METHODS
    )


SHARE_OF_WINS = "share of wins"
SHARE_OF_PAIRS = "share of pairs won"
RESPONSE = "response"  # the unit of a test that swaps single responses
DISTRIBUTION = "distribution"  # of tests of one distribution, which are not about any quantity
PSEUDO_MEDIAN = "pseudo-median"


class _PValue:
    """Properties of the p-values of tests and of their checks."""

    computation: str
    n_exceeding: int | None
    emulates: str | None = None

    @property
    def is_bound(self) -> bool:
        """Whether no resample reached the threshold, so that the p-value is an upper bound."""
        return self.emulates is None and (self.n_exceeding == 0 or self.computation.startswith("bound"))


@record
class Check(_PValue):
    """The same test computed in another way (Yeh's double check): other resamples, or the exact distribution."""

    computation: str = doc('"Monte Carlo", or the exact distribution.')
    seed: Seed | None = doc("The random seed of these resamples. None if exact.")
    p_value: PValue = doc("The p-value computed this way.")
    p_value_low: Share = doc("Lower end of its interval.")
    p_value_high: Share = doc("Upper end of its interval.")
    n_resamples: Positive | None = doc("Number of resamples. None if exact.")
    n_exceeding: Natural | None = doc("Number of resamples that reached the statistic. None if exact.")
    agrees: bool = doc(
        "Whether this agrees with the reported p-value: the exact value is in the 99.9% interval of the sampled one, "
        "or two sampled counts do not differ at the 0.1% level."
    )


@record
class Moments:
    """The numbers from which p and the interval of the default test follow: moments of the influences of units."""

    standard_error: Size = doc("The root of the sum of squares of the influences, in the unit of the score.")
    t: float = doc("The gain, less that of the null hypothesis, over the standard error: not corrected for skewness.")
    skewness: float = doc("The skewness of the gain: sum of cubes over the standard error's cube.")
    effective_units: Size = doc(
        "The effective number of units with the variance: the fourth power of the standard error over the sum of "
        "fourth powers."
    )
    df: Size = doc("Degrees of freedom from the design alone: sizes of units, strata, runs.")
    cautious: bool = doc("Whether a stratum has fewer than 10 units, so that a lower threshold of skewness is used.")
    p_value_corrected_from: PValue = doc(
        "The p-value that corrections for several comparisons start from: always with the lower threshold, because "
        "small skewness counts more the farther out in the tail."
    )


@record
class TestResult(_PValue):
    """One test of one pair of systems."""

    __test__ = False  # not a test class, despite its name

    json_keys: ClassVar = (
        "name alternative ties p_value adjusted_p_value exact n_resamples n_exceeding p_value_low p_value_high "
        "assumes_independence statistic computation inflation signature checks unit n_units emulates reason -title"
    )

    name: str = doc('The test\'s name, such as "bootstrap".')
    title: str = doc('The name in a sentence: "paired bootstrap test". Not part of the JSON.')
    alternative: Alternative
    ties: Ties = doc("Whether a resample equal to the observed value counts.")
    statistic: Null | None = doc(
        "t, z, chi-squared or W. None if the test has none; in JSON also null if it is infinite."
    )
    p_value: PValue = doc("The p-value before any correction: above 0, at most 1.")
    adjusted_p_value: PValue = doc(
        "p-value after Holm's correction over the family of the comparison, for each test separately; `p_value` itself "
        "for an emulated test, as the emulated tools do not correct."
    )
    exact: bool = doc("Whether the p-value is exact: neither sampled nor asymptotic.")
    computation: str = doc(
        'How p was computed: "exact: lattice", ..., "Monte Carlo", "bound: rarest resample"; or "asymptotic", from a '
        "distribution that holds in the limit or under assumptions: normal, t, chi-squared."
    )
    n_resamples: Positive | None = doc("r, the number of resamples. None if nothing was sampled.")
    n_exceeding: Natural | None = doc(
        "c, the number of resamples that reached the statistic. None if nothing was sampled."
    )
    p_value_low: Share = doc(
        "Lower end of an interval of p: the error bound if exact, Clopper-Pearson at 95% if sampled."
    )
    p_value_high: Share = doc("Upper end of the interval of p.")
    assumes_independence: bool = doc(
        "Whether the test assumes that the scores of the two systems are independent, which they are not (Yeh 2000)."
    )
    inflation: Null | None = doc(
        "Factor 1/sqrt(1 - r12), with r12 the correlation between the systems' scores, by which a test that assumes "
        "independence overstates the standard deviation. None for other tests and if unknown; in JSON also null if it "
        "is infinite.",
        minimum=0,
    )
    signature: str = doc("The settings of this p-value, as text.", deferred=True)
    checks: tuple[Check, ...] = doc("The same test computed in other ways; empty without a double check.", default=())
    emulates: str | None = doc(
        'The tool whose formula the test reproduces for comparison, such as "sacreBLEU"; it is never the first test. '
        "None for outscore's own tests.",
        default=None,
    )
    unit: str = doc(
        "The unit that is resampled or swapped.", default="item", enum=["item", "cluster", "task", "response"]
    )
    n_units: Natural | None = doc(
        "Number of units; for responses, those that the systems do not share. None if unknown.", default=None
    )
    reason: str | None = doc(
        "Why the default chose this test. None for the bootstrap, and if the user chose the test.", default=None
    )
    df: float | None = doc("Degrees of freedom of a test over runs.", default=None, since="0.4.0")
    distribution: str | None = doc(
        'The distribution of an asymptotic p-value: "t distribution", "normal distribution". None for others.',
        default=None,
        since="1.0.0",
    )
    moments: Moments | None = doc(
        "The numbers from which the skewness-corrected t-test follows. None for other tests, and if all units have the "
        "same gain.",
        default=None,
        since="1.0.0",
    )
    quantity: str | None = doc(
        'What the test tests, if that is not the gain: "share of wins", "pseudo-median". None if it is the gain.',
        default=None,
        since="1.0.0",
    )
    sign: int | None = doc(
        "The direction of its statistic, if it does not test the gain: 1 if it favours the candidate, -1 if it favours "
        "the baseline.",
        default=None,
        since="1.0.0",
        minimum=-1,
        maximum=1,
    )

    # An emulated tool, and a single comparison, have a factor of 1.
    @property
    def correction_factor(self) -> float:
        """The corrected p-value over the own one; for skewed gains it contains the step to `p_value_corrected_from`."""
        return self.adjusted_p_value / self.p_value


@record
class LeftOut:
    """A test that was left out when all tests were requested."""

    name: str = doc("The test's name.")
    reason: str = doc("Why it does not apply.")


@record
class NextStep:
    """What an inconclusive comparison needs: units with which a true gain of the observed size has 80% power."""

    unit: str = doc('What is counted: "item" or "cluster".')
    n_units: Positive = doc("The present number.")
    low: float = doc("The number needed, or the low end of its range; infinite if it is too large to be of use.")
    high: float = doc("The high end.")
    detectable: float | None = doc(
        "If the number is too large: the true gain that is found with 80% power on the present number. None if new "
        "runs, templates or raters are what makes it too large.",
        default=None,
    )

    @property
    def is_known(self) -> bool:
        """Whether there is a number."""
        return math.isfinite(self.low)

    @property
    def is_out_of_reach(self) -> bool:
        """Whether more units alone do not suffice."""
        return math.isinf(self.low) and self.detectable is None


@record
class Comparison(Shown, OfComparison):
    """One candidate against the baseline. Fields that take long to compute are computed on access."""

    json_keys: ClassVar = (
        "baseline candidate baseline_score candidate_score gain interval helped hurt unchanged correlation claim "
        "margin alpha verdict tests left_out warnings histogram sentence -metric -n_items -n_units "
        "-decimals -tests_named -second -contrary -next_step"
    )

    metric: MetricDescription
    baseline: str = doc("The baseline's name.")
    candidate: str = doc("The candidate's name.")
    baseline_score: float = doc("The baseline's score; a fraction, never a percentage.")
    candidate_score: float = doc("The candidate's score; a fraction, never a percentage.")
    gain: float = doc(
        "The difference in score, turned so that positive is better, also for metrics where lower is better; in the "
        "unit of the score."
    )
    interval: Interval = doc(
        "The confidence interval of the gain. If the first test does not test the gain, it is the default test's, and "
        "reports show that of `found`.",
        properties=METHODS,
        deferred=True,
    )
    helped: Natural | None = doc(
        "Wins: items on which the candidate scores better. Wins, losses and ties sum to the items in strata with a "
        "weight above 0. None if the metric has no scores per item.",
        deferred=True,
    )
    hurt: Natural | None = doc(
        "Losses: items on which it scores worse. None if the metric has no scores per item.", deferred=True
    )
    unchanged: Natural | None = doc(
        "Ties: items on which both score the same. None if the metric has no scores per item.", deferred=True
    )
    n_items: Positive
    n_units: Positive = doc("Number of clusters if there are any, else of items.")
    correlation: float | None = doc(
        "The correlation between the systems' scores per item. None if one of them is constant or the metric has no "
        "scores per item.",
        minimum=-1,
        maximum=1,
        deferred=True,
    )
    claim: Claim = doc("The claim on the candidate.")
    margin: Margin | None = doc('The largest tolerated loss, in the unit of the score. None for the claim "better".')
    alpha: Level = doc("The level of the verdict.")
    verdict: Verdict = doc(
        "The verdict of the first test on the claim, by its adjusted p-value. It has the direction of the test's own "
        'statistic; "inconclusive" if the gain points the other way.'
    )
    tests: tuple[TestResult, ...] = doc("Tests in the order given; the first gives the verdict.", deferred=True)
    histogram: Histogram = doc("The bootstrap distribution of the gain, in bins.", deferred=True)
    left_out: tuple[LeftOut, ...] = doc("Tests that were left out when all were requested.", default=())
    warnings: Messages = doc(
        "Warnings, one sentence each: a sampled p-value too close to alpha, a degenerate case, omitted items.",
        default=(),
        deferred=True,
    )
    findings: tuple[Finding, ...] = doc(
        "Findings on factors besides items, in the order of reports. In JSON and as attributes, their values have "
        "separate names, which follow.",
        default=(),
    )
    withheld: str | None = doc(
        "Why the first test gives no verdict on these data, in a sentence that is also a warning. The verdict is then "
        '"inconclusive". None if the test gives a verdict.',
        default=None,
        since="1.0.0",
        deferred=True,
    )
    found: TestedQuantity | None = doc(
        "What the first test found, if it does not test the gain. None if it tests the gain.",
        default=None,
        since="1.0.0",
        deferred=True,
    )
    decimals: int | None = doc(
        "The number of decimals in reports, the same for all candidates of a result. None if it depends on this "
        "comparison only. Not part of the JSON.",
        default=None,
        deferred=True,
    )
    tests_named: bool = doc(
        "Whether the tests were named, rather than chosen by default. Not part of the JSON.", default=False
    )
    multiplicity: Multiplicity = doc(
        "The family over which the p-values of the first test are corrected.", default=UNCORRECTED, since="1.0.0"
    )
    second: TestResult | None = doc(
        "The paired bootstrap, which follows the default test, if its exact p-value costs next to nothing, as for "
        "scores on a grid. Not part of the JSON, where it is in `tests`.",
        default=None,
        deferred=True,
    )
    contrary: str | None = doc(
        "A sentence if the paired bootstrap, which follows the default test, would decide differently, with the "
        "reason. Not part of the JSON.",
        default=None,
        deferred=True,
    )
    next_step: NextStep | None = doc(
        "The number of items with which a true gain of this size would be found. None unless the verdict is "
        "inconclusive. Not part of the JSON.",
        default=None,
        deferred=True,
    )

    @property
    def test(self) -> TestResult:
        """The first test, which gives the verdict."""
        first: TestResult = first_of(self, "tests")
        return first

    @property
    def named_tests(self) -> Sequence[TestResult]:
        """The tests that the user named, or only the first test. Further tests beside the default are for details."""
        return self.tests if self.tests_named else (self.test,)

    @property
    def p_value(self) -> float:
        """The p-value of the first test, before any correction; the verdict uses `adjusted_p_value`."""
        return self.test.p_value

    @property
    def adjusted_p_value(self) -> float:
        """The p-value of the first test after Holm's correction over its family; see `multiplicity`."""
        return self.test.adjusted_p_value

    @property
    def sentence(self) -> str:
        """The result in one sentence, for a paper: scores, gain, interval, the first test and how it was computed."""
        return sentence_of(self)

    @property
    def alone(self) -> ComparisonResult:
        """The result with only this comparison; its signature has the settings."""
        signature = self.test.signature
        parts = dict(part.split(":", 1) for part in signature.split("|") if ":" in part)
        version, seed = parts.get("version", __version__), int(parts.get("seed", 0))
        return ComparisonResult(self.metric, self.n_items, self.n_units, (self,), signature, version, seed)

    def _form(self) -> object:
        return self.alone

    def _reported(self) -> Sequence[ComparisonResult]:
        return (self.alone,)

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row per test, with the data of the comparison in each."""
        columns = (
            "metric=metric.spec baseline candidate baseline_score candidate_score gain "
            f"{INTERVAL_COLUMNS} interval.method helped hurt unchanged n_items n_units "
            "correlation margin alpha claim verdict test=name alternative p_value adjusted_p_value p_value_low "
            "p_value_high exact n_resamples n_exceeding signature"
        )
        return table(columns, [(self, test) for test in self.tests], kinds=(Comparison, TestResult))


class AnyComparison(Protocol):
    """Properties of comparisons of pairs and of independent samples."""

    @property
    def baseline(self) -> str: ...
    @property
    def candidate(self) -> str: ...
    @property
    def baseline_score(self) -> float: ...
    @property
    def candidate_score(self) -> float: ...
    @property
    def gain(self) -> float: ...
    @property
    def interval(self) -> Interval: ...
    @property
    def verdict(self) -> Verdict: ...
    @property
    def p_value(self) -> float: ...


Compared = TypeVar("Compared", bound=AnyComparison)


class OneComparison(Parts[Compared]):
    """A result whose only comparison has its attributes on the result; with several they raise an error."""

    _part = "candidate"

    def _labels(self, part: Compared) -> Sequence[Collection[str]]:
        return ((part.candidate,),)

    @property
    def baseline(self) -> str:
        """The baseline's name."""
        return self._all_parts()[0].baseline

    @property
    def candidate(self) -> str:
        """The candidate's name, if there is one candidate."""
        return self._only.candidate

    @property
    def baseline_score(self) -> float:
        """The baseline's score, if there is one candidate; a fraction, never a percentage."""
        return self._only.baseline_score

    @property
    def candidate_score(self) -> float:
        """The candidate's score, if there is one candidate; a fraction, never a percentage."""
        return self._only.candidate_score

    @property
    def gain(self) -> float:
        """The gain, if there is one candidate: positive if it is better than the baseline."""
        return self._only.gain

    @property
    def interval(self) -> Interval:
        """The confidence interval of the gain, if there is one candidate."""
        return self._only.interval

    @property
    def p_value(self) -> float:
        """The p-value of the first test, if there is one candidate."""
        return self._only.p_value

    @property
    def verdict(self) -> Verdict:
        """The verdict of the first test, if there is one candidate."""
        return self._only.verdict


@record
class ComparisonResult(Shown, OneComparison[Comparison]):
    """Candidates against one baseline, on one metric.

    This is the JSON output of outscore compare. The attributes of `Comparison` that are needed most, such as `p_value`,
    `gain` and `verdict`, are attributes of the result as well if there is one candidate. With several,
    ``result["name"]`` is the comparison of one candidate, and iteration returns them in turn.
    """

    schema: ClassVar = "outscore/comparison/1"
    json_keys: ClassVar = "version signature metric n_items n_units comparisons seed"
    later_types: ClassVar = {"PairingAudit": "outscore.results.audit"}

    metric: MetricDescription
    n_items: Positive = doc("Number of items in the test set.")
    n_units: Positive = doc("Number of resampling units: clusters if there are any, else items.")
    comparisons: tuple[Comparison, ...] = doc("One per candidate, in the order given.", minItems=1)
    signature: Signature = doc(
        "The signature of the first test of the first comparison, in the style of sacreBLEU: "
        '"test:bootstrap|alternative:greater|...".',
        deferred=True,
    )
    version: Version
    seed: Seed
    pairing: PairingAudit | None = doc(
        "How evaluation logs were paired; null for other systems.", default=None, since="0.5.0"
    )

    @property
    def sentences(self) -> tuple[str, ...]:
        """One sentence per candidate, in their order; see `Comparison.sentence`."""
        return tuple(comparison.sentence for comparison in self.comparisons)

    @property
    def sentence(self) -> str:
        """The sentence of the comparison, if there is one candidate; see `Comparison.sentence`."""
        return self._only.sentence

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of the comparison, if there is one candidate."""
        return self._only.warnings

    def _all_parts(self) -> Sequence[Comparison]:
        return self.comparisons

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row per candidate and test."""
        return Table.joined([comparison.records() for comparison in self.comparisons])


@record
class ComparisonResults(Several[ComparisonResult]):
    """Comparisons on several metrics.

    This is the JSON output of outscore compare with several metrics.
    """

    schema: ClassVar = "outscore/comparisons/1"

    results: tuple[ComparisonResult, ...] = doc(
        "One per metric, in the order given; the object can also be iterated, and indexed by number or by the metric's "
        'name: ``results["bleu"]``.',
        minItems=1,
    )

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """All comparisons, metric by metric."""
        return tuple(c for result in self.results for c in result.comparisons)

    @property
    def sentences(self) -> tuple[str, ...]:
        """One sentence per metric and candidate."""
        return tuple(c.sentence for c in self.comparisons)


# Values as text.


def comparison_format(comparison: Comparison) -> ScoreFormat:
    """Return how the scores and gains of a comparison are written."""
    written = format_of_all([comparison])
    return written if comparison.decimals is None else replace(written, decimals=comparison.decimals)


def format_of_all(comparisons: Sequence[Comparison]) -> ScoreFormat:
    """Return how the scores and gains of several candidates on one metric are written, by all of their intervals."""
    first = comparisons[0]
    scores = [score for c in comparisons for score in (c.baseline_score, c.candidate_score)]
    form = score_format(
        scores,
        [c.interval.reach(c.gain) for c in comparisons],
        [gain for c in comparisons for gain in (c.gain, c.interval.low, c.interval.high)],
        percentage=first.metric.as_percentage,
        thresholds=() if first.margin is None else (-first.margin, first.margin),
    )
    # The scores of many systems in a table do not add up with few decimals.
    return form.adding_up(scores, first.gain) if len(comparisons) == 1 else form


def format_test_p(test: TestResult | Check, alpha: float) -> str:
    """Write the p-value of a test before any correction: "0.0123", or "≤ 1e-05" for a bound."""
    return format_p(test.p_value, alpha, bound=test.is_bound)


def format_adjusted_p(test: TestResult, alpha: float) -> str:
    """Write a p-value after Holm's correction; empty if the test emulates a tool that does not correct."""
    return "" if test.emulates else format_p(test.adjusted_p_value, alpha, bound=test.is_bound)
