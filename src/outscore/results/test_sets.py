"""Results on several datasets (tasks or languages): one line each, and what may be said of all of them together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import ClassVar

from outscore.results.audit import PairingAudit
from outscore.results.comparisons import (
    UNCORRECTED,
    Alternative,
    Claim,
    Comparison,
    MetricDescription,
    Multiplicity,
    Verdict,
)
from outscore.results.findings import Finding, OfResult
from outscore.results.intervals import INTERVAL_COLUMNS, Interval
from outscore.results.parts import Parts
from outscore.results.record import (
    Level,
    Margin,
    Messages,
    Natural,
    Positive,
    PValue,
    Seed,
    Signature,
    Version,
    doc,
    record,
    table,
)
from outscore.results.shown import Shown


class Tasks(StrEnum):
    """The claim about several datasets: their number, on their average, or on that of others like them."""

    COUNT = "count"
    FIXED = "fixed"
    RANDOM = "random"


@record
class TestSetComparison:
    """A candidate and the baseline on one test set."""

    __test__ = False  # not a test class, despite its name

    test_set: str = doc("The name of the test set.")
    n_items: Positive = doc("Number of items in this test set.")
    baseline_score: float = doc("The baseline's score; a fraction, never a percentage.")
    candidate_score: float = doc("The candidate's score; a fraction, never a percentage.")
    gain: float = doc("The gain in the unit of the score; positive if the candidate is better.")
    interval: Interval = doc("The interval of the gain on this test set.")
    test: str = doc("The test of the p-value.")
    p_value: PValue = doc("The p-value on this test set.")
    directed_p_value: PValue = doc(
        "The p-value for `k_hat` and `l_hat`. If two-sided, the larger of `p_value` and twice the one-sided p-value in "
        "the direction of the gain; else `p_value`.",
        since="1.0.0",
    )
    adjusted_p_value: PValue = doc("`p_value` after Holm's correction over the family of the result.")
    verdict: Verdict = doc("The verdict by the adjusted p-value.")
    quantity: str | None = doc(
        'What the test tests, if that is not the gain: "share of wins". The interval is then the default test\'s, and '
        "reports leave it out. None if it is the gain.",
        default=None,
        since="1.0.0",
    )


@record
class TestSetsComparison(Parts[TestSetComparison]):
    """A candidate and the baseline on all test sets: ``comparison["task"]`` is that on one of them."""

    __test__ = False

    _part = "test set"

    baseline: str = doc("The baseline's name.")
    candidate: str = doc("The candidate's name.")
    test_sets: tuple[TestSetComparison, ...] = doc("Test sets in the order in which they first appear.")
    k_hat: Natural = doc(
        "The candidate is better on at least this number of test sets, with confidence 1 - alpha: partial conjunction "
        "of `directed_p_value`, for gains and losses separately, not corrected for the number of candidates (Benjamini "
        "& Heller 2008)."
    )
    better_on: tuple[str, ...] = doc(
        "The test sets whose verdict confirms the claim. Their number can differ from `k_hat`."
    )
    l_hat: Natural | None = doc(
        "The candidate is worse on at least this number of test sets. None for one-sided tests."
    )
    worse_on: tuple[str, ...] = doc('The test sets with the verdict "worse".')
    average: Comparison | None = doc(
        "The comparison of the mean over test sets: these test sets, or new ones.", default=None, since="0.4.0"
    )

    def _all_parts(self) -> Sequence[TestSetComparison]:
        return self.test_sets

    def _labels(self, part: TestSetComparison) -> Sequence[Collection[str]]:
        return ((part.test_set,),)


@record
class TestSetsResult(Shown, Parts[TestSetsComparison], OfResult):
    """Candidates and a baseline on several datasets.

    This is the JSON output of outscore compare with several test sets. ``result["name"]`` is one candidate on all test
    sets, ``result["name"]["task"]`` on one of them.
    """

    __test__ = False

    schema: ClassVar = "outscore/test-sets/1"
    json_keys: ClassVar = "version signature"

    metric: MetricDescription
    tasks: Tasks = doc("The scope of the claim on test sets.")
    combination: str = doc(
        'The combination of p-values for the count: "bonferroni" or "fisher".', enum=["bonferroni", "fisher"]
    )
    alternative: Alternative
    alpha: Level = doc('The level of all claims; shared by "better on" and "worse on".')
    comparisons: tuple[TestSetsComparison, ...] = doc("One per candidate.", minItems=1)
    signature: Signature = doc("The signature of the average, or of the first test set.")
    version: Version
    seed: Seed
    warnings: Messages = ()
    claim: Claim = doc("The claim on each test set, to which `k_hat` and `better_on` refer.", default=Claim.BETTER)
    margin: Margin | None = doc(
        'The largest tolerated loss, in the unit of the score. None for the claim "better".', default=None
    )
    findings: tuple[Finding, ...] = doc("Findings on the design of the systems' scores.", default=())
    over: str | None = doc("The averages that scores are, as for a comparison.", default=None, since="0.4.0")
    pairing: PairingAudit | None = doc(
        "How evaluation logs were paired; null for other systems.", default=None, since="0.5.0"
    )
    multiplicity: Multiplicity = doc(
        "The family over which the p-values of all candidates and test sets are corrected. The averages have their "
        "own.",
        default=UNCORRECTED,
        since="1.0.0",
    )

    _part = "candidate"

    def _all_parts(self) -> Sequence[TestSetsComparison]:
        return self.comparisons

    def _labels(self, part: TestSetsComparison) -> Sequence[Collection[str]]:
        return ((part.candidate,),)

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row per candidate and dataset."""
        columns = (
            "metric=metric.spec baseline candidate test_set n_items baseline_score candidate_score gain "
            f"{INTERVAL_COLUMNS} test p_value directed_p_value adjusted_p_value "
            "verdict"
        )
        return table(columns, [(on_set, both, self) for both in self.comparisons for on_set in both.test_sets])
