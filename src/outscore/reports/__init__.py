"""Reports: pure functions from results to text.

A result has a document (`documents`) and a figure (`figures`), and each format has a writer (`FORMATS`). A report ends
with exactly one newline, and names are escaped for its format.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from outscore.errors import OptionError, Problem
from outscore.formats import FORMATS, Medium
from outscore.options import leave_out, opt
from outscore.reports.documents import Document, plain
from outscore.reports.documents.layouts import signatures
from outscore.results import ComparisonResult

if TYPE_CHECKING:
    from outscore.reports.figures import Figure

__all__ = [
    "KINDS",
    "ReportOptions",
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
class ReportOptions:
    """The options of a report; a format ignores the fields that it does not need."""

    width: int = 80  # columns of the terminal; at least 72 are used, and prose has at most 100
    color: bool = False  # Whether text has ANSI escapes. Colour is never the only sign.
    # Whether text is only ASCII, names included, for output encodings without block characters.
    ascii_only: bool = False
    bare: bool = False  # whether LaTeX and Typst have only the tabulars
    # Write only the table of systems and metrics, with intervals or without. Formats for papers always write it.
    table: str | None = None
    methods: bool = False  # whether to write only the paragraph on methods
    details: bool = False  # Whether text is in full. By default it has only what decides.
    pairs: bool = False  # whether all pairs of a ranking are listed; CSV and Parquet then list pairs and not systems
    thresholds: bool = False  # whether CSV and Parquet have the thresholds of a study of gains, and not its pairs


@dataclass(frozen=True)
class ResultKind:
    """The functions that show a kind of result, as ``module:name``; a module of this package begins with a dot."""

    documents: str  # A function from one result to its document. If `together`, the layout of all results.
    figure: str | None  # from one result to its drawing
    together: bool = False  # whether results on several metrics make one report
    shortened: bool = False  # whether text is shorter without ``details=True``: then `documents` takes ``brief``
    page: str = ".html.overviews:overviews_to_html"  # from results to an HTML report
    pairs: str | None = None  # from a result to the section of its HTML report on all pairs
    several: str = "outscore.wings.studies.results:Studies"  # the record of several results
    # From results on several metrics, the medium and whether there are intervals to the document of their table.
    table: str | None = None
    methods: str | None = None  # from results and what finds works to the paragraph on methods


def _of_wing(wing: str, name: str, *, has_figures: bool = True, **others: Any) -> ResultKind:
    """Return the functions of a wing, which are called after what they show."""
    figure = f"outscore.wings.{wing}.figures:{name}_figure" if has_figures else None
    return ResultKind(f"outscore.wings.{wing}.documents:{name}_document", figure, **others)


_STUDY, _PLAN = _of_wing("studies", "study"), _of_wing("planning", "plan")

# By the place of a result's class: who compares two systems does not wait for studies and plans.
KINDS = {
    "outscore.results.comparisons:ComparisonResult": ResultKind(
        ".documents.comparisons:COMPARISONS",
        ".figures.comparisons:comparison_figure",
        together=True,
        page=".html.comparison:comparisons_to_html",
        several="outscore.results.comparisons:ComparisonResults",
        table=".documents.papers:comparison_table",
        methods="outscore.words.methods:comparison_methods",
    ),
    "outscore.results.rankings:Ranking": ResultKind(
        ".documents.rankings:RANKINGS",
        ".figures.rankings:ranking_figure",
        together=True,
        page=".html.ranking:rankings_to_html",
        several="outscore.results.rankings:Rankings",
        table=".documents.papers:ranking_table",
        methods="outscore.words.methods:ranking_methods",
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
    "outscore.wings.gating.results:GateResult": _of_wing("gating", "gate"),
    "outscore.wings.human.results:HumanPlan": _of_wing("human", "human_plan", has_figures=False),
    "outscore.wings.judging.results:JudgesResult": _of_wing("judging", "judges", has_figures=False),
    "outscore.wings.logs.results:Inventory": _of_wing("logs", "inventory", has_figures=False),
    "outscore.wings.metaeval.results:MetaResult": _of_wing("metaeval", "meta", shortened=True),
    "outscore.wings.planning.results:GainPlan": _PLAN,
    "outscore.wings.planning.results:GatePlan": _of_wing("planning", "gate_plan"),
    "outscore.wings.planning.results:ItemsPlan": _PLAN,
    "outscore.wings.planning.results:PlanTable": _PLAN,
    "outscore.wings.planning.results:PowerPlan": _PLAN,
    "outscore.wings.planning.results:RunsPlan": _of_wing("planning", "run_plan"),
    "outscore.wings.replication.results:Replication": _of_wing("replication", "replication", has_figures=False),
    "outscore.wings.studies.results:CalibrationStudy": _STUDY,
    "outscore.wings.studies.results:DomainStudy": _STUDY,
    "outscore.wings.studies.results:GainStudy": replace(_STUDY, pairs="outscore.wings.studies.page:pairs_of_study"),
    "outscore.wings.studies.results:SizeStudy": _STUDY,
    "outscore.wings.studies.results:TransferStudy": _STUDY,
}


def kind_of(result: object) -> ResultKind:
    """Return the functions that show a result."""
    return KINDS[f"{type(result).__module__}:{type(result).__qualname__}"]


def loaded(address: str) -> Any:
    """Return the object at a place that a registry names."""
    module, _, name = address.partition(":")
    return getattr(import_module(module, __name__), name)


def documents_of(results: Sequence[Any], medium: Medium = Medium.PAGE, *, pairs: bool = False) -> list[Document]:
    """Return the documents of results of one kind: the same systems on one metric each, or of one question.

    `pairs` is that of `ReportOptions`.
    """
    kind = kind_of(results[0])
    layout = loaded(kind.documents)
    if kind.together:
        documents: list[Document] = getattr(layout, medium)(results, pairs=pairs)
        return documents
    options = {"brief": medium is Medium.TERMINAL} if kind.shortened else {}
    return [layout(result, **options) for result in results]


def figures_of(results: Sequence[Any], kind: str = "scores") -> list[Figure]:
    """Return the drawings of results, one each. A single comparison has its distribution, and an inventory has none.

    For rankings, `kind` is "scores" (with intervals), "gains" (against confidence, as BK12's Figure 2) or "p-values"
    (of all pairs).
    """
    result_kind = kind_of(results[0])
    if result_kind.figure is None:
        return []
    draw, options = (
        loaded(result_kind.figure),
        {"kind": kind, "alone": len(results) == 1} if result_kind.together else {},
    )
    return [draw(result, **options) for result in results]


def drawn_figures(results: Sequence[Any], kind: str = "scores") -> list[Figure]:
    """Return the figures of results for a chart; see `figures_of`. Results without a drawing are an error."""
    figures = figures_of(results, kind)
    if not figures:
        raise OptionError(Problem(opt("chart"), "nothing is drawn of this", leave_out(), "no-chart"))
    return figures


def chart_of(results: Sequence[Any], kind: str = "scores") -> Any:
    """Return results as an Altair chart, several one below the other. See `figures_of`."""
    from outscore.reports.charts import figures_chart

    return figures_chart(drawn_figures(results, kind))


def report(results: Sequence[Any], format_name: str, **layout: Any) -> Any:
    """Write results of one kind in one of `FORMATS`, as text, or for Parquet as bytes.

    There is one result, or several on the same systems, one per metric. `layout` has fields of `ReportOptions`.
    """
    chosen = ReportOptions(**layout)
    if chosen.methods:
        return methods_of(results, format_name, width=chosen.width, ascii_only=chosen.ascii_only)
    chosen_format = FORMATS[format_name]
    medium = chosen_format.medium and (chosen_format.medium.in_full if chosen.details else chosen_format.medium)
    if medium is None:
        contents = results
    elif chosen.table is None and not (medium is Medium.PAPER and kind_of(results[0]).table):
        contents = documents_of(results, medium, pairs=chosen.pairs)
    else:
        contents = _table_of_paper(results, medium, chosen)
    write = loaded(chosen_format.writer) if isinstance(chosen_format.writer, str) else chosen_format.writer
    options = {option: getattr(chosen, option) for option in chosen_format.options}
    return write(contents, **{option: value for option, value in options.items() if value})  # others are defaults


def methods_of(results: Sequence[Any], format_name: str, **layout: Any) -> str:
    """Write the paragraph on methods of results for a paper, or in BibTeX the works that it cites.

    `layout` has the width and signs of text; without them it is on one line. A format without paragraphs is an error,
    and so are results without such a paragraph.
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

    if isinstance(results[0], TestSetsResult):
        from outscore.reports.documents.test_sets import claims_of

        return [plain(claim) for result in results for claim in claims_of(result)]
    return [documents_of([result], Medium.TERMINAL)[0].lead for result in results]


def _table_of_paper(results: Sequence[Any], medium: Medium, layout: ReportOptions) -> list[Document]:
    """Return the document of the table of systems and metrics, and in a paper those that it asks for."""
    kind = kind_of(results[0])
    if layout.table not in (None, "scores", "intervals"):
        what = f"expected scores or intervals, got {layout.table!r}"
        raise OptionError(Problem(opt("table"), what, leave_out(), "unknown-value"))
    if kind.table is None:
        what = "applies to systems that are compared or ranked on all items"
        raise OptionError(Problem(opt("table"), what, leave_out(), "no-table"))
    document: Document = loaded(kind.table)(results, medium, intervals=layout.table == "intervals")
    if medium is not Medium.PAPER:
        return [document]
    if layout.details or layout.pairs:  # the other documents have the notes and signatures
        table = replace(document, blocks=document.blocks[:1])
        return [table, *documents_of(results, medium, pairs=layout.pairs)]
    signed = (signature for result in results for signature in reversed(signatures(result)))
    return [replace(document, blocks=(*document.blocks, *signed))]
