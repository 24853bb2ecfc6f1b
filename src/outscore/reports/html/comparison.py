"""HTML reports of comparisons: the result, the distribution of the gain, the tests and the items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from outscore.reports.documents import Facts, Paragraph, Signature, capital
from outscore.reports.documents.comparisons import (
    explanations,
    left_out,
    metrics_table,
    systems_table,
    table_of_tests,
    warnings_of,
)
from outscore.reports.documents.layouts import facts_of
from outscore.reports.figures.comparisons import gains_figure, law_figure, levels_figure
from outscore.reports.html.blocks import block_contents, table_of, verdict_badge
from outscore.reports.html.drawing import figure_drawing
from outscore.reports.html.drawing import law_figure as law_contents
from outscore.reports.html.elements import Content, Element, data_block, tag
from outscore.reports.html.items import ItemView, TextPool
from outscore.reports.html.page import Chapter, Section, boxed, columns, report_page, section, warned
from outscore.results import Claim, Comparison, ComparisonResult, ItemTable, comparison_format
from outscore.results.findings import sampled
from outscore.text.naming import printable, short_names
from outscore.text.numbers import format_count, format_share
from outscore.words.comparisons import (
    correlation,
    explain_verdict,
    interval_cell,
    interval_heading,
    items,
    law_on_a_page,
    summary,
    summary_of_metrics,
    verdict_level,
    with_ends,
)


def comparisons_to_html(
    results: Sequence[ComparisonResult],
    items: Sequence[Sequence[ItemTable]] | None = None,
    title: str | None = None,
) -> str:
    """Return comparisons of the same systems, one result per metric, as one self-contained HTML report.

    It loads nothing and never runs text of users. Only sorting, searching and filtering need a script. `items` are
    those of each comparison, in their order; without them the report shows no items, and another number is a
    `ValueError`. The title is by default made from the names of the systems.
    """
    pool = TextPool()
    none: list[list[ItemTable | None]] = [[None] * len(result.comparisons) for result in results]
    tables: Sequence[Sequence[ItemTable | None]] = none if items is None else items
    for result, given in zip(results, tables, strict=True):
        if len(given) != len(result.comparisons):
            raise ValueError(f"expected {len(result.comparisons)} tables of items, got {len(given)}")
    comparisons = [c for result in results for c in result.comparisons]
    views = [
        None if table is None else ItemView(c, table, pool, f"c{k}-items")
        for k, (c, table) in enumerate(zip(comparisons, chain.from_iterable(tables), strict=True))
    ]
    names = _Names([name for c in comparisons for name in (c.baseline, c.candidate)])
    first, count = comparisons[0], len(results[0].comparisons)
    before: list[Content] = []
    if len(results) > 1:
        before.append(_metrics(results))
    for k, result in enumerate(results):
        if len(result.comparisons) > 1:
            before.append(_overview(result, k * count, names, f"g{k}"))
    chapters = [
        _chapter(c, f"c{k}", view, names, by_metric=len(results) > 1, by_name=count > 1)
        for k, (c, view) in enumerate(zip(comparisons, views, strict=True))
    ]
    return report_page(
        title or (names.title(first) if count == 1 else f"{count} candidates and {names.short(first.baseline)}"),
        chapters,
        prefix="c",
        footer=[
            [block_contents(Signature(result.signature)) for result in results],
            tag("p", f"Written by outscore {results[0].version}, seed {results[0].seed}."),
        ],
        scripts=SCRIPTS,
        before=before,
        after=data_block("texts", pool.all()) if any(view is not None for view in views) else None,
    )


SCRIPTS = ("base.js", "explorer.js", "items.js")


class _Names:
    """The short names of systems on a page: files without their folders, which titles and sentences have."""

    def __init__(self, names: Sequence[str]) -> None:
        distinct = list(dict.fromkeys(names))
        self._short = dict(zip(distinct, map(printable, short_names(distinct)), strict=True))

    def short(self, name: str) -> str:
        return self._short[name]

    def full(self, name: str) -> str | None:
        """Return the whole name, or None if the short name is whole."""
        whole = printable(name)
        return None if whole == self.short(name) else whole

    def title(self, c: Comparison) -> str:
        return f"{self.short(c.candidate)} against {self.short(c.baseline)}"


def _metrics(results: Sequence[ComparisonResult]) -> Element:
    shown = metrics_table(results)
    table = table_of(shown, headed=True, links=[f"#c{index}" for index in range(len(shown.rows))])
    lead = block_contents(Paragraph(summary_of_metrics(results), leading=True))
    return tag("div", lead, boxed("Metrics", table))


def _overview(result: ComparisonResult, start: int, names: _Names, prefix: str) -> Content:
    short = replace(
        result,
        comparisons=tuple(
            replace(c, baseline=names.short(c.baseline), candidate=names.short(c.candidate)) for c in result.comparisons
        ),
    )
    table, figure = systems_table(short), gains_figure(short)
    called = [names.full(name) for name in (result.comparisons[0].baseline, *(c.candidate for c in result.comparisons))]
    links = [None, *(f"#c{start + index}" for index in range(len(short.comparisons)))]
    lead = block_contents(Paragraph(summary(result), leading=True))
    return columns(
        [lead, boxed("Systems", table_of(table, headed=True, links=links, titles=called))],
        section(prefix, figure.title, figure_drawing(figure, f"{prefix}-plot")),
    )


def _chapter(
    c: Comparison, prefix: str, view: ItemView | None, names: _Names, *, by_metric: bool, by_name: bool
) -> Chapter:
    lead: list[Content] = [
        tag("p", c.sentence, class_="lead"),
        tag("p", verdict_badge(c.verdict.value), " ", explain_verdict(c), class_="answer"),
        _facts(c, names),
        warned([warning.text for warning in warnings_of(c)]),
    ]
    sections = [Section("tests", "Tests", list(_tests(c)), "below")]
    if list(facts_of(c.findings)):
        sections.append(Section("findings", capital(c.findings[0].label), list(_findings(c, prefix)), "below"))
    sections.append(Section("law", "Distribution of the gain", _law(c, prefix), "beside", "Gain"))
    if view is not None and c.prediction_powered is None:  # whose items have no scores of their own
        sections.append(Section("items", "Items", list(view.contents()), None if view.texts else "below"))
    title, metric = names.title(c), printable(c.metric.title)
    link = ", ".join([*([names.short(c.candidate)] if by_name else []), *([metric] if by_metric else [])])
    return Chapter(f"{title}: {metric}", lead, sections, link)


def _facts(c: Comparison, names: _Names) -> Element:
    scores = comparison_format(c)
    unit, r12 = " %" if c.metric.as_percentage else "", correlation(c)

    def system(role: str, name: str) -> Content:
        return [f"{role} ", tag("b", names.short(name), title=names.full(name))]

    facts: list[tuple[Content, Content]] = [
        (system("candidate", c.candidate), tag("span", scores.score(c.candidate_score), unit, class_="figure")),
        (system("baseline", c.baseline), tag("span", scores.score(c.baseline_score), unit, class_="figure")),
        (f"gain{', points' if c.metric.as_percentage else ''}", _gain(c)),
    ]
    cards = [tag("div", tag("dt", name), tag("dd", value)) for name, value in facts]
    return tag(
        "div",
        tag("dl", cards, class_="facts"),
        _outcomes(c),
        tag("p", tag("b", "correlation "), f"{r12}.", class_="note") if r12 is not None else None,
    )


def _findings(c: Comparison, prefix: str) -> Iterator[Content]:
    """Yield the findings on runs, samples, templates and raters."""
    for finding in c.findings:
        if (figure := levels_figure(c, finding)) is not None:
            yield figure_drawing(figure, f"{prefix}-{finding.label}-plot")
    for fact in facts_of(c.findings):
        yield tag("p", tag("b", f"{capital(fact.label)}: "), fact.text, class_="note")


def _gain(c: Comparison) -> Content:
    scores = comparison_format(c)
    if c.found is None:
        interval = with_ends(c.interval, scores.interval(c.interval.low, c.interval.high), title="interval")
    else:
        interval = f"{interval_heading(c.interval)} {interval_cell(c, scores)}"
    return [tag("span", scores.gain(c.gain), class_="figure"), tag("span", f" {interval}", class_="beside")]


def _outcomes(c: Comparison) -> Element:
    """Return the wins, ties and losses in items, as one bar with a legend."""
    if c.helped is None or c.unchanged is None or c.hurt is None:
        return tag("p", tag("b", "items "), f"{items(c)}.", class_="note")
    n = c.n_items
    kinds = (("win", "wins", c.helped), ("tie", "ties", c.unchanged), ("loss", "losses", c.hurt))
    bars, left = [], 0.0
    for name, _, count in kinds:
        width = 1000 * count / n if n else 0.0
        bars.append(tag("rect", x=left, y=0, width=width, height=14, class_=name))
        left += width
    drawing = tag(
        "svg", bars, viewBox="0 0 1000 14", preserveAspectRatio="none", height=14, aria_hidden="true", class_="shares"
    )
    legend = [
        tag("li", tag("i", class_=name), tag("b", format_count(count)), f" {label} ({format_share(count, n)})")
        for name, label, count in kinds
    ]
    return tag("div", drawing, tag("ul", legend, class_="legend"), class_="outcomes")


def _law(c: Comparison, prefix: str) -> Element:
    levels = sampled(c.findings) if c.histogram.law is not None else []
    return law_contents(law_figure(c), law_on_a_page(c, levels), prefix)


def _tests(c: Comparison) -> Iterator[Content]:
    yield boxed("Tests", table_of(table_of_tests([c]), headed=True))
    yield block_contents(Facts((*explanations(c), *left_out(c))))
    notes = []
    if c.claim is not Claim.BETTER and c.margin is not None:
        notes.append(f"Margin: {comparison_format(c).size(c.margin)}.")
    notes.append(verdict_level(c.alpha))
    yield [tag("p", printable(note), class_="note") for note in notes]
