"""The chart of a gate: the gain of every metric and task, in margins."""

from __future__ import annotations

import math

from outscore.reports.figures import LOOKS, Figure, Form, Mark, Panel, Scale, Series
from outscore.text.naming import printable
from outscore.wings.gating.documents import check_format
from outscore.wings.gating.results import GateCheck, GateOutcome, GateResult

_LOOKS = {GateOutcome.PASSED: LOOKS[0], GateOutcome.FAILED: LOOKS[1], GateOutcome.INCONCLUSIVE: LOOKS[-1]}


def gate_figure(result: GateResult) -> Figure:
    """Return the gains with their intervals by outcome, one row per metric and task, in units of the margin.

    The metrics of a gate may have different units; dividing by the margin makes them comparable.
    """
    names = tuple(printable(check.name) for check in result.checks)

    def mark(row: int, check: GateCheck) -> Mark:
        scores, interval = check_format(check), check.interval
        label = f"{names[row]}: {scores.gain(check.gain)}"
        if interval is None:
            return Mark(check.gain / check.margin, row, label)
        low, high = (end / check.margin if math.isfinite(end) else None for end in (interval.low, interval.high))
        return Mark(
            check.gain / check.margin, row, f"{label} ({scores.interval(interval.low, interval.high)})", low, high
        )

    series = [Series("no gain", LOOKS[6], at=0.0), Series("margin", LOOKS[1], at=-1.0)]
    for outcome in GateOutcome:
        marks = tuple(mark(row, check) for row, check in enumerate(result.checks) if check.outcome is outcome)
        series += [Series(outcome.value, _LOOKS[outcome], marks)] if marks else []
    interval = result.checks[0].interval
    about = (
        () if interval is None else (f"{100 * interval.confidence_level:.4g}% intervals, at the level of this check",)
    )
    return Figure(
        "The gate",
        about,
        Scale("gain, in margins", Form.GAIN),
        Scale("", names=names),
        (Panel("", tuple(series), stacked=False),),
    )
