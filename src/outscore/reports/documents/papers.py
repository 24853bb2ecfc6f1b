"""The table of a paper: systems by metrics, with signs of significance or letters of groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from outscore.formats import Medium
from outscore.reports.documents import (
    Block,
    Document,
    Fact,
    Facts,
    Mark,
    Notes,
    Table,
    marked,
    message,
    name,
    strong,
)
from outscore.reports.documents.comparisons import each_once, table_format
from outscore.reports.documents.layouts import Column, known_fact, numbers, table
from outscore.reports.documents.rankings import emulation_table, measures_of
from outscore.results import Comparison, ComparisonResult, MetricDescription, Ranking
from outscore.words.comparisons import interval_cell, interval_heading
from outscore.words.papers import LOWER, SIGNS, comparison_caption, ranking_caption
from outscore.words.rankings import explain_emulation, first_place


@dataclass(frozen=True)
class _Scores:
    """The scores of all systems on one metric or dataset, with marks and intervals, as text."""

    heading: str
    metric: MetricDescription
    scores: list[str]
    best: list[bool]
    marks: list[str]
    interval_heading: str
    intervals: list[str]

    def columns(self, mark: Mark, *, right: bool, intervals: bool) -> Iterator[Column[int]]:
        """Yield the scores, the best in bold, with marks of one width, so that numbers in text are aligned."""
        widest = max(map(len, self.marks))
        yield Column(
            self.heading if self.metric.higher_is_better else f"{self.heading} {LOWER}",
            lambda k: (
                f"{strong(self.scores[k]) if self.best[k] else self.scores[k]}"
                f"{marked(mark, self.marks[k].ljust(widest))}"
            ),
            number=right,
        )
        yield numbers(self.interval_heading, self.intervals.__getitem__, shown=intervals)


def comparison_table(results: Sequence[ComparisonResult], medium: Medium, *, intervals: bool) -> Document:
    """Return the table of comparisons of the same systems, one result per metric, perhaps with intervals of gains."""
    first, columns = results[0].comparisons[0], []
    for result in results:
        comparisons, scores = result.comparisons, table_format(result.comparisons)
        values = [comparisons[0].baseline_score, *(c.candidate_score for c in comparisons)]
        best = _best(result.metric, values)
        if first.against is not None:  # a constant is not a system
            best = [False, *_best(result.metric, values[1:])]
        columns.append(
            _Scores(
                name(result.metric.heading),
                result.metric,
                list(map(scores.score, values)),
                best,
                ["", *(SIGNS.get(c.verdict, "") for c in comparisons)],
                interval_heading(first.interval),
                ["", *(interval_cell(c, scores) for c in comparisons)],
            )
        )
    baseline = "constant" if first.against is not None else name(first.baseline)
    systems = [baseline, *(name(c.candidate) for c in results[0].comparisons)]
    caption = comparison_caption(results, intervals=intervals, bold=not medium.is_terminal)
    shown = _table(systems, columns, Mark.HANGING, right=True, intervals=intervals, caption=caption)
    return _document(results, shown)


def ranking_table(rankings: Sequence[Ranking], medium: Medium, *, intervals: bool) -> Document:
    """Return the table of rankings of the same systems, in the order of the first, one per metric or dataset.

    It has the intervals of the scores or not.
    """
    columns, headings = [], measures_of(rankings)
    for ranking, heading in zip(rankings, headings, strict=True):
        by_name, scores = {system.name: system for system in ranking.systems}, ranking.score_format
        systems = [by_name[system.name] for system in rankings[0].systems]
        columns.append(
            _Scores(
                heading,
                ranking.metric,
                [scores.score(system.score) for system in systems],
                _best(ranking.metric, [system.score for system in systems]),
                [system.group for system in systems],
                interval_heading(systems[0].interval),
                [scores.scores(system.interval.low, system.interval.high) for system in systems],
            )
        )
    caption = ranking_caption(rankings, headings, intervals=intervals, bold=not medium.is_terminal)
    called = [name(system.name) for system in rankings[0].systems]
    right = medium is not Medium.MARKUP  # there letters of any width follow the scores
    shown = _table(called, columns, Mark.LETTERS, right=right, intervals=intervals, caption=caption)
    emulated = [
        block
        for ranking in rankings
        if ranking.emulated is not None
        for block in (
            emulation_table(ranking),
            Notes((explain_emulation(ranking),)),
        )
    ]
    return _document(rankings, shown, *emulated)


def _best(metric: MetricDescription, scores: Sequence[float]) -> list[bool]:
    """Return of every system whether no other scores better."""
    sign = 1 if metric.higher_is_better else -1
    return [not any(sign * other > sign * score for other in scores) for score in scores]


def _table(
    systems: Sequence[str], scores: Sequence[_Scores], mark: Mark, *, right: bool, intervals: bool, caption: str
) -> Table:
    parts = (column for part in scores for column in part.columns(mark, right=right, intervals=intervals))
    columns = [Column("system", systems.__getitem__, fitted=True), *parts]
    return table(range(len(systems)), columns, caption=caption, folded=1 + intervals)


def _document(results: Sequence[ComparisonResult | Ranking], shown: Table, *more: Block) -> Document:
    """Return the table, more blocks, the first place and the warnings."""
    owned = []
    for result in results:
        metric_name = [name(result.metric.title)] if len(results) > 1 else []
        every = result.comparisons if isinstance(result, ComparisonResult) else (result,)
        for comparison in every:
            who = [name(comparison.candidate)] if isinstance(comparison, Comparison) and len(every) > 1 else []
            facts = list(map(message, comparison.warnings))
            owned += [(fact, ", ".join([*who, *metric_name])) for fact in (*_of_choice(comparison), *facts)]
    count = sum(len(result.comparisons) if isinstance(result, ComparisonResult) else 1 for result in results)
    blocks: list[Block] = [shown, *more]
    blocks += [Facts(tuple(each_once(owned, count)))] if owned else []
    return Document("Systems by metrics", tuple(blocks))


def _of_choice(result: Comparison | Ranking) -> list[Fact]:
    """Return what the first place, or the largest gain, owes to having been chosen."""
    if isinstance(result, Ranking):
        return list(known_fact("first place", first_place(result)))
    return [
        Fact(finding.label, finding.sentence)
        for finding in result.findings
        if finding.key == "overstatement" and finding.sentence
    ]
