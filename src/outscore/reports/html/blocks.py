"""Documents as parts of a page: their blocks, one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from outscore.reports.documents import (
    Block,
    Fact,
    Facts,
    Heading,
    Kind,
    Mark,
    Notes,
    Paragraph,
    Picture,
    Signature,
    Table,
    plain,
    write_marks,
)
from outscore.reports.html.elements import Content, Element, shown, tag
from outscore.reports.html.page import boxed, callout
from outscore.results import Verdict
from outscore.text.naming import printable

SIGNS: Mapping[str, str] = {
    Verdict.BETTER: "▲",
    Verdict.WORSE: "▼",
    Verdict.EQUIVALENT: "=",
    Verdict.NOT_WORSE: "≥",
    Verdict.INCONCLUSIVE: "?",
    "passed": "✓",
    "failed": "✗",
}


def marked_text(text: str) -> list[Content]:
    """Return text with its marks."""
    parts: list[Content] = []

    def write(mark: Mark | None, part: str) -> str:
        match mark:
            case Mark.VERDICT:
                parts.append(verdict_badge(part))
            case Mark.STRONG:
                parts.append(tag("strong", printable(part)))
            case Mark.RAISED | Mark.HANGING | Mark.LETTERS:
                parts.append(tag("sup", part.strip()) if part.strip() else "")
            case _:
                parts.append(printable(part))
        return ""

    write_marks(text, write)
    return parts


def verdict_badge(word: str) -> Element:
    """Return the word of a verdict with its sign."""
    sign = tag("span", SIGNS[word], aria_hidden="true")
    return tag("span", sign, f" {word}", class_=f"verdict {word.replace(' ', '-')}")


def block_contents(block: Block) -> Content:
    """Return a block; pictures are drawn elsewhere."""
    match block:
        case Paragraph(text, leading):
            return tag("p", marked_text(text), class_="lead" if leading else None)
        case Heading(text, level):
            return tag(f"h{level + 1}", marked_text(text))
        case Facts(facts):
            return [_fact(fact) for fact in facts]
        case Notes(notes, warnings):
            items = tag("ul", [tag("li", marked_text(note)) for note in notes], class_="notes") if notes else None
            return [[callout(plain(warning)) for warning in warnings], items]
        case Table():
            caption = tag("h4", marked_text(block.caption)) if block.caption else None
            return [caption, boxed(plain(block.caption) or "Table", table_of(block))]
        case Picture():
            return None
        case Signature(text, _, metric):
            what = f"{plain(metric)} " if metric else "Signature "
            return tag("p", what, tag("code", shown(text)), class_="signature")


def _fact(fact: Fact) -> Element:
    of = f"{', '.join(fact.of)}: " if fact.of else ""
    match fact.kind:
        case Kind.WARNING:
            return callout(plain(f"{of}{fact.text}"))
        case Kind.NOTE:
            return tag("p", marked_text(f"{fact.label} {of}{fact.text}"), class_="note")
        case Kind.FACT:
            return tag("p", tag("b", f"{fact.label} "), marked_text(f"{of}{fact.text}"), class_="note")


def _heading_of(text: str, *, right: bool) -> Element:
    """Return the heading of a column."""
    return tag("th", marked_text(text.strip()), scope="col", class_="number" if right else "text")


def table_of(
    table: Table, *, headed: bool = False, links: Sequence[str | None] = (), titles: Sequence[str | None] = ()
) -> Element:
    """Return a table.

    Parameters
    ----------
    table : Table
    headed : bool
        Whether the first cell of a row heads it.
    links, titles : sequence of str or None
        Where the first cell of each row leads to, and what it tells when it is pointed at.
    """

    def first(cell: str, link: str | None, title: str | None) -> Element:
        text = marked_text(cell)
        return tag("th", tag("a", text, href=link) if link else text, scope="row", title=title)

    def cells(row: Sequence[str], start: int) -> list[Element]:
        return [
            tag("td", marked_text(cell.strip()), class_="number" if place in table.right else "text")
            for place, cell in enumerate(row[start:], start)
        ]

    head = tag("tr", [_heading_of(text, right=place in table.right) for place, text in enumerate(table.headings)])
    rows = []
    for place, row in enumerate(table.rows):
        link, title = (links[place] if links else None), (titles[place] if titles else None)
        rows.append(tag("tr", first(row[0], link, title), cells(row, 1)) if headed else tag("tr", cells(row, 0)))
    return tag("table", tag("thead", head), tag("tbody", rows), class_="said")
