"""Reports: pure functions from results to text.

One document says what a result says (`documents`), one figure what is drawn of it (`figures`), and one renderer a
format writes them: `FORMATS` lists these. A report ends with exactly one newline, and every name in it is escaped for
its format.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from outscore.errors import OptionError, Problem
from outscore.options import leave_out, opt
from outscore.reports.documents import Document, Medium, Paragraph, plain
from outscore.results import ComparisonResult
from outscore.results.shown import Shown
from outscore.wings import from_wing

if TYPE_CHECKING:
    from outscore.reports.figures import Figure

__all__ = [
    "FORMATS",
    "KINDS",
    "Format",
    "Layout",
    "ResultKind",
    "answers",
    "chart_of",
    "documents_of",
    "figures_of",
    "kind_of",
    "loaded",
    "report",
]


@dataclass(frozen=True)
class Layout:
    """How a report is laid out; each format takes of it what it has.

    Attributes
    ----------
    width : int
        Columns of the terminal; at least 72 are used. Prose keeps to 100.
    color : bool
        Whether text has ANSI escapes. Nothing is said by colour alone.
    ascii_only : bool
        For output encodings that lack block characters: only ASCII comes back, names included.
    bare : bool
        Whether LaTeX is tabulars alone.
    details : bool
        Whether several candidates or metrics are not only shown in a table, but each by itself, too.
    pairs : bool
        Whether all pairs of a ranking are listed, however many there are; in CSV and Parquet in place of the systems.
    thresholds : bool
        Whether CSV and Parquet hold the thresholds of a study of gains, in place of its pairs.
    """

    width: int = 80
    color: bool = False
    ascii_only: bool = False
    bare: bool = False
    details: bool = False
    pairs: bool = False
    thresholds: bool = False


@dataclass(frozen=True)
class ResultKind:
    """What shows a kind of result: functions, as ``module:name``; a module of this package begins with a dot.

    Attributes
    ----------
    documents : str
        From one result to its document; where results on several metrics make one report together, from all of them,
        the medium and what `documents_of` is told.
    figure : str, optional
        From one result to what is drawn of it.
    together : bool
    page : str
        From results to a page.
    pairs : str, optional
        From a result to what its page shows of all pairs.
    several : str
        The record of several results.
    """

    documents: str
    figure: str | None
    together: bool = False
    page: str = ".html.overviews:overviews_to_html"
    pairs: str | None = None
    several: str = "outscore.studies.results:Studies"


_STUDY = ResultKind("outscore.studies.documents:study_document", "outscore.studies.figures:study_figure")
_PLAN = ResultKind("outscore.planning.documents:plan_document", "outscore.planning.figures:plan_figure")

# By the place of a result's class: who compares two systems does not wait for studies and plans.
KINDS = {
    "outscore.results.comparisons:ComparisonResult": ResultKind(
        ".documents.comparisons:comparison_documents",
        ".figures.comparisons:comparison_figure",
        together=True,
        page=".html.comparison:comparisons_to_html",
        several="outscore.results.comparisons:ComparisonResults",
    ),
    "outscore.planning.results:GatePlan": ResultKind(
        "outscore.planning.documents:gate_plan_document", "outscore.planning.figures:gate_plan_figure"
    ),
    "outscore.gating.results:GateResult": ResultKind(
        "outscore.gating.documents:gate_document", "outscore.gating.figures:gate_figure"
    ),
    "outscore.logs.results:Inventory": ResultKind("outscore.logs.documents:inventory_document", None),
    "outscore.metaeval.results:MetaResult": ResultKind(
        "outscore.metaeval.documents:meta_document", "outscore.metaeval.figures:meta_figure"
    ),
    "outscore.results.rankings:Ranking": ResultKind(
        ".documents.rankings:ranking_documents",
        ".figures.rankings:ranking_figure",
        together=True,
        page=".html.ranking:rankings_to_html",
        several="outscore.results.rankings:Rankings",
    ),
    "outscore.replication.results:Replication": ResultKind("outscore.replication.documents:replication_document", None),
    "outscore.results.scores:ScoreResult": ResultKind(
        ".documents.scores:score_document", ".figures.scores:score_figure"
    ),
    "outscore.results.scores:UnpairedResult": ResultKind(
        ".documents.scores:unpaired_document", ".figures.scores:unpaired_figure"
    ),
    "outscore.results.test_sets:TestSetsResult": ResultKind(
        ".documents.test_sets:test_sets_document", ".figures.test_sets:test_sets_figure"
    ),
    "outscore.human.results:HumanPlan": ResultKind("outscore.human.documents:human_plan_document", None),
    "outscore.planning.results:RunsPlan": ResultKind(
        "outscore.planning.documents:run_plan_document", "outscore.planning.figures:run_plan_figure"
    ),
    "outscore.planning.results:PowerPlan": _PLAN,
    "outscore.planning.results:GainPlan": _PLAN,
    "outscore.planning.results:ItemsPlan": _PLAN,
    "outscore.planning.results:PlanTable": _PLAN,
    "outscore.studies.results:CalibrationStudy": _STUDY,
    "outscore.studies.results:DomainStudy": _STUDY,
    "outscore.studies.results:GainStudy": replace(_STUDY, pairs="outscore.studies.page:pairs_of_study"),
    "outscore.studies.results:SizeStudy": _STUDY,
    "outscore.studies.results:TransferStudy": _STUDY,
}


def kind_of(result: object) -> ResultKind:
    """Return what shows a result."""
    return KINDS[f"{type(result).__module__}:{type(result).__qualname__}"]


def loaded(place: str) -> Callable[..., Any]:
    """Return the function at a place that `ResultKind` names."""
    module, _, name = place.partition(":")
    function: Callable[..., Any] = getattr(import_module(module, __name__), name)
    return function


def documents_of(
    results: Sequence[Any], medium: Medium, *, details: bool = False, pairs: bool = False
) -> list[Document]:
    """Return what a report says of results of one kind: of the same systems on one metric each, or of one question.

    Parameters
    ----------
    results : sequence of results
    medium : Medium
        Where it is read.
    details, pairs : bool
        As of `Layout`.
    """
    kind = kind_of(results[0])
    write = loaded(kind.documents)
    if kind.together:
        documents: list[Document] = write(results, medium, details=details, pairs=pairs)
        return documents
    return [write(result) for result in results]


def figures_of(results: Sequence[Any], kind: str = "scores") -> list[Figure]:
    """Return what is drawn of results; one figure each, but that of one comparison is its law; none of an inventory.

    Parameters
    ----------
    results : sequence of results
    kind : {"scores", "gains", "p-values"}
        Of rankings: scores with their intervals; gains against confidence, as BK12's Figure 2; the p-values of all
        pairs.
    """
    of = kind_of(results[0])
    if of.figure is None:
        return []
    draw, options = loaded(of.figure), {"kind": kind, "alone": len(results) == 1} if of.together else {}
    return [draw(result, **options) for result in results]


def chart_of(results: Sequence[Any], kind: str = "scores") -> Any:
    """Return results as an Altair chart: one below the other, where there are several. See `figures_of`.

    Raises
    ------
    MissingDependencyError
        Altair is not installed.
    OptionError
        Results of which nothing is drawn.
    """
    from outscore.reports.charts import figures_chart

    figures = figures_of(results, kind)
    if not figures:
        raise OptionError(Problem(opt("chart"), "nothing is drawn of this", leave_out(), "no-chart"))
    return figures_chart(figures)


def report(results: Sequence[Any], format_name: str, **layout: Any) -> Any:
    """Write results in a format: text, but of Parquet bytes.

    Parameters
    ----------
    results : sequence of results
        Of one kind: one result, or several on the same systems, one a metric.
    format_name : str
        One of `FORMATS`.
    **layout
        Fields of `Layout`.
    """
    return FORMATS[format_name].write(results, Layout(**layout))


def answers(results: Sequence[Any]) -> list[str]:
    """Return in a sentence or two each what results say, without tables."""
    if isinstance(results[0], ComparisonResult):
        from outscore.words.comparisons import emulated_sentence

        comparisons = [c for result in results for c in result.comparisons]
        return [line for c in comparisons for line in (c.sentence, emulated_sentence(c)) if line]
    from outscore.results.test_sets import TestSetsResult

    documents = [documents_of([result], Medium.TERMINAL)[0] for result in results]
    if isinstance(results[0], TestSetsResult):  # what is said of each candidate, and of averages
        return [plain(block.text) for of in documents for block in of.blocks if isinstance(block, Paragraph)]
    return [document.lead for document in documents]


@dataclass(frozen=True)
class Format:
    """A format of reports.

    Attributes
    ----------
    suffixes : tuple of str
        Of the names of its files.
    write : callable
        From results and a layout to text, or to bytes where it is binary.
    binary : bool
    """

    suffixes: tuple[str, ...]
    write: Callable[[Sequence[Any], Layout], str | bytes]
    binary: bool = False


def _text(results: Sequence[Any], layout: Layout) -> str:
    from outscore.reports.text import documents_to_text  # it imports what no other format needs

    documents = documents_of(results, Medium.TERMINAL, details=layout.details, pairs=layout.pairs)
    return documents_to_text(documents, width=layout.width, color=layout.color, ascii_only=layout.ascii_only)


def _markdown(results: Sequence[Any], layout: Layout) -> str:
    from outscore.reports.markdown import documents_to_markdown

    return documents_to_markdown(documents_of(results, Medium.MARKUP, pairs=layout.pairs))


def _latex(results: Sequence[Any], layout: Layout) -> str:
    from outscore.reports.latex import documents_to_latex

    documents = documents_of(results, Medium.PAPER, details=layout.details, pairs=layout.pairs)
    return documents_to_latex(documents, bare=layout.bare)


def _json(results: Sequence[Any], layout: Layout) -> str:
    del layout
    return _together(results).to_json()


def _csv(results: Sequence[Any], layout: Layout) -> str:
    return _together(results).to_csv(**_of_table(layout))


def _parquet(results: Sequence[Any], layout: Layout) -> bytes:
    return _together(results).to_parquet(**_of_table(layout))


def _of_table(layout: Layout) -> dict[str, Any]:
    """Return what the rows of a table are; results take the options of their own kind alone."""
    return {name: True for name in ("pairs", "thresholds") if getattr(layout, name)}


def _every_eval_ever(results: Sequence[Any], layout: Layout) -> str:
    del layout
    return str(from_wing("logs.harnesses.every_eval_ever_writer:results_to_every_eval_ever")(results))


def _together(results: Sequence[Any]) -> Shown:
    """Return results as one record."""
    record: Shown = results[0] if len(results) == 1 else loaded(kind_of(results[0]).several)(tuple(results))
    return record


FORMATS: dict[str, Format] = {
    "text": Format(("", ".txt"), _text),
    "json": Format((".json",), _json),
    "csv": Format((".csv",), _csv),
    "parquet": Format((".parquet",), _parquet, binary=True),
    "markdown": Format((".md",), _markdown),
    "latex": Format((".tex",), _latex),
    "every-eval-ever": Format((), _every_eval_ever),
}
