"""Results on systems that are not paired: scores with their intervals, and two independent samples."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar

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
from outscore.results.intervals import INTERVAL_COLUMNS, OF_SCORE, Interval
from outscore.results.parts import Parts
from outscore.results.record import (
    UNITS,
    Level,
    Messages,
    Null,
    Positive,
    Seed,
    Share,
    Signature,
    Size,
    Version,
    doc,
    record,
    table,
)
from outscore.results.shown import Shown


@record
class StandardError:
    """The standard error of a score over test sets of the same kind and size."""

    value: Size
    method: str = doc(
        '"analytic" of a mean of items: their standard deviation with n - 1 over the root of n; else "jackknife" of '
        "what is resampled."
    )


@record
class SystemScore:
    """The score of one system on one metric."""

    json_keys: ClassVar = "-standard_error"

    system: str = doc("The system's name.")
    metric: MetricDescription
    score: float = doc("The score; a fraction, never a percentage.")
    interval: Interval = doc(
        'The interval of the score, over test sets of the same kind and size. Its method is "clopper-pearson" (binary '
        'scores of independent items), "korn-graubard" (binary scores in clusters, strata or with weights), "score" '
        '(means and ratios of sums with a known range) or "skew-t". An end is infinite (in JSON null) if the score is '
        "undefined without one of the units and the metric has no bound on that side.",
        properties=OF_SCORE,
    )
    n_items: Positive = doc("Number of scored items.")
    n_units: int = doc("Number of clusters if there are any, else of items.", minimum=2)
    over: str | None = doc("The averages that scores are, as for a comparison.", default=None, since="0.4.0")
    test_set: str | None = doc(
        'The test set if there are several, or "average" for their mean with equal weights.',
        default=None,
        since="0.4.0",
    )
    standard_error: StandardError | None = doc(
        "The standard error. None for scores over new runs, and if it takes too long. Not part of the JSON.",
        default=None,
    )
    prediction_powered: PredictionPowered | None = doc(
        "For human labels of some items and a judge's labels of all.", default=None, since="1.0.0"
    )
    overstatement: Size | None = doc(
        "For the best of several systems: the largest expected part of the score that is due to the choice, in the "
        "unit of the score. None without a standard error.",
        default=None,
        since="1.0.0",
    )
    interval_as_chosen: Interval | None = doc(
        "For the best of several systems: the interval of the score, which allows for the choice.",
        default=None,
        since="1.0.0",
        properties=OF_SCORE,
    )


@record
class ScoreResult(Shown, Parts[SystemScore], OfResult):
    """Scores of single systems, with intervals.

    This is the JSON output of outscore score. ``result["name"]`` is the score of one system; with several metrics or
    tasks ``result["name", "bleu"]``. `score` and `interval` are attributes of the result as well if it holds one score.
    """

    schema: ClassVar = "outscore/scores/1"
    json_keys: ClassVar = "version signature"

    scores: tuple[SystemScore, ...] = doc("Scores by metric, in the order given, then by system, in the order given.")
    confidence_level: Level = doc("Confidence level of all intervals.")
    unit: str = doc("The resampling unit.", enum=UNITS)
    n_resamples: Positive = doc("The options as given. Intervals of scores use no resamples.")
    seed: Seed = doc("The options as given. Intervals of scores use no resamples.")
    signature: str = doc('The settings of the intervals: "interval:clopper-pearson|level:0.95|...".')
    version: Version
    warnings: Messages = ()
    findings: tuple[Finding, ...] = doc("Findings on the design of the systems' scores.", default=())
    pairing: PairingAudit | None = doc(
        "How evaluation logs were paired; null for other systems.", default=None, since="0.5.0"
    )
    best_of: Positive | None = doc(
        "The number of systems from which each system was chosen as the best one.", default=None, since="1.0.0"
    )

    _part = "score"

    def _all_parts(self) -> Sequence[SystemScore]:
        return self.scores

    def _labels(self, part: SystemScore) -> Sequence[Collection[str]]:
        metric, test_set = part.metric, part.test_set
        labels: list[Collection[str]] = [(part.system,)]
        if len({score.metric.spec for score in self.scores}) > 1 or len({score.system for score in self.scores}) == 1:
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
            f"metric=metric.spec system score {INTERVAL_COLUMNS} interval.method exact=interval.exact n_items n_units"
        )
        columns += " test_set" if self.scores[0].test_set is not None else ""
        if self.best_of is not None:
            columns += " overstatement interval_as_chosen.low interval_as_chosen.high"
        return table(columns, [(score,) for score in self.scores])


_NAMES = (
    *("unconditional", "skew-t", "permutation", "brunner-munzel"),
    *("fisher", "welch", "rank-sum", "label-permutation"),
)


@record
class UnpairedTest:
    """One test of two independent samples."""

    json_keys: ClassVar = "-title -null -caveat -is_of_means"

    name: str = doc("The test's name.", enum=list(_NAMES))
    statistic: Null = doc(
        "The test's statistic: a score (unconditional), t, the odds ratio (fisher), the Mann-Whitney U of the "
        "candidate (rank-sum), or the gain (label-permutation). Null if it is infinite or there is no p-value."
    )
    p_value: Null = doc(
        "The p-value before any correction: above 0, at most 1. Null if all scores of each system are equal.",
        exclusiveMinimum=0,
        maximum=1,
    )
    adjusted_p_value: Null = doc(
        "The p-value after Holm's correction over the family of the result, null likewise.",
        exclusiveMinimum=0,
        maximum=1,
    )
    computation: str = doc('"exact", "asymptotic" (from a t or normal distribution) or "100,000 permutations".')
    quantity: str | None = doc(
        'What is tested, if that is not the gain: "share of pairs won", the probability that an item of the candidate '
        'scores better than one of the baseline, with ties as half; "distribution" if the null hypothesis is that all '
        "scores have one distribution, so that the test gives no verdict on means or shares. None if it is the gain.",
        default=None,
        since="1.0.0",
        enum=[SHARE_OF_PAIRS, DISTRIBUTION],
    )
    sign: int | None = doc(
        "The direction of its statistic, if it does not test the gain: 1 if it favours the candidate, -1 if it favours "
        "the baseline.",
        default=None,
        since="1.0.0",
        enum=[-1, 0, 1],
    )
    estimate: Share | None = doc(
        "The estimate of the share of pairs won. None for other tests.", default=None, since="1.0.0"
    )
    interval: Interval | None = doc(
        "The test's own interval of what it tests. None if it has none.", default=None, since="1.0.0"
    )
    is_bound: bool = doc(
        "Whether the p-value is an upper bound: the smallest p-value that the unconditional test can show.",
        default=False,
        since="1.0.0",
    )
    title: str = doc("The name in sentences. Not part of the JSON, like the next three.", default="")
    null: str | None = doc("The sentence on its null hypothesis, if that is not the default test's.", default=None)
    caveat: str | None = doc("What is written beside its p-value.", default=None)
    is_of_means: bool = doc("Whether the interval of the gain is written beside its p-value.", default=True)


@record
class UnpairedComparison:
    """A candidate and the baseline, on different items."""

    baseline: str = doc("The baseline's name.")
    candidate: str = doc("The candidate's name.")
    baseline_score: float = doc("Its score; a fraction, never a percentage.")
    candidate_score: float = doc("Its score; a fraction, never a percentage.")
    gain: float = doc("The gain in the unit of the score; positive if the candidate is better.")
    interval: Interval = doc(
        "The interval of the gain: of the first test, or of the default test if the first has none. The default's "
        'method is "unconditional" (binary scores; exact) or "skew-t". It is "none", without ends, if all scores of '
        "each system are equal.",
        properties={"method": {"enum": ["unconditional", "skew-t", "welch", "none"]}},
    )
    n_baseline: int = doc("Number of the baseline's items.", minimum=2)
    n_candidate: int = doc("Number of the candidate's items.", minimum=2)
    correlation: float | None = doc(
        "The correlation of the items' scores, if the systems could be paired: they have the same item ids, or as many "
        "items without ids. None otherwise, or if scores are constant.",
        minimum=-1,
        maximum=1,
    )
    verdict: Verdict = doc(
        "The verdict of the first test on the claim. It has the direction of the test's own statistic, and is "
        '"inconclusive" if the gain points the other way or the test gives no verdict.'
    )
    tests: tuple[UnpairedTest, ...] = doc("Tests; the first gives the verdict.")
    withheld: str | None = doc("Why the first test gives no verdict, as a sentence.", default=None, since="1.0.0")
    found: TestedQuantity | None = doc(
        "What the first test found, if it tests the share of pairs won. None for other tests.",
        default=None,
        since="1.0.0",
    )
    baseline_clusters: Positive | None = doc("Numbers of clusters. None without clusters.", default=None, since="1.0.0")
    candidate_clusters: Positive | None = doc(
        "Numbers of clusters. None without clusters.", default=None, since="1.0.0"
    )

    @property
    def p_value(self) -> float:
        """The p-value of the first test, before any correction; the verdict uses its `adjusted_p_value`."""
        return self.tests[0].p_value


@record
class UnpairedResult(Shown, OneComparison[UnpairedComparison]):
    """Candidates and a baseline, each on its own items.

    Written by outscore compare of unpaired systems as JSON. Candidates are found as in a `ComparisonResult`.
    """

    schema: ClassVar = "outscore/unpaired/1"
    json_keys: ClassVar = "version signature"

    metric: MetricDescription
    comparisons: tuple[UnpairedComparison, ...] = doc("One a candidate, in the order given.")
    alternative: Alternative
    alpha: Level = doc("Level of the verdict.")
    seed: Seed = doc("Of the permutations.")
    signature: Signature = doc("Of the first test.")
    version: Version
    notes: tuple[str, ...] = doc("What pairing would have brought.", default=())
    warnings: Messages = ()
    multiplicity: Multiplicity = doc(
        "The family over which the p-values of each test are corrected.", default=UNCORRECTED, since="1.0.0"
    )
    claim: Claim = doc("The claim about the candidate.", default=Claim.BETTER, since="1.0.0")
    margin: float | None = doc(
        'The largest loss that does not matter. Null for the claim "better".', default=None, since="1.0.0", null=True
    )

    def _all_parts(self) -> Sequence[UnpairedComparison]:
        return self.comparisons

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row per candidate and test."""
        columns = (
            "metric=metric.spec baseline candidate baseline_score candidate_score gain "
            f"{INTERVAL_COLUMNS} n_baseline n_candidate correlation verdict test=name "
            "alternative statistic p_value adjusted_p_value computation tested=quantity estimate claim margin "
            "interval.method"
        )
        return table(
            columns, [(comparison, test, self) for comparison in self.comparisons for test in comparison.tests]
        )
