"""What reports say of several test sets: what may be said of all of them, and a line for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from outscore.options import opt
from outscore.reports.documents import Document, Table, name, overview, verdict
from outscore.results import Alternative, Claim, Comparison
from outscore.results.comparisons import about_metric, write_sentence
from outscore.results.findings import claims
from outscore.results.test_sets import Tasks, TestSetsComparison, TestSetsResult
from outscore.text.numbers import ScoreFormat, format_count, format_level, format_p, score_format, state_p

_MOST_NAMED = 8  # test sets in a sentence


def test_sets_document(result: TestSetsResult) -> Document:
    """Return what a report says of candidates on several test sets."""
    scores = test_sets_format(result)
    several = len(result.comparisons) > 1
    level, unit = format_level(1 - result.alpha), " (%)" if result.metric.as_percentage else ""
    rows = [(both, one) for both in result.comparisons for one in both.test_sets]
    plain, directed = (
        [format_p(p, result.alpha) for p in of]
        for of in ([one.p_value for _, one in rows], [one.directed_p_value for _, one in rows])
    )
    both_told = plain != directed
    columns = [
        *([("candidate", [name(both.candidate) for both, _ in rows], False)] if several else []),
        ("test set", [name(one.test_set) for _, one in rows], False),
        ("items", [format_count(one.n_items) for _, one in rows], True),
        ("baseline", [scores.score(one.baseline_score) for _, one in rows], True),
        ("its score" if several else "candidate", [scores.score(one.candidate_score) for _, one in rows], True),
        ("gain" + unit, [scores.gain(one.gain) for _, one in rows], True),
        (f"{level} interval", [scores.interval(one.interval.low, one.interval.high) for _, one in rows], True),
        ("p", plain, False),
        *([("p (directed)", directed, False)] if both_told else []),
        ("p (Holm)", [format_p(one.adjusted_p_value, result.alpha) for _, one in rows], False),
        ("verdict", [verdict(one.verdict.value) for _, one in rows], False),
    ]
    of = {heading: place for place, (heading, _, _) in enumerate(columns)}
    table = Table.of_columns(
        columns,
        fitted=(0, 1) if several else (0,),
        spare=tuple((of[heading], 1) for heading in ("items", "p", "baseline", columns[2 + several + 1][0])),
        parted=frozenset(len(both.test_sets) * k - 1 for k, both in enumerate(result.comparisons) if k),
    )
    about = ", ".join(about_metric(result.metric, result.over, name))
    lead = tuple(sentence for both in result.comparisons for sentence in _sentences(result, both))
    notes = (
        "Intervals and p are of each test set alone. Verdicts are by p (Holm).",
        *_correction(result, both_told=both_told),
        *_notes(result),
        *(["No correction is made for there being several candidates."] if several else []),
    )
    return overview(
        f"{len(result.comparisons[0].test_sets)} test sets",
        lead,
        (table,),
        notes,
        warnings=result.warnings,
        signature=result.signature,
        version=result.version,
        caption=(
            f"Gains on each of {len(result.comparisons[0].test_sets)} test sets ({about}): {level} intervals and p of "
            "each alone, p (Holm) after correction over all of them."
        ),
    )


def _correction(result: TestSetsResult, *, both_told: bool) -> Iterator[str]:
    """Yield how the column of corrected p-values is computed from the column before it."""
    n, corrected = len(result.comparisons[0].test_sets), "p"
    if both_told:
        corrected = "p (directed)"
        yield f"{corrected} is the larger of p and twice the one-sided p in the direction of the gain."
    of_gains = result.claim is Claim.BETTER and result.alternative is Alternative.TWO_SIDED
    sides = ", separately for gains and losses" if of_gains else ""
    yield (
        f"p (Holm) is Holm's correction of {corrected} over the {n} test sets{sides}: the smallest "
        f"{'of the gains ' if of_gains else ''}times {n}, the next times {n - 1}, and so on, and never below the one "
        f"before{'; the losses likewise' if of_gains else ''}."
    )


test_sets_document.__test__ = False  # type: ignore[attr-defined]


def test_sets_format(result: TestSetsResult) -> ScoreFormat:
    """Return how scores and gains on all test sets are written: one precision."""
    rows = [one for both in result.comparisons for one in both.test_sets]
    return score_format(
        [score for one in rows for score in (one.baseline_score, one.candidate_score)],
        [max(2 * one.interval.reach(one.gain) for one in rows)],
        [one.gain for one in rows],
        percentage=result.metric.as_percentage,
        thresholds=() if result.margin is None else (result.margin,),
    )


test_sets_format.__test__ = False  # type: ignore[attr-defined]


def _sentences(result: TestSetsResult, both: TestSetsComparison) -> Sequence[str]:
    """Return what is claimed of one candidate."""
    n, confidence = len(both.test_sets), format_level(1 - result.alpha)
    sure = f"With {confidence} confidence " if both.k_hat or both.l_hat else ""
    about = ", ".join(about_metric(result.metric, result.over, name))
    said = [f"{sure}{name(both.candidate)} is {_counted(result, both, n)} ({about}){claims(result.findings)}."]
    if both.average is not None:
        said.append(_average(result, both.average, n))
    return said


def _counted(result: TestSetsResult, both: TestSetsComparison, n: int) -> str:
    """Return on how many test sets a candidate is what is claimed of it."""
    baseline = name(both.baseline)
    worse = "" if not both.l_hat else f"worse on at least {both.l_hat}{_which(both.worse_on)}"
    if result.alternative is Alternative.LESS:
        return f"{worse or 'not shown to be worse on any'} of {n} test sets, against {baseline}"
    claimed = f"better than {baseline}"
    if result.margin is not None:
        points = " points" if result.metric.as_percentage else ""
        size = test_sets_format(result).size(result.margin)
        equivalent = f"within ±{size}{points} of {baseline}"
        not_worse = f"not worse than {baseline} by {size}{points} or more"
        claimed = equivalent if result.claim is Claim.EQUIVALENT else not_worse
    if both.k_hat:
        on = f"on all {n} test sets"
        if both.k_hat < n:
            on = f"on at least {both.k_hat} of {n} test sets{_which(both.better_on)}"
        better = f"{claimed} {on}"
        return f"{better}, and {worse}" if worse else better
    if worse:
        return f"{worse} of {n} test sets than {baseline}, and not shown to be better on any"
    return f"not shown to be {claimed} on any of {n} test sets"


def _which(names: Sequence[str]) -> str:
    """Return which test sets, where there are any, in brackets."""
    if not names:
        return ""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f" ({', '.join(map(name, names[:_MOST_NAMED]))}{more})"


def _average(result: TestSetsResult, average: Comparison, n: int) -> str:
    of = "these test sets" if result.tasks is Tasks.FIXED else f"other tasks like these {n}"
    beside = ""
    if len(average.tests) > 1:
        test = average.tests[1]
        beside = f" Sign flips of whole tasks: {state_p(test.p_value, result.alpha)}."
    return f"On the average of {of}: {write_sentence(average, name=name)}{beside}"


def _notes(result: TestSetsResult) -> Sequence[str]:
    match result.tasks:
        case Tasks.COUNT:
            return (
                f"On how many and on which, not by how much: {opt('tasks', 'fixed')} asks for the average over them.",
            )
        case Tasks.FIXED:
            return ("The average is of these test sets, each of one weight, on new items: it says nothing of others.",)
        case Tasks.RANDOM:
            return ("The claim is about other tasks of which these are a sample: tasks are the units.",)
