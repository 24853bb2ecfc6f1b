"""What tables say about columns that the user did not name: the ids that several tables share, and other scores."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from outscore._types import FloatArray
from outscore.data.pairing import pair_corpora
from outscore.errors import DataError, Problem
from outscore.metrics import ColumnMetric
from outscore.metrics.families.columns import ColumnMean, warnings_on_direction
from outscore.options import opt
from outscore.readers.base import Table, normal_name
from outscore.readers.tabular.cells import mostly_numbers, number_in, numbers_in, text_in
from outscore.readers.tabular.columns import (
    CLUSTERS,
    ORDERS,
    SURE_SCORES,
    USUAL_SCORES,
    column_called,
    columns_of_scores,
    counts_rows,
    describes_items,
    id_column_of,
    ids_of,
    is_id,
)
from outscore.readers.tabular.tables import Items
from outscore.text.naming import Note, few_named, in_a_row, listed, printable, quoted
from outscore.words.warnings import may_be_correlated

if TYPE_CHECKING:
    from outscore.data.items import Corpus  # types of outputs, which scores do not need
    from outscore.readers.reading import Reading

Item = TypeVar("Item")

_GLANCE = 256  # cells that show whether a column is text
# Names of ids that are not usual, such as "request_id" and "traceId"; ids in texts are one word with a digit.
_ID_NAME = re.compile(r"(?:^|[-_. ])(?i:ids?|uid|uuid|guid|key|hash|idx)$|[a-z](?:Id|ID|Key)$")
_ID = re.compile(r"(?=\S*[0-9])\S+")
_LOG_RARE = math.log(200)  # of orders of scores: ids are in one of two of them with a probability of 1%
# Columns of different whole numbers that happen to share half of them share 5 or more with a probability below 1%.
_FEWEST_SHARED = 5


class Part(NamedTuple):
    """A table of a system or of several, its items, and the columns that have another role, such as scores."""

    table: Table
    items: Items
    taken: set[str]


_NUMBERED = re.compile(r"(.+)[-_. ]([0-9]+)")  # a name of a run: that of the system, and a number
_FEWEST_RUNS = 3  # two numbered names are more often versions


def notes_on_score(
    table: Table, metric: ColumnMetric, column: str, id_column: str | None, *, chosen: bool
) -> list[str]:
    """Return a note on the column of scores, if others have numbers and neither the user nor its name decides.

    A name that suggests another direction is a warning; `remarks_on` adds that of metrics named like their columns.
    """
    warnings = [] if isinstance(metric, ColumnMean) else warnings_on_direction(metric, column)
    if chosen or normal_name(column) in {normal_name(name) for name in (*metric.columns, metric.name, *SURE_SCORES)}:
        return warnings
    numeric, verbal = columns_of_scores(table, id_column)
    others = [name for name in (*numeric, *verbal) if name != column and not describes_items(name)]
    if not others:
        return warnings
    note = Note(f"Scores are the column {quoted(column)}, not {listed(others)} (choose with {opt('score_column')}).")
    return [*warnings, note]


def notes_on_clusters(table: Table, ids: Sequence[str] | None, reading: Reading) -> list[str]:
    """Return a warning if a column such as "document" has several items per value, unless labels were named."""
    named = {normal_name(spec) for spec in reading.labellings.values() if isinstance(spec, str)}
    n_items = len(table if ids is None else set(ids))
    proposed = []
    for name, cells in table.columns.items() if reading.clusters is None else ():
        if normal_name(name) in {*CLUSTERS, "doc"} - named:
            labels = {text_in(cell) for cell in cells}
            if None not in labels and 1 < len(labels) <= n_items / 2:
                proposed.append(f"{opt('clusters', name)} ({len(labels):,})")
    return [may_be_correlated(proposed)] if proposed else []


def notes_on_runs(table: Table, systems: Sequence[str]) -> list[str]:
    """Return a note for columns such as old_1, old_2 and old_3: they may be runs of one system."""
    numbered: dict[str, dict[int, str]] = {}
    for column in systems:
        if (parts := _NUMBERED.fullmatch(column)) is not None:
            numbered.setdefault(parts[1], {})[int(parts[2])] = column
    runs = {
        name: [columns[number] for number in sorted(columns)]
        for name, columns in numbered.items()
        if len(columns) >= _FEWEST_RUNS
        and sorted(columns) in (list(range(len(columns))), list(range(1, len(columns) + 1)))
    }
    if not runs:
        return []
    name, columns = next(iter(runs.items()))
    if table.lines is None:
        how = f"{{{quoted(name)}: frame[[{quoted(columns[0])}, {quoted(columns[1])}, ...]].to_numpy(), ...}}"
    else:
        how = f"{printable(name)}={printable(table.source)}:{printable(columns[0])},{printable(table.source)}:"
        how += f"{printable(columns[1])},... for each system"
    what = f"Columns {quoted(columns[0])} to {quoted(columns[-1])} may be runs of one system."
    return [Note(f"{what} If they are, pass {how} and {opt('runs', 'random')}.")]


def note_on_columns(systems: Sequence[str]) -> Note:
    """Return a note that each column became a system, which the user may not want of a table with properties."""
    taken = f"Columns {few_named(systems, quoted)} are taken as systems."
    return Note(f"{taken} To score one column, pass {opt('score_column', 'COLUMN')}.")


def shared_ids(parts: Sequence[Part]) -> tuple[Sequence[str | None] | None, list[str]]:
    """Return the column of each table that pairs the items although not all have the name of ids, and a note.

    Such columns have different values in the rows of a table, and the same values in another order in other tables, or
    most of them if one looks like ids. They are no rank of scores. None if all ids are known, or rows are in the same
    order; also for a table of which no column fits the ids of others. Raise DataError if columns imply different
    pairings.
    """
    first, named = parts[0].table, [part.items.id_column for part in parts]
    known = [
        None if name is None or _counts(part.table, name) else name for part, name in zip(parts, named, strict=True)
    ]
    if any(known):
        return _mostly_shared(parts, known) if None in known else (None, [])
    taken = {normal_name(name) for part in parts for name in part.taken}
    in_place = (tuple(range(len(first))),) * (len(parts) - 1)
    found: dict[tuple[tuple[int, ...], ...], list[str]] = {}
    has_ranks = False
    for name in first.columns:
        columns = [column_called(part.table, name) for part in parts]
        if normal_name(name) not in taken and None not in columns:
            order = _orders([part.table.columns[str(column)] for part, column in zip(parts, columns, strict=True)])
            if order is None or all(_counts(part.table, name) for part in parts):
                continue
            if _ranks(parts, columns):
                has_ranks |= order != in_place
            else:
                found.setdefault(order, []).append(name)
    sure = next((name for name in named if name is not None and is_id(name) and name != first.index), None)
    if sure is not None:  # a text in another order contradicts ids that number the rows, other numbers do not
        found = {order: names for order, names in found.items() if any(_is_text(first.columns[name]) for name in names)}
        if found:
            found.setdefault(in_place, [sure])
    if len(found) > 1:
        raise _different_pairings(first, [names[0] for names in found.values()], parts[1].table)
    for order, names in found.items():
        name = next((other for other in names if _is_text(first.columns[other])), names[0])
        note = Note(f"Rows are paired by the column {quoted(name)}, whose values are the same in another order.")
        return (None, []) if order == in_place else ([column_called(of.table, name) for of in parts], [note])
    if sure is not None:
        return None, _contradictions(parts, sure)
    shared, notes = _mostly_shared(parts, known)
    if shared is not None or (notes and not has_ranks):
        return shared, notes
    free = [[cells for name, cells in part.table.columns.items() if name not in part.taken] for part in parts]
    if has_ranks or sum(any(map(_is_text, cells)) for cells in free) > 1:
        return None, [Note(f"Rows are paired by their place, because no column has ids ({opt('id_column')}).")]
    return None, []


class _Match(NamedTuple):
    """A column that shares values with ids: its row for each row of the ids, and how many values it could share."""

    column: str
    rows: Mapping[int, int]
    n_most: int
    is_sure: bool


def _mostly_shared(parts: Sequence[Part], known: Sequence[str | None]) -> tuple[Sequence[str | None] | None, list[str]]:
    """Return a column of each table that shares at least half of its values with ids of the others, and a note.

    Numbers that may be no ids, such as ranks of scores, do not pair the rows. A warning names them if all are such.
    `known` are the columns of ids that are known.
    """
    anchor = next((place for place, name in enumerate(known) if name is not None), 0)
    choice = [_possible_ids(part, name) for part, name in zip(parts, known, strict=True)]
    unknown = [place for place, name in enumerate(known) if name is None and place != anchor]
    found: dict[str, dict[int, _Match]] = {}
    unsure: dict[str, dict[int, _Match]] = {}
    for name, places in choice[anchor].items():
        is_id = known[anchor] is not None or _looks_like_ids(parts[anchor].table, name)
        matches = {place: _match(name, places, is_id, parts[place].table, choice[place]) for place in unknown}
        fitting = {place: match for place, match in matches.items() if match is not None}
        if fitting and (known[anchor] is not None or len(fitting) == len(unknown)):
            is_sure = all(match.is_sure for match in fitting.values())
            is_rank = not is_id and _ranks(parts, [name, *(match.column for match in fitting.values())])
            (found if is_sure and not is_rank else unsure)[name] = fitting
    is_sure, found = bool(found), found or unsure
    if not found:
        return None, []
    name = max(found, key=lambda candidate: sum(len(match.rows) for match in found[candidate].values()))
    for other, of_other in found.items() if is_sure else ():
        for place, match in of_other.items():
            rows = found[name][place].rows
            if any(rows[row] != at for row, at in match.rows.items() if row in rows):
                raise _different_pairings(parts[anchor].table, [name, other], parts[place].table)
    columns = [found[name][place].column if place in found[name] else usual for place, usual in enumerate(known)]
    columns[anchor] = name
    least = min(found[name].values(), key=lambda match: len(match.rows) / match.n_most)
    names = list(dict.fromkeys(quoted(column) for column in columns if column is not None))
    subject, verb = (f"columns {in_a_row(names)}", "share") if len(names) > 1 else (f"column {names[0]}", "shares")
    shared = f"{len(least.rows):,} of {least.n_most:,} values"
    if is_sure:
        return columns, [Note(f"Rows are paired by the {subject}, which {verb} {shared}.")]
    advice = f'If they are ids, pass {opt("id_column")}, or call the column "id" everywhere.'
    return None, [f"Rows are paired by their place, although the {subject} {verb} {shared}. {advice}"]


def _contradictions(parts: Sequence[Part], counter: str) -> list[str]:
    """Return a warning if ids that number the rows pair most of them otherwise than a column of texts or numbers."""
    for name in parts[0].table.columns:
        columns = [column_called(part.table, name) for part in parts]
        cells = [part.table.columns[column] for part, column in zip(parts, columns, strict=True) if column is not None]
        if len(cells) < len(parts) or any(name in part.taken for part in parts):
            continue
        is_text = all(map(_is_text, cells))
        if not is_text and not all(_may_number(part, str(name)) for part, name in zip(parts, columns, strict=True)):
            continue
        if any(_disagree(cells[0], other, is_text) for other in cells[1:]) and not _ranks(parts, columns):
            what = f"Most paired rows differ in the column {quoted(name)}"
            advice = f"If {quoted(counter)} only numbers the rows, name another column with {opt('id_column')}."
            return [f"{what}, although it has the same values in another order. {advice}"]
    return []


def _disagree(cells: Sequence[object], others: Sequence[object], is_text: bool) -> bool:
    """Return whether most rows differ, although the texts are the same, or at least half of the distinct values."""
    texts, other_texts = list(map(text_in, cells)), list(map(text_in, others))
    n_in_place = sum(text == other for text, other in zip(texts, other_texts, strict=False))
    if 2 * n_in_place >= min(len(texts), len(other_texts)):
        return False
    n_shared = (Counter(texts) & Counter(other_texts)).total()
    if is_text and n_shared == len(texts) == len(other_texts):
        return True
    is_distinct = len(set(texts)) == len(texts) and len(set(other_texts)) == len(other_texts)
    return is_distinct and 2 * n_shared >= min(len(texts), len(other_texts)) and 2 * n_in_place < n_shared


def _possible_ids(part: Part, known: str | None) -> dict[str, dict[str, int]]:
    """Return the columns that may be ids, with the row of each value: the known one, or those of text or numbers."""
    names = [known] if known is not None else [name for name in part.table.columns if name not in part.taken]
    texts = {
        name: _places(part.table.columns[name])
        for name in names
        if name == known
        or _is_text(part.table.columns[name])
        or _looks_like_ids(part.table, name)
        or _may_number(part, name)
    }
    return {name: places for name, places in texts.items() if places is not None}


def _may_number(part: Part, name: str) -> bool:
    """Return whether a column has whole numbers that may be ids: no scores, index, or order of presentation."""
    numbers = (number_in(cell) for cell in part.table.columns[name][:_GLANCE])
    is_other = name == part.table.index or normal_name(name) in ORDERS or _is_score(name, part.taken)
    return not is_other and all(number is not None and number.is_integer() for number in numbers)


def _match(
    name: str, ids: Mapping[str, int], is_id: bool, table: Table, choice: Mapping[str, Mapping[str, int]]
) -> _Match | None:
    """Return the column that shares most values with ids, at least half of them.

    Values that do not look like ids, such as outputs, are sure only if most of the shared ones are in other rows, and
    numbers from 1 only if both columns have the same name. Texts that are not sure are left out.
    """
    best: _Match | None = None
    for other_name, places in choice.items():
        rows = {row: places[text] for text, row in ids.items() if text in places}
        n_moved = sum(row != other for row, other in rows.items())
        n_most = min(len(ids), len(places))
        if len(rows) < 2 or 2 * len(rows) < n_most:
            continue
        is_sure = is_id and _looks_like_ids(table, other_name)
        if not is_sure:
            is_text = _is_text(table.columns[other_name])
            is_in_place = n_moved == 0 and len(rows) == len(ids) == len(places)
            is_sure = 2 * n_moved > len(rows) and (is_text or _are_ids(name, ids, other_name, places, len(rows)))
            if not is_sure and (is_text or is_in_place):
                continue
        if (is_sure, len(rows)) > ((False, 0) if best is None else (best.is_sure, len(best.rows))):
            best = _Match(other_name, rows, n_most, is_sure)
    return best


def _are_ids(name: str, numbers: Collection[str], other_name: str, others: Collection[str], n_shared: int) -> bool:
    """Return whether shared numbers are hardly chance, and not numbers of rows, such as ranks, under another name."""
    if n_shared < _FEWEST_SHARED or normal_name(name) == normal_name(other_name):
        return n_shared >= _FEWEST_SHARED
    values = [[number_in(text) for text in texts] for texts in (numbers, others)]
    return not any(counts_rows(np.sort(np.array(cells, dtype=float))) for cells in values)


def _looks_like_ids(table: Table, name: str) -> bool:
    """Return whether a column has a name of ids, or texts of one word with digits."""
    if is_id(name) or _ID_NAME.search(name):
        return True
    cells = table.columns[name]
    return _is_text(cells) and all(_ID.fullmatch(text_in(cell) or "") for cell in cells[:_GLANCE])


def _different_pairings(first: Table, names: Sequence[str], other: Table) -> DataError:
    columns, where = in_a_row([quoted(name) for name in names]), printable(other.source)
    what = f"columns {columns} pair the rows with those of {where} differently"
    advice = f"Name the column of ids with {opt('id_column')}."
    return DataError(Problem(printable(first.source), what, advice, "which-ids"))


def paired_by_values(outputs: Corpus[Item], references: Corpus[Any]) -> tuple[Corpus[Item], list[str]]:
    """Return outputs in a table in the order of the references' table if a column shows it, and notes.

    Raise DataError if columns imply different pairings, or an output or reference is missing.
    """
    tables = [(side, side.table) for side in (references, outputs) if isinstance(side.table, Table)]
    if len(tables) < 2 or references.name == outputs.name or None not in (outputs.item_ids, references.item_ids):
        return outputs, []
    items = [Items(None if side.item_ids is None else id_column_of(table, None), None) for side, table in tables]
    columns, notes = shared_ids(
        [Part(table, found, {str(side.column)}) for (side, table), found in zip(tables, items, strict=True)]
    )
    if columns is None or None in columns:
        return outputs, notes
    pairs = zip(tables, columns, strict=True)
    gold, found = (replace(side, item_ids=ids_of(table, str(column))) for (side, table), column in pairs)
    return replace(pair_corpora(found, gold), item_ids=references.item_ids), notes


def _orders(columns: Sequence[Sequence[object]]) -> tuple[tuple[int, ...], ...] | None:
    """Return the places of the first column's values in the others; None if values repeat or differ."""
    first = _places(columns[0])
    others = [None if first is None else _places(cells, first) for cells in columns[1:]]
    if first is None or None in others:
        return None
    return tuple(tuple(ranks[text] for text in first) for ranks in others if ranks is not None)


def _places(cells: Sequence[object], known: Mapping[str, int] | None = None) -> dict[str, int] | None:
    """Return the place of each value of a column; None if one repeats, is missing, or is not `known`."""
    places: dict[str, int] = {}
    if known is not None and len(known) != len(cells):
        return None
    for place, cell in enumerate(cells):
        text = text_in(cell)
        if text is None or text in places or (known is not None and text not in known):
            return None
        places[text] = place
    return places


def _counts(table: Table, name: str) -> bool:
    """Return whether a column only numbers the rows, so that it shows nothing but their place."""
    cells = table.columns[str(column_called(table, name))]
    if len(cells) == 0 or number_in(cells[0]) not in (0.0, 1.0):
        return False
    numbers, lacking = numbers_in(cells)
    return not lacking and counts_rows(numbers)


def _ranks(parts: Sequence[Part], columns: Sequence[str | None]) -> bool:
    """Return whether a column of numbers per table follows the order of its scores, up or down, as a rank does."""
    rarest = 0.0
    for (table, _, taken), column in zip(parts, columns, strict=True):
        ranks, lacking = numbers_in(table.columns[str(column)])
        order = np.argsort(ranks)
        scores = (numbers_in(cells)[0][order] for of, cells in table.columns.items() if _is_score(of, taken))
        complete = [of[~np.isnan(of)] for of in scores]
        ranked = [of for of in complete if len(of) and ((np.diff(of) >= 0).all() or (np.diff(of) <= 0).all())]
        if lacking or not ranked:
            return False
        rarest = max(rarest, *map(_log_orders, ranked))
    return rarest > _LOG_RARE


def _is_score(name: str, taken: Collection[str]) -> bool:
    return name in taken or normal_name(name) in USUAL_SCORES


def _log_orders(scores: FloatArray) -> float:
    """Return the logarithm of the number of orders that scores may have."""
    return math.lgamma(len(scores) + 1) - sum(math.lgamma(int(n) + 1) for n in np.unique(scores, return_counts=True)[1])


def _is_text(cells: Sequence[object]) -> bool:
    """Return whether a column has text."""
    return isinstance(next(iter(cells), None), str) and not mostly_numbers(cells[:_GLANCE])
