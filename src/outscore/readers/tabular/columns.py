"""Find the columns of item ids and scores in a table, as the user specified or by safe rules."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain

import numpy as np

from outscore._types import AnyArray
from outscore.errors import DataError, Problem
from outscore.metrics import ColumnMetric
from outscore.metrics.families.columns import ColumnMean
from outscore.options import advice_on_nested, opt
from outscore.readers.base import Table, normal_name
from outscore.readers.tabular.cells import in_words, mostly_numbers, number_in, scores_in, text_in
from outscore.text.naming import listed, nearest, printable, quoted

# Names of one scored unit. "prompt_id", "promptId" and "prompt-idx" are names of item ids.
_UNITS = (
    "item", "query", "example", "question", "prompt", "instance", "problem", "exercise", "test_case", "case", "record",
    "entry", "datapoint", "data_point", "data", "input",
)  # fmt: skip
# Names that mean one row per item: a value that repeats is an error, unless an option explains it.
SURE_IDS = (
    "id", "item", *(f"{unit}{end}" for unit in _UNITS for end in ("_id", "id", "_idx", "_index", "_key")), "qid",
    "custom_id", "user_input", "task_id", "taskid", "sample_id", "sampleid", "sample_idx", "sample_key",
)  # fmt: skip
# Names of item ids if no other column is the id and items have no labels. Several items may share such an id.
_SHARED_IDS = (
    "segment_id", "segmentid", "seg_id", "segid", "sent_id", "sentence_id", "utterance_id", "utt_id", "turn_id",
    "question", "prompt", "query", "problem", "example", "instance", "idx", "uid", "guid", "uuid", "passage_id",
    "doc_id", "docid", "document_id", "documentid", "conversation_id", "dialogue_id", "dialog_id",
)  # fmt: skip
# Names of item ids only if no value repeats. A column without a name is an index written by a data frame.
_POSSIBLE_IDS = ("topic", "segment", "index", "key", "name", "sentence", "utterance", "post", "")
SURE_SCORES = ("score", "scores")
USUAL_SCORES = frozenset({"value", "correct", "accuracy", "acc", "is_correct", "em", "exact_match", "f1", "precision",
    "recall", "mean", "metric", "preference", "result", "points", "rating",
    "passed", "success", "outcome", "grade"})  # fmt: skip
# Names of properties of items that may be numbers but are not scores.
_OF_ITEMS = frozenset({*SURE_IDS, *_SHARED_IDS, *_POSSIBLE_IDS, "cluster", "doc", "document", "domain", "family",
    "fold", "gold", "group", "label", "lang", "language", "len", "length", "line", "line_no", "line_number", "lineno",
    "n_tokens", "n_words", "offset", "page", "paragraph", "position", "row", "seed", "seg", "section", "sent", "split",
    "strata", "stratum", "system_id", "timestamp", "tokens", "topic_id", "turn", "user", "weight", "words",
    "year"})  # fmt: skip
# Names of labels by which items are certainly correlated.
CLUSTERS = ("cluster", "cluster_id", "document", "document_id", "doc_id")
# Columns of the order in which a judge saw two answers: never scores.
ORDERS = ("order", "position", "presentation_order", "answer_order", "swapped")
# Columns of verdicts on two answers. Words in them, and the numbers 1 and 2, are verdicts.
VERDICTS = ("verdict", "decision", "preference", "winner", "choice", "outcome", "judgment", "judgement", "vote")
# Keys of a summary of items, which are not items.
_SUMMARIES = ("seed", "total", "n", "num_items", "n_items", "count", "avg", "average", "overall", "mean", "accuracy",
    "score", "all", "pass_rate", "version", "timestamp")  # fmt: skip
# Usual names of the two columns of the compared systems.
SIDES = (
    ("system_a", "model_a", "system_1", "model_1", "generator_1"),
    ("system_b", "model_b", "system_2", "model_2", "generator_2"),
)
_RATERS = ("rater", "annotator", "judge")  # how names of columns of raters start
MOST_NAMES = 12
_FEWEST_COUNTED = 5  # in fewer rows, scores may look like a count by chance


def column_called(table: Table, name: str) -> str | None:
    """Return the column with this name, or the only one that matches ignoring case, spaces and hyphens, or None."""
    if table.bare:
        return None
    if name in table.columns:
        return name
    alike = table.alike.get(normal_name(name), ())
    return alike[0] if len(alike) == 1 else None


def named_column(table: Table, name: str) -> str:
    """Return the column that the user named.

    Raises
    ------
    DataError
        No such column. The message suggests the nearest name, or lists all.
    """
    column = column_called(table, name)
    if column is not None:
        return column
    what = f"column {quoted(name)} not found"
    if table.bare:
        what += ": the file has one value per line and no header"
    advice = "Leave the column name out." if table.bare else _offer(name, table.columns)
    raise DataError(Problem(printable(table.source), what, advice, "wrong-column"))


def _offer(name: str, columns: Iterable[str]) -> str:
    shown = [printable(column) for column in columns]
    offer = nearest(printable(name), shown)
    return offer if len(shown) <= MOST_NAMES or offer.startswith("Did") else f"Known: {_list(shown)}."


def _list(columns: Sequence[str]) -> str:
    shown = ", ".join(quoted(column) for column in columns[:MOST_NAMES])
    return shown + (f" and {len(columns) - MOST_NAMES} more" if len(columns) > MOST_NAMES else "")


def counts_rows(numbers: AnyArray) -> bool:
    """Return whether a column counts rows from 0 or 1, like the index of a frame, whatever its name."""
    counted = np.arange(len(numbers))
    return len(numbers) >= _FEWEST_COUNTED and any(np.array_equal(numbers, counted + start) for start in (0, 1))


def describes_items(name: str) -> bool:
    """Return whether the name is that of a property of items, such as an id, document, length or position."""
    return normal_name(name) in _OF_ITEMS


def is_id(name: str) -> bool:
    """Return whether the name is that of item ids, or of ids that items may share."""
    return normal_name(name) in {*SURE_IDS, *_SHARED_IDS}


def is_shared_id(name: str) -> bool:
    """Return whether the name is that of ids that several items may share, such as documents."""
    return normal_name(name) in _SHARED_IDS


def id_column_of(
    table: Table,
    chosen: str | None,
    *,
    beside: Sequence[str] = (),
    labels: Collection[str] = (),
    labelled: bool = False,
) -> str | None:
    """Return the column of item ids that the user named, else one with the name of ids, else None.

    Its values may repeat. `readers.tables` then requires a reason.

    Parameters
    ----------
    chosen : str, optional
        The name that the user gave.
    beside : sequence of str
        Columns that distinguish several rows of an item: systems, runs, templates.
    labels : collection of str
        Columns named as clusters, strata or test sets. Such a column is not the id if its values repeat.
    labelled : bool
        Whether items have any labels. Labels explain why names of documents, segments and questions repeat.

    Raises
    ------
    DataError
        The named column is missing.
    """
    if chosen is not None:
        return named_column(table, chosen)

    def called(*names: str) -> list[str]:
        columns = (column_called(table, name) for name in names)
        return [column for column in columns if column is not None and column not in beside]

    def is_unique(column: str) -> bool:
        texts = [text_in(cell) for cell in table.columns[column]]
        return None not in texts and not repeats(table, texts, beside)

    sure = (column for column in called(*SURE_IDS) if column not in labels or is_unique(column))
    possible = (c for c in called(*_SHARED_IDS, *_POSSIBLE_IDS) if c != table.index and is_unique(c))
    index = () if table.index is None else (table.index,)
    shared = () if labelled else called(*_SHARED_IDS[::-1])
    return next(chain(sure, possible, index, shared), None)


def repeats(table: Table, ids: Sequence[str | None], beside: Sequence[str] = ()) -> bool:
    """Return whether an id occurs twice in rows that the columns `beside` do not distinguish."""
    if not beside:
        return len(set(ids)) < len(ids)
    others = ([text_in(cell) for cell in table.columns[column]] for column in beside)
    return len(set(zip(ids, *others, strict=True))) < len(ids)


def score_columns_of(table: Table, metric: ColumnMetric, chosen: str | None, id_column: str | None) -> tuple[str, ...]:
    """Return the columns that `metric` reads, in its order.

    Raise DataError if a column is missing, or several could be the scores.
    """
    if len(metric.columns) > 1:
        return _columns_by_name(table, metric, chosen)
    if isinstance(metric, ColumnMean):
        return (named_column(table, metric.name),)
    if chosen is not None:
        return (named_column(table, chosen),)
    if table.bare:
        return tuple(table.columns)
    for name in (*metric.columns, metric.name, *SURE_SCORES):
        column = column_called(table, name)
        if column not in {None, id_column}:
            return (str(column),)
    numeric, verbal = columns_of_scores(table, id_column)
    usual = [name for name in (*numeric, *verbal) if normal_name(name) in USUAL_SCORES]
    choice = usual or numeric or verbal
    if len(choice) == 1:
        if number_in(choice[0]) is not None:
            what = f"expected a header that names the columns, got {_list(list(table.columns))}"
            advice = f"Write a first line such as id,score, or name the column with {opt('score_column')}."
            raise DataError(Problem(f"{printable(table.source)}:1", what, advice, "no-header"))
        return (choice[0],)
    got = f"several: {_list(choice)}" if choice else f"no column of numbers among {_list(list(table.columns))}"
    advice = "Name it with score_column."
    if table.lines is not None:
        advice = f"Name it with {opt('score_column')}, or as FILE:COLUMN."
    if not choice and any(normal_name(name) in ORDERS for name in table.columns):
        advice = "Write verdicts as 1 (better), 0 (worse) and 0.5 (tie), or as A, B and tie."
    elif not choice and any(isinstance(cell, dict) for cells in table.columns.values() for cell in cells[:1]):
        advice = advice_on_nested(table.source)
    elif {"human", "judge"} <= {normal_name(name) for name in choice}:
        advice = f"For both labels pass {opt('human', 'human')} and {opt('judge', 'judge')}."
    elif len(choice) > 1 and all(normal_name(name).startswith(_RATERS) for name in choice):
        columns = ",".join(printable(name) for name in choice[:MOST_NAMES])
        advice += f" If they are scores of raters, pass {opt('rater', columns)}."
    elif len(choice) > 1:
        columns = ",".join(printable(name) for name in choice[:2])
        advice += f" For several metrics pass {opt('score_column', columns)}, for example."
    what = f"expected one column of scores, got {got}"
    raise DataError(Problem(printable(table.source), what, advice, "which-column"))


def columns_of_scores(table: Table, id_column: str | None) -> tuple[list[str], list[str]]:
    """Return the columns that may be scores: those of numbers, and those of words such as pass and fail.

    They do not have the name of an id, an index or an order.
    """
    # A column without a name is an index written by a data frame.
    names = [
        name
        for name in table.columns
        if name not in {"", table.index, id_column}
        and normal_name(name) not in ORDERS
        and not (is_id(name) and id_column is not None)
    ]
    numeric = [name for name in names if mostly_numbers(table.columns[name])]
    return numeric, [name for name in names if name not in numeric and scores_in(table.columns[name]).words]


def columns_are_systems(table: Table, id_column: str | None) -> bool:
    """Return whether several columns are scores without their usual names, and none is of a rater."""
    numeric, _ = columns_of_scores(table, id_column)
    called = [normal_name(name) for name in numeric if not describes_items(name)]
    return len(called) > 1 and not any(name in USUAL_SCORES or name.startswith((*_RATERS, "human")) for name in called)


def _columns_by_name(table: Table, metric: ColumnMetric, chosen: str | None) -> tuple[str, ...]:
    columns = {name: column_called(table, name) for name in metric.columns}
    needed = f"the metric {metric.name} reads the columns {', '.join(metric.columns)}"
    if chosen is not None:
        what = f"{needed}, not {quoted(chosen)}"
        raise DataError(Problem(printable(table.source), what, "Leave the column name out.", "wrong-column"))
    absent = [name for name, column in columns.items() if column is None]
    if absent:
        got = "one value per line and no header" if table.bare else f"only {_list(list(table.columns))}"
        raise DataError(
            Problem(
                printable(table.source),
                f"{needed}: missing {_list(absent)}, got {got}",
                "Add the columns to the table, or choose another metric.",
                "wrong-column",
            )
        )
    return tuple(str(column) for column in columns.values())


def texts_of(table: Table, column: str, expected: str, slug: str) -> tuple[str, ...]:
    """Return the cells of a column as text: item ids, or labels.

    Raise DataError for cells that are empty or not text, each with its place.
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
            "Every item needs one.",
            slug,
        )
        for index, text in enumerate(texts)
        if text is None
    ]
    if problems:
        raise DataError(*problems)
    return tuple(text for text in texts if text is not None)


def ids_of(table: Table, column: str) -> tuple[str, ...]:
    """Return the item ids in a column as text. A missing id is a DataError, and so is the name of a summary."""
    ids = texts_of(table, column, "an item id", "missing-id")
    refuse_summaries(ids, printable(table.source))
    return ids


def refuse_summaries(ids: Sequence[str], where: str) -> None:
    """Raise DataError if an id is the name of a summary, such as "total", and all others have digits."""
    known = {*_SUMMARIES, *map(str.capitalize, _SUMMARIES)}
    if known.isdisjoint(ids):
        return
    distinct = dict.fromkeys(ids)
    found = [text for text in distinct if text in known]
    others = [text for text in distinct if text not in known]
    if len(others) > 1 and all(any(map(str.isdigit, text)) for text in others):
        what = f"expected ids of items, got {listed(found)} beside {listed(others)}"
        raise DataError(Problem(where, what, "Remove what is not an item.", "summary"))
