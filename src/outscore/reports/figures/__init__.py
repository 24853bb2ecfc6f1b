"""What is drawn of each kind of result: one figure, which charts and pages draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outscore.results import ComparisonResult

if TYPE_CHECKING:
    from outscore.reports.figures.model import Figure

__all__ = ["figure_of"]


def figure_of(result: Any, kind: str = "scores", *, alone: bool = True) -> Figure:
    """Return what is drawn of a result.

    Parameters
    ----------
    result : a result
    kind : {"scores", "gains", "p-values"}
        Of a ranking.
    alone : bool
        Whether it is the only one: of a single comparison the law of its gain is drawn then.
    """
    if isinstance(result, ComparisonResult):
        from outscore.reports.figures.comparisons import gains_figure, law_figure

        return law_figure(result.comparisons[0]) if alone and len(result.comparisons) == 1 else gains_figure(result)
    from outscore.results import Plan, PlanTable, Ranking, Scores, UnpairedResult

    match result:
        case Ranking():
            from outscore.reports.figures.rankings import gain_figure, matrix_figure, score_figure

            return {"scores": score_figure, "gains": gain_figure, "p-values": matrix_figure}[kind](result)
        case Scores():
            from outscore.reports.figures.scores import score_figure as scores_figure

            return scores_figure(result)
        case UnpairedResult():
            from outscore.reports.figures.scores import unpaired_figure

            return unpaired_figure(result)
        case Plan() | PlanTable():
            from outscore.reports.figures.plans import plan_figure

            return plan_figure(result)
        case _:
            from outscore.reports.figures.studies import study_figure

            return study_figure(result)
