"""Comparisons as a page: what was found, the law of the gain, the tests, and the items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from outscore.naming import printable, short_names
from outscore.numbers import format_count, format_exactly, format_share
from outscore.reports import wording
from outscore.reports.html.elements import Content, Element, data_block, tag
from outscore.reports.html.items import ItemView
from outscore.reports.html.law import law_figure
from outscore.reports.html.page import boxed, callout, page, section
from outscore.reports.html.texts import TextPool
from outscore.results import (
    Claim,
    Comparison,
    ComparisonResult,
    ItemTable,
    TestResult,
    Verdict,
    comparison_format,
    format_adjusted_p,
    format_test_p,
    how_computed,
)

__all__ = ["several_to_html", "to_html"]

SIGNS = {
    Verdict.BETTER: "▲",
    Verdict.WORSE: "▼",
    Verdict.EQUIVALENT: "=",
    Verdict.NOT_WORSE: "≥",
    Verdict.INCONCLUSIVE: "?",
}


def to_html(result: ComparisonResult, items: Sequence[ItemTable] | None = None) -> str:
    """Write a comparison as one self-contained page.

    Parameters
    ----------
    result : ComparisonResult
    items : sequence of ItemTable, optional
        The items of each comparison, in their order; without them the page shows no items.

    Returns
    -------
    str
        HTML that loads nothing, and in which text of users is shown and never run. Everything but sorting and
        searching works without a script.

    Raises
    ------
    ValueError
        Where there is not one table of items a comparison.
    """
    return several_to_html([result], None if items is None else [items])


def several_to_html(results: Sequence[ComparisonResult], items: Sequence[Sequence[ItemTable]] | None = None) -> str:
    """Write comparisons of the same systems on several metrics as one page; see `to_html`."""
    pool = TextPool()
    parts: list[tuple[ComparisonResult, Comparison, str]] = []
    views: list[ItemView | None] = []
    for i, result in enumerate(results):
        tables = None if items is None else items[i]
        if tables is not None and len(tables) != len(result.comparisons):
            raise ValueError(f"expected {len(result.comparisons)} tables of items, got {len(tables)}")
        for j, c in enumerate(result.comparisons):
            prefix = f"c{len(parts)}"
            view = None if tables is None else ItemView(c, tables[j], pool, f"{prefix}-items")
            parts.append((result, c, prefix))
            views.append(view)
    several = len(parts) > 1
    names = _Names([name for _, c, _ in parts for name in (c.baseline, c.candidate)])
    contents: list[Content] = [
        _overview(result, [prefix for held, _, prefix in parts if held is result], names)
        for result in results
        if len(result.comparisons) > 1
    ]
    contents += [
        _comparison(c, prefix, view, names, several=several) for (_, c, prefix), view in zip(parts, views, strict=True)
    ]
    if any(view is not None for view in views):
        contents.append(data_block("texts", pool.all()))
    contents.append(_colophon(results))
    first = parts[0][1]
    title = names.title(first) if not several else f"{len(parts)} comparisons with {names.short(first.baseline)}"
    sections = (
        [(prefix, names.link(c, many=len(results) > 1)) for _, c, prefix in parts]
        if several
        else [("c0-law", "Gain"), ("c0-tests", "Tests"), *([("c0-items", "Items")] if views[0] else [])]
    )
    return page(title, [tag("h1", title) if several else None, *contents], sections=sections, scripts=SCRIPTS)


SCRIPTS = ("base.js", "explorer.js", "items.js")


class _Names:
    """How a page calls its systems: files without the folders, which stand in titles and in the sentences."""

    def __init__(self, names: Sequence[str]) -> None:
        held = list(dict.fromkeys(names))
        self._short = dict(zip(held, map(printable, short_names(held)), strict=True))

    def short(self, name: str) -> str:
        return self._short[name]

    def full(self, name: str) -> str | None:
        """Return what the short name leaves out, with it; None where it leaves out nothing."""
        whole = printable(name)
        return None if whole == self.short(name) else whole

    def title(self, c: Comparison) -> str:
        return f"{self.short(c.candidate)} against {self.short(c.baseline)}"

    def link(self, c: Comparison, *, many: bool) -> str:
        return f"{self.short(c.candidate)}, {printable(c.metric.title)}" if many else self.short(c.candidate)


def _overview(result: ComparisonResult, prefixes: Sequence[str], names: _Names) -> Element:
    heads = ["system", "score", "gain", wording.interval_heading(result.comparisons[0]), "p", "p (Holm)", "verdict"]
    first, scores = result.comparisons[0], wording.table_format(result.comparisons)
    rows = [
        tag(
            "tr",
            tag("th", names.short(first.baseline), scope="row", title=names.full(first.baseline)),
            tag("td", scores.score(first.baseline_score), class_="number"),
            [tag("td") for _ in range(4)],
            tag("td", "baseline"),
        )
    ]
    for c, prefix in zip(result.comparisons, prefixes, strict=True):
        test = c.tests[0] if c.tests else None
        cells = [
            scores.score(c.candidate_score),
            scores.gain(c.gain),
            scores.interval(c.interval.low, c.interval.high),
            format_test_p(test, c.alpha) if test else "",
            format_adjusted_p(test, c.alpha) if test else "",
        ]
        rows.append(
            tag(
                "tr",
                tag(
                    "th",
                    tag("a", names.short(c.candidate), href=f"#{prefix}"),
                    scope="row",
                    title=names.full(c.candidate),
                ),
                [tag("td", cell, class_="number") for cell in cells],
                tag("td", _verdict(c)),
            )
        )
    table = tag(
        "table",
        tag("thead", tag("tr", [tag("th", head, scope="col", class_=_kind(head)) for head in heads])),
        tag("tbody", rows),
    )
    return tag("div", tag("p", wording.summary(result), class_="lead"), boxed("Systems", table))


def _kind(heading: str) -> str:
    return "text" if heading in {"system", "verdict", "test", "alternative", "H0", "computed"} else "number"


def _verdict(c: Comparison) -> Element:
    kind = c.verdict.value.replace(" ", "-")
    return tag("span", tag("span", SIGNS[c.verdict], aria_hidden="true"), f" {c.verdict}", class_=f"verdict {kind}")


def _comparison(c: Comparison, prefix: str, view: ItemView | None, names: _Names, *, several: bool) -> Element:
    level = 3 if several else 2
    inner: list[Content] = [
        tag("p", c.sentence, class_="lead"),
        tag("p", _verdict(c), " ", wording.explain_verdict(c), class_="answer"),
        [callout(warning) for warning in c.warnings],
        _facts(c, names),
        section(f"{prefix}-law", "The gain, and how sure it is", law_figure(c, prefix), level=level),
        section(f"{prefix}-tests", "Tests", *_tests(c), level=level),
    ]
    if view is not None:
        inner.append(section(f"{prefix}-items", "Items", *view.contents(), level=level))
    heading = f"{names.title(c)}: {printable(c.metric.title)}" if several else names.title(c)
    if several:
        return section(prefix, heading, *inner)
    return tag("article", tag("h1", heading), *inner, id=prefix)


def _facts(c: Comparison, names: _Names) -> Element:
    scores = comparison_format(c)
    unit = " %" if c.metric.as_percentage else ""

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
        tag("p", tag("b", "r12 "), f"{wording.correlation(c)}.", class_="note"),
    )


def _gain(c: Comparison) -> Content:
    scores = comparison_format(c)
    interval = f"{wording.interval_heading(c)} {scores.interval(c.interval.low, c.interval.high)}"
    return [tag("span", scores.gain(c.gain), class_="figure"), tag("span", f" {interval}", class_="beside")]


def _outcomes(c: Comparison) -> Element:
    """Return how many items were helped, unchanged and hurt, as one bar with a legend."""
    if c.helped is None or c.unchanged is None or c.hurt is None:
        return tag("p", tag("b", "items "), f"{wording.items(c)}.", class_="note")
    n = c.n_items
    kinds = (("helped", c.helped), ("unchanged", c.unchanged), ("hurt", c.hurt))
    bars, left = [], 0.0
    for name, count in kinds:
        width = 1000 * count / n if n else 0.0
        bars.append(tag("rect", x=left, y=0, width=width, height=14, class_=name))
        left += width
    drawing = tag(
        "svg", bars, viewBox="0 0 1000 14", preserveAspectRatio="none", height=14, aria_hidden="true", class_="shares"
    )
    legend = [
        tag("li", tag("i", class_=name), tag("b", format_count(count)), f" {name} ({format_share(count, n)})")
        for name, count in kinds
    ]
    return tag("div", drawing, tag("ul", legend, class_="legend"), class_="outcomes")


def _tests(c: Comparison) -> Iterator[Content]:
    if not c.tests:
        yield tag("p", "No test was asked for.", class_="note")
        return
    adjusted = c.n_candidates > 1 or any(test.adjusted_p_value > test.p_value for test in c.tests)
    heads = ["test", "alternative", "H0", "p", *(["p (Holm)"] if adjusted else []), "computed", "bracket of p"]
    rows = []
    for test in c.tests:
        rows.append(_test(c, test, adjusted=adjusted))
        for check in test.checks:
            cells = ["", "", format_test_p(check, c.alpha), *([""] if adjusted else [])]
            cells += [how_computed(check), wording.p_bracket(check, c.alpha)]
            kinds = zip(heads[1:], cells, strict=True)
            rows.append(
                tag(
                    "tr",
                    tag("th", wording.check_label(check), scope="row"),
                    [tag("td", cell, class_=_kind(head)) for head, cell in kinds],
                    class_="check",
                )
            )
    head = tag("tr", [tag("th", name, scope="col", class_=_kind(name)) for name in heads])
    yield boxed("Tests", tag("table", tag("thead", head), tag("tbody", rows)))
    notes = [f"† {wording.explain_independence(c)}"] if any(test.assumes_independence for test in c.tests) else []
    notes += [wording.CHECKED] if any(test.checks for test in c.tests) else []
    notes += [f"Left out: {reason}" for reason in wording.left_out(c)]
    if c.claim is not Claim.BETTER and c.margin is not None:
        notes.append(f"Margin: {comparison_format(c).size(c.margin)}.")
    notes.append(f"Verdicts at α = {format_exactly(c.alpha)}.")
    yield [tag("p", printable(note), class_="note") for note in notes]


def _test(c: Comparison, test: TestResult, *, adjusted: bool) -> Element:
    name = f"{test.name}{' †' if test.assumes_independence else ''}"
    cells = [
        tag("td", test.alternative.value),
        tag("td", wording.null_hypothesis(c, test.alternative), class_="formula"),
        tag("td", format_test_p(test, c.alpha), class_="number"),
        tag("td", format_adjusted_p(test, c.alpha), class_="number") if adjusted else None,
        tag("td", how_computed(test)),
        tag("td", wording.p_bracket(test, c.alpha), class_="number"),
    ]
    return tag("tr", tag("th", printable(name), scope="row"), cells)


def _colophon(results: Sequence[ComparisonResult]) -> Element:
    first = results[0]
    signatures = [
        tag("p", "Signature ", tag("code", printable(result.signature)), class_="signature") for result in results
    ]
    return tag("footer", signatures, tag("p", f"Written by outscore {first.version}, seed {first.seed}."))
