"""Which columns of a table hold item ids and scores: as the user says, or a guess that is safe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from outscore._types import AnyArray
from outscore.errors import DataError, Problem
from outscore.metrics import ColumnMetric
from outscore.naming import nearest, printable, quoted
from outscore.readers.base import Table, normal_name
from outscore.readers.cells import in_words, mostly_numbers, number_in, text_in

__all__ = [
    "column_called",
    "counts_rows",
    "describes_items",
    "id_column_of",
    "ids_of",
    "named_column",
    "score_columns_of",
    "texts_of",
]

# Names that mean one row an item, so that a repeated value is a mistake to report ...
SURE_IDS = (
    "id", "item", "item_id", "itemid", "qid", "query_id", "example_id", "question_id", "instance_id", "task_id",
)  # fmt: skip
# ... and names that may as well mean something that several items share.
POSSIBLE_IDS = (
    "query", "topic", "segment", "seg_id", "segment_id", "sent_id", "sentence_id", "sample_id", "prompt_id",
    "problem_id", "doc_id", "uid", "guid", "idx", "index", "key", "name", "question", "example", "instance",
    "problem", "sentence", "utterance", "post", "",
)  # fmt: skip
SURE_SCORES = ("score", "scores")
USUAL_SCORES = frozenset({"value", "correct", "accuracy", "acc", "is_correct", "em", "exact_match", "f1", "precision",
    "recall", "mean", "metric", "result", "points", "rating"})  # fmt: skip
# Names of what is known of items, and is no score of theirs, although it may be a number.
_OF_ITEMS = frozenset({"cluster", "doc", "docid", "document", "document_id", "domain", "family", "fold", "gold",
    "group", "label", "lang", "language", "len", "length", "line", "line_no", "line_number", "lineno", "n_tokens",
    "n_words", "offset", "page", "paragraph", "position", "row", "seed", "seg", "section", "sent", "split", "strata",
    "stratum", "system_id", "timestamp", "tokens", "topic_id", "turn", "user", "weight", "words", "year"})  # fmt: skip
MOST_NAMES = 12
_FEWEST_COUNTED = 5  # of fewer rows scores may count by chance


def column_called(table: Table, name: str) -> str | None:
    """Return the column of that name, letter case, spaces and hyphens aside where only one fits; or None."""
    if table.bare:
        return None
    if name in table.columns:
        return name
    alike = table.alike.get(normal_name(name), ())
    return alike[0] if len(alike) == 1 else None


def named_column(table: Table, name: str) -> str:
    """Return the column that the user calls `name`.

    Raises
    ------
    DataError
        No such column; the nearest one is offered, or all are listed.
    """
    column = column_called(table, name)
    if column is not None:
        return column
    what = f"expected a column {quoted(name)}, got " + ("one value a line without a header" if table.bare else "none")
    advice = "Leave the column's name out." if table.bare else _offer(name, table.columns)
    raise DataError(Problem(printable(table.source), what, advice, "wrong-column"))


def _offer(name: str, columns: Iterable[str]) -> str:
    shown = [printable(column) for column in columns]
    offer = nearest(printable(name), shown)
    return offer if len(shown) <= MOST_NAMES or offer.startswith("Did") else f"Known: {_list(shown)}."


def _list(columns: Sequence[str]) -> str:
    shown = ", ".join(quoted(column) for column in columns[:MOST_NAMES])
    return shown + (f" and {len(columns) - MOST_NAMES} more" if len(columns) > MOST_NAMES else "")


def counts_rows(numbers: AnyArray) -> bool:
    """Tell whether a column counts rows from 0 or 1, as spreadsheets and indices of frames do under any name."""
    counted = np.arange(len(numbers))
    return len(numbers) >= _FEWEST_COUNTED and any(np.array_equal(numbers, counted + start) for start in (0, 1))


def describes_items(name: str) -> bool:
    """Tell whether a column is called like something that is known of items: ids, documents, lengths, positions."""
    return normal_name(name) in _OF_ITEMS.union(SURE_IDS, POSSIBLE_IDS)


def id_column_of(table: Table, chosen: str | None) -> str | None:
    """Return the column of item ids: the one that the user named, or one that is called like ids; or None.

    Raises
    ------
    DataError
        No column of the name given.
    """
    if chosen is not None:
        return named_column(table, chosen)
    for name in SURE_IDS:
        column = column_called(table, name)
        if column is not None:
            return column
    for name in POSSIBLE_IDS:
        column = column_called(table, name)
        if column is not None:
            texts = [text_in(cell) for cell in table.columns[column]]
            if None not in texts and len(set(texts)) == len(texts):
                return column
    return None


def score_columns_of(table: Table, metric: ColumnMetric, chosen: str | None, id_column: str | None) -> tuple[str, ...]:
    """Return the columns that `metric` reads, in its order.

    Raises
    ------
    DataError
        A column that is not there, or no single one to be taken for the scores.
    """
    if len(metric.columns) > 1:
        return _columns_by_name(table, metric, chosen)
    if chosen is not None:
        return (named_column(table, chosen),)
    if table.bare:
        return tuple(table.columns)
    for name in (*metric.columns, metric.name, *SURE_SCORES):
        column = column_called(table, name)
        if column not in {None, id_column}:
            return (str(column),)
    # An unnamed column is the index that data frames write.
    numeric = [name for name in table.columns if name not in {"", id_column} and mostly_numbers(table.columns[name])]
    usual = [name for name in numeric if normal_name(name) in USUAL_SCORES]
    choice = usual or numeric
    if len(choice) == 1:
        if number_in(choice[0]) is not None:
            what = f"expected a header that names the columns, got {_list(list(table.columns))}"
            advice = "Write a first line such as id,score; or name the column with --score."
            raise DataError(Problem(f"{printable(table.source)}:1", what, advice, "no-header"))
        return (choice[0],)
    got = f"several: {_list(choice)}" if choice else f"no column of numbers among {_list(list(table.columns))}"
    raise DataError(
        Problem(
            printable(table.source),
            f"expected one column of scores, got {got}",
            "Name it with score_column." if table.lines is None else "Name it with --score, or as FILE:COLUMN.",
            "which-column",
        )
    )


def _columns_by_name(table: Table, metric: ColumnMetric, chosen: str | None) -> tuple[str, ...]:
    columns = {name: column_called(table, name) for name in metric.columns}
    needed = f"the metric {metric.name} reads the columns {', '.join(metric.columns)}"
    if chosen is not None:
        what = f"{needed}: expected no other, got {quoted(chosen)}"
        raise DataError(Problem(printable(table.source), what, "Leave the column's name out.", "wrong-column"))
    absent = [name for name, column in columns.items() if column is None]
    if absent:
        got = "one value a line without a header" if table.bare else f"only {_list(list(table.columns))}"
        raise DataError(
            Problem(
                printable(table.source),
                f"{needed}: expected {_list(absent)}, got {got}",
                "Add what is missing to the table, or name another metric.",
                "wrong-column",
            )
        )
    return tuple(str(column) for column in columns.values())


def texts_of(table: Table, column: str, expected: str, slug: str) -> tuple[str, ...]:
    """Return the cells of a column as text: item ids, or labels.

    Raises
    ------
    DataError
        Cells that are empty or no text, each named with its place.
    """
    cells = table.columns[column]
    if set(map(type, cells)) == {str}:
        plain: tuple[str, ...] = tuple(map(str.strip, cells))  # type: ignore[arg-type]
        if all(plain):
            return plain
    texts = tuple(text_in(cell) for cell in cells)
    field = "" if table.bare else f"field {quoted(column)}: "
    problems = [
        Problem(
            table.place(index),
            f"{field}expected {expected}, got {in_words(table.columns[column][index])}",
            "Give every item one.",
            slug,
        )
        for index, text in enumerate(texts)
        if text is None
    ]
    if problems:
        raise DataError(*problems)
    return tuple(text for text in texts if text is not None)


def ids_of(table: Table, column: str) -> tuple[str, ...]:
    """Return the item ids that stand in a column, as text; an id that is missing is a DataError."""
    return texts_of(table, column, "an item id", "missing-id")
