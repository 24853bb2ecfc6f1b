"""Two systems' rows to a pair: in items, in clusters of them, and in single responses."""

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

_LARGEST_HIDING = 2.0**63  # above this what a score hides is not bounded

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
    metric : AnyMetric
    baseline, candidate : Rows
        Shape (n, k).
    units : Units
        What is resampled.
    design : Design
    unit : Unit
        What randomization swaps.

    Raises
    ------
    NotApplicableError
        Responses of a metric that has none.
    OptionError
        Responses together with clusters.
    """
    if unit is Unit.RESPONSE:
        if units.clusters is not None:
            raise OptionError(
                Problem(
                    opt("unit", "response"), "responses are not swapped by cluster", "Name one of them.", "two-units"
                )
            )
        if not isinstance(metric, Metric) or baseline.responses is None or candidate.responses is None:
            raise NotApplicableError(
                Problem(
                    opt("unit", "response"),
                    f"{metric.name} of these files has no single responses to swap",
                    "It takes outputs and references of spans, brackets, dependencies or alignments.",
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

    A unit is a response that exactly one of the systems gave, or that counts differently in the two: its row stands
    on the side of the system that gave it, and 0 on the other. The last unit is everything else, which both share,
    so that swapping it changes nothing.

    Parameters
    ----------
    metric : Metric
    totals : ndarray, shape (k,)
        Of the baseline.
    baseline, candidate : sequence of mappings
        For every item the rows of the responses that the system gave, by what they are.
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
    """Refuse scores of more than 2^63 beside scores so small that double precision loses them in the sum.

    Raises
    ------
    DataError
    """
    unit = pair.coarse_unit if pair.blur else None
    if unit is None or not isinstance(pair, Pair):
        return
    largest = max(float(np.abs(rows[unit]).max()) for rows in (pair.baseline, pair.candidate))
    if largest > _LARGEST_HIDING:  # 2^63 - 1 is 2^63 in double precision
        what = f"a score of {largest:.4g} is more than 2^63, and differences of other {units.name}s are lost beside it"
        advice = "Correct the score, or leave it out."
        raise DataError(Problem(name_of_unit(units, unit, item_ids), what, advice, "score-too-large"))


def remark_on_rounding(pair: AnyPair, units: Units, item_ids: Sequence[str] | None) -> str | None:
    """Return a sentence that names the unit whose rounding shows in the gain, or None where it does not.

    Parameters
    ----------
    pair : AnyPair
        In `units`.
    units : Units
    item_ids : sequence of str, optional
        One an item, in the order given.
    """
    unit = None if pair.linear is None else pair.coarse_unit
    if unit is None:
        return None
    return warnings.rounded(name_of_unit(units, unit, item_ids), units.name)


def name_of_unit(units: Units, place: int, item_ids: Sequence[str] | None) -> str:
    """Return what messages call a unit: by the id of an item, else by its number, in the order given."""
    place = place if units.given is None else int(units.given[place])
    if units.clusters is None and item_ids is not None:
        return f'item "{printable(item_ids[place])}"'
    return f"{units.name} {place + 1}"
