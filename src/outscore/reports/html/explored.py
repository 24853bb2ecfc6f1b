"""The items of results: in a notebook a table that a small script makes searchable and sortable, and as a page."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from outscore.reports.documents.items import Compared, item_columns, items_sentence, sign_of, worst_first
from outscore.reports.html.blocks import marked_text
from outscore.reports.html.elements import Content, Element, data_block, script, shown, style, tag, write
from outscore.reports.html.items import ItemView, TextPool, item_texts
from outscore.reports.html.page import packaged, page, section
from outscore.results import ItemTable
from outscore.text.naming import printable
from outscore.text.numbers import format_count

FIRST = 10  # items shown without a script
LONGEST = 300  # characters of a text
MOST_BYTES = 50_000  # of all items; ten of each comparison in any case
_WORD = re.compile(r"\w+|[^\w\s]")
_CHANGES = {0: ("ties", ""), 1: ("wins", "better"), -1: ("losses", "worse")}
_MOST_WORDS = 400  # of texts that are compared word by word


def items_to_html(compared: Sequence[Compared], tables: Sequence[ItemTable]) -> str:
    """Return the items of comparisons as one self-contained HTML report; see `comparisons_to_html`."""
    pool = TextPool()
    views = [ItemView(c, table, pool, f"i{k}") for k, (c, table) in enumerate(zip(compared, tables, strict=True))]
    titles = [
        f"{printable(c.candidate)} against {printable(c.baseline)}, {printable(c.metric.title)}" for c in compared
    ]
    title = titles[0] if len(titles) == 1 else f"Items of {len(titles)} comparisons"
    parts = [
        section(f"i{k}-items", f"Items: {titles[k]}" if len(titles) > 1 else "Items", *view.contents())
        for k, view in enumerate(views)
    ]
    sections = [(f"i{k}-items", name) for k, name in enumerate(titles)]
    contents = [tag("h1", title), *parts, data_block("texts", pool.all())]
    return page(title, contents, sections=sections, scripts=("base.js", "explorer.js", "items.js"))


def items_in_notebook(compared: Sequence[Compared], tables: Sequence[ItemTable], most: int) -> str:
    """Return what a notebook shows of the items of comparisons.

    They are at most `most` together, but at least ten of each, and fewer if texts are long. Without a script the
    largest losses are shown, and the others are folded. With one it is a table to search, filter and sort.
    """
    shown_of_one = max(FIRST, most // len(tables))
    room = MOST_BYTES // len(tables)
    parts: list[Content] = []
    for k, (c, table) in enumerate(zip(compared, tables, strict=True)):
        contents = list(_contents(c, table, shown_of_one, room))
        if len(tables) == 1:
            parts += contents
        else:
            summary, *rest = contents
            parts.append(tag("details", tag("summary", summary), *rest, open=k == 0))
    sheet = f"{packaged('notebook.css')}{packaged('notebook-items.css')}"
    body = [tag("div", part, class_="comparison") for part in ([parts] if len(tables) == 1 else parts)]
    # The same items twice in a notebook are the same twice: the script starts what is not started yet.
    name = f"{zlib.crc32(write(body).encode()):x}"
    code = packaged("notebook-items.js").replace("NAME", name)
    return write(tag("div", style(sheet), body, script(code), class_="outscore items", data_items=name))


def _contents(c: Compared, table: ItemTable, most: int, room: int) -> Iterator[Content]:
    rows = _Rows(c, table)
    order, bodies = worst_first(table), _bodies(rows, table.most_changed(most), room)
    chosen = [bodies[i] for i in order if i in bodies]
    yield tag("p", marked_text(items_sentence(c, table)), class_="lead")
    if len(chosen) < len(order):
        text = f"The {format_count(len(chosen))} items that changed most, of {format_count(len(order))}."
        yield tag("p", text, " The HTML report has all items: .to_html(path).", class_="note")
    yield _table(rows.head(), chosen[:FIRST])
    if len(chosen) > FIRST:
        more = tag("summary", f"{format_count(len(chosen) - FIRST)} more items")
        yield tag("details", more, _table(rows.head(), chosen[FIRST:]), class_="more")


class _Rows:
    """Writes the items of one comparison, each as a body of a table."""

    def __init__(self, c: Compared, table: ItemTable) -> None:
        self.columns = item_columns(c, table)
        self.texts = list(item_texts(table))
        self.differences = table.differences

    def head(self) -> Element:
        return tag(
            "thead",
            tag("tr", [tag("th", c.heading, scope="col", class_="number" if c.number else None) for c in self.columns]),
        )

    def body(self, i: int) -> Element:
        change, look = (None, "") if self.differences is None else _CHANGES[sign_of(self.differences[i])]
        item, *others = self.columns
        cells = [tag("th", marked_text(item.cell(i)), scope="row")]
        for column in others:
            number = f"number {look if column.heading == 'difference' else ''}".rstrip() if column.number else None
            cells.append(tag("td", marked_text(column.cell(i)), class_=number))
        rows = [tag("tr", cells)]
        if self.texts:
            rows.append(tag("tr", tag("td", list(self._said(i)), colspan=len(self.columns)), class_="texts"))
        return tag("tbody", rows, data_change=change)

    def _said(self, i: int) -> Iterator[Element]:
        texts = {text.kind: [_cut(value) for value in text.of(i)] for text in self.texts}
        marks: dict[str, list[Content]] = {}
        if "baseline" in texts and "candidate" in texts:
            marks["baseline"], marks["candidate"] = _marked(texts["baseline"][0], texts["candidate"][0])
        for text in self.texts:
            contents = marks.get(text.kind) or _lines(texts[text.kind])
            if any(texts[text.kind]):
                words = tag("span", contents, lang="", dir="auto")
                yield tag("div", tag("b", f"{text.heading} "), words, class_=f"of-{text.kind}")


def _bodies(rows: _Rows, places: Sequence[int], room: int) -> dict[int, Element]:
    """Return the items that changed most as bodies of a table, as many as there is room for."""
    differences, bodies, taken = rows.differences, dict[int, Element](), 0
    for i in (
        places
        if differences is None
        else sorted(places, key=lambda i: 0.0 if math.isnan(differences[i]) else -abs(differences[i]))
    ):
        body = rows.body(i)
        taken += len(write(body).encode())
        if taken > room and len(bodies) >= FIRST:
            break
        bodies[i] = body
    return bodies


def _table(head: Element, bodies: Sequence[Element]) -> Element:
    return tag("div", tag("table", head, bodies), class_="scroll")


def _lines(texts: Sequence[str]) -> list[Content]:
    return [part for k, text in enumerate(texts) for part in ([tag("br")] if k else []) + [text]]


def _cut(text: str) -> str:
    text = shown(text).strip()
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} … [{format_count(len(text) - LONGEST)} more characters]"


def _marked(text_before: str, text_after: str) -> tuple[list[Content], list[Content]]:
    """Return two texts with their different words marked; unmarked if they have no word in common."""
    words = [list(_WORD.finditer(text)) for text in (text_before, text_after)]
    if max(map(len, words)) > _MOST_WORDS:
        return [text_before], [text_after]
    a, b = ([word[0] for word in parts] for parts in words)
    same = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    if not any(block.size for block in same):
        return [text_before], [text_after]
    marked: tuple[list[Content], list[Content]] = ([], [])
    for text, parts, contents, side in ((text_before, words[0], marked[0], 0), (text_after, words[1], marked[1], 1)):
        done, last = 0, 0
        for block in same:
            start = block[side]
            if start > last:
                first, end = parts[last].start(), parts[start - 1].end()
                contents += [text[done:first], tag("mark", text[first:end])]
                done = end
            last = start + block.size
        contents.append(text[done:])
    return marked
