"""Verdicts in words, such as A, B and tie, in tables of scores: they become 1, 0 and 0.5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from outscore.data.verdicts import is_place, main_first, spelled_out, verdict_values, word_value
from outscore.errors import DataError, Problem
from outscore.options import opt
from outscore.readers.base import Table, normal_name
from outscore.readers.reading import Reading
from outscore.readers.sources import Source
from outscore.readers.tabular.cells import in_words, is_missing, text_in
from outscore.readers.tabular.columns import ORDERS, SIDES, SURE_SCORES, VERDICTS, column_called
from outscore.readers.tabular.orders import table_of, with_table
from outscore.text.naming import Note, listed, printable, quoted

if TYPE_CHECKING:
    from outscore.readers.registry import InputFiles


def in_numbers(
    sources: Sequence[Source], reading: Reading, files: InputFiles, *, may_name: bool
) -> tuple[Sequence[Source], list[str]]:
    """Return systems whose verdicts in words are numbers, and notes on what was read as what.

    Verdicts are for the first answer, A, or for the system of a row (win, loss). Places (first, second) are turned by
    the column of orders. The only system, if it has no name and may get one, is called A. Raise DataError for words of
    which some are no verdicts, or places in orders that do not tell which answer was first.
    """
    notes, found = dict[str, None](), list[Source]()
    for source in sources:
        table, column = table_of(source, files, VERDICTS), reading.score_column
        if table is not None and may_name and len(sources) == 1:
            _refuse_several(table, source.column or column)
        worded = None if table is None else _worded(table, source.column or column)
        if worded is not None:
            source = with_table(source, worded[0], files)
            notes |= dict.fromkeys(worded[1])
            if may_name and len(sources) == 1 and source.name is None and reading.names is None and worded[2]:
                source = replace(source, name="A")
        found.append(source)
    return found if notes else sources, list(notes)


def _worded(table: Table, named: str | None) -> tuple[Table, list[str], bool] | None:
    """Return a table with numbers as verdicts, notes, and whether they are of answers called A and B; None for others.

    The column is the named one, or the first one of words with a name of verdicts, if the table has no score.
    """
    named = None if table.bare or named is None else column_called(table, named)
    if named is None and any(column_called(table, name) for name in SURE_SCORES):
        return None
    names = [named] if named is not None else [name for name in table.columns if normal_name(name) in VERDICTS]
    for column in names if not table.bare else ():
        cells = table.columns[column]
        texts = [None if is_missing(cell) else text_in(cell) for cell in cells]
        distinct = list(dict.fromkeys(text for text in texts if text is not None))
        values = verdict_values(distinct)
        words = [text for text in values if word_value(text) is not None]
        of_two = normal_name(column) in VERDICTS and {"1", "2"} <= {*distinct}
        if not (words or of_two) or 2 * len(values) <= len(distinct):
            continue
        odd = next((place for place, text in enumerate(texts) if text is not None and text not in values), None)
        if odd is not None:
            what = f"field {quoted(column)}: expected a verdict such as {listed(words or ['1', '2'])}, got "
            raise DataError(Problem(table.place(odd), what + in_words(cells[odd]), "Correct it.", "not-a-verdict"))
        numbers: list[Any] = [cell if text is None else values[text] for text, cell in zip(texts, cells, strict=True)]
        decided = [text for text in words if values[text] != 0.5]
        doubts, note = list[str](), f"Verdicts: {spelled_out({text: values[text] for text in distinct})}."
        order = next(filter(None, (column_called(table, name) for name in ORDERS)), None)
        if order is not None and decided and all(map(is_place, decided)):
            numbers = _turned(table, order, numbers)
            note += f" They are positions, so verdicts in the swapped order were reversed ({quoted(order)})."
        of_answers = of_two or any(map(_is_of_answer, decided))
        if order is not None and of_answers and not all(map(is_place, decided)):
            doubt = 'If they are the places where these were shown, write "first" and "second".'
            doubts.append(f"Verdicts name answers. {doubt}")
        return replace(table, columns={**table.columns, column: numbers}), [Note(note), *doubts], of_answers
    return None


def _refuse_several(table: Table, named: str | None) -> None:
    """Raise if verdicts are read and the first answers are of several systems: the share of wins is of none of them."""
    first, second = (next(filter(None, (column_called(table, name) for name in names)), None) for names in SIDES)
    has_scores = any(column_called(table, name) for name in SURE_SCORES)
    columns = [named] if named is not None else [] if has_scores else [*table.columns]
    if first is None or second is None or not any(normal_name(name) in VERDICTS for name in columns):
        return
    systems = list(dict.fromkeys(text_in(cell) or "" for cell in table.columns[first]))
    if len(systems) > 1:
        what = f"verdicts are for several systems, got {listed(systems)} in the column {quoted(first)}"
        advice = (
            f"Pass {opt('metric', 'bradley-terry', short=True)} to outscore rank, or put one system first in all rows."
        )
        raise DataError(Problem(printable(table.source), what, advice, "battles"))


def _is_of_answer(text: str) -> bool:
    """Return whether a verdict is for one of two answers, rather than a win of the system."""
    return not text.lower().startswith(("win", "won", "los"))


def _turned(table: Table, order: str, numbers: Sequence[Any]) -> list[Any]:
    """Return verdicts on answers from verdicts on places."""
    orders = [text_in(cell) or "" for cell in table.columns[order]]
    names = list(dict.fromkeys(orders))
    shown = main_first(names) if len(names) <= 2 else None
    if shown is None:
        what = f"verdicts are for places, and {listed(names)} as order does not tell which answer was first"
        advice = "Name orders such as AB and BA, or original and swapped."
        raise DataError(Problem(printable(table.source), what, advice, "unknown-order"))
    first = dict(zip(names, shown, strict=True))
    pairs = zip(orders, numbers, strict=True)
    return [1 - value if isinstance(value, float) and not first[name] else value for name, value in pairs]
