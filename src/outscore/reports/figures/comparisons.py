"""Drawings of comparisons: the distribution of one gain, or the gains of several candidates with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Protocol, TypeVar

from outscore.reports.figures import LOOKS, Bars, Figure, Flag, Form, Mark, Panel, Scale, Series, Span
from outscore.results import Claim, Comparison, ComparisonResult, Finding, Verdict, comparison_format
from outscore.text.naming import printable
from outscore.words.comparisons import gains_notes, interval_title, one_gain, with_ends

_LOOKS = {
    Verdict.BETTER: LOOKS[0],
    Verdict.WORSE: LOOKS[1],
    Verdict.EQUIVALENT: LOOKS[2],
    Verdict.NOT_WORSE: LOOKS[3],
    Verdict.INCONCLUSIVE: LOOKS[-1],
}
_NO_GAIN = Series("no gain", LOOKS[6], at=0.0)  # the line at zero, whose colour no verdict has


class _Gained(Protocol):
    @property
    def gain(self) -> float: ...


_GainedT = TypeVar("_GainedT", bound=_Gained)


def by_gain(comparisons: Iterable[_GainedT]) -> list[_GainedT]:
    """Return comparisons in the order of rows: the largest gain first, what is not finite last."""
    return sorted(comparisons, key=lambda c: -c.gain if math.isfinite(c.gain) else math.inf)


def verdict_series(marks: Iterable[tuple[Verdict, Mark]]) -> tuple[Series, ...]:
    """Return the line at zero, and gains by verdict, each with its own colour and shape."""
    by_verdict: dict[Verdict, list[Mark]] = {}
    for verdict, mark in marks:
        by_verdict.setdefault(verdict, []).append(mark)
    series = [
        Series(verdict.value, look, tuple(by_verdict[verdict]))
        for verdict, look in _LOOKS.items()
        if verdict in by_verdict
    ]
    return (_NO_GAIN, *series)


def comparison_figure(result: ComparisonResult, kind: str, *, alone: bool) -> Figure:
    """Return the distribution of a single gain, or the gains of several candidates."""
    del kind
    return law_figure(result.comparisons[0]) if alone and len(result.comparisons) == 1 else gains_figure(result)


def law_figure(c: Comparison) -> Figure:
    """Return the bootstrap distribution of a gain with 0, the gain, its interval and margins."""
    scores, scale, interval = comparison_format(c), c.metric.factor, c.interval
    level = with_ends(interval, scores.interval(interval.low, interval.high), title=_kind(c))
    law, sides = c.histogram, ("baseline better", "candidate better")
    flags = [Flag(0.0, "δ = 0", "gain")] if c.gain == 0 else [Flag(0.0, "0", "zero")]
    if c.gain != 0 and math.isfinite(c.gain):
        flags.append(Flag(c.gain * scale, f"δ = {scores.gain(c.gain)}", "gain"))
    if c.margin is not None and c.claim is not Claim.BETTER:
        size = scores.size(c.margin)
        flags.append(Flag(-c.margin * scale, f"-{size}", "margin"))
        if c.claim is Claim.EQUIVALENT:
            flags.append(Flag(c.margin * scale, f"+{size}", "margin"))
    return Figure(
        f"{printable(c.candidate)} against {printable(c.baseline)}",
        (level,),
        Scale(printable(c.metric.gain_heading), Form.GAIN),
        Scale(""),
        (),
        bars=Bars(tuple(edge * scale for edge in law.edges), law.probabilities, sides),
        flags=tuple(flags),
        span=Span(interval.low * scale, interval.high * scale, level),
        nothing=one_gain(scores.gain(c.gain)),
    )


def gains_figure(result: ComparisonResult) -> Figure:
    """Return the gains of all candidates as marks with intervals by verdict, one row each, the largest gain first."""
    scale, first = result.metric.factor, result.comparisons[0]
    ordered = by_gain(result.comparisons)

    def mark(row: int, c: Comparison) -> Mark:
        scores = comparison_format(c)
        label = f"{printable(c.candidate)}: {scores.gain(c.gain)}"
        if c.found is not None:  # the interval of the gain is not the test's
            return Mark(c.gain * scale, row, f"{label}, {c.verdict} by the {c.found.quantity}")
        label += f" ({scores.interval(c.interval.low, c.interval.high)}), {c.verdict}"
        # A missing end is drawn as far as the distribution goes.
        edges = [*c.histogram.edges, c.gain]
        low, high = max(c.interval.low, min(edges)), min(c.interval.high, max(edges))
        return Mark(c.gain * scale, row, label, low * scale, high * scale)

    series = verdict_series((c.verdict, mark(row, c)) for row, c in enumerate(ordered))
    return Figure(
        f"Gains over {printable(first.baseline)}",
        gains_notes(None if first.found else first.interval, first.multiplicity),
        Scale(printable(result.metric.gain_heading), Form.GAIN),
        Scale("", names=tuple(printable(c.candidate) for c in ordered)),
        (Panel("", series, stacked=False),),
    )


def _kind(c: Comparison) -> str:
    """Return the name of the interval of the gain, with its method if the test does not test the gain."""
    return "interval" if c.found is None else interval_title(c.interval)


def levels_figure(c: Comparison, finding: Finding) -> Figure | None:
    """Return the scores of a factor's levels, such as runs, of both systems, a row each, with their means."""
    each = getattr(finding.value, "candidate_scores", ()), getattr(finding.value, "baseline_scores", ())
    if finding.level is None or not each[1]:
        return None
    scores, scale = comparison_format(c), c.metric.factor
    means, names = (c.candidate_score, c.baseline_score), (printable(c.candidate), printable(c.baseline))
    levels = tuple(
        Mark(value * scale, row, f"{name}: a {finding.level} of {scores.score(value)}")
        for row, (name, values) in enumerate(zip(names, each, strict=True))
        for value in values
    )
    mean = tuple(
        Mark(mean * scale, row, f"{name}: {scores.score(mean)}")
        for row, (name, mean) in enumerate(zip(names, means, strict=True))
    )
    series = Series(f"a {finding.level}", LOOKS[0], levels), Series(f"mean of the {finding.label}", LOOKS[1], mean)
    return Figure(
        f"Scores of the {finding.label}",
        (),
        Scale(c.metric.heading),
        Scale("", names=names),
        (Panel("", series, stacked=False),),
    )
