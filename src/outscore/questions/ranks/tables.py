"""The table of all systems of a ranking, and the covariances of gains over a baseline."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from outscore._types import FloatArray
from outscore.data.rows import Rows
from outscore.design import Design, Units
from outscore.gains.canonical import in_canonical_order
from outscore.gains.crossing import crossing_of
from outscore.gains.tables import RecomputedTable, SystemTable
from outscore.metrics import AnyMetric, Metric
from outscore.metrics.base import RecomputedMetric


def table_of(
    metric: AnyMetric, systems: Sequence[Rows], units: Units, design: Design
) -> tuple[SystemTable, Sequence[int]]:
    """Return the systems sorted by score, and their places. Equal ones keep their order."""
    if isinstance(metric, RecomputedMetric):
        items = [system.values for system in systems]
        scores = np.array([metric.score_of_set(rows) for rows in items])
        order = np.argsort(-scores if metric.higher_is_better else scores, kind="stable").tolist()
        return RecomputedTable(metric, [items[i] for i in order], units), order
    assert isinstance(metric, Metric)
    summed = [units.sums(system.values) for system in systems]
    order = SystemTable.order(metric, summed).tolist()
    crossing = crossing_of(metric, [systems[i] for i in order], units, design)
    return SystemTable(metric, [summed[i] for i in order], units.strata, crossing), order


def covariance_of_gains(metric: AnyMetric, systems: Sequence[Rows], design: Design) -> tuple[FloatArray, float]:
    """Return the covariances of the gains of all systems over the first one, and their unit.

    See `SystemTable.covariance`.
    """
    if metric.fits_systems:
        metric, systems, design = metric.on_systems(systems, design)
    systems, design = in_canonical_order(systems, design)
    crossed = design.crossed_clusters
    clusterings = [design.units] if crossed is None else [Units(len(codes), codes) for codes in crossed]
    gains, parts = np.eye(len(systems))[1:] - np.eye(len(systems))[0], []
    for units in clusterings:
        table, order = table_of(metric, systems, units, design)
        covariance, unit = table.covariance()
        parts.append((gains[:, order] @ covariance @ gains[:, order].T, unit))
    largest = max(unit for _, unit in parts)
    return np.sum([covariance * (unit / largest) ** 2 for covariance, unit in parts], axis=0), largest
