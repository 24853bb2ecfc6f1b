"""Results of a gate: the outcome, every metric and task, and the items that lose most."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, ClassVar

from outscore.questions.looks import ErrorRate, InconclusivePolicy
from outscore.results.audit import PairingAudit
from outscore.results.comparisons import Family, MetricDescription, Multiplicity
from outscore.results.findings import Finding, OfGate
from outscore.results.intervals import INTERVAL_COLUMNS, Interval
from outscore.results.parts import Parts
from outscore.results.record import (
    FINITE,
    Keywords,
    Level,
    Margin,
    Messages,
    Natural,
    Positive,
    PValue,
    Share,
    Signature,
    Since,
    Version,
    doc,
    record,
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
        return cls.INCONCLUSIVE if value == "undecided" else None  # in baselines stored before 1.0.0


_STATUS = {GateOutcome.PASSED: 0, GateOutcome.FAILED: 1, GateOutcome.INCONCLUSIVE: 3}
_POLICY = {
    None: GateOutcome.INCONCLUSIVE,
    InconclusivePolicy.PASS: GateOutcome.PASSED,
    InconclusivePolicy.FAIL: GateOutcome.FAILED,
}


@record
class HurtItem:
    """An item on which the candidate scores lower than the baseline."""

    json_keys: ClassVar = "-n_unlisted"

    item: str = doc("The item's id, or its number if items have no ids.")
    baseline: float = doc("The baseline's score on the item.")
    candidate: float = doc("The candidate's score on the item.")
    n_unlisted: Natural = doc("Number of items that lose as much but are not listed. Not part of the JSON.", default=0)


@record
class GateCheck:
    """The outcome of a gate on one metric and one task."""

    metric: MetricDescription = doc("The metric.")
    test_set: str | None = doc("The task; null if there is only one.")
    margin: Margin = doc("The largest tolerated loss, in the unit of the score; a fraction, never a percentage.")
    n_items: Positive = doc("Number of items compared.")
    n_units: Positive = doc("Number of items, or of clusters of items.")
    baseline_score: float = doc("The baseline's score; a fraction, never a percentage.")
    candidate_score: float = doc(
        "The candidate's score, the mean if the commit has several runs; a fraction, never a percentage."
    )
    gain: float = doc("The gain in the unit of the score; positive if the candidate is better.")
    interval: Interval | None = doc(
        "All gains that neither of the two tests rejects at the level of this check. Null if items were checked one by "
        "one.",
        properties=FINITE,
    )
    test: str = doc('The test of both p-values, for example "score".')
    p_pass: PValue = doc("p-value of a loss of the margin or more; the gate passes by rejecting it.")
    p_fail: PValue = doc("p-value of no loss; the gate fails by rejecting it.")
    adjusted_p_fail: PValue = doc("p_fail after Holm's correction over all metrics and tasks.")
    outcome: GateOutcome = doc("The outcome on this metric and task.")
    helped: Natural | None = doc(
        "Wins: items on which the candidate scores higher. Null if the metric has no scores per item."
    )
    hurt: Natural | None = doc(
        "Losses: items on which the candidate scores lower. Null if the metric has no scores per item."
    )
    unchanged: Natural | None = doc(
        "Ties: items on which both systems score the same. Null if the metric has no scores per item."
    )
    items_hurt: tuple[HurtItem, ...] = doc("The items that lose most, at most ten.")
    equal_passes: Share | None = doc(
        "How often an equally good candidate passes this check if it is checked after every item, by simulation: its "
        "gains on items have the sizes of those seen, with random signs. Null unless items were checked one by one and "
        "this is one of the first six inconclusive checks.",
        default=None,
        since="1.0.0",
    )
    equal_passes_at_once: Share | None = doc(
        "How often it passes if it is checked once, after all items, by the test of other gates.",
        default=None,
        since="1.0.0",
    )

    @property
    def name(self) -> str:
        """The name of the metric, with the task if there are several."""
        return self.metric.title if self.test_set is None else f"{self.metric.title} on {self.test_set}"


@record
class SequentialStop:
    """Where a sequential gate stopped."""

    n_read: Natural = doc("Number of items checked until the outcome was certain, or of all items.")
    n_items: Positive = doc("Number of items of the baseline.")
    seed: Natural = doc("Random seed for the item order.")


@record
class GateResult(Shown, Parts[GateCheck], OfGate):
    """A candidate at a gate, compared with a baseline.

    This is the JSON output of outscore gate. `passed` is the answer. ``result["bleu"]`` is the check of one metric,
    with several tasks ``result["bleu", "task"]``. If there is one check, the result has its `gain`, `interval`,
    `p_pass` and `p_fail`.
    """

    schema: ClassVar = "outscore/gate/2"
    json_keys: ClassVar = "outcome exit_status multiplicity"

    outcome: GateOutcome = doc(
        "passed if every metric and task passes (intersection-union test), failed if any one fails (Holm)."
    )
    look: Positive = doc(
        "The number of this check, from 1, against the baseline, or of the commit if error is per-commit."
    )
    level: Share = doc("The level of both tests at this check. 0 if all planned checks are used.")
    alpha: Level = doc("The level over all checks.")
    error: ErrorRate = doc("What alpha bounds.")
    looks: Positive | None = doc(
        "The number of planned checks; null if unlimited, with check k at level alpha/(k(k+1))."
    )
    total_looks: Natural = doc("Checks against the stored baseline so far, including this one; 0 if it is not stored.")
    baseline: str = doc("The baseline's name.")
    candidate: str = doc("The candidate's name.")
    commit: str | None = doc("The candidate's commit; null if unknown.")
    n_runs: Positive = doc("Number of runs of this commit that the candidate's score averages.")
    inconclusive: InconclusivePolicy | None = doc(
        "How an inconclusive outcome counts in the exit status; null if it has its own, 3."
    )
    checks: tuple[GateCheck, ...] = doc("One check per metric and task.", minItems=1)
    signature: Signature = doc("The signature of the first test.")
    version: Version
    warnings: Messages = ()
    findings: tuple[Finding, ...] = doc("Findings about the design of both systems' scores.", default=())
    over: str | None = doc("The factor over which the scores are means.", default=None, since="0.6.0")
    sequential: SequentialStop | None = doc(
        "Where the gate stopped, if items were checked one by one.", default=None, since="0.6.0"
    )
    pairing: PairingAudit | None = doc(
        "How evaluation logs were paired; null for other systems.", default=None, since="0.6.0"
    )
    rules_file: str | None = doc(
        'The file of rules that was read, with its table, such as "outscore.toml [gate]"; null if there is none.',
        default=None,
        since="1.0.0",
    )

    @property
    def multiplicity(self) -> Annotated[Multiplicity, Since("1.0.0")]:
        """The family of `adjusted_p_fail`: all metrics and tasks, because one failure fails the gate."""
        return Multiplicity(Family.ALL, len(self.checks), "holm" if len(self.checks) > 1 else "none")

    @property
    def exit_status(self) -> Annotated[int, Keywords(minimum=0, maximum=3)]:
        """Exit status of the command: 0 passed, 1 failed, 3 inconclusive, unless the policy sets another."""
        return _STATUS[self.counted_as(self.outcome)]

    def counted_as(self, outcome: GateOutcome) -> GateOutcome:
        """Return what an outcome of the gate or of one check counts as. For inconclusive ones the policy decides."""
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
            f"{INTERVAL_COLUMNS} test p_pass p_fail adjusted_p_fail "
            "outcome look level"
        )
        return table(columns, [(check, self) for check in self.checks])
