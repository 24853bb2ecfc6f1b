"""Interpret cells as numbers, texts or missing values, and describe them in messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from io import BytesIO
from numbers import Complex, Number, Real
from typing import Any, NamedTuple, cast, overload

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore.data.coercion import TRUE_FALSE
from outscore.readers.base import Cell
from outscore.text.naming import Note, quoted

_GLANCE, _FEW_TEXTS = 256, 32  # a column of repeated texts has at most this many among so many cells
MISSING = frozenset({"", "na", "n/a", "null", "none"})
# Sets of words and their scores, in lower case. All words of a column belong to one set.
YES_NO: Mapping[str, float] = {"yes": 1.0, "no": 0.0}
LETTERS: Mapping[str, float] = {"c": 1.0, "p": 0.5, "i": 0.0, "n": 0.0}  # Inspect: correct, partial, incorrect, none
GRADES = (
    TRUE_FALSE,
    YES_NO,
    {"pass": 1.0, "fail": 0.0},
    {"passed": 1.0, "failed": 0.0},
    {"correct": 1.0, "incorrect": 0.0},
    LETTERS,
)


class NumberLines(Sequence[str]):
    """The lines of a file with one number per line.

    Stored as text, they would take ten times the memory and most of the reading time.

    Attributes
    ----------
    numbers : ndarray, shape (n,)
        ``float(line)`` of each line, to the last bit.
    """

    def __init__(self, data: bytes, numbers: FloatArray) -> None:
        self._data = data
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[str]:
        return (line.decode("ascii").rstrip("\n") for line in BytesIO(self._data))

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        start, end = self._ends[range(len(self))[index] : len(self._ends)][:2]
        return self._data[start + 1 : end].decode("ascii")

    @cached_property
    def _ends(self) -> IntArray:
        """Positions of line ends, after a first position before the first line."""
        ends = np.flatnonzero(np.frombuffer(self._data, dtype=np.uint8) == ord("\n"))
        return np.concatenate([[-1], ends, [len(self._data)]])


class NumberColumn(Sequence[Cell]):
    """A numeric or boolean column of a Parquet file. Python objects are created on access.

    Attributes
    ----------
    numbers : ndarray, shape (n,)
        ``float(cell)`` of each cell. All cells have one type and convert without loss.
    """

    def __init__(self, numbers: FloatArray, kind: type[bool | int | float]) -> None:
        self.numbers, self._kind = numbers, kind

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> Cell: ...
    @overload
    def __getitem__(self, index: slice) -> list[Cell]: ...
    def __getitem__(self, index: int | slice) -> Cell | list[Cell]:
        return self._cells[index]

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._cells)

    @cached_property
    def _cells(self) -> list[Cell]:
        cells: list[Cell] = self.numbers.astype(self._kind).tolist()
        return cells


def number_in(cell: Cell) -> float | None:
    """Return the number in a cell, or None.

    Text is a number if a spreadsheet would read it as one. Truth values are 1 and 0. "nan" and "inf" are returned as
    they are, because the metric rejects them with a better message.

    Examples
    --------
    >>> [number_in(cell) for cell in (" 1e-3 ", "TRUE", 7, False)]
    [0.001, 1.0, 7.0, 0.0]
    >>> [number_in(cell) for cell in ("1_000", "0,5", "50%", "", None, [1])]
    [None, None, None, None, None, None]
    """
    if isinstance(cell, str):
        try:
            value = float(cell)
        except ValueError:
            return TRUE_FALSE.get(cell.strip().lower())
        # Python also reads 1_000 and digits of other scripts, which hardly any other program does.
        return value if cell.isascii() and "_" not in cell else None
    if isinstance(cell, np.bool_):
        return float(cell)
    if isinstance(cell, np.float16):
        return float(str(cell))  # as in `half_cells`
    if isinstance(cell, Complex) and not isinstance(cell, Real):
        return None
    return _float(cell) if isinstance(cell, Number) else None


def numbers_in(cells: Sequence[Cell]) -> tuple[FloatArray, list[int]]:
    """Return the numbers of a column, shape (n,), and the places of cells without a number, which are NaN.

    Examples
    --------
    >>> numbers_in(["1", "n/a", True])
    (array([ 1., nan,  1.]), [1])
    """
    plain = _plain_numbers(cells)
    return _read_cells(cells, number_in) if plain is None else (plain, [])


class Scores(NamedTuple):
    """A column of scores.

    Attributes
    ----------
    numbers : ndarray, shape (n,)
        One score per row of the table.
    lacking : list of int
        The places of cells without a score, which are NaN.
    words : mapping of str to float
        The scores of the words in `GRADES`, if the column has these instead of numbers.
    """

    numbers: FloatArray
    lacking: list[int]
    words: Mapping[str, float]

    @property
    def expected(self) -> str:
        """What a cell should hold, for messages."""
        return f"{alternatives(self.words)}{', as in most cells' if self.words else ''}"


def grades_of(texts: Iterable[str]) -> Mapping[str, float]:
    """Return the set to which most texts belong, with the score of each word; empty if there is none.

    The letters C, P, I and N may be other labels, such as C, N and E of entailment. They are grades if both C and I
    occur, or if one of them and no other label does.

    Examples
    --------
    >>> grades_of(["Pass", "FAIL ", "error"])
    {'pass': 1.0, 'fail': 0.0}
    >>> grades_of(["pass", "0.5"]), grades_of(["N", "P"]), grades_of(["C", "N", "E"])
    ({}, {}, {})
    """
    counts = Counter(text.strip().lower() for text in texts)
    for words in GRADES:
        n_words = sum(counts[word] for word in words)
        if 2 * n_words > counts.total():
            signs = (counts["c"] > 0, counts["i"] > 0, n_words == counts.total())
            return words if words is not LETTERS or sum(signs) >= 2 else {}
    return {}


def written(words: Iterable[str]) -> list[str]:
    """Return words as people write them: letters are capital."""
    return [word.upper() if len(word) == 1 else word for word in words]


def alternatives(words: Mapping[str, float]) -> str:
    """Return what a score of a column with these words can be, for messages."""
    *others, last = written(words) or ["a number"]
    return f"{', '.join(others)} or {last}" if others else last


def note_on(words: Mapping[str, float]) -> str:
    """Return the note on words that were read as scores.

    Examples
    --------
    >>> note_on(YES_NO)
    'Words were read as scores: yes = 1, no = 0.'
    """
    scores = (f"{word} = {score:g}" for word, score in zip(written(words), words.values(), strict=True))
    return Note(f"Words were read as scores: {', '.join(scores)}.")


def scores_in(cells: Sequence[Cell]) -> Scores:
    """Return the scores in a column: numbers as in `numbers_in`, or the numbers that words such as pass stand for.

    Most cells decide. A number among words and a word among numbers lack a score.

    Examples
    --------
    >>> scores_in(["pass", "FAIL", None, "0.5"])[:2]
    (array([ 1.,  0., nan, nan]), [2, 3])
    >>> scores_in(["1", "0.5", "true"])[:2]
    (array([1. , 0.5, nan]), [2])
    """
    plain = _plain_numbers(cells)
    if plain is not None:
        return Scores(plain, [], {})
    filled = (cell for cell in cells if not (is_missing(cell) or is_missing_score(cell)))
    words = grades_of(cell if isinstance(cell, str) else "" for cell in filled)
    return Scores(*_read_cells(cells, partial(score_in, words=words)), words)


def score_in(cell: Cell, words: Mapping[str, float]) -> float | None:
    """Return the score of one of these words; without any, the number in a cell."""
    word = cell.strip().lower() if isinstance(cell, str) else None
    return words.get(word or "") if words else None if word in TRUE_FALSE else number_in(cell)


def _read_cells(cells: Sequence[Cell], read: Callable[[Cell], float | None]) -> tuple[FloatArray, list[int]]:
    lacking: list[int] = []

    def numbers() -> Iterator[float]:
        for place, cell in enumerate(cells):
            number = read(cell)
            if number is None:
                lacking.append(place)
            yield float("nan") if number is None else number

    return np.fromiter(numbers(), dtype=np.float64, count=len(cells)), lacking


def _plain_numbers(cells: Sequence[Cell]) -> FloatArray | None:
    """Return the numbers of a column without words as `number_in` does, or None if other cells occur."""
    if isinstance(cells, NumberLines | NumberColumn):
        return cells.numbers
    if all(type(cell) is float for cell in cells):
        return np.array(cells, dtype=np.float64)
    if set(map(type, cells)) != {str}:
        return None
    texts = cast("Sequence[str]", cells)
    # Binary scores are a few texts that repeat.
    few = len(set(texts[:_GLANCE])) <= _FEW_TEXTS
    distinct = set(texts) if few else texts
    joined = "".join(distinct)
    if not joined.isascii() or "_" in joined:
        return None
    try:
        if not few:
            return np.fromiter(map(float, texts), dtype=np.float64, count=len(texts))
        number_of = {text: float(text) for text in distinct}
    except ValueError:
        return None
    return np.fromiter(map(number_of.__getitem__, texts), dtype=np.float64, count=len(texts))


def mostly_numbers(cells: Sequence[Cell]) -> bool:
    """Return whether most non-empty cells are numbers, so that the others are errors to report."""
    return are_mostly_numbers(cells, len(numbers_in(cells)[1]))


def are_mostly_numbers(cells: Sequence[Cell], n_others: int) -> bool:
    """Return the same, given the number of cells that are not numbers."""
    n_filled = sum(not is_missing(cell) for cell in cells) if n_others else len(cells)
    return 2 * (len(cells) - n_others) > n_filled


def _float(number: Any) -> float | None:
    try:
        return float(number)
    except OverflowError:  # an integer or fraction above 1e308
        return float("inf") if number > 0 else float("-inf")
    except (TypeError, ValueError):
        return None


def is_missing(cell: Cell) -> bool:
    """Return whether a cell marks a missing value: empty, null, NA, n/a, none."""
    return cell is None or _is_na(cell) or (isinstance(cell, str) and cell.strip().lower() in MISSING)


def is_missing_score(cell: Cell) -> bool:
    """Return whether a score in memory is missing: None, NaN or NA of pandas."""
    return cell is None or _is_na(cell) or (isinstance(cell, float | np.floating) and bool(np.isnan(cell)))


def _is_na(cell: Cell) -> bool:
    return type(cell).__name__ == "NAType"  # of pandas, which need not be installed


def is_empty(cell: Cell) -> bool:
    """Return whether a cell is null or blank."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def text_in(cell: Cell) -> str | None:
    """Return a cell as the text of an item id or label, or None if it cannot be one.

    Whole numbers have no decimals, so that 3.0 in a data frame equals 3 in a file.

    Examples
    --------
    >>> [text_in(cell) for cell in (" q7 ", 3, 3.0, 0.5, "", None, float("nan"), [3])]
    ['q7', '3', '3', '0.5', None, None, None, None]
    """
    if isinstance(cell, str):
        return str(cell.strip()) or None
    if cell is None or isinstance(cell, tuple | bytes) or not isinstance(cell, Hashable):
        return None
    if isinstance(cell, float | np.floating) and cell.is_integer():
        return str(int(cell))
    try:
        return None if cell != cell else str(cell)  # NaN or NaT
    except (TypeError, ValueError, ArithmeticError):  # pandas' NA, integers with thousands of digits, signalling NaN
        return None


def in_words(cell: Cell) -> str:
    """Describe a cell on one line, for the "got" of a message."""
    match cell:
        case None:
            return "nothing"
        case str():
            return quoted(cell)
        case bool():
            return str(cell).lower()
        case float():
            return repr(float(cell))
        case int() if abs(cell) < 10**20:
            return str(int(cell))
        case list():
            return "a list"
        case dict():
            return "an object"
        case _ if _is_na(cell):
            return "NA"
        case _:
            return f"a value of type {type(cell).__name__}"
