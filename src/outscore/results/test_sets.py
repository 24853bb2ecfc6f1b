"""Results on several test sets, tasks or languages: one line each, and what may be said of all of them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar

from outscore.results.audit import PairingAudit
from outscore.results.comparisons import Alternative, Claim, Comparison, Interval, MetricDescription, Verdict
from outscore.results.findings import Finding, OfResult
from outscore.results.record import (
    IfAny,
    Keywords,
    Level,
    Messages,
    Natural,
    Positive,
    PValue,
    Seed,
    Signature,
    Since,
    Version,
    table,
)
from outscore.results.shown import Shown


class Tasks(StrEnum):
    """What is claimed of several test sets: on how many, on their average, or on that of others like them."""

    COUNT = "count"
    FIXED = "fixed"
    RANDOM = "random"


@dataclass(frozen=True)
class TestSetComparison:
    """A candidate and the baseline on one test set.

    Attributes
    ----------
    test_set : str
        Its name.
    n_items : int
        Items of this test set.
    baseline_score : float
        The baseline's score; a fraction, never a percentage.
    candidate_score : float
        The candidate's score; a fraction, never a percentage.
    gain : float
        In the unit of the score; positive where the candidate is better.
    interval : Interval
        Of the gain, on this test set alone.
    test : str
        By which the p-value is.
    p_value : float
        On this test set alone.
    directed_p_value : float
        What is corrected. Of a two-sided question the larger of `p_value` and twice the one-sided p-value in the
        direction of the gain, else `p_value`.
    adjusted_p_value : float
        After Holm's correction of `directed_p_value` over the test sets; of a two-sided question separately for gains
        (of 0 and more) and losses, each with the number of all test sets.
    verdict : Verdict
        By the adjusted p-value.
    """

    __test__ = False  # not a test class, whatever pytest thinks of its name

    test_set: str
    n_items: Positive
    baseline_score: float
    candidate_score: float
    gain: float
    interval: Interval
    test: str
    p_value: PValue
    directed_p_value: Annotated[PValue, Since("0.8.0")]
    adjusted_p_value: PValue
    verdict: Verdict


@dataclass(frozen=True)
class TestSetsComparison:
    """A candidate and the baseline on all test sets.

    Attributes
    ----------
    baseline : str
        The baseline's name.
    candidate : str
        The candidate's name.
    test_sets : tuple of TestSetComparison
        In the order in which they first appear.
    k_hat : int
        With confidence 1 - alpha the candidate is better on at least so many (partial conjunction; Benjamini & Heller
        2008).
    better_on : tuple of str
        Which ones, by Holm's correction.
    l_hat : int or None
        Likewise worse on at least so many. None where a one-sided test asked only whether it is better.
    worse_on : tuple of str
        Which ones, likewise.
    average : Comparison or None
        Of the mean over test sets: these very ones, or others like them.
    """

    __test__ = False

    baseline: str
    candidate: str
    test_sets: tuple[TestSetComparison, ...]
    k_hat: Natural
    better_on: tuple[str, ...]
    l_hat: Natural | None
    worse_on: tuple[str, ...]
    average: Annotated[Comparison | None, IfAny("0.4.0")] = None


@dataclass(frozen=True, repr=False)
class TestSetsResult(Shown, OfResult):
    """Candidates and a baseline on several test sets.

    Written by outscore compare with several test sets as JSON.

    Attributes
    ----------
    metric : MetricDescription
    tasks : Tasks
        What is claimed.
    combination : str
        How p-values are combined to count: "bonferroni" or "fisher".
    alternative : Alternative
    alpha : float
        The level of all claims; of "better on" and "worse on" together.
    comparisons : tuple of TestSetsComparison
        One a candidate.
    signature : str
        Of the average, or of the first test set.
    version : str
    seed : int
    warnings : tuple of str
    claim : Claim
        What is claimed on each test set; `k_hat` and `better_on` are of it.
    margin : float or None
        The largest loss that would not matter, in the unit of the score. None for the claim "better".
    findings : tuple of Finding
        What there is to know of the design of the systems' scores.
    over : str or None
        As of a comparison.
    pairing : PairingAudit or None
        Of systems in logs of evaluation harnesses: how these were paired.
    """

    __test__ = False

    schema: ClassVar = "outscore/test-sets/1"
    json_keys: ClassVar = "version signature"

    metric: MetricDescription
    tasks: Tasks
    combination: Annotated[str, Keywords(enum=["bonferroni", "fisher"])]
    alternative: Alternative
    alpha: Level
    comparisons: Annotated[tuple[TestSetsComparison, ...], Keywords(minItems=1)]
    signature: Signature
    version: Version
    seed: Seed
    warnings: Messages = ()
    claim: Claim = Claim.BETTER
    margin: Annotated[float | None, Keywords(exclusiveMinimum=0)] = None
    findings: tuple[Finding, ...] = ()
    over: Annotated[str | None, IfAny("0.4.0")] = None
    pairing: Annotated[PairingAudit | None, IfAny("0.5.0")] = None

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row a candidate and test set."""
        columns = (
            "metric=metric.spec baseline candidate test_set n_items baseline_score candidate_score gain interval.low "
            "interval.high confidence_level=interval.confidence_level test p_value directed_p_value adjusted_p_value "
            "verdict"
        )
        return table(columns, [(one, both, self) for both in self.comparisons for one in both.test_sets])
