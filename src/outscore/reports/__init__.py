"""Reports: pure functions from results to text.

A result has a document (`documents`) and a figure (`figures`), and each format has a writer (`FORMATS`). A report ends
with exactly one newline, and names are escaped for its format.
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
    "drawn_figures",
    "figures_of",
    "kind_of",
    "loaded",
    "methods_of",
    "report",
]


@dataclass(frozen=True)
class Layout:
    """The layout of a report; a format ignores the fields that it does not need.

    Attributes
    ----------
    width : int
        Columns of the terminal; at least 72 are used, and prose has at most 100.
    color : bool
        Whether text has ANSI escapes. Colour is never the only sign.
    ascii_only : bool
        Whether text is only ASCII, names included, for output encodings without block characters.
    bare : bool
        Whether LaTeX and Typst have only the tabulars.
    table : {"scores", "intervals"}, optional
        Write only the table of systems and metrics, with intervals or without. Formats for papers always write it.
    methods : bool
        Whether to write only the paragraph on methods.
    details : bool
        Whether text is in full. By default it has only what decides.
    pairs : bool
        Whether all pairs of a ranking are listed; CSV and Parquet then list pairs and not systems.
    thresholds : bool
        Whether CSV and Parquet have the thresholds of a study of gains, and not its pairs.
    """

    width: int = 80
    color: bool = False
    ascii_only: bool = False
    bare: bool = False
    table: str | None = None
    methods: bool = False
    details: bool = False
    pairs: bool = False
    thresholds: bool = False


@dataclass(frozen=True)
class ResultKind:
    """The functions that show a kind of result, as ``module:name``; a module of this package begins with a dot.

    Attributes
    ----------
    documents : str
        From one result to its document. If `together`, from all results, the medium and the options of
        `documents_of` to all documents.
    figure : str, optional
        From one result to its drawing.
    together : bool
        Whether results on several metrics make one report.
    shortened : bool
        Whether text is shorter without ``details=True``: then `documents` takes ``brief``.
    page : str
        From results to an HTML report.
    pairs : str, optional
        From a result to the section of its HTML report on all pairs.
    several : str
        The record of several results.
    table : str, optional
        From results on several metrics, the medium and whether there are intervals to the document of their table.
    methods : str, optional
        From results and what finds works to the paragraph on methods.
    """

    documents: str
    figure: str | None
    together: bool = False
    shortened: bool = False
    page: str = ".html.overviews:overviews_to_html"
    pairs: str | None = None
    several: str = "outscore.wings.studies.results:Studies"
    table: str | None = None
    methods: str | None = None


_STUDY = ResultKind("outscore.wings.studies.documents:study_document", "outscore.wings.studies.figures:study_figure")
_PLAN = ResultKind("outscore.wings.planning.documents:plan_document", "outscore.wings.planning.figures:plan_figure")

# By the place of a result's class: who compares two systems does not wait for studies and plans.
KINDS = {
    "outscore.results.comparisons:ComparisonResult": ResultKind(
        ".documents.comparisons:comparison_documents",
        ".figures.comparisons:comparison_figure",
        together=True,
        page=".html.comparison:comparisons_to_html",
        several="outscore.results.comparisons:ComparisonResults",
        table=".documents.papers:comparison_table",
        methods="outscore.words.methods:comparison_methods",
    ),
    "outscore.wings.planning.results:GatePlan": ResultKind(
        "outscore.wings.planning.documents:gate_plan_document", "outscore.wings.planning.figures:gate_plan_figure"
    ),
    "outscore.wings.gating.results:GateResult": ResultKind(
        "outscore.wings.gating.documents:gate_document", "outscore.wings.gating.figures:gate_figure"
    ),
    "outscore.wings.judging.results:JudgesResult": ResultKind("outscore.wings.judging.documents:judges_document", None),
    "outscore.wings.logs.results:Inventory": ResultKind("outscore.wings.logs.documents:inventory_document", None),
    "outscore.wings.metaeval.results:MetaResult": ResultKind(
        "outscore.wings.metaeval.documents:meta_document", "outscore.wings.metaeval.figures:meta_figure", shortened=True
    ),
    "outscore.results.rankings:Ranking": ResultKind(
        ".documents.rankings:ranking_documents",
        ".figures.rankings:ranking_figure",
        together=True,
        page=".html.ranking:rankings_to_html",
        several="outscore.results.rankings:Rankings",
        table=".documents.papers:ranking_table",
        methods="outscore.words.methods:ranking_methods",
    ),
    "outscore.wings.replication.results:Replication": ResultKind(
        "outscore.wings.replication.documents:replication_document", None
    ),
    "outscore.results.scores:ScoreResult": ResultKind(
        ".documents.scores:score_document",
        ".figures.scores:score_figure",
        shortened=True,
        methods="outscore.words.methods:score_methods",
    ),
    "outscore.results.scores:UnpairedResult": ResultKind(
        ".documents.scores:unpaired_document",
        ".figures.scores:unpaired_figure",
        shortened=True,
        methods="outscore.words.methods:unpaired_methods",
    ),
    "outscore.results.test_sets:TestSetsResult": ResultKind(
        ".documents.test_sets:test_sets_document", ".figures.test_sets:test_sets_figure", shortened=True
    ),
    "outscore.wings.human.results:HumanPlan": ResultKind("outscore.wings.human.documents:human_plan_document", None),
    "outscore.wings.planning.results:RunsPlan": ResultKind(
        "outscore.wings.planning.documents:run_plan_document", "outscore.wings.planning.figures:run_plan_figure"
    ),
    "outscore.wings.planning.results:PowerPlan": _PLAN,
    "outscore.wings.planning.results:GainPlan": _PLAN,
    "outscore.wings.planning.results:ItemsPlan": _PLAN,
    "outscore.wings.planning.results:PlanTable": _PLAN,
    "outscore.wings.studies.results:CalibrationStudy": _STUDY,
    "outscore.wings.studies.results:DomainStudy": _STUDY,
    "outscore.wings.studies.results:GainStudy": replace(_STUDY, pairs="outscore.wings.studies.page:pairs_of_study"),
    "outscore.wings.studies.results:SizeStudy": _STUDY,
    "outscore.wings.studies.results:TransferStudy": _STUDY,
}


def kind_of(result: object) -> ResultKind:
    """Return the functions that show a result."""
    return KINDS[f"{type(result).__module__}:{type(result).__qualname__}"]


def loaded(place: str) -> Callable[..., Any]:
    """Return the function at a place that `ResultKind` names."""
    module, _, name = place.partition(":")
    function: Callable[..., Any] = getattr(import_module(module, __name__), name)
    return function


def documents_of(
    results: Sequence[Any], medium: Medium, *, details: bool = False, pairs: bool = False
) -> list[Document]:
    """Return the documents of results of one kind: the same systems on one metric each, or of one question.

    Parameters
    ----------
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
    options = {"brief": medium is Medium.TERMINAL and not details} if kind.shortened else {}
    return [write(result, **options) for result in results]


def figures_of(results: Sequence[Any], kind: str = "scores") -> list[Figure]:
    """Return the drawings of results, one each. A single comparison has its distribution, and an inventory has none.

    Parameters
    ----------
    kind : {"scores", "gains", "p-values"}
        Of rankings: scores with their intervals; gains against confidence, as BK12's Figure 2; the p-values of all
        pairs.
    """
    of = kind_of(results[0])
    if of.figure is None:
        return []
    draw, options = loaded(of.figure), {"kind": kind, "alone": len(results) == 1} if of.together else {}
    return [draw(result, **options) for result in results]


def drawn_figures(results: Sequence[Any], kind: str = "scores") -> list[Figure]:
    """Return the figures of results for a chart. See `figures_of`.

    Raises
    ------
    OptionError
        The results have no drawing.
    """
    figures = figures_of(results, kind)
    if not figures:
        raise OptionError(Problem(opt("chart"), "nothing is drawn of this", leave_out(), "no-chart"))
    return figures


def chart_of(results: Sequence[Any], kind: str = "scores") -> Any:
    """Return results as an Altair chart, several one below the other. See `figures_of`.

    Raises
    ------
    MissingDependencyError
        Altair is not installed.
    OptionError
        The results have no drawing.
    """
    from outscore.reports.charts import figures_chart

    return figures_chart(drawn_figures(results, kind))


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
    chosen = Layout(**layout)
    if chosen.methods:
        return methods_of(results, format_name, width=chosen.width, ascii_only=chosen.ascii_only)
    return FORMATS[format_name].write(results, chosen)


def methods_of(results: Sequence[Any], format_name: str, **layout: Any) -> str:
    """Write the paragraph on methods of results for a paper, or in BibTeX the works that it cites.

    Parameters
    ----------
    **layout
        Width and signs of text; without them it is on one line.

    Raises
    ------
    OptionError
        A format without paragraphs, or results without such a paragraph.
    """
    text: str = loaded(".methods:write_methods")(results, kind_of(results[0]).methods, format_name, **layout)
    return text


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
    bare : bool
        Whether it can have only the tabulars.
    tables : bool
        Whether it can have only the table of systems and metrics.
    """

    suffixes: tuple[str, ...]
    write: Callable[[Sequence[Any], Layout], str | bytes]
    binary: bool = False
    bare: bool = False
    tables: bool = False


def _documents(results: Sequence[Any], medium: Medium, layout: Layout) -> list[Document]:
    """Return the documents of a report, or of only the table of systems and metrics."""
    paper, kind = medium is Medium.PAPER, kind_of(results[0])
    if layout.table is None and not (paper and kind.table):
        return documents_of(results, medium, details=layout.details, pairs=layout.pairs)
    if layout.table not in (None, "scores", "intervals"):
        what = f"expected scores or intervals, got {layout.table!r}"
        raise OptionError(Problem(opt("table"), what, leave_out(), "unknown-value"))
    if kind.table is None:
        what = "applies to systems that are compared or ranked on all items"
        raise OptionError(Problem(opt("table"), what, leave_out(), "no-table"))
    document: Document = loaded(kind.table)(results, medium, intervals=layout.table == "intervals")
    if not (paper and (layout.details or layout.pairs)):
        return [document]
    table = replace(document, blocks=document.blocks[:1])  # the other documents have the notes and signatures
    return [table, *documents_of(results, medium, details=layout.details, pairs=layout.pairs)]


def _text(results: Sequence[Any], layout: Layout) -> str:
    from outscore.reports.text import documents_to_text  # it imports what no other format needs

    documents = _documents(results, Medium.TERMINAL, layout)
    return documents_to_text(documents, width=layout.width, color=layout.color, ascii_only=layout.ascii_only)


def _markdown(results: Sequence[Any], layout: Layout) -> str:
    from outscore.reports.markdown import documents_to_markdown

    return documents_to_markdown(_documents(results, Medium.MARKUP, layout))


def _latex(results: Sequence[Any], layout: Layout) -> str:
    from outscore.reports.latex import documents_to_latex

    return documents_to_latex(_documents(results, Medium.PAPER, layout), bare=layout.bare)


def _typst(results: Sequence[Any], layout: Layout) -> str:
    from outscore.reports.typst import documents_to_typst

    return documents_to_typst(_documents(results, Medium.PAPER, layout), bare=layout.bare)


def _html(results: Sequence[Any], layout: Layout) -> str:
    written: str = loaded(".html.tables:documents_to_tables")(_documents(results, Medium.PAPER, layout))
    return written


def _bibtex(results: Sequence[Any], layout: Layout) -> str:
    del layout
    return methods_of(results, "bibtex")


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


def _together(results: Sequence[Any]) -> Shown:
    """Return results as one record."""
    record: Shown = results[0] if len(results) == 1 else loaded(kind_of(results[0]).several)(tuple(results))
    return record


FORMATS: dict[str, Format] = {
    "text": Format(("", ".txt"), _text, tables=True),
    "json": Format((".json",), _json),
    "csv": Format((".csv",), _csv),
    "parquet": Format((".parquet",), _parquet, binary=True),
    "markdown": Format((".md",), _markdown, tables=True),
    "latex": Format((".tex",), _latex, bare=True, tables=True),
    "typst": Format((".typ",), _typst, bare=True, tables=True),
    "html": Format((), _html, tables=True),  # a file .html would be taken for a report
    "bibtex": Format((".bib",), _bibtex),
}
