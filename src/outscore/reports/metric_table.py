"""What a report on several metrics begins with: all of them in one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from outscore.naming import printable
from outscore.numbers import ScoreFormat, format_count
from outscore.reports.wording import first_test, table_format
from outscore.results import Comparison, ComparisonResult, format_adjusted_p

__all__ = ["Row", "lead", "rows", "with_candidates"]


@dataclass(frozen=True)
class Row:
    """One metric and candidate, each number as it is shown; names are not escaped.

    Attributes
    ----------
    metric : str
        With its unit: "span F1 (%)".
    candidate, baseline_score, candidate_score, gain, interval : str
    p : str
        Of the first test, after Holm's correction over the candidates; empty without a test.
    verdict : str
    """

    metric: str
    candidate: str
    baseline_score: str
    candidate_score: str
    gain: str
    interval: str
    p: str
    verdict: str


def with_candidates(results: Sequence[ComparisonResult]) -> bool:
    """Return whether rows have to name their candidates, as there are several."""
    return len(results[0].comparisons) > 1


def rows(results: Sequence[ComparisonResult]) -> list[Row]:
    """Return one row a metric and candidate, in the order of the results; all numbers with the same decimals."""
    formats = [table_format(result.comparisons) for result in results]
    decimals = max(one.decimals for one in formats)
    return [
        _row(c, replace(one, decimals=decimals))
        for one, result in zip(formats, results, strict=True)
        for c in result.comparisons
    ]


def _row(c: Comparison, scores: ScoreFormat) -> Row:
    return Row(
        metric=c.metric.title + (" (%)" if c.metric.as_percentage else ""),
        candidate=c.candidate,
        baseline_score=scores.score(c.baseline_score),
        candidate_score=scores.score(c.candidate_score),
        gain=scores.gain(c.gain),
        interval=scores.interval(c.interval.low, c.interval.high),
        p=format_adjusted_p(c.tests[0], c.alpha) if c.tests else "",
        verdict=c.verdict.value,
    )


def lead(
    results: Sequence[ComparisonResult],
    *,
    name: Callable[[str], str] = printable,
    number: Callable[[str], str] = str,
) -> str:
    """Return one or two sentences on what the table holds: a heading, and a caption for a paper."""
    first, several = results[0].comparisons[0], with_candidates(results)
    count = number(format_count(len(results[0].comparisons)))
    who = f"{count} candidates" if several else name(first.candidate)
    metrics = f"{number(format_count(len(results)))} metrics"
    told = f"{who} against {name(first.baseline)} on {metrics}, all on the same draws. Positive gains are better."
    if not first.tests:
        return told
    of = first_test((c for result in results for c in result.comparisons), number=number)
    corrected = "corrected for the number of candidates but not of" if several else "not corrected for the number of"
    return f"{told} The p-values are those of the {of}, {corrected} metrics."
