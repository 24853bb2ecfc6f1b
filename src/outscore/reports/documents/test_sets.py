"""The document of several test sets: a claim about all of them, and a row for each."""

from __future__ import annotations

from outscore.reports.documents import Document, overview, verdict
from outscore.reports.documents.layouts import Column, counts, names, numbers, table
from outscore.results.test_sets import TestSetComparison, TestSetsComparison, TestSetsResult
from outscore.text.numbers import ScoreFormat, format_level, format_p, score_format
from outscore.words.scores import see_details
from outscore.words.test_sets import (
    ONE_BY_ONE,
    OTHER_QUANTITY,
    caption,
    explain_correction,
    explain_count,
    explain_tasks,
    sentences,
)


def test_sets_document(result: TestSetsResult, *, brief: bool) -> Document:
    """Return the document of candidates on several test sets."""
    scores = test_sets_format(result)
    several, corrected, alpha = len(result.comparisons) > 1, result.multiplicity.size > 1, result.alpha
    level = format_level(1 - result.alpha)
    rows = [(both, test_set) for both in result.comparisons for test_set in both.test_sets]
    both_told = any(format_p(on_set.p_value, alpha) != format_p(on_set.directed_p_value, alpha) for _, on_set in rows)
    tested = next((on_set.quantity for _, on_set in rows if on_set.quantity is not None), None)
    score = "its score" if several else "candidate"
    columns: list[Column[tuple[TestSetsComparison, TestSetComparison]]] = [
        names("candidate", lambda row: row[0].candidate, shown=several),
        names("dataset", lambda row: row[1].test_set),
        counts("items", lambda row: row[1].n_items),
        numbers("baseline", lambda row: scores.score(row[1].baseline_score), gives_way=1),
        numbers(score, lambda row: scores.score(row[1].candidate_score)),
        numbers("gain", lambda row: scores.gain(row[1].gain)),
        numbers(
            f"{level} interval",
            lambda row: scores.interval(row[1].interval.low, row[1].interval.high),
            shown=tested is None,
        ),
        Column("p", lambda row: format_p(row[1].p_value, alpha), gives_way=2 if corrected else 0),
        Column("p (directed)", lambda row: format_p(row[1].directed_p_value, alpha), shown=both_told),
        Column("p (Holm)", lambda row: format_p(row[1].adjusted_p_value, alpha), shown=corrected),
        Column("verdict", lambda row: verdict(row[1].verdict.value)),
    ]
    shown = table(
        rows,
        columns,
        parted=lambda row: row[0].candidate,
        grouped=int(several),
    )
    one_by_one = [ONE_BY_ONE] if corrected else []
    about_tests = one_by_one if tested is None else [OTHER_QUANTITY.format(tested)]
    notes = (*about_tests, *explain_count(result, both_told=both_told), explain_tasks(result))
    return overview(
        result,
        f"{len(result.comparisons[0].test_sets)} datasets",
        (*claims_of(result), explain_correction(result)),
        (shown,),
        notes,
        caption=caption(result),
        brief=see_details() if brief else "",
    )


test_sets_document.__test__ = False  # type: ignore[attr-defined]


def claims_of(result: TestSetsResult) -> list[str]:
    """Return the claims about all candidates."""
    scores = test_sets_format(result)
    return [claim for both in result.comparisons for claim in sentences(result, both, scores)]


def test_sets_format(result: TestSetsResult) -> ScoreFormat:
    """Return how scores and gains on all test sets are written: one precision."""
    rows = [test_set for both in result.comparisons for test_set in both.test_sets]
    return score_format(
        [score for row in rows for score in (row.baseline_score, row.candidate_score)],
        [row.interval.reach(row.gain) for row in rows],
        percentage=result.metric.as_percentage,
        thresholds=() if result.margin is None else (result.margin,),
    )


test_sets_format.__test__ = False  # type: ignore[attr-defined]
