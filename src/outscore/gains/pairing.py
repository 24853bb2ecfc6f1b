"""From two systems' rows to a pair, in items or in clusters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from outscore.data.rows import Rows
from outscore.design import Design, Units
from outscore.errors import DataError, Problem
from outscore.gains.crossing import crossing_of
from outscore.gains.pair import Pair
from outscore.gains.recomputed import RecomputedPair
from outscore.laws.tolerances import LARGEST_HIDING
from outscore.metrics import AnyMetric, Metric
from outscore.metrics.base import RecomputedMetric
from outscore.text.naming import printable
from outscore.words import warnings


def pair_of(metric: AnyMetric, baseline: Rows, candidate: Rows, units: Units, design: Design) -> Pair:
    """Return the pair of two systems whose rows are aligned item by item, in the units that are resampled."""
    if isinstance(metric, RecomputedMetric):
        return RecomputedPair(metric, baseline.values, candidate.values, units)
    assert isinstance(metric, Metric)
    rows = units.sums(baseline.values), units.sums(candidate.values)
    return Pair(
        metric,
        rows[0],
        rows[1],
        units.strata,
        crossing=crossing_of(metric, [baseline, candidate], units, design) if design.axes else None,
        clusterings=design.crossed_clusters,
        given=units.given,
        against=design.against,
        scored=None if baseline.scored is None or candidate.scored is None else (baseline.scored, candidate.scored),
    )


def refuse_hidden(pair: Pair, units: Units, item_ids: Sequence[str] | None) -> None:
    """Raise a DataError for scores above 2^63 together with scores so small that double precision loses them."""
    unit = pair.coarse_unit if pair.blur else None
    if unit is None:
        return
    largest = max(float(np.abs(rows[unit]).max()) for rows in (pair.baseline, pair.candidate))
    if largest > LARGEST_HIDING:  # 2^63 - 1 is 2^63 in double precision
        what = f"a score of {largest:.4g} exceeds 2^63, so that differences of other {units.name}s are lost in the sum"
        advice = "Correct the score, or leave it out."
        raise DataError(Problem(name_of_unit(units, unit, item_ids), what, advice, "score-too-large"))


def remark_on_rounding(pair: Pair, units: Units, item_ids: Sequence[str] | None) -> str | None:
    """Return a sentence about the unit whose rounding error affects the gain, or None.

    Item ids are in the original order.
    """
    unit = None if pair.linear is None else pair.coarse_unit
    if unit is None:
        return None
    return warnings.rounded(name_of_unit(units, unit, item_ids), units.name)


def name_of_unit(units: Units, unit: int, item_ids: Sequence[str] | None) -> str:
    """Return the name of a unit in messages: the id of an item, else its number, in the original order."""
    unit = unit if units.given is None else int(units.given[unit])
    if units.clusters is None and item_ids is not None:
        return f'item "{printable(item_ids[unit])}"'
    return f"{units.name} {unit + 1}"
