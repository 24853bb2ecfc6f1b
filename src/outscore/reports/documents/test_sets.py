"""The document of several test sets: a claim about all of them, and a row for each."""

from __future__ import annotations

from outscore.reports.documents import Document, Table, name, overview, verdict
from outscore.results.test_sets import TestSetsResult
from outscore.text.numbers import ScoreFormat, format_count, format_level, format_p, score_format
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
    several = len(result.comparisons) > 1
    level = format_level(1 - result.alpha)
    rows = [(both, one) for both in result.comparisons for one in both.test_sets]
    plain, directed, adjusted = (
        [format_p(getattr(one, kind), result.alpha) for _, one in rows]
        for kind in ("p_value", "directed_p_value", "adjusted_p_value")
    )
    both_told = plain != directed
    intervals = [scores.interval(one.interval.low, one.interval.high) for _, one in rows]
    tested = next((one.quantity for _, one in rows if one.quantity is not None), None)
    columns = [
        *([("candidate", [name(both.candidate) for both, _ in rows], False)] if several else []),
        ("dataset", [name(one.test_set) for _, one in rows], False),
        ("items", [format_count(one.n_items) for _, one in rows], True),
        ("baseline", [scores.score(one.baseline_score) for _, one in rows], True),
        ("its score" if several else "candidate", [scores.score(one.candidate_score) for _, one in rows], True),
        ("gain", [scores.gain(one.gain) for _, one in rows], True),
        *([] if tested else [(f"{level} interval", intervals, True)]),
        ("p", plain, False),
        *([("p (directed)", directed, False)] if both_told else []),
        *([("p (Holm)", adjusted, False)] if result.multiplicity.size > 1 else []),
        ("verdict", [verdict(one.verdict.value) for _, one in rows], False),
    ]
    of = {heading: place for place, (heading, _, _) in enumerate(columns)}
    table = Table.of_columns(
        columns,
        fitted=(0, 1) if several else (0,),
        spare=tuple((of[heading], 1) for heading in ("items", "baseline", columns[2 + several + 1][0], "p")),
        grouped=several,
        parted=frozenset(len(both.test_sets) * k - 1 for k, both in enumerate(result.comparisons) if k),
    )
    lead = tuple(sentence for both in result.comparisons for sentence in sentences(result, both, scores))
    one_by_one = [ONE_BY_ONE] if result.multiplicity.size > 1 else []
    about_tests = one_by_one if tested is None else [OTHER_QUANTITY.format(tested)]
    notes = (*about_tests, *explain_count(result, both_told=both_told), explain_tasks(result))
    return overview(
        f"{len(result.comparisons[0].test_sets)} datasets",
        (*lead, explain_correction(result)),
        (table,),
        notes,
        warnings=result.warnings,
        signature=result.signature,
        version=result.version,
        caption=caption(result),
        brief=see_details() if brief else "",
    )


test_sets_document.__test__ = False  # type: ignore[attr-defined]


def test_sets_format(result: TestSetsResult) -> ScoreFormat:
    """Return how scores and gains on all test sets are written: one precision."""
    rows = [one for both in result.comparisons for one in both.test_sets]
    return score_format(
        [score for one in rows for score in (one.baseline_score, one.candidate_score)],
        [one.interval.reach(one.gain) for one in rows],
        percentage=result.metric.as_percentage,
        thresholds=() if result.margin is None else (result.margin,),
    )


test_sets_format.__test__ = False  # type: ignore[attr-defined]
