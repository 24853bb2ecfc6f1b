"""The items of a comparison: a table to sort and search, plain tables without a script, and each text once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from outscore.reports.documents.items import Compared, item_columns, sign_of
from outscore.reports.documents.layouts import table
from outscore.reports.html.blocks import table_of
from outscore.reports.html.elements import Content, Element, data_block, shown, tag
from outscore.reports.html.explorers import choice, column_data, explorer, search
from outscore.reports.html.page import boxed, text_of
from outscore.results import ItemTable
from outscore.results.items import MOST_ITEMS, lowest
from outscore.text.naming import printable
from outscore.text.numbers import format_count

MOST_BYTES = 5_000_000  # of all texts of a page
SHORTEST = 40

STATIC = 50  # largest wins, and largest losses, that are shown in full without a script
ON_A_PAGE = 25


class TextPool:
    """Collects the texts of a page; each gets a number.

    All texts together have at most `most_bytes`, but at least `SHORTEST` characters of each are kept.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._numbers: dict[str, int] = {}
        self._most_bytes = most_bytes
        self._longest: int | None = None

    def add(self, text: str) -> int:
        """Return the number of a text. Texts are added before any is asked for."""
        return self._numbers.setdefault(shown(text), len(self._numbers))

    @property
    def longest(self) -> int:
        """The number of characters shown of a text, so that all texts together are short enough."""
        if self._longest is None:
            low, high = SHORTEST, max(map(len, self._numbers), default=SHORTEST)
            if self._size(high) > self._most_bytes:
                while high - low > 1:
                    middle = (low + high) // 2
                    low, high = (middle, high) if self._size(middle) <= self._most_bytes else (low, middle)
                high = low
            self._longest = high
        return self._longest

    def _size(self, longest: int) -> int:
        return sum(len(text[:longest].encode()) for text in self._numbers)

    @property
    def is_cut(self) -> bool:
        """Whether any text is cut."""
        return any(len(text) > self.longest for text in self._numbers)

    def cut(self, text: str) -> str:
        """Return a text as it is shown: cut if it is too long, with the number of characters left out."""
        text = shown(text)
        more = len(text) - self.longest
        return text if more <= 0 else f"{text[: self.longest]} … [{format_count(more)} more characters]"

    def all(self) -> list[str]:
        """Return all texts by their numbers."""
        return [self.cut(text) for text in self._numbers]


@dataclass(frozen=True, slots=True)
class ItemText:
    """One kind of text: its heading, its name in the data, and the texts of an item."""

    heading: str
    kind: str
    of: Callable[[int], Sequence[str]]


class ItemView:
    """The items of one comparison, in two steps: all texts are collected before the report is written."""

    def __init__(self, c: Compared, items: ItemTable, pool: TextPool, prefix: str) -> None:
        self.comparison, self.table, self.pool, self.prefix = c, items, pool, prefix
        self.columns = item_columns(c, items)
        self.order = items.most_changed(MOST_ITEMS)
        self.texts = list(item_texts(items))
        self.numbers = {
            text.kind: [[pool.add(value) for value in text.of(i)] for i in self.order] for text in self.texts
        }

    def contents(self) -> Iterator[Content]:
        """Yield the contents of the section of items."""
        if len(self.order) < len(self.table):
            yield tag(
                "p",
                f"The {format_count(len(self.order))} items that changed most, of {format_count(len(self.table))}.",
                class_="note",
            )
        if self.pool.is_cut:
            yield tag("p", f"Texts are cut after {format_count(self.pool.longest)} characters.", class_="note")
        yield self._explorer()
        yield data_block(f"{self.prefix}-data", self._data())
        yield tag("noscript", self._static())

    def _data(self) -> dict[str, Any]:
        parts = [{"heading": text.heading, "kind": text.kind, "texts": self.numbers[text.kind]} for text in self.texts]
        return {**column_data(self.columns, self.order), "places": self.order, "parts": parts}

    def _explorer(self) -> Element:
        c, prefix = self.comparison, self.prefix
        has_differences = self.table.differences is not None
        tools = [
            search(f"{prefix}-search", "words or an id"),
            choice("Show", f"{prefix}-filter", self._counts(), "all") if has_differences else None,
            tag(
                "label",
                "Sort by ",
                tag(
                    "select",
                    [
                        tag("option", text, value=value)
                        for value, text in _ORDERS
                        if has_differences or value == "place"
                    ],
                    id=f"{prefix}-sort",
                ),
            ),
            tag("label", tag("input", type="checkbox", id=f"{prefix}-texts", checked=True), " Texts")
            if self.texts
            else None,
        ]
        return explorer(
            f"Items: {printable(c.candidate)} against {printable(c.baseline)}",
            self.columns,
            source=f"{prefix}-data",
            size=ON_A_PAGE,
            tools=tools,
            table_class="items",
        )

    def _counts(self) -> list[tuple[str, str]]:
        outcomes = [sign_of(difference) for difference in self._differences()]
        counted = [(name, outcomes.count(sign)) for name, sign in (("wins", 1), ("losses", -1), ("ties", 0))]
        shown = [("all", len(self.order)), *((name, count) for name, count in counted if count)]
        return [(name, f"{name} {format_count(count)}") for name, count in shown]

    def _differences(self) -> list[float]:
        differences = self.table.differences
        return [0.0 if differences is None else differences[i] for i in self.order]

    def _static(self) -> Iterator[Content]:
        places = range(len(self.order))
        differences = self._differences()
        rest = set(places)
        if self.table.differences is not None:
            for heading, sign in (("Largest wins", 1), ("Largest losses", -1)):
                most = lowest([-sign * _number(difference) for difference in differences], STATIC)
                chosen = [j for j in most if sign_of(differences[j]) == sign]
                if chosen:
                    rest -= set(chosen)
                    yield tag("h4", heading)
                    yield boxed(heading, self._plain(chosen, with_texts=True))
            name = "All other items"
        else:
            name = "All items"
            first = list(places)[:STATIC]
            rest -= set(first) if self.texts else set()
            if self.texts:
                yield boxed("First items", self._plain(first, with_texts=True))
        if rest:
            yield tag("details", tag("summary", name), boxed(name, self._plain(sorted(rest), with_texts=False)))

    def _plain(self, places: Iterable[int], *, with_texts: bool) -> Element:
        texts = self.texts if with_texts else []
        order = [self.order[j] for j in places]
        more = [tag("th", text.heading, scope="col") for text in texts]
        rows = [
            [tag("td", [text_of(self.pool.cut(value), "p") for value in text.of(i)]) for text in texts] for i in order
        ]
        return table_of(table(order, self.columns), headed=True, more=(more, rows), class_="plain")


_ORDERS = (
    ("change", "largest change"),
    ("wins", "largest wins"),
    ("losses", "largest losses"),
    ("place", "order of the test set"),
)


def item_texts(table: ItemTable) -> Iterator[ItemText]:
    """Yield the kinds of texts that items have."""
    for heading, kind, texts in (
        ("source", "source", table.sources),
        ("reference", "reference", None),
        ("baseline", "baseline", table.baseline_outputs),
        ("candidate", "candidate", table.candidate_outputs),
    ):
        if kind == "reference" and table.references is not None:
            several = any(len(references) > 1 for references in table.references)
            yield ItemText("references" if several else heading, kind, table.references.__getitem__)
        elif texts is not None:
            yield ItemText(heading, kind, _singly(texts))


def _singly(texts: Sequence[str]) -> Callable[[int], Sequence[str]]:
    return lambda i: (texts[i],)


def _number(difference: float) -> float:
    return 0.0 if math.isnan(difference) else difference
