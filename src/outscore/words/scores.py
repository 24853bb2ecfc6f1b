"""The sentences of scores of single systems."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.data.rows import RunDesign
from outscore.results.scores import SystemScore
from outscore.text.naming import in_a_row, name
from outscore.text.numbers import ScoreFormat, format_count, format_counted
from outscore.words.comparisons import details

OVERLAP = "Overlapping intervals do not show that two systems are equal. Use outscore compare, which pairs their items."
_SCORED = {
    RunDesign.SAMPLES: "the score of new samples, as many per item,",
    RunDesign.FIXED: "the mean score of these runs",
    RunDesign.RANDOM: "the mean score of as many new runs",
}


def score_sentence(result: SystemScore, scores: ScoreFormat, level: str) -> str:
    """Return a system's score and interval, without the full stop."""
    title, over = f"{name(result.metric.title)} ", "" if result.over is None else f"{result.over}; "
    interval = scores.scores(result.interval.low, result.interval.high)
    sentence = f"{scores.score(result.score)}{'%' if result.metric.as_percentage else ''} ({over}{level}: {interval})"
    if over and result.metric.title == "mean":  # not "mean ... means over 5 runs"
        return f"{name(result.system)} scores {sentence}"
    return f"{name(result.system)} has {title}{sentence}"


def best_of_sentence(result: SystemScore, scores: ScoreFormat, best_of: int) -> str:
    """Return what the best of several systems owes to having been chosen."""
    interval, unit = result.interval_as_chosen or result.interval, "%" if result.metric.as_percentage else ""
    higher, error, bound = result.metric.higher_is_better, result.standard_error, ""
    expected = f"{scores.score(result.score)}{unit} or {'less' if higher else 'more'}"
    if result.overstatement is not None and error is not None and error.value > 0:
        ends = sorted(
            (result.score, result.score - result.overstatement if higher else result.score + result.overstatement)
        )
        expected = " to ".join(f"{scores.score(end)}{unit}" for end in ends)
        errors = f"{result.overstatement / error.value:.2f}"
        bound = (
            f" Up to {errors} standard errors of the score come from the choice, most if the errors are independent."
        )
    level, ends_of_all = interval.level, scores.scores(interval.low, interval.high)
    return (
        f"{name(result.system)} was chosen as the best of {format_count(best_of)}: expect {expected} on new items "
        f"({level}: {ends_of_all}).{bound}"
    )


def summary(n_systems: int, n_metrics: int, level: str) -> str:
    """Return the title of a table of scores."""
    what = f"{format_counted(n_systems, 'system')} on {format_counted(n_metrics, 'metric')}"
    return f"Scores of {what}, each with its {level} interval."


def on_others(unit: str) -> str:
    """Return the scope of the intervals of scores."""
    return f"Intervals are for the score on new {unit}s of the same kind."


def see_details(more: str = "") -> str:
    """Return how to see more than the short text."""
    return f"{details()} shows the {f'{more} and the ' if more else ''}signature."


def scope_of_scores(claim: RunDesign | None, clauses: Sequence[str], unit: str) -> str:
    """Return the scope of the intervals of single systems' scores, given the clauses of their factors."""
    quantity = "the score" if claim is None else _SCORED[claim]
    if clauses:
        quantity += f" with {in_a_row(clauses)}"
    return f"Intervals are for {quantity} on new {unit}s of the same kind."
