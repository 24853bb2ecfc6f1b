"""From two systems' rows to a pair: in items, in clusters, or in single responses."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from outscore._types import FloatArray
from outscore.data.rows import Rows
from outscore.design import Design, Units
from outscore.errors import DataError, NotApplicableError, OptionError, Problem
from outscore.gains.canonical import row_order
from outscore.gains.crossing import crossing_of
from outscore.gains.pair import AnyPair, Pair
from outscore.gains.recomputed import RecomputedPair
from outscore.metrics import AnyMetric, Metric
from outscore.metrics.base import RecomputedMetric
from outscore.options import opt
from outscore.results import Unit
from outscore.text.naming import printable
from outscore.words import warnings

_LARGEST_HIDING = 2.0**63  # above this, the differences that a score hides are not bounded

Responses = Sequence[Mapping[Hashable, Sequence[float]]]


def pair_of(
    metric: AnyMetric,
    baseline: Rows,
    candidate: Rows,
    units: Units,
    design: Design,
    unit: Unit = Unit.ITEM,
) -> AnyPair:
    """Return the pair of two systems whose rows are aligned item by item.

    Parameters
    ----------
    baseline, candidate : Rows
        Shape (n, k).
    units : Units
        The units that are resampled.
    unit : Unit
        The units that randomization swaps.

    Raises
    ------
    NotApplicableError
        If responses are to be swapped but the metric has none.
    OptionError
        If responses are to be swapped but there are clusters.
    """
    if unit is Unit.RESPONSE:
        if units.clusters is not None:
            raise OptionError(
                Problem(
                    opt("unit", "response"), "responses are not swapped by cluster", "Pass one of them.", "two-units"
                )
            )
        if not isinstance(metric, Metric) or baseline.responses is None or candidate.responses is None:
            raise NotApplicableError(
                Problem(
                    opt("unit", "response"),
                    f"{metric.name} of these files has no single responses to swap",
                    "Pass outputs and references of spans, brackets, dependencies or alignments.",
                    "no-responses",
                )
            )
        responses = response_pair(metric, baseline.values.sum(axis=0), baseline.responses, candidate.responses)
        return Pair(metric, baseline.values, candidate.values, units.strata, responses, given=units.given)
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
    )


def response_pair(metric: Metric, totals: FloatArray, baseline: Responses, candidate: Responses) -> Pair:
    """Return two systems in units of responses (Yeh 2000, section 3.3).

    A unit is a response that only one of the systems gave, or that has different rows in the two. Its row is with the
    system that gave it, and the other system has 0. The last unit is the rest, which both systems share, so swapping
    it has no effect.

    Parameters
    ----------
    totals : ndarray, shape (k,)
        Totals of the baseline.
    baseline, candidate : sequence of mappings
        For every item the rows of the system's responses, by response.
    """
    sides: tuple[list[FloatArray], list[FloatArray]] = [], []
    k = len(totals)
    nothing = np.zeros(k)
    for one, other in zip(baseline, candidate, strict=True):
        for key in dict.fromkeys((*one, *other)):
            before, after = (
                np.asarray(responses[key], dtype=np.float64) if key in responses else nothing
                for responses in (one, other)
            )
            if not np.array_equal(before, after):
                sides[0].append(before)
                sides[1].append(after)
    units = [np.array(side).reshape(-1, k) for side in sides]
    if sides[0]:
        order = row_order(*units)
        units = [side[order] for side in units]
    shared = totals - units[0].sum(axis=0)
    return Pair(metric, np.vstack([units[0], shared]), np.vstack([units[1], shared]))


def refuse_hidden(pair: AnyPair, units: Units, item_ids: Sequence[str] | None) -> None:
    """Raise an error for scores above 2^63 together with scores so small that double precision loses them.

    Raises
    ------
    DataError
    """
    unit = pair.coarse_unit if pair.blur else None
    if unit is None or not isinstance(pair, Pair):
        return
    largest = max(float(np.abs(rows[unit]).max()) for rows in (pair.baseline, pair.candidate))
    if largest > _LARGEST_HIDING:  # 2^63 - 1 is 2^63 in double precision
        what = f"a score of {largest:.4g} exceeds 2^63, so that differences of other {units.name}s are lost in the sum"
        advice = "Correct the score, or leave it out."
        raise DataError(Problem(name_of_unit(units, unit, item_ids), what, advice, "score-too-large"))


def remark_on_rounding(pair: AnyPair, units: Units, item_ids: Sequence[str] | None) -> str | None:
    """Return a sentence about the unit whose rounding error affects the gain, or None.

    Parameters
    ----------
    pair : AnyPair
        In `units`.
    item_ids : sequence of str, optional
        One per item, in the original order.
    """
    unit = None if pair.linear is None else pair.coarse_unit
    if unit is None:
        return None
    return warnings.rounded(name_of_unit(units, unit, item_ids), units.name)


def name_of_unit(units: Units, place: int, item_ids: Sequence[str] | None) -> str:
    """Return the name of a unit in messages: the id of an item, else its number, in the original order."""
    place = place if units.given is None else int(units.given[place])
    if units.clusters is None and item_ids is not None:
        return f'item "{printable(item_ids[place])}"'
    return f"{units.name} {place + 1}"
