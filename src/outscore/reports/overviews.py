"""Studies and plans in every format: one document and one figure of each are what all of them write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from outscore.reports.documents import Document, documents_to_latex, documents_to_markdown, documents_to_text
from outscore.reports.plans.documents import plan_document
from outscore.reports.scores import score_document
from outscore.reports.studies.documents import study_document
from outscore.reports.unpaired import unpaired_document
from outscore.results.plans import Plan, PlanTable
from outscore.results.scores import ScoreResult
from outscore.results.shown import Shown
from outscore.results.studies import Studies, Study
from outscore.results.unpaired import UnpairedResult

if TYPE_CHECKING:
    from outscore.reports.figures.model import Figure

__all__ = ["FORMATS", "Overview", "chart_of", "document_of", "figure_of", "to_text"]

Overview: TypeAlias = Study | Plan | PlanTable | ScoreResult | UnpairedResult

_ALONE = (Plan, PlanTable, ScoreResult, UnpairedResult)  # one holds all metrics, or has but one


def document_of(result: Overview) -> Document:
    """Return what reports say of a study, a plan or scores."""
    if isinstance(result, ScoreResult):
        return score_document(result)
    if isinstance(result, UnpairedResult):
        return unpaired_document(result)
    return plan_document(result) if isinstance(result, Plan | PlanTable) else study_document(result)


def figure_of(result: Overview) -> Figure:
    """Return what is drawn of a study, a plan or scores."""
    from outscore.reports.figures.plans import plan_figure
    from outscore.reports.figures.studies import study_figure

    if isinstance(result, ScoreResult):
        from outscore.reports.figures.scores import score_figure

        return score_figure(result)
    if isinstance(result, UnpairedResult):
        from outscore.reports.figures.scores import unpaired_figure

        return unpaired_figure(result)
    return plan_figure(result) if isinstance(result, Plan | PlanTable) else study_figure(result)


def chart_of(results: Sequence[Overview]) -> Any:
    """Return results as an Altair chart: one below the other, where there are several.

    Raises
    ------
    MissingDependencyError
        Altair is not installed.
    """
    from outscore.reports.charts import require_altair
    from outscore.reports.figures.charts import figure_chart

    charts = [figure_chart(figure_of(result)) for result in results]
    if len(charts) == 1:
        return charts[0]
    return require_altair().vconcat(*charts).resolve_scale(color="independent", shape="independent")


def to_text(results: Sequence[Overview], *, width: int = 80, ascii_only: bool = False) -> str:
    """Write results as text; see `documents_to_text`."""
    return documents_to_text([document_of(result) for result in results], width=width, ascii_only=ascii_only)


def to_markdown(results: Sequence[Overview]) -> str:
    """Write results as GitHub-flavoured Markdown."""
    return documents_to_markdown([document_of(result) for result in results])


def to_latex(results: Sequence[Overview], *, bare: bool = False) -> str:
    """Write the tables of results for a paper (booktabs)."""
    return documents_to_latex([document_of(result) for result in results], bare=bare)


def to_json(results: Sequence[Overview]) -> str:
    """Write scores, one plan, or studies of one metric each, as JSON."""
    return _together(results).to_json()


def to_csv(results: Sequence[Overview]) -> str:
    """Write scores, one plan, or studies of one metric each, as CSV."""
    return _together(results).to_csv()


def _together(results: Sequence[Overview]) -> Shown:
    return results[0] if len(results) == 1 else Studies(tuple(one for one in results if not isinstance(one, _ALONE)))


FORMATS: dict[str, Callable[[Sequence[Overview]], str]] = {
    "text": to_text,
    "json": to_json,
    "csv": to_csv,
    "markdown": to_markdown,
    "latex": to_latex,
}
