"""The documents of scores of single systems, and of unpaired systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from outscore.reports.documents import Document, name, overview
from outscore.reports.documents.layouts import Column, counts, names, numbers, table
from outscore.results import Interval
from outscore.results.scores import ScoreResult, SystemScore, UnpairedComparison, UnpairedResult, UnpairedTest
from outscore.text.numbers import (
    ScoreFormat,
    format_count,
    format_p,
    score_format,
)
from outscore.words.comparisons import claims, quantity_ends, quantity_value
from outscore.words.methods import METHODS
from outscore.words.rankings import AVERAGES
from outscore.words.scores import OVERLAP, best_of_sentence, on_others, score_sentence, see_details, summary
from outscore.words.unpaired import gains_format, quantity_of, unpaired_sentence

FEW = 3  # scores in a sentence


def score_document(result: ScoreResult, *, brief: bool) -> Document:
    """Return the document of scores: a row per metric and system; `brief` leaves out methods and the signature."""
    formats = formats_of(result.scores)
    metrics = list(dict.fromkeys(score.metric.spec for score in result.scores))
    systems = list(dict.fromkeys(score.system for score in result.scores))
    level = result.scores[0].interval.level
    several, parts = len(metrics) > 1, result.scores[0].test_set is not None
    lead = summary(len(systems), len(metrics), level)
    if len(result.scores) <= FEW and not parts:
        scores_text = "; ".join(score_sentence(score, formats[score.metric.spec], level) for score in result.scores)
        lead = f"{scores_text}{claims(result.findings)}."
    elif not several and (whole := [score for score in result.scores if score.test_set in (None, *AVERAGES)]):
        best = (max if whole[0].metric.higher_is_better else min)(whole, key=lambda score: score.score)
        of_all = f", the best of {format_count(len(systems))} systems" if len(systems) > 1 else ""
        lead = f"{score_sentence(best, formats[metrics[0]], level)}{of_all}{claims(result.findings)}."
    columns: list[Column[SystemScore]] = [
        names("metric", lambda score: score.metric.heading, fitted=False, shown=several),
        names("dataset", lambda score: score.test_set, shown=parts),
        names("system", lambda score: score.system),
        numbers(
            "score" if several else name(result.scores[0].metric.heading),
            lambda score: formats[score.metric.spec].score(score.score),
        ),
        numbers(
            f"{level} interval",
            lambda score: formats[score.metric.spec].scores(score.interval.low, score.interval.high),
        ),
        Column("by", lambda score: METHODS[score.interval.method], shown=not brief),
        counts(f"{result.unit}s", lambda score: score.n_units),
    ]
    over = result.scores[0].over if len(result.scores) > FEW else None
    printed = [finding for finding in result.findings if finding.sentence is not None]
    notes = (
        *_as_chosen(result, formats),
        *([str(finding.sentence) for finding in printed if finding.key is not None] or [on_others(result.unit)]),
        *(str(finding.sentence) for finding in printed if finding.key is None),
        *([f"Scores are {over}."] if over else []),
        *([OVERLAP] if len(systems) > 1 else []),
    )
    return overview(
        result,
        "Scores",
        (lead,),
        (table(result.scores, columns),),
        notes,
        caption=f"Scores with {level} intervals.",
        brief=see_details("methods") if brief else "",
    )


def _as_chosen(result: ScoreResult, formats: Mapping[str, ScoreFormat]) -> list[str]:
    """Return what the best of several systems owes to having been chosen, for each score but those of datasets."""
    if result.best_of is None:
        return []
    whole = [score for score in result.scores if score.test_set in (None, *AVERAGES)] or result.scores
    return [best_of_sentence(best, formats[best.metric.spec], result.best_of) for best in whole]


def formats_of(scores: Sequence[SystemScore]) -> Mapping[str, ScoreFormat]:
    """Return how the scores of each metric are written, by its spec, so that a column has one precision."""
    formats = {}
    for spec in dict.fromkeys(score.metric.spec for score in scores):
        of_metric = [score for score in scores if score.metric.spec == spec]
        reaches = [system_score.interval.reach(system_score.score) for system_score in of_metric]
        formats[spec] = score_format(
            [system_score.score for system_score in of_metric], reaches, percentage=of_metric[0].metric.as_percentage
        )
    return formats


def unpaired_document(result: UnpairedResult, *, brief: bool) -> Document:
    """Return the document of unpaired systems: sentences per candidate, and a table of all tests."""
    scores = gains_format(result)
    level = first_interval(result).level
    several = len(result.comparisons) > 1
    rows = [(comparison, test) for comparison in result.comparisons for test in comparison.tests]

    def tested(row: tuple[UnpairedComparison, UnpairedTest]) -> str:
        quantity = quantity_of(row[1])
        value = "" if quantity is None else f" {quantity_value(quantity, result.metric)}"
        return f"{row[1].quantity or 'gain'}{value}"

    def ends(row: tuple[UnpairedComparison, UnpairedTest]) -> str:
        _, test = row
        quantity, interval = quantity_of(test), test.interval
        if quantity is not None:
            ends = quantity_ends(quantity, result.metric)
            return f"{ends}%" if ends else "none"
        return "none" if interval is None else scores.interval(interval.low, interval.high)

    def p(heading: str, kind: str, **options: Any) -> Column[tuple[UnpairedComparison, UnpairedTest]]:
        return Column(
            heading, lambda row: format_p(getattr(row[1], kind), result.alpha, bound=row[1].is_bound), **options
        )

    columns: list[Column[tuple[UnpairedComparison, UnpairedTest]]] = [
        names("candidate", lambda row: row[0].candidate),
        numbers("gain", lambda row: scores.gain(row[0].gain)),
        Column("tested", tested, fitted=True, shown=any(test.quantity is not None for _, test in rows)),
        numbers(f"{level} interval", ends),
        names("test", lambda row: row[1].name, fitted=False),
        p("p", "p_value", gives_way=int(several)),
        p("p (Holm)", "adjusted_p_value", shown=several),
        Column("computed", lambda row: row[1].computation, fitted=True),
    ]
    grouped = int(len(result.comparisons[0].tests) > 1)
    return overview(
        result,
        "Unpaired systems",
        tuple(unpaired_sentence(result, comparison, scores) for comparison in result.comparisons),
        (table(rows, columns, grouped=grouped),),
        result.notes,
        caption=f"{name(result.metric.title)} of systems scored on different items.",
        brief=see_details() if brief else "",
    )


def first_interval(result: UnpairedResult) -> Interval:
    """Return the interval of the first gain."""
    return result.comparisons[0].interval
