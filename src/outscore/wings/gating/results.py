"""Results of a gate: the outcome, every metric and task, and the items that lose most."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar

from outscore.questions.looks import ErrorRate, InconclusivePolicy
from outscore.results.audit import PairingAudit
from outscore.results.comparisons import Family, MetricDescription, Multiplicity
from outscore.results.findings import Finding, OfGate
from outscore.results.intervals import Interval
from outscore.results.parts import Parts
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
    Since,
    Version,
    table,
)
from outscore.results.shown import Shown

POWER_SETS = 250  # simulated gates with which a power is stated: its standard error is at most 3.2 points


class GateOutcome(StrEnum):
    """passed: a loss of the margin or more is ruled out; failed: significantly worse; inconclusive: neither."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"

    @classmethod
    def _missing_(cls, value: object) -> GateOutcome | None:
        return cls.INCONCLUSIVE if value == "undecided" else None  # in baselines stored before 0.8.0


_STATUS = {GateOutcome.PASSED: 0, GateOutcome.FAILED: 1, GateOutcome.INCONCLUSIVE: 3}
_POLICY = {
    None: GateOutcome.INCONCLUSIVE,
    InconclusivePolicy.PASS: GateOutcome.PASSED,
    InconclusivePolicy.FAIL: GateOutcome.FAILED,
}


@dataclass(frozen=True)
class HurtItem:
    """An item on which the candidate scores lower than the baseline.

    Attributes
    ----------
    item : str
        The item's id, or its number if items have no ids.
    baseline : float
        The baseline's score on the item.
    candidate : float
        The candidate's score on the item.
    """

    item: str
    baseline: float
    candidate: float


@dataclass(frozen=True)
class GateCheck:
    """The outcome of a gate on one metric and one task.

    Attributes
    ----------
    metric : MetricDescription
        The metric.
    test_set : str or None
        The task; null if there is only one.
    margin : float
        The largest tolerated loss, in the unit of the score; a fraction, never a percentage.
    n_items : int
        Number of items compared.
    n_units : int
        Number of items, or of clusters of items.
    baseline_score : float
        The baseline's score; a fraction, never a percentage.
    candidate_score : float
        The candidate's score, the mean if the commit has several runs; a fraction, never a percentage.
    gain : float
        The gain in the unit of the score; positive if the candidate is better.
    interval : Interval or None
        All gains that neither of the two tests rejects at the level of this check. Null if items were checked one
        by one.
    test : str
        The test of both p-values, for example "score".
    p_pass : float
        p-value of a loss of the margin or more; the gate passes by rejecting it.
    p_fail : float
        p-value of no loss; the gate fails by rejecting it.
    adjusted_p_fail : float
        p_fail after Holm's correction over all metrics and tasks.
    outcome : GateOutcome
        The outcome on this metric and task.
    helped : int or None
        Wins: items on which the candidate scores higher. Null if the metric has no scores per item.
    hurt : int or None
        Losses: items on which the candidate scores lower. Null if the metric has no scores per item.
    unchanged : int or None
        Ties: items on which both systems score the same. Null if the metric has no scores per item.
    items_hurt : tuple of HurtItem
        The items that lose most, at most ten.
    equal_passes : float or None
        How often an equally good candidate passes this check if it is checked after every item, by simulation: its
        gains on items have the sizes of those seen, with random signs. Null unless items were checked one by one and
        this is one of the first six inconclusive checks.
    equal_passes_at_once : float or None
        How often it passes if it is checked once, after all items, by the test of other gates.
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
    unchanged: Natural | None
    items_hurt: tuple[HurtItem, ...]
    equal_passes: Annotated[Share | None, IfAny("0.8.0")] = None
    equal_passes_at_once: Annotated[Share | None, IfAny("0.8.0")] = None

    @property
    def name(self) -> str:
        """The name of the metric, with the task if there are several."""
        return self.metric.title if self.test_set is None else f"{self.metric.title} on {self.test_set}"


@dataclass(frozen=True)
class SequentialStop:
    """Where a sequential gate stopped.

    Attributes
    ----------
    n_read : int
        Number of items checked until the outcome was certain, or of all items.
    n_items : int
        Number of items of the baseline.
    seed : int
        Random seed for the item order.
    """

    n_read: Natural
    n_items: Positive
    seed: Natural


@dataclass(frozen=True, repr=False)
class GateResult(Shown, Parts[GateCheck], OfGate):
    """A candidate at a gate, compared with a baseline.

    This is the JSON output of outscore gate. `passed` is the answer. ``result["bleu"]`` is the check of one metric,
    with several tasks ``result["bleu", "task"]``. If there is one check, the result has its `gain`, `interval`,
    `p_pass` and `p_fail`.

    Attributes
    ----------
    outcome : GateOutcome
        passed if every metric and task passes (intersection-union test), failed if any one fails (Holm).
    look : int
        The number of this check, from 1, against the baseline, or of the commit if error is per-commit.
    level : float
        The level of both tests at this check. 0 if all planned checks are used.
    alpha : float
        The level over all checks.
    error : ErrorRate
        What alpha bounds.
    looks : int or None
        The number of planned checks; null if unlimited, with check k at level alpha/(k(k+1)).
    total_looks : int
        Checks against the stored baseline so far, including this one; 0 if it is not stored.
    baseline : str
        The baseline's name.
    candidate : str
        The candidate's name.
    commit : str or None
        The candidate's commit; null if unknown.
    n_runs : int
        Number of runs of this commit that the candidate's score averages.
    inconclusive : InconclusivePolicy or None
        How an inconclusive outcome counts in the exit status; null if it has its own, 3.
    checks : tuple of GateCheck
        One check per metric and task.
    signature : str
        The signature of the first test.
    version : str
    warnings : tuple of str
    findings : tuple of Finding
        Findings about the design of both systems' scores.
    over : str or None
        The factor over which the scores are means.
    sequential : SequentialStop or None
        Where the gate stopped, if items were checked one by one.
    pairing : PairingAudit or None
        How evaluation logs were paired; null for other systems.
    rules_file : str or None
        The file of rules that was read, with its table, such as "outscore.toml [gate]"; null if there is none.
    """

    schema: ClassVar = "outscore/gate/2"
    json_keys: ClassVar = "outcome exit_status multiplicity"

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
    inconclusive: InconclusivePolicy | None
    checks: Annotated[tuple[GateCheck, ...], Keywords(minItems=1)]
    signature: Signature
    version: Version
    warnings: Messages = ()
    findings: tuple[Finding, ...] = ()
    over: Annotated[str | None, IfAny("0.6.0")] = None
    sequential: Annotated[SequentialStop | None, IfAny("0.6.0")] = None
    pairing: Annotated[PairingAudit | None, IfAny("0.6.0")] = None
    rules_file: Annotated[str | None, IfAny("0.8.0")] = None

    @property
    def multiplicity(self) -> Annotated[Multiplicity, Since("0.8.0")]:
        """The family of `adjusted_p_fail`: all metrics and tasks, because one failure fails the gate."""
        return Multiplicity(Family.ALL, len(self.checks), "holm" if len(self.checks) > 1 else "none")

    @property
    def exit_status(self) -> Annotated[int, Keywords(minimum=0, maximum=3)]:
        """Exit status of the command: 0 passed, 1 failed, 3 inconclusive, unless the policy sets another."""
        return _STATUS[self.counted_as(self.outcome)]

    def counted_as(self, outcome: GateOutcome) -> GateOutcome:
        """Return how an outcome of the gate or of one check counts: the policy sets it for inconclusive ones."""
        return _POLICY[self.inconclusive] if outcome is GateOutcome.INCONCLUSIVE else outcome

    @property
    def passed(self) -> bool:
        """True if the exit status is 0."""
        return self.exit_status == 0

    _part = "check"

    def _all_parts(self) -> Sequence[GateCheck]:
        return self.checks

    def _labels(self, part: GateCheck) -> Sequence[Collection[str]]:
        names = (part.metric.spec, part.metric.name, part.metric.title)
        return (names,) if part.test_set is None else (names, (part.test_set,))

    @property
    def gain(self) -> float:
        """The gain, if there is one check: positive if the candidate is better."""
        return self._only.gain

    @property
    def interval(self) -> Interval | None:
        """The interval of the gain, if there is one check."""
        return self._only.interval

    @property
    def p_pass(self) -> float:
        """The p-value of a loss of the margin or more, if there is one check: passing rejects it."""
        return self._only.p_pass

    @property
    def p_fail(self) -> float:
        """The p-value of no loss, if there is one check: failing rejects it."""
        return self._only.p_fail

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row per metric and task."""
        columns = (
            "metric=metric.spec test_set baseline candidate margin n_items n_units baseline_score candidate_score gain "
            "interval.low interval.high confidence_level=interval.confidence_level test p_pass p_fail adjusted_p_fail "
            "outcome look level"
        )
        return table(columns, [(check, self) for check in self.checks])
