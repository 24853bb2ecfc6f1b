"""Scores, labels, outputs and references from Python: lists, arrays, mappings, data frames, series and items."""

from __future__ import annotations

import math
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
from outscore.data.pairing import folded
from outscore.data.rows import Labels, Rows
from outscore.errors import DataError, Problem
from outscore.metrics import ColumnMetric
from outscore.readers.base import Cell, Table, normal_name
from outscore.readers.files import is_readable
from outscore.readers.reading import Reading
from outscore.readers.tabular.cells import in_words, mostly_numbers, number_in
from outscore.readers.tabular.columns import column_called, describes_items, named_column, texts_of
from outscore.readers.tabular.labels import labels_by_item
from outscore.readers.tabular.tables import ColumnRoles, Items, rows_of_table
from outscore.text.naming import listed, printable, quoted

# Columns that systems read, in frames of their outputs.
_INPUTS = frozenset({"source", "src", "input", "inputs", "text", "context", "passage", "premise"})


def system_from(
    data: object,
    metric: ColumnMetric,
    *,
    name: str,
    id_column: str | None = None,
    score_column: str | None = None,
    roles: ColumnRoles | None = None,
    drop_missing: bool = False,
) -> Rows:
    """Return the rows of a system whose scores are in memory.

    Parameters
    ----------
    data : Rows, sequence, array, mapping, data frame or series
        One number an item, or for a metric of several columns one row of numbers an item: shape (n,) or
        (n, number of columns). A mapping goes from item id to that. Data frames and series are those of pandas,
        Polars, PyArrow and all others that narwhals knows; their columns are found as in files, and an index of
        pandas gives item ids where it has a name, or holds text or distinct numbers. `Rows` hold columns, not yet
        the metric's rows.
    metric : ColumnMetric
        What the columns mean.
    name : str
        What to call the system; `Rows` keep their own name.
    id_column, score_column : str, optional
        Columns of a data frame; everything else has none.
    roles : ColumnRoles, optional
        As for `rows_of_table`. With a declared factor, such as runs, an item of a metric of one column may have several
        numbers, one a run: shape (n, m), or lists of different lengths; of others shape (n, m, number of columns). Each
        further factor is one more axis: runs and templates are of shape (n, m, T).
    drop_missing : bool
        Of frames of such items take None and NaN for scores that there are not, instead of raising.

    Returns
    -------
    Rows
        Values of shape (n, k).

    Raises
    ------
    DataError
        Cells that are no numbers (text is none, but in data frames), other shapes, objects without an order such as
        sets and generators, and whatever `metric` refuses.
    OptionError
        Another number of columns than the metric has.

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
    axes = () if roles is None else roles.declared
    content = _unpacked(data, name, "scores", axes=len(axes))
    if isinstance(content, _Frame):
        table, items = content.items(id_column, roles)
        if content.index not in (None, items.id_column, score_column):
            # An index beside item ids counts rows: it is no score.
            kept = {column: cells for column, cells in table.columns.items() if column != content.index}
            table = Table(table.source, kept, None)
        columns: Any = {"score_column": score_column, "items": items}
        return rows_of_table(table, metric, name=name, **columns, drop_missing=drop_missing and bool(axes))
    for option, column in (("id_column", id_column), ("score_column", score_column)):
        if column is not None:
            what = f"expected a data frame with a column {quoted(column)}, got {_kind(data)}"
            raise DataError(Problem(name, what, f"Leave {option} out.", "wrong-column"))
    several = _several_an_item(content, metric, name, axes) if axes else None
    return metric.rows_of(Rows(name, _numbers(content.cells, name), content.ids)) if several is None else several


def _several_an_item(content: _Items, metric: ColumnMetric, name: str, axes: Sequence[str]) -> Rows | None:
    """Return items with a score for each level of some factors, nested in that order; None of single scores."""
    ids = content.ids or tuple(f"{place + 1}" for place in range(len(content.cells)))
    nested = [_nested(cell, len(axes)) for cell in content.cells]
    if not all(nested):
        if len(axes) == 1:
            return None
        what = f"expected scores of shape (n, {', '.join(f'{axis}s' for axis in axes)}), got fewer axes"
        *_, outer, inner = axes
        raise DataError(Problem(name, what, f"Give each item a list of {inner}s for each {outer}.", "wrong-shape"))
    placed = [
        (item, place, score)
        for item, cell in zip(ids, nested, strict=True)
        for place, score in cell or ()
        if not _is_missing(score)
    ]
    if not ids or (len(metric.columns) > 1 and not all(hasattr(score, "__len__") for _, _, score in placed)):
        return None
    there = {item for item, *_ in placed}
    if len(there) < len(ids):
        lost = [item for item in ids if item not in there]
        what = f"{len(lost)} item(s) have no score in any run: {listed(lost)}"
        raise DataError(Problem(name, what, "Leave them out of all systems.", "missing-cells"))
    of_cells, places, cells = map(tuple, zip(*placed, strict=True))
    rows = metric.rows_of(Rows(name, _numbers(cells, name), of_cells))
    levels = {axis: [str(at + 1) for at in of] for axis, of in zip(axes, zip(*places, strict=True), strict=True)}
    system = folded(rows, levels)
    return system if content.ids is not None else replace(system, item_ids=None)


def _nested(cell: object, depth: int) -> list[tuple[tuple[int, ...], Any]] | None:
    """Return what lists within lists hold, each with its places in them; None where they are not so deep."""
    if depth == 0:
        return [((), cell)]
    if not isinstance(cell, list | tuple | np.ndarray):
        return None
    inner = [_nested(one, depth - 1) for one in _listed(cell)]
    if any(one is None for one in inner):
        return None
    return [((at, *place), score) for at, one in enumerate(inner) for place, score in one or ()]


def _listed(cell: object) -> list[Any]:
    if isinstance(cell, np.ndarray) and cell.ndim == 1 and cell.dtype.kind in "biuf":
        numbers: list[Any] = cell.tolist()  # Python's own, which are taken together
        return numbers
    return list(cell) if isinstance(cell, list | tuple | np.ndarray) else []


def _is_missing(score: Any) -> bool:
    """Say whether a run lacks an item: None, or NaN, in place of its score."""
    return score is None or (isinstance(score, float | np.floating) and math.isnan(score))


def labels_from(data: object, name: str) -> Labels:
    """Return the labels of items, such as their clusters, that are in memory.

    Parameters
    ----------
    data : Labels, sequence, array, mapping or series
        One label an item, text or number, shape (n,); a mapping goes from item id to label.
    name : str
        What to call them.

    Raises
    ------
    DataError
        A label that is missing or is no single value, or objects that have more than one dimension or no order.

    Examples
    --------
    >>> labels_from([1, 1, 2], "cluster").labels
    ('1', '1', '2')
    """
    if isinstance(data, Labels):
        return data
    name = printable(name)
    content = _unpacked(data, name, "labels")
    if isinstance(content, _Frame):
        raise _wrong_kind(data, name, "labels", "Choose one of its columns.")
    cells = content.cells.tolist() if isinstance(content.cells, np.ndarray) else content.cells
    return Labels(name, _texts(cells, name, "a label", "missing-label"), content.ids)


@dataclass(frozen=True, eq=False)
class _Frame:
    """A data frame; `index` names the column that holds the index of pandas, where that names the items."""

    table: Table
    index: str | None

    def items(self, id_column: str | None, roles: ColumnRoles | None) -> tuple[Table, Items]:
        """Return the table and its items, whose ids are the index where no column holds ids."""
        items = Items.of(self.table, id_column, roles)
        if items.id_column is None and self.index is not None:
            items = Items.of(self.table, self.index, roles)
        return self.table, items


@dataclass(frozen=True, eq=False)
class _Items:
    """Anything but a data frame: one cell, or one row of cells, an item."""

    cells: Sequence[Cell] | AnyArray
    ids: tuple[str, ...] | None = None


def _unpacked(data: Any, name: str, what: str, *, axes: int = 0) -> _Frame | _Items:
    if isinstance(data, Mapping):
        return _Items(list(data.values()), _texts(list(data), name, "an item id", "missing-id"))
    if isinstance(data, np.ndarray):
        return _Items(_checked_array(data, name, what, axes=axes))
    if isinstance(data, str | bytes | bytearray | memoryview):
        raise _wrong_kind(data, name, what, "Files are read with outscore.readers.read_system.")
    if isinstance(data, Sequence | ValuesView):
        return _Items(list(data))

    import narwhals as nw
    from narwhals.exceptions import NarwhalsError

    try:
        known = nw.from_native(data, allow_series=True, pass_through=True)
        known = known.collect() if isinstance(known, nw.LazyFrame) else known
    except (NarwhalsError, TypeError, ValueError) as error:
        problem = f"expected a data frame that narwhals can read, got: {quoted(str(error))}"
        raise DataError(Problem(name, problem, "Give every column a name of its own.", "wrong-frame")) from None
    if isinstance(known, nw.DataFrame):
        return _frame(
            [(str(series.name), _cells_of(series)) for series in known.iter_columns()], known.to_native(), name
        )
    if isinstance(known, nw.Series):
        index = _index_of(known.to_native(), numbers=what == "scores")
        return _Items(_cells_of(known), index and _texts(index[1], name, "an item id", "missing-id"))
    if hasattr(data, "__array__"):
        try:
            array = np.asarray(data)
        except (TypeError, ValueError, RuntimeError) as error:  # a tensor on a device, or one that needs a gradient
            raise _wrong_kind(data, name, what, f"NumPy says: {quoted(str(error))}.") from None
        return _Items(_checked_array(array, name, what, axes=axes))
    raise _wrong_kind(data, name, what, "Make it a list whose order is that of the items.")


def _cells_of(series: Any) -> list[Cell]:
    cells: list[Cell] = series.to_list()
    return list(half_cells(series.to_list())) if str(series.dtype) == "Float16" else cells


def _frame(columns: list[tuple[str, list[Cell]]], native: Any, name: str) -> _Frame:
    cells = dict(columns)
    if len(cells) < len(columns):  # to pandas, 1 and "1" are different names
        problem = "expected columns of different names, got some that are written alike"
        raise DataError(Problem(name, problem, "Rename all but one.", "duplicate-column"))
    index = _index_of(native, numbers=True)
    if index is None or index[0] in cells:
        return _Frame(Table(name, cells, None), None)
    title, labels = index
    return _Frame(Table(name, {title: labels, **cells}, None), title)


def _index_of(native: Any, *, numbers: bool) -> tuple[str, list[Cell]] | None:
    """Return name and labels of the index of pandas; None where it cannot tell items apart, or there is none.

    Numbers tell items apart too: a frame that was sorted or filtered keeps them. A series of clusters, though,
    mostly goes with scores whose ids are others.
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
            advice = "Mend the item, or leave it out of both systems."
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
                "Give one value an item.",
                "wrong-shape",
            )
        )
    return without_half(np.asarray(array))


def _numbers(cells: Sequence[Cell] | AnyArray, name: str) -> FloatArray:
    """Return numbers, shape (n, number of columns), of n cells or n rows of cells; text is no number here."""
    if isinstance(cells, np.ndarray):
        if cells.dtype.kind in "biuf":
            with np.errstate(over="ignore"):  # what a longer float holds becomes an infinity, which the metric refuses
                return cells.astype(np.float64).reshape(len(cells), -1 if cells.size else cells.shape[-1])
        cells = list(cells)
    if set(map(type, cells)) <= {int, float, bool}:
        try:
            return np.array(cells, dtype=np.float64).reshape(-1, 1)
        except OverflowError:
            pass  # an integer beyond 1e308: the slow way finds it
    records = [_record(cell) for cell in cells]
    width = len(records[0])
    problems = []
    for index, record in enumerate(records):
        if len(record) != width:
            what = f"expected {width} number(s) as in {name}[0], got {len(record)}"
            problems.append(Problem(f"{name}[{index}]", what, "Give every item as many.", "wrong-shape"))
            continue
        for cell in record:
            if isinstance(cell, str) or number_in(cell) is None:
                what = f"expected a number, got {in_words(cell)}"
                advice = "Mend the item, or leave it out of both systems."
                problems.append(Problem(f"{name}[{index}]", what, advice, "not-a-number"))
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
    problem = Problem(name, f"expected {what}, one an item in their order, got {_kind(data)}", advice, "wrong-type")
    return DataError(problem)


def table_from(data: object, name: str) -> Table | None:
    """Return a data frame of any library that narwhals knows as a table, or None where `data` is no data frame.

    The index of pandas is a column of it where that names the items.

    Raises
    ------
    DataError
        Columns of one name.
    """
    if isinstance(data, Mapping | Sequence | np.ndarray):
        return None
    content = _unpacked(data, printable(name), "scores")
    return content.table if isinstance(content, _Frame) else None


def items_from(data: object, name: str, id_column: str | None, roles: ColumnRoles) -> tuple[Table, Items] | None:
    """Return a data frame as a table, and its items; None where `data` is no data frame.

    Raises
    ------
    DataError
        As `system_from`.
    """
    if isinstance(data, Mapping | Sequence | np.ndarray | Rows):
        return None
    content = _unpacked(data, printable(name), "scores")
    return content.items(id_column, roles) if isinstance(content, _Frame) else None


def predictions_from(data: object, reading: Reading) -> tuple[Mapping[str, object], Reading] | None:
    """Return the systems in a data frame of outputs, one column each, and how they are read; None of anything else.

    The references are a column that `reading` names. Clusters, strata and test sets may be columns, too. Other columns
    are systems if they hold what the references hold, text or numbers, and are not called like ids or inputs.

    Raises
    ------
    DataError
        No column or file of the name of the references, no other column like it, or ids that repeat.
    """
    references = reading.references
    if not isinstance(references, str) or isinstance(data, Mapping | Sequence | np.ndarray | Rows | os.PathLike):
        return None
    content = _unpacked(data, "systems", "outputs")
    if not isinstance(content, _Frame):
        return None
    gold = column_called(content.table, references)
    if gold is None and is_readable(references):
        return None
    gold = named_column(content.table, references) if gold is None else gold
    labels = {
        argument: column
        for argument in ("clusters", "strata", "test_sets")
        if isinstance(spec := getattr(reading, argument), str)
        and (column := column_called(content.table, spec)) is not None
    }
    roles = ColumnRoles(labels=tuple(labels.values()), test_sets=labels.get("test_sets"))
    table, items = content.items(reading.id_column, roles)
    is_number = mostly_numbers(table.columns[gold])
    systems = {
        column: cells
        for column, cells in table.columns.items()
        if column not in {gold, content.index, items.id_column, *labels.values()}
        and not describes_items(column)
        and normal_name(column) not in _INPUTS
        and mostly_numbers(cells) == is_number
    }
    if not systems:
        what = f"expected columns of outputs beside the references ({quoted(gold)}), got none"
        raise DataError(Problem(table.source, what, "Give every system a column.", "no-systems"))

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
        One item of `item_type` each, or what stands for one: text for segments, utterances, labels and answers; a
        list of texts for several right answers; a list of tags such as "B-PER" for a tagged sentence; pairs of
        positions for an alignment; a mapping from document to score, or a list of documents, for a ranking; a mapping
        from document to grade for judgements. A mapping goes from item id to that.
    item_type : type
        What a metric takes; `object` takes anything.
    name : str
        What to call them.

    Raises
    ------
    DataError
        What is no sequence, or items of another type, by position.

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
                f"expected a list of one {_in_words(item_type)} an item, got {described(data)}",
                "Give a list, a mapping from item ids, or the path of a file.",
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
    from outscore.readers.corpora.tagged import TagColumns  # formats of files are imported for few

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
    """Return what a message calls an item of a corpus: "text", "gold label"."""
    of_class = re.sub("(?<=[a-z])(?=[A-Z])", " ", item_type.__name__).lower()
    return {str: "text", float: "number", object: "value"}.get(item_type, of_class)
