"""Blocks of documents as elements of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

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
from outscore.reports.html.page import MOST_UNFILTERED, boxed, warned
from outscore.results import Verdict
from outscore.text.naming import printable

MOST_COLUMNS = 7  # of a table that stays one in narrow windows: in 720 pixels, 100 for each; phones scroll it

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
            case Mark.LETTERS:  # figure spaces, so that the digits of scores are aligned
                parts.append(tag("sup", part.rstrip().ljust(len(part), "\u2007")))
            case Mark.RAISED | Mark.HANGING:
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
            warnings = [fact for fact in facts if fact.kind is Kind.WARNING]
            others = [_fact(fact) for fact in facts if fact.kind is not Kind.WARNING]
            return [others, warned([f"{_owners(fact)}{plain(fact.text)}" for fact in warnings])]
        case Notes(notes, warnings):
            items = tag("ul", [tag("li", marked_text(note)) for note in notes], class_="notes") if notes else None
            return [warned(list(map(plain, warnings))), items]
        case Table():
            caption = tag("h4", marked_text(block.caption)) if block.caption else None
            return [caption, boxed(plain(block.caption) or "Table", table_of(block))]
        case Picture():
            return None
        case Signature(text, _, metric):
            what = f"{plain(metric)} " if metric else "Signature "
            return tag("p", what, tag("code", shown(text)), class_="signature")


def _owners(fact: Fact) -> str:
    return plain(f"{', '.join(fact.of)}: ") if fact.of else ""


def _fact(fact: Fact) -> Element:
    label = f"{fact.label} " if fact.kind is Kind.NOTE else tag("b", f"{fact.label} ")
    return tag("p", label, _owners(fact), marked_text(fact.text), class_="note")


def _heading_of(text: str, *, right: bool) -> Element:
    """Return the heading of a column."""
    return tag("th", marked_text(text.strip()), scope="col", class_="number" if right else "text")


def table_of(
    table: Table,
    *,
    headed: bool = False,
    links: Sequence[str | None] = (),
    titles: Sequence[str | None] = (),
    more: tuple[Content, Sequence[Content]] = (None, ()),
    class_: str = "",
) -> Element:
    """Return a table.

    With `headed`, the first cell of a row heads it. `links` and `titles` have the link of the first cell of each row,
    and the text that is shown when it is pointed at. `more` has headings of further columns, and their cells in each
    row. `class_` is the class of a table that is not for tables that a script may sort.
    """
    head = [_heading_of(text, right=index in table.right) for index, text in enumerate(table.headings)]
    labels = [plain(heading).strip() for heading in table.headings]
    further, cells = more
    rows = []
    for row, link, title, after in zip_longest(table.rows, links, titles, cells):
        texts = [marked_text(cell.strip()) for cell in row]
        kinds = ["number" if column in table.right else "text" for column in range(len(row))]
        first = tag("td", texts[0], class_=kinds[0])
        if headed:
            first = tag("th", tag("a", texts[0], href=link) if link else texts[0], scope="row", title=title)
        others = [
            tag("td", text, class_=kind, data_label=label)
            for text, kind, label in zip(texts[1:], kinds[1:], labels[1:], strict=True)
        ]
        rows.append(tag("tr", first, others, after))
    class_ = class_ or f"said{stacked(labels)}{filterable(len(rows))}"
    return tag("table", tag("thead", tag("tr", head, further)), tag("tbody", rows), class_=class_)


def stacked(headings: Sequence[str]) -> str:
    """Return the class of a table whose rows are blocks in narrow windows, so that p and verdict are in sight."""
    decides = any(heading in ("verdict", "outcome") or heading.split(" ")[0] == "p" for heading in headings)
    return " stacked" if decides or len(headings) > MOST_COLUMNS else ""


def filterable(rows: int) -> str:
    """Return the class of a table with so many rows: a script adds a field above long ones."""
    return " filterable" if rows > MOST_UNFILTERED else ""
