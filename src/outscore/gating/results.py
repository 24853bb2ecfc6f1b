"""What a gate says: passed, failed or undecided, of every metric and task, and the items hurt most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar

from outscore.questions.looks import ErrorRate, UndecidedPolicy
from outscore.results.audit import PairingAudit
from outscore.results.comparisons import Interval, MetricDescription
from outscore.results.findings import Finding, OfGate
from outscore.results.record import (
    FINITE,
    IfAny,
    Keywords,
    Level,
    Messages,
    Natural,
    Positive,
    PValue,
    Share,
    Signature,
    Version,
    table,
)
from outscore.results.shown import Shown


class GateOutcome(StrEnum):
    """passed: shown not to be worse by the margin; failed: shown to be worse; undecided: the data do not tell."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"


_STATUS = {GateOutcome.PASSED: 0, GateOutcome.FAILED: 1, GateOutcome.UNDECIDED: 3}
_POLICY = {
    UndecidedPolicy.UNDECIDED: GateOutcome.UNDECIDED,
    UndecidedPolicy.PASS: GateOutcome.PASSED,
    UndecidedPolicy.FAIL: GateOutcome.FAILED,
}


@dataclass(frozen=True)
class HurtItem:
    """An item on which the candidate does worse than the baseline.

    Attributes
    ----------
    item : str
        Its id, or its number where items have none.
    baseline : float
        The baseline's own score on it.
    candidate : float
        The candidate's own score on it.
    """

    item: str
    baseline: float
    candidate: float


@dataclass(frozen=True)
class GateCheck:
    """What a gate says of one metric, on one task where there are several.

    Attributes
    ----------
    metric : MetricDescription
        The metric.
    test_set : str or None
        The task; null where there is one test set.
    margin : float
        The largest loss that is tolerated, in the unit of the score; a fraction, never a percentage.
    n_items : int
        Items compared.
    n_units : int
        Items, or clusters of them.
    baseline_score : float
        The baseline's score; a fraction, never a percentage.
    candidate_score : float
        The candidate's score, of several runs of the commit their mean; a fraction, never a percentage.
    gain : float
        In the unit of the score; positive where the candidate is better.
    interval : Interval or None
        All gains that neither of the two tests rejects, each at the look's level. Null where items were looked at one
        by one.
    test : str
        The test of both p-values, such as "score".
    p_pass : float
        Of a loss of the margin or more: passing rejects it.
    p_fail : float
        Of no loss: failing rejects it.
    adjusted_p_fail : float
        After Holm's correction over all metrics and tasks.
    outcome : GateOutcome
        Of this metric and task alone.
    helped : int or None
        Items whose own score is better than the baseline's; null where items have no scores of their own.
    hurt : int or None
        Items whose own score is worse; null likewise.
    items_hurt : tuple of HurtItem
        Those hurt most, ten at most.
    """

    metric: MetricDescription
    test_set: str | None
    margin: Annotated[float, Keywords(exclusiveMinimum=0)]
    n_items: Positive
    n_units: Positive
    baseline_score: float
    candidate_score: float
    gain: float
    interval: Annotated[Interval | None, FINITE]
    test: str
    p_pass: PValue
    p_fail: PValue
    adjusted_p_fail: PValue
    outcome: GateOutcome
    helped: Natural | None
    hurt: Natural | None
    items_hurt: tuple[HurtItem, ...]

    @property
    def name(self) -> str:
        """What it is called: its metric, and its task where there are several."""
        return self.metric.title if self.test_set is None else f"{self.metric.title} on {self.test_set}"


@dataclass(frozen=True)
class SequentialStop:
    """Where a gate that reads item by item could stop.

    Attributes
    ----------
    n_read : int
        Items that were looked at until the outcome was certain, or all of them.
    n_items : int
        Items of the baseline.
    seed : int
        Of the random order in which items are looked at.
    """

    n_read: Natural
    n_items: Positive
    seed: Natural


@dataclass(frozen=True, repr=False)
class GateResult(Shown, OfGate):
    """A candidate at the gate, against a baseline.

    Written by outscore gate as JSON.

    Attributes
    ----------
    outcome : GateOutcome
        passed where every metric and task passes (intersection-union), failed where any one fails (Holm).
    look : int
        The number of this look, from 1: at the baseline, or at the commit where error is per-commit.
    level : float
        What this look may spend: the level of both tests. 0 where all looks that were planned are spent.
    alpha : float
        The level of all looks together.
    error : ErrorRate
        What alpha bounds.
    looks : int or None
        How many looks are planned; null where every look is provided for, by alpha/(k(k+1)).
    total_looks : int
        Looks at the stored baseline so far, with this one; 0 where it is not stored.
    baseline : str
        The baseline's name.
    candidate : str
        The candidate's name.
    commit : str or None
        The candidate's commit; null where it is not known.
    n_runs : int
        Runs of this commit whose average is the candidate's score.
    undecided : UndecidedPolicy
        What exit status an undecided outcome has.
    checks : tuple of GateCheck
        One a metric and task.
    signature : str
        Of the first test.
    version : str
    warnings : tuple of str
    findings : tuple of Finding
        What there is to know of the design of both systems' scores.
    over : str or None
        Of what scores are means.
    sequential : SequentialStop or None
        Where items were looked at one by one.
    pairing : PairingAudit or None
        Of systems in logs of evaluation harnesses: how these were paired.
    """

    schema: ClassVar = "outscore/gate/1"
    json_keys: ClassVar = "outcome exit_status"

    outcome: GateOutcome
    look: Positive
    level: Share
    alpha: Level
    error: ErrorRate
    looks: Positive | None
    total_looks: Natural
    baseline: str
    candidate: str
    commit: str | None
    n_runs: Positive
    undecided: UndecidedPolicy
    checks: Annotated[tuple[GateCheck, ...], Keywords(minItems=1)]
    signature: Signature
    version: Version
    warnings: Messages = ()
    findings: tuple[Finding, ...] = ()
    over: Annotated[str | None, IfAny("0.6.0")] = None
    sequential: Annotated[SequentialStop | None, IfAny("0.6.0")] = None
    pairing: Annotated[PairingAudit | None, IfAny("0.6.0")] = None

    @property
    def exit_status(self) -> Annotated[int, Keywords(minimum=0, maximum=3)]:
        """The exit status of the command: 0 passed, 1 failed, 3 undecided, unless the policy says otherwise."""
        return _STATUS[self.counted_as(self.outcome)]

    def counted_as(self, outcome: GateOutcome) -> GateOutcome:
        """Return what an outcome, of all or of one metric and task, counts as: undecided ones as the policy says."""
        return _POLICY[self.undecided] if outcome is GateOutcome.UNDECIDED else outcome

    @property
    def passed(self) -> bool:
        """Whether the exit status is 0."""
        return self.exit_status == 0

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row a metric and task."""
        columns = (
            "metric=metric.spec test_set baseline candidate margin n_items n_units baseline_score candidate_score gain "
            "interval.low interval.high confidence_level=interval.confidence_level test p_pass p_fail adjusted_p_fail "
            "outcome look level"
        )
        return table(columns, [(check, self) for check in self.checks])
