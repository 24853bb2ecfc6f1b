"""What reports say of scores of single systems, and of unpaired systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from outscore.reports.documents import Document, Table, name, overview
from outscore.results.findings import facts
from outscore.results.scores import ScoreResult, SystemScore, UnpairedResult
from outscore.text.numbers import (
    ScoreFormat,
    format_count,
    format_level,
    format_p,
    score_format,
)
from outscore.words.comparisons import claims
from outscore.words.scores import OVERLAP, on_others, score_sentence, summary, unpaired_sentence

METHODS = {
    "clopper-pearson": "Clopper-Pearson (exact)",
    "korn-graubard": "Korn-Graubard",
    "score": "score test",
    "skew-t": "skewness-corrected t",
}
FEW = 3  # scores that a sentence can tell


def score_document(result: ScoreResult) -> Document:
    """Return what a report says of scores: one line of a table for each metric and system."""
    formats = formats_of(result.scores)
    metrics = list(dict.fromkeys(one.metric.spec for one in result.scores))
    systems = list(dict.fromkeys(one.system for one in result.scores))
    level = format_level(result.confidence_level)
    several, parts = len(metrics) > 1, result.scores[0].test_set is not None

    def row(one: SystemScore) -> tuple[str, ...]:
        scores = formats[one.metric.spec]
        return (
            *([name(one.metric.heading)] if several else []),
            *([name(one.test_set or "")] if parts else []),
            name(one.system),
            scores.score(one.score),
            scores.scores(one.interval.low, one.interval.high),
            METHODS[one.interval.method],
            format_count(one.n_units),
        )

    lead = summary(len(systems), len(metrics), level)
    if len(result.scores) <= FEW and not parts:
        said = "; ".join(score_sentence(one, formats[one.metric.spec], level) for one in result.scores)
        lead = f"{said}{claims(result.findings)}."
    headings = (
        *(["metric"] if several else []),
        *(["test set"] if parts else []),
        "system",
        "score" if several else name(result.scores[0].metric.heading),
        f"{level} interval",
        "by",
        f"{result.unit}s",
    )
    table = Table(headings, tuple(map(row, result.scores)), frozenset(len(headings) - back for back in (1, 3, 4)))
    over = result.scores[0].over if len(result.scores) > FEW else None
    notes = (
        *([sentence for _, sentence in facts(result.findings)] or [on_others(result.unit)]),
        *([f"Scores are {over}."] if over else []),
        *([OVERLAP] if len(systems) > 1 else []),
    )
    caption = f"Scores with {level} intervals."
    return overview(
        "Scores",
        (lead,),
        (table,),
        notes,
        warnings=result.warnings,
        signature=result.signature,
        version=result.version,
        caption=caption,
    )


def formats_of(scores: Sequence[SystemScore]) -> Mapping[str, ScoreFormat]:
    """Return how the scores on each metric are written, by its spec: a column has one precision."""
    formats = {}
    for spec in dict.fromkeys(one.metric.spec for one in scores):
        of_metric = [one for one in scores if one.metric.spec == spec]
        reaches = [one.interval.reach(one.score) for one in of_metric]
        formats[spec] = score_format(
            [one.score for one in of_metric], reaches, percentage=of_metric[0].metric.as_percentage
        )
    return formats


def unpaired_document(result: UnpairedResult) -> Document:
    """Return what a report says of unpaired systems: a sentence a candidate, and a table of all tests."""
    scores = gains_format(result)
    level, unit = format_level(1 - result.alpha), " (%)" if result.metric.as_percentage else ""

    headings = ("candidate", "gain" + unit, f"{level} interval", "test", "p", "p (Holm)", "computed")
    rows = tuple(
        (
            name(one.candidate),
            scores.gain(one.gain),
            scores.interval(one.interval.low, one.interval.high),
            name(test.name),
            format_p(test.p_value, result.alpha),
            format_p(test.adjusted_p_value, result.alpha),
            test.computation,
        )
        for one in result.comparisons
        for test in one.tests
    )
    places = [place for place, heading in enumerate(headings) if len(result.comparisons) > 1 or heading != "p (Holm)"]
    return overview(
        "Unpaired systems",
        tuple(unpaired_sentence(result, one, scores) for one in result.comparisons),
        (
            Table(
                tuple(headings[place] for place in places),
                tuple(tuple(row[place] for place in places) for row in rows),
                frozenset({1, 2}),
            ),
        ),
        result.notes,
        warnings=result.warnings,
        signature=result.signature,
        version=result.version,
        caption=f"{name(result.metric.title)} of systems scored on items of their own.",
    )


def gains_format(result: UnpairedResult) -> ScoreFormat:
    """Return how scores and gains are written."""
    return score_format(
        [score for one in result.comparisons for score in (one.baseline_score, one.candidate_score)],
        [one.interval.reach(one.gain) for one in result.comparisons],
        [gain for one in result.comparisons for gain in (one.gain, one.interval.low, one.interval.high)],
        percentage=result.metric.as_percentage,
    )
