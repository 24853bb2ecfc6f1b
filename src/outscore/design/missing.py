"""What systems may lack: the one rule about missing items and scores, of tables, logs, outputs and objects.

A system lacks an item that others have, or an item's score in some of its cells, such as a run. By default both are
errors. Otherwise such items are left out of all systems, or missing scores are 0. Nothing else is ever filled in.
Readers keep missing scores as empty cells, or leave out their items; here and in `data.pairing.align` these meet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from outscore.data.cells import Cells
from outscore.data.rows import Missing, MissingCells, MissingTreatment, Rows
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics import AnyMetric, ColumnMetric
from outscore.options import opt
from outscore.text.naming import listed, printable, quoted

_LEVEL = 0.05  # of the test on unequal proportions: the usual level, as a difference is an error and not a result


def counted(rows: Rows, n_items: int, treated: MissingTreatment) -> MissingCells:
    """Return the number of cells that a system lacks, of those of all items of all systems."""
    lacking = np.zeros((1, len(rows))) if rows.cells is None else rows.cells.lacking
    cells = lacking[..., 0].size * (n_items if rows.item_ids is not None else len(rows))
    return MissingCells(int(lacking.sum()) + cells - lacking.size, cells, treated)


def zeroed(metric: AnyMetric, rows: Rows, items: Sequence[str]) -> Rows:
    """Return a system with a score of every item in every cell, 0 if it was missing.

    Raise OptionError if items have no scores of the metric.
    """
    present = set(items if rows.item_ids is None else rows.item_ids)
    lost = [item for item in items if item not in present]
    cells = Cells((), rows.values) if rows.cells is None else rows.cells
    lacking = np.zeros(len(rows), dtype=bool) if rows.cells is None else cells.lacking
    n_lacking = int(lacking.sum()) + len(lost) * lacking[..., 0].size
    if n_lacking == 0:
        return rows
    if not isinstance(metric, ColumnMetric) or len(metric.columns) > 1:
        what = f"{metric.name} has no item scores that could be 0"
        raise OptionError(Problem(opt(Missing.ZERO.argument), what, f"Use {Missing.DROP.option}.", "no-zero"))
    nothing = metric.rows(np.zeros((1, 1)))[0]
    added = (*lacking.shape[:-1], len(lost))
    values = np.where(lacking[..., None], nothing, cells.values)
    values = np.concatenate([values, np.broadcast_to(nothing, (*added, len(nothing)))], axis=-2)
    # A missing answer votes for no answer, and is selected last.
    answers, selectors = (
        None if beside is None else np.concatenate([np.where(lacking, filler, beside), np.full(added, filler)], axis=-1)
        for beside, filler in ((cells.answers, ""), (cells.selectors, -np.inf))
    )
    whole = replace(cells, values=values, answers=answers, selectors=selectors)
    remarks = (*rows.remarks, f"{n_lacking} missing score(s) count as 0.")
    ids = None if rows.item_ids is None else (*rows.item_ids, *lost)
    means, kept = (whole.means, whole) if cells.axes else (values, None)
    return replace(rows, values=means, item_ids=ids, lines=None, dropped=(), cells=kept, remarks=remarks)


def names_of(rows: Rows) -> tuple[str, ...]:
    """Return the names of items in messages: their ids, or else their places."""
    return rows.item_ids or tuple(str(index + 1) for index in range(len(rows)))


def complete(rows: Rows, missing: Missing) -> Rows:
    """Return a system without the items that lack a cell.

    Raise DataError if a cell has no item, or items lack a cell and are not to be left out.
    """
    cells = rows.cells
    assert cells is not None
    lacking = cells.lacking
    empty = np.argwhere(lacking.all(axis=-1))
    if len(empty):
        names = [axis.name for axis in cells.axes]
        what = f"has no scores of {cells.called(empty[0].tolist())}: expected every {' with every '.join(names)}"
        advice = f"Add them, or leave out that {' or '.join(names)}."
        raise DataError(Problem(rows.where, what, advice, "missing-cells"))
    incomplete = np.flatnonzero(lacking.any(axis=tuple(range(len(cells.axes)))))
    if len(incomplete) == 0:
        return rows
    ids = names_of(rows)
    lost = [ids[index] for index in incomplete.tolist()]
    if missing is not Missing.DROP:
        first = cells.called(np.argwhere(lacking[..., incomplete[0]])[0].tolist())
        what = f"{len(lost)} item(s) lack a score in some of the {cells.counted}: {listed(lost)}; the first "
        what += f"lacks that of {first}"
        drop, zero = Missing.DROP.option, Missing.ZERO.option
        advice = f"Add them, or pass {drop} to leave these items out, {zero} to score them 0."
        raise DataError(Problem(rows.where, what, advice, "missing-cells"))
    kept = rows.take(np.setdiff1d(np.arange(len(rows)), incomplete))
    return replace(kept, dropped=(*rows.dropped, *lost))


@dataclass(frozen=True)
class _Lacking:
    """What a system lacks: (kind, number missing, total) for each kind, such as "items", and an example."""

    where: str
    name: str
    proportions: tuple[tuple[str, int, int], ...]
    example: str = ""


def refuse_unequal_cells(systems: Sequence[Rows]) -> None:
    """Raise DataError if systems lack significantly different proportions of their cells."""
    lacking = []
    for rows in systems:
        assert rows.cells is not None
        assert rows.missing is not None
        example = ""
        for *cell, item in np.argwhere(rows.cells.lacking)[:1].tolist():
            example = f" (the first is that of {rows.cells.called(cell)} on item {quoted(names_of(rows)[item])})"
        proportions = (("scores", rows.missing.count, rows.missing.cells),)
        lacking.append(_Lacking(rows.where, rows.name, proportions, example))
    _refuse_unequal(lacking, "compare without them")


def refuse_unequal_items(systems: Sequence[Rows], *, cells: bool) -> None:
    """Raise DataError if systems lack significantly different proportions of their items, or of cells of their items.

    Cells of one item are missing together, and are not counted separately. `cells` tells whether they are counted.
    """
    items = {item for rows in systems for item in (*(rows.item_ids or ()), *rows.dropped)}
    lacking = []
    for rows in systems:
        empty = np.zeros(1) if rows.cells is None or not cells else rows.cells.lacking
        of_items = ("items", len(items) - len(rows), len(items))
        of_cells = ("scores of its items", int(empty.sum()), empty.size)
        lacking.append(_Lacking(printable(rows.name), rows.name, (of_items, of_cells)))
    _refuse_unequal(lacking, "compare on common items")


def _refuse_unequal(systems: Iterable[_Lacking], drop: str) -> None:
    """Raise for the first system whose proportions differ from those of the first; `drop` says what dropping does.

    Such values are rarely missing at random. The level is divided by the number of comparisons (Bonferroni).
    """
    from outscore.laws.exact.missing import shares_differ  # few systems lack anything

    first, *others = systems
    for other in others:
        for (what, missing_first, n_first), (_, missing, n) in zip(first.proportions, other.proportions, strict=True):
            if shares_differ(missing_first, n_first, missing, n) > _LEVEL / len(others):
                continue
            pair = [(first, missing_first, n_first), (other, missing, n)]
            (less, fewer, n_less), (more, count, n_more) = sorted(pair, key=lambda counts: counts[1] / counts[2])
            lacks = f"lacks {count:,} of {n_more:,} {what}{more.example}, {less.name} {fewer:,} of {n_less:,}"
            text = f"{lacks}: the proportions differ significantly, so values are not missing at random"
            zero, dropped = Missing.ZERO.option, Missing.DROP.option
            advice = f"Pass {zero} to score missing values 0, or {dropped} to {drop}."
            raise DataError(Problem(more.where, text, advice, "unequally-missing"))
