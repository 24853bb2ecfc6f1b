"""Pair items by id or position: levels of a system, systems, outputs with references, and labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from outscore._types import AnyArray, IntArray
from outscore.data.cells import Axis, Cells
from outscore.data.rows import Labels, Missing, Rows, place_in
from outscore.errors import DataError, Problem
from outscore.options import opt, speaks_options
from outscore.text.naming import listed, quoted
from outscore.text.numbers import format_counted

if TYPE_CHECKING:
    from outscore.data.items import Corpus  # types of outputs, which scores do not need

Item = TypeVar("Item")

_ONE_OUTPUT = "Give every item a different id."
# Zeros that do not change a number: 007 is 7, and 7.0 is 7.
_ZEROS = re.compile(r"(?<!\d)0+(?=\d)|(?<=\d)\.0+\Z")


def hint_on_ids(ids: Sequence[str], others: Sequence[str]) -> str:
    """Return a hint on ids that two files may write differently, with a blank at its end; "" if there are none.

    Examples
    --------
    >>> hint_on_ids(["q1", "q2", "q3"], ["Q1", "Q2", "q3"])
    'Write ids the same way in both files: "q1" may be "Q1" (and 1 more). '
    >>> hint_on_ids(["1.0"], ["01"]), hint_on_ids(["1.5"], ["15"])
    ('Write ids the same way in both files: "1.0" may be "01". ', '')
    """
    known, unknown = set(ids), set(others)
    there = {_ZEROS.sub("", other.casefold()): other for other in others if other not in known}
    alike = [
        (item, there[form])
        for item in ids
        if item not in unknown and (form := _ZEROS.sub("", item.casefold())) in there
    ]
    if not alike:
        return ""
    (mine, theirs), *more = alike
    also = f" (and {len(more):,} more)" if more else ""
    return f"Write ids the same way in both files: {quoted(mine)} may be {quoted(theirs)}{also}. "


def _positions(name: str, ids: tuple[str, ...], lines: Sequence[int] | None, advice: str = "") -> dict[str, int]:
    positions: dict[str, int] = {}
    twice: dict[str, int] = {}
    for index, item in enumerate(ids):
        if positions.setdefault(item, index) != index:
            twice.setdefault(item, index)
    if twice:
        (item, second), *others = twice.items()
        what = f"duplicate item id {quoted(item)} (first at {place_in(name, lines, positions[item])})"
        if others:
            what += f"; {len(others):,} more repeat: {listed([other for other, _ in others])}"
        advice = advice or f"Write one row per item, or choose another id column with {opt('id_column')}."
        raise DataError(Problem(place_in(name, lines, second), what, advice, "duplicate-id"))
    return positions


def _refuse_absent(items: Sequence[str], owner: str, positions: Mapping[str, int], where: str, advice: str) -> None:
    """Raise if some items of an owner are not among those at a place."""
    absent = [item for item in items if item not in positions]
    if absent:
        what = f"{len(absent)} item(s) of {owner} are missing: {listed(absent)}"
        raise DataError(Problem(where, what, f"{hint_on_ids([*positions], items)}{advice}", "missing-ids"))


def check_ids(systems: Sequence[Rows]) -> None:
    """Raise DataError if a system has duplicate item ids."""
    # Systems of one table share the same tuple of ids, which is checked once.
    of_systems = {id(system.item_ids): system for system in systems}
    for system in of_systems.values():
        ids = system.item_ids or ()
        if len(set(ids)) < len(ids):
            _positions(system.source or system.where, ids, system.lines)


def _check_lengths(systems: Sequence[Rows], first: Rows) -> None:
    for other in systems:
        if len(other) != len(first):
            raise DataError(
                Problem(
                    other.where,
                    f"expected {len(first)} items as in {first.where}, got {len(other)}",
                    "Without item ids in both, items are paired by position: "
                    "give both the same items in the same order.",
                    "different-lengths",
                )
            )


def without_items_of_others(names: Sequence[str], items: Sequence[Collection[str]]) -> tuple[Sequence[int], str]:
    """Return the places of the systems that lack the items of most others, and a sentence on how many these share.

    The sentence continues a message. Without any item in two systems, there are no places, and it is empty.

    Examples
    --------
    >>> without_items_of_others(["a", "b", "c"], ["xy", "xy", "z"])
    ((2,), '. Without "c", the others share 2 items')
    """
    times = Counter(item for ids in items for item in ids)
    most = max(times.values(), default=0)
    if most < 2:
        return (), ""
    lacking = Counter(
        tuple(index for index, ids in enumerate(items) if item not in ids) for item, n in times.items() if n == most
    )
    indices, n_shared = lacking.most_common(1)[0]
    return indices, (
        f". Without {listed([names[index] for index in indices])}, the others share {format_counted(n_shared, 'item')}"
    )


def _check_shared(systems: Sequence[Rows], positions: Sequence[dict[str, int]], common: Sequence[str]) -> None:
    """Raise if no item is common to all systems; the error names the systems that lack the items of the others."""
    if common:
        return
    places, without = without_items_of_others([system.name for system in systems], positions)
    if places:
        what = f"no item id is common to all {len(systems)} systems{without}"
        raise DataError(Problem(systems[places[0]].where, what, "Compare fewer systems at once.", "no-shared-ids"))
    mine, theirs = (quoted(next(iter(ids), "")) for ids in positions[:2])
    what = f"no item id in common with {systems[0].where} (for example {theirs} here, {mine} there)"
    advice = f"{hint_on_ids([*positions[1]], [*positions[0]])}Choose the id columns with {opt('id_column')}. "
    unpaired = f"outscore{' ' if speaks_options() else '.'}compare with {opt('unpaired', True)}"
    advice += f"For different items or people, use {unpaired}."
    raise DataError(Problem(systems[1].where, what, advice, "no-shared-ids"))


def _check_complete(systems: Sequence[Rows], positions: Sequence[dict[str, int]]) -> None:
    everything = dict.fromkeys(item for ids in positions for item in ids)
    problems = []
    for system, ids in zip(systems, positions, strict=True):
        absent = [item for item in everything if item not in ids]
        if absent:
            others = [other.where for other in systems if other is not system]
            hint = hint_on_ids([*ids], [item for other in positions if other is not ids for item in other])
            owner = f"{others[0]} has" if len(others) == 1 else "other systems have"
            problems.append(
                Problem(
                    system.where,
                    f"{len(absent)} item(s) are missing that {owner}: {listed(absent)}",
                    f"{hint}Add them, or pass {Missing.DROP.option} to compare on the common items.",
                    "missing-ids",
                )
            )
    if problems:
        raise DataError(*problems)


def merged(parts: Sequence[Rows], names: Sequence[str], name: str, axis: str = "run") -> Rows:
    """Merge the runs, or other levels, of one system, item by item. A cell is empty if the level lacks the item.

    `parts` are the levels with their `names`, all or none with item ids. `axis` is the name of a level, such as "run".
    Raise DataError if runs without item ids have different lengths, an item occurs twice in a run, or only some runs
    have ids.
    """
    for file in parts:
        if file.cells is not None and len(file.cells.axes[0]) > 1:
            what = f"expected one run per file, got {len(file.cells.axes[0])}"
            raise DataError(
                Problem(
                    file.where, what, "Pass a table of several runs as the only file of its system.", "runs-in-a-run"
                )
            )
    order = sorted(range(len(parts)), key=lambda run: _natural(names[run]))
    parts, names = [parts[run] for run in order], tuple(names[run] for run in order)
    first = parts[0]
    if len({part.item_ids is None for part in parts}) > 1:
        lone = next(part for part in parts if part.item_ids is None)
        what = f"expected item ids as in the other {axis}s of {name}, got none"
        raise DataError(Problem(lone.where, what, f"Add item ids to all {axis}s.", "no-ids"))
    if first.item_ids is None:
        _check_lengths(parts, first)
        values, ids = np.stack([part.values for part in parts]), None
    else:
        positions = [_positions(part.source or part.where, part.item_ids or (), part.lines) for part in parts]
        ids = tuple(dict.fromkeys(item for part in parts for item in part.item_ids or ()))
        places = {item: index for index, item in enumerate(ids)}
        values = np.full((len(parts), len(ids), first.values.shape[1]), np.nan)
        for run, part in enumerate(positions):
            values[run, [places[item] for item in part]] = parts[run].values
    cells = Cells((Axis(axis, names),), values)
    remarks = tuple(dict.fromkeys(remark for part in parts for remark in part.remarks))
    return Rows(name, cells.means, ids, source=first.source, path=first.path, remarks=remarks, cells=cells)


def folded(
    records: Rows,
    levels: Mapping[str, Sequence[str]],
    beside: Sequence[object] | None = None,
    *,
    order: Callable[[str], Any] | None = None,
    fewest: int = 2,
) -> Rows:
    """Arrange records, each an item in a run or other levels, as a system with cells.

    The rows have the item id of each record, and `levels` its levels, by name of axis, such as "run". `beside` is the
    answer or the selector of each record. `order` is the sort key of the names of levels; by default numbers come
    first, by size. Raise DataError if an item occurs twice in a cell, or there are fewer than `fewest` items.
    """
    assert records.item_ids is not None
    axes = tuple(Axis(name, tuple(sorted(set(names), key=order or _natural))) for name, names in levels.items())
    of_items: dict[str, int] = {}
    items = np.array([of_items.setdefault(item, len(of_items)) for item in records.item_ids], dtype=np.int64)
    place = (*(_codes(levels[axis.name], axis.levels) for axis in axes), items)
    first: dict[tuple[int, ...], int] = {}
    twice: list[tuple[int, tuple[int, ...]]] = []
    for index, key in enumerate(zip(*(codes.tolist() for codes in place), strict=True)):
        if first.setdefault(key, index) != index:
            twice.append((index, key))
    if twice:
        index, key = twice[0]
        called = Cells(axes, np.zeros(0)).called(key[:-1])
        what = f"duplicate score of item {quoted(records.item_ids[index])} in {called}"
        what += f" (first at {records.place(first[key])})"
        what += f"; {len(twice) - 1:,} more repeat" if len(twice) > 1 else ""
        each = " and ".join(axis.name for axis in axes)
        advice = (
            f"Write one score per item and {each}, or name the columns that explain the rows: {opt('run')} (runs or "
            f"samples), {opt('template')} (prompt templates), {opt('rater')} (raters) or {opt('clusters')} (related "
            "items)."
        )
        raise DataError(Problem(records.place(index), what, advice, "duplicate-cell"))
    if len(of_items) < fewest:
        what, advice = "expected at least 2 items, got 1", "One item has no variance."
        raise DataError(Problem(records.where, what, advice, "one-item"))
    shape = (*map(len, axes), len(of_items))
    values = np.full((*shape, records.values.shape[1]), np.nan)
    values[place] = records.values
    answers = selectors = None
    if beside is not None and isinstance(beside[0], str):
        answers = np.full(shape, None, dtype=object)
        answers[place] = beside
    elif beside is not None:
        selectors = np.full(shape, np.nan)
        selectors[place] = beside
    cells = Cells(axes, values, answers, selectors)
    return replace(records, values=cells.means, item_ids=tuple(of_items), lines=None, cells=cells)


def _codes(names: Sequence[str], known: Sequence[str]) -> IntArray:
    places = {name: index for index, name in enumerate(known)}
    return np.array([places[name] for name in names], dtype=np.int64)


def _natural(name: str) -> tuple[int, float, str]:
    """Return a sort key for names: numbers first, by size."""
    try:
        return 0, float(name), name
    except ValueError:
        return 1, 0.0, name


def with_gaps(rows: Rows, kept: Sequence[int], ids: tuple[str, ...] | None, n_items: int) -> Rows:
    """Return a system of n items with empty cells, given the rows of the items in the places `kept`.

    Empty cells are left out once the systems are paired, because items without ids are known by their places.
    """
    values = np.full((n_items, rows.values.shape[1]), np.nan)
    values[list(kept)] = rows.values
    cells = Cells((), values)
    return replace(rows, values=cells.means, item_ids=ids, cells=cells)


def with_places(systems: Sequence[Rows]) -> tuple[Rows, ...]:
    """Return systems with ids where items are paired by position: ids of the first system that has some, or places."""
    named = [rows for rows in systems if rows.item_ids is not None]
    lengths = {len(rows) for rows in systems if rows.item_ids is None}
    ids = named[0].item_ids if named else tuple(str(index + 1) for index in range(max(lengths, default=0)))
    if ids is None or lengths != {len(ids)}:
        _check_lengths([rows for rows in systems if rows.item_ids is None], named[0] if named else systems[0])
        return tuple(systems)
    return tuple(rows if rows.item_ids is not None else replace(rows, item_ids=ids) for rows in systems)


def align(systems: Sequence[Rows], missing: Missing = Missing.ERROR) -> list[Rows]:
    """Pair systems, the first of which is the baseline: return their rows in a common order of items.

    Systems with item ids are paired by id, in the order of the first of them. A system without ids is paired with that
    one by position. If fewer than two systems have ids, all are paired by position. `Missing.DROP` keeps only the items
    that all systems have. Otherwise a missing item is an error. Raise DataError for different lengths without ids,
    duplicate ids, no id in common, ids missing in one system, or only one common item.
    """
    named = [system for system in systems if system.item_ids is not None]
    anchor = named[0] if named else systems[0]
    _check_lengths([system for system in systems if system.item_ids is None or len(named) < 2], anchor)
    if len(named) < 2:
        return list(systems)

    # Systems of one table share the same tuple of ids.
    positions_of_ids: dict[int, dict[str, int]] = {}
    for system in named:
        if id(system.item_ids) not in positions_of_ids:
            where = system.source or system.where
            positions_of_ids[id(system.item_ids)] = _positions(where, system.item_ids or (), system.lines)
    positions = [positions_of_ids[id(system.item_ids)] for system in named]
    if all(system.item_ids == anchor.item_ids for system in named):
        return list(systems)
    common = [item for item in positions[0] if all(item in places for places in positions[1:])]
    _check_shared(named, positions, common)
    if missing is not Missing.DROP:
        _check_complete(named, positions)
    places_of = {id(system): places for system, places in zip(named, positions, strict=True)}
    return [
        system.take(np.array([places[item] for item in common], dtype=np.int64))
        for system in systems
        for places in [places_of.get(id(system), positions[0])]
    ]


def label_codes(labels: Labels, rows: Rows) -> AnyArray:
    """Return one integer code per item of `rows`. Items with the same label get the same code.

    Codes count from 0 in order of first appearance.

    Raises
    ------
    DataError
        The number of labels is not that of the items, duplicate ids, or an item without a label.
    """
    codes: dict[str, int] = {}
    return np.array([codes.setdefault(label, len(codes)) for label in labels_of(labels, rows)], dtype=np.int64)


def sorted_codes(labels: Labels, rows: Rows) -> tuple[AnyArray, tuple[str, ...]]:
    """Return one integer code per item of `rows`, and the labels in the order of codes.

    Labels are sorted, numbers first, so that codes do not depend on the order of items. Raise DataError as
    `label_codes` does.
    """
    of_items = labels_of(labels, rows)
    names = tuple(sorted(set(of_items), key=_natural))
    return _codes(of_items, names), names


def labels_of(labels: Labels, rows: Rows) -> Sequence[str]:
    """Return the label of each item of `rows`."""
    if labels.item_ids is None or rows.item_ids is None:
        if len(labels.labels) != len(rows):
            raise DataError(
                Problem(
                    labels.name,
                    f"expected {len(rows)} labels, one per item, got {len(labels.labels)}",
                    "Write one label per line in the order of the items, or a table with item ids.",
                    "different-lengths",
                )
            )
        return labels.labels
    positions = _positions(labels.name, labels.item_ids, labels.lines)
    _refuse_absent(rows.item_ids, rows.where, positions, labels.name, "Every item needs a label.")
    return [labels.labels[positions[item]] for item in rows.item_ids]


def pair_corpora(outputs: Corpus[Item], references: Corpus[Any]) -> Corpus[Item]:
    """Return outputs in the order of the references, paired by item id if both have ids, else by position.

    Raise DataError for different numbers of items, duplicate ids, an output without a reference, or a reference without
    an output.
    """
    if outputs.item_ids is None or references.item_ids is None:
        got, expected = len(outputs.items), len(references.items)
        if got != expected:
            what = f"expected {expected} items as in {references.name}, got {got}"
            advice = "Check that both are of the same test set."
            if got == expected + 1:
                advice = "Check for a header or an empty last line."
            raise DataError(Problem(outputs.name, what, advice, "different-lengths"))
        return outputs
    placed = _positions(outputs.name, outputs.item_ids, outputs.lines, _ONE_OUTPUT)
    wanted = _positions(references.name, references.item_ids, references.lines, _ONE_OUTPUT)
    both = "Both need the same items."
    _refuse_absent(references.item_ids, references.name, placed, outputs.name, both)
    _refuse_absent(outputs.item_ids, outputs.name, wanted, references.name, both)
    order = [placed[item] for item in references.item_ids]
    return replace(
        outputs,
        items=[outputs.items[i] for i in order],
        lines=[outputs.lines[i] for i in order] if len(outputs.lines) else (),
        item_ids=references.item_ids,
    )
