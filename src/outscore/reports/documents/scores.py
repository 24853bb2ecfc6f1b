"""The documents of scores of single systems, and of unpaired systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from outscore.reports.documents import Document, Table, name, overview
from outscore.results import Interval
from outscore.results.scores import ScoreResult, SystemScore, UnpairedComparison, UnpairedResult, UnpairedTest
from outscore.text.numbers import (
    ScoreFormat,
    format_count,
    format_level,
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
            *([] if brief else [METHODS[one.interval.method]]),
            format_count(one.n_units),
        )

    lead = summary(len(systems), len(metrics), level)
    if len(result.scores) <= FEW and not parts:
        said = "; ".join(score_sentence(one, formats[one.metric.spec], level) for one in result.scores)
        lead = f"{said}{claims(result.findings)}."
    elif not several and (whole := [one for one in result.scores if one.test_set in (None, *AVERAGES)]):
        best = (max if whole[0].metric.higher_is_better else min)(whole, key=lambda one: one.score)
        of_all = f", the best of {format_count(len(systems))} systems" if len(systems) > 1 else ""
        lead = f"{score_sentence(best, formats[metrics[0]], level)}{of_all}{claims(result.findings)}."
    headings = (
        *(["metric"] if several else []),
        *(["dataset"] if parts else []),
        "system",
        "score" if several else name(result.scores[0].metric.heading),
        f"{level} interval",
        *([] if brief else ["by"]),
        f"{result.unit}s",
    )
    right = frozenset(k for k, heading in enumerate(headings) if heading not in ("metric", "dataset", "system", "by"))
    fitted = tuple(k for k, heading in enumerate(headings) if heading in ("dataset", "system"))
    table = Table(headings, tuple(map(row, result.scores)), right, fitted=fitted)
    over = result.scores[0].over if len(result.scores) > FEW else None
    told = [one for one in result.findings if one.sentence is not None]
    notes = (
        *_as_chosen(result, formats),
        *([str(one.sentence) for one in told if one.key is not None] or [on_others(result.unit)]),
        *(str(one.sentence) for one in told if one.key is None),
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
        brief=see_details("methods") if brief else "",
    )


def _as_chosen(result: ScoreResult, formats: Mapping[str, ScoreFormat]) -> list[str]:
    """Return what the best of several systems owes to having been chosen, for each score but those of datasets."""
    if result.best_of is None:
        return []
    whole = [one for one in result.scores if one.test_set in (None, *AVERAGES)] or result.scores
    return [best_of_sentence(one, formats[one.metric.spec], result.best_of) for one in whole]


def formats_of(scores: Sequence[SystemScore]) -> Mapping[str, ScoreFormat]:
    """Return how the scores of each metric are written, by its spec, so that a column has one precision."""
    formats = {}
    for spec in dict.fromkeys(one.metric.spec for one in scores):
        of_metric = [one for one in scores if one.metric.spec == spec]
        reaches = [one.interval.reach(one.score) for one in of_metric]
        formats[spec] = score_format(
            [one.score for one in of_metric], reaches, percentage=of_metric[0].metric.as_percentage
        )
    return formats


def unpaired_document(result: UnpairedResult, *, brief: bool) -> Document:
    """Return the document of unpaired systems: sentences per candidate, and a table of all tests."""
    scores = gains_format(result)
    level = format_level(first_interval(result).confidence_level)
    headings = ("candidate", "gain", "tested", f"{level} interval", "test", "p", "p (Holm)", "computed")

    def row(comparison: UnpairedComparison, test: UnpairedTest) -> tuple[str, ...]:
        tested, ends, found = test.quantity or "gain", "", quantity_of(test)
        if found is not None:
            tested, ends = f"{tested} {quantity_value(found, result.metric)}", quantity_ends(found, result.metric)
            ends += "%" if ends else ""
        elif test.interval is not None:
            ends = scores.interval(test.interval.low, test.interval.high)
        return (
            name(comparison.candidate),
            scores.gain(comparison.gain),
            tested,
            ends or "none",
            name(test.name),
            format_p(test.p_value, result.alpha, bound=test.is_bound),
            format_p(test.adjusted_p_value, result.alpha, bound=test.is_bound),
            test.computation,
        )

    tests = [(comparison, test) for comparison in result.comparisons for test in comparison.tests]
    shown = {"p (Holm)": len(result.comparisons) > 1, "tested": any(test.quantity is not None for _, test in tests)}
    places = [place for place, heading in enumerate(headings) if shown.get(heading, True)]
    right = frozenset(k for k, place in enumerate(places) if headings[place] in ("gain", headings[3]))
    fitted = tuple(k for k, place in enumerate(places) if headings[place] in ("candidate", "tested", "computed"))
    rows = [row(*test) for test in tests]
    return overview(
        "Unpaired systems",
        tuple(unpaired_sentence(result, comparison, scores) for comparison in result.comparisons),
        (
            Table(
                tuple(headings[place] for place in places),
                tuple(tuple(cells[place] for place in places) for cells in rows),
                right,
                fitted=fitted,
                spare=((places.index(headings.index("p")), 1),) if shown["p (Holm)"] else (),
                grouped=len(result.comparisons[0].tests) > 1,
            ),
        ),
        result.notes,
        warnings=result.warnings,
        signature=result.signature,
        version=result.version,
        caption=f"{name(result.metric.title)} of systems scored on different items.",
        brief=see_details() if brief else "",
    )


def first_interval(result: UnpairedResult) -> Interval:
    """Return the interval of the first gain."""
    return result.comparisons[0].interval
