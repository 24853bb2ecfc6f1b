"""The canonical order of the items of a test set, in which they are drawn and summed.

Weights are drawn unit by unit, so the result would depend on the order of units. To avoid this, items are sorted by
their rows before anything is drawn or summed. The rows of an item begin with those of the first system. Systems and
their runs are sorted as well, so exchanging two systems does not change the order of the items.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass, replace
from itertools import zip_longest

import numpy as np

from outscore._types import AnyArray, IntArray
from outscore.data.blocks import exact_sum
from outscore.data.rows import Rows
from outscore.design import Design
from outscore.laws.tolerances import GLANCE, LARGEST_EXACT

_ROUNDS = 3  # rounds of distinguishing systems of equal totals; more distinguish no more real systems
_NARROW = 2**15  # keys below this are sorted in linear time
_WIDEST = 2**62  # upper limit of codes for the values of several columns
# Decimals in a range this small are codes as they are: those of two columns then fit into one number.
_SCALES, _MOST_CODES = (1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6), 2.0**31


def in_canonical_order(systems: Sequence[Rows], design: Design) -> tuple[list[Rows], Design]:
    """Return systems and their design with the items in canonical order, and clusters in the order of their rows.

    The systems, of one metric, keep their order and lose their item ids. Items of one stratum are contiguous. `given`
    of the design is the places of the units in the original order.
    """
    before = [] if design.strata is None else [design.strata]
    blocks, names = list[Sequence[AnyArray]](), list[str]()
    for system in systems:
        if system.values.dtype == object:
            blocks.append([_hashes(column) for column in system.values.T])
        else:
            cells = [system.values] if system.cells is None else system.cells.each()
            blocks += [list(np.ascontiguousarray(rows.T)) for rows in cells]
        names += [system.name] * (len(blocks) - len(names))
    columns = _columns_of(blocks, names)
    order = _places(design.n_items, [*before, *columns])
    clusters, given = None, order
    if design.clusters is not None:
        order, clusters, given = _by_cluster(order, design.clusters, before, columns)
    reordered = [replace(system, item_ids=None, lines=None).take(order) for system in systems]
    return reordered, design.reordered(order, clusters, given)


def row_order(*systems: AnyArray, strata: AnyArray | None = None) -> IntArray:
    """Return the canonical order of units, shape (n,), from the rows of systems, shape (n, k) each."""
    before = [] if strata is None else [strata]
    return _places(len(systems[0]), [*before, *_columns_of([list(rows.T) for rows in systems])])


def _places(n: int, columns: Iterable[AnyArray]) -> IntArray:
    """Return the places of n items sorted by their first column, ties by the second, and so on."""
    # The codes of all columns are the digits of one number, whose base differs from digit to digit. So one sort of
    # whole numbers replaces a sort by each column (`np.lexsort` takes several times as long).
    key, width = np.zeros(n, dtype=np.int64), 1
    for column in columns:
        low, high = column.min(), column.max()
        if low == high:
            continue
        scale = _scale_of(column, float(high) - float(low))
        if scale is not None:
            base = round(float(low) * scale)
            codes = np.rint(column * scale).astype(np.int64) - base
            n_codes = round(float(high) * scale) - base + 1
        else:
            # Real-valued scores are usually distinct: their first column alone gives the order.
            if width == 1:
                order = np.argsort(column)
                ordered = column[order]
                if (ordered[1:] != ordered[:-1]).all():
                    return order
            distinct, codes = np.unique(column, return_inverse=True)
            n_codes = len(distinct)
        # The number would overflow. Its ranks have the same order, and are at most n.
        if width * n_codes > _WIDEST:
            distinct, key = np.unique(key, return_inverse=True)
            width = len(distinct)
            if width == n:
                break
        key, width = key * n_codes + codes, width * n_codes
    return np.argsort(key.astype(np.int16) if width <= _NARROW else key, kind="stable")


def _by_cluster(
    order: IntArray, clusters: IntArray, before: Sequence[AnyArray], columns: Sequence[AnyArray]
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the order of the items by cluster, the cluster of each item there, and the original code of each cluster.

    `order` is that of the items, `before` has codes by which items are sorted first, such as strata, and `columns`
    those of `_columns_of`.
    """
    count, of_items = int(clusters.max()) + 1, clusters[order]
    sums = []
    changes = np.zeros(len(order), dtype=bool)
    for column in columns:
        in_order = column[order]
        # Summed in canonical order, so that the rounding of a sum does not depend on the order of the file.
        summed = np.zeros(count, dtype=column.dtype)
        np.add.at(summed, of_items, in_order)
        sums.append(summed)
        changes[1:] |= np.diff(in_order) != 0
    # Clusters with equal sums may have different items.
    content = np.zeros(count, dtype=np.uint64)
    np.add.at(content, of_items, _mixed(np.cumsum(changes)))
    of_clusters = []
    for codes in before:
        of_clusters.append(np.zeros(count, dtype=np.int64))
        of_clusters[-1][clusters] = codes
    given = _places(count, [*of_clusters, *sums, content.view(np.int64)])
    rank = np.empty(count, dtype=np.int64)
    rank[given] = np.arange(count)
    by_cluster = np.argsort(rank[of_items], kind="stable")
    return order[by_cluster], rank[of_items][by_cluster], given


def _columns_of(systems: Sequence[Sequence[AnyArray]], names: Sequence[str] = ()) -> list[AnyArray]:
    """Return the columns of all systems in turn: the first of each, the second, ..., with systems in canonical order.

    `systems` has the columns of each system, or of each cell of systems, shape (n,) each. Systems are sorted by their
    extremes, their totals, and their items, ignoring items on which all agree. Systems that are still equal have the
    same items in different orders, and are sorted by name.
    """
    if not systems[0] or not len(systems[0][0]):
        return []
    differing = np.zeros(len(systems[0][0]), dtype=bool)
    for first, *others in zip(*systems, strict=False):
        for other in others:
            differing |= first != other
    # Items on which all systems agree say nothing about the order of systems, and a metric may repeat them.
    parts = systems if differing.all() else [[column[differing] for column in columns] for columns in systems]
    keys: list[tuple[float, ...]] = [()] * len(systems)
    # Cheapest first. Most systems differ in an extreme or a total. Only systems that are permutations of each other
    # need hashes of their rows.
    for told_by in (np.max, np.min, _total) if differing.any() else ():
        for columns in zip_longest(*parts):
            if len(set(keys)) == len(keys):
                break
            keys = [
                (*key, -math.inf if column is None else told_by(column))
                for key, column in zip(keys, columns, strict=True)
            ]
    if len(set(keys)) < len(keys) and differing.any():
        ranks = {key: rank for rank, key in enumerate(sorted(set(keys)))}
        rows = [_row_hashes(columns) for columns in parts]
        of_systems = _mixed(np.array([ranks[key] for key in keys]))
        # As in the refinement of colours in graphs (Weisfeiler & Leman 1968): items are hashed from the colours of the
        # systems that answered them, and systems from the hashes of their items. Both are sums, which do not depend on
        # the order.
        for _ in range(_ROUNDS):
            of_items = np.zeros_like(rows[0])
            for own_rows, of_system in zip(rows, of_systems, strict=True):
                of_items += _mixed(own_rows ^ of_system)
            of_systems = np.array([_mixed(own_rows ^ _mixed(of_items)).sum() for own_rows in rows])
        keys = [(*key, system) for key, system in zip(keys, of_systems.tolist(), strict=True)]
    named = list(zip(keys, names or [""] * len(keys), strict=True))
    order = sorted(range(len(systems)), key=named.__getitem__)
    in_order = [systems[index] for index in order]
    return [column for columns in zip_longest(*in_order) for column in columns if column is not None]


def _scale_of(column: AnyArray, reach: float) -> float | None:
    """Return the factor that makes the decimals of a column whole; None if there is none or results are too large."""
    for scale in _SCALES:
        if reach * scale >= _MOST_CODES:
            return None
        if all((np.rint(some * scale) / scale == some).all() for some in (column[:GLANCE], column)):
            return scale
    return None


def _total(column: AnyArray) -> float:
    """Return the sum of a column, independent of the order of the items."""
    if column.dtype == np.int64:
        return int(column.sum())
    largest = max(float(column.max()), -float(column.min()))
    whole = largest * len(column) < LARGEST_EXACT and (column == np.rint(column)).all()
    return float(column.sum()) if whole else exact_sum(column)


def _row_hashes(columns: Sequence[AnyArray]) -> AnyArray:
    """Return a 64-bit hash of the row of each item, shape (n,)."""
    hashes = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        hashes = _mixed(hashes ^ (column + 0).view(np.uint64))  # adding 0 turns −0 into 0
    return hashes


def _mixed(numbers: AnyArray) -> AnyArray:
    """Return 64-bit numbers mixed by SplitMix64 (Steele, Lea & Flood 2014), so that their sums rarely collide."""
    z = np.asarray(numbers).astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))


def _hashes(items: AnyArray) -> IntArray:
    """Return a number for each item, shape (n,): equal for equal items, 0 for items comparable only by identity."""
    from hashlib import blake2b  # not needed if rows are numbers

    hashes = np.zeros(len(items), dtype=np.int64)
    for index, item in enumerate(items):
        try:
            plain = repr(_plain(item)).encode("utf-8", "surrogatepass")
        except TypeError:
            # The item is no value: 0 keeps such items in the given order.
            continue
        # 62 bits are not negative as int64, and stay within `_WIDEST`.
        hashes[index] = int.from_bytes(blake2b(plain, digest_size=8).digest(), "big") >> 2
    return hashes


def _plain(item: object) -> object:
    """Return an item as tuples of values whose `repr` is the same in every process.

    It raises a TypeError if objects can be compared only by identity.
    """
    if item is None or type(item) in (bool, int, float, complex, str, bytes):
        return item
    if isinstance(item, np.ndarray | np.generic):
        return _plain(item.tolist())
    if isinstance(item, Mapping):
        return "mapping", tuple(sorted((repr(_plain(key)), repr(_plain(value))) for key, value in item.items()))
    if isinstance(item, AbstractSet):
        return "set", tuple(sorted(repr(_plain(element)) for element in item))
    if is_dataclass(item) and not isinstance(item, type):
        values = tuple(_plain(getattr(item, field.name)) for field in fields(item))
        return type(item).__qualname__, values
    if isinstance(item, str):
        return str(item)
    if isinstance(item, Sequence):
        return "sequence", tuple(map(_plain, item))
    raise TypeError
