"""Files of TREC's retrieval tracks: runs and relevance judgements."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from typing import ClassVar, TypeVar

from outscore.data.items import Corpus, Judgements, RankedDocuments
from outscore.errors import DataError, Problem
from outscore.readers.base import ItemFormat, empty
from outscore.readers.tabular.cells import number_in
from outscore.text.naming import printable, quoted

Item = TypeVar("Item")

_FIELD = re.compile("[^ \t]+")
# ASCII white space that may be part of a field. Without it `str.split` is faster.
_OTHER_BLANK = re.compile("[\r\v\f\x1c-\x1f]")
_LARGEST_GRADE = 10**9
_REVERSED = (
    "has ranks in the reverse order of its scores. The scores decide, as in trec_eval. If they are distances, negate "
    "them."
)


class _ByQuery(ItemFormat[Item]):
    """One document of one query per line. All lines of a query, in any place, are one item."""

    fields: ClassVar[tuple[str, ...]]
    value_field: ClassVar[str]
    value_expected: ClassVar[str]
    rank_place: ClassVar[int | None] = None  # of the field of ranks

    @abstractmethod
    def value_in(self, field: str) -> float | None:
        """Return the score or grade in a field, or None."""

    @abstractmethod
    def item(self, values: Mapping[str, float]) -> Item:
        """Return the item of a query from the scores or grades of its documents."""

    def sniff(self, text: str) -> bool:
        fields = _FIELD.findall(text.lstrip(" \t\n").partition("\n")[0])
        return (
            len(fields) == len(self.fields)
            and self.value_in(fields[self.fields.index(self.value_field)]) is not None
            and (fields[1].upper() == "Q0" or number_in(fields[1]) is not None)
        )

    def parse(self, text: str, source: str) -> Corpus[Item]:
        place = printable(source)
        position = self.fields.index(self.value_field)
        split = _FIELD.findall if not text.isascii() or _OTHER_BLANK.search(text) else str.split
        value_in, rank_in = cache(self.value_in), cache(number_in)
        queries: dict[str, dict[str, float]] = {}
        ranks: dict[str, list[float | None]] = {}
        lines: dict[str, int] = {}
        problems = []
        for number, line in enumerate(text.split("\n"), start=1):
            fields = split(line)
            if len(fields) != len(self.fields):
                if fields:
                    what = f"expected {len(self.fields)} fields ({' '.join(self.fields)}), got {len(fields)}"
                    problems.append(Problem(f"{place}:{number}", what, f"Is this a {self.name}?", "wrong-fields"))
                continue
            query, document, value = fields[0], fields[2], value_in(fields[position])
            if query not in queries:
                queries[query], ranks[query], lines[query] = {}, [], number
            values = queries[query]
            if value is None:
                what = f'field "{self.value_field}": expected {self.value_expected}, got {quoted(fields[position])}'
                problems.append(Problem(f"{place}:{number}", what, "Correct the line.", "not-a-number"))
            elif document in values:
                what = f"duplicate document {quoted(document)} for query {quoted(query)}"
                advice = "Write one line per document of a query."
                problems.append(Problem(f"{place}:{number}", what, advice, "duplicate-document"))
            else:
                values[document] = value
                if self.rank_place is not None:
                    ranks[query].append(rank_in(fields[self.rank_place]))
        if problems:
            raise DataError(*problems)
        if not queries:
            raise empty(source, "an empty file")
        items = [self.item(values) for values in queries.values()]
        notes = (_REVERSED,) if _are_reversed(queries, ranks) else ()
        return Corpus(source, items, tuple(lines.values()), tuple(queries), notes=notes)


def _are_reversed(queries: Mapping[str, Mapping[str, float]], ranks: Mapping[str, Sequence[float | None]]) -> bool:
    """Return whether scores rise with distinct ranks in all queries, and differ in one."""
    differ = False
    for query, values in queries.items():
        known = [rank for rank in ranks[query] if rank is not None]
        if len(set(known)) < len(values):
            return False
        by_rank = [score for _, score in sorted(zip(known, values.values(), strict=True))]
        if by_rank != sorted(by_rank):
            return False
        differ |= by_rank[0] < by_rank[-1]
    return differ


class TrecRun(_ByQuery[RankedDocuments]):
    r"""A TREC run: ``query Q0 document rank score tag``. The rank is ignored, as in trec_eval.

    Examples
    --------
    >>> corpus = TrecRun().parse("303 Q0 d1 1 7.5 mine\n303 Q0 d2 2 9.5 mine\n", "my.run")
    >>> corpus.item_ids, corpus.items
    (('303',), [RankedDocuments(documents=('d2', 'd1'))])
    """

    name = "TREC run"
    item_type = RankedDocuments
    extensions = (".run",)
    fields = ("query", "Q0", "document", "rank", "score", "tag")
    value_field = "score"
    rank_place = 3
    value_expected = "a finite number"

    def value_in(self, field: str) -> float | None:
        value = number_in(field)
        return value if value is not None and math.isfinite(value) else None

    def item(self, values: Mapping[str, float]) -> RankedDocuments:
        return RankedDocuments.by_score(values)


class Qrels(_ByQuery[Judgements]):
    r"""TREC relevance judgements: ``query iteration document grade``.

    Examples
    --------
    >>> Qrels().parse("303 0 d1 0\n303 0 d2 2\n", "qrels.txt").items
    [Judgements(grades={'d1': 0, 'd2': 2})]
    """

    name = "TREC qrels file"
    item_type = Judgements
    extensions = (".qrels", ".qrel")
    fields = ("query", "iteration", "document", "grade")
    value_field = "grade"
    value_expected = "a whole number of at most nine digits"

    def value_in(self, field: str) -> float | None:
        value = number_in(field)
        return value if value is not None and abs(value) < _LARGEST_GRADE and value.is_integer() else None

    def item(self, values: Mapping[str, float]) -> Judgements:
        return Judgements({document: int(grade) for document, grade in values.items()})
