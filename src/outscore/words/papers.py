"""Captions of tables for papers: data, signs, tests, corrections and intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from outscore.results import (
    ComparisonResult,
    Correction,
    Family,
    Multiplicity,
    Ranking,
    Verdict,
)
from outscore.text.naming import Mark, in_a_row, marked, name
from outscore.text.numbers import format_counted, format_exactly
from outscore.words.comparisons import claims, first_tests, in_clusters, interval_heading, interval_of
from outscore.words.rankings import CORRECTIONS, items_of, ranking_test

LOWER = "↓"  # beside metrics on which lower scores are better
SIGNS: Mapping[str, str] = {Verdict.BETTER: "*", Verdict.WORSE: "†", Verdict.NOT_WORSE: "‡", Verdict.EQUIVALENT: "‡"}
_MEANINGS: Mapping[str, str] = {
    Verdict.BETTER: "significantly better than",
    Verdict.WORSE: "significantly worse than",
    Verdict.NOT_WORSE: "not worse than",
    Verdict.EQUIVALENT: "equivalent to",
}


def comparison_caption(results: Sequence[ComparisonResult], *, intervals: bool, bold: bool) -> str:
    """Return the caption of a table of comparisons, with or without intervals of gains and bold best scores."""
    every = [c for result in results for c in result.comparisons]
    first = every[0]
    baseline = "the constant" if first.against is not None else name(first.baseline)
    data = [
        (_scores(first.over, f"{format_counted(result.n_items, 'item')}{in_clusters(result.comparisons[0])}"), result)
        for result in results
    ]
    sentences = [for_each((text, name(result.metric.title)) for text, result in data)]
    sentences += _explained(bold=bold, lower=not all(c.metric.higher_is_better for c in every))
    verdicts = {c.verdict for c in every}
    signs = [f"{marked(Mark.RAISED, SIGNS[v])} {_MEANINGS[v]}" for v in _MEANINGS if v in verdicts]
    signs = [*(sign.removesuffix(" than") for sign in signs[:-1]), *signs[-1:]]
    opposed = [c for c in every if c.found is not None and c.found.direction is not c.verdict]
    none = f"No {'verdict' if opposed else 'test'} against {baseline} is significant"
    marks = f"{', '.join(signs)} {baseline}" if signs else none
    sentences.append(f"{marks} ({_tests(results)}{claims(first.findings)})")
    if opposed:
        which = in_a_row(list(dict.fromkeys(name(c.candidate) for c in opposed)))
        sentences.append(f"For {which} the {interval_of(opposed[0])} and the mean point in different directions")
    if intervals:
        heading = interval_heading(first.interval)
        sentences.append(
            f"The {heading}s of the {interval_of(first)} over {baseline} are not corrected. Positive gains are better"
        )
    return joined(sentences)


def _tests(results: Sequence[ComparisonResult]) -> str:
    """Return the tests of the verdicts, the significance level and the correction."""
    first = results[0].comparisons[0]
    sentences = []
    for result in results:
        tests = first_tests(result.comparisons)
        for test, candidates in tests.items():
            whose = f" of {in_a_row(candidates)}" if len(tests) > 1 else ""
            sentences.append((test, f"{name(result.metric.title)}{whose}"))
    return ", ".join(
        [for_each(sentences), f"α = {format_exactly(first.alpha)}", *correction_of(first.multiplicity, len(results))]
    )


def correction_of(
    family: Multiplicity, n_metrics: int = 1, method: str = "Holm's correction", start: str = ""
) -> Iterator[str]:
    """Yield the correction of comparisons on several metrics and where it starts, and whether it is for all metrics."""
    if family.size > 1:
        yield f"{method} over {format_counted(family.size, 'comparison')}{start}"
    if n_metrics > 1 and family.family is not Family.ALL:
        yield "not corrected for the number of metrics"


def ranking_caption(rankings: Sequence[Ranking], columns: Sequence[str], *, intervals: bool, bold: bool) -> str:
    """Return the caption of a table of rankings, one per column, with or without intervals and bold best scores.

    The columns are called by metrics or datasets.
    """
    data, tests = [], []
    for ranking, column in zip(rankings, columns, strict=True):
        data.append((_scores(ranking.over, items_of(ranking)), column))
        tests.append((f"{ranking_test(ranking)}, {of_pairs(ranking)}", column))
    first = rankings[0]
    sentences = [for_each(data)]
    if columns[0] != name(first.metric.heading) and len({ranking.metric.spec for ranking in rankings}) == 1:
        sentences.append(f"The metric is {name(first.metric.spec)}")
    sentences += _explained(bold=bold, lower=not all(ranking.metric.higher_is_better for ranking in rankings))
    level = f"α = {format_exactly(first.alpha)}{', for each column separately' if len(rankings) > 1 else ''}"
    tested = f"{for_each(tests)}, {level}{claims(first.findings)}"
    sentences.append(f"Systems that share a letter do not differ significantly ({tested})")
    if intervals:
        sentences.append(f"The {interval_heading(first.systems[0].interval)}s are those of the scores")
    return joined(sentences)


def of_pairs(ranking: Ranking) -> str:
    """Return the correction of a ranking: "max-T correction for 10 pairs"."""
    if ranking.correction is Correction.NONE:
        return "not corrected"
    return f"{CORRECTIONS[ranking.correction]} correction for {format_counted(len(ranking.pairs), 'pair')}"


def _scores(over: str | None, n: str) -> str:
    return f"Scores on {n}{f', {over}' if over is not None else ''}"


def _explained(*, bold: bool, lower: bool) -> list[str]:
    return [*(["The best scores are in bold"] if bold else []), *([f"{LOWER} lower is better"] if lower else [])]


def for_each(texts: Iterable[tuple[str, str]]) -> str:
    """Return what is said of columns: once, or each text with the columns of which it is true."""
    columns: dict[str, list[str]] = {}
    for text, column in texts:
        columns.setdefault(text, []).append(column)
    if len(columns) == 1:
        return next(iter(columns))
    first, *others = (f"{text} for {in_a_row(names)}" for text, names in columns.items())
    return "; ".join([first, *(other.removeprefix("Scores ") for other in others)])


def joined(sentences: Iterable[str]) -> str:
    """Return sentences with their full stops."""
    return " ".join(f"{sentence}." for sentence in sentences)
