"""What a single cell means: a number, a name, nothing; and how it is shown in a message."""

from __future__ import annotations

from numbers import Complex, Number, Real

from outscore.readers.base import Cell
from outscore.rows import quoted

__all__ = ["in_words", "is_missing", "number_in", "text_in"]

TRUTH = {"true": 1.0, "false": 0.0}
MISSING = frozenset({"", "na", "n/a", "null", "none"})


def number_in(cell: Cell) -> float | None:
    """Return the number that a cell holds, or None where it holds no number.

    Text counts where a spreadsheet would take it for a number; truth values are 1 and 0. "nan" and "inf" are
    returned as they are: the metric refuses them, and says so better.

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
            return TRUTH.get(cell.strip().lower())
        # Python also reads 1_000 and the digits of other scripts, which no other program would.
        return None if "_" in cell or not cell.isascii() else value
    if isinstance(cell, Number) and (isinstance(cell, Real) or not isinstance(cell, Complex)):  # a Decimal is neither
        try:
            return float(cell)  # type: ignore[arg-type]  # every such number can be made a float
        except OverflowError:
            return float("inf") if cell > 0 else float("-inf")  # type: ignore[operator]
        except (TypeError, ValueError):
            return None
    return float(cell) if type(cell).__name__ in {"bool", "bool_"} else None  # type: ignore[arg-type]  # NumPy's bool


def is_missing(cell: Cell) -> bool:
    """Tell whether a cell says that there is no value: empty, null, NA, n/a, none."""
    return cell is None or (isinstance(cell, str) and cell.strip().lower() in MISSING)


def text_in(cell: Cell) -> str | None:
    """Return a cell as the text of an item id or a label, or None where it cannot be one.

    Whole numbers are written without a fraction, so that the 3.0 of a data frame is the 3 of a file.

    Examples
    --------
    >>> [text_in(cell) for cell in (" q7 ", 3, 3.0, 0.5, "", None, float("nan"), [3])]
    ['q7', '3', '3', '0.5', None, None, None, None]
    """
    if isinstance(cell, str):
        return str(cell).strip() or None
    if cell is None or cell != cell or isinstance(cell, list | tuple | dict):
        return None
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def in_words(cell: Cell) -> str:
    """Say what a cell holds, on one line, for the "got" of a message."""
    if cell is None:
        return "nothing"
    if isinstance(cell, str):
        return quoted(cell)
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, int | float):
        return quoted(repr(cell)).strip('"')
    if isinstance(cell, list):
        return "a list"
    # The JSON reader keeps objects as tuples of pairs.
    return f"a value of type {type(cell).__name__}"
