"""Formats of tables: one value per line, CSV, TSV, JSON Lines, and Parquet (requires polars)."""

from __future__ import annotations

import csv
import json
import re
from abc import abstractmethod
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from io import BytesIO
from itertools import chain, islice
from operator import methodcaller
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from outscore.data.coercion import half_cells
from outscore.errors import DataError, OutscoreError, Problem
from outscore.readers.base import MOST_COLUMNS, Cell, Table, TableFormat, check_width, empty
from outscore.readers.files import BYTE_ORDER_MARK, decoded, held_back, lines_in, most_bytes, too_large
from outscore.readers.tabular.cells import NumberColumn, NumberLines, grades_of, in_words, is_missing, number_in
from outscore.readers.tabular.number_lines import OF_NUMBERS, numbers_of_lines
from outscore.results.record import parquet_library
from outscore.text.naming import printable, quoted

_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")


def number_table(data: bytes, source: str) -> Table | None:
    """Return a file with one number per line, in ASCII without blanks around it, as a table; None for other files.

    Blank lines are allowed only at the end.
    """
    data = data.removeprefix(BYTE_ORDER_MARK)
    if data[:64].rstrip(b"\n\r ").translate(None, OF_NUMBERS + b"\r"):
        return None
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if not data[-2:-1].isdigit():  # the last number is followed by more than one line end
        data = data.rstrip(b"\n\r ")
    numbers = numbers_of_lines(data)
    if numbers is None:
        return None
    return Table(source, {"": NumberLines(data, numbers)}, range(1, len(numbers) + 1), bare=True)


class Plain(TableFormat):
    """One value per line, without a header: scores or labels. The format of all files that have no other."""

    name = "plain"
    names_columns = False

    def sniff(self, first_line: bytes) -> bool:
        del first_line
        return True

    def parse(self, data: bytes, source: str) -> Table:
        numbers = number_table(data, source)
        if numbers is not None:
            return numbers
        lines = lines_in(data, source)
        cells = [line.strip() for line in lines]
        blank = [
            Problem(
                f"{printable(source)}:{number}",
                "expected a value, got a blank line",
                "Write one value per line.",
                "blank-line",
            )
            for number, cell in enumerate(cells, start=1)
            if not cell
        ]
        if blank:
            raise DataError(*blank)
        return Table(source, {"": cells}, range(1, len(cells) + 1), bare=True)


class _Delimited(TableFormat):
    """CSV and TSV: a header, and records of the same length. A single column of numbers needs no header."""

    names_columns = False

    @abstractmethod
    def records(self, lines: Sequence[str], source: str) -> list[tuple[int, list[str]]]:
        """Return the first line number and the cells of each record. A blank line is a record without cells."""

    def parse(self, data: bytes, source: str) -> Table:
        numbers = number_table(data, source)
        if numbers is not None:
            return numbers
        lines = lines_in(data, source)
        records = self.records(lines, printable(source))
        header = [cell.strip() for cell in records[0][1]]
        start = [cell for _, cells in records[:2] for cell in cells]  # "correct" may be a header or a score
        is_bare = len(header) == 1 and (
            number_in(header[0]) is not None or is_missing(header[0]) or bool(grades_of(start))
        )
        if not is_bare:
            check_width(len(header), source)
            check_header(header, printable(source))
        _check_lengths(records, len(header), printable(source))
        if is_bare:
            return Table(source, {"": [cell for _, (cell,) in records]}, [line for line, _ in records], bare=True)
        if len(records) == 1:
            raise empty(source, "only a header")
        columns = zip(*[cells for _, cells in records[1:]], strict=True)
        return Table(source, dict(zip(header, columns, strict=True)), [line for line, _ in records[1:]])


def check_header(header: Sequence[str], source: str) -> None:
    """Raise DataError if a header has numbers or duplicate names."""
    if header and all(number_in(name) is not None for name in header):
        raise DataError(
            Problem(
                f"{source}:1",
                f"expected column names, got numbers ({quoted(header[0])}, ...)",
                "Write the column names on the first line.",
                "no-header",
            )
        )
    repeated = {name: times for name, times in Counter(header).items() if times > 1}
    if repeated:
        raise DataError(
            *(
                Problem(
                    f"{source}:1",
                    f"duplicate column {quoted(name)} ({times} times)",
                    "Rename all but one.",
                    "duplicate-column",
                )
                for name, times in repeated.items()
            )
        )


def _check_lengths(records: Sequence[tuple[int, list[str]]], expected: int, source: str) -> None:
    problems = [
        Problem(
            f"{source}:{line}",
            f"expected {expected} {'cell' if expected == 1 else 'cells'} as on the first line, got {len(cells)}",
            "Write the same number of cells on every line. Quote cells that contain the delimiter."
            if expected > 1
            else "Separate columns with commas (.csv) or tabs (.tsv). Quote cells that contain the delimiter.",
            "ragged-row",
        )
        if cells
        else Problem(
            f"{source}:{line}", "expected a record, got a blank line", "Delete the line, or fill it in.", "blank-line"
        )
        for line, cells in records
        if len(cells) != expected or not cells
    ]
    if problems:
        raise DataError(*problems)


def _quoted_records(lines: Sequence[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Read records whose cells may be quoted and span lines. csv.Error names the line on which the record starts."""
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise csv.Error(line, str(error)) from None
        yield line, cells


def unreadable_record(where: str, reason: str) -> DataError:
    """Return the error of a CSV record that Python's reader rejects for this reason."""
    if reason.startswith("field larger than field limit"):
        what = f"expected cells of at most {csv.field_size_limit():,} characters, got a longer one"
        advice = "Remove the column of long texts. If no text is that long, look for an unclosed quote."
        return DataError(Problem(where, what, advice, "too-long"))
    what = f"not valid CSV: {printable(reason)}"
    return DataError(Problem(where, what, 'Close every quote, and write a " inside quotes as "".', "not-csv"))


class Csv(_Delimited):
    """Comma-separated values, with cells quoted by ``"`` if needed.

    If the header is separated by ``;``, so are all records, and numbers have decimal commas. Spreadsheets write this
    format in many languages.
    """

    name = "CSV"
    extensions = (".csv",)

    def sniff(self, first_line: bytes) -> bool:
        cells = first_line.decode("utf-8", "replace").split(",")
        # 0,5 is a number in many languages. The reader of plain files rejects it with a better message.
        return len(cells) > 1 and any(number_in(cell) is None for cell in cells)

    def records(self, lines: Sequence[str], source: str) -> list[tuple[int, list[str]]]:
        if ";" in lines[0] and "," not in lines[0]:
            return [(line, list(map(_with_point, cells))) for line, cells in self._parted(lines, source, ";")]
        return self._parted(lines, source, ",")

    def _parted(self, lines: Sequence[str], source: str, delimiter: str) -> list[tuple[int, list[str]]]:
        try:
            if not any(map(methodcaller("count", '"'), lines)):
                return list(enumerate(csv.reader(lines, delimiter=delimiter, strict=True), start=1))
        except csv.Error:
            pass  # read again below to find the line
        try:
            return list(_quoted_records(lines, delimiter))
        except csv.Error as error:
            line, reason = error.args
            raise unreadable_record(f"{source}:{line}", reason) from None


def _with_point(cell: str) -> str:
    return cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell) else cell


class Tsv(_Delimited):
    """Tab-separated values.

    A ``"`` is an ordinary character, as in most corpus files, unless the file is rectangular only with quoting,
    or all cells that start with ``"`` are quoted in the standard way.
    """

    name = "TSV"
    extensions = (".tsv", ".tab")

    def sniff(self, first_line: bytes) -> bool:
        return b"\t" in first_line

    def records(self, lines: Sequence[str], source: str) -> list[tuple[int, list[str]]]:
        del source
        split = [(number, line.split("\t") if line else []) for number, line in enumerate(lines, start=1)]
        if not any('"' in line for line in lines):
            return split
        if _is_rectangular(split):
            opened = [cell for _, cells in split for cell in cells if cell.startswith('"')]
            if all(map(_is_quoted, opened)):
                return [(number, [_unquoted(cell) for cell in cells]) for number, cells in split]
            return split
        try:
            records = list(_quoted_records(lines, "\t"))
        except csv.Error:
            return split
        return records if _is_rectangular(records) else split


def _is_rectangular(records: Sequence[tuple[int, list[str]]]) -> bool:
    return len({len(cells) for _, cells in records}) == 1


def _is_quoted(cell: str) -> bool:
    return len(cell) >= 2 and cell.endswith('"') and '"' not in cell[1:-1].replace('""', "")


def _unquoted(cell: str) -> str:
    return cell[1:-1].replace('""', '"') if cell.startswith('"') else cell


# A table has a cell for each field and line. This can be far larger than a file whose lines have different fields.
_CELLS_FREE = 10**6
_ONE_A_LINE = 'Write one item per line, such as {"id": "q1", "score": 0.5}.'


class JsonLines(TableFormat):
    """One JSON object per line. A field that a line lacks is null there; blank lines are ignored.

    The standard library's decoder accepts the NaN that Python writes, which the metric then rejects with its name.
    msgspec rejects it, and takes time to import.
    """

    name = "JSON Lines"
    extensions: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson", ".jsonlines")

    def sniff(self, first_line: bytes) -> bool:
        # A list is not a record, but is reported as JSON.
        return first_line.lstrip().startswith((b"{", b"["))

    def parse(self, data: bytes, source: str) -> Table:
        if not data.isascii() or b"\0" in data:
            decoded(data, source)  # raises the error
        decoder = json_decoder()
        # Bytes line by line instead of one text halve the memory.
        lines = enumerate(BytesIO(data.removeprefix(BYTE_ORDER_MARK)), start=1)
        texts = ((number, raw.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8")) for number, raw in lines)
        records = ((number, json_record(text, number, source, decoder)) for number, text in texts)
        return table_of_records(records, source, len(data))


class Json(JsonLines):
    """A JSON document of records. Its "lines" are its records, counted from 1.

    A document is a list of objects or values, an object of scores or objects by item id, an object of columns, or an
    object that contains one of them. A file with an object on each line is JSON Lines.

    Parameters
    ----------
    path : str, optional
        The dotted path of the records. By default, the only list of objects, at most three keys deep.
    """

    name = "JSON"
    extensions = (".json",)

    def __init__(self, path: str | None = None) -> None:
        self.path = path

    def within(self, path: str) -> Json:
        return Json(path)

    def parse(self, data: bytes, source: str) -> Table:
        from outscore.readers.tabular.records import are_lines, rows_of_document  # few files are documents

        text, where = decoded(data, source).strip(" \t\r\n"), printable(source)
        if not text:
            raise empty(source, "an empty file")
        if self.path is None and are_lines(text):
            return super().parse(data, source)
        try:
            rows, note = rows_of_document(text, self.path, source, json_decoder())
            return replace(_table_of_values(iter(rows), source, len(data)), note=note)
        except OutscoreError:
            raise
        except (ValueError, RecursionError) as error:
            at = f"{where}:{error.lineno}" if isinstance(error, json.JSONDecodeError) else where
            what = f"expected JSON, {why_not_json(error)}"
            raise DataError(Problem(at, what, "Check the file, or export it again.", "not-json")) from None


def _table_of_values(values: Iterator[object], source: str, n_bytes: int) -> Table:
    """Return the table of objects, or of single values."""
    first = [*islice(values, 1)]
    if not first:
        raise empty(source, "an empty list", "a list of records")
    values = chain(first, values)
    if not isinstance(first[0], dict | list):
        cells = [*values]
        return Table(source, {"": cells}, range(1, len(cells) + 1), bare=True)
    advice = 'Write each item as an object, such as {"id": "q1", "score": 0.5}.'
    numbered = ((place, checked_record(value, place, source, advice)) for place, value in enumerate(values, start=1))
    return table_of_records(numbered, source, n_bytes)


def table_of_records(
    records: Iterable[tuple[int, dict[str, Cell] | Problem | None]], source: str, n_bytes: int
) -> Table:
    """Return the table of numbered records, with null for the fields that a record lacks; None is left out.

    Raise one DataError for all problems, for no records, or for too many fields for a file of this size.
    """
    # Columns instead of records halve the memory.
    columns: dict[str, list[Cell]] = {}
    lines = array("q")
    problems: list[Problem] = []
    most_cells = n_bytes + _CELLS_FREE
    for number, record in records:
        if isinstance(record, Problem):
            problems.append(record)
        if record is None or isinstance(record, Problem):
            continue
        place = len(lines)
        lines.append(number)
        for name, cell in record.items():
            cells = columns.setdefault(name, [])
            if len(cells) < place:
                cells.extend([None] * (place - len(cells)))
            cells.append(cell)
        if len(columns) > MOST_COLUMNS or len(columns) * len(lines) > most_cells:
            raise _too_many(source, len(columns), len(lines))
    if problems:
        raise DataError(*problems)
    if not columns:
        raise empty(source, "objects without fields" if lines else "an empty file")
    for cells in columns.values():
        cells.extend([None] * (len(lines) - len(cells)))
    return Table(source, columns, lines)


def json_decoder() -> json.JSONDecoder:
    """Return the decoder for `json_record`."""
    return json.JSONDecoder(object_pairs_hook=_object)


def json_record(line: str, number: int, source: str, decoder: json.JSONDecoder) -> dict[str, Cell] | Problem | None:
    """Return the object on a line, a problem with it, or None for a blank line."""
    try:
        record = _decoded(line, decoder)
    except (ValueError, RecursionError) as error:
        return _problem(source, number, why_not_json(error), "not-json", _ONE_A_LINE) if line.strip() else None
    return checked_record(record, number, source)


def checked_record(record: object, number: int, source: str, advice: str = _ONE_A_LINE) -> dict[str, Cell] | Problem:
    """Return a decoded value if it is an object, else the problem with it."""
    if not isinstance(record, dict):
        return _problem(source, number, f"got {in_words(record)}", "not-an-object", advice)
    if isinstance(record, _Repeating):
        return _problem(source, number, "got a duplicate field", "duplicate-field", advice)
    return record


def _decoded(line: str, decoder: json.JSONDecoder) -> object:
    """Return `decoder.decode` of a line; faster if there are no blanks around it."""
    try:
        value, end = decoder.raw_decode(line)
    except ValueError:
        end = -1
    return value if end == len(line) else decoder.decode(line)


def _too_many(source: str, fields: int, lines: int) -> DataError:
    return DataError(
        Problem(
            printable(source),
            f"expected the same fields on every line, got {fields} different fields on {lines} line(s)",
            _ONE_A_LINE,
            "too-many-fields",
        )
    )


class _Repeating(dict[str, Cell]):
    """An object with a duplicate field; neither value can be trusted."""


def _object(pairs: list[tuple[str, Cell]]) -> dict[str, Cell]:
    record = dict(pairs)
    return record if len(record) == len(pairs) else _Repeating(record)


def _problem(source: str, line: int, got: str, slug: str, advice: str) -> Problem:
    return Problem(f"{printable(source)}:{line}", f"expected one JSON object, {got}", advice, slug)


def why_not_json(error: Exception) -> str:
    """Return what is wrong with a text that is not JSON."""
    if isinstance(error, json.JSONDecodeError):
        return f"got text that is not JSON ({printable(error.msg)} at character {error.colno})"
    return "got JSON that is nested too deeply or has too long a number"


MAGIC = b"PAR1"
_BYTES_OF_CELL = 8
_EVERY_INTEGER = 2.0**53  # smaller integers are exact in double precision


class Parquet(TableFormat):
    """A Parquet file. Its "lines" are its records, counted from 1."""

    name = "Parquet"
    extensions = (".parquet", ".pq")

    def sniff(self, first_line: bytes) -> bool:
        return first_line.startswith(MAGIC)

    def parse(self, data: bytes, source: str) -> Table:
        polars = parquet_library(printable(source))
        if not data:
            raise empty(source, "an empty file")
        # Without both marks the file is not Parquet.
        if not (data.startswith(MAGIC) and data.endswith(MAGIC)):
            raise _damaged(source, "no Parquet mark at both ends")
        try:
            with held_back():
                # A few bytes may encode very many equal cells.
                lazy = polars.scan_parquet(BytesIO(data))
                n_columns = len(lazy.collect_schema())
                check_width(n_columns, source)
                if lazy.select(polars.len()).collect().item() * n_columns * _BYTES_OF_CELL > most_bytes():
                    raise too_large(source, most_bytes())
                frame = polars.read_parquet(BytesIO(data))
        except DataError:
            raise
        except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError, ValueError) as error:
            raise _damaged(source, str(error).partition("\n")[0]) from None
        if not frame.height:
            raise empty(source, "no records")
        columns = {series.name: _cells(series, polars) for series in frame}
        return Table(source, columns, range(1, frame.height + 1))


def _cells(series: Any, polars: ModuleType) -> Sequence[Cell]:
    """Return the cells of a column; numeric columns as arrays."""
    dtype = series.dtype
    if str(dtype) == "Float16":
        return half_cells(series.to_list())
    kind = float if dtype.is_float() else int if dtype.is_integer() else bool if dtype == polars.Boolean else None
    if kind is not None and not series.null_count():
        numbers = series.cast(polars.Float64).to_numpy()
        if kind is not int or np.abs(numbers).max(initial=0.0) < _EVERY_INTEGER:
            return NumberColumn(numbers, kind)
    cells: list[Cell] = series.to_list()
    return cells


def _damaged(source: str, reason: str) -> DataError:
    return DataError(
        Problem(
            printable(source),
            f"cannot read Parquet data: {printable(reason)}",
            "Write the file again.",
            "not-parquet",
        )
    )
