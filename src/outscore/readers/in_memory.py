"""Scores, labels, outputs and references passed as Python objects."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, ValuesView
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.data.coercion import described, half_cells, without_half
from outscore.data.items import (
    Alignment,
    Answer,
    Corpus,
    GoldAlignment,
    GoldAnswers,
    GoldLabel,
    Judgements,
    Label,
    RankedDocuments,
    TaggedSentence,
    Utterance,
)
from outscore.data.pairing import folded, with_gaps
from outscore.data.rows import Labels, Missing, Rows
from outscore.data.verdicts import word_value
from outscore.errors import DataError, Problem
from outscore.metrics import ColumnMetric
from outscore.metrics.base import advice_on_missing
from outscore.readers.base import Cell, Table, normal_name
from outscore.readers.files import is_readable
from outscore.readers.reading import Reading
from outscore.readers.tabular.cells import in_words, is_missing_score, mostly_numbers, note_on, number_in, scores_in
from outscore.readers.tabular.columns import column_called, describes_items, named_column, texts_of
from outscore.readers.tabular.labels import labels_by_item
from outscore.readers.tabular.tables import ColumnRoles, Items, rows_of_table
from outscore.text.naming import listed, printable, quoted

# Roles of columns that systems use, in frames of their outputs.
_INPUTS = frozenset({"source", "src", "input", "inputs", "text", "context", "passage", "premise"})


def system_from(
    data: object,
    metric: ColumnMetric,
    *,
    name: str,
    roles: ColumnRoles | None = None,
    items: Items | None = None,
    **columns: Any,
) -> Rows:
    """Return the rows of a system whose scores are in memory.

    Parameters
    ----------
    data : Rows, sequence, array, mapping, data frame or series
        One number per item, shape (n,), or for a metric of several columns one row of numbers per item, shape
        (n, number of columns). A mapping maps item ids to these. Data frames and series are those that narwhals
        supports, such as pandas, Polars and PyArrow. Their columns are found as in files. An index of pandas gives
        item ids if it has a name, text or distinct numbers. `Rows` hold columns, not rows of the metric.
    metric : ColumnMetric
        Defines the meaning of the columns.
    name : str
        Name of the system; `Rows` keep their own.
    roles : ColumnRoles, optional
        Columns of a data frame, and whether None, NaN and NA are missing scores, which are empty cells of the rows,
        instead of errors. With a declared factor, such as runs, an item of a metric of one column may have several
        numbers, one per run: shape (n, m), or lists of different lengths. Other metrics take shape
        (n, m, number of columns). Each further factor adds an axis: runs and templates have shape (n, m, T).
    items : Items, optional
        Of a data frame; avoids finding them again.
    **columns
        Attributes of `ColumnRoles`, such as `id_column`.

    Returns
    -------
    Rows
        Values of shape (n, k).

    Raises
    ------
    DataError
        Cells that are not numbers (text is accepted only in data frames), wrong shapes, unordered objects such as
        sets and generators, or values that `metric` rejects.
    OptionError
        The number of columns is not that of the metric.

    Examples
    --------
    >>> from outscore.metrics import Mean
    >>> rows = system_from({"q1": 1, "q2": 0}, Mean(), name="baseline")
    >>> rows.item_ids, rows.values.tolist()
    (('q1', 'q2'), [[1.0, 1.0], [0.0, 1.0]])
    """
    if isinstance(data, Rows):
        return metric.rows_of(data)
    name = printable(name)
    roles = replace(roles or ColumnRoles(), **columns)
    axes = roles.declared
    content = _unpacked(data, name, "scores", axes=len(axes))
    if isinstance(content, Table):
        items = items or Items.of(content, roles)
        if content.row_names not in (None, items.id_column, roles.score_column):
            # An index beside item ids numbers the rows; it is not a score.
            kept = {column: cells for column, cells in content.columns.items() if column != content.row_names}
            content = Table(content.source, kept, None)
        return rows_of_table(content, metric, name, roles, items)
    for option in ("id_column", "score_column"):
        column = getattr(roles, option)
        if column is not None:
            what = f"expected a data frame with a column {quoted(column)}, got {_kind(data)}"
            raise DataError(Problem(name, what, f"Leave {option} out.", "wrong-column"))
    several = _several_an_item(content, metric, name, axes) if axes else None
    if several is not None:
        return several
    n_items = len(content.cells)
    there: Sequence[int] = range(n_items)
    if roles.missing is not Missing.ERROR and not axes:
        there = [i for i, cell in enumerate(content.cells) if not any(map(is_missing_score, _record(cell)))]
    if len(there) == n_items:
        return metric.rows_of(_rows(content.cells, name, content.ids))
    cells = (
        content.cells[np.array(there, dtype=np.int64)]
        if isinstance(content.cells, np.ndarray)
        else [content.cells[i] for i in there]
    )
    return with_gaps(metric.rows_of(_rows(cells, name)), there, content.ids, n_items)


def _several_an_item(content: _Items, metric: ColumnMetric, name: str, axes: Sequence[str]) -> Rows | None:
    """Return items with a score for each level of some factors, nested in that order; None for single scores."""
    ids = content.ids or tuple(f"{place + 1}" for place in range(len(content.cells)))
    nested = [_nested(cell, len(axes)) for cell in content.cells]
    if not all(nested):
        if len(axes) == 1:
            return None
        what = f"expected scores of shape (n, {', '.join(f'{axis}s' for axis in axes)}), got fewer axes"
        *_, outer, inner = axes
        raise DataError(Problem(name, what, f"Pass a list of {inner}s for each {outer} of each item.", "wrong-shape"))
    n_levels = max((len(_listed(cell)) for cell in content.cells), default=0)
    if content.ids is None and n_levels > len(ids):
        shape, got = f"(n items, {axes[0]}s)", f"({len(ids)}, {n_levels})"
        what = f"expected scores of shape {shape}, got {got}: more {axes[0]}s than items"
        advice = "Transpose them if rows are not items. Otherwise pass a mapping from item ids to scores."
        raise DataError(Problem(name, what, advice, "wrong-shape"))
    placed = [
        (item, place, score)
        for item, cell in zip(ids, nested, strict=True)
        for place, score in cell or ()
        if not is_missing_score(score)
    ]
    if not ids or (len(metric.columns) > 1 and not all(hasattr(score, "__len__") for _, _, score in placed)):
        return None
    there = {item for item, *_ in placed}
    if len(there) < len(ids):
        lost = [item for item in ids if item not in there]
        what = f"{len(lost)} item(s) have no score in any run: {listed(lost)}"
        raise DataError(Problem(name, what, "Remove them from all systems.", "missing-cells"))
    of_cells, places, cells = map(tuple, zip(*placed, strict=True))
    rows = metric.rows_of(_rows(cells, name, of_cells))
    levels = {axis: [str(at + 1) for at in index] for axis, index in zip(axes, zip(*places, strict=True), strict=True)}
    system = folded(rows, levels)
    return system if content.ids is not None else replace(system, item_ids=None)


def _nested(cell: object, depth: int) -> list[tuple[tuple[int, ...], Any]] | None:
    """Return the values in nested lists with their places; None if the lists are not nested this deep."""
    if depth == 0:
        return [((), cell)]
    if not isinstance(cell, list | tuple | np.ndarray):
        return None
    inner = [_nested(part, depth - 1) for part in _listed(cell)]
    if any(part is None for part in inner):
        return None
    return [((at, *place), score) for at, part in enumerate(inner) for place, score in part or ()]


def _listed(cell: object) -> list[Any]:
    if isinstance(cell, np.ndarray) and cell.ndim == 1 and cell.dtype.kind in "biuf":
        numbers: list[Any] = cell.tolist()  # Python numbers, converted together
        return numbers
    return list(cell) if isinstance(cell, list | tuple | np.ndarray) else []


def labels_from(data: object, name: str) -> Labels:
    """Return labels of items, such as clusters, that are in memory.

    Parameters
    ----------
    data : Labels, sequence, array, mapping or series
        One label per item, text or number, shape (n,). A mapping maps item ids to labels.
    name : str
        Name of the labels.

    Raises
    ------
    DataError
        A label that is missing or not a single value; objects with several dimensions or without an order.

    Examples
    --------
    >>> labels_from([1, 1, 2], "cluster").labels
    ('1', '1', '2')
    """
    if isinstance(data, Labels):
        return data
    name = printable(name)
    content = _unpacked(data, name, "labels")
    if isinstance(content, Table):
        raise _wrong_kind(data, name, "labels", "Choose one of its columns.")
    cells = content.cells.tolist() if isinstance(content.cells, np.ndarray) else content.cells
    return Labels(name, _texts(cells, name, "a label", "missing-label"), content.ids)


@dataclass(frozen=True, eq=False)
class _Items:
    """Data other than a data frame: one cell, or one row of cells, per item."""

    cells: Sequence[Cell] | AnyArray
    ids: tuple[str, ...] | None = None


def _unpacked(data: Any, name: str, what: str, *, axes: int = 0) -> Table | _Items:
    if isinstance(data, Table):
        return data
    if isinstance(data, Mapping):
        return _Items(list(data.values()), _texts(list(data), name, "an item id", "missing-id"))
    if isinstance(data, np.ndarray):
        return _Items(_checked_array(data, name, what, axes=axes))
    if isinstance(data, str | bytes | bytearray | memoryview):
        raise _wrong_kind(data, name, what, "To read a file, use outscore.readers.read_system.")
    if isinstance(data, Sequence | ValuesView):
        return _Items(list(data))

    import narwhals as nw
    from narwhals.exceptions import NarwhalsError

    try:
        frame = nw.from_native(data, allow_series=True, pass_through=True)
        frame = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    except (NarwhalsError, TypeError, ValueError) as error:
        problem = f"expected a data frame that narwhals can read, got: {quoted(str(error))}"
        raise DataError(Problem(name, problem, "Give every column a different name.", "wrong-frame")) from None
    if isinstance(frame, nw.DataFrame):
        return _frame(
            [(str(series.name), _cells_of(series)) for series in frame.iter_columns()], frame.to_native(), name
        )
    if isinstance(frame, nw.Series):
        index = _index_of(frame.to_native(), numbers=what == "scores")
        return _Items(_cells_of(frame), index and _texts(index[1], name, "an item id", "missing-id"))
    if hasattr(data, "__array__"):
        try:
            array = np.asarray(data)
        except (TypeError, ValueError, RuntimeError) as error:  # a tensor on a device, or with a gradient
            raise _wrong_kind(data, name, what, f"NumPy reports: {quoted(str(error))}.") from None
        return _Items(_checked_array(array, name, what, axes=axes))
    raise _wrong_kind(data, name, what, "Pass a list in the order of the items.")


def _cells_of(series: Any) -> list[Cell]:
    cells: list[Cell] = series.to_list()
    return list(half_cells(series.to_list())) if str(series.dtype) == "Float16" else cells


def _frame(columns: list[tuple[str, list[Cell]]], native: Any, name: str) -> Table:
    cells = dict(columns)
    if len(cells) < len(columns):  # pandas distinguishes the names 1 and "1"
        problem = "expected columns with different names, got duplicates"
        raise DataError(Problem(name, problem, "Rename all but one.", "duplicate-column"))
    index = _index_of(native, numbers=True)
    if index is None or index[0] in cells:
        return Table(name, cells, None)
    title, labels = index
    is_default = native.index.name is None and not any(isinstance(label, str) for label in labels)
    return Table(name, {title: labels, **cells}, None, index=title if is_default else None, row_names=title)


def _index_of(native: Any, *, numbers: bool) -> tuple[str, list[Cell]] | None:
    """Return name and labels of a pandas index that identifies items, or None.

    Numbers identify items, because a sorted or filtered frame keeps them. In a series of clusters they usually do not
    match the ids of the scores.
    """
    index: Any = getattr(native, "index", None)
    if getattr(index, "nlevels", 0) != 1:
        return None
    labels = list(index)
    if index.name is None and not all(isinstance(label, str) for label in labels):
        if not numbers or not all(isinstance(label, int | np.integer) for label in labels):
            return None
        if len(set(labels)) < len(labels):
            return None
    return str(index.name or "index"), labels


def _checked_array(array: AnyArray, name: str, what: str, *, axes: int = 0) -> AnyArray:
    if isinstance(array, np.ma.MaskedArray):
        masked = sorted({int(position[0]) for position in np.argwhere(np.ma.getmaskarray(array)) if len(position)})
        if masked:
            advice = "Correct the item, or remove it from both systems."
            raise DataError(
                *(Problem(f"{name}[{i}]", "expected a value, got a masked one", advice, "not-a-number") for i in masked)
            )
        array = array.data
    if array.dtype.names is not None or not 1 <= array.ndim <= (2 + axes if what == "scores" else 1):
        raise DataError(
            Problem(
                name,
                f"expected {what} of shape (n,){' or (n, columns)' if what == 'scores' else ''}, got "
                + (f"shape {array.shape}" if array.dtype.names is None else "records with fields"),
                "Pass one value per item.",
                "wrong-shape",
            )
        )
    return without_half(np.asarray(array))


def _rows(cells: Sequence[Cell] | AnyArray, name: str, ids: tuple[str, ...] | None = None) -> Rows:
    """Return the numbers in n cells or n rows of cells, or what words in n cells stand for."""
    are_numbers = isinstance(cells, np.ndarray) and cells.dtype.kind == "f"
    if not are_numbers and any(isinstance(cell, str) for cell in cells):
        scores = scores_in(list(cells))
        if scores.words:
            problems = [_not_a_number(name, index, cells[index], scores.expected) for index in scores.lacking]
            if problems:
                raise DataError(*problems)
            return Rows(name, scores.numbers[:, None], ids, notes=(note_on(scores.words),))
    return Rows(name, _numbers(cells, name), ids)


def _not_a_number(name: str, index: int, cell: Cell, expected: str = "a number") -> Problem:
    advice = advice_on_missing() if is_missing_score(cell) else "Correct the item, or remove it from both systems."
    if isinstance(cell, str) and word_value(cell) is not None:
        advice = "Verdicts need a data frame with a column verdict, or the numbers 1, 0.5 and 0."
    return Problem(f"{name}[{index}]", f"expected {expected}, got {in_words(cell)}", advice, "not-a-number")


def _numbers(cells: Sequence[Cell] | AnyArray, name: str) -> FloatArray:
    """Return numbers, shape (n, number of columns), from n cells or n rows of cells; text is rejected."""
    if isinstance(cells, np.ndarray):
        if cells.dtype.kind in "biuf":
            with np.errstate(over="ignore"):  # a longer float may become infinite, which the metric rejects
                return cells.astype(np.float64).reshape(len(cells), -1 if cells.size else cells.shape[-1])
        cells = list(cells)
    if set(map(type, cells)) <= {int, float, bool}:
        try:
            return np.array(cells, dtype=np.float64).reshape(-1, 1)
        except OverflowError:
            pass  # an integer beyond 1e308: found by the loop below
    records = [_record(cell) for cell in cells]
    width = len(records[0])
    problems = []
    for index, record in enumerate(records):
        if len(record) != width:
            what = f"expected {width} number(s) as in {name}[0], got {len(record)}"
            problems.append(
                Problem(f"{name}[{index}]", what, "Give every item the same number of values.", "wrong-shape")
            )
            continue
        others = (cell for cell in record if isinstance(cell, str) or number_in(cell) is None)
        problems += [_not_a_number(name, index, cell) for cell in others]
    if problems:
        raise DataError(*problems)
    return np.array([[number_in(cell) for cell in record] for record in records], dtype=np.float64)


def _record(cell: Cell) -> Sequence[Cell]:
    if isinstance(cell, np.ndarray) and cell.ndim == 1:
        return list(cell)
    return cell if isinstance(cell, list | tuple) else (cell,)


def _texts(cells: Sequence[Cell], name: str, expected: str, slug: str) -> tuple[str, ...]:
    return texts_of(Table(name, {"": cells}, None, bare=True), "", expected, slug)


def _kind(data: object) -> str:
    if isinstance(data, str | bytes):
        return "text"
    return described(data)


def _wrong_kind(data: object, name: str, what: str, advice: str) -> DataError:
    problem = Problem(name, f"expected {what}, one per item in order, got {_kind(data)}", advice, "wrong-type")
    return DataError(problem)


def table_from(data: object, name: str) -> Table | None:
    """Return a data frame of any library that narwhals supports as a table, or None if `data` is not a data frame.

    A pandas index becomes a column if it identifies the items. Raise DataError for columns with the same name.
    """
    if isinstance(data, Mapping | Sequence | np.ndarray | Rows):
        return None
    content = _unpacked(data, printable(name), "scores")
    return content if isinstance(content, Table) else None


def predictions_from(data: object, reading: Reading) -> tuple[Mapping[str, object], Reading] | None:
    """Return the systems in a data frame of outputs, one per column, and how to read them; None for other data.

    `reading` names the column of references, and maybe columns of clusters, strata and test sets. Another column is a
    system if it has the type of the references, text or numbers, and no name of ids or inputs. Raise DataError for no
    column or file of references, no other column of their type, or repeated ids.
    """
    references = reading.references
    if not isinstance(references, str) or isinstance(data, Mapping | Sequence | np.ndarray | Rows | os.PathLike):
        return None
    table = _unpacked(data, "systems", "outputs")
    if not isinstance(table, Table):
        return None
    gold = column_called(table, references)
    if gold is None and is_readable(references):
        return None
    gold = named_column(table, references) if gold is None else gold
    labels = {
        argument: column
        for argument in ("clusters", "strata", "test_sets")
        if isinstance(spec := getattr(reading, argument), str) and (column := column_called(table, spec)) is not None
    }
    columns = tuple(labels.values())
    items = Items.of(table, ColumnRoles(reading.id_column, labels=columns, test_sets=labels.get("test_sets")))
    is_number = mostly_numbers(table.columns[gold])
    systems = {
        column: cells
        for column, cells in table.columns.items()
        if column not in {gold, table.row_names, items.id_column, *labels.values()}
        and not describes_items(column)
        and normal_name(column) not in _INPUTS
        and mostly_numbers(cells) == is_number
    }
    if not systems:
        what = f"expected columns of outputs beside the references ({quoted(gold)}), got none"
        raise DataError(Problem(table.source, what, "Add one column per system.", "no-systems"))

    def by_item(cells: Sequence[Cell]) -> object:
        return list(cells) if items.ids is None else dict(zip(items.ids, cells, strict=True))

    given = {argument: labels_by_item(table, column, items.ids) for argument, column in labels.items()}
    how: dict[str, Any] = {**given, "references": by_item(table.columns[gold]), "id_column": None}
    return {column: by_item(cells) for column, cells in systems.items()}, replace(reading, **how)


def corpus_from(data: object, item_type: type, name: str) -> Corpus[Any]:
    """Return the items of outputs or references that are in memory.

    Parameters
    ----------
    data : Corpus, sequence, array, series or mapping
        One item of `item_type` each, or its plain form: text for segments, utterances, labels and answers; a list of
        texts for several correct answers; a list of tags such as "B-PER" for a tagged sentence; pairs of positions for
        an alignment; a mapping from document to score, or a list of documents, for a ranking; a mapping from document
        to grade for judgements. A mapping at the top level maps item ids to items.
    item_type : type
        Type that a metric takes; `object` accepts anything.
    name : str
        Name of the corpus.

    Raises
    ------
    DataError
        An object that is not a sequence, or items of another type.

    Examples
    --------
    >>> corpus_from({"q1": "yes", "q2": "no"}, Label, "baseline").item_ids
    ('q1', 'q2')
    """
    name = printable(name)
    if isinstance(data, Corpus):
        return data
    ids = None
    if isinstance(data, Mapping):
        ids = tuple(str(key) for key in data)
        data = list(data.values())
    if getattr(data, "dtype", None) == np.float16:
        data = without_half(np.asarray(data))
    for unpack in ("to_list", "tolist"):  # of series and arrays
        if hasattr(data, unpack):
            data = getattr(data, unpack)()
    if not isinstance(data, Sequence) or isinstance(data, str | bytes):
        raise DataError(
            Problem(
                name,
                f"expected a list with one {_in_words(item_type)} per item, got {described(data)}",
                "Pass a list, a mapping from item ids, or a file name.",
                "wrong-type",
            )
        )
    items, problems = [], []
    for index, item in enumerate(data):
        try:
            items.append(_item(item, item_type))
        except (TypeError, ValueError, DataError):
            what = f"expected {_in_words(item_type)}, got {described(item)}"
            problems.append(Problem(f"{name}[{index}]", what, "", "wrong-item"))
    if problems:
        raise DataError(*problems)
    return Corpus(name, items, (), ids)


def _item(value: object, item_type: type) -> Any:
    if isinstance(value, item_type):
        return value
    convert = _PLAIN.get(item_type)
    if convert is None:
        raise TypeError
    return convert(value)


def _text(kind: type[str]) -> Callable[[Any], str]:
    def of(value: Any) -> str:
        if not isinstance(value, str):
            raise TypeError
        return kind(value)

    return of


def _label(kind: type[Label]) -> Callable[[Any], Label]:
    def of(value: Any) -> Label:
        if value is None and kind is Label:  # no answer
            return kind("")
        if not isinstance(value, str | int) or (value == "" and kind is GoldLabel):
            raise TypeError
        return kind(value)

    return of


def _number(value: Any) -> float:
    if isinstance(value, str):
        raise TypeError
    return float(value)


def _answers(texts_or_text: Any) -> GoldAnswers:
    texts = (texts_or_text,) if isinstance(texts_or_text, str) else tuple(texts_or_text)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError
    return GoldAnswers(texts)


def _links(pairs: Any) -> frozenset[tuple[int, int]]:
    if isinstance(pairs, str):
        raise TypeError
    return frozenset((int(source), int(target)) for source, target in pairs)


def _tagged(tags: Any) -> TaggedSentence:
    if isinstance(tags, str) or not all(isinstance(tag, str) for tag in tags):
        raise TypeError
    if not tags:
        return TaggedSentence(None, frozenset())
    from outscore.readers.corpora.tagged import TagColumns  # rarely used

    if any(tag.split() != [tag] for tag in tags):
        raise ValueError
    columns = "".join(f"_\t{tag}\n" for tag in tags)
    return TaggedSentence(None, TagColumns().parse(columns, "tags").items[0].spans)


def _ranking(documents: Any) -> RankedDocuments:
    if isinstance(documents, Mapping):
        return RankedDocuments.by_score({str(document): float(score) for document, score in documents.items()})
    if isinstance(documents, str) or not isinstance(documents, Iterable):
        raise TypeError
    return RankedDocuments(tuple(dict.fromkeys(map(str, documents))))


def _judgements(grades: Any) -> Judgements:
    if not isinstance(grades, Mapping):
        raise TypeError
    return Judgements({str(document): int(grade) for document, grade in grades.items()})


_PLAIN: dict[type, Callable[[Any], Any]] = {
    str: _text(str),
    float: _number,
    Utterance: _text(Utterance),
    Label: _label(Label),
    GoldLabel: _label(GoldLabel),
    Answer: _text(Answer),
    GoldAnswers: _answers,
    Alignment: lambda pairs: Alignment(_links(pairs)),
    GoldAlignment: lambda pairs: GoldAlignment(_links(pairs)),
    TaggedSentence: _tagged,
    RankedDocuments: _ranking,
    Judgements: _judgements,
}


def _in_words(item_type: type) -> str:
    """Return the name of a type of items in messages: "text", "gold label"."""
    of_class = re.sub("(?<=[a-z])(?=[A-Z])", " ", item_type.__name__).lower()
    return {str: "text", float: "number", object: "value"}.get(item_type, of_class)
